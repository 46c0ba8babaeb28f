import numpy as np
import pytest

from generative import ImplicitSurface, Rigid, t, x, y, z
from generative.mesh import approx_function
from generative.primitives import ball, blend_difference, blend_intersection, blend_union, block, half_space, round_cone, round_cylinder

POINTS = np.random.default_rng(7).uniform(-2.5, 2.5, (500, 3))


def values(body):
    return approx_function([body.expression], [x, y, z, t])(*POINTS.T, 0.0)[..., 0]


@pytest.mark.parametrize("body, inside", [
    (half_space([0, 0, 2], 1), lambda p: 2 * p[:, 2] < 1),
    (ball(2, [1, 0, 0]), lambda p: np.linalg.norm(p - [1, 0, 0], axis=1) < 2),
    (round_cylinder(1, 2), lambda p: (np.hypot(p[:, 0], p[:, 1]) < 1) & (p[:, 2] > 0) & (p[:, 2] < 2)),
    (round_cone(2, 2), lambda p: (np.hypot(p[:, 0], p[:, 1]) < 2 - p[:, 2]) & (p[:, 2] > 0)),
    (block([1, 2, 3]), lambda p: (abs(p) < [0.5, 1, 1.5]).all(axis=1)),
], ids=["half-space", "ball", "cylinder", "cone", "block"])
def test_primitives_are_negative_inside(body, inside):
    np.testing.assert_array_equal(values(body) < 0, inside(POINTS))


def test_blends_stay_within_half_their_width():
    a, b, c = half_space([1, 0, 0], 0), half_space([0, 1, 0], 0), half_space([0, 0, 1], 1)
    lower, upper = np.minimum(values(a), values(b)), np.maximum(values(a), values(b))
    union, cut = values(blend_union(a, b, width=0.5)), values(blend_intersection(a, b, width=0.5))
    assert (lower - 0.25 <= union).all() and (union <= lower).all()
    assert (upper <= cut).all() and (cut <= upper + 0.25).all()
    np.testing.assert_allclose(values(blend_difference(a, b, width=0.5)), values(blend_intersection(a, ~b, width=0.5)))
    three = blend_union(a, b, c, width=0.1)
    assert three.bounds == a.bounds == b.bounds == c.bounds
    assert isinstance(three, ImplicitSurface) and (values(three) <= np.minimum(lower, values(c))).all()


@pytest.mark.parametrize("blend, rule", [(blend_union, np.minimum), (blend_intersection, np.maximum),
                                         (blend_difference, lambda a, b: np.maximum(a, -b))])
def test_blends_of_moved_bodies_are_in_the_world(blend, rule):
    """Within given bounds; they end at half their width from the sharp combination of what was moved."""
    up, bounds = Rigid(translation=[0, 0, 1 + t]), [(-3, 3), (-2, 2), (-1, 4)]
    a, b = ball(2), half_space([0, 1, 1], 0).moved(up)
    blended = blend(a, b, width=0.25, bounds=bounds)
    sharp = rule(values(a), POINTS[:, 1] + POINTS[:, 2] - 1)
    assert blended.bounds == tuple(bounds) and (abs(values(blended) - sharp) <= 0.125).all()


@pytest.mark.parametrize("make, message", [
    (lambda: half_space([0, 0, 0]), "zero vector"),
    (lambda: blend_union(ball(), ball(2), width=0), "must be positive"),
    (lambda: blend_union(ball(), ball().moved(Rigid(translation=[1, 0, 0])), width=1), "needs bounds="),
])
def test_misuse_says_what_to_do(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_blend_takes_implicit_bodies_only():
    with pytest.raises(TypeError, match="at least two"):
        blend_union(ball(), width=1)
