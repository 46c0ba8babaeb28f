"""Vertices, edges and faces as parts that touch: points, tangents, curvature."""
