"""The closest points of convex meshes: known answers, and a slab between the witnesses, in rationals."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import collide
import generative as G
from collide.polyhedra.closest.closest import root
from collide.polyhedra.closest.memory import MEET

from ..solids import (
    CORNERS,
    CUBE,
    OCTAHEDRON,
    RIGHT,
    SIDES,
    about_z,
    ball,
    depth,
    dot,
    hull_of,
    minus,
    places,
    pose,
    random_pair,
    random_pose,
    rotation,
)

HERE = np.eye(4)


def witnesses(found):
    """Both closest points in rationals, from the features: averages of their corners."""
    s = found._pair._exactly(found._poses, found._features)
    assert all(0 <= x <= 1 for x in s.weight) and sum(s.weight[:3]) == sum(s.weight[3:]) == 1
    return [[sum(s.weight[k] * s.place[k][c] for k in range(first, first + dim + 1)) for c in range(3)]
            for first, dim in zip((0, 3), s.dim.tolist(), strict=True)]


def check(meshes, matrices, found):
    """Nothing of the bodies lies in the slab between the witnesses: so they are closest. Or no plane separates the bodies."""
    at = [places(mesh, m) for mesh, m in zip(meshes, matrices, strict=True)]
    if found._outcome == MEET:
        deep = depth(meshes, at)
        assert deep is not None and found.penetrating == (deep > 0)
        assert Fraction(found.depth.lo)**2 <= deep <= Fraction(found.depth.hi)**2 and found.distance == (0.0, 0.0)
        return "deep" if deep else "touch"
    p, q = witnesses(found)
    n = minus(q, p)
    assert any(n) and all(dot(n, minus(x, p)) <= 0 for x in at[0]) and all(dot(n, minus(x, q)) >= 0 for x in at[1])
    lo, hi = found.distance
    assert Fraction(lo)**2 <= dot(n, n) <= Fraction(hi)**2 and hi <= np.nextafter(lo, np.inf) and not found.penetrating
    assert np.allclose(found.points, np.array([p, q], float), atol=1e-13)
    assert np.allclose(found.direction * lo, np.array(n, float), atol=1e-13)
    return "apart"


def test_random_pairs_have_a_slab_between_their_witnesses():
    random, seen, features = np.random.default_rng(5), Counter(), Counter()
    for _ in range(15):
        meshes = random_pair(random)
        walk = collide.Closest(*meshes)
        for _ in range(4):
            matrices = random_pose(random, 0.5), random_pose(random, 2.0)
            found = walk.at(*matrices)
            seen[check(meshes, matrices, found)] += 1
            features[found._features[:2]] += 1
    assert min(seen["deep"], seen["apart"]) > 15 and len(features) >= 6


def test_a_ball_that_turns_beside_another_is_followed():
    meshes, random = (ball(1, 60), ball(2, 60)), np.random.default_rng(3)
    walk, start = collide.Closest(*meshes), rotation(random)
    for k in range(25):
        matrices = pose(about_z(0.05 * k) @ start), pose(about_z(-0.11 * k), (2.2, 0.1 * np.sin(k), 0.3))
        assert check(meshes, matrices, walk.at(*matrices)) == "apart"


def test_faces_that_are_parallel_but_for_an_ulp():
    """Rounding must not decide which vertex is the closest one."""
    random, walk = np.random.default_rng(7), collide.Closest(CUBE, CUBE)
    for _ in range(150):
        turned = rotation(random)
        other = np.nextafter(turned, random.choice([-1, 2], size=(3, 3)))
        matrices = pose(turned, random.normal(size=3)), pose(other, 3 * turned[:, 0] + random.normal(size=3))
        check((CUBE, CUBE), matrices, walk.at(*matrices))


ANSWERS = {
    "face to face": (CUBE, CUBE, pose(shift=(2, 0, 0)), 1.0),
    "edge to face": (CUBE, CUBE, pose(about_z(np.pi / 4), (2, 0, 0)), 2 - 0.5 - 0.5**0.5),
    "octahedra tip to tip": (OCTAHEDRON, OCTAHEDRON, pose(shift=(3, 0, 0)), 1.0),
    "touch in a face": (CUBE, CUBE, pose(shift=(1, 0.25, 0.5)), 0.0),
    "touch in a corner": (CUBE, CUBE, pose(shift=(1, 1, 1)), 0.0),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_known_distances(name):
    first, second, matrix, answer = ANSWERS[name]
    found = collide.Closest(first, second).at(HERE, matrix)
    check((first, second), (HERE, matrix), found)
    assert abs(found.distance.midpoint - answer) < 1e-15 and not found.penetrating and found.depth == (0.0, 0.0)


def crossed(distance):
    """Cubes with edges towards each other, along z and along y."""
    return pose(about_z(np.pi / 4)), pose(RIGHT.T @ about_z(np.pi / 4) @ RIGHT, (distance, 0, 0))


def test_crossed_edges():
    found = collide.Closest(CUBE, CUBE).at(*crossed(2))
    assert [f.split()[0] for f in found.features] == ["edge", "edge"] and abs(found.distance.midpoint - (2 - 2**0.5)) < 1e-15


def test_known_depths():
    walk = collide.Closest(CUBE, CUBE)
    found = walk.at(HERE, pose(shift=(0.9, 0.1, 0.2)))
    assert found.penetrating and found.depth.contains(float(1 - Fraction(0.9))) and found.direction.tolist() == [1, 0, 0]
    found = walk.at(*crossed(1.2))
    assert found.penetrating and abs(found.depth.midpoint - (2**0.5 - 1.2)) < 1e-15 and np.allclose(found.direction, [1, 0, 0])
    assert check((CUBE, CUBE), crossed(1.2), found) == "deep"
    inside = collide.Mesh((CORNERS - 0.5) / 8, SIDES)
    for meshes in ((CUBE, inside), (inside, CUBE)):
        found = collide.Closest(*meshes).at(HERE, HERE)
        assert found.depth == (0.5625, 0.5625) and check(meshes, (HERE, HERE), found) == "deep"


def test_the_same_body_over_itself():
    mesh = ball(4, 8)
    assert check((mesh, mesh), (HERE, HERE), collide.Closest(mesh, mesh).at(HERE, HERE)) == "deep"


def test_sizes_far_from_one():
    """What would underflow, or is lost beside a large translation, is decided all the same."""
    for size in (1e-140, 1e-8, 1e28):
        small = collide.Mesh((CORNERS - 0.5) * size, SIDES)
        matrix = pose(about_z(0.3), (1.5 * size, 0.2 * size, 0))
        assert check((small, small), (HERE, matrix), collide.Closest(small, small).at(HERE, matrix)) == "apart"
    far = pose(about_z(0.3), (1e15, 3, 1e15)), pose(about_z(0.7), (1e15 + 2, 3, 1e15))
    assert check((CUBE, CUBE), far, collide.Closest(CUBE, CUBE).at(*far)) == "apart"


def test_the_root_of_a_rational_lies_between_neighbours():
    random = np.random.default_rng(1)
    squares = [Fraction(2), Fraction(0), Fraction(9, 4), Fraction(1, 3), Fraction(10)**60, Fraction(3) / Fraction(10)**90]
    squares += [Fraction(x)**2 + Fraction(y) for x, y in random.random((100, 2)) * [1, 1e-18]]
    for square in squares:
        lo, hi = root(square)
        assert Fraction(lo)**2 <= square <= Fraction(hi)**2 and (lo == hi or hi == np.nextafter(lo, np.inf))
        assert (lo == hi) == (Fraction(lo)**2 == square)


def test_what_is_not_convex_is_named():
    pit = collide.Mesh(np.vstack([CORNERS, [[0.5, 0.5, 0.5]]]), np.vstack([SIDES[2:], [[0, 1, 8], [1, 3, 8], [3, 2, 8], [2, 0, 8]]]))
    flat = collide.Mesh(np.vstack([CORNERS, [[0, 0.5, 0.5]]]), np.vstack([SIDES[2:], [[0, 1, 8], [1, 3, 8], [3, 2, 8], [2, 0, 8]]]))
    assert collide.Closest(flat, CUBE).at(HERE, pose(shift=(-2, 0, 0))).distance == (1.5, 1.5)
    two = collide.Mesh(np.vstack([CORNERS, CORNERS + 3]), np.vstack([SIDES, SIDES + 8]))
    for wrong, message in ((pit, "first mesh is not convex, between face"), (collide.Mesh(CORNERS, SIDES[:-1]), "no closed surface"),
                           (collide.Mesh(CORNERS, SIDES[:, ::-1]), "inside out"), (two, "several parts"),
                           (collide.Mesh(CORNERS, np.vstack([SIDES, SIDES])), "no closed surface"),
                           (collide.Mesh(CORNERS, SIDES[:3]), "3 triangles"), (collide.Mesh([CORNERS, CORNERS], SIDES), r"\(n, 3\)")):
        with pytest.raises(ValueError, match=message):
            collide.Closest(wrong, CUBE)


def test_a_surface_that_goes_round_twice_is_not_convex():
    """A pentagram between two tips: every edge is convex, and every face looks outwards."""
    angle = 4 * np.pi / 5 * np.arange(5)
    points = np.vstack([np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1), [[0, 0, 1], [0, 0, -1]]])
    star = [[k, (k + 1) % 5, 5] for k in range(5)] + [[(k + 1) % 5, k, 6] for k in range(5)]
    with pytest.raises(ValueError, match="goes round more than once"):
        collide.Closest(collide.Mesh(points, star), CUBE)


def test_what_is_no_pose_is_named():
    walk = collide.Closest(CUBE, CUBE)
    mirror, long, skew = np.diag([1.0, 1, -1, 1]), np.diag([1.0, 1, 1.1, 1]), np.eye(4)
    skew[3, 0] = 1
    for wrong, message in ((np.eye(3), r"pose_b must have the shape \(4, 4\)"), (mirror, "orthonormal and right-handed"),
                           (long, "orthonormal"), (skew, "last row"), (np.full((4, 4), np.nan), "finite"), ("x", "text")):
        with pytest.raises(ValueError, match=message):
            walk.at(HERE, wrong)
    assert walk.at(HERE.tolist(), pose(shift=(2, 0, 0)).tolist()).distance == (1.0, 1.0)


def test_doubles_suffice_for_what_is_in_general_position():
    """Rationals are asked only where features are parallel, or bodies meet: else steps would take a thousand times longer."""
    walk, random, asked = collide.Closest(ball(1), ball(2)), np.random.default_rng(0), []
    walk._decided = lambda *_: asked.append(1)
    for _ in range(200):
        walk.at(pose(rotation(random)), pose(rotation(random), (2.1, 0.2, 0)))
    assert not asked


def test_hulls_of_many_points_are_convex():
    hull_of(np.random.default_rng(0).normal(size=(200, 3)))
    assert collide.Closest(ball(1), ball(2)).bodies[0].start.shape == (2988,)


def test_distances_of_many_steps():
    walk, one = collide.Closest(CUBE, OCTAHEDRON), collide.Closest(CUBE, OCTAHEDRON)
    poses = np.array([pose(about_z(0.01 * k), (2.5 - 0.02 * k, 0.3, 0.1)) for k in range(100)])
    here = np.repeat(HERE[None], 100, axis=0)
    bounds, known = walk.distances(here, poses), [one.at(HERE, p).distance for p in poses]
    assert all(lo <= k.lo and k.hi <= hi for (lo, hi), k in zip(bounds, known, strict=True))
    assert bounds[-1].tolist() == [0, 0] and (bounds[:, 1] - bounds[:, 0]).max() < 1e-12
    with pytest.raises(ValueError, match=r"\(n, 4, 4\)"):
        walk.distances(here, poses[:3])
    assert walk.at(HERE, pose(shift=(3, 0, 0))).distance == (1.5, 1.5)


def test_features_stay_the_closest_until_a_tip_leaves_a_face():
    slide = G.Rigid(translation=[3, G.t, G.t / 3])
    found = collide.Closest(CUBE, OCTAHEDRON, motions=(G.Rigid(), slide)).at(0.125)
    assert found.proved and found.distance.contains(1.5) and found.distance.width < 1e-14 and found.features[1] == "vertex 1"
    assert 0.5 - 1e-11 < found.valid_until <= 0.5


def test_features_of_turning_cubes_change_when_they_are_told_to():
    c, s = sp.cos(G.t), sp.sin(G.t)
    tilted = sp.Matrix([[1, 0, 0], [0, sp.Rational(3, 5), -sp.Rational(4, 5)], [0, sp.Rational(4, 5), sp.Rational(3, 5)]])
    turn = G.Rigid(rotation=sp.Matrix([[c, -s, 0], [s, c, 0], [0, 0, 1]]) * tilted, translation=[2, sp.Rational(1, 7), G.t / 3])
    still = G.Rigid(rotation=sp.Matrix([[12, 0, 5], [0, 13, 0], [-5, 0, 12]]) / 13)
    walk, time = collide.Closest(CUBE, CUBE, motions=(still, turn)), 0.1
    for _ in range(4):
        found = walk.at(time)
        assert found.proved and found.valid_until > time + 0.01
        assert {walk.at(x).features for x in np.linspace(time, found.valid_until, 7)} == {found.features}
        time = found.valid_until + 1e-9
        assert walk.at(time).features != found.features
    assert np.isnan(collide.Closest(CUBE, CUBE).at(HERE, pose(shift=(3, 0, 0))).valid_until)


def test_what_rounding_leaves_open_at_a_time_is_not_claimed():
    walk = collide.Closest(CUBE, CUBE, motions=(G.Rigid(), G.Rigid(translation=[2 + sp.sin(G.t), 0, 0])))
    found = walk.at(1)
    assert not found.proved and found.valid_until == 1 and abs(found.distance.midpoint - 1 - np.sin(1)) < 1e-14
    for wrong, message in (("x", "a time must be"), (np.nan, "a time must be")):
        with pytest.raises(ValueError, match=message):
            walk.at(wrong)
    with pytest.raises(TypeError, match="takes a time"):
        walk.at(HERE, HERE)
    with pytest.raises(TypeError, match="takes two poses"):
        collide.Closest(CUBE, CUBE).at(0)
