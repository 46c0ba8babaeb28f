"""Impulses at the contacts of rigid bodies: restitution, friction, and several contacts at once.

Velocities of all bodies are one vector, whose length is the kinetic energy. With restitution e, contacts that approach get impulses that
make their normal velocities at least -e times what they were, and no larger than needed: the least change of that vector (a linear
complementarity problem, solved as one of least distance by non-negative least squares). What then approaches elsewhere gets its own, and so
on: an impact goes through a row of bodies that touch, as Newton's cradle shows, and lands a flat body flat (Smith, Kaufman, Vouga, Tamstorf
and Grinspun, Reflections on simultaneous impact, 2012). Friction takes as much energy as Coulomb's law lets it. No step adds energy.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .rotation import cross, crosses
from .sweeps import coulomb, in_disc

# Rounds of impulses; the last one is without restitution, after which nothing approaches. Sweeps over contacts with friction.
_ROUNDS, _SWEEPS = 200, 200
# Against the speeds there, what counts as no approach, and against the work, as no change of it.
_STILL, _SAME = 1e-14, 1e-15
# Against the effect of impulses, how dear they are where others would do as well.
_SHY = 1e-6


@dataclass(frozen=True, eq=False)
class Contact:
    """Where bodies i and j of a list touch: the point, the unit normal from i to j; restitution and friction there."""

    pair: tuple[int, int]
    point: np.ndarray
    normal: np.ndarray
    restitution: float
    friction: float


@dataclass(frozen=True, eq=False)
class Mass:
    """A body at a moment: its centre, inverse mass and inverse inertia (3, 3) in the world (0 for bodies that nothing moves), velocity and
    spin.
    """

    centre: np.ndarray
    inverse: float
    turning: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray


class Impact:
    """The contacts of some bodies at a moment, k of them, as rows on the velocities (6 n,) of these."""

    def __init__(self, masses: Sequence[Mass], contacts: Sequence[Contact]) -> None:
        self.masses, self.contacts = masses, contacts
        n, k = len(masses), len(contacts)
        self.velocity = np.concatenate([[*m.velocity, *m.spin] for m in masses])
        self.before = self.velocity
        # Impulses move the velocities by M^-1, of which this is the root.
        self.root = np.zeros((6 * n, 6 * n))
        for b, m in enumerate(masses):
            self.root[6 * b:6 * b + 3, 6 * b:6 * b + 3] = math.sqrt(m.inverse) * np.eye(3)
            moments, axes = np.linalg.eigh(m.turning)
            self.root[6 * b + 3:6 * b + 6, 6 * b + 3:6 * b + 6] = axes * np.sqrt(np.maximum(moments, 0.0)) @ axes.T
        self.frames = np.array([frame(c.normal) for c in contacts]).reshape(k, 3, 3)
        # (k, 3, 6 n): the velocity of j against i at each contact, along its normal and across.
        self.rows = np.zeros((k, 3, 6 * n))
        for row, c, axes in zip(self.rows, contacts, self.frames, strict=True):
            for b, sign in zip(c.pair, (-1.0, 1.0), strict=True):
                row[:, 6 * b:6 * b + 3] = sign * axes
                row[:, 6 * b + 3:6 * b + 6] = sign * crosses(c.point - masses[b].centre, axes)
        self.bent = self.rows @ self.root
        self.total = np.zeros((k, 3))
        self.scale = np.abs(self.rows[:, 0]) @ np.abs(self.velocity)

    def speeds(self) -> np.ndarray:
        """(k, 3): of j against i at the contacts, along the normal and across."""
        return np.asarray(self.rows @ self.velocity)

    @property
    def impulses(self) -> np.ndarray:
        """(k, 3): on body j of each contact, in the world."""
        return np.asarray(np.einsum("kn,kni->ki", self.total, self.frames))

    def apply(self, which: np.ndarray, impulses: np.ndarray) -> None:
        """(m, 3) impulses at contacts (m,)."""
        self.total[which] += impulses
        self.velocity = self.velocity + self.root @ np.einsum("kni,kn->i", self.bent[which], impulses)

    def approaching(self) -> np.ndarray:
        return np.flatnonzero(self.speeds()[:, 0] < -_STILL * self.scale)

    def repel(self, which: np.ndarray, restitution: np.ndarray) -> np.ndarray:
        """The least normal impulses (m,) that make these contacts part with so much of their speeds, and none of them approach."""
        normals = self.bent[which, 0]
        wanted = -(1.0 + restitution) * self.speeds()[which, 0]
        return least_impulses(normals, wanted)

    def stick(self) -> None:
        """Impulses after which nothing approaches, and nothing parts where any acts along the normal, by Coulomb's law."""
        bent = self.bent.reshape(-1, self.bent.shape[2])
        found = coulomb(bent @ bent.T, self.speeds().ravel(), [c.friction for c in self.contacts])
        self.apply(np.arange(len(self.contacts)), found)

    def rub(self, which: np.ndarray, normal: np.ndarray) -> None:
        """Friction at contacts, with these normal impulses: what takes most energy, within Coulomb's cones."""
        limits = np.array([self.contacts[k].friction for k in which]) * normal
        done = np.zeros((len(which), 2))
        if not limits.any():
            return
        blocks = [self.bent[k, 1:] @ self.bent[k, 1:].T for k in which]
        for _ in range(_SWEEPS):
            before = done.copy()
            for row, (k, limit, block) in enumerate(zip(which.tolist(), limits, blocks, strict=True)):
                across = self.rows[k, 1:] @ self.velocity
                wanted = in_disc(block, across - block @ done[row], limit)
                self.apply(np.array([k]), np.array([[0.0, *(wanted - done[row])]]))
                done[row] = wanted
            if np.abs(done - before).max() <= _SAME * limits.max():
                break


def frame(normal: np.ndarray) -> np.ndarray:
    """(3, 3): the normal, and two directions across it."""
    across = np.zeros(3)
    across[np.argmin(np.abs(normal))] = 1.0
    second = cross(normal, across)
    second /= np.linalg.norm(second)
    return np.array([normal, second, cross(normal, second)])


def frames(normals: np.ndarray) -> np.ndarray:
    """(m, 3, 3): of normals (m, 3)."""
    across = np.eye(3)[np.argmin(np.abs(normals), axis=1)]
    second = crosses(normals, across)
    second /= np.sqrt((second * second).sum(axis=1))[:, None]
    return np.stack([normals, second, crosses(normals, second)], axis=1)


def least_impulses(normals: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """(m,) numbers p >= 0 with normals normals^T p >= wanted, and p = 0 where it is more: of rows (m, n)."""
    if len(normals) == 1:
        return np.maximum(wanted / (normals[0] @ normals[0]), 0.0)
    from scipy.optimize import nnls

    # Least distance: the least x with normals x >= wanted is normals^T p (Lawson and Hanson 1974, Chapter 23).
    size = np.abs(wanted).max()
    if size == 0.0:
        return np.zeros(len(wanted))
    system = np.vstack([normals.T, wanted / size])
    weights, _ = nnls(system, np.array([0.0] * normals.shape[1] + [1.0]))
    if not weights.any():
        return np.zeros(len(wanted))
    own = normals[weights > 0.0]
    change = np.linalg.lstsq(own @ own.T, wanted[weights > 0.0], rcond=None)[0] @ own
    return _evenly(normals, change)


def _evenly(normals: np.ndarray, change: np.ndarray) -> np.ndarray:
    """(m,) numbers p >= 0 with normals^T p = change, which has some: those of least length, so that contacts alike carry alike."""
    from scipy.optimize import nnls

    shy = _SHY * math.sqrt(float(np.einsum("mn,mn->m", normals, normals).max()))
    found, _ = nnls(np.vstack([normals.T, shy * np.eye(len(normals))]), np.concatenate([change, np.zeros(len(normals))]))
    # What is shy is smaller by some 1e-12 than it must be.
    own = found > 0.0
    found[own] += np.linalg.lstsq(normals[own].T, change - found @ normals, rcond=None)[0]
    return np.asarray(np.maximum(found, 0.0))


Law = Callable[[Impact], None]


def newton(impact: Impact) -> None:
    """Normal velocities are turned round, by the restitution; friction goes with each impulse, or with all of them at once where there is
    no restitution.
    """
    e = np.array([c.restitution for c in impact.contacts])
    if not e.any() and len(impact.approaching()) and any(c.friction for c in impact.contacts):
        impact.stick()
    for k in range(_ROUNDS + 1):
        which = impact.approaching()
        if not len(which):
            return
        if k == _ROUNDS:
            which = np.arange(len(e))
        normal = impact.repel(which, e[which] if k < _ROUNDS else np.zeros(len(e)))
        impact.apply(which, np.column_stack([normal, np.zeros((len(normal), 2))]))
        if k < _ROUNDS:
            impact.rub(which, normal)


def poisson(impact: Impact) -> None:
    """Impulses of a compression, after which nothing approaches; then the restitution's part of each normal impulse again."""
    e = np.array([c.restitution for c in impact.contacts])
    for _ in range(_ROUNDS):
        which, energy = impact.approaching(), impact_energy(impact)
        if not len(which):
            return
        normal = impact.repel(which, np.zeros(len(which)))
        impact.apply(which, np.column_stack([normal, np.zeros((len(normal), 2))]))
        impact.rub(which, normal)
        again = e[which] * normal
        push = impact.root @ (again @ impact.bent[which, 0])
        impact.apply(which, _limited(impact, push, energy) * np.column_stack([again, np.zeros((len(normal), 2))]))
        impact.rub(which, again)
    newton(impact)


def impact_energy(impact: Impact) -> float:
    """The kinetic energy of what can be moved."""
    return sum(_kinetic(m, v) for m, v in zip(impact.masses, impact.velocity.reshape(-1, 6), strict=True))


def _kinetic(mass: Mass, v: np.ndarray) -> float:
    return float(v[:3] @ v[:3] / mass.inverse + v[3:] @ np.linalg.solve(mass.turning, v[3:])) / 2 if mass.inverse else 0.0


def _limited(impact: Impact, push: np.ndarray, most: float) -> float:
    """The share of a change of the velocities, at most 1, with which the energy is no more than it was."""
    now = impact_energy(impact)
    before, impact.velocity = impact.velocity, impact.velocity + push
    then = impact_energy(impact)
    impact.velocity = before
    if then <= most:
        return 1.0
    # Energy is quadratic in the share; its slope at 0 is known from that at 1 and the energy of the push alone.
    square = sum(_kinetic(m, v) for m, v in zip(impact.masses, push.reshape(-1, 6), strict=True))
    slope = then - now - square
    return float(max(0.0, (-slope + math.sqrt(max(slope * slope + 4.0 * square * (most - now), 0.0))) / (2.0 * square))) if square else 0.0


LAWS: dict[str, Law] = {"newton": newton, "poisson": poisson}
