"""The surfaces of a self-contact: families of formulas with numbers as parameters, and each surface as a member of one.

Surfaces of one family share every kernel: a sheet of a hundred Bezier patches compiles as much as one patch.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import Any

import numpy as np
import sympy as sp

from codegen.constants import bounds, enclose_fraction
from codegen.deadline import interruptible
from codegen.family import family
from codegen.from_sympy import convert
from codegen.given import expression
from codegen.graph.autodiff import partials
from codegen.graph.expr import Expr, ExprPool, reachable
from codegen.graph.serialize import deserialize, serialize
from codegen.graph.vectors import Vector, cross
from codegen.kernel import Kernel
from generative import ParametricSurface, t, u, v
from generative.chart import is_pole, pole_chart
from generative.curve import bernstein, project
from generative.patch import bezier_patch
from generative.seams import period

from ..bezier.nurbs import BezierNets
from ..bodies.parts import sides
from ..bodies.surface_points import all_parallel
from .slopes import mixed, slopes, values

Ends = tuple[Any, Any]
# Polynomials up to this degree are Bezier patches.
_DEGREE = 8
# Cells along each parameter in which a degenerate normal is looked for.
_GRID = 8


@dataclass(frozen=True, eq=False)
class SurfaceFamily:
    """A family of surfaces: a graph of three coordinates in u, v, t, which are variables 0 to 2, and of `parameters` numbers."""

    position: tuple[Expr, ...]
    parameters: int

    @cached_property
    def normal(self) -> Vector:
        """S_u x S_v."""
        rows = partials(self.position, [self.position[0].pool.variable(k) for k in (0, 1)])
        return cross(*((rows[0][k], rows[1][k], rows[2][k]) for k in (0, 1)))

    def _kernel(self, outputs: Sequence[Expr], more: int = 0) -> Kernel:
        return Kernel(outputs, ("u", "v", "t"), [f"p{k}" for k in range(self.parameters + more)], quick=True)

    @cached_property
    def place(self) -> Kernel:
        return self._kernel([values(f) for f in self.position])

    @cached_property
    def tangents(self) -> Kernel:
        """S_u and S_v: six numbers."""
        rows = partials(self.position, [self.position[0].pool.variable(k) for k in (0, 1)])
        return self._kernel([row[k] for k in (0, 1) for row in rows])

    @cached_property
    def slopes(self) -> Kernel:
        """e1 . S_u, e1 . S_v, e2 . S_u, e2 . S_v; e1 and e2 are the last six parameters. Clarke's gradients, and the whole line where S is
        not continuous.
        """
        pool = self.position[0].pool
        e = [pool.parameter(self.parameters + k) for k in range(6)]
        p = self.position
        along = [e[3 * i] * p[0] + e[3 * i + 1] * p[1] + e[3 * i + 2] * p[2] for i in (0, 1)]
        return self._kernel([slope for f in along for slope in slopes(f)], 6)

    @cached_property
    def twist(self) -> Kernel:
        """e_i . S_uv for the three directions that are the last nine parameters; the whole line where S_u has no derivative by v."""
        pool = self.position[0].pool
        e = [pool.parameter(self.parameters + k) for k in range(9)]
        p = self.position
        along = [e[3 * i] * p[0] + e[3 * i + 1] * p[1] + e[3 * i + 2] * p[2] for i in range(3)]
        return self._kernel([mixed(f) for f in along], 9)


def hosted(outputs: Sequence[Expr], pool: ExprPool, at: Sequence[Expr], first: int) -> Vector:
    """Three outputs of a shape in another pool, with u, v, t as given and its parameters from number `first` on."""
    built: dict[int, Expr] = {}
    for e in reachable(outputs):
        if e.op == "variable":
            built[e.index] = at[e.value]
        elif e.op == "parameter":
            built[e.index] = pool.parameter(first + e.value)
        else:
            built[e.index] = pool.restore(e.op, tuple(built[a.index] for a in e.args), e.value)
    a, b, c = (built[e.index] for e in outputs)
    return a, b, c


@functools.lru_cache(maxsize=256)
def _shape(graph: bytes, parameters: int) -> SurfaceFamily:
    return SurfaceFamily(tuple(deserialize(graph)), parameters)


@functools.lru_cache(maxsize=64)
@interruptible()
def _net_shape(rows: int, columns: int, powers: int, rational: bool) -> SurfaceFamily:
    """Bezier patches whose control points are polynomials in t; parameters: the control points' coefficients of 1, t, t^2, ..., and the
    weights if `rational`.
    """
    count = rows * columns
    names = sp.symbols(f"c0:{3 * powers * count}", real=True)
    weights = sp.symbols(f"w0:{count}", real=True) if rational else ()
    points: list[tuple[Any, ...]] = []
    for k in range(count):
        at = [sum(names[3 * (power * count + k) + i] * t**power for power in range(powers)) for i in range(3)]
        points.append((*(weights[k] * x for x in at), weights[k]) if rational else tuple(at))
    curves = [tuple(bernstein(points[columns * i:columns * (i + 1)], v)) for i in range(rows)]
    pool = ExprPool()
    known = dict(zip((u, v, t), map(pool.variable, range(3)), strict=True))
    known |= {s: pool.parameter(k) for k, s in enumerate((*names, *weights))}
    made = convert(project(bernstein(curves, u)), known, pool)
    return _shape(serialize(made), len(names) + len(weights))


@dataclass(frozen=True, eq=False)
class SheetPiece:
    """A surface of the sheet, number `body`: a member of its family with the `numbers` (p, 2) over the exact `domain` of u and v.

    `periods`: the exact length of a parameter that closes on itself, else 0. `border`: per parameter and end, whether the surface ends or
    collapses there. `edges`: the numbers of the sides that are edges, in the order of `Solid.edges` of a patch. `net`: of a Bezier patch,
    its row of control points, velocities and weights; else the `surface`. `names`: those of the parameters in results.
    `pole`: the pole that its parameters are smooth round, as a symbol and an end of its range.
    """

    body: int
    shape: SurfaceFamily
    numbers: np.ndarray
    domain: tuple[Ends, Ends]
    periods: tuple[Any, Any] = (0, 0)
    border: tuple[tuple[bool, bool], tuple[bool, bool]] = ((True, True), (True, True))
    edges: tuple[tuple[int, int], ...] = ((0, 0), (0, 1), (1, 0), (1, 1))
    surface: ParametricSurface | None = None
    names: tuple[str, str] = ("u", "v")
    pole: tuple[Any, int] | None = None
    net: tuple[np.ndarray, ...] = ()

    @cached_property
    def outer(self) -> np.ndarray:
        return bounds(self.domain)[0]

    @cached_property
    def inner(self) -> np.ndarray:
        return bounds(self.domain)[1]

    @cached_property
    def expressions(self) -> tuple[Any, Any, Any]:
        """The coordinates as formulas of u, v and t, exactly."""
        if self.surface is not None:
            return self.surface.expressions
        exact = np.vectorize(expression, otypes=[object])
        at, speed, *weights = (exact(x).tolist() for x in (*self.net[0], *self.net[1:]))
        points = [[tuple(x + t * w for x, w in zip(p, q, strict=True)) for p, q in zip(*rows, strict=True)]
                  for rows in zip(at, speed, strict=True)]
        return bezier_patch(points, *weights).expressions

    def degenerate(self, moment: float) -> bool:
        """Whether the normal is zero at every point of a grid, up to a few roundings of parallel tangents: a curve or a point."""
        ends = [np.linspace(lo, hi, 2 * _GRID + 1)[1::2] for lo, hi in self.outer]
        at = np.stack(np.meshgrid(*ends, [moment], indexing="ij"), axis=-1).reshape(-1, 3)
        return all_parallel(*np.split(self.shape.tangents.points(at, parameters=self.numbers.mean(axis=1)), 2, axis=1))


@interruptible()
def piece_of(surface: ParametricSurface, body: int) -> SheetPiece:
    """A surface as a piece; one that moves rigidly as a whole is given at rest by the caller."""
    free = set(sides(surface))
    edges = tuple((int(s is v), end) for s, end in sides(surface) if not is_pole(surface, s, end))
    border = tuple(((s, 0) in free, (s, 1) in free) for s in (u, v))
    periods = tuple(hi - lo if period(surface, s) else sp.Integer(0) for s, (lo, hi) in surface.domain.items())
    shape, numbers = _as_polynomial(surface) or _as_formula(surface)
    return SheetPiece(body, shape, numbers, tuple(surface.domain.values()), periods, border, edges, surface)  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class Pole:
    """Round a pole of a surface: a `cap` in smooth parameters (`generative.chart`), and what replaces the surface beside it.

    Two places of the surface are both before `middle`, or both in the `cap`, or one of them is in the `tip`, beyond `middle`, and the other
    in what is `far`: that ends where the cap begins to cover the surface, twice as far from the pole as `middle`.
    """

    cap: SheetPiece
    tip: SheetPiece
    far: SheetPiece
    middle: Any


@interruptible()
def pole_of(whole: SheetPiece, axis: int, end: int) -> Pole | None:
    """The neighbourhood of the pole at an end of a parameter; None where no smooth parameters are found."""
    assert whole.surface is not None
    found = pole_chart(whole.surface, (u, v)[axis], end) if whole.periods[1 - axis] else None
    if found is None:
        return None
    chart, limit = found
    cap = piece_of(chart, whole.body)
    middle = (limit + whole.domain[axis][end]) / 2
    inside = ((False, False), (False, False))
    cap = replace(cap, border=inside, edges=(), names=("p", "q"), pole=((u, v)[axis], end))
    return Pole(cap, cut(whole, axis, 1 - end, middle), cut(whole, axis, end, limit), middle)


def cut(piece: SheetPiece, axis: int, end: int, value: Any) -> SheetPiece:
    """The piece with another end of a parameter, inside it, where the surface goes on."""
    domain, border = [list(ends) for ends in piece.domain], [list(ends) for ends in piece.border]
    domain[axis][end], border[axis][end] = value, False
    (p, q), (r, s) = domain
    (a, b), (c, d) = border
    return replace(piece, domain=((p, q), (r, s)), border=((a, b), (c, d)), edges=tuple(e for e in piece.edges if e != (axis, end)))


def _as_formula(surface: ParametricSurface) -> tuple[SurfaceFamily, np.ndarray]:
    """The family of the formula as it is written."""
    pool = ExprPool()
    made = family(convert(surface.expressions, dict(zip((u, v, t), map(pool.variable, range(3)), strict=True)), pool))
    return _shape(serialize(made.outputs), len(made.numbers)), made.numbers


def _as_polynomial(surface: ParametricSurface) -> tuple[SurfaceFamily, np.ndarray] | None:
    """A polynomial with rational coefficients as a Bezier patch over the unit square, so that all of equal degrees are one family. Over
    larger rectangles, and where degrees are high, the formula as it is serves better.
    """
    if any(lo < 0 or hi > 1 for lo, hi in surface.domain.values()) or not all(e.is_polynomial(u, v, t) for e in surface.expressions):
        return None
    polynomials = [sp.Poly(e, u, v, t) for e in surface.expressions]
    degrees = [max(max(p.degree(s), 0) for p in polynomials) for s in (u, v, t)]
    if max(degrees) > _DEGREE or min(degrees[:2]) == 0 or not all(c.is_Rational for p in polynomials for c in p.coeffs()):
        return None
    powers = np.full((degrees[2] + 1, degrees[0] + 1, degrees[1] + 1, 3), Fraction(0), dtype=object)
    for axis, p in enumerate(polynomials):
        for (i, j, k), c in p.terms():
            powers[k, i, j, axis] = Fraction(int(c.p), int(c.q))
    net = np.einsum("ai,bj,kijc->kabc", _to_bernstein(degrees[0]), _to_bernstein(degrees[1]), powers)
    numbers = np.array([_enclosed(x) for x in net.ravel()])
    return _net_shape(degrees[0] + 1, degrees[1] + 1, degrees[2] + 1, False), numbers


def _to_bernstein(degree: int) -> np.ndarray:
    """Row a: the factors of the coefficients of powers i in the Bernstein coefficient a, C(a, i) / C(degree, i)."""
    return np.array([[Fraction(comb(a, i), comb(degree, i)) for i in range(degree + 1)] for a in range(degree + 1)], dtype=object)


def _enclosed(x: Fraction) -> tuple[float, float]:
    return enclose_fraction(x.numerator, x.denominator)


def pieces_of_nets(nets: BezierNets) -> list[SheetPiece]:
    shape = _net_shape(*nets.points.shape[2:4], 2, nets.weights is not None)
    rows = [(p, *(() if nets.weights is None else (nets.weights[k],))) for k, p in enumerate(nets.points)]
    unit = (sp.Integer(0), sp.Integer(1))
    return [SheetPiece(k, shape, np.repeat(np.concatenate([a.ravel() for a in row])[:, None], 2, axis=1), (unit, unit), net=row)
            for k, row in enumerate(rows)]

