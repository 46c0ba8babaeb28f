"""Moment integrators: ten integrals over the volume of a body, by kinds of bodies, in the order in which they are asked.

Each integrates in doubles, and estimates its error. By the divergence theorem the volume integral of a monomial is that of a vector field
over the surface, whose normal S_u x S_v comes with the area.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

import numpy as np
import sympy as sp

from codegen.kernel import compile
from generative import ImplicitBody, ParametricSurface, Solid, u, v
from generative.changes import pieces_of

from ...bodies.mesh import Mesh
from ..solids.halfspace_solid import sides_of
from ..solids.solid_of_revolution import turned_of
from .gauss import integral, triangle_moments
from .implicit import implicit_moments

# The integrals: of the normal over the surface (3), and of 1, x, y, z, xx, yy, zz, yz, zx, xy over the volume.
_INTEGRALS = 13


class Moments(NamedTuple):
    """Integrals of a body. `normals` (3,): of the normal over the surface, which is zero if that is closed; `volume` (10,): of 1, x, y, z,
    xx, yy, zz, yz, zx, xy, negative where normals point inward; `area` of the surface, or 1 where no normals are summed; `error`: an
    estimate of the relative error of the first of `volume`.
    """

    normals: np.ndarray
    volume: np.ndarray
    area: float
    error: float


class MomentIntegrator(Protocol):
    """Integrator of the moments of a kind of closed bodies."""

    def accepts(self, shape: Any) -> bool:
        """Whether it integrates over a body."""
        ...

    def moments(self, shape: Any) -> Moments:
        """The moments of a body that it accepts, in the body's own coordinates, a constant motion included."""
        ...


class TriangleIntegrator:
    """Tetrahedra from the origin to the triangles of a mesh: exact except for rounding."""

    def accepts(self, shape: Any) -> bool:
        return isinstance(shape, Mesh)

    def moments(self, shape: Any) -> Moments:
        return _moments(*triangle_moments(triangles_of(shape)))


class FaceIntegrator:
    """Gauss's rule over the faces of a surface or a solid."""

    def accepts(self, shape: Any) -> bool:
        return isinstance(shape, (ParametricSurface, Solid))

    def moments(self, shape: Any) -> Moments:
        return _moments(*_face_moments(pieces_of(shape)))


class HalfSpaceIntegrator:
    """Tetrahedra to the sides of an implicit body of half-spaces: exact except for rounding."""

    def accepts(self, shape: Any) -> bool:
        return isinstance(shape, ImplicitBody) and sides_of(shape) is not None

    def moments(self, shape: Any) -> Moments:
        return _moments(*triangle_moments(sides_of(shape)))  # type: ignore[arg-type]


class RevolvedIntegrator:
    """Gauss's rule over the faces of an implicit body of planes, cylinders, cones and balls round one axis."""

    def accepts(self, shape: Any) -> bool:
        return isinstance(shape, ImplicitBody) and turned_of(shape) is not None

    def moments(self, shape: Any) -> Moments:
        return _moments(*_face_moments(pieces_of(turned_of(shape))))


class SignedSumIntegrator:
    """Signed sums of intersections of leaves, by rays from a point inside or by heights (`mass.implicit`): any implicit body."""

    def accepts(self, shape: Any) -> bool:
        return isinstance(shape, ImplicitBody)

    def moments(self, shape: Any) -> Moments:
        own, error = implicit_moments(shape)
        return Moments(np.zeros(3), own, 1.0, error)


INTEGRATORS: tuple[MomentIntegrator, ...] = (TriangleIntegrator(), FaceIntegrator(), HalfSpaceIntegrator(), RevolvedIntegrator(),
                                             SignedSumIntegrator())


def integrator_of(shape: Any) -> MomentIntegrator:
    """The first integrator for a body."""
    return next(i for i in INTEGRATORS if i.accepts(shape))


def _moments(integrals: np.ndarray, area: float, error: float) -> Moments:
    return Moments(integrals[:3], integrals[3:], area, error)


def integrands(point: Iterable[Any], normal: Iterable[Any]) -> list[Any]:
    """Integrands at a point, by the normal there, with the area: the normal, and the functions that integrate to the moments over the
    volume.
    """
    a, b, c = point
    n, m, k = normal
    return [n, m, k, (a * n + b * m + c * k) / 3, a * a * n / 2, b * b * m / 2, c * c * k / 2, a**3 * n / 3, b**3 * m / 3, c**3 * k / 3,
            b * b * c * m / 2, c * c * a * k / 2, a * a * b * n / 2]


def triangles_of(mesh: Mesh) -> np.ndarray:
    """(n, 3, 3): the corners of its triangles, where its constant motion puts them."""
    vertices, triangles = mesh.arrays
    motion = [float(e) for e in mesh.motion.entries]
    return np.asarray((vertices @ np.reshape(motion[:9], (3, 3)).T + motion[9:])[triangles])


def _face_moments(faces: Iterable[Any]) -> tuple[np.ndarray, float, float]:
    total, area, error = np.zeros(_INTEGRALS), 0.0, 0.0
    for face in faces:
        point, normal = face.expressions, face.normal
        kernel = compile([*integrands(point, normal), sp.sqrt(sum(e * e for e in normal))], [u, v], quick=True)
        ends = np.array([[float(e) for e in face.domain[s]] for s in (u, v)])
        moments, own = integral(kernel.points, ends)
        total, area, error = total + moments[:-1], area + float(moments[-1]), error + float(own[3])
    return total, area, error / max(abs(total[3]), 1e-300)
