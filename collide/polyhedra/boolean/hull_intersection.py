"""The volume in which the convex hulls of two meshes interpenetrate (Ponamgi, Manocha and Lin 1995, Section 4.6)."""

from typing import Any

import numpy as np

from ...bodies.convex_hull import convex_hull
from ...bodies.mesh import Mesh, as_mesh
from ..closest.rational_memory import given_pose
from .boolean import Boolean, boolean


def hull_intersection(a: Any, b: Any, pose_a: Any = None, pose_b: Any = None) -> Boolean:
    """Intersect the convex hulls of two meshes, exactly.

    Parameters
    ----------
    a, b : Mesh or pair
        Meshes, also open ones; the vertices of each must not lie in a plane.
    pose_a, pose_b : array_like, (4, 4), optional
        Poses. None is the identity.

    Returns
    -------
    Boolean
        The part that both hulls have in common: its `volume`, a Fraction, 0 where they are apart or only touch; and its `mesh`.

    Raises
    ------
    ValueError
        For meshes whose vertices lie in a plane, and for a matrix that is no pose.

    Notes
    -----
    Without poses the answer is exact. With a pose the vertices are rounded to doubles where they come to, by a few units in the last place,
    and the answer is exact for the hulls of these.

    Examples
    --------
    >>> from collide import hull_intersection
    >>> tip = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    >>> up = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.5], [0, 0, 0, 1]]
    >>> hull_intersection(tip, tip).volume, hull_intersection(tip, tip, pose_b=up).volume
    (Fraction(1, 6), Fraction(1, 48))
    """
    first, second = _hull(as_mesh(a, "first", True), pose_a, "pose_a"), _hull(as_mesh(b, "second", True), pose_b, "pose_b")
    return boolean(first, second, "intersection")


def _hull(mesh: Mesh, pose: Any, name: str) -> tuple[np.ndarray, np.ndarray]:
    places = mesh.vertices[np.unique(mesh.triangles), :3]
    if pose is not None:
        at = given_pose(pose, name)
        places = places @ at[:3, :3].T + at[:3, 3]
    places = np.unique(places, axis=0)
    return places, convex_hull(places)
