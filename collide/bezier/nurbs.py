"""NURBS surfaces as Bezier patches for `bezier_pairs`: split exactly, in rationals, and rounded once at the end."""

import html
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np

from codegen.given import doubles, expression, shown
from generative import ParametricSurface, t
from generative.curve import bezier_points, check_knots, spans
from generative.mesh import grid_triangles
from generative.patch import bezier_patch
from generative.thumbnail import beside, image

from ..culling.sweep import sweep_and_prune
from ..given import is_number
from .form import nearest, number, raised

# A quotient rounded to a double once.
_ROUNDING = 2.0**-53


@dataclass(frozen=True, eq=False)
class BezierNets:
    """m moving Bezier patches of degrees N, M.

    `points` (m, 2, N+1, M+1, 3): control points at t = 0 and velocities; `weights` (m, N+1, M+1), positive, or None for polynomial
    patches; `domains` (m, 2, 2): the intervals of u and v that a patch covers, in the surface's own parameters; `error`: 0 where
    all numbers are exact, else the bound of their rounding that `bezier_pairs` takes. The arrays are copies of those given.
    """

    points: np.ndarray
    weights: np.ndarray | None
    domains: np.ndarray
    error: float

    def __post_init__(self) -> None:
        for name, shape in (("points", "(m, 2, N+1, M+1, 3)"), ("weights", "(m, N+1, M+1)"), ("domains", "(m, 2, 2)")):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, np.array(doubles(getattr(self, name), name, shape)))
        if not (is_number(self.error) and self.error >= 0):
            raise ValueError(f"error must be a number from 0 up, got {shown(self.error)}")

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        degrees = " x ".join(str(n - 1) for n in self.points.shape[2:4])
        return f"BezierNets({len(self)} {'polynomial' if self.weights is None else 'rational'} patches of degree {degrees})"

    def _repr_html_(self) -> str:
        """The patches at t = 0 (blue) and, if they move, at t = 1 (orange), approximately."""
        moving = bool(self.points[:, 1].any())
        across = int(np.clip(np.sqrt(40_000 / max(len(self), 1)), 3, 13))
        meshes = [(time, *mesh) for time in ((0, 1) if moving else (0,)) for mesh in _grids(self, time, across)]
        text = f"{self!r}{', blue at t = 0 and orange at t = 1' if moving else ''}"
        return beside(image(meshes), text) if meshes else f"<p>{html.escape(text)}</p>"

    def surfaces(self) -> list[ParametricSurface]:
        """The patches as formulas of u and v from 0 to 1 and of the time t: the surfaces of these doubles exactly, for `self_contact`,
        `first_contact`, and pictures. Where `error` is not 0 they are as near to what they were made of as that says.
        """
        return [self.surface(k) for k in range(len(self))]

    def surface(self, k: int) -> ParametricSurface:
        """Patch k of `surfaces`."""
        exact = np.vectorize(expression, otypes=[object])
        at, speed = exact(self.points[k])
        return bezier_patch((at + t * speed).tolist(), None if self.weights is None else exact(self.weights[k]).tolist())

    def near(self, other: "BezierNets") -> tuple[np.ndarray, np.ndarray]:
        """The numbers of patches of both whose swept boxes meet: all other pairs are *proved* free of contact for t in [0, 1].

        A patch stays in the hull of its control points, and these on segments; a box holds their ends. P + V is rounded to nearest, so
        the next doubles below and above enclose it. Where the numbers are not exact, surfaces err by up to 3.1 `error` of the size
        (`bezier.inherited`), which is at most twice the largest number.
        """
        lo, hi = (np.concatenate(ends) for ends in zip(self._boxes(), other._boxes(), strict=True))
        found = sweep_and_prune(lo, hi)
        found = np.sort(found[(found < len(self)).sum(axis=1) == 1], axis=1)
        found = found[np.lexsort(found.T[::-1])]
        return found[:, 0], found[:, 1] - len(self)

    def _boxes(self) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper ends (m, 3) of the swept boxes."""
        at, after = self.points[:, 0], self.points.sum(axis=1)
        slack = 8.0 * self.error * np.abs(self.points).max(initial=0.0)
        lo = np.minimum(at, np.nextafter(after, -np.inf)).min(axis=(1, 2))
        hi = np.maximum(at, np.nextafter(after, np.inf)).max(axis=(1, 2))
        return (np.nextafter(lo - slack, -np.inf), np.nextafter(hi + slack, np.inf)) if slack else (lo, hi)

    def pairs(self, other: "BezierNets", first: Any = None, second: Any = None) -> dict[str, Any]:
        """The arguments q, weights and error of `bezier_pairs` for pairs of patches: numbers `first` of these and `second` of the others,
        or every one with every other, the others running faster.
        """
        if self.points.shape[2:] != other.points.shape[2:]:
            raise ValueError("patches of a pair need equal degrees, got nets of "
                             f"{self.points.shape[2:4]} and {other.points.shape[2:4]} points; nurbs_to_bezier(raise_to=...) raises degrees")
        if first is None or second is None:
            first, second = (x.ravel() for x in np.indices((len(self), len(other))))
        q = np.stack([self.points[first], other.points[second]], axis=1)
        plain = self.weights is None and other.weights is None
        weights = None if plain else np.stack([_weights(self)[first], _weights(other)[second]], axis=1)
        return {"q": q, "weights": weights, "error": max(self.error, other.error)}


def _weights(nets: BezierNets) -> np.ndarray:
    return np.ones(nets.points.shape[:1] + nets.points.shape[2:4]) if nets.weights is None else nets.weights


def nurbs_to_bezier(points: Any, knots_u: Sequence[Any], knots_v: Sequence[Any], degrees: tuple[int, int], weights: Any = None,
                    velocities: Any = None, raise_to: tuple[int, int] | None = None) -> BezierNets:
    """Divide a B-spline surface (NURBS, with `weights`) into its Bezier pieces over its knot intervals, in order of u and then v.

    Parameters
    ----------
    points : array_like, (K, L, 3)
        Control points: doubles, taken as the exact numbers they hold.
    knots_u, knots_v : sequence
        K + degrees[0] + 1 and L + degrees[1] + 1 numbers that do not decrease.
    degrees : pair of int
        Those along u and v.
    weights : array_like, (K, L), optional
        Positive doubles, taken exactly.
    velocities : array_like, (K, L, 3), optional
        Those of the control points, taken exactly.
    raise_to : pair of int, optional
        Degrees, not lower, of the patches.

    Returns
    -------
    BezierNets
        The pieces; its `error` is 0 if all numbers are exact.

    Raises
    ------
    ValueError
        For arguments that give no such surface.

    Notes
    -----
    The pieces are those of the surface exactly, by blossoming in rationals (Ramshaw 1989). Numbers that are no doubles are rounded to
    nearest, and `error` bounds that.

    Examples
    --------
    >>> import numpy as np
    >>> from collide import nurbs_to_bezier
    >>> points = np.array([[[i, j, i * j] for j in range(2)] for i in range(3)], float)
    >>> nets = nurbs_to_bezier(points, [0, 0, 1, 2, 2], [0, 0, 1, 1], (1, 1))
    >>> nets.points.shape, nets.domains.tolist(), nets.error
    ((2, 2, 2, 2, 3), [[[0.0, 1.0], [0.0, 1.0]], [[1.0, 2.0], [0.0, 1.0]]], 0.0)
    """
    net = _net(points, weights, velocities)
    wanted = _degrees(degrees if raise_to is None else raise_to)
    degrees = _degrees(degrees)
    first, second = check_knots(knots_u, len(net), degrees[0]), check_knots(knots_v, len(net[0]), degrees[1])
    places = [[number(k) for k in knots] for knots in (first, second)]
    if any(w < d for w, d in zip(wanted, degrees, strict=True)):
        raise ValueError(f"degrees {tuple(degrees)} cannot be raised to {tuple(wanted)}, which are lower")
    nets, domains = [], []
    for i in spans(first, degrees[0]):
        columns = [bezier_points(column, places[0], degrees[0], i) for column in zip(*net, strict=True)]
        for j in spans(second, degrees[1]):
            rows = [bezier_points(row, places[1], degrees[1], j) for row in zip(*columns, strict=True)]
            nets.append(_raised(rows, wanted))
            domains.append([places[0][i:i + 2], places[1][j:j + 2]])
    return _rounded(nets, domains, weights is not None)


def _degrees(degrees: Any) -> tuple[int, int]:
    try:
        first, second = (operator.index(d) for d in degrees)
    except (TypeError, ValueError):
        raise ValueError(f"degrees must be a pair of whole numbers, got {shown(degrees)}") from None
    return first, second


def _net(points: Any, weights: Any, velocities: Any) -> list[list[tuple[Any, ...]]]:
    """Rows of (w P, w V, w), exact."""
    p = doubles(points, "points", "(K, L, 3)")
    r = np.zeros_like(p) if velocities is None else doubles(velocities, "velocities", "(K, L, 3)")
    w = np.ones(p.shape[:2]) if weights is None else doubles(weights, "weights", "(K, L)")
    if p.ndim != 3 or p.shape[2] != 3 or 0 in p.shape or r.shape != p.shape or w.shape != p.shape[:2]:
        raise ValueError("points and velocities must have the shape (K, L, 3) and weights (K, L), "
                         f"got {p.shape}, {r.shape} and {w.shape}")
    if not (np.isfinite(p).all() and np.isfinite(r).all()):
        raise ValueError("control points and velocities must be finite")
    if not (np.isfinite(w).all() and (w > 0).all()):
        raise ValueError("weights must be positive and finite: with others a patch may leave the hull of its control points")
    exact = np.vectorize(Fraction, otypes=[object])(np.concatenate([p, r, w[..., None]], axis=-1))
    exact[..., :6] *= exact[..., 6:]
    return [[tuple(c) for c in row] for row in exact]


def _raised(net: Sequence[Sequence[tuple[Any, ...]]], degrees: tuple[int, int]) -> np.ndarray:
    """(N+1, M+1, 7) exact numbers."""
    rows = [list(zip(*(raised(c, degrees[1]) for c in zip(*row, strict=True)), strict=True)) for row in net]
    columns = [list(zip(*(raised(c, degrees[0]) for c in zip(*column, strict=True)), strict=True)) for column in zip(*rows, strict=True)]
    return np.array(columns, object).transpose(1, 0, 2)


def _rounded(nets: list[np.ndarray], domains: list[Any], rational: bool) -> BezierNets:
    exact = np.array(nets, object)
    exact[..., :6] /= exact[..., 6:]
    near = np.vectorize(lambda x: nearest(x)[0], otypes=[float])
    values = near(exact)
    whole = bool((np.vectorize(Fraction, otypes=[object])(values) == exact).all())
    points = np.ascontiguousarray(np.moveaxis(values[..., :6].reshape(*values.shape[:3], 2, 3), 3, 1))
    return BezierNets(points, np.ascontiguousarray(values[..., 6]) if rational else None, near(np.array(domains, object)),
                      0.0 if whole else _ROUNDING)


def _grids(nets: BezierNets, time: int, across: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Grids of across x across points of the patches at a time, with their triangles."""
    at = np.linspace(0, 1, across)
    n, m = (count - 1 for count in nets.points.shape[2:4])
    first, second = (np.stack([comb(d, k) * at**k * (1 - at) ** (d - k) for k in range(d + 1)]) for d in (n, m))
    weights = np.ones((len(nets), n + 1, m + 1)) if nets.weights is None else nets.weights
    places = weights[..., None] * (nets.points[:, 0] + time * nets.points[:, 1])
    above, below = (np.einsum("ia,pij...,jb->pab...", first, values, second) for values in (places, weights))
    triangles = grid_triangles(across, across)
    return [(grid.reshape(-1, 3), triangles) for grid in above / below[..., None]]
