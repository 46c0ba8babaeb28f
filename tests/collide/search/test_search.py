"""The search itself: its queues, its memory, its slices, and that no contact is lost on the way."""

import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import sympy as sp

import collide
from collide.bodies.parts import ends_of, faces_of
from collide.search.budget import Budget
from collide.search.clock import READING, Clock
from collide.search.drive import advance, drive
from collide.search.native import layout
from collide.search.options import Options
from collide.search.prepare import METHODS
from collide.search.search import Search
from collide.situations.contact import situation
from generative import ParametricSurface, Rigid, axis_angle, t, u, v
from tests.benchmarks.families import bicubic, drawn
from tests.benchmarks.families import problem as family_problem
from tests.benchmarks.general import bounds

HALF = sp.Rational(1, 2)


def torus(large=1, small=sp.Rational(3, 10), from_u=0, from_v=0):
    r = large + small * sp.cos(v)
    return ParametricSurface([r * sp.cos(u), r * sp.sin(u), small * sp.sin(v)],
                             {u: (from_u, 2 * sp.pi + from_u), v: (from_v, 2 * sp.pi + from_v)})


def crossed():
    """Two linked-looking rings at right angles, in general position: two simultaneous points."""
    pose = Rigid(rotation=axis_angle([1, 2, 2], sp.Rational(7, 10)), translation=[sp.Rational(1, 7), sp.Rational(2, 9), HALF])
    ring = torus(from_u=sp.Rational(3, 7), from_v=sp.Rational(5, 11))
    return ring.moved(pose @ Rigid(rotation=[[1, 0, 0], [0, 0, -1], [0, 1, 0]], translation=[0, 0, 3 - t])), ring.moved(pose)


def problem(pair, time=(0, 4), **changes):
    return replace(situation(faces_of(pair[0])[0], faces_of(pair[1])[0], time), **changes)


@pytest.fixture(scope="module")
def rings():
    return problem(crossed())


def finish(search, slice_steps=100_000):
    while True:
        reason = search.run(slice_steps)
        if reason == layout.FINISHED:
            return search
        if reason == layout.NEED_BOXES:
            search.grow_boxes()
        elif reason == layout.NEED_SOLUTIONS:
            search.grow_solutions()


def heap_is_ordered(search, p=0):
    a = search.arrays
    stack, seen = [int(a.table(layout.ProblemRow)["root"][p])], 0
    while stack:
        i = stack.pop()
        seen += 1
        child = int(a["child"][i])
        while child >= 0:
            assert a["key"][i] <= a["key"][child]
            stack.append(child)
            child = int(a["sibling"][child])
    return seen


def test_the_queue_is_ordered_and_every_box_is_queued_or_free(rings):
    search = Search([rings], Options(simultaneity=1e-6, spacing=0.1))
    for _ in range(40):
        if search.run(7) == layout.NEED_BOXES:
            search.grow_boxes()
        count, free = search.open_count, search.arrays.number("unused")
        assert count == 0 or heap_is_ordered(search) == count == len(search.open_boxes())
        assert count + free == len(search.arrays["key"])
        unused = search.arrays["free"][:free]
        assert len(set(unused.tolist())) == free


def test_slices_and_growing_memory_change_nothing(rings):
    whole, sliced = (Search([rings], Options(simultaneity=1e-6, spacing=0.1)) for _ in range(2))
    sliced.grow_boxes()
    sliced.grow_solutions()
    finish(whole), finish(sliced, slice_steps=3)
    assert whole.iterations == sliced.iterations > 500
    assert (whole.arrays["real"] == sliced.arrays["real"]).all() and len(whole.solutions) == len(sliced.solutions) == 2
    for k in whole.solutions:
        assert (whole.found(k) == sliced.found(k)).all()


def test_any_number_of_boxes_may_be_queued_at_the_beginning(rings):
    rng = np.random.default_rng(6)
    ends = np.sort(rng.uniform(rings.outer[:, 0], rings.outer[:, 1], (2, 9000, len(rings.outer))), axis=0)
    boxes = np.moveaxis(ends, 0, -1)
    search = Search([rings], starts=[boxes])
    queued = search.open(0)
    assert heap_is_ordered(search) == len(queued) == len(boxes) == search.open_count
    assert np.array_equal(*(b[np.lexsort(b.reshape(len(b), -1).T)] for b in (queued, boxes)))
    assert search.least_open(0) == boxes[:, rings.objective, 0].min()


def test_a_copied_state_goes_on_like_the_original(rings):
    search = Search([rings], Options(simultaneity=1e-6, spacing=0.1))
    search.run(100)
    saved = {name: a.copy() for name, a in search.arrays.items()}
    finish(search)
    other = Search([rings], Options(simultaneity=1e-6, spacing=0.1))
    for name, a in saved.items():
        other.arrays[name][...] = a
    finish(other)
    assert (search.arrays["real"] == other.arrays["real"]).all() and search.iterations == other.iterations


def test_memory_stays_flat_where_boxes_are_dropped_as_fast_as_they_are_made(rings):
    search = Search([rings], Options(simultaneity=1e-6, spacing=0.1))
    before = search.bytes
    finish(search)
    assert search.bytes == before and search.arrays.number("unused") == len(search.arrays["key"])


@pytest.mark.parametrize("seconds, most", [(1e-6, 8), (1e-3, 80), (1.0, 2000)])
def test_slices_are_run_in_parts_that_are_prompt(monkeypatch, seconds, most):
    """Whatever a step takes, by a clock of the search's own; and a slice is as long as without one."""
    now, parts = [0.0], []

    def run(steps):
        parts.append(steps)
        now[0] += steps * seconds
        return layout.SLICE

    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    search = SimpleNamespace(run=run, pause=lambda: None)
    clock = Clock(Budget(seconds=None))
    assert not advance(search, 2000, clock) and sum(parts) == 2000 and len(parts) <= most
    assert all(steps <= max(1, 0.05 / seconds) for steps in parts[1:])


def test_a_slice_ends_as_soon_as_the_time_is_up(monkeypatch):
    now, parts = [0.0], []

    def run(steps):
        parts.append(steps)
        now[0] += 0.25 * steps
        return layout.SLICE

    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    advance(SimpleNamespace(run=run, pause=lambda: None), 2000, Clock(Budget(seconds=10)))
    assert sum(parts) * 0.25 < 11


def test_a_search_that_leaves_many_boxes_stops_in_time_to_read_them():
    clock = Clock(Budget(seconds=10), reading=READING)
    for left, stops in ((1000, False), (10_000_000, True)):
        assert clock.spent(SimpleNamespace(steps=1, iterations=1, open_count=left // 2, solution_count=left // 2, bytes=0)) is stops


def test_an_interrupt_keeps_what_is_proved(rings, monkeypatch):
    search = Search([rings], Options(simultaneity=1e-6, spacing=0.1))
    calls = []

    def interrupted(steps):
        calls.append(steps)
        if len(calls) > 3:
            raise KeyboardInterrupt
        return Search.run(search, 5)

    monkeypatch.setattr(search, "run", interrupted)
    clock = Clock(Budget())
    assert not drive(search, clock) and clock.interrupted
    assert search.iterations > 50 and search.open_boxes()


def test_a_spent_budget_says_how_far_it_is_clear():
    a, b = crossed()
    exact = collide.first_contact([a, b], time=(0, 4))
    assert exact.status is collide.Status.CONTACT and exact.proved.all()
    for boxes in (1, 100):  # a budget of boxes is kept to within a step or two of eight
        c = collide.first_contact([a, b], time=(0, 4), budget=collide.Budget(boxes=boxes))
        assert c.status is collide.Status.BUDGET_SPENT and c.clear_until <= exact.time.lo and boxes <= c.iterations <= boxes + 16
        assert "limit of boxes" in c.summary() and "converting" not in c.summary()
        rest = collide.first_contact([a, b], time=(c.clear_until, 4))
        assert rest.status is collide.Status.CONTACT and len(rest) == 2 and rest.proved.all()
        assert max(rest.time.lo, exact.time.lo) <= min(rest.time.hi, exact.time.hi)


@pytest.mark.parametrize("refused", [False, True])
def test_a_limit_of_memory_is_a_spent_budget(monkeypatch, refused):
    """A pair of coaxial tori without thinning: boxes multiply round the circle. What is proved so far is kept."""
    if refused:
        def grow(self):
            raise MemoryError

        monkeypatch.setattr(Search, "grow_boxes", grow)
    above = torus().moved(Rigid(translation=[sp.Rational(1, 7), 0, 2 - t]))
    below = torus().moved(Rigid(translation=[sp.Rational(1, 7), 0, 0]))
    budget = collide.Budget(seconds=60, bytes=None if refused else 4_000_000)
    c = collide.first_contact([above, below], (0, 2), method="subdivision", spacing=1e-6, budget=budget)
    assert c.status is collide.Status.BUDGET_SPENT and "budget was spent" in c.summary()
    assert 0 < c.clear_until <= 1.4 <= c.time.hi and c.iterations > 1000


@pytest.mark.parametrize("method", [m for m in METHODS if m != "auto"])
def test_the_methods_agree(rings, method):
    fast = finish(Search([rings], Options(simultaneity=1e-6, spacing=0.1)))
    other = Search([rings], Options(method=method, simultaneity=1e-4, spacing=0.1, tolerance=1e-3))
    for _ in range(30):
        reason = other.run(2000)
        if reason == layout.NEED_BOXES:
            other.grow_boxes()
        if reason == layout.FINISHED:
            break
    u_fast, u_other = fast.proved, other.proved
    assert abs(u_fast - u_other) < 1e-9
    assert other.iterations > fast.iterations / 4


@pytest.mark.parametrize("later, thinned", [(0.008, True), (0.02, False)])
def test_samples_thin_out_only_what_is_simultaneous(rings, later, thinned):
    """Points planted at the contacts, located a little later. Within the simultaneity they thin out all boxes that hold the contacts:
    then nothing may be called clear beyond the true time. Later than that they must not hide them, however near they are in
    space (Snyder 1993, footnote 9).
    """
    plain = finish(Search([rings], Options(simultaneity=1e-6, spacing=0.5)))
    short = problem(crossed(), (sp.Rational(3, 2), sp.Rational(177, 100)))
    search = Search([short], Options(sample=False, simultaneity=0.01, spacing=0.5, tolerance=1e-6))
    for k in plain.solutions:
        for name in ("found", "place"):
            search.arrays[name][k] = plain.arrays[name][k]
        search.arrays["found"][k, 4] += later
        search.arrays["kind"][k] = layout.LOCATED
    search.solution_count = len(plain.solutions)
    search.proved = plain.proved + 0.008
    finish(search)
    new = len(search.solutions) - len(plain.solutions)
    assert len(plain.solutions) == 2 and (new == 0 if thinned else new >= 2)
    assert search.clear <= plain.proved


# -- contact anywhere on closed patches ---------------------------------------------------------------------------


def plate(height, **domain):
    return ParametricSurface([u, v, height], {u: domain.get("u", (-1, 1)), v: domain.get("v", (-1, 1))})


def turned(surface, axis, angle, move):
    return surface.moved(Rigid(rotation=axis_angle(axis, angle), translation=move))


BORDERS = {
    # a plate tilted about x comes down on another one: its lower edge meets it at z = 0
    "edge on face": (turned(plate(0), [1, 0, 0], sp.pi / 6, [0, 0, 2 - t]), plate(0, u=(-3, 3), v=(-3, 3)), sp.Rational(3, 2)),
    # tilted about x and then y: its lowest corner
    "corner on face": (plate(0).moved(Rigid(rotation=axis_angle([0, 1, 0], sp.pi / 6) * axis_angle([1, 0, 0], sp.pi / 6),
                                            translation=[sp.Rational(1, 9), sp.Rational(1, 11), 3 - t])),
                       plate(0, u=(-3, 3), v=(-3, 3)), 3 - HALF - sp.sqrt(3) / 4),
    # two plates on edge, the edges crossing at right angles at the origin of the plane: the upper one reaches down by 1
    "edge on edge": (turned(plate(0), [1, 0, 0], sp.pi / 2, [sp.Rational(1, 7), 0, 3 - t]),
                     turned(plate(0), [0, 1, 0], sp.pi / 2, [0, sp.Rational(1, 5), 0]), sp.Integer(1)),
}


@pytest.mark.parametrize("name", BORDERS)
def test_contact_on_edges_and_corners_of_closed_patches(name):
    first, second, exact = BORDERS[name]
    search = finish(Search([problem((first, second), necessary=())], Options(simultaneity=1e-6, spacing=0.3)))
    time = float(exact)
    assert time - 1e-12 <= search.proved <= time + 1e-6
    least = min([search.clear, *(search.found(k)[-1, 0] for k in search.solutions)])
    assert time - 2e-6 <= least <= time + 1e-12


def wavy(rng, side):
    """A patch of a wavy ellipsoid that turns and speeds up towards the other one; all numbers are positive, so that the
    surfaces are one family.
    """
    def number(lo, hi):
        return sp.Rational(2 * int(rng.uniform(lo, hi) * 1000) + 1, 2000)

    a, b, c, e = number(0.7, 1.3), number(0.7, 1.3), number(0.7, 1.3), number(0.02, 0.1)
    w = 1 + e * sp.sin(3 * u + number(0, 6)) * sp.cos(4 * v + number(0, 6))
    patch = ParametricSurface([a * w * sp.cos(u) * sp.cos(v), b * w * sp.sin(u) * sp.cos(v), c * w * sp.sin(v)],
                              {u: (-number(0.5, 1), number(0.5, 1)), v: (-number(0.4, 0.9), number(0.4, 0.9))})
    turn = axis_angle([number(0.1, 1), number(0.1, 1), number(0.1, 1)], number(0.1, 1) + number(0.1, 1) * t)
    if side:
        turn = turn * axis_angle([0, 0, 1], sp.pi)
    ahead = number(2.2, 3) - number(0.8, 1.6) * t - number(0.1, 0.5) * t**2
    along = ahead if side else number(0.1, 0.2) * t
    return patch.moved(Rigid(rotation=turn, translation=[along, number(0.1, 0.3) * t, number(0.1, 0.3) * t]))


def referee(surface):
    """The point and its derivatives by u and v, (3, 3, n), at places (n,) and a moment."""
    point = surface.expressions
    function = sp.lambdify((u, v, t), [*point, *(sp.diff(e, w) for w in (u, v) for e in point)], cse=True)

    def at(a, b, moment):
        return np.array([np.broadcast_to(np.asarray(c, float), a.shape) for c in function(a, b, moment)]).reshape(3, 3, -1)

    return at


def distance(pair, referees, moment, starts, rng):
    """The least local minimum of the distance at one moment from random starts, by projected Gauss-Newton steps."""
    ends = np.array([[float(x) for x in s.domain[w]] for s in pair for w in (u, v)])
    x = ends[:, :1] + rng.random((4, starts)) * (ends[:, 1:] - ends[:, :1])

    best = np.full(starts, np.inf)
    for _ in range(60):
        first, second = (at(*x[2 * k:2 * k + 2], moment) for k, at in enumerate(referees))
        gap = first[0] - second[0]
        best = np.minimum(best, np.linalg.norm(gap, axis=0))
        j = np.concatenate([first[1:], -second[1:]])
        matrix = np.einsum("iks,jks->sij", j, j) + 1e-2 * np.eye(4)
        step = np.linalg.solve(matrix, -np.einsum("iks,ks->si", j, gap)[..., None])[..., 0].T
        x = np.clip(x + step, ends[:, :1], ends[:, 1:])
    return best.min()


def closed_problem(pair, time):
    """Faces that stand for their borders: where these touch something, no tangent planes need agree."""
    a, b = (replace(face, border=ends_of(face)) for body in pair for face in faces_of(body))
    return situation(a, b, time)


def test_nothing_touches_before_the_proved_time():
    rng = np.random.default_rng(11)
    hits = 0
    for _ in range(4):
        pair = wavy(rng, 0), wavy(rng, 1)
        search = finish(Search([closed_problem(pair, (0, 2)).as_member()], Options(simultaneity=1e-6, spacing=0.1)))
        proved = search.proved
        clear = min([2.0, search.clear, *(search.found(k)[-1, 0] for k in search.solutions)])
        referees = [referee(s) for s in pair]
        for moment in (0.5 * clear, 0.9 * clear, clear - 1e-3):
            assert distance(pair, referees, moment, 60, rng) > 1e-5
        if proved < np.inf:
            hits += 1
            assert clear <= proved <= clear + 2e-6
            assert distance(pair, referees, proved, 300, rng) < 1e-3
    assert hits >= 2


def hanging_ball(x, z):
    return ParametricSurface([sp.cos(u) * sp.cos(v) + x, sp.sin(v), sp.sin(u) * sp.cos(v) + z],
                             {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)}, flipped=True)


def test_a_zero_just_outside_the_domain_is_no_contact():
    """A ball comes down by 1e-5 beside a plate. It meets the plane of the plate first, and the plate's edge 5e-11 later."""
    beside = sp.Rational(1, 10**5)
    c = collide.first_contact([hanging_ball(1 + beside, 3 - t), plate(0, v=(-2, 2))], (0, 4))
    exact = 3 - sp.sqrt(1 - beside**2)
    assert c.status is collide.Status.CONTACT
    assert sp.Rational(c.time.lo) <= exact <= sp.Rational(c.time.hi) and sp.Rational(c.clear_until) <= exact


def test_a_near_miss_is_not_proved_to_be_a_contact():
    """A ball swings by a plate at the distance 1e-9: what a local solve takes for a zero is none."""
    low = 1 + sp.Rational(1, 10**9)
    c = collide.first_contact([hanging_ball(t / 7, low + (t - 1) ** 2), plate(0, v=(-2, 2))], (0, 2))
    assert c.status in (collide.Status.NO_CONTACT, collide.Status.UNRESOLVED) and not c.existence.any()


def test_a_long_time_span_costs_little():
    """Patches that meet or miss within the first second, and speed up for a hundred: windows of time become short by themselves."""
    family = bicubic()
    numbers, boxes = drawn(family, 10)
    boxes[:, 4, 1] = 100.0
    whole = family_problem(family, True)
    for k in (3, 5, 8, 9):
        search = Search([whole.instance(np.stack([numbers[k]] * 2, axis=1), boxes[k], boxes[k])], Options(spacing=0.1))
        search.gap = 1e-6
        reason = search.run(2000)
        assert reason == layout.FINISHED and search.iterations < 5000


def test_contacts_of_sides_and_corners_are_proved():
    """In any motion: a side with a side, and corners with the other patch. (Fails without crossings beside accepted boxes.)"""
    family = bicubic()
    numbers, boxes = drawn(family, 164)
    whole = family_problem(family, False)
    for k in (25, 52, 155, 163):
        clear, proved = bounds(whole, numbers[k:k + 1], boxes[k:k + 1])[0]
        assert clear <= proved <= clear + 1.001e-6
