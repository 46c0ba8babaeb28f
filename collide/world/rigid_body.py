"""A body of a world: its shape, its state at the start, and what it is made of."""

import math
from typing import Any

import numpy as np

from codegen.given import doubles, shown
from generative import Motion, pose
from generative.triangulated import Triangulated

from ..frozen import Frozen
from ..given import check_positive, is_number
from .mass.properties import MassProperties, check_numbers, deforms, mass_properties
from .solids.csg_pruning import plain_of
from .solids.halfspace_solid import solid_of
from .solids.solid_of_revolution import turned_of

# Eigenvalues of an inertia may be out by this much of the largest.
_ROUNDINGS = 1e-12


class RigidBody(Frozen):
    """A shape with mass.

    Parameters
    ----------
    shape : body
        A body at rest: ParametricSurface, ImplicitSurface or a combination of them, Solid or Mesh. Of a body that is fixed or driven its
        formulas may hold t: it deforms as they say, and the velocity of its surface counts at contacts.
    position : array_like, (3,), optional
        Where the origin of the shape's own coordinates is at the start, in the world.
    orientation : array_like, (4,), optional
        [w, x, y, z], the rotation of the shape's own coordinates at the start; of any length but zero.
    velocity : array_like, (3,), optional
        That of the centre of mass at the start, in the world.
    spin : array_like, (3,), optional
        The angular velocity at the start, in the world.
    mass, density : float, optional
        One of them; density 1 if neither is given.
    centre : array_like, (3,), optional
        The centre of mass, in the shape's own coordinates.
    inertia : array_like, (3, 3), optional
        About the centre of mass, in the shape's own coordinates. Mass, centre and inertia are integrated from the shape (`mass_properties`)
        where they are not given.
    restitution : float, optional
        0 to 1. None is that of the world. Where two bodies meet the greater one counts.
    friction : float, optional
        Coulomb's coefficient. None is that of the world. Where two bodies meet the geometric mean counts.
    fixed : bool, optional
        It never moves, and needs no mass. One that deforms is driven by its pose: `fixed` is then False, and `motion` is that pose.
    motion : Motion, optional
        It is driven, and follows this motion of t whatever hits it, from its own coordinates to the world. It needs no mass.

    Raises
    ------
    TypeError
        For anything that is no body.
    ValueError
        For a free body, or a mesh, that deforms or moves by itself; for numbers that are not finite; for a mass, density or inertia
        that is not positive; for a restitution outside 0 to 1; for friction that is negative; for an open surface without mass or
        inertia; and for contradictions: mass and density, fixed and driven, or a state of a body that is driven or fixed.

    Notes
    -----
    Vectors are doubles, taken exactly, copied and read-only.

    Examples
    --------
    >>> from collide import RigidBody
    >>> from generative.polyhedron import brick
    >>> body = RigidBody(brick((1, 1, 1)), position=[0, 0, 2], density=3)
    >>> round(float(body.mass), 9)
    3.0
    """

    def __init__(self, shape: Any, *, position: Any = None, orientation: Any = None, velocity: Any = None, spin: Any = None,
                 density: Any = None, mass: Any = None, centre: Any = None, inertia: Any = None, restitution: Any = None,
                 friction: Any = None, fixed: bool = False, motion: Motion | None = None) -> None:
        self.shape = shape
        check_numbers(shape, "the shape of a rigid body")
        self.deforms = deforms(shape)
        # What is searched and tracked: the same points, with corners and edges that are known, where all of it is flat, or turned; else, if
        # it is combined, with the leaves alone that matter.
        self.outline = shape if self.deforms else solid_of(shape) or turned_of(shape) or plain_of(shape)
        self.name: str | None = shape.name
        self.fixed, self.motion = bool(fixed), motion
        self.position = self._vector(position, "position")
        self.orientation = self._orientation(orientation)
        self.velocity, self.spin = self._vector(velocity, "velocity"), self._vector(spin, "spin")
        self.restitution, self.friction = restitution_of(restitution, self._name), friction_of(friction, self._name)
        self._check_kind(position, orientation, velocity, spin)
        self._check_mass(density, mass)
        if self.deforms:
            self._drive()
        self.mass, self.centre, self.inertia = 0.0, np.zeros(3), np.zeros((3, 3))
        self.given = centre is not None, inertia is not None
        if self.free:
            self._weigh(density, mass, centre, inertia)
        self._freeze()

    @property
    def free(self) -> bool:
        """Whether hits move it."""
        return not self.fixed and self.motion is None

    @property
    def _name(self) -> str:
        return "a rigid body" if self.name is None else f'the rigid body "{self.name}"'

    def _vector(self, given: Any, what: str) -> np.ndarray:
        if given is None:
            return np.zeros(3)
        found = doubles(given, f"the {what} of {self._name}", "(3,)")
        if found.shape != (3,) or not np.isfinite(found).all():
            raise ValueError(f"the {what} of {self._name} must be three finite numbers, got {shown(given)}")
        if not math.isfinite(sum(e * e for e in found.tolist())):
            raise ValueError(f"the {what} of {self._name} must be three numbers whose squares are finite, got {shown(given)}")
        return np.array(found)

    def _orientation(self, given: Any) -> np.ndarray:
        if given is None:
            return np.array([1.0, 0.0, 0.0, 0.0])
        found = doubles(given, f"the orientation of {self._name}", "(4,)")
        if found.shape != (4,) or not np.isfinite(found).all() or not found.any():
            raise ValueError(f"the orientation of {self._name} must be a quaternion [w, x, y, z], got {shown(given)}")
        found = found / np.abs(found).max()
        return np.asarray(found / math.sqrt(found @ found))

    def _check_kind(self, position: Any, orientation: Any, velocity: Any, spin: Any) -> None:
        if self.motion is not None and not isinstance(self.motion, Motion):
            raise TypeError(f"{self._name} is driven by a Motion, such as Rigid or Screw, got {shown(self.motion)}")
        if self.fixed and self.motion is not None:
            raise ValueError(f"{self._name} cannot be both fixed and driven by a motion")
        if self.fixed and (self.velocity.any() or self.spin.any()):
            raise ValueError(f"{self._name} is fixed, so it has no velocity or spin")
        if self.motion is not None and any(e is not None for e in (position, orientation, velocity, spin)):
            raise ValueError(f"{self._name} is driven, so its motion tells its position, orientation, velocity and spin")

    def _drive(self) -> None:
        """A body that deforms follows a motion, if only one that stays where it is."""
        if isinstance(self.shape, Triangulated):
            raise ValueError(f"{self._name} is a mesh whose motion holds t; give that motion to the body, as motion=")
        if self.free:
            raise ValueError(f"{self._name} has a shape that holds t; only a body that is fixed=True or driven by motion= deforms as given")
        if self.motion is None:
            self.fixed, self.motion = False, pose(self.orientation, self.position, normalize=True)

    def _check_mass(self, density: Any, mass: Any) -> None:
        if density is not None and mass is not None:
            raise ValueError(f"{self._name} takes a mass or a density, not both")
        for what, given in (("mass", mass), ("density", density)):
            if given is not None:
                check_positive(f"the {what} of {self._name}", given)

    def _weigh(self, density: Any, mass: Any, centre: Any, inertia: Any) -> None:
        found = None
        if mass is None or inertia is None or centre is None:
            found = self._properties(mass, inertia)
        if mass is not None:
            self.mass = float(mass)
        elif found is not None:
            self.mass = found.volume * (1.0 if density is None else float(density))
        self.centre = self._vector(centre, "centre of mass") if centre is not None or found is None else found.centre
        if inertia is not None:
            self.inertia = self._inertia(inertia)
        elif found is not None:
            self.inertia = found.inertia * (self.mass / found.volume)

    def _properties(self, mass: Any, inertia: Any) -> MassProperties | None:
        try:
            return mass_properties(self.shape)
        except ValueError as error:
            if mass is not None and inertia is not None:
                return None
            raise ValueError(f"{self._name} needs its mass and inertia given: {error}") from error

    def _inertia(self, given: Any) -> np.ndarray:
        found = doubles(given, f"the inertia of {self._name}", "(3, 3)")
        if found.shape != (3, 3) or not np.isfinite(found).all() or not np.array_equal(found, found.T):
            raise ValueError(f"the inertia of {self._name} must be a symmetric matrix (3, 3), got {shown(given)}")
        moments = np.linalg.eigvalsh(found)
        if not moments[0] > 0.0:
            raise ValueError(f"the inertia of {self._name} must be positive, its least moment is {moments[0]:g}")
        if moments[2] > (moments[0] + moments[1]) * (1.0 + _ROUNDINGS):
            raise ValueError(f"{self._name} has an inertia that no body has: one moment exceeds the sum of the others")
        return np.array(found)

    def __repr__(self) -> str:
        kind = "fixed" if self.fixed else "driven" if self.motion is not None else f"mass={self.mass:g}"
        return f"RigidBody({type(self.shape).__name__}{'' if self.name is None else f' {self.name!r}'}, {kind})"


def restitution_of(given: Any, owner: str) -> float | None:
    if given is None:
        return None
    if not (is_number(given) and 0 <= given <= 1):
        raise ValueError(f"the restitution of {owner} must be a number from 0 to 1, got {shown(given)}")
    return float(given)


def friction_of(given: Any, owner: str) -> float | None:
    if given is None:
        return None
    if not (is_number(given) and 0 <= given < math.inf):
        raise ValueError(f"the friction of {owner} must be a finite number, 0 or more, got {shown(given)}")
    return float(given)
