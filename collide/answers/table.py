"""Results as a notebook shows them: a sentence or two, and a table of at most ten rows."""

import html
from collections.abc import Iterable, Sequence
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from generative.mesh import grid_triangles
from generative.thumbnail import beside, image

from .contacts import Contacts, Status

if TYPE_CHECKING:
    from ..bezier.nurbs import BezierNets
    from ..polyhedra.mesh import MeshContact
    from ..queries.minimize import Minimum
    from ..queries.solve import Zeros
    from ..queries.trace import Trace
    from .batch import Batch

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


def mesh_contact_html(contact: "MeshContact") -> str:
    """The summary, and where the meshes meet."""
    rows = []
    if contact.triangles is not None and contact.parts is not None:
        rows = [[mesh, f"{contact.triangles[k]}", contact.parts[k], _point(contact.weights[k]), _point(contact.point)]
                for k, mesh in enumerate(("first", "second"))]
    return _card(contact.summary(), ["mesh", "triangle", "part", "weights", "point"], rows, len(rows), "row")


def nets_html(nets: "BezierNets") -> str:
    """The patches at t = 0 (blue) and, if they move, at t = 1 (orange), approximately."""
    moving = bool(nets.points[:, 1].any())
    across = int(np.clip(np.sqrt(40_000 / max(len(nets), 1)), 3, 13))
    meshes = [(time, *mesh) for time in ((0, 1) if moving else (0,)) for mesh in _nets_at(nets, time, across)]
    text = f"{nets!r}{', blue at t = 0 and orange at t = 1' if moving else ''}"
    return beside(image(meshes), text) if meshes else f"<p>{html.escape(text)}</p>"


def _nets_at(nets: "BezierNets", time: int, across: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Grids of across x across points of the patches at a time, with their triangles."""
    at = np.linspace(0, 1, across)
    n, m = (count - 1 for count in nets.points.shape[2:4])
    first, second = (np.stack([comb(d, k) * at**k * (1 - at) ** (d - k) for k in range(d + 1)]) for d in (n, m))
    weights = np.ones((len(nets), n + 1, m + 1)) if nets.weights is None else nets.weights
    places = weights[..., None] * (nets.points[:, 0] + time * nets.points[:, 1])
    above, below = (np.einsum("ia,pij...,jb->pab...", first, values, second) for values in (places, weights))
    triangles = grid_triangles(across, across)
    return [(grid.reshape(-1, 3), triangles) for grid in above / below[..., None]]


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
