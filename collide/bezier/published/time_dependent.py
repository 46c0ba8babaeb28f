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
from codegen.machine.memory import Memory, Number
from generative import ParametricSurface, Solid, u
from generative.body import called
from generative.symbols import exact

from ...answers.contacts import Contacts, Status
from ...moment.start import Beginning, Start, nested, start_of
from ...search.clock import Clock
from ...search.drive import drive
from ...search.native import layout
from ...search.options import Options
from .. import kernel as kernels
from ..enclosure import enclose as enclose_gap
from ..form import BezierPiece, ParameterRun, nearest, number, pieces, raised
from ..pairs import inherited
from .apart import apart
from .contacts import run, start
from .contacts_memory import AcceptedBox, BezierPatchRow, ContactsMemory

_NODES, _BOXES, _SOLUTIONS = 1 << 12, 1 << 12, 256
# The step of time within which boxes may come in any order: a part of the simultaneity, and the least and largest, of the span.
_STEP, _LEAST_STEP, _LARGEST_STEP = 1e-3, 2.0**-50, 1e-6
_LARGEST_RATIO = 2.0**30
# A search that needs more memory has spent its budget, unless the budget says otherwise.
_MOST_BYTES = 2**30
# Up to so many pairs of faces the state at the start is decided where they meet then.
_FEW = 16


def first_contact(bodies: Sequence[Any], time: tuple[Any, Any], span: tuple[float, float], clock: Clock, options: Options, *,
                  tracked: bool) -> Contacts:
    """The earliest contact of ParametricSurface and Solid bodies whose surfaces `form.pieces` takes.

    *Proved*: before `clear_until` the surfaces do not meet. CONTACT: a contact is *proved* to exist within `time`, by the test of
    `proof` in a box that the method accepted. UNRESOLVED: boxes as small as the tolerance were accepted, as the method does it.
    """
    if tracked:
        raise ValueError("method 'time-dependent' leaves out no tracked contacts: use another method, or tracked=()")
    faces = [(k, f, face) for k, body in enumerate(bodies) for f, face in enumerate(_faces(body, called(bodies, k)))]
    patches = [(k, f, piece) for k, f, face in faces for piece in pieces(face, called(bodies, k))]
    ends = exact(time[0]), exact(time[1])
    search = PatchSearch([k for k, _, _ in patches], [p for _, _, p in patches], ends)
    search.set(options.simultaneity / float(ends[1] - ends[0]), options.spacing, options.tolerance)
    if clock.budget.bytes is None:
        clock.budget = replace(clock.budget, bytes=_MOST_BYTES)
    finished = drive(search, clock)
    states = {(i, j): _start(search, bodies[i], bodies[j], span[0], options.tolerance, clock)
              for i, j in combinations(range(len(bodies)), 2)}
    return _answer(search, finished, [f"face {f}" for _, f, _ in patches], bodies, span, states, clock)


def _start(search: "PatchSearch", first: Any, second: Any, moment: float, tolerance: float, clock: Clock) -> Beginning:
    if search.clear() > 0.0:
        return Beginning(nested(first, second, moment, clock), True)
    few = len(_faces(first)) * len(_faces(second)) <= _FEW
    return start_of(first, second, moment, tolerance, clock) if few else Beginning(Start.UNKNOWN, False)


def _faces(body: Any, name: str = "a body") -> Sequence[ParametricSurface]:
    if isinstance(body, ParametricSurface):
        return (body,)
    if isinstance(body, Solid):
        return body.faces
    raise TypeError("method 'time-dependent' takes ParametricSurface and Solid bodies made of Bezier patches; "
                    f"{name} is a {type(body).__name__}")


# -- the search ---------------------------------------------------------------------------------------------------


class PatchSearch:
    """The memory of `contacts` for patches, and which body each belongs to; `drive.drive` runs it."""

    problems, pole = (), None
    iterations, open_count = Number[int](ContactsMemory, "tests"), Number[int](ContactsMemory, "open")
    solution_count, proved = Number[int](ContactsMemory, "contacts"), Number[float](ContactsMemory, "proved")
    first, earliest = Number[float](ContactsMemory), Number[float](ContactsMemory)

    def __init__(self, bodies: Sequence[int], patches: Sequence[BezierPiece], span: tuple[Any, Any]) -> None:
        self.patches, self.span, self.steps = patches, span, 0
        N, M = (max(p.degrees[k] for p in patches) for k in range(2))
        net, weights, error = _rounded(patches, (N, M), span)
        self.unit = 2.0 ** math.ceil(math.log2(_size(net) or 1.0))
        rational, ratio = bool((weights != 1).any()), float(weights.max() / weights.min())
        if ratio > _LARGEST_RATIO:
            raise ValueError(f"the weights of a body differ by a factor of {ratio:.3g}; at most 2**30 is accepted")
        points, count = (N + 1) * (M + 1), len(patches)
        self.arrays = Memory(ContactsMemory, {
            "pairs": 1, "points": points, "record": points + kernels.MEASURES, "patches": count, "node_room": _NODES + count,
            "box_room": _BOXES + count**2, "contact_room": _SOLUTIONS})
        self.arrays["net"][:], self.arrays["heavy"][:] = (net / self.unit).reshape(count, 2, points, 3), weights.reshape(count, points)
        self.arrays.table(BezierPatchRow)["body"] = bodies
        self._set(**_kernels(N, M, rational), rational=rational, degree=max(N, M), scale=_size(self.arrays["net"]), ratio=ratio,
                  proved=np.inf, cut=np.inf, error=inherited(2.0**-51, weights.reshape(1, -1)) if error else 0.0)

    def _set(self, **numbers: float) -> None:
        for name, value in numbers.items():
            self.arrays.set(name, value)

    def set(self, simultaneity: float, spacing: float, tolerance: float) -> None:
        """Options, in units of the span and of the surfaces' parameters."""
        longest = max(_longest(run) for p in self.patches for run in p.runs)
        self._set(spacing=spacing / self.unit, simultaneity=simultaneity, tolerance=tolerance / longest,
                  step=min(max(_STEP * simultaneity, _LEAST_STEP), _LARGEST_STEP), first=np.inf, earliest=np.inf, clear=np.inf)

    def run(self, steps: int) -> int:
        """Up to so many boxes; the first time, every pair of patches is queued before. Why it stopped, as `layout` says."""
        if self.steps == 0:
            compiled(start)(self.arrays.address)
        self.steps += 1
        return compiled(run)(self.arrays.address, steps)

    def pause(self) -> None:
        """Nothing is done between slices."""

    def grow_boxes(self) -> None:
        self.arrays.double("node_room")
        self.arrays.double("box_room")

    def grow_solutions(self) -> None:
        self.arrays.double("contact_room")

    @property
    def bytes(self) -> int:
        return self.arrays.bytes

    def clear(self) -> float:
        """The moment before which there is no contact: nothing open, accepted or thinned begins before it."""
        if self.steps == 0:
            return 0.0
        boxes = self.arrays["heap"][:self.open_count]
        return float(self.arrays["begin"][boxes].min(initial=min(1.0, self.arrays.number("clear"))))

    def time(self, s: float, up: bool) -> float:
        """A moment of the search as a time, rounded up or down: the span's ends are enclosed, and the time grows with both."""
        ends = [Fraction(enclose(e)[up]) for e in self.span]
        moment = ends[0] + (ends[1] - ends[0]) * Fraction(s)
        near = float(moment)
        wrong = Fraction(near) < moment if up else Fraction(near) > moment
        return math.nextafter(near, math.inf if up else -math.inf) if wrong else near


def _longest(run: ParameterRun) -> float:
    """The most the parameter grows with s."""
    return abs(float(run.rate * (1 if run.turn is None else run.turn)))


@cache
def _kernels(N: int, M: int, rational: bool) -> dict[str, int]:
    """Addresses, as the memory calls them."""
    return {"measure": kernels.measure(N, M, rational), "split_u": kernels.split(N, M, rational, False),
            "split_v": kernels.split(N, M, rational, True), "test": apart((N + 1) * (M + 1), rational), "evaluate": kernels.evaluate(N, M),
            "enclose": enclose_gap(N, M, rational), "krawczyk": linear.krawczyk(3)}


def _size(points: np.ndarray) -> float:
    return float(np.abs(points[:, 0]).max(initial=0.0) + np.abs(points[:, 1]).max(initial=0.0))


def _rounded(patches: Sequence[BezierPiece], degrees: tuple[int, int], span: tuple[Any, Any]) -> tuple[np.ndarray, np.ndarray, bool]:
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
    k = s.solution_count
    found, rows = s.arrays["found"][:k], s.arrays.table(AcceptedBox)[:k]
    owner = np.stack([rows["first"], rows["second"]], axis=1)
    keep = np.flatnonzero(found[:, 4, 0] <= s.first + s.arrays.number("simultaneity"))
    order = keep[np.argsort(found[keep, 4, 0], kind="stable")]
    status, last = _verdict(finished, k, s.earliest, float(found[order, 4, 1].max(initial=s.clear())))
    until = span[1] if status is Status.NO_CONTACT else s.time(s.clear(), False)
    bracket = None if status is Status.NO_CONTACT else Interval(until, s.time(last, True))
    direction = s.arrays["direction"][order]
    length = np.linalg.norm(direction, axis=1, keepdims=True)
    normals = np.where(length > 0, direction / np.where(length > 0, length, 1.0), np.nan)
    body = s.arrays.table(BezierPatchRow)["body"]
    return Contacts(
        status=status, time=bracket, clear_until=until, points=s.arrays["place"][order] * s.unit, normals=normals,
        proved=np.zeros(len(order), np.bool_), existence=rows["kind"][order] == layout.EXISTS, pairs=body[owner[order]].reshape(-1, 2),
        features=[(names[i], names[j]) for i, j in owner[order]], boxes=[_box(s, owner[n], found[n]) for n in order],
        variables=[("u1", "v1", "u2", "v2", "t")] * len(order), iterations=clock.boxes, seconds=clock.seconds,
        start={pair: b.state for pair, b in beginnings.items()}, bodies=tuple(bodies), time_span=span,
        nesting=frozenset(pair for pair, b in beginnings.items() if b.apart and b.state is Start.UNKNOWN),
        open=() if status in (Status.CONTACT, Status.NO_CONTACT) else tuple(beginnings))


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


def _enclosed(run: ParameterRun, lo: float, hi: float) -> tuple[float, float]:
    numbers = [run.base, run.rate, 1 if run.turn is None else run.turn]
    parameters = np.array([enclose(x) for x in numbers]).T
    least, most = _run_kernel(run.turn is not None).interval(np.array([[lo]]), np.array([[hi]]), parameters=(parameters[0], parameters[1]))
    return float(least[0, 0]), float(most[0, 0])


@cache
def _run_kernel(angle: bool) -> Kernel:
    import sympy as sp

    a, b, c = sp.symbols("a b c", real=True)
    return compile([ParameterRun(a, b, c if angle else None).at(u)], [u], [a, b, c])
