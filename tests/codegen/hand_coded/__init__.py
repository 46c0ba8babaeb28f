"""Inclusions written by hand, with the best analysis a person would do, beside compiled ones.

``python -m tests.codegen.hand_coded`` prints the table of widths.
"""
