"""Motions of bodies for many rows of numbers: their entries at moments, and the derivatives of these in windows of time."""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from codegen.from_sympy import convert
from codegen.graph.autodiff import partials
from codegen.graph.expr import Expr, ExprPool
from codegen.kernel import Kernel
from generative import Motion, t
from generative.changes import pieces_of
from generative.products import Product

from ..bodies.motions import entries_of


class MotionRows:
    """The motion of a rigid body, with numbers for these symbols: the nine entries of a rotation and the three of a translation."""

    def __init__(self, body: Any, symbols: Sequence[Any]) -> None:
        self._motion = next(iter(pieces_of(body))).motion
        self._columns = [k for k, s in enumerate(symbols) if s in self._motion.symbols]
        self._symbols = tuple(symbols[k] for k in self._columns)

    @property
    def rests(self) -> bool:
        """Whether the motion has no symbols: all arrays are then of one row."""
        return not self._motion.symbols

    def points(self, rows: np.ndarray, moments: np.ndarray) -> np.ndarray:
        """About the entries (12, n) with the numbers of rows (n, p) at moments (n,)."""
        rows, moments = (rows[:1], np.zeros(1)) if self.rests else (rows, moments)
        given = rows[:, self._columns] if self._columns else None
        return np.ascontiguousarray(_places(self._motion, self._symbols).points(moments[:, None], parameters=given).T)

    def at(self, rows: np.ndarray, moments: np.ndarray) -> np.ndarray:
        """The entries (n, 12, 2) enclosed at moments (n,)."""
        rows, moments = (rows[:1], np.zeros(1)) if self.rests else (rows, moments)
        lo, hi = _places(self._motion, self._symbols).interval(moments[:, None], moments[:, None], parameters=self._numbers(rows))
        return np.stack([lo, hi], axis=-1)

    def slopes(self, rows: np.ndarray, times: np.ndarray) -> np.ndarray:
        """Their derivatives by time (n, 12, 2) enclosed in windows (n, 2), or Clarke's gradient; of any size where the motion is not proved
        continuous.
        """
        if self.rests:
            return np.zeros((1, 12, 2))
        lo, hi, level = _speeds(self._motion, self._symbols).decorated(times[:, :1], times[:, 1:], parameters=self._numbers(rows))
        smooth = np.asarray((level[:, :12] >= 2).all(axis=1) & (level[:, 12:] > 0).all(axis=1))
        return np.where(smooth[:, None, None], np.stack([lo[:, 12:], hi[:, 12:]], axis=-1), [-np.inf, np.inf])

    def _numbers(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        return (rows[:, self._columns], rows[:, self._columns]) if self._columns else None


def middles(times: np.ndarray) -> np.ndarray:
    """(n,): about the middles of windows of time (n, 2), in these."""
    return np.asarray(np.clip(0.5 * times[:, 0] + 0.5 * times[:, 1], times[:, 0], times[:, 1]))


def halves(times: np.ndarray) -> np.ndarray:
    """(n,): how far their ends are from these middles at most."""
    at = middles(times)
    return np.asarray(np.nextafter(np.maximum(times[:, 1] - at, at - times[:, 0]), np.inf))


@functools.lru_cache(maxsize=1024)
def _places(motion: Motion, symbols: tuple[Any, ...]) -> Kernel:
    """The twelve entries of a motion."""
    return Kernel(_entries(motion, symbols)[0], ["t"], [str(s) for s in symbols], quick=True)


@functools.lru_cache(maxsize=1024)
def _speeds(motion: Motion, symbols: tuple[Any, ...]) -> Kernel:
    """The twelve entries, and their derivatives by time."""
    entries, time = _entries(motion, symbols)
    return Kernel([*entries, *(row[0] for row in partials(entries, [time]))], ["t"], [str(s) for s in symbols], quick=True)


def _entries(motion: Motion, symbols: tuple[Any, ...]) -> tuple[list[Expr], Expr]:
    pool = ExprPool()
    time = pool.variable(0)
    known = {t: time, **{s: pool.parameter(k) for k, s in enumerate(symbols)}}
    return entries_of(motion, known, pool, None) if isinstance(motion, Product) else convert(motion.entries, known, pool), time
