"""The first contact of a mesh whose motion is fitted by screws: one screw after the other, with the error of the fit in the bracket.

The screws carry each point of the mesh no further than `error` from where the motion carries it. So the motion is free of contact as long
as the screws keep the meshes further apart than that. It has a contact where an edge goes through a triangle even if its ends are off by so
much.
"""

import contextlib
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from codegen.deadline import TimeUp, limited
from codegen.given import shown
from codegen.interval import Interval
from generative import Motion
from generative.screws import ScrewFit

from ...answers.contacts import Status
from ...bodies.mesh import Mesh, as_mesh
from ...search.budget import Budget, as_budget
from ...search.clock import Clock
from ..mesh.mesh_contact import MeshContact
from ..primitives.arguments import check_moving_tolerance
from .mesh_distance import DistanceTolerance, MeshDistanceBounds, MeshDistanceSearch
from .triangles_cross_exact import cross_surely

# By how much the reach of a search is beyond the error. Effort only.
_BEYOND = 1.0 + 2.0**-10
# Of heights and places along an edge against the size of what they are computed from: about a hundred roundings.
_ROUNDED = 2.0**-45
# Times of a screw at which a certain contact is looked for; halvings of the time before it.
_LOOKS, _HALVINGS = 32, 40


class _Crossing(NamedTuple):
    time: float
    triangles: tuple[int, int]
    point: np.ndarray


def screw_contact(first: Any, second: Any, fit: ScrewFit, tolerance: float = 1e-6, *, budget: Budget | float | None = None) -> MeshContact:
    """Find when a mesh whose motion was fitted by screws first meets another mesh, screw by screw.

    Parameters
    ----------
    first, second : pair or Mesh
        The mesh that moves, and one at rest: (vertices, triangles), vertices (n, 3).
    fit : ScrewFit
        Of `generative.fit.screws`, for the vertices of the first mesh.
    tolerance : float, optional
        `tolerance`, a bracket width: that of both ends of the bracket.
    budget : float or Budget, optional
        Seconds, or a `Budget`.

    Returns
    -------
    MeshContact
        Of the motion that was fitted. `time` is as wide as the error of the fit makes it.

    Raises
    ------
    TypeError
        For a fit that is none of screws.
    ValueError
        For what is no mesh, one that has a motion of its own, and a fit of other points than the vertices of the first mesh.

    Notes
    -----
    NO_CONTACT and `clear_until` are *proved* of the motion: the screws keep the meshes further apart than `fit.error`. CONTACT *proves*
    that the motion has a contact within `time`, and none before: an edge goes through a triangle, whatever the error. UNRESOLVED: the
    meshes come nearer than the error, and no contact is certain. Each screw is a formula of its own (Kim and Rossignac 2003, Section 2).

    Examples
    --------
    A block on an arm that swings ever faster comes down on a plate.

    >>> import numpy as np, sympy as sp
    >>> from collide import screw_contact
    >>> from generative import Rigid, axis_angle, fit, t
    >>> corners = [[1, 0, 0], [2, 0, 0], [1, 1, 0], [1, 0, 1]]
    >>> triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    >>> swing = fit.screws(Rigid(rotation=axis_angle([0, 1, 0], t**2)), (0, 1), corners, tolerance=1e-3)
    >>> plate = [[-4, -4, -1], [4, -4, -1], [0, 4, -1]], [[0, 1, 2]]
    >>> found = screw_contact((corners, triangles), plate, swing)
    >>> true = float(np.sqrt(np.arcsin(0.5)))   # the corner (2, 0, 0) comes to z = -1
    >>> found.status.name, found.time.lo <= true <= found.time.hi, found.time.hi - found.time.lo < 1e-2
    ('CONTACT', True, True)
    """
    if not isinstance(fit, ScrewFit):
        raise TypeError(f"screws come from generative.fit.screws, got {shown(fit)}")
    meshes = as_mesh(first, "first", True), as_mesh(second, "second", True)
    for mesh, which in zip(meshes, ("first", "second"), strict=True):
        if not mesh.motion.is_identity:
            raise ValueError(f"the {which} mesh has a motion of its own; fit screws to all of the motion of one, seen from the other")
    _check_points(meshes[0], fit)
    span = fit.time
    tolerance = check_moving_tolerance(tolerance, span)
    clock = Clock(as_budget(budget))
    search = _Chain(meshes, fit, tolerance, clock)
    with clock.query(), contextlib.suppress(TimeUp), limited(lambda: clock.left):
        return search.answer()
    return search.spent()


def _check_points(mesh: Mesh, fit: ScrewFit) -> None:
    known = {tuple(p) for p in fit.points}
    for k in np.unique(mesh.triangles).tolist():
        if tuple(mesh.vertices[k, :3].tolist()) not in known:
            raise ValueError(f"vertex {k} of the first mesh is none of the {len(fit.points)} points that the screws were fitted to; their "
                             "error says nothing of it, so fit them to the vertices")


class _Chain:
    """The search: `clear`, the time up to which the motion is proved free of contact."""

    def __init__(self, meshes: tuple[Mesh, Mesh], fit: ScrewFit, tolerance: float, clock: Clock) -> None:
        self.meshes, self.fit, self.tolerance, self.clock = meshes, fit, tolerance, clock
        self.clear, self.looks, self.known = fit.time[0], 0, -1

    def answer(self) -> MeshContact:
        """The answer, or TimeUp."""
        if not all(len(mesh.triangles) for mesh in self.meshes):
            return self._made(Status.NO_CONTACT, None)
        for k, (_, span) in enumerate(self.fit.segments):
            near = self._clear_until(k, span)
            if near is not None:
                self.clear = near
                found = self._certain(k)
                if found is not None:
                    return self._made(Status.CONTACT, Interval(near, found.time), found)
                return self._made(Status.UNRESOLVED, Interval(near, self.fit.time[1]))
            self.clear = span[1]
        return self._made(Status.NO_CONTACT, None)

    def spent(self) -> MeshContact:
        return self._made(Status.BUDGET_SPENT, Interval(self.clear, self.fit.time[1]))

    def _made(self, status: Status, time: Interval | None, found: _Crossing | None = None) -> MeshContact:
        a, b = (mesh.name for mesh in self.meshes)
        nowhere = np.full(3, np.nan)
        return MeshContact(status, time, self.clear, found.triangles if found else None, None, found.point if found else nowhere,
                           np.full((2, 3), np.nan), self.looks, 0, 0, self.clock.seconds, (a, b), notes=(
                               f"Of the motion that {len(self.fit.segments)} screws follow within {self.fit.error:.3g}.",))

    # -- one screw --------------------------------------------------------------------------------------------------------

    def _take(self, k: int) -> None:
        """Search the screw k from now on."""
        if self.known != k:
            reach = max(self.fit.error, 2.0**-1000) * _BEYOND
            motion: Motion = self.fit.segments[k][0]
            moving = self.meshes[0].moved(motion), self.meshes[1]
            self.state = MeshDistanceSearch(moving, DistanceTolerance(0.0, reach), self.clock, MeshDistanceBounds(), (0, 1))
            self.known = k

    def _look(self, begin: float, end: float) -> tuple[float, np.ndarray]:
        """A lower bound of the distance over a window, and the pairs of triangles that may be within the error."""
        if self.clock.exceeded():
            raise TimeUp
        self.looks += 1
        self.state.upper = self.state.found.upper = math.inf
        self.state.found.meets = False
        lower, pairs = self.state.look(begin, end, None)
        return lower, np.zeros((0, 2), int) if pairs is None else pairs

    def _clear_until(self, k: int, span: tuple[float, float]) -> float | None:
        """The time up to which the distance is proved to be more than the error; None if it is all the time."""
        self._take(k)
        windows = [span]
        while windows:
            begin, end = windows.pop()
            if self._look(begin, end)[0] > self.fit.error:
                self.clear = end
            elif end - begin <= 0.5 * self.tolerance or not begin < 0.5 * (begin + end) < end:
                return begin
            else:
                middle = 0.5 * (begin + end)
                windows += [(middle, end), (begin, middle)]
        return None

    def _certain(self, k: int) -> _Crossing | None:
        """A certain contact, about the first one, from `clear` on."""
        before = self.clear
        for number, time in self._times(k):
            found = self._crossing(number, time)
            if found is not None:
                return self._earlier(number, before, found)
            before = time
        return None

    def _times(self, k: int) -> Iterator[tuple[int, float]]:
        """Ever farther apart from `clear` on, and evenly in later screws."""
        for number in range(k, len(self.fit.segments)):
            begin, end = self.fit.segments[number][1]
            times = {end, *np.linspace(max(begin, self.clear), end, _LOOKS).tolist()}
            if number == k:
                times |= {self.clear + self.tolerance * 2.0**n for n in range(int(math.log2((end - begin) / self.tolerance)) + 1)}
            yield from ((number, time) for time in sorted(times) if begin <= time <= end)

    def _earlier(self, k: int, low: float, found: _Crossing) -> _Crossing:
        low = max(low, self.fit.segments[k][1][0])
        for _ in range(_HALVINGS):
            if found.time - low <= 0.5 * self.tolerance:
                break
            middle = 0.5 * (low + found.time)
            other = self._crossing(k, middle)
            low, found = (middle, found) if other is None else (low, other)
        return found

    def _crossing(self, k: int, time: float) -> _Crossing | None:
        """Triangles that meet at a time, whatever the error."""
        self._take(k)
        _, pairs = self._look(time, time)
        if not len(pairs):
            return None
        first, second = self.state.places(pairs)
        off = self.state.off + self.fit.error
        surely = cross_surely(first, second, off) | goes_through(first, second, off) | goes_through(second, first, off)
        if not surely.any():
            return None
        n = int(surely.argmax())
        i, j = pairs[n].tolist()
        return _Crossing(time, (i, j - self.state.triangles), np.concatenate([first[n], second[n]]).mean(axis=0))


def goes_through(edges: np.ndarray, faces: np.ndarray, off: float) -> np.ndarray:
    """(k,): whether a side of the first of two triangles (k, 3, 3) goes through the second, *proved* for corners off by `off` together.

    The ends of the side are further than `off` from the plane, on different sides. Where the side is no higher than `off`, it is further
    than `off` inside the three planes through the sides of the other triangle. So it meets the triangle wherever its points are.
    """
    a, ways = faces[:, 0], np.roll(faces, -1, axis=1) - faces
    normal = np.cross(ways[:, 0], faces[:, 2] - a)
    area = np.linalg.norm(normal, axis=1)
    found = np.zeros(len(faces), bool)
    size = np.abs(np.concatenate([edges, faces], axis=1) - a[:, None]).max(axis=(1, 2)) + off
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        up = normal / area[:, None]
        inward = np.cross(up[:, None], ways)
        inward /= np.linalg.norm(inward, axis=2)[..., None]
        blur = _ROUNDED * size * (size * size / area)
        for k in range(3):
            p, q = edges[:, k], edges[:, (k + 1) % 3]
            high, low = ((e - a) * up for e in (p, q))
            high, low = high.sum(axis=1), low.sum(axis=1)
            least = off + blur * (1.0 + size / np.abs(high - low))
            through = (np.minimum(high, low) < -least) & (np.maximum(high, low) > least)
            for level in (least, -least):
                at = p + ((high - level) / (high - low))[:, None] * (q - p)
                through &= (((at[:, None] - faces) * inward).sum(axis=2) > least[:, None]).all(axis=1)
            found |= through
    return found
