"""A recorded motion of a capsule into a block, noisy poses of two seconds: through 21 to 10,000 knots, and up to the noise, beside one
Chebyshev series over the same time. Milliseconds of the first call and of a warm one, and what a knot costs.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp
from scipy.spatial.transform import Rotation

import collide
from generative import Rigid, primitives
from generative.fit import Fit, chebyshev_motion, motion_through
from models.shapes.machine import capsule

from .timing import table

COUNTS, NOISE, CALLS = (21, 201, 2001, 10_000), 1e-4, 5


def main() -> None:
    fits: dict[str, tuple[int, Callable[[], Fit]]] = {"one Chebyshev series": (0, lambda: chebyshev_motion(*poses(201), tolerance=1e-3))}
    fits |= {f"{n:,} knots": (n, lambda n=n: motion_through(*poses(n))) for n in COUNTS}  # type: ignore[misc]
    fits |= {f"{n:,} samples up to their noise": (0, lambda n=n: motion_through(*poses(n), noise="auto"))  # type: ignore[misc]
             for n in COUNTS[1:]}
    rows: list[list[Any]] = []
    for name, (knots, made) in fits.items():
        fit, first, warm, found = measured(made)
        one = rows[0][3] if rows else warm
        per = f"{(warm - one) / knots:.3f}" if knots else ""
        rows.append([name, fit, first, warm, warm / one, per, f"{found.status.name} at {found.clear_until:.6f}"])
    heads = ["motion", "fit", "first call", "warm call", "against one series", "more, a knot", "answer"]
    table("A recorded motion: milliseconds", heads, rows)


def poses(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A flight along a curve, turning, with noise in its places and turns."""
    times = np.linspace(0, 2, count)
    places = np.stack([np.sin(times), 0.3 * np.cos(2 * times), 0.5 + 0.6 * times - 0.2 * times**2], axis=1)
    noise = np.random.default_rng(0).normal(0, NOISE * min(1.0, 201 / count), (2, count, 3))
    turns = Rotation.from_rotvec(noise[0]) * Rotation.from_euler("xyz", np.stack([times, 0.5 * np.sin(3 * times), 0.2 * times], axis=1))
    return times, turns.as_quat(scalar_first=True), places + noise[1]


def measured(made: Callable[[], Fit]) -> tuple[float, float, float, collide.Contacts]:
    """Milliseconds of a fit, of the first call and of the fastest of some warm ones, and what is found."""
    begin = time.perf_counter()
    motion = made().value
    fitted, calls = time.perf_counter() - begin, []
    block = primitives.block((1, 1, 1)).moved(Rigid(translation=[sp.Rational(3, 2), 0, 1]))
    body = capsule(radius=sp.Rational(1, 10), length=sp.Rational(3, 10)).moved(motion)
    for _ in range(1 + CALLS):
        begin = time.perf_counter()
        found = collide.first_contact([body, block], time=(0, 2), budget=600)
        calls.append(time.perf_counter() - begin)
    return 1e3 * fitted, 1e3 * calls[0], 1e3 * min(calls[1:]), found
