"""Length of the windows of time in which motions in contact are solved at once (see `equations`).

Fits are judged, so this decides effort only.
"""

import math
from collections.abc import Sequence

import numpy as np

from ..contact_solver.forces import ActiveConstraint, ContactDynamics
from ..motion import rotation

# A window is shorter by so much where nothing is found; else it is as long as a fit would be good, and a bit less, within bounds;
# and what of an error may be roundings.
_SHORTER, _LESS, _LEAST, _MOST, _ROUNDED = 0.25, 0.75, 0.1, 8.0, 1e-4
# An error where nothing is found.
NO_FIT = _SHORTER**-rotation.TERMS
# Windows go on for so much longer than slips are expected to that stop without a turn.
_PAST = 2.0


def following(known: Sequence[tuple[float, float]]) -> float:
    """Against a window that was tried, the next one: of all that were tried so far, how long they were, and how far a fit was from what was
    solved, against how far it may be.
    """
    (length, off), power = known[-1], float(rotation.TERMS)
    if off < _ROUNDED:
        return _MOST
    if len(known) > 1 and off < known[-2][1] < NO_FIT:
        # An error is one of the first power that a fit does not have; where that did not help, as where slips begin or end, of another one.
        power = min(max(math.log(known[-2][1] / off) / math.log(known[-2][0] / length), 1.0), power)
    less = _LESS * off ** (-1.0 / power)
    return max(less, _LEAST) if off <= 1.0 else min(max(less, _LEAST * _LEAST), _LESS)


def turning(kept: Sequence[ActiveConstraint]) -> bool:
    """Whether there are slips whose friction turns with them."""
    return any(_turns(k) for k in kept)


def _turns(kept: ActiveConstraint) -> bool:
    return bool(kept.friction) and kept.slip is not None and not kept.loose


def turned(kept: Sequence[ActiveConstraint], motion: ContactDynamics, rates: np.ndarray, small: float) -> float:
    """About how long a window may be as slips turn that change by `rates` (k, 3), where velocities may be out by `small`."""
    # What just begins to slip, or has stopped, does not turn.
    return min((_turned(s[1:], r[1:], small) for k, s, r in zip(kept, motion.speeds, rates, strict=True)
                if _turns(k) and np.hypot(*s[1:]) > k.still), default=math.inf)


def _turned(slip: np.ndarray, rate: np.ndarray, small: float) -> float:
    """The direction of slip + rate t is a function of the time with branch points where the square of its size is none: polynomials of
    a degree follow it to so `small` a change on a window whose ellipse of Bernstein through these is wide enough.
    """
    fast, pull = float(np.hypot(*slip)), float(np.hypot(*rate))
    aside, ahead = abs(float(slip[0] * rate[1] - slip[1] * rate[0])), -float(slip @ rate) / max(pull * pull, 1e-300)
    if aside <= 2.0 * small * pull:
        return _PAST * ahead if ahead > 0.0 else math.inf
    wide = (aside / (small * pull)) ** (1.0 / rotation.TERMS)
    half, far = (wide + 1.0 / wide) / 2.0, fast / pull
    return 2.0 * (half * far - ahead) / (half * half - 1.0)
