"""Cells of a body (faces, edges, vertices, creases), the numbers in their formulas, and where they are.

`cells` says what a cell is, `parts` and `implicit_parts` list them, `numbers` has their parameters; `extent` encloses where a cell is over
time, `surface_points` its points; `on_face` says where on a face a point of a cell is, in the parameters of the face.
`flat_faces`: patches of bodies combined of half-spaces, which `halfspace_faces` cuts out of the planes of these.
`turning`: which bodies turn into themselves about an axis, and slices of these.
"""
