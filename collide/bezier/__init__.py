"""Pairs of moving Bezier patches: our method, Chen's as published, and exact splitting of NURBS."""
