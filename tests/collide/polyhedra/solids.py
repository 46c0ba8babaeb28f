"""Convex meshes and poses for tests, and what is known of them from the definitions, in rationals."""

from fractions import Fraction

import numpy as np
import scipy.spatial

import collide

CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
QUADS = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
SIDES = np.array([t for a, b, c, d in QUADS for t in ([a, b, c], [a, c, d])])
CUBE = collide.Mesh(CORNERS - 0.5, SIDES)
OCTAHEDRON = collide.Mesh(np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], float),
                          [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]])
HERE = np.eye(4)
RIGHT = np.roll(np.eye(3), 1, axis=0)


def hull_of(points):
    """By Qhull, turned outwards."""
    found = scipy.spatial.ConvexHull(points)
    triangles = found.simplices.copy()
    a, b, c = (points[triangles[:, k]] for k in range(3))
    inward = (np.cross(b - a, c - a) * (a - points[found.vertices].mean(axis=0))).sum(axis=1) < 0
    triangles[inward] = triangles[inward][:, ::-1]
    used, index = np.unique(triangles, return_inverse=True)
    return collide.Mesh(points[used], index.reshape(-1, 3))


def ball(seed, n=500):
    points = np.random.default_rng(seed).normal(size=(n, 3))
    return hull_of(points / np.linalg.norm(points, axis=1)[:, None])


def rotation(random):
    w, x, y, z = (q := random.normal(size=4)) / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


def pose(turned=None, shift=(0, 0, 0)):
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = np.eye(3) if turned is None else turned, shift
    return matrix


def about_z(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def random_pair(random):
    """Two hulls, of random points, of points of a grid, and boxes."""
    def one():
        kind, n = random.integers(3), int(random.integers(4, 9))
        if kind == 2:
            return collide.Mesh((CORNERS - 0.5) * random.choice([1.0, 2, 4], size=3), SIDES)
        while True:
            try:
                return hull_of(random.normal(size=(n, 3)) if kind == 0 else random.integers(-2, 3, size=(n, 3)).astype(float))
            except scipy.spatial.QhullError:
                continue
    return one(), one()


def random_pose(random, scale):
    """Of any rotation, or of one in which faces and edges are often parallel."""
    if random.random() < 0.5:
        return pose(rotation(random), scale * random.normal(size=3))
    turned = np.eye(3)[random.permutation(3)] * random.choice([-1, 1], size=3)
    turned[0] *= np.linalg.det(turned)
    if random.random() < 0.3:
        turned = turned @ [[0.6, -0.8, 0], [0.8, 0.6, 0], [0, 0, 1]]
    return pose(turned, np.round(scale * random.normal(size=3)) / random.choice([1, 2]))


# -- in rationals ---------------------------------------------------------------------------------------------------


def exactly(values):
    return [[Fraction(x) for x in row] for row in values.tolist()]


def minus(a, b):
    return [x - y for x, y in zip(a, b, strict=True)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def places(mesh, matrix):
    """The vertices at a pose."""
    m = exactly(matrix)
    return [[dot(m[k][:3], p) + m[k][3] for k in range(3)] for p in exactly(mesh.vertices[:, :3])]


def depth(meshes, at):
    """The square of the least translation that separates two convex bodies, None if they are apart: along the normals of all faces and of
    all pairs of edges, which hold those of the faces of the difference of the bodies.
    """
    directions, edges = [], []
    for mesh, p in zip(meshes, at, strict=True):
        directions += [cross(minus(p[b], p[a]), minus(p[c], p[a])) for a, b, c in mesh.triangles.tolist()]
        pairs = {tuple(sorted((t[k], t[k - 1]))) for t in mesh.triangles.tolist() for k in range(3)}
        edges.append([minus(p[i], p[j]) for i, j in pairs])
    directions += [n for e in edges[0] for f in edges[1] if any(n := cross(e, f))]
    found = []
    for n in directions:
        first, second = ([dot(n, p) for p in place] for place in at)
        for height in (max(first) - min(second), max(second) - min(first)):
            if height < 0:
                return None
            found.append(height**2 / dot(n, n))
    return min(found)
