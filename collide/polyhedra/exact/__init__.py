"""Exact decisions: roots of polynomials, planes, motions, pairs of features."""
