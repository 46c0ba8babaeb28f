"""Edges, points, triangles and meshes in motion: rounded search, decided exactly where rounding leaves it open.

Rooms, in the order in which they build on each other:

- `exact`: roots, planes and motions in rational numbers
- `primitives`: edges, points and triangles in batches
- `mesh`: first contacts of meshes
- `closest`: closest features of convex meshes
- `location`: the index of a polyhedron, which classifies points, edges and faces
- `touch`: contacts of two polyhedra, and their tangent planes
- `distance`: distances of meshes, and triangles near each other
- `flat`: bodies of flat faces in contact, exactly
- `boolean`: union, intersection and difference
- `step`: how far the vertices of a mesh may go without contact of the mesh with itself

Outside stand `sweep_and_prune` (pairs of boxes that overlap) and `swarm` (pairs of many bodies that meet, from pose to pose).
"""
