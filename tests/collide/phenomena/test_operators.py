"""Shapes that contain integrals and inverse functions collide like any other."""

import sympy as sp

import collide
from codegen.operators import DefiniteIntegral, Inverse
from generative import ParametricSurface, Rigid, curve, primitives, sweep, t, u, v, x

HALF = sp.Rational(1, 2)


def test_a_ball_falls_on_a_tube_along_a_path_by_arc_length() -> None:
    """The path passes (1/2, 1/4, 0), above which the ball of radius 1/4 starts at height 1: contact at t = 1/2."""
    path = curve.polynomial([[0, 0, 0], [1, 0, 0], [0, 1, 0]]).by_arc_length((0, 1))
    tube = sweep.sweep(curve.circle(HALF / 2), path)
    ball = primitives.ball(HALF / 2, (HALF, HALF / 2, 1)).moved(Rigid(translation=[0, 0, -t]))
    contacts = collide.first_contact([tube, ball], time=(0, 1))
    assert contacts.status is collide.Status.CONTACT and contacts.proved.all() and len(contacts.points) == 1
    assert contacts.time.lo <= 0.5 <= contacts.time.hi and contacts.time.hi - contacts.time.lo < 1e-9


def test_a_swept_quantity_has_its_root_where_the_antiderivative_says_so() -> None:
    """How far something has gone at the rate s cos s, and when it has gone 1/4; and the same through the inverse."""
    s = sp.Symbol("s", real=True)
    gone = DefiniteIntegral(s * sp.cos(s), s, 0, t)
    exact = sp.nsolve(t * sp.sin(t) + sp.cos(t) - 1 - sp.Rational(1, 4), t, 0.7, prec=30)
    found = collide.solve([gone - sp.Rational(1, 4)], {t: (0, 1)})
    assert found.proved.tolist() == [True] and found.boxes[0, 0, 0] <= exact <= found.boxes[0, 0, 1]
    found = collide.solve([Inverse(gone, t, x, sp.Rational(1, 8), 1) - sp.Rational(float(exact))], {x: (0.1, 0.3)})
    assert found.proved.tolist() == [True] and abs(found.boxes[0, 0] - 0.25).max() < 1e-9


def test_the_integral_of_a_jump_has_a_kink() -> None:
    """A bowl comes down on the valley z = |x - 3/10|. It touches it where x = 9/20 + u/10 and 3 u / 5 = 1/10, at the time
    1 + 3 u^2 / 10 - x + 3/10.
    """
    s, tenth = sp.Symbol("s", real=True), sp.Rational(1, 10)
    valley = ParametricSurface([u, v, DefiniteIntegral(sp.sign(s), s, 0, u - 3 * tenth, 4)], {u: (-1, 1), v: (-1, 1)})
    bowl = ParametricSurface([9 * HALF * tenth + u * tenth, v * tenth, 1 - t + 3 * tenth * u**2 + v**2 / 3], {u: (-1, 1), v: (-1, 1)})
    contacts = collide.first_contact([valley, bowl], time=(0, 2), budget=collide.Budget(boxes=3000))
    assert 0.8 < contacts.clear_until <= 1 + 0.3 / 36 - 0.45 - 0.1 / 6 + 0.3
