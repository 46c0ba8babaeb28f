"""Contacts of bodies of all kinds that share a motion, which turns fast: times and places in closed form, in space."""

import itertools

import numpy as np
import pytest
import sympy as sp

from collide import Mesh, Spell, contacts_during, first_contact
from generative import Chain, Parameter, ParametricSurface, Rigid, axis_angle, primitives, prismatic, revolute, solids, t, u, v

E, R = Parameter("e"), sp.Rational
PATCH = ParametricSurface([sp.cos(u) * sp.sin(v), sp.sin(u) * sp.sin(v), sp.cos(v)], {u: (0, 2 * sp.pi), v: (0, sp.pi)})
KINDS = {"implicit": primitives.ball(1), "solid": solids.sphere(1), "patch": PATCH}


def sliding(low, high, value, turn=9 * t):
    """Two unit balls on a turning arm; the way of the upper one, 3 and `value` above the lower one."""
    chain = Chain({"low": low, "high": high}, [
        revolute("turn", "base", "low", axis=(0, 3, 4), origin=Rigid(translation=[1, 0, 0])),
        prismatic("lift", "low", "high", origin=Rigid(translation=[0, 0, 3]))])
    return chain.at({"turn": turn, "lift": value}), chain.motions({"turn": turn, "lift": value})["low"]


@pytest.mark.parametrize("kinds", [*itertools.product(KINDS, KINDS)], ids=" and ".join)
def test_first_contact_is_told_in_space(kinds):
    bodies, frame = sliding(*(KINDS[kind] for kind in kinds), -t)
    found = first_contact(bodies, (0, 2))
    assert found.time[0] <= 1.0 + 1e-9 and found.time[1] >= 1.0 - 1e-9 and found.iterations < 5000
    want = [float(c) for c in frame.at(1).apply((0, 0, 1))]
    assert np.allclose(found.points[0], want, atol=1e-4)


@pytest.mark.parametrize("kinds", [("implicit", "solid"), ("patch", "implicit"), ("solid", "patch")], ids=" and ".join)
def test_the_worst_error_of_a_joint_is_found(kinds):
    """Both joints are off, the first one without an effect: 1 + e at best, 1/2, for e = -1/2."""
    bodies, _ = sliding(*(KINDS[kind] for kind in kinds), E - t, 9 * t + E)
    found = first_contact(bodies, (0, 2), parameters={E: (-0.5, 0.5)})
    lo, hi = found.time
    assert lo <= 0.5 + 1e-9 and hi >= 0.5 - 1e-9 and found.parameters[0][E].lo <= -0.5 <= found.parameters[0][E].hi
    assert found.unique.all() and found.iterations < 4000


def test_an_error_of_a_joint_that_both_share_changes_nothing():
    """1 + e at best, 1/2, whatever the other error is."""
    other = Parameter("f")
    bodies, _ = sliding(KINDS["solid"], KINDS["implicit"], E - t, 9 * t + other)
    found = first_contact(bodies, (0, 2), parameters={E: (-0.5, 0.5), other: (-0.25, 0.25)})
    assert found.time[0] <= 0.5 <= found.time[1] < 0.5 + 1e-9 and found.unique.all() and found.iterations < 4000
    assert found.parameters[0] == {E: (-0.5, -0.5), other: (-0.25, 0.25)} and "It does not depend on f." in found.notes


@pytest.mark.parametrize("kinds", [("solid", "solid"), ("patch", "implicit")], ids=" and ".join)
@pytest.mark.parametrize("wide", [False, True], ids=["a number", "a range"])
def test_one_rigid_that_carries_both_bodies_costs_nothing(kinds, wide):
    """At rest it takes less than a hundred boxes; in the world the ranges took 13,000 and more."""
    turn = Rigid(rotation=axis_angle((0, 3, 4), 9 * t + (E if wide else 0)), translation=[t**2, 0, 0])
    low, high = (KINDS[kind] for kind in kinds)
    bodies = [low.moved(turn), high.moved(Rigid(translation=[0, 0, 3 - t + (E if wide else 0)])).moved(turn)]
    found = first_contact(bodies, (0, 2), **({"parameters": {E: (-0.5, 0.5)}} if wide else {}))
    when = 0.5 if wide else 1.0
    assert found.time[0] - 1e-12 <= when <= found.time[1] + 1e-12 and found.unique.all() and found.iterations < 2000
    at = turn.at(R(when)).apply((0, 0, 1))
    assert np.allclose(found.points[0], [float(sp.sympify(c).subs(E, -0.5)) for c in at], atol=1e-4)


def test_spells_of_contact_are_those_at_rest():
    """In contact from 1 on; at 3 both are one ball, which is neither proved to be met nor to be missed."""
    bodies, _ = sliding(KINDS["solid"], KINDS["solid"], -t)
    found = contacts_during(bodies, (0, 4))
    kinds, ends = zip(*((s.kind, s.end) for s in found.of(0, 1)), strict=True)
    assert kinds == (Spell.SEPARATION, Spell.CONTACT, Spell.UNDECIDED, Spell.CONTACT)
    assert ends[0].lo <= 1 <= ends[0].hi <= ends[0].lo + 1e-6 and ends[1].lo <= 3 <= ends[2].hi and found.iterations < 20_000


def test_a_mesh_and_a_ball_meet():
    """The lower face of a cube comes to the top of the ball where 3 + value - 1/2 is 1."""
    corners = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
    sides = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7),
             (1, 7, 3)]
    bodies, _ = sliding(solids.sphere(1), Mesh(corners, np.array(sides)), -t)
    assert np.allclose(first_contact(bodies, (0, 2)).time, 1.5, atol=1e-6)
