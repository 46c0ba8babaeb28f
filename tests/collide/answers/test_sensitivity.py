"""Derivatives of contacts by parameters. The referee is a closed form, in exact or 40-digit arithmetic."""

import mpmath
import numpy as np
import pytest
import sympy as sp

import collide
from generative import ImplicitSurface, Parameter, ParametricSurface, Rigid, t, u, v, x, y, z

R = sp.Rational
H, RHO, SPEED, A, B, X, Y = (Parameter(name) for name in ("h", "rho", "s", "a1", "b2", "x", "y"))
SPHERE = {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)}
TORUS = ParametricSurface([(1 + R(3, 10) * sp.cos(v)) * sp.cos(u), (1 + R(3, 10) * sp.cos(v)) * sp.sin(u), R(3, 10) * sp.sin(v)],
                          {u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)})  # fmt: skip


def ball(r, at=(0, 0, 0)):
    shape = [r * sp.cos(u) * sp.cos(v), r * sp.sin(u) * sp.cos(v), r * sp.sin(v)]
    return ParametricSurface(shape, SPHERE).moved(Rigid(translation=at))


def implicit_ball(r, at=(0, 0, 0)):
    return ImplicitSurface(x**2 + y**2 + z**2 - r**2, bounds=[(-2, 2)] * 3).moved(Rigid(translation=at))


def encloses(found, exact, width=1e-9):
    found, exact = np.asarray(found).reshape(-1, 2), [*exact]
    assert len(found) == len(exact)
    for (lo, hi), value in zip(found.tolist(), exact, strict=True):
        assert lo <= value <= hi and hi - lo < width, (lo, hi, value)


@pytest.mark.parametrize("order", [1, -1])
def test_ball_on_torus(order):
    """t* = (h - 3/10 - rho) / s."""
    h, rho, s = R(2), R(2, 5), R(5, 4)
    bodies = [ball(RHO, [1, 0, H - SPEED * t]), TORUS][::order]
    c = collide.first_contact(bodies, (0, 4), parameters={H: h, RHO: rho, SPEED: s})
    found = c.sensitivity([H, RHO, SPEED])
    encloses(found.time, [1 / s, -1 / s, -(h - R(3, 10) - rho) / s**2])
    # It comes straight down on the top of the torus.
    encloses(found.points, [0] * 9)


def contact_of_balls(a, b, far, off, speed):
    """When and where a ball that flies along -x meets one at the origin, mpmath numbers."""
    reach = a + b
    time = (far - mpmath.sqrt(reach**2 - off**2)) / speed
    centre = far - speed * time
    return time, b * centre / reach, b * off / reach, mpmath.mpf(0)


@pytest.mark.parametrize("make", [(ball, ball), (implicit_ball, ball), (ball, implicit_ball), (implicit_ball, implicit_ball)])
def test_balls_against_forty_digits(make):
    rng = np.random.default_rng(3)
    names = A, B, X, Y, SPEED
    for _ in range(4):
        values = [float(e) for e in (rng.uniform(.3, 1), rng.uniform(.3, 1), rng.uniform(2.5, 4), rng.uniform(.05, .5), rng.uniform(.5, 2))]
        bodies = [make[0](A, [X - SPEED * t, Y, 0]), make[1](B)]
        c = collide.first_contact(bodies, (0, 10), parameters=dict(zip(names, values, strict=True)))
        found = c.sensitivity(names)
        assert c.unique.tolist() == [True]
        with mpmath.workdps(40):
            exact = [[mpmath.diff(lambda *p, k=k: contact_of_balls(*p)[k], tuple(map(mpmath.mpf, values)),
                                  tuple(int(i == j) for i in range(5))) for j in range(5)] for k in range(4)]  # fmt: skip
            encloses(found.time, exact[0], 1e-7)
            encloses(found.points, [e for row in exact[1:] for e in row], 1e-7)


def test_corners_and_edges():
    """The corner of a tilted plate, whose size is a parameter, comes down on a plate; and an edge on the edge of another."""
    plate = ParametricSurface([u, v, 0], {u: (-3, 3), v: (-3, 3)})
    tilted = ParametricSurface([u, v, u / 2 + v / 3], {u: (-A, A), v: (-A, A)}).moved(Rigid(translation=[0, 0, H - t]))
    c = collide.first_contact([tilted, plate], (0, 4), parameters={A: 1, H: 2})
    assert c.features == [("vertex 0", "face 0")]
    found = c.sensitivity([H, A])
    encloses(found.time, [1, -R(5, 6)])
    encloses(found.points, [0, -1, 0, -1, 0, 0])
    # The lower edge y = 0, z = u/2 of one upright plate falls on the upper edge x = a, z = 0 of another.
    falling = ParametricSurface([u, 0, v + u / 2], {u: (-1, 1), v: (0, 1)}).moved(Rigid(translation=[0, 0, H - t]))
    standing = ParametricSurface([A, u, v + u / 2], {u: (-1, 1), v: (-1, 0)})
    c = collide.first_contact([falling, standing], (0, 4), parameters={A: R(1, 4), H: 2})
    found = c.sensitivity([H, A])
    assert all(f.startswith("edge") for f in c.features[0])
    encloses(found.time, [1, R(1, 2)])
    encloses(found.points, [0, 1, 0, 0, 0, 0])


def test_several_contacts_and_one_parameter():
    c = collide.first_contact([ball(R(1, 2), [1, 0, H - t]), ball(R(1, 2), [-1, 0, H - t]), TORUS], (0, 4), parameters={H: 2})
    found = c.sensitivity(H)
    assert found.time.shape == (2, 1, 2) and found.points.shape == (2, 3, 1, 2)
    encloses(found.time, [1, 1])
    assert "dt/dp" in found._repr_html_()


def test_curves_have_none():
    c = collide.first_contact([TORUS.moved(Rigid(translation=[0, 0, H - t])), TORUS], (0, 4), parameters={H: 2}, spacing=0.5,
                              simultaneity=1e-3)  # fmt: skip
    found = c.sensitivity([H])
    assert len(c) > 1 and np.isnan(found.time).all() and np.isnan(found.points).all()


def test_grazes_have_none():
    """At closest approach the balls touch, and part again: dt/dp is infinite."""
    c = collide.first_contact([ball(R(1, 2), [2 - SPEED * t, 1, 0]), ball(R(1, 2))], (0, 4), parameters={SPEED: 1})
    assert np.isnan(c.sensitivity([SPEED]).time).all()


def test_kinks_have_none():
    """A kink of the motion just at the contact."""
    c = collide.first_contact([ball(R(1, 2), [0, 0, H - sp.Max(t, 2 * t - 1)]), ball(R(1, 2))], (0, 4), parameters={H: 2})
    assert np.isnan(c.sensitivity([H]).time).all()


def test_what_is_refused():
    bodies = [ball(RHO, [1, 0, H - t]), TORUS]
    with pytest.raises(ValueError, match="rho, for which no numbers"):
        collide.first_contact(bodies, (0, 4), parameters={H: 2})
    with pytest.raises(ValueError, match="no formula of the bodies has the parameter a1"):
        collide.first_contact(bodies, (0, 4), parameters={H: 2, RHO: 1, A: 1})
    with pytest.raises(TypeError, match="dictionary"):
        collide.first_contact(bodies, (0, 4), parameters=[1])
    with pytest.raises(TypeError, match="Parameter symbols"):
        collide.first_contact(bodies, (0, 4), parameters={"h": 1})
    with pytest.raises(ValueError, match="finite and real"):
        collide.first_contact(bodies, (0, 4), parameters={H: 2, RHO: float("nan")})
    c = collide.first_contact(bodies, (0, 4), parameters={H: 2, RHO: R(1, 2)})
    with pytest.raises(ValueError, match="parameters that first_contact was given, got a1"):
        c.sensitivity([A])
    with pytest.raises(ValueError, match="without parameters"):
        collide.first_contact([ball(1, [0, 0, 4 - t]), ball(1)], (0, 4)).sensitivity([A])


@pytest.mark.parametrize("shift", [sp.Piecewise((H, H <= 0), (2 * H, True)), sp.Piecewise((H, H < 0), (2 * H, True)), sp.Abs(H)])
def test_no_derivative_at_a_switch(shift):
    """The time is 2 + h for h < 0 and 2 + 2 h for h > 0, from some number on, and |h|: at 0 there is no derivative."""
    bodies = [ball(1, [0, 0, 4 - t + shift]), ball(1, [R(1, 4), 0, 0])]
    known = {value: collide.first_contact(bodies, (0, 3), parameters={H: value}) for value in (0, -R(1, 2))}
    assert known[0].unique.all() and len(known[0]) == 1
    assert np.isnan(known[0].sensitivity(H).time).all() and np.isnan(known[0].sensitivity(H).points).all()
    encloses(known[-R(1, 2)].sensitivity(H).time, [-1 if isinstance(shift, sp.Abs) else 1])
