"""Cost of a box: our kernels, crival, Arb, and plain numbers by NumPy and symjit, on the same formulas in one run.

All intervals are rigorous; crival and Arb run the formulas of `formulas` with every subexpression shared by hand, NumPy runs
what `sympy.lambdify(..., cse=True)` prints. Boxes are 0.1 wide.
"""

from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import sympy as sp

import codegen

from .formulas import FORMULAS
from .timing import fresh, interleaved, table

BATCHES = (10_000, 100_000)
ARB_BOXES = 300
NARROW = "x86-64-v3"
# Issue 2: how many times faster than crival at least, and how many times the time of NumPy's points at most.
TARGETS = {"a": (20.0, 1.0), "b": (7.0, 1.3), "c": (20.0, 1.0), "cj": (20.0, 1.0)}


def boxes(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    lo = np.random.default_rng(1).uniform(0.2, 1.0, (rows, columns))
    return lo, lo + 0.1


def symbolic(name: str) -> tuple[list[Any], list[Any]]:
    formula, names = FORMULAS[name]
    symbols = sp.symbols(names, real=True)
    m = SimpleNamespace(sin=sp.sin, cos=sp.cos, sqrt=sp.sqrt, square=lambda x: x**2, multiply_add=lambda w, y, x: w * y + x,
                        tenth=sp.Rational(1, 10), fifth=sp.Rational(1, 5), four_fifths=sp.Rational(4, 5))
    if name != "cj":
        return formula(m, *symbols), list(symbols)
    surface = FORMULAS["c"][0](m, *symbols)
    return surface + [sp.diff(f, s) for f in surface for s in symbols], list(symbols)


# -- contenders: ns a box -------------------------------------------------------------------------------------------


def ours(name: str, cpu: str | None = None) -> Callable[[np.ndarray, np.ndarray], Any]:
    return codegen.compile(*symbolic(name), cpu=cpu).interval


def numpy_points(name: str) -> Callable[[np.ndarray, np.ndarray], Any]:
    expressions, symbols = symbolic(name)
    function = sp.lambdify(symbols, expressions, "numpy", cse=True)
    return lambda lo, hi: function(*lo)


def crival_ways(name: str) -> dict[str, Callable[[np.ndarray, np.ndarray], Any]]:
    """crival by its operators, and with the operations it has of its own for squares and w y + x."""
    import ival

    formula, _ = FORMULAS[name]
    exact = {"tenth": ival.Interval(Fraction(1, 10)), "fifth": ival.Interval(Fraction(1, 5)),
             "four_fifths": ival.Interval(Fraction(4, 5))}
    common = {"sin": ival.sin, "cos": ival.cos, "sqrt": ival.sqrt, **exact}
    operators = SimpleNamespace(**common, square=lambda x: x**2, multiply_add=lambda w, y, x: w * y + x)
    named = SimpleNamespace(**common, square=ival.sqr, multiply_add=ival.fma)

    def run(m: Any) -> Callable[[np.ndarray, np.ndarray], Any]:
        return lambda lo, hi: formula(m, *(ival.Interval(a, b) for a, b in zip(lo, hi, strict=True)))

    return {"crival operators": run(operators), "crival functions": run(named)}


def symjit_points(name: str) -> Callable[[np.ndarray, np.ndarray], Any] | None:
    try:
        import symjit
    except ImportError:
        return None
    function = symjit.compile_func(symbolic(name)[1], symbolic(name)[0])
    return lambda lo, hi: function(*lo)


def arb_loop(name: str, rows: int) -> Callable[[], Any]:
    from flint import arb

    formula, names = FORMULAS[name]
    m = SimpleNamespace(sin=lambda x: x.sin(), cos=lambda x: x.cos(), sqrt=lambda x: x.sqrt(), square=lambda x: x**2,
                        multiply_add=lambda w, y, x: w * y + x, tenth=arb(1) / 10, fifth=arb(1) / 5, four_fifths=arb(4) / 5)
    lo, _ = boxes(rows, len(names.split()))
    balls = [[arb(float(x) + 0.05, 0.05) for x in row] for row in lo]
    return lambda: [formula(m, *row) for row in balls]


def check(name: str) -> None:
    """Every contender computes the same functions: crival's boxes meet ours, and both hold NumPy's points."""
    lo, hi = boxes(1000, len(FORMULAS[name][1].split()))
    by_column = np.ascontiguousarray(lo.T), np.ascontiguousarray(hi.T)
    out_lo, out_hi = ours(name)(lo, hi)
    points = np.stack([np.broadcast_to(v, len(lo)) for v in numpy_points(name)(*by_column)], axis=1)
    slack = 1e-12 * (1 + np.abs(points))
    assert ((out_lo <= points + slack) & (points - slack <= out_hi)).all(), name
    for way, function in crival_ways(name).items():
        for k, interval in enumerate(function(*by_column)):
            meets = (interval.lo <= out_hi[:, k]) & (out_lo[:, k] <= interval.hi)
            close = (interval.lo - slack[:, k] <= points[:, k]) & (points[:, k] <= interval.hi + slack[:, k])
            assert (meets & close).all(), (name, way, k)


def nanoseconds(name: str) -> dict[str, float]:
    """The best of every contender's ways and batches."""
    rows_of: dict[str, int] = {"Arb": ARB_BOXES}
    contenders: dict[str, Callable[[], Any]] = {"Arb": arb_loop(name, ARB_BOXES)}
    columns = len(FORMULAS[name][1].split())
    interval, narrow, points, symjit = ours(name), ours(name, NARROW), numpy_points(name), symjit_points(name)
    for rows in BATCHES:
        lo, hi = boxes(rows, columns)
        by_column = np.ascontiguousarray(lo.T), np.ascontiguousarray(hi.T)
        here = {"ours": (interval, (lo, hi)), "AVX2": (narrow, (lo, hi)), "NumPy": (points, by_column)}
        here |= {way: (f, by_column) for way, f in crival_ways(name).items()}
        if symjit is not None:
            here["symjit"] = (symjit, by_column)
        for contender, (function, arrays) in here.items():
            key = f"{contender} {rows}"
            rows_of[key], contenders[key] = rows, lambda f=function, a=arrays: f(*a)
    seconds = interleaved(contenders)
    each = {key: 1e9 * s / rows_of[key] for key, s in seconds.items()}
    return {who: min(v for key, v in each.items() if key.startswith(who))
            for who in ("ours", "AVX2", "crival", "Arb", "NumPy", "symjit") if any(key.startswith(who) for key in each)}


def compare() -> None:
    rows = []
    for name, (faster, points) in TARGETS.items():
        check(name)
        ns = nanoseconds(name)
        rows.append([name, ns["ours"], ns["AVX2"], ns["crival"], ns["Arb"], ns["NumPy"], ns.get("symjit", "not installed"),
                     ns["crival"] / ns["ours"], f"{faster:.0f}", ns["Arb"] / ns["ours"], ns["ours"] / ns["NumPy"],
                     ns["AVX2"] / ns["NumPy"], points])
    table(f"ns a box, best of batches of {BATCHES[0]} and {BATCHES[1]} (Arb: {ARB_BOXES}); NumPy and symjit: points, not boxes; "
          "AVX2: ours without AVX-512, where this processor has it",
          ["", "ours", "AVX2", "crival", "Arb", "NumPy", "symjit", "crival/ours", "target >=", "Arb/ours", "ours/NumPy", "AVX2/NumPy",
           "target <="],
          rows)


def single_operations() -> None:
    x = sp.Symbol("x", real=True)
    lo, hi = boxes(10_000, 1)
    kernels = {str(f): codegen.compile(f, [x]) for f in (x, sp.sin(x), sp.cos(x), sp.exp(x), sp.log(x), sp.atan(x))}
    kernels["sin and cos"] = codegen.compile([sp.sin(x), sp.cos(x)], [x])
    seconds = interleaved({name: lambda k=k: k.interval(lo, hi) for name, k in kernels.items()}, 25)
    ns = {name: s / 1e-5 for name, s in seconds.items()}
    table("Interval functions, ns a box in batches of 10000, call and memory included (x alone: what those cost)",
          ["", "ns", "target"], [[name, t, "4" if name in ("sin(x)", "cos(x)") else ""] for name, t in ns.items()])


def functions() -> None:
    """Each function's boxes beside points of NumPy or SciPy."""
    from scipy import special

    x = sp.Symbol("x", real=True)
    peers = {sp.exp: np.exp, sp.log: np.log, sp.sin: np.sin, sp.atan: np.arctan, sp.sinh: np.sinh, sp.sqrt: np.sqrt, sp.erf: special.erf,
             sp.erfc: special.erfc, sp.gamma: special.gamma, sp.loggamma: special.gammaln, sp.digamma: special.psi,
             sp.Si: lambda a: special.sici(a)[0]}
    lo, hi = boxes(10_000, 1)
    contenders: dict[str, Callable[[], Any]] = {}
    for f, peer in peers.items():
        for cpu in (None, NARROW):
            kernel = codegen.compile(f(x), [x], cpu=cpu)
            contenders[f"{f.__name__} {cpu}"] = lambda k=kernel: k.interval(lo, hi)
        contenders[f"{f.__name__} points"] = lambda f=peer: f(lo)
    ns = {name: s / 1e-5 for name, s in interleaved(contenders, 25).items()}
    rows = [[f.__name__, ours := ns[f"{f.__name__} None"], narrow := ns[f"{f.__name__} {NARROW}"], point := ns[f"{f.__name__} points"],
             ours / point, narrow / point] for f in peers]
    table("Functions, ns a box of 10000, beside ns a point of NumPy or SciPy, from 0.2 to 1.1",
          ["", "ours", "AVX2", "points", "ours/points", "AVX2/points"], rows)


_MEMORY = """
import numpy as np, codegen
from tests.benchmarks.kernels import symbolic
def status(field):
    return next(int(line.split()[1]) / 1024 for line in open("/proc/self/status") if line.startswith(field))
kernel = codegen.compile(*symbolic("cj"))
kernel.interval(np.zeros((8, 2)), np.ones((8, 2)))
before = status("VmRSS")
lo = np.random.default_rng(1).uniform(0, 1, (1_000_000, 2))
hi = lo + 0.1
out = kernel.interval(lo, hi)
print(status("VmHWM") - before, sum(a.nbytes for a in (lo, hi, *out)) / 2**20)
"""


def memory() -> None:
    peak, arrays = fresh(_MEMORY)
    table("Peak memory for 1e6 boxes through (cj), MB above the process before", ["", "MB", "target <="],
          [["peak", peak, f"{arrays + 100:.0f}"], ["the arrays themselves", arrays, ""]])


def main() -> None:
    compare()
    single_operations()
    functions()
    memory()
