"""Answers of coal, python-fcl and OpenCASCADE, where they are installed, for the pairs of the benchmark `distance`: functions by pair."""

import math
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

TURNED = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
PLACES: dict[str, list[float]] = {
    "balls": [1.0, 2, 3], "ellipsoids": [1.0, 2, 3], "crossed tori": [0.0, 0, 3], "parallel tori": [0.0, 0, 2], "cubes": [2.0, 0.5, 3],
}
Asked = dict[str, Callable[[], float]]


def coal() -> Asked:
    """Convex bodies of its own kinds."""
    peer = import_module("coal")
    pairs = {"balls": (peer.Sphere(1.0), peer.Sphere(0.5)), "cubes": (peer.Box(1, 1, 1), peer.Box(1, 1, 1)),
             "ellipsoids": (peer.Ellipsoid(1.0, 0.5, 0.75), peer.Ellipsoid(0.75, 1.0, 0.5))}

    def ask(name: str) -> float:
        here, there = peer.Transform3s.Identity(), peer.Transform3s.Identity()
        there.setTranslation(np.array(PLACES[name]))
        first, second = pairs[name]
        return float(peer.distance(first, here, second, there, peer.DistanceRequest(), peer.DistanceResult()))

    return {name: lambda name=name: ask(name) for name in pairs}  # type: ignore[misc]


def fcl() -> Asked:
    """Convex bodies of its own kinds; tori are meshes of 5,000 triangles."""
    peer = import_module("fcl")
    torus = fcl_mesh(*net(50, 50))
    shapes = {"balls": (peer.Sphere(1.0), peer.Sphere(0.5)), "cubes": (peer.Box(1, 1, 1), peer.Box(1, 1, 1)),
              "ellipsoids": (peer.Ellipsoid(1.0, 0.5, 0.75), peer.Ellipsoid(0.75, 1.0, 0.5)),
              "crossed tori": (torus, torus), "parallel tori": (torus, torus)}

    def asked(name: str) -> Callable[[], float]:
        turn = TURNED if name == "crossed tori" else np.eye(3)
        first, second = shapes[name]
        pair = peer.CollisionObject(first), peer.CollisionObject(second, peer.Transform(turn, np.array(PLACES[name])))
        return lambda: float(peer.distance(*pair, peer.DistanceRequest(), peer.DistanceResult()))

    return {name: asked(name) for name in shapes}


def opencascade() -> Asked:
    """The same surfaces, exactly: BRepExtrema."""
    make, gp, build = (import_module(f"OCP.{name}") for name in ("BRepPrimAPI", "gp", "BRepBuilderAPI"))
    extrema = import_module("OCP.BRepExtrema")

    def frame(place: Any, axis: tuple[float, ...] = (0, 0, 1)) -> Any:
        return gp.gp_Ax2(gp.gp_Pnt(*map(float, place)), gp.gp_Dir(*axis))

    def ellipsoid(place: Any, sizes: tuple[float, ...]) -> Any:
        change = gp.gp_GTrsf()
        change.SetVectorialPart(gp.gp_Mat(sizes[0], 0, 0, 0, sizes[1], 0, 0, 0, sizes[2]))
        change.SetTranslationPart(gp.gp_XYZ(*map(float, place)))
        return build.BRepBuilderAPI_GTransform(make.BRepPrimAPI_MakeSphere(1.0).Shape(), change, True).Shape()

    def torus(place: Any, axis: tuple[float, ...] = (0, 0, 1)) -> Any:
        return make.BRepPrimAPI_MakeTorus(frame(place, axis), 1.0, 0.3).Shape()

    def cube(place: Any) -> Any:
        return make.BRepPrimAPI_MakeBox(gp.gp_Pnt(*map(float, place)), 1.0, 1.0, 1.0).Shape()

    none = [0, 0, 0]
    pairs = {"balls": (make.BRepPrimAPI_MakeSphere(1.0).Shape(), make.BRepPrimAPI_MakeSphere(frame(PLACES["balls"]), 0.5).Shape()),
             "ellipsoids": (ellipsoid(none, (1, 0.5, 0.75)), ellipsoid(PLACES["ellipsoids"], (0.75, 1, 0.5))),
             "crossed tori": (torus(none), torus(PLACES["crossed tori"], (0, -1, 0))),
             "parallel tori": (torus(none), torus(PLACES["parallel tori"])), "cubes": (cube(none), cube(PLACES["cubes"]))}
    return {name: lambda pair=pair: float(extrema.BRepExtrema_DistShapeShape(*pair).Value()) for name, pair in pairs.items()}  # type: ignore


PEERS = {"coal": ("coal", coal), "python-fcl": ("fcl", fcl), "OpenCASCADE": ("OCP", opencascade)}


def installed() -> dict[str, Asked]:
    """By the peers that are there."""
    return {name: asked() for name, (module, asked) in PEERS.items() if find_spec(module) is not None}


def net(n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Points and triangles of the torus."""
    a, b = np.meshgrid(*(2 * math.pi * np.arange(k) / k for k in (n, m)), indexing="ij")
    tube = 1 + 0.3 * np.cos(b)
    points = np.stack([tube * np.cos(a), tube * np.sin(a), 0.3 * np.sin(b)], axis=-1).reshape(-1, 3)
    i, j = (k.ravel() for k in np.meshgrid(np.arange(n), np.arange(m), indexing="ij"))
    p, q, r, s = ((i + di) % n * m + (j + dj) % m for di, dj in ((0, 0), (1, 0), (1, 1), (0, 1)))
    return points, np.concatenate([np.stack([p, q, r], axis=1), np.stack([p, r, s], axis=1)])


def fcl_mesh(points: np.ndarray, faces: np.ndarray) -> Any:
    mesh = import_module("fcl").BVHModel()
    mesh.beginModel(len(points), len(faces))
    mesh.addSubModel(points, faces)
    mesh.endModel()
    return mesh
