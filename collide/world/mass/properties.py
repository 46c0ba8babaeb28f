"""Mass properties of bodies: volume, centre and inertia, from ten integrals over the volume (`mass.integrators`), in doubles."""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from codegen.given import shown
from generative import ImplicitBody, ParametricSurface, Solid, t, u, v, x, y, z
from generative.brep import UNCHECKED
from generative.changes import pieces_of
from generative.seams import turns
from generative.sew import borders

from ...bodies.mesh import Mesh
from ...bodies.parts import is_closed
from ...frozen import Frozen
from ...given import check_in_space
from ...queries.coincident_notes import coincident_notes
from .integrators import integrator_of

# A centre nearer to an axis than this, against the size, is on it; against its area, the sum of normals that counts as zero.
_NOTHING, _OPEN = 1e-14, 1e-9


@dataclass(frozen=True, eq=False)
class MassProperties(Frozen):
    """`volume`; `centre` (3,) of mass; `inertia` (3, 3) about the centre for density 1, along the axes of the shape's own coordinates.

    In doubles: `error` estimates the relative error of the volume by what the last refinement changed, and by the gap of a solid over its
    whole area. Not a bound. `notes` name leaves of a combined body that count as two surfaces though they may be one.
    """

    volume: float
    centre: np.ndarray
    inertia: np.ndarray
    error: float
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._freeze()


def mass_properties(shape: Any) -> MassProperties:
    """Integrate volume, centre and inertia of a body of density 1, approximately.

    Parameters
    ----------
    shape : body
        A closed ParametricSurface, a Solid, a closed Mesh, or an implicit body that is closed within its bounds. It is taken at rest, in
        its own coordinates, a constant motion included.

    Returns
    -------
    MassProperties
        With `volume`, `centre` (3,) and `inertia` (3, 3) about it, in units of length; and `error`, an estimate of the relative
        error of the volume, no bound.

    Raises
    ------
    TypeError
        For anything that is no body.
    ValueError
        For a body that moves or deforms, is not closed, is proved to cover itself more than once (as a sphere with u from 0 to 4 pi), or
        has parameters. A surface that crosses itself is not noticed.

    Notes
    -----
    *Approximates*, by the divergence theorem over the faces: to about 1e-12 for smooth faces. Integrals of a Mesh are exact except for
    rounding. Unions, intersections and differences of half-spaces are as exact. Those of balls, other smooth bodies, and planes, cylinders,
    cones and balls round one axis are known to about 1e-12, and other bodies with creases to 1e-5 or so: see `error`.

    Examples
    --------
    >>> import sympy as sp
    >>> from collide import mass_properties
    >>> from generative import ParametricSurface, u, v
    >>> ball = ParametricSurface([sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v), sp.sin(v)], {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})
    >>> bool(abs(mass_properties(ball).volume / (4 / 3 * float(sp.pi)) - 1) < 1e-12)
    True
    """
    check_rigid(shape, "mass_properties takes bodies: the shape")
    return _properties(shape)


@functools.lru_cache(maxsize=512)
def _properties(shape: Any) -> MassProperties:
    check_closed(shape)
    check_covered_once(shape)
    normals, moments, area, error = integrator_of(shape).moments(shape)
    # Gaps along all edges, each about as long as the body.
    gap = shape.gap if isinstance(shape, Solid) else 0.0
    if np.abs(normals).max() > _OPEN * area + (gap and gap * len(shape.edges) * np.sqrt(area)):
        raise ValueError("the surface is not closed, so it encloses no volume")
    moments = moments * np.sign(moments[0])
    if not moments[0] > 0.0:
        raise ValueError("the surface encloses no volume")
    error = error + gap * area / float(moments[0])
    centre = moments[1:4] / moments[0]
    # What is nothing but rounding is nothing.
    centre = np.where(np.abs(centre) > _NOTHING * np.cbrt(moments[0]), centre, 0.0)
    notes = coincident_notes([shape], (0, 0))
    return MassProperties(float(moments[0]), centre, _about(moments[4:], moments[0], centre), float(error), notes)


def check_closed(shape: Any) -> None:
    """Refuse surfaces and meshes that are open. Normals alone do not tell: those of a tube that is open at both ends add up to nothing."""
    if isinstance(shape, Mesh) and not shape.closed:
        raise ValueError(f"the surface is not closed, so it encloses no volume: the mesh has a hole at {shape.hole}")
    if isinstance(shape, (Mesh, ImplicitBody)) or is_closed(shape) or (isinstance(shape, Solid) and shape.closed != UNCHECKED):
        return
    try:
        borders(pieces_of(shape))
    except ValueError as error:
        raise ValueError(f"the surface is not closed, so it encloses no volume: {error}") from error


def check_covered_once(shape: Any) -> None:
    """Refuses surfaces that are proved to cover themselves: the volume would count as often."""
    for face in pieces_of(shape) if isinstance(shape, (ParametricSurface, Solid)) else ():
        for s in (u, v):
            if (often := turns(face, s)) > 1:
                raise ValueError(f"the surface covers itself {often} times along {s}, from {face.domain[s][0]} to {face.domain[s][1]}; "
                                 f"shorten the domain of {s} to one turn")


def check_rigid(shape: Any, owner: str) -> None:
    """Refuses what is no body, and bodies that move or deform by themselves."""
    check_numbers(shape, owner)
    if deforms(shape):
        raise ValueError(f"{owner} contains t: it must be rigid and at rest, and have all its numbers")


def check_numbers(shape: Any, owner: str) -> None:
    """Refuses what is no body, and bodies with numbers that are not given; they may hold t."""
    if not isinstance(shape, (ParametricSurface, ImplicitBody, Solid, Mesh)):
        raise TypeError(f"{owner} is {shown(shape)}; bodies are ParametricSurface, ImplicitSurface, Solid and Mesh values")
    check_in_space(shape, "a world, as all that asks for masses,")
    if others := _symbols(shape) - {t, u, v, x, y, z}:
        raise ValueError(f"{owner} contains {min(others, key=str)}: it must be rigid and at rest, and have all its numbers")


def deforms(shape: Any) -> bool:
    """Whether the formulas of a body hold t: it moves or deforms by itself."""
    return t in _symbols(shape)


@functools.lru_cache(maxsize=512)
def _symbols(shape: Any) -> frozenset[Any]:
    if isinstance(shape, Mesh):
        return frozenset(shape.motion.symbols)
    symbols = set[Any]()
    for piece in pieces_of(shape):
        formulas = piece.body if isinstance(piece, ParametricSurface) else (piece.body,)
        symbols |= set(piece.motion.symbols).union(*(e.free_symbols for e in formulas))
    return frozenset(symbols)


def _about(second: np.ndarray, volume: float, centre: np.ndarray) -> np.ndarray:
    """The inertia about the centre, of the integrals of xx, yy, zz, yz, zx, xy."""
    xx, yy, zz, yz, zx, xy = second
    products = np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]]) - volume * np.outer(centre, centre)
    return np.asarray(np.trace(products) * np.eye(3) - products)
