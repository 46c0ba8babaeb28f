"""A result, or bodies over a time span, as a scene of a page."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .drawing import Drawing, encoded, fineness, view_of
from .marks import add_contacts, add_nearest
from .outlines import add_boxes
from .parts import plain, span
from .subject import MeetingAnswer, NearestAnswer, Observed
from .viewer import Figure, alone, scene

# How long a scene plays, in seconds, and stays at its end before it begins again.
_LASTS, _HOLD = 5.0, 1.2
# Bodies that come from afar are shown from where the whole is at most so large against the end; times that are looked at for that.
_LARGER, _LOOKS = 1.35, 33


def figure(subject: MeetingAnswer | NearestAnswer | Sequence[Any], *, time: tuple[float, float] | None = None, height: int = 620,
           boxes: bool | Observed = False, play: bool = False) -> Figure:
    """The scene of a result, or of bodies over the span `time` (None: at t = 0, at rest), which plays in notebooks and pages. That of a
    contact ends when bodies meet, that of a distance when it is least; it shows that moment at first, or plays at once if `play`.

    `boxes` outlines, on both surfaces, the parameter box of every contact between two faces; of a contact that was only located it is as
    large as the search left it, of a proved one too small to be seen. A `collide.Trace` outlines boxes that its search looked at, early
    ones dark and late ones bright.

    Raises TypeError for what is no result and no list of bodies, and ValueError where there is nothing to draw.
    """
    return Figure(alone("Scene", scene_of(subject, time=time, height=height, boxes=boxes, play=play)), height)


def scene_of(subject: MeetingAnswer | NearestAnswer | Sequence[Any], *, time: tuple[float, float] | None = None, height: int = 560,
             boxes: bool | Observed = False, play: bool = False) -> str:
    """The HTML element of what `figure` shows; the page must have `viewer.program` after it."""
    _check(subject, time)
    contacts = subject if isinstance(subject, MeetingAnswer) else None
    nearest = subject if isinstance(subject, NearestAnswer) and contacts is None else None
    told = nearest if contacts is None else contacts
    bodies = subject.bodies if isinstance(subject, (MeetingAnswer, NearestAnswer)) else subject
    first, last = span(told, time)
    drawing = _drawn(bodies, (first, last))
    begin = _begin(drawing)
    size = float(np.linalg.norm(np.ptp(drawing.cloud([last]), axis=0)))
    window = (last - 1e-6 * (last - begin) if last > begin else -1e38, 1e38)
    if contacts is not None and len(contacts):
        add_contacts(drawing, contacts, size, window)
    elif nearest is not None:
        add_nearest(drawing, nearest, window)
    if boxes:
        add_boxes(drawing, contacts if boxes is True else boxes, bodies, window)
    return scene(finished(drawing, begin, last, _LASTS, play), [plain(bodies, k) if body not in bodies[:k] else ""
                                                                for k, body in enumerate(bodies)],
                 shown=part_shown(begin, last, told.time_span if told is not None else drawing.span),
                 glass=told is not None and len(told) > 0, height=height)


def _check(subject: Any, time: Any) -> None:
    if not isinstance(subject, (MeetingAnswer, NearestAnswer)) and (isinstance(subject,
                                                                               str) or not isinstance(subject, Sequence) or not subject):
        raise TypeError("a picture shows a result of first_contact or a list of at least one body, got "
                        f"{'an empty list' if subject == [] else type(subject).__name__}")
    if time is not None and not time[0] <= time[1]:
        raise ValueError(f"the time span of a picture must not be reversed, got {time!r}")


def _drawn(bodies: Sequence[Any], times: tuple[float, float]) -> Drawing:
    drawing = Drawing(times)
    for k, body in enumerate(bodies):
        if body not in bodies[:k]:  # a body that may touch itself is there twice
            drawing.add_body(k, body, fineness(len(bodies)))
    if not drawing.parts:
        raise ValueError("there is nothing to draw: the bodies are nowhere finite, or nowhere within their bounds")
    return drawing


def finished(drawing: Drawing, begin: float, last: float, seconds: float, play: bool) -> dict[str, Any]:
    """The data of a drawing that shows the times from `begin` to `last` in some seconds."""
    cloud = drawing.cloud(np.linspace(begin, last, 9))
    digits = int(np.clip(4 - np.floor(np.log10(max(last - begin, 1e-9))), 2, 9)) if last > begin else 4
    return drawing.data(span=[begin, last], now=begin if play else last, seconds=seconds, hold=_HOLD, play=play, digits=digits,
                        view=view_of(cloud), cloud=encoded(cloud.astype("<f4")))


def part_shown(begin: float, last: float, whole: Sequence[float]) -> str:
    """The part of a time span that is shown, in words."""
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
