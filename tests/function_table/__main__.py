"""Writes ``docs/pages/functions.md``: bounds of boxes one double, a thousandth and one unit wide, against Arb; all rows, or those named."""

import sys
from pathlib import Path

import numpy as np
from flint import arb, ctx

import codegen

from .constructs import CONSTRUCTS, REFUSED, Construct, x

PAGE = Path(__file__).parents[2] / "docs" / "pages" / "functions.md"
BOXES, SAMPLES = 40, 33
WIDTHS = (0.0, 1e-3, 1.0)
HEAD = """# Functions, and how tight they are

Written by `python -m tests.function_table`. Of {boxes} random boxes of one double, of a thousandth and of one unit width (less where a
function is defined on less) the table has how much wider than the range the bounds are: *thin* in units of the last place, the others as
a part of the range's width; median and worst. Values are Arb's, the range is the hull of {samples} of them, so it is too small itself, by
some thousandths of boxes that hold an extreme. No value lay outside the bounds.

| function | from, to | thin | 1e-3 | 1 | |
|---|---|---|---|---|---|
"""


def excess(c: Construct) -> list[tuple[float, float]]:
    """Median and worst, of each width."""
    made, rng, found = codegen.compile([c.formula], [x]), np.random.default_rng(5), []
    for width in WIDTHS:
        lo = rng.uniform(c.lo, max(c.hi - width, c.lo), BOXES)
        hi = np.minimum(lo + width, c.hi)
        low, high = (e[:, 0] for e in made.interval(lo[:, None], hi[:, None]))
        rows = [_over(c, *row) for row in zip(lo, hi, low, high, strict=True)]
        found.append((float(np.median(rows)), float(np.max(rows))))
    return found


def _over(c: Construct, lo: float, hi: float, low: float, high: float) -> float:
    values = [c.value(arb(float(a))) for a in (np.linspace(lo, hi, SAMPLES) if hi > lo else [lo])]
    assert all(not y < arb(low) and not y > arb(high) for y in values), (c.formula, lo, hi)
    least, most = (float(min(values, key=float)), float(max(values, key=float)))
    more = (high - low) - (most - least)
    return more / np.spacing(max(abs(low), abs(high), 1e-300)) if hi == lo else max(more / (most - least), 0.0) if most > least else more


def kept() -> dict[str, str]:
    """The rows of the page, by their names."""
    lines = PAGE.read_text(encoding="utf-8").splitlines() if PAGE.exists() else []
    return {line.split("`")[1]: line for line in lines if line.startswith("| `")}


def row(name: str, c: Construct) -> str:
    thin, small, wide = excess(c)
    return (f"| `{name}` | {c.lo:g}, {c.hi:g} | {thin[0]:.1f} / {thin[1]:.1f} | {small[0]:.1e} / {small[1]:.1e} "
            f"| {wide[0]:.2g} / {wide[1]:.2g} | {c.remark} |")


def main() -> None:
    rows = kept()
    with ctx.workprec(120):
        for name in sys.argv[1:] or CONSTRUCTS:
            rows[name] = row(name, CONSTRUCTS[name])
            print(rows[name], flush=True)
    refused = "\n".join(f"* {what}: {why}" for what, why in REFUSED)
    lines = "\n".join(rows[name] for name in CONSTRUCTS if name in rows)
    PAGE.write_text(HEAD.format(boxes=BOXES, samples=SAMPLES) + f"{lines}\n\n## Refused\n\n{refused}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
