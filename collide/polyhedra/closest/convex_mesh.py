"""Convex meshes, checked exactly, with the half-edges to walk on.

A closed surface of genus 0 whose edges are all convex, and all of whose triangles look away from an inner point, is the border of a convex
body if a ray from that point meets it once: seen from the point it covers the sphere without folds, so as often as that ray is met
(Mehlhorn et al., *Checking geometric programs*, 1999). Coordinates are dyadic numbers, hence integers after scaling: nothing is rounded.
"""

import functools
from typing import NamedTuple

import numpy as np

from ...bodies.dyadic import cross, dot, fractions, integers
from ...bodies.mesh import Mesh


class Convex(NamedTuple):
    """`vertices` (n, 3); half-edge 3 f + k runs along side k of triangle f, from vertex `start`. The next one of its triangle is `after`,
    and the one beside it, which runs back, is `twin`.
    """

    vertices: np.ndarray
    start: np.ndarray
    after: np.ndarray
    twin: np.ndarray

    @property
    def exact(self) -> np.ndarray:
        """The vertices in rationals."""
        return _exact(self.vertices.tobytes())


@functools.lru_cache(maxsize=64)
def _exact(vertices: bytes) -> np.ndarray:
    return fractions(np.frombuffer(vertices).reshape(-1, 3))


@functools.lru_cache(maxsize=1024)
def _convex(mesh: Mesh, owner: str) -> Convex:
    topology, triangles = mesh.topology, mesh.topology.corners
    if len(triangles) < 4:
        raise ValueError(f"{owner} has {len(triangles)} triangles: no convex body")
    if not topology.oriented:
        wrong = np.flatnonzero(topology.count != 2)
        name = topology.edge_name(int(wrong[0])) if len(wrong) else "an edge that both its triangles run through in the same sense"
        raise ValueError(f"{owner} is no closed surface of consistent orientation: {name}; its hull is one: {owner}.hull()")
    start = triangles.ravel()
    end = np.roll(triangles, -1, axis=1).ravel()
    keys = start << 32 | end
    order = np.argsort(keys)
    twin = order[np.searchsorted(keys[order], end << 32 | start)]
    slots = np.arange(len(start))
    vertices = np.ascontiguousarray(mesh.vertices[:, :3])
    found = Convex(vertices, start, slots - slots % 3 + (slots + 1) % 3, twin)
    wrong_face = _not_convex(integers(vertices), triangles, start[(np.arange(len(start)) // 3) * 3], found)
    if wrong_face:
        raise ValueError(f"{owner} is not convex, {wrong_face}; take its hull: {owner}.hull()")
    return found


def convex(mesh: Mesh, owner: str) -> Convex:
    """A mesh made ready; ValueError, with the faces concerned, for one that is not convex, closed and turned outwards."""
    if not mesh.rigid:
        raise ValueError(f"vertices of {owner} must have the shape (n, 3), got a Mesh of (2, n, 3)")
    if not mesh.motion.is_identity:
        raise ValueError(f"{owner} has a motion of its own; poses are given by themselves, and meshes at rest")
    return _convex(mesh, owner)


def _not_convex(points: np.ndarray, triangles: np.ndarray, first: np.ndarray, edges: Convex) -> str | None:
    """The fault of a mesh that is not convex, or None. Corners of triangles are integers."""
    corners = points[triangles]
    used = np.unique(triangles)
    if len(used) - 3 * len(triangles) // 2 + len(triangles) != 2:
        return "its surface has holes, or several parts"
    normals = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    flat = np.flatnonzero((normals == 0).all(axis=1))
    if len(flat):
        return f"face {flat[0]} has no area"
    # The triangle's plane, and the third corner of the triangle beyond the edge.
    beyond = points[edges.start[edges.after[edges.after[edges.twin]]]]
    faces = np.arange(len(edges.start)) // 3
    reflex = np.flatnonzero(dot(beyond - points[first], normals[faces]) > 0)
    inner = points[used].sum(axis=0)
    depth = dot(inner - len(used) * corners[:, 0], normals)
    if (depth > 0).all():
        return "it is inside out"
    if len(reflex):
        return f"between face {faces[reflex[0]]} and face {edges.twin[reflex[0]] // 3}"
    outward = np.flatnonzero(depth >= 0)
    if len(outward):
        return f"face {outward[0]} looks at its middle"
    return None if _covers_once(corners, len(used), inner) else "its surface goes round more than once"


def _covers_once(corners: np.ndarray, count: int, inner: np.ndarray) -> bool:
    """Whether a ray from the inner point (times `count`), through the inside of a triangle, meets exactly one triangle."""
    sides = count * corners - inner
    for weights in ((1, 1, 1), (2, 3, 5), (7, 2, 11), (23, 19, 3), (101, 57, 211)):
        ray = (np.array(weights, object)[:, None] * sides[0]).sum(axis=0)
        turns = [dot(cross(sides[:, k], sides[:, (k + 1) % 3]), ray) for k in range(3)]
        met = (turns[0] >= 0) & (turns[1] >= 0) & (turns[2] >= 0)
        if not (met & ((turns[0] == 0) | (turns[1] == 0) | (turns[2] == 0))).any():
            return int(met.sum()) == 1
    return False
