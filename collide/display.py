"""Results as a notebook shows them: a sentence or two, and a table of at most ten rows."""

import html
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .result import Contacts, Status

if TYPE_CHECKING:
    from .batch import Batch
    from .minimize import Minimum
    from .solve import Zeros
    from .trace import Trace

ROWS = 10


def contacts_html(contacts: Contacts) -> str:
    """The summary, and where the contacts are."""
    rows = []
    for k in range(min(len(contacts), ROWS)):
        i, j = contacts.pairs[k]
        known = "unique (proved)" if contacts.proved[k] else "exists (proved)" if contacts.existence[k] else "located"
        rows.append([_point(contacts.points[k]), f"{i}, {j}", ", ".join(contacts.features[k]), known])
    return _card(contacts.summary(), ["point", "bodies", "features", "known"], rows, len(contacts), "point")


def zeros_html(zeros: "Zeros") -> str:
    """The summary, and the enclosures of the zeros."""
    rows = [[*map(_interval, zeros.boxes[k]), "unique (proved)" if zeros.proved[k] else "undecided"] for k in range(min(len(zeros), ROWS))]
    return _card(zeros.summary(), [*zeros.variables, "known"], rows, len(zeros), "box")


def minimum_html(minimum: "Minimum") -> str:
    """The summary, the bracket of the minimum, and the boxes that hold all minimizers."""
    rows = [[*map(_interval, box)] for box in minimum.boxes[:ROWS]]
    return _card(minimum.summary(), list(minimum.variables), rows, len(minimum.boxes), "box")


def batch_html(batch: "Batch") -> str:
    """How many problems ended how, and the first hits."""
    counts = [f"{int((batch.status == s).sum()):,} {s.name}" for s in Status if (batch.status == s).any()]
    hits = np.flatnonzero(batch.hit)
    rows = [[f"{k}", _interval(batch.time[k]), _point(batch.parameters[k]), "proved" if batch.proved[k] else "not excluded"]
            for k in hits[:ROWS]]
    return _card(f"{batch!r}: {', '.join(counts)}", ["problem", "time", "parameters", "contact"], rows, len(hits), "hit")


def trace_html(trace: "Trace") -> str:
    """The answer, and how the bracket narrowed."""
    chosen = sorted({round(j * (len(trace) - 1) / (ROWS - 1)) for j in range(ROWS)}) if len(trace) else []
    rows = [[f"{s.iterations:,}", f"{s.lower:.12g}", f"{s.upper:.12g}", f"{len(s.boxes):,}"] for s in (trace.snapshots[k] for k in chosen)]
    return _card(repr(trace), ["boxes examined", "lower bound", "upper bound", "open boxes"], rows, len(rows), "row")


def _card(text: str, head: Sequence[str], rows: Sequence[Iterable[str]], count: int, noun: str) -> str:
    body = "".join(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    titles = "".join(f"<th>{html.escape(title)}</th>" for title in head)
    plural = "es" if noun.endswith("x") else "s"
    more = f"<p>and {count - len(rows):,} more {noun}{plural}</p>" if count > len(rows) else ""
    table = f"<table><tr>{titles}</tr>{body}</table>" if rows else ""
    return f"<div><p>{html.escape(text)}</p>{table}{more}</div>"


def _point(values: Any) -> str:
    return f"({', '.join(f'{c:.6g}' for c in values)})"


def _interval(ends: Any) -> str:
    """The two ends, in full: a rounded end would no longer enclose."""
    lo, hi = map(float, ends)
    return repr(lo) if lo == hi else f"[{lo!r}, {hi!r}]"
