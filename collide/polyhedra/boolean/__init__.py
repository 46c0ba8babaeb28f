"""Regularized union, intersection and difference of polyhedra, exactly (Requicha and Voelcker 1977; Vanecek 1990, Section 5).

- `exact_points`: points of rational coordinates, each once, with doubles beside them for filters
- `surfaces`: orientation of triangles, and the volume inside
- `crossings`: segments along which triangles of two meshes meet
- `arrangement`: triangles divided along these segments, so that parts fit together without T-junctions
- `inside`: exact location of points in closed surfaces of triangles
- `parts`: both surfaces divided, by where they are against the other body
- `boolean`: the public question and its answer
- `hull_intersection`: the volume in which convex hulls interpenetrate
"""
