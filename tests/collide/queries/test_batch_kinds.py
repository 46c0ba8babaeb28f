"""Rows of `contact_batch` for all kinds of bodies, against single calls with the numbers of the row, and against closed forms."""

import numpy as np
import pytest
import sympy as sp

import collide
from collide.answers.contacts import Status
from collide.queries.rows import _substituted
from generative import ImplicitSurface, Parameter, ParametricSurface, Rigid, Screw, difference, solids, t, u, v, x, y, z
from generative.fit import motion_through
from generative.primitives import ball, block
from generative.products import Product

from ..meshes import finer, icosahedron

RADIUS, HEIGHT, SPEED, SIDE = (Parameter(name) for name in ("radius", "height", "speed", "side"))
PLATE = ParametricSurface([u, v, 0], {u: (-2, 2), v: (-2, 2)})
FALL = Rigid(translation=[SIDE / 4, SIDE / 5, HEIGHT - SPEED * t])
BALL = ImplicitSurface(x**2 + y**2 + z**2 - RADIUS**2, [(-2 * RADIUS, 2 * RADIUS)] * 3)
PATCH = ParametricSurface([RADIUS * sp.cos(u) * sp.cos(v), RADIUS * sp.sin(u) * sp.cos(v), RADIUS * sp.sin(v)],
                          {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})
TIMES = np.linspace(0, 2, 7)
MESH = collide.Mesh(*finer(*icosahedron(), 1))
RECORDED = motion_through(TIMES, np.tile([1.0, 0, 0, 0], (7, 1)), np.stack([0 * TIMES, np.sin(TIMES) / 9, 2.5 - TIMES], 1)).value
ROWS = 6


def values(*symbols, seed=3):
    rng = np.random.default_rng(seed)
    drawn = {RADIUS: rng.uniform(0.2, 0.6, ROWS), HEIGHT: rng.uniform(1.7, 3.0, ROWS), SPEED: rng.uniform(0.5, 1.5, ROWS),
             SIDE: rng.uniform(-1, 1, ROWS)}  # fmt: skip
    return {s: drawn[s] for s in symbols}


KINDS = {
    "implicit on a patch": ([PLATE, BALL.moved(FALL)], (RADIUS, HEIGHT, SPEED, SIDE)),
    "implicit on implicit": ([ball(1), BALL.moved(FALL)], (RADIUS, HEIGHT, SPEED, SIDE)),
    "a combination": ([block((2, 2, 1)), difference(BALL, ball(sp.Rational(1, 10), (0, 0, sp.Rational(1, 2)))).moved(FALL)],
                      (RADIUS, HEIGHT, SPEED, SIDE)),
    "a solid that moves": ([PLATE, solids.capsule(sp.Rational(1, 4), 1).moved(FALL @ Screw([1, 0, 0], angle=RADIUS * t))],
                           (RADIUS, HEIGHT, SPEED, SIDE)),
    "solids of many sizes": ([PLATE, solids.capsule(RADIUS, 1).moved(FALL)], (RADIUS, HEIGHT, SPEED, SIDE)),
    "products": ([PLATE.moved(Product(Rigid(translation=[0, 0, SIDE / 8 - t / 9]))),
                  PATCH.moved(Product(Rigid(translation=[0, 0, HEIGHT]), Rigid(translation=[SIDE / 9, 0, -SPEED * t])))],
                 (RADIUS, HEIGHT, SPEED, SIDE)),
    "recorded": ([PLATE, PATCH.moved(RECORDED)], (RADIUS,)),
    "recorded, implicit": ([PLATE, BALL.moved(RECORDED)], (RADIUS,)),
    "a mesh that falls": ([PLATE, MESH.moved(FALL @ Screw([0, 1, 0], angle=RADIUS * t))], (RADIUS, HEIGHT, SPEED, SIDE)),
    "a patch on a mesh": ([MESH, PATCH.moved(FALL)], (RADIUS, HEIGHT, SPEED, SIDE)),
    "implicit on a mesh": ([MESH, BALL.moved(FALL)], (RADIUS, HEIGHT, SPEED, SIDE)),
    "a mesh on a mesh": ([MESH, collide.Mesh(*icosahedron()).moved(FALL @ Screw([0, 1, 0], angle=RADIUS * t))],
                         (RADIUS, HEIGHT, SPEED, SIDE)),
    "a recorded mesh": ([MESH.moved(RECORDED), PATCH], (RADIUS,)),
    "four bodies": ([PLATE, PATCH.moved(FALL), BALL.moved(Rigid(translation=[SIDE + 1, 1, HEIGHT / 2 + 1 - t])),
                     ball(sp.Rational(1, 4), (-1, -1, sp.Rational(1, 3)))], (RADIUS, HEIGHT, SPEED, SIDE)),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_answered_as_single_calls_are(kind):
    bodies, symbols = KINDS[kind]
    given = values(*symbols)
    r = collide.contact_batch(bodies, (0, 2), parameters=given)
    assert r.hit.any() and r.pairs.shape == r.faces.shape == (ROWS, 2) and r.points.shape == (ROWS, 3)
    for k in range(ROWS):
        own = {s: sp.Rational(float(array[k])) for s, array in given.items()}
        single = collide.first_contact([_substituted(b, own) for b in bodies], (0, 2))
        assert single.status is r.status[k], f"row {k}: {single!r}"
        if single.time is None:
            assert (r.pairs[k] == -1).all() and np.isnan(r.points[k]).all()
            continue
        assert single.time[0] <= r.time[k, 1] and r.time[k, 0] <= single.time[1] and np.ptp(r.time[k]) <= 1e-6
        assert r.pairs[k].tolist() in single.pairs.tolist()
        assert np.linalg.norm(single.points - r.points[k], axis=1).min() < 0.06


def test_on_a_mesh_a_face_is_a_triangle():
    for body in (PATCH, BALL):
        r = collide.contact_batch([MESH, body.moved(FALL)], (0, 2), parameters=values(RADIUS, HEIGHT, SPEED, SIDE))
        for k in np.flatnonzero(r.hit):
            a, b, c = MESH.vertices[MESH.triangles[r.faces[k, 0]], :3]
            u1, v1 = r.parameters[k, :2]
            np.testing.assert_allclose(a + u1 * (b - a) + u1 * v1 * (c - b), r.points[k], atol=1e-5)
        assert r.hit.any()


def test_a_mesh_that_meets_another_body_at_the_start_meets_it_then():
    radius, side = {RADIUS: [0.5, 0.5]}, {SIDE: [0.75, 3.0]}
    for body, given in ((PATCH, radius | side), (BALL, radius | side), (collide.Mesh(*icosahedron()), side)):
        r = collide.contact_batch([MESH, body.moved(Rigid(translation=[SIDE - t / 9, 0, 0]))], (0, 1), parameters=given)
        assert r.status.tolist() == [Status.CONTACT, Status.NO_CONTACT] and r.time[0, 1] <= 1e-6 and r.proved[0]


def test_falling_balls_meet_a_plane_when_a_quotient_says():
    given = values(RADIUS, HEIGHT, SPEED, SIDE, seed=8)
    for bodies in ([PLATE, BALL.moved(FALL)], [PLATE, PATCH.moved(FALL), ball(1, (9, 0, 0))]):
        r = collide.contact_batch(bodies, (0, 2), parameters=given)
        for k in range(ROWS):
            radius, height, speed = (sp.Rational(float(given[s][k])) for s in (RADIUS, HEIGHT, SPEED))
            exact = (height - radius) / speed
            assert r.hit[k] == (exact <= 2)
            if r.hit[k]:
                assert sp.Rational(r.time[k, 0]) <= exact <= sp.Rational(r.time[k, 1]) and r.pairs[k].tolist() == [0, 1]


def test_implicit_bodies_that_meet_at_the_start_meet_then():
    """Before the search for tangent contacts, which would pass over surfaces that cross already."""
    r = collide.contact_batch([ball(1), BALL.moved(Rigid(translation=[SIDE - t / 9, 0, 0]))], (0, 2),
                              parameters={RADIUS: [0.5] * 4, SIDE: [1.25, 0.25, 3.0, 1.5625]})
    assert r.status.tolist() == [Status.CONTACT, Status.NO_CONTACT, Status.NO_CONTACT, Status.CONTACT]
    assert r.time[0].tolist() == [0, 0] and r.time[3, 0] <= 0.5625 <= r.time[3, 1]


def test_products_of_one_formula_and_other_numbers_are_no_common_motion():
    """Two arms of one formula, whose rates and angles are parameters: seen from a frame that moved with one, the other would stand still.

    Balls of radius 1/4 on a circle of radius 1, one 1/4 higher, meet where the chord of the angle between them is sqrt(3)/4.
    """
    names = [(Parameter(f"rate{k}"), Parameter(f"angle{k}")) for k in range(2)]
    small = ParametricSurface([e.xreplace({RADIUS: sp.Rational(1, 4)}) for e in PATCH.body], PATCH.domain)
    bodies = [small.moved(Product(Screw([0, 0, 1], angle=rate * t + angle), Rigid(translation=[1, 0, sp.Rational(k, 4)])))
              for k, (rate, angle) in enumerate(names)] + [ball(1, (9, 0, 0))]
    given = {names[0][0]: [1.0, 1.0], names[0][1]: [0.0, 0.0], names[1][0]: [-1.0, 1.0], names[1][1]: [2.0, 2.0]}
    r, exact = collide.contact_batch(bodies, (0, 4), parameters=given), 1 - np.arcsin(np.sqrt(3) / 8)
    assert r.hit.tolist() == [True, False] and r.time[0, 0] <= exact <= r.time[0, 1]


def test_pairs_that_are_ignored_do_not_meet_in_any_row():
    bodies = [PLATE.named("plate"), BALL.moved(FALL), ball(1, (0, 0, -1))]
    r = collide.contact_batch(bodies, (0, 2), parameters=values(RADIUS, HEIGHT, SPEED, SIDE), ignore=[(0, 1), ("plate", 2)])
    assert all(r.pairs[k].tolist() == [1, 2] for k in np.flatnonzero(r.hit)) and r.hit.any()


@pytest.mark.parametrize("budget", [collide.Budget(seconds=1e-9), collide.Budget(boxes=1)])
def test_rows_that_the_budget_does_not_reach_say_so(budget):
    bodies, symbols = KINDS["a combination"]
    r = collide.contact_batch(bodies, (0, 2), parameters=values(*symbols), budget=budget)
    assert r.status[-1] is Status.BUDGET_SPENT and (r.time[-1] == [0, 2]).all() and not r.proved[-1]


def test_rows_of_other_bodies_are_refused_alike():
    with pytest.raises(ValueError, match="the range of x of body 1 is empty or reversed in row 1"):
        collide.contact_batch([PLATE, BALL.moved(FALL)], (0, 2), parameters=values(HEIGHT, SPEED, SIDE) | {RADIUS: [1.0, -1.0] * 3})
    turned = ball().moved(Screw([SIDE, 0, 0], angle=t))
    with pytest.raises(ValueError, match="body 1 has no position in row 1"):
        collide.contact_batch([PLATE, turned], (0, 2), parameters={SIDE: [1.0, 0.0]})
    with pytest.raises(ValueError, match="row 1: "):
        collide.contact_batch([PLATE, solids.capsule(RADIUS, 1).moved(FALL)], (0, 2),
                              parameters=values(HEIGHT, SPEED, SIDE) | {RADIUS: [1.0, 0.0] * 3})
