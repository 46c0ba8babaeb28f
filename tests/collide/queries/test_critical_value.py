"""The least value of a parameter for which bodies meet: closed forms, and calls at sampled numbers below and above it."""

import numpy as np
import pytest
import sympy as sp

import collide
from codegen.deadline import TimeUp
from collide.answers.contacts import Status
from generative import ImplicitSurface, Parameter, ParametricSurface, Rigid, t, u, v, x, y, z
from models.scenes import SCENES

R = sp.Rational
P, Q = Parameter("r1"), Parameter("q")
SPHERE = {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)}


def ball(r, at=(0, 0, 0)):
    return ParametricSurface([r * sp.cos(u) * sp.cos(v), r * sp.sin(u) * sp.cos(v), r * sp.sin(v)], SPHERE).moved(Rigid(translation=at))


def implicit_ball(r, at=(0, 0, 0)):
    return ImplicitSurface(x**2 + y**2 + z**2 - r**2, bounds=[(-2, 2)] * 3).moved(Rigid(translation=at))


def torus(r=R(3, 10)):
    ring = 1 + r * sp.cos(v)
    return ParametricSurface([ring * sp.cos(u), ring * sp.sin(u), r * sp.sin(v)], {u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)})


def holds(found, value, width=1e-9):
    assert found.status is Status.CONTACT
    assert found.bracket[0] <= value <= found.bracket[1] and found.bracket[1] - found.bracket[0] < width


def test_the_largest_ball_that_falls_through_a_ring():
    """The scene ball-through-ring: the gap is R - r = 7/10, along a whole circle."""
    scene = SCENES["ball-through-ring"]
    fall = scene.bodies[0].motion
    found = collide.critical_value([ball(P).moved(fall), scene.bodies[1]], scene.time, {P: (R(1, 10), 1)}, spacing=0.5)
    holds(found, R(7, 10), 2e-6)
    assert len(found.points) > 1 and not found.unique.any() and np.abs(np.hypot(*found.points[:, :2].T) - 0.7).max() < 1e-3


@pytest.mark.parametrize("order", [1, -1])
def test_beside_the_axis_it_is_one_point(order):
    found = collide.critical_value([ball(P, [R(1, 10), 0, 2 - t]), torus()][::order], (0, 4), {P: (R(1, 10), 1)})
    holds(found, R(3, 5))
    assert found.unique.tolist() == [True] and found.time[0] <= 2 <= found.time[1]
    assert np.abs(found.points - [0.7, 0, 0]).max() < 1e-8 and "proved not to" in found.summary() and "edge" not in found._repr_html_()


def test_a_flight_past_a_ball():
    """The centres are 1 apart at the nearest."""
    for make in (ball, implicit_ball):
        found = collide.critical_value([make(P, [2 - t, 1, 0]), ball(R(1, 2))], (0, 4), {P: (R(1, 10), 1)})
        holds(found, R(1, 2))
        assert found.time[0] <= 2 <= found.time[1]


def test_a_limit_of_speed():
    """It is reached just as the time ends: a least value at an end of the time."""
    found = collide.critical_value([ball(R(1, 2), [2 - Q * t, R(1, 5), 0]), ball(R(1, 2))], (0, 1), {Q: (R(1, 10), 3)})
    holds(found, 2 - sp.sqrt(1 - R(1, 25)))
    assert found.times[0, 0] <= 1 <= found.times[0, 1] + 1e-12


def test_ends_of_domains():
    """How long may a strip be that passes below a roof? It hits with its edge."""
    strip = ParametricSurface([v, t / 10, u], {u: (0, Q), v: (-1, 1)})
    roof = ParametricSurface([u, v, 2 + (v - R(1, 20))**2], {u: (-3, 3), v: (-2, 2)})
    holds(collide.critical_value([strip, roof], (0, 1), {Q: (R(3, 2), R(5, 2))}, tolerance=1e-4, spacing=0.5), 2, 2e-4)


def test_none_and_all():
    pair = [ball(P, [2 - t, 3, 0]), ball(R(1, 2))]
    found = collide.critical_value(pair, (0, 4), {P: (R(1, 10), 1)})
    assert found.status is Status.NO_CONTACT and found.time is None and found.points.shape == (0, 3)
    assert "proved not to meet" in found.summary()
    found = collide.critical_value([ball(P, [2 - t, 1, 0]), ball(R(1, 2))], (0, 4), {P: (R(3, 5), R(4, 5))}, spacing=1.0)
    holds(found, R(3, 5), 1e-5)


def test_never_before_the_bracket():
    rng = np.random.default_rng(2)
    for _ in range(3):
        off, high = (R(float(e)) for e in rng.uniform(-.2, .2, 2))
        bodies = [ball(P, [off, high + t / 3, 2 - t]), torus(R(1, 4))]
        found = collide.critical_value(bodies, (0, 4), {P: (R(1, 10), 1)})
        assert found.status is Status.CONTACT and found.bracket[1] - found.bracket[0] < 1e-5
        for value in [*rng.uniform(0.1, found.bracket[0], 3), found.bracket[0] - 1e-6]:
            assert collide.first_contact(bodies, (0, 4), parameters={P: float(value)}).status is Status.NO_CONTACT
        assert collide.first_contact(bodies, (0, 4), parameters={P: found.bracket[1] + 1e-6}).status is Status.CONTACT


def test_a_spent_budget_says_what_is_proved():
    found = collide.critical_value([ball(P, [0, 0, 2 - t]), torus()], (0, 4), {P: (R(1, 10), 1)}, budget=collide.Budget(boxes=1))
    assert found.status in (Status.BUDGET_SPENT, Status.CONTACT) and 0.0999 <= found.bracket[0] <= 0.7 <= found.bracket[1]
    assert found.status is Status.CONTACT or ("limit of boxes, 1" in found.notes[0] and "budget was spent" in found.summary())


def test_what_is_refused():
    pair = [ball(P, [2 - t, Q, 0]), ball(R(1, 2))]
    for given, message in (({P: (1, 2), Q: 1}, "one parameter"), ({P: (0, 1)}, "contain the parameter q"), ({P: 1, Q: 1}, "one parameter")):
        with pytest.raises(ValueError, match=message):
            collide.critical_value(pair, (0, 4), given)
    with pytest.raises(ValueError, match="vanishes everywhere"):
        collide.critical_value([ball(P, [2 - t, 1, 0]), ball(1)], (0, 4), {P: (0, 1)})
    with pytest.raises(ValueError, match="from less to more"):
        collide.critical_value([ball(P, [2 - t, 1, 0]), ball(1)], (0, 4), {P: (2, 1)})
    mesh = collide.Mesh(np.eye(3), [[0, 1, 2]])
    with pytest.raises(TypeError, match="self_contact takes no Mesh: a rigid one does not fold"):
        collide.self_contact(mesh, (0, 1))
    with pytest.raises(TypeError, match="critical_value takes no Mesh, as body 1 is"):
        collide.critical_value([ball(P, [2 - t, 1, 0]), mesh], (0, 4), {P: (1, 2)})
    with pytest.raises(TypeError, match="with ranges of parameters takes no Mesh, as body 1 is"):
        collide.first_contact([ball(P, [2 - t, 1, 0]), mesh], (0, 4), parameters={P: (1, 2)})


def test_time_that_ends_before_the_search_is_an_answer(monkeypatch):
    def late(*_):
        raise TimeUp

    monkeypatch.setattr("collide.queries.critical_value.check_ranges", late)
    found = collide.critical_value([ball(P), ball(R(1, 2), (0, 0, 2))], (0, 1), {P: (1, 2)})
    assert found.status is Status.BUDGET_SPENT and found.bracket == (1.0, 2.0)
