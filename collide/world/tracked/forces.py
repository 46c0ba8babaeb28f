"""Forces at contacts that are kept, and the accelerations of bodies under them.

A contact that sticks keeps the speeds of its two bodies there the same; at one that slips only those along the normal are, and friction
acts against the slip. That is one linear system for the forces at all contacts; where they are more than needed, their sum is determined.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..impact import frame
from ..rotation import cross
from .contact import Place
from .manifold import Link

# Against the largest: what counts as nothing, in the rank of a system and in what is left of its right-hand side.
_RANK, _LEFT = 1e-11, 1e-8
# Directions of friction that are tried at first, and rounds in which better ones are added.
_CONE, _ROUNDS = 8, 60
# A direction is better that takes so much of what is left; and a slip has turned by more than this, against what is none.
_GAINED, _ASIDE = 1e-9, 1e-3


@dataclass(frozen=True, eq=False)
class Kept:
    """A contact with its `friction`, which sticks; or slips, if `slip`, the direction of that in the world (3,), is given. `still`: slower
    than that it has no slip.
    """

    link: Link
    friction: float
    slip: np.ndarray | None
    still: float
    loose: bool = False


class Motion(NamedTuple):
    """Of k contacts between bodies of which n are free, in the frames of the contacts, normals first: `frames` (k, 3, 3), `rows` (k, 3,
    6 n), the velocities `speeds` of the first bodies against the second (k, 3), their accelerations `free` (k, 3) as they are without
    forces at the contacts, `gaps` (k,) and `points` (k, 3).
    """

    frames: np.ndarray
    rows: np.ndarray
    speeds: np.ndarray
    free: np.ndarray
    gaps: np.ndarray
    points: np.ndarray


def motion(links: Sequence[Link], places: dict[int, Place], rates: dict[int, np.ndarray], row: dict[int, int]) -> Motion:
    """`rates` (6,): accelerations of the bodies without any contacts; `row`: the numbers of those that are free."""
    k, n = len(links), len(row)
    frames, rows, speeds, free = np.empty((k, 3, 3)), np.zeros((k, 3, 6 * n)), np.empty((k, 3)), np.empty((k, 3))
    gaps, points = np.empty(k), np.empty((k, 3))
    for c, link in enumerate(links):
        course = link.contact.course(*(places[b] for b in link.pair))
        axes = frames[c] = frame(course.normal)
        gaps[c], points[c] = course.gap, course.point
        speed, change = np.zeros(3), np.zeros(3)
        for b, sign in zip(link.pair, (1.0, -1.0), strict=True):
            place, rate = places[b], rates[b]
            arm = course.point - place.centre
            speed += sign * (place.velocity + cross(place.spin, arm))
            change += sign * (rate[:3] + cross(rate[3:], arm) + cross(place.spin, course.moving - place.velocity))
            if b in row:
                at = 6 * row[b]
                rows[c, :, at:at + 3] = sign * axes
                rows[c, :, at + 3:at + 6] = sign * _crosses(arm, axes)
        speeds[c], free[c] = axes @ speed, axes @ change
        free[c, 0] += course.turning @ speed
    return Motion(frames, rows, speeds, free, gaps, points)


def _crosses(arm: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """The products of a vector and three more, rows."""
    (a, b, c) = arm.tolist()
    return axes @ np.array([[0.0, c, -b], [-c, 0.0, a], [b, -a, 0.0]])


def directions(kept: Sequence[Kept], now: Motion) -> list[np.ndarray | None]:
    """Of each contact that slips, the direction in its frame (2,) against which friction acts; None of those that stick."""
    found: list[np.ndarray | None] = []
    for k, axes, speed in zip(kept, now.frames, now.speeds, strict=True):
        if k.slip is None or k.loose:
            found.append(None)
            continue
        along = axes[1:] @ k.slip
        along = along / max(float(np.hypot(*along)), 1e-300)
        ahead = float(speed[1:] @ along)
        turned = ahead > k.still and float(np.hypot(*(speed[1:] - ahead * along))) > _ASIDE * k.still
        found.append(speed[1:] / np.hypot(*speed[1:]) if turned else along)
    return found


class Solved(NamedTuple):
    """`forces` (k, 3) at the contacts, in their frames, and what they do to the bodies, (6 n,) `push` and accelerations `change`; `fits`:
    the conditions of the contacts are met.
    """

    forces: np.ndarray
    push: np.ndarray
    change: np.ndarray
    fits: bool


def solved(kept: Sequence[Kept], now: Motion, inverse: np.ndarray) -> Solved:
    """`inverse` (6 n, 6 n): of the masses and inertias."""
    flat = now.rows.reshape(-1, now.rows.shape[2])
    columns, which, identity = [], [], np.eye(3 * len(kept))
    for c, (k, along) in enumerate(zip(kept, directions(kept, now), strict=True)):
        own = [] if k.loose else [3 * c, 3 * c + 1, 3 * c + 2]
        columns += [*identity[own]] if along is None or k.loose else [np.array([1.0, *(-k.friction * along)]) @ identity[own]]
        which += own if along is None else own[:1]
    if not columns:
        return Solved(np.zeros((len(kept), 3)), np.zeros(len(inverse)), np.zeros(len(inverse)), True)
    spread = np.array(columns)
    moves = flat @ inverse @ flat.T
    system = moves[which] @ spread.T
    wanted = -now.free.ravel()[which]
    found = np.linalg.lstsq(system, wanted, rcond=_RANK)[0]
    forces = spread.T @ found
    push = flat.T @ forces
    left = np.abs(system @ found - wanted).max()
    return Solved(forces.reshape(-1, 3), push, inverse @ push, bool(left <= _LEFT * max(np.abs(wanted).max(), 1e-300)))


class Missing(NamedTuple):
    """`none`: contacts can give what is wanted of them; else, at each contact, what they lack: (k, 3) in their frames, which no force
    within their cones has a part along (Farkas' lemma), so that this is how the bodies give way there, turned round.
    """

    none: bool
    lack: np.ndarray


def missing(kept: Sequence[Kept], now: Motion, push: np.ndarray, size: np.ndarray, tolerance: float) -> Missing:
    """Are there forces that press at all contacts, within their cones of friction, whose sum is `push` (6 n,)? `size` (6 n,): what its
    entries are measured against, `tolerance` of the greatest.
    """
    from scipy.optimize import nnls

    along, wanted, rows = directions(kept, now), push / size, now.rows / size
    scale, nothing = float(np.linalg.norm(wanted)), np.zeros((len(kept), 3))
    if not scale:
        return Missing(True, nothing)
    cones = [(c, k.friction) for c, k in enumerate(kept) if along[c] is None and not k.loose]
    columns = [rows[c, 0] - k.friction * d @ rows[c, 1:] for c, (k, d) in enumerate(zip(kept, along, strict=True)) if d is not None]
    for angle in 2.0 * np.pi * np.arange(_CONE) / _CONE:
        columns += [rows[c, 0] + mu * (np.array([np.cos(angle), np.sin(angle)]) @ rows[c, 1:]) for c, mu in cones]
    for _ in range(_ROUNDS):
        system = np.array(columns).T
        found, left = nnls(system, wanted)
        if left <= tolerance * scale:
            return Missing(True, nothing)
        lack = rows @ (wanted - system @ found)
        sides = np.hypot(lack[:, 1], lack[:, 2])
        better = [rows[c, 0] + mu * (lack[c, 1:] / sides[c]) @ rows[c, 1:] for c, mu in cones
                  if sides[c] > 0.0 and lack[c, 0] + mu * sides[c] > _GAINED * left]
        if not better:
            return Missing(False, lack / left)
        columns += better
    return Missing(False, lack / left)
