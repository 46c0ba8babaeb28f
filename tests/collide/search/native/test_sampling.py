"""Samples of contact curves and surfaces: everywhere, evenly, and proved."""

import numpy as np
import pytest
import sympy as sp

import collide
from collide.bodies.parts import faces_of
from collide.search.budget import Budget
from collide.search.clock import Clock
from collide.search.drive import drive
from collide.search.options import Options
from collide.search.search import Search
from collide.situations.contact import situation
from generative import ImplicitSurface, ParametricSurface, Rigid, Solid, axis_angle, patch, t, u, v, y, z
from models.scenes import SCENES
from models.shapes.rings import torus

Q = sp.Rational
TILT = Rigid(rotation=[3, 1, 2, 1], translation=[Q(1, 7), Q(2, 9), Q(1, 3)], normalize=True)


def run(name):
    scene = SCENES[name]
    return collide.first_contact(scene.bodies, scene.time, **scene.options), scene.options["spacing"]


def gaps(points, angle):
    """Distances of neighbours along a closed curve on which `angle` grows."""
    around = points[np.argsort(angle)]
    return np.linalg.norm(around - np.roll(around, 1, axis=0), axis=1)


@pytest.mark.parametrize("name, radius, counts", [("torus-on-torus", 2.0, (120, 130)), ("torus-on-torus-coarse", 2.0, (12, 14)),
                                                  ("tori-coaxial", 1.0, (60, 66)), ("torus-on-floor", 1.0, (30, 34))])
def test_a_circle_is_sampled_evenly(name, radius, counts):
    """Chen et al. 2024 find 124 and 12 points in the first two scenes, whose circle has the length 4 pi."""
    c, apart = run(name)
    assert c.status is collide.Status.CONTACT and c.existence.all() and not c.proved.any()
    assert counts[0] <= len(c) <= counts[1]
    x, y = c.points[:, 0], c.points[:, 1]
    assert abs(np.hypot(x, y) - radius).max() < 1e-6
    between = gaps(c.points, np.arctan2(y, x))
    assert 0.5 * apart <= between.min() and between.max() <= 1.06 * apart
    assert (between > 0.95 * apart).sum() >= len(c) - 2


def test_thinning_alone_leaves_a_sample_near_every_contact():
    """Without steps from sample to sample, what is proved when a box is dropped must suffice: coaxial tori, tilted."""
    ring = torus().moved(TILT)
    above = torus().moved(Rigid(translation=[0, 0, 2 - t])).moved(TILT)
    problem = situation(faces_of(above)[0], faces_of(ring)[0], (0, 2))
    for apart in (0.5, 0.2):
        search = Search([problem], Options(simultaneity=1e-3, spacing=apart))
        search.walked = 1 << 40
        assert drive(search, Clock(Budget()))
        places = np.array([search.arrays["place"][k].mean(axis=1) for k in search.solutions])
        local = (places - np.array(TILT.apply((0, 0, 0)), float)) @ np.array(TILT.rotation.evalf(30), float)
        angle = np.linspace(0, 2 * np.pi, 5000)
        circle = np.stack([np.cos(angle), np.sin(angle), 0.3 + 0 * angle], axis=1)
        reach = np.linalg.norm(circle[:, None] - local[None], axis=2).min(axis=1)
        assert reach.max() < apart + 1e-6


def test_an_arc_is_sampled_to_its_ends():
    c, apart = run("tube-on-cushion")
    x = np.sort(c.points[:, 0])
    assert abs(x[[0, -1]] - [-0.75, 0.75]).max() < 1e-9
    ordered = c.points[np.argsort(c.points[:, 0])]
    between = np.linalg.norm(np.diff(ordered, axis=0), axis=1)
    # At the ends are samples of edges, for which those of the face that are nearer than half the spacing are left out.
    assert 0.45 * apart <= between.min() and between.max() <= 1.06 * apart


@pytest.mark.parametrize("apart", [0.11, 0.13, 0.17, 0.3])
def test_a_line_between_two_edges_is_sampled_to_its_ends(apart):
    """A log of length 2 comes down across a plate 4/3 wide, all tilted: a line of that length between the edges of the plate."""
    log = ParametricSurface([v, sp.cos(u) / 2, sp.sin(u) / 2], {u: (0, 2 * sp.pi), v: (-1, 1)})
    log = log.moved(Rigid(translation=[0, 0, Q(3, 2) - t]))
    plate = ParametricSurface([u, v, 0], {u: (-Q(2, 3), Q(2, 3)), v: (-1, 1)})
    c = collide.first_contact([log.moved(TILT), plate.moved(TILT)], (0, 2), spacing=apart)
    along = np.sort(((c.points - [1 / 7, 2 / 9, 1 / 3]) @ np.array(TILT.rotation.evalf(30), float))[:, 0])
    between = np.diff(along) / apart
    assert c.status is collide.Status.CONTACT and c.existence.all() and abs(along[[0, -1]] - [-2 / 3, 2 / 3]).max() < 1e-6
    assert between.min() >= 0.44 and between.max() <= 1.06


def test_a_patch_is_sampled_evenly():
    """A square of side 2 lands flat, all tilted: a sample near every point, and a lattice of equilateral triangles would
    have about 4 / (0.866 spacing**2) of them.
    """
    apart = 0.25
    floor = ParametricSurface([u, v, 0], {u: (-3, 3), v: (-3, 3)})
    plate = ParametricSurface([u, v, 0], {u: (-1, 1), v: (-1, 1)}, flipped=True).moved(Rigid(translation=[Q(1, 5), Q(1, 11), 1 - t]))
    c = collide.first_contact([plate.moved(TILT), floor.moved(TILT)], (0, 2), simultaneity=1e-3, spacing=apart)
    assert c.status is collide.Status.CONTACT and c.existence.all()
    assert 60 <= len(c) <= 110
    back, shift = np.array(TILT.rotation.evalf(30), float), np.array([1 / 7, 2 / 9, 1 / 3])
    local = (c.points - shift) @ back
    assert abs(local[:, 2]).max() < 1e-6
    grid = np.stack(np.meshgrid(np.linspace(-1, 1, 60) + 0.2, np.linspace(-1, 1, 60) + 1 / 11), axis=-1).reshape(-1, 2)
    reach = np.linalg.norm(grid[:, None] - local[None, :, :2], axis=2).min(axis=1)
    assert reach.max() <= apart
    assert np.mean(reach < 0.7 * apart) > 0.95
    between = np.linalg.norm(local[:, None] - local[None], axis=2) + 9 * np.eye(len(c))
    assert between.min() >= 0.45 * apart


def test_a_point_beside_a_curve_is_not_lost():
    """A ring and a ball beside it, one parametric and one implicit, come down on a floor together: a circle of contacts and
    one isolated contact, proved unique, nearer to the circle than the distance of samples.
    """
    r = 1 + Q(3, 10) * sp.cos(v)
    turn = (0, 2 * sp.pi)
    ring = ParametricSurface([r * sp.cos(u), r * sp.sin(u), Q(3, 10) * sp.sin(v)], {u: turn, v: turn})
    ball = ParametricSurface([sp.cos(u) * sp.cos(v), sp.sin(v), sp.sin(u) * sp.cos(v)], {u: turn, v: (-sp.pi / 2, sp.pi / 2)}, flipped=True)
    small = ParametricSurface([e / 10 for e in ball.body], ball.domain, flipped=True)
    floor = ImplicitSurface(z, bounds=[(-2, 2)] * 3)
    fall = Rigid(translation=[0, 0, Q(13, 10) - t])
    beside = Rigid(translation=[Q(91, 100), Q(1, 13), Q(11, 10) - t])
    c = collide.first_contact([ring.moved(fall), floor, small.moved(beside)], (0, 2), simultaneity=1e-3, spacing=0.1)
    alone = c.pairs[:, 1] == 2
    assert alone.sum() == 1 and c.proved[alone].all() and abs(c.points[alone][0] - [0.91, 1 / 13, 0]).max() < 1e-6
    assert 60 <= (~alone).sum() <= 66


def test_a_point_beside_a_curve_of_the_same_body_is_not_lost():
    """The same ring and ball as two faces of one body."""
    r = 1 + Q(3, 10) * sp.cos(v)
    turn = (0, 2 * sp.pi)
    ring = ParametricSurface([r * sp.cos(u), r * sp.sin(u), Q(3, 10) * sp.sin(v)], {u: turn, v: turn})
    around = sp.cos(u) * sp.cos(v), sp.sin(v), sp.sin(u) * sp.cos(v)
    ball = ParametricSurface([e / 10 for e in around], {u: turn, v: (-sp.pi / 2, sp.pi / 2)})
    beside = Rigid(translation=[Q(91, 100), Q(1, 13), Q(11, 10) - t])
    both = Solid([ring.moved(Rigid(translation=[0, 0, Q(13, 10) - t])), ball.moved(beside)], [], [])
    c = collide.first_contact([both, ImplicitSurface(z, bounds=[(-2, 2)] * 3)], (0, 2), simultaneity=1e-3, spacing=0.1)
    alone = np.array([f[0] == "face 1" for f in c.features])
    assert alone.sum() == 1 and c.existence.all() and abs(c.points[alone][0] - [0.91, 1 / 13, 0]).max() < 1e-6
    assert 60 <= (~alone).sum() <= 66


def test_a_line_is_sampled_where_it_ends_just_as_far_as_the_spacing_from_a_sample():
    """A cylinder of length 10 lands on a plane, both implicit; samples start at its middle, and ten steps of 0.5 end at its end."""
    tilt = Rigid(rotation=axis_angle([1, 2, 3], sp.Rational(7, 10)), translation=[sp.Rational(1, 7), 0, sp.Rational(1, 3)])
    cylinder = ImplicitSurface(y**2 + z**2 - 1, bounds=[(-5, 5), (-2, 2), (-2, 2)]).moved(Rigid(translation=[0, 0, 3 - t]))
    plane = ImplicitSurface(z, bounds=[(-5, 5)] * 3)
    c = collide.first_contact([cylinder.moved(tilt), plane.moved(tilt)], time=(0, 4), simultaneity=1e-3, spacing=0.5,
                              budget=collide.Budget(boxes=100_000))
    assert c.status is collide.Status.CONTACT and c.existence.all() and 20 <= len(c) <= 24
    assert c.time.lo <= 2 <= c.time.hi and c.time.hi - c.time.lo < 1e-3


BOWL = patch.bezier_patch([[[-1, -1, 2], [-1, 0, 0], [-1, 1, 2]], [[0, -1, 0], [0, 0, -2], [0, 1, 0]], [[1, -1, 2], [1, 0, 0], [1, 1, 2]]])
WAVY = ParametricSurface([u, v, sp.sin(u) * sp.cos(v) / 2], {u: (-1, 1), v: (-1, 1)})
LEVEL = {"a Bezier patch": (BOWL, lambda x, y: x**2 + y**2), "sines": (WAVY, lambda x, y: np.sin(x) * np.cos(y) / 2)}


def falling(surface):
    """The same surface above, which lies on it when t = 1, with exchanged parameters: of equal formulas congruence is proved."""
    above = ParametricSurface([e.subs({u: v, v: u}, simultaneous=True) for e in surface.body], {u: surface.domain[v], v: surface.domain[u]})
    return [above.moved(Rigid(translation=[0, 0, 1 - t**2])), surface]


@pytest.mark.parametrize("name", LEVEL)
def test_identical_curved_patches_are_sampled(name):
    """All of both surfaces touches at once."""
    surface, height = LEVEL[name]
    c = collide.first_contact(falling(surface), (0, 2), spacing=0.5, simultaneity=1e-3, budget=Budget(boxes=300_000))
    assert c.status is collide.Status.CONTACT and c.existence.all() and not c.proved.any()
    assert c.clear_until == c.time.lo <= 1 <= c.time.hi < c.time.lo + 2e-3 and c.time.hi < 1 + 1e-12
    x, y, z = c.points.T
    np.testing.assert_allclose(z, height(x, y), atol=1e-9)
    along = np.linspace(-1, 1, 21)
    grid = np.stack([g.ravel() for g in np.meshgrid(along, along)], axis=-1)
    places = np.column_stack([grid, height(*grid.T)])
    assert np.linalg.norm(places[:, None] - c.points, axis=2).min(axis=1).max() < 0.5 and len(c) < 100


@pytest.mark.parametrize("name", LEVEL)
def test_a_budget_ends_identical_curved_patches_with_a_bracket(name):
    """Work grows as one over `simultaneity`."""
    c = collide.first_contact(falling(LEVEL[name][0]), (0, 2), spacing=0.5, budget=Budget(boxes=100_000))
    assert c.status is collide.Status.BUDGET_SPENT and 0.99 < c.clear_until <= 1 <= c.time.hi < 1 + 1e-12
