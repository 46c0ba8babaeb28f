"""Problems prepared for the search by a method: kernels compiled, as a row of the table in the memory of a search (`native.layout`)."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from codegen.algebra import linear
from codegen.algebra.local_step import LARGEST, local_step
from codegen.machine.loop_runtime import compiled
from codegen.machine.memory import row_type
from codegen.machine.records import gather, padded, scatter
from codegen.time_bounds.advance import Advance
from codegen.time_bounds.separable_advance import ComposedAdvance, SeparableAdvance

from .native import layout
from .native.layout import SearchMemory
from .native.loop import run
from .problem import Problem

# How a method narrows boxes: 0 not at all, 1 by Linear_Solve on the raw rows, 2 by a square operator as well, 3 by that alone where the
# rows are as many as the variables; and the operator, which is also the one that proves uniqueness.
METHODS = {"auto": (1, "krawczyk"), "newton": (2, "interval_inverse"), "krawczyk": (3, "krawczyk"), "subdivision": (0, "krawczyk")}


class Prepared(NamedTuple):
    """Data that all copies of a problem over other domains and with other parameters share: a row of the table, and sizes for the memory.
    """

    row: np.ndarray
    sizes: dict[str, int]


def prepare(p: Problem, method: str) -> Prepared:
    """The parts of a problem that a search by a method takes, converted and compiled; kept with the problem."""
    operator, march = METHODS[method][1], method == "auto"
    key = f"search {operator} {march}", p.bounded
    if key not in p.built:
        # Its code is made meanwhile, should there be none.
        compiled(run)
        p.built[key] = Prepared(_row(p, operator, march), _sizes(p))
        p.equations[0].pool.rest()
    found: Prepared = p.built[key]
    return found


def _sizes(p: Problem) -> dict[str, int]:
    """Sizes for `SearchMemory`: variables, rows, outputs of kernels, lengths of a polynomial model and of what is shown, inequalities."""
    m, n = len(p.rows), len(p.variables)
    values, bounds, record, shown = m + m * n, 0, 1, 1
    if p.advance is not None:
        values = max(values, len(p.least_kernel.outputs) if _least(p) else 0)
        bounds = max(len(k.outputs) for k in p.advance.all_kernels)
        record = padded(max(model.length for model in p.advance.models)) if not isinstance(p.advance, Advance) else 1
        shown = max((net.length for net in p.advance.nets if net), default=1) if isinstance(p.advance, SeparableAdvance) else 1
    limits, narrowed = (max(len(p.limits), 3), 6 + 5 * n) if p.places else (len(p.limits), 0)
    return {"n": n, "m": m, "values": values, "bounds": bounds, "record_length": record, "shown_length": shown, "limits": limits,
            "narrowed": narrowed}


def _row(p: Problem, operator: str, march: bool) -> np.ndarray:
    row = np.zeros((), row_type(SearchMemory, layout.ProblemRow))
    n, m, e = len(p.variables), len(p.rows), len(p.equations)
    row["variables"], row["rows"], row["equations"], row["root"] = n, m, e, -1
    row["objective"] = -1 if p.objective is None else p.objective
    row["searched"] = n if p.searched is None else p.searched
    row["range"], row["slope"] = p.range_kernel.block_address(), p.slope_kernel.block_address()
    row["point"] = p.point_kernel.block_address("points")
    row["image"] = p.image_kernel.block_address() if p.image_kernel else 0
    # Where two parametric faces meet, bounds of their positions say it all, unless a formula is undefined.
    row["ranged"] = int((e, n) != (3, 5) or p.domain is not None or len(p.gap) > 0)
    # Rows of a single equation tell nothing that bounds of second order do not (measured).
    row["possible"] = p.possible_kernel.block_address() if e == 1 and p.fast and not p.gap else 0
    row["place"][:len(p.place_kernels)] = [kernel.block_address() for kernel in p.place_kernels]
    # Of n equations the first n + 1 variables say where; an angle between gradients may follow.
    row["angle"] = p.variables.index("angle") if "angle" in p.variables else -1
    row["distance"] = int(len(p.gap) > 0)
    row["placing"] = 0 if p.objective is None else p.objective if p.gap else min(e + 1, p.objective)
    _fill_solvers(row, p, operator)
    if march and p.advance:
        _fill_march(row, p, p.advance)
    return row.reshape(1).view(np.int64)


def _fill_solvers(row: np.ndarray, p: Problem, operator: str) -> None:
    """Kernels that narrow boxes, and those that prove zeros in them."""
    n, m, e = len(p.variables), len(p.rows), len(p.equations)
    square: Callable[..., int] = getattr(linear, operator)
    row["local_step"] = local_step(m, n, quick=True) if n <= LARGEST and not p.propagate else 0
    row["linear"] = linear.linear_solve(m, n, p.pattern if p.propagate else None, quick=True)
    if p.image and 1 < e <= n <= linear.UNROLLED:
        row["eliminate"] = linear.eliminate(e, n, quick=True)
    if n in (e, m):
        row["uniqueness"] = square(n, quick=True)
        row["square"] = row["uniqueness"] if m == n else 0
    if p.propagate:
        row["backward"] = p.backward.address["kernel"] if p.backward else 0
        if n in (e, m):
            row["precondition"], row["decoupled"] = linear.precondition(n, quick=True), linear.linear_solve(n, n, quick=True)
    if e <= n and not p.strict:
        row["existence"] = linear.krawczyk(e, quick=True)


def _fill_march(row: np.ndarray, p: Problem, advance: Advance | SeparableAdvance | ComposedAdvance) -> None:
    """Kernels that move the time of a box forward, and those that find the least time by local solves."""
    row["taylor"], row["time_bound"] = advance.kernel.block_address(), advance.bound
    row["varying"] = int(advance.varying)
    if not isinstance(advance, Advance):
        _fill_trees(row, advance)
    if isinstance(advance, ComposedAdvance):
        row["form"] = advance.forms[1].block_address()
    if _least(p):
        row["least"], row["least_step"] = p.least_kernel.block_address("points"), p.least_step


def _fill_trees(row: np.ndarray, advance: SeparableAdvance | ComposedAdvance) -> None:
    longest = max(model.length for model in advance.models)
    row["gather"], row["scatter"] = gather(longest), scatter(longest)
    for side in (0, 1):
        row["body"][side] = advance.kernels[side].block_address()
        row["record"][side] = advance.records[side]
        row["length"][side] = advance.models[side].length
        row["own"][side] = len(advance.models[side].degrees)
        row["functions"][side] = advance.models[side].coordinates
        row["net"][side] = advance.moved[side] if isinstance(advance, SeparableAdvance) else 0


def _least(p: Problem) -> bool:
    """Whether local solves look for the least objective. For that the equations must tell all variables."""
    return len(set().union(*p.pattern[:len(p.equations)])) == len(p.variables)
