"""Cells of a body (faces, edges, vertices, creases), the numbers in their formulas, and where they are.

`parts` and `implicit_parts` list the cells, `numbers` their parameters; `extent` encloses where a cell is over time, `surface_points` its
points.
"""
