"""Inclusion functions written by hand.

`primitive` makes functions of them that any formula may hold; `compare` sets them against kernels.
"""
