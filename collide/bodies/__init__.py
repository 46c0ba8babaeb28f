"""Cells of a body (faces, edges, vertices, creases), the numbers in their formulas, and where they are.

`parts` and `implicit_parts` list the cells, `numbers` their parameters; `extent` encloses where a cell is over time, `surface_points` its
points; `on_face` says where on a face a point of a cell is, in the parameters of the face.
"""
