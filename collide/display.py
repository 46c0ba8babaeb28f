"""Results as a notebook shows them."""

import html
from typing import TYPE_CHECKING

from .result import Contacts

if TYPE_CHECKING:
    from .trace import Trace


def contacts_html(contacts: Contacts) -> str:
    """A result as a notebook shows it: its summary, and a table of at most ten points."""
    head = "<tr><th>point</th><th>bodies</th><th>features</th><th>known</th></tr>"
    rows = []
    for k in range(min(len(contacts), 10)):
        place = ", ".join(f"{c:.6g}" for c in contacts.points[k])
        i, j = contacts.pairs[k]
        known = "unique (proved)" if contacts.proved[k] else "exists (proved)" if contacts.existence[k] else "located"
        rows.append(f"<tr><td>({place})</td><td>{i}, {j}</td><td>{html.escape(', '.join(contacts.features[k]))}</td><td>{known}</td></tr>")
    more = f"<p>and {len(contacts) - 10} more points</p>" if len(contacts) > 10 else ""
    table = f"<table>{head}{''.join(rows)}</table>" if rows else ""
    return f"<div><p>{html.escape(contacts.summary())}</p>{table}{more}</div>"


def trace_html(trace: "Trace") -> str:
    """A trace: its answer, and how the bracket narrowed, in at most ten rows."""
    rows = []
    last = len(trace) - 1
    for k in sorted({round(j * last / 9) for j in range(10)}) if last >= 0 else []:
        s = trace.snapshots[k]
        rows.append(f"<tr><td>{s.iterations:,}</td><td>{s.lower:.12g}</td><td>{s.upper:.12g}</td><td>{len(s.boxes):,}</td></tr>")
    head = "<tr><th>boxes examined</th><th>lower bound</th><th>upper bound</th><th>open boxes</th></tr>"
    return f"<div><p>{html.escape(repr(trace))}</p><table>{head}{''.join(rows)}</table></div>"
