"""Whether no edge of a mesh meets a face that it has no vertex in common with, at one time, exactly.

Places at a time are a + t (b - a). In doubles, in a frame in which all coordinates are in [0, 1], each is out by 6 roundings of 2^-53, so
differences by less than 2^-49. A 3 x 3 determinant of them is a sum of 6 products, each out by 3 * 2^-49 and a little: by less than 2^-44
in all, its own roundings included.
"""

from fractions import Fraction

import numpy as np

from codegen.deadline import check

from .candidates import Parts

_DECISIVE = 2.0**-44
_OFF = 2.0**-48
Vector = list[Fraction]


def crossing_free(parts: Parts, pairs: np.ndarray, before: np.ndarray, after: np.ndarray, time: float) -> bool:
    """Whether no edge meets a face at a time in [0, 1]; all do not but in `pairs` (k, 2) of faces."""
    low = np.minimum(before, after).min(axis=0)
    size = max(float((np.maximum(before, after).max(axis=0) - low).max()), 2.0**-900)
    scale = 2.0 ** -np.frexp(size)[1]
    one, other = (before - low) * scale, (after - low) * scale
    places = one + time * (other - one)
    edges, faces = _close(parts, pairs, places)
    p, q = (places[edges[:, k]] for k in range(2))
    a, b, c = (places[faces[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    heights = np.stack([((p - a) * normal).sum(axis=1), ((q - a) * normal).sum(axis=1)])
    turns = np.stack([(np.cross(q - p, x - p) * (y - p)).sum(axis=1) for x, y in ((a, b), (b, c), (c, a))])
    apart = (heights > _DECISIVE).all(axis=0) | (heights < -_DECISIVE).all(axis=0)
    apart |= (turns > _DECISIVE).any(axis=0) & (turns < -_DECISIVE).any(axis=0) & (np.abs(heights) > _DECISIVE).any(axis=0)
    at = Fraction(time)
    for edge, face in zip(edges[~apart].tolist(), faces[~apart].tolist(), strict=True):
        check()
        exact = [[Fraction(x) + at * (Fraction(y) - Fraction(x)) for x, y in zip(before[k].tolist(), after[k].tolist(), strict=True)]
                 for k in (*edge, *face)]
        if meets(exact[:2], exact[2:]):
            return False
    return True


def _close(parts: Parts, pairs: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Edges and faces of the pairs, without a common vertex, whose boxes overlap."""
    both = np.concatenate([pairs, pairs[:, ::-1]])
    row, k = np.nonzero(parts.owns[both[:, 0], 1])
    edges, faces = parts.edges[parts.edge_of[both[row, 0], k]], parts.faces[both[row, 1]]
    apart = (edges[:, :, None] != faces[:, None, :]).all(axis=(1, 2))
    edges, faces = edges[apart], faces[apart]
    one, other = places[edges], places[faces]
    near = ((one.min(axis=1) <= other.max(axis=1) + _OFF) & (other.min(axis=1) <= one.max(axis=1) + _OFF)).all(axis=1)
    return edges[near], faces[near]


def meets(edge: list[Vector], face: list[Vector]) -> bool:
    """Whether an edge meets a triangle, borders included, exactly."""
    p, q = edge
    normal = _cross(_minus(face[1], face[0]), _minus(face[2], face[0]))
    s, r = (_dot(normal, _minus(x, face[0])) for x in edge)
    if s * r > 0:
        return False
    if s != r:
        x = [(a * r - b * s) / (r - s) for a, b in zip(p, q, strict=True)]
        sides = [_dot(normal, _cross(_minus(face[k - 2], face[k]), _minus(x, face[k]))) for k in range(3)]
        return min(sides) >= 0
    # In one plane; a triangle without area counts as met.
    k = max(range(3), key=lambda n: abs(normal[n]))
    flat = [[x[k - 2], x[k - 1]] for x in (*edge, *face)]
    return normal[k] == 0 or _meets_flat(flat[:2], flat[2:])


def _meets_flat(edge: list[Vector], face: list[Vector]) -> bool:
    """The same in a plane: an end is in the triangle, or the edge meets a side."""
    (p, q), sides = edge, [(face[k - 2], face[k]) for k in range(3)]
    ends = [[_turn(a, b, x) for a, b in sides] for x in edge]
    if any(min(end) >= 0 or max(end) <= 0 for end in ends):
        return True
    return any(_turn(p, q, a) * _turn(p, q, b) <= 0 and ends[0][k] * ends[1][k] <= 0 for k, (a, b) in enumerate(sides))


def _turn(a: Vector, b: Vector, x: Vector) -> Fraction:
    return (b[0] - a[0]) * (x[1] - a[1]) - (b[1] - a[1]) * (x[0] - a[0])


def _minus(a: Vector, b: Vector) -> Vector:
    return [x - y for x, y in zip(a, b, strict=True)]


def _dot(a: Vector, b: Vector) -> Fraction:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Vector, b: Vector) -> Vector:
    return [a[k - 2] * b[k - 1] - a[k - 1] * b[k - 2] for k in range(3)]
