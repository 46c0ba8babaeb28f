"""Closed chains in every query, against closed forms: a slider-crank beside a stop, and a four-bar's coupler point beside a ball."""

import mpmath
import numpy as np
import sympy as sp

import collide
from generative import Chain, Parameter, Rigid, loops, primitives, prismatic, revolute, t

R = sp.Rational


def engine():
    """Crank 1, rod 3, and a piston that is a ball of radius 1/4."""
    joints = [revolute("turn", "frame", "crank"), revolute("wrist", "crank", "rod", origin=Rigid(translation=[1, 0, 0])),
              prismatic("slide", "frame", "piston", axis=(1, 0, 0))]
    near = {"turn": 0, "wrist": 0, "slide": 4}
    loop = loops.loop(loops.pin("rod", (3, 0, 0), "piston", (0, 0, 0)), driver="turn", near=near, span=(0, 9))
    return Chain({"piston": primitives.ball(R(1, 4))}, joints, loops=[loop])


STOP = primitives.ball(R(1, 4)).moved(Rigid(translation=[R(17, 4), 0, 0]))


def angle(place):
    """The crank angle, 0 to pi, at which the piston is there (law of cosines)."""
    return float(mpmath.acos((1 + mpmath.mpf(place) ** 2 - 9) / (2 * mpmath.mpf(place))))


def holds(bracket, true, wide=1e-9):
    return bracket[0] - 1e-12 <= true <= bracket[1] + 1e-12 and bracket[1] - bracket[0] < wide


def test_a_piston_meets_its_stop_when_the_closed_form_says_so():
    (piston,) = engine().at({"turn": 2 + t})
    contacts = collide.first_contact([piston, STOP], time=(0, 6))
    assert contacts.status is collide.Status.CONTACT and contacts.proved.all()
    assert holds(contacts.time, 2 * np.pi - angle(3.75) - 2) and np.allclose(contacts.points, [[4, 0, 0]], atol=1e-8)
    spell = collide.contacts_during([piston, STOP], time=(0, 6)).of(0, 1)[1]
    assert spell.kind is collide.Spell.CONTACT
    assert holds(spell.begin, 2 * np.pi - angle(3.75) - 2, 1e-6) and holds(spell.end, 2 * np.pi + angle(3.75) - 2, 1e-6)


def test_distances_of_a_piston():
    (piston,) = engine().at({"turn": 2 + t})
    apart = np.cos(2) + np.sqrt(9 - np.sin(2) ** 2)
    assert holds(collide.distance(piston, STOP, at=0).bracket, 17 / 4 - apart - 1 / 2)
    near = collide.clearance([piston, STOP], time=(1, 2))
    assert holds(near.bracket, 17 / 4 - 1 / 2 - (np.cos(4) + np.sqrt(9 - np.sin(4) ** 2)), 1e-8)
    assert collide.clearance([piston, STOP], time=(0, 2), at_least=R(1, 2)).verdict is True


def test_cranks_of_many_speeds():
    """Rows of a batch: the time is that of the angle, divided by the speed."""
    speed = Parameter("speed")
    (piston,) = engine().at({"turn": 2 + speed * t})
    rates = np.array([0.8, 1.0, 1.25])
    batch = collide.contact_batch([piston, STOP], time=(0, 5), parameters={speed: rates})
    true = (2 * np.pi - angle(3.75) - 2) / rates
    assert (batch.time[:, 0] <= true + 1e-12).all() and (true - 1e-12 <= batch.time[:, 1]).all()


def test_a_coupler_point_of_a_four_bar_meets_a_ball():
    """A parallelogram carries its coupler round without turning it: the point of the coupler goes along a circle of radius 1."""
    joints = [revolute("crank", "ground", "A"), revolute("coupler", "A", "B", origin=Rigid(translation=[1, 0, 0])),
              revolute("rocker", "ground", "C", origin=Rigid(translation=[3, 0, 0]))]
    loop = loops.loop(loops.pin("B", (3, 0, 0), "C", (1, 0, 0)), driver="crank", near={"crank": 1, "coupler": -1, "rocker": 1},
                      span=(R(1, 4), 3))
    bar = Chain({"B": primitives.ball(R(1, 10), (1, 1, 0))}, joints, loops=[loop])
    (marker,) = bar.at({"crank": 1 + t})
    # The marker's centre is (1 + cos, 1 + sin); a ball of radius 9/10 round (0, 1, 0) is met where its distance is 1.
    contacts = collide.first_contact([marker, primitives.ball(R(9, 10), (0, 1, 0))], time=(0, R(3, 2)))
    assert contacts.status is collide.Status.CONTACT and holds(contacts.time, 2 * np.pi / 3 - 1)
