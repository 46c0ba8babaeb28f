"""Recorded motions, searched from knot to knot: against SciPy's splines in doubles, and against one formula for all pieces."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import collide
from codegen.functions import Spline
from codegen.walk import atoms, replaced
from collide.timeline import along
from collide.timeline.course import course_of
from collide.timeline.scene import Scene
from generative import Rigid, primitives, t
from generative.changes import with_formulas
from generative.fit import joint_motion, motion_through
from generative.motion import axis_angle
from models.shapes.quadrics import sphere
from tests.problems import Q

STILL = [1.0, 0.0, 0.0, 0.0]


def unrolled(body):
    """The body with all pieces in one formula."""
    return with_formulas(body, lambda e: replaced(e, {s: s.unrolled() for s in atoms(e, Spline)}))


def moving(heights, times=None):
    """A ball of radius 1 that moves along the x axis, through a height at each of the times."""
    times = np.linspace(0, 2, len(heights)) if times is None else times
    zero = 0 * times
    return sphere(radius=1).moved(motion_through(times, [STILL] * len(times), np.stack([heights, zero, zero], axis=1)).value)


def recording(generator, count, begin):
    """A tumbling walk: times, quaternions, translations."""
    times = np.sort(np.concatenate([[begin, 2], generator.uniform(begin, 2, count - 2)])) if generator.random() < 0.5 else \
        np.linspace(begin, 2, count)
    turns = Rotation.from_rotvec(np.cumsum(generator.normal(0, 2 / count, (count, 3)), axis=0)) * Rotation.random(random_state=generator)
    places = 1.5 * generator.normal(size=3) + np.cumsum(generator.normal(0, 2 / np.sqrt(count), (count, 3)), axis=0)
    return times, turns.as_quat(scalar_first=True), places


def path(times, quaternions, translations, point):
    """Where the recording carries a point, by SciPy in doubles."""
    signs = np.cumprod(np.where((quaternions[1:] * quaternions[:-1]).sum(axis=1) < 0, -1.0, 1.0))
    spline = CubicSpline(times, np.concatenate([quaternions * np.append(1.0, signs)[:, None], translations], axis=1))

    def at(time):
        values = spline(np.atleast_1d(time))
        return Rotation.from_quat(values[:, :4], scalar_first=True).apply(point) + values[:, 4:]

    return at


@pytest.mark.parametrize("seed", range(12))
def test_random_recordings_against_dense_samples(seed):
    """Two balls away from the origins of their frames, of which one or both follow recordings with knots of their own."""
    g = np.random.default_rng(seed)
    points, radii = 0.5 * g.normal(size=(2, 3)), (Q(1, 2), Q(3, 10))
    records = [recording(g, int(g.integers(4, 40)), begin) for begin in (0.0, float(g.choice([-0.3, 0.0, 0.2])))]
    bodies, paths = [], []
    for k, (point, radius, record) in enumerate(zip(points, radii, records, strict=True)):
        place = [Q(float(x)) for x in point]
        body = primitives.ball(radius, place) if (seed + k) % 3 == 0 else sphere(radius=radius).moved(Rigid(translation=place))
        still = k == 1 and seed % 4 == 0
        bodies.append(body if still else body.moved(motion_through(*record).value))
        paths.append((lambda time, point=point: point + 0 * np.atleast_1d(time)[:, None]) if still else path(*record, point))
    span = (0.0, 2.0) if seed % 2 else (float(g.uniform(0, 0.3)), float(g.uniform(1.5, 2)))

    def gap(time):
        return np.linalg.norm(paths[0](time) - paths[1](time), axis=1) - float(sum(radii))

    times = np.linspace(*span, 20001)
    apart = gap(times)
    if apart[0] < 0:
        pytest.skip("they overlap at first")
    found = collide.first_contact(bodies if seed % 5 else bodies[::-1], time=span)
    if (apart > 0).all():
        assert found.status is collide.Status.NO_CONTACT
        return
    k = int(np.argmax(apart < 0))
    first = brentq(lambda time: gap(time)[0], times[k - 1], times[k], xtol=1e-15)
    assert found.status is collide.Status.CONTACT and found.clear_until == found.time.lo
    assert found.time.lo - 1e-11 <= first <= found.time.hi + 1e-11 and found.time.hi - found.time.lo < 1e-9


@pytest.mark.parametrize("beside", [0.0, 1e-12, -1e-12, 1e-7, -1e-7])
def test_contact_at_a_knot_is_proved(beside):
    """Or just before or after it: the ball moves at a speed of 2 there, and is `beside` the other one at t = 1."""
    first = 1.0 + 0.5 * beside
    found = collide.first_contact([moving(np.array([4, 3, 2 + beside, 1, 0])), sphere(radius=1)], time=(0, 2))
    assert found.status is collide.Status.CONTACT and found.proved.all()
    assert found.time.lo - 1e-15 <= first <= found.time.hi + 1e-15 and found.time.hi - found.time.lo < 1e-13


@pytest.mark.parametrize("span", [(0, 1), (1, 2), (0, 2), (0.25, 1)])
def test_contact_at_a_knot_where_the_time_begins_or_ends(span):
    found = collide.first_contact([moving(np.array([4.0, 3, 2, 1, 0])), sphere(radius=1)], time=span)
    assert found.status is collide.Status.CONTACT and found.proved.all() and found.time.lo <= 1 <= found.time.hi


@pytest.mark.parametrize("depth", [1e-6, 0.0, -1e-12, -1e-6])
def test_a_touch_at_a_knot_is_as_of_one_formula(depth):
    """A ball comes to another one to within a gap, -depth, at a knot, and goes back."""
    ball = moving(np.array([4, 2.5, 2 - depth, 2.5, 4]))
    found, one = (collide.first_contact([b, sphere(radius=1)], time=(0, 2)) for b in (ball, unrolled(ball)))
    assert found.status is one.status
    if depth > 0:
        assert abs(found.time.lo - one.time.lo) < 1e-12
    elif depth == 0:
        assert found.status is collide.Status.CONTACT and found.time.lo <= 1 <= found.time.hi


def test_a_stage_has_no_pairs_that_are_proved_apart():
    """Balls on two arms that turn alike, one behind the other: boxes round whole stages meet, the balls never do."""
    turn = joint_motion([0, 1, 2], [0, 1, 2]).value
    arms = [sphere(radius=Q(1, 4)).moved(Rigid(translation=[2, 0, 0])).moved(Rigid(rotation=axis_angle([0, 0, 1], turn + back)))
            for back in (0, -Q(1, 2))]
    scene = Scene(arms, (0, 2), (0.0, 2.0), (), course=course_of(arms, (0.0, 2.0)))
    (k, near), = [(k, near) for k, near in along._near(scene, scene.course) if k == 1]
    _, numbers, holds, _ = scene.course.piece(k)
    assert near and not scene.first.stage(numbers, holds, (1.0, 2.0), near).meetings()


@pytest.mark.parametrize("count", [5, 21])
def test_the_answer_is_that_of_one_formula(count):
    record = recording(np.random.default_rng(count), count, 0.0)
    ball = sphere(radius=Q(1, 2)).moved(motion_through(*record).value)
    other = sphere(radius=1).moved(Rigid(translation=[Q(float(x)) for x in record[2][count // 2] + [0.3, 0, 0]]))
    found, one = (collide.first_contact([b, other], time=(0, 2)) for b in (ball, unrolled(ball)))
    assert found.status is one.status and found.start == one.start
    if found.status is collide.Status.CONTACT:
        assert abs(found.time.lo - one.time.lo) < 1e-12 and found.proved.tolist() == one.proved.tolist()


def test_what_rests_on_what_moves_along_has_no_new_contact():
    record = recording(np.random.default_rng(3), 9, 0.0)
    motion = motion_through(*record).value
    grip = [sphere(radius=1).moved(motion), sphere(radius=1).moved(Rigid(translation=[2, 0, 0])).moved(motion)]
    found = collide.first_contact(grip, time=(0, 2))
    assert found.status is collide.Status.NO_CONTACT and "do not move against each other" in found.notes[0]


def test_a_recording_against_a_motion_that_has_kinks_of_its_own():
    """x = 4 - 2 t, and |t - 1/3| - 1/3 the other way: they meet at 4 - 2 t = 2 + t - 2/3, t = 8/9."""
    other = sphere(radius=1).moved(Rigid(translation=[abs(t - Q(1, 3)) - Q(1, 3), 0, 0]))
    found = collide.first_contact([moving(np.array([4.0, 3, 2, 1, 0])), other], time=(0, 2))
    assert found.status is collide.Status.CONTACT and found.proved.all() and found.time.lo <= 8 / 9 <= found.time.hi


def test_ten_thousand_knots():
    times = np.linspace(0, 2, 10_000)
    found = collide.first_contact([moving(3 + np.cos(times), times), sphere(radius=1)], time=(0, 2), budget=60)
    assert found.status is collide.Status.NO_CONTACT
    found = collide.first_contact([moving(2.5 + np.cos(2 * times), times), sphere(radius=1)], time=(0, 2), budget=60)
    assert found.status is collide.Status.CONTACT and abs(found.time.lo - np.pi / 3) < 1e-9


def test_a_spent_budget_tells_what_is_clear():
    times = np.linspace(0, 2, 201)
    found = collide.first_contact([moving(2.001 + 0 * times + 0.001 * np.cos(9 * times), times), sphere(radius=1)], time=(0, 2),
                                  budget=collide.Budget(boxes=2000))
    assert found.status in (collide.Status.BUDGET_SPENT, collide.Status.NO_CONTACT)
    assert found.status is collide.Status.NO_CONTACT or 0 <= found.clear_until < 2
