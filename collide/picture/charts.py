"""Charts of answers: how near bodies come in each part of a time span, and what a time of contact depends on."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from codegen.given import shown

from .drawing import COLOURS
from .parts import plotly
from .subject import NearestAnswer
from .viewer import FONT

if TYPE_CHECKING:
    import plotly.graph_objects as go


def clearance_chart(answers: Sequence[NearestAnswer]) -> "go.Figure":
    """The least distance in each part of a time span, of answers of `clearance` for these parts: what is *proved* of each, its bracket,
    as a band, and the moments at which it is attained as dots.
    """
    if not answers or not all(isinstance(a, NearestAnswer) for a in answers):
        raise TypeError(f"a chart of clearances takes answers of clearance, got {shown(answers)}")
    go = plotly()
    ends = np.array([a.time_span for a in answers]).ravel()
    low, high = (np.repeat([a.bracket[k] for a in answers], 2) for k in (0, 1))
    known = [a for a in answers if len(a)]
    picture = go.Figure([
        go.Scatter(x=ends, y=high, mode="lines", line={"width": 1, "color": COLOURS[0]}, name="at most", hoverinfo="skip"),
        go.Scatter(x=ends, y=low, mode="lines", line={"width": 2, "color": COLOURS[0]}, fill="tonexty", name="never nearer (proved)"),
        go.Scatter(x=[a.moment for a in known], y=[a.bracket[1] for a in known], mode="markers", name="attained",
                   marker={"color": "white", "size": 6, "line": {"color": COLOURS[1], "width": 2}})])
    picture.update_yaxes(title="least distance", rangemode="tozero")
    picture.update_xaxes(title="t")
    return _laid_out(picture)


def tornado(sensitivity: Any, ranges: Mapping[Any, tuple[Any, Any]], contact: int = 0) -> "go.Figure":
    """A chart of what the ranges of parameters make of the time of a contact, to first order: dt/dp times each half range, the largest on
    top. `sensitivity`: what `Contacts.sensitivity` says; `ranges` {symbol: (lo, hi)}.
    """
    go = plotly()
    symbols = [s for s in sensitivity.symbols if s in ranges]
    if not symbols:
        raise ValueError(f"a tornado chart needs ranges for parameters of the sensitivity, got {shown(ranges)}")
    halves = [0.5 * (float(ranges[s][1]) - float(ranges[s][0])) for s in symbols]
    slopes = [float(sensitivity.time[contact, sensitivity.symbols.index(s)].mean()) for s in symbols]
    order = np.argsort([abs(a * b) for a, b in zip(slopes, halves, strict=True)])
    bars = []
    for sign, name, colour in ((1, "at the upper end", COLOURS[1]), (-1, "at the lower end", COLOURS[0])):
        bars.append(go.Bar(orientation="h", y=[str(symbols[k]) for k in order], x=[sign * slopes[k] * halves[k] for k in order], name=name,
                           marker={"color": colour}))
    picture = go.Figure(bars)
    picture.update_layout(barmode="overlay")
    picture.update_xaxes(title="change of the time of contact")
    return _laid_out(picture)


def _laid_out(picture: Any) -> Any:
    picture.update_layout(template="plotly_white", height=340, font={"family": FONT, "size": 13, "color": "#3b4754"},
                          margin={"l": 64, "r": 16, "t": 16, "b": 48}, legend={"orientation": "h", "y": 1.12, "x": 0.0})
    return picture
