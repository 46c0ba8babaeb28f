"""Rows of the five papers that run anew: what a paper describes, the printed figure, and the one that is measured now.

A row has the number that it has on the page `docs/pages/papers.md`. Its function returns the measured figure, and fails where a known
answer does not come out.
"""

from collections.abc import Callable
from typing import NamedTuple

import collide
from models.scenes import SCENES


class Row(NamedTuple):
    """A row of a paper: its number on the page, the `title`, the `printed` figure, and the function that measures."""

    number: int
    title: str
    printed: str
    measure: Callable[[], str]


PAPERS = "snyder", "vanecek", "kim", "ponamgi", "chen"
ROWS: dict[str, list[Row]] = {}


def row(paper: str, number: int, title: str, printed: str = "") -> Callable[[Callable[[], str]], Callable[[], str]]:
    """Register the decorated function as a row."""

    def register(measure: Callable[[], str]) -> Callable[[], str]:
        ROWS.setdefault(paper, []).append(Row(number, title, printed, measure))
        return measure

    return register


def told(c: collide.Contacts) -> str:
    """Points, how many are proved, and boxes, of an answer."""
    when = "" if c.time is None else f"t in [{c.time.lo:.12g}, {c.time.hi:.12g}], "
    return f"{c.status.name}, {when}{len(c.points)} points, {int(c.proved.sum())} unique, {c.iterations} boxes"


def scene(name: str, **options: object) -> collide.Contacts:
    """The answer of a scene of the catalogue, whose known time it holds."""
    s = SCENES[name]
    query = collide.first_contact if len(s.bodies) > 1 else collide.self_contact
    c = query(list(s.bodies), time=s.time, **(dict(s.options) | options))
    if s.known.time not in (None, "never"):
        close(c.time.hi, float(s.known.time), 1e-8)
    return c


def close(a: float, b: float, tolerance: float = 1e-9) -> float:
    """The first of two numbers, which must be as near as that to the second; returns how far it is."""
    if not abs(a - b) <= tolerance * max(1.0, abs(b)):
        raise AssertionError(f"{a!r} is not {b!r}")
    return abs(a - b)
