"""Arrays that nobody may write to: something was derived from their numbers, or several values share them.

NumPy's copies and pickles of a read-only array may be written to. So a value that has such arrays freezes those of its copies again.
"""

from typing import Any, TypeVar

import numpy as np

V = TypeVar("V")

_HOLDERS = (np.ndarray, tuple, list)


def frozen(value: V) -> V:
    """The same value, with its arrays read-only: those in tuples and lists, too."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    elif isinstance(value, (tuple, list)):
        for each in value:
            if isinstance(each, _HOLDERS):
                frozen(each)
    return value


class Frozen:
    """A value whose arrays are read-only, and those of its copies, too."""

    def _freeze(self) -> None:
        """To be called once the value is made."""
        frozen(tuple(vars(self).values()))

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._freeze()
