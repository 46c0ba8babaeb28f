"""Pictures of a search (`collide.trace`): the bracket as it narrowed, and where the boxes went, early ones dark and late ones bright."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..search.problem import Problem
from .parts import INK, plotly, written
from .subject import Observed
from .viewer import FONT

if TYPE_CHECKING:
    import plotly.graph_objects as go

SHADES = ("#0d0887", "#46039f", "#7201a8", "#9c179e", "#bd3786", "#d8576b", "#ed7953", "#fb9f3a", "#fdca26")
"""Colours from early to late (plasma)."""

MOST = 3000
"""Boxes drawn a panel; of more, evenly chosen ones."""

Seen = Sequence[tuple[int, np.ndarray]]
"""Boxes with the number of the snapshot that first saw them."""


def search_figure(trace: Observed, *, problem: Problem | None = None, height: int = 760) -> "go.Figure":
    """Four panels: the bounds of the objective and their distance against the number of boxes examined; and the boxes of one problem
    in the planes of its first and its next two variables besides the time. `problem`, one of those of ``trace.boxes()``: None is the one
    with the most boxes. `height` in pixels. Raises ValueError for a problem of another search.
    """
    go = plotly()
    from plotly.subplots import make_subplots

    seen = trace.boxes()
    if problem is not None and problem not in seen:
        raise ValueError("the problem must be one of those of the trace, a key of trace.boxes(), or None for that with the most boxes")
    if problem is None:
        problem = max(seen, key=lambda p: len(seen[p]), default=None)
    planes = _planes(problem) if problem is not None else []
    names = [f"{problem.variables[i]} and {problem.variables[j]}" for i, j in planes] if problem is not None else []
    picture = make_subplots(rows=2, cols=2, horizontal_spacing=0.09, vertical_spacing=0.18,
                            subplot_titles=["bracket", "its width", *(f"boxes in {name}" for name in names)])
    for column, line in _bracket_lines(go, trace):
        picture.add_trace(line, row=1, col=column)
    for column, (i, j) in enumerate(planes, 1):
        assert problem is not None
        for line in _rectangles(go, seen.get(problem, []), i, j, len(trace)):
            picture.add_trace(line, row=2, col=column)
        picture.update_xaxes(title=problem.variables[i], row=2, col=column)
        picture.update_yaxes(title=problem.variables[j], row=2, col=column)
    picture.update_xaxes(title="boxes examined", row=1)
    picture.update_yaxes(type="log", exponentformat="power", row=1, col=2)
    picture.update_layout(height=height, showlegend=False, plot_bgcolor="#f6f8fa", paper_bgcolor="white", title=_title(trace, problem),
                          font={"family": FONT, "size": 13, "color": "#3b4754"}, margin={"l": 60, "r": 20, "t": 80, "b": 50})
    return picture


def _bracket_lines(go: Any, trace: Observed) -> list[tuple[int, Any]]:
    """(column, trace): the lower and upper bound, and their distance."""
    at, bounds = trace.iterations, np.where(np.isfinite(trace.bracket), trace.bracket, np.nan)
    seconds = [f"{s:.3g} s" for s in trace.seconds]
    lines = []
    for side, name, colour in ((0, "lower bound", "#3f7fbf"), (1, "upper bound", "#e0803a")):
        lines.append((1, go.Scatter(x=at, y=bounds[:, side], name=name, mode="lines", line={"color": colour, "width": 2, "shape": "hv"},
                                    text=seconds, hovertemplate="%{y}<br>%{x} boxes, %{text}")))
    width = np.maximum(bounds[:, 1] - bounds[:, 0], 1e-17)
    lines.append((2, go.Scatter(x=at, y=width, name="width", mode="lines", line={"color": INK, "width": 2, "shape": "hv"})))
    return lines


def _planes(problem: Problem) -> list[tuple[int, int]]:
    """Up to two pairs of variables: those that are not the objective in their order, and the objective where one is left over."""
    others = [k for k in range(len(problem.variables)) if k != problem.objective]
    pairs = [(a, b) for a, b in zip(others[::2], others[1::2], strict=False)]
    if len(others) % 2 and problem.objective is not None:
        pairs.append((others[-1], problem.objective))
    return pairs[:2]


def _rectangles(go: Any, boxes: Seen, i: int, j: int, snapshots: int) -> list[Any]:
    """The boxes as rectangles in the plane of variables i and j, one trace a shade."""
    rings: list[list[np.ndarray]] = [[] for _ in SHADES]
    for k, box in chosen(boxes, MOST):
        (a, b), (c, d) = box[i], box[j]
        rings[shade(k, snapshots)].append(np.array([[a, c], [b, c], [b, d], [a, d], [a, c], [np.nan, np.nan]]))
    lines = []
    for parts, colour in zip(rings, SHADES, strict=True):
        if parts:
            x, y = np.concatenate(parts).T
            lines.append(go.Scatter(x=x, y=y, mode="lines", line={"color": colour, "width": 1}, hoverinfo="skip"))
    return lines


def chosen(boxes: Seen, most: int) -> Seen:
    """So many of the boxes, evenly."""
    return boxes if len(boxes) <= most else [boxes[k] for k in np.linspace(0, len(boxes) - 1, most).astype(int)]


def shade(k: int, snapshots: int) -> int:
    """The number, in `SHADES`, of the shade of what snapshot k saw first."""
    return min(len(SHADES) - 1, len(SHADES) * k // max(snapshots, 1))


def _title(trace: Observed, problem: Problem | None) -> dict[str, Any]:
    where = ""
    if problem is not None and problem.features:
        bodies, (a, b) = getattr(trace.answer, "bodies", ()), problem.features
        i, j = (written(bodies, k) for k in problem.label)
        where = f": {i} {a}, {j} {b}"
    last = int(trace.iterations[-1]) if len(trace) else 0
    return {"text": f"{last:,} boxes{where}", "x": 0.02, "font": {"size": 15}}
