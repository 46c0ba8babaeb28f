"""Where the bodies of a world are, and how they move, at a time."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class State:
    """Of n bodies at a time: `positions` (n, 3) of the origins of their shapes and `quaternions` (n, 4), [w, x, y, z] of length 1, which
    place these; `velocities` (n, 3) of their centres of mass (of driven bodies, of their origins), and `spins` (n, 3), in the world.
    """

    time: float
    positions: np.ndarray
    quaternions: np.ndarray
    velocities: np.ndarray
    spins: np.ndarray
