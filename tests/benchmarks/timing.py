"""Clocks, fresh processes and tables for the benchmarks. No figure here is asserted by a test."""

import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def machine() -> str:
    """The processor and the software the figures belong to."""
    from importlib.metadata import version

    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        name = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
        flags = next(line for line in lines if line.startswith("flags"))
        name += ", AVX-512" if "avx512f" in flags else ", AVX2"
    except (OSError, StopIteration):
        pass
    software = ", ".join(f"{n} {version(n)}" for n in ("numpy", "sympy", "llvmlite"))
    busy = f"; load average {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"{name}, {os.cpu_count()} cores{busy}; Python {platform.python_version()}, {software}; one thread"


def interleaved(contenders: Mapping[str, Callable[[], Any]], rounds: int = 9, burst: int = 5) -> dict[str, float]:
    """Seconds of one call of each contender: the fastest of a burst of calls in a row, the median of several bursts.

    Contenders take turns, so a slow phase of the machine meets all alike; within a burst the caches are warm.
    """
    bursts: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, function in contenders.items():
            bursts[name].append(min(_seconds(function) for _ in range(burst)))
    return {name: statistics.median(times) for name, times in bursts.items()}


def _seconds(function: Callable[[], Any]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def fresh(code: str, **environment: str) -> list[float]:
    """Run `code` in a fresh interpreter; the numbers it prints. Settings that steer NumPy's libraries are left behind."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("OPENBLAS", "OMP", "MKL", "NPY"))}
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env={**kept, **environment}, text=True,
                         stdout=subprocess.PIPE, check=True)
    return [float(word) for word in run.stdout.split()]


def medians(code: str, runs: int, **environment: str) -> list[float]:
    """The medians of the numbers that `code` prints, over several fresh interpreters."""
    return [statistics.median(column) for column in zip(*(fresh(code, **environment) for _ in range(runs)), strict=True)]


def table(title: str, heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print rows under heads, numbers with three significant digits."""
    text = [list(heads), *([_word(x) for x in row] for row in rows)]
    widths = [max(len(row[k]) for row in text) for k in range(len(heads))]
    print(f"\n{title}\n")
    for number, row in enumerate(text):
        print("  ".join([row[0].ljust(widths[0]), *(x.rjust(w) for x, w in zip(row[1:], widths[1:], strict=True))]))
        if number == 0:
            print("  ".join("-" * w for w in widths))
    print(flush=True)


def _word(x: Any) -> str:
    if not isinstance(x, float):
        return str(x)
    return f"{x:.0f}" if abs(x) >= 100 else f"{x:.1f}" if abs(x) >= 10 else f"{x:.2f}" if abs(x) >= 0.1 else f"{x:.2g}"
