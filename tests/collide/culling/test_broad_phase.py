"""The broad phase never loses a pair: against brute force over sampled points and times."""

import functools
import itertools
from collections.abc import Sequence

import numpy as np
import pytest
import sympy as sp

from codegen.constants import bounds
from collide.bodies.crowd import Crowd
from collide.bodies.extent import _GRID, Extent, swept
from collide.culling import broad_phase
from collide.culling.approach import Approach
from collide.culling.broad_phase import closer, may_meet, windows
from collide.timeline.scene import Scene
from generative import ParametricSurface, Rigid, axis_angle, t, u, v
from generative.primitives import ball as implicit_ball
from generative.primitives import half_space


@pytest.fixture(params=["pairs", "windows", "slices"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few parts are compared pair by pair, many by sweep and prune first: in windows that become shorter, or in slices of time at once."""
    if request.param != "pairs":
        monkeypatch.setattr(broad_phase, "_FEW", 0)
    if request.param == "slices":
        monkeypatch.setattr(broad_phase, "_LISTED", 0)


TURN = {u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)}


def torus(radius: object = 1, tube: object = sp.Rational(3, 10)) -> ParametricSurface:
    ring = radius + tube * sp.cos(v)
    return ParametricSurface([ring * sp.cos(u), ring * sp.sin(u), tube * sp.sin(v)], TURN)


def extent(surface: ParametricSurface) -> Extent:
    return Extent(surface.body, (u, v), (u, v), bounds([surface.domain[u], surface.domain[v]])[0], surface.motion)


def kept_windows(surfaces: Sequence[ParametricSurface], span: tuple[float, float]) -> dict[tuple[int, int], tuple[float, float]]:
    return windows([extent(s) for s in surfaces], range(len(surfaces)), span)


def flight(rng: np.random.Generator) -> Rigid:
    place = [sp.Rational(int(c), 100) for c in rng.integers(-300, 300, 3)]
    speed = [sp.Rational(int(c), 100) for c in rng.integers(-300, 300, 3)]
    axis = [int(c) for c in rng.integers(1, 9, 3)]
    return Rigid(rotation=axis_angle(axis, t * sp.Rational(int(rng.integers(1, 9)), 4)),
                 translation=[a + b * t for a, b in zip(place, speed, strict=True)])


@functools.cache
def tori_in_flight() -> tuple[list[ParametricSurface], list[tuple[int, int, float]]]:
    """Surfaces, and which of them have sampled points near each other, and when."""
    rng = np.random.default_rng(11)
    surfaces = [torus().moved(flight(rng)) for _ in range(12)]
    grid = np.linspace(0, 2 * np.pi, 41)
    uu, vv = (g.ravel() for g in np.meshgrid(grid, grid))
    found = []
    for k in range(0, 17, 2):
        cloud = [np.array(sp.lambdify([u, v], sp.Matrix(s.at(sp.Rational(k, 16)).expressions))(uu, vv)).reshape(3, -1).T for s in surfaces]
        found += [(i, j, k / 16) for i, j in itertools.combinations(range(len(surfaces)), 2) if _gap(cloud[i], cloud[j]) < 0.03]
    return surfaces, found


def test_pairs_whose_sampled_points_come_close_are_kept_in_a_window_that_holds_the_moment() -> None:
    surfaces, close = tori_in_flight()
    kept = kept_windows(surfaces, (0.0, 1.0))
    for i, j, moment in close:
        assert kept[i, j][0] <= moment <= kept[i, j][1]
    assert close
    assert len(kept) < 66, "every pair was kept"


def _gap(a: np.ndarray, b: np.ndarray) -> float:
    from scipy.spatial import cKDTree

    return float(cKDTree(a).query(b)[0].min())


def test_a_sphere_turns_about_the_moving_centre() -> None:
    """A body far from its origin that rotates: its bounding sphere moves with R(t) O + T(t), which the printed formula omits."""
    arm = torus(sp.Rational(1, 2), sp.Rational(1, 10)).moved(Rigid(translation=[5, 0, 0]))
    body = ParametricSurface(arm.expressions, TURN)
    turning = body.moved(Rigid(rotation=axis_angle([0, 0, 1], sp.pi * t)))
    target = torus(sp.Rational(1, 2), sp.Rational(1, 10)).moved(Rigid(translation=[-5, 0, 0]))
    kept = kept_windows([turning, target], (0.0, 1.0))
    assert (0, 1) in kept
    assert kept[0, 1][0] > 0.7
    assert kept[0, 1][1] == 1.0


def test_parts_of_one_body_are_no_pair() -> None:
    falling = Rigid(translation=[0, 0, 3 - 3 * t])
    far = torus().moved(Rigid(translation=[20, 0, 0]))
    parts = [extent(s) for s in (torus(), torus().moved(falling), torus(2), far)]
    assert set(windows(parts, (0, 1, 0, 2), (0.0, 1.0))) == {(0, 1), (1, 2)}
    assert windows(parts, (0, 0, 0, 0), (0.0, 1.0)) == {}


def test_a_deforming_body_is_enclosed_slice_by_slice() -> None:
    growing = ParametricSurface([(1 + t) * sp.cos(u) * sp.cos(v), (1 + t) * sp.sin(u) * sp.cos(v), (1 + t) * sp.sin(v)],
                                {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})
    wall = torus(sp.Rational(1, 2), sp.Rational(1, 10)).moved(Rigid(translation=[sp.Rational(23, 10), 0, 0]))
    kept = kept_windows([growing, wall], (0.0, 2.0))
    # The ball reaches the ring's nearest point, x = 1.7, at t = 0.7.
    assert 0.3 < kept[0, 1][0] <= 0.7


def ball(radius: object) -> ParametricSurface:
    return ParametricSurface([radius * sp.cos(u) * sp.cos(v), radius * sp.sin(u) * sp.cos(v), radius * sp.sin(v)],
                             {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})


def test_windows_begin_shortly_before_bodies_can_meet() -> None:
    """Balls on curved paths against closed forms: the window holds the first contact, and begins far later than its slice of four."""
    half = sp.Rational(1, 2)
    rest = ball(half)
    straight = ball(half).moved(Rigid(rotation=axis_angle([1, 2, 2], 5 * t), translation=[4 - 4 * t, sp.Rational(1, 2), 0]))
    away = ParametricSurface(ball(half).moved(Rigid(translation=[3, 0, 0])).expressions, ball(half).domain)
    turning = away.moved(Rigid(rotation=axis_angle([0, 0, 1], sp.pi * t)))
    waiting = ball(half).moved(Rigid(translation=[-3, 0, 0]))
    cases = [(rest, straight, (4 - np.sqrt(0.75)) / 4), (turning, waiting, 1 - 2 * np.arcsin(1 / 6) / np.pi)]
    for first, second, meet in cases:
        surfaces = [extent(first), extent(second)]
        (window,) = windows(surfaces, (0, 1), (0.0, 1.0), slices=4).values()
        assert meet - 0.08 < window[0] <= meet <= window[1]
        (window,) = windows(surfaces, (0, 1), (0.0, 1.0)).values()
        assert meet - 0.06 < window[0] <= meet <= window[1]


def test_windows_of_parts_that_pass_each_other_hold_every_close_moment() -> None:
    """Spinning, flying rings: whenever sampled points come close, the window of the pair has begun, however many slices there are."""
    rng = np.random.default_rng(8)
    surfaces = [torus().moved(flight(rng)) for _ in range(4)]
    grid = np.linspace(0, 2 * np.pi, 25)
    uu, vv = (g.ravel() for g in np.meshgrid(grid, grid))
    moments = np.linspace(0, 1, 21)
    clouds = [[np.array(sp.lambdify([u, v], sp.Matrix(s.at(sp.Rational(k, 20)).expressions))(uu, vv)).reshape(3, -1).T for s in surfaces]
              for k in range(21)]
    for slices in (1, 7):
        kept = windows([extent(s) for s in surfaces], range(4), (0.0, 1.0), slices)
        for i in range(4):
            for j in range(i + 1, 4):
                close = [m for m, cloud in zip(moments, clouds, strict=True) if _gap(cloud[i], cloud[j]) < 0.03]
                assert not close or ((i, j) in kept and kept[i, j][0] <= close[0])


def test_only_pairs_that_are_asked_about_are_kept() -> None:
    """Three tori in one place, which all meet: owners alone decide, whichever parts are theirs."""
    for owners, (i, j) in itertools.product(((0, 1, 2, 2), (2, 0, 2, 1), (1, 2, 0, 0)), ((0, 1), (0, 2), (1, 2))):
        for step in (1, -1):
            parts = [extent(torus().moved(Rigid(translation=[step * sp.Rational(k, 9), 0, 0]))) for k in range(4)]
            kept = windows(parts, owners, (0.0, 1.0), asked=lambda a, b, i=i, j=j: (a != i) | (b != j))
            assert {tuple(sorted((owners[a], owners[b]))) for a, b in kept} == {(0, 1), (0, 2), (1, 2)} - {(i, j)}


def test_cells_are_compared_in_frames_that_turn() -> None:
    """A long thin plate turns into another one: their boxes and balls meet all the time, the plates only at the end."""
    plate = ParametricSurface([u, v, 0], {u: (-2, 2), v: (-2, 2)})
    lower = plate.moved(Rigid(rotation=axis_angle([1, 1, 0], sp.Rational(1, 2))))
    upper = lower.moved(Rigid(translation=[0, 0, 1 - t]))
    kept = windows([extent(lower), extent(upper)], (0, 1), (0.0, 1.0))
    assert 0.9 < kept[0, 1][0] < 1.0
    assert windows([extent(lower), extent(lower.moved(Rigid(translation=[0, 0, sp.Rational(3, 2) - t])))], (0, 1), (0.0, 1.0)) == {}


def test_may_meet_excludes_what_is_apart_throughout() -> None:
    rest, near, far = (extent(torus().moved(Rigid(translation=[p, 0, 0]))) for p in (0, sp.Rational(5, 2) - t, 4))
    assert may_meet([(rest, near), (rest, far), (near, far)], (0.0, 1.0)).tolist() == [True, False, True]
    assert may_meet([(rest, near)], (-1.0, -0.5)).tolist() == [False]


def test_what_meets_at_a_single_moment_is_kept() -> None:
    a, b = torus(), torus().moved(Rigid(translation=[sp.Rational(1, 2), 0, 0]))
    assert may_meet([(extent(a), extent(b))], (1.0, 1.0)).all()
    assert list(kept_windows([a, b], (1.0, 1.0))) == [(0, 1)]


def test_pairs_go_on_from_either_end_up_to_where_they_meet() -> None:
    """A ball that flies by another one, against closed forms: the times between which their distance is less than the sum of radii."""
    still, past = extent(ball(1)), extent(ball(1).moved(Rigid(rotation=axis_angle([1, 2, 2], 9 * t), translation=[8 * t - 4, 1, 0])))
    first, last = (0.5 + sign * np.sqrt(3) / 8 for sign in (-1, 1))
    pair, ends = np.array([[0, 1]]), (np.zeros(1), np.ones(1))
    (begin,) = Approach([still, past], pair).moved_on(*ends, np.ones(1), tries=64, finest=12)
    (end,) = Approach([still, past], pair).moved_on(*ends[::-1], np.ones(1), tries=64, finest=12, backward=True)
    assert first - 0.08 < begin <= first < last <= end < last + 0.08
    assert Approach([still, past], pair).moved_on(*ends, np.full(1, np.inf), tries=1) == 0.0
    assert Approach([still, past], pair).moved_on(np.zeros(1), np.full(1, begin), np.full(1, np.inf), tries=9, finest=99) == begin


def test_a_part_that_may_be_anywhere_is_kept() -> None:
    wild = ParametricSurface([u / (1 - t), v, 0], {u: (-1, 1), v: (-1, 1)})
    far = extent(ball(1).moved(Rigid(translation=[0, 0, 9])))
    assert windows([extent(wild), far], (0, 1), (0.0, 2.0)) == {}
    spread = ParametricSurface([u, v, u / (1 - t)], {u: (-1, 1), v: (-1, 1)})
    (window,) = windows([extent(spread), far], (0, 1), (0.0, 2.0)).values()
    assert 0.7 < window[0] <= 0.875 and 1.125 <= window[1] < 1.3


@pytest.mark.parametrize("length", [2.0**-20, 1.0, 2.0**20])
@pytest.mark.parametrize("share", [sp.Rational(1, 2**14), sp.Rational(1, 2**30), 0])
def test_what_meets_as_the_span_ends_is_kept(length: float, share: sp.Rational) -> None:
    """A ball comes down on another one so late that little is left of the span: the window of the pair is short, and holds the moment."""
    moment = sp.Rational(length) * (1 - share)
    falling = ball(1).moved(Rigid(translation=[0, 0, 2 + moment - t]))
    ((begin, end),) = kept_windows([ball(1), falling], (0.0, length)).values()
    assert (1 - 2.0**-10) * length < begin <= moment and end == length
    assert may_meet([(extent(ball(1)), extent(falling))], (begin, length)).all()


def test_boxes_that_share_a_corner_are_kept() -> None:
    """Their balls share just this point, too, but for rounding, whatever the direction and the sizes."""
    rng = np.random.default_rng(4)
    for _ in range(40):
        corner, side = rng.uniform(-1, 1, 3), rng.choice([-1, 1], 3)
        # Cubes and other boxes that are similar, along one diagonal.
        ends = corner + side * rng.uniform(0.5, 1.5, rng.choice([1, 3])) * np.array([[-1], [rng.uniform(0.2, 5)]])
        parts = [Extent(None, (), (u, v, t), np.sort(np.stack([corner, end], axis=1), axis=1), Rigid()) for end in ends]
        assert list(windows(parts, (0, 1), (0.0, 1.0)).values()) == [(0.0, 1.0)]
        assert may_meet([(parts[0], parts[1])], (0.0, 1.0)).all()


@pytest.mark.parametrize("speed", [10, 10**6])
@pytest.mark.parametrize("count", [2, 30])
def test_a_short_meeting_is_kept(speed: int, count: int) -> None:
    """A small ball shoots past others, through the first of them: the time for which they overlap, in closed form."""
    tiny = sp.Rational(1, 100)
    shot = ball(tiny).moved(Rigid(translation=[speed * (t - sp.Rational(1, 3)), 0, 0]))
    others = [ball(tiny).moved(Rigid(translation=[0, k, 0])) for k in range(count - 1)]
    begin, end = (sp.Rational(1, 3) + sign * 2 * tiny / speed for sign in (-1, 1))
    window = kept_windows([shot, *others], (0.0, 1.0))[0, 1]
    assert window[0] <= begin and end <= window[1] and window[1] - window[0] < 0.1


@pytest.mark.parametrize("domain", [[(0.1, 0.7)], [(-1.0, 1e-9)], [(0.1, 0.3), (1 / 3, 1e9)], [(-1e-300, 0.7), (5.0, 5.0)],
                                    [(0.1, 0.7), (-0.3, 1 / 7), (1.0, 1.0 + 2.0**-52)]])
def test_the_cells_of_a_part_cover_it(domain: list[tuple[float, float]]) -> None:
    """All combinations of pieces of the parameters, which go from end to end without a gap."""
    part = Extent(None, (), (u, v, t)[:len(domain)], np.array(domain), Rigid())
    for grid in (part.grid, part._grid(tuple(4 * count for count in _GRID[len(domain)]))):
        pieces = [sorted({(lo, hi) for lo, hi in grid[:, j].tolist()}) for j in range(len(domain))]
        assert {tuple((lo, hi) for lo, hi in cell) for cell in grid.tolist()} == set(itertools.product(*pieces))
        for own, (lo, hi) in zip(pieces, domain, strict=True):
            assert own[0][0] == lo and own[-1][1] == hi and all(after[0] <= before[1] for before, after in itertools.pairwise(own))


@pytest.mark.parametrize("rise", [0, -3 * t])
def test_windows_of_points(rise: sp.Expr) -> None:
    """A vertex, of a body at rest in its frame or not, comes down on the middle, the edge and a vertex of a tilted plate."""
    tilt = Rigid(rotation=axis_angle([2, 1, 0], sp.Rational(2, 3)))
    plate = ParametricSurface([u, v, 0], {u: (-1, 1), v: (-1, 1)}).moved(tilt)
    for place, path, symbols, domain in (((0, 0), (u, v), (u, v), [(-1, 1)] * 2), ((1, sp.Rational(1, 3)), (1, u), (u,), [(-1, 1)]),
                                         ((-1, 1), (-1, 1), (), np.empty((0, 2)))):
        end = Extent(plate.body, tuple(map(sp.sympify, path)), symbols, np.array(domain, float), plate.motion)
        tip = ParametricSurface([u, v, 2 + rise], {u: (-2, 2), v: (-2, 2)}).moved(Rigid(translation=[0, 0, -2 * t - rise])).moved(tilt)
        point = Extent(tip.body, tuple(map(sp.sympify, place)), (), np.empty((0, 2)), tip.motion)
        (window,) = windows([point, end], (0, 1), (0.0, 2.0)).values()
        assert 0.9 < window[0] <= 1 <= window[1]


def test_a_crease_of_leaves_that_move_apart_is_where_it_is_said_to_be() -> None:
    """The circle in which a ball that moves away is cut by a plane that rises: in the frame of one of them, carried by its motion."""
    leaves = implicit_ball(1).moved(Rigid(translation=[3 * t, 0, 0])), half_space().moved(Rigid(translation=[0, 0, t / 4]))
    angle = np.linspace(0, 2 * np.pi, 25)
    for first, second in (leaves, leaves[::-1]):
        body = first & second
        scene = Scene([body, implicit_ball(1)], (0, 1), (0.0, 1.0), ())
        creases = [scene.extent(0, part) for part in scene.parts(0) if part.dimension == 1 and not part.sides]
        assert len(creases) == 1
        for moment in (0.0, 0.5, 1.0):
            crowd, at = Crowd(creases), np.array([[moment, moment]])
            (box,) = swept(crowd.motions(np.array([0]), at), crowd.cells(np.array([0]), at))
            height = moment / 4
            across = np.sqrt(1 - height**2)
            circle = np.stack([3 * moment + across * np.cos(angle), across * np.sin(angle), 0 * angle + height], axis=1)
            assert (box[:, 0] <= circle + 1e-12).all() and (circle - 1e-12 <= box[:, 1]).all()


def test_cells_and_ball_hold_the_corners_of_a_patch() -> None:
    patch = extent(ParametricSurface([u, v, u * v], {u: (-1, 1), v: (-1, 3)}))
    for corner in np.array([[a, b, a * b] for a in (-1, 1) for b in (-1, 3)]):
        cells = patch.cells(np.zeros((1, 2)))[0]
        assert ((cells[..., 0] <= corner) & (corner <= cells[..., 1])).all(axis=1).any()
        assert np.linalg.norm(corner - patch.ball[:3]) <= patch.ball[3] * (1 + 1e-12)


@pytest.mark.parametrize("least", [0.1, 1.5, 2.0])
def test_pairs_that_keep_a_distance(least: float) -> None:
    """Balls of radius 1, one of which passes the other at 2 + 1: they are as near as `least` while |2 t| is no more than
    sqrt((2 + least)^2 - 3^2), if ever.
    """
    ball = ParametricSurface([sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v), sp.sin(v)], {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})
    passing = ball.moved(Rigid(rotation=axis_angle([1, 2, 2], 5 * t))).moved(Rigid(translation=[2 * t, 0, 0]))
    pair = extent(passing), extent(ball.moved(Rigid(translation=[0, 0, 3])))
    ((lo, hi),) = closer([pair], [-4.0], [4.0], least)
    if least > 1:
        half = np.sqrt((2 + least) ** 2 - 9) / 2
        assert -4.0 < lo <= -half < half <= hi < 4.0
    else:
        assert lo == hi
    assert closer([pair], [-4.0], [4.0], 1.5 * least)[0][0] <= lo
