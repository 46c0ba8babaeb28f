"""First contacts of convex bodies in rows of numbers: against forward kinematics in 20 digits, and closed forms."""

from itertools import combinations

import mpmath as mp
import numpy as np
import sympy as sp

from collide import Status, contact_batch
from collide.culling.core_contacts import CorePairs, _Guess, rows_decided
from generative import Chain, Parameter, Rigid, Screw, revolute, solids, t
from tests import robot_cell as cell

R = sp.Rational
SPAN, WAY = np.array([0.0, 1.0]), Parameter("way")


def _segments(angles):
    """Both ends of the axes of all links, by the same formulas as `robot_cell.segments`, of any digits."""
    turn, place, shift, before, found = mp.eye(3), mp.zeros(3, 1), mp.zeros(3, 1), mp.eye(3), []
    for k, (at, axis, length, _) in enumerate(cell.LINKS.values()):
        if k:
            c, s = mp.cos(angles[k - 1]), mp.sin(angles[k - 1])
            place += turn * shift
            turn = turn * before * mp.matrix([[c, -s, 0], [s, c, 0], [0, 0, 1]])
            a, d, quarter = cell._DH[k - 1]
            shift, before = mp.matrix([a, 0, d]), mp.matrix(cell._QUARTERS[quarter].astype(int).tolist())
        first = mp.matrix(at)
        found.append([place + turn * p for p in (first, first + length * mp.matrix(axis))])
    return found


def _least(f):
    """The least value of a convex function on [0, 1]."""
    lo, hi = mp.mpf(0), mp.mpf(1)
    for _ in range(45):
        a, b = lo + (hi - lo) / 3, hi - (hi - lo) / 3
        lo, hi = (a, hi) if f(a) > f(b) else (lo, b)
    return f((lo + hi) / 2)


def _gap(angles, first, second):
    """The gap of a link and of a link, the post or a box, in tenths of a millimetre; 0 for a core in a box."""
    names, ends = [*cell.LINKS], _segments(angles)
    a, b = ends[names.index(first)]
    if second in cell.BOXES:
        centre, sizes = (mp.matrix(e) for e in cell.BOXES[second])
        return _least(lambda s: _to_box(a + s * (b - a) - centre, sizes)) - cell.LINKS[first][3]
    if second == "post":
        foot, way, length, radius = cell.POST
        c, d = mp.matrix(foot), mp.matrix(foot) + length * mp.matrix(way)
    else:
        (c, d), radius = ends[names.index(second)], cell.LINKS[second][3]
    return _least(lambda s: _to_segment(a + s * (b - a), c, d - c)) - cell.LINKS[first][3] - radius


def _to_box(at, sizes):
    return mp.norm(mp.matrix([max(abs(e) - size / 2, 0) for e, size in zip(at, sizes, strict=True)]))


def _to_segment(at, begin, way):
    share = (way.T * (at - begin))[0] / (way.T * way)[0]
    return mp.norm(at - begin - min(max(share, 0), 1) * way)


def test_straight_paths_of_a_cell():
    """Paths that start free meet something where their samples do. The pair that is told is apart just before the time that is told, and
    not just after, in 20 digits, in four of them; no sample before shows a contact.
    """
    bodies, rows, ignored, ends = cell.straight_paths(60, 2)
    free = np.array([np.min([*cell.gaps(begin[None]).values()]) > 0 for begin in ends[:, 0]])
    found = contact_batch(bodies, (0, 4), parameters={s: own[free] for s, own in rows.items()}, ignore=ignored)
    names, checked, samples = [b.name for b in bodies], 0, 201
    ways = ends[free, 0, None] + np.linspace(0, 1, samples)[:, None] * (ends[free, 1] - ends[free, 0])[:, None]
    closest = np.min([*cell.gaps(ways.reshape(-1, 6)).values()], axis=0).reshape(-1, samples)
    for k, ((begin, end), least) in enumerate(zip(ends[free], closest, strict=True)):
        assert found.status[k] is (Status.CONTACT if found.hit[k] else Status.NO_CONTACT)
        lo, hi = found.time[k] if found.hit[k] else (4.0, 4.0)
        assert hi - lo <= 1e-6 and (least[:int(np.floor(50 * lo)) + 1] > 0).all()
        if found.hit[k] and checked < 4:
            checked += 1
            with mp.workdps(20):
                way = [(mp.mpf(a), mp.mpf(b) - mp.mpf(a)) for a, b in zip(begin, end, strict=True)]
                gaps = [_gap([a + mp.mpf(at) / 4 * by for a, by in way], *(names[i] for i in found.pairs[k])) for at in (lo, hi)]
            assert gaps[1] < 0 < gaps[0]
    assert checked == 4 and found.hit.sum() > 3


def _swung():
    """A link of length 1 that turns with the row, and posts at its circle, at 1 + 1/8 + 2^-20 from the axis, and beyond."""
    link = solids.capsule(R(1, 16), 1).moved(Rigid(rotation=[[0, 0, 1], [0, 1, 0], [-1, 0, 0]]))
    (swung,) = Chain({"link": link}, [revolute("turn", "base", "link")]).at({"turn": WAY * t})
    return swung, [solids.sphere(R(1, 16)).moved(Rigid(translation=[0, x, 0])) for x in (1, R(9, 8) + R(1, 2**20), R(9, 8) - R(1, 2**20))]


def test_hits_and_near_misses_of_a_swing():
    """The link meets a post at (0, 1) where its axis is 1/8 from the centre: at the angle pi / 2 - asin(1 / 8)."""
    swung, posts = _swung()
    rows = np.array([[3.0], [1.0], [-3.0]])
    for post, apart, angle in ((posts[0], [False, True, True], np.pi / 2 - np.arcsin(1 / 8)), (posts[1], [True] * 3, None),
                               (posts[2], [False, True, True], None)):
        known = rows_decided([swung, post], np.array([(0, 1)]), [WAY], rows, SPAN, 1e-9)
        assert known.apart[:, 0].tolist() == apart
        if angle is not None:
            assert known.hits.tolist() == [0] and known.times[0, 0] < angle / 3 < known.times[0, 1] < known.times[0, 0] + 1e-9


def test_what_starts_in_touch_or_inside():
    """Bodies that overlap at the beginning meet at that moment, if neither is in the other; of nested ones nothing is said."""
    ball = solids.sphere(R(1, 2))
    for other, met in ((solids.sphere(R(1, 2)).moved(Rigid(translation=[R(1, 2), 0, 0])), True), (solids.sphere(R(1, 8)), False),
                       (solids.sphere(2), False), (solids.box((R(3, 4), R(3, 4), 3)), True)):
        bodies = [ball.moved(Rigid(translation=[0, 0, WAY * t])), other]
        known = rows_decided(bodies, np.array([(0, 1)]), [WAY], np.ones((1, 1)), SPAN, 1e-6)
        assert not known.apart.any() and known.hits.tolist() == [0] * met
        assert (known.times == 0).all()


def test_bodies_at_rest_that_overlap_or_are_nested():
    """In all rows alike, beside a ball that moves by their numbers."""
    ball = solids.sphere().moved(Rigid(translation=[9 + WAY, 0, -t]))
    for other, met in ((solids.capsule(), True), (solids.sphere(R(1, 10)), False)):
        for values in ([1.0, 2.0, 3.0], [1.0]):
            found = contact_batch([ball, solids.box(), other], (0, 1), parameters={WAY: values})
            assert found.status.tolist() == [Status.CONTACT if met else Status.NO_CONTACT] * len(values)
            assert not met or (found.pairs == (1, 2)).all()


def test_a_guess_that_is_not_the_first_contact_proves_nothing(monkeypatch):
    """A ball at 2 cos(2 pi t) meets another one at 1/6, leaves it, and meets it again at 2/3."""
    ball = solids.sphere(R(1, 2))
    bodies = [ball.moved(Rigid(translation=[2 * sp.cos(2 * sp.pi * t), 0, 0])).moved(Rigid(translation=[0, 0, WAY])), ball]
    asked = bodies, np.array([(0, 1)]), [WAY], np.zeros((1, 1)), SPAN, 1e-6
    known = rows_decided(*asked)
    assert known.hits.tolist() == [0] and known.times[0, 0] <= 1 / 6 <= known.times[0, 1]
    monkeypatch.setattr(CorePairs, "_guess", lambda *_: _Guess(np.array([2 / 3]), np.array([0])))
    known = rows_decided(*asked)
    assert not len(known.hits) and not known.apart.any()


def test_jumps_are_no_contacts():
    """A ball that jumps to another one, and is in it from then on, does not pass a moment of touching: nothing is told of its time."""
    ball = solids.sphere(R(1, 2))
    jump = Rigid(translation=[0, 0, R(5, 2) - 2 * sp.floor(t + R(1, 2))])
    bodies = [ball, ball.moved(jump).moved(Screw([0, 0, 1], angle=WAY * t))]
    known = rows_decided(bodies, np.array([(0, 1)]), [WAY], np.ones((1, 1)), SPAN, 1e-6)
    assert not known.apart.any() and not len(known.hits)


def test_each_row_by_itself():
    bodies, rows, ignored, _ = cell.straight_paths(40, 2)
    values, pairs = np.stack([*rows.values()], axis=1), np.array([*combinations(range(len(bodies)), 2)])
    names = [b.name for b in bodies]
    asked = np.array([p for p in pairs.tolist() if tuple(names[k] for k in p) not in {*map(tuple, ignored)}])
    whole = rows_decided(bodies, asked, [*rows], values, np.array([0.0, 4.0]), 1e-6)
    for k in range(0, 40, 3):
        own = rows_decided(bodies, asked, [*rows], values[k:k + 1], np.array([0.0, 4.0]), 1e-6)
        at = np.flatnonzero(whole.hits == k)
        assert (own.apart[0] == whole.apart[k]).all() and len(own.hits) == len(at)
        for mine, others in zip(own[2:], whole[2:], strict=True):
            assert np.array_equal(mine, others[at])
