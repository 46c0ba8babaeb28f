"""Constants that decide only effort: boxes of scenes and of hard cases of the tests with other numbers in their place.

``python -m tests.benchmarks.constants search.native.kkt._FIRST=1.0 ...`` tries numbers of your own. Of the boxes against those with the
constants as they are `sum` is the ratio of all, `mean` the geometric mean of the ratios; `differ`: of how many; `ends otherwise`:
those with another status, or another number of proved contacts.

What comments beside constants call measured was measured so once, over like cases: scenes, and tests of phenomena, those of nearly coaxial
tori, of isolated contacts beside curves and of implicit cones among them.
"""

import importlib
import math
import multiprocessing
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import collide
from codegen.machine import loop_runtime
from models.scenes import SCENES
from tests.collide.phenomena import test_flush, test_tips, test_touches

from .timing import table

NATIVE = "search.native."
# Each as it stands in a module of `collide`, with two numbers to try: about a quarter and four times, or what switches it off.
CONSTANTS: dict[str, tuple[float, float]] = {
    f"{NATIVE}conservative_advancement._MOSTLY": (0.125, 2.0),
    f"{NATIVE}conservative_advancement._SHORTER": (0.0625, 1.0), f"{NATIVE}conservative_advancement._AHEAD": (0.03125, 0.5),
    f"{NATIVE}conservative_advancement._COMPARABLE": (0.125, 1.0), f"{NATIVE}conservative_advancement._WORTH": (0.025, 0.4),
    f"{NATIVE}conservative_advancement._MOST": (1, 8), f"{NATIVE}conservative_advancement._WINDOW": (1.0, 16.0),
    f"{NATIVE}node_pairs._ALIKE": (0.125, 1.0), f"{NATIVE}node_pairs._SMALL": (0.0125, 0.2), f"{NATIVE}split._PROGRESS": (0.15, 0.9),
    f"{NATIVE}split._WORTH_SOLVING": (0.0125, 0.2), f"{NATIVE}split._FINEST": (2.5e-5, 4e-4), f"{NATIVE}sample._SOONER": (0.03125, 0.5),
    f"{NATIVE}sample.STUBBORN": (1000, 16000), f"{NATIVE}loop._PATIENCE": (64, 1024), f"{NATIVE}crossings_beside.LONG": (175, 2800),
    f"{NATIVE}crossings_beside.HOPELESS": (500, 8000), f"{NATIVE}crossings_beside._MOST": (1, 16),
    f"{NATIVE}crossings_beside._TRIALS": (1, 12), f"{NATIVE}crossings_beside._WIDE": (2.5e-4, 4e-3),
    f"{NATIVE}thinning._FINE": (1 / 32, 0.5), f"{NATIVE}thinning._TINY": (1 / 256, 1 / 16), f"{NATIVE}manifolds._SUMS": (2, 32),
    f"{NATIVE}kkt._FIRST": (1.0, 16.0), f"{NATIVE}kkt._LAST": (2.5e-4, 4e-3), f"{NATIVE}kkt._FADING": (2.0, 32.0),
    f"{NATIVE}kkt._ENOUGH": (2, 24), f"{NATIVE}kkt._NEAR_LANES": (1, 8), f"{NATIVE}kkt._NEAR": (0.5, 8.0),
    f"{NATIVE}kkt._SMALL_BOX": (0.0175, 0.28),
    f"{NATIVE}local_solve.STEPS": (6, 96), f"{NATIVE}local_solve.REACH": (0.075, 1.2), f"{NATIVE}contraction._SWEEPS": (1, 4),
    "timeline.examine._MANY": (4, 64), "timeline.examine._AHEAD": (0.005, 0.08), "timeline.stalls._SHARE": (0.0625, 1.0),
    "timeline.stalls._PATIENCE": (1 << 12, 1 << 16), "timeline.stalls._STANDING": (1 << 11, 1 << 15), "timeline.stages._BATCH": (1, 16),
    "timeline.pace._PAYS": (0.125, 2.0), "timeline.crossings._CROSSED": (1 << 11, 1 << 15), "search.search._LONG": (500, 8000),
}  # fmt: skip
SLOW = ("meshing-teeth", "bolt-pushed-in-nut", "cloth-on-spout")
LIMIT = collide.Budget(seconds=None, boxes=200_000)


class Found(NamedTuple):
    boxes: int
    status: str
    proved: int


def cases() -> dict[str, Callable[[], Any]]:
    """Questions by name; none takes many seconds."""
    single, pair = collide.self_contact, collide.first_contact
    return {
        **{name: lambda s=s: (pair if len(s.bodies) > 1 else single)(s.bodies, time=s.time, **s.options | {"budget": LIMIT})
           for name, s in SCENES.items() if name not in SLOW},
        **{name: lambda case=case: test_flush.landing(*case[:4], budget=LIMIT) for name, case in test_flush.SCENES.items()},
        **{name: lambda bodies=bodies: pair(bodies, (0, 2), budget=LIMIT) for name, (bodies, *_) in test_touches.SCENES.items()},
        **{name: lambda bodies=bodies: pair(bodies, (0, 4), budget=LIMIT) for name, bodies, _ in test_tips.TIPS},
    }  # fmt: skip


def asked(changes: Sequence[tuple[str, float]]) -> dict[str, Found]:
    """All answers with these constants; in a process of its own, as loops are compiled anew with them."""
    for name, value in changes:
        module, _, constant = f"collide.{name}".rpartition(".")
        home = importlib.import_module(module)
        # Others import what is not private.
        for m in [home] if constant.startswith("_") else [m for m in sys.modules.values() if m.__name__.startswith("collide.")]:
            if hasattr(m, constant):
                setattr(m, constant, value)
    loop_runtime.compiled.cache_clear()
    return {name: Found(r.iterations, r.status.name, int(r.proved.sum())) for name, r in ((name, ask()) for name, ask in cases().items())}


def apart(changes: Sequence[tuple[str, float]]) -> dict[str, Found]:
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(asked, (changes,))


def row(name: str, value: float, usual: dict[str, Found]) -> list[Any]:
    found = apart([(name, value)])
    ratios = {case: found[case].boxes / max(was.boxes, 1) for case, was in usual.items()}
    most = sorted(ratios, key=lambda case: -abs(math.log(max(ratios[case], 1e-3))))[:3]
    return [name, f"{value:g}", sum(f.boxes for f in found.values()) / sum(f.boxes for f in usual.values()),
            math.exp(sum(math.log(max(r, 1e-3)) for r in ratios.values()) / len(ratios)), sum(r != 1 for r in ratios.values()),
            ", ".join(f"{case} {ratios[case]:.2f}" for case in most if ratios[case] != 1),
            ", ".join(case for case, was in usual.items() if found[case][1:] != was[1:])]


def main(*given: str) -> None:
    tried = [(name, int(value) if value.isdigit() else float(value)) for name, _, value in (word.partition("=") for word in given)]
    tried = tried or [(name, value) for name, values in CONSTANTS.items() for value in values]
    asked([])  # so that those that follow convert and compile formulas no more
    usual = apart([])
    heads = ["constant", "number", "sum", "mean", "differ", "most", "ends otherwise"]
    table(f"Boxes of {len(usual)} cases with other constants, against those as it is", heads, [row(*one, usual) for one in tried])


if __name__ == "__main__":
    main(*sys.argv[1:])
