"""SymPy expressions as expression graphs, converted once, exactly, without recursion (`sympy_rules`: what becomes of each class).

The guarantee of a kernel starts at the expression SymPy kept: SymPy itself folds floats and cancels ``x/x`` before
anything arrives here. Constants arrive exact: a SymPy Float is the binary number it holds.
"""

import contextlib
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.logic.boolalg import BooleanFalse, BooleanTrue

from .forms.identities import both
from .forms.ways_out import ADVICE, other_form
from .functions import Spline
from .functions.algebraic import root_of
from .functions.half_orders import half_order, is_half
from .functions.hankel import TabledBesselJ
from .functions.lattices import TricubicSpline
from .functions.pieces import BesselRatios, Cases, Hull, Tabled, TabledSine, ThreeTerm
from .functions.primitives import AppliedPrimitive, Primitive, primitive_ends, primitive_places, primitive_value_ends
from .functions.solutions import TIME, InitialValueProblem, Solution, datum, state
from .functions.special import FORMS, SPECIAL
from .given import TEXT, NotAFormula, expression, shown
from .graph import primitives
from .graph.expr import Expr, ExprPool
from .graph.flows import Flow, described, encoded
from .graph.serialize import serialize
from .operators import BoundSymbol, DefiniteIntegral, Inverse
from .sympy_rules import RULES, SUPPORTED, Convert, UnsupportedExpression, float_value, rule

_CONSTANTS: dict[Any, int | str] = {sp.pi: "pi", sp.E: "e", sp.EulerGamma: "euler_gamma", sp.Catalan: "catalan"}

# What SymPy writes for derivatives of functions that step.
_UNKNOWN_DERIVATIVES = (sp.DiracDelta, sp.Derivative, sp.Subs)


def from_sympy(expressions: Iterable[Any], variables: Sequence[Any], parameters: Sequence[Any] = (),
               pool: ExprPool | None = None) -> list[Expr]:
    """Convert `expressions` (SymPy expressions, numbers, matrices, or nested sequences; flattened row-major).

    Raises UnsupportedExpression for free symbols that are neither variable nor parameter, for unknown functions and
    for constants that are not real.
    """
    pool = pool or ExprPool()
    check_symbols(variables, parameters)
    known: dict[Any, Expr] = {s: pool.variable(k) for k, s in enumerate(variables)}
    known.update({s: pool.parameter(k) for k, s in enumerate(parameters)})
    return convert(expressions, known, pool)


def convert(expressions: Any, known: dict[Any, Expr], pool: ExprPool) -> list[Expr]:
    """Convert with the nodes that stand for the free symbols given: for systems in which one formula occurs with
    several variables.
    """
    converter = _Converter(pool, known)
    return [converter.convert(e) for e in flatten(expressions)]


def real_number(number: Any) -> Expr | float | None:
    """A real number, of SymPy or of Python, as a constant node, an infinity as a float; None for anything else."""
    try:
        exact = expression(number)
    except NotAFormula:
        return None
    if exact in (sp.oo, -sp.oo):
        return float(exact)
    if not (isinstance(exact, sp.Expr) and exact.is_number and exact.is_real):
        return None
    return convert([exact], {}, ExprPool())[0]


def flatten(expressions: Any) -> list[Any]:
    """Nested sequences, arrays and matrices as one row-major list of SymPy expressions."""
    if isinstance(expressions, sp.MatrixExpr):
        expressions = expressions.doit().as_explicit()
    if isinstance(expressions, (sp.MatrixBase, sp.NDimArray)):
        expressions = list(sp.flatten(expressions.tolist()))
    if hasattr(expressions, "tolist"):
        expressions = expressions.tolist()
    if isinstance(expressions, (list, tuple, sp.Tuple)):
        return [leaf for e in expressions for leaf in flatten(e)]
    if isinstance(expressions, Expr):
        return [expressions]
    if isinstance(expressions, TEXT):
        raise TypeError(f"write formulas with SymPy symbols, not as text; got {shown(expressions)}")
    with contextlib.suppress(NotAFormula):
        e = expression(expressions)
        if not isinstance(e, sp.Set):
            return [e]
    kind = type(expressions).__name__
    raise UnsupportedExpression(f"cannot compile {shown(expressions)} of type {kind}; give SymPy expressions, or a list of them")


def check_symbols(variables: Sequence[Any], parameters: Sequence[Any]) -> None:
    for given in (variables, parameters):
        if not isinstance(given, (list, tuple, sp.Tuple, np.ndarray, sp.MatrixBase)):
            hint = f"; write [{given}]" if isinstance(given, sp.Symbol) else ""
            raise TypeError(f"variables and parameters must be lists of symbols, got {shown(given)}{hint}")
    seen = set()
    for s in (*variables, *parameters):
        if not isinstance(s, sp.Symbol):
            raise TypeError(f"a variable must be a SymPy Symbol, got {shown(s)} of type {type(s).__name__}")
        check_real(s)
        if s in seen:
            raise ValueError(f"the symbol {s} is listed twice; each must be one variable or one parameter")
        seen.add(s)


def check_real(s: Any) -> None:
    """ValueError for a symbol that stands for no real number."""
    if s.is_extended_real is False or s.is_finite is False or not s.is_commutative:
        kind = "not to be a real number" if s.is_commutative else "not to commute"
        raise ValueError(f'the symbol {s} is assumed {kind}; variables are real numbers: write Symbol("{s}", real=True)')


class _Converter:
    def __init__(self, pool: ExprPool, known: dict[Any, Expr]) -> None:
        self.pool, self.known = pool, known
        # By identity: comparing deep trees would recurse. Equal subtrees meet again in the pool.
        self.done: dict[int, Expr] = {}
        self.kept: list[Any] = []

    def convert(self, root: Any) -> Expr:
        if isinstance(root, Expr):
            return root
        self.kept.append(root)
        done = self.done
        # A node waits on the stack without arguments until it is met, then with them until they are done.
        stack: list[tuple[Any, Sequence[Any] | None]] = [(root, None)]
        while stack:
            e, args = stack.pop()
            if args is not None:
                convert: Convert = rule(type(e)) or _same
                done[id(e)] = convert(self.pool, e, [done[id(a)] for a in args])
            elif id(e) not in done:
                if e.is_Atom:
                    done[id(e)] = self._atom(e)
                    continue
                args = self._arguments(e)
                stack.append((e, args))
                stack.extend([(a, None) for a in args if id(a) not in done])
        return done[id(root)]

    def _arguments(self, e: Any) -> Sequence[Any]:
        kind = type(e)
        if kind in _UNKNOWN_DERIVATIVES:
            raise UnsupportedExpression(f"cannot compile {shown(e)}: {_why_no_derivative(e)}")
        if rule(kind) is None:
            self.kept.append(other_form(e, rule))
            if self.kept[-1] is None:
                raise _unsupported(e)
            return (self.kept[-1],)
        if kind is sp.Pow:
            return (e.base,) if _has_number_in_exponent(e) else e.args
        if isinstance(e, (DefiniteIntegral, Inverse)):
            return (e.args[0], *e.args[2:])
        if kind is Solution:
            return _inputs_of(e)
        if kind in NUMBERS and not (kind is sp.zeta and (len(e.args) > 1 or not (e.args[0].is_Integer and e.args[0] > 1))):
            return ()
        if kind is sp.besselj and is_half(e.order):
            self.kept.append(half_order(e))
            return (self.kept[-1],)
        if kind in FORMS:
            self.kept.append(FORMS[kind](e))
            return [*e.args, *self.kept[-1]]
        if kind in SPECIAL:
            self.kept.append(_special(e))
            return (self.kept[-1],)
        if kind in _NUMBERS_FIRST:
            return e.args[_NUMBERS_FIRST[kind]:]  # type: ignore[no-any-return]
        if kind is AppliedPrimitive:
            return e.args[1:]  # type: ignore[no-any-return]
        if kind is TricubicSpline:
            return e.args[:3]  # type: ignore[no-any-return]
        if kind in (sp.Integral, Spline):
            self.kept.append(e.unrolled() if kind is Spline else _definite(e))
            return (self.kept[-1],)
        if kind in (sp.Piecewise, Cases):
            branches = [part for pair in e.args for part in pair.args]
            self.kept.append(branches)
            return branches
        return e.args  # type: ignore[no-any-return]

    def _atom(self, e: Any) -> Expr:
        if e in self.known:
            return self.known[e]
        if isinstance(e, BoundSymbol):
            return self.pool.node("bound", value=int(e.dummy_index))
        if isinstance(e, sp.Symbol):
            names = {s.name for s in self.known}
            hint = ("a symbol of that name is listed, with other assumptions; use the very same symbol"
                    if e.name in names else "list it as a variable or as a parameter, or substitute a value")
            raise UnsupportedExpression(f"the free symbol {e} is neither variable nor parameter; {hint}")
        if isinstance(e, (BooleanTrue, BooleanFalse)):
            return self.pool.node("true" if e == sp.true else "false")
        if type(e) in NUMBERS:
            return RULES[type(e)](self.pool, e, [])
        if e is sp.TribonacciConstant:
            return self.convert(e.expand(func=True))
        if e is sp.GoldenRatio:
            return (1 + self.pool.node("sqrt", self.pool.constant(5))) * Fraction(1, 2)
        if e in _CONSTANTS:
            return self.pool.constant(_CONSTANTS[e])
        if isinstance(e, sp.Rational):
            return self.pool.constant(Fraction(int(e.p), int(e.q)))
        if isinstance(e, sp.Float) and e.is_finite:
            return self.pool.constant(float_value(e))
        if isinstance(e, sp.NumberSymbol) and e.expand(func=True) != e:
            return self.convert(e.expand(func=True))
        raise UnsupportedExpression(f"{e} is not a finite real constant; "
                                    f"{ADVICE.get(type(e).__name__, 'a kernel computes with real numbers only')}")


def _same(pool: ExprPool, e: Any, args: list[Expr]) -> Expr:
    """The argument, in the place of a function that has no rule of its own."""
    return args[0]


def _why_no_derivative(e: Any) -> str:
    if not e.doit().has(*_UNKNOWN_DERIVATIVES):
        return "it is not evaluated yet; call .doit() on the formula"
    if e.has(sp.re, sp.im):
        return "write Symbol(..., real=True) before it is taken"
    return ADVICE.get(type(e).__name__,
                      "SymPy has no formula for this derivative; compile the function itself, and take its derivatives by `jacobian`")


def _inputs_of(e: Any) -> Sequence[Any]:
    """The time and the parameters."""
    open_ = [a for a, ends in zip(e.args[3:], e.problem.ranges, strict=True) if ends is None]
    if open_:
        symbols = ", ".join(sorted({str(s) for a in open_ for s in a.free_symbols}))
        raise UnsupportedExpression(f"cannot compile {shown(e)}, a solution of differential equations whose numbers depend on {symbols}; "
                                    "substitute numbers, or give ranges to `ode`")
    return (e.args[0], *e.args[3:])


@lru_cache(maxsize=256)
def flow_of(problem: InitialValueProblem) -> Flow:
    """The formulas of a problem as a graph; all parameters have ranges."""
    pool, n = ExprPool(), len(problem.rates)
    data = {datum(k): pool.variable(n + k + 1) for k in range(problem.parameters)}
    places = {TIME: pool.variable(0), **{state(k): pool.variable(k + 1) for k in range(n)}, **data}
    low, high = (convert([pair[end] for pair in problem.start], data, pool) for end in range(2))
    begin, end = problem.span
    return described(convert(problem.rates, places, pool), low, high, begin, end, problem.steps, problem.ranges,
                     divisions=problem.divisions)


def _solution(pool: ExprPool, e: Any, args: list[Expr]) -> Expr:
    return pool.node("flow" if e.problem.parameters else "solution", *args, value=encoded(e.component, flow_of(e.problem)))


# Its own formulas are converted, too.
RULES[Solution] = _solution


def _primitive(pool: ExprPool, e: Any, args: list[Expr]) -> Expr:
    return pool.node("primitive", *args, value=declared_of(e.primitive))


RULES[AppliedPrimitive] = _primitive
RULES[Tabled] = lambda pool, e, args: pool.node("tabled", *args, value=e.args[0].name)
RULES[TabledSine] = lambda pool, e, args: pool.node("sine_integral", *args)
RULES[Hull] = lambda pool, e, args: pool.node("hull", *args)


def _cases(pool: ExprPool, e: Any, args: list[Expr]) -> Expr:
    value = pool.node("undefined")
    for branch, condition in reversed(list(zip(args[::2], args[1::2], strict=True))):
        value = pool.where(condition, branch, value)
    return value


def _three_term(pool: ExprPool, e: Any, args: list[Expr]) -> Expr:
    s, t, n = map(int, e.args[:3])
    x, before, now = args
    for k in range(1, n):
        before, now = now, s * 2 * k / x * now + t * before
    return now if n else before


def _in_forms(first: Convert) -> Convert:
    """A function of this rule together with its further forms."""
    def rule(pool: ExprPool, e: Any, args: list[Expr]) -> Expr:
        if len(args) < len(e.args):  # another function stands for it
            return args[0]
        own, forms = args[:len(e.args)], args[len(e.args):]
        found = first(pool, e, own)
        for k in range(0, len(forms), 3):
            found = both(found, *forms[k:k + 3])
        return found

    return rule


RULES.update({kind: _in_forms(RULES[kind]) for kind in FORMS})


def _bessel_ratios(pool: ExprPool, e: Any, args: list[Expr]) -> Expr:
    n, (x,) = int(e.args[0]), args
    ratio, product = pool.node("hull", pool.constant(0), pool.constant(1)), pool.constant(1)
    for k in range(6 * n + 20, -1, -1):
        ratio = x / (2 * (k + 1) + x * ratio)
        product = product * ratio if k < n else product
    return product


RULES[ThreeTerm], RULES[BesselRatios], RULES[Cases] = _three_term, _bessel_ratios, _cases
# Functions whose first arguments are numbers, or a name: how many.
_NUMBERS_FIRST = {Tabled: 1, TabledBesselJ: 1, ThreeTerm: 3, BesselRatios: 1}
RULES[TabledBesselJ] = lambda pool, e, args: pool.node("bessel_j", *args, value=int(e.args[0]))
RULES.update(dict.fromkeys(SPECIAL, lambda pool, e, args: args[0]))


def _zeta(pool: ExprPool, e: Any, args: list[Expr]) -> Expr:
    """The zeta function; of an integer from 2 up it is a number."""
    return args[0] if args else pool.constant(f"zeta {int(e.args[0])}")


def _algebraic(pool: ExprPool, e: Any, args: list[Expr]) -> Expr:
    found = root_of(e)
    if found is None:
        raise UnsupportedExpression(f"{shown(e)} is not a finite real constant that is known; a kernel computes with real numbers only")
    if found.lo == found.hi:
        return pool.constant(found.lo + found.whole)
    return pool.constant(f"root {found.lo} {found.hi} {' '.join(map(str, found.coefficients))}") + found.whole


NUMBERS: dict[type, Convert] = {sp.zeta: _zeta, sp.CRootOf: _algebraic, sp.AlgebraicNumber: _algebraic}
RULES.update(NUMBERS)


def _special(e: Any) -> Any:
    try:
        return SPECIAL[type(e)](e)
    except ValueError as error:
        raise UnsupportedExpression(f"cannot compile {shown(e)}: {error}") from None


@lru_cache(maxsize=256)
def declared_of(f: Primitive) -> bytes:
    """A function of the user's as the value of a node; its formulas become graphs."""
    n = f.arguments
    ends, places = primitive_ends(n), primitive_places(n)
    more = [*primitive_value_ends(), *ends]
    bounds, points, slopes, inverses = (
        _formulas(e, symbols) for e, symbols in ((f.bounds, ends), (f.points, places[:n]), (f.slopes, places), (f.inverses, more)))
    return primitives.encoded(primitives.Declared(f.name, n, f.level, bounds, points, slopes, inverses, f.native))


def _formulas(formulas: Sequence[Any], symbols: Sequence[Any]) -> bytes:
    """The graph of formulas in these symbols; of none nothing."""
    pool = ExprPool()
    return serialize(convert(formulas, {s: pool.variable(k) for k, s in enumerate(symbols)}, pool)) if formulas else b""


def _has_number_in_exponent(e: Any) -> bool:
    """x**2.0 counts: it is a square, defined below 0 too."""
    return e.base is not sp.E and bool(e.exp.is_Rational or (isinstance(e.exp, sp.Float) and e.exp.is_finite))


def _definite(e: Any) -> Any:
    """SymPy's integral as ours, the innermost variable first."""
    value = e.function
    for limits in e.limits:
        if len(limits) != 3 or not all(end.is_finite is not False for end in limits[1:]):
            raise UnsupportedExpression(f"cannot compile {shown(e)}: an integral needs two finite limits, Integral(f, (s, a, b))")
        value = DefiniteIntegral(value, *limits)
    return value


def _unsupported(e: Any) -> UnsupportedExpression:
    """Rules go by class: a function that is only named like one of SymPy's is another one."""
    name = type(e).__name__
    hint = ADVICE.get(name) or f"no bounds of {name} are known; codegen.sympy_rules.SUPPORTED lists the functions that have them"
    if isinstance(e, (sp.im, sp.arg)) and e.free_symbols:
        names = ", ".join(sorted(map(str, e.free_symbols)))
        hint = f"{names} {'are real numbers' if len(e.free_symbols) > 1 else 'is a real number'} here; write Symbol(..., real=True), " \
               "and SymPy simplifies it"
    elif isinstance(e, AppliedUndef):
        hint = f"the function {name} has no definition; write one of SymPy's, such as sp.sin"
    elif name in SUPPORTED:
        hint = f"this is another function than the {name} that is supported, in name only"
    return UnsupportedExpression(f"cannot compile {name}: {shown(e)}; {hint}")
