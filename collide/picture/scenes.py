"""A result, or bodies over a time span, as a scene of a page."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .drawing import Drawing, encoded, fineness, view_of
from .marks import add_contacts, add_nearest
from .parts import plain, span
from .subject import Meeting, Nearest
from .viewer import scene

# How long a scene plays, in seconds, and stays at its end before it begins again.
_LASTS, _HOLD = 5.0, 1.2
# Bodies that come from afar are shown from where the whole is at most so large against the end; times that are looked at for that.
_LARGER, _LOOKS = 1.35, 33


def scene_of(subject: Meeting | Nearest | Sequence[Any], *, time: tuple[float, float] | None = None, height: int = 560,
             play: bool = False) -> str:
    """The HTML element of a result or of bodies, as `figure` shows them; the page must have `viewer.program` after it.

    It shows the last moment at first, or plays from the beginning if `play`.
    """
    contacts = subject if isinstance(subject, Meeting) else None
    nearest = subject if isinstance(subject, Nearest) and contacts is None else None
    told = nearest if contacts is None else contacts
    bodies = subject.bodies if isinstance(subject, (Meeting, Nearest)) else subject
    first, last = span(told, time)
    drawing = Drawing((first, last))
    for k, body in enumerate(bodies):
        if body not in bodies[:k]:  # a body that may touch itself is there twice
            drawing.add_body(k, body, fineness(len(bodies)))
    if not drawing.parts:
        raise ValueError("there is nothing to draw: the bodies are nowhere finite, or nowhere within their bounds")
    begin = _begin(drawing)
    size = float(np.linalg.norm(np.ptp(drawing.cloud([last]), axis=0)))
    window = (last - 1e-6 * (last - begin) if last > begin else -1e38, 1e38)
    if contacts is not None and len(contacts):
        add_contacts(drawing, contacts, size, window)
    elif nearest is not None:
        add_nearest(drawing, nearest, window)
    return scene(finished(drawing, begin, last, _LASTS, play), [plain(bodies, k) if body not in bodies[:k] else ""
                                                                for k, body in enumerate(bodies)],
                 shown=part_shown(begin, last, told.time_span if told is not None else drawing.span),
                 glass=told is not None and len(told) > 0, height=height)


def finished(drawing: Drawing, begin: float, last: float, seconds: float, play: bool) -> dict[str, Any]:
    """The data of a drawing that shows the times from `begin` to `last` in some seconds."""
    cloud = drawing.cloud(np.linspace(begin, last, 9))
    digits = int(np.clip(4 - np.floor(np.log10(max(last - begin, 1e-9))), 2, 9)) if last > begin else 4
    return drawing.data(span=[begin, last], now=begin if play else last, seconds=seconds, hold=_HOLD, play=play, digits=digits,
                        view=view_of(cloud), cloud=encoded(cloud.astype("<f4")))


def part_shown(begin: float, last: float, whole: Sequence[float]) -> str:
    """Which part of a time span is shown, in words."""
    if not last > begin:
        return f"at t = {last:.6g}"
    text = f"shown: t = {begin:.6g} to {last:.6g}"
    return text if (begin, last) == (whole[0], whole[1]) else f"{text}, of {whole[0]:.6g} to {whole[1]:.6g}"


def _begin(drawing: Drawing) -> float:
    """From when on bodies are shown."""
    first, last = drawing.span
    if not first < last:
        return last
    end = drawing.cloud([last])
    final = float(np.linalg.norm(np.ptp(end, axis=0)))
    starts = np.linspace(first, last, _LOOKS)[:-1]
    sizes = (float(np.linalg.norm(np.ptp(np.concatenate([end, drawing.cloud([s])]), axis=0))) for s in starts)
    return float(next((s for s, size in zip(starts, sizes, strict=True) if size <= _LARGER * final), starts[-1]))
