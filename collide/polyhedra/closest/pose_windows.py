"""Poses of two bodies over windows of time, for `closest`: how long features stay the closest ones."""

import numpy as np

from codegen.machine.loop_runtime import call_block
from generative import Motion

from ..primitives.motion_windows import CONTINUOUS, END, ENTRIES, SANE, START, TABLE, motion_windows

# The longest time that is looked at, and windows shorter than this, or than this part of the time itself, are not.
LONGEST, FINEST = 2.0**40, 2.0**-44
_LANES = 8


class MotionEnclosure:
    """Two motions, enclosed."""

    def __init__(self, motions: tuple[Motion, Motion]) -> None:
        self._windows = motion_windows(*motions)
        self._raw, self._table, self._clock = np.empty((self._windows.raw, _LANES)), np.empty((TABLE, _LANES)), np.empty((6, _LANES))

    def over(self, begin: float, length: float) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper ends (24, 8) of rotations by rows and translations of both, in eight windows of this length. NaN where motions
        are not defined, or jump.
        """
        ends = begin + length * np.arange(_LANES + 1)
        self._clock[:] = -ends[:-1], ends[1:], -ends[:-1], ends[:-1], -ends[1:], ends[1:]
        call_block(self._windows.kernel.block_address(), self._clock, self._raw, self._windows.numbers)
        call_block(self._windows.control, self._clock, self._table, self._raw)
        controls = self._table[:8 * 2 * ENTRIES].reshape(2 * ENTRIES, 4, 2, _LANES)
        low, high = (-controls[:, (START, END), 0]).min(axis=1), controls[:, (START, END), 1].max(axis=1)
        known = (self._table[SANE] > 0.5) & (self._table[CONTINUOUS] > 0.5)
        return np.where(known, low, np.nan), np.where(known, high, np.nan)
