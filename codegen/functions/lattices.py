"""Tricubic B-splines as SymPy functions: what voxels are fitted by (`generative.fit.implicit`)."""

import hashlib
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from ..given import doubles, expression
from ..graph import lattices
from . import _Function

# Beyond, third derivatives might be no doubles.
_LARGEST = 1e60


class Coefficients(sp.Atom):  # type: ignore[misc]
    """The coefficients of a `TricubicSpline`, an array (a, b, c) of doubles, exact. Coefficient (i, j, k) belongs to the point `origin` +
    (i - 1, j - 1, k - 1) `spacing`; beyond the first and the last of them all are like these.
    """

    __slots__ = ("digest", "lattice")

    def __new__(cls, array: Any, origin: Any = (0, 0, 0), spacing: Any = (1, 1, 1)) -> "Coefficients":
        made: Coefficients = super().__new__(cls)
        given = doubles(array, "the coefficients", "(a, b, c)")
        ends = [doubles(e, f"the {name} of coefficients", "(3,)") for name, e in (("origin", origin), ("spacing", spacing))]
        if given.ndim != 3 or min(given.shape) < 1 or any(e.shape != (3,) for e in ends):
            raise ValueError("coefficients have the shape (a, b, c), their origin and spacing (3,), got "
                             f"{given.shape}, {ends[0].shape} and {ends[1].shape}")
        if not (np.abs(given).max() <= _LARGEST and np.isfinite(ends[0]).all() and (np.abs(np.log(ends[1])) <= np.log(_LARGEST)).all()):
            raise ValueError(f"coefficients are at most {_LARGEST:g} in size, their origin is finite, and their spacing is positive, from "
                             f"{1 / _LARGEST:g} to {_LARGEST:g}")
        start, step = (tuple(e.tolist()) for e in ends)
        made.lattice = lattices.Lattice(given.shape, start, step, np.ascontiguousarray(given).tobytes())
        made.digest = hashlib.sha1(repr(made.lattice).encode(), usedforsecurity=False).digest()
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.lattice.coefficients, self.lattice.origin, self.lattice.spacing

    def __getstate__(self) -> None:
        return None

    def _hashable_content(self) -> tuple[Any, ...]:
        return (self.digest,)

    def _sympystr(self, printer: Any) -> str:
        return f"{'*'.join(map(str, self.lattice.shape))} coefficients"

    def _latex(self, printer: Any) -> str:
        return rf"\text{{{self._sympystr(printer)}}}"


class TricubicSpline(_Function):
    """``TricubicSpline(x, y, z, coefficients)`` is the sum of all coefficients times products of cubic B-splines of x, y and z;
    ``TricubicSpline(x, y, z, coefficients, i, j, k)`` is its partial derivative of these orders.

    It is a polynomial between each two neighbouring points of the lattice along all axes, twice continuously differentiable, defined for
    all real x, y and z, and constant along an axis beyond its coefficients. Where a third derivative jumps the later piece counts. Of
    rational numbers it is evaluated exactly. Inclusion functions enclose by B-spline coefficients, which hold the function between them,
    and by derivatives.
    """

    nargs = (4, 7)

    @classmethod
    def eval(cls, x: Any, y: Any, z: Any, coefficients: Any, *orders: Any) -> Any:
        if not isinstance(coefficients, Coefficients) or not all(n.is_Integer and n >= 0 for n in orders):
            raise ValueError("TricubicSpline needs three arguments, Coefficients, and perhaps three orders of derivatives")
        if any(n > lattices.DEGREE for n in orders):
            return sp.Integer(0)
        if x.is_Rational and y.is_Rational and z.is_Rational:
            point = Fraction(int(x.p), int(x.q)), Fraction(int(y.p), int(y.q)), Fraction(int(z.p), int(z.q))
            found = lattices.exact(_value(coefficients, orders), point)
            return sp.Rational(found.numerator, found.denominator)
        return None

    @property
    def orders(self) -> lattices.Orders:
        """The number of times it is differentiated by each argument."""
        a, b, c = (int(n) for n in self.args[4:] or (0, 0, 0))
        return a, b, c

    @property
    def value(self) -> bytes:
        """The value of a node of a graph, which tells which function it is."""
        return _value(self.args[3], self.orders)

    def fdiff(self, argindex: int = 1) -> Any:
        if not 1 <= argindex <= 3:
            raise sp.core.function.ArgumentIndexError(self, argindex)
        orders = [n + (k == argindex - 1) for k, n in enumerate(self.orders)]
        return TricubicSpline(*self.args[:4], *orders)

    def _eval_derivative(self, s: Any) -> Any:
        slopes = [(k + 1, e.diff(s)) for k, e in enumerate(self.args[:3])]
        return sp.Add(*(self.fdiff(k) * d for k, d in slopes if d != 0))

    def _eval_is_real(self) -> bool | None:
        return True if all(e.is_real for e in self.args[:3]) else None

    def _eval_evalf(self, prec: int) -> Any:
        numbers = [expression(e).evalf(n=sp.core.evalf.prec_to_dps(prec) + 10) for e in self.args[:3]]
        if not all(e.is_Float or e.is_Rational for e in numbers):
            return None
        return TricubicSpline(*map(sp.Rational, numbers), *self.args[3:])._eval_evalf(prec)

    def approx(self, x: Any, y: Any, z: Any) -> np.ndarray:
        """Values at numbers, in doubles."""
        lattice, orders = self.args[3].lattice, self.orders
        at, own = zip(*(_places(lattice, k, e, n) for k, (e, n) in enumerate(zip(np.broadcast_arrays(x, y, z), orders, strict=True))),
                      strict=True)
        table = lattice.coefficients
        for axis, n in enumerate(orders):
            around = np.clip(np.arange(-lattices.DEGREE, table.shape[axis] + lattices.DEGREE + 1), 0, table.shape[axis] - 1)
            table = np.diff(np.take(table, around, axis=axis), n, axis=axis)
        total = np.zeros(np.shape(at[0]))
        for a, p in enumerate(own[0]):
            for b, q in enumerate(own[1]):
                for c, r in enumerate(own[2]):
                    total += p * q * r * table[at[0] + a, at[1] + b, at[2] + c]
        return np.asarray(total * float(lattices.scale(orders, lattice.spacing)))


def _value(coefficients: Coefficients, orders: Any) -> bytes:
    a, b, c = (int(n) for n in orders or (0, 0, 0))
    return lattices.encoded((a, b, c), coefficients.lattice)


def _places(lattice: lattices.Lattice, axis: int, x: np.ndarray, order: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """Cells, as numbers, and the weights of their coefficients."""
    r = np.nan_to_num((np.asarray(x, float) - lattice.origin[axis]) / lattice.spacing[axis] + lattices.DEGREE)
    r = np.clip(r, 0, lattice.shape[axis] + lattices.DEGREE)
    cell = np.floor(r).astype(np.int64)
    return cell, lattices.weights(r - cell, order)
