"""Assemblies as people build them: seconds of the first call in a fresh process from an empty cache, and of later ones, with new numbers.

Beside each row what it took before families of primitives, chains, recorded motions and a compiler in the background (2 cores, load 1 to
2), and what coal needs for the same bodies at 1,000 instants, where it is installed and has such bodies at all: it tells nothing about
what happens between them, and needs no formulas. `built`: seconds to write bodies down. `search`: the native part of a later call.
"""

import inspect
import tempfile
from collections.abc import Callable, Sequence

from . import assembly_peers
from .timing import fresh, table

LATER = 6
# What is asked, by the name of its scene below: what it took before, and its peer.
ROWS: dict[str, tuple[str, str, Callable[[], float] | None]] = {
    "geneva": ("Geneva wheel, cylinder minus four blocks, against a pin", "13.5 to 37, 3 to 13 later", None),
    "bowl(3)": ("three bodies in a bowl, poses new each step", ".74", None),
    "bowl(9)": ("nine", "2.0", None),
    "bowl(50)": ("fifty", "2.7, and 1 of SymPy", None),
    "arm": ("arm of six capsules, six obstacles", "44.6, 7 to 10 later", assembly_peers.arm),
    "many(400)": ("400 bodies, each with its own motion", "5", assembly_peers.balls),
    "recorded": ("recorded trajectory, 201 knots, against a block", "not within 60", assembly_peers.capsule_on_block),
    "through(50)": ("50 keyframes, against a block", "14", assembly_peers.capsule_on_block),
    "triangles": ("capsule on a mesh of 1,280 triangles", "340", assembly_peers.capsule_on_mesh),
    "jacobian": ("Jacobian of a bidiagonal system, n = 80", "22", None),
}
_RUN = """
import time
from collide.search.search import Search
from tests.benchmarks.assembly_scenes import {function}

spent, run = [0.0], Search.run

def timed(self, *arguments, **options):
    begin = time.perf_counter()
    try:
        return run(self, *arguments, **options)
    finally:
        spent[0] += time.perf_counter() - begin

Search.run, scene = timed, {scene}
for k in range({calls}):
    begin = time.perf_counter()
    ask = scene(k)
    spent[0], built = 0.0, time.perf_counter()
    ask()
    print(built - begin, time.perf_counter() - built, spent[0])
"""


def main() -> None:
    rows = []
    for name, (words, before, peer) in ROWS.items():
        built, times, searched = measured(name)
        later = sorted(range(1, len(times)), key=times.__getitem__)
        middle = later[len(later) // 2]
        rows.append([words, before, built[0], times[0], built[middle], times[middle], times[later[-1]], searched[middle] / times[middle],
                     peer() if peer else ""])
    heads = ["scene", "before", "built, first", "first call", "built, later", "later, median", "at most", "search", "coal, 1000 instants"]
    table("Assemblies: seconds", heads, rows)


def measured(name: str) -> tuple[Sequence[float], Sequence[float], Sequence[float]]:
    """Of each call: seconds to build the bodies, those of the call, and those in the native search."""
    function, call, _ = name.partition("(")
    scene = f"lambda k: {function}({name[len(function) + 1:-1]}, k)" if call else function
    with tempfile.TemporaryDirectory() as cache:
        numbers = fresh(inspect.cleandoc(_RUN).format(function=function, scene=scene, calls=1 + LATER), GENERATIVE_COLLISION_CACHE=cache)
    return numbers[::3], numbers[1::3], numbers[2::3]
