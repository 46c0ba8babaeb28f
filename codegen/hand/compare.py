"""Kernels beside inclusion functions written by hand: where either is wider, and where they contradict each other."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..given import shown
from ..kernel import Array, Kernel
from ..numbers import rounded_doubles

Inclusion = Callable[[Array, Array], tuple[Any, Any]]


class Wider(NamedTuple):
    """Bounds of one side that reach beyond those of the other: in how many `rows` of boxes and expressions, and of the worst the ratio of
    the widths, the distance in doubles between the ends, the row of the box and the number of the expression. All 0 where there are none.
    """

    rows: int
    ratio: float
    ulps: int
    box: int
    expression: int


@dataclass(frozen=True)
class Comparison:
    """Bounds of a kernel and by hand, over the same boxes; made by `compare`.

    Parameters
    ----------
    lo, hi : ndarray, shape (n, expressions)
        The kernel's bounds.
    hand_lo, hand_hi : ndarray, shape (n, expressions)
        Those by hand.
    """

    lo: Array
    hi: Array
    hand_lo: Array
    hand_hi: Array

    @property
    def contradictions(self) -> NDArray[np.intp]:
        """Rows (box, expression) where the two have no number in common, shape (k, 2): one of them is wrong there."""
        return np.argwhere((self.lo > self.hand_hi) | (self.hand_lo > self.hi))

    @property
    def kernel(self) -> Wider:
        """The boxes over which the kernel is wider."""
        return _wider(self.lo, self.hi, self.hand_lo, self.hand_hi)

    @property
    def by_hand(self) -> Wider:
        """The boxes over which the bounds by hand are wider."""
        return _wider(self.hand_lo, self.hand_hi, self.lo, self.hi)

    def __bool__(self) -> bool:
        """Whether there is no contradiction."""
        return not len(self.contradictions)

    def __str__(self) -> str:
        return f"{len(self.lo):,} boxes: {self._contradicted()}; {_line('the kernel', self.kernel)}; {_line('by hand', self.by_hand)}"

    __repr__ = __str__

    def _contradicted(self) -> str:
        found = self.contradictions
        if not len(found):
            return "no contradiction"
        i, j = found[0]
        return (f"{len(found):,} CONTRADICTIONS, first at box {i}, expression {j}: the kernel has [{self.lo[i, j]!s}, {self.hi[i, j]!s}], "
                f"by hand [{self.hand_lo[i, j]!s}, {self.hand_hi[i, j]!s}]")


def compare(kernel: Kernel, by_hand: Kernel | Inclusion, boxes: Any, *, parameters: Any = None) -> Comparison:
    """Set a kernel beside an inclusion function written by hand, for regression tests.

    Parameters
    ----------
    kernel : Kernel
        Of `codegen.compile`.
    by_hand : callable or Kernel
        ``by_hand(lo, hi)`` takes arrays of shape (n, variables) and returns two arrays of shape (n, expressions), or (n,) for one
        expression, without NaN; infinities say that nothing is known.
    boxes : pair of arrays
        ``(lo, hi)``, each of shape (n, variables).
    parameters : pair of arrays, optional
        Of the kernel, and of `by_hand` if that is a kernel; see `Kernel.interval`.

    Returns
    -------
    Comparison
        True where there is no contradiction; prints as one line.

    Raises
    ------
    ValueError
        If bounds by hand have another shape, are NaN or in the wrong order; the message names the box.

    Notes
    -----
    Contradictions are *proved*: the two intervals are disjoint, so one of the inclusions does not enclose, or the formulas differ. A
    ratio of widths *approximates*.

    Examples
    --------
    >>> import codegen, numpy as np
    >>> from sympy import symbols
    >>> x = symbols("x", real=True)
    >>> codegen.compare(codegen.compile([x - x**2], [x]), lambda lo, hi: (0 * lo, 0 * hi + 0.25), (np.zeros((1, 1)), np.ones((1, 1))))
    1 boxes: no contradiction; the kernel is wider in 1, at worst 8 times at box 0, expression 0; by hand is nowhere wider
    """
    if not isinstance(kernel, Kernel):
        raise TypeError(f"compare needs a kernel, as of codegen.compile, got {shown(kernel)}")
    if not isinstance(boxes, (tuple, list)) or len(boxes) != 2:
        raise ValueError("boxes must be a pair (lo, hi) of arrays of shape (n, variables)")
    lo, hi = (rounded_doubles(e, name, end) for end, (e, name) in enumerate(zip(boxes, ("lo", "hi"), strict=True)))
    own = kernel.interval(lo, hi, parameters=parameters)
    if isinstance(by_hand, Kernel):
        found: tuple[Any, Any] = by_hand.interval(lo, hi, parameters=parameters)
    elif callable(by_hand):
        found = by_hand(lo, hi)
    else:
        raise TypeError(f"by_hand must be a function of lo and hi, or a kernel, got {shown(by_hand)}")
    return Comparison(*own, *_checked(found, own[0].shape))


def _checked(found: Any, shape: tuple[int, ...]) -> tuple[Array, Array]:
    if not isinstance(found, (tuple, list)) or len(found) != 2:
        raise ValueError(f"by_hand must return two arrays, lower and upper bounds, got {shown(found)}")
    ends = [np.asarray(rounded_doubles(e, "bounds by hand", end)) for end, e in enumerate(found)]
    ends = [e.reshape(shape) if e.shape == shape[:1] and shape[1] == 1 else e for e in ends]
    if any(e.shape != shape for e in ends):
        raise ValueError(f"bounds by hand must have the shape {shape}, one row a box and one column an expression, got "
                         f"{ends[0].shape} and {ends[1].shape}")
    wrong = np.argwhere(~(ends[0] <= ends[1]))
    if len(wrong):
        i, j = wrong[0]
        raise ValueError(f"bounds by hand of box {i}, expression {j} are [{ends[0][i, j]!s}, {ends[1][i, j]!s}], which is no interval")
    return ends[0], ends[1]


def _wider(lo: Array, hi: Array, other_lo: Array, other_hi: Array) -> Wider:
    """The boxes over which [lo, hi] reaches out: the worst is that of the largest ratio of widths; of equal ones that of the farthest end.
    """
    beyond = (lo < other_lo) | (hi > other_hi)
    if not beyond.any():
        return Wider(0, 0.0, 0, 0, 0)
    ulps = np.maximum(_places(other_lo) - _places(lo), _places(hi) - _places(other_hi))
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        width, other = hi - lo, other_hi - other_lo
        ratio = np.where(np.isinf(width) & ~np.isinf(other), np.inf, np.where(width == other, 1.0, width / other))
    ratio = np.where(beyond, np.nan_to_num(ratio, nan=1.0, posinf=np.inf), -1.0)
    at = np.lexsort((np.where(beyond, ulps, -1).ravel(), ratio.ravel()))[-1]
    i, j = np.unravel_index(at, ratio.shape)
    return Wider(int(beyond.sum()), float(ratio[i, j]), int(ulps[i, j]), int(i), int(j))


def _places(x: Array) -> Any:
    """The places of doubles among all of them, in order."""
    bits = np.ascontiguousarray(x + 0.0).view(np.int64)
    return np.where(bits < 0, np.int64(-2**63) - bits, bits)


def _line(side: str, wider: Wider) -> str:
    if not wider.rows:
        return f"{side} is nowhere wider"
    # A wide interval that is some ulps wider has no ratio to speak of.
    size = f"{wider.ratio:.3g} times" if wider.ratio > 1.0005 and wider.ulps > 16 else f"by {wider.ulps:,} ulps"
    return f"{side} is wider in {wider.rows:,}, at worst {size} at box {wider.box}, expression {wider.expression}"
