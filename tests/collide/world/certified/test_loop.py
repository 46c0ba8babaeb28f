"""Certified runs, against exact rationals, against another simulation with many digits, and against distances by other formulas."""

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy as sp
from mpmath import mpf

from collide import Outcome, RigidBody, World
from generative import ParametricSurface, Rigid, Solid, t, u, v
from tests.collide.world.scenes import BALL, FLOOR, WALL
from tests.collide.world.test_world import dropped

HALF = ParametricSurface([e / 2 for e in BALL.body], BALL.domain)
PLATE = ParametricSurface([u, v, 0], {u: (-1, 1), v: (-2, 2)})


def holds(bounds, exact):
    lo, hi = (Fraction(float(e)) for e in bounds)
    return lo <= exact <= hi


def test_a_ball_bounces_as_the_rationals_say():
    # From 5 above the floor it falls for 1, and then flies for 1, 1/2, 1/4, ...
    run = dropped(5.0, restitution=0.5).run(until=4.0, certified=True)
    assert run.outcome is Outcome.UNRESOLVED and "ever sooner" in run.reason
    assert len(run.events) >= 40 and 2.999 < run.certified_until <= 3.0
    for k, event in enumerate(run.events):
        assert holds(event.time, 3 - Fraction(2, 2**k)) and event.time.width < 1e-15 and event.proved.all()
        np.testing.assert_allclose(event.impulses, [[0.0, 0.0, 2 * 10 * 1.5 * 0.5**k]], rtol=1e-15)
    for moment in (0.5, 1.25, 2.9):
        n = sum(e.time[1] < moment for e in run.events)
        since, speed = Fraction(moment) - (3 - Fraction(4, 2**n)), Fraction(10, 2**n)
        height = 6 - 5 * Fraction(moment) ** 2 if not n else 1 + speed * since - 5 * since**2
        bounds = run.bounds(moment)
        assert holds(bounds.positions[1, 2], height) and np.ptp(bounds.positions[1, 2]) < 1e-14
        assert np.ptp(bounds.velocities[1, 2]) < 1e-13
        np.testing.assert_allclose(run.state(moment).positions, bounds.positions.mean(axis=-1), atol=1e-14)


def test_a_drop_from_what_is_no_short_double():
    run = dropped(0.8, restitution=0.5).run(events=40, certified=True)
    # The height of the exact problem is that of the double 1.8, less 1.
    square = 2 * (Fraction(1.8) - 1) / 10
    assert run.outcome is Outcome.FINISHED and len(run.events) == 40
    for k, (lo, hi) in enumerate(e.time for e in run.events):
        factor = 3 - Fraction(2, 2**k)
        assert (Fraction(lo) / factor) ** 2 <= square <= (Fraction(hi) / factor) ** 2
        assert lo - 1e-15 < 1.2 - 0.8 * 0.5**k < hi + 1e-15


def blocks(ratio):
    return [RigidBody(WALL, fixed=True), RigidBody(BALL, position=(2, 0, 0), mass=1),
            RigidBody(BALL, position=(5, 0, 0), velocity=(-1, 0, 0), mass=ratio)]


def hits_of_blocks(ratio):
    """Times, exactly: of points before a wall at 1, and 2 from each other when they touch."""
    x, y, v, w, now, found = Fraction(2), Fraction(5), Fraction(0), Fraction(-1), Fraction(0), []
    while True:
        wall = (x - 1) / -v if v < 0 else None
        meet = (y - x - 2) / (v - w) if v > w else None
        if wall is None and meet is None:
            return found
        first = min(e for e in (wall, meet) if e is not None)
        x, y, now = x + first * v, y + first * w, now + first
        found.append((now, x, y))
        if first == wall:
            v = -v
        else:
            v, w = ((1 - ratio) * v + 2 * ratio * w) / (1 + ratio), (2 * v + (ratio - 1) * w) / (1 + ratio)


@pytest.mark.parametrize(("ratio", "hits"), [(1, 3), (100, 31), (10_000, 314)])
def test_blocks_count_pi(ratio, hits):
    run, exact = World(blocks(ratio), gravity=(0, 0, 0)).run(until=1000.0, certified=True), hits_of_blocks(ratio)
    assert run.outcome is Outcome.FINISHED and run.certified_until == 1000.0
    assert len(run.events) == len(exact) == hits
    for event, (now, *_) in zip(run.events, exact, strict=True):
        assert holds(event.time, now) and event.time.width <= 2 * np.spacing(event.time[1])
    for now, x, y in exact[:: max(1, hits // 10)]:
        bounds = run.bounds(float(now))
        assert np.abs(bounds.positions[1:, 0].mean(axis=-1) - [float(x), float(y)]).max() < 1e-9


def box_of_balls(seed, count):
    """Balls with radii 1/2 within walls 3 from the middle."""
    rng = np.random.default_rng(seed)
    walls = [RigidBody(FLOOR, fixed=True, position=sign * 3.0 * axis, orientation=q)
             for axis, q in zip(np.eye(3), ((1, 0, 1, 0), (1, 1, 0, 0), (1, 0, 0, 0)), strict=True) for sign in (-1, 1)]
    places = rng.permutation(np.array([*itertools.product((-1.5, 0.0, 1.5), repeat=3)]))[:count] + 0.1 * rng.normal(size=(count, 3))
    return walls, [RigidBody(HALF, position=p, velocity=rng.normal(size=3), mass=float(rng.uniform(0.5, 2))) for p in places]


def simulated(balls, restitution, count):
    """Times and pairs of hits, from the closed forms with 150 digits, without bounds."""
    x, w = ([[mpf(float(e)) for e in getattr(b, name)] for b in balls] for name in ("position", "velocity"))
    m, now, found = [mpf(b.mass) for b in balls], mpf(0), []
    while len(found) < count:
        options = []
        for i in range(len(balls)):
            options += [((mpf("2.5") - x[i][k] * mpmath.sign(w[i][k])) / abs(w[i][k]), i, (k,)) for k in range(3)]
            for j in range(i):
                d, c = ([a - b for a, b in zip(e[i], e[j], strict=True)] for e in (x, w))
                toward, square = sum(a * b for a, b in zip(d, c, strict=True)), sum(a * a for a in c)
                root = toward**2 - square * (sum(a * a for a in d) - 1)
                options += [((-toward - mpmath.sqrt(root)) / square, i, (j, None))] if toward < 0 < root else []
        tau, i, what = min(options)
        now, x = now + tau, [[a + tau * b for a, b in zip(p, q, strict=True)] for p, q in zip(x, w, strict=True)]
        if len(what) == 1:
            w[i][what[0]] *= -restitution
        else:
            j = what[0]
            n = [a - b for a, b in zip(x[i], x[j], strict=True)]
            push = (1 + restitution) * sum(a * (b - c) for a, b, c in zip(n, w[i], w[j], strict=True)) / (1 / m[i] + 1 / m[j])
            w[i] = [a - push / m[i] * b for a, b in zip(w[i], n, strict=True)]
            w[j] = [a + push / m[j] * b for a, b in zip(w[j], n, strict=True)]
        found.append((now, i, what))
    return found


@pytest.mark.parametrize(("seed", "restitution"), [(0, 1.0), (1, 0.75)])
def test_chaos_is_followed(seed, restitution):
    # After some 30 hits no simulation in doubles is near the truth.
    walls, balls = box_of_balls(seed, 5)
    run = World([*walls, *balls], gravity=(0, 0, 0), restitution=restitution).run(events=60, certified=True)
    assert run.outcome is Outcome.FINISHED
    with mpmath.workdps(150):
        expected = simulated(balls, mpf(restitution), 60)
    for event, (now, i, what) in zip(run.events, expected, strict=True):
        assert mpf(event.time[0]) <= now <= mpf(event.time[1])
        pair = event.pairs[0].tolist()
        assert pair[1] == 6 + i and (pair[0] // 2 == what[0] if len(what) == 1 else pair[0] == 6 + what[0])


@pytest.mark.parametrize("seed", range(6))
def test_faces_edges_and_corners_are_hit_when_they_are_reached(seed):
    rng = np.random.default_rng(seed)
    aim = np.array([*rng.uniform((-1.6, -2.6), (1.6, 2.6)), 0.0])
    start, flight = aim + [*rng.uniform(-2, 2, 2), 3.0], 0.8
    velocity = (aim - start) / flight + [0, 0, 5 * flight]
    bodies = [RigidBody(PLATE, fixed=True), RigidBody(HALF, position=start, velocity=velocity)]
    run = World(bodies, gravity=(0, 0, -10)).run(until=1.2, certified=True)

    def distance(time):
        at = start + time * velocity - [0, 0, 5 * time**2]
        return np.linalg.norm(at - np.clip(at, [-1, -2, 0], [1, 2, 0])) - 0.5

    times = np.linspace(0, 1.2, 20001)
    near = np.array([distance(s) for s in times]) < 0
    assert bool(run.events) == near.any()
    if near.any():
        assert abs(run.events[0].time[0] - times[near.argmax()]) < 1e-4 and abs(distance(run.events[0].time[0])) < 1e-13


def test_a_solid_has_each_edge_once():
    faces = [ParametricSurface([u, v, 1], {u: (-1, 1), v: (-1, 1)}), ParametricSurface([1, u, v], {u: (-1, 1), v: (-1, 1)})]
    bodies = [RigidBody(Solid(faces), fixed=True), RigidBody(HALF, position=(3, 0.25, 3), velocity=(-1, 0, -1))]
    run = World(bodies, gravity=(0, 0, 0)).run(until=5.0, certified=True)
    (event,) = run.events
    np.testing.assert_allclose(event.points, [[1, 0.25, 1]], atol=1e-15)
    np.testing.assert_allclose(event.normals, [[0.5**0.5, 0, 0.5**0.5]], atol=1e-15)
    assert event.time[0] < 2 - 0.5 * 0.5**0.5 < event.time[1] + 1e-15


def test_bounds_hold_states_and_turns():
    ball = RigidBody(HALF, position=(0, 0, 2), spin=(1, 2, 3), orientation=(1, 1, 0, 0))
    run = World([RigidBody(FLOOR, fixed=True), ball], gravity=(0, 0, -10)).run(until=3.0, certified=True)
    for moment in (0.0, 0.4, 1.7, run.events[0].time[0]):
        bounds, state = run.bounds(moment), run.state(moment)
        signs = np.sign(np.einsum("ki,ki->k", bounds.quaternions.mean(axis=-1), state.quaternions))[:, None]
        for own, other in ((bounds.positions, state.positions), (bounds.quaternions, state.quaternions * signs),
                           (bounds.spins, state.spins)):
            assert (own[..., 0] - 1e-13 <= other).all() and (other <= own[..., 1] + 1e-13).all()
    # 5 t^2 = 3/2 at the hit, which no double is: nothing tells before it from after it within the bracket, but at no double either.
    assert run.bounds(run.events[0].time[0]).velocities[1, 2, 1] < 0 < run.bounds(run.events[0].time[1]).velocities[1, 2, 0]


def cradle():
    bodies = [RigidBody(BALL, position=(-5, 0, 0), velocity=(1, 0, 0)), *(RigidBody(BALL, position=(3 * k, 0, 0)) for k in (0, 1))]
    return [*bodies, RigidBody(BALL, position=(0, 5, 0), velocity=(0, -1, 0))]


@pytest.mark.parametrize(("bodies", "restitution", "until", "what"), [
    (cradle(), 1.0, 3.0, "which one is first"),
    ([RigidBody(FLOOR, fixed=True), RigidBody(BALL, position=(0, 0, 1))], 1.0, 0.0, "contacts that last"),
    ([RigidBody(FLOOR, fixed=True), RigidBody(BALL, position=(0, 0, 6))], 0.0, 1.0, "contacts that last"),
    # It only grazes the other one.
    ([RigidBody(BALL), RigidBody(BALL, position=(2, 0, 5), velocity=(0, 0, -5))], 1.0, 1.0, "not decided"),
])  # fmt: skip
def test_what_is_not_decided_is_a_value(bodies, restitution, until, what):
    gravity = (0, 0, -10) if bodies[0].fixed else (0, 0, 0)
    run = World(bodies, gravity=gravity, restitution=restitution).run(until=4.0, certified=True)
    assert run.outcome is Outcome.UNRESOLVED and what in run.reason and ". " not in run.reason
    assert run.certified_until == run.until and until - 1e-9 < run.until <= until


def test_hits_of_others_at_the_same_time_are_no_doubt():
    pairs = [RigidBody(BALL, position=(x, y, 0), velocity=(-x / 5, 0, 0)) for y in (0, 20) for x in (-5, 5)]
    run = World(pairs, gravity=(0, 0, 0)).run(until=10.0, certified=True)
    assert run.outcome is Outcome.FINISHED and all(holds(e.time, 4) for e in run.events) and len(run.events) == 2


def test_runs_go_on_and_are_saved(tmp_path):
    world = World(blocks(100), gravity=(0, 0, 0))
    whole, part = world.run(until=100.0, certified=True), world.run(events=7, certified=True)
    assert len(part.events) == 7 and part.certified_until == part.until
    on = part.resumed(until=100.0)
    assert [e.time for e in on.events] == [e.time for e in whole.events] and on.certified_until == 100.0
    whole.save(tmp_path / "run.json")
    loaded = world.load(tmp_path / "run.json")
    assert loaded.certified_until == 100.0 and [e.time for e in loaded.events] == [e.time for e in whole.events]
    with pytest.raises(ValueError, match="copies of runs and loaded ones"):
        loaded.bounds(1.0)
    with pytest.raises(ValueError, match="only certified runs"):
        world.run(events=1).bounds(0.0)
    assert world.run(events=1).certified_until is None


@pytest.mark.parametrize(("world", "what"), [
    (World([RigidBody(BALL), RigidBody(FLOOR, motion=Rigid(translation=[0, 0, t]))]), "body 1"),
    (World([RigidBody(BALL), RigidBody(BALL, position=(5, 0, 0))], friction=0.1), "without friction"),
    (World([RigidBody(BALL), RigidBody(BALL, position=(1, 0, 0))]), "overlap at the start"),
    (World([RigidBody(BALL), RigidBody(FLOOR, position=(0, 0, 0.5), fixed=True)]), "overlap at the start"),
    (World([RigidBody(BALL)], response=lambda impact: None), "responses of a world by name"),
])  # fmt: skip
def test_what_is_not_certified_is_refused(world, what):
    with pytest.raises(ValueError, match=what) as error:
        world.run(until=1.0, certified=True)
    assert ". " not in str(error.value)


def test_a_cap_is_no_ball():
    cap = ParametricSurface(BALL.body, {u: (0, 2 * sp.pi), v: (0, sp.pi / 2)})
    falling = RigidBody(cap, position=(0, 0, 3), mass=1, centre=(0, 0, 0), inertia=np.eye(3))
    run = World([falling, RigidBody(FLOOR, fixed=True)], gravity=(0, 0, -10)).run(until=1.0, certified=True)
    # Its rim touches, all round, where that of a ball would be in the floor.
    assert run.outcome is Outcome.UNRESOLVED and not run.events and abs(run.until - 0.6**0.5) < 1e-9
