"""Boxes of two variables as an interactive picture (plotly)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .parts import plotly
from .viewer import FONT

# Fill and outline of one kind of boxes after the other.
_COLOURS = ("#3f7fbf", "#e8b04a", "#c2574f")


def figure(domain: np.ndarray, variables: Sequence[str], kinds: Mapping[str, np.ndarray], height: int = 620) -> Any:
    """All boxes (k, 2, 2) of each kind as one trace, in the domain (2, 2). ValueError unless there are two variables."""
    if len(variables) != 2:
        raise ValueError(f"a picture of boxes has two variables, these have {len(variables)}; substitute values for the others")
    go = plotly()
    traces = [go.Scatter(x=_outline(boxes[:, 0], (0, 1, 1, 0, 0)), y=_outline(boxes[:, 1], (0, 0, 1, 1, 0)), fill="toself", mode="lines",
                         name=name, hoverinfo="skip", line={"width": 0.5, "color": colour})
              for (name, boxes), colour in zip(kinds.items(), _COLOURS, strict=False) if len(boxes)]
    picture = go.Figure(traces)
    ends = {axis: {"title": name, "range": domain[k].tolist(), "constrain": "domain"} for k, (axis, name)
            in enumerate(zip(("xaxis", "yaxis"), variables, strict=True))}
    ends["yaxis"]["scaleanchor"] = "x"
    picture.update_layout(**ends, height=height, showlegend=True, plot_bgcolor="white", font={"family": FONT, "color": "#3b4754"})
    return picture


def _outline(ends: np.ndarray, order: Sequence[int]) -> np.ndarray:
    """One coordinate of the corners of boxes, each box closed and followed by a gap."""
    return np.column_stack([ends[:, order], np.full(len(ends), np.nan)]).ravel()
