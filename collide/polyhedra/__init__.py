"""Edges, points, triangles and meshes in motion: rounded search, decided exactly where rounding leaves it open.

Rooms, in the order in which they build on each other: `exact` (roots, planes, motions in rationals), `primitives` (edges, points and
triangles in batches), `mesh` (first contacts of meshes), `closest` (closest features of convex meshes), `location` (the index of a
polyhedron), `touch` (contacts and tangent planes), `distance` (distances of meshes), `flat` (flat bodies in contact), `boolean` (union,
intersection, difference). `sweep_and_prune` stands alone.
"""
