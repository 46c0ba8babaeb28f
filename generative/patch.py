"""Bezier patches, tensor-product and triangular, bicubic Hermite patches; B-splines and NURBS split exactly into their Bezier pieces."""

from collections.abc import Sequence
from typing import Any

from sympy import Rational

from codegen.given import expression

from .curve import bernstein, bezier_points, check_knots, control_points, project, spans
from .sampled import two_dimensional
from .surface import ParametricSurface
from .symbols import items, u, v

Net = list[list[tuple[Any, ...]]]
Grid = Sequence[Sequence[Any]]
Vector = tuple[Any, ...]


def bezier_patch(points: Sequence[Sequence[Any]], weights: Sequence[Sequence[Any]] | None = None) -> ParametricSurface:
    """The (rational, if `weights` are given) Bezier patch of a grid of control points: u from row to row, v within a row."""
    return two_dimensional("bezier_patch", patch_of(_net(points, weights), (0, 1), (0, 1)))


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
            patches.append(patch_of(rows, (first[i], first[i + 1]), (second[j], second[j + 1])))
    return patches


def hermite(points: Grid, du: Grid, dv: Grid, duv: Grid) -> ParametricSurface:
    """The bicubic Hermite patch of its four corners: u and v go from 0 to 1.

    Parameters
    ----------
    points : sequence, shape (2, 2, 3)
        The corners: u from row to row, v within a row.
    du, dv, duv : sequence, shape (2, 2, 3)
        Derivatives there, by u, by v, and by both.

    Returns
    -------
    ParametricSurface
        The patch, of degree 3 in u and in v.

    Raises
    ------
    ValueError
        For grids of other shapes, and for entries that are no vectors.

    Notes
    -----
    Patches that share two corners, with the same derivatives there, join with continuous tangents.

    Examples
    --------
    A plate of 2 by 1 that is not bent.

    >>> from generative import patch
    >>> corners = [[(0, 0, 0), (0, 1, 0)], [(2, 0, 0), (2, 1, 0)]]
    >>> plate = patch.hermite(corners, [[(2, 0, 0)] * 2] * 2, [[(0, 1, 0)] * 2] * 2, [[(0, 0, 0)] * 2] * 2)
    >>> [e.expand() for e in plate.expressions]
    [2*u, v, 0]
    """
    return two_dimensional("hermite", patch_of(_net(hermite_to_bezier(points, du, dv, duv), None), (0, 1), (0, 1)))


def hermite_to_bezier(points: Grid, du: Grid, dv: Grid, duv: Grid) -> list[list[Vector]]:
    """The control points (4, 4, 3) of a bicubic Hermite patch (see `hermite`), exactly.

    Notes
    -----
    Along each parameter the curve with ends p, q and derivatives d, e there has the control points p, p + d/3, q - e/3, q.

    Examples
    --------
    >>> from generative import patch
    >>> corners, none = [[(0, 0, 0), (0, 3, 0)], [(3, 0, 0), (3, 3, 0)]], [[(0, 0, 0)] * 2] * 2
    >>> patch.hermite_to_bezier(corners, none, none, none)[3]
    [(3, 0, 0), (3, 0, 0), (3, 3, 0), (3, 3, 0)]
    """
    p, by_u, by_v, by_both = (_corners(grid, name) for grid, name in ((points, "points"), (du, "du"), (dv, "dv"), (duv, "duv")))
    rows = [_cubic(*p[k], *by_v[k]) for k in (0, 1)]
    slopes = [_cubic(*by_u[k], *by_both[k]) for k in (0, 1)]
    columns = [_cubic(*ends) for ends in zip(*rows, *slopes, strict=True)]
    return [list(row) for row in zip(*columns, strict=True)]


def bezier_to_hermite(net: Sequence[Sequence[Any]]) -> tuple[list[list[Vector]], ...]:
    """The points, du, dv and duv (2, 2, 3) at the corners of a polynomial bicubic Bezier patch of control points (4, 4, 3), exactly.

    Raises
    ------
    ValueError
        For a net of another shape.

    Examples
    --------
    >>> from generative import patch
    >>> points, du, dv, duv = patch.bezier_to_hermite([[(i, j, i * j) for j in range(4)] for i in range(4)])
    >>> points[1][0], du[1][0], dv[1][1], duv[0][0]
    ((3, 0, 0), (3, 0, 0), (0, 3, 9), (0, 0, 9))
    """
    rows = [[_vector(p, "a control point") for p in items(row, "a row of control points")] for row in items(net, "the control points")]
    if [len(row) for row in rows] != [4] * 4:
        raise ValueError(f"a bicubic patch has 4 rows of 4 control points, got rows of {[len(row) for row in rows]}")
    across = [[[row[0], row[3]], [_slope(row[0], row[1]), _slope(row[2], row[3])]] for row in rows]
    p, by_v = ([[across[i][n][k] for k in (0, 1)] for i in (0, 3)] for n in (0, 1))
    by_u, by_both = ([[_slope(across[i][n][k], across[i + 1][n][k]) for k in (0, 1)] for i in (0, 2)] for n in (0, 1))
    return p, by_u, by_v, by_both


def _cubic(p: Vector, q: Vector, d: Vector, e: Vector) -> list[Vector]:
    """The control points of a cubic curve with these ends, and derivatives there."""
    return [p, _sum(p, d, Rational(1, 3)), _sum(q, e, Rational(-1, 3)), q]


def _slope(p: Vector, q: Vector) -> Vector:
    return tuple(3 * (b - a) for a, b in zip(p, q, strict=True))


def _sum(p: Vector, d: Vector, share: Any) -> Vector:
    return tuple(a + share * b for a, b in zip(p, d, strict=True))


def _corners(grid: Grid, name: str) -> list[list[Vector]]:
    rows = [[_vector(p, f"an entry of {name}") for p in items(row, f"a row of {name}")] for row in items(grid, name)]
    if [len(row) for row in rows] != [2, 2]:
        raise ValueError(f"{name} must have two rows of two vectors, one for each corner, got rows of {[len(row) for row in rows]}")
    return rows


def _vector(given: Any, name: str) -> Vector:
    found = tuple(map(expression, items(given, name)))
    if len(found) != 3:
        raise ValueError(f"{name} must have three components, got {len(found)}")
    return found


def _net(points: Sequence[Sequence[Any]], weights: Sequence[Sequence[Any]] | None) -> Net:
    rows = [items(row, "a row of control points") for row in items(points, "the control points of a patch")]
    if len(rows) < 2 or len({len(row) for row in rows}) != 1:
        raise ValueError("control points of a patch form a grid of at least two rows of equal length")
    if weights is not None and len(weights) != len(rows):
        raise ValueError(f"there must be one row of weights a row of points, got {len(weights)} for {len(rows)}")
    return [control_points(row, None if weights is None else weights[k]) for k, row in enumerate(rows)]


def patch_of(net: Sequence[Sequence[tuple[Any, ...]]], range_u: tuple[Any, Any], range_v: tuple[Any, Any]) -> ParametricSurface:
    """The Bezier patch of a net over a rectangle."""
    at = [(s - lo) / (hi - lo) for s, (lo, hi) in ((u, range_u), (v, range_v))]
    curves = [tuple(bernstein(row, at[1])) for row in net]
    return ParametricSurface(project(bernstein(curves, at[0])), {u: range_u, v: range_v})
