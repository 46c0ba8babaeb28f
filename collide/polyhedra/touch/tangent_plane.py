"""The tangent plane at a contact of two polyhedra (Vanecek 1990, Section 4).

Of a vertex and a face it is the plane of the face; of two edges that cross, that of both. Elsewhere it is not determined: at each vertex or
edge the outward normals of the faces there have a mean, v1 and v2 of the two bodies, and what separates the bodies best on the average is
the direction v1 - v2. (The paper has the plane through v1 x v2 and v1 + v2, which does not exist for v1 = -v2, as of all contacts head-on;
where it does, it has the same normal, for unit v1 and v2.) If the plane is to contain an edge, the part of it along the edge is left out.
"""

import numpy as np

from ..location.tree import EDGE, SIDE
from .placed_brep import PlacedBrep

# Of unit vectors: smaller is nothing but rounding.
_PARALLEL = 1e-14
Entity = tuple[int, int]


def normal_of(placed: tuple[PlacedBrep, PlacedBrep], first: Entity, second: Entity) -> np.ndarray:
    """From the first body to the second, in the frame of the second, rounded; NaN where there is none."""
    bodies = (placed[0].outward, placed[0].about), (unit(placed[1].entities.planes.normal), placed[1].entities.vertices)
    own, other = ((body.entities, *arrays) for body, arrays in zip(placed, bodies, strict=True))
    if second[0] == SIDE:
        return -other[1][second[1]]
    if first[0] == SIDE:
        return np.asarray(own[1][first[1]])
    means = [unit(normals[entities.faces_of(*which)].mean(axis=0)) for (entities, normals, _), which in ((own, first), (other, second))]
    between = means[0] - means[1]
    edges = [unit(np.subtract(*vertices[entities.edges[which[1]]])) for (entities, _, vertices), which in ((own, first), (other, second))
             if which[0] == EDGE]
    if len(edges) == 2 and np.abs(normal := np.cross(edges[0], edges[1])).max() > _PARALLEL:
        return np.asarray(unit(normal * np.sign(normal @ between)))
    for edge in edges:
        between = between - (between @ edge) * edge
    return unit(between)


def unit(x: np.ndarray) -> np.ndarray:
    """Scale vectors to the length 1; NaN for those that have none."""
    length = np.sqrt((x ** 2).sum(axis=-1, keepdims=True))
    return np.asarray(np.where(length > _PARALLEL, x / np.where(length > _PARALLEL, length, 1.0), np.nan))
