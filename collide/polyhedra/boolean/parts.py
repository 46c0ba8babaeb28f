"""Two surfaces, divided along the segments in which they meet: each part is inside the other body, outside it, or on its surface."""

import itertools
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from codegen.deadline import check

from .arrangement import DividedTriangle, Polygon, Seam, Seams, Side, arranged, fitted, triangles
from .crossings import meetings
from .exact_points import Point, Points
from .inside import ClosedTriangles
from .surfaces import OrientedTriangles

Face = tuple[int, int, int]
Divided = dict[int, DividedTriangle]
Flat = dict[DividedTriangle, list[DividedTriangle]]
PLACES = "in", "out", "same", "opposite"
"""Inside the other body, outside it, and on its surface with the same side outward, or the opposite one."""


def located(points: Points, surfaces: Sequence[OrientedTriangles]) -> list[dict[str, np.ndarray]]:
    """The triangles (k, 3) of both surfaces, after division, in each of `PLACES`."""
    divided, cut, flat = _divided(points, surfaces)
    return [_placed(points, surfaces[m], ClosedTriangles(points, surfaces[1 - m].corners), divided[m], cut, flat) for m in (0, 1)]


def _divided(points: Points, surfaces: Sequence[OrientedTriangles]) -> tuple[list[Divided], np.ndarray, Flat]:
    """The triangles of both surfaces that the other one divides, or that lie beside such ones, by number; the pieces (k, 2) of seams at
    which a side may change; of triangles, those of the other mesh in their planes.
    """
    flat = Flat()
    beside, found, on = meetings(points, surfaces[0].corners, surfaces[1].corners)
    met = [{*beside[:, m].tolist(), *(pair[m] for pair in found)} for m in (0, 1)]
    divided, seams = [_made(points, faces, numbers) for faces, numbers in zip(surfaces, met, strict=True)], Seams()
    for a, b in dict.fromkeys(map(tuple, beside[:, 2:].tolist())):
        # All triangles at this side hold it as a border, below.
        seams.hold((a, b), (), cuts=True)
    for a, b, ends in found:
        one, other = divided[0][a], divided[1][b]
        if ends is None:
            flat.setdefault(one, []).append(other)
            flat.setdefault(other, []).append(one)
        for side in [ends] if ends else dict.fromkeys(_sides(one) + _sides(other)):
            seams.hold(side, (one, other), cuts=True, flat=not ends)
    for faces, own in zip(surfaces, divided, strict=True):
        borders = list(_borders(faces.corners, list(own)))
        own |= _made(points, faces, {k for _, owners in borders for k in owners} - own.keys())
        for side, owners in borders:
            seams.hold(side, [own[k] for k in owners]).points.update(on.get(side, ()))
    arranged(points, [part for own in divided for part in own.values()], list(seams.values()))
    pieces = {pair for seam in seams.values() if seam.cuts for pair in _pieces(points, seam)}
    return divided, np.array(list(pieces), np.int64).reshape(-1, 2), flat


def _made(points: Points, faces: OrientedTriangles, numbers: Iterable[int]) -> Divided:
    chosen = np.array(sorted(numbers), np.int64)
    rows = (chosen, faces.corners[chosen], faces.axis[chosen], faces.turn[chosen])
    return {k: DividedTriangle(points, *row) for k, *row in zip(*(column.tolist() for column in rows), strict=True)}


def _sides(part: DividedTriangle) -> list[Side]:
    a, b, c = part.corners
    return [(p, q) if p < q else (q, p) for p, q in ((a, b), (b, c), (c, a))]


def _borders(corners: np.ndarray, touched: Sequence[int]) -> Iterator[tuple[Side, list[int]]]:
    """The sides of some triangles, with all triangles that have them."""
    keys = _keys(np.stack([corners, np.roll(corners, -1, axis=1)], axis=2))
    owners = np.repeat(np.arange(len(corners)), 3)
    chosen = np.isin(keys, np.unique(keys.reshape(-1, 3)[touched]))
    order = np.argsort(keys[chosen], kind="stable")
    keys, owners = keys[chosen][order], owners[chosen][order]
    ends = np.flatnonzero(np.diff(keys, append=-1))
    for begin, end in zip([0, *(ends + 1).tolist()], (ends + 1).tolist(), strict=False):
        yield (int(keys[begin] >> 32), int(keys[begin] & (1 << 32) - 1)), owners[begin:end].tolist()


def _keys(sides: np.ndarray) -> np.ndarray:
    """(k,): one number for each pair of points (.., 2), in any order."""
    pairs = sides.reshape(-1, 2)
    return np.asarray(pairs.min(axis=1) << 32 | pairs.max(axis=1))


def _pieces(points: Points, seam: Seam) -> Iterator[Side]:
    if len(seam.points) == 2:
        return iter([seam.ends])
    return itertools.pairwise(points.ordered(seam.points, points.axis(*seam.ends)))


def _placed(points: Points, faces: OrientedTriangles, other: ClosedTriangles, divided: Divided, cut: np.ndarray,
            flat: Flat) -> dict[str, np.ndarray]:
    """The triangles of a surface by where they are: parts that hang together, except at seams, are on one side."""
    left = np.delete(faces.corners, list(divided), axis=0)
    polygons, shapes, found = list[Polygon](), list[list[Face]](), dict[str, list[Face]]()
    parts = list(divided.values())
    for part, fit in zip(parts, fitted(points, parts), strict=True):
        check()
        for polygon in fit:
            shape = triangles(part, polygon)
            where = _on(points, part, shape[0], flat.get(part, ()))
            if where:
                found.setdefault(where, []).extend(shape)
            else:
                polygons.append(polygon)
                shapes.append(shape)
    label = _joined(left, polygons, cut)
    pieces = np.concatenate([left, np.array([f for shape in shapes for f in shape], np.int64).reshape(-1, 3)])
    group = np.concatenate([label[:len(left)], np.repeat(label[len(left):], [len(shape) for shape in shapes])])
    inside = np.array([_inside(points, other, pieces[k].tolist()) for k in np.unique(group, return_index=True)[1]], bool)
    within = inside[group] if len(group) else np.zeros(0, bool)
    flats = {name: np.array(found.get(name, []), np.int64).reshape(-1, 3) for name in PLACES[2:]}
    return {"in": pieces[within], "out": pieces[~within], **flats}


def _inside(points: Points, other: ClosedTriangles, face: Sequence[int]) -> bool:
    inside = other.contains(_middle(points, face))
    assert inside is not None, "parts on the other surface are known already"
    return inside


def _on(points: Points, part: DividedTriangle, face: Face, others: Sequence[DividedTriangle]) -> str:
    """Whether a part lies on a triangle of the other surface: "same" or "opposite" by their outer sides; else ""."""
    for other in others:
        if set(face) == set(other.corners):
            return "same" if other.side(*face) > 0 else "opposite"
    middle = points.number(_middle(points, face)) if others else 0
    for other in others:
        a, b, c = other.corners
        if min(other.side(a, b, middle), other.side(b, c, middle), other.side(c, a, middle)) > 0:
            return "same" if other.side(*part.corners) > 0 else "opposite"
    return ""


def _middle(points: Points, face: Sequence[int]) -> Point:
    (a, b, c, u), (d, e, f, v), (g, h, i, w) = (points.exact(k) for k in face)
    vw, wu, uv = v * w, w * u, u * v
    return a * vw + d * wu + g * uv, b * vw + e * wu + h * uv, c * vw + f * wu + i * uv, 3 * u * vw


def _joined(left: np.ndarray, polygons: Sequence[Polygon], cut: np.ndarray) -> np.ndarray:
    """(n,): a number for each triangle, and for each polygon, that is the same for those that hang together by sides that are not cut."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    lengths = np.array([3] * len(left) + [len(p) for p in polygons], np.int64)
    begins = np.concatenate([left.ravel(), np.array([k for p in polygons for k in p], np.int64)])
    nexts = np.concatenate([np.roll(left, -1, axis=1).ravel(), np.array([k for p in polygons for k in (*p[1:], p[0])], np.int64)])
    keys, owner = _keys(np.stack([begins, nexts], axis=1)), np.repeat(np.arange(len(lengths)), lengths)
    free = ~np.isin(keys, _keys(cut))
    keys, owner = keys[free], owner[free]
    order = np.argsort(keys, kind="stable")
    keys, owner = keys[order], owner[order]
    same = keys[1:] == keys[:-1]
    links = owner[1:][same], owner[:-1][same]
    return np.asarray(connected_components(coo_array((np.ones(len(links[0])), links), shape=(len(lengths),) * 2), directed=False)[1])
