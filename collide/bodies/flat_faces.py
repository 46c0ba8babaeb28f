"""The surface of a body combined of half-spaces, as parametric cells: convex patches of its planes, cut out exactly.

All have one formula, a + u b + v c + u v d, whose coefficients are numbers of their own: so all pairs of faces of all such bodies that move
by the same formulas are one situation.
"""

import copy
import functools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from codegen.constants import enclose_fraction
from codegen.deadline import interruptible
from generative import ImplicitBody, ImplicitSurface, Motion, ParametricSurface, Rigid, t, u, v, x, y, z
from generative.polyhedron import patches
from generative.resting import symbols_of
from generative.triangulated import CORNERS

from .cells import Parametric
from .halfspace_faces import HalfspaceFace, IntegerRow, Point, Polygon, Row, boundary, height, homogeneous, integers
from .implicit_parts import Candidates, may_meet
from .motions import renamed
from .numbers import Numbers

_A, _B, _C, _D = (CORNERS[k:k + 3] for k in (0, 3, 6, 9))
# Effort only: bodies of more leaves are searched by the equations of these.
_LEAVES = 64
_GREATEST = 2**1000
# So near to the end of a parameter a point counts as on it.
_CLOSE = 1e-10
# The motion of all bodies that rest in a place.
_PLACE = Rigid._unchecked(sp.ImmutableMatrix(3, 3, symbols_of(9)), symbols_of(12)[9:])


class FlatPatch(NamedTuple):
    """A patch in the plane of a leaf, by the number of this. Its corners are where (u, v) is (0, 0), (1, 0), (1, 1) and (0, 1); the first
    and the last of a triangle are one. `planes`: of each corner the numbers of the leaves that are zero there.
    """

    leaf: int
    corners: tuple[Point, ...]
    planes: tuple[frozenset[int], ...]


class FlatFaces(Sequence[Parametric]):
    """The closed faces of a body, as cells that its motion carries. The cells take the numbers in the motion alone, which are in these
    `columns` of those of the body; or, of a body that rests in a place, the twelve numbers of this: there are no columns then.
    """

    def __init__(self, body: ImplicitBody, numbers: Numbers, made: Sequence[FlatPatch]) -> None:
        self.body, self.patches, self._motion = body, tuple(made), body.leaves[0].motion
        used = [k for k, s in enumerate(numbers.symbols) if s in self._motion.symbols]
        self._rests = not self._motion.is_identity and t not in self._motion.symbols and not any(
            numbers.exact[k].free_symbols for k in used)
        self.columns = () if self._rests else tuple(used)
        carrier = _PLACE if self._rests else renamed(self._motion, tuple(numbers.symbols[k] for k in self.columns))
        first, kind = [p.leaf for p in made], _kind(carrier)
        self._cells = tuple(_member(kind, p, k - first.index(p.leaf), self, k) for k, p in enumerate(made))
        self.moving = functools.lru_cache(maxsize=64)(self._moving)

    def __len__(self) -> int:
        return len(self._cells)

    def __getitem__(self, k: Any) -> Any:
        return self._cells[k]

    def _moving(self, numbers: Numbers) -> Numbers:
        """The numbers that the cells take, by those of the body."""
        if self._rests:
            return Numbers(symbols_of(12), (None,) * 12, numbers.enclose_all(self._motion.entries))
        exact = [None if numbers.exact[k].free_symbols else numbers.exact[k] for k in self.columns]
        return Numbers(symbols_of(len(self.columns)), exact, numbers.intervals[list(self.columns)])

    def names(self, names: Sequence[str]) -> tuple[str, ...]:
        """The variables that these numbers are, "" for others, by those that the numbers of the body are."""
        return ("",) * 12 if self._rests else tuple(names[k] for k in self.columns)

    def feature_at(self, name: str, own: np.ndarray) -> str:
        """The face, edge or vertex of the body on which a point lies, whose u and v on a cell of this name are in the box `own`."""
        patch = self.patches[next(k for k, cell in enumerate(self._cells) if cell.feature == name)]
        ends = [[lo - _CLOSE <= end <= hi + _CLOSE for end in (0.0, 1.0)] for lo, hi in own.tolist()]
        places = [k for k, at in enumerate(((0, 0), (1, 0), (1, 1), (0, 1)))
                  if all(here[end] or not any(here) for here, end in zip(ends, at, strict=True))]
        if not any(map(any, ends)):
            return f"face {patch.leaf}"
        return _named(self.body, patch.leaf, frozenset.intersection(*(patch.planes[k] for k in places)))


@functools.lru_cache(maxsize=512)
@interruptible()
def flat_faces(body: Any, numbers: Numbers) -> FlatFaces | None:
    """The faces of a body combined of half-spaces that one motion carries, *proved* to be all of its surface; None of others, of those
    whose coefficients are not known as rational numbers, that have no end, and that reach beyond bounds of their leaves.
    """
    leaves = tuple(dict.fromkeys(body.leaves)) if isinstance(body, ImplicitBody) else ()
    if not 1 < len(leaves) <= _LEAVES or len({leaf.motion for leaf in leaves}) > 1 or len(numbers.exact) < len(numbers.symbols):
        return None
    known = {s: _fraction(e, {}) for s, e in numbers.pairs}
    rows, boxes = dict[ImplicitSurface, Row](), dict[ImplicitSurface, list[tuple[Fraction, Fraction]]]()
    for leaf in leaves:
        row = _fractions(_plane(leaf.body), known)
        ends = _fractions([e for pair in leaf.bounds for e in pair], known)
        if row is None or ends is None or not any(row[:3]):
            return None
        rows[leaf], boxes[leaf] = tuple(row), list(zip(ends[::2], ends[1::2], strict=True))
    reach = max(abs(e) for box in boxes.values() for pair in box for e in pair)
    if reach > _GREATEST:
        return None
    faces = boundary(body, rows, reach, lambda leaf, polygon: _within(boxes[leaf], polygon))
    if not faces:
        return None
    return FlatFaces(body, numbers, list(_patches(faces, [integers(rows[leaf]) for leaf in leaves])))


def _patches(faces: Sequence[HalfspaceFace], rows: Sequence[IntegerRow]) -> Iterator[FlatPatch]:
    @functools.cache
    def zero_at(point: Point) -> frozenset[int]:
        at = homogeneous(point)
        return frozenset(k for k, row in enumerate(rows) if height(row, at) == 0)

    for face in faces:
        leaf = next(k for k, row in enumerate(rows) if _parallel(row, face.row))
        for some in (some for polygon in face.polygons for some in patches(polygon)):
            corners = some if len(some) == 4 else (some[0], some[1], some[2], some[0])
            yield FlatPatch(leaf, corners, tuple(map(zero_at, corners)))


def _parallel(row: IntegerRow, other: IntegerRow) -> bool:
    """Whether two rows are of one plane."""
    k = next(k for k, e in enumerate(row) if e)
    return all(a * other[k] == b * row[k] for a, b in zip(row, other, strict=True))


def _within(box: Sequence[tuple[Fraction, Fraction]], polygon: Polygon) -> bool:
    return all(lo <= e <= hi for corner in polygon for e, (lo, hi) in zip(corner, box, strict=True))


@functools.lru_cache(maxsize=64)
def _kind(motion: Motion) -> Parametric:
    """The formulas of all faces that move by a motion. At each side of a patch is another one."""
    body = [a + u * b + v * c + u * v * d for a, b, c, d in zip(_A, _B, _C, _D, strict=True)]
    surface = ParametricSurface(body, {u: (0, 1), v: (0, 1)}).carried_by(motion)
    return Parametric("face 0", surface, (u, v), (u, v), (surface.domain[u],) * 2, (0.0,) * 2, ((False, False),) * 2, ((surface, (u, v)),))


def _member(kind: Parametric, patch: FlatPatch, further: int, of: FlatFaces, number: int) -> Parametric:
    """A cell by its kind and its corners; `further`: how many patches of its leaf come before it."""
    p, q, r, s = patch.corners
    rows = (p, _minus(q, p), _minus(s, p), _minus(_minus(r, s), _minus(q, p)))
    numbers = Numbers(CORNERS[:12], (None,) * 12, np.array([enclose_fraction(e.numerator, e.denominator) for row in rows for e in row]))
    made = copy.copy(kind)
    name = f"face {patch.leaf}" + (f" patch {further}" if further else "")
    made.__dict__.update(feature=name, whole=kind, own=numbers, of=(of, number))
    return made


def _minus(p: Point, q: Point) -> Point:
    return tuple(e - f for e, f in zip(p, q, strict=True))


def _named(body: ImplicitBody, own: int, planes: frozenset[int]) -> str:
    """The name of the part of a body on a leaf where these leaves are zero."""
    parts, others = _candidates(body), sorted(planes - {own})
    for count in range(min(2, len(others)), 0, -1):
        for some in combinations(others, count):
            chosen = tuple(sorted((own, *some)))
            if all(may_meet(parts.leaves[a], parts.leaves[b]) for a, b in combinations(chosen, 2)):
                return str(parts.part(chosen, ()).feature)
    return f"face {own}"


@functools.lru_cache(maxsize=64)
def _candidates(body: ImplicitBody) -> Candidates:
    return Candidates(body)


# -- exact numbers ------------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=1024)
def _plane(body: Any) -> tuple[Any, ...]:
    """The coefficients of a function of x, y and z, if it is linear."""
    return (*(sp.diff(body, s) for s in (x, y, z)), body.xreplace(dict.fromkeys((x, y, z), sp.Integer(0))))


def _fractions(expressions: Sequence[Any], known: dict[Any, Fraction | None]) -> list[Fraction] | None:
    found = [_fraction(e, known) for e in expressions]
    return None if None in found else found  # type: ignore[return-value]


def _fraction(e: Any, known: dict[Any, Fraction | None]) -> Fraction | None:
    """The value of an expression of rational numbers and known symbols; None of others."""
    if e.is_Rational:
        return Fraction(int(e.p), int(e.q))
    if e.is_Symbol:
        return known.get(e)
    if not (e.is_Add or e.is_Mul):
        return None
    own = [_fraction(f, known) for f in e.args]
    if None in own:
        return None
    total = Fraction(0 if e.is_Add else 1)
    for value in own:
        total = total + value if e.is_Add else total * value  # type: ignore[operator]
    return total
