"""Edges, points, triangles and meshes in motion: rounded search, decided exactly where rounding leaves it open."""
