"""Joints of URDF files as joints of chains: those of several values are chains of joints of one value each."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from codegen.given import shown

from .joint import Joint, across, fixed, prismatic, revolute
from .motion import IDENTITY, Rigid
from .symbols import exact

_KINDS = {"revolute": revolute, "continuous": revolute, "prismatic": prismatic}
_AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


def joints_of(given: Any, file: str, mimicked: Mapping[str, Any]) -> Iterator[Joint]:
    """The joints that stand for one of a file. A planar joint J has the values `J x` and `J y`, along two directions across its axis, and
    `J turn`, about it. A floating one has `J x`, `J y`, `J z`, and `J yaw`, `J pitch`, `J roll`, as the angles of an origin.
    """
    origin, axis = origin_of(given.origin), (1, 0, 0) if given.axis is None else tuple(given.axis.tolist())
    if given.type == "fixed":
        yield fixed(given.name, given.parent, given.child, origin=origin)
    elif given.type in _KINDS:
        limits = None if given.type == "continuous" else (exact(given.limit.lower), exact(given.limit.upper))
        yield _KINDS[given.type](given.name, given.parent, given.child, axis=axis, origin=origin, follows=_followed(given.name, mimicked),
                                 limits=limits)
    elif given.type not in ("planar", "floating"):
        known = ", ".join([*_KINDS, "fixed", "planar", "floating"])
        raise ValueError(f"joint {given.name} of {file} is of type {shown(given.type)}; a chain has joints of the types {known}")
    elif given.mimic is not None or any(m.joint == given.name for m in mimicked.values()):
        raise ValueError(f"joint {given.name} of {file} is {given.type}, and mimics another one or is mimicked, but it has several values")
    else:
        yield from _in_turn(given, origin, _planar(axis) if given.type == "planar" else _FLOATING)


_FLOATING = [*(("prismatic", name, _AXES[name]) for name in "xyz"), ("revolute", "yaw", _AXES["z"]), ("revolute", "pitch", _AXES["y"]),
             ("revolute", "roll", _AXES["x"])]


def _planar(axis: Any) -> list[tuple[str, str, Any]]:
    first, second = across(axis)
    return [("prismatic", "x", first), ("prismatic", "y", second), ("revolute", "turn", axis)]


def _in_turn(given: Any, origin: Rigid, moves: list[tuple[str, str, Any]]) -> Iterator[Joint]:
    """One joint after the other, with links between them that have no bodies."""
    parent = given.parent
    for k, (kind, name, axis) in enumerate(moves):
        whole = f"{given.name} {name}"
        child = given.child if k == len(moves) - 1 else whole
        yield _KINDS[kind](whole, parent, child, axis=axis, origin=IDENTITY if k else origin)
        parent = child


def _followed(name: str, mimicked: Mapping[str, Any]) -> tuple[str, Any, Any] | None:
    """The joint whose value a joint follows in the end, where one mimics another one that mimics a third one, with factor and offset."""
    factor, offset, seen = exact(1), exact(0), [name]
    while (given := mimicked.get(seen[-1])) is not None:
        offset += factor * exact(given.offset or 0.0)
        factor *= exact(1.0 if given.multiplier is None else given.multiplier)
        if given.joint in seen:
            raise ValueError(f"joint {name} mimics itself, through {', '.join(seen)}")
        seen.append(given.joint)
    return None if len(seen) == 1 else (seen[-1], factor, offset)


def origin_of(matrix: np.ndarray | None) -> Rigid:
    """A pose as the reader gives it."""
    return IDENTITY if matrix is None else Rigid(matrix[:3, :3], matrix[:3, 3])
