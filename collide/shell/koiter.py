"""Energy of a thin shell for each unit of its rest area, as a SymPy formula; its gradient and its Hessian, compiled.

The strain of the middle surface is E = (a - A) / 2, of the first fundamental forms now and at rest; its change of curvature is K = B - b,
of the second ones. With C of an isotropic material in plane stress the energy is (h / 2) E:C:E + (h^3 / 24) K:C:K (Koiter's form for thin
shells, as in Kiendl, Bletzinger, Linhard and Wuechner 2009, Section 3).
"""

import functools
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from codegen.kernel import Kernel, compile

WHICH = ("u", "v", "uu", "uv", "vv")
"""The derivatives of the place that the energy is a function of."""


class Material(NamedTuple):
    """Lame's numbers in plane stress and the thickness."""

    first: float
    shear: float
    thickness: float

    @classmethod
    def of(cls, young: float, poisson: float, thickness: float) -> "Material":
        return cls(young * poisson / (1.0 - poisson**2), young / (2.0 * (1.0 + poisson)), thickness)


class Energy(NamedTuple):
    """Kernels of the energy (1), its gradient (15) and its Hessian (225); rows are those of `WHICH`, three coordinates each."""

    value: Kernel
    gradient: Kernel
    hessian: Kernel


@functools.cache
def formula() -> tuple[Any, list[Any], list[Any]]:
    """The energy density, its 15 variables, and its parameters: first forms at rest (3), second ones (3), Lame's numbers and h."""
    rows = [sp.Matrix(sp.symbols(f"x_{d}_:3", real=True)) for d in WHICH]
    xu, xv, xuu, xuv, xvv = rows
    A, B = (sp.symbols(f"{name}11 {name}12 {name}22", real=True) for name in "AB")
    first, shear, h = material = sp.symbols("lambda_ mu h", real=True)
    normal = xu.cross(xv)
    n = normal / sp.sqrt(normal.dot(normal))
    a, b = (xu.dot(xu), xu.dot(xv), xv.dot(xv)), (xuu.dot(n), xuv.dot(n), xvv.dot(n))
    E = [(now - rest) / 2 for now, rest in zip(a, A, strict=True)]
    K = [rest - now for now, rest in zip(b, B, strict=True)]
    inverse = sp.Matrix([[A[2], -A[1]], [-A[1], A[0]]]) / (A[0] * A[2] - A[1] ** 2)

    def doubled(e: list[Any]) -> Any:
        """e:C:e for a symmetric e: lambda tr(e)^2 + 2 mu tr(e^2), with indices raised by the metric at rest."""
        mixed = inverse * sp.Matrix([[e[0], e[1]], [e[1], e[2]]])
        return first * mixed.trace() ** 2 + 2 * shear * (mixed * mixed).trace()

    density = h / 2 * doubled(E) + h**3 / 24 * doubled(K)
    return density, [s for row in rows for s in row], [*A, *B, *material]


@functools.cache
def kernels() -> Energy:
    density, variables, parameters = formula()
    value = compile([density], variables, parameters)
    gradient = value.jacobian()
    return Energy(value, gradient, gradient.jacobian())


def at_rest(derivatives: np.ndarray, material: Material) -> np.ndarray:
    """The parameters (n, 9) of a shell that is at rest where its derivatives are these (n, 5, 3)."""
    xu, xv, *second = np.moveaxis(derivatives, 1, 0)
    normal = np.cross(xu, xv)
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    first = [(p * q).sum(axis=1) for p, q in ((xu, xu), (xu, xv), (xv, xv))]
    return np.column_stack([*first, *((s * normal).sum(axis=1) for s in second), np.tile(material, (len(xu), 1))])


def semidefinite(matrices: np.ndarray) -> np.ndarray:
    """Symmetric matrices (n, k, k) without their negative eigenvalues."""
    values, axes = np.linalg.eigh((matrices + np.swapaxes(matrices, 1, 2)) / 2.0)
    return np.asarray((axes * np.maximum(values, 0.0)[:, None]) @ np.swapaxes(axes, 1, 2))
