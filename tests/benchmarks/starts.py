"""Waiting times of a user: imports beside SymPy's own, and calls 1 to 20 of a kind in a fresh process, from an empty cache and a filled
one.

Machine code is made meanwhile, by another process. Seconds of the clock, so the figures mean something on an idle machine only;
`processor`: the share of the first call that this process computed. No later call should be slower than an earlier one: the last column
compares each with the slowest of the three before it.
"""

import tempfile

from .timing import fresh, medians, table

CALLS = 20
_IMPORTS = """
import time
begin = time.perf_counter()
import sympy
middle = time.perf_counter()
import collide
print(middle - begin, time.perf_counter() - middle)
"""
# Bodies and a time span, of call k: the first example of the README, and one with other numbers in each call.
KINDS = {
    "README": "[torus(upright(3 - t)), torus()], (0, 4)",
    "other numbers": "[torus(upright(3 + sp.Rational(k, 10) - t)), torus(sp.Rational(k, 30))], (0, 4)",
}
_RUN = """
import sys, time
import sympy as sp, collide
from codegen.machine.compiler import compiler
from generative import ParametricSurface, Rigid, t, u, v

def upright(height):
    return Rigid(rotation=[[1, 0, 0], [0, 0, -1], [0, 1, 0]], translation=[0, 0, height])

def torus(moved=None):
    ring = 1 + sp.Rational(3, 10) * sp.cos(v)
    made = ParametricSurface([ring * sp.cos(u), ring * sp.sin(u), sp.Rational(3, 10) * sp.sin(v)], {{u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)}})
    if moved is None:
        return made
    return made.moved(moved if isinstance(moved, Rigid) else Rigid(translation=[moved, 0, 0]))

used = time.process_time()
for k in range(1, {calls} + 1):
    begin = time.perf_counter()
    collide.first_contact(*({bodies}))
    print(time.perf_counter() - begin)
    if k == 1:
        used = time.process_time() - used
print(used)
if {settle}:
    compiler.settle(600)
"""


def main() -> None:
    own, ours = medians(_IMPORTS, 5)
    table("Seconds to import in a fresh process (median of 5; target: 0.3 beyond SymPy)", ["", "s"], [["SymPy", own], ["beyond it", ours]])
    rows = []
    for name, bodies in KINDS.items():
        with tempfile.TemporaryDirectory() as directory:
            for cache in ("empty", "filled"):
                code = _RUN.format(calls=CALLS, bodies=bodies, settle=True)
                *times, processor = fresh(code, GENERATIVE_COLLISION_CACHE=directory)
                later = max(times[k] / max(times[:k][-3:]) for k in range(1, CALLS))
                rows.append([name, cache, processor, *(1e3 * x for x in [*times[:4], min(times[4:10]), max(times[4:10]),
                                                                         min(times[10:]), max(times[10:])]), later])
    table(f"Milliseconds of calls 1 to {CALLS} (targets: 1000 from an empty cache, 150 from a filled one); `processor` in seconds",
          ["kind", "cache", "processor", "1", "2", "3", "4", "5 to 10", "at most", "11 to 20", "at most", "slower by"], rows)
