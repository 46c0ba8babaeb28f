"""Parameters with ranges in the ends of domains and in bounds: what a body is at one value of them is no other's.

A plate reaches in x from q to q + 1, beside a ball whose place depends on q, too: no point of any plate beyond that counts.
"""

from typing import Any

import pytest
import sympy as sp

import collide
from generative import Edge, ImplicitSurface, Parameter, ParametricSurface, Solid, Vertex, primitives, t, u, v, z

from .test_distance import SPHERE, TRIANGLE, ball, exact, holds, narrow, shift

R = sp.Rational
Q, SIZE = Parameter("q"), Parameter("r")
WIDE, NARROW = (1, 3), (1, R(3, 2))


def solid() -> Solid:
    face = ParametricSurface([u, v, 0], {u: (Q, Q + 1), v: (-1, 1)})
    edges = [Edge((0,), ((Q, u),), (-1, 1)), Edge((0,), ((Q + 1, u),), (-1, 1)), Edge((0,), ((u, -1),), (Q, Q + 1)),
             Edge((0,), ((u, 1),), (Q, Q + 1))]
    return Solid([face], edges, [Vertex((0,), ((a, b),)) for a in (Q, Q + 1) for b in (-1, 1)])


PLATES = {"implicit": ImplicitSurface(z, bounds=[(Q, Q + 1), (-1, 1), (-1, 1)]), "patch": solid().faces[0], "solid": solid()}


@pytest.mark.parametrize("name", PLATES)
@pytest.mark.parametrize("range_", [WIDE, NARROW])
def test_a_plate_ends_where_it_does(name: str, range_: Any) -> None:
    plate = PLATES[name]
    for other in (ball(), SPHERE):
        d = collide.distance(plate, other.moved(shift(Q + 3, 0, 3)), parameters={Q: range_}, budget=30)
        assert narrow(d) and holds(d.bracket, exact(sp.sqrt(13) - 1)), d.summary()
        c = collide.first_contact([plate, other.moved(shift(Q + R(3, 2), 0, 3 - t))], (0, 4), parameters={Q: range_}, budget=30)
        assert c.status is collide.Status.CONTACT and holds(c.time, exact(3 - sp.sqrt(3) / 2)), c.summary()


def test_a_corner_is_where_it_is() -> None:
    moving = ball().moved(shift(Q + R(3, 2), R(3, 2), 3 - t))
    c = collide.first_contact([solid(), moving], (0, 4), parameters={Q: NARROW}, budget=30)
    assert c.status is collide.Status.CONTACT and holds(c.time, exact(3 - sp.sqrt(R(1, 2)))), c.summary()


def test_the_least_value_at_which_a_plate_reaches_a_ball() -> None:
    for plate in (PLATES["implicit"], solid()):
        found = collide.critical_value([plate, ball(R(5, 4)).moved(shift(4, 0, 1))], (0, 2), {Q: WIDE}, budget=30)
        assert holds(found.bracket, R(9, 4)) and found.bracket.hi - found.bracket.lo < 1e-6, found.summary()


SIZED: dict[str, tuple[Any, Any, Any]] = {
    "balls": (primitives.ball(SIZE), ball().moved(shift(0, 0, 4)), R(3, 2)),
    "implicit balls": (primitives.ball(SIZE), SPHERE.moved(shift(4, 0, 0)), R(3, 2)),
    "a can": (primitives.round_cylinder(SIZE, 2), ball(R(1, 2)).moved(shift(R(7, 2), 0, 1)), R(3, 2)),
    "a block": (primitives.block((2 * SIZE, 2, 2)), ball().moved(shift(4, 0, 0)), R(3, 2)),
    "a triangle": (TRIANGLE, primitives.ball(SIZE).moved(shift(0, 0, 3)), R(3, 2)),
}  # fmt: skip


@pytest.mark.parametrize("name", SIZED)
def test_implicit_bodies_of_any_size(name: str) -> None:
    """Their bounds grow with them."""
    a, b, value = SIZED[name]
    d = collide.distance(a, b, parameters={SIZE: (R(1, 2), R(3, 2))}, budget=30)
    assert narrow(d) and holds(d.bracket, exact(value)), d.summary()
    assert all(place[SIZE].hi > 1.5 - 1e-6 for place in d.parameters)
