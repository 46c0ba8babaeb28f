"""Kernels: a formula compiled into code over boxes.

`compile` turns SymPy expressions into a `Kernel`. A kernel is immutable; each kind of its code is compiled on first
use (or read from the cache on disk) and kept for the process. Calls release the interpreter lock and may run in
several threads at once.
"""

import ctypes
import functools
import html
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Literal, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .deadline import check
from .emit.batch import REFUSED, add_batch, add_block, block_bytes
from .emit.lanes import Kind
from .emit.lower import batch_shape, lower
from .emit.repetition import fold
from .emit.room import is_large
from .from_sympy import from_sympy
from .graph.autodiff import jacobian, mirrored, sparse_hessian, sparse_jacobian
from .graph.expr import Expr, reachable
from .graph.meanvalue import bicentred_form, divided_form, mean_value_form
from .graph.pattern import SparsityPattern, pattern
from .graph.quadrature import expand
from .graph.serialize import deserialize, serialize
from .machine.bytecode import interpretable
from .machine.capsule import SIGNATURES, capsule
from .machine.linked import NONE, address, batch_function, general_batch_function, linked, tiered
from .machine.native import Code, check_cpu, code_key, has_wide_registers
from .machine.tiers import Tiered
from .numbers import rounded_doubles
from .remembered import Bounded
from .walk import nesting_in_words

Array = NDArray[np.float64]
Levels = NDArray[np.uint8]
Entry = Literal["block", "batch"]

_FORMS: dict[str, Callable[[Sequence[Expr], Sequence[Expr]], list[Expr]]] = {
    "natural": lambda outputs, variables: list(outputs), "mean-value": mean_value_form,
    "bicentred": bicentred_form, "divided": divided_form,
}  # fmt: skip


@nesting_in_words
def compile(expressions: Any, variables: Sequence[Any], parameters: Sequence[Any] = (), *,
            form: str = "natural", cpu: str | None = None, quick: bool = False) -> "Kernel":
    """Compile real formulas into an inclusion function over boxes.

    `expressions`: SymPy expressions, numbers, matrices or nested sequences of them (taken row-major), or nodes of one
    `ExprPool`, whose variable and parameter nodes are then passed as `variables` and `parameters`.
    `form`: "natural" evaluates the formula operation by operation; "mean-value" intersects that with f(c) + f'(X)(X
    - c) (Moore 1966; Snyder 1993, Section 8), which is tighter on small boxes and costs the derivatives; "bicentred" with two of these,
    each with the c that is best for one of the bounds (Baumann 1988): where derivatives have one sign on the box, bounds are as tight as
    those of points; "divided" also with the hull of these over the eighths of the box, for formulas of one variable that occurs more than
    once. Measured on eight such formulas, "mean-value" costs 1.5 to 3, "bicentred" 2 to 4, "divided" 7 to 28 times as much as "natural";
    bounds over a twentieth of the range are 0.3 to 4 times too wide with "natural", 0.05 to 1 with "mean-value", and, in the median,
    nothing but rounding with the others.
    `cpu` names another level of this architecture to compile for ("x86-64-v3"); the bits of all results are the same.
    `quick`: see `Kernel`.

    ``x**n`` is the power of algebra for a number n. Where n is a symbol or an expression it is exp(n log x) for x > 0, 0 at x = 0 for n >
    0, and defined for x < 0 where n is an integer, as ``0**0 = 1`` is: there bounds hold, at level 1 at most, and at level 0 on boxes of
    more than one n. Declare x ``positive=True`` where that is not meant: the code is shorter, and `contract` narrows by it. Integrals and
    inverses of monotone functions: `codegen.operators`.

    A formula is one of real numbers, and so are all of its parts: where a part has no real value, as sqrt(x) for x < 0, the formula is
    undefined, also where the imaginary numbers of its parts would cancel. Of assumptions of symbols only those are looked at that SymPy
    has used in the formula.

    Raises UnsupportedExpression (a ValueError) for a formula that has no inclusion function, naming the part at fault, ValueError for no
    expression at all, for a symbol that is listed twice or not at all and for an unknown `form`, and TypeError for text, or for a variable
    that is no SymPy symbol.
    """
    outputs = _graph(expressions, variables, parameters)
    if not outputs:
        raise ValueError("the list of expressions is empty; give at least one expression")
    if any(e.boolean for e in outputs):
        raise ValueError("a condition has no bounds; give real expressions, such as Piecewise((1, condition), (0, True))")
    if form not in _FORMS:
        from .given import shown

        raise ValueError(f"form must be one of {', '.join(_FORMS)}, got {shown(form)}")
    if form != "natural":
        outputs = _FORMS[form](outputs, [outputs[0].pool.variable(k) for k in range(len(variables))])
    check_cpu(cpu)
    return Kernel(outputs, [str(s) for s in variables], [str(s) for s in parameters], cpu, quick)


def _graph(expressions: Any, variables: Sequence[Any], parameters: Sequence[Any]) -> list[Expr]:
    given = list(expressions) if isinstance(expressions, (list, tuple)) else [expressions]
    if given and all(isinstance(e, Expr) for e in given):
        _check_nodes(given, variables, parameters)
        return given
    return from_sympy(given if isinstance(expressions, (list, tuple)) else expressions, variables, parameters)


def _check_nodes(outputs: Sequence[Expr], variables: Sequence[Any], parameters: Sequence[Any]) -> None:
    counts = {"variable": len(variables), "parameter": len(parameters)}
    for e in reachable(outputs):
        if e.op in counts and e.value >= counts[e.op]:
            raise ValueError(f"the graph uses {e.op} {e.value} but only {counts[e.op]} were listed; list them all")


class Kernel:
    """Compiled formulas: ``n`` boxes in, bounds of every expression out.

    Arrays have one row a box: lo, hi are (n, variables), results (n, expressions), all float64 and C order. Numbers of other types are
    taken as they are, and bounds that are no doubles are rounded outwards. With
    parameters, pass ``parameters=(plo, phi)`` to `interval` and `decorated`, arrays (p,) or (n, p), and
    ``parameters=q`` to `points`.

    Errors: ValueError for wrong shapes, for NaN or reversed bounds (with the row), and for an interval [inf, inf].

    `pattern`: of a sparse Jacobian or Hessian, which entry of the matrix each expression is; else None.
    `quick`: interpreted until it turns out to be used much (see `tiers`), so the first results come at once; with the same bits.
    `bounded`: made for inputs of at most `signs.LARGEST` in size, so that few products need a guard against 0 * infinity; a box or
    parameters that are larger, in what the formulas use of them, get the whole line from `interval`. Results are the same else.
    """

    def __init__(self, outputs: Sequence[Expr], variables: Sequence[str], parameters: Sequence[str] = (),
                 cpu: str | None = None, quick: bool = False, bounded: bool = False, pattern: SparsityPattern | None = None) -> None:
        self.outputs, self.pattern = tuple(outputs), pattern
        self.variables, self.parameters = tuple(variables), tuple(parameters)
        self.cpu, self.quick, self.bounded = cpu, quick, bounded
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        inside = f"({', '.join(self.variables)})" + (f" with {', '.join(self.parameters)}" if self.parameters else "")
        return f"<Kernel of {len(self.outputs)} expressions of {inside}: {len(reachable(self.outputs))} operations>"

    def _repr_html_(self) -> str:
        """Its signature, and how many operations of which kind it computes."""
        counts = Counter(e.op for e in reachable(self.outputs))
        kinds = ", ".join(f"{n} {op}" for op, n in counts.most_common())
        return f"<div><code>{html.escape(repr(self))}</code><br><small>{html.escape(kinds)}</small></div>"

    # -- evaluation ---------------------------------------------------------------------------------------------

    def interval(self, lo: ArrayLike, hi: ArrayLike, *, parameters: tuple[ArrayLike, ArrayLike] | None = None,
                 ) -> tuple[Array, Array]:
        """Bounds (lo, hi) that *enclose* every value of each expression over each box.

        Where an expression is undefined on part of a box, the values on the rest are enclosed. On a box where it has no value at
        all, whatever comes is no statement about it: an operation that is undefined there gives [-inf, inf], and what is made of
        that may be narrower, as by `exp` or `Max`. `decorated` tells such boxes by level 0.
        """
        out_lo, out_hi, _ = self._boxes("interval", lo, hi, parameters)
        return out_lo, out_hi

    def decorated(self, lo: ArrayLike, hi: ArrayLike, *, parameters: tuple[ArrayLike, ArrayLike] | None = None,
                  ) -> tuple[Array, Array, Levels]:
        """As `interval`, with what is *proved* of each expression on each whole box.

        uint8: 0 nothing, 1 defined, 2 and continuous (as a function on the box alone), 3 and differentiable: at each point of the box,
        so in a neighbourhood of it. A box that touches the switch of a Piecewise, as [0, 1] does that of x < 0, has at most 2. For a
        `jacobian`, 0 unless the function itself is proved differentiable on the whole box.
        """
        out_lo, out_hi, level = self._boxes("decorated", lo, hi, parameters)
        return out_lo, out_hi, level

    def points(self, p: ArrayLike, *, parameters: ArrayLike | None = None) -> Array:
        """Values at points, (n, variables) -> (n, expressions): *approximates* in ordinary double arithmetic.

        NaN where an expression is undefined.
        """
        x = self._rows(p, "points")
        q, stride = self._parameter_rows(parameters, len(x))
        out = np.empty((len(x), len(self.outputs)))
        self._run("points", len(x), (x, NONE), (q, NONE), stride, (out, NONE, NONE))
        return out

    def jacobian(self, *, sparse: bool = False) -> "Kernel":
        """The kernel of all partial derivatives, outputs row-major (expression, variable).

        `sparse`: only of those that are not 0 for all values; which they are is said by its `pattern`, of shape (expressions,
        variables). At kinks (abs, Min, Max) its bounds contain Clarke's generalized gradient. At switches (Piecewise, sign, floor and
        others that may jump) that a box touches they contain the limits of the derivative from all sides, and say nothing of a jump.
        """
        variables = self._differentiable()
        return self._derived(sparse_jacobian(self.outputs, variables)) if sparse else self._made(jacobian(self.outputs, variables))

    def hessian(self, *, sparse: bool = False) -> "Kernel":
        """The kernel of all second partial derivatives, outputs row-major (expression, variable, variable). Only the lower triangles are
        differentiated and computed.

        `sparse`: only the entries of the lower triangles that are not 0 for all values; which they are is said by its `pattern`, of shape
        (expressions * variables, variables): the triangles of all expressions, one below the other. Level 0 unless the function and its
        derivatives are proved differentiable on the whole box; at kinks and switches of a derivative as in `jacobian`.
        """
        rows, n = sparse_hessian(self.outputs, self._differentiable()), len(self.variables)
        return self._derived(rows) if sparse else self._made(mirrored(rows, jacobian(self.outputs, self._differentiable()), n))

    def _differentiable(self) -> list[Expr]:
        if not self.variables:
            raise ValueError("this kernel has no variables to take derivatives by")
        return [e.pool.variable(k) for e in self.outputs[:1] for k in range(len(self.variables))]

    def _derived(self, rows: Sequence[dict[int, Expr]]) -> "Kernel":
        return self._made([d for row in rows for d in row.values()], pattern(rows, len(self.variables)))

    def _made(self, outputs: Sequence[Expr], pattern: SparsityPattern | None = None) -> "Kernel":
        return Kernel(outputs, self.variables, self.parameters, self.cpu, self.quick, pattern=pattern)

    # -- native access ------------------------------------------------------------------------------------------

    def block_address(self, kind: Kind = "interval") -> int:
        """Address of ``void block(double *x, double *p, double *out)`` over one block of 8 lanes (see `lower`).

        For native callers; it encloses as `interval` does, sets the rounding mode itself and checks nothing. The
        address is valid as long as this kernel lives.
        """
        code = self._tiered(kind)
        return self._code(kind, "block").address["block"] if code is None else code.address

    def address(self, kind: Kind = "interval", entry: Entry = "block") -> int:
        """The address of an entry for native callers (C, cffi, numba): "block" is `block_address`, "batch" the loop over rows of arrays.

        `docs/pages/native.md` says what they take and who answers for what. Valid as long as this process lives. ValueError for a kind or
        an entry that there is not.
        """
        for given, known, what in ((kind, ("interval", "decorated", "points"), "kind"), (entry, tuple(SIGNATURES), "entry")):
            if given not in known:
                raise ValueError(f"{what} must be one of {', '.join(known)}, got {given!r}")
        tiered = self._tiered(kind) if entry == "block" else None
        if tiered is None:
            return self._code(kind, entry).address[entry]
        _lasting.add(tiered)
        return tiered.address

    def capsule(self, kind: Kind = "interval", entry: Entry = "block") -> Any:
        """The same address as a PyCapsule, named by the C type of the function."""
        return capsule(self.address(kind, entry), entry)

    def _tiered(self, kind: Kind) -> Tiered | None:
        """The code that is interpreted at first; None if this is not."""
        with self._lock:
            held: dict[Kind, Tiered | None] = self.__dict__.setdefault("_tiers", {})
            if kind not in held:
                held[kind] = self._shared_tiered(kind) if self._interpretable else None
            return held[kind]

    def _shared_tiered(self, kind: Kind) -> Tiered | None:
        graph = serialize(self.outputs)
        return tiered(self._named(graph, kind, "block"), self.outputs, graph, kind, self._bounded(kind))

    @functools.cached_property
    def _interpretable(self) -> bool:
        return self.quick and self.cpu is None and interpretable(self.outputs)

    def _code(self, kind: Kind, entry: str) -> Code:
        with self._lock:
            held: dict[tuple[str, str], Code] = self.__dict__.setdefault("_held", {})
            if (kind, entry) not in held:
                held[kind, entry] = self._build(kind, entry)
            return held[kind, entry]

    def _batch(self, kind: Kind) -> Callable[..., None]:
        held: dict[Kind, Callable[..., None]] = self.__dict__.setdefault("_batches", {})
        if kind not in held:
            held[kind] = batch_function(self._code(kind, "batch"))
        return held[kind]

    def _build(self, kind: Kind, entry: str) -> Code:
        return linked(self._name(kind, entry), entry, lambda: self.llvm(kind, entry), self.cpu)

    def _name(self, kind: Kind, entry: str) -> str:
        return self._named(serialize(self.outputs), kind, entry)

    def _named(self, graph: bytes, kind: Kind, entry: str) -> str:
        own = ("bounded",) * self._bounded(kind)
        return code_key(graph, kind, entry, f"{len(self.variables)} {len(self.parameters)}", *own, cpu=self.cpu)

    def _bounded(self, kind: Kind) -> bool:
        """Decorations speak of the values before these become the whole line, and points need no guards."""
        return self.bounded and kind == "interval"

    def llvm(self, kind: Kind = "interval", entry: str = "batch") -> str:
        """The LLVM assembly of one kind of this kernel's code.

        The loop over a batch takes more lanes at once where the formula leaves them idle; no result depends on how
        many.
        """
        outputs: Sequence[Expr] = self.outputs if kind == "points" else fold(expand(self.outputs, "rigorous"), enclose_repeated)
        shape = batch_shape(self.outputs, has_wide_registers(self.cpu)) if entry == "batch" else None
        module = lower(outputs, kind, self._bounded(kind), shape)
        if entry == "block":
            add_block(module)
        else:
            add_batch(module, kind, len(self.variables), len(self.parameters), len(self.outputs))
        return module.text()

    # -- calls --------------------------------------------------------------------------------------------------

    def _boxes(self, kind: Kind, lo: ArrayLike, hi: ArrayLike, parameters: tuple[ArrayLike, ArrayLike] | None,
               ) -> tuple[Array, Array, Levels]:
        a, b = self._rows(lo, "lo", 0), self._rows(hi, "hi", 1)
        if len(a) != len(b):
            raise ValueError(f"lo has {len(a)} rows and hi {len(b)}; they must have the same number of rows")
        plo, phi = self._split(parameters)
        p, stride = self._parameter_rows(plo, len(a), 0)
        q, other = self._parameter_rows(phi, len(a), 1)
        if stride != other:
            raise ValueError("the two parameter arrays differ in shape; give both as (p,) or both as (n, p)")
        shape = (len(a), len(self.outputs))
        level: Any = np.empty(shape, np.uint8) if kind == "decorated" else NONE
        out = np.empty(shape), np.empty(shape), level
        self._run(kind, len(a), (a, b), (p, q), stride, out)
        return out

    def _run(self, kind: Kind, rows: int, x: tuple[Array, Array], p: tuple[Array, Array], stride: int,
             out: tuple[Any, Any, Any]) -> None:
        check()
        bad = ctypes.c_int64(-1)
        arguments = rows, *map(address, (*x, *p)), stride, *map(address, out), ctypes.addressof(bad)
        if self._interpretable:
            sizes = len(self.variables), len(self.parameters), len(self.outputs)
            general_batch_function(kind, is_large(block_bytes(kind, *sizes)))(*arguments, self.block_address(kind), *sizes)
        else:
            self._batch(kind)(*arguments)
        if bad.value == REFUSED:
            raise MemoryError(f"there is no memory for one block of {len(self.outputs):,} expressions")
        if bad.value >= 0:
            self._complain(bad.value, x, p, stride)

    def _complain(self, start: int, x: tuple[Array, Array], p: tuple[Array, Array], stride: int) -> NoReturn:
        for what, names, (lo, hi) in (("box", self.variables, x), ("parameter", self.parameters, p)):
            first = start if what == "box" or stride else 0
            for row in range(first, len(lo)):
                for name, a, b in zip(names, lo[row], hi[row], strict=True):
                    if not (a <= b and a < np.inf and b > -np.inf):
                        raise ValueError(f"{what} row {row}: {name} = [{a}, {b}] is not an interval; "
                                         "bounds must satisfy lo <= hi, without NaN, lo < inf and hi > -inf")
        raise AssertionError("a block of bounds was rejected, but every row is an interval")

    def _rows(self, x: ArrayLike, name: str, end: int | None = None) -> Array:
        array, columns = rounded_doubles(x, name, end), len(self.variables)
        if array.ndim != 2 or array.shape[1] != columns:
            raise ValueError(f"{name} must have shape (n, {columns}), one column each for {', '.join(self.variables)}; "
                             f"got {np.shape(x)}")
        return array

    def _split(self, parameters: tuple[ArrayLike, ArrayLike] | None) -> tuple[ArrayLike | None, ArrayLike | None]:
        if parameters is None:
            return None, None
        if not isinstance(parameters, (tuple, list)) or len(parameters) != 2:
            raise ValueError("parameters must be a pair (plo, phi) of arrays")
        return parameters[0], parameters[1]

    def _parameter_rows(self, parameters: ArrayLike | None, rows: int, end: int | None = None) -> tuple[Array, int]:
        """Parameter rows and the stride from row to row: 0 when one row serves all boxes."""
        count = len(self.parameters)
        if parameters is None:
            if count:
                raise ValueError(f"this kernel needs parameters=..., one value each for {', '.join(self.parameters)}")
            return NONE, 0
        array = rounded_doubles(parameters, "parameters", end)
        if array.shape == (count,):
            return array.reshape(1, count), 0
        if array.shape == (rows, count):
            return array, count
        raise ValueError(f"parameters must have shape ({count},) or ({rows}, {count}), got {array.shape}")

    # -- pickling -----------------------------------------------------------------------------------------------

    def __reduce__(self) -> tuple[Callable[..., "Kernel"], tuple[Any, ...]]:
        return _restore, (serialize(self.outputs), self.variables, self.parameters, self.cpu, self.quick, self.bounded, self.pattern)


def _restore(data: bytes, *arguments: Any) -> Kernel:
    return Kernel(deserialize(data), *arguments)


_lasting: set[Tiered] = set()
"""Those whose address was given to callers outside."""

_repeated = Bounded[list[tuple[float, float]]](1 << 20, lambda found: 1000 + 150 * len(found))


def enclose_repeated(expressions: Sequence[Expr]) -> list[tuple[float, float]]:
    """Double enclosures of expressions without variables that hold integrals, inverse functions or repetitions, by a kernel: the bits of
    `enclose_constant`, a hundred times sooner where the machine code is kept.
    """
    key = serialize(expressions)
    if key not in _repeated:
        none = np.empty((1, 0))
        lo, hi, level = Kernel(expressions, []).decorated(none, none)
        _repeated[key] = [(float(a), float(b)) if d else (-np.inf, np.inf) for a, b, d in zip(lo[0], hi[0], level[0], strict=True)]
    return _repeated[key]
