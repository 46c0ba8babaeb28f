"""Rows of Ponamgi, Manocha and Lin 1995."""

import functools
import time

import numpy as np

import collide
from generative import Rigid, t

from ..benchmarks.polyhedra import chains, threads
from . import row, scene, told
from .vanecek import CUBE, block

here = functools.partial(row, "ponamgi")


@here(1, "3.1: sweep and prune")
def sweep() -> str:
    g = np.random.default_rng(0)
    middle, size = g.uniform(0, 60, (10_000, 3, 1)), 0.5 * np.array([-1.0, 1.0])
    s, took = collide.SweepAndPrune(middle + size), []
    for _ in range(10):
        middle = middle + g.normal(scale=0.01, size=middle.shape)
        begin = time.thread_time()
        s.update(middle + size)
        took.append(1e3 * (time.thread_time() - begin))
    return f"10,000 boxes: {min(took):.2g} ms a step"


@here(3, "4.1: penetration")
def penetration() -> str:
    w, inside = collide.Closest(CUBE, CUBE), np.eye(4)
    inside[0, 3] = 0.75
    c = w.at(np.eye(4), inside)
    assert c.penetrating and c.depth.lo <= 0.25 <= c.depth.hi
    return f"cube in cube: depth in [{c.depth.lo!r}, {c.depth.hi!r}]"


@here(6, "4.3: hull, caps and concavities")
def hull() -> str:
    pit = collide.boolean(block((0, 0, 0), (3, 3, 3)), block((1, 1, 1), (2, 2, 4)), "difference").mesh
    h = pit.hull()
    return f"a cube with a pit: {len(h.caps)} cap"


@here(7, "Fig. 8: boundary loops")
def loops() -> str:
    moat = collide.boolean(block((1, 1, 1), (4, 4, 3)), block((2, 2, 0), (3, 3, 4)), "difference").mesh
    castle = collide.boolean(block((0, 0, 0), (5, 5, 2)), moat, "difference").mesh
    (cap,) = castle.hull().caps
    return f"a moat round a tower: {len(cap.loops)} loops, {len(cap.concavities)} concavity"


@here(10, "4.6: the volume of interpenetration")
def volume() -> str:
    shifted = np.eye(4)
    shifted[:2, 3] = 0.5, 0.25
    found = collide.hull_intersection(CUBE, CUBE, None, shifted)
    return f"cubes shifted by 1/2 and 1/4: {found.volume}"


@here(12, "Table 1: two and eight tori", "12 to 45 ms, 38 to 46 ms")
def tori() -> str:
    return "; ".join(f"{r[0]}: {r[1]:.3g} ms, {r[3]}" for r in chains())


@here(13, "Table 2: a bolt in its nut", "59, 99, 191 ms")
def bolt() -> str:
    return "; ".join(f"{r[0]}: {r[1]:.2g} ms, distance {r[3]:.2g} ms" for r in threads())


@here(15, "5: the exact check of curved surfaces")
def chain() -> str:
    return told(scene("chain-of-tori"))


@here(18, "6: coincident polygons")
def coincident() -> str:
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    c = collide.mesh_mesh((corners, [[0, 1, 2], [0, 1, 2]]), (corners, [[0, 1, 2]]),
                          motions=(Rigid(translation=[0, 0, 1.5 - t]), Rigid()), time=(0, 2))
    assert c.time.lo <= 1.5 <= c.time.hi
    return f"t in [{c.time.lo!r}, {c.time.hi!r}]"
