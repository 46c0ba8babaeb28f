"""The state with which bodies begin to move in contact: out of each other, and with nothing that moves at contacts where it should not; and
how slips go on.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..contact_solver.forces import ActiveConstraint, ContactDynamics
from ..contact_solver.impact import least_impulses
from .equations import MotionEquations

# Against size, what of a gap may be rounding.
ROUNDING = 1e-14
# A slip that is so much along the direction that it is said to have goes on.
_AHEAD = 0.9


def alongside(kept: Sequence[ActiveConstraint], motion: ContactDynamics, rates: np.ndarray | None = None) -> np.ndarray:
    """(..., k): how fast contacts slip the way they do at the beginning, 1 of those that do not; or what of `rates` (..., k,
    3) is that way.
    """
    found, speeds = np.ones(motion.gaps.shape), motion.speeds if rates is None else rates
    slips = [c for c, k in enumerate(kept) if not (k.slip is None or k.loose or not k.friction)]
    if slips:
        across = (motion.frames[..., slips, 1:, :] @ np.array([kept[c].slip for c in slips])[:, :, None])[..., 0]
        found[..., slips] = (speeds[..., slips, 1:] * across).sum(axis=-1)
    return found


def onward(system: MotionEquations, now: float, courses: Sequence[Any]) -> list[ActiveConstraint] | None:
    """The contacts with the directions in which they slip by now; None where a slip that counts as none grows less."""
    motion = system.look(now, courses)[1]
    rates = motion.free + motion.rows @ system.answer(now, courses).change
    slow = alongside(system.kept, motion) <= [k.still for k in system.kept]
    if (slow & (alongside(system.kept, motion, rates) < 0.0)).any():
        return None
    return [k if k.slip is None or k.loose or np.hypot(*s[1:]) <= k.still else replace(k, slip=axes[1:].T @ (s[1:] / np.hypot(*s[1:])))
            for k, s, axes in zip(system.kept, motion.speeds, motion.frames, strict=True)]


def lifted(system: MotionEquations, now: float, courses: Sequence[Any], size: float) -> np.ndarray | None:
    """(n, 6): the least shifts and turns of the free bodies after which they are no longer in each other at the contacts, and edges that
    lie in planes do just that; None where they are not, except for rounding.
    """
    _, motion, inverse, _ = system.look(now, courses)
    deep, lying = motion.gaps < -ROUNDING * size, np.array([k.link.flats != (None, None) for k in system.kept])
    root = np.linalg.cholesky(inverse)
    normals = motion.rows[:, 0] @ root
    if lying.any():
        return np.asarray(root @ (np.linalg.pinv(normals[lying], rcond=1e-9) @ -motion.gaps[lying])).reshape(-1, 6)
    if not deep.any():
        return None
    found: np.ndarray = (root @ (normals.T @ least_impulses(normals, np.where(deep, -motion.gaps, 0.0)))).reshape(-1, 6)
    return found


def settled(system: MotionEquations, now: float, courses: Sequence[Any]) -> list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Centres, turns of (3,) and velocities and spins of the free bodies with which nothing lies between at the contacts, and nothing moves
    there that should not: the least change of the state, which takes energy at most. A slip that has just begun goes on.
    """
    _, motion, inverse, _ = system.look(now, courses)
    n, slow = 6 * len(system.free), [float(np.hypot(*s[1:])) for s in motion.speeds]
    sticks = [k.friction > 0.0 and s <= k.still and (k.slip is None or along <= _AHEAD * s)
              for k, s, along in zip(system.kept, slow, alongside(system.kept, motion), strict=True)]
    which = np.array([[not k.loose, e and not k.loose, e and not k.loose] for k, e in zip(system.kept, sticks, strict=True)])
    rows, speeds = motion.rows[which], motion.speeds[which]
    root = np.linalg.cholesky(inverse)
    moved = -root @ (np.linalg.pinv(motion.rows[which[:, 0], 0] @ root, rcond=1e-9) @ motion.gaps[which[:, 0]])
    sped = -root @ (np.linalg.pinv(rows @ root, rcond=1e-9) @ speeds)
    found = []
    for k, shift, change in zip(system.free, moved.reshape(-1, 6), sped.reshape(-1, 6), strict=True):
        course = courses[k]
        found.append((course.centre_at(now) + shift[:3], shift[3:], course.velocity_at(now) + change[:3], course.spin_at(now) + change[3:]))
    assert n == len(moved) and math.isfinite(float(np.abs(moved).sum()))
    return found
