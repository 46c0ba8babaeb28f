"""Mass properties as exact numbers, where the integrals over the faces are polynomials in the parameters and in their sines and cosines.

Each monomial is a product of two integrals of one variable, which SymPy knows. Meshes have rational ones.
"""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from codegen.constants import enclose
from codegen.deadline import check, interruptible
from codegen.interval import Interval
from generative import ImplicitBody, ParametricSurface, u, v
from generative.changes import pieces_of

from ...bodies.mesh import Mesh
from ...bodies.parts import is_closed
from .integrators import integrands
from .properties import check_covered_once, check_rigid

_SINE, _COSINE = ({s: sp.Dummy(f"{name}_{s}", real=True) for s in (u, v)} for name in ("sin", "cos"))
_GENERATORS = (u, _SINE[u], _COSINE[u], v, _SINE[v], _COSINE[v])


@dataclass(frozen=True, eq=False)
class ExactMass:
    """`volume`, `centre` (3,) of mass, and `inertia` (3, 3) about it for density 1, as exact SymPy numbers; and the doubles that enclose
    them, with lower and upper bounds along a last axis: `volume_bounds`, `centre_bounds` (3, 2) and `inertia_bounds` (3, 3, 2).
    """

    volume: Any
    centre: tuple[Any, Any, Any]
    inertia: Any

    @property
    def volume_bounds(self) -> Interval:
        return Interval(*enclose(self.volume))

    @property
    def centre_bounds(self) -> np.ndarray:
        return np.array([enclose(e) for e in self.centre])

    @property
    def inertia_bounds(self) -> np.ndarray:
        return np.array([enclose(e) for e in self.inertia]).reshape(3, 3, 2)


def exact_mass_properties(shape: Any) -> ExactMass:
    """Integrate volume, centre and inertia of a body of density 1, as exact numbers, and the doubles that enclose them.

    Parameters
    ----------
    shape : ParametricSurface, Solid or Mesh
        Closed, and of formulas that are polynomials in u, v and their sines and cosines; or a closed Mesh. It is taken at rest, in its own
        coordinates, a constant motion included.

    Returns
    -------
    ExactMass
        With exact `volume`, centre and inertia.

    Raises
    ------
    TypeError
        For anything that is no body.
    ValueError
        For a body that moves or deforms, is not closed, is proved to cover itself more than once (as a sphere with u from 0 to 4 pi), or is
        of other formulas.

    Notes
    -----
    That the body is closed is *proved* from the formulas. That it does not cross itself is not: parts that it winds round twice count
    twice.

    Examples
    --------
    >>> import sympy as sp
    >>> from collide import exact_mass_properties
    >>> from generative import ParametricSurface, u, v
    >>> ball = ParametricSurface([sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v), sp.sin(v)], {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})
    >>> exact_mass_properties(ball).volume
    4*pi/3
    """
    check_rigid(shape, "exact_mass_properties takes bodies: the shape")
    if isinstance(shape, ImplicitBody):
        raise ValueError("mass properties of implicit bodies are not known exactly; take mass_properties")
    if not is_closed(shape):
        raise ValueError("the surface is not seen to be closed, so no exact volume is known")
    check_covered_once(shape)
    moments = _mesh_moments(shape) if isinstance(shape, Mesh) else _face_moments(pieces_of(shape))
    if moments[0].is_zero:
        raise ValueError("the surface encloses no volume")
    volume, *rest = (e if moments[0].is_positive else -e for e in moments)
    centre = tuple(sp.radsimp(e / volume) for e in rest[:3])
    xx, yy, zz, yz, zx, xy = rest[3:]
    second = sp.Matrix([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]]) - volume * sp.Matrix(centre) * sp.Matrix(centre).T
    return ExactMass(volume, (centre[0], centre[1], centre[2]), (second.trace() * sp.eye(3) - second).applyfunc(sp.expand))


def _face_moments(faces: Any) -> list[Any]:
    found = [[_integral(e, face) for e in integrands(face.expressions, face.normal)] for face in faces]
    total = [sp.expand(sum(own)) for own in zip(*found, strict=True)]
    if not all(e.is_zero for e in total[:3]):
        raise ValueError("the normals of the faces do not point to one side, so no exact volume is known")
    return total[3:]


def _integral(e: Any, face: ParametricSurface) -> Any:
    """Over the domain of a face."""
    known = {f(s): d[s] for f, d in ((sp.sin, _SINE), (sp.cos, _COSINE)) for s in (u, v)}
    try:
        p = sp.Poly(sp.expand(e, trig=True).xreplace(known), *_GENERATORS)
    except sp.PolynomialError:
        p = None
    if p is None or any(c.free_symbols for c in p.coeffs()):
        raise ValueError("the formulas are no polynomials in u, v and their sines and cosines, so no exact volume is known")
    return sum(c * _one(u, n[:3], face.domain[u]) * _one(v, n[3:], face.domain[v]) for n, c in p.terms())


@functools.lru_cache(maxsize=4096)
@interruptible()
def _one(s: Any, powers: tuple[int, int, int], ends: tuple[Any, Any]) -> Any:
    """The integral of s^i sin(s)^j cos(s)^k."""
    i, j, k = powers
    return sp.integrate(s**i * sp.sin(s) ** j * sp.cos(s) ** k, (s, *ends))


def _mesh_moments(mesh: Mesh) -> list[Any]:
    """Moments of tetrahedra from the origin to the triangles, exactly."""
    vertices, triangles = mesh.arrays
    turn, shift = sp.Matrix(3, 3, mesh.motion.entries[:9]), sp.Matrix(mesh.motion.entries[9:])
    corners = [turn * sp.Matrix([sp.Rational(e) for e in row]) + shift for row in vertices.tolist()]
    pairs = (0, 0), (1, 1), (2, 2), (1, 2), (2, 0), (0, 1)
    found = [sp.Integer(0)] * 10
    for a, b, c in ([corners[k] for k in row] for row in triangles.tolist()):
        check()
        six, total = a.dot(b.cross(c)), a + b + c
        second = [six * (sum(e[i] * e[j] for e in (a, b, c)) + total[i] * total[j]) / 120 for i, j in pairs]
        found = [x + y for x, y in zip(found, [six / 6, *(six * e / 24 for e in total), *second], strict=True)]
    return [sp.expand(e) for e in found]
