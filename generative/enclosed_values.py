"""Values of formulas of t, as of joints, enclosed at a time or in a short span of it."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from codegen.constants import enclose
from codegen.functions import Spline
from codegen.given import shown
from codegen.interval import Interval
from codegen.kernel import compile
from codegen.walk import atoms, free_symbols, replaced

from .symbols import exact, t


def enclosed_values(formulas: Mapping[str, Any], time: Any, parameters: Mapping[Any, Any] | None = None) -> dict[str, Interval]:
    """The values of joints in a time, enclosed, by their names. `time`: a number, or the first and last one. `parameters`: a number for
    each parameter, or the ends (lo, hi) of what it may be.

    Raises ValueError for a time that is no finite number and no pair of them in order, for parameters without such numbers, and for
    formulas that are not proved to have a value throughout that time.
    """
    first, last = _ends(time, "joint values are those at a finite time, or from a first to a last one")
    used = set().union(*map(free_symbols, formulas.values())) - {t}
    known = {s: ends for s, ends in (parameters or {}).items() if s in used}
    if unknown := sorted(map(str, used - known.keys())):
        raise ValueError(f"joint values at a time need formulas of t alone, got the parameter {unknown[0]}; put in its value")
    if not formulas:
        return {}
    ends = [(first, last), *(_ends(known[s], f"the parameter {s} is a finite number, or from a least to a greatest one") for s in known)]
    kernel = compile([_within(e, first, last) for e in formulas.values()], [t, *known], quick=True)
    lo, hi, levels = kernel.decorated(*np.array(ends).T[:, None])
    for name, level in zip(formulas, levels[0].tolist(), strict=True):
        if level == 0:
            raise ValueError(f"joint {name} is not proved to have a value at all times from {first!r} to {last!r}; give a shorter time")
    return {name: Interval(*ends) for name, *ends in zip(formulas, lo[0].tolist(), hi[0].tolist(), strict=True)}


def _within(e: Any, first: float, last: float) -> Any:
    """A formula with those pieces of splines of the time alone that hold then."""
    return replaced(e, {s: s.within(first, last) for s in atoms(e, Spline) if s.args[0] == t})


def _ends(given: Any, rule: str) -> tuple[float, float]:
    """Doubles that enclose a number, or the numbers from a first to a last one."""
    both = [*given] if isinstance(given, (tuple, list, np.ndarray)) and len(given) == 2 else [given, given]
    try:
        first, last = (exact(e, "a number") for e in both)
        found = enclose(first)[0], enclose(last)[1]
        ordered = bool(first <= last) and bool(np.isfinite(found).all())
    except (TypeError, ValueError):
        ordered = False
    if not ordered:
        raise ValueError(f"{rule}, got {shown(given)}")
    return found
