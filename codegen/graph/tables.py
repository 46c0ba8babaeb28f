"""Tables of Taylor polynomials, as they are kept in the file beside this module: see `codegen.emit.elementary.tabled`."""

import functools
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np

FILE = Path(__file__).with_name("tables.npz")


class Layout(NamedTuple):
    """`first` and `last`: the ends of the table; cells are `linear` of the width 2^-bits, or geometric with `bits` of the mantissa;
    `degree`; `rising` or falling.
    """

    linear: bool
    first: float
    last: float
    bits: int
    degree: int
    rising: bool

    @property
    def rows(self) -> int:
        if self.linear:
            return int((self.last - self.first) * 2.0**self.bits) + 1
        return round(math.log2(self.last / self.first)) << self.bits


@functools.cache
def layout(name: str) -> Layout:
    linear, first, last, bits, degree, rising = _stored(f"{name}.layout").tolist()
    return Layout(bool(linear), first, last, int(bits), int(degree), bool(rising))


@functools.cache
def rows(name: str) -> np.ndarray:
    return _stored(name)


@functools.cache
def _stored(key: str) -> np.ndarray:
    with np.load(FILE, allow_pickle=False) as file:
        found: np.ndarray = file[key]
    return found
