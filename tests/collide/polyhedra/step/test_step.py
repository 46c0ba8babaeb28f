"""`step_limit` of meshes (`candidates`, `first_event`, `crossing_free`, `kept_distance`) and of patches: closed forms, touches at the
start, and rationals at many times.
"""

from fractions import Fraction

import numpy as np
import pytest

from collide import Budget, Mesh, check, step_limit
from collide.polyhedra.step.crossing_free import meets

CORNERS, SIDES = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]), np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
BOTH = np.concatenate([SIDES, SIDES + 4])


def two(shift, way):
    """A tetrahedron, and one that moves."""
    before = np.concatenate([CORNERS, CORNERS + shift])
    return before, before + np.repeat([[0, 0, 0], way], 4, axis=0)


@pytest.mark.parametrize("shift, way, step", [
    ([0, 0, -2], [0, 0, 2], 0.5),          # its tip meets the corner of the other one
    ([0.25, 0.25, -1], [0, 0, -3], 1.0),   # its tip is in a face, and leaves it
    ([0.25, 0.25, -1], [0, 0, 1], 0.0),    # and goes through it
    ([0.1, 0.1, 0.1], [5, 5, 5], 0.0),     # it crosses the other one at the start
    ([0, 0, -1], [1, 1, 0], 0.0),          # its tip touches a corner, and stays in the plane of a face
    ([3, 0, 0], [-1, 0.5, 0], 1.0),
    ([3, 0, 0], [-4, 0, 0], 0.5)])
def test_two_tetrahedra(shift, way, step):
    found = step_limit(*two(shift, way), mesh=BOTH)
    assert found <= step and found >= step - 1e-12


def test_a_touch_that_ends_and_another_that_comes():
    """A tip leaves the face it was in, comes back beside it, and goes as far as its second touch."""
    before, after = two([0.25, 0.25, -1], [0, 0, -1])
    before, after = np.concatenate([before, CORNERS + [0, 0, -4]]), np.concatenate([after, CORNERS + [0, 0, -4]])
    found = step_limit(before, before + 2 * (after - before), mesh=np.concatenate([BOTH, SIDES + 8]))
    # Its base, from -1 down by 2 a unit, meets the lower tip, at -3.
    assert found <= 1.0 and found > 1 - 1e-12


def test_neighbours_that_fold_onto_each_other():
    """Two triangles close like a book: the far corner of one goes in a straight line to the plane of the other, and reaches it at 4/5."""
    before = np.array([[0.0, 0, 0], [0, 1, 0], [1, 0.5, 0], [0.5, 0.5, 1]])
    after = before + np.array([[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, -1.25]])
    found = step_limit(before, after, mesh=[[0, 2, 1], [0, 1, 3]])
    assert 0.8 - 1e-12 < found <= 0.8


@pytest.mark.parametrize("seed", range(4))
def test_no_step_goes_through(seed):
    """A crumpling sheet: at times up to the step no edge meets a face, by rationals; a little later some do."""
    rng, n = np.random.default_rng(seed), 4
    g = np.arange(n + 1.0)
    before = np.stack([*np.meshgrid(g, g), np.zeros((n + 1, n + 1))], axis=2).reshape(-1, 3)
    first = [i * (n + 1) + j for i in range(n) for j in range(n)]
    mesh = np.array([f for a in first for f in ([a, a + 1, a + n + 2], [a, a + n + 2, a + n + 1])])
    after = before + 2 * rng.normal(size=before.shape)
    step = step_limit(before, after, mesh=mesh)
    assert 0 < step < 1
    edges = {tuple(sorted(e)) for a, b, c in mesh.tolist() for e in ((a, b), (b, c), (c, a))}

    def crossed(time):
        at = [[Fraction(x) + time * (Fraction(y) - Fraction(x)) for x, y in zip(*pair, strict=True)]
              for pair in zip(before.tolist(), after.tolist(), strict=True)]
        return any(meets([at[k] for k in e], [at[k] for k in f]) for e in edges for f in mesh.tolist() if not set(e) & set(f))

    assert not any(crossed(Fraction(step) * Fraction(k, 3)) for k in (1, 2, 3))
    assert crossed(Fraction(step) + Fraction(1, 10**9)) or crossed(Fraction(step) + Fraction(1, 10**3))


def test_a_distance_is_kept():
    before, after = two([0, 0, -2], [0, 0, 2])
    found = step_limit(before, after, mesh=BOTH, at_least=0.25)
    assert 0.375 - 1e-4 < found <= 0.375
    assert step_limit(before, before, mesh=BOTH, at_least=1.5) == 0.0
    assert step_limit(before, before, mesh=BOTH, at_least=0.5) == 1.0


def test_steps_at_once():
    pairs = [two([3, 0, 0], [-4, 0, 0]), two([3, 0, 0], [1, 0, 0])]
    found = step_limit(*(np.stack(places) for places in zip(*pairs, strict=True)), mesh=BOTH)
    assert found.shape == (2,) and found.round(9).tolist() == [0.5, 1.0]


def test_patches(tmp_path):
    """A flat patch falls on another one from height 1, by 4; a log proves it."""
    flat = np.array([[x, y, 0.0] for x in (0, 1) for y in (0, 1)])
    before = np.concatenate([flat, flat * 0.5 + [0.25, 0.25, 1]])
    after = before - np.repeat([[0, 0, 0], [0, 0, 4.0]], 4, axis=0)
    found = step_limit(before, after, nets=np.arange(8).reshape(2, 2, 2), log=tmp_path / "proof.log")
    assert 0.25 - 1e-5 < found <= 0.25 and check(tmp_path / "proof.log").accepted


def test_bad_input_is_named():
    before, after = two([3, 0, 0], [1, 0, 0])
    with pytest.raises(TypeError, match=r"the triangles of a mesh, .* or Bezier patches"):
        step_limit(before, after)
    with pytest.raises(ValueError, match="one shape"):
        step_limit(before, after[1:], mesh=SIDES)
    with pytest.raises(ValueError, match="numbers of places, from 0 to 7, got 5 to 8"):
        step_limit(before, after, mesh=SIDES + 5)
    with pytest.raises(ValueError, match="at_least must be a distance from 0 up"):
        step_limit(before, after, mesh=BOTH, at_least=-1)
    with pytest.raises(ValueError, match="a log is for one step of patches"):
        step_limit(before, after, mesh=BOTH, log="proof.log")


def test_meshes_stand_for_their_vertices_and_triangles():
    before, after = two([3, 0, 0], [-4, 0, 0])
    step = step_limit(before, after, mesh=BOTH)
    assert step_limit(Mesh(before, BOTH), Mesh(after, BOTH)) == step_limit(Mesh(before, BOTH), after) == step
    with pytest.raises(ValueError, match="different triangles"):
        step_limit(Mesh(before, BOTH), Mesh(after, BOTH[::-1]))
    with pytest.raises(TypeError, match="triangles of a mesh"):
        step_limit(before, after)


def test_a_spent_budget_leaves_what_is_proved():
    """A grid of 5000 triangles over its copy, in no time: no step. A step of patches that ends early holds what was proved."""
    n = 50
    x, y = np.meshgrid(np.arange(n + 1.0), np.arange(n + 1.0), indexing="ij")
    k = np.arange((n + 1) ** 2).reshape(n + 1, -1)
    a, b, c, d = k[:-1, :-1].ravel(), k[1:, :-1].ravel(), k[1:, 1:].ravel(), k[:-1, 1:].ravel()
    triangles = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    flat = np.stack([x.ravel(), y.ravel(), 0 * x.ravel()], axis=1)
    before = np.concatenate([flat, flat + [0.3, 0.2, 1.0]])
    after = np.concatenate([flat, flat + [0.3, 0.2, -1.0]])
    faces = np.concatenate([triangles, triangles + len(flat)])
    assert step_limit(before, after, mesh=faces, budget=Budget(seconds=1e-9)) == 0.0
    steps = step_limit(before[None].repeat(2, axis=0), after[None].repeat(2, axis=0), mesh=faces, budget=1e-9)
    assert steps.tolist() == [0.0, 0.0]
    net = np.arange(16).reshape(1, 4, 4)
    places = np.stack([*np.meshgrid(np.arange(4.0), np.arange(4.0), indexing="ij"), np.zeros((4, 4))], axis=-1).reshape(-1, 3)
    assert step_limit(places, places + [0, 0, 1], nets=net, budget=1e-9) in (0.0, 1.0)
