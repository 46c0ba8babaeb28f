"""`classify`: points that are proved to lie in a body, out of it, or on its faces."""

from fractions import Fraction
from typing import Any

import numpy as np

from codegen.walk import nesting_in_words
from generative import ImplicitBody
from generative.family import member_of

from ..bodies.mesh import Mesh
from ..bodies.numbers import NONE, check_numbers
from ..bodies.parts import has_inside
from ..moment.exact_sides import ExactSide, exact_side
from ..moment.inside import contains
from ..polyhedra.location.index import Index, Kind, checked_places, unpacked
from ..polyhedra.location.tree import IN, OUT
from ..polyhedra.touch.placed_brep import about
from ..polyhedra.touch.touch import check_moment, pose
from ..search.budget import Budget, as_budget
from ..search.clock import Clock
from .arguments import check_bodies, check_kinds

_KINDS = {ExactSide.INSIDE: Kind.IN, ExactSide.SURFACE: Kind.FACE, ExactSide.OUTSIDE: Kind.OUT, ExactSide.OPEN: Kind.UNRESOLVED}


@nesting_in_words
def classify(body: Any, points: Any, at: float = 0.0, *, budget: Budget | float | None = None) -> np.ndarray:
    """Classify points against a body: in, out, or on a face.

    Parameters
    ----------
    body : body
        A closed one: an implicit body, which is in where its function is negative, a ParametricSurface without border, a Solid, or a Mesh,
        as for `Index`.
    points : array_like, (n, 3)
        Triples of doubles, which count as exact.
    at : float, optional
        The time.
    budget : float or Budget, optional
        Seconds or a `Budget`; None is 60 seconds. Points that are not decided within it are UNRESOLVED.

    Returns
    -------
    ndarray, (n,)
        Of `Kind`: IN or OUT of the body, on its FACE, or UNRESOLVED.

    Raises
    ------
    TypeError
        For anything that is no body.
    ValueError
        For a body that is not closed, has a free `Parameter`, or cannot exist; for points of another shape; for a time or a budget that is
        none.

    Notes
    -----
    IN, OUT and FACE are *proved*. A combined body is the closure of its interior (Requicha and Voelcker 1977; Tilove 1980): a wall between
    two parts of it is IN, and a part without thickness is OUT.

    FACE of an implicit body is proved by its functions, which are zero there in exact arithmetic, and by both sides of it near the point.
    Where leaves are tangent, as balls that touch and are intersected, a point with no interior near it is OUT if the signs that leaves may
    have near it prove that, else UNRESOLVED. Leaves that coincide at this moment alone count as two surfaces, and so do those that are not
    proved to be one. Points on other curved surfaces are UNRESOLVED, and so are points so near to any that rounding does not decide. For a
    mesh the answers are those of `Index.classify`, if its pose at that time is rational; else points too near to it are UNRESOLVED.

    Examples
    --------
    >>> import collide
    >>> from generative import ImplicitSurface, x, y, z
    >>> ball = ImplicitSurface(x**2 + y**2 + z**2 - 1, bounds=[(-2, 2)] * 3)
    >>> [kind.name for kind in collide.classify(ball, [[0.5, 0, 0], [0.6, 0.8, 0], [0, -1, 0], [0, 1, 1]])]
    ['IN', 'OUT', 'FACE', 'OUT']
    """
    moment = float(check_moment(at)) + 0.0
    places = checked_places(points, "points", 2)
    clock = Clock(as_budget(budget))
    found = np.full(len(places), Kind.UNRESOLVED, object)
    with clock.query():
        check_kinds([body, body], "classify")
        if isinstance(body, Mesh):
            found[:] = _in_mesh(body, places, at)
        else:
            check_numbers([body], [member_of(body)])
            check_bodies([body], (moment, moment))
            if not has_inside(body):
                raise ValueError("the body is not closed, so it has no inside")
            for k, place in enumerate(places):
                found[k] = _kind(body, place, moment, clock)
    return found


def _in_mesh(mesh: Mesh, places: np.ndarray, at: Any) -> np.ndarray:
    index = Index(mesh.resting)
    carried, rounded = pose(mesh.motion, at)
    back = carried.inverse()
    images, off = about(back, places)
    if not rounded:
        exact = [index.entities.scaled.points([back([Fraction(c) for c in p])])[0] for p in places.tolist()]
        return unpacked(index.tree.walk(images, exact=exact.__getitem__, radius=off))[0]
    # The inverse of a rounded rotation is off by a few times as much. All leaves that a point may come to must be the same.
    leaves = index.tree.walk(images, float(16.0 * off.max(initial=0.0)))
    kinds, _ = unpacked(leaves)
    kinds[(leaves != IN) & (leaves != OUT)] = Kind.UNRESOLVED
    return kinds


def _kind(body: Any, place: np.ndarray, moment: float, clock: Clock) -> Kind:
    if clock.exceeded():
        return Kind.UNRESOLVED
    found = contains(body, np.stack([place, place], axis=1), moment, clock, NONE, apart=False)
    if found is None:
        return _KINDS[exact_side(body, place.tolist(), moment)] if isinstance(body, ImplicitBody) else Kind.UNRESOLVED
    return Kind.IN if found else Kind.OUT

