"""Moments of implicit bodies, in doubles.

Moments add up: those of A | B are those of A and of B less those of A & B. So a combined body is a signed sum of intersections of its
leaves, most of which are convex: of flat faces alone they are polyhedra, and of others the moments are integrals of powers of the radius
over all directions from a point inside, or, where rays just touch what is smooth and not convex, of heights over the sides of boxes.
"""

import functools
import itertools
from collections.abc import Callable

import numpy as np

from codegen.kernel import compile
from generative import ImplicitBody, ImplicitSurface, intersection, x, y, z
from generative.combination import Combination
from generative.symbols import exact

from ...bodies.halfspace_faces import planes_of
from .gauss import integral, triangle_moments
from .height_functions import smooth, volume_moments

# Radii may have kinks all over, so fewer panels are divided than where they are smooth.
_CREASED = 1 << 7
# Rays are cut into so many pieces, in which the surface is looked for; these are halved so often where it is met, and made less by a third
# so often where a ray may only just meet it.
_PIECES, _HALVINGS, _NARROWINGS = 48, 60, 30
# The bounds are made wider by this part, so that a surface may touch them.
_WIDER = 1e-6
# Where rays tell no better than this, heights may.
_WELL = 1e-11
# A signed sum has at most so many intersections; a point inside is looked for in at most so many boxes at once.
_MOST_TERMS, _MOST_BOXES = 64, 1 << 16

# Intersections of leaves, and how often each counts.
Sum = dict[frozenset[ImplicitSurface], int]
Field = Callable[[np.ndarray], np.ndarray]


class _NoSumError(Exception):
    """A body is no sum of few intersections."""


def implicit_moments(body: ImplicitBody) -> tuple[np.ndarray, float]:
    """Integrals of 1, x, y, z, xx, yy, zz, yz, zx, xy over a body, and an estimate of the relative error of the first; ValueError for one
    that its bounds cut off.
    """
    try:
        own = [(n, _moments(intersection(*sorted(leaves, key=repr)))) for leaves, n in _sum_of(body).items()]
    except (_NoSumError, ValueError):
        own = [(1, _moments(body))]
    found, error = sum((n * moments for n, (moments, _) in own), np.zeros(10)), sum(abs(n) * error for n, (_, error) in own)
    if error > _WELL * found[0] > 0.0 and all(smooth(leaf.body) for leaf in body.leaves):
        found, error = min((found, error), _by_heights(body), key=lambda known: known[1])
    if not found[0] > 0.0:
        raise ValueError("the surface encloses no volume")
    return found, float(error / found[0])


# -- a body as a signed sum -------------------------------------------------------------------------------------------


def _sum_of(body: ImplicitBody) -> Sum:
    """The function that is 1 inside and 0 outside is a polynomial of those of the leaves, each of which is its own square."""
    everything: Sum = {frozenset(): 1}
    if isinstance(body, ImplicitSurface):
        return _less(everything, {frozenset([body.complement()]): 1}) if signs(body) == (-1,) else {frozenset([body]): 1}
    if not isinstance(body, Combination):
        raise _NoSumError
    if body.operation == "intersection":
        return functools.reduce(_times, map(_sum_of, body.children))
    return _less(everything, functools.reduce(_times, (_sum_of(child.complement()) for child in body.children)))


def _times(one: Sum, other: Sum) -> Sum:
    found: Sum = {}
    for (a, n), (b, m) in itertools.product(one.items(), other.items()):
        if not _apart(a, b):
            found[a | b] = found.get(a | b, 0) + n * m
    return _few(found)


def _less(one: Sum, other: Sum) -> Sum:
    return _few({leaves: one.get(leaves, 0) - other.get(leaves, 0) for leaves in one | other})


def _few(found: Sum) -> Sum:
    found = {leaves: n for leaves, n in found.items() if n}
    if len(found) > _MOST_TERMS:
        raise _NoSumError
    return found


def _apart(one: frozenset[ImplicitSurface], other: frozenset[ImplicitSurface]) -> bool:
    """Whether two intersections have no volume in common, as leaves tell that are each other's outside, or within bounds that are apart."""
    for a, b in itertools.product(one - other, other - one):
        if a.complement() == b:
            return True
        if signs(a) == signs(b) == (1,):
            (alo, ahi), (blo, bhi) = _box(a), _box(b)
            if (ahi < blo).any() or (bhi < alo).any():
                return True
    return False


@functools.lru_cache(maxsize=1024)
def signs(leaf: ImplicitSurface) -> tuple[int, ...]:
    """The signs of a formula at the corners of its bounds: (1,) where it is the inside of something within them, (-1,) where the outside.
    """
    return tuple(sorted({int(s) for s in np.sign(_field(leaf)(_corners(leaf)))}))


def _field(body: ImplicitBody) -> Field:
    kernel = compile([body.expression], [x, y, z], quick=True)
    return lambda points: np.asarray(kernel.points(points))[:, 0]


@functools.lru_cache(maxsize=1024)
def _corners(leaf: ImplicitSurface) -> np.ndarray:
    """(8, 3): those of its bounds, where its constant motion puts them."""
    ends = [[float(exact(e)) for e in pair] for pair in leaf.bounds]
    motion = [float(e) for e in leaf.motion.entries]
    return np.array(list(itertools.product(*ends))) @ np.reshape(motion[:9], (3, 3)).T + motion[9:]


def _box(body: ImplicitBody) -> np.ndarray:
    """(2, 3), round the bounds of its leaves, and a little wider."""
    corners = np.concatenate([_corners(leaf) for leaf in body.leaves])
    lo, hi = corners.min(axis=0), corners.max(axis=0)
    return np.array([lo - _WIDER * (hi - lo), hi + _WIDER * (hi - lo)])


# -- a convex body, or any other --------------------------------------------------------------------------------------


def _moments(body: ImplicitBody) -> tuple[np.ndarray, float]:
    """The ten, and an estimate of the error of the first of them."""
    inside, rest = _inside(body)
    if inside is None:
        return np.zeros(10), rest
    sides = _polyhedron(_planes(body), inside)
    if sides is not None:
        found, _, error = triangle_moments(sides)
        return found[3:], error * found[3]
    field, box = _field(body), _box(body)

    def moments(angles: np.ndarray) -> np.ndarray:
        a, b = angles.T
        d, solid = np.stack([np.cos(a) * np.cos(b), np.sin(a) * np.cos(b), np.sin(b)], axis=1), np.cos(b)[:, None]
        cubes, fourths, fifths = _powers(field, inside, d, box).T[:, :, None]
        pairs = np.concatenate([d**2, d[:, [1, 2, 0]] * d[:, [2, 0, 1]]], axis=1)
        return np.asarray(np.concatenate([cubes / 3, fourths / 4 * d, fifths / 5 * pairs], axis=1) * solid)

    own, change = integral(moments, np.array([[0.0, 2 * np.pi], [-np.pi / 2, np.pi / 2]]), _CREASED)
    return _carried(own, np.eye(3), inside), float(change[0])


def _by_heights(body: ImplicitBody) -> tuple[np.ndarray, float]:
    """The ten moments of smooth formulas, and an estimate of the error of the first of them."""
    if isinstance(body, ImplicitSurface):
        ends, formulas = np.array([[float(exact(e)) for e in pair] for pair in body.bounds]), [body.body]
        motion = np.array([float(e) for e in body.motion.entries])
    else:
        ends, formulas, motion = _box(body).T, [leaf.expression for leaf in body.leaves], np.eye(4)[:3].T.ravel()
    numbers = {leaf: k for k, leaf in enumerate(body.leaves)}

    def combined(signs: np.ndarray, part: ImplicitBody = body) -> np.ndarray:
        if not isinstance(part, Combination):
            return np.asarray(signs[:, numbers[part]])  # type: ignore[index]
        return np.asarray((np.min if part.operation == "union" else np.max)([combined(signs, c) for c in part.children], axis=0))

    moments, error = volume_moments(formulas, combined, ends)
    return _carried(moments, motion[:9].reshape(3, 3), motion[9:]), error


def _inside(body: ImplicitBody) -> tuple[np.ndarray | None, float]:
    """A point deep inside; or None, and the volume of what may be inside all the same."""
    kernel = compile([body.expression], [x, y, z], quick=True)
    lo, hi = _box(body)[:, None]
    best, deepest = None, 0.0
    upper = np.array(list(itertools.product((False, True), repeat=3)))
    while 0 < len(lo) <= _MOST_BOXES:
        values = np.asarray(kernel.points((lo + hi) / 2))[:, 0]
        if values.min() < deepest:
            best, deepest = (lo + hi)[values.argmin()] / 2, values.min()
        possible = ~(np.asarray(kernel.interval(lo, hi)[0])[:, 0] > 0.0)
        lo, hi = lo[possible, None], hi[possible, None]
        lo, hi = np.where(upper, (lo + hi) / 2, lo).reshape(-1, 3), np.where(upper, hi, (lo + hi) / 2).reshape(-1, 3)
    return best, float((hi - lo).prod(axis=1).sum())


def _powers(field: Field, origin: np.ndarray, directions: np.ndarray, box: np.ndarray) -> np.ndarray:
    """(n, 3): third, fourth and fifth powers of the radii at which rays leave the body, less those at which they enter it."""
    with np.errstate(divide="ignore"):
        reach = (np.where(directions > 0, box[1] - origin, box[0] - origin) / directions).min(axis=1)
    radii = reach[:, None] * np.linspace(0.0, 1.0, _PIECES + 1)
    values = field((origin + directions[:, None] * radii[:, :, None]).reshape(-1, 3)).reshape(radii.shape)
    if (values[:, -1] < 0).any():
        raise ValueError("the surface is not closed within its bounds, so it encloses no volume")
    ray, lo, hi, leaving = _brackets(lambda ray, r: field(origin + directions[ray] * r[:, None]), radii, values)
    for _ in range(_HALVINGS):
        middle = (lo + hi) / 2
        before = (field(origin + directions[ray] * middle[:, None]) < 0) == leaving
        lo, hi = np.where(before, middle, lo), np.where(before, hi, middle)
    found = np.zeros((len(directions), 3))
    np.add.at(found, ray, np.where(leaving, 1.0, -1.0)[:, None] * ((lo + hi) / 2)[:, None] ** (3, 4, 5))
    return found


def _brackets(value: Callable[[np.ndarray, np.ndarray], np.ndarray], radii: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, ...]:
    """The crossings of the surface: for each the number of the ray, a radius before it and one after, and whether the body is left there.

    A ray that is inside, or outside, only between two neighbouring radii is found where the value turns back there. A parabola through
    three values goes below the least of them by an eighth of their second difference at most.
    """
    inside, size = values < 0, np.abs(values)
    left, here, right = size[:, :-2], size[:, 1:-1], size[:, 2:]
    same = (inside[:, 1:-1] == inside[:, :-2]) & (inside[:, 1:-1] == inside[:, 2:])
    ray, k = np.nonzero(same & (here <= left) & (here <= right) & (here <= left + right - 2 * here))
    before, after, within = radii[ray, k], radii[ray, k + 2], inside[ray, k + 1]
    lo, hi, sign = before, after, np.where(within, -1.0, 1.0)
    for _ in range(_NARROWINGS):
        third = (hi - lo) / 3
        nearer = sign * value(ray, lo + third) < sign * value(ray, hi - third)
        lo, hi = np.where(nearer, lo, lo + third), np.where(nearer, hi - third, hi)
    between = (lo + hi) / 2
    turned = (value(ray, between) < 0) != within
    short, before, between, after, within = (e[turned] for e in (ray, before, between, after, within))
    crossing, k = np.nonzero(inside[:, 1:] != inside[:, :-1])
    return (np.concatenate([crossing, short, short]), np.concatenate([radii[crossing, k], before, between]),
            np.concatenate([radii[crossing, k + 1], between, after]), np.concatenate([inside[crossing, k], within, ~within]))


def _carried(moments: np.ndarray, turn: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Moments of a body where a rotation and a shift take it."""
    volume, first, (xx, yy, zz, yz, zx, xy) = moments[0], turn @ moments[1:4], moments[4:]
    second = turn @ np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]]) @ turn.T
    second = second + np.outer(first, shift) + np.outer(shift, first) + volume * np.outer(shift, shift)
    return np.array([volume, *(first + volume * shift), *np.diag(second), second[1, 2], second[2, 0], second[0, 1]])


# -- convex polyhedra -------------------------------------------------------------------------------------------------


def sides_of(body: ImplicitBody) -> np.ndarray | None:
    """(n, 3, 3): triangles round an intersection of half-spaces that is bounded; None for other bodies."""
    return _polyhedron(_planes(body), _box(body).mean(axis=0))


def _planes(body: ImplicitBody) -> np.ndarray | None:
    """(n, 4), in doubles."""
    rows = planes_of(body)
    return None if rows is None else np.array(rows, float)


def corners_of(body: ImplicitBody) -> np.ndarray | None:
    """(n, 3): the corners of an intersection of half-spaces that is bounded, some of them more than once; None for other bodies."""
    return _corners_round(_planes(body), _box(body).mean(axis=0))


def _corners_round(planes: np.ndarray | None, inside: np.ndarray) -> np.ndarray | None:
    from scipy.spatial import HalfspaceIntersection, QhullError

    try:
        return None if planes is None else np.asarray(HalfspaceIntersection(planes, inside).intersections)
    except (QhullError, ValueError):
        return None


def _polyhedron(planes: np.ndarray | None, inside: np.ndarray) -> np.ndarray | None:
    """(n, 3, 3): triangles round what is on one side of all planes, with a point in it; None where that has no end."""
    from scipy.spatial import ConvexHull, QhullError

    corners = _corners_round(planes, inside)
    try:
        found = None if corners is None else ConvexHull(corners)
    except (QhullError, ValueError):
        return None
    if corners is None or found is None:
        return None
    triangles = corners[found.simplices]
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    inward = np.einsum("ni,ni->n", normals, found.equations[:, :3]) < 0
    return np.asarray(np.where(inward[:, None, None], triangles[:, ::-1], triangles))
