"""Dictionaries that know how to be again what they were: a copy at each step of a run would cost what all its bodies are, not a few."""

from typing import Any, Protocol, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Noted(Protocol):
    """An object that notes how it changes."""

    def mark(self) -> None:
        """Note changes from now on."""

    def undo(self) -> None:
        """Restore the state of the last mark."""


class Undoable(dict[K, V]):
    """A dictionary whose items are set, deleted and popped one by one."""

    def __init__(self) -> None:
        super().__init__()
        self._before: list[tuple[K, bool, Any]] = []

    def mark(self) -> None:
        """Note changes from now on."""
        self._before.clear()

    def undo(self) -> None:
        """Restore the state of the last mark."""
        for key, there, value in reversed(self._before):
            if there:
                super().__setitem__(key, value)
            else:
                super().pop(key, None)
        self._before.clear()

    def __setitem__(self, key: K, value: V) -> None:
        self._before.append((key, key in self, self.get(key)))
        super().__setitem__(key, value)

    def __delitem__(self, key: K) -> None:
        self._before.append((key, True, self[key]))
        super().__delitem__(key)

    def pop(self, key: K, default: Any = None) -> Any:
        if key not in self:
            return default
        found = self[key]
        del self[key]
        return found
