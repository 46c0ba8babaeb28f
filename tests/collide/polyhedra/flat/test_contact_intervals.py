"""Spells of contact of bodies of flat faces: in closed form, and against `touch` at single moments, which is exact in another way."""

import math

import numpy as np
import pytest
import sympy as sp

import collide
from collide import Spell, TouchStatus
from collide.bodies.flat import flat_of
from collide.polyhedra.exact.real_roots import Root, rational, roots
from generative import ParametricSurface, Rigid, Screw, axis_angle, t, u, v
from generative.polyhedron import brick

Q = sp.Rational
HERE = Rigid()
TURNING = Rigid(rotation=axis_angle([1, 2, 3], Q(7, 10) + t / 3), translation=[t, 0, t**2])
APART, MEET = Spell.SEPARATION, Spell.CONTACT


def to(*shift):
    return Rigid(translation=shift)


# The first body moves by this, seen from the second, a cube; when spells of contact begin and end, from t = 0 to 4.
CUBE, BAR = brick([1, 1, 1]), brick([4, Q(1, 4), Q(1, 4)])
CASES = {
    "slides off": (CUBE, to(t, 0, 1), [(0, 1)]),
    "on, along and off": (CUBE, to(t - 2, 1, Q(1, 2)), [(1, 3)]),
    "lands at the end": (CUBE, to(0, 0, 5 - t), [(4, 4)]),
    "parts at once, and comes back": (CUBE, to(0, 0, 1 + t * (2 - t)), [(0, 0), (2, 1 + math.sqrt(3))]),
    "touches a moment": (CUBE, to(0, 0, 1 + (t - Q(1, 3)) ** 2), [(1 / 3, 1 / 3)]),
    "a hair beside": (CUBE, to(t - 2, 1 + Q(1, 10**25), 0), []),
    "a bar turns through": (BAR, to(0, Q(3, 2), 0) @ Screw([0, 0, 1], angle=sp.pi * t / 2), [(None, None), (None, None)]),
    "turns in a plane": (CUBE, Screw([0, 0, 1], point=[1, 0, 0], angle=sp.pi * t) @ to(0, 0, 1),
                         [(0, Q(1, 2)), (Q(3, 2), Q(5, 2)), (Q(7, 2), 4)]),
}  # fmt: skip


@pytest.mark.parametrize("frame", [HERE, TURNING], ids=["here", "turning"])
@pytest.mark.parametrize("name", CASES)
def test_spells_in_closed_form(name, frame):
    first, motion, known = CASES[name]
    answer = collide.contacts_during([first.moved(frame @ motion), CUBE.moved(frame)], (0, 4))
    assert answer.status is (collide.Status.CONTACT if known else collide.Status.NO_CONTACT)
    found = [s for s in answer.of(0, 1) if s.kind is MEET]
    assert len(found) == len(known) and all(s.kind is not Spell.UNDECIDED for s in answer.of(0, 1))
    for stretch, ends in zip(found, known, strict=True):
        for bracket, moment in zip((stretch.begin, stretch.end), ends, strict=True):
            assert bracket.hi - bracket.lo <= math.ulp(bracket.hi)
            assert moment is None or bracket.lo <= float(moment) <= bracket.hi or sp.N(moment - Q(bracket.lo), 30) < 1e-15


TURNS = [HERE, Rigid(rotation=[[Q(3, 5), Q(-4, 5), 0], [Q(4, 5), Q(3, 5), 0], [0, 0, 1]]),
         Rigid(rotation=[[1, 0, 0], [0, Q(3, 5), Q(-4, 5)], [0, Q(4, 5), Q(3, 5)]]), Rigid(rotation=[[0, -1, 0], [1, 0, 0], [0, 0, 1]])]


def random_motion(random):
    def one(lo, hi, part):
        return Q(int(random.integers(lo, hi)), part)

    kind = random.integers(3)
    if kind < 2:
        return to(*(one(-6, 7, 4) + one(-2, 3, 2) * t + kind * one(-2, 3, 4) * t**2 for _ in range(3)))
    way = one(1, 7, 2) * t * (sp.pi if random.random() < 0.5 else 1)
    axis = [0, 0, 1] if random.random() < 0.6 else random.integers(1, 4, 3).tolist()
    return Screw(axis, point=[one(-4, 5, 2) for _ in range(3)], angle=way) @ to(*(one(-6, 7, 4) for _ in range(3)))


def sampled(random):
    """Spells of two cubes, or of bars across each other, against moments; how many were asked. Neither body is ever within the other."""
    sizes = [[1, 1, 1]] * 2 if random.random() < 0.5 else [[4, Q(1, 2), 1], [Q(1, 2), 4, 1]]
    motions = [random_motion(random) @ TURNS[random.integers(4)], TURNS[random.integers(4)]]
    bodies = [brick(size).moved(motion) for size, motion in zip(sizes, motions, strict=True)]
    meshes = [collide.Mesh([[float(c) for c in p] for p in flat.corners], [c for f in flat.faces for c in f.triangles])
              for flat in map(flat_of, bodies)]
    asked = 0
    for spell in collide.contacts_during(bodies, (-1, 2)).of(0, 1):
        assert spell.kind is not Spell.UNDECIDED
        lo, hi = spell.begin.hi, spell.end.lo
        for share in (0.5, random.random(), 1e-6, 1 - 1e-6):
            at = lo + share * (hi - lo)
            if lo < at < hi:
                found, asked = collide.touch(*meshes, motions, at=Q(at)), asked + 1
                assert found.rounded or (found.status is TouchStatus.SEPARATE) == (spell.kind is APART)
    return asked


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_moments_say_the_same(seed):
    assert sampled(np.random.default_rng(seed))


def test_rational_roots_are_told():
    (root,) = roots((-1, 3))
    assert rational(root) == Q(1, 3)
    (root,) = roots((-2, 7, 3 * -4, 42))
    assert rational(root) == Q(2, 7)
    (root,) = roots((-1, 0, 3))
    assert rational(root) is None and rational(Root((-1, 2), 1, 1, 1)) == Q(1, 2)


def test_what_stays_within_a_plane():
    """A plate slides along on a larger one, along its border, and beside it: no side goes through a face."""
    plate, table = (ParametricSurface([u, v, 0], {u: (0, size), v: (0, size)}) for size in (1, 4))
    for height, spells in ((0, [(0.5, 3)]), (3, [(0.5, 3)]), (4, [(0.5, 3)]), (Q(401, 100), [])):
        answer = collide.contacts_during([plate.moved(to(2 * t - 2, height, 0)), table], (0, 4))
        assert [(s.begin.lo, s.end.hi) for s in answer.of(0, 1) if s.kind is MEET] == spells
        assert answer.status is (collide.Status.CONTACT if spells else collide.Status.NO_CONTACT)
