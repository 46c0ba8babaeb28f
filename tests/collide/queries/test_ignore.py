"""Pairs that are not asked about, and scenes of many bodies, against the times at which balls meet in closed form."""

import itertools
import json
import random

import numpy as np
import pytest
import sympy as sp

import collide
from collide import Start, Status
from generative import ParametricSurface, Rigid, Screw, t, u, v

Q = sp.Rational
SPHERE = {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)}


def ball(radius, *place):
    shape = [radius * sp.cos(u) * sp.cos(v), radius * sp.sin(u) * sp.cos(v), radius * sp.sin(v)]
    return ParametricSurface(shape, SPHERE).moved(Rigid(translation=place))


class Crowd:
    """Balls of several sizes on a lattice, each flying in its own way: straight on, or so that it is also thrown, or swings, or spins."""

    def __init__(self, count, seed, speed=3):
        rng = random.Random(seed)
        side = int(np.ceil(count ** (1 / 3)))

        def r(lo, hi):
            return Q(round(rng.uniform(lo, hi) * 997), 997)

        self.radii = [rng.choice((Q(1, 2), Q(2, 5), Q(3, 5))) for _ in range(count)]
        self.paths = []
        for k in range(count):
            straight = [2 * c + r(-.2, .2) + r(-speed, speed) * t for c in (k % side, k // side % side, k // side**2)]
            thrown = r(-1, 1) * t**2, r(-1, 1) * sp.sin(t), 0
            self.paths.append([a + b * int(k % 3 == 0) for a, b in zip(straight, thrown, strict=True)])
        spin = Screw(axis=[1, 2, 2], angle=3 * t)
        self.bodies = [ball(radius, 0, 0, 0).moved(Rigid(translation=path) @ spin if k % 4 == 0 else Rigid(translation=path))
                       for k, (radius, path) in enumerate(zip(self.radii, self.paths, strict=True))]
        moments = np.linspace(0, 1, 4001)
        at = [np.broadcast_to(f(moments), moments.shape) for path in self.paths for f in [sp.lambdify(t, e) for e in path]]
        self._places, self._moments = np.array(at, float).reshape(count, 3, -1), moments

    def first(self, ignored=frozenset()):
        """About when which balls first meet, (time, pair), and the pairs that overlap at the start."""
        found, overlapping = (np.inf, None), set()
        for i, j in itertools.combinations(range(len(self.bodies)), 2):
            gap = np.linalg.norm(self._places[i] - self._places[j], axis=0) - float(self.radii[i] + self.radii[j])
            if (i, j) not in ignored and (gap < 0).any():
                if gap[0] < 0:
                    overlapping.add((i, j))
                else:
                    found = min(found, (self._moments[np.argmax(gap < 0)], (i, j)))
        return found, overlapping


def agrees(c, crowd, ignored=frozenset()):
    """Is the answer that of the samples, up to the time between two of them?"""
    (time, pair), overlapping = crowd.first(ignored)
    assert {p for p, state in c.start.items() if state is Start.OVERLAPPING} == overlapping and not ignored & set(c.start)
    assert all((i, j) not in ignored for i, j in c.pairs.tolist())
    if pair is None:
        assert c.status is Status.NO_CONTACT
    else:
        assert c.status is Status.CONTACT and time - 1 / 2000 < c.time.lo <= c.time.hi < time + 1 / 2000
        assert pair in map(tuple, c.pairs.tolist())


@pytest.mark.parametrize(("count", "seed", "speed"), [(8, 0, 1), (30, 1, 3), (30, 2, 12), (120, 3, 1), (120, 4, 30)])
def test_many_balls_meet_when_samples_say(count, seed, speed):
    crowd = Crowd(count, seed, speed)
    agrees(collide.first_contact(crowd.bodies, (0, 1)), crowd)


@pytest.mark.parametrize("seed", range(4))
def test_pairs_and_groups_are_left_out_everywhere(seed):
    """Of balls some of which overlap at the start; the pairs that meet first are ignored one after the other, and groups at random."""
    rng, crowd = random.Random(seed), Crowd(14, seed, 2)
    crowd.radii[:] = [radius + Q(1, 3) for radius in crowd.radii]
    crowd.bodies[:] = [ball(radius, *path) for radius, path in zip(crowd.radii, crowd.paths, strict=True)]
    group = rng.sample(range(14), 4)
    ignored = {tuple(sorted(pair)) for pair in itertools.combinations(group, 2)}
    items = [group]
    for _ in range(4):
        c = collide.first_contact(crowd.bodies, (0, 1), ignore=items)
        agrees(c, crowd, ignored)
        assert "Not asked about" in c.summary() and "among" in c.summary()
        listed = [tuple(entry["pair"]) for entry in json.loads(c.to_json())["start"]]
        assert not ignored & set(listed) and len(listed) + len(ignored) == 14 * 13 // 2
        for pair in [*map(tuple, c.pairs.tolist()), *(p for p, state in c.start.items() if state is not Start.DISJOINT)][:2]:
            ignored.add(pair)
            items.append(pair[::rng.choice((1, -1))])


def test_a_body_inside_another_one_is_not_looked_at_where_that_pair_is_ignored():
    """Neither are bodies that go through each other for all of the time."""
    bodies = [ball(3, 0, 0, 0).named("shell"), ball(1, t / 4, 0, 0).named("core"), ball(1, 9 - 2 * t, 0, 0)]
    inside = collide.first_contact(bodies, (0, 1))
    assert inside.start[0, 1] is Start.OVERLAPPING and "new contact" in inside.summary()
    for item in (("shell", "core"), (1, 0), {"core", 0}, np.array([0, 1])):
        c = collide.first_contact(bodies, (0, 1), ignore=[item])
        assert c.status is Status.NO_CONTACT and c.start == {(0, 2): Start.DISJOINT, (1, 2): Start.DISJOINT}
        assert c.summary().startswith("No contact: the pairs of bodies asked about are proved not to touch")
        assert "not part of any claim: shell and core. All other pairs" in c.summary()
    trace = collide.trace(bodies, time=(0, 4), ignore=[(0, 1)])
    assert trace.answer.status is Status.CONTACT and trace.answer.pairs.tolist() == [[0, 2]] and trace.answer.time.lo <= 2.5


def test_ignored_pairs_are_left_out_where_a_motion_changes_or_jumps():
    """A ball that bounces at t = 1 passes through an ignored one just then; another jumps into it at t = 2."""
    fall = sp.Piecewise((1 - t, t < 1), (t - 1, True))
    bodies = [ball(Q(1, 2), 0, 0, fall), ball(Q(1, 4), 0, Q(1, 2), 0), ball(Q(1, 4), 9 - 9 * sp.floor(t / 2), Q(1, 4), 0),
              ball(Q(1, 2), 20, 0, 0)]
    assert collide.first_contact(bodies, (0, Q(3, 2))).status is Status.CONTACT
    assert collide.first_contact(bodies, (0, Q(3, 2)), ignore=[(0, 1)]).status is Status.NO_CONTACT
    assert collide.first_contact(bodies, (0, 3), ignore=[(0, 1)]).status is not Status.NO_CONTACT
    c = collide.first_contact(bodies, (0, 3), ignore=[(0, 1, 2)])
    assert c.status is Status.NO_CONTACT and c.clear_until == 3.0


def test_what_is_at_rest_stays_so_beside_ignored_pairs():
    """Two bricks that lie on each other are told to be at rest, but not if their pair is ignored."""
    flat = {u: (-1, 1), v: (-1, 1)}
    bodies = [ParametricSurface([u, v, 0], flat), ParametricSurface([u / 2, v / 2, 0], flat), ball(1, 0, 0, 3 - t)]
    c = collide.first_contact(bodies, (0, 1))
    assert "Bodies 0 and 1 do not move against each other" in c.summary() and c.status is Status.NO_CONTACT
    c = collide.first_contact(bodies, (0, 1), ignore=[(0, 1)])
    assert "do not move" not in c.summary() and c.start == {(0, 2): Start.DISJOINT, (1, 2): Start.DISJOINT}


@pytest.mark.parametrize(("ignore", "error", "words"), [
    ("ab", TypeError, "ignore must be a list of pairs or groups of bodies, got 'ab'"),
    (3, TypeError, "ignore must be a list"),
    ((0, 1), TypeError, "such as"),
    ([(0,)], ValueError, "pairs of bodies, or groups of more"),
    ([[]], ValueError, "pairs of bodies, or groups of more"),
    ([(1, 1)], ValueError, "has body 1 twice"),
    ([(0, 1), (0, 4)], ValueError, "ignore names body 4, but there are 4 bodies"),
    ([(-1, 0)], ValueError, "ignore names body -1"),
    ([(0, 1.0)], TypeError, "numbers and names of bodies, got 1.0"),
    ([(True, 0)], TypeError, "numbers and names of bodies, got True"),
    ([("cup", "saucer")], ValueError, "a body called 'saucer', but no body is"),
    ([("cup", "twin")], ValueError, "a body called 'twin', but bodies 2 and 3 are"),
    ([(0, 1, 2, 3)], ValueError, "leaves no pair"),
    ([(0, 1, 2), (0, 3), (1, 3), (2, 3)], ValueError, "leaves no pair"),
])
def test_what_cannot_be_ignored_is_named(ignore, error, words):
    bodies = [ball(1, 0, 0, 0).named("cup"), ball(1, 3, 0, 0), ball(1, 6, 0, 0).named("twin"), ball(1, 9 - t, 0, 0).named("twin")]
    with pytest.raises(error) as raised:
        collide.first_contact(bodies, (0, 1), ignore=ignore)
    assert words in str(raised.value) and "\n" not in str(raised.value)
