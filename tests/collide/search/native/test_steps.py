"""Single steps of the search, against zeros that are known in closed form: none is lost, none is invented."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from codegen.machine.loop_runtime import compiled
from codegen.machine.loops import native
from codegen.time_bounds.advance import Advance
from collide.bodies.parts import faces_of
from collide.search.native import layout
from collide.search.native.boxes import inside_region, known, too_late, trim
from collide.search.native.conservative_advancement import halve, narrow
from collide.search.native.crossings_beside import prove_beside
from collide.search.native.layout import SearchMemory
from collide.search.native.prove import prove, prove_exists, prove_unique
from collide.search.native.sample import due, prove_near
from collide.search.native.solutions import feasible, impossible
from collide.search.native.split import split
from collide.search.options import Options
from collide.search.search import Search
from collide.situations.contact import situation
from generative import ImplicitSurface, ParametricSurface, Rigid, t, u, v, x, y, z

R = sp.Rational
PLATE = ParametricSurface([u, v, 0], {u: (-1, 1), v: (-1, 1)})
BALL = [sp.cos(u) * sp.cos(v), sp.sin(v), sp.sin(u) * sp.cos(v)]


def search(first, second, time, *, tangency=True, closed=False, **options):
    """`closed`: the necessary conditions, if any, are taken to hold up to the borders."""
    problem = situation(*faces_of(first), *faces_of(second), time, tangency=tangency)
    return Search([replace(problem, border=None) if closed else problem], Options(**options))


def queued_everywhere(found, zeros):
    """Does each zero lie in a queued box?"""
    left = np.ones(len(zeros), bool)
    for box in found.open(0):
        left &= ~((box[:, 0] <= zeros) & (zeros <= box[:, 1])).all(axis=1)
    return not left.any()


# -- no zero is lost ----------------------------------------------------------------------------------------------

# A plate that comes down on another one, tilted: the point above (u, v) reaches it at 1 + u/4 + v/8. A grid of multiples of 2^-11 makes
# these moments exact, and bounds from slopes, too, which are exact for plates: what a window loses at its beginning was contact.
TILTED = [u, v, u / 4 + v / 8 + 1 - t]


def meetings(count):
    rng = np.random.default_rng(3)
    a, b = np.round(rng.uniform(-1, 1, (2, count)) * 2048) / 2048
    return np.column_stack([a, b, a, b, 1 + a / 4 + b / 8])


def falling(motion):
    """The same as a shape and its motion, and as one formula that is not of that form, with the same zeros."""
    if motion == "apart":
        return ParametricSurface([u, v, TILTED[2] + t], PLATE.domain).moved(Rigid(translation=[0, 0, -t]))
    return ParametricSurface([u, v, TILTED[2] * (1 + u**2 * sp.sin(u * t) / 100)], PLATE.domain)


@pytest.mark.parametrize("motion", ["apart", "together"])
def test_no_window_moves_on_beyond_a_contact(motion):
    """Without an upper bound every contact stays in a queued box."""
    found = search(falling(motion), PLATE, (0, 2), tangency=False, sample=False)
    zeros = meetings(4000)
    for _ in range(12):
        assert found.run(8) == layout.SLICE and queued_everywhere(found, zeros)
    assert isinstance(found.problems[0].advance, Advance) is (motion == "together")
    assert found.open_count > 100 and found.proved == np.inf


@native
def narrow_lanes(s: SearchMemory, p: layout.ProblemRow) -> int:
    narrow(s, p)
    return 0


@pytest.mark.parametrize("motion", ["apart", "together"])
def test_a_box_is_not_narrowed_beyond_a_contact(motion):
    """Boxes round random contacts, which begin earlier by up to 1: the lower ends of all windows stay before the contacts."""
    found = search(falling(motion), PLATE, (0, 2), tangency=False)
    rng, a = np.random.default_rng(4), found.arrays
    progress = 0.0
    for size in 2.0 ** -np.arange(1, 12):
        zeros = meetings(8)
        # A contact in the corner where it comes first, or near to it.
        lo, hi = zeros - size * rng.integers(0, 2, zeros.shape) / 1024, zeros + size
        lo[:, 4] = zeros[:, 4] - size
        a["alive"][:], a["X"][0:5] = 1.0, np.stack([-lo.T, hi.T], axis=1)
        compiled(narrow_lanes)(a.address, 0)
        assert (a["alive"] == 1.0).all() and (-a["X"][4, 0] <= zeros[:, 4]).all() and (a["X"][4, 1] >= zeros[:, 4]).all()
        progress = max(progress, (-a["X"][4, 0] - lo[:, 4]).max() / size)
    assert progress > 0.9


@native
def halve_held(s: SearchMemory, p: layout.ProblemRow, j: int) -> int:
    return halve(s, p, 0, 1, j)


@native
def split_held(s: SearchMemory, p: layout.ProblemRow, j: int) -> int:
    split(s, p, 0, j)
    return 0


@pytest.mark.parametrize("j", range(5))
def test_the_halves_of_a_box_leave_no_gap(j):
    rng = np.random.default_rng(j)
    found = search(ParametricSurface(TILTED, PLATE.domain), PLATE, (0, 2))
    a = found.arrays
    for _ in range(20):
        box = np.sort(rng.normal(size=(5, 2)) * 10.0 ** rng.integers(-9, 9), axis=1)
        a.table(layout.ProblemRow)["root"][0], a["before"][0], a["hold"][0] = -1, box, box
        assert compiled(halve_held)(found.arrays.address, 0, j) == 2
        compiled(split_held)(found.arrays.address, 0, j)
        for first, second in (a["before"][:2], sorted(found.open(0), key=lambda part: part[j, 0])):
            assert first[j, 0] == box[j, 0] and second[j, 1] == box[j, 1] and first[j, 1] >= second[j, 0]
            others = np.arange(5) != j
            assert (first[others] == box[others]).all() and (second[others] == box[others]).all()


@native
def due_held(s: SearchMemory, p: layout.ProblemRow) -> int:
    return 1 if due(s, p, 0) else 0


def test_a_horizon_before_time_zero_is_no_size_of_a_box_that_was_solved_in():
    found = search(falling("together"), PLATE, (-2, 0), tangency=False)
    a = found.arrays
    a["hold"][0], a["action"][0], a["beside"][0], a["until"][0] = found.problems[0].outer, layout.LATE, -1, -0.5
    for tried, expected in ((np.inf, 1), (0.5, 0), (8.0, 1)):
        a["tried_at"][0] = tried
        assert compiled(due_held)(a.address, 0) == expected


@native
def late_held(s: SearchMemory, p: layout.ProblemRow) -> int:
    return 1 if too_late(s, p, s.hold[0]) else 0


@native
def trim_held(s: SearchMemory, p: layout.ProblemRow) -> int:
    trim(s, p, s.hold[0])
    return 0


def test_what_comes_with_the_first_contact_is_not_too_late():
    """Boxes that begin at a proved contact or up to `simultaneity` after it stay, and keep all times up to there."""
    found = search(ParametricSurface(TILTED, PLATE.domain), PLATE, (0, 2), simultaneity=0.25)
    held = found.arrays["hold"][0]
    for proved, last in ((np.inf, np.inf), (1.0, 1.25)):
        found.proved = proved
        for begin in (0.5, 1.0, 1.125, 1.25, np.nextafter(1.25, 2), 1.5):
            held[:] = [[0, 1]] * 4 + [[begin, 1.75]]
            assert bool(compiled(late_held)(found.arrays.address, 0)) is bool(begin > last)
            compiled(trim_held)(found.arrays.address, 0)
            assert held[4, 0] == begin and held[4, 1] == max(min(1.75, last), begin) and (held[:4] == [0, 1]).all()


@native
def inside_held(s: SearchMemory, p: layout.ProblemRow) -> int:
    return 1 if inside_region(s, p, s.hold[0], 0) else 0


@native
def known_held(s: SearchMemory, p: layout.ProblemRow) -> int:
    return 1 if known(s, p, s.hold[0]) else 0


def kept(found, region, period):
    """A unique zero in this region."""
    a = found.arrays
    a["region"][0], a["period"][0], a["kind"][0], a["owner"][0] = region, period, layout.UNIQUE, 0
    found.solution_count = 1
    return a["hold"][0], lambda entry: bool(compiled(entry)(a.address, 0))


@pytest.mark.parametrize("j", range(5))
def test_a_box_that_sticks_out_of_a_region_is_not_in_it(j):
    """By one rounding, at either end of any variable, periodic or not, or by much."""
    region = np.array([[-0.5, 0.25], [0.125, 0.75], [-1, 1], [0.5, 0.625], [1, 1.5]])
    for period in (0.0, 4.0):
        held, said = kept(search(ParametricSurface(TILTED, PLATE.domain), PLATE, (0, 2)), region, np.full(5, period))
        held[:] = region
        assert said(inside_held) and said(known_held)
        for end, far in ((0, -9), (1, 9)):
            for out in (np.nextafter(region[j, end], far), region[j, end] + far / 100, far):
                held[:] = region
                held[j, end] = out
                assert not said(inside_held) and not said(known_held), (period, end, out)
        for aside in (1.5, -1.5):
            held[:] = region
            held[j] += aside
            assert not said(inside_held)


@pytest.mark.parametrize("turns", [-3, -1, 1, 2])
def test_a_box_lies_in_a_region_up_to_whole_periods_and_a_margin(turns):
    """The period is known to some roundings only, so a shifted box must be a little smaller than the region."""
    region, period = np.array([[-0.5, 0.25]] + [[0, 1]] * 4), np.array([2 * np.pi, 0, 0, 0, 0])
    held, said = kept(search(ParametricSurface(TILTED, PLATE.domain), PLATE, (0, 2)), region, period)
    for begin, end, inside in ((-0.4, 0.2, True), (-0.5, 0.2, False), (-0.4, 0.25, False), (-0.4, 0.3, False),
                               (-0.5 + 1e-9, 0.25 - 1e-9, True)):
        held[:] = region
        held[0] = np.array([begin, end]) + turns * 2 * np.pi
        assert said(inside_held) is inside
        held[0] += np.pi
        assert not said(inside_held)
    held[:] = region
    held[1] += turns * 2 * np.pi
    assert not said(inside_held)


def test_only_a_unique_zero_of_the_same_problem_settles_a_box():
    found = search(ParametricSurface(TILTED, PLATE.domain), PLATE, (0, 2))
    held, said = kept(found, np.array([[0, 1]] * 5), np.zeros(5))
    held[:] = [0.25, 0.5]
    for kind, owner, settled in ((layout.UNIQUE, 0, True), (layout.ALONE, 0, True), (layout.EXISTS, 0, False), (layout.LOCATED, 0, False),
                                 (layout.UNIQUE, 1, False)):
        found.arrays["kind"][0], found.arrays["owner"][0] = kind, owner
        assert said(known_held) is settled


# -- none is invented ---------------------------------------------------------------------------------------------


@native
def unique_at(s: SearchMemory, p: layout.ProblemRow) -> int:
    return 1 if prove_unique(s, p) else 0


@native
def exists_at(s: SearchMemory, p: layout.ProblemRow) -> int:
    return 1 if prove_exists(s, p) else 0


@native
def prove_at(s: SearchMemory, p: layout.ProblemRow) -> int:
    return 1 if prove(s, p, False) else 0


def tried(entry, found, centre):
    """What a test says at a point."""
    found.arrays["centre"][:len(centre)] = centre
    return bool(compiled(entry)(found.arrays.address, 0))


@pytest.mark.parametrize("entry", [unique_at, exists_at, prove_at])
@pytest.mark.parametrize("gap", [1e-12, 1e-6])
def test_where_bodies_pass_nothing_is_proved(entry, gap):
    """A ball swings by a plate, nearest to it at u = -pi/2, v = 0, t = 1: the equations have no zero there nor anywhere."""
    low = 1 + R(gap)
    ball = ParametricSurface([BALL[0], BALL[1], BALL[2] + low + (t - 1) ** 2], {u: (-3, 0), v: (-1, 1)})
    found = search(ball, PLATE, (0, 2), tangency=entry is not exists_at)
    rng = np.random.default_rng(5)
    for size in 10.0 ** np.arange(-9, 0):
        for _ in range(10):
            a, b, moment = np.array([-np.pi / 2, 0, 1]) + size * rng.uniform(-1, 1, 3)
            centre = [a, b, np.cos(a) * np.cos(b), np.sin(b), moment]
            assert not tried(entry, found, centre), (size, centre)
    assert found.proved == np.inf and not found.solutions


@native
def prove_near_held(s: SearchMemory, p: layout.ProblemRow) -> int:
    prove_near(s, p, s.hold[0], 0.8)
    return 0


@native
def prove_beside_held(s: SearchMemory, p: layout.ProblemRow) -> int:
    prove_beside(s, p, s.hold[0])
    return 0


@pytest.mark.parametrize("entry", [prove_near_held, prove_beside_held])
@pytest.mark.parametrize("cut", [True, False])
def test_proofs_round_a_box_need_a_crossing(entry, cut):
    """A plate comes down on a ball. Local solves find where it meets the top at t = 1, or just after; where that is cut off at z = 1/2
    it is no contact, and the first one comes at t = 3/2.
    """
    ball = ImplicitSurface(x**2 + y**2 + z**2 - 1, bounds=[(-2, 2), (-2, 2), (-2, R(1, 2) if cut else 2)])
    found = search(ball, ParametricSurface([u, v, 2 - t], PLATE.domain), (0, 4), tangency=False)
    for size in 10.0 ** np.arange(-9, -1):
        found.arrays.table(layout.ProblemRow)["tried_beside"][0] = 0
        found.arrays["hold"][0] = [[-size, size], [-size, size], [1, 1 + size]]
        compiled(entry)(found.arrays.address, 0)
    assert found.proved >= 1.5 if cut else 1 <= found.proved < 1.1


@native
def impossible_held(s: SearchMemory, p: layout.ProblemRow) -> int:
    return 1 if impossible(s, p, s.hold[0]) else 0


@native
def feasible_held(s: SearchMemory, p: layout.ProblemRow) -> int:
    return 1 if feasible(s, p, s.hold[0]) else 0


@pytest.mark.parametrize("j", range(4))
@pytest.mark.parametrize(("ends", "inside", "outside"), [
    ((-1, 1), True, False), ((0.5, 0.75), True, False), ((0.5, 1 + 1e-9), False, False), ((-1 - 1e-9, 0), False, False),
    ((-2, 2), False, False), ((1, 1), True, False), ((1 + 1e-9, 2), False, True), ((-2, -1 - 1e-9), False, True)])
def test_a_box_is_in_the_domain_or_outside_or_neither(j, ends, inside, outside):
    found = search(ParametricSurface(TILTED, PLATE.domain), PLATE, (0, 2))
    found.arrays["hold"][0] = [[0.25, 0.5]] * 4 + [[1, 1.5]]
    found.arrays["hold"][0, j] = ends
    assert bool(compiled(feasible_held)(found.arrays.address, 0)) is inside
    assert bool(compiled(impossible_held)(found.arrays.address, 0)) is outside


def test_where_bodies_meet_both_proofs_succeed():
    """The same with a ball that comes down: so the test before says something."""
    ball = ParametricSurface([BALL[0], BALL[1], BALL[2] + 2 - t], {u: (-3, 0), v: (-1, 1)})
    found = search(ball, PLATE, (0, 2))
    assert tried(unique_at, found, [-np.pi / 2, 0, 0, 0, 1]) and tried(exists_at, found, [-np.pi / 2, 0, 0, 0, 1])


@pytest.mark.parametrize(("tangency", "closed"), [(True, False), (True, True), (False, False)])
@pytest.mark.parametrize("beside", [R(1, 1000), R(1, 10)])
def test_a_zero_just_outside_a_patch_gives_no_time(tangency, closed, beside):
    """A ball comes down beside a plate. The equations have a zero in the plane of the plate, at t = 2, outside of it; the ball meets
    the side of the plate where 3 - t is sqrt(1 - beside^2).
    """
    ball = ParametricSurface([BALL[0] + 1 + beside, BALL[1], BALL[2] + 3 - t], {u: (-3, 0), v: (-1, 1)})
    found = search(ball, PLATE, (0, 4), tangency=tangency, closed=closed)
    inside = found.arrays["inner"][0]
    for size in (0.0, 1e-9, 1e-4):
        for moved in np.random.default_rng(2).uniform(-size, size, (5, 5)):
            centre = np.array([-np.pi / 2, 0, float(1 + beside), 0, 2]) + moved
            tried(prove_at, found, centre)
            if tried(exists_at, found, centre):
                tight = found.arrays["tight"]
                assert (inside[:, 0] <= tight[:, 0]).all() and (tight[:, 1] <= inside[:, 1]).all()
    assert found.proved >= 3 - np.sqrt(1 - float(beside) ** 2) - 1e-12
    assert all(found.kind(k) == layout.ALONE for k in found.solutions)


@pytest.mark.parametrize("entry", [exists_at, prove_at])
def test_a_zero_outside_both_patches_is_none(entry):
    """A ball without its lowest part, where x is least, cos(3/2), comes down beside a plate that ends before that: they never meet."""
    ball = ParametricSurface([BALL[0], BALL[1], BALL[2] + 2 - t], {u: (R(-3, 2), 0), v: (-1, 1)})
    found = search(ball, ParametricSurface(PLATE.body, {u: (-1, R(7, 100)), v: (-1, 1)}), (0, 4), tangency=False)
    for a in -1.5 + 10.0 ** np.arange(-9, -2):
        assert not tried(entry, found, [a, 0, 0.07, 0, 2 + np.sin(a)])
    assert found.proved == np.inf


def test_a_zero_beyond_the_bounds_of_an_implicit_surface_gives_no_time():
    """A plate comes down on a ball that has only its part below z = 1/2: it would meet the whole ball at t = 1, and this at 3/2."""
    ball = ImplicitSurface(x**2 + y**2 + z**2 - 1, bounds=[(-2, 2), (-2, 2), (-2, R(1, 2))])
    found = search(ball, ParametricSurface([u, v, 2 - t], PLATE.domain), (0, 4))
    for size in (0.0, 1e-6, 1e-3):
        for moved in np.random.default_rng(6).uniform(-size, size, (5, 3)):
            tried(prove_at, found, np.array([0, 0, 1]) + moved)
    assert found.proved >= 1.5
