"""Coulomb's law at several contacts at once, by sweeps over them (projected Gauss-Seidel): for impulses and velocities, and for forces and
accelerations.
"""

import math
from collections.abc import Sequence

import numpy as np

# Sweeps, and what no longer changes, against the largest force.
_SWEEPS, _SAME = 3000, 1e-14


def coulomb(moves: np.ndarray, rates: np.ndarray, friction: Sequence[float],
            slips: Sequence[np.ndarray | None] | None = None) -> np.ndarray:
    """(k, 3): forces at contacts, each along its normal and two directions across, that change `rates` (3 k,) by `moves` (3 k, 3 k). Normal
    rates become 0 or more, and forces there are 0 where they are more; friction is within its cone, and at its border against what slips.
    `slips`: of contacts that slip already, the direction (2,) of that.
    """
    now, forces = rates.copy(), np.zeros(len(rates))
    for _ in range(_SWEEPS):
        most = 0.0
        for c, mu in enumerate(friction):
            own = slice(3 * c, 3 * c + 3)
            slip = None if slips is None else slips[c]
            wanted = (_stuck(mu, moves[own, own], now[own], forces[own]) if slip is None else
                      _slipping(np.array([1.0, *(-mu * slip)]), moves[own, own], now[own], forces[own]))
            change = wanted - forces[own]
            most = max(most, float(np.abs(change).max()))
            forces[own] = wanted
            now += moves[:, own] @ change
        if most <= _SAME * np.abs(forces).max():
            break
    return np.asarray(forces.reshape(-1, 3))


def _stuck(mu: float, block: np.ndarray, rate: np.ndarray, force: np.ndarray) -> np.ndarray:
    """Along the normal first, then friction within its disc."""
    if not block[0, 0] > 0.0:
        return force
    normal = max(0.0, force[0] - rate[0] / block[0, 0])
    if not mu:
        return np.array([normal, 0.0, 0.0])
    across = rate[1:] + block[1:, 0] * (normal - force[0])
    return np.array([normal, *in_disc(block[1:, 1:], across - block[1:, 1:] @ force[1:], mu * normal)])


def _slipping(column: np.ndarray, block: np.ndarray, rate: np.ndarray, force: np.ndarray) -> np.ndarray:
    moved = float(block[0] @ column)
    return np.asarray((max(0.0, force[0] - rate[0] / moved) if moved > 0.0 else force[0]) * column)


def in_disc(block: np.ndarray, linear: np.ndarray, limit: float) -> np.ndarray:
    """The p, |p| <= limit, with the least p block p / 2 + linear p; `block` (2, 2) is positive."""
    free = -np.linalg.solve(block, linear)
    if np.hypot(*free) <= limit:
        return np.asarray(free)
    if not limit:
        return np.zeros(2)
    moments, axes = np.linalg.eigh(block)
    own = axes.T @ linear
    (a, b), (m, n) = own.tolist(), moments.tolist()
    lo, hi = 0.0, math.hypot(a, b) / limit
    while lo < (middle := (lo + hi) / 2) < hi:
        lo, hi = (middle, hi) if math.hypot(a / (m + middle), b / (n + middle)) > limit else (lo, middle)
    found = -axes @ (own / (moments + hi))
    return np.asarray(found * (limit / np.hypot(*found)))
