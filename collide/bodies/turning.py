"""Bodies that all turns about an axis take to themselves, proved by algebra; and the slice of one that its turns sweep.

Where both of two bodies turn into themselves about one axis, nothing is lost if of the first one only a half plane that ends in the axis is
looked at: turned about the axis, any pair of points has its first one there, and is as far apart as before. Of two concentric spheres a
single point of the first one is enough. So nearest points that form curves, or whole surfaces, become isolated.

- A patch p(u, v) that is closed along u, whose turns are those of u: dp/du = k e x (p - c), k times the period being 2 pi. Its slice is the
  curve at one u. It is a sphere if |p - c'|^2 is constant, too, and both ends of v are points of the axis, opposite to each other: then
  |p . e| takes all values of the sphere on the way (intermediate values), and its turns cover it.
- F(x) = 0 with (e x (x - c)) . dF/dx = 0 identically, for all surfaces that a body is made of. It must not reach its bounds.

The axes e are those of the coordinates of the body's own frame, and c is a point of it.
"""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import sympy as sp

from codegen.deadline import interruptible
from generative import IDENTITY, ImplicitBody, ImplicitSurface, Motion, Solid, t, u, v, x, y, z
from generative.combination import Combination
from generative.products import Product

from .cells import Cell, Parametric
from .implicit_parts import implicit_parts
from .mesh import Mesh
from .parts import faces_of

Values = Mapping[Any, Any]
_SPACE, _SMOOTH = (x, y, z), (sp.sin, sp.cos, sp.exp)
# Formulas with more operations are not simplified: nothing is then proved.
_MOST = 400
# What is less at a sample may be zero.
_NOTHING = 1e-9


class Turning(NamedTuple):
    """Axis number `axis` of the body's frame, through `centre`; of a sphere (`round`) any axis through it. `motion` carries it."""

    axis: int
    centre: tuple[Any, Any, Any]
    round: bool
    motion: Motion

    @property
    def direction(self) -> tuple[Any, Any, Any]:
        return self.motion.turn([int(k == self.axis) for k in range(3)])

    @property
    def place(self) -> tuple[Any, Any, Any]:
        return self.motion.apply(self.centre)


def turnings(body: Any, known: Values) -> list[Turning]:
    """The axes about which a body turns into itself; `known`: numbers in the place of the symbols of its family. For a mesh, and for a
    region of the plane, whose faces are curves of one parameter, none are looked for.
    """
    if isinstance(body, Mesh) or (isinstance(body, Solid) and body.planar):
        return []
    implicit = isinstance(body, ImplicitBody)
    pieces: Sequence[Any] = body.leaves if implicit else [face.surface for face in faces_of(body)]
    motions = {_with(piece.motion, known) for piece in pieces if not isinstance(piece.motion, Product)}
    if len(motions) != 1 or any(isinstance(piece.motion, Product) for piece in pieces):
        return []
    found = [_of_leaf(*_formulas([leaf.body], leaf.bounds, known)) for leaf in pieces] if implicit else \
            [_of_face(*_formulas(face.surface.body, face.domain, known), face.periods) for face in faces_of(body)]
    (motion,) = motions
    first, *others = found
    both = [a for a in first if all(any(_same(a, b) for b in other) for other in others)]
    return [Turning(*own, motion) for own in both if not own[2] or not others]


def _formulas(body: Sequence[Any], ends: Sequence[tuple[Any, Any]], known: Values) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    return tuple(e.xreplace(known) for e in body), tuple((lo.xreplace(known), hi.xreplace(known)) for lo, hi in ends)


def _with(motion: Motion, known: Values) -> Motion:
    return motion if motion is IDENTITY else motion.changed(lambda e: e.xreplace(known))


Own = tuple[int, tuple[Any, Any, Any], bool]
"""Axis, centre, and whether it is a sphere."""


def _same(a: Own, b: Own) -> bool:
    return a[0] == b[0] and a[2] == b[2] and all(vanishes(p - q) for k, (p, q) in enumerate(zip(a[1], b[1], strict=True)) if k != a[0])


# -- patches ----------------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=256)
@interruptible()
def _of_face(body: tuple[Any, ...], domain: tuple[Any, ...], periods: tuple[float, ...]) -> tuple[Own, ...]:
    found: list[Own] = []
    for s, (lo, hi), period in zip((u, v), domain, periods, strict=True):
        for axis in range(3) if period > 0.0 else ():
            for sign in (1, -1):
                centre = _turned_by(body, s, axis, sign * 2 * sp.pi / (hi - lo))
                if centre is not None:
                    found += [(axis, centre, False), *_sphere(body, v if s is u else u, domain[s is u], axis, centre)]
    return tuple(found)


def _turned_by(body: Sequence[Any], symbol: Any, axis: int, rate: Any) -> tuple[Any, Any, Any] | None:
    """The centre c, for dp/ds = rate e x (p - c)."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    slope = [sp.diff(e, symbol) for e in body]
    if not vanishes(slope[axis]):
        return None
    second, first = _constant(slope[i] + rate * body[j]), _constant(slope[j] - rate * body[i])
    if first is None or second is None:
        return None
    centre = [sp.Integer(0)] * 3
    centre[i], centre[j] = -first / rate, second / rate
    return centre[0], centre[1], centre[2]


def _constant(e: Any) -> Any:
    """The expression without u and v; None if it is not seen to be free of them."""
    if not e.has(u, v):
        return e
    at = e.xreplace({u: sp.Rational(1, 3), v: sp.Rational(2, 7)})
    if not _small(e - e.xreplace({u: sp.Rational(3, 5), v: sp.Rational(-1, 5)})):
        return None
    for form in (sp.expand, sp.simplify):
        if sp.count_ops(e) <= _MOST and not (changed := form(e)).has(u, v):
            return changed
    return at if vanishes(e - at) else None


def _sphere(body: Sequence[Any], symbol: Any, ends: tuple[Any, Any], axis: int, centre: tuple[Any, Any, Any]) -> list[Own]:
    """As a sphere, if it is one: at both ends of the other symbol it meets the axis."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    across, along = (body[i] - centre[i])**2 + (body[j] - centre[j])**2, body[axis]
    tops = [along.xreplace({symbol: end}) for end in ends]
    middle = _constant((tops[0] + tops[1]) / 2)
    if middle is None or not all(vanishes(across.xreplace({symbol: end})) for end in ends):
        return []
    if not _continuous(along) or _constant(across + (along - middle)**2) is None:
        return []
    own = [middle if k == axis else centre[k] for k in range(3)]
    return [(axis, (own[0], own[1], own[2]), True)]


# -- implicit surfaces ------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=256)
@interruptible()
def _of_leaf(body: tuple[Any, ...], bounds: tuple[Any, ...]) -> tuple[Own, ...]:
    if not _continuous(body[0]):
        return ()
    slopes = [sp.diff(body[0], s) for s in _SPACE]
    for centre in dict.fromkeys([(sp.Integer(0),) * 3, tuple((lo + hi) / 2 for lo, hi in bounds)]):
        axes = [k for k in range(3) if _turns(slopes, k, centre) and all(_inside(c, ends) for c, ends in zip(centre, bounds, strict=True))]
        if axes:
            return (*((k, centre, False) for k in axes), *([(0, centre, True)] if len(axes) == 3 else []))
    return ()


def _turns(slopes: Sequence[Any], axis: int, centre: Sequence[Any]) -> bool:
    i, j = (axis + 1) % 3, (axis + 2) % 3
    return vanishes((_SPACE[i] - centre[i]) * slopes[j] - (_SPACE[j] - centre[j]) * slopes[i])


def _inside(c: Any, ends: tuple[Any, Any]) -> bool:
    """Whether a number is proved to lie between two ends."""
    return (ends[0] < c) == True and (c < ends[1]) == True  # noqa: E712


def _continuous(e: Any) -> bool:
    """Whether an expression is seen to be defined and continuous everywhere, and to have derivatives almost everywhere."""
    powers = all((a.exp.is_integer and a.exp.is_positive) or (a.exp.is_positive and a.base.is_nonnegative) or not a.has(*_SPACE, u, v)
                 for a in e.atoms(sp.Pow))
    return powers and all(type(a) in _SMOOTH for a in e.atoms(sp.Function))


# -- zero or not ------------------------------------------------------------------------------------------------------


def vanishes(e: Any) -> bool:
    """Whether an expression is proved to be identically zero."""
    if e.is_number and e.is_zero is not None:
        return bool(e.is_zero)
    if not _small(e) or sp.count_ops(e) > _MOST:
        return False
    return any(form(e) == 0 for form in (sp.expand, sp.simplify))


def _small(e: Any) -> bool:
    """Whether an expression is about zero at a sample."""
    symbols = sorted(e.free_symbols, key=str)
    try:
        value = sp.N(e.xreplace({s: sp.Float(0.37 + 0.29 / (k + 2), 20) for k, s in enumerate(symbols)}), 20)
        return abs(complex(value)) < _NOTHING
    except (TypeError, ValueError):
        return False


# -- slices -----------------------------------------------------------------------------------------------------------


def shared(first: Sequence[Turning], second: Sequence[Turning], time: Any) -> tuple[int, Turning] | None:
    """The one of two bodies (0 or 1) that may be sliced, and its axis, at a moment (a number), or at all times (t): if both are concentric
    spheres, as one.
    """
    pairs = [(side, a, b) for side, own, other in ((0, first, second), (1, second, first)) for a in own for b in other]
    return next(((side, a) for side, a, b in sorted(pairs, key=lambda pair: not pair[1].round) if _share_axis(a, b, time)), None)


def _share_axis(a: Turning, b: Turning, time: Any) -> bool:
    """Whether the axes of a and of b are one. A sphere has all through its centre, but is sliced by its own unless both are spheres."""
    at = {t: time}
    apart = [(p - q).xreplace(at) for p, q in zip(a.place, b.place, strict=True)]
    if a.round:
        return b.round and all(map(vanishes, apart))
    way = [e.xreplace(at) for e in a.direction]
    ways = [] if b.round else [[e.xreplace(at) for e in b.direction]]
    return all(vanishes(e) for other in (apart, *ways) for e in _cross(way, other))


def _cross(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    return [a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1))]


def sliced(body: Any, turning: Turning, known: Values) -> tuple[Cell, ...]:
    """The parts of the slice of a body that turns like that, of which some implicit ones may not be there; of a sphere a point."""
    if isinstance(body, ImplicitBody):
        return _on_plane(body, turning.axis, turning.centre, 2 if turning.round else 1)
    return tuple(_slice(face, 2 if turning.round else _turned(face, turning, known)) for face in faces_of(body))


def _turned(face: Cell, turning: Turning, known: Values) -> int:
    """The number of the parameter that turns a face."""
    body, domain = _formulas(face.surface.body, face.domain, known)
    return next(k for k, (s, (lo, hi)) in enumerate(zip((u, v), domain, strict=True)) if face.periods[k] > 0.0 and any(
        _turned_by(body, s, turning.axis, sign * 2 * sp.pi / (hi - lo)) is not None for sign in (1, -1)))


@functools.lru_cache(maxsize=256)
def _slice(face: Cell, fixed: int) -> Cell:
    """The face at the least value of parameter number `fixed`; 2: a point of it."""
    least = [lo for lo, _ in face.domain]
    if fixed == 2:
        path = least[0], (least[1] + face.domain[1][1]) / 2
        return Parametric(face.feature, face.surface, path, (), (), (), (), ((face.surface, path),), face.two_sided)
    k = 1 - fixed
    path = (least[0], v) if k else (u, least[1])
    return Parametric(face.feature, face.surface, path, (path[k],), face.domain[k:k + 1], face.periods[k:k + 1], face.border[k:k + 1],
                      ((face.surface, path),), face.two_sided, names=("uv"[k],))


@functools.lru_cache(maxsize=256)
def _on_plane(body: ImplicitBody, axis: int, centre: Sequence[Any], count: int) -> tuple[Cell, ...]:
    """The parts of a body in a half plane from the axis, or on the axis (`count` 2): of its half, or quarter, those on these sides."""
    fixed = [(axis + 1) % 3, (axis + 2) % 3]
    cut = _cut(body, {k: centre[k] for k in fixed})
    wanted = {(k, 0) for k in fixed[:count]}
    whole = dict(zip(cut.leaves, body.leaves, strict=True))
    names = {part.leaves: part.feature for part in implicit_parts(body) if not part.sides}
    return tuple(replace(part, feature=names[tuple(whole[leaf] for leaf in part.leaves)])
                 for part in implicit_parts(cut) if {side[1:] for side in part.sides} == wanted)


def _cut(body: ImplicitBody, least: Mapping[int, Any]) -> ImplicitBody:
    """With bounds that begin there."""
    if isinstance(body, Combination):
        return Combination(body.operation, [_cut(child, least) for child in body.children])
    assert isinstance(body, ImplicitSurface)
    bounds = [(least.get(k, lo), hi) for k, (lo, hi) in enumerate(body.bounds)]
    return ImplicitSurface(body.body, bounds, motion=body.motion)
