"""The boundary of bodies that are combined of half-spaces: convex polygons, exact, cut out of the planes of the leaves.

A polygon in such a plane is on the boundary where the body is on one side of it alone. Leaves that it lies inside or outside of are taken
out of the tree of the combination, and it is cut along the plane of one that is left, until the tree tells on which sides the body is.
All numbers are integers meanwhile: rows have integer coefficients, and points are homogeneous, (x w, y w, z w, w) with w > 0.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import sympy as sp

from generative import ImplicitBody, ImplicitSurface, x, y, z
from generative.combination import Combination

Point = tuple[Fraction, ...]
Polygon = tuple[Point, ...]
Row = tuple[Fraction, ...]
IntegerRow = tuple[int, ...]
Ring = tuple[tuple[int, ...], ...]
"""The corners of a convex polygon, homogeneous."""

# Effort only: bodies of more leaves or polygons are left as they are.
_LEAVES, _POLYGONS = 256, 2048
# Planes begin as squares that reach so much farther than all bounds.
_BEYOND = 4


class HalfspaceFace(NamedTuple):
    """Convex polygons in the plane a x + b y + c z + d = 0 of a `row`, counterclockwise as seen from where that is positive: outside."""

    row: IntegerRow
    polygons: list[Polygon]


class Half(NamedTuple):
    """A half-space, by the number of its plane, and 1, or -1 if its outside is where that of the plane's row is negative."""

    number: int
    way: int


class HalfspaceNode(NamedTuple):
    """A union, or an intersection, of others."""

    union: bool
    children: list["Tree"]


Tree = Half | HalfspaceNode | bool


def faces_of(body: ImplicitBody) -> list[HalfspaceFace] | None:
    """The boundary of a body whose leaves are half-spaces with rational coefficients; None of others, of one that has no end, or that
    reaches beyond the bounds of a leaf.
    """
    rows = dict[ImplicitSurface, Row]()
    for leaf in body.leaves if len(body.leaves) <= _LEAVES else ():
        own = planes_of(leaf)
        if own is None or not all(e.is_Rational for e in (*own[0], *leaf.motion.entries)):
            return None
        rows[leaf] = tuple(map(_fraction, own[0]))
    return boundary(body, rows, max(map(_reach, rows)), _within) if rows else None


def boundary(body: ImplicitBody, rows: dict[ImplicitSurface, Row], reach: Fraction,
             within: Callable[[ImplicitSurface, Polygon], bool]) -> list[HalfspaceFace] | None:
    """The boundary of a body by the `rows` of its leaves. No coordinate in the bounds of a leaf is beyond `reach`. None where the body has
    no end, or a polygon is not `within` the bounds of a leaf.
    """
    planes: dict[IntegerRow, list[ImplicitSurface]] = {}
    tree = _tree(body, rows, planes)
    size, found = _BEYOND * reach, list[HalfspaceFace]()
    for number, row in enumerate(planes):
        rings = _cells(_square(row, size), (tree, tree), number, list(planes), {})
        cells = [(tuple(map(_point, ring)), way) for ring, way in rings]
        if not all(any(within(leaf, p) for leaf in planes[row]) for p, _ in cells):
            return None
        seen = {side: [p[::side] for p, way in cells if way == side] for side in (1, -1)}
        faces = [HalfspaceFace(tuple(side * e for e in row), seen[side]) for side in (1, -1) if seen[side]]
        found += [HalfspaceFace(f.row, _merged(f.polygons, f.row)) for f in faces]
        if sum(len(f.polygons) for f in found) > _POLYGONS:
            return None
    return found


# -- leaves and planes --------------------------------------------------------------------------------------------------


def _fraction(e: Any) -> Fraction:
    return Fraction(int(e.p), int(e.q))


def _tree(body: ImplicitBody, rows: dict[ImplicitSurface, Row], planes: dict[IntegerRow, list[ImplicitSurface]]) -> Tree:
    """Leaves of one plane have one number; `planes`: the rows of these, coprime integers with a positive one first."""
    if isinstance(body, Combination):
        return HalfspaceNode(body.operation == "union", [_tree(child, rows, planes) for child in body.children])
    assert isinstance(body, ImplicitSurface), "what is no combination is a leaf"
    way = 1 if next(e for e in rows[body] if e) > 0 else -1
    row = _coprime(tuple(way * e for e in integers(rows[body])))
    planes.setdefault(row, []).append(body)
    return Half(list(planes).index(row), way)


def integers(row: Sequence[Fraction]) -> IntegerRow:
    """Integers in the same ratios, of the same signs."""
    common = math.lcm(*(e.denominator for e in row))
    return tuple(e.numerator * (common // e.denominator) for e in row)


def homogeneous(point: Point) -> tuple[int, ...]:
    """The homogeneous coordinates of a point."""
    return integers((*point, Fraction(1)))


def _coprime(numbers: tuple[int, ...]) -> tuple[int, ...]:
    common = math.gcd(*numbers)
    return tuple(e // common for e in numbers)


def _point(at: Sequence[int]) -> Point:
    return Fraction(at[0], at[3]), Fraction(at[1], at[3]), Fraction(at[2], at[3])


def _reach(leaf: ImplicitSurface) -> Fraction:
    """No point within the bounds of a leaf has greater coordinates."""
    return 2 * max(abs(_fraction(e)) for pair in leaf.bounds for e in pair) + max(abs(_fraction(e)) for e in leaf.motion.translation)


def _within(leaf: ImplicitSurface, polygon: Polygon) -> bool:
    """Whether a polygon is within the bounds of a leaf."""
    motion = [_fraction(e) for e in leaf.motion.entries]
    ends = [[_fraction(e) for e in pair] for pair in leaf.bounds]
    for corner in polygon:
        way = [e - d for e, d in zip(corner, motion[9:], strict=True)]
        own = [sum(motion[3 * j + k] * way[j] for j in range(3)) for k in range(3)]
        if not all(lo <= e <= hi for e, (lo, hi) in zip(own, ends, strict=True)):
            return False
    return True


def _square(row: IntegerRow, size: Fraction) -> Ring:
    """The part of a plane with two coordinates up to a size."""
    k = max(range(3), key=lambda k: abs(row[k]))
    i, j, found = (k + 1) % 3, (k + 2) % 3, []
    for a, b in ((-size, -size), (size, -size), (size, size), (-size, size)):
        at = {i: a, j: b, k: -(row[i] * a + row[j] * b + row[3]) / row[k]}
        found.append(homogeneous((at[0], at[1], at[2])))
    return tuple(found if row[k] > 0 else found[::-1])


def height(row: IntegerRow, at: Sequence[int]) -> int:
    """A positive multiple of the value of a linear function at a point, homogeneous."""
    return row[0] * at[0] + row[1] * at[1] + row[2] * at[2] + row[3] * at[3]


# -- cutting ------------------------------------------------------------------------------------------------------------


def _cells(polygon: Ring, trees: tuple[Tree, Tree], own: int, rows: Sequence[IntegerRow],
           sides: dict[int, int]) -> Iterator[tuple[Ring, int]]:
    """The parts of a polygon in the plane of number `own` that are on the boundary, and on which side is outside. `trees`: of the body
    where the plane's row is positive, and where it is negative; `sides` of planes, 1 or -1, that all of the polygon is on.
    """
    sides, mixed = dict(sides), dict[int, list[int]]()
    above, below = (_told(tree, own, side, polygon, rows, sides, mixed) for tree, side in zip(trees, (1, -1), strict=True))
    if isinstance(above, bool) and isinstance(below, bool):
        if above != below:
            yield polygon, -1 if above else 1
        return
    number = _first(below if isinstance(above, bool) else above)
    for part in _halves(polygon, mixed[number]):
        yield from _cells(part, (above, below), own, rows, sides)


def _told(tree: Tree, own: int, side: int, polygon: Ring, rows: Sequence[IntegerRow], sides: dict[int, int],
          mixed: dict[int, list[int]]) -> Tree:
    """The rest of a tree on a polygon, just beside its plane; and heights above planes that cut it, as `mixed`."""
    if isinstance(tree, bool):
        return tree
    if isinstance(tree, Half):
        k = tree.number
        if k != own and k not in sides and k not in mixed:
            high = [height(rows[k], c) for c in polygon]
            if min(high) < 0 < max(high):
                mixed[k] = high
            else:
                sides[k] = 1 if max(high) > 0 else -1
        return tree if k in mixed else (side if k == own else sides[k]) * tree.way < 0
    left = list[Tree]()
    for child in tree.children:
        found = _told(child, own, side, polygon, rows, sides, mixed)
        if found is tree.union:
            return found
        if not isinstance(found, bool):
            left.append(found)
    return not tree.union if not left else left[0] if len(left) == 1 else HalfspaceNode(tree.union, left)


def _first(tree: Tree) -> int:
    """The number of a plane in it."""
    while isinstance(tree, HalfspaceNode):
        tree = tree.children[0]
    assert isinstance(tree, Half), "what is not told has leaves"
    return tree.number


def _halves(polygon: Ring, high: Sequence[int]) -> tuple[Ring, Ring]:
    """The parts of a convex polygon below and above a plane."""
    low, up = list[tuple[int, ...]](), list[tuple[int, ...]]()
    for k, (a, p) in enumerate(zip(high, polygon, strict=True)):
        b, q = high[k - 1], polygon[k - 1]
        if a * b < 0:
            between = _coprime(tuple(abs(b) * e + abs(a) * f for e, f in zip(p, q, strict=True)))
            low.append(between)
            up.append(between)
        low += [p] if a <= 0 else []
        up += [p] if a >= 0 else []
    return tuple(low), tuple(up)


# -- joining ------------------------------------------------------------------------------------------------------------


def _merged(polygons: list[Polygon], row: IntegerRow) -> list[Polygon]:
    """The same points, in fewer convex polygons: two of which one side is the same are one, if that is convex."""
    found = list[Polygon]()
    for polygon in polygons:
        k = 0
        while k < len(found):
            joined = _joined(found[k], polygon, row)
            k += 1
            if joined is not None:
                # It may have a side in common with another one now.
                found.pop(k - 1)
                polygon, k = joined, 0
        found.append(polygon)
    return found


def _joined(one: Polygon, other: Polygon, row: IntegerRow) -> Polygon | None:
    for i, p in enumerate(one):
        q = one[(i + 1) % len(one)]
        for j in range(len(other)) if p in other and q in other else ():
            if other[j] == q and other[(j + 1) % len(other)] == p:
                # From q round the one to p, and round the other back to q.
                ring = [*one[i + 1:], *one[:i + 1], *(other[(j + k) % len(other)] for k in range(2, len(other)))]
                turns = [_turn(ring[k - 1], c, ring[(k + 1) % len(ring)], row) for k, c in enumerate(ring)]
                return None if min(turns) < 0 else tuple(c for c, e in zip(ring, turns, strict=True) if e > 0)
    return None


def _turn(a: Point, b: Point, c: Point, row: IntegerRow) -> Fraction:
    """More than 0 to the left, as seen from outside, of the way over three points."""
    (p, q, r), (s, t, w) = ([f - e for e, f in zip(*pair, strict=True)] for pair in ((a, b), (b, c)))
    return row[0] * (q * w - r * t) + row[1] * (r * s - p * w) + row[2] * (p * t - q * s)


def planes_of(body: ImplicitBody) -> list[list[Any]] | None:
    """The four coefficients, exact, of each half-space a x + b y + c z + d <= 0 of an intersection; None for other bodies."""
    if isinstance(body, Combination):
        parts = [planes_of(child) for child in body.children] if body.operation == "intersection" else [None]
        known = [p for p in parts if p is not None]
        return [row for p in known for row in p] if len(known) == len(parts) else None
    e = body.expression
    row = [sp.diff(e, s) for s in (x, y, z)]
    return None if any(c.free_symbols for c in row) else [[*row, e.xreplace(dict.fromkeys((x, y, z), sp.Integer(0)))]]
