"""General surfaces in general motion: pairs of turning, accelerating patches of several families, one compiled kernel for each family.

A pair of a family is a set of numbers: the kernels take them as parameters, so nothing is compiled or converted again. Timed
in processor time of this thread: the bracket alone (from the first test until the earliest contact is known to within the
tolerance, existence proved), and the whole search, which goes on to prove the contact unique and to find all others that
are simultaneous.
"""

import functools
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy as sp

import codegen
import collide
from codegen.tiers import begin_query, compile_repeated
from collide.batch import Batch
from collide.contact import situation
from collide.native import optimize_loops
from collide.parts import faces_of
from collide.problem import Problem
from collide.search import layout
from collide.state import Search
from generative import Parameter, ParametricSurface, Rigid, t, u, v

from . import multistart
from .timing import table

PAIRS, CHECKED, SEED, TOLERANCE = 300, 20, 1, 1e-6
# Times of the local method may be off by this: its contacts are within 1e-11 of each other.
ROUGH = 1e-9


@dataclass(frozen=True)
class Family:
    """Patches of one formula: `body` in u, v and `symbols`, and t where they deform; and a draw of the values of the symbols and of the
    domain.
    """

    name: str
    symbols: tuple[sp.Symbol, ...]
    body: tuple[Any, Any, Any]
    draw: Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]]

    @property
    def forms(self) -> tuple[bool, ...]:
        """Known to be rigid, or in any motion."""
        return (False,) if any(sp.sympify(e).has(t) for e in self.body) else (True, False)


def wavy() -> Family:
    """r (a cos u cos v, b sin u cos v, c sin v), r = 1 + w sin(3 u + p) sin(4 v + q): about a third of it."""
    a, b, c, w, p, q = symbols = sp.symbols("a b c w p q", real=True)
    r = 1 + w * sp.sin(3 * u + p) * sp.sin(4 * v + q)
    body = r * a * sp.cos(u) * sp.cos(v), r * b * sp.sin(u) * sp.cos(v), r * c * sp.sin(v)

    def draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        first = rng.uniform([-np.pi, -1.2], [np.pi, 0.0])
        values = [*rng.uniform(0.5, 1.0, 3), rng.uniform(0.05, 0.15), *rng.uniform(0, 2 * np.pi, 2)]
        return np.array(values), np.stack([first, first + rng.uniform(0.8, 1.6, 2)], axis=1)

    return Family("wavy ellipsoid patches", symbols, body, draw)


def bicubic() -> Family:
    """Sums of Bernstein polynomials with control points uniform in [-0.6, 0.6]."""
    points = sp.symbols("p0:48", real=True)

    def basis(s: Any) -> list[Any]:
        return [(1 - s)**3, 3 * s * (1 - s)**2, 3 * s**2 * (1 - s), s**3]

    rows = [[sum(b * points[12 * i + 3 * j + k] for j, b in enumerate(basis(v))) for k in range(3)] for i in range(4)]
    body = tuple(sum(b * rows[i][k] for i, b in enumerate(basis(u))) for k in range(3))

    def draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        return rng.uniform(-0.6, 0.6, 48), np.array([[0.0, 1.0], [0.0, 1.0]])

    return Family("bicubic patches", points, body, draw)  # type: ignore[arg-type]


def swinging() -> Family:
    """Bicubic patches each of whose control points swings by up to 0.2 in every coordinate."""
    base = bicubic()
    swings, paces = sp.symbols("d0:48", real=True), sp.symbols("w0:16", real=True)
    moved = {p: p + swings[k] * sp.sin(paces[k // 3] * t) for k, p in enumerate(base.symbols)}

    def draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        values, box = base.draw(rng)
        return np.concatenate([values, rng.uniform(-0.2, 0.2, 48), rng.uniform(1, 6, 16)]), box

    x, y, z = (e.xreplace(moved) for e in base.body)
    return Family("swinging bicubic patches", (*base.symbols, *swings, *paces), (x, y, z), draw)


def twisting() -> Family:
    """Bicubic patches twisted about an axis, up to 1 radian a unit of length."""
    base = bicubic()
    rate = sp.Symbol("twist", real=True)
    (x, y, z), angle = base.body, rate * t * base.body[2]

    def draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        values, box = base.draw(rng)
        return np.append(values, rng.uniform(-1, 1)), box

    turned = x * sp.cos(angle) - y * sp.sin(angle), x * sp.sin(angle) + y * sp.cos(angle), z
    return Family("twisting bicubic patches", (*base.symbols, rate), turned, draw)


_MOTION = sp.symbols("x y z angle rate push px py pz qx qy qz sx sy sz", real=True)


def motion() -> tuple[list[Any], list[Any]]:
    """Rotation about a unit axis by angle + rate t + push t^2, and translation p + q t + s t^2."""
    x, y, z, angle, rate, push, *moves = _MOTION
    c, s = sp.cos(angle + t * (rate + push * t)), sp.sin(angle + t * (rate + push * t))
    rotation = [c + (1 - c) * x * x, (1 - c) * x * y - s * z, (1 - c) * x * z + s * y,
                (1 - c) * x * y + s * z, c + (1 - c) * y * y, (1 - c) * y * z - s * x,
                (1 - c) * x * z - s * y, (1 - c) * y * z + s * x, c + (1 - c) * z * z]
    return rotation, [moves[k] + t * (moves[3 + k] + t * moves[6 + k]) for k in range(3)]


def drawn_motion(rng: np.random.Generator) -> np.ndarray:
    """Any turn, up to 2 radians in the time; no translation."""
    axis = rng.normal(size=3)
    return np.array([*(axis / np.linalg.norm(axis)), rng.uniform(0, 2 * np.pi), rng.uniform(-2, 2), rng.uniform(-1, 1), *np.zeros(9)])


def drawn_pair(family: Family, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The first patch comes from 1.5 away or further and flies by the second, so that their middles pass within about a half at
    half time, with an acceleration of about a half in every coordinate.
    """
    shapes = [family.draw(rng) for _ in range(2)]
    moves = [drawn_motion(rng) for _ in range(2)]
    middles = [_middle(family)(*box.mean(axis=1), 0.5, *values, *move) for (values, box), move in zip(shapes, moves, strict=True)]
    push = rng.normal(size=3) * 0.5
    speed = rng.normal(size=3)
    speed *= rng.uniform(3, 5) / np.linalg.norm(speed)
    moves[0][12:15], moves[0][9:12] = push, speed - push
    moves[0][6:9] = np.ravel(middles[1]) - np.ravel(middles[0]) + 0.5 * rng.normal(size=3) - 0.5 * (speed - push) - 0.25 * push
    return np.concatenate([shapes[0][0], moves[0], shapes[1][0], moves[1]]), np.concatenate([shapes[0][1], shapes[1][1], [[0.0, 1.0]]])


@functools.cache
def _middle(family: Family) -> Callable[..., Any]:
    """The position as a function of u, v, t and all numbers."""
    rotation, translation = motion()
    position = [sum(rotation[3 * k + j] * family.body[j] for j in range(3)) + translation[k] for k in range(3)]
    return sp.lambdify([u, v, t, *family.symbols, *_MOTION], position)  # type: ignore[no-any-return]


def surfaces(family: Family, rigid: bool = True) -> tuple[list[ParametricSurface], list[list[Parameter]]]:
    """Both patches of a pair, and for each the parameters that stand for its numbers, then those for the ends of its domain. Their motion
    is given apart, or else in the formula of a deforming surface.
    """
    names = [*family.symbols, *_MOTION]
    bodies, symbols = [], []
    for side in (1, 2):
        own = [Parameter(f"{s}_{side}") for s in (*names, "u0", "u1", "v0", "v1")]
        at, ends = dict(zip(names, own, strict=False)), own[len(names):]
        rotation, translation = ([e.xreplace(at) for e in part] for part in motion())
        moves = Rigid(sp.Matrix(3, 3, rotation), translation)
        body = [sp.sympify(e).xreplace(at) for e in family.body]
        still = ParametricSurface(body if rigid else moves.apply(body), {u: ends[:2], v: ends[2:]})
        bodies.append(still.moved(moves) if rigid else still)
        symbols.append(own)
    return bodies, symbols


def problem(family: Family, rigid: bool) -> Problem:
    """Two patches of the family, known to be rigid or not, over time [0, 1]; the numbers of both as parameters."""
    bodies, symbols = surfaces(family, rigid)
    whole = situation(*(faces_of(body)[0] for body in bodies), (0, 1), symbols=tuple(tuple(own[:-4]) for own in symbols))
    # Closed patches stand for their borders: there is no tangency at their sides.
    return replace(whole, border=np.array([[1, 1]] * 4 + [[0, 0]]))


def asked(family: Family, numbers: np.ndarray, boxes: np.ndarray) -> tuple[list[ParametricSurface], dict[Parameter, np.ndarray]]:
    """Both bodies, and the values of their parameters in all pairs."""
    bodies, symbols = surfaces(family)
    values = np.split(numbers, 2, axis=1)
    columns = [np.column_stack([values[k], boxes[:, 2 * k:2 * k + 2].reshape(-1, 4)]).T for k in (0, 1)]
    return bodies, {s: row for own, rows in zip(symbols, columns, strict=True) for s, row in zip(own, rows, strict=True)}


def swept(family: Family, numbers: np.ndarray, boxes: np.ndarray) -> tuple[float, Batch]:
    """All pairs by the public function: seconds, and its answer."""
    bodies, parameters = asked(family, numbers, boxes)
    begin = time.thread_time()
    answer = collide.contact_batch(bodies, (0, 1), parameters=parameters, tolerance=TOLERANCE)
    return time.thread_time() - begin, answer


def drawn(family: Family, count: int, seed: int = SEED) -> tuple[np.ndarray, np.ndarray]:
    """Parameters (count, p) and boxes (count, 5, 2)."""
    rng = np.random.default_rng(seed)
    pairs = [drawn_pair(family, rng) for _ in range(count)]
    return np.array([numbers for numbers, _ in pairs]), np.array([box for _, box in pairs])


def searched(whole: Problem, numbers: np.ndarray, box: np.ndarray, gap: float) -> tuple[float, float, Search]:
    """Seconds of the search alone and with its set-up. What several searches use is compiled, as between queries."""
    begin_query()
    begin = time.thread_time()
    search = Search([whole.instance(np.stack([numbers] * 2, axis=1), box, box)], simultaneity=0.0 if gap else 1e-6, separation=0.05)
    search.real[layout.GAP] = gap
    middle = time.thread_time()
    while (reason := search.run(100_000)) != layout.FINISHED:
        if reason == layout.NEED_BOXES:
            search.grow_boxes()
        elif reason == layout.NEED_SOLUTIONS:
            search.grow_solutions()
    end = time.thread_time()
    compile_repeated()
    optimize_loops(math.inf, repeated=True)
    return end - middle, end - begin, search


def _row(whole: Problem, label: str, numbers: np.ndarray, boxes: np.ndarray, gap: float) -> list[Any]:
    times, results = np.full((2, len(numbers)), np.inf), np.full(len(numbers), np.inf)
    tests, solves = np.zeros(len(numbers)), np.zeros(len(numbers))
    for _ in range(2):
        for k, (q, box) in enumerate(zip(numbers, boxes, strict=True)):
            alone, together, search = searched(whole, q, box, gap)
            times[:, k] = np.minimum(times[:, k], [1e3 * alone, 1e3 * together])
            results[k], tests[k] = search.real[layout.PROVED], search.count[layout.ITERATIONS]
            solves[k] = search.count[layout.LOCAL_SOLVES]
    t = times[0]
    return [label, len(t), int((results < np.inf).sum()), float(t.mean()), float(np.median(t)), float(np.percentile(t, 99)), float(t.max()),
            float(times[1].mean()), float(tests.mean()), float(np.median(tests)), float(solves.mean())]


def difference(family: Family) -> codegen.Kernel:
    """S1 - S2 and its derivatives by u1, v1, u2, v2, t, of all numbers of both."""
    variables = sp.symbols("u1 v1 u2 v2 t", real=True)
    names = [*family.symbols, *_MOTION]
    numbers = sp.symbols(f"n0:{2 * len(names)}", real=True)
    rotation, translation = motion()
    position = [sum(rotation[3 * k + j] * family.body[j] for j in range(3)) + translation[k] for k in range(3)]
    sides = []
    for side in (0, 1):
        at = {u: variables[2 * side], v: variables[2 * side + 1], t: variables[4]}
        at |= dict(zip(names, numbers[side * len(names):], strict=False))
        sides.append([e.xreplace(at) for e in position])
    return multistart.kernel([a - b for a, b in zip(*sides, strict=True)], variables, numbers)


def checked(family: Family, numbers: np.ndarray, boxes: np.ndarray, starts: int) -> list[list[Any]]:
    """What a local method finds from random starts beside what both searches prove: rows of a table.

    Contradictions are contacts found where we prove that there is none.
    """
    rng, formula = np.random.default_rng(SEED), difference(family)
    begin = time.thread_time()
    found = np.array([multistart.earliest(formula, q, box, starts, rng).time for q, box in zip(numbers, boxes, strict=True)])
    seconds = (time.thread_time() - begin) / len(numbers)
    return [[f"{family.name}, {'rigid' if rigid else 'any motion'}", len(found), starts, seconds,
             *compared(found, bounds(problem(family, rigid), numbers, boxes))] for rigid in family.forms]


def bounds(whole: Problem, numbers: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """Of each pair the time before which there is proved to be no contact, and the time by which one is proved; inf for none."""
    rows = []
    for q, box in zip(numbers, boxes, strict=True):
        real = searched(whole, q, box, TOLERANCE)[2].real
        proved = float(real[layout.PROVED])
        rows.append((min(real[layout.CLEAR], proved - TOLERANCE * max(1.0, abs(proved)) if proved < np.inf else np.inf), proved))
    return np.array(rows)


def compared(found: np.ndarray, ours: np.ndarray) -> list[Any]:
    """Contacts of ours, brackets wider than the tolerance, contacts of the local method, how many of them are no later than ours by
    more than the tolerance, how much later the worst is, contradictions.
    """
    clear, proved = ours.T
    hit = proved < np.inf
    both = hit & (found < np.inf)
    late = found[both] - proved[both]
    return [int(hit.sum()), int((proved[hit] - clear[hit] > 1.001 * TOLERANCE).sum()), int((found < np.inf).sum()),
            int((late <= TOLERANCE).sum()), f"{late.max():.1e}" if len(late) else "-", int((found < clear - ROUGH).sum())]


def main(every: bool = False, count: int = PAIRS, starts: int = 20_000) -> None:
    """`every`: all pairs go through the local method too, not the first of them only."""
    rows, batches, checks = [], [], []
    for family in (wavy(), bicubic(), swinging(), twisting()):
        numbers, boxes = drawn(family, count)
        for rigid in family.forms:
            whole = problem(family, rigid)
            searched(whole, numbers[0], boxes[0], TOLERANCE)
            for label, gap in ((f"to {TOLERANCE:g}", TOLERANCE), ("whole search", 0.0)):
                rows.append(_row(whole, f"{family.name}, {'rigid' if rigid else 'any motion'}: {label}", numbers, boxes, gap))
        swept(family, numbers[:30], boxes[:30])
        seconds, answer = min((swept(family, numbers, boxes) for _ in range(2)), key=lambda found: found[0])
        batches.append([family.name, count, int(answer.hit.sum()), int(answer.proved.sum()), 1e3 * seconds / count,
                        float(answer.tests.mean())])
        some = slice(count if every else CHECKED)
        checks += checked(family, numbers[some], boxes[some], starts)
    table("General surfaces: milliseconds a pair", ["", "pairs", "contacts", "mean", "median", "99 %", "max", "with set-up", "tests",
                                                   "median", "solves"], rows)
    table("The same pairs by collide.contact_batch: milliseconds a pair, everything included",
          ["", "pairs", "contacts", "proved", "mean", "tests"], batches)
    table("A local method from random starts, beside ours",
          ["", "pairs", "starts each", "seconds a pair", "contacts, ours", "brackets wider", "its", "as early", "latest by",
           "contradictions"],
          checks)
