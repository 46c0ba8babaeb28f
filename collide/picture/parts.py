"""Common parts of all pictures: the times they show, and the names of bodies and contacts."""

import html
from collections.abc import Sequence
from typing import Any

import numpy as np

from generative.body import label

from .subject import MeetingAnswer, NearestAnswer

INK = "#16202a"


def plotly() -> Any:
    try:
        import plotly.graph_objects as go
    except ImportError as error:
        raise ImportError("charts need plotly: pip install plotly") from error
    return go


def span(contacts: MeetingAnswer | NearestAnswer | None, time: tuple[float, float] | None) -> tuple[float, float]:
    """From the start to the moment of contact, or of the least distance, or to the end of what is known to be clear."""
    if time is not None and contacts is None:
        return float(time[0]), float(time[1])
    if contacts is None:
        return 0.0, 0.0
    if isinstance(contacts, NearestAnswer):
        return float(contacts.time_span[0]), float(contacts.moment)
    first, last = contacts.time_span
    if contacts.time is not None:
        last = contacts.time[1] if np.isfinite(contacts.time[1]) else contacts.time[0]
    return float(first), float(max(first, last))


def written(bodies: Sequence[Any], k: int) -> str:
    """The name of body k in a picture; plotly reads text as HTML."""
    return html.escape(plain(bodies, k), quote=False)


def plain(bodies: Sequence[Any], k: int) -> str:
    """The name of body k in a picture."""
    return label(bodies, k, "body ")


def text_of(contacts: MeetingAnswer, k: int) -> str:
    """A text of what is known of a contact."""
    x, y, z = contacts.points[k]
    known = "unique contact (proved)" if contacts.proved[k] else "contact (proved)" if contacts.existence[k] else "located only"
    (i, j), (a, b) = contacts.pairs[k], contacts.features[k]
    return "\n".join([f"({x:.6g}, {y:.6g}, {z:.6g})", f"{plain(contacts.bodies, i)} {a}, {plain(contacts.bodies, j)} {b}", known])
