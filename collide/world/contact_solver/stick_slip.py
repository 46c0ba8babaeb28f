"""Contacts that press, and those that stick: Coulomb's law for the accelerations at contacts that do not move apart."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from codegen.deadline import check

from .forces import ActiveConstraint, ContactDynamics, missing, solved
from .gauss_seidel import coulomb

# What counts as nothing, against the largest; and a force at the limit of friction.
_NOTHING, _LIMIT = 1e-10, 1e-6
# What is lacking clearly, against the most; how far a slip that begins may be from its direction, against it, unless it hardly begins;
# and directions that count as one.
_CLEAR, _ASIDE, _BEGUN, _TURNED = 1e-5, 1e-6, 1e-5, 1e-2
# Rounds in which directions of slips are found, and what of them no longer changes.
_TURNS, _TURNED_OFF = 60, 1e-12
# Forces count as possible whose sum is out by no more, against it.
TOLERANCE = 1e-9


def gripped(kept: Sequence[ActiveConstraint], now: ContactDynamics, inverse: np.ndarray, size: np.ndarray,
            quiet: float) -> list[ActiveConstraint] | None:
    """Some contacts as they stay, with or without slip, or are loose; none where nothing acts at them, and None where Coulomb's law has no
    answer that is found. What slips already, does. `quiet`: accelerations that count as none.
    """
    if not len(kept):
        return []
    slow = np.array([bool(k.friction) and np.hypot(*s[1:]) <= k.still for k, s in zip(kept, now.speeds, strict=True)])
    at_first = [replace(k, slip=None if e else _world(axes, s[1:]))
                for k, e, s, axes in zip(kept, slow, now.speeds, now.frames, strict=True)]
    # What counts as no slip has no direction, either.
    speeds = now.speeds.copy()
    speeds[slow, 1:] = 0.0
    now = now._replace(speeds=speeds)
    if np.abs(now.free).max() <= quiet:
        return []
    if (now.free[:, 0] >= -quiet).all():
        return [replace(k, loose=True) for k in at_first]
    found = solved(at_first, now, inverse)
    lack = missing(at_first, now, found.push, size, 0.5 * TOLERANCE)
    if found.fits and lack.none:
        return at_first
    for way in range(3):
        chosen = (_chosen(at_first, now, relaxed(at_first, now, inverse), inverse) if way == 2 else
                  _giving_way(at_first, now, lack.lack, None if way else found.forces))
        # Where others hold a body, it is turned by friction so little that steps that do not overshoot hardly come on.
        for taken in (0.5, 0.0):
            tried = _aligned(chosen, now, inverse, taken)
            if _holds(tried, now, inverse, size):
                return [k or replace(first, loose=True) for k, first in zip(tried, at_first, strict=True)]
    return None


def _giving_way(kept: Sequence[ActiveConstraint], now: ContactDynamics, lack: np.ndarray,
                forces: np.ndarray | None) -> list[ActiveConstraint | None]:
    """The contacts, of which those that just begin to slip, or to part, do so where forces are lacking; None for those that part."""
    sides = np.hypot(lack[:, 1], lack[:, 2])
    least = _CLEAR * np.abs(lack).max()
    found: list[ActiveConstraint | None] = []
    for k, axes, own, side, force in zip(kept, now.frames, lack, sides, -lack if forces is None else forces, strict=True):
        parts = own[0] + k.friction * (side if k.slip is None else -float(own[1:] @ (axes[1:] @ k.slip))) < -least
        # Where the forces that would make it stick have about that direction, theirs is out by less.
        most = float(np.hypot(*force[1:]))
        along = force[1:] if np.hypot(*(force[1:] * side - own[1:] * most)) <= _TURNED * side * most else own[1:]
        found.append(None if parts else replace(k, slip=_world(axes, -along)) if k.slip is None and side > least else k)
    return found


def _begins(k: ActiveConstraint, speed: np.ndarray) -> bool:
    return k.slip is not None and bool(k.friction) and bool(np.hypot(*speed[1:]) <= k.still)


def _aligned(chosen: Sequence[ActiveConstraint | None], now: ContactDynamics, inverse: np.ndarray,
             taken: float) -> list[ActiveConstraint | None]:
    """The contacts with slips that begin in the directions in which they do then, where that is so of some directions; found by rounds, in
    which about what friction takes from a slip, `taken` times the trace of what moves it, or nothing, is added to it again, so as not to
    overshoot.
    """
    found, which = [*chosen], [c for c, k in enumerate(chosen) if k is not None]
    part = now.of(which)
    for _ in range(_TURNS):
        check()
        kept = [k for k in found if k is not None]
        if not any(_begins(k, s) for k, s in zip(kept, part.speeds, strict=True)):
            break
        known, off = solved(kept, part, inverse), 0.0
        rates = part.free + part.rows @ known.change
        for c, k, rate, speed, axes, rows, force in zip(which, kept, rates, part.speeds, part.frames, part.rows, known.forces, strict=True):
            if k.slip is not None and _begins(k, speed):
                along = axes[1:] @ k.slip
                way = rate[1:] + k.friction * max(force[0], 0.0) * taken * float(np.trace(rows[1:] @ inverse @ rows[1:].T)) * along
                off = max(off, float(np.hypot(*(way / max(np.hypot(*way), 1e-300) - along))))
                found[c] = replace(k, slip=_world(axes, way))
        if off <= _TURNED_OFF:
            break
    return found


def _holds(chosen: Sequence[ActiveConstraint | None], now: ContactDynamics, inverse: np.ndarray, size: np.ndarray) -> bool:
    """Whether a choice obeys Coulomb's law: contacts press, within their cones, those that slip do so in their directions, and the others
    part. Every choice that `gripped` returns is tested here; numbers that are not finite fail.
    """
    which = [c for c, k in enumerate(chosen) if k is not None]
    kept, part = [k for k in chosen if k is not None], now.of(which)
    if not kept:
        return bool((now.free[:, 0] >= -_NOTHING * np.abs(now.free).max()).all())
    found = solved(kept, part, inverse)
    if not (found.fits and missing(kept, part, found.push, size, 0.5 * TOLERANCE).none):
        return False
    rates, fast = now.free + now.rows @ found.change, np.abs(now.free).max()
    for k, rate, speed, axes in zip(chosen, rates, now.speeds, now.frames, strict=True):
        if k is None and not rate[0] >= -_NOTHING * fast:
            return False
        if k is not None and k.slip is not None and _begins(k, speed):
            along = axes[1:] @ k.slip
            ahead = float(rate[1:] @ along)
            if ahead < -_BEGUN * fast or np.hypot(*(rate[1:] - ahead * along)) > max(_ASIDE * ahead, _BEGUN * fast):
                return False
    return True


def _chosen(kept: Sequence[ActiveConstraint], now: ContactDynamics, forces: np.ndarray,
            inverse: np.ndarray) -> list[ActiveConstraint | None]:
    """The contacts as they stick, slip or part by the forces that sweeps found."""
    flat = now.rows.reshape(-1, now.rows.shape[2])
    rates = now.free + (flat @ (inverse @ (flat.T @ forces.ravel()))).reshape(-1, 3)
    most, fast = np.abs(forces[:, 0]).max(), np.abs(now.free).max()
    found: list[ActiveConstraint | None] = []
    for k, force, rate, axes in zip(kept, forces, rates, now.frames, strict=True):
        if not most or (force[0] <= _NOTHING * most and rate[0] > _NOTHING * fast):
            found.append(None)
        elif k.slip is None and np.hypot(*rate[1:]) > _NOTHING * fast and np.hypot(*force[1:]) >= k.friction * force[0] * (1.0 - _LIMIT):
            found.append(replace(k, slip=_world(axes, rate[1:])))
        else:
            found.append(k)
    return found


def _world(axes: np.ndarray, across: np.ndarray) -> np.ndarray:
    """A direction across a normal, in the world; any one where there is none."""
    size = float(np.hypot(*across))
    return np.asarray(axes[1] if size == 0.0 else (across / size) @ axes[1:])


def relaxed(kept: Sequence[ActiveConstraint], now: ContactDynamics, inverse: np.ndarray) -> np.ndarray:
    """(k, 3): forces by sweeps over the contacts. A guess of those that press, stick and slip, whatever the sweeps end with: `_holds` tests
    by Coulomb's law what follows from it.
    """
    flat = now.rows.reshape(-1, now.rows.shape[2])
    slips = [None if k.slip is None else axes[1:] @ k.slip for k, axes in zip(kept, now.frames, strict=True)]
    return coulomb(flat @ inverse @ flat.T, now.free.ravel(), [k.friction for k in kept], slips)
