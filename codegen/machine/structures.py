"""Typed memory of native loops: what lies where, told once, for the compiler of loops, for NumPy and for the type checker.

A structure is a class whose annotations name its fields:

    class Example(Structure):
        steps: int                                 # a number
        proved: float
        key: Floats = array("room")                # one number each
        pair: Grid[int] = array("room", 2)         # pair[i, side]
        net: Grid[float] = array("room", "n", 3)   # net[i, j, c]
        point: Lanes = array("n", LANES)           # point[j, lane]: one vector a position
        X: Intervals = array("n", 2, LANES)        # X.lo(j, lane)
        best: Box = array("n", 2)                  # best.lo(j)
        box: Boxes = array("room", "n", 2)         # box[i].lo(j)
        cell: Rows[Intervals] = array("room", 3, 2, LANES)  # cell[i].lo(j, lane)
        problem: Table[Problem] = table("problems")  # problem[p].rows, a `Row` with fields of its own
        present: Problem                           # a row of that table: present.rows

A size is a number or has a name; where the loop needs it, the structure has a number of that name. Rows may refer to rows, too. Classes
of records have native methods, so these read alike in Python and in machine code.
"""

import functools
import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, get_args, get_origin

from ..emit.lanes import WIDTH

LANES = WIDTH

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


def native(function: F) -> F:
    """Mark a function as part of native loops; it stays an ordinary Python function."""
    function.__native__ = True  # type: ignore[attr-defined]
    return function


def parallel(count: int) -> range:
    """As `range`, of a loop whose passes are independent: none reads or writes what another one writes."""
    return range(count)


class Array(Protocol[T]):
    """Numbers in a row; where they are in rows of rows, the loop counts through."""

    def __getitem__(self, k: int) -> T: ...

    def __setitem__(self, k: int, value: T) -> None: ...


Floats = Array[float]
Ints = Array[int]


class Grid(Protocol[T]):
    """Numbers in rows of a fixed length, or in rows of rows."""

    def __getitem__(self, k: tuple[int, ...]) -> T: ...

    def __setitem__(self, k: tuple[int, ...], value: T) -> None: ...


class Record:
    """A place in memory with names for what lies there."""


class View(Record):
    """A record of doubles, `at` the first of them."""

    def __init__(self, at: Floats) -> None:
        self.at = at


class LaneArray(View):
    """One vector of `LANES` numbers a position."""

    def __getitem__(self, k: tuple[int, int]) -> float:
        return self.at[k[0] * LANES + k[1]]

    def __setitem__(self, k: tuple[int, int], value: float) -> None:
        self.at[k[0] * LANES + k[1]] = value


class Box(View):
    """An interval a variable."""

    @native
    def lo(self, j: int) -> float:
        return self.at[2 * j]

    @native
    def hi(self, j: int) -> float:
        return self.at[2 * j + 1]

    @native
    def width(self, j: int) -> float:
        return self.at[2 * j + 1] - self.at[2 * j]

    @native
    def middle(self, j: int) -> float:
        return 0.5 * (self.at[2 * j] + self.at[2 * j + 1])

    @native
    def put(self, j: int, lo: float, hi: float) -> None:
        self.at[2 * j] = lo
        self.at[2 * j + 1] = hi

    @native
    def put_lo(self, j: int, lo: float) -> None:
        self.at[2 * j] = lo

    @native
    def put_hi(self, j: int, hi: float) -> None:
        self.at[2 * j + 1] = hi


class Intervals(View):
    """An interval a position and lane, as kernels take them: -lo of all lanes, then hi."""

    @native
    def lo(self, k: int, lane: int) -> float:
        return -self.at[2 * k * LANES + lane]

    @native
    def hi(self, k: int, lane: int) -> float:
        return self.at[(2 * k + 1) * LANES + lane]

    @native
    def width(self, k: int, lane: int) -> float:
        return self.at[(2 * k + 1) * LANES + lane] + self.at[2 * k * LANES + lane]

    @native
    def middle(self, k: int, lane: int) -> float:
        return 0.5 * (self.at[(2 * k + 1) * LANES + lane] - self.at[2 * k * LANES + lane])

    @native
    def inner(self, k: int, lane: int) -> float:
        """The middle, in the interval whatever its rounding."""
        lo, hi = -self.at[2 * k * LANES + lane], self.at[(2 * k + 1) * LANES + lane]
        return min(max(0.5 * (lo + hi), lo), hi)

    @native
    def magnitude(self, k: int, lane: int) -> float:
        return max(abs(self.at[2 * k * LANES + lane]), abs(self.at[(2 * k + 1) * LANES + lane]))

    @native
    def widen(self, k: int, lane: int, by: float) -> None:
        self.at[2 * k * LANES + lane] += by
        self.at[(2 * k + 1) * LANES + lane] += by

    @native
    def put(self, k: int, lane: int, lo: float, hi: float) -> None:
        self.at[2 * k * LANES + lane] = -lo
        self.at[(2 * k + 1) * LANES + lane] = hi


class Row(Record):
    """A row of a table, with fields of its own."""

    def __init__(self, number: int) -> None:
        self._number = number

    @property
    def number(self) -> int:
        return self._number


R = TypeVar("R", bound=Record)


class Rows(Generic[R]):
    """Records one after the other."""

    def __getitem__(self, k: int) -> R:
        raise TypeError("records are read by native code, or from the arrays of their structure")


class Table(Rows[R]):
    """The rows of a table."""


class Boxes(Rows[Box]):
    """Boxes one after the other."""


class Structure:
    """The memory of a loop. `unset`: first sizes of arrays that are written before they are read; `quick`: see `loop_runtime`."""

    unset: tuple[str, ...] = ()
    quick = False


class FieldShape(NamedTuple):
    """Sizes, numbers or names of them."""

    sizes: tuple[int | str, ...]


def array(*sizes: int | str) -> Any:
    """A field that is an array, or a record in one."""
    return FieldShape(sizes)


table = array


class FieldPlace(NamedTuple):
    """A field: its array, the number in it of a scalar (or -1), what it is to the loop, and the shape of its array."""

    array: str
    at: int
    kind: Any
    shape: tuple[int | str, ...]

    @property
    def row(self) -> bool:
        """Whether it is of a class of rows: a table of them, or one of its rows."""
        return isinstance(self.kind, type) and issubclass(self.kind, Row)


class Described(NamedTuple):
    """The arrays of a structure, {name: (int or float, shape)}, in the order of their addresses; and its places, those of rows, too."""

    arrays: dict[str, tuple[type, tuple[int | str, ...]]]
    places: dict[type, dict[str, FieldPlace]]

    @property
    def position(self) -> dict[str, int]:
        return {name: k for k, name in enumerate(self.arrays)}

    def length(self, name: str) -> int:
        """The numbers in a row of the array."""
        return math.prod(size for size in self.arrays[name][1][1:] if isinstance(size, int))


COUNT, REAL = "count", "real"
"""The arrays of numbers, integers and others. The integers of rows are in an array that has the name of their table."""


def _described(structure: type) -> Described:
    """The memory that a structure declares."""
    arrays: dict[str, tuple[type, tuple[int | str, ...]]] = {}
    places: dict[type, dict[str, FieldPlace]] = {}
    own = _places(structure, arrays, (), {int: COUNT, float: REAL})
    for name, place in own.items():
        if place.row and place.at < 0:
            places[place.kind] = _places(place.kind, arrays, place.shape, {int: name})
            places[place.kind]["number"] = FieldPlace("", -1, int, ())
    return Described(arrays, {structure: own, **places})


described: Callable[[type], Described] = functools.cache(_described)


def _places(owner: type, arrays: dict[str, tuple[type, tuple[int | str, ...]]], outer: tuple[int | str, ...],
            packed: Mapping[type, str]) -> dict[str, FieldPlace]:
    """The places of a class, whose arrays are noted in `arrays`. `outer`: the sizes that come first."""
    found, used = {}, dict.fromkeys(packed, 0)
    for name, kind in _annotations(owner).items():
        shape = getattr(owner, name, None)
        number = int if isinstance(kind, type) and issubclass(kind, Row) else kind
        if number in packed:
            found[name] = FieldPlace(packed[number], used[number], kind, ())
            used[number] += 1
        elif isinstance(shape, FieldShape) and outer and kind is Ints and all(isinstance(size, int) for size in shape.sizes):
            found[name] = FieldPlace(packed[int], used[int], kind, ())
            used[int] += math.prod(size for size in shape.sizes if isinstance(size, int))
        elif outer and kind is float:
            found[name] = FieldPlace(name, -1, kind, outer)
            arrays[name] = kind, outer
        elif isinstance(shape, FieldShape):
            item = get_args(kind)[0] if get_origin(kind) is Table else kind
            found[name] = FieldPlace(name, -1, item, (*outer, *shape.sizes))
            if get_origin(kind) is not Table:
                arrays[name] = int if kind in (Ints, Grid[int]) else float, found[name].shape
    for kind, name in packed.items():
        if used[kind]:
            arrays[name] = kind, (*outer, used[kind])
    return found


def _annotations(owner: type) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for cls in reversed(owner.__mro__):
        merged |= inspect.get_annotations(cls)
    return merged
