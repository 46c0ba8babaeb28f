"""Closed loops of a chain, solved: assembled by Krawczyk's test, and followed by the equation of the implicit function theorem.

The closing equations F(q, s) = 0 define the values q of dependent joints as functions of the value s of the driving joint, with
q' = -(dF/dq)^-1 dF/ds as long as dF/dq is regular.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sympy as sp

from codegen.given import shown
from codegen.interval import Interval
from codegen.walk import free_symbols, replaced

from .driven_loops import DrivenLoop, called, dead_points, rates
from .enclosed_root import enclosed_root
from .joint import FIXED, PRISMATIC, REVOLUTE, Joint, across, aligned, move
from .loops import PIN, ROD, SPHERICAL, ClosedLoop, Closure, DeadPoint, LinkLoop, Point
from .motion import IDENTITY, Motion
from .ode import ode, ode_span
from .products import Product
from .symbols import Parameter, text

Value = Callable[[Joint, Mapping[str, Any]], Any]
# So far the driving joint turns each way if no span is given: four turns.
_TURNS = 8 * sp.pi


def solved_loops(loops: Sequence[LinkLoop], joints: Sequence[Joint], value: Value) -> tuple[ClosedLoop | DrivenLoop, ...]:
    """Each loop solved. `value`: the formula of a joint's value from those of joints with values of their own, by name.

    Raises ValueError where a loop is not assembled, not determined, or has a dead point in the span that was asked for.
    """
    solver = _Loops(joints, value)
    for given in loops:
        solver.solve(given)
    return tuple(solver.closed)


class _Loops:
    """Solves the loops of a tree of joints one after the other; later ones may hang on joints that earlier ones determine."""

    def __init__(self, joints: Sequence[Joint], value: Value) -> None:
        self._joints = {j.name: j for j in joints}
        self._parents = {j.child: j for j in joints}
        self._value = value
        self._symbols = {j.name: Parameter(f"value of {j.name}") for j in joints}
        self._solved: dict[tuple[str, ...], list[tuple[LinkLoop, list[Any], list[tuple[float, float]]]]] = {}
        self.closed: list[ClosedLoop | DrivenLoop] = []

    def solve(self, given: LinkLoop) -> None:
        self._check(given)
        rows = [e for c in given.closures for e in self._equations(c)]
        unknowns = [self._symbols[name] for name in given.dependent]
        if len(rows) != len(unknowns):
            raise ValueError(f"{called(given)} has {len(rows)} closing equations for {len(unknowns)} joints that follow: a pin makes two, "
                             "a spherical joint three, a rod and a slot one")
        earlier = self._solved.setdefault(given.drivers, [])
        allowed = {*unknowns, *(self._symbols[n] for n in (*given.drivers, *(n for done, *_ in earlier for n in done.dependent)))}
        if strange := sorted(str(s).removeprefix("value of ") for s in free_symbols(*rows) - allowed):
            raise ValueError(f"{called(given)} depends on joint {strange[0]} too: make that one follow, or name it among the driving "
                             "joints, driver=(...)")
        start = self._assembled(given, rows, unknowns)
        earlier.append((given, rows, start))
        several = len(given.drivers) > 1
        self.closed.append(DrivenLoop(given, tuple(earlier), self._symbols) if several else self._integrated(given, earlier))

    def _check(self, given: LinkLoop) -> None:
        for name in (*given.drivers, *given.dependent):
            j = self._joints.get(name)
            if j is None or j.kind == FIXED or j.follows is not None or any(name in c.dependent for c in self.closed):
                raise ValueError(f"{called(given)}: {shown(name)} is no joint with a value of its own")
        links = {j.parent for j in self._joints.values()} | set(self._parents)
        for c in given.closures:
            if (unknown := next((link for link in (c.first, c.second) if link not in links), None)) is not None:
                raise ValueError(f"{called(given)}: {unknown} is no link that a joint leads to or from")

    # -- equations --

    def _path(self, link: str) -> list[Joint]:
        """The joints from the root to a link."""
        found: list[Joint] = []
        while link in self._parents:
            found.append(self._parents[link])
            link = found[-1].parent
        return found[::-1]

    def _paths(self, c: Closure) -> tuple[list[Joint], list[Joint]]:
        """The joints to both links, without those that both share."""
        a, b = self._path(c.first), self._path(c.second)
        shared = next((k for k, (i, j) in enumerate(zip(a, b, strict=False)) if i is not j), min(len(a), len(b)))
        return a[shared:], b[shared:]

    def _equations(self, c: Closure) -> list[Any]:
        """Formulas that vanish where it is closed, in the frame of the last link that both sides share."""
        first, second = self._paths(c)
        a, b = (_along(path, lambda j: self._value(j, self._symbols)) for path in (first, second))
        apart = sp.Matrix(a.apply(c.at_first)) - sp.Matrix(b.apply(c.at_second))
        if c.kind == SPHERICAL:
            return list(apart)
        normal = _common_axis(first, second)
        if c.kind == ROD and normal is None:
            return [apart.dot(apart) - c.further**2]
        if normal is None:
            raise ValueError(f"a {c.kind} of {c.first} and {c.second} needs joints that turn about parallel axes and slide across them; in "
                             "space close the loop by spherical or rod")
        flat = [sum(e * d for e, d in zip(direction, apart, strict=True)) for direction in across(normal)]
        if c.kind == PIN:
            return flat
        if c.kind == ROD:
            return [flat[0] ** 2 + flat[1] ** 2 - c.further**2]
        along = b.turn(c.further)
        p, q = (sum(e * d for e, d in zip(direction, along, strict=True)) for direction in across(normal))
        return [flat[0] * q - flat[1] * p]

    # -- proofs --

    def _assembled(self, given: LinkLoop, rows: Sequence[Any], unknowns: Sequence[Any]) -> list[tuple[float, float]]:
        known = {self._symbols[n]: (sp.Rational(lo) + sp.Rational(hi)) / 2 for done, _, start in self._solved[given.drivers]
                 for n, (lo, hi) in zip(done.dependent, start, strict=True)}
        near = dict(given.near)
        at = {**known, **{self._symbols[n]: near[n] for n in given.drivers}}
        self._same_start(given)
        found = enclosed_root([replaced(e, at) for e in rows], unknowns, [float(near[n]) for n in given.dependent])
        if found is None:
            values, driving = (", ".join(f"{n} = {text(near[n])}" for n in names) for names in (given.dependent, given.drivers))
            raise ValueError(f"{called(given)} is not proved to close at {driving} near {values}: give values nearer to an assembly that "
                             "is no dead point")
        return found

    def _same_start(self, given: LinkLoop) -> None:
        before = self._solved[given.drivers]
        if before and any(dict(before[0][0].near)[n] != dict(given.near)[n] for n in given.drivers):
            raise ValueError(f"all loops that joint {' and '.join(given.drivers)} drives start at one value of it")

    def _integrated(self, given: LinkLoop, loops: Sequence[tuple[LinkLoop, list[Any], list[tuple[float, float]]]]) -> ClosedLoop:
        s, begin = self._symbols[given.driver], dict(given.near)[given.driver]
        states = [self._symbols[n] for done, *_ in loops for n in done.dependent]
        start = [e for *_, own in loops for e in own]
        lo, hi = self._asked(given, begin)
        solutions = ode(rates(s, loops, self._symbols), states, [e if e[0] < e[1] else e[0] for e in start], (s, begin, lo, hi))
        proved = ode_span(solutions[0])
        span = Interval(*(float(begin) + e for e in proved.span))
        dead = tuple(p for end, wanted in ((proved.span.lo, lo), (proved.span.hi, hi)) if (end > lo - begin and end < hi - begin)
                     for p in dead_points(given.driver, s, loops, self._symbols, solutions, (begin, end)))
        covered = span.lo <= float(lo) and float(hi) <= span.hi
        if given.span is not None and not covered:
            raise ValueError(_refused(given, span, dead, proved))
        whole = Interval(max(span.lo, float(lo)), min(span.hi, float(hi)))
        own = dict(zip([n for done, *_ in loops for n in done.dependent], solutions, strict=True))
        return ClosedLoop(given.driver, s, tuple((n, own[n]) for n in given.dependent), whole, dead)

    def _asked(self, given: LinkLoop, begin: Any) -> tuple[Any, Any]:
        joint = self._joints[given.driver]
        if given.span is None and joint.limits is None and joint.kind == PRISMATIC:
            raise ValueError(f"{called(given)} needs a span (lo, hi) of joint {given.driver}, or limits of that joint")
        lo, hi = given.span or joint.limits or (begin - _TURNS, begin + _TURNS)
        if not (lo <= begin <= hi):
            raise ValueError(f"{called(given)} is assembled at {given.driver} = {text(begin)}, outside of its span "
                             f"({text(lo)}, {text(hi)})")
        return lo, hi


def _along(path: Sequence[Joint], value: Callable[[Joint], Any]) -> Motion:
    """The motion of the last link of a path in the frame before its first joint."""
    motions = []
    for j in path:
        turn = IDENTITY if j.kind == FIXED else aligned(j.axis)
        motions += [j.origin, *([] if j.kind == FIXED else [turn, move(j.kind, value(j)), turn.inverse()])]
    return Product(*motions)


def _common_axis(*paths: Sequence[Joint]) -> Point | None:
    """The direction about which all joints of these paths turn, and across which they slide, proved on exact numbers; else None."""
    axes = [(j.kind, _along(path[:k + 1], lambda _: 0).turn(j.axis)) for path in paths for k, j in enumerate(path) if j.kind != FIXED]
    turning = [a for kind, a in axes if kind == REVOLUTE]
    if not turning:
        return None
    first = sp.Matrix(turning[0])
    parallel = all(_vanishes(e) for a in turning[1:] for e in first.cross(sp.Matrix(a)))
    flat = parallel and all(_vanishes(first.dot(sp.Matrix(a))) for kind, a in axes if kind == PRISMATIC)
    return turning[0] if flat else None


def _vanishes(e: Any) -> bool:
    found = sp.expand(e)
    return bool(found.is_zero) or found.equals(0) is True


def _refused(given: LinkLoop, span: Interval, dead: Sequence[DeadPoint], proved: Any) -> str:
    why = "; ".join(map(str, dead)) or proved.after or proved.before
    return (f"{called(given)} is proved regular for {given.driver} from {span.lo:.12g} to {span.hi:.12g} only, not over its whole span "
            f"({text(given.span[0])}, {text(given.span[1])}): {why}")  # type: ignore[index]
