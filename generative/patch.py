"""Bezier patches, tensor-product and triangular, and B-splines and NURBS split exactly into their Bezier pieces."""

from collections.abc import Sequence
from typing import Any

from .curve import bernstein, bezier_points, check_knots, control_points, project, spans
from .sampled import two_dimensional
from .surface import ParametricSurface
from .symbols import items, u, v

Net = list[list[tuple[Any, ...]]]


def bezier_patch(points: Sequence[Sequence[Any]], weights: Sequence[Sequence[Any]] | None = None) -> ParametricSurface:
    """The (rational, if `weights` are given) Bezier patch of a grid of control points: u from row to row, v within a row."""
    return two_dimensional("bezier_patch", _patch(_net(points, weights), (0, 1), (0, 1)))


def bezier_triangle(points: Sequence[Sequence[Any]], weights: Sequence[Sequence[Any]] | None = None) -> ParametricSurface:
    """The (rational, if `weights` are given) triangular Bezier patch: row i has N + 1 - i control points, P_ij in order of j.

    It is the sum of N! / (i! j! k!) a^i b^j c^k P_ij, i + j + k = N, over a + b + c = 1. The parameters are u = a and v = b / (1 - a),
    both from 0 to 1: so the side u = 1 is the corner P_N0. The normal is that of the direction from a to b.
    """
    rows = [items(row, "a row of control points") for row in items(points, "the control points of a patch")]
    if len(rows) < 2 or [len(row) for row in rows] != list(range(len(rows), 0, -1)):
        raise ValueError(f"the rows of a triangular patch have N + 1, N, ... 1 control points, got {[len(row) for row in rows]}")
    sizes = None if weights is None else [items(row, "a row of weights") for row in items(weights, "the weights")]
    if sizes is not None and list(map(len, sizes)) != list(map(len, rows)):
        raise ValueError(f"there must be one weight a control point, got rows of {list(map(len, sizes))}")
    # A row of one point is given twice: `control_points` is made for curves.
    net = [control_points([*row, row[-1]], None if sizes is None else [*sizes[k], sizes[k][-1]])[:-1] for k, row in enumerate(rows)]
    surface = ParametricSurface(project(bernstein([tuple(bernstein(row, v)) for row in net], u)), {u: (0, 1), v: (0, 1)})
    return two_dimensional("bezier_triangle", surface)


def b_spline_patches(points: Sequence[Sequence[Any]], knots_u: Sequence[Any], knots_v: Sequence[Any], degrees: tuple[int, int],
                     weights: Sequence[Sequence[Any]] | None = None) -> list[ParametricSurface]:
    """The B-spline (NURBS) surface as its (rational) Bezier patches, each over its own pair of knot intervals."""
    net = _net(points, weights)
    if len(items(degrees, "the degrees")) != 2:
        raise ValueError(f"the degrees of a patch are a pair, along u and along v, got {len(degrees)}")
    first, second = check_knots(knots_u, len(net), degrees[0]), check_knots(knots_v, len(net[0]), degrees[1])
    patches = []
    for i in spans(first, degrees[0]):
        columns = [bezier_points(column, first, degrees[0], i) for column in zip(*net, strict=True)]
        for j in spans(second, degrees[1]):
            rows = [bezier_points(row, second, degrees[1], j) for row in zip(*columns, strict=True)]
            patches.append(_patch(rows, (first[i], first[i + 1]), (second[j], second[j + 1])))
    return patches


def _net(points: Sequence[Sequence[Any]], weights: Sequence[Sequence[Any]] | None) -> Net:
    rows = [items(row, "a row of control points") for row in items(points, "the control points of a patch")]
    if len(rows) < 2 or len({len(row) for row in rows}) != 1:
        raise ValueError("control points of a patch form a grid of at least two rows of equal length")
    if weights is not None and len(weights) != len(rows):
        raise ValueError(f"there must be one row of weights a row of points, got {len(weights)} for {len(rows)}")
    return [control_points(row, None if weights is None else weights[k]) for k, row in enumerate(rows)]


def _patch(net: Sequence[Sequence[tuple[Any, ...]]], range_u: tuple[Any, Any], range_v: tuple[Any, Any]) -> ParametricSurface:
    """The Bezier patch of a net over a rectangle."""
    at = [(s - lo) / (hi - lo) for s, (lo, hi) in ((u, range_u), (v, range_v))]
    curves = [tuple(bernstein(row, at[1])) for row in net]
    return ParametricSurface(project(bernstein(curves, at[0])), {u: range_u, v: range_v})
