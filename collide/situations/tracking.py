"""Contacts that are known already (Snyder 1993, Section 3.2): where they are on the bodies, and whether they follow them.

Bodies in rolling or sliding contact touch all the time; whoever integrates their motion knows where, as functions of time.
Contacts near these points are left out of the search (Eq. 7), so that only new ones are reported. A point is named on a part
of its body: by u and v on a face, by the parameter of an edge, by nothing on a vertex.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from codegen.given import expression, shown
from generative import ImplicitBody, Parameter, ParametricSurface, t, u, v, x, y, z
from generative.body import called, label
from generative.symbols import formula
from generative.template import read, write

from ..bodies.cells import Cell
from ..bodies.members import formula_member
from ..bodies.mesh import Mesh
from ..bodies.numbers import NONE, Numbers
from ..bodies.parts import parts_of
from ..given import check_positive

# Moments at which a tracked contact is looked at.
_CELLS = 16


@dataclass(frozen=True)
class Tracked:
    """A contact that is known already: one of the bodies `pair` = (i, j), at given parameters of both.

    Parameters
    ----------
    pair : pair of int
        The numbers of the bodies.
    u1, v1, u2, v2 : formula or None
        Functions of t: the parameters u1(t), v1(t) of the first body and u2(t), v2(t) of the second. None for a parameter that the part
        does not have, and both for an implicit body.
    radius : float
        Contacts whose point lies closer than this to it, the lambda of Snyder 1993, Eq. 7, are not reported.
    features : pair of str, optional
        The parts that have these parameters: a "face k" has both, an "edge k" only u, a "vertex k" none.

    Examples
    --------
    A ball slides along a floor towards a wall at x = 4; its lowest point is u = 3 pi/2, v = 0, and touches the floor at (t, 0).

    >>> import sympy as sp
    >>> from collide import Tracked, first_contact
    >>> from generative import ParametricSurface, Rigid, Solid, t, u, v
    >>> ball = ParametricSurface([sp.sin(v), sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v)],
    ...                          {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)}).moved(Rigid(translation=[t, 0, 1]))
    >>> room = Solid([ParametricSurface([u, v, 0], {u: (-1, 5), v: (-2, 2)}), ParametricSurface([4, v, u], {u: (0, 2), v: (-2, 2)})])
    >>> lowest = Tracked((0, 1), 3 * sp.pi / 2, 0, t, 0, radius=0.5)
    >>> found = first_contact([ball, room], (0, 5), tracked=[lowest])
    >>> found.features, found.proved.tolist(), found.time.lo <= 3 <= found.time.hi
    ([('face 0', 'face 1')], [True], True)
    """

    pair: tuple[int, int]
    u1: Any
    v1: Any
    u2: Any
    v2: Any
    radius: float
    features: tuple[str, str] = ("face 0", "face 0")


@dataclass(frozen=True)
class Place:
    """A moving point of a surface: at u = `at[0]`, v = `at[1]`, expressions of t. `smooth`: inside a face, not on an edge."""

    surface: ParametricSurface
    at: tuple[Any, Any]
    smooth: bool

    @property
    def point(self) -> tuple[Any, ...]:
        return tuple(e.xreplace({u: self.at[0], v: self.at[1]}) for e in self.surface.expressions)

    @property
    def normal(self) -> tuple[Any, ...]:
        return tuple(e.xreplace({u: self.at[0], v: self.at[1]}) for e in self.surface.normal)


class KnownContact(NamedTuple):
    """A contact as a point of the first body that has parameters, number `side` of the pair (1 or 2)."""

    side: int
    surface: ParametricSurface
    at: tuple[Any, Any]
    radius: Any


def known_points(items: Sequence[Tracked], bodies: Sequence[Any]) -> tuple[tuple[KnownContact, ...], Numbers]:
    """Contacts of one pair, with symbols in the place of the numbers of their functions: those that differ in numbers alone share kernels.
    `bodies` may be formulas of families. And the numbers.
    """
    given = [(*((item.u1, item.v1), (item.u2, item.v2))[_side(item, bodies) - 1], item.radius) for item in items]
    formulas = [sp.S.Zero if e is None else formula(e, [t], "a tracked function") for row in given for e in row]
    ((instructions, outputs),), numbers = read([(formulas, True)], moves=True)
    symbols = tuple(Parameter(f"k{j}") for j in range(len(numbers)))
    built = write(instructions, symbols)
    found = []
    for k, item in enumerate(items):
        u_at, v_at, radius = (built[j] for j in outputs[3 * k:3 * k + 3])
        side = _side(item, bodies)
        place = _place(bodies, item.pair[side - 1], item.features[side - 1], (u_at, v_at))
        assert place is not None
        found.append(KnownContact(side, place.surface, place.at, radius))
    return tuple(found), Numbers(symbols, numbers)


def _side(item: Tracked, bodies: Sequence[Any]) -> int:
    return 2 if isinstance(bodies[item.pair[0]], (ImplicitBody, Mesh)) else 1


def check_tracked(tracked: Sequence[Any], bodies: Sequence[Any], span: tuple[float, float]) -> None:
    """Raises TypeError or ValueError for contacts that are not described as they should be, or do not follow the bodies."""
    if not isinstance(tracked, Sequence):
        raise TypeError(f"tracked must be a list of collide.Tracked values, got a {type(tracked).__name__}")
    for item in tracked:
        if not isinstance(item, Tracked):
            raise TypeError(f"tracked contacts are collide.Tracked values, got {shown(item)}")
        check_tracked_item(item, bodies)
        places = _places(item, bodies)
        if places == [None, None]:
            pair = " and ".join(label(bodies, k) for k in item.pair)
            raise ValueError(f"a contact of bodies {pair} without parameters cannot be tracked: one of them needs parameters")
        _check_follows(item, places, bodies, span)


def check_tracked_item(item: Tracked, bodies: Sequence[Any]) -> None:
    """Raises ValueError where the pair, the radius or the features of a tracked contact are not as they should be."""
    if not (_is_pair(item.pair, Integral) and 0 <= item.pair[0] < item.pair[1] < len(bodies)):
        raise ValueError(f"a tracked pair is (i, j) with i < j among {len(bodies)} bodies, got {shown(item.pair)}")
    check_positive("the radius of a tracked contact", item.radius)
    if not _is_pair(item.features, str):
        raise ValueError(f'the features of a tracked contact are two names, such as ("face 0", "edge 2"), got {shown(item.features)}')


def _is_pair(given: Any, kind: type) -> bool:
    return isinstance(given, (tuple, list)) and len(given) == 2 and all(isinstance(e, kind) for e in given)


def _places(item: Tracked, bodies: Sequence[Any]) -> list[Place | None]:
    given = ((item.u1, item.v1), (item.u2, item.v2))
    return [_place(bodies, k, name, at) for k, name, at in zip(item.pair, item.features, given, strict=True)]


def part_named(bodies: Sequence[Any], k: int, name: str) -> Cell | None:
    """The part of a body with that name; None of implicit bodies and meshes, which have no parameters."""
    body = bodies[k]
    if isinstance(body, (ImplicitBody, Mesh)):
        return None
    parts = parts_of(body)
    part = next((p for p in parts if p.feature == name), None)
    if part is None:
        raise ValueError(f"{called(bodies, k)} has no {name!r} to track a contact on; it has "
                         f"{', '.join(dict.fromkeys(p.feature for p in parts))}")
    return part


def _place(bodies: Sequence[Any], k: int, name: str, given: Sequence[Any]) -> Place | None:
    part = part_named(bodies, k, name)
    if part is None:
        return None
    needed = [f"{s}(t)" for s in part.symbols]
    if any(e is None for e in given[:len(needed)]):
        raise ValueError(f"the tracked contact needs {' and '.join(needed)} on {name} of {called(bodies, k)}")
    at = {s: formula(e, [t], "a tracked function") for s, e in zip(part.symbols, given, strict=False)}
    a, b = (expression(e).xreplace(at) for e in part.path)
    return Place(part.surface, (a, b), part.dimension == 2)


# -- do they follow? ----------------------------------------------------------------------------------------------


def _check_follows(item: Tracked, places: Sequence[Place | None], bodies: Sequence[Any], span: tuple[float, float]) -> None:
    """At the beginning, the two tracked points must not be proved further apart than the radius. Later they may be, where
    the bodies have separated there; not where one point slid away, or smooth surfaces no longer face each other.
    """
    at, radius = np.linspace(span[0], span[1], _CELLS + 1)[:, None], float(item.radius)
    first, second = places
    normals = [n for n in (_normal(bodies[k], p, places, at) for k, p in zip(item.pair, places, strict=True)) if n is not None]
    astray = (normals[0] * normals[1]).sum(axis=1) > -0.5 if len(normals) == 2 else np.full(len(at), False)
    if first is not None and second is not None:
        apart, difference = _distance(first.point, second.point, at)
        wrong = apart > radius
        if normals:
            along = (difference * normals[0]).sum(axis=1)[:, None] * normals[0]
            astray = astray | (np.linalg.norm(difference - along, axis=1) > radius)
    else:
        place, body = (first, bodies[item.pair[1]]) if first is not None else (second, bodies[item.pair[0]])
        assert place is not None
        wrong = np.zeros(len(at), bool) if isinstance(body, Mesh) else _off_implicit(place.point, body, radius, at)
    wrong[1:] &= astray[1:]
    if wrong.any():
        raise ValueError(f"the tracked functions of {called(bodies, item.pair[0])} and {called(bodies, item.pair[1])} do not follow the "
                         f"contact: at t = {at[wrong.argmax(), 0]:g} the two points are more than the radius {radius:g} apart")


def _distance(p: Sequence[Any], q: Sequence[Any], at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A lower bound of the distance of two points, and about their difference."""
    difference = [a - b for a, b in zip(p, q, strict=True)]
    values = _over((sum(d**2 for d in difference), *difference), (t,), at)
    return np.sqrt(np.maximum(values[:, 0, 0], 0.0)) * (1.0 - 1e-15), values[:, 1:].mean(axis=2)


def _over(formulas: Sequence[Any], variables: tuple[Any, ...], lo: np.ndarray, hi: np.ndarray | None = None) -> np.ndarray:
    """Bounds (n, formulas, 2) over boxes, or at points. Formulas that differ in numbers alone share a kernel."""
    return formula_member(tuple(map(expression, formulas)), variables, NONE).enclose(np.stack([lo, lo if hi is None else hi], axis=-1))


def _normal(body: Any, place: Place | None, places: Sequence[Place | None], at: np.ndarray) -> np.ndarray | None:
    """About the outward unit normals of a body at its tracked point; of an implicit one, of the leaf that is nearest there.
    None on edges and vertices, which have more than one.
    """
    if place is not None and not place.smooth:
        return None
    if place is not None:
        n = _over(place.normal, (t,), at).mean(axis=2)
    elif isinstance(body, Mesh):
        return None
    else:
        point = _over(next(p.point for p in places if p is not None), (t,), at).mean(axis=2)
        where = np.hstack([point, at])
        values = _over([leaf.expression for leaf in body.leaves], (x, y, z, t), where[:1]).mean(axis=2)
        leaf = body.leaves[int(np.abs(values[0]).argmin())]
        n = _over(leaf.gradient, (x, y, z, t), where).mean(axis=2)
    return np.asarray(n / np.maximum(np.linalg.norm(n, axis=1)[:, None], 1e-300))


def _off_implicit(point: Sequence[Any], body: ImplicitBody, radius: float, at: np.ndarray) -> np.ndarray:
    """Whether F is proved to have one sign in the cube of half-width `radius` round the point: no surface is that near."""
    box = _over(point, (t,), at)
    values = _over((body.expression,), (x, y, z, t), np.hstack([box[..., 0] - radius, at]), np.hstack([box[..., 1] + radius, at]))
    wrong: np.ndarray = (values[:, 0, 0] > 0) | (values[:, 0, 1] < 0)
    return wrong
