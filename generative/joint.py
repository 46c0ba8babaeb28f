"""Joints between two links of a chain: a frame in that of the parent, and a value that turns or moves the child.

Each turns about, or moves along, the z axis of a frame of its own, which `aligned` takes to the axis of the joint.
"""

from dataclasses import dataclass
from typing import Any

import sympy as sp

from codegen.given import shown

from .body import checked_name
from .motion import IDENTITY, Motion, Rigid, quaternion_matrix
from .products import AlongZ
from .symbols import exact, formula, items, vector

REVOLUTE, PRISMATIC, FIXED = "revolute", "prismatic", "fixed"


@dataclass(frozen=True)
class Joint:
    """A joint called `name` between two links, by their names. At value 0 the frame of `child` is at `origin` in that of `parent`; the
    value turns it about `axis` (revolute, in radian), or moves it along `axis` (prismatic), a direction in the frame of the child. See
    `revolute`, `prismatic` and `fixed`, which check what they are given.
    """

    kind: str
    name: str
    parent: str
    child: str
    origin: Motion
    axis: tuple[Any, Any, Any]
    follows: tuple[str, Any, Any] | None = None
    limits: tuple[Any, Any] | None = None


def revolute(name: str, parent: str, child: str, *, axis: Any = (0, 0, 1), origin: Motion = IDENTITY,
             follows: tuple[str, Any, Any] | None = None, limits: tuple[Any, Any] | None = None) -> Joint:
    """A joint whose value is an angle, right-handed about `axis`, of any length but zero, through the origin of the child's frame.
    `limits`: two numbers that are kept as data; no query heeds them.
    """
    return _joint(REVOLUTE, name, parent, child, axis, origin, follows, limits)


def prismatic(name: str, parent: str, child: str, *, axis: Any = (0, 0, 1), origin: Motion = IDENTITY,
              follows: tuple[str, Any, Any] | None = None, limits: tuple[Any, Any] | None = None) -> Joint:
    """A joint whose value is a distance along `axis`, of any length but zero; `limits` as in `revolute`."""
    return _joint(PRISMATIC, name, parent, child, axis, origin, follows, limits)


def fixed(name: str, parent: str, child: str, *, origin: Motion = IDENTITY) -> Joint:
    """A joint without a value: the two links are one rigid body."""
    return _joint(FIXED, name, parent, child, (0, 0, 1), origin)


def _joint(kind: str, name: str, parent: str, child: str, axis: Any, origin: Motion, follows: Any = None, limits: Any = None) -> Joint:
    for given in (name, parent, child):
        if checked_name(given) is None:
            raise ValueError("a joint and its two links need names")
    if not isinstance(origin, Motion) or not origin.is_constant:
        raise ValueError(f"the origin of joint {name} must be a motion of numbers alone, such as Rigid(translation=[0, 0, 1])")
    direction = vector(axis, [], f"the axis of joint {name}")
    if all(e.is_zero for e in direction):
        raise ValueError(f"the axis of joint {name} must not be the zero vector")
    if follows is not None:
        other, *numbers = items(follows, f"what joint {name} follows")
        if len(numbers) != 2:
            raise ValueError(f"joint {name} follows (name of a joint, factor, offset), got {shown(follows)}")
        follows = other, *(formula(e, [], f"what joint {name} follows") for e in numbers)
    ends = None if limits is None else _limits(limits, f"the limits of joint {name}")
    # One factor, of whatever the origin is made.
    return Joint(kind, name, parent, child, Rigid._unchecked(origin.rotation, origin.translation), direction, follows, ends)


def _limits(given: Any, owner: str) -> tuple[Any, Any]:
    ends = [exact(e, owner) for e in items(given, owner)]
    if len(ends) != 2 or any(e.is_finite is not True or e.is_real is not True for e in ends) or ends[1] < ends[0]:
        raise ValueError(f"{owner} must be two finite numbers (lower, upper), the first one not above the second, got {shown(given)}")
    return ends[0], ends[1]


def aligned(axis: Any) -> Motion:
    """A turn that takes the z axis to this direction, exactly."""
    ax, ay, az = map(exact, axis)
    length = sp.sqrt(ax**2 + ay**2 + az**2)
    half = (length + az, -ay, ax, 0) if (length + az).is_zero is not True else (0, 1, 0, 0)
    return Rigid._unchecked(quaternion_matrix(half), [0, 0, 0])


def across(axis: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Two directions of length 1 at right angles to an axis, and to each other: those of x and y where it is z."""
    turn = aligned(vector(axis, [], "an axis"))
    return turn.turn((1, 0, 0)), turn.turn((0, 1, 0))


def move(kind: str, value: Any) -> Motion:
    """By the value of a joint, about or along z."""
    return AlongZ(value) if kind == REVOLUTE else AlongZ(0, value)
