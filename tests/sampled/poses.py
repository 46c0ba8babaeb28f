"""Places of the bodies of a run at many times at once, and their energy and momentum by the sums of mechanics."""

from dataclasses import dataclass

import numpy as np

from collide import Run


@dataclass(frozen=True, eq=False)
class Poses:
    """At m times: centres of mass, velocities and spins (m, n, 3), and turns (m, n, 3, 3), of n bodies."""

    run: Run
    times: np.ndarray
    centres: np.ndarray
    turns: np.ndarray
    velocities: np.ndarray
    spins: np.ndarray

    @property
    def free(self) -> list[int]:
        return [k for k, body in enumerate(self.run.world.bodies) if body.free]

    def energies(self) -> np.ndarray:
        """(m,): kinetic and potential, of the free bodies."""
        found, gravity = np.zeros(len(self.times)), np.asarray(self.run.world.gravity)
        for k in self.free:
            body, v, spin = self.run.world.bodies[k], self.velocities[:, k], self._own(k)
            found += body.mass * ((v * v).sum(axis=1) / 2.0 - self.centres[:, k] @ gravity)
            found += ((spin @ body.inertia) * spin).sum(axis=1) / 2.0
        return found

    def momenta(self) -> tuple[np.ndarray, np.ndarray]:
        """(m, 3) each: linear, and angular about the origin, of the free bodies together."""
        linear, angular = np.zeros((2, len(self.times), 3))
        for k in self.free:
            body = self.run.world.bodies[k]
            own = body.mass * self.velocities[:, k]
            linear += own
            angular += np.cross(self.centres[:, k], own) + (self.turns[:, k] @ (self._own(k) @ body.inertia)[..., None])[..., 0]
        return linear, angular

    def _own(self, k: int) -> np.ndarray:
        """The spin in coordinates of the body."""
        return np.asarray((self.spins[:, k, None] @ self.turns[:, k])[:, 0])


def poses(run: Run, times: np.ndarray) -> Poses:
    """At times that rise; at that of an event, after it."""
    n, m = len(run.world.bodies), len(times)
    centres, velocities, spins = np.empty((3, m, n, 3))
    turns = np.empty((m, n, 3, 3))
    for k in range(n):
        flights = run.courses(k)
        which = np.searchsorted([begin for _, begin, _ in flights], times, side="right") - 1
        for number, (course, _, _) in enumerate(flights):
            own = slice(*np.searchsorted(which, [number, number + 1]))
            if own.stop > own.start:
                centres[own, k], turns[own, k], velocities[own, k], spins[own, k] = course.places(times[own])
    return Poses(run, times, centres, turns, velocities, spins)
