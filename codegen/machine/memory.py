"""The memory of a native loop: one block, cut into the arrays of its structure; arrays that grow get memory of their own."""

import ctypes
import functools
import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, NamedTuple, TypeVar, overload

import numpy as np

from .structures import COUNT, LANES, REAL, Row, Structure, described

T = TypeVar("T", int, float)

# Doubles up to which a memory is filled with zeros here: faster where it is used again than to ask the system for pages.
_LARGE = 1 << 20


class Memory(Mapping[str, np.ndarray]):
    """Arrays by their names, all zero but those that are written before they are read (`Structure.unset`). `address`: where the native loop
    finds the addresses of all of them. `bytes`: of all of them. A copy, also one that is pickled, has a block and addresses of its own.
    """

    def __init__(self, structure: type[Structure], sizes: Mapping[str, int], like: "Memory | None" = None) -> None:
        """`sizes` by the names that the structure gives them; its numbers of these names tell them. `like`: another memory of these sizes,
        none of whose arrays has grown: it begins as that is now, except for the arrays that are written before they are read.
        """
        self._structure, self._sizes, self._foreign = structure, dict(sizes), dict[str, int]()
        self._cuts = _cuts(structure, tuple(sizes.items()))
        # Much memory is zero as the system gives it, page by page where it is touched; to fill it takes half a second a gigabyte.
        fresh = like is None and self._cuts.zero > _LARGE
        self._block = (np.zeros if fresh else np.empty)(self._cuts.size + LANES)
        at = _address(self._block)
        # Arrays begin at multiples of one vector of lanes.
        self._first = -at // 8 % LANES
        self._addresses = self._cuts.begins + (at + 8 * self._first)
        self.address = _address(self._addresses)
        if not fresh:
            self.beginning[:] = 0.0 if like is None else like.beginning
        self._own: dict[str, np.ndarray] = {}
        self.bytes = self._block.nbytes
        self._places = described(structure).places[structure]
        # The arrays of the structure's numbers.
        self.packed = {name: self[name] for name in (COUNT, REAL) if name in self._cuts.arrays}
        if like is None and len(self._cuts.known):
            self.packed[COUNT][self._cuts.known[:, 0]] = self._cuts.known[:, 1]

    def __getitem__(self, name: str) -> np.ndarray:
        found = self._own.get(name)
        if found is None:
            begin, end, shape, kind = self._cuts.arrays[name]
            found = self._own[name] = self._block[begin + self._first:end + self._first].view(kind).reshape(shape)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._cuts.arrays)

    def __len__(self) -> int:
        return len(self._cuts.arrays)

    def number(self, name: str) -> Any:
        """A number of the structure."""
        place = self._places[name]
        return self.packed[place.array].item(place.at)

    def set(self, name: str, value: float) -> None:
        place = self._places[name]
        self.packed[place.array][place.at] = value

    def refer(self, name: str, address: int) -> None:
        """The loop finds this array of the caller's, who keeps it alive, under the name from now on."""
        self._place(name, address)
        self._foreign[name] = address

    def refer_back(self, name: str) -> None:
        """The loop finds the array of this memory again under the name."""
        self._place(name, self[name].ctypes.data)
        del self._foreign[name]

    def _place(self, name: str, address: int) -> None:
        self._addresses[described(self._structure).position[name]] = address

    def table(self, row: type[Row]) -> np.ndarray:
        """The integers of all rows of a table, by their names."""
        name = next(name for name, place in self._places.items() if place.kind is row and place.at < 0)
        return self[name].view(row_type(self._structure, row))[:, 0]

    @property
    def beginning(self) -> np.ndarray:
        """The part of the memory in which all arrays are but those that are written before they are read, and those that have grown."""
        return self._block[self._first:self._first + self._cuts.zero]

    def sized(self, size: str) -> list[str]:
        """The arrays whose first size this is."""
        return [name for name, (_, shape) in described(self._structure).arrays.items() if shape[0] == size]

    def double(self, size: str) -> None:
        """Twice the length of the arrays whose first size this is."""
        for name in self.sized(size):
            self._hold(name, _doubled(self[name]))
        if size in self._places:
            self.set(size, 2 * self.number(size))

    def _hold(self, name: str, array: np.ndarray) -> None:
        """An array in memory of its own in the place of the present one."""
        self.bytes += array.nbytes - self[name].nbytes
        self._own[name] = array
        self._place(name, array.ctypes.data)

    # -- copying ----------------------------------------------------------------------------------------------------

    def copied(self) -> "Memory":
        """Another memory that holds the same now. TypeError where the loop uses arrays of a caller, whose addresses mean nothing there."""
        restored, arguments = self.__reduce__()
        return restored(*arguments)

    def __copy__(self) -> "Memory":
        return self.copied()

    def __deepcopy__(self, memo: Any) -> "Memory":
        return self.copied()

    def __reduce__(self) -> tuple[Callable[..., "Memory"], tuple[Any, ...]]:
        if self._foreign:
            raise TypeError(f"the memory of a loop cannot be copied while it works on arrays of its caller ({', '.join(self._foreign)})")
        return _restored, (self._structure, self._sizes, dict(self))


def _doubled(old: np.ndarray) -> np.ndarray:
    """An array of twice the length, copied piece by piece: Ctrl-C comes in between. What is not used of the new memory is never touched."""
    grown = np.zeros((2 * len(old), *old.shape[1:]), old.dtype)
    piece = max(1, _LARGE * 8 * len(old) // max(old.nbytes, 1))
    for begin in range(0, len(old), piece):
        grown[begin:begin + piece][:len(old) - begin] = old[begin:begin + piece]
    return grown


def _restored(structure: type[Structure], sizes: Mapping[str, int], arrays: Mapping[str, np.ndarray]) -> Memory:
    """A memory with these numbers in its arrays, of which some may have grown."""
    made = Memory(structure, sizes)
    for name, array in arrays.items():
        if array.shape == made[name].shape:
            made[name][...] = array
        else:
            made._hold(name, array.copy())
    return made


class OwnsMemory:
    """An object whose `arrays` are a `Memory`. Each copy of it has a memory of its own. `_look` finds what it keeps of the memory: it is
    called at the end of `__init__`, and when a copy is made.
    """

    arrays: Memory
    _looked: tuple[str, ...] = ()
    """The attributes that `_look` sets."""

    def _look(self) -> None:
        """Set the attributes that are parts of the memory, or depend on where it is."""

    def __getstate__(self) -> dict[str, Any]:
        own = {name: value for name, value in vars(self).items() if name not in self._looked}
        return own | {"arrays": self.arrays.copied()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._look()


def _address(array: Any) -> int:
    """The address of the numbers of a new array (`array.ctypes.data` takes three times as long)."""
    return ctypes.addressof(ctypes.c_byte.from_buffer(array))


class Number(Generic[T]):
    """A number of the structure whose memory an object has in `arrays`, as an attribute of that."""

    def __init__(self, structure: type[Structure], name: str = "") -> None:
        self._places, self._name = described(structure).places[structure], name

    def __set_name__(self, owner: type, name: str) -> None:
        place = self._places[self._name or name]
        self._array, self._at = place.array, place.at

    @overload
    def __get__(self, owner: None, cls: type) -> "Number[T]": ...

    @overload
    def __get__(self, owner: object, cls: type) -> T: ...

    def __get__(self, owner: Any, cls: type) -> Any:
        return self if owner is None else owner.arrays.packed[self._array].item(self._at)

    def __set__(self, owner: Any, value: T) -> None:
        owner.arrays.packed[self._array][self._at] = value


def columns(structure: type, row: type) -> dict[str, int]:
    """The address of the integers of a row."""
    return {name: place.at for name, place in described(structure).places[row].items() if place.at >= 0}


def _row_type(structure: type, row: type) -> np.dtype[Any]:
    """The integers of a row by their names."""
    begins, places = columns(structure, row), described(structure).places[row]
    ends = [*itertools.islice(begins.values(), 1, None), described(structure).length(places[next(iter(begins))].array)]
    return np.dtype([(name, np.int64) if end == begin + 1 else (name, np.int64, (end - begin,))
                     for (name, begin), end in zip(begins.items(), ends, strict=True)])


row_type: Callable[[type, type], np.dtype[Any]] = functools.cache(_row_type)


class _Cuts(NamedTuple):
    """Layout of a block: where each array begins and ends, in numbers, its shape and type; the same beginnings in bytes; the length of the
    part that is zero at first, and of all; of the sizes that are numbers of the structure the places among these, and the values, (n, 2).
    """

    arrays: dict[str, tuple[int, int, tuple[int, ...], type]]
    begins: np.ndarray
    zero: int
    size: int
    known: np.ndarray


def _cut(structure: Any, sizes: tuple[tuple[str, int], ...]) -> _Cuts:
    arrays, known = described(structure).arrays, dict(sizes)
    shapes = {name: tuple(known[size] if isinstance(size, str) else size for size in shape) for name, (_, shape) in arrays.items()}
    names = sorted(arrays, key=lambda name: arrays[name][1][0] in structure.unset)
    lengths = [-math.prod(shapes[name]) // LANES * -LANES for name in names]
    ends = list(itertools.accumulate(lengths))
    begins = dict(zip(names, [0, *ends[:-1]], strict=True))
    zero = min([begins[name] for name in names if arrays[name][1][0] in structure.unset], default=ends[-1])
    found: dict[str, tuple[int, int, tuple[int, ...], type]] = {
        name: (begins[name], begins[name] + math.prod(shapes[name]), shapes[name], np.float64 if kind is float else np.int64)
        for name, (kind, _) in arrays.items()}
    places = described(structure).places[structure]
    told = [(places[name].at, known[name]) for name in known.keys() & places.keys()]
    return _Cuts(found, 8 * np.array([begins[name] for name in arrays]), zero, ends[-1], np.array(told, np.int64).reshape(-1, 2))


_cuts: Callable[[type, tuple[tuple[str, int], ...]], _Cuts] = functools.lru_cache(maxsize=256)(_cut)
