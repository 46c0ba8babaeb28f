"""Common parts of bodies, motions and curves: immutable values, equal if they are made of the same things."""

import html
from functools import cached_property, singledispatch
from typing import Any


@singledispatch
def card(value: Any) -> str:
    """The rich display of a value in a notebook, as HTML: its text, and the picture that `thumbnail` draws of its kind."""
    return f"<code>{html.escape(repr(value))}</code>"


class Value:
    """A base class. Two values of one kind are equal, and have equal hashes, if their `_key()` is equal."""

    def _key(self) -> tuple[Any, ...]:
        """The parts that the value is made of. A class that defines this anew is a kind of its own."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Value) or type(self)._key is not type(other)._key:
            return NotImplemented
        return self is other or self._key() == other._key()

    def __hash__(self) -> int:
        return self._hash

    def _repr_html_(self) -> str:
        return card(self)

    @cached_property
    def _hash(self) -> int:
        return hash(self._key())

    def __getstate__(self) -> dict[str, Any]:
        """Without the hash, which another process computes from other hashes of names."""
        return {name: value for name, value in self.__dict__.items() if name != "_hash"}
