"""Distances and clearances: closed forms, roots in forty digits, dense sampling; and what is said of bodies that meet or enclose others."""

import math
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp

import collide
from codegen.interval import Interval
from collide import DistanceStatus
from collide.timeline.nearest import Neighbours
from generative import ImplicitSurface, Parameter, ParametricSurface, Rigid, Screw, Solid, hull, primitives, t, u, v, x, y, z

R = sp.Rational
TURNED = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]


def torus(radius: Any = 1, tube: Any = R(3, 10)) -> ParametricSurface:
    return ParametricSurface([(radius + tube * sp.cos(v)) * sp.cos(u), (radius + tube * sp.cos(v)) * sp.sin(u), tube * sp.sin(v)],
                             {u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)})


def ellipsoid(a: Any, b: Any, c: Any) -> ParametricSurface:
    return ParametricSurface([a * sp.cos(u) * sp.cos(v), b * sp.sin(u) * sp.cos(v), c * sp.sin(v)],
                             {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})


def ball(r: Any = 1) -> ParametricSurface:
    return ellipsoid(r, r, r)


def shift(*by: Any) -> Rigid:
    return Rigid(translation=list(by))


def crossed(height: Any) -> Rigid:
    return Rigid(rotation=TURNED, translation=[0, 0, height])


def cube(*corner: Any) -> Solid:
    return hull([(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]).moved(shift(*corner))


SPHERE = ImplicitSurface(x**2 + y**2 + z**2 - 1, bounds=[(-2, 2)] * 3)
PLANE = ImplicitSurface(z, bounds=[(-5, 5), (-5, 5), (-1, 1)])


def holds(bracket: Interval, value: Any) -> bool:
    with mpmath.workdps(40):
        exact = mpmath.mpf(value) if isinstance(value, (int, float)) else mpmath.mpmathify(value)
        return bool(mpmath.mpf(bracket.lo) <= exact <= mpmath.mpf(bracket.hi))


def exact(e: Any) -> Any:
    return mpmath.mpmathify(sp.N(e, 40))


def narrow(d: collide.Distance) -> bool:
    return d.status is DistanceStatus.MEASURED and d.bracket.hi - d.bracket.lo <= 1.001e-9 * d.bracket.hi


# -- closed forms ---------------------------------------------------------------------------------------------------------

KNOWN = {
    "crossed tori": (torus(), torus().moved(crossed(3)), sp.sqrt(10) - R(8, 5), 2),
    "parallel tori": (torus(), torus().moved(shift(0, 0, 2)), R(7, 5), None),
    "balls": (ball(), ball(R(1, 2)).moved(shift(1, 2, 3)), sp.sqrt(14) - R(3, 2), 1),
    "balls at their poles": (ball(), ball(R(1, 2)).moved(shift(0, 0, 3)), R(3, 2), 1),
    "ball and implicit sphere": (ball().moved(shift(1, 2, 3)), SPHERE, sp.sqrt(14) - 2, 1),
    "implicit spheres": (SPHERE.moved(shift(1, 2, 3)), SPHERE, sp.sqrt(14) - 2, 1),
    "ball above a plane": (ball().moved(shift(R(1, 3), R(1, 7), 3)), PLANE, 2, 1),
    "ball beside the end of a plane": (ball().moved(shift(7, 0, 0)), PLANE, 1, 1),
    "ball beyond the corner of a plane": (ball().moved(shift(7, 7, 1)), PLANE, 2, 1),
    "ball over a crease": (ball().moved(shift(R(3, 2), 0, R(5, 2))), primitives.block((2, 2, 2)), R(1, 2) * sp.sqrt(10) - 1, 1),
    "cubes, face to face": (cube(0, 0, 0), cube(2, R(1, 2), R(1, 4)), 1, None),
    "cubes, edge to edge": (cube(0, 0, 0), cube(2, 2, R(1, 4)), sp.sqrt(2), None),
    "cubes, vertex to vertex": (cube(0, 0, 0), cube(2, 2, 2), sp.sqrt(3), 1),
}


BOTH_WAYS = ("crossed tori", "balls", "balls at their poles", "ball and implicit sphere", "implicit spheres", "ball above a plane")


@pytest.mark.parametrize("name", KNOWN)
def test_closed_forms(name: str) -> None:
    """The bracket is narrow and holds the distance; the points are as far from each other; isolated ones are proved unique."""
    a, b, value, unique = KNOWN[name]
    for first, second in ((a, b), (b, a))[:1 + (name in BOTH_WAYS)]:
        d = collide.distance(first, second)
        assert narrow(d) and holds(d.bracket, exact(value)), d.summary()
        assert len(d) and np.abs(np.linalg.norm(d.points[:, 0] - d.points[:, 1], axis=1) - float(value)).max() <= 1e-7
        assert int(d.unique.sum()) == (unique or 0) and (unique is None or len(d) == unique), d.summary()


def test_features() -> None:
    assert collide.distance(cube(0, 0, 0), cube(2, 2, 2)).features == [("vertex 7", "vertex 0")]
    d = collide.distance(ball().moved(shift(7, 0, 0)), PLANE)
    assert d.features[0][0] == "face 0" and d.features[0][1].startswith("edge")


def test_linked_tori_are_nearest_along_a_curve() -> None:
    d = collide.distance(torus(), torus().moved(Rigid(rotation=TURNED, translation=[1, 0, 0])))
    assert holds(d.bracket, exact(R(2, 5))) and d.bracket.lo >= 0.4 - 1e-7
    assert not d.unique.any() and not d.notes


def test_crossed_tori_that_approach() -> None:
    k = collide.clearance([torus(), torus().moved(crossed(3 - t))], (0, 1))
    assert narrow(k) and holds(k.bracket, exact(sp.sqrt(5) - R(8, 5))) and k.verdict is None
    assert k.unique.tolist() == [True, True] and (k.times[:, 0] <= 1).all() and (k.times[:, 1] >= 1 - 1e-9).all()
    assert k.pairs.tolist() == [[0, 1], [0, 1]]


def test_a_ball_that_passes_by() -> None:
    """Least where the motion is at right angles: inside the span."""
    k = collide.clearance([ball(), ball().moved(shift(4 * t - R(7, 3), 3, 0))], (0, 1))
    assert narrow(k) and holds(k.bracket, exact(1)) and k.unique.all() and len(k) == 1
    assert k.times[0, 0] <= 7 / 12 <= k.times[0, 1] and k.times[0, 1] - k.times[0, 0] < 1e-6


def test_a_ball_that_comes_as_near_again() -> None:
    table = ParametricSurface([u, v, 0], {u: (-3, 3), v: (-3, 3)})
    k = collide.clearance([ball(R(1, 2)).moved(shift(0, 0, 1 - sp.sin(t) / 4)), table], (0, 10))
    assert narrow(k) and holds(k.bracket, exact(R(1, 4))) and k.unique.tolist() == [True, True]
    for (lo, hi), moment in zip(sorted(k.times.tolist()), (sp.pi / 2, 5 * sp.pi / 2), strict=True):
        assert lo <= moment <= hi and hi - lo < 1e-6


@pytest.mark.parametrize(("least", "verdict"), [(0.1, True), (0.3999, True), (0.4001, False), (1.0, False), (5.0, False)])
def test_verdicts(least: float, verdict: bool) -> None:
    k = collide.clearance([torus(), torus().moved(shift(0, 0, 2 - t))], (0, 1), at_least=least)
    assert k.verdict is verdict and holds(k.bracket, exact(R(2, 5))), k.summary()
    if not verdict:
        assert len(k) == 1 and np.linalg.norm(k.points[0, 0] - k.points[0, 1]) < least


# -- surfaces that meet, and bodies inside others -------------------------------------------------------------------------


def test_surfaces_that_cross() -> None:
    for a, b in ((ball(), ball().moved(shift(1, R(1, 2), 0))), (SPHERE, ball().moved(shift(1, R(1, 2), 0))),
                 (cube(0, 0, 0), cube(R(1, 2), R(1, 3), R(1, 4)))):
        d = collide.distance(a, b)
        assert d.status is DistanceStatus.MEETING and d.bracket == (0.0, 0.0), d.summary()
        assert len(d) == 1 and np.abs(d.points[0, 0] - d.points[0, 1]).max() < 1e-9
    k = collide.clearance([ball(), ball().moved(shift(3 - 2 * t, 0, 0))], (0, 1))
    assert k.status is DistanceStatus.MEETING and k.bracket == (0.0, 0.0)
    assert collide.clearance([ball(), ball().moved(shift(3 - 2 * t, 0, 0))], (0, 1), at_least=0.1).verdict is False


def test_cubes_that_touch() -> None:
    """By exact numbers: the difference of two points is exactly zero."""
    for corner in ((1, R(1, 2), R(1, 4)), (1, 0, 0), (1, 1, R(1, 2)), (1, 1, 1)):
        d = collide.distance(cube(0, 0, 0), cube(*corner))
        assert d.status is DistanceStatus.MEETING and d.bracket == (0.0, 0.0), d.summary()


@pytest.mark.parametrize("centre", [(2, 0, 0), (0, 0, 2), (R(6, 5), R(8, 5), 0)])
def test_balls_that_touch(centre: Any) -> None:
    """Rounding cannot tell that from a near miss; it is said so, and the bracket ends with a few roundings."""
    d = collide.distance(ball(), ball().moved(shift(*centre)))
    assert d.bracket.lo == 0.0 and d.bracket.hi <= 1e-12, d.summary()
    assert d.status is DistanceStatus.MEETING or "touch" in d.summary()


TRIANGLE = collide.Mesh([(-1, -1, 0), (2, -1, 0), (0, 2, 0)], [(0, 1, 2)])
PLATE = ParametricSurface([u, v, 0], {u: (-1, 1), v: (-1, 1)})
# How far apart an implicit ball is from each of these, where the ball is so high above z = 0.
BENEATH = {"plate": PLATE, "triangle": TRIANGLE, "plane": PLANE, "block": primitives.block((2, 2, 2)).moved(shift(0, 0, -1))}


@pytest.mark.parametrize("gap", [0, R(1, 2**48), R(1, 2**34), R(1, 2**27)])
@pytest.mark.parametrize("name", BENEATH)
def test_implicit_balls_that_touch_or_nearly_do(name: str, gap: Any) -> None:
    """The least distance is told to some roundings, though its square is not; and never below what it is."""
    d = collide.distance(SPHERE.moved(shift(R(1, 7), R(1, 5), 1 + gap)), BENEATH[name], budget=collide.Budget(seconds=30, boxes=400_000))
    assert holds(d.bracket, gap) and d.bracket.hi < 1.001 * float(gap) + 1e-13, d.summary()
    assert d.status is not DistanceStatus.BUDGET_SPENT


def test_implicit_balls_that_touch_each_other_or_parametric_ones() -> None:
    for other in (SPHERE, ball()):
        d = collide.distance(SPHERE, other.moved(shift(R(6, 5), R(8, 5), 0)), budget=collide.Budget(seconds=30, boxes=400_000))
        assert d.bracket.lo == 0.0 and d.bracket.hi <= 1e-14 and "touch" in d.summary(), d.summary()


@pytest.mark.parametrize("gap", [R(1, 10**10), R(1, 10**8), R(2, 10**6), R(1, 10**5)])
def test_implicit_balls_that_nearly_touch_each_other_or_parametric_ones(gap: Any) -> None:
    """Normals in space tell them apart in some thousands of boxes; the difference of points in these is mostly along the surfaces."""
    away = [R(6, 5) * (1 + gap / 2), R(8, 5) * (1 + gap / 2), 0]
    for other in (SPHERE, ball()):
        d = collide.distance(SPHERE, other.moved(shift(*away)), budget=collide.Budget(seconds=30, boxes=40_000))
        assert holds(d.bracket, gap) and d.status is not DistanceStatus.BUDGET_SPENT, d.summary()
        assert d.bracket.lo > 0.97 * float(gap) and d.bracket.hi < 1.001 * float(gap) + 1e-13, d.summary()


def test_one_inside_the_other() -> None:
    d = collide.distance(ball(3).named("shell"), ball().moved(shift(R(1, 2), 0, 0)))
    assert holds(d.bracket, exact(R(3, 2))) and narrow(d) and d.unique.all()
    assert any('body 1 is inside body 0 ("shell")' in note for note in d.notes)
    assert not collide.distance(torus(), torus().moved(Rigid(rotation=TURNED, translation=[1, 0, 0])), tolerance=1e-3).notes


# -- referees -------------------------------------------------------------------------------------------------------------


def referee(matrices: list[np.ndarray], shifts: list[np.ndarray], start: np.ndarray) -> Any:
    """The distance of two ellipsoids M s + T, |s| = 1, in thirty digits: the root of the conditions of Lagrange near a start, with signs
    that prove it the least of two convex bodies that are apart.
    """
    with mpmath.workdps(40):
        m = [mpmath.matrix(a.tolist()) for a in matrices]
        away = mpmath.matrix((shifts[0] - shifts[1]).tolist())
        for k in range(3):
            away[k] = mpmath.mpf(float(shifts[0][k])) - mpmath.mpf(float(shifts[1][k]))

        def conditions(*w: Any) -> list[Any]:
            s, r = mpmath.matrix(w[:3]), mpmath.matrix(w[3:6])
            d = m[0] * s + away - m[1] * r
            first, second = m[0].T * d + w[6] * s, m[1].T * d - w[7] * r
            return [*first, *second, (s.T * s)[0] - 1, (r.T * r)[0] - 1]

        root = mpmath.findroot(conditions, start.tolist(), tol=1e-60, maxsteps=50)
        assert root[6] > 0 and root[7] > 0, "no least distance"
        d = m[0] * root[:3] + away - m[1] * root[3:6]
        return mpmath.norm(d)


def approximately(matrices: list[np.ndarray], shifts: list[np.ndarray]) -> np.ndarray:
    """Points of the unit spheres and multipliers, by descent on the distance of the bodies."""
    from scipy.optimize import minimize

    def apart(w: np.ndarray) -> np.ndarray:
        s, r = w[:3] / np.linalg.norm(w[:3]), w[3:] / np.linalg.norm(w[3:])
        return np.asarray(matrices[0] @ s + shifts[0] - matrices[1] @ r - shifts[1])

    start = np.concatenate([np.linalg.solve(matrices[0], shifts[1] - shifts[0]), np.linalg.solve(matrices[1], shifts[0] - shifts[1])])
    w = minimize(lambda w: float((apart(w)**2).sum()), start, method="BFGS", options={"gtol": 1e-12}).x
    s, r, d = w[:3] / np.linalg.norm(w[:3]), w[3:] / np.linalg.norm(w[3:]), apart(w)
    return np.array([*s, *r, -s @ (matrices[0].T @ d), r @ (matrices[1].T @ d)])


def random_pair(rng: np.random.Generator) -> tuple[list[ParametricSurface], list[np.ndarray], list[np.ndarray]]:
    """Two ellipsoids with turned axes that are apart: matrices and shifts are doubles, taken as they are."""
    while True:
        bodies, matrices, shifts = [], [], []
        for side in (0.0, 1.0):
            sizes = rng.uniform(0.3, 1.5, 3)
            turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
            at = side * rng.uniform(2.0, 4.0) * _unit(rng) + rng.uniform(-0.2, 0.2, 3)
            turn = turn * np.sign(np.linalg.det(turn))
            bodies.append(ellipsoid(*map(R, sizes.tolist())).placed(turn, at))
            matrices.append(turn @ np.diag(sizes))
            shifts.append(at)
        along = (shifts[1] - shifts[0]) / np.linalg.norm(shifts[1] - shifts[0])
        if sum(np.linalg.norm(m.T @ along) for m in matrices) < 0.95 * np.linalg.norm(shifts[1] - shifts[0]):
            return bodies, matrices, shifts


def _unit(rng: np.random.Generator) -> np.ndarray:
    way = rng.normal(size=3)
    return np.asarray(way / np.linalg.norm(way))


@pytest.mark.parametrize("seed", range(100))
def test_random_ellipsoids(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bodies, matrices, shifts = random_pair(rng)
    d = collide.distance(*bodies)
    assert narrow(d), d.summary()
    value = referee(matrices, shifts, approximately(matrices, shifts))
    # The referee's matrices are products that were rounded once.
    room = 1e-14
    assert d.bracket.lo - room <= float(value) <= d.bracket.hi + room
    assert d.unique.all() and len(d) == 1


@pytest.mark.parametrize("seed", range(20))
def test_random_balls(seed: int) -> None:
    """By closed form, exactly: numbers are doubles."""
    rng = np.random.default_rng(seed)
    radii, at = rng.uniform(0.2, 1.0, 2), rng.normal(size=3) * 2
    if np.linalg.norm(at) < radii.sum() + 1e-3:
        at *= (radii.sum() + 0.1) / np.linalg.norm(at)
    with mpmath.workdps(40):
        value = mpmath.sqrt(sum(mpmath.mpf(c)**2 for c in at.tolist())) - mpmath.mpf(radii[0]) - mpmath.mpf(radii[1])
    bodies = ball(R(float(radii[0]))), ball(R(float(radii[1]))).moved(shift(*map(R, at.tolist())))
    d = collide.distance(*bodies)
    assert narrow(d) and holds(d.bracket, value) and d.unique.tolist() == [True]


def points_of(body: ParametricSurface, moment: float, count: int) -> np.ndarray:
    place = sp.lambdify([u, v, t], list(body.expressions), "numpy")
    ends = [tuple(map(float, body.domain[s])) for s in (u, v)]
    a, b = np.meshgrid(*(np.linspace(*e, count) for e in ends))
    return np.stack([np.broadcast_to(c, a.shape) for c in place(a, b, moment)], axis=-1).reshape(-1, 3)


@pytest.mark.parametrize("seed", range(6))
def test_no_sampled_pair_of_moving_bodies_is_nearer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    q = [R(int(n), 16) for n in rng.integers(-16, 16, 12)]
    first = ellipsoid(1, R(1, 2), R(3, 4)).moved(Screw(axis=[1, 2, 2], angle=q[0] * t, advance=q[1] * t))
    second = torus().moved(Screw(axis=[2, -1, 2], angle=q[2] + q[3] * t)).moved(shift(3 + q[4] * t, q[5] + q[6] * t, q[7] + q[8] * t**2))
    k = collide.clearance([first, second], (0, 1))
    least = math.inf
    for moment in np.linspace(0, 1, 21):
        a, b = points_of(first, moment, 40), points_of(second, moment, 40)
        least = min(least, float(np.sqrt(((a[:, None] - b[None])**2).sum(axis=2).min())))
    assert k.status is DistanceStatus.MEETING or narrow(k), k.summary()
    assert k.bracket.lo <= least + 1e-12 and least - 0.2 <= k.bracket.hi
    if k.status is DistanceStatus.MEASURED:
        assert collide.clearance([first, second], (0, 1), at_least=0.99 * k.bracket.lo).verdict is True
        assert collide.clearance([first, second], (0, 1), at_least=1.01 * k.bracket.hi).verdict is False


def test_many_bodies() -> None:
    """The nearest pair of a cloud, and which pairs are never searched."""
    rng = np.random.default_rng(3)
    at = rng.uniform(-8, 8, (30, 3))
    balls = [ball(R(1, 4)).moved(shift(*map(R, c.tolist()))) for c in at]
    far = np.linalg.norm(at[:, None] - at[None], axis=2) + 100 * np.eye(30)
    k = collide.clearance(balls, (0, 1))
    assert k.bracket.lo - 1e-12 <= far.min() - 0.5 <= k.bracket.hi + 1e-12 and narrow(k)
    assert {tuple(p) for p in k.pairs.tolist()} == {tuple(sorted(np.unravel_index(far.argmin(), far.shape)))}
    nearest = tuple(int(i) for i in k.pairs[0])
    again = collide.clearance(balls, (0, 1), ignore=[nearest])
    assert again.bracket.lo > k.bracket.hi


# -- bad input and limits -------------------------------------------------------------------------------------------------


def test_bad_input() -> None:
    with pytest.raises(TypeError, match="body 1"):
        collide.distance(ball(), 3)
    with pytest.raises(ValueError, match="at must be"):
        collide.distance(ball(), ball(), at=math.nan)
    with pytest.raises(ValueError, match="at_least must be"):
        collide.clearance([ball(), ball()], (0, 1), at_least=-1)
    with pytest.raises(ValueError, match="go forward"):
        collide.clearance([ball(), ball()], (1, 0))
    with pytest.raises(ValueError, match="parameter r"):
        collide.distance(ball(Parameter("r")), ball())
    with pytest.raises(ValueError, match="needs bounds"):
        collide.distance(ball(), ImplicitSurface(z))


@pytest.mark.parametrize("body", [primitives.ball(R(1, 10**170)), primitives.block([R(1, 10**170)] * 3), primitives.ball(R(1, 10**160))])
def test_implicit_bodies_too_small_for_doubles_are_refused(body):
    beside = body.moved(Rigid(translation=[R(3, 10**170), 0, 0]))
    for a, b in ((body, beside), (primitives.ball(), body.moved(Rigid(translation=[3, 0, 0])))):
        with pytest.raises(ValueError, match="give lengths in a smaller unit"):
            collide.distance(a, b)


def test_a_spent_budget_is_an_answer() -> None:
    a, b = ball(3), ball()
    d = collide.distance(a, b, budget=collide.Budget(boxes=200))
    assert d.status is DistanceStatus.BUDGET_SPENT and holds(d.bracket, exact(2)), d.summary()


def test_no_surface_within_the_bounds() -> None:
    d = collide.distance(ball(), ImplicitSurface(z - 3, bounds=[(-1, 1)] * 3))
    assert d.status is DistanceStatus.NOWHERE and len(d) == 0


def test_pairs_that_were_not_searched_bound_the_distance_too(monkeypatch):
    """A search that ends with the first proof of a nearer point says nothing of pairs that come after it."""
    offsets = [[R(21, 10)] * 3] * 4 + [[R(23, 10), 0, 0]]
    bodies = [ball.moved(Rigid(translation=[20 * k + a, b, c])) for k, at in enumerate(offsets) for a, b, c in ([0, 0, 0], at)
              for ball in [primitives.ball()]]

    def nearer(scene, labels, asked, clock, found):
        found.upper = 1.75
        return 1.5, True

    monkeypatch.setattr(Neighbours, "_search_some", nearer)
    answer = collide.clearance(bodies, (0, 1), at_least=2)
    assert answer.verdict is False and answer.bracket[0] <= 0.3
