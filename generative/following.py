"""Cubic splines of the time that follow samples: through all of them, or up to noise, which may be found from them."""

from collections.abc import Iterator
from numbers import Real
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline, make_lsq_spline

from codegen.functions import Samples, Spline
from codegen.given import doubles, shown

from .symbols import exact, items, t

Array = np.ndarray
# Noise is found from so many samples at least; residuals match what is given up to such a factor. Of none at all there is a logarithm.
_FOR_NOISE, _MATCH, _TINY = 16, 1.1, 1e-300
_EXACT = "exact at the samples; between them the data say nothing"
Groups = dict[str, tuple[slice, float]]
"""Columns of data of one kind, by the words for it, and their deviation where the noise is 1."""


class Followed(NamedTuple):
    """A cubic spline that follows samples, its knots, what is known of it, and whether it goes through all of them. Of a least squares
    spline also the standard deviation that is left in each group, and the Bayesian information criterion.
    """

    knots: Array
    spline: Any
    statement: str = _EXACT
    exact: bool = True
    left: tuple[float, ...] = ()
    criterion: float = np.inf


def followed(at: Array, data: Array, noise: float | str | None, groups: Groups) -> Followed:
    """The cubic spline through data (n, k), or the least squares spline that follows them up to noise.

    Of a noise that is given it has as few pieces as leave residuals of that size. Else their number has the least Bayesian information
    criterion (Schwarz 1978), which weighs residuals against numbers. Where that takes half as many pieces as there are samples no noise is
    seen, and the spline goes through all of them.
    """
    through = Followed(at, CubicSpline(at, data))
    if noise is None:
        return through
    tried = (_least_squares(at, data, pieces, groups) for pieces in _numbers_of_pieces(len(at)))
    if noise == "auto":
        if len(at) < _FOR_NOISE:
            raise ValueError(f"noise is found from at least {_FOR_NOISE} samples, got {len(at)}; give a number")
        known = list(tried)
        best = min(known, key=attrgetter("criterion"))
        return through if best is known[-1] else best
    check_numbers(noise=noise)
    return next((f for f in tried if max(f.left) <= _MATCH * float(noise)), through)


def _numbers_of_pieces(samples: int) -> Iterator[int]:
    pieces = 1
    while 2 * pieces <= samples - 8:
        yield pieces
        pieces += max(1, pieces // 2)


def _least_squares(at: Array, data: Array, pieces: int, groups: Groups) -> Followed:
    """The spline of so many pieces, with about as many samples in each."""
    knots = at[np.linspace(0, len(at) - 1, pieces + 1).round().astype(int)]
    spline = make_lsq_spline(at, data, np.concatenate([knots[[0] * 3], knots, knots[[-1] * 3]]), 3)
    square, count = (spline(at) - data) ** 2, len(at)
    means = [float(square[:, own].mean()) for own, _ in groups.values()]
    left = tuple(np.sqrt(m * count / (count - pieces - 3)) / factor for m, (_, factor) in zip(means, groups.values(), strict=True))
    levels = " and ".join(f"{level:.3g} {words}".strip() for level, words in zip(left, groups, strict=True))
    statement = f"measured at the {count} samples, which leave noise of {levels}; between them the data say nothing; {pieces} cubics"
    sizes = [own.stop - own.start for own, _ in groups.values()]
    criterion = count * sum(k * np.log(m + _TINY) for k, m in zip(sizes, means, strict=True)) + sum(sizes) * pieces * np.log(count)
    return Followed(knots, spline, statement, False, left, criterion)


def splines(at: Array, values: Array, slopes: Array) -> list[Any]:
    """The cubics through values with slopes (n, k), as k formulas of t; a column that stays the same is a number."""
    columns = enumerate(zip(values.T, slopes.T, strict=True))
    return [exact(float(v[0])) if (v == v[0]).all() and not m.any() else Spline(t, Samples(at, v, m, k)) for k, (v, m) in columns]


# -- what was given --------------------------------------------------------------------------------------------------


def increasing(values: Any, count: int, name: str = "parameters", owner: str = "a point") -> Array:
    at = doubles(items(values, name), name, f"({count},)")
    if at.shape != (count,):
        raise ValueError(f"there must be {count} increasing {name}, one {owner}, got {len(at)}")
    check_finite(at[:, None], f"{name} must be finite, but number")
    if not (np.diff(at) > 0).all():
        k = int(np.argmin(np.diff(at) > 0))
        raise ValueError(f"{name} must increase, but number {k + 1}, {at[k + 1]:g}, follows {at[k]:g}")
    return at


def check_finite(data: Array, words: str) -> None:
    finite = np.isfinite(data).all(axis=1)
    if not finite.all():
        raise ValueError(f"{words} {int(np.argmin(finite))} is not")


def check_numbers(**numbers: Any) -> None:
    for name, value in numbers.items():
        if value is not None and not (isinstance(value, Real) and float(value) >= 0):
            raise ValueError(f"{name} must be a number from 0 up, got {shown(value)}")
