"""Bodies seen in time that runs backwards: at time -t they are where they were at t."""

import functools
from typing import Any

from codegen.deadline import interruptible
from codegen.functions import Samples, Spline
from codegen.walk import atoms, replaced

from .changes import pieces_of, with_formulas
from .keyframed import Keyframed
from .symbols import t


@functools.lru_cache(maxsize=1024)
@interruptible()
def backwards(body: Any) -> Any:
    """The body with -t for t in all of its formulas. Splines of the time stay such, with their samples in the other order, and motions
    through keyframes, too.
    """
    keyed = {f for piece in pieces_of(body) for f in piece.motion.factors if isinstance(f, Keyframed)}
    return with_formulas(body, _reversed, {f: f.backwards() for f in keyed})


def _reversed(e: Any) -> Any:
    found = replaced(e, {t: -t})
    splines = [s for s in atoms(found, Spline) if s.args[0] == -t and not s.order]
    return replaced(found, {s: Spline(t, _mirrored(s.samples)) for s in splines}) if splines else found


@functools.lru_cache(maxsize=1024)
def _mirrored(samples: Samples) -> Samples:
    """The samples of the function of -t; all of these are exact."""
    return Samples(-samples.knots[::-1], samples.values[::-1], -samples.slopes[::-1], samples.column)
