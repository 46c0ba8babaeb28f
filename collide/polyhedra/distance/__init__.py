"""Distances of meshes, and triangles that are near each other."""
