"""Caches of results, bounded in bytes.

Problems and programs take much, so a `Bounded` keeps each kind of them, and forgets those that were used least recently. Parts and small
results are kept in caches with room for thousands of bodies (`functools.lru_cache`). Some bodies take a hundred bytes there and others
megabytes, so these caches are bounded together. Where Python's objects have grown by much, all of them are emptied before the next
question. That question then costs as much as a first one about its bodies, except for problems and machine code. Results of
`functools.cache` stay, and so does all that anybody holds. To forget changes the cost of an answer.
"""

import contextlib
import functools
import math
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

# Bytes by which Python's objects may grow meanwhile; bytes that an object takes on average; and seconds from one look to the next.
GROWTH, _BLOCK, _PAUSE = 64 << 20, 90, 1.0
_PACKAGES = ("codegen", "generative", "collide")
_lock = threading.Lock()

Value = TypeVar("Value")


class Bounded(Generic[Value]):
    """Values by their keys, which take at most so many bytes together. Those that were asked for least recently go first; the newest stays,
    whatever its size. A value may grow: its `size`, an estimate, is taken anew each time it is asked for.
    """

    def __init__(self, most: int, size: Callable[[Value], int]) -> None:
        self.most, self.bytes, self._size = most, 0, size
        self._kept: OrderedDict[Any, tuple[Value, int]] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def __contains__(self, key: Any) -> bool:
        return key in self._kept

    def __getitem__(self, key: Any) -> Value:
        value, before = self._kept[key]
        if self._size(value) != before:
            self[key] = value
            return value
        # Another thread may let it go meanwhile.
        with contextlib.suppress(KeyError):
            self._kept.move_to_end(key)
        return value

    def __setitem__(self, key: Any, value: Value) -> None:
        size = self._size(value)
        # Released without the lock: what goes may run code of its own.
        gone = []
        with self._lock:
            before = self._kept.pop(key, None)
            gone.append(before)
            self.bytes += size - (0 if before is None else before[1])
            self._kept[key] = value, size
            while self.bytes > self.most and len(self._kept) > 1:
                _, old = self._kept.popitem(last=False)
                gone.append(old)
                self.bytes -= old[1]

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            gone, self._kept, self.bytes = self._kept, OrderedDict(), 0
        gone.clear()

    def cached(self, function: Callable[..., Value]) -> "Cached[Value]":
        """The function with its results kept here, beside those of others."""
        return Cached(self, function)


_bounded: set[Bounded[Any]] = set()
"""Those that keep results of functions."""


class _Key(list[Any]):
    """Arguments that are hashed once."""

    __slots__ = ("_hash",)

    def __init__(self, arguments: tuple[Any, ...]) -> None:
        super().__init__(arguments)
        self._hash = hash(arguments)

    def __hash__(self) -> int:  # type: ignore[override]
        return self._hash


class Cached(Generic[Value]):
    """A function whose results a `Bounded` keeps."""

    def __init__(self, kept: Bounded[Value], function: Callable[..., Value]) -> None:
        _bounded.add(kept)
        self._bounded, self.__wrapped__ = kept, function
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **options: Any) -> Value:
        key = _Key((self.__wrapped__, args, *options.items()))
        try:
            return self._bounded[key]
        except KeyError:
            value = self._bounded[key] = self.__wrapped__(*args, **options)
            return value

    def cache_clear(self) -> None:
        """Forget all that is kept there."""
        self._bounded.clear()


class Working:
    """Within it nothing is forgotten: what is worked with may be told apart by identity."""

    count = 0

    def __enter__(self) -> None:
        with _lock:
            Working.count += 1

    def __exit__(self, *error: object) -> None:
        with _lock:
            Working.count -= 1


class _Size:
    """Bytes that were taken after the caches were last emptied, or fewer since; and when that was last looked at."""

    least, looked = 0, -math.inf


def forget_if_much() -> None:
    """Before a question: the caches are emptied if what they hold has grown by much, and no thread is at work."""
    now = time.monotonic()
    if now < _Size.looked + _PAUSE:
        return
    _Size.looked, size = now, _taken()
    _Size.least = min(_Size.least or size, size)
    if size <= _Size.least + GROWTH:
        return
    with _lock:
        if Working.count:
            return
        forget(bounded=False)
    _Size.least = _taken()


def forget(bounded: bool = True) -> None:
    """Empties the caches of all functions of this project that hold a limited number of values, and those that are `bounded` in bytes.
    Python's collector is not called for the rest: that would take ten times as long.
    """
    for function in tuple(_caches()):
        if bounded or not isinstance(function, Cached):
            function.cache_clear()


def _caches() -> Iterator[Any]:
    for name, module in tuple(sys.modules.items()):
        if name.partition(".")[0] in _PACKAGES:
            for value in tuple(vars(module).values()):
                limited = isinstance(value, functools._lru_cache_wrapper) and value.cache_info().maxsize is not None
                if limited or isinstance(value, Cached):
                    yield value


def _taken() -> int:
    """About so many bytes of Python's objects, other than those in caches that are bounded in bytes. The memory of the process would not
    tell: it need not shrink where objects are given free.
    """
    return _BLOCK * sys.getallocatedblocks() - sum(bounded.bytes for bounded in tuple(_bounded))
