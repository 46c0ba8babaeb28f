"""Functions from tables (`graph.tables`), in exact arithmetic: polynomials, and what they may be off by."""

import math
from fractions import Fraction

from mpmath import libmp

from ..graph.tables import NEITHER, layout, rows
from .directed import DOWN, UP, Format, Number, Pair, infinite


def tabled_range(name: str, lo: Number, hi: Number, format: Format) -> Pair | None:
    """The range over a box within the table, as it encloses it; None for others."""
    table = layout(name)
    if infinite(lo) or infinite(hi):
        return None
    a, b = (Fraction(*libmp.to_rational(x)) for x in (lo, hi))
    if a < table.first or b > table.last or (b == table.last and not table.linear) or (a < b and table.rising == NEITHER):
        return None
    ends = [_value(name, x) for x in ((a, b) if table.rising else (b, a))]
    (low, _), (_, high) = ends
    down, up = (libmp.from_rational(x.numerator, x.denominator, format.precision, mode) for x, mode in ((low, DOWN), (high, UP)))
    return format.down(down), format.up(up)


def _value(name: str, x: Fraction) -> tuple[Fraction, Fraction]:
    table = layout(name)
    if table.linear:
        width = Fraction(1, 1 << table.bits)
        k = math.floor(x / width + Fraction(1, 2))
        number, t = k - int(table.first / width), x - k * width
    else:
        size = Fraction(1)
        while size * 2 <= x:
            size *= 2
        while size > x:
            size /= 2
        part = math.floor((x / size - 1) * (1 << table.bits))
        number = (round(math.log2(size / Fraction(table.first))) << table.bits) + part
        t = x / size - 1 - Fraction(2 * part + 1, 2 << table.bits)
    high, low, *c, error = rows(name)[number].tolist()
    total = Fraction(0)
    for a in reversed(c):
        total = (total + Fraction(a)) * t
    middle = Fraction(high) + Fraction(low) + total
    return middle - Fraction(error), middle + Fraction(error)
