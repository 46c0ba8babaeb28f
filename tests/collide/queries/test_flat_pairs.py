"""Pairs of bodies of flat faces: times, places and what is said of them, in closed form; and against the search."""

import math

import numpy as np
import pytest
import sympy as sp

import collide
import generative
from collide.bodies.flat import flat_of
from collide.polyhedra.flat.relative_motion import FlatMotion
from collide.queries import contact_search as asked
from collide.queries import flat_pairs
from collide.queries.flat_parting import parted_until
from generative import Parameter, Rigid, Screw, axis_angle, t, u, v
from generative.polyhedron import brick, polyhedron
from generative.primitives import ball
from models.shapes.patches import plane_patch
from models.shapes.solids import box

Q = sp.Rational
HERE = Rigid()
SPEED, OFFSET = Parameter("speed"), Parameter("offset")
TILTED = Rigid(rotation=axis_angle([1, 2, 3], Q(7, 10)), translation=[Q(1, 7), Q(2, 9), Q(1, 3)])
TURNING = Rigid(rotation=axis_angle([1, 2, 3], Q(7, 10) + t / 3), translation=[t, 0, 0])
CUBE, PLATE = box(sizes=(1, 1, 1)), plane_patch(width=1, depth=1)
TIP = polyhedron([(0, 0, 0), (1, 0, 1), (0, 1, 1), (-1, -1, 1)], [(0, 2, 1), (0, 3, 2), (0, 1, 3), (1, 2, 3)])
ROOF = polyhedron([(0, -1, 0), (1, -1, -1), (-1, -1, -1), (0, 1, 0), (1, 1, -1), (-1, 1, -1)],
                  [(0, 1, 2)[::-1], (3, 4, 5), (0, 1, 4, 3), (2, 0, 3, 5), (1, 2, 5, 4)])
CROSSED = Rigid(rotation=axis_angle([0, 0, 1], sp.pi / 2))
DOWN = Rigid(rotation=axis_angle([1, 0, 0], sp.pi))


def to(*shift):
    return Rigid(translation=shift)


# Bodies, the time of the first contact, how many dimensions the contact has, and the box that it fills, in the frame of the second.
CASES = {
    "flat on flat": (CUBE.moved(to(Q(1, 3), Q(1, 5), 3 - t)), CUBE, 2, [(-1 / 6, 0.5), (-0.3, 0.5), (0.5, 0.5)]),
    "offset by a side": (CUBE.moved(to(3 - t, 1, Q(1, 2))), CUBE, 2, [(0.5, 0.5), (0.5, 0.5), (0, 0.5)]),
    "offset by two sides": (CUBE.moved(to(3 - t, 1, 1)), CUBE, 2, [(0.5, 0.5)] * 3),
    "by tenths": (brick([1, Q(1, 10), 1]).moved(to(3 - t, Q(3, 10), 0)), brick([1, Q(1, 2), 1]), 2,
                  [(0.5, 0.5), (0.25, 0.25), (-0.5, 0.5)]),
    "falling, flush": (CUBE.moved(to(1, Q(1, 3), 3 - t**2 / 2)), CUBE, 2, [(0.5, 0.5), (-1 / 6, 0.5), (0.5, 0.5)]),
    "a hair beside": (CUBE.moved(to(3 - t, 1 + Q(1, 10**30), 0)), CUBE, None, []),
    "plates edge to edge": (PLATE.moved(to(3 - t, Q(1, 4), 0)), PLATE, 2, [(0.5, 0.5), (-0.25, 0.5), (0, 0)]),
    "a tip on a face": (TIP.moved(to(0, Q(1, 8), Q(5, 2) - t)), CUBE, 2, [(0, 0), (0.125, 0.125), (0.5, 0.5)]),
    "tip on tip": (TIP.moved(to(0, 0, 1 - t / 2)), TIP.moved(DOWN), 2, [(0, 0)] * 3),
    "roofs along each other": (ROOF.moved(DOWN).moved(to(0, 1, 1 - t / 4)), ROOF, 4, [(0, 0), (0, 1), (0, 0)]),
    "roofs across each other": (ROOF.moved(DOWN @ CROSSED).moved(to(Q(1, 2), Q(1, 2), 1 - t / 4)), ROOF, 4, [(0, 0), (0.5, 0.5), (0, 0)]),
}  # fmt: skip


def ask(first, second, frame=HERE, **options):
    return collide.first_contact([first.moved(frame), second.moved(frame)], (0, 4), spacing=0.25, **options)


@pytest.mark.parametrize("frame", [HERE, TILTED, TURNING], ids=["here", "tilted", "turning"])
@pytest.mark.parametrize("name", CASES)
def test_contacts_are_told_exactly(name, frame):
    first, second, moment, fills = CASES[name]
    c = ask(first, second, frame, budget=collide.Budget(boxes=100_000))
    if moment is None:
        assert c.status is collide.Status.NO_CONTACT
        return
    assert c.status is collide.Status.CONTACT and c.clear_until <= moment <= c.time.hi <= c.clear_until + 1e-14
    rotation, shift = (np.array(m.xreplace({t: moment}).evalf(20), float) for m in (frame.rotation, frame.translation))
    places = (c.points - shift.ravel()) @ rotation
    assert np.abs(np.stack([places.min(axis=0), places.max(axis=0)], axis=1) - fills).max() < 1e-12
    assert c.exists.all() and (c.unique.all() if len(c) == 1 else not c.unique.any())
    assert_on_both(c, moment)


def assert_on_both(c, moment):
    """The middles of the boxes are where the points are, on both bodies, and normals separate."""
    for k, point in enumerate(c.points):
        assert abs(np.linalg.norm(c.normals[k]) - 1) < 1e-12
        for side in (0, 1):
            face, u, v = c.uv[k, side].tolist()
            body = c.bodies[c.pairs[k, side]]
            surface = body.faces[face] if hasattr(body, "faces") else body
            known = {symbol: sp.Float(value, 30) for symbol, value in ((generative.u, u), (generative.v, v), (t, moment))}
            at = np.array([e.xreplace(known).evalf(20) for e in surface.expressions], float)
            assert np.abs(point - at).max() < 1e-9


def test_a_turn_ends_on_a_side():
    """A quarter of a turn brings a side of a cube onto one of the other, exactly at pi / 2; not at all where that one is a hair lower."""
    first = CUBE.moved(to(Q(1, 2), Q(1, 2), 1)).moved(Screw([0, 0, 1], angle=t))
    second = CUBE.moved(to(Q(-51, 100), Q(-1, 2), Q(1, 2)))
    c = collide.first_contact([first, second], (0, 4), spacing=0.25)
    assert c.status is collide.Status.CONTACT and c.clear_until <= math.pi / 2 <= c.time.hi <= c.clear_until + 1e-15
    assert c.exists.all() and np.abs(c.points[:, 1]).max() < 1e-12 and np.ptp(c.points[:, 0]) > 0.98 and np.ptp(c.points[:, 2]) == 0.5
    c = collide.first_contact([first, second.moved(to(0, 0, Q(-1, 2) - Q(1, 10**20)))], (0, 4))
    assert c.status is collide.Status.NO_CONTACT


@pytest.mark.parametrize("seed", range(6))
def test_the_search_says_the_same(seed, monkeypatch):
    random = np.random.default_rng(seed)
    spin = Rigid(rotation=[[Q(3, 5), Q(-4, 5), 0], [Q(4, 5), Q(3, 5), 0], [0, 0, 1]])
    shift = [Q(int(e), 16) for e in random.integers(-12, 12, 2)]
    first = brick([1, Q(int(random.integers(1, 9)), 8), 1]).moved(spin).moved(to(*shift, 4 - t))
    second = CUBE.moved(spin) if seed % 2 else CUBE
    found = collide.first_contact([first, second], (0, 4), spacing=0.3)
    monkeypatch.setattr(asked, "flat_pairs", lambda *_: {})
    other = collide.first_contact([first, second], (0, 4), spacing=0.3)
    assert found.status == other.status
    if found.time is not None:
        assert found.time.intersects(other.time)
        near = np.abs(found.points[:, None] - other.points[None]).max(axis=2).min(axis=0)
        assert near.max() < 0.3


# A tip at the origin, which falls over while it rises slowly.
FALLING_OVER = Rigid(rotation=axis_angle([0, 1, 0], -2 * t), translation=[0, 0, t / 20])
# Of the first body, which stands on CUBE, and sinks nowhere before time 1; whether it parts from it at once.
RISING = {
    "unscrewed": (CUBE.moved(to(0, 0, 1)), Screw([0, 0, 1], angle=t, advance=t / 10), True),
    "unscrewed, askew": (CUBE.moved(to(1, 0, 0)), Screw([1, 1, 1], point=[0, -3, 0], angle=-t / 3, advance=t), True),
    "lifted by a wave": (CUBE.moved(to(Q(1, 3), 0, 1)), Rigid(rotation=axis_angle([0, 0, 1], t**2), translation=[0, 0, sp.sin(t)]), True),
    "a tip": (TIP.moved(to(0, 0, Q(1, 2))), Screw([0, 0, 1], angle=t, advance=t * (1 - t)), True),
    "falls over": (TIP.moved(HERE), FALLING_OVER, True),
    "slides and turns": (CUBE.moved(to(0, 0, 1)), Rigid(rotation=axis_angle([0, 0, 1], t), translation=[t, 0, 0]), False),
    "rises later": (CUBE.moved(to(0, 0, 1)), Screw([0, 0, 1], angle=t, advance=t**3), False),
    "tilts and rises": (CUBE.moved(to(0, 0, 1)), Screw([0, 1, 0], angle=t, advance=t), False),
    "screwed in": (CUBE.moved(to(0, 0, 1)), Screw([0, 0, 1], angle=t, advance=-t / 10), False),
}  # fmt: skip


@pytest.mark.parametrize("name", RISING)
def test_bodies_that_touch_and_part_by_any_motion_are_apart_until_then(name):
    """At samples, by their triangles."""
    placed, motion, parts = RISING[name]
    ground = CUBE.moved(to(0, 0, Q(-1, 2))) if name == "falls over" else CUBE.moved(HERE)
    end = parted_until(placed.moved(motion), ground, (0.0, 1.0)) or parted_until(ground, placed.moved(motion), (0.0, 1.0))
    assert (end is not None) == parts
    if parts:
        near = collide.Near(mesh_of(placed), mesh_of(ground))
        for time in end * np.array([2.0**-20, 0.01, 0.3, 1.0]):
            entries = np.array([float(e.xreplace({t: sp.Float(time, 30)})) for e in motion.entries])
            assert len(near.update(np.vstack([np.column_stack([entries[:9].reshape(3, 3), entries[9:]]), [0, 0, 0, 1]]), np.eye(4))) == 0


def mesh_of(body):
    flat, motion = flat_of(body), body.faces[0].motion
    rotation, shift = np.array(motion.rotation, float), np.array(motion.translation, float).ravel()
    return collide.Mesh(np.array(flat.corners, float) @ rotation.T + shift, [c for face in flat.faces for c in face.triangles])


def test_what_comes_back_after_it_parted_is_found():
    placed, motion, _ = RISING["a tip"]
    c = collide.first_contact([placed.moved(motion), CUBE], (0, 2))
    assert c.status is collide.Status.CONTACT and c.start[0, 1] is collide.Start.TOUCHING
    assert c.clear_until <= 1 <= c.time.hi < c.clear_until + 1e-6 and np.abs(c.points - [0, 0, 0.5]).max() < 1e-5
    placed, motion, _ = RISING["unscrewed"]
    assert collide.first_contact([CUBE, placed.moved(motion)], (0, 2)).status is collide.Status.NO_CONTACT


def at_speed(motion):
    return Rigid(rotation=motion.rotation.xreplace({t: SPEED * t}), translation=motion.translation.xreplace({t: SPEED * t}))


@pytest.mark.parametrize("name", ["offset by two sides", "a hair beside", "plates edge to edge"])
def test_rows_of_a_batch_are_told_exactly(name):
    """Askew, so that a short search leaves them open."""
    first, second, moment, fills = CASES[name]
    motion = at_speed((first.faces[0] if isinstance(first, generative.Solid) else first).motion)
    speeds = np.array([0.75, 0.25])
    found = collide.contact_batch([first.resting.moved(motion).moved(TILTED), second.moved(TILTED)], (0, 4), parameters={SPEED: speeds})
    if moment is None:
        assert not found.hit.any() and np.isnan(found.points).all() and (found.faces == -1).all()
        return
    assert [s.name for s in found.status] == ["CONTACT", "NO_CONTACT"] and found.proved.tolist() == [True, False]
    assert found.time[0, 0] <= moment / 0.75 <= found.time[0, 1] + 1e-15 < found.time[0, 0] + 1e-12
    place = np.array(TILTED.rotation.evalf(20), float).T @ (found.points[0] - np.array(TILTED.translation, float).ravel())
    assert (place >= np.array(fills)[:, 0] - 1e-9).all() and (place <= np.array(fills)[:, 1] + 1e-9).all()
    surface = (second.faces[found.faces[0, 1]] if isinstance(second, generative.Solid) else second).moved(TILTED)
    at = [e.evalf(20, subs={generative.u: found.parameters[0, 2], generative.v: found.parameters[0, 3]}) for e in surface.expressions]
    assert np.abs(np.array(at, float) - found.points[0]).max() < 1e-9


def test_rows_of_several_bodies_that_touch_as_the_span_begins():
    """The first of two cubes that slide meets the third one at 1 / speed, unless the second is there at the start."""
    low, first = CUBE.moved(TILTED), CUBE.moved(to(2 - SPEED * t, 1, 1)).moved(TILTED)
    second = CUBE.moved(to(1, 0, Q(1, 2) + OFFSET)).moved(TILTED)
    numbers = {SPEED: np.array([1.0, 1.0]), OFFSET: np.array([0, 4.0])}
    found = collide.contact_batch([low, first, second], (0, 2), parameters=numbers, ignore=[(1, 2)])
    assert found.proved.all() and found.pairs.tolist() == [[0, 2], [0, 1]]
    assert found.time[0].tolist() == [0, 0] and found.time[1, 0] <= 1 <= found.time[1, 1] < found.time[1, 0] + 1e-12


def test_with_other_bodies():
    cube, round_one = CUBE.moved(to(3 - t, 1, 0)), ball(Q(1, 2))
    for height, first in ((2, 1.5), (4, 2.0), (Q(5, 2), 2.0)):
        moving = round_one.moved(to(0, 0, height + Q(1, 2) - t))
        c = collide.first_contact([cube, CUBE, moving], (0, 4), spacing=0.25)
        assert c.status is collide.Status.CONTACT and c.clear_until <= first <= c.time.hi and c.time.hi - c.clear_until < 1e-6
        pairs = {tuple(p) for p in c.pairs.tolist()}
        assert pairs == {2: {(1, 2)}, 4: {(0, 1)}, Q(5, 2): {(0, 1), (1, 2)}}[height]
        assert c.time_span == (0, 4)


def test_small_shifts_are_told_apart():
    """What comes to touch soon after the first contact, elsewhere, is listed as ever."""
    lifted = box(sizes=(1, 1, 1)).moved(Rigid(rotation=axis_angle([0, 1, 0], Q(1, 10**8)))).moved(to(0, 0, 3 - t))
    c = collide.first_contact([lifted, CUBE], (0, 4), spacing=0.5)
    assert c.status is collide.Status.CONTACT and abs(c.time.hi - 2) < 1e-6


def test_that_the_search_of_other_pairs_ends_early_is_not_said_of_the_time_span():
    """The ball lands just where the search of its pair ends, which is long before the end of the time span."""
    landing = CUBE.moved(to(0, 0, Q(3, 2) - t))
    later = ball(radius=1).moved(to(5, 0, 2 - t + Q(1e-6)))
    bodies, others = [landing, PLATE, later, PLATE.moved(to(5, 0, 0))], [(0, 2), (0, 3), (1, 2), (1, 3)]
    c = collide.first_contact(bodies, (0, 2), spacing=1, ignore=others)
    assert c.status is collide.Status.CONTACT and c.time.lo <= 1 <= c.time.hi
    assert not any("time span ends" in note for note in c.notes)


def test_what_comes_within_a_long_simultaneity_is_listed():
    """A bar comes down on two plates, the second one lower by a hundredth: both are simultaneous if that counts as 3/10."""
    lower = generative.ParametricSurface([u + Q(3, 2), v, -Q(1, 100)], {u: (0, 1), v: (0, 1)})
    steps = generative.Solid([generative.ParametricSurface([u, v, 0], {u: (0, 1), v: (0, 1)}), lower])
    bar = box(sizes=(6, Q(1, 2), 1)).moved(to(1, Q(1, 2), Q(3, 2) - t))
    for simultaneity, sides in ((0.005, {False}), (0.3, {False, True})):
        c = collide.first_contact([bar, steps], (0, 2), simultaneity=simultaneity, spacing=0.3)
        assert c.status is collide.Status.CONTACT and c.time.lo <= 1 <= c.time.hi
        assert set((c.points[:, 0] > 1.25).tolist()) == sides


def test_bodies_that_touch_at_the_start_and_part_at_once():
    """They meet again at 2, or not at all."""
    for height, when in ((1 + t * (2 - t), 2), (1 + t, None)):
        c = ask(CUBE.moved(to(Q(1, 3), 0, height)), CUBE)
        assert c.start[0, 1] is collide.Start.TOUCHING and not c.notes
        assert c.status is (collide.Status.CONTACT if when else collide.Status.NO_CONTACT)
        if when:
            assert c.clear_until <= when <= c.time.hi <= c.clear_until + 1e-14 and c.exists.all()
            places = np.stack([c.points.min(axis=0), c.points.max(axis=0)], axis=1)
            assert np.abs(places - [(-1 / 6, 0.5), (-0.5, 0.5), (0.5, 0.5)]).max() < 1e-12
    # What slides along has not parted: what it begins with is not told from a new contact.
    for shift, parted in (((t / 8, 0, 1), False), ((t, 0, 1 - t**2), False), ((0, 0, 1 + t), True), ((t, 1, 1 + t / 9), True)):
        known = FlatMotion.of(CUBE.moved(to(*shift)), CUBE)
        assert (flat_pairs._parted(known, (0.0, 0.5)) is not None) == parted
