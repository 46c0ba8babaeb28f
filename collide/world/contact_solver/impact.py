"""Impulses at the contacts of rigid bodies: restitution, friction, and several contacts at once.

Velocities of all bodies are one vector, whose length is the kinetic energy. With restitution e, contacts that approach get impulses that
make their normal velocities at least -e times what they were, and no larger than needed: the least change of that vector (a linear
complementarity problem, solved as one of least distance by non-negative least squares). What then approaches elsewhere gets its own, and so
on: an impact goes through a row of bodies that touch, as Newton's cradle shows, and lands a flat body flat (Smith, Kaufman, Vouga, Tamstorf
and Grinspun, Reflections on simultaneous impact, 2012). Friction takes as much energy as Coulomb's law lets it, and each contact parts as
its restitution says with the friction that goes with its impulse. No step adds energy.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from codegen.deadline import check
from codegen.given import shown

from ..motion.rotation import crosses, frame
from ..motion.state import Mass
from .coulomb import AGREED, Coulomb, least_distance, nonnegative
from .gauss_seidel import coulomb, rubbed

# Rounds of impulses; the last one is without restitution, after which nothing approaches. Sweeps over contacts with friction.
_ROUNDS, _SWEEPS = 200, 200
# Steps in which normal impulses and friction agree, each with so many sweeps; and how well, against the largest.
_TRIES, _FEW, _SETTLED = 60, 10, 1e-14
# Against the work of impulses, what counts as no gain of energy; and how well the share of a restitution is found that gains none.
_GAIN, _SHARE = 1e-13, 1e-12
# Against the speeds there, what counts as no approach where sweeps settle, and against the work, as no change of it.
_STILL, _SAME = 1e-14, 1e-15
# Against the effect of impulses, how dear they are where others would do as well.
_SHY = 1e-6
# The rounding of velocities, against the greatest.
_ROUNDING = 1e-15


@dataclass(frozen=True, eq=False)
class Contact:
    """Contact of bodies i and j of a list: the point, the unit normal from i to j; restitution and friction there. `drift`: the velocity of
    j against i by which bodies deform there.
    """

    pair: tuple[int, int]
    point: np.ndarray
    normal: np.ndarray
    restitution: float
    friction: float
    drift: np.ndarray = field(default_factory=lambda: np.zeros(3))


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
        self.drift = np.einsum("kni,ki->kn", self.frames, np.array([c.drift for c in contacts]).reshape(k, 3))
        self.total = np.zeros((k, 3))
        # Against the speeds there, what counts as no approach.
        self.still = _STILL
        self.scale = np.abs(self.rows[:, 0]) @ np.abs(self.velocity) + np.abs(self.drift[:, 0])

    def speeds(self) -> np.ndarray:
        """(k, 3): of j against i at the contacts, along the normal and across."""
        return np.asarray(self.rows @ self.velocity + self.drift)

    @property
    def impulses(self) -> np.ndarray:
        """(k, 3): on body j of each contact, in the world."""
        return np.asarray(np.einsum("kn,kni->ki", self.total, self.frames))

    def apply(self, which: np.ndarray, impulses: np.ndarray) -> None:
        """(m, 3) impulses, on body j of each, at contacts (m,), which are different ones: along their normals and across (`frames`)."""
        if np.shape(impulses) != (*np.shape(which), 3) or np.ndim(which) != 1:
            raise ValueError(f"a response applies impulses of shape (m, 3) at contacts (m,), got {shown(impulses)} at {shown(which)}")
        self.total[which] += impulses
        self.velocity = self.velocity + self.root @ np.einsum("kni,kn->i", self.bent[which], impulses)

    def approaching(self) -> np.ndarray:
        return np.flatnonzero(self.speeds()[:, 0] < -self.still * self.scale)

    def repel(self, which: np.ndarray, restitution: np.ndarray) -> np.ndarray:
        """The least normal impulses (m,) that make these contacts part with so much of their speeds, and none of them approach."""
        normals = self.bent[which, 0]
        wanted = -(1.0 + restitution) * self.speeds()[which, 0]
        return least_impulses(normals, wanted)

    def stick(self) -> None:
        """Impulses after which nothing approaches, and nothing parts where any acts along the normal, by Coulomb's law. Raises Unsettled
        where none are found.
        """
        bent, friction = self.bent.reshape(-1, self.bent.shape[2]), [c.friction for c in self.contacts]
        found = coulomb(bent @ bent.T, self.speeds().ravel(), friction)
        if not Coulomb(self.bent, self.speeds(), friction).violated(found) <= AGREED:
            found = self._settled(np.arange(len(friction)), self.speeds())
        self.apply(np.arange(len(friction)), found)

    def _settled(self, which: np.ndarray, rates: np.ndarray) -> np.ndarray:
        """The impulses (m, 3) of these contacts by Coulomb's law, from rates (m, 3): less exact than those of sweeps that settle."""
        self.still = AGREED
        return Coulomb(self.bent[which], rates, [self.contacts[k].friction for k in which]).solved()

    def bounce(self, which: np.ndarray, restitution: np.ndarray) -> np.ndarray:
        """The normal impulses (m,) after which these contacts part with so much of the speeds they approach with, with friction by what
        takes most energy, within Coulomb's cones. Where that would add energy, with as much of the restitution as adds none: Newton's
        hypothesis may add some where friction stops a slip or turns it round (Kane and Levinson 1985). Raises Unsettled where none are
        found.
        """
        velocity, total, speeds = self.velocity, self.total.copy(), self.speeds()
        found = np.zeros(len(which))

        def gained(share: float) -> float:
            nonlocal found
            self.velocity, self.total = velocity, total.copy()
            found = self._bounced(which, share * restitution)
            return self.gain(total, speeds)

        if gained(1.0) > _GAIN * float(np.abs((self.total - total) * speeds).sum()):
            gained(_root(gained))
        return found

    def gain(self, total: np.ndarray, speeds: np.ndarray) -> float:
        """The kinetic energy that impulses have added since then, without what bodies put in that are driven."""
        return float(((self.total - total) * (self.speeds() + speeds)).sum()) / 2.0

    def _bounced(self, which: np.ndarray, restitution: np.ndarray) -> np.ndarray:
        """Normal impulses that are right with the friction that goes with them: what is missing is added, by the steps of Irons and Tuck
        (1969). Where these do not settle, Coulomb's law is solved for all contacts at once.
        """
        started, before = self.velocity, self.total.copy()
        normals = self.bent[which, 0]
        wanted, moves = -restitution * self.speeds()[which, 0], normals @ normals.T
        normal, across, step, last = np.zeros(len(which)), np.zeros((len(which), 2)), 1.0, np.zeros(len(which))
        rubbed = across
        for k in range(_TRIES):
            check()
            missing = least_impulses(normals, wanted - self.speeds()[which, 0] + moves @ normal) - normal
            settled = max(np.abs(missing).max(), np.abs(rubbed - across).max()) <= _SETTLED * np.abs(normal).max()
            turned = missing - last
            # The square of what is not zero may be.
            square = float(turned @ turned)
            step = -step * float(last @ turned) / square if k > 1 and square > 0.0 and not settled else 1.0
            found = np.maximum(normal + step * missing, 0.0)
            self.apply(which, np.column_stack([found - normal, np.zeros((len(which), 2))]))
            if settled:
                return found
            normal, last, across = found, missing, rubbed
            rubbed = self.rub(which, normal, across, _FEW)
            if not np.isfinite(self.velocity).all():
                break
        self.velocity, self.total = started, before
        rates = self.speeds()[which]
        rates[:, 0] -= wanted
        found = self._settled(which, rates)
        self.apply(which, found)
        return np.asarray(found[:, 0])

    def rub(self, which: np.ndarray, normal: np.ndarray, done: np.ndarray, sweeps: int = _SWEEPS) -> np.ndarray:
        """Friction (m, 2) at contacts with these normal impulses, in place of what is done there: what takes most energy, within Coulomb's
        cones.
        """
        limits = np.array([self.contacts[k].friction for k in which]) * normal
        if not (limits.any() or done.any()):
            return done.copy()
        bent = self.bent[which].reshape(-1, self.bent.shape[2])
        found = rubbed(bent @ bent.T, self.speeds()[which].ravel(), limits, done, sweeps, _SAME)
        self.apply(which, np.column_stack([np.zeros(len(which)), found - done]))
        return found


def _root(gained: Callable[[float], float]) -> float:
    """The share, except for `_SHARE`, above which something is gained; 0 if it always is."""
    from scipy.optimize import brentq

    return max(0.0, brentq(gained, 0.0, 1.0, xtol=_SHARE) - 2.0 * _SHARE) if gained(0.0) < 0.0 else 0.0


def least_impulses(normals: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """(m,) numbers p >= 0 with normals normals^T p >= wanted, and p = 0 where it is more: of rows (m, n)."""
    if len(normals) == 1:
        return np.maximum(wanted / (normals[0] @ normals[0]), 0.0)
    weights = least_distance(normals, wanted)
    if not weights.any():
        return np.zeros(len(wanted))
    own = normals[weights > 0.0]
    change = np.linalg.lstsq(own @ own.T, wanted[weights > 0.0], rcond=None)[0] @ own
    return _evenly(normals, change)


def _evenly(normals: np.ndarray, change: np.ndarray) -> np.ndarray:
    """(m,) numbers p >= 0 with normals^T p = change, which has some: those of least length, so that contacts alike carry alike."""
    shy = _SHY * math.sqrt(float(np.einsum("mn,mn->m", normals, normals).max()))
    found = nonnegative(np.vstack([normals.T, shy * np.eye(len(normals))]), np.concatenate([change, np.zeros(len(normals))]))
    # What is shy is smaller by some 1e-12 than it must be.
    own = found > 0.0
    found[own] += np.linalg.lstsq(normals[own].T, change - found @ normals, rcond=None)[0]
    return np.asarray(np.maximum(found, 0.0))


Law = Callable[[Impact], None]


def newton(impact: Impact) -> None:
    """Normal velocities are turned round, by the restitution; friction goes with each impulse. Without restitution all impulses are found
    at once.
    """
    e = np.array([c.restitution for c in impact.contacts])
    if not e.any() and len(impact.approaching()) and any(c.friction for c in impact.contacts):
        impact.stick()
    for _ in range(_ROUNDS if e.any() else 0):
        check()
        which = impact.approaching()
        if not len(which):
            break
        impact.bounce(which, e[which])
    # All of what approaches without restitution or friction; else what is rounding, or what too many rounds have left. Then what the
    # rounding of these impulses leaves.
    for most in (0.0, _STILL):
        if (impact.speeds()[:, 0] < -most * impact.scale).any():
            normal = impact.repel(np.arange(len(e)), np.zeros(len(e)))
            impact.apply(np.arange(len(e)), np.column_stack([normal, np.zeros((len(e), 2))]))


def poisson(impact: Impact) -> None:
    """Impulses of a compression, after which nothing approaches; then the restitution's part of each normal impulse again."""
    e = np.array([c.restitution for c in impact.contacts])
    for _ in range(_ROUNDS if e.any() else 0):
        check()
        which, total, speeds = impact.approaching(), impact.total.copy(), impact.speeds()
        if not len(which):
            break
        again = e[which] * impact.bounce(which, np.zeros(len(which)))
        share = _share(impact.gain(total, speeds), float(again @ impact.speeds()[which, 0]), again @ impact.bent[which, 0])
        impact.apply(which, share * np.column_stack([again, np.zeros((len(again), 2))]))
        impact.rub(which, share * again, np.zeros((len(again), 2)))
    newton(impact)


def _share(gained: float, slope: float, push: np.ndarray) -> float:
    """The share of a push, at most 1, with which no energy is gained: so much is gained so far, and at first it grows by the slope."""
    square = float(push @ push) / 2.0
    if gained + slope + square <= 0.0:
        return 1.0
    return max(0.0, (-slope + math.sqrt(max(slope * slope - 4.0 * square * gained, 0.0))) / (2.0 * square))


LAWS: dict[str, Law] = {"newton": newton, "poisson": poisson}


def rounded(impact: Impact, radii: Sequence[float]) -> np.ndarray:
    """(n, 6): velocities and spins after an impact; what is nothing but rounding is 0."""
    found = impact.velocity.reshape(-1, 6).copy()
    sizes = np.abs(found) * np.column_stack([np.ones((len(radii), 3)), np.repeat(np.array(radii)[:, None], 3, axis=1)])
    found[sizes <= _ROUNDING * (sizes.max() + np.abs(impact.before).max())] = 0.0
    return np.asarray(found)
