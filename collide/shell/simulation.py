"""Implicit steps of a sheet under gravity, with contact.

A step solves M (d - h v) / h^2 + grad E(q + d) = f for the movement d of the nodes by Newton's method (Baraff and Witkin 1998): linear
systems are sparse, and symmetric. Contacts then get impulses by Coulomb's law, which change d by the inverse of the last matrix; and the
sheet goes as far as `step_limit` proves its triangles free of contact with themselves and with what is around.
"""

import contextlib
import time as timer
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from codegen.deadline import TimeUp, limited
from codegen.given import doubles, shown
from generative import Motion
from generative.contour import approx_motion

from ..bodies.mesh import Mesh
from ..given import check_positive, is_number
from ..polyhedra.step.candidates import parts_of
from ..queries.step_limit import step_limit
from ..search.budget import Budget, as_budget
from ..search.clock import Clock
from ..world.contact_solver.gauss_seidel import coulomb
from .near_points import NearPoints, near_points
from .run import ShellRun, Step
from .sheet import Sheet

# Newton's steps, and the movement, against the size of a cell, after which there is no further one.
_NEWTON, _SMALL = 4, 1e-2
# Sweeps over contacts, and the change against the largest force after which there are no more. What is left a step limit tells.
_SWEEPS, _SETTLED = 100, 1e-5
# The part of a proved step that is gone where it is not all of it; and the part of a missing distance that a step makes up for.
_SAFELY, _OUT = 0.9, 0.2


class _Simulation:
    def __init__(self, sheet: Sheet, places: np.ndarray, step: float, gravity: np.ndarray, obstacles: Sequence[Mesh],
                 held: Mapping[Any, Any], friction: float, thickness: float, damping: float) -> None:
        self.sheet, self.h, self.friction, self.thickness, self.damping = sheet, step, friction, thickness, damping
        self.places, self.velocity, self.start = places, np.zeros_like(places), places
        still = [m.vertices[:, :3] for m in obstacles]
        self.still = np.concatenate([np.empty((0, 3)), *still])
        starts = len(sheet.points(places)) + np.cumsum([0, *(len(v) for v in still)])
        self.faces = np.concatenate([sheet.triangles, *(m.triangles + s for m, s in zip(obstacles, starts, strict=False))])
        self.parts = parts_of(self.faces)
        pull = np.zeros_like(places)
        pull[::4] = gravity
        self.force = sheet.mass @ pull.ravel()
        self.held = [(np.asarray(nodes, int), None if m is None else approx_motion(m)) for nodes, m in held.items()]
        free = np.ones(len(places) // 4, bool)
        for nodes, _ in self.held:
            free[nodes] = False
        self.free = np.flatnonzero(np.repeat(free, 12))

    def at(self, places: np.ndarray) -> np.ndarray:
        """All vertices, of the sheet and of what is around."""
        return np.concatenate([self.sheet.points(places), self.still])

    def driven(self, time: float) -> np.ndarray:
        """The movement (4 k, 3) of the nodes that are held, to where they are at a time."""
        found = np.zeros_like(self.places)
        for nodes, place in self.held:
            rows = (4 * nodes[:, None] + np.arange(4)).ravel()
            own = self.start[rows]
            if place is not None:
                turn, shift = place(time)
                own = own @ turn.T
                own[::4] += shift
            found[rows] = own - self.places[rows]
        return found

    def advance(self, time: float) -> Step:
        """Take the step that ends at a time."""
        begun = timer.perf_counter()
        moved, solve = self._solved(self.driven(time))
        elastic = timer.perf_counter()
        before = self.at(self.places)
        near = near_points(self.parts, before, self.at(self.places + moved), self.thickness, len(before) - len(self.still))
        if len(near.gaps):
            moved = moved + self._impulses(near, moved, solve, before)
        part = step_limit(before, self.at(self.places + moved), mesh=self.faces)
        moved = moved * (1.0 if part == 1.0 else _SAFELY * part)
        self.places, self.velocity = self.places + moved, moved / self.h
        ended = timer.perf_counter()
        return Step(time, self.places, len(near.gaps), float(part), ended - begun, ended - elastic)

    def _solved(self, moved: np.ndarray) -> tuple[np.ndarray, Any]:
        """The movement without contact, and the last linear system."""
        from scipy.sparse.linalg import splu

        mass, free = self.sheet.mass / self.h**2, self.free
        cell = min(self.sheet.size) / max(self.sheet.patches)
        for _ in range(_NEWTON):
            matrix = mass * (1.0 + self.damping * self.h) + self.sheet.hessian(self.places + moved)
            solve = splu(matrix[free][:, free].tocsc(), permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True})
            rest = self._rest(mass, moved)
            step = solve.solve(-rest[free])
            share = self._share(mass, moved, step, float(rest[free] @ step))
            moved = moved.copy()
            moved.ravel()[free] += share * step
            if np.abs(step).max(initial=0.0) <= _SMALL * cell:
                break
        return moved, solve

    def _rest(self, mass: Any, moved: np.ndarray) -> np.ndarray:
        inertia = mass @ (moved * (1.0 + self.damping * self.h) - self.h * self.velocity).ravel()
        return np.asarray(inertia + self.sheet.gradient(self.places + moved).ravel() - self.force)

    def _share(self, mass: Any, moved: np.ndarray, step: np.ndarray, slope: float) -> float:
        """A share of Newton's step by which the incremental potential falls (Armijo's rule)."""

        def potential(share: float) -> float:
            there = moved.copy()
            there.ravel()[self.free] += share * step
            away = (there - self.h * self.velocity).ravel()
            rubbed = self.damping * self.h * float(there.ravel() @ (mass @ there.ravel()))
            kinetic, elastic = 0.5 * (float(away @ (mass @ away)) + rubbed), self.sheet.energy(self.places + there)
            return kinetic + elastic - float(self.force @ there.ravel())

        share, here = 1.0, potential(0.0)
        while share > 1e-4 and not potential(share) <= here + 1e-4 * share * slope:
            share /= 2.0
        return share

    def _impulses(self, near: NearPoints, moved: np.ndarray, solve: Any, before: np.ndarray) -> np.ndarray:
        """The change of a movement by contacts: nothing comes nearer than the thickness, with Coulomb's friction."""
        from scipy.sparse import kron

        count = len(before) - len(self.still)
        rows = near.rows(len(before))[:, :count] @ self.sheet.weights
        frames = np.array([_frame(n) for n in near.normals])
        whole = kron(rows, np.eye(3)).tocsr()
        turn = _blocks(frames).tocsr()
        jacobian = (turn @ whole).tocsr()[:, self.free]
        effect = solve.solve(jacobian.T.toarray())
        rates = (turn @ (whole @ moved.ravel())).reshape(-1, 3)
        missing = near.gaps - self.thickness
        rates[:, 0] += np.where(missing > 0.0, missing, _OUT * missing)
        forces = coulomb(jacobian @ effect, rates.ravel(), [self.friction] * len(near.gaps), sweeps=_SWEEPS, same=_SETTLED)
        found = np.zeros(moved.size)
        found[self.free] = effect @ forces.ravel()
        return found.reshape(-1, 3)


def _frame(normal: np.ndarray) -> np.ndarray:
    """(3, 3): a unit vector, and two across it."""
    other = np.eye(3)[int(np.argmin(np.abs(normal)))]
    first = np.cross(normal, other)
    first /= np.linalg.norm(first)
    return np.stack([normal, first, np.cross(normal, first)])


def _blocks(frames: np.ndarray) -> Any:
    """(3 c, 3 c) SciPy sparse matrix of blocks (c, 3, 3) along its diagonal."""
    from scipy.sparse import bsr_array

    return bsr_array((frames, np.arange(len(frames)), np.arange(len(frames) + 1)), shape=(3 * len(frames),) * 2)


def simulate(sheet: Sheet, until: float, step: float, *, places: Any = None, gravity: Any = (0, 0, -9.81), obstacles: Sequence[Mesh] = (),
             held: Mapping[Any, Motion | None] | None = None, friction: float = 0.3, thickness: float | None = None,
             damping: float = 0.0, budget: Budget | float | None = None) -> ShellRun:
    """Let a sheet move, with contact with what is around it and with itself.

    Parameters
    ----------
    sheet : Sheet
        The sheet, at rest in the plane z = 0.
    until, step : float
        The time up to which it moves, from 0 on, and the length of a time step.
    places : array_like, (4 k, 3), optional
        Where its k nodes are at the start, with their derivatives (`Sheet.placed`); as at rest if None.
    gravity : array_like, (3,)
        The acceleration of all that is free.
    obstacles : sequence of Mesh
        Meshes that stay where they are.
    held : mapping, optional
        Tuples of numbers of nodes (`Sheet.nodes`), each with the `Motion` of t that carries these from their start, or None where they
        stay.
    friction : float
        Coulomb's coefficient of all contacts.
    thickness : float, optional
        The distance that contacts keep; a quarter of a cell if None.
    damping : float
        The rate at which velocities are damped.
    budget : Budget or float, optional
        Seconds, or a `Budget`, whose seconds count: after them, or at Ctrl-C, the run holds the steps that are whole. None: no limit.

    Returns
    -------
    ShellRun
        Its `steps`, each with places, the count of contacts and the share of the step that was proved free of contact.

    Raises
    ------
    TypeError
        For anything but a Sheet, and for obstacles that are no meshes.
    ValueError
        For numbers that are not positive or not finite, and places of another shape.

    Notes
    -----
    *Proves* that the triangles of the sheet (`Sheet.triangles`) do not meet each other or an obstacle at any time of a step, vertices going
    straight (`step_limit`). Motion itself *approximates*: implicit Euler steps, contacts linear within a step. The patches are not proved
    apart: they may be as far from their triangles as `Sheet.deviation` says. A greater thickness, or more cells, keep them out.

    A sheet may start on an obstacle: it is on the outer side of the faces, whose vertices go round counterclockwise. It does not move if an
    edge of its triangles lies along an edge of the obstacle, because `step_limit` does not tell such edges apart.

    Examples
    --------
    A sheet falls freely for a while.

    >>> from collide import shell
    >>> sheet = shell.Sheet((1, 1), (2, 2), thickness=1e-3, young=1e6, poisson=0.3, density=300)
    >>> run = shell.simulate(sheet, 0.1, 0.05)
    >>> [s.contacts for s in run.steps], round(float(run.steps[-1].places[0, 2]), 9)
    ([0, 0], -0.073575)
    """
    if not isinstance(sheet, Sheet):
        raise TypeError(f"simulate moves a Sheet, got {shown(sheet)}")
    if not all(isinstance(m, Mesh) for m in obstacles):
        raise TypeError(f"the obstacles of a sheet are meshes, got {shown(obstacles)}")
    for name, value in (("time", until), ("step", step)):
        check_positive(f"the {name} of a simulation", value)
    if not all(is_number(e) and 0 <= e < np.inf for e in (friction, damping)):
        raise ValueError(f"friction and damping are from 0 up, got {shown(friction)} and {shown(damping)}")
    start = sheet.rest if places is None else sheet._checked(places)
    pull = np.array(doubles(gravity, "the gravity of a sheet", "(3,)"))
    cell = min(s / (n * sheet.cells) for s, n in zip(sheet.size, sheet.patches, strict=True))
    wide = 0.25 * cell if thickness is None else float(thickness)
    simulation = _Simulation(sheet, np.array(start), float(step), pull, obstacles, held or {}, float(friction), wide, float(damping))
    limit = Budget(seconds=None) if budget is None else as_budget(budget)
    steps, reason = _steps(simulation, round(until / step), float(step), Clock(limit))
    return ShellRun(sheet, np.array(start), tuple(steps), tuple(obstacles), reason)


def _steps(simulation: _Simulation, count: int, step: float, clock: Clock) -> tuple[list[Step], str]:
    """The steps that the budget lets be taken, and why there are no more. One that it ends is not among them."""
    found = list[Step]()
    with clock.query(), contextlib.suppress(TimeUp, KeyboardInterrupt), limited(lambda: clock.left):
        while len(found) < count and not clock.exceeded():
            found.append(simulation.advance((len(found) + 1) * step))
    ended = "" if len(found) == count else f"The budget was spent after {len(found)} of {count} steps."
    return found, ended
