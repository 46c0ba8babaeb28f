"""The robot cell and the two arms of the benchmark `robots` in coal and python-fcl: the least distance of all pairs over sampled angles."""

from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import combinations, product
from typing import Any

import numpy as np

from tests import robot_cell as cell

Placed = tuple[str, np.ndarray, np.ndarray]


def coal_paths(angles: np.ndarray, two: bool = False) -> float:
    """By coal; of `two` arms, instead of one in the cell."""
    peer = import_module("coal")

    def distance(a: Any, b: Any, first: Placed, second: Placed) -> float:
        here, there = (peer.Transform3s(np.ascontiguousarray(turn), np.ascontiguousarray(place)) for _, turn, place in (first, second))
        return float(peer.distance(a, here, b, there, peer.DistanceRequest(), peer.DistanceResult()))

    shapes = _shapes(peer.Capsule, peer.Box)
    return _least(angles, lambda a, b: distance(shapes[a[0]], shapes[b[0]], a, b), two)


def fcl_paths(angles: np.ndarray, two: bool = False) -> float:
    """By python-fcl; of `two` arms, instead of one in the cell."""
    peer = import_module("fcl")

    def distance(first: Placed, second: Placed) -> float:
        pair = [peer.CollisionObject(shapes[name], peer.Transform(turn, place)) for name, turn, place in (first, second)]
        return float(peer.distance(*pair, peer.DistanceRequest(), peer.DistanceResult()))

    shapes = _shapes(peer.Capsule, peer.Box)
    return _least(angles, distance, two)


def _shapes(capsule: Callable[..., Any], box: Callable[..., Any]) -> dict[str, Any]:
    """Both take a capsule as radius and length, along z and centred."""
    found = {name: capsule(radius / 1e4, length / 1e4) for name, (_, _, length, radius) in (*cell.LINKS.items(), ("post", cell.POST))}
    return found | {name: box(*(np.array(sizes) / 1e4)) for name, (_, sizes) in cell.BOXES.items()}


def _least(angles: np.ndarray, distance: Callable[[Placed, Placed], float], two: bool) -> float:
    first, second = cell.segments(angles)
    turn, _ = cell.frames(angles)
    fixed = [("post", np.eye(3), (np.array(cell.POST[0]) + np.array([0, 0, cell.POST[2] / 2])) / 1e4)]
    fixed += [(name, np.eye(3), np.array(place) / 1e4) for name, (place, _) in cell.BOXES.items()]
    least = np.inf
    for n in range(len(angles)):
        links = [(name, turn[k, n] @ _along(axis), 0.5 * (first[k, n] + second[k, n])) for k, (name, (_, axis, _, _)) in
                 enumerate(cell.LINKS.items())]
        pairs = product(links, map(_facing, links)) if two else _pairs(links, fixed)
        least = min([least, *(distance(a, b) for a, b in pairs)])
    return float(least)


def _facing(link: Placed) -> Placed:
    """The same link of the second of two arms."""
    name, turn, place = link
    return name, np.diag([-1.0, -1, 1]) @ turn, np.diag([-1.0, -1, 1]) @ place + [float(cell.APART), 0, 0]


def _along(axis: tuple[int, int, int]) -> np.ndarray:
    """A turn that takes z to an axis."""
    return np.eye(3) if axis == (0, 0, 1) else np.array([[0.0, 0, -1], [0, 1, 0], [1, 0, 0]])


def _pairs(links: list[Placed], fixed: list[Placed]) -> Iterator[tuple[Placed, Placed]]:
    yield from ((a, b) for (i, a), (j, b) in combinations(enumerate(links), 2) if j > i + 1)
    yield from ((a, b) for a in links for b in fixed if (a[0], b[0]) != ("base", "table"))
