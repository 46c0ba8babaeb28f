"""Rows of Chen, Yu, Ni, Chu, Wang, Chen 2024."""

import functools
import time
from typing import Any

import numpy as np

import collide
from collide import Status
from generative import patch

from ..benchmarks.bezier import drawn
from . import row, scene

here = functools.partial(row, "chen")
ORDERS = [("quadrilateral", n) for n in (1, 2, 3)] + [("triangle", n) for n in (1, 2, 3)]


def pairs(shape: str, degree: int, count: int = 1000, tolerance: float = 1e-10) -> Any:
    query = collide.bezier_pairs if shape == "quadrilateral" else collide.bezier_triangle_pairs
    return query(drawn(shape, degree, count), tolerance=tolerance)


@here(7, "5.1: random pairs that collide", "468, 776, 932 triangles; 670, 933, 988 quadrilaterals, of 1000")
def random_pairs() -> str:
    said = []
    for shape, degree in ORDERS:
        r = pairs(shape, degree, 300)
        said.append(f"{shape} {degree}: {int(r.hit.sum())} of 300, {int(r.proved.sum())} proved")
    return "; ".join(said)


@here(8, "Table 1, 1e-4 and 1e-6, bicubic")
def table_1() -> str:
    said = []
    for tolerance in (1e-4, 1e-6):
        pairs("quadrilateral", 3, 50, tolerance)
        begin = time.thread_time()
        pairs("quadrilateral", 3, 1000, tolerance)
        said.append(f"{tolerance:g}: {time.thread_time() - begin:.3g} ms a pair")
    return "; ".join(said)


@here(14, "Fig. 6: convergence, 1e-2 to 1e-10")
def convergence() -> str:
    q = drawn("quadrilateral", 3, 300)
    best, said = collide.bezier_pairs(q, tolerance=1e-12).time.mean(axis=1), []
    for tolerance in (1e-2, 1e-4, 1e-6, 1e-8, 1e-10):
        found = collide.bezier_pairs(q, tolerance=tolerance)
        both = np.isfinite(best) & found.hit
        said.append(f"{np.abs(found.time.mean(axis=1) - best)[both].mean():.1e}")
    return f"mean error of t {', '.join(said)}"


@here(15, "5.1: contact on a region")
def region() -> str:
    flat = np.stack(np.meshgrid([0.0, 1.0], [0.0, 1.0], [0.0], indexing="ij"), axis=-1).reshape(2, 2, 3)
    q = np.stack([np.stack([flat, 0 * flat]), np.stack([flat + [0, 0, 1], 0 * flat - [0, 0, 2.0]])])[None]
    r = collide.bezier_pairs(q, tolerance=1e-10)
    assert r.status[0] is Status.CONTACT and r.time[0, 0] <= 0.5 <= r.time[0, 1]
    return f"t in [{r.time[0, 0]:.16g}, {r.time[0, 1]:.16g}]"


@here(19, "5.2: Hermite patches turned into Bezier")
def hermite() -> str:
    g = np.random.default_rng(0)
    given = [np.round(g.normal(size=(2, 2, 3)) * 64) / 64 for _ in range(4)]
    back = patch.bezier_to_hermite(patch.hermite_to_bezier(*given))
    assert all(np.abs(np.array(a, float) - b).max() < 1e-13 for a, b in zip(back, given, strict=True))
    return "and back within 1e-13"


@here(27, "Fig. 9: tori at 1 and 0.1", "12 points, 0.49 s; 124 points, 1.25 s")
def figure_9() -> str:
    said = []
    for name in ("torus-on-torus-coarse", "torus-on-torus"):
        scene(name)
        begin = time.perf_counter()
        said.append(f"{len(scene(name))} points, {1e3 * (time.perf_counter() - begin):.1f} ms")
    return "; ".join(said)
