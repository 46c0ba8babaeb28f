"""First contacts of every kind against closed forms, exactly compared."""

import numpy as np
import pytest
import sympy as sp

import collide
from collide import Status
from generative import Rigid, axis_angle, t
from tests.collide.contact_scenes import CASES, Q, ball, cylinder


def exactly(value):
    """A double as the rational it is."""
    return sp.Rational(float(value))


def not_above(a, b):
    """a <= b for exact numbers, decided with 60 digits."""
    return a == b or bool(sp.N(b - a, 60) >= 0)


@pytest.mark.parametrize("case", CASES, ids=[c.name for c in CASES])
def test_first_contact(case):
    facts = case.facts
    c = collide.first_contact(case.bodies, case.span, budget=collide.Budget(boxes=1_000_000, seconds=None), **facts.get("options", {}))
    if "start" in facts:
        assert c.start[0, 1].name == facts["start"]
    if case.time is None:
        assert c.status is Status.NO_CONTACT, c
        assert c.clear_until == float(case.span[1]) and len(c) == 0
        return
    assert not_above(exactly(c.clear_until), case.time), "a contact before clear_until"
    assert not_above(exactly(c.time.lo), case.time) and not_above(case.time, exactly(c.time.hi)), (c, float(case.time))
    if facts.get("exists", True) is None:
        return
    assert c.status is Status.CONTACT and c.time.hi - c.time.lo < 2e-6, c
    assert c.existence.all()
    if "points" in facts:
        assert len(c) == facts["points"] and c.proved.all(), c
    if "at" in facts:
        assert np.allclose(c.points[0], [float(e) for e in facts["at"]], atol=1e-6)
    if "normal" in facts:
        assert np.allclose(c.normals, facts["normal"], atol=1e-6)
    if "features" in facts:
        assert c.features[0] == facts["features"]
    if "kinds" in facts:
        assert tuple(name.split()[0] for name in c.features[0]) == facts["kinds"]
    if "pair" in facts:
        assert tuple(c.pairs[0]) == facts["pair"]


BACK = ["tilted ball on floor", "implicit ball on floor", "patch from behind", "patch from behind, implicit ball", "border of a patch",
        "corner of a patch", "box on floor, on a vertex", "crossed edges", "vertex on box", "tilted cylinder on floor",
        "ball on the edge of a box", "ball on the vertex of a box", "parametric ball on the rim of a cylinder",
        "ball on the crease of a wedge", "implicit ball on the crease of a wedge", "ball on the point of an octant",
        "edge of a box on the crease of a wedge", "crease on crease", "crease nearly along a crease",
        "ball hits the shell from its cavity"]


@pytest.mark.parametrize("case", [c for c in CASES if c.name in BACK], ids=lambda c: c.name)
def test_bodies_that_part_and_come_back(case):
    """They touch at t = 0, part at once and are back at t = 1 where they were: of bodies that do not start apart, that is the contact that
    comes in.
    """
    bodies = [body.at(case.time - t * (1 - t)) for body in case.bodies]
    c = collide.first_contact(bodies, (0, Q(5, 4)), budget=collide.Budget(boxes=200_000))
    assert c.start[0, 1] is collide.Start.TOUCHING and c.status is Status.CONTACT
    assert c.clear_until <= 1 and c.time.lo <= 1 <= c.time.hi and c.time.hi - c.time.lo < 1e-9
    assert len(c) == 1 and c.proved.all()
    if "at" in case.facts:
        assert np.allclose(c.points[0], [float(e) for e in case.facts["at"]], atol=1e-6)
    if "kinds" in case.facts:
        assert tuple(name.split()[0] for name in c.features[0]) == case.facts["kinds"]


def test_edges_that_come_back_aslant_are_not_missed():
    """As above, but each time one edge moves towards one face of the other body and away from the other: both contacts may come in."""
    (case,) = (c for c in CASES if c.name == "crossed edges, aslant")
    c = collide.first_contact([body.at(case.time - t * (1 - t)) for body in case.bodies], (0, Q(5, 4)))
    assert c.status is Status.CONTACT and 1 <= c.time.hi < 1 + 1e-9
    (k,) = np.flatnonzero(c.proved)
    assert np.allclose(c.points[k], [float(e) for e in case.facts["at"]], atol=1e-6)


def test_there_are_many_scenes():
    assert len(CASES) >= 60


@pytest.mark.parametrize("angle", [Q(-173, 64), Q(-91, 64), Q(150, 64)])
@pytest.mark.parametrize("scale", [Q(1, 10**6)])
def test_what_is_hit_does_not_depend_on_the_unit_of_time(angle, scale):
    """A rim hits a ball about the origin: the direction is that from the point to the centre, whatever the faces do there."""
    pose = Rigid(axis_angle([1, 2, 3], angle), [Q(1, 5), Q(-1, 7), 3 - 2 * t])
    can, globe = cylinder(radius=Q(1, 2), height=1).moved(pose), ball()
    for k in (Q(1), scale):
        c = collide.first_contact([can.at(t / k), globe], (0, 2 * k), simultaneity=1e-6 * float(k))
        assert c.status is Status.CONTACT and len(c) == 1 and c.proved.all()
        assert c.features[0][0].startswith("edge") and abs(c.normals[0] + c.points[0]).max() < 1e-6


@pytest.mark.parametrize("origin", [10**8, 10**9])
def test_late_in_time_a_step_of_a_few_roundings_is_none(origin):
    """A unit in the last place of the time is more there than a local solve asks for elsewhere; the centres come within 2."""
    late = ball().moved(Rigid(axis_angle([1, 2, 3], 1), [3 - 2 * (t - origin) ** 2, Q(1, 5), Q(1, 7)]))
    c = collide.first_contact([late, ball()], (origin, origin + 1), budget=collide.Budget(boxes=20_000))
    truth = origin + sp.sqrt((3 - sp.sqrt(4 - Q(1, 25) - Q(1, 49))) / 2)
    assert c.status is Status.CONTACT and c.proved.all() and len(c) == 1
    assert not_above(exactly(c.time.lo), truth) and not_above(truth, exactly(c.time.hi)) and c.time.hi - c.time.lo < 1e-6
