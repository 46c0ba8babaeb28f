"""Bodies that turn into themselves about a common axis: closed forms; and those that nearly do, or do not reach all round."""

from typing import Any

import pytest
import sympy as sp

import collide
from collide.bodies.numbers import numbers_of
from collide.bodies.turning import shared, turnings
from collide.moment.pairs import Pairs
from collide.timeline import nearest
from generative import ImplicitSurface, Parameter, ParametricSurface, Rigid, Screw, Solid, primitives, t, u, v, x, y, z
from generative.family import family_of

from .test_distance import SPHERE, ball, crossed, ellipsoid, exact, holds, narrow, shift, torus

R = sp.Rational
ROUND = {u: (0, 2 * sp.pi), v: (-1, 1)}
TILTED = Screw(axis=[1, 2, 2], angle=R(7, 10)) @ shift(R(1, 3), R(-2, 7), 5)


def tube(radius: Any) -> ParametricSurface:
    return ParametricSurface([radius * sp.cos(u), radius * sp.sin(u), v], ROUND)


def ring(radius: Any, thick: Any) -> ImplicitSurface:
    size = radius + thick + 1
    return ImplicitSurface((sp.sqrt(x**2 + y**2) - radius)**2 + z**2 - thick**2, bounds=[(-size, size)] * 3)


def sphere(radius: Any) -> ImplicitSurface:
    return ImplicitSurface(x**2 + y**2 + z**2 - radius**2, bounds=[(-radius - 1, radius + 1)] * 3)


HIGH = shift(0, 0, R(3, 4))
COAXIAL: dict[str, tuple[Any, Any, Any]] = {
    "concentric balls": (ball(2), ball(), 1),
    "concentric spheres": (SPHERE, sphere(2), 1),
    "a ball in a sphere": (ball(), sphere(3), 2),
    "spheres about another point": (primitives.ball(1, (1, 2, 3)), primitives.ball(3, (1, 2, 3)), 2),
    "a ball in the hole of a torus": (ball(R(1, 2)), torus(), R(1, 5)),
    "a ball above the hole of a torus": (torus(), ball(R(1, 2)).moved(HIGH), R(5, 4) - R(4, 5)),
    "a sphere in a turned ring": (sphere(R(1, 2)).moved(Rigid(rotation=crossed(0).rotation)), torus(), R(1, 5)),
    "a ring above a torus": (ring(2, R(1, 5)).moved(HIGH), torus(), R(5, 4) - R(1, 2)),
    "rings": (ring(1, R(1, 5)), ring(2, R(1, 5)), R(3, 5)),
    "tubes": (tube(1), tube(2), 1),
    "a can in a ring": (primitives.round_cylinder(1, 2), torus(2), R(7, 10)),
    "a can in a can": (primitives.round_cylinder(1, 2), ring(2, R(1, 2)), R(1, 2)),
    "a solid of two faces in a tube": (Solid([tube(1), ParametricSurface([v * sp.cos(u), v * sp.sin(u), 1], {u: ROUND[u], v: (0, 1)})],
                                             [], []), tube(R(3, 2)), R(1, 2)),
    "spindles": (ellipsoid(1, 1, 2), ellipsoid(2, 2, 1), None),
}  # fmt: skip


@pytest.mark.parametrize("name", COAXIAL)
def test_coaxial_bodies(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Narrow brackets round closed forms, wherever the axis is and whichever body comes first; with curves of nearest points."""
    monkeypatch.setattr(nearest, "_UNSLICED", 1)
    a, b, value = COAXIAL[name]
    for first, second in ((a, b), (b.moved(TILTED), a.moved(TILTED))):
        d = collide.distance(first, second, budget=20)
        if value is None:
            assert d.status is collide.DistanceStatus.MEETING
        else:
            assert narrow(d) and holds(d.bracket, exact(value)), d.summary()
            assert len(d) > 5 and not d.unique.any()


def test_the_bodies_are_sliced() -> None:
    """What takes hundreds of thousands of boxes otherwise takes some hundreds, and those that list the points."""
    for name in ("concentric spheres", "rings", "a ball in the hole of a torus"):
        a, b, _ = COAXIAL[name]
        d = collide.distance(a, b, budget=collide.Budget(boxes=60_000))
        assert narrow(d), d.summary()


def test_a_torus_that_falls_along_its_axis_and_turns() -> None:
    moving = torus(2, R(1, 5)).moved(Screw(axis=[0, 0, 1], angle=3 * t, advance=2 - t))
    k = collide.clearance([ball().moved(TILTED), moving.moved(TILTED)], (0, 1), budget=20)
    assert narrow(k) and holds(k.bracket, exact(sp.sqrt(5) - R(6, 5))), k.summary()
    assert (k.times[:, 1] >= 1 - 1e-6).all() and not k.unique.any()


def test_a_can_that_rises_and_turns_in_a_ring() -> None:
    moving = primitives.round_cylinder(1, 2).moved(Screw(axis=[0, 0, 1], angle=t, advance=t))
    k = collide.clearance([moving, ring(2, R(1, 2))], (0, 1), budget=30)
    assert narrow(k) and holds(k.bracket, exact(R(1, 2))), k.summary()


def test_a_tube_of_any_radius_in_a_range() -> None:
    r = Parameter("r")
    d = collide.distance(tube(r), tube(2), parameters={r: (R(1, 2), R(3, 2))}, budget=20)
    assert narrow(d) and holds(d.bracket, exact(R(1, 2))), d.summary()
    assert all(abs(place[r].hi - 1.5) < 1e-6 for place in d.parameters)


@pytest.mark.parametrize("off", [R(1, 10**3), R(1, 10**12)])
def test_an_axis_that_is_off(off: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ball that is not quite in the middle of a torus is nearest at one place."""
    monkeypatch.setattr(nearest, "_UNSLICED", 1)
    d = collide.distance(ball(R(1, 2)).moved(shift(off, 0, 0)), torus(), budget=3)
    assert holds(d.bracket, exact(R(1, 5) - off)), d.summary()


@pytest.mark.parametrize(("most", "sliced"), [(R(1, 8), False), (R(1, 2), False), (R(5, 8), True)])
def test_a_surface_that_ends_at_its_bounds_is_not_sliced(most: Any, sliced: bool) -> None:
    """Its formula turns into itself, but it does not, though its axis lies within the bounds."""
    part = ImplicitSurface(x**2 + y**2 + z**2 - R(1, 4), bounds=[(-1, 1), (-1, most), (-1, 1)])
    for bodies in ((part, torus()), (torus(), part)):
        scene = nearest.Neighbours(bodies, (sp.Integer(0),) * 2, (0.0, 0.0), Pairs(2), {})
        assert scene.slice([(0, 1)]) is sliced
    assert holds(collide.distance(part, torus(), budget=1).bracket, exact(R(1, 5)))


def axes(*bodies: Any) -> list[Any]:
    members = [family_of(body) for body in bodies]
    return [turnings(m.body, dict(numbers_of(m).pairs)) for m in members]


def test_what_turns_into_itself() -> None:
    """Half a torus, or one with an ellipse for its tube's way, does not; nor what a formula with jumps only seems to be."""
    half = ParametricSurface(torus().body, {u: (0, sp.pi), v: (0, 2 * sp.pi)})
    for body in (half, ellipsoid(1, 2, 3), primitives.block(), ImplicitSurface(x / sp.Abs(x) * z, bounds=[(-1, 1)] * 3)):
        assert axes(body) == [[]]
    spheres = [ball(), SPHERE, ball().moved(TILTED)]
    assert all(any(a.round for a in own) for own in axes(*spheres))
    cap = ParametricSurface(ball().body, {u: (0, 2 * sp.pi), v: (0, sp.pi / 2)})
    waves = ParametricSurface([sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v), sp.sin(v) + v**2 / 9], ball().domain)
    assert all(own and not any(a.round for a in own) for own in axes(cap, waves, torus(), tube(1)))


def test_axes_that_are_shared() -> None:
    cases = [(torus(), torus(2).moved(shift(0, 0, 1)), True), (torus(), torus(2).moved(shift(R(1, 10**15), 0, 1)), False),
             (torus(), torus().moved(crossed(0)), False), (ball(), torus().moved(crossed(0)), True),
             (ball(), torus().moved(shift(1, 0, 0)), False), (ball(), ball().moved(shift(0, 0, 1)), True),
             (SPHERE, SPHERE.moved(shift(0, 1, 0)), True), (ball(), ball().moved(shift(0, 1, 0)), False)]  # fmt: skip
    for a, b, expected in cases:
        assert (shared(*axes(a, b), sp.Integer(0)) is not None) == expected
    moving = torus().moved(shift(0, 0, t))
    assert shared(*axes(torus(), moving), t) is not None and shared(*axes(torus().moved(crossed(0)), moving), t) is None
