"""The order of the queue: boxes by the lower end of their time, by the upper end, and `order="auto"`, on contacts that are isolated and
on curves and patches of them (Snyder 1993, Section 3.2), as the scenes have them and in random poses.
"""

import itertools
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

import collide
from collide.search.search import Search
from models.scenes import SCENES

from .poses import SEED, bumpy, bumpy_balls, crossed, flying, stacked, turned_tori
from .timing import table

NAMES = ("tori-crossed", "tori-general", "bumpy-pair", "ball-against-ring", "lens-on-ball", "crowned-gears", "ball-in-cup",
         "cloth-on-spout", "wheel-on-step", "torus-on-cone", "tube-on-cushion", "bolt-in-nut", "bolt-pushed-in-nut", "meshing-gears",
         "dish-on-checkerboard", "torus-on-torus")
ORDERS = ("auto", "lower", "upper")
CALLS, POSES = 24, 3


class _Query(NamedTuple):
    bodies: list[Any]
    span: Any
    options: Mapping[str, Any]


def main() -> None:
    table("First contact by the order of the queue: milliseconds of a warm call, of the search in it, and boxes; auto : the better one",
          ["", *(f"{order} ms" for order in ORDERS), "ratio", *(f"{order} search" for order in ORDERS), "ratio",
           *(f"{order} boxes" for order in ORDERS), "ratio", "points"],
          [_row(name, query) for name, query in _queries().items()])


def _queries() -> dict[str, _Query]:
    queries = {name: _Query(list(SCENES[name].bodies), SCENES[name].time, SCENES[name].options) for name in NAMES}
    makers = {"crossed tori, tilted": crossed, "bumpy pair, tilted": bumpy, "torus on torus, tilted": stacked,
              "crossed tori, flying": lambda rng: flying(turned_tori, rng), "bumpy pair, flying": lambda rng: flying(bumpy_balls, rng)}
    for name, maker in makers.items():
        rng = np.random.default_rng(SEED)
        queries |= {f"{name} {k}": _Query(*maker(rng)) for k in range(POSES)}
    return queries


def _row(name: str, query: _Query) -> list[Any]:
    """Orders take turns, so a slow phase of the machine meets all alike, and each of them comes after each other one."""
    whole, search = dict.fromkeys(ORDERS, np.inf), dict.fromkeys(ORDERS, np.inf)
    found = {}
    for _, turn in zip(range(CALLS), itertools.cycle(itertools.permutations(ORDERS)), strict=False):
        for order in turn:
            found[order], seconds, searched = _call(query, order)
            whole[order], search[order] = min(whole[order], seconds), min(search[order], searched)
    boxes = {order: c.iterations for order, c in found.items()}
    groups = [*({order: 1e3 * s for order, s in times.items()} for times in (whole, search)), boxes]
    return [name, *(x for group in groups for x in (*group.values(), group["auto"] / min(group.values()))), len(found["auto"].points)]


def _call(query: _Query, order: str) -> tuple[collide.Contacts, float, float]:
    """The contacts, and this thread's seconds of the call and of the search in it."""
    searched, kept = [0.0], Search.run

    def timed(search: Search, steps: int) -> int:
        begin = time.thread_time()
        reason = kept(search, steps)
        searched[0] += time.thread_time() - begin
        return reason

    Search.run = timed  # type: ignore[method-assign]
    begin = time.thread_time()
    try:
        c = collide.first_contact(query.bodies, query.span, **{**query.options, "order": order})
    finally:
        Search.run = kept  # type: ignore[method-assign]
    return c, time.thread_time() - begin, searched[0]
