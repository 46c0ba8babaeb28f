"""Coulomb's law at several contacts at once, by sweeps over them (projected Gauss-Seidel): for impulses and velocities, and for forces and
accelerations.
"""

from collections.abc import Sequence

import numpy as np

from codegen.deadline import check
from codegen.machine.loop_runtime import compiled
from codegen.machine.memory import Memory

from . import gauss_seidel_loop
from .gauss_seidel_loop import RUBS, SLIPS, STICKS, SweepsMemory

# Sweeps, and what no longer changes, against the largest force.
_SWEEPS, _SAME = 3000, 1e-14
# Products in the sweeps between two looks at the clock. Effort only.
_WORK = 20_000_000


def coulomb(moves: np.ndarray, rates: np.ndarray, friction: Sequence[float],
            slips: Sequence[np.ndarray | None] | None = None, sweeps: int = _SWEEPS, same: float = _SAME) -> np.ndarray:
    """(k, 3): forces at contacts, each along its normal and two directions across, that change `rates` (3 k,) by `moves` (3 k, 3 k). Normal
    rates become 0 or more, and forces there are 0 where they are more; friction is within its cone, and at its border against what slips.
    `slips`: of contacts that slip already, the direction (2,) of that. At most so many `sweeps`, until
    forces change by less than `same` of the largest.
    """
    memory = _memory(moves, rates)
    memory["friction"][:] = friction
    for c, slip in enumerate(slips or ()):
        if slip is not None:
            memory["kind"][c], memory["column"][c] = SLIPS, [1.0, *(-friction[c] * slip)]
    return _swept(memory, sweeps, same)


def rubbed(moves: np.ndarray, rates: np.ndarray, limits: np.ndarray, done: np.ndarray, sweeps: int, same: float) -> np.ndarray:
    """(k, 2): forces across normals, of sizes of these `limits` (k,) at most, that take most energy; of `done` (k, 2), which acts already
    and which they take the place of.
    """
    memory = _memory(moves, rates)
    memory["kind"][:], memory["limit"][:] = RUBS, limits
    memory["force"].reshape(-1, 3)[:, 1:] = done
    return _swept(memory, sweeps, same)[:, 1:]


def _memory(moves: np.ndarray, rates: np.ndarray) -> Memory:
    memory = Memory(SweepsMemory, {"contacts": len(rates) // 3, "rows": len(rates)})
    memory["kind"][:], memory["moves"][:], memory["rates"][:] = STICKS, moves, rates
    return memory


def _swept(memory: Memory, sweeps: int, same: float) -> np.ndarray:
    memory.set("same", same)
    for done in range(0, sweeps, at_once := max(1, _WORK // max(1, memory["moves"].size))):
        memory.set("sweeps", min(at_once, sweeps - done))
        if compiled(gauss_seidel_loop.sweep)(memory.address):
            break
        check()
    return np.array(memory["force"].reshape(-1, 3))
