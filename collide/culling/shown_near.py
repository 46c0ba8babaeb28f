"""Solids of many faces, as those of files, limited to the faces that may meet other bodies: nothing is made for the others."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from generative import ImplicitBody, Solid

from ..bodies.numbers import Numbers
from ..bodies.surface_points import face_extents
from .broad_phase import Asked, Window, windows

# Effort only: of solids of no more faces all are shown.
_FEW = 12


def shown_near(bodies: Sequence[Any], numbers: Sequence[Numbers], span: Window, asked: Asked) -> tuple[Any, ...]:
    """The bodies, solids of many faces with those faces alone that are not *proved* apart from all other bodies throughout a span of time.

    `asked`: of bodies i < j, arrays, which pairs are looked at. What is not shown meets nothing in the span. All bodies are as they are
    where one of them is implicit.
    """
    many = [isinstance(body, Solid) and not body.planar and len(body.faces) > _FEW for body in bodies]
    if not any(many) or any(isinstance(body, ImplicitBody) for body in bodies):
        return tuple(bodies)
    extents = [face_extents(body, own) for body, own in zip(bodies, numbers, strict=True)]
    owners = np.repeat(np.arange(len(bodies)), [len(own) for own in extents])
    places = np.concatenate([np.arange(len(own)) for own in extents])
    met = windows([e for own in extents for e in own], owners, span, asked=asked)
    near = {(int(owners[k]), int(places[k])) for pair in met for k in pair}
    return tuple(body.showing(frozenset(f for k, f in near if k == number)) if large else body
                 for number, (body, large) in enumerate(zip(bodies, many, strict=True)))
