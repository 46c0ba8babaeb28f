"""Clearances over a motion, and whether a distance is kept; beside them what coal and python-fcl need for a hundred moments, where these
are installed, and python-fcl's continuous collision of two cubes in straight flight, which it misses.

Moments between samples are not looked at, so samples tell no clearance. Milliseconds are of the processor.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import sympy as sp

import collide
from generative import IDENTITY, Rigid, t

from .distance import EGGS, ROUNDS, TURNED, row, timed, torus
from .distance_peers import fcl_mesh
from .timing import table

R = sp.Rational
GOAL, MOMENTS = 5.0, 100
MOVING: dict[str, Callable[[Any], tuple[Any, Any]]] = {
    "crossed tori approach": lambda k: (torus(), torus().moved(Rigid(rotation=TURNED, translation=[k, 0, 3 - t]))),
    "ellipsoid passes": lambda k: (EGGS[0], EGGS[1].moved(Rigid(translation=[4 * t - 2 + k, 3, t]))),
}  # fmt: skip
CORNERS = np.array([(a, b, c) for a in (0.0, 1.0) for b in (0.0, 1.0) for c in (0.0, 1.0)])
SIDES = np.array([(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4),
                  (1, 5, 7), (1, 7, 3)])


def main() -> None:
    head = ["", "cold ms", "warm ms", "new ms", "new / goal", "boxes", "distance", "bracket", "points", "unique"]
    table(f"Clearance over a motion (goal: {GOAL:g} ms)", head, [row(f"{name}{told}", pair, ask, GOAL) for name, pair in MOVING.items()
                                                                 for told, ask in (("", over), (", at_least=1/2", kept))])
    table(f"The ellipsoid that passes, at {MOMENTS} moments", ["", "ms", "ours / theirs", "least distance", "too large by"],
          sampled() or [["neither coal nor python-fcl is installed", "", "", "", ""]])
    table("Two cubes in straight flight, that meet at 0.4", ["", "ms", "time of contact", ""], flights())


def over(a: Any, b: Any) -> Any:
    return collide.clearance([a, b], (0, 1))


def kept(a: Any, b: Any) -> Any:
    return collide.clearance([a, b], (0, 1), at_least=0.5)


def sampled() -> list[list[Any]]:
    ours, rows = over(*MOVING["ellipsoid passes"](0)), []
    mine = min(timed(lambda: over(*MOVING["ellipsoid passes"](0)))[0] for _ in range(ROUNDS))
    for name, ask in (("coal", _coal), ("python-fcl", _fcl)):
        if find_spec("fcl" if ask is _fcl else name) is not None:
            took, value = min(timed(ask) for _ in range(5))
            rows.append([name, 1e3 * took, mine / took, value, value - ours.bracket.hi])
    return rows


def _coal() -> float:
    peer = import_module("coal")
    first, second, here = peer.Ellipsoid(1.0, 0.5, 0.75), peer.Ellipsoid(0.75, 1.0, 0.5), peer.Transform3s.Identity()
    least = np.inf
    for moment in np.linspace(0, 1, MOMENTS):
        there = peer.Transform3s(np.eye(3), np.array([4 * moment - 2, 3.0, moment]))
        least = min(least, peer.distance(first, here, second, there, peer.DistanceRequest(), peer.DistanceResult()))
    return float(least)


def _fcl() -> float:
    peer = import_module("fcl")
    first, second = (peer.CollisionObject(peer.Ellipsoid(*sizes)) for sizes in ((1.0, 0.5, 0.75), (0.75, 1.0, 0.5)))
    least = np.inf
    for moment in np.linspace(0, 1, MOMENTS):
        second.setTranslation(np.array([4 * moment - 2, 3.0, moment]))
        least = min(least, peer.distance(first, second, peer.DistanceRequest(), peer.DistanceResult()))
    return float(least)


def flights() -> list[list[Any]]:
    """One cube flies by 5 along x towards another one, 2 away."""
    motions, second = (Rigid(translation=[5 * t, 0, 0]), IDENTITY), (CORNERS + [3.0, 0.25, 0.25], SIDES)
    took, contact = min((timed(lambda: collide.mesh_mesh((CORNERS, SIDES), second, motions=motions, time=(0, 1))) for _ in range(5)),
                        key=lambda pair: pair[0])
    rows = [["ours", 1e3 * took, f"[{contact.time[0]!r}, {contact.time[1]!r}]", "proved"]]
    if find_spec("fcl") is None:
        return [*rows, ["python-fcl", "", "not installed", ""]]
    peer = import_module("fcl")
    for name, solver in (("conservative advancement", "CCDC_CONSERVATIVE_ADVANCEMENT"), ("samples", "CCDC_NAIVE")):
        ask = _flight(peer, getattr(peer.CCDSolverType, solver))
        took, found = min(timed(ask) for _ in range(5))
        rows.append([f"python-fcl, {name}", 1e3 * took, found, "WRONG: no contact" if found >= 1 else f"off by {abs(found - 0.4):.1g}"])
    return rows


def _flight(peer: Any, solver: int) -> Callable[[], float]:
    request = peer.ContinuousCollisionRequest(num_max_iterations=100, ccd_solver_type=solver)
    a = peer.CollisionObject(fcl_mesh(CORNERS, SIDES))
    b = peer.CollisionObject(fcl_mesh(CORNERS, SIDES), peer.Transform(np.array([3.0, 0.25, 0.25])))
    end, still = peer.Transform(np.array([5.0, 0, 0])), peer.Transform(np.array([3.0, 0.25, 0.25]))

    def ask() -> float:
        found = peer.continuousCollide(a, end, b, still, request, peer.ContinuousCollisionResult())
        return float(found[0] if isinstance(found, tuple) else found)

    return ask
