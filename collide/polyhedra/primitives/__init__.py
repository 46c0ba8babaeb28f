"""Edges, points and triangles in motion, in batches."""
