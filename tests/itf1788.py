"""Test vectors of interval arithmetic: ``python -m tests.itf1788 FOLDER`` runs those of the operations that kernels have.

FOLDER holds files of the language of Kiesner, Nehmeier and Wolff von Gudenberg (ITF1788, https://github.com/nehmeier/ITF1788, or
https://github.com/JuliaIntervals/ITF1788.jl, src/itl). Each line gives operands and the tightest interval of doubles. The bounds of a
kernel must contain it, and so must those of a contractor for the reverse operations. The table has how many are equal, and the units of
the last place by which others are wider, with the widest. A level of definition or continuity that the vector's decoration denies is a
fault, too; operands hand their own decorations on, so only those count that are continuous. Empty operands have no box, and an empty
result must have level 0.
"""

import contextlib
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sympy as sp
from sympy.codegen import cfunctions

import codegen

x, y, z = sp.symbols("x y z", real=True)
p = sp.Symbol("x", positive=True)  # powers of the standard have no negative bases
Interval = tuple[float, float]
_LINE = re.compile(r"^\s*(\w+)\s+(.+?)\s*=\s*(.+?)\s*;")
_OPERAND = re.compile(r"\[([^\]]*)\](?:_(\w+))?|(\S+)")
# At most these levels hold where the result is so decorated: "trv" says nothing of the box, "def" that the function is not continuous.
_LEVELS = {"trv": 0, "def": 1}

OPERATIONS: dict[str, Any] = {
    "pos": x, "neg": -x, "add": x + y, "sub": x - y, "mul": x * y, "div": x / y, "recip": 1 / x, "sqr": x**2, "sqrt": sp.sqrt(x),
    "fma": cfunctions.fma(x, y, z), "pow": p**y, "exp": sp.exp(x), "exp2": 2**x, "exp10": 10**x, "log": sp.log(x),
    "log2": sp.log(x, 2), "log10": sp.log(x, 10), "sin": sp.sin(x), "cos": sp.cos(x), "tan": sp.tan(x), "asin": sp.asin(x),
    "acos": sp.acos(x), "atan": sp.atan(x), "atan2": sp.atan2(x, y), "sinh": sp.sinh(x), "cosh": sp.cosh(x), "tanh": sp.tanh(x),
    "asinh": sp.asinh(x), "acosh": sp.acosh(x), "atanh": sp.atanh(x), "sign": sp.sign(x), "ceil": sp.ceiling(x), "floor": sp.floor(x),
    "trunc": sp.Max(sp.floor(x), 0) + sp.Min(sp.ceiling(x), 0),
    "abs": abs(x), "min": sp.Min(x, y), "max": sp.Max(x, y), "cot": sp.cot(x), "sec": sp.sec(x),
    "csc": sp.csc(x), "coth": sp.coth(x), "sech": sp.sech(x), "csch": sp.csch(x), "acot": sp.acot(x), "acoth": sp.acoth(x),
    "expm1": sp.exp(x) - 1, "logp1": sp.log(1 + x), "hypot": sp.sqrt(x**2 + y**2), "cbrt": sp.real_root(x, 3),
}  # fmt: skip
WITH_NUMBERS: dict[str, Callable[[int], Any]] = {"pown": lambda n: x**n, "rootn": lambda n: sp.real_root(x, n) if n % 2 else sp.root(x, n)}

REVERSED = {"sqr": x**2, "abs": abs(x), "sin": sp.sin(x), "cos": sp.cos(x), "tan": sp.tan(x), "cosh": sp.cosh(x), "mul": x * y}
"""Operations whose arguments `codegen.contract` narrows; also `pown`."""


class Vector(NamedTuple):
    """A line of a file; an interval is None where it is empty, a number where the language has one."""

    name: str
    operands: tuple[Interval | float | None, ...]
    result: Interval | None
    continuous: bool
    decoration: str
    text: str


def vectors(path: Path) -> Iterator[Vector]:
    """Lines that have one interval as the result; others are of queries that kernels do not have."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    for line in text.splitlines():
        found = _LINE.match(line)
        if found:
            name, operands, results = found.groups()
            result = _OPERAND.fullmatch(results.split(" signal")[0].strip())
            with contextlib.suppress(ValueError):  # a word, text or "nai" is no interval
                if result and result[3] is None:
                    parts = list(_OPERAND.finditer(operands))
                    continuous = all(m[2] in ("com", "dac") for m in parts if m[3] is None)
                    yield Vector(name, tuple(map(_operand, parts)), _operand(result), continuous, result[2] or "", line.strip())


def _operand(m: re.Match[str]) -> Any:
    if m[3] is not None:
        return _number(m[3])
    if m[1].strip() == "empty":
        return None
    if m[1].strip() == "entire":
        return (-np.inf, np.inf)
    ends = [_number(part.strip()) for part in m[1].split(",")]
    return (ends[0], ends[-1])


def _number(text: str) -> float:
    return float.fromhex(text) if "0x" in text.lower() else float(text)


@cache
def _kernel(name: str, n: int | None) -> codegen.Kernel | None:
    formula = _formula(OPERATIONS, name, n)
    return None if formula is None else codegen.compile([formula], [s for s in (x, p, y, z) if s in formula.free_symbols] or [x])


@cache
def _contractor(name: str, n: int | None) -> codegen.Contractor | None:
    """The narrowed x and z, and y for a product: the operation has its value in z."""
    formula = _formula(REVERSED, name.removesuffix("Bin").removesuffix("Rev"), n) if name.endswith(("Rev", "RevBin")) else None
    return None if formula is None else codegen.contract(sp.Eq(formula, z), [x, *sorted(formula.free_symbols - {x}, key=str), z])


def _formula(table: dict[str, Any], name: str, n: int | None) -> Any:
    if n is None:
        return table.get(name)
    return sp.sympify(WITH_NUMBERS[name](n)) if name in WITH_NUMBERS else None


class Outcome(NamedTuple):
    """`wider`: by how many units of the last place, both ends together; `fault`: a sentence, or nothing."""

    wider: float
    fault: str


def outcome(v: Vector) -> Outcome | None:
    """The bounds of a kernel or a contractor beside a vector; None where there is none, or no box."""
    numbers = [o for o in v.operands if isinstance(o, float)]
    boxes = [o for o in v.operands if not isinstance(o, float)]
    if any(b is None or b[0] == np.inf or b[1] == -np.inf for b in boxes) or len(numbers) > 1 or any(n != int(n) for n in numbers):
        return None
    n = int(numbers[0]) if numbers else None
    made = _kernel(v.name, n)
    if made is not None:
        lo, hi = (np.array([[b[end] for b in boxes]]) for end in (0, 1))
        return _compared(v, *(float(e[0, 0]) for e in made.decorated(lo, hi)))
    back = _contractor(v.name, n)
    return None if back is None else _compared(v, *_contracted(back, boxes), 0)


def _contracted(back: codegen.Contractor, boxes: list[Any]) -> Interval:
    """The bounds of x: operands are those of y for a product, of z, and of x unless it may be anything; empty as NaN."""
    fixed = boxes[:len(back.variables) - 1]
    first = boxes[len(fixed)] if len(boxes) > len(fixed) else (-np.inf, np.inf)
    lo, hi = (np.array([[b[end] for b in (first, *fixed)]]) for end in (0, 1))
    low, high = back(lo, hi)
    return float(low[0, 0]), float(high[0, 0])


def _compared(v: Vector, low: float, high: float, level: float) -> Outcome:
    if v.result is None:
        wider = np.inf if "Rev" in v.name and not np.isnan(low) else 0
        return Outcome(wider, "" if level == 0 else f"level {level:g} of a function defined nowhere")
    if v.continuous and level > _LEVELS.get(v.decoration, 3):
        return Outcome(0, f"level {level:g}, decoration {v.decoration}")
    if not (low <= v.result[0] and high >= v.result[1]):
        return Outcome(0, f"[{low.hex()}, {high.hex()}] does not contain it")
    return Outcome(_ulps(low, v.result[0]) + _ulps(high, v.result[1]), "")


def _ulps(a: float, b: float) -> float:
    """How many doubles lie between two, and an infinity where one of them is infinite."""
    if a == b:
        return 0.0
    return abs(float(_place(a) - _place(b))) if np.isfinite([a, b]).all() else np.inf


def _place(a: float) -> int:
    bits = int(np.float64(abs(a)).view(np.int64))
    return bits if a > 0 else -bits


def main(folder: str) -> None:
    found: dict[str, list[tuple[float, str]]] = defaultdict(list)
    faults, left_out = [], 0
    for path in sorted(Path(folder).glob("*.itl")):
        for v in vectors(path):
            o = outcome(v)
            if o is None:
                left_out += 1
                continue
            found[v.name].append((o.wider, v.text))
            if o.fault:
                faults.append(f"{path.name}: {v.text}\n    {o.fault}")
    print(f"{'operation':10} {'vectors':>8} {'equal':>7} {'to 2':>7} {'to 8':>7} {'finite':>7} {'inf':>7}  widest beyond 8")
    for name, rows in sorted(found.items()):
        print(_row(name, rows))
    count = sum(map(len, found.values()))
    print(f"{count} vectors, {len(faults)} faults, {left_out} of other operations or without boxes", *faults, sep="\n")


def _row(name: str, rows: list[tuple[float, str]]) -> str:
    wider = np.array([row[0] for row in rows])
    places = np.searchsorted([0.0, 2.0, 8.0, np.finfo(float).max], wider)  # in (before, this]
    counts = np.bincount(places, minlength=5)
    return f"{name:10} {len(rows):8} " + " ".join(f"{c:7}" for c in counts) + (f"  {max(rows)[1]}" if wider.max() > 8 else "")


if __name__ == "__main__":
    main(sys.argv[1])
