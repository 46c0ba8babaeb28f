"""Claims of a result about its points."""

from types import SimpleNamespace

import numpy as np
import pytest
import sympy as sp

import collide
from collide import Budget, Start, Status, first_contact
from collide.answers import report
from collide.bodies.parts import faces_of
from collide.search.native import layout
from collide.search.search import Search
from collide.situations.contact import situation
from generative import Parameter, ParametricSurface, Rigid, Solid, axis_angle, t, u, v
from models.scenes import SCENES
from tests.collide.contact_scenes import FLOOR, TILT, TURNED, Q, ball, box, cylinder, half_space, move, slab, sphere


def test_a_pole_in_the_middle_of_a_flat_contact_is_not_called_isolated() -> None:
    """The pole's own situation has one zero, but the contact round it is a patch: existence, not uniqueness."""
    scene = SCENES["dish-on-checkerboard"]
    contacts = collide.first_contact(scene.bodies, scene.time, **scene.options)
    assert contacts.status is collide.Status.CONTACT
    assert len(contacts) > 10
    assert contacts.existence.all()
    assert not contacts.proved.any()


GRAZES = [
    ("a ball comes down to a floor and goes up again", [ball().moved(TILT).moved(move(0, 0, 1 + (t - 1) ** 2)), half_space()], 1),
    ("two balls", [ball().moved(TILT).moved(move(*(e * (1 + (t - 1) ** 2 / 2) for e in (Q(6, 5), Q(8, 5), 0)))), ball().moved(TURNED)], 1),
    ("a plate slides over the top of a ball", [slab(Q(3, 2)).moved(move(t - 4, Q(1, 5), 1)), ball().moved(TILT)], Q(5, 2)),
]


@pytest.mark.parametrize("name, bodies, time", GRAZES, ids=[name for name, _, _ in GRAZES])
def test_the_bracket_of_a_touch_holds_it(name, bodies, time):
    c = first_contact(bodies, (0, 8), budget=Budget(boxes=200_000))
    assert c.status is Status.CONTACT and c.clear_until <= time
    assert Q(c.time.lo) <= time <= Q(c.time.hi) and c.time.lo > time - Q(1, 10**14)


ON_SLAB = situation(faces_of(ball(9).moved(TILT))[0], faces_of(slab())[0], (0, 4))
ON_FLOOR = situation(faces_of(ball(9).moved(move(0, -8, 0)))[0], faces_of(FLOOR)[0], (0, 4))


@pytest.mark.parametrize(("problem", "number", "ends", "inside"), [
    (ON_SLAB, 2, (1, 1.5), True), (ON_SLAB, 2, (2 - 1e-9, 2 + 1e-9), True), (ON_SLAB, 2, (2 + 1e-9, 3), False),
    (ON_SLAB, 3, (-3, -2), True), (ON_SLAB, 3, (-3, -2 - 1e-9), False), (ON_SLAB, 4, (4 - 1e-15, 5), True),
    (ON_SLAB, 4, (4 + 1e-15, 5), False), (ON_SLAB, 0, (7, 7.5), True),  # after a whole turn
    # The floor ends at x = 4, where the ball is at the cosine 4/9.
    (ON_FLOOR, 0, (1.2, 1.3), True), (ON_FLOOR, 0, (1.1, 1.2), True), (ON_FLOOR, 0, (1.0, 1.1), False)])
def test_the_only_zero_of_a_region_may_lie_in_the_domain_or_not(problem, number, ends, inside):
    """It is excluded only where all of its box lies beyond the domain, or violates an inequality."""
    box = np.array([[0.5, 0.6]] * 4 + [[1.0, 1.5]])[-len(problem.variables):]
    if problem is ON_FLOOR:
        box[1] = 0.0, 0.01
    box[number] = ends
    for kind, counts in ((layout.ALONE, inside), (layout.LOCATED, True), (layout.UNIQUE, True)):
        found = SimpleNamespace(kind=[kind].__getitem__, problem_of=[problem].__getitem__, found=[box].__getitem__)
        assert Search.possible(found, 0) is counts


# -- surfaces that cover themselves -------------------------------------------------------------------------------------------

TWICE = ParametricSurface(ball().body, {u: (0, 4 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})
# Up one side of the sphere and down the other.
BACK = ParametricSurface(ball().body, {u: (0, 2 * sp.pi), v: (-sp.pi / 2, 3 * sp.pi / 2)})
AWAY = move(Q(1, 10), Q(1, 7), 3 - t)
# Unit balls whose centres are 1/10 and 1/7 apart across the motion.
HEIGHT = sp.sqrt(4 - Q(1, 100) - Q(1, 49))


@pytest.mark.parametrize("first, second, time", [
    (TWICE, half_space(), 2), (BACK, half_space(), 2), (TWICE, BACK, 3 - HEIGHT), (BACK, sphere(), 3 - HEIGHT),
])  # fmt: skip
def test_a_place_where_a_surface_covers_itself_is_one_contact(first, second, time):
    c = first_contact([first.moved(TILT).moved(AWAY), second], (0, 4))
    assert c.status is Status.CONTACT and c.proved.tolist() == [True] and c.time.lo <= time <= c.time.hi
    assert c.boxes[0].shape == (len(c.variables[0]), 2)


def test_contacts_at_other_places_of_a_surface_that_covers_itself_are_kept():
    """Two knobs of one plate come down on a floor; another plate with two on two balls that are covered twice."""
    knobs = ParametricSurface([u, v, (u**2 - 1) ** 2 + v**2], {u: (-2, 2), v: (-1, 1)}).moved(move(0, 0, 2 - t))
    balls = Solid([TWICE.moved(move(side, 0, -1)) for side in (-2, 2)])
    c = first_contact([knobs, half_space()], (0, 3))
    assert sorted(c.points[:, 0].round(6)) == [-1, 1] and c.proved.all()
    wide = ParametricSurface([u, v, u**2 * (u**2 - 8) / 16 + 1 + v**2], {u: (-3, 3), v: (-1, 1)}).moved(move(0, 0, 2 - t))
    c = first_contact([wide, balls], (0, 3), spacing=0.2)
    assert sorted(c.points[:, 0].round(6)) == [-2, 2] and c.proved.all()


# -- what is simultaneous ---------------------------------------------------------------------------------------------------

DOWN = move(Q(1, 10), Q(1, 7), 3 - t)


def entry(reach):
    """When the centre of a ball going along DOWN is so far from the origin: before and after it passes."""
    height = sp.sqrt(reach**2 - Q(1, 100) - Q(1, 49))
    return [3 - height, 3 + height]


@pytest.mark.parametrize("name, bodies, times", [
    ("a ball goes through a floor", [ball().moved(TILT).moved(DOWN), half_space()], [2]),
    ("a ball goes through a smaller one, and touches it again from within", [ball().moved(TILT).moved(DOWN), ball(Q(1, 2)).moved(TURNED)],
     [entry(Q(3, 2))[0], entry(Q(1, 2))[1]]),
    ("implicit balls", [sphere().moved(TILT).moved(DOWN), sphere(Q(1, 2)).moved(TURNED)], [entry(Q(3, 2))[0], entry(Q(1, 2))[1]]),
], ids=lambda value: value if isinstance(value, str) else "")  # fmt: skip
def test_where_bodies_part_or_cross_already_is_no_contact_of_those_that_count_as_simultaneous(name, bodies, times):
    c = first_contact(bodies, (0, 7), simultaneity=6)
    found = sorted((box[-1] for box, proved in zip(c.boxes, c.proved, strict=True) if proved), key=lambda e: e[0])
    assert c.status is Status.CONTACT and len(found) == len(times)
    assert all(lo - 1e-9 <= time <= hi + 1e-9 for (lo, hi), time in zip(found, times, strict=True))


def test_the_sides_of_a_plate_that_a_ball_goes_through_are_not_reached_anew():
    """Nor are its corners, but for those that come to touch the ball from within as it leaves: all of them last, at times of their own."""
    c = first_contact([ball().moved(TILT).moved(DOWN), slab(Q(1, 2))], (0, 7), simultaneity=6, spacing=0.3)
    first = [k for k, box in enumerate(c.boxes) if box[-1, 0] <= 2]
    assert len(first) == 1 and {c.features[k][1].split()[0] for k in range(len(c)) if k not in first} == {"vertex"} and len(c) == 5
    for k in range(len(c)):
        if k not in first:
            x, y = c.points[k, :2]
            assert abs(c.boxes[k][-1].mean() - (3 + np.sqrt(1 - (x - 0.1) ** 2 - (y - 1 / 7) ** 2))) < 1e-9


def test_a_corner_that_lands_a_little_later_is_listed():
    """A square plate comes down on a floor, tilted so little that the second corner lands within what counts as simultaneous."""
    lean = Rigid(rotation=[1, Q(1, 10**9), Q(1, 10**4), 0], normalize=True)
    c = first_contact([slab(1).moved(lean).moved(move(0, 0, 1 - t)), half_space()], (0, 2), simultaneity=1e-6)
    assert c.status is Status.CONTACT and len(c) == 2 and {pair[0].split()[0] for pair in c.features} == {"vertex"}
    assert 1e-9 < abs(c.boxes[0][-1].mean() - c.boxes[1][-1].mean()) < 1e-8


def test_names_change_no_answer_and_are_told_in_notes_and_errors():
    scene = SCENES["tori-crossed"]
    named = [body.named(name) for body, name in zip(scene.bodies, ("falling ring", "ring"), strict=True)]
    without, answer = (collide.first_contact(bodies, scene.time) for bodies in (scene.bodies, named))
    assert answer.time == without.time and np.array_equal(answer.points, without.points) and answer.iterations == without.iterations
    assert "First contact of falling ring and ring at" in answer.summary() and "of falling" not in without.summary()
    assert "Bodies lower and ring do not move" in collide.first_contact([named[0], named[1].named("lower"), named[1]], scene.time).summary()
    flat = ParametricSurface([u, u, 0 * v], {u: (0, 1), v: (0, 1)}, name="cup")
    for bodies, told in (([flat, named[1]], r'the normal of body 0 \("cup"\) vanishes'),
                         ([named[1], Solid([flat], name="box")], r'the normal of face 0 of body 1 \("box"\) vanishes'),
                         ([named[1], flat.moved(Rigid(translation=[Parameter("r1"), 0, 0]))], r'body 1 \("cup"\) contains the')):
        with pytest.raises(ValueError, match=told):
            collide.first_contact(bodies, (0, 1))
    with pytest.raises(ValueError, match=r'the normal of surface 0 \("cup"\) vanishes'):
        collide.self_contact(flat, (0, 1))


LYING = cylinder(Q(1, 2), 1).moved(Rigid(rotation=axis_angle([1, 0, 0], sp.pi / 2), translation=[0, 0, 3 - t]))
ON_EDGE = box(1, 1, 1).moved(Rigid(rotation=axis_angle([1, 0, 0], sp.pi / 4), translation=[0, 0, 3 - t]))


@pytest.mark.parametrize("spacing", [0.05, 0.7, 1.5, 5.0])
@pytest.mark.parametrize("body", [LYING, ON_EDGE], ids=["cylinder", "box"])
def test_the_ends_of_a_line_are_not_called_isolated(body, spacing):
    """However far the samples are from each other: also where one alone lies between the ends."""
    c = first_contact([body, FLOOR], (0, 3), spacing=spacing)
    assert c.status is Status.CONTACT and c.existence.all() and not c.proved.any()


@pytest.mark.parametrize(("state", "told"), [(Start.TOUCHING, True), (Start.OVERLAPPING, True), (Start.UNKNOWN, False)])
def test_what_is_not_decided_at_the_start_is_not_told_to_be_tracked(state, told):
    """A small budget may end before it is known whether bodies start apart."""
    problem = SimpleNamespace(label=(0, 1), incoming=True)
    search = SimpleNamespace(problems=[problem], left=set(), arrays={"owner": np.array([0])})
    found = report._Found(np.array([0]), np.array([layout.LOCATED]), np.array([[0.0, 1.0]]))
    assert any("name it in `tracked`" in note for note in report._standing(search, found, (), {(0, 1): state})) is told
