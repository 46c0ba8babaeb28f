"""Two bodies of flat faces, one of which, seen from the other, moves in an exact form (`exact_motion`)."""

import math
from typing import Any, NamedTuple

from generative import Motion, Rigid, Solid, t

from ...bodies.flat import FlatBody, flat_of
from ...bodies.mesh import LARGEST
from ..exact.motion import ExactMotion, exact_motion

# So many pairs of faces are looked at; those of large bodies are better searched, or are meshes.
_MOST = 1 << 14


class FlatMotion(NamedTuple):
    """Two bodies in units of 1 / `scale`, and the first motion seen from the second."""

    flats: tuple[FlatBody, FlatBody]
    scale: int
    motions: tuple[Motion, Motion]
    relative: ExactMotion

    @classmethod
    def of(cls, first: Any, second: Any) -> "FlatMotion | None":
        """None where their motions have no exact form, or they are too large."""
        flats = flat_of(first), flat_of(second)
        if flats[0] is None or flats[1] is None or len(flats[0].faces) * len(flats[1].faces) > _MOST:
            return None
        whole = math.lcm(*(c.denominator for flat in flats if flat for p in flat.corners for c in p))
        scale = 1 if whole & (whole - 1) == 0 else whole
        if any(abs(c * scale) > LARGEST for flat in flats if flat for p in flat.corners for c in p):
            return None
        motions = _scaled(motion_of(first), scale), _scaled(motion_of(second), scale)
        known = None if any(m.symbols - {t} for m in motions) else exact_motion(*motions)
        return None if known is None else cls((flats[0], flats[1]), scale, motions, known)


def motion_of(body: Any) -> Motion:
    """That of all faces of a body (`flat_of`)."""
    found: Motion = (body.faces[0] if isinstance(body, Solid) else body).motion
    return found


def _scaled(motion: Motion, scale: int) -> Motion:
    return motion if scale == 1 or not motion.multiplied else Rigid._unchecked(motion.rotation, motion.translation * scale)
