"""Bounds of distances over boxes, against points in them, and how fast they improve."""

from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp

from codegen.from_sympy import convert
from codegen.graph.expr import ExprPool
from codegen.time_bounds.distance import distance_advance

from .advance_referee import call

a, b, c, d, s = sp.symbols("a b c d s", real=True)


def torus(p: Any, q: Any) -> list[Any]:
    return [(1 + sp.cos(q) / 3) * sp.cos(p), (1 + sp.cos(q) / 3) * sp.sin(p), sp.sin(q) / 3]


TORI = [e - f for e, f in zip(torus(a, b), [torus(c, d)[0], -torus(c, d)[2], torus(c, d)[1] + 3], strict=True)]
# A point of a paraboloid by coordinates, with the equation that it satisfies, and one of a plane.
IMPLICIT = [a - c, b - d, s + c * d / 4 - 3], s - a**2 - b**2 / 2
CASES = {"tori": ((a, b, c, d), TORI, []), "implicit": ((a, b, s, c, d), IMPLICIT[0], [IMPLICIT[1]])}
# The same with a second function, which no variable changes, as of two planes that are parallel.
MORE = {"parallel": ((a, b, s, c, d), IMPLICIT[0], [IMPLICIT[1], sp.Integer(0)])}


class Bound:
    def __init__(self, name: str) -> None:
        self.symbols, self.gap, self.functions = (CASES | MORE)[name]
        pool, self.n = ExprPool(), len(self.symbols) + 1
        nodes = {x: pool.variable(k) for k, x in enumerate(self.symbols)}
        gap = convert([*self.gap, *self.functions], nodes, pool)
        self.advance = distance_advance(gap, [*map(str, self.symbols), "distance"], self.n - 1)
        self.points = sp.lambdify(self.symbols, [*self.gap, *self.functions], "numpy")

    def __call__(self, boxes: np.ndarray, inside: bool) -> np.ndarray:
        """Bounds over eight boxes (8, n - 1, 2)."""
        n, m = self.n, len(self.gap) + len(self.functions)
        ends = np.concatenate([boxes, np.tile([[[0.0, 10.0]]], (8, 1, 1))], axis=1)
        middle = ends.mean(axis=2)
        z = np.empty((2 * n, 2, 8))
        z[:n, 0], z[:n, 1] = -ends[..., 0].T, ends[..., 1].T
        z[n:, 0], z[n:, 1] = -middle.T, middle.T
        values = np.empty((len(self.advance.kernel.outputs), 2, 8))
        call(self.advance.kernel.block_address(), z, np.zeros((1, 2, 8)), values)
        way, out = np.full((m, 8), float(inside)), np.empty((n + 1, 8))
        call(self.advance.bound, z, values, way, out)
        return out[0]


def random_boxes(rng: np.random.Generator, n: int, size: float) -> np.ndarray:
    middle = rng.uniform(-1.5, 1.5, (8, n))
    half = size * rng.uniform(0.2, 1.0, (8, n))
    return np.stack([middle - half, middle + half], axis=2)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("size", [1.0, 0.1, 1e-3, 1e-9])
def test_no_point_is_nearer(name: str, size: float) -> None:
    bound, rng = Bound(name), np.random.default_rng(3)
    tight = 0
    for _ in range(40):
        boxes = random_boxes(rng, len(bound.symbols), size)
        if name == "implicit":
            # A box round a point of the surface, of which all points with that equation count.
            on = boxes[:, 0].mean(axis=1)**2 + boxes[:, 1].mean(axis=1)**2 / 2
            boxes[:, 2] += (on - boxes[:, 2].mean(axis=1))[:, None]
        lower = bound(boxes, False)
        shares = rng.uniform(size=(200, *boxes.shape[:2]))
        at = boxes[..., 0] + shares * (boxes[..., 1] - boxes[..., 0])
        if name == "implicit":
            at[..., 2] = at[..., 0]**2 + at[..., 1]**2 / 2
            within = (at[..., 2] >= boxes[:, 2, 0]) & (at[..., 2] <= boxes[:, 2, 1])
        else:
            within = np.full(at.shape[:2], True)
        values = np.stack(np.broadcast_arrays(*bound.points(*np.moveaxis(at, -1, 0))[:3]))
        far = np.where(within, np.sqrt((values**2).sum(axis=0)), np.inf).min(axis=0)
        assert (lower <= far * (1 + 1e-14)).all()
        tight += int((lower > 0.9 * far).sum())
    assert size > 0.1 or tight > 200


def test_a_function_that_no_variable_changes_leaves_the_bounds_as_they_are() -> None:
    boxes = random_boxes(np.random.default_rng(3), 5, 0.1)
    lower = Bound("parallel")(boxes, False)
    assert (lower > 0.0).any()
    np.testing.assert_allclose(lower, Bound("implicit")(boxes, False), rtol=1e-12)


START = {"tori": (1.5, 1.5, 4.7, 1.6), "implicit": (0.1, 0.2, 0.1, 0.1, 0.2)}


@pytest.mark.parametrize("name", CASES)
def test_by_gradients_no_critical_point_is_nearer(name: str) -> None:
    """Round a point at which the distance is critical, boxes in any position: the bound holds there, to third order."""
    bound, rng = Bound(name), np.random.default_rng(5)
    multipliers = sp.symbols(f"m:{len(bound.functions)}")
    f = sum(e**2 for e in bound.gap) - sum(m * e for m, e in zip(multipliers, bound.functions, strict=True))
    w = [*bound.symbols, *multipliers]
    gradient = sp.lambdify(w, [sp.diff(f, x) for x in w], "mpmath")
    start = (*START[name], *(1.0 for _ in multipliers))
    at = np.array(mpmath.findroot(lambda *w: gradient(*w), start).T.tolist()[0], float)[:len(bound.symbols)]
    value = float(np.linalg.norm(bound.points(*at)[:3]))
    lost = []
    for size in (1e-1, 1e-2, 1e-3):
        half = size * rng.uniform(0.5, 1.0, (8, len(at)))
        middle = at + half * rng.uniform(-1, 1, (8, len(at)))
        lower = bound(np.stack([middle - half, middle + half], axis=2), True)
        assert (lower <= value * (1 + 1e-14)).all()
        # Where the middle is on the surface and the gradient there is small, what is lost is of third order.
        on = bound(np.stack([at - half, at + half], axis=2), True)
        assert (on <= value * (1 + 1e-14)).all()
        lost.append((value - lower.max(), value - on.max()))
    # Boxes long in some directions and short in others.
    for _ in range(400):
        half = 0.3 * 10.0 ** rng.uniform(-3, 0, (8, len(at)))
        middle = at + half * rng.uniform(-1, 1, (8, len(at)))
        assert (bound(np.stack([middle - half, middle + half], axis=2), True) <= value * (1 + 1e-14)).all()
    assert lost[1][1] < 5e-3 * lost[0][1] and lost[2][1] < 5e-3 * lost[1][1] + 1e-14
    assert name == "implicit" or (lost[1][0] < 5e-3 * lost[0][0] and lost[2][0] < 5e-3 * lost[1][0] + 1e-14)
