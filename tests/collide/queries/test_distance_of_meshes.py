"""Distances of meshes against exact rationals, closed forms, and moments of motions."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import collide
from collide import DistanceStatus, Mesh, clearance, distance
from collide.polyhedra.distance import mesh_distance
from collide.search.budget import as_budget
from collide.search.clock import Clock
from generative import Parameter, Rigid, Screw, t

from ..polyhedra.location.test_index import CORNERS, TRIANGLES

CUBE = Mesh(CORNERS, TRIANGLES)
MEASURED, MEETING = DistanceStatus.MEASURED, DistanceStatus.MEETING


def shifted(*by):
    return Rigid(translation=list(by))


# -- a referee in rational numbers ----------------------------------------------------------------------------------------


def minus(a, b):
    return [x - y for x, y in zip(a, b, strict=True)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def point_and_segment(p, a, b):
    along = minus(b, a)
    s = min(max(dot(minus(p, a), along) / dot(along, along), Fraction(0)), Fraction(1))
    d = minus(p, [x + s * y for x, y in zip(a, along, strict=True)])
    return dot(d, d)


def segments(a, b, c, d):
    """Of the squares of distances: of inner points, if there are nearest ones, else of ends."""
    u, v, r = minus(b, a), minus(d, c), minus(a, c)
    det = dot(u, u) * dot(v, v) - dot(u, v) ** 2
    if det:
        s = (dot(u, v) * dot(v, r) - dot(u, r) * dot(v, v)) / det
        w = (dot(u, u) * dot(v, r) - dot(u, v) * dot(u, r)) / det
        if 0 < s < 1 and 0 < w < 1:
            d = [x + s * y - w * z for x, y, z in zip(r, u, v, strict=True)]
            return dot(d, d)
    return min(point_and_segment(a, c, d), point_and_segment(b, c, d), point_and_segment(c, a, b), point_and_segment(d, a, b))


def point_and_face(p, face):
    u, v, r = minus(face[1], face[0]), minus(face[2], face[0]), minus(p, face[0])
    uu, uv, vv, ur, vr = dot(u, u), dot(u, v), dot(v, v), dot(u, r), dot(v, r)
    det = uu * vv - uv * uv
    x, y = (ur * vv - vr * uv) / det, (vr * uu - ur * uv) / det
    if min(x, y, 1 - x - y) < 0:
        return math.inf
    d = [a - x * b - y * c for a, b, c in zip(r, u, v, strict=True)]
    return dot(d, d)


def squared(first, second):
    """Of two triangles apart."""
    edges = [segments(first[i], first[i - 1], second[j], second[j - 1]) for i, j in itertools.product(range(3), repeat=2)]
    return min([*edges, *(point_and_face(p, second) for p in first), *(point_and_face(p, first) for p in second)])


def soup(g, count, shift):
    vertices = g.integers(-40, 40, (3 * count, 3)) / 32 + shift
    return Mesh(vertices, np.arange(3 * count).reshape(-1, 3))


def test_random_triangles_against_rational_numbers():
    for seed in range(12):
        g = np.random.default_rng(seed)
        a, b = soup(g, 3, [0, 0, 0]), soup(g, 4, [3 + seed % 2, 0, 0])
        pairs = itertools.product(*([[[Fraction(x) for x in p] for p in m.vertices[k, :3].tolist()] for k in m.triangles] for m in (a, b)))
        exact = min(squared(first, second) for first, second in pairs)
        found = distance(a, b)
        assert found.status is MEASURED and Fraction(found.bracket.lo) ** 2 <= exact <= Fraction(found.bracket.hi) ** 2
        assert math.isclose(math.dist(*found.points[0]), found.bracket.hi, rel_tol=1e-12)


# -- at rest --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("motion", "exact"), [
    (shifted(3, 0, 0), 2), (shifted(2, 2, 2), math.sqrt(3)), (shifted(1.25, 3, 0.5), math.hypot(0.25, 2)),
    (shifted(1 + sp.sqrt(2), 0, 0), math.sqrt(2)),
    (shifted(2, 0.5, 0) @ Screw(axis=[0, 0, 1], point=[0, 0, 0], angle=sp.pi / 4, advance=0),
     math.hypot(1 - math.sqrt(0.5), math.sqrt(0.5) - 0.5)),
])  # fmt: skip
def test_cubes_apart(motion, exact):
    found = distance(CUBE, CUBE.moved(motion))
    assert found.status is MEASURED and found.bracket.lo <= exact * (1 + 1e-15) and exact * (1 - 1e-15) <= found.bracket.hi
    assert found.bracket.hi - found.bracket.lo <= 2e-9 * exact and len(found) == 1
    back = distance(CUBE.moved(motion), CUBE)
    assert back.status is MEASURED and back.bracket.lo <= found.bracket.hi and found.bracket.lo <= back.bracket.hi


@pytest.mark.parametrize("shift", [(1, 0, 0), (1, 1, 0), (1, 1, 1), (1, sp.Rational(1, 3), sp.Rational(1, 5)), (0.5, 0.5, 0.5), (0, 0, 0)])
def test_cubes_that_touch_or_cross_meet(shift):
    found = distance(CUBE, CUBE.moved(shifted(*shift)))
    assert found.status is MEETING and found.bracket == (0, 0) and np.allclose(found.points[0, 0], found.points[0, 1])
    near = distance(CUBE, CUBE.moved(shifted(1 + sp.Rational(1, 10**30), 0, 0)))
    assert near.status is DistanceStatus.UNRESOLVED and near.bracket.lo == 0 and near.bracket.hi < 1e-12 and "touch" in near.summary()


def test_one_inside_another_is_told():
    inner = Mesh(CORNERS * 0.25 + 0.375, TRIANGLES)
    found = distance(CUBE, inner)
    assert found.bracket.lo <= 0.375 <= found.bracket.hi and "body 1 is inside body 0" in found.summary()
    assert distance(CUBE, inner.moved(shifted(2, 0, 0))).notes == ()


def test_features_are_named():
    assert distance(CUBE, CUBE.moved(shifted(2, 2, 2))).features == [("vertex 7", "vertex 0")]
    peak = Mesh([[0, 0, 0], [-1, -1, 3], [1, -1, 3], [0, 1, 3]], [[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]])
    above = distance(CUBE, peak.moved(shifted(0.5, 0.25, 2)))
    assert above.features[0][0].startswith("face") and above.features[0][1] == "vertex 0"
    assert np.allclose(above.points[0], [[0.5, 0.25, 1], [0.5, 0.25, 2]])


# -- in motion ------------------------------------------------------------------------------------------------------------


def spinning(advance=t / 5):
    return Screw(axis=[0, 0, 1], point=[0, 0, 0], angle=3 * t, advance=advance) @ shifted(2, 0, 0)


@pytest.mark.parametrize(("motion", "span", "exact", "when"), [
    (shifted(3 - t, 0, 0), (0, 1), 1, 1), (shifted((t - sp.Rational(1, 3)) ** 2 + 2, 0, 0), (0, 3), 1, 1 / 3),
    (spinning(), (0, 1), 2 - math.sqrt(2), math.pi / 12), (shifted(3 + sp.Abs(t - sp.Rational(1, 2)), 0, 0), (0, 1), 2, 0.5),
    (shifted(3 - sp.sin(t), 0, 0), (0, 3), 1, math.pi / 2),
])  # fmt: skip
def test_clearance_in_closed_form(motion, span, exact, when):
    found = clearance([CUBE, CUBE.moved(motion)], span)
    assert found.status is MEASURED and found.bracket.lo <= exact <= found.bracket.hi <= found.bracket.lo * (1 + 2e-9)
    assert abs(found.times[0, 0] - when) < 1e-3 and found.pairs.tolist() == [[0, 1]]


def test_clearance_is_below_the_distance_at_every_moment():
    g = np.random.default_rng(7)
    a, b = soup(g, 5, [0, 0, 0]), soup(g, 5, [4, 0, 0])
    turn = Screw(axis=[1, 2, 2], point=[2, 0, 1], angle=t, advance=t / 4)
    found = clearance([a, b.moved(turn)], (0, 1))
    assert found.status is MEASURED
    known = [distance(a, b.moved(turn), at=time).bracket for time in np.linspace(0, 1, 9)]
    assert all(found.bracket.lo <= each.hi for each in known)
    at = distance(a, b.moved(turn), at=found.times[0, 0])
    assert at.bracket.lo <= found.bracket.hi * (1 + 1e-12)


def test_verdicts():
    bodies = [CUBE, CUBE.moved(shifted(3 - t, 0, 0)), CUBE.moved(shifted(0, 0, 40))]
    assert clearance(bodies, (0, 1), at_least=0.5).verdict is True and clearance(bodies, (0, 1), at_least=1.5).verdict is False
    assert clearance(bodies, (0, 1), at_least=1.5, ignore=[(0, 1)]).verdict is True
    met = clearance(bodies, (0, 2.5))
    assert met.status is MEETING and met.bracket == (0, 0) and met.times[0, 0] > 2


def test_budgets_and_parameters():
    h = Parameter("h")
    assert clearance([CUBE, CUBE.moved(shifted(h - t, 0, 0))], (0, 1), parameters={h: 4}).bracket.hi == pytest.approx(2)
    spent = clearance([CUBE, CUBE.moved(spinning())], (0, 1), budget=collide.Budget(boxes=200))
    assert spent.status is DistanceStatus.BUDGET_SPENT and spent.bracket.lo <= 2 - math.sqrt(2) <= spent.bracket.hi
    with pytest.raises(ValueError, match="mesh without triangles"):
        distance(CUBE, Mesh(CORNERS, TRIANGLES[:0]))


def test_bounds_of_windows_hold_and_narrow():
    meshes, clock = (CUBE, CUBE.moved(spinning())), Clock(as_budget(None))
    asked = mesh_distance.DistanceTolerance(1e-9, math.inf)
    state = mesh_distance.MeshDistanceSearch(meshes, asked, clock, mesh_distance.MeshDistanceBounds(), (0, 1))
    lower, pairs = state.look(0.0, 0.5, None)
    true = min(distance(CUBE, CUBE.moved(spinning()), at=x).bracket.hi for x in np.linspace(0, 0.5, 17))
    assert lower <= true and pairs is not None
    for k in range(1, 8):
        wide, _ = state.look(0.25 - 0.25 / 2**k, 0.25 + 0.25 / 2**k, pairs)
        assert lower <= wide + 1e-12


@pytest.mark.parametrize("power", [-480, -500, -530, -545, -600, -1000, 90])
def test_brackets_of_tiny_and_huge_meshes_hold_the_distance(power):
    """Also where the squares of their lengths are no doubles."""
    size = 2.0**power
    for shift, exact in (([2.25, 0, 0], 1.25), ([1.5, 1.75, 0], math.sqrt(0.25 + 0.5625))):
        moved = Mesh((CORNERS + np.array(shift)) * size, TRIANGLES)
        lower, upper = distance(Mesh(CORNERS * size, TRIANGLES), moved).bracket
        assert lower / size <= exact * (1 + 1e-15) and exact * (1 - 1e-15) <= upper / size


def test_progress_is_shown_and_ends(capsys):
    assert distance(CUBE, Mesh(CORNERS + 2, TRIANGLES), progress=True).status is MEASURED
    assert "boxes" in capsys.readouterr().err
