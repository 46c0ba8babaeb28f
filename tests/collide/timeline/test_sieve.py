"""Triangles that cross from the beginning by the hundred: what is sieved, and what must not be."""

import math

import numpy as np
import pytest

import collide
from collide.bodies.mesh_rows import EDGE, FACE, VERTEX
from collide.search.budget import as_budget
from collide.search.clock import Clock
from collide.search.options import Options
from collide.timeline import sieve
from collide.timeline.evidence import SceneQuery
from collide.timeline.near_triangles import CellPairs
from collide.timeline.scene import Scene
from generative import Rigid, Screw, t
from generative.mesh import grid_triangles

SPAN, COUNT = (0.0, 1.0), 200


def carried_back(points: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Points (n, 3) before they are turned about the axis z by 2 t, and then shifted along it by t^2 / 2, in doubles."""
    c, s = np.cos(2 * times), np.sin(2 * times)
    x, y, z = points.T
    return np.stack([c * x + s * y, c * y - s * x, z - 0.5 * times**2], axis=-1)


MOTION = Rigid(translation=[0, 0, t**2 / 2]) @ Screw([0, 0, 1], angle=2 * t)


def soup(points: np.ndarray) -> collide.Mesh:
    """Triangles (n, 3, 3) with nothing in common."""
    return collide.Mesh(points.reshape(-1, 3), np.arange(3 * len(points)).reshape(-1, 3))


def scattered(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Triangles (n, 3, 3), and on each of them a point, on its side from the first corner to the second another, and a time."""
    rng = np.random.default_rng(seed)
    corners = rng.uniform(-1.0, 1.0, (COUNT, 1, 3)) + rng.uniform(-0.1, 0.1, (COUNT, 3, 3))
    weights, share = rng.dirichlet([2.0, 2.0, 2.0], COUNT), rng.uniform(0.1, 0.9, (COUNT, 1))
    on, along = (weights[:, :, None] * corners).sum(axis=1), corners[:, 0] + share * (corners[:, 1] - corners[:, 0])
    return corners, on, along, rng.uniform(0.05, 0.95, COUNT)


@pytest.mark.parametrize("kind", [VERTEX, EDGE])
def test_no_pair_that_meets_is_sieved_out(kind):
    """A corner of triangle k of a mesh comes to triangle k of another, or a side to a side, at times drawn beforehand. (Fails where corners
    are those of another row, or times those after which nothing is.)
    """
    corners, on, along, times = scattered(7 + kind)
    rng = np.random.default_rng(11)
    # Where the moving triangles are at those times: with a corner there, or with a side through there.
    there = rng.uniform(-0.1, 0.1, (COUNT, 3, 3)) + (on if kind == VERTEX else along)[:, None]
    if kind == VERTEX:
        there[:, 0] = on
    else:
        there[:, 1] = along + 0.7 * (along - there[:, 0])
    moved = soup(carried_back(there.reshape(-1, 3), np.repeat(times, 3)).reshape(-1, 3, 3)).moved(MOTION)
    resting = soup(corners)
    scene = Scene([moved, resting], SPAN, SPAN, ())
    first = 3 * np.arange(COUNT)
    topologies = [mesh.topology for mesh in (moved, resting)]
    numbers = [first, np.arange(COUNT)] if kind == VERTEX else [
        np.array([known.edge_number(k, k + 1) for k in first.tolist()]) for known in topologies]
    kinds = np.tile([VERTEX, FACE] if kind == VERTEX else [EDGE, EDGE], (COUNT, 1))
    query = SceneQuery(scene, Options(), Clock(as_budget(None), False))
    scene.of_parts()
    rows = sieve._sieved(query, scene.bundles[0], CellPairs(kinds, np.stack(numbers, axis=1), np.zeros(COUNT)), SPAN)
    assert rows is not None
    kept = dict(zip(rows.numbers[:, 0].tolist(), rows.begin.tolist(), strict=True))
    assert all(kept.get(k, math.inf) <= time + 1e-12 for k, time in zip(numbers[0].tolist(), times.tolist(), strict=True))


def tube(sides: int, bottom: float, top: float) -> tuple[np.ndarray, np.ndarray]:
    """A prism with a point on top, closed, its triangles counterclockwise as seen from outside."""
    angle = 2 * np.pi * (np.arange(sides) + 0.3) / sides
    ring = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=-1) * 0.4
    points = np.concatenate([ring + [0, 0, bottom], ring + [0, 0, 1], [[0, 0, bottom], [0, 0, top]]])
    k, n = np.arange(sides), (np.arange(sides) + 1) % sides
    low, high = np.full(sides, 2 * sides), np.full(sides, 2 * sides + 1)
    return points, np.concatenate([np.stack(e, axis=-1) for e in (
        (k, n, sides + n), (k, sides + n, sides + k), (n, k, low), (sides + k, sides + n, high))])


def test_bodies_that_cross_meet_anew():
    """A tube goes up through a fine sheet, which its sides cross all the time, until its point comes to a plate above: 1.5 + t^2 = 2."""
    n = 24
    x, y = np.meshgrid(*[np.linspace(-1, 1, n)] * 2, indexing="ij")
    sheet = np.stack([x, y, 0 * x], axis=-1).reshape(-1, 3)
    plate = np.array([[-1.0, -1.1, 2.0], [1.2, -1.0, 2.0], [0.1, 1.3, 2.0]])
    below = collide.Mesh(np.concatenate([sheet, plate]), np.concatenate([grid_triangles(n, n), [[n * n, n * n + 1, n * n + 2]]]))
    up = collide.Mesh(*tube(48, -3.0, 1.5)).moved(Rigid(translation=[0, 0, t**2]))
    found = collide.first_contact([up, below], time=(0, 1))
    assert found.status is collide.Status.CONTACT
    assert found.time.lo <= math.sqrt(0.5) <= found.time.hi
    assert found.features == [("vertex 97", f"face {len(below.triangles) - 1}")]
    assert found.clear_until > 0.7
