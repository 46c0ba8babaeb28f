"""Forces at contacts that are kept, and the accelerations of bodies under them.

A contact that sticks keeps the speeds of its two bodies there the same; at one that slips only those along the normal are, and friction
acts against the slip. That is one linear system for the forces at all contacts. Where they are more than needed, as at four corners of a
block, those with the least sum of squares are taken: what they do together is determined where all stick, and a choice where some slip.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from codegen.deadline import check

from ..contact.closed_forms import ContactState, OnFace
from ..contact.manifold import ContactConstraint
from ..motion.rotation import crosses, frames
from ..motion.state import BodyState

# Against the largest: what counts as nothing, in the rank of a system and in what is left of its right-hand side.
_RANK, _LEFT = 1e-11, 1e-8
# Directions of friction that are tried at first, and rounds in which better ones are added.
_CONE, _ROUNDS = 8, 60
# A direction is better that takes so much of what is left.
_GAINED = 1e-9


@dataclass(frozen=True, eq=False)
class ActiveConstraint:
    """A contact with its `friction`, which sticks; or slips, if `slip`, the direction of that in the world (3,), is given. `still`: slower
    than that it has no slip. One that is `loose` may part; if it `rises`,
    so little that it is at its end as soon as it does not.
    """

    link: ContactConstraint
    friction: float
    slip: np.ndarray | None
    still: float
    loose: bool = False
    rises: bool = False


class ContactDynamics(NamedTuple):
    """Dynamics of k contacts between bodies of which n are free, in the frames of the contacts, normals first: `frames` (k, 3, 3), `rows`
    (k, 3, 6 n), the velocities `speeds` of the first bodies against the second (k, 3), their accelerations `free` (k, 3) as they are
    without forces at the contacts, `gaps` (k,) and `points` (k, 3). Or at m times, with m as the first axis of each.
    """

    frames: np.ndarray
    rows: np.ndarray
    speeds: np.ndarray
    free: np.ndarray
    gaps: np.ndarray
    points: np.ndarray

    def of(self, which: Any) -> "ContactDynamics":
        """Some of the first axis: of times, or of contacts."""
        return ContactDynamics(*(e[which] for e in self))


def motion(links: Sequence[ContactConstraint], places: dict[int, BodyState], rates: dict[int, np.ndarray], row: dict[int, int],
           m: int) -> ContactDynamics:
    """The dynamics of contacts at m times. `rates` (m, 6): accelerations of the bodies without any contacts; `row`: the numbers of those
    that are free.
    """
    k, n, plan = len(links), len(row), _plan(tuple(links))
    if not k:
        return ContactDynamics(*(np.empty((m, 0, *rest)) for rest in ((3, 3), (3, 6 * n), (3,), (3,), (), (3,))))
    course = _courses(plan, places, k)
    axes = frames(course.normal.reshape(-1, 3)).reshape(m, k, 3, 3)
    # Both bodies of each contact: (m, 2, k, ...).
    own = np.stack([np.concatenate([places[b].centre, places[b].velocity, places[b].spin, rates[b]], axis=1) for b in plan.bodies],
                   axis=1)[:, plan.sides]
    centre, velocity, spin, speeding, spinning = (own[..., e:e + 3] for e in range(0, 15, 3))
    arm = course.point[:, None] - centre
    speeds = velocity + crosses(spin, arm)
    changes = speeding + crosses(spinning, arm) + crosses(spin, course.moving[:, None] - velocity)
    arms, rows = crosses(arm[..., None, :], axes[:, None]), np.zeros((m, k, 3, 6 * n))
    for side, sign in ((0, 1.0), (1, -1.0)):
        for b, at in row.items():
            which = plan.of.get((side, b), ())
            if len(which):
                rows[:, which, :, 6 * at:6 * at + 3] = sign * axes[:, which]
                rows[:, which, :, 6 * at + 3:6 * at + 6] = sign * arms[:, side, which]
    speed, change = speeds[:, 0] - speeds[:, 1], changes[:, 0] - changes[:, 1]
    free = (axes @ change[..., None])[..., 0]
    free[..., 0] += (course.turning * speed).sum(axis=-1)
    return ContactDynamics(axes, rows, (axes @ speed[..., None])[..., 0], free, course.gap, course.point)


class _Plan(NamedTuple):
    """Plan of k contacts: the bodies, the numbers (2, k) of both among these, the contacts on each `side` of each body; and contacts that
    are found at once, with the points of corners of a body on one face.
    """

    bodies: list[int]
    sides: np.ndarray
    of: dict[tuple[int, int], np.ndarray]
    groups: list[tuple[list[int], ContactConstraint, np.ndarray | None]]


@functools.lru_cache(maxsize=256)
def _plan(links: tuple[ContactConstraint, ...]) -> _Plan:
    bodies, done = sorted({b for link in links for b in link.pair}), set[int]()
    groups = list[tuple[list[int], ContactConstraint, np.ndarray | None]]()
    for c, link in enumerate(links):
        contact = link.contact
        if c not in done and isinstance(contact, OnFace):
            points = {n: e.contact.point for n, e in enumerate(links) if isinstance(e.contact, OnFace) and e.pair == link.pair
                      and e.contact.face is contact.face and e.contact.radius == contact.radius}
            groups.append(([*points], link, np.array(list(points.values()))))
        elif c not in done:
            groups.append(([c], link, None))
        done.update(groups[-1][0])
    sides = np.array([[bodies.index(link.pair[side]) for link in links] for side in (0, 1)], int).reshape(2, -1)
    of = {(side, b): np.flatnonzero(sides[side] == n) for side in (0, 1) for n, b in enumerate(bodies)}
    return _Plan(bodies, sides, of, groups)


def _courses(plan: _Plan, places: dict[int, BodyState], k: int) -> ContactState:
    """The courses of k contacts at m times: (m, k) and (m, k, 3)."""
    each = []
    for _, link, points in plan.groups:
        contact, (one, other) = link.contact, (places[b] for b in link.pair)
        if points is not None:
            assert isinstance(contact, OnFace)
            each.append(contact.courses(points, one, other))
        else:
            each.append(ContactState(*(e[:, None] for e in contact.course(one, other))))
    if len(each) == 1:
        return each[0]
    order = np.argsort([c for which, *_ in plan.groups for c in which])
    return ContactState(*(np.concatenate(e, axis=1)[:, order] for e in zip(*each, strict=True)))


def directions(kept: Sequence[ActiveConstraint], now: ContactDynamics) -> list[np.ndarray | None]:
    """The direction against which friction acts at each contact that slips, in its frame (..., 2); None of those that stick. A slip that
    comes to its end, or has just begun, has the direction that it is said to have, so that the forces change smoothly there.
    """
    slips, found = _slips(kept), list[np.ndarray | None]([None] * len(kept))
    if slips:
        ways = _ways(kept, slips, now)[0]
        for n, c in enumerate(slips):
            found[c] = ways[..., n, :]
    return found


def _slips(kept: Sequence[ActiveConstraint]) -> list[int]:
    """The numbers of the contacts that do."""
    return [c for c, k in enumerate(kept) if k.slip is not None and not k.loose]


def _ways(kept: Sequence[ActiveConstraint], slips: Sequence[int], now: ContactDynamics) -> tuple[np.ndarray, np.ndarray]:
    """(..., s, 2), of s contacts that slip, and (..., s, 2, 2), how that changes with the slips."""
    still = np.array([kept[c].still for c in slips])[:, None]
    along = (now.frames[..., slips, 1:, :] @ np.array([kept[c].slip for c in slips])[:, :, None])[..., 0]
    along = along / np.maximum(np.hypot(along[..., 0], along[..., 1]), 1e-300)[..., None]
    speed = now.speeds[..., slips, 1:]
    ahead = (speed * along).sum(axis=-1)[..., None]
    way = speed + np.maximum(still - ahead, 0.0) * along
    size = np.maximum(np.hypot(way[..., 0], way[..., 1])[..., None], 1e-300)
    found = way / size
    aside = np.where(ahead < still, along, 0.0)
    turns = (np.eye(2) - found[..., :, None] * found[..., None, :]) @ (np.eye(2) - aside[..., :, None] * aside[..., None, :])
    return found, turns / size[..., None]


class Solved(NamedTuple):
    """`forces` (k, 3) at the contacts, in their frames, and what they do to the bodies, (6 n,) `push` and accelerations `change`; `fits`:
    the conditions of the contacts are met; `bend` (6 n, 6 n): how `change` changes with the velocities, since friction turns with slips.
    Or at m times, with m as the first axis of each.
    """

    forces: np.ndarray
    push: np.ndarray
    change: np.ndarray
    fits: np.ndarray
    bend: np.ndarray | None = None


def solved(kept: Sequence[ActiveConstraint], now: ContactDynamics, inverse: np.ndarray, bend: bool = False) -> Solved:
    """The forces at the contacts. `inverse` (6 n, 6 n): of the masses and inertias. `bend`: whether that is asked for, where there is
    friction.
    """
    lead, k, six = now.rows.shape[:-3], len(kept), now.rows.shape[-1]
    flat = now.rows.reshape(*lead, 3 * k, six)
    columns, which, identity = list[np.ndarray](), list[int](), np.eye(3 * k)
    for c, (one, along) in enumerate(zip(kept, directions(kept, now), strict=True)):
        if one.loose:
            continue
        own = [3 * c, 3 * c + 1, 3 * c + 2]
        if along is None:
            columns += [np.broadcast_to(identity[e], (*lead, 3 * k)) for e in own]
        else:
            columns.append(identity[own[0]] - one.friction * (along @ identity[own[1:]]))
        which += own if along is None else own[:1]
    if not columns:
        nothing = np.zeros((*lead, six))
        return Solved(np.zeros((*lead, k, 3)), nothing, nothing, np.ones(lead, bool))
    spread = np.stack(columns, axis=-1)
    moved = flat[..., which, :] @ inverse @ np.swapaxes(flat, -1, -2)
    system = moved @ spread
    wanted = -now.free.reshape(*lead, 3 * k)[..., which, None]
    back = _back(flat[..., which, :], inverse @ np.swapaxes(flat, -1, -2) @ spread, system)
    found = back @ wanted
    forces = spread @ found
    push = np.swapaxes(flat, -1, -2) @ forces
    left, most = np.abs(system @ found - wanted).max(axis=(-2, -1)), np.abs(wanted).max(axis=(-2, -1))
    turning = [c for c in _slips(kept) if kept[c].friction] if bend else []
    bent = None
    if turning:
        turned = np.zeros((*lead, k, 3, six))
        pressed = np.array([kept[c].friction for c in turning]) * forces.reshape(*lead, k, 3)[..., turning, 0]
        turned[..., turning, 1:, :] = -pressed[..., None, None] * (_ways(kept, turning, now)[1] @ now.rows[..., turning, 1:, :])
        turned = turned.reshape(*lead, 3 * k, six)
        bent = inverse @ np.swapaxes(flat, -1, -2) @ (turned - spread @ (back @ (moved @ turned)))
    return Solved(forces.reshape(*lead, k, 3), push[..., 0], (inverse @ push)[..., 0], left <= _LEFT * np.maximum(most, 1e-300), bent)


def _back(first: np.ndarray, second: np.ndarray, product: np.ndarray) -> np.ndarray:
    """The pseudoinverse of a product of two matrices, (..., c, n) and (..., n, c), which has no higher rank than n."""
    if product.shape[-1] <= second.shape[-2]:
        return np.asarray(np.linalg.pinv(product, rcond=_RANK))
    axes, sizes, rest = np.linalg.svd(first, full_matrices=False)
    return np.asarray(np.linalg.pinv(sizes[..., None] * rest @ second, rcond=_RANK) @ np.swapaxes(axes, -1, -2))


class FarkasCertificate(NamedTuple):
    """`none`: contacts can give what is wanted of them; else, at each contact, what they lack: (k, 3) in their frames, which no force
    within their cones has a part along (Farkas' lemma), so that this is how the bodies give way there, turned round.
    """

    none: bool
    lack: np.ndarray


def missing(kept: Sequence[ActiveConstraint], now: ContactDynamics, push: np.ndarray, size: np.ndarray,
            tolerance: float) -> FarkasCertificate:
    """The certificate whether there are forces that press at all contacts, within their cones of friction, whose sum is `push` (6 n,).
    `size` (6 n,): the sizes against which its entries are measured, `tolerance` of the greatest.
    """
    from scipy.optimize import nnls

    along, wanted, rows = directions(kept, now), push / size, now.rows / size
    scale, nothing = float(np.linalg.norm(wanted)), np.zeros((len(kept), 3))
    if not scale:
        return FarkasCertificate(True, nothing)
    cones = [(c, k.friction) for c, k in enumerate(kept) if along[c] is None and not k.loose]
    columns = [rows[c, 0] - k.friction * d @ rows[c, 1:] for c, (k, d) in enumerate(zip(kept, along, strict=True)) if d is not None]
    for angle in 2.0 * np.pi * np.arange(_CONE) / _CONE:
        columns += [rows[c, 0] + mu * (np.array([np.cos(angle), np.sin(angle)]) @ rows[c, 1:]) for c, mu in cones]
    for _ in range(_ROUNDS):
        check()
        system = np.array(columns).T
        found, left = nnls(system, wanted)
        if left <= tolerance * scale:
            return FarkasCertificate(True, nothing)
        lack = rows @ (wanted - system @ found)
        sides = np.hypot(lack[:, 1], lack[:, 2])
        better = [rows[c, 0] + mu * (lack[c, 1:] / sides[c]) @ rows[c, 1:] for c, mu in cones
                  if sides[c] > 0.0 and lack[c, 0] + mu * sides[c] > _GAINED * left]
        if not better:
            return FarkasCertificate(False, lack / left)
        columns += better
    return FarkasCertificate(False, lack / left)
