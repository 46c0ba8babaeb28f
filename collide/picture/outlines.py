"""Outlines of boxes of parameters, on surfaces in scenes: those of contacts, and those that a search looked at."""

import functools
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from generative import ParametricSurface, Solid, t, u, v
from generative.mesh import approx_function
from generative.triangulated import Triangulated

from .drawing import Drawing
from .marks import RED
from .search import MOST, SHADES, chosen, shade
from .subject import MeetingAnswer, Observed

# Half widths of lines, in pixels; pieces of a side of an outline that is as long as the face, and of a short one; boxes of a problem.
_LINE, _THIN, _PIECES, _FEWEST = 1.5, 0.8, 28, 2
_DRAWN = MOST // 10


def add_boxes(drawing: Drawing, told: MeetingAnswer | Observed | None, bodies: Sequence[Any], window: tuple[float, float]) -> None:
    """The boxes of contacts at their times, or those of a search at the end of the scene."""
    if told is None:
        return
    found = _searched(told, bodies, drawing.span[1]) if isinstance(told, Observed) else _contacts(told)
    for surface, sides, time, width, colour in found:
        ring = outline(surface, *sides, time)
        for a, b in itertools.pairwise(ring):
            if np.isfinite(a).all() and np.isfinite(b).all():
                drawing.mark(a, b, width, colour, window=window)


Outline = tuple[ParametricSurface, tuple[Any, Any], float, float, str]


def _contacts(contacts: MeetingAnswer) -> Iterator[Outline]:
    for k in range(len(contacts)):
        named = dict(zip(contacts.variables[k], np.asarray(contacts.boxes[k]), strict=True))
        for number, body in enumerate(contacts.pairs[k], 1):
            surface = face_of(contacts.bodies[body], contacts.features[k][number - 1])
            if surface is not None and {f"u{number}", f"v{number}", "t"} <= set(named):
                yield surface, (named[f"u{number}"], named[f"v{number}"]), float(named["t"].mean()), _LINE, RED


def _searched(trace: Observed, bodies: Sequence[Any], time: float) -> Iterator[Outline]:
    """The later a box was seen the brighter."""
    for problem, boxes in trace.boxes().items():
        for number, body in enumerate(problem.label, 1):
            surface = face_of(bodies[body], problem.features[number - 1]) if problem.features else None
            names = f"u{number}", f"v{number}"
            if surface is not None and set(names) <= set(problem.variables):
                i, j = map(problem.variables.index, names)
                for k, box in chosen(boxes, _DRAWN):
                    yield surface, (box[i], box[j]), time, _THIN, SHADES[shade(k, len(trace))]


def outline(surface: ParametricSurface, u_range: Any, v_range: Any, time: float) -> np.ndarray:
    """The border of a parameter box on a surface, a closed ring of points, (n, 3)."""
    (a, b), (c, d) = u_range, v_range
    across, up = (np.linspace(0, 1, 1 + max(_FEWEST, int(np.ceil(_PIECES * (hi - lo) / _width(surface, s)))))
                  for s, lo, hi in ((u, a, b), (v, c, d)))
    ring = np.concatenate([[a + across * (b - a), 0 * across + c], [0 * up + b, c + up * (d - c)],
                           [b - across * (b - a), 0 * across + d], [0 * up + a, d - up * (d - c)]], axis=1)
    found: np.ndarray = _place(surface)(*ring, time)
    return found


def _width(surface: ParametricSurface, symbol: Any) -> float:
    lo, hi = surface.domain[symbol]
    return max(float(hi - lo), 1e-300)


@functools.lru_cache(maxsize=64)
def _place(surface: ParametricSurface) -> Any:
    return approx_function(surface.expressions, [u, v, t])


def face_of(body: Any, feature: str) -> ParametricSurface | None:
    """The parametric face that a feature such as "face 2" names."""
    kind, _, number = feature.partition(" ")
    if isinstance(body, Triangulated):
        return None
    faces = body.faces if isinstance(body, Solid) else [body]
    if kind != "face" or not number.isdigit() or int(number) >= len(faces):
        return None
    face = faces[int(number)]
    return face if isinstance(face, ParametricSurface) else None
