"""`first_contact` by the method of Chen et al. 2024: surfaces that are Bezier patches on straight paths, all on one queue.

See `form` for what is accepted and `contacts` for the search. Time runs from 0 to 1 there, and lengths are divided by a
power of two, so that no product overflows.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from codegen.algebra import linear
from codegen.constants import enclose
from codegen.interval import Interval
from codegen.kernel import Kernel, compile
from codegen.machine.loop_runtime import compiled
from generative import ParametricSurface, Solid, u
from generative.symbols import exact

from ...answers.contacts import Contacts, Status
from ...moment.start import Beginning, Start, nested, start_of
from ...search.drive import Clock, drive
from ...search.native import layout
from .. import kernel as kernels
from .. import memory
from ..enclosure import enclose as enclose_gap
from ..form import Piece, Run, nearest, number, pieces, raised
from ..memory import LANES
from ..pairs import inherited
from . import contacts_memory as loop
from .apart import apart
from .contacts import run, start

_FIELDS = tuple(loop.FIELDS.items())
_PER_BOX = {"pair": 2, "window": 2, "heap": 1, "free": 1, "key": 1}
_PER_SOLUTION = {"found": 10, "place": 3, "direction": 3, "kind": 1, "owner": 2}
_NODES, _BOXES, _SOLUTIONS = 1 << 12, 1 << 12, 256
# The step of time within which boxes may come in any order: a part of the simultaneity, and the least and largest, of the span.
_STEP, _LEAST_STEP, _LARGEST_STEP = 1e-3, 2.0**-50, 1e-6
_LARGEST_RATIO = 2.0**30
# A search that needs more memory has spent its budget, unless the budget says otherwise.
_MOST_BYTES = 2**30
# Up to so many pairs of faces the state at the start is decided where they meet then.
_FEW = 16


def first_contact(bodies: Sequence[Any], time: tuple[Any, Any], span: tuple[float, float], clock: Clock, *, tracked: bool,
                  simultaneity: float, separation: float, tolerance: float) -> Contacts:
    """The earliest contact of ParametricSurface and Solid bodies whose surfaces `form.pieces` takes.

    *Proved*: before `clear_until` the surfaces do not meet. CONTACT: a contact is *proved* to exist within `time`, by the test of
    `proof` in a box that the method accepted. UNRESOLVED: boxes as small as the tolerance were accepted, as the method does it.
    """
    if tracked:
        raise ValueError("method 'time-dependent' leaves out no tracked contacts: use another method, or tracked=()")
    faces = [(k, f, face) for k, body in enumerate(bodies) for f, face in enumerate(_faces(body, k))]
    patches = [(k, f, piece) for k, f, face in faces for piece in pieces(face, f"body {k}")]
    ends = exact(time[0]), exact(time[1])
    search = PatchSearch([k for k, _, _ in patches], [p for _, _, p in patches], ends)
    search.set(simultaneity / float(ends[1] - ends[0]), separation, tolerance)
    if clock.budget.bytes is None:
        clock.budget = replace(clock.budget, bytes=_MOST_BYTES)
    finished = drive(search, clock)
    states = {(i, j): _start(search, bodies[i], bodies[j], span[0], tolerance, clock) for i, j in combinations(range(len(bodies)), 2)}
    return _answer(search, finished, [f"face {f}" for _, f, _ in patches], bodies, span, states, clock)


def _start(search: "PatchSearch", first: Any, second: Any, moment: float, tolerance: float, clock: Clock) -> Beginning:
    if search.clear() > 0.0:
        return Beginning(nested(first, second, moment, clock), True)
    few = len(_faces(first, 0)) * len(_faces(second, 1)) <= _FEW
    return start_of(first, second, moment, tolerance, clock) if few else Beginning(Start.UNKNOWN, False)


def _faces(body: Any, k: int) -> Sequence[ParametricSurface]:
    if isinstance(body, ParametricSurface):
        return (body,)
    if isinstance(body, Solid):
        return body.faces
    raise TypeError("method 'time-dependent' takes ParametricSurface and Solid bodies made of Bezier patches; "
                    f"body {k} is a {type(body).__name__}")


# -- the search ---------------------------------------------------------------------------------------------------


class PatchSearch:
    """The memory of `contacts` for patches, and which body each belongs to; `drive.drive` runs it."""

    problems, pole = (), None

    def __init__(self, bodies: Sequence[int], patches: Sequence[Piece], span: tuple[Any, Any]) -> None:
        self.patches, self.span, self.slices = patches, span, 0
        N, M = (max(p.degrees[k] for p in patches) for k in range(2))
        points, weights, error = _rounded(patches, (N, M), span)
        self.unit = 2.0 ** math.ceil(math.log2(_size(points) or 1.0))
        rational, ratio = bool((weights != 1).any()), float(weights.max() / weights.min())
        if ratio > _LARGEST_RATIO:
            raise ValueError(f"the weights of a body differ by a factor of {ratio:.3g}; at most 2**30 is accepted")
        self.arrays = self._allocate((N + 1) * (M + 1), len(patches))
        self.arrays |= {"patch": points / self.unit, "heavy": weights, "body": np.array(bodies, np.int64)}
        self._count[:memory.KRAWCZYK + 1] = _kernels(N, M, rational)
        for name, value in ((memory.POINTS, (N + 1) * (M + 1)), (memory.RATIONAL, rational), (memory.DEGREE, max(N, M)),
                            (memory.QUERIES, self.arrays["q"].ctypes.data), (memory.WEIGHTS, self.arrays["weights"].ctypes.data),
                            (memory.ROOM_NODES, _NODES + len(patches)), (memory.ROOM_BOXES, _BOXES + len(patches) ** 2)):
            self._count[name] = value
        self.state[[loop.PATCHES, loop.ROOM_SOLUTIONS]] = len(patches), _SOLUTIONS
        real = self.arrays["real"]
        real[[memory.SCALE, memory.RATIO, memory.UPPER, memory.CUT]] = _size(self.arrays["patch"]), ratio, np.inf, np.inf
        real[memory.ERROR] = inherited(2.0**-51, weights.reshape(1, -1)) if error else 0.0
        self._point()

    def _allocate(self, points: int, patches: int) -> dict[str, np.ndarray]:
        self.record = (points + kernels.MEASURES) * LANES
        sizes = {**memory.SIZES, **loop.SIZES, "q": 12 * points, "weights": 2 * points}
        sizes |= {name: (_NODES + patches) * n for name, n in self._per_node.items()}
        sizes |= {name: (_BOXES + patches**2) * n for name, n in _PER_BOX.items()}
        sizes |= {name: _SOLUTIONS * n for name, n in _PER_SOLUTION.items()}
        return {name: np.zeros(sizes.get(name, 1), np.int64 if kind is int else np.float64) for name, kind in loop.FIELDS.items()}

    @property
    def _per_node(self) -> dict[str, int]:
        return {"node": self.record, "child": 1, "depth": 1, "radius": 1, "rectangle": 4, "root": 1}

    def _point(self) -> None:
        self._count[memory.BASE] = self.arrays["node"].ctypes.data
        self._addresses = np.array([self.arrays[name].ctypes.data for name in loop.FIELDS])
        self.address = self._addresses.ctypes.data

    def set(self, simultaneity: float, separation: float, tolerance: float) -> None:
        """Options, in units of the span and of the surfaces' parameters."""
        longest = max(_longest(run) for p in self.patches for run in p.runs)
        self.limit[[loop.SEPARATION, loop.SIMULTANEITY]] = separation / self.unit, simultaneity
        self.limit[loop.STEP] = min(max(_STEP * simultaneity, _LEAST_STEP), _LARGEST_STEP)
        self.limit[[loop.FIRST, loop.EARLIEST, loop.CLEAR]] = np.inf
        self.arrays["real"][memory.TOLERANCE] = tolerance / longest

    def run(self, steps: int) -> int:
        """Up to so many boxes; the first time, every pair of patches is queued before. Why it stopped, as `layout` says."""
        if self.slices == 0:
            compiled(start, 0, _FIELDS)(self.address)
        self.slices += 1
        return compiled(run, 1, _FIELDS)(self.address, steps)

    def pause(self) -> None:
        """Nothing is done between slices."""

    def grow_boxes(self) -> None:
        self._grow({**self._per_node, **_PER_BOX})
        self._count[[memory.ROOM_NODES, memory.ROOM_BOXES]] *= 2

    def grow_solutions(self) -> None:
        self._grow(_PER_SOLUTION)
        self.state[loop.ROOM_SOLUTIONS] *= 2

    def _grow(self, names: dict[str, int]) -> None:
        for name in names:
            old = self.arrays[name]
            self.arrays[name] = np.concatenate([old, np.zeros_like(old)])
        self._point()

    @property
    def _count(self) -> np.ndarray:
        return self.arrays["count"]

    @property
    def state(self) -> np.ndarray:
        return self.arrays["state"]

    @property
    def limit(self) -> np.ndarray:
        return self.arrays["limit"]

    @property
    def steps(self) -> int:
        return self.slices

    @property
    def iterations(self) -> int:
        return int(self._count[memory.TESTS])

    @property
    def open_count(self) -> int:
        return int(self._count[memory.OPEN])

    @property
    def solution_count(self) -> int:
        return int(self.state[loop.SOLUTIONS])

    @property
    def bytes(self) -> int:
        return sum(a.nbytes for a in self.arrays.values())

    def clear(self) -> float:
        """The moment before which there is no contact: nothing open, accepted or thinned begins before it."""
        if self.slices == 0:
            return 0.0
        boxes = self.arrays["heap"][:int(self._count[memory.OPEN])]
        return float(self.arrays["window"][2 * boxes].min(initial=min(1.0, float(self.limit[loop.CLEAR]))))

    def time(self, s: float, up: bool) -> float:
        """A moment of the search as a time, rounded up or down: the span's ends are enclosed, and the time grows with both."""
        ends = [Fraction(enclose(e)[up]) for e in self.span]
        moment = ends[0] + (ends[1] - ends[0]) * Fraction(s)
        near = float(moment)
        wrong = Fraction(near) < moment if up else Fraction(near) > moment
        return math.nextafter(near, math.inf if up else -math.inf) if wrong else near


def _longest(run: Run) -> float:
    """The most the parameter grows with s."""
    return abs(float(run.rate * (1 if run.turn is None else run.turn)))


@cache
def _kernels(N: int, M: int, rational: bool) -> list[int]:
    """Addresses in the order of `memory`, from MEASURE to KRAWCZYK."""
    return [kernels.measure(N, M, rational), kernels.split(N, M, rational, False), kernels.split(N, M, rational, True),
            apart((N + 1) * (M + 1), rational), kernels.evaluate(N, M), enclose_gap(N, M, rational), linear.krawczyk(3)]


def _size(points: np.ndarray) -> float:
    return float(np.abs(points[:, 0]).max(initial=0.0) + np.abs(points[:, 1]).max(initial=0.0))


def _rounded(patches: Sequence[Piece], degrees: tuple[int, int], span: tuple[Any, Any]) -> tuple[np.ndarray, np.ndarray, bool]:
    """Control points and velocities (patches, 2, N+1, M+1, 3) and weights as doubles, each in error by at most 2**-51 of itself; was any
    rounded?
    """
    N, M = degrees
    points, weights = np.empty((len(patches), 2, N + 1, M + 1, 3)), np.empty((len(patches), N + 1, M + 1))
    first, length = number(span[0]), number(span[1]) - number(span[0])
    error = False
    for k, piece in enumerate(patches):
        nets = [_raised_net([[c[m] for c in row] for row in net], degrees) for net in (piece.points, piece.velocities) for m in range(3)]
        heavy = _raised_net(piece.weights, degrees)
        unit = 2 ** math.frexp(max(nearest(w)[0] for row in heavy for w in row))[1]
        for i in range(N + 1):
            for j in range(M + 1):
                w = heavy[i][j]
                rates = [nets[3 + m][i][j] / w for m in range(3)]
                numbers = [w / unit, *(nets[m][i][j] / w + first * rates[m] for m in range(3)), *(length * r for r in rates)]
                values = [nearest(x) for x in numbers]
                error = error or any(e > 0 for _, e in values)
                weights[k, i, j] = values[0][0]
                points[k, 0, i, j], points[k, 1, i, j] = [x for x, _ in values[1:4]], [x for x, _ in values[4:]]
    return points, weights, error


def _raised_net(net: list[list[Any]], degrees: tuple[int, int]) -> list[list[Any]]:
    rows = [raised(row, degrees[1]) for row in net]
    return [list(row) for row in zip(*(raised(column, degrees[0]) for column in zip(*rows, strict=True)), strict=True)]


# -- the answer ---------------------------------------------------------------------------------------------------


def _answer(s: PatchSearch, finished: bool, names: Sequence[str], bodies: Sequence[Any], span: tuple[float, float],
            beginnings: dict[tuple[int, int], Beginning], clock: Clock) -> Contacts:
    k = int(s.state[loop.SOLUTIONS])
    found, owner, kind = s.arrays["found"].reshape(-1, 5, 2)[:k], s.arrays["owner"].reshape(-1, 2)[:k], s.arrays["kind"][:k]
    limits = s.limit
    keep = np.flatnonzero(found[:, 4, 0] <= limits[loop.FIRST] + limits[loop.SIMULTANEITY])
    order = keep[np.argsort(found[keep, 4, 0], kind="stable")]
    upper = float(limits[loop.EARLIEST])
    status, last = _verdict(finished, k, upper, float(found[order, 4, 1].max(initial=s.clear())))
    until = span[1] if status is Status.NO_CONTACT else s.time(s.clear(), False)
    bracket = None if status is Status.NO_CONTACT else Interval(until, s.time(last, True))
    direction = s.arrays["direction"].reshape(-1, 3)[order]
    length = np.linalg.norm(direction, axis=1, keepdims=True)
    normals = np.where(length > 0, direction / np.where(length > 0, length, 1.0), np.nan)
    body = s.arrays["body"]
    return Contacts(
        status=status, time=bracket, clear_until=until, points=s.arrays["place"].reshape(-1, 3)[order] * s.unit, normals=normals,
        proved=np.zeros(len(order), np.bool_), existence=kind[order] == layout.EXISTS, pairs=body[owner[order]].reshape(-1, 2),
        features=[(names[i], names[j]) for i, j in owner[order]], boxes=[_box(s, owner[n], found[n]) for n in order],
        variables=[("u1", "v1", "u2", "v2", "t")] * len(order), iterations=clock.boxes, seconds=clock.seconds,
        start={pair: b.state for pair, b in beginnings.items()}, bodies=tuple(bodies), time_span=span,
        undecided=frozenset(pair for pair, b in beginnings.items() if b.apart and b.state is Start.UNKNOWN))


def _verdict(finished: bool, found: int, upper: float, last: float) -> tuple[Status, float]:
    """The status, and the end of the bracket."""
    if not finished:
        return Status.BUDGET_SPENT, min(upper, 1.0)
    if upper <= 1.0:
        return Status.CONTACT, upper
    return (Status.UNRESOLVED, last) if found else (Status.NO_CONTACT, 1.0)


def _box(s: PatchSearch, owner: np.ndarray, found: np.ndarray) -> np.ndarray:
    """The box in the surfaces' own parameters and in time, enclosed."""
    runs = [run for k in owner for run in s.patches[k].runs]
    rows = [_enclosed(run, *ends) for run, ends in zip(runs, found[:4], strict=True)]
    return np.array([*rows, (s.time(found[4, 0], False), s.time(found[4, 1], True))])


def _enclosed(run: Run, lo: float, hi: float) -> tuple[float, float]:
    numbers = [run.base, run.rate, 1 if run.turn is None else run.turn]
    parameters = np.array([enclose(x) for x in numbers]).T
    least, most = _run_kernel(run.turn is not None).interval(np.array([[lo]]), np.array([[hi]]), parameters=(parameters[0], parameters[1]))
    return float(least[0, 0]), float(most[0, 0])


@cache
def _run_kernel(angle: bool) -> Kernel:
    import sympy as sp

    a, b, c = sp.symbols("a b c", real=True)
    return compile([Run(a, b, c if angle else None).at(u)], [u], [a, b, c])
