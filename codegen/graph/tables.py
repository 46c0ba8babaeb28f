"""Tables of Taylor polynomials, as they are kept in the file beside this module: see `codegen.emit.elementary.tabled`."""

import functools
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np

FILE = Path(__file__).with_name("tables.npz")
NEITHER = 2
"""`rising` of a table for points."""


class TableLayout(NamedTuple):
    """`first` and `last`: the ends of the table; cells are `linear` of the width 2^-bits, or geometric with `bits` of the mantissa;
    `degree`; `rising` (1) or falling (0), or neither (2): then only boxes of one number have bounds.
    """

    linear: bool
    first: float
    last: float
    bits: int
    degree: int
    rising: int

    @property
    def rows(self) -> int:
        if self.linear:
            return int((self.last - self.first) * 2.0**self.bits) + 1
        return round(math.log2(self.last / self.first)) << self.bits


@functools.cache
def layout(name: str) -> TableLayout:
    linear, first, last, bits, degree, rising = _stored(f"{name}.layout").tolist()
    return TableLayout(bool(linear), first, last, int(bits), int(degree), int(rising))


@functools.cache
def rows(name: str) -> np.ndarray:
    return _stored(name)


@functools.cache
def _stored(key: str) -> np.ndarray:
    with np.load(FILE, allow_pickle=False) as file:
        found: np.ndarray = file[key]
    return found
