"""Contractors and paving: boxes a second of `codegen.contract`, and the time of `collide.pave`, beside Codac where that is installed."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

import codegen
import collide

from .timing import interleaved, table

x, y = sp.symbols("x y", real=True)
SQUARE = {x: (-3, 3), y: (-3, 3)}
RING = [x**2 + y**2 >= 1, x**2 + y**2 <= 4]
SETS: dict[str, Any] = {
    "ring": RING, "circle": sp.Eq(x**2 + y**2, 1), "waves": sp.sin(x * 3) * sp.cos(y * 2) + x * y / 5 <= sp.Rational(1, 3),
    "cubic, cosine": [sp.Eq(y, x**3 - x), sp.Ge(sp.cos(2 * x), y)], "one of two discs": sp.Or(x**2 + y**2 <= 1, (x - 1)**2 + y**2 <= 1),
}  # fmt: skip
ROWS, CODAC_ROWS = 100_000, 2000


def boxes(rows: int) -> tuple[np.ndarray, np.ndarray]:
    lo = np.random.default_rng(1).uniform(-3, 2.5, (rows, 2))
    return lo, lo + 0.5


def codac_ring() -> Any:
    """The separator of the ring by Codac 2; None where it is not installed."""
    try:
        import codac
    except ImportError:
        return None
    v = codac.VectorVar(2)
    return codac.SepInverse(codac.AnalyticFunction([v], codac.sqr(v[0]) + codac.sqr(v[1])), codac.Interval(1, 4))


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def contract() -> None:
    lo, hi = boxes(ROWS)
    kernels = {name: codegen.contract(s, [x, y], rounds=1) for name, s in SETS.items()}
    ours = interleaved({name: lambda c=c: c(lo, hi) for name, c in kernels.items()}, 5, 3)
    fixed = interleaved({name: lambda c=codegen.contract(s, [x, y]): c(lo, hi) for name, s in SETS.items()}, 5, 3)
    rows = [[name, ROWS / ours[name] / 1e6, ROWS / fixed[name] / 1e6] for name in SETS]
    table("codegen.contract, million boxes (0.5 wide) a second", ["", "one round", "to rest"], rows)
    ring = codac_ring()
    if ring is not None:
        import codac

        vectors = [codac.IntervalVector([[a, b] for a, b in zip(*ends, strict=True)]) for ends in zip(*boxes(CODAC_ROWS), strict=True)]
        took = seconds(lambda: [ring.separate(v) for v in vectors])
        both = kernels["ring"], ~kernels["ring"]
        own = interleaved({"ours": lambda: [c(lo, hi) for c in both]}, 5, 3)["ours"]
        table("Separation by the ring (set and complement), million boxes a second, called from Python", ["ours", "Codac"],
              [[ROWS / own / 1e6, CODAC_ROWS / took / 1e6]])


def pave() -> None:
    rows = []
    for name, s in SETS.items():
        for eps in (1e-2, 1e-3):
            answer = collide.pave(s, SQUARE, eps=eps)
            took = interleaved({name: lambda s=s, eps=eps: collide.pave(s, SQUARE, eps=eps)}, 3, 2)[name]
            rows.append([name, eps, 1e3 * took, len(answer.inner), len(answer.border), answer.volume.width, int(answer.exists.sum())])
    table("collide.pave, warm", ["", "eps", "ms", "inner", "border", "bracket of area", "pieces proved"], rows)
    ring = codac_ring()
    if ring is not None:
        import codac

        start = codac.IntervalVector([[-3, 3], [-3, 3]])
        table("Paving of the ring by Codac", ["eps", "ms"],
              [[str(eps), 1e3 * seconds(lambda eps=eps: codac.pave(start, ring, eps))] for eps in (1e-2, 1e-3)])


def main() -> None:
    contract()
    pave()
