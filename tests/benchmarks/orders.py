"""The order of the queue: boxes by the lower end of their time, by the upper end, and `order="auto"`, on contacts that are isolated and
on curves and patches of them (Snyder 1993, Section 3.2).
"""

import time
from typing import Any

import collide
from models.scenes import SCENES

from .timing import table

NAMES = ("tori-crossed", "tori-general", "bumpy-pair", "ball-in-cup", "cloth-on-spout", "torus-on-cone", "tube-on-cushion",
         "dish-on-checkerboard", "torus-on-torus", "bolt-in-nut")
ORDERS = ("auto", "lower", "upper")
CALLS = 12


def main() -> None:
    table("First contact by the order of the queue: milliseconds of a warm call; boxes",
          ["scene", *(f"{order} ms" for order in ORDERS), "auto : better", *(f"{order} boxes" for order in ORDERS), "points"],
          [_row(name) for name in NAMES])


def _row(name: str) -> list[Any]:
    seconds, boxes, points = zip(*(_measured(name, order) for order in ORDERS), strict=True)
    return [name, *(1e3 * s for s in seconds), seconds[0] / min(seconds), *boxes, points[0]]


def _measured(name: str, order: str) -> tuple[float, int, int]:
    scene, seconds = SCENES[name], []
    for _ in range(CALLS):
        begin = time.perf_counter()
        c = collide.first_contact(list(scene.bodies), time=scene.time, **{**scene.options, "order": order})
        seconds.append(time.perf_counter() - begin)
    return min(seconds), c.iterations, len(c.points)
