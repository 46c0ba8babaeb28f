"""Contact manifolds, and the constraints that keep contacts while bodies move (Snyder 1993, Section 1.1, mode 2, and Equation 7)."""
