"""The memory of a search: one block, cut into the arrays of `layout.FIELDS`; arrays that grow get memory of their own."""

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from codegen.machine import loop_runtime

from . import layout
from .layout import FIELDS, LANES

BOXES, NODES, SOLUTIONS = 1 << 12, 1 << 12, 256
"""What there is room for at the beginning."""
PER_BOX = ("box", "key", "child", "sibling", "free", "plan", "horizon", "pair")
PER_NODE = ("record", "rectangle", "halves")
PER_SOLUTION = ("found", "region", "place", "kind", "owner", "dimension")

# Arrays begin at multiples of so many numbers of 8 bytes, one vector of lanes.
_ALIGNED = 8
_UNUSED = np.arange(BOXES - 1, -1, -1)


_FIELDS = tuple(FIELDS.items())


def compiled(entry: Callable[..., Any], integers: int) -> Callable[..., int]:
    """A loop over the memory of a search as native code."""
    return loop_runtime.compiled(entry, integers, _FIELDS, quick=True)


class Memory(Mapping[str, np.ndarray]):
    """Arrays by their names, all zero but those of boxes and nodes, which are written before they are read. `address`: where the native
    loop finds the addresses of all of them.
    """

    def __init__(self, n: int, problems: int, rows: int, values: int, bounds: int, record: int, shown: int, limits: int) -> None:
        """n: the largest number of variables; `rows` of equations and conditions, `values` of a kernel for points, `bounds` of one for
        time bounds, `record` the length of a polynomial model, `shown` of what `net_kernel` makes of one, `limits` of inequalities.
        """
        self.record = record
        self._cuts = _cuts(n, problems, rows, values, bounds, record, shown, limits)
        self._block = np.empty(self._cuts.size + _ALIGNED)
        at = self._block.ctypes.data
        self._first = -at // 8 % _ALIGNED
        self._addresses = self._cuts.begins + (at + 8 * self._first)
        self.address = self._addresses.ctypes.data
        self._block[:self._first + self._cuts.zero] = 0.0
        self._own: dict[str, np.ndarray] = {}
        self["free"][:] = _UNUSED

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._own:
            begin, shape = self._cuts.arrays[name]
            begin += self._first
            flat = self._block[begin:begin + math.prod(shape)]
            self._own[name] = flat.view(np.float64 if FIELDS[name] is float else np.int64).reshape(shape)
        return self._own[name]

    def __iter__(self) -> Iterator[str]:
        return iter(FIELDS)

    def __len__(self) -> int:
        return len(FIELDS)

    @property
    def bytes(self) -> int:
        return sum(a.nbytes for a in self.values())

    def double(self, names: Sequence[str]) -> None:
        """Twice the length of these arrays."""
        for name in names:
            old = self[name]
            # What is not used of the new memory is never touched.
            self._own[name] = np.zeros((2 * len(old), *old.shape[1:]), old.dtype)
            self._own[name][:len(old)] = old
            self._addresses[_NUMBER[name]] = self._own[name].ctypes.data


_NUMBER = {name: k for k, name in enumerate(FIELDS)}


class _Cuts(NamedTuple):
    """Where each array begins in a block, in numbers, and its shape; the same beginnings in bytes; the length of the part that is zero at
    first, and of all.
    """

    arrays: dict[str, tuple[int, tuple[int, ...]]]
    begins: np.ndarray
    zero: int
    size: int


@functools.lru_cache(maxsize=256)
def _cuts(n: int, problems: int, rows: int, values: int, bounds: int, record: int, shown: int, limits: int) -> _Cuts:
    shapes = _shapes(n, problems, rows, values, bounds, record, shown, limits)
    last = {*PER_BOX, *PER_NODE}
    names = sorted(FIELDS, key=lambda name: name in last)
    lengths = [-math.prod(shapes[name]) // _ALIGNED * -_ALIGNED for name in names]
    ends = list(itertools.accumulate(lengths))
    begins = dict(zip(names, [0, *ends[:-1]], strict=True))
    zero = min(begins[name] for name in last)
    return _Cuts({name: (begins[name], shapes[name]) for name in FIELDS}, 8 * np.array([begins[name] for name in FIELDS]), zero, ends[-1])


def _shapes(n: int, problems: int, m: int, values: int, bounds: int, record: int, shown: int, limits: int) -> dict[str, tuple[int, ...]]:
    per_problem = {"table": (layout.COLUMNS,), "domain": (n, 2), "inner": (n, 2), "border": (n, 2), "period": (n,), "polar": (n, 2),
                   "normal": (3,), "space": (), "steepest": (m,)}
    per_box = dict.fromkeys(PER_BOX, ()) | {"box": (n, 2), "pair": (2,)}
    per_node = {"record": (record,), "rectangle": (2, 2), "halves": ()}
    per_solution = dict.fromkeys(PER_SOLUTION, ()) | {"found": (n, 2), "region": (n, 2), "place": (3, 2)}
    blocks = {"X": (n, 2), "C": (n,), "F": (m + 1, 2), "V": (m + 1, 2), "M": (m, n, 2), "K": (n, 2), "Q": (n, 2), "hull": (n, 2),
              "level": (limits, 2), "slopes": (limits, n, 2),
              "G": (m, m, 2), "flag": (), "image": (6, 2), "point": (n,), "value": (values,), "steps": (2 * n + 1,),
              "multiplier": (m,), "unheld": (n,), "damping": (), "unit": (n + m,), "reach": (),
              "Z": (2 * n, 2), "T": (bounds, 2), "U": (bounds, 2), "g": (record, 2), "S": (6, 2), "W": (2, 2),
              "A": (record,), "B": (record,), "made": (record,), "shown": (shown,), "other": (shown,),
              "N": (m,), "out": (n + 1,)}
    rest = {"count": (layout.COUNTS,), "real": (layout.REALS,), "before": (LANES, n, 2), "hold": (LANES, n, 2),
            "action": (LANES,), "beside": (LANES,), "final": (LANES,), "idle": (LANES,), "trial": (LANES,), "until": (LANES,),
            "reached": (LANES, n),
            "both": (LANES, 2), "parents": (LANES, 2), "fresh": (LANES,), "begins": (LANES,),
            "asked": (LANES,), "repeat": (LANES,), "later": (LANES,),
            "small": (max(m, n), n), "step": (n,), "gradient": (n,), "best": (n, 2), "centre": (n,), "tight": (n, 2), "wide": (n, 2),
            "near": (3, 2), "pick": (max(m, n),), "bound": (n,),
            "base": (n,), "along": (2, n), "heading": (2, 3), "spot": (3,), "aim": (LANES, 2), "pace": (LANES,), "goal": (LANES,)}
    repeated = ((per_problem, problems), (per_box, BOXES), (per_node, NODES), (per_solution, SOLUTIONS))
    shapes = {name: (count, *shape) for group, count in repeated for name, shape in group.items()}
    return shapes | {name: (*shape, LANES) for name, shape in blocks.items()} | rest
