"""Values of formulas of t, as of joints, enclosed at a time or in a short span of it."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from codegen.constants import enclose
from codegen.given import shown
from codegen.interval import Interval
from codegen.kernel import compile
from codegen.walk import free_symbols

from .symbols import exact, t


def enclosed_values(formulas: Mapping[str, Any], time: Any) -> dict[str, Interval]:
    """The values of joints in a time, enclosed, by their names. `time`: a number, or the first and last one.

    Raises ValueError for a time that is no finite number and no pair of them in order, for parameters, and for formulas that are not
    proved to have a value throughout that time.
    """
    first, last = _ends(time)
    if unknown := sorted(map(str, set().union(*map(free_symbols, formulas.values())) - {t})):
        raise ValueError(f"joint values at a time need formulas of t alone, got the parameter {unknown[0]}; put in its value")
    if not formulas:
        return {}
    lo, hi, levels = compile([*formulas.values()], [t]).decorated([[first]], [[last]])
    for name, level in zip(formulas, levels[0].tolist(), strict=True):
        if level == 0:
            raise ValueError(f"joint {name} is not proved to have a value at all times from {first!r} to {last!r}; give a shorter time")
    return {name: Interval(*ends) for name, *ends in zip(formulas, lo[0].tolist(), hi[0].tolist(), strict=True)}


def _ends(time: Any) -> tuple[float, float]:
    """Doubles that enclose a time or a span of it."""
    given = [*time] if isinstance(time, (tuple, list, np.ndarray)) and len(time) == 2 else [time, time]
    try:
        first, last = (exact(e, "a time") for e in given)
        found = enclose(first)[0], enclose(last)[1]
        ordered = bool(first <= last) and bool(np.isfinite(found).all())
    except (TypeError, ValueError):
        ordered = False
    if not ordered:
        raise ValueError(f"joint values are those at a finite time, or from a first to a last one, got {shown(time)}")
    return found
