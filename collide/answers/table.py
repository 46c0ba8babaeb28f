"""Results as a notebook shows them: a sentence or two, and a table of at most ten rows, which each result makes itself."""

import html
from collections.abc import Iterable, Sequence
from typing import Any

ROWS = 10


def card(text: str, head: Sequence[str], rows: Sequence[Iterable[str]], count: int, noun: str) -> str:
    """A text above a table of the first of `count` rows."""
    body = "".join(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    titles = "".join(f"<th>{html.escape(title)}</th>" for title in head)
    plural = "es" if noun.endswith("x") else "s"
    more = f"<p>and {count - len(rows):,} more {noun}{plural}</p>" if count > len(rows) else ""
    table = f"<table><tr>{titles}</tr>{body}</table>" if rows else ""
    return f"<div><p>{html.escape(text)}</p>{table}{more}</div>"


def point(values: Any) -> str:
    """Numbers in six digits."""
    return f"({', '.join(f'{c:.6g}' for c in values)})"


def interval(ends: Any) -> str:
    """The two ends, in full: a rounded end would no longer enclose."""
    lo, hi = map(float, ends)
    return repr(lo) if lo == hi else f"[{lo!r}, {hi!r}]"


def counted(number: int, noun: str) -> str:
    """So many of them, in words."""
    ending = "" if number == 1 else "es" if noun.endswith("x") else "s"
    return f"{number:,} {noun}{ending}"
