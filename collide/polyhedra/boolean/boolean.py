"""Regularized union, intersection and difference of two polyhedra."""

from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from codegen.given import shown

from ...bodies.mesh import Mesh, as_mesh
from ..location.index import Kind, checked_places
from .exact_points import Points
from .inside import ClosedTriangles
from .parts import located
from .surfaces import faces_of, volume

KEPT = {"union": (("out", "same"), ("out",)), "intersection": (("in", "same"), ("in",)), "difference": (("out", "opposite"), ("in",))}
"""Parts of both surfaces that bound the result of each operation, by where they are against the other body: inside it, outside it, or on
its surface with the same or the opposite side outward (Requicha and Voelcker 1977).
"""


class Boolean:
    """A polyhedron combined of two: the answer of `boolean`, exact.

    Attributes
    ----------
    operation : str
        "union", "intersection" or "difference".
    volume : Fraction
        The volume, exactly.
    mesh : Mesh or None
        The surface with its vertices rounded to doubles, closed; None for an empty result.
    moved : float
        No vertex of `mesh` is farther from the exact one than this along a coordinate.
    """

    def __init__(self, operation: str, points: Points, faces: np.ndarray) -> None:
        self.operation, self._points, self._faces = operation, points, faces

    @cached_property
    def volume(self) -> Fraction:
        return volume(self._points, self._faces)

    @cached_property
    def _rounded(self) -> tuple[np.ndarray, np.ndarray, float]:
        numbers, faces = np.unique(self._faces, return_inverse=True)
        places, moved = self._points.rounded(numbers.tolist())
        vertices, owner = np.unique(places, axis=0, return_inverse=True)
        corners = owner.ravel()[faces.reshape(-1, 3)]
        whole = (corners[:, 0] != corners[:, 1]) & (corners[:, 1] != corners[:, 2]) & (corners[:, 2] != corners[:, 0])
        return vertices, corners[whole], moved

    @cached_property
    def mesh(self) -> Mesh | None:
        vertices, corners, _ = self._rounded
        return Mesh(vertices, corners) if len(corners) else None

    @property
    def moved(self) -> float:
        return self._rounded[2]

    @cached_property
    def _surface(self) -> ClosedTriangles:
        return ClosedTriangles(self._points, self._faces)

    def classify(self, points: Any) -> np.ndarray:
        """Classify points, exactly.

        Parameters
        ----------
        points : array_like, shape (n, 3)
            Doubles, which count as exact.

        Returns
        -------
        ndarray of Kind, shape (n,)
            IN, OUT, or FACE for points of the surface, also where they lie on an edge or a vertex.
        """
        kinds = {True: Kind.IN, False: Kind.OUT, None: Kind.FACE}
        places = checked_places(points, "points", 2)
        return np.array([kinds[self._surface.contains(self._points.integers(p))] for p in places.tolist()], object)

    def __repr__(self) -> str:
        return f"Boolean({self.operation}, {len(self._faces)} triangles, volume={float(self.volume)!r})"


def boolean(a: Any, b: Any, operation: str) -> Boolean:
    """Combine two polyhedra: regularized union, intersection or difference, exactly.

    Parameters
    ----------
    a, b : Mesh, or pair of arrays (vertices (n, 3), triangles (m, 3))
        Closed meshes at rest whose triangles go round counterclockwise as seen from outside. Coordinates count as exact.
    operation : {"union", "intersection", "difference"}
        "difference" is the closure of the interior of `a` without `b`.

    Returns
    -------
    Boolean
        With `volume` (a Fraction), `mesh` (rounded to doubles, with `moved`) and `classify`.

    Raises
    ------
    ValueError
        For meshes with a hole, with triangles that go round the wrong way or have no area, or with a motion, and for another operation.

    Notes
    -----
    The result is the closure of its interior: walls, lids and edges without thickness vanish (Requicha and Voelcker 1977; Vanecek 1990,
    Section 5). All decisions are exact: signs of determinants in doubles with a bound of their error, in rationals where that does not
    decide. Coincident faces, edges and vertices need no tolerance. Faces are not merged, so `mesh` has more triangles than needed.

    Examples
    --------
    Two unit cubes that share half of each other.

    >>> import numpy as np
    >>> from generative.polyhedron import brick
    >>> from collide import Mesh
    >>> corners = np.array([[x, y, z] for x in (0.0, 1) for y in (0.0, 1) for z in (0.0, 1)])
    >>> quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    >>> cube = np.array([t for a, b, c, d in quads for t in ([a, b, c], [a, c, d])])
    >>> r = boolean((corners, cube), (corners + [0.5, 0, 0], cube), "union")
    >>> r.volume, r.mesh.closed
    (Fraction(3, 2), True)
    """
    if operation not in KEPT:
        raise ValueError(f'the operation is "union", "intersection" or "difference", got {shown(operation)}')
    meshes = [_checked(mesh, name) for mesh, name in ((a, "first"), (b, "second"))]
    points = Points(np.concatenate([vertices for vertices, _ in meshes]))
    owners = np.split(points.owner, [len(meshes[0][0])])
    surfaces = [faces_of(points, own[corners], name) for (_, corners), own, name in zip(meshes, owners, ("first", "second"), strict=True)]
    parts = located(points, surfaces)
    chosen = [np.concatenate([parts[m][where] for where in kept]) for m, kept in enumerate(KEPT[operation])]
    if operation == "difference":
        chosen[1] = chosen[1][:, ::-1]
    return Boolean(operation, points, np.concatenate(chosen))


def _checked(given: Any, name: str) -> tuple[np.ndarray, np.ndarray]:
    mesh = as_mesh(given, name, rigid=True)
    if mesh.hole is not None:
        raise ValueError(f"the {name} mesh has a hole at {mesh.hole}; a boolean takes closed meshes")
    if mesh.misturned is not None:
        raise ValueError(f"of the {name} mesh, {mesh.misturned}")
    vertices, corners = mesh.arrays
    return vertices, corners
