"""Closed loops that several joints drive, followed along the way that these joints take together.

The closing equations F(q, s) = 0 define the values q of dependent joints as functions of the values s = (s1, ..., sk) of the driving ones,
as long as dF/dq is regular. The driving joints go along a way s(w): first straight from the assembly that is given to where they are at the
begin, then as their formulas of t say. There q' = -(dF/dq)^-1 dF/ds s', an equation of one variable as for one driving joint. Enclosures of
its solution prove that dF/dq is regular along the way.
"""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from codegen import compile
from codegen.initial_value.known import approximate
from codegen.interval import Interval
from codegen.walk import free_symbols, replaced

from .enclosed_root import enclosed_root
from .loops import DeadPoint, LinkLoop
from .ode import ode, ode_span
from .symbols import Parameter, t

System = tuple[LinkLoop, Sequence[Any], Sequence[tuple[float, float]]]
"""A loop, its closing equations, and intervals that hold the values of its dependent joints at the assembly."""
# The share of the straight way from the assembly to the begin. It is in formulas; no caller can name it.
_SHARE = Parameter("share of the way")
# A dead point counts as that of an end of what is proved if it is so near, against 1 + the length of the way.
_NEAR = 2.0**-6


def rates(s: Any, loops: Sequence[System], symbols: Mapping[str, Any]) -> list[Any]:
    """dq/ds of all loops: each block by its own matrix, from the rates of the blocks before it."""
    known: dict[Any, Any] = {}
    for given, rows, _ in loops:
        own = [symbols[n] for n in given.dependent]
        system, matrix = sp.Matrix(rows), sp.Matrix(rows).jacobian(own)
        pushed = system.diff(s) + sum((system.diff(q) * rate for q, rate in known.items()), sp.zeros(len(rows), 1))
        solved = -(matrix.adjugate() * pushed) / matrix.det()
        known.update(zip(own, solved, strict=True))
    return list(known.values())


def dead_points(name: str, s: Any, loops: Sequence[System], symbols: Mapping[str, Any], solutions: Sequence[Any],
                way: tuple[Any, float]) -> list[DeadPoint]:
    """The dead point near an end of what is proved, where there is a simple one. `way`: the value of s at the assembly, and how far from it
    the end is.
    """
    begin, end = way
    names = [n for done, *_ in loops for n in done.dependent]
    states, rows = [symbols[n] for n in names], [e for _, own, _ in loops for e in own]
    near = [float(approximate(f, np.array([end * (1 - 2.0**-30)]))[0]) for f in solutions]
    for done, own, _ in loops:
        matrix = sp.Matrix(own).jacobian([symbols[n] for n in done.dependent])
        found = enclosed_root([*rows, matrix.det()], [*states, s], [*near, float(begin) + end])
        if found is not None and abs(found[-1][0] - float(begin) - end) < _NEAR * (1 + abs(end)):
            brackets = [Interval(*e) for e in found]
            return [DeadPoint(name, brackets[-1], tuple(zip(names, brackets[:-1], strict=True)))]
    return []


def called(given: LinkLoop) -> str:
    """The name of a loop in messages."""
    return f"the loop of joints {', '.join(name for name, _ in given.near)}"


@dataclass(frozen=True, eq=False)
class DrivenLoop:
    """A loop with several driving joints, proved to close where it is assembled: `systems` are those of all loops that these joints
    drive, this one the last, and `symbols` those of joints in them.
    """

    given: LinkLoop
    systems: tuple[System, ...]
    symbols: Mapping[str, Any]

    @property
    def drivers(self) -> tuple[str, ...]:
        """The names of the driving joints."""
        return self.given.drivers

    @property
    def dependent(self) -> tuple[str, ...]:
        """The names of the joints whose values follow."""
        return self.given.dependent

    def followed(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values of the joints that follow, where joints have these values: formulas of t, or numbers. ValueError where it is not
        proved that they lead there.
        """
        return dict(zip(self.dependent, _followed(self, tuple(values[n] for n in self.drivers)), strict=True))


@functools.lru_cache(maxsize=256)
def _followed(loop: DrivenLoop, values: tuple[Any, ...]) -> list[Any]:
    given, near = loop.given, dict(loop.given.near)
    if strange := free_symbols(*values) - {t}:
        raise ValueError(f"{called(given)} has several driving joints, whose values are numbers or formulas of t alone; substitute a "
                         f"number for {min(map(str, strange))}")
    begin = sp.Integer(0) if given.span is None else given.span[0]
    first = [replaced(e, {t: begin}) for e in values]
    begins = [near[n] for n in given.drivers]
    straight = [a + _SHARE * (b - a) for a, b in zip(begins, first, strict=True)]
    start = [e for *_, own in loop.systems for e in own]
    if first != begins or not free_symbols(*values):
        along = _solutions(loop, _SHARE, straight, start, (0, 0, 1), "on the straight way from its assembly")
        start = _at_end(along)
    if not free_symbols(*values):
        return [replaced(e, {_SHARE: sp.Integer(1)}) for e in along[-len(given.dependent):]]
    ends = (begin, *given.span) if given.span is not None else (begin,)
    return _solutions(loop, t, values, start, ends, "over its span")[-len(given.dependent):]


def _solutions(loop: DrivenLoop, s: Any, way: Sequence[Any], start: Sequence[tuple[float, float]], ends: Sequence[Any],
               where: str) -> list[Any]:
    """The values of all dependent joints along a way of the driving ones, a formula of s each. `ends`: where it starts; and the least and
    greatest value of s for which it must be proved, if there are any.
    """
    change = {loop.symbols[n]: e for n, e in zip(loop.drivers, way, strict=True)}
    systems = [(own, [replaced(e, change) for e in rows], known) for own, rows, known in loop.systems]
    states = [loop.symbols[n] for own, *_ in systems for n in own.dependent]
    solutions = ode(rates(s, systems, loop.symbols), states, [e if e[0] < e[1] else e[0] for e in start], (s, *ends))
    if len(ends) == 3:
        begin, lo, hi = ends
        proved = ode_span(solutions[0])
        short = [end for end, wanted in ((proved.span.lo, lo - begin), (proved.span.hi, hi - begin)) if abs(end) < abs(float(wanted))]
        if short:
            what = "t" if s is t else "the share of the way"
            dead = [str(p) for end in short for p in dead_points(what, s, systems, loop.symbols, solutions, (begin, end))]
            raise ValueError(f"{called(loop.given)} is not proved regular {where}, where {what} goes from {float(lo):.12g} to "
                             f"{float(hi):.12g}, but from {float(begin) + proved.span.lo:.12g} to {float(begin) + proved.span.hi:.12g}: "
                             f"{'; '.join(dead) or proved.after or proved.before}")
    return solutions


def _at_end(along: Sequence[Any]) -> list[tuple[float, float]]:
    """Intervals that hold the values where the straight way ends."""
    lo, hi = compile(list(along), [_SHARE]).interval(np.ones((1, 1)), np.ones((1, 1)))
    return list(zip(lo[0].tolist(), hi[0].tolist(), strict=True))
