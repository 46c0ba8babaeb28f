"""Rows of a table: Taylor coefficients of an analytic function, and what bounds all that is left out.

About a centre c, let |f| <= M on the circle of radius R, of which M is seen by Arb over boxes that cover it. By Cauchy |c_k| <= M / R^k. So

    |f - sum_{k <= d} c_k t^k| <= M q^(d+1) / (1 - q),  q = T/R, for |t| <= T,

and of N equidistant points on a smaller circle of radius r the discrete transform is c_k r^k up to M (r/R)^N / (1 - (r/R)^N) for k < N.

Horner's scheme by fused operations, all powers of t exact, carries at most k + 1 roundings of the term c_k t^k, k >= 1, for powers up to
d; the sum with the low part of c_0 one more: (k + 3) u |c_k| T^k, u = 2^-52, with a factor for their products. Where a product underflows
2^-1060 is far more than that loses.
"""

import itertools
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from flint import acb, arb, ctx

from codegen.graph.tables import NEITHER, TableLayout

Function = Callable[[acb], acb]
ARCS, POINTS, PARTS = 24, 64, 16
U = 2.0**-52


class Table(NamedTuple):
    """`reach`: R as a part of the centre (geometric), or as it is (linear). `most`, of the least and the greatest real part x of the
    circle, bounds |f| there, if that is known; else Arb is asked. `series`, of a centre and a degree, has the coefficients, if not the
    transform.
    """

    function: Function
    layout: TableLayout
    reach: float
    series: Callable[[float, int], list[arb]] | None = None
    most: Callable[[arb, arb], arb] | None = None


def centres(table: TableLayout) -> list[tuple[float, float]]:
    """Of each cell the centre, and half its width."""
    if table.linear:
        width = 2.0**-table.bits
        return [(table.first + k * width, width / 2) for k in range(table.rows)]
    found, per = [], 1 << table.bits
    for k in range(table.rows):
        scale = table.first * 2.0 ** (k // per)
        found.append((scale * (1 + (k % per + 0.5) / per), scale / per / 2))
    return found


def made(table: Table, number: int) -> list[float]:
    """The row of a cell."""
    centre, half = centres(table.layout)[number]
    outer = table.reach if table.layout.linear else table.reach * centre
    inner = outer / 2
    ctx.cap = POINTS  # terms of series
    with ctx.workprec(300):
        f, x = table.function, arb(centre)
        most = _largest(f, centre, outer) if table.most is None else arb(table.most(x - outer, x + outer).upper())
        if table.series is not None:
            c = table.series(centre, table.layout.degree)
        else:
            c = _coefficients(f, centre, inner, table.layout.degree, most * _geometric(inner / outer, POINTS))
    with ctx.workprec(150):
        rest = most * _geometric(half / outer, table.layout.degree + 1)
        scale = 1.0 if table.layout.linear else 2.0 ** math.floor(math.log2(centre))
        return _row([a * arb(scale) ** k for k, a in enumerate(c)], half / scale, rest)


def _geometric(q: float, n: int) -> arb:
    ratio = arb(q)
    return ratio**n / (1 - ratio**n) if n >= POINTS else ratio**n / (1 - ratio)


def _largest(f: Function, centre: float, radius: float) -> arb:
    """An upper bound of |f| on a circle of which f is real in the middle, so that half of it counts."""
    return max((_bound(f, centre, radius, arb(k) / ARCS, arb(k + 1) / ARCS, 0) for k in range(ARCS)), key=lambda x: float(x.mid()))


def _bound(f: Function, centre: float, radius: float, begin: arb, end: arb, depth: int) -> arb:
    """Over an arc, between parts of a half turn, in two parts if Arb says nothing useful of the whole."""
    turn = acb(begin.union(end)).exp_pi_i()
    value, middle = abs(f(acb(centre) + acb(radius) * turn)), abs(f(acb(centre) + acb(radius) * acb((begin + end) / 2).exp_pi_i()))
    if value.is_finite() and (value.upper() < 8 * middle.upper() or depth > 5):
        return arb(value.upper())
    assert depth < 9, "no bound on the circle"
    half = (begin + end) / 2
    both = (_bound(f, centre, radius, *ends, depth + 1) for ends in ((begin, half), (half, end)))
    return max(both, key=lambda x: float(x.mid()))


def _coefficients(f: Function, centre: float, radius: float, degree: int, alias: arb) -> list[arb]:
    """Those of t^0, ..., t^degree, of a function that is real on the real line."""
    places = [acb(2 * arb(k) / POINTS).exp_pi_i() for k in range(POINTS)]
    values = [f(acb(centre) + acb(radius) * place) for place in places[:POINTS // 2 + 1]]
    values += [values[POINTS - k].conjugate() for k in range(POINTS // 2 + 1, POINTS)]
    found = []
    for k in range(degree + 1):
        total = sum((values[j] * places[(-j * k) % POINTS] for j in range(POINTS)), acb(0)).real / POINTS
        error = (alias / arb(radius) ** k).upper()
        found.append(arb(0, error) + total / arb(radius) ** k)
    return found


def _row(c: list[arb], half: float, rest: arb) -> list[float]:
    high = float(c[0].mid())
    low = float((c[0] - high).mid())
    numbers = [float(a.mid()) for a in c[1:]]
    off = abs(c[0] - high - low) + rest
    for k, (a, x) in enumerate(zip(c[1:], numbers, strict=True), 1):
        off += (abs(a - x) + abs(arb(x)) * (k + 3) * U * (1 + 99 * U)) * arb(half) ** k
    off += abs(arb(low)) * 2 * U + arb(2) ** -1060
    error = math.nextafter(float(arb(off.upper())), math.inf)
    return [high, low, *numbers, error * (1 + 2 * U)]


def all_rows(table: Table) -> np.ndarray:
    """The table; AssertionError unless the function is proved to be monotone on it, or the table is for points."""
    found = np.array([made(table, k) for k in range(table.layout.rows)])
    if table.layout.rising == NEITHER:
        return found
    for (centre, half), row in zip(centres(table.layout), found, strict=True):
        scale = 1.0 if table.layout.linear else 2.0 ** math.floor(math.log2(centre))
        assert _monotone(row.tolist()[2:-1], half / scale, bool(table.layout.rising), centre == 0), centre
    return found


def _monotone(c: list[float], half: float, rising: bool, even: bool) -> bool:
    """Whether the first derivative keeps its sign, part by part. At 0, where odd derivatives of an even function vanish, the first one that
    does not counts, for t > 0: the derivative divided by a power of t.
    """
    first = next(k for k, a in enumerate(c, 1) if not even or abs(a) > 1e-25)
    ends = [half * k / PARTS for k in range(0 if even else -PARTS, PARTS + 1)]
    for lo, hi in itertools.pairwise(ends):
        t, total = arb(lo).union(arb(hi)), arb(0)
        for k in range(len(c), first - 1, -1):
            total = total * t + k * c[k - 1]
        if not (total > 0 if rising else total < 0):
            return False
    return True
