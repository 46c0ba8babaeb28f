"""Bodies combined of half-spaces as solids, and a die and brackets that are dropped."""

import itertools
import os
import subprocess
import sys

import numpy as np
import pytest
import sympy as sp

import collide
from collide.world.shapes.hull import enclosed, hull
from collide.world.shapes.polyhedral import polyhedral
from collide.world.shapes.simple import flats
from collide.world.solids.halfspace_solid import solid_of
from generative import ImplicitSurface, ParametricSurface, Rigid, primitives, u, union, v, x, y, z

HALF, TENTH = sp.Rational(1, 2), sp.Rational(1, 10)
CUT = ImplicitSurface(x + y + z - HALF, bounds=[(-1, 1)] * 3)
FIFTH = sp.Rational(1, 5)


def block(sizes, at=(0, 0, 0)):
    return primitives.block(sizes).moved(Rigid(translation=at))


def value(body, at):
    """Of the function of a combined body at a rational point."""
    if hasattr(body, "children"):
        return (min if body.operation == "union" else max)(value(child, at) for child in body.children)
    return body.expression.subs(dict(zip((x, y, z), at, strict=True)))


BRACKET = block((1, HALF, FIFTH)) | block((FIFTH, HALF, 1), (-2 * FIFTH, 0, 2 * FIFTH))
CHANNEL = block((1, HALF, 1)) - block((HALF, 1, 1), (0, 0, HALF / 2))
PLATE = block((1, 1, FIFTH)) - block((HALF, HALF, 1))
TABLE = union(block((1, 1, TENTH), (0, 0, HALF)), *(block((TENTH, TENTH, 1), (2 * i * FIFTH, 2 * j * FIFTH, 0))
                                                    for i in (-1, 1) for j in (-1, 1)))
FAR = ImplicitSurface(x + y + z - 5, bounds=[(-5, 5)] * 3)


@pytest.mark.parametrize(("shape", "faces", "corners"), [
    (primitives.block((TENTH, 1, sp.Rational(1, 3))), 6, 8), (primitives.block((1, 1, 1)) & CUT, 7, 7),
    (primitives.block((1, 1, 1)) & FAR, 6, 8),
    (primitives.block((1, 1, 1)).moved(Rigid(rotation=[HALF] * 4, translation=[1, 2, 3])), 6, 8),
])  # fmt: skip
def test_all_faces_and_corners_are_exact(shape, faces, corners):
    solid = solid_of(shape)
    assert len(solid.faces) == faces
    found = {tuple(e.subs({u: a, v: b}) for e in face.expressions) for face in solid.faces for a in (0, 1) for b in (0, 1)}
    assert len(found) == corners
    assert all(max(leaf.expression.subs(dict(zip((x, y, z), p, strict=True))) for leaf in shape.leaves) == 0 for p in found)


@pytest.mark.parametrize(("shape", "faces", "edges", "corners", "volume"), [
    (BRACKET, 8, 18, 12, sp.Rational(9, 50)), (CHANNEL, 9, 24, 16, sp.Rational(5, 16)), (PLATE, 10, 24, 16, sp.Rational(3, 20)),
    (TABLE, 15, 60, 40, sp.Rational(69, 500)), (block((1, 1, 1)) | block((1, 1, 1), (0, 0, 1)), 6, 12, 8, 2),
])  # fmt: skip
def test_unions_and_differences(shape, faces, edges, corners, volume):
    """As counted by hand; faces in one plane are one. All corners and middles of patches are on the body's surface, exactly."""
    solid = solid_of(shape)
    found = polyhedral(solid, (0.0, 0.0, 0.0))
    assert (len(flats(solid)), len(found.edges), len(found.corners)) == (faces, edges, corners)
    assert collide.mass_properties(shape).volume == pytest.approx(float(volume), rel=1e-14)
    for face in solid.faces:
        for a, b in itertools.product((0, HALF, 1), repeat=2):
            assert value(shape, [e.subs({u: a, v: b}) for e in face.expressions]) == 0
    solid._check_places([("an edge", e) for e in solid.edges] + [("a vertex", e) for e in solid.vertices])


def test_sheets_enclose_nothing():
    """Also one that is no convex quadrilateral."""
    corners = [(0, 0), (2, 0), (HALF, HALF), (0, 2)]
    weights = [(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v]
    first, second = (sum(w * c[k] for w, c in zip(weights, corners, strict=True)) for k in (0, 1))
    own = hull(ParametricSurface([first, second, 0], {u: (0, 1), v: (0, 1)}))
    assert own.sheet is not None and not len(own.around)


@pytest.mark.parametrize("shape", [BRACKET, CHANNEL, PLATE, TABLE])
def test_what_is_enclosed_is_inside(shape):
    """Also near the surface, however deep, where most is told that is much deeper than points may be out."""
    rng, own, error = np.random.default_rng(7), hull(solid_of(shape)), 1e-13
    planes = sp.lambdify((x, y, z), shape.expression, "numpy")
    corners = own.around[rng.integers(len(own.around), size=4000)]
    on = np.einsum("nk,nki->ni", rng.dirichlet((0.2, 0.2, 0.2), 4000), corners)
    for far, share in ((1.0, 1.0), (1e-3, 1.0), (1e-9, 0.9), (1e-13, 0.0)):
        points = on + far * rng.uniform(-1.0, 1.0, on.shape)
        value, told = planes(*points.T), enclosed(points, own.around, error)
        assert not told[value > -error / 2.0].any()
        assert np.count_nonzero(told[value < 0.0]) >= share * np.count_nonzero(value < 0.0)


@pytest.mark.parametrize("shape", [
    primitives.ball(1), primitives.half_space(), primitives.block((1, 1, 1)) - primitives.ball(sp.Rational(1, 3)),
    primitives.block((1, 1, 1)) & ImplicitSurface(x - sp.sqrt(2) / 4, bounds=[(-1, 1)] * 3),
    ParametricSurface([u, v, 0], {u: (0, 1), v: (0, 1)}),
    # Without an end; cut off by the bounds of a leaf; with an edge at which four faces meet.
    primitives.block((1, 1, 1)) | CUT, primitives.block((4, 4, 4)) & CUT, block((1, 1, 1)) | block((1, 1, 1), (1, 1, 0)),
])  # fmt: skip
def test_other_shapes_are_left_as_they_are(shape):
    assert solid_of(shape) is None


def test_a_die_that_is_thrown_comes_to_rest_on_a_face():
    """After a hundred hits of corners and edges; its last energy is that of its centre half a side above the floor."""
    floor = ParametricSurface([10 * u - 5, 10 * v - 5, 0], {u: (0, 1), v: (0, 1)})
    die = collide.RigidBody(primitives.block((1, 1, 1)), position=(0, 0, 3), spin=(1, 2, 3))
    run = collide.World([die, collide.RigidBody(floor, fixed=True)], restitution=0.5, friction=0.3).run(until=2.5, budget=200.0)
    assert run.outcome is collide.Outcome.FINISHED
    assert run.energy(2.5) == pytest.approx(9.81 / 2, rel=1e-9)
    assert (np.diff([run.energy(s) for s in np.linspace(0, 2.5, 501)]) < 1e-9).all()


@pytest.mark.parametrize(("shape", "height"), [(CHANNEL, 0.5), (TABLE, 0.5)])
def test_what_is_combined_falls_flat_and_rests(shape, height):
    floor = ParametricSurface([10 * u - 5, 10 * v - 5, 0], {u: (0, 1), v: (0, 1)})
    body = collide.RigidBody(shape, position=(0, 0, height + 0.05))
    run = collide.World([body, collide.RigidBody(floor, fixed=True)], restitution=0.2, friction=0.4).run(until=0.5, budget=100.0)
    assert run.outcome is collide.Outcome.FINISHED
    assert run.state(0.5).positions[0] == pytest.approx([0, 0, height], abs=1e-12)
    assert not run.state(0.5).velocities[0].any()


def test_a_bracket_that_is_thrown_keeps_above_the_floor():
    """At all of its corners, which its faces are between."""
    floor = ParametricSurface([10 * u - 5, 10 * v - 5, 0], {u: (0, 1), v: (0, 1)})
    body = collide.RigidBody(BRACKET, position=(0, 0, 2), orientation=(1, 0.3, 0.1, 0))
    world = collide.World([body, collide.RigidBody(floor, fixed=True)], restitution=0.3, friction=0.4)
    run = world.run(until=1.3, budget=100.0)
    assert run.outcome is collide.Outcome.FINISHED
    times, corners = np.linspace(0, 1.3, 2001), polyhedral(solid_of(BRACKET), (0.0, 0.0, 0.0)).corners
    state = run.state(times)
    w, (i, j, k) = state.quaternions[:, 0, 0], state.quaternions[:, 0, 1:].T
    up = np.stack([2 * (i * k - w * j), 2 * (j * k + w * i), 1 - 2 * (i * i + j * j)], axis=1)
    assert (up @ corners.T + state.positions[:, 0, 2:]).min() > -1e-9
    assert (np.diff(run.energy(times)) < 1e-11).all()


def test_moments_do_not_depend_on_the_order_of_sets():
    """Those of sums of intersections did, by roundings, and so did runs, in processes that hash otherwise."""
    code = ("import collide; from generative import primitives as p; from generative import Rigid; b = p.block;"
            "c = b((1, 2, 3)) | p.ball(1).moved(Rigid(translation=(1, 0, 0))) | b((3, 1, 1)); m = collide.mass_properties(c);"
            "print(m.volume.hex(), [e.hex() for e in [*m.centre, *m.inertia.ravel()]])")
    found = {subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, text=True,
                            check=True).stdout for seed in ("1", "2")}
    assert len(found) == 1 and found != {""}
