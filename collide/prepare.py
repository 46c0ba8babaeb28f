"""Machine code of common kinds of questions, made before anybody asks (``collide prepare``).

Kernels take sizes and poses as numbers, so those of a few questions serve all questions of their kind. They are asked here, and the code
of all kernels that they used is waited for, which comes to the cache on disk.
"""

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import sympy as sp

from codegen.machine.compiler import compiler
from codegen.machine.loop_runtime import optimize_loops
from codegen.machine.tiers import compile_used
from generative import ParametricSurface, Rigid, axis_angle, primitives, solids, t, u, v

from .queries.distance import distance
from .queries.first_contact import first_contact

_TURN, _SPAN = (0, 2 * sp.pi), (0, 4)
# Questions of a pair, of sizes and poses that differ. (A kernel for members of a kind comes with the second one at the latest.)
_QUESTIONS = 3

Sizes = tuple[sp.Rational, ...]


def _torus(sizes: Sizes) -> ParametricSurface:
    tube = sizes[0] / 2
    ring = 1 + tube * sp.cos(v)
    return ParametricSurface([ring * sp.cos(u), ring * sp.sin(u), tube * sp.sin(v)], {u: _TURN, v: _TURN})


SHAPES: dict[str, Callable[[Sizes], Any]] = {
    "tori": _torus, "balls": lambda sizes: solids.sphere(sizes[0]), "capsules": lambda sizes: solids.capsule(sizes[0] / 2, sizes[1]),
    "blocks": primitives.block, "boxes": solids.box, "cylinders": lambda sizes: solids.cylinder(*sizes[:2])}
"""The shapes of bodies by their names, each made of three sizes from 1/3 to 1."""


def prepared(names: Sequence[str], seconds: float) -> Iterator[tuple[str, int, bool]]:
    """Of each pair of these shapes: its name, the number of kernels that it has beside those of pairs before it, and whether their code is
    ready. The first pair that is not ready within the time is the last one.
    """
    end = time.monotonic() + seconds
    for first, second in itertools.combinations_with_replacement(dict.fromkeys(names), 2):
        for k in range(_QUESTIONS):
            if (left := end - time.monotonic()) > 0:
                _ask(SHAPES[first], SHAPES[second], k, left)
        kernels = compile_used()
        optimize_loops(ended=True)
        ready = _settled(end - time.monotonic())
        yield f"{first} and {second}", kernels, ready
        if not ready:
            return


def _settled(seconds: float) -> bool:
    try:
        compiler.settle(max(seconds, 0.0))
    except RuntimeError:
        return False
    return True


def _ask(first: Callable[[Sizes], Any], second: Callable[[Sizes], Any], k: int, seconds: float) -> None:
    """The first contact and the distance of a body that turns in some way and comes down to another one."""
    sizes = [tuple(sp.Rational(e, 1000) for e in (401 + 53 * n + 7 * k, 613 + 31 * n - 11 * k, 797 - 17 * n - 5 * k)) for n in (0, 1)]
    turn = axis_angle([sp.Rational(31 + k, 100), sp.Rational(-27, 100), 1], sp.Rational(7 + 5 * k, 10))
    falling = first(sizes[0]).moved(Rigid(rotation=turn, translation=[sp.Rational(3 + k, 50), sp.Rational(-2, 25), 5 - t]))
    other = second(sizes[1])
    first_contact([falling, other], _SPAN, budget=seconds)
    distance(falling, other, at=0, budget=seconds)
