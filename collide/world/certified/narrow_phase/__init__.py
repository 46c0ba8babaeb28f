"""Proved times of impact of the exact initial value problem."""
