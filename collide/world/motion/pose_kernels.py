"""The motions of bodies for the native loop of `planes_loop`: kernels of formulas, with numbers as parameters."""

import functools
from typing import NamedTuple

import numpy as np
import sympy as sp

from codegen.constants import enclose
from codegen.graph.autodiff import partials
from codegen.graph.expr import ExprPool
from codegen.kernel import Kernel
from generative import Motion, t
from generative.motion import quaternion_matrix

from ...bodies.motions import entries_of
from ...culling.approach import lanes
from .ballistic import RotationKind
from .moving_body import MovingBody
from .templates import formula, values_of

# Rows of a motion: nine of the rotation and three of the translation, each with two derivatives.
ROWS = 12


class PoseKernel(NamedTuple):
    """A motion for the loop: a kernel of its entries and their first two derivatives, and numbers in lanes; or the place of what stays,
    (36, 2, LANES).
    """

    kernel: Kernel | None
    numbers: np.ndarray | None
    still: np.ndarray | None


def pose_of(actor: MovingBody) -> PoseKernel:
    """Its motion as queries see it, made once for a course."""
    seen = actor.seen
    if actor.posed[0] is not seen:
        actor.posed = seen, _pose(actor, seen)
    found: PoseKernel = actor.posed[1]
    return found


def _pose(actor: MovingBody, course: object) -> PoseKernel:
    if actor.rigid.fixed:
        turn, place = ([sp.Rational(e) for e in row.tolist()] for row in (actor.rigid.orientation, actor.rigid.position))
        rows = np.zeros((3 * ROWS, 2))
        rows[:ROWS] = [enclose(e) for e in (*quaternion_matrix(turn), *place)]
        return PoseKernel(None, None, lanes(rows))
    if actor.rigid.motion is not None:
        return PoseKernel(_driven(actor.rigid.motion), None, None)
    numbers = lanes(np.repeat(values_of(course, actor.middle, False)[:, None], 2, axis=1))  # type: ignore[arg-type]
    return PoseKernel(_kernel(course.gait), numbers, None)  # type: ignore[attr-defined]


@functools.lru_cache(maxsize=8)
def _kernel(gait: RotationKind) -> Kernel:
    own = formula(gait)
    return _derived(own.motion, own.symbols)


@functools.lru_cache(maxsize=64)
def _driven(motion: Motion) -> Kernel:
    return _derived(motion, ())


def _derived(motion: Motion, symbols: tuple[sp.Symbol, ...]) -> Kernel:
    """The entries of a motion (12), and their first two derivatives by time."""
    pool = ExprPool()
    time = pool.variable(0)
    entries = entries_of(motion, {t: time, **{s: pool.parameter(k) for k, s in enumerate(symbols)}}, pool, None)
    rate = [row[0] for row in partials(entries, [time])]
    return Kernel([*entries, *rate, *(row[0] for row in partials(rate, [time]))], ["t"], [str(s) for s in symbols], quick=True)
