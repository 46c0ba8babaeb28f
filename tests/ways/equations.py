"""Systems of equations and minima asked in different ways: `solve` and `minimize` must tell the same zeros and the same least value in
whatever order and units the unknowns come, and however the domain is divided.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import sympy as sp
from scipy.optimize import least_squares

import collide
from collide import MinimumStatus, ZerosStatus

from ..laws import minimum_laws, zeros_laws
from .shapes import Draw

X = sp.symbols("x0 x1 x2", real=True)
TOGETHER = 1e-9


@dataclass(frozen=True)
class System:
    """Equations f = 0 over a box, or with an `objective` a minimum of that under them, where `at_least` is not negative."""

    kind: str
    seed: int
    unknowns: tuple[Any, ...]
    domain: tuple[tuple[Any, Any], ...]
    equations: tuple[Any, ...]
    objective: Any = None
    at_least: tuple[Any, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.kind}:{self.seed}"


@dataclass(frozen=True)
class Told:
    """What an answer says in the unknowns of the system: boxes (k, n, 2) that hold all zeros or minimizers, which of them are proved to
    hold one, whether the search came to its end, and the bracket of the least value.
    """

    way: str
    boxes: np.ndarray
    proved: np.ndarray
    complete: bool
    bracket: tuple[Any, ...] = (-np.inf, np.inf)
    asked: tuple[Any, ...] = ()


def term(d: Draw, unknowns: Sequence[Any]) -> Any:
    """A function of one or two unknowns."""
    a, b = d.choice(unknowns), d.choice(unknowns)
    c, e = d.number(-2, 2), d.number(0.5, 3)
    return c * d.choice([a, a * b, a**2, a**3, sp.sin(e * a), sp.cos(e * a + b), sp.exp(a * b / 4), sp.sqrt(5 + a), sp.Abs(a - e / 4),
                         1 / (1 + a**2 + b**2), sp.atan(e * a), sp.Max(a, b * e), sp.log(5 + a * b / 4), sp.sin(3 * e * a)])


def system(kind: str, seed: int) -> System:
    d = Draw(f"{kind} {seed}")
    n = d.choice((1, 2, 2, 3))
    unknowns = X[:n]
    domain = tuple((d.choice((-2, -1, d.number(-2, -1))), d.choice((1, 2, d.number(1, 2)))) for _ in unknowns)

    def formula() -> Any:
        return sum(term(d, unknowns) for _ in range(3)) + d.number(-1, 1)

    if kind == "zeros":
        # Near this point all equations have a zero.
        place = {x: d.number(-1, 1) for x in unknowns}
        return System(kind, seed, unknowns, domain, tuple(e - sp.Rational(float(e.xreplace(place))) for e in (formula() for _ in unknowns)))
    equal = (formula(),) if n > 1 and d.random() < 0.4 else ()
    at_least = (formula(),) if d.random() < 0.5 else ()
    return System(kind, seed, unknowns, domain, equal, formula(), at_least)


def ask(way: str, s: System, budget: float, back: Callable[[np.ndarray], np.ndarray] = lambda boxes: boxes,
        value: Callable[[float], Any] = Fraction) -> Told:
    """`back` maps boxes (k, n, 2) of the unknowns of the question to those of the system, outwards to rounding."""
    domain = dict(zip(s.unknowns, s.domain, strict=True))
    ends = [tuple(map(float, pair)) for pair in s.domain]
    if s.objective is None:
        r = collide.solve(list(s.equations), domain, budget=budget)
        zeros_laws(r, ends)
        asked = ("solve", list(s.equations), domain, {"budget": budget})
        return Told(way, back(r.boxes), r.proved, r.status in (ZerosStatus.COMPLETE, ZerosStatus.NO_SOLUTION), asked=(asked,))
    m = collide.minimize(s.objective, domain, equal=list(s.equations), at_least=list(s.at_least), budget=budget)
    minimum_laws(m, ends)
    asked = "minimize", s.objective, domain, {"equal": list(s.equations), "at_least": list(s.at_least), "budget": budget}
    ends = (np.inf, np.inf) if m.status is MinimumStatus.INFEASIBLE else m.bracket
    complete = m.status in (MinimumStatus.OPTIMAL, MinimumStatus.INFEASIBLE)
    return Told(way, back(m.boxes), m.unique, complete, tuple(w if np.isinf(w) else value(w) for w in ends), (asked,))


def as_drawn(s: System, d: Draw, budget: float) -> Told:
    return ask("as_drawn", s, budget)


def reordered(s: System, d: Draw, budget: float) -> Told:
    """Unknowns and equations in another order."""
    order = list(range(len(s.unknowns)))
    d.shuffle(order)
    equations = list(s.equations)
    d.shuffle(equations)
    other = System(s.kind, s.seed, tuple(s.unknowns[k] for k in order), tuple(s.domain[k] for k in order), tuple(equations), s.objective,
                   s.at_least)
    return ask("reordered", other, budget, lambda boxes: boxes[:, np.argsort(order)])


def rescaled(s: System, d: Draw, budget: float) -> Told:
    """Other units of the unknowns, powers of two, some reversed, and of the equations."""
    units = [d.choice((-1, 1)) * sp.Integer(2) ** d.randint(-12, 12) for _ in s.unknowns]
    there = {x: x * unit for x, unit in zip(s.unknowns, units, strict=True)}
    sizes = np.array([float(unit) for unit in units])
    domain = tuple(tuple(sorted((lo / unit, hi / unit))) for (lo, hi), unit in zip(s.domain, units, strict=True))
    equations = tuple(d.number(0.1, 9) * e.xreplace(there) for e in s.equations)
    other = System(s.kind, s.seed, s.unknowns, domain, equations, None if s.objective is None else s.objective.xreplace(there),
                   tuple(d.number(0.1, 9) * e.xreplace(there) for e in s.at_least))
    return ask("rescaled", other, budget, lambda boxes: np.sort(boxes * sizes[None, :, None], axis=2))


def objective_rescaled(s: System, d: Draw, budget: float) -> Told:
    """The objective in other units, moved."""
    a, b = sp.Integer(2) ** d.randint(-8, 8), d.randint(-3, 3)
    other = System(s.kind, s.seed, s.unknowns, s.domain, s.equations, a * s.objective + b, s.at_least)
    return ask("objective_rescaled", other, budget, value=lambda w: (Fraction(w) - b) / Fraction(int(a.p), int(a.q)))


def halved(s: System, d: Draw, budget: float) -> Told:
    """The domain in two parts."""
    k = d.randrange(len(s.unknowns))
    lo, hi = s.domain[k]
    middle = lo + (hi - lo) * d.number(0.2, 0.8)
    parts = []
    for ends in ((lo, middle), (middle, hi)):
        domain = tuple(ends if j == k else pair for j, pair in enumerate(s.domain))
        parts.append(ask("halved", System(s.kind, s.seed, s.unknowns, domain, s.equations, s.objective, s.at_least), budget))
    bracket = min(p.bracket[0] for p in parts), min(p.bracket[1] for p in parts)
    return Told("halved", np.concatenate([p.boxes for p in parts]), np.concatenate([p.proved for p in parts]),
                all(p.complete for p in parts), bracket, tuple(a for p in parts for a in p.asked))


WAYS: dict[str, Callable[[System, Draw, float], Told]] = {
    "as_drawn": as_drawn, "reordered": reordered, "rescaled": rescaled, "objective_rescaled": objective_rescaled, "halved": halved,
}  # fmt: skip


KINDS = ("zeros", "minima")


def contradictions(s: System, told: Sequence[Told]) -> Iterator[str]:
    """A zero that one proves and that lies in no box of another, a least value outside of a bracket, and more zeros than another proves."""
    for a, b in ((a, b) for first, second in combinations(told, 2) for a, b in ((first, second), (second, first))):
        if s.objective is not None:
            if a.bracket[0] > b.bracket[1]:
                yield f"the least value is at least {float(a.bracket[0])!r} in {a.way}, at most {float(b.bracket[1])!r} in {b.way}"
            continue
        for box in a.boxes[a.proved]:
            if not _meets(b.boxes, box).any():
                yield f"a zero proved in {box.tolist()} in {a.way} is in no box of {b.way}"
        if a.complete and b.complete and a.proved.sum() > b.proved.sum():
            yield f"{a.proved.sum()} zeros in {a.way}, {b.proved.sum()} in {b.way}"


def _meets(boxes: np.ndarray, box: np.ndarray) -> np.ndarray:
    """(k,): boxes that meet one, or nearly so: changes of units round."""
    room = TOGETHER * (1 + np.abs(box).max(axis=1))
    return ((boxes[:, :, 0] <= box[:, 1] + room) & (box[:, 0] - room <= boxes[:, :, 1])).all(axis=1)


def missed(s: System, told: Sequence[Told]) -> Iterator[str]:
    """What samples and local solves find, in floating point, and an answer excludes."""
    rng, names = np.random.default_rng(s.seed), list(s.unknowns)
    lo, hi = np.array([[float(e) for e in pair] for pair in s.domain]).T
    points = rng.uniform(lo, hi, (4000, len(names)))
    if s.objective is None:
        f = sp.lambdify(names, list(s.equations), "numpy")
        starts = points[np.argsort(np.abs(np.array([np.broadcast_to(e, len(points)) for e in f(*points.T)])).sum(axis=0))[:60]]
        for start in starts:
            solved = least_squares(lambda p: np.array(f(*p), float), start, bounds=(lo, hi), xtol=1e-15, ftol=1e-15, gtol=1e-15)
            if np.abs(solved.fun).max() < 1e-13:
                at = np.repeat(solved.x[:, None], 2, axis=1)
                yield from (f"a zero near {solved.x.tolist()}, found by samples, is in no box of {one.way}" for one in told
                            if not _meets(one.boxes, at + [[-1e-5, 1e-5]]).any())
    elif not s.equations:
        value, *others = sp.lambdify(names, [s.objective, *s.at_least], "numpy")(*points.T)
        allowed = np.all([np.broadcast_to(g, len(points)) > 1e-9 for g in others], axis=0) if others else np.full(len(points), True)
        least = np.broadcast_to(value, len(points))[allowed].min(initial=np.inf)
        yield from (f"a value of {least!r}, found by samples, is below the bracket from {float(one.bracket[0])!r} in {one.way}"
                    for one in told if least < float(one.bracket[0]) - 1e-9 * (1 + abs(least)))


def wrong(kind: str, seed: int, budget: float) -> tuple[list[str], list[Told]]:
    """All that contradicts in the answers about one system, and these."""
    s = system(kind, seed)
    told = [way(s, Draw(f"{kind} {seed} {name}"), budget) for name, way in WAYS.items()
            if name != "objective_rescaled" or s.objective is not None]
    return [*contradictions(s, told), *missed(s, told)], told
