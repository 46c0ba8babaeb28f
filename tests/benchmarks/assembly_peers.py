"""Seconds that coal, where it is installed, needs for 1,000 instants of scenes of the benchmark `assemblies`; else NaN.

It is asked whether bodies overlap at each instant. Placing them is part of it, and set-up is not.
"""

import time
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from tests.arms import arm as made_arm
from tests.arms import polynomials, segments

from .bodies import lattice
from .recorded import poses

INSTANTS = 1000


def asked(pairs: Sequence[tuple[Any, Any]], placed: Callable[[int], None], coal: Any) -> float:
    """Seconds in which all pairs of objects are asked about at every instant."""
    request = coal.CollisionRequest()
    begin = time.perf_counter()
    for k in range(INSTANTS):
        placed(k)
        for first, second in pairs:
            coal.collide(first, second, request, coal.CollisionResult())
    return time.perf_counter() - begin


def along(coal: Any, ends: tuple[np.ndarray, np.ndarray]) -> list[Any]:
    """Poses of a capsule, whose axis is that of z, from the ends of its axis (n, 3)."""
    poses = []
    for a, b in zip(*ends, strict=True):
        axis = (b - a) / np.linalg.norm(b - a)
        side = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
        side /= np.linalg.norm(side)
        poses.append(coal.Transform3s(np.stack([side, np.cross(axis, side), axis], axis=1), (a + b) / 2))
    return poses


def arm() -> float:
    """The six links that are not neighbours with each other and with six obstacles, all of them of shapes that it has."""
    coal = installed()
    if coal is None:
        return np.nan
    made, times = made_arm(4), np.linspace(0, 1, INSTANTS)
    first, second = segments(made, polynomials(0), times)
    links = [coal.CollisionObject(coal.Capsule(r, n)) for r, n in zip(made.radii.tolist(), made.lengths.tolist(), strict=True)]
    at = [along(coal, ends) for ends in zip(first, second, strict=True)]
    shapes = [coal.Sphere(0.6), coal.Box(1, 1, 1), coal.Sphere(0.5), coal.Capsule(0.25, 1), coal.Box(1, 1, 1), coal.Ellipsoid(0.5, 0.33, 1)]
    places = np.array([[-1.5, 0, 1], [0, -2, 0], [1, -0.5, 1], [1, 0.5, 0.5], [0, 1.5, 0.5], [-1, 1, 0]])
    others = [coal.CollisionObject(s, coal.Transform3s(np.eye(3), p)) for s, p in zip(shapes, places, strict=True)]
    pairs = [(a, b) for i, a in enumerate(links) for b in (*links[i + 2:], *others)]

    def placed(k: int) -> None:
        for link, poses_of in zip(links, at, strict=True):
            link.setTransform(poses_of[k])

    return asked(pairs, placed, coal)


def balls() -> float:
    """400 balls and a floor, by a tree of boxes."""
    coal = installed()
    if coal is None:
        return np.nan
    manager, places = coal.DynamicAABBTreeCollisionManager(), np.array(lattice(400)[0], float)
    made = [coal.CollisionObject(coal.Sphere(1.0), coal.Transform3s(np.eye(3), p)) for p in places]
    floor = coal.CollisionObject(coal.Box(100, 100, 0.01))
    for one in (*made, floor):
        manager.registerObject(one)
    manager.setup()
    begin = time.perf_counter()
    for moment in np.linspace(0, 1, INSTANTS):
        for one, place in zip(made, places, strict=True):
            one.setTranslation(place - [0, 0, 5 * moment**2])
            one.computeAABB()
        manager.update()
        manager.collide(coal.CollisionCallBackDefault())
    return time.perf_counter() - begin


def capsule_on_block() -> float:
    coal = installed()
    if coal is None:
        return np.nan
    obstacle = coal.CollisionObject(coal.Box(1, 1, 1), coal.Transform3s(np.eye(3), np.array([1.5, 0, 1])))
    return flown(coal, obstacle)


def capsule_on_mesh() -> float:
    coal = installed()
    if coal is None:
        return np.nan
    import trimesh

    ball, mesh = trimesh.creation.icosphere(subdivisions=3, radius=0.4), coal.BVHModelOBBRSS()
    mesh.beginModel(len(ball.faces), len(ball.vertices))
    mesh.addVertices(np.asarray(ball.vertices))
    for triangle in ball.faces.tolist():
        mesh.addTriangle(*ball.vertices[triangle])
    mesh.endModel()
    return flown(coal, coal.CollisionObject(mesh))


def flown(coal: Any, obstacle: Any) -> float:
    """A capsule along recorded poses."""
    from scipy.spatial.transform import Rotation

    _, turns, places = poses(INSTANTS)
    at = [coal.Transform3s(r, p) for r, p in zip(Rotation.from_quat(turns, scalar_first=True).as_matrix(), places, strict=True)]
    body = coal.CollisionObject(coal.Capsule(0.1, 0.3))
    return asked([(body, obstacle)], lambda k: body.setTransform(at[k]), coal)


def installed() -> Any:
    try:
        return import_module("coal")
    except ImportError:
        return None
