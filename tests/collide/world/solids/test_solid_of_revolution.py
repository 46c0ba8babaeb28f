"""Combined bodies that turn into themselves about an axis, as solids; volumes are closed forms."""

import math

import numpy as np
import pytest
import sympy as sp

import collide
from collide.world.solids.solid_of_revolution import turned_of, turns_exactly
from generative import ImplicitSurface, ParametricSurface, Rigid, primitives, u, v, x, y, z

HALF, FIFTH = sp.Rational(1, 2), sp.Rational(1, 5)
BALL, CYLINDER = primitives.ball, primitives.round_cylinder
# From z to x.
LYING = Rigid(rotation=[HALF] * 4)


def at(body, *place):
    return body.moved(Rigid(translation=place))


CUP = CYLINDER(1, 1) - at(CYLINDER(4 * FIFTH, 1), 0, 0, FIFTH)


@pytest.mark.parametrize(("shape", "faces", "volume"), [
    (CYLINDER(HALF, 1), 3, math.pi / 4), (primitives.round_cone(HALF, 1), 2, math.pi / 12),
    (BALL(HALF) & primitives.half_space(), 2, math.pi / 12),
    (BALL(1, (0, 0, 3 * HALF / 2)) & BALL(1, (0, 0, -3 * HALF / 2)), 2, math.pi / 24 * 2.75), (CUP, 5, math.pi * 0.488),
    (CYLINDER(1, 1) - at(CYLINDER(HALF, 2), 0, 0, -HALF), 4, math.pi * 0.75),
    # What is left of a ball round a hole depends on its height alone.
    (BALL(1) - at(CYLINDER(HALF, 4), 0, 0, -2), 2, 4 / 3 * math.pi * 0.75**1.5),
    (CYLINDER(FIFTH, 1) | BALL(FIFTH) | BALL(FIFTH, (0, 0, 1)), 3, math.pi * (0.04 + 4 / 3 * 0.008)),
    (CYLINDER(1, FIFTH) | CYLINDER(FIFTH, 1), 5, math.pi * (0.2 + 0.04 * 0.8)),
    (at(CUP.moved(LYING), 1, 2, 3), 5, math.pi * 0.488),
    (primitives.round_cone(1, 1) - primitives.round_cone(HALF, HALF), 3, math.pi / 3 * 0.875),
])  # fmt: skip
def test_faces_and_volumes(shape, faces, volume):
    """Points of the faces are on the body's surface, and their normals lead out of it."""
    solid = turned_of(shape)
    assert len(solid.faces) == faces and turns_exactly(shape)
    assert collide.mass_properties(shape).volume == pytest.approx(volume, rel=1e-13)
    value = sp.lambdify((x, y, z), shape.expression, "numpy")
    for face in solid.faces:
        ends = [[float(e) for e in face.domain[s]] for s in (u, v)]
        a, b = np.meshgrid(*(np.linspace(lo + 0.01 * (hi - lo), hi - 0.01 * (hi - lo), 9) for lo, hi in ends))
        points, normals = (np.stack([np.broadcast_to(e, a.shape) for e in sp.lambdify((u, v), f, "numpy")(a, b)])
                           for f in (face.expressions, face.normal))
        normals /= np.linalg.norm(normals, axis=0)
        assert np.abs(value(*points)).max() < 1e-12
        assert (value(*(points + 1e-6 * normals)) > 0).all() and (value(*(points - 1e-6 * normals)) < 0).all()


@pytest.mark.parametrize("shape", [
    BALL(1), ParametricSurface([u, v, 0], {u: (0, 1), v: (0, 1)}), primitives.block((1, 1, 1)) | BALL(HALF), BALL(1) | BALL(1, (0, 1, 1)),
    CYLINDER(1, 1) | at(CYLINDER(HALF, 3), HALF, 0, 0), CYLINDER(1, 1) & ImplicitSurface(x**2 + y**2 - z, bounds=[(-2, 2)] * 3),
    # Without an end; cut off by the bounds of a leaf; with a hole that touches its outside.
    BALL(1) | primitives.half_space(), CYLINDER(20, 1) & primitives.half_space((0, 0, 1), HALF), BALL(1) - BALL(HALF, (0, 0, HALF)),
    CYLINDER(1, 2) - BALL(1, (0, 0, 1)),
])  # fmt: skip
def test_others_are_left_as_they_are(shape):
    assert turned_of(shape) is None


def test_it_is_told_whether_bounds_cut_off_a_sliver():
    ends = ImplicitSurface(z - 1, bounds=[(-1, 1), (-1, 1), (0, 2)]) & ImplicitSurface(-z, bounds=[(-1, 1), (-1, 1), (-1, 2)])
    for radius, exactly in ((0.1, True), (0.3, False)):
        # The double next to 1/10 is greater than that, and the one next to 3/10 is less.
        side = ImplicitSurface(x**2 + y**2 - sp.Rational(str(radius)) ** 2, bounds=[(-radius, radius)] * 2 + [(-1, 2)])
        assert turned_of(side & ends) is not None and turns_exactly(side & ends) is exactly


def test_certified_runs_see_faces_where_they_are_exact():
    pytest.importorskip("flint")
    from collide.world.certified.motion.body import CertifiedBody

    cut = ImplicitSurface(x**2 + y**2 - sp.Rational(9, 100), bounds=[(-0.3, 0.3), (-0.3, 0.3), (0, 1)]) & (
        ImplicitSurface(z - 1, bounds=[(-1, 1), (-1, 1), (0, 2)]) & ImplicitSurface(-z, bounds=[(-1, 1), (-1, 1), (-1, 2)]))
    for shape, exactly in ((CYLINDER(sp.Rational(3, 10), 1), True), (cut, False)):
        for fixed in (False, True):
            (actor,) = collide.World([collide.RigidBody(shape, fixed=fixed)])._actors()
            actor.begin(0.0)
            body = CertifiedBody(actor)
            assert body.shape is (actor.rigid.outline if exactly else shape)
            seen = body.seen(body.begun(0.0, np.zeros(3)), 0.0).moving.body
            assert type(seen) is type(body.shape)


def test_a_combined_cup_that_is_dropped_comes_to_rest():
    """On the rim of its base, which hits the floor ever lower on one side and the other; no point of it is ever in the floor."""
    floor = ParametricSurface([10 * u - 5, 10 * v - 5, 0], {u: (0, 1), v: (0, 1)})
    body = collide.RigidBody(CUP, position=(0, 0, 0.6), orientation=(1, 0.03, 0.01, 0))
    run = collide.World([body, collide.RigidBody(floor, fixed=True)], restitution=0.1, friction=0.4).run(until=1.0, budget=200.0)
    assert run.outcome is collide.Outcome.FINISHED
    times = np.linspace(0, 1, 5001)
    state = run.state(times)
    i, j = state.quaternions[:, 0, 1:3].T
    along = 1 - 2 * (i * i + j * j)
    low = [state.positions[:, 0, 2] + height * along - np.sqrt(np.maximum(1 - along * along, 0)) for height in (0, 1)]
    assert np.min(low) > -1e-9
    assert (np.diff(run.energy(times)) < 1e-9).all()
    assert state.positions[-1, 0, 2] == pytest.approx(0, abs=1e-9) and not state.velocities[-1].any()
