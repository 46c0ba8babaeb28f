"""A robot cell along recorded joint angles, against dense samples of forward kinematics in doubles, in both directions."""

import numpy as np
import pytest
import sympy as sp

import collide
from collide import Status
from generative import Chain, Parameter, Rigid, axis_angle, revolute, solids, t
from generative.numeric import approx_function
from tests import robot_cell as cell

R = sp.Rational


def dense(joints, count=5000):
    """Least gap over moments of a path, and the first moment at which any is not positive, infinity if none is."""
    times = np.linspace(0, cell.SPAN, count)
    angles = approx_function([*joints.values()], [t])(times)
    gaps = np.stack([*cell.gaps(angles).values()])
    under = np.flatnonzero((gaps <= 0).any(axis=0))
    return gaps.min(), times[under[0]] if len(under) else np.inf


@pytest.mark.parametrize("knots", [6, 100])
def test_a_recorded_path(knots):
    joints, made = cell.values(*cell.path(knots)), cell.arm()
    bodies, least = [*made.at(joints), *cell.obstacles()], dense(joints)[0]
    assert 0.01 < least < 0.05
    assert collide.clearance(bodies, (0, 4), at_least=R(1, 100), ignore=cell.ignored(made)).verdict is True
    found = collide.clearance(bodies, (0, 4), at_least=least + 1e-3, ignore=cell.ignored(made))
    assert found.verdict is False and found.bracket.hi < least + 1e-3
    assert collide.first_contact(bodies, (0, 4), ignore=cell.ignored(made)).status is Status.NO_CONTACT


@pytest.mark.parametrize("knots", [6, 100])
def test_two_arms(knots):
    """Twelve joints: kept and not kept as 10,000 moments say."""
    times, angles = cell.path(knots)
    bodies, ignored = cell.two_arms(times, angles)
    at = approx_function([*cell.values(times, angles).values()], [t])(np.linspace(0, cell.SPAN, 10_000))
    least = min(own.min() for own in cell.gaps_of_two(at).values())
    kept = collide.clearance(bodies, (0, 4), at_least=R(1, 100), ignore=ignored)
    found = collide.clearance(bodies, (0, 4), at_least=R(1, 20), ignore=ignored)
    assert 0.01 < least < 0.05 and kept.verdict is True and found.verdict is False
    assert found.bracket.lo <= least <= found.bracket.hi and found.bracket.hi < 0.05


@pytest.mark.parametrize("knots", [6, 100, 400])
def test_the_distances_of_a_path_hold_those_of_ten_thousand_moments(knots):
    """The cell, its least distance, two links of the wrist, and the first contact with a post that stands in the way."""
    joints, made = cell.values(*cell.path(knots)), cell.arm()
    links, ignored = {b.name: b for b in made.at(joints)}, cell.ignored(made)
    at = approx_function([*joints.values()], [t])(np.linspace(0, cell.SPAN, 10_000))
    gaps = cell.gaps(at)
    least, wrists = min(own.min() for own in gaps.values()), gaps["wrist 1", "wrist 3"].min()
    bodies = [*links.values(), *cell.obstacles()]
    found = collide.clearance(bodies, (0, 4), tolerance=1e-4, ignore=ignored)
    assert found.bracket.lo <= least <= found.bracket.hi + 1e-5 and found.bracket.hi <= least * (1 + 1e-3)
    pair = collide.clearance([links["wrist 1"], links["wrist 3"]], (0, 4), tolerance=1e-4)
    assert pair.bracket.lo <= wrists <= pair.bracket.hi + 1e-5 and pair.bracket.hi <= wrists * (1 + 1e-3)
    assert collide.clearance(bodies, (0, 4), at_least=least - 1e-4, ignore=ignored).verdict is True
    assert collide.clearance(bodies, (0, 4), at_least=least + 1e-4, ignore=ignored).verdict is False
    assert collide.first_contact(bodies, (0, 4), ignore=ignored).status is Status.NO_CONTACT
    # A ball round a place of the tool 3 s on: it is met when the tool first comes to be so near.
    first, second = (ends[6] for ends in cell.segments(at))
    place = first[7_500]
    ball = solids.sphere(R(1, 50)).moved(Rigid(translation=[R(float(e)) for e in place]))
    way = second - first
    share = np.clip(((place - first) * way).sum(axis=1) / (way**2).sum(axis=1), 0, 1)
    near = np.linalg.norm(first + share[:, None] * way - place, axis=1) <= 0.04 + 0.02
    met = collide.first_contact([links["wrist 3"], ball], (0, 4))
    when = 4 / 9_999 * np.flatnonzero(near)[0]
    assert met.status is Status.CONTACT and when - 4 / 9_999 - 1e-9 <= met.time.lo <= when + 1e-9


@pytest.mark.parametrize(("seed", "number", "hit"), [(3, 0, False), (3, 3, True), (6, 2, False), (6, 3, True)])
def test_random_paths(seed, number, hit):
    """Straight paths of all joints: hits and misses as the samples say, and the time between two of them."""
    ends = np.random.default_rng(seed).uniform([-1, -1.4, 0.3, -2, -1.57, 0], [1.9, 0.1, 1.6, -1, -1.4, 1], (number + 1, 2, 6))[number]
    a, b = (np.round(e * 2**20) / 2**20 for e in ends)
    joints, made = {f"q{k + 1}": R(a[k]) + (R(b[k]) - R(a[k])) * t / 4 for k in range(6)}, cell.arm()
    _, first = dense(joints, 2000)
    found = collide.first_contact([*made.at(joints), *cell.obstacles()], (0, 4), ignore=cell.ignored(made))
    assert found.status is (Status.CONTACT if hit else Status.NO_CONTACT) and (0.0 < first < np.inf) == hit
    assert not hit or first - 4 / 1999 - 1e-6 <= found.time.lo <= first + 1e-6


def test_a_hundred_random_paths_as_rows():
    """Each hit that samples see is one, and no sample contradicts a row without contact; contact is between two samples, or there is none
    to be seen and the gap is small.
    """
    bodies, values, ignored, ends = cell.straight_paths(100, 11)
    found = collide.contact_batch(bodies, (0, 4), parameters=values, ignore=ignored)
    times = np.linspace(0, 4, 401)
    for k, (a, b) in enumerate(ends):
        least = np.min([*cell.gaps(a + (b - a) * times[:, None] / 4).values()], axis=0)
        under = np.flatnonzero(least <= 0)
        assert found.status[k] is (Status.CONTACT if len(under) else Status.NO_CONTACT) or (not len(under) and least.min() < 1e-3)
        if len(under):
            first = times[under[0]]
            assert found.proved[k] and found.time[k, 0] <= first + 1e-9 and found.time[k, 1] >= first - 4 / 400 - 1e-9


def test_half_a_degree_in_each_joint():
    """Proved for a box of errors; no sampled path in it comes nearer."""
    joints, made, errors = cell.values(*cell.path(6)), cell.arm(), [Parameter(f"e{k}") for k in range(6)]
    off = {name: e + error for (name, e), error in zip(joints.items(), errors, strict=True)}
    half = R(1, 115)
    found = collide.clearance([*made.at(off), *cell.obstacles()], (0, 4), at_least=R(1, 100), ignore=cell.ignored(made),
                              parameters=dict.fromkeys(errors, (-half, half)))
    assert found.verdict is True
    rng = np.random.default_rng(3)
    for _ in range(5):
        drawn = rng.choice([-1, 1], 6) / 115
        assert dense({name: e + float(x) for (name, e), x in zip(joints.items(), drawn, strict=True)}, 500)[0] > 0.01


def bar(turn):
    """A bar of radius 1/20 from the origin to (1, 0, 0), turned about z."""
    body = solids.capsule(R(1, 20), 1).moved(Rigid(rotation=[[0, 0, 1], [0, 1, 0], [-1, 0, 0]]))
    return Chain({"bar": body}, [revolute("turn", "base", "bar")]).at({"turn": turn})


def test_half_a_turn_through_a_thin_wall():
    """Start and end lie on one line, whose hull is far from the wall. The bar meets its near edge at (1/200, 1/2), where
    cos(a) / 2 - sin(a) / 200 = 1/20.
    """
    wall = solids.box((R(1, 100), R(1, 2), 1)).moved(Rigid(translation=[0, R(3, 4), 0]))
    found = collide.first_contact([*bar(sp.pi * t), wall], (0, 1))
    angle = np.arccos(0.05 / np.hypot(0.5, 0.005)) - np.arctan2(0.005, 0.5)
    assert found.status is Status.CONTACT and abs(found.time.lo - angle / np.pi) < 1e-12
    assert collide.clearance([*bar(sp.pi * t), wall], (0, 1), at_least=R(1, 100)).verdict is False


def test_what_spheres_along_a_bar_miss():
    """A post passes between spheres of the radius of the bar, which are 1/4 apart, and meets the bar: its centre is at 3/8 when
    sin(a) 3/8 = 1/20 + 1/100.
    """
    post = solids.capsule(R(1, 100), 1).moved(Rigid(translation=[R(3, 8), 0, -R(1, 2)]))
    spheres = [solids.sphere(R(1, 20)).moved(Rigid(translation=[R(k, 4), 0, 0])).moved(Rigid(rotation=axis_angle([0, 0, 1], 1 - 2 * t)))
               for k in range(5)]
    for ball in spheres:
        assert collide.first_contact([ball, post], (0, 1)).status is Status.NO_CONTACT
    found = collide.first_contact([*bar(1 - 2 * t), post], (0, 1))
    assert found.status is Status.CONTACT and abs(found.time.lo - (1 - np.arcsin(0.06 / 0.375)) / 2) < 1e-12


def test_a_base_that_starts_in_touch():
    """A box slides on the floor, and meets a post at t = 1. That it goes on touching the floor is said, and hides no contact."""
    floor = solids.box((10, 10, 1)).moved(Rigid(translation=[0, 0, -R(1, 2)]))
    base = solids.box((1, 1, 1)).moved(Rigid(translation=[t, 0, R(1, 2)]))
    post = solids.capsule(R(1, 4), 1).moved(Rigid(translation=[R(7, 4), 0, R(3, 8)]))
    found = collide.first_contact([floor, base, post], (0, 3), ignore=[(0, 2)])
    assert found.time.lo <= 1 <= found.time.hi < 1 + 1e-5 and [1, 2] in found.pairs.tolist()
    assert "Bodies 0 and 1 are touching at the start" in found.summary()
    alone = collide.first_contact([floor, base, post], (0, 3), ignore=[(0, 1), (0, 2)])
    assert alone.status is Status.CONTACT and abs(alone.time.lo - 1) < 1e-6 and alone.pairs.tolist() == [[1, 2]] * len(alone)
