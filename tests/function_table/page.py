"""The page of the documentation about functions, from measured constructs."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from .constructs import Construct
from .measured import BOXES, COMPILES, REFUSED, SAMPLES, STEP, Measured

PAGE = Path(__file__).parents[2] / "docs" / "pages" / "functions.md"
Rows = Sequence[tuple[Construct, Measured]]
HEAD = """# Functions, and how tight they are

Written by `python -m tests.function_table` from a list of {count} constructs as SymPy users write them: {compiles} compile, {steps} compile
after one step of SymPy's own, {refused} are refused. The last section lists both with the sentence of the message.

Of {boxes} random boxes of one double, of a thousandth and of one unit width (less where a function is defined on less) the tables have
how much wider than the range the bounds are: *thin* in units of the last place, the others as a part of the range's width; median and
worst. Values are Arb's. The range is the hull of {samples} of them (25 for two variables), so it is too small itself, by some thousandths
for boxes that hold an extreme; where all values are equal, the figures are parts of their size. No value lay outside the bounds. Where
Arb has no function of the kind there is no figure. `n` is a positive integer, and figures of lists and matrices are those of an entry.
"""
TABLE = """
## {group}

| construct | from, to | thin | 1e-3 | 1 | |
|---|---|---|---|---|---|
"""
OTHERS = """
## Not compiled as they stand

"In Arb" means that Arb has a real value in the middle of the range. Such a construct without a step has a reason.

| construct | step | in Arb | message | reason |
|---|---|---|---|---|
"""


def page(rows: Rows) -> str:
    """All of it, as Markdown."""
    count = Counter(m.state for _, m in rows)
    text = HEAD.format(count=len(rows), compiles=count[COMPILES], steps=count[STEP], refused=count[REFUSED], boxes=BOXES, samples=SAMPLES)
    compiled = [(c, m) for c, m in rows if m.state == COMPILES]
    for group, members in groupby(compiled, key=lambda row: row[0].group):
        text += TABLE.format(group=group) + "".join(_row(c, m) for c, m in members)
    return text + OTHERS + "".join(_other(c, m) for c, m in rows if m.state != COMPILES)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _row(c: Construct, m: Measured) -> str:
    thin, small, wide = (f"{median:{form}} / {worst:{form}}" for (median, worst), form in
                         zip(m.excess, (".1f", ".1e", ".2g"), strict=True)) if m.excess else ("",) * 3
    return f"| `{_cell(c.text)}` | {c.lo:g}, {c.hi:g} | {thin} | {small} | {wide} | {c.remark} |\n"


def _other(c: Construct, m: Measured) -> str:
    step = f"`{m.step}`" if m.step else ""
    return f"| `{_cell(c.text)}` | {step} | {'yes' if m.in_arb else ''} | {_cell(m.sentence)} | {c.remark} |\n"
