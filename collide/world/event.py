"""Hits of a run: times, places and impulses of contacts."""

from dataclasses import dataclass

import numpy as np

from codegen.interval import Interval

# Against size: points nearer to each other are one; and normals, that are out by no more.
SAME = 1e-9


@dataclass(frozen=True, eq=False)
class Event:
    """A hit, or several at once that share bodies: `time` encloses the time of the contacts; k contacts with `pairs` (k, 2), `points` and
    unit `normals` (k, 3) from the first body of each pair to the second, and `impulses` (k, 3) on the second. `proved` (k,): contact is
    *proved* to exist there, and that it is the first of these bodies since their last event. Not proved are small bounces, lower than
    1e-7 of the size of a body, whose times follow from the acceleration of the gap, and what was touching before.
    """

    time: Interval
    pairs: np.ndarray
    points: np.ndarray
    normals: np.ndarray
    impulses: np.ndarray
    proved: np.ndarray


def distinct(points: np.ndarray, normals: np.ndarray, least: float) -> list[int]:
    """Indices of the contacts that are at other places, or have other normals, than those before: at a seam one may be listed twice."""
    found: list[int] = []
    for k in range(len(points)):
        same = [j for j in found if np.abs(points[k] - points[j]).max() <= least and normals[k] @ normals[j] > 1.0 - SAME]
        found += [] if same else [k]
    return found
