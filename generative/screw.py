"""Screw motions between poses (Kim and Rossignac 2003, Section 2): the simplest rigid motion from one pose to another.

Every rigid displacement is a turn about a line and an advance along it (Chasles). The motion from pose A to pose B does this turn
and advance evenly in time; it does not depend on the coordinate system.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import sympy as sp

from .motion import Motion, Rigid, Screw
from .symbols import formula, items, t
from .turns import axis_angle


def interpolate_poses(first: Motion, second: Motion, time: tuple[Any, Any] = (0, 1)) -> Motion:
    """The motion that is in the constant pose `first` at time[0] and in `second` at time[1], by one even screw of at most pi.

    Exact for exact poses: the pure translation and the half turn are cases of their own. The turn of exactly pi has two
    possible senses; one is taken.
    """
    start, end = checked((first, second), items(time, "a time span"))
    displacement = second @ first.inverse()
    axis, point, angle, advance = screw_of(displacement)
    share = (t - start) / (end - start)
    if 0 < sp.N(angle) < sp.Rational(1, 8):
        return _small_screw(displacement, axis, angle, advance, share) @ first
    return Screw(axis=axis, point=point, angle=angle * share, advance=advance * share) @ first


def checked(poses: Sequence[Motion], times: Sequence[Any]) -> list[Any]:
    """The times of constant poses, which must increase."""
    if not all(isinstance(pose, Motion) for pose in poses):
        raise TypeError(f"screw interpolation takes Motion values, got {' and '.join(type(pose).__name__ for pose in poses)}")
    if not all(pose.is_constant for pose in poses):
        raise ValueError("screw interpolation needs constant poses; use .at(time) on a motion")
    moments = [formula(e, [], "a time span") for e in times]
    for start, end in pairwise(moments):
        if not start < end:
            raise ValueError(f"the time span ({start}, {end}) is empty or reversed; the first end must be below the second")
    return moments


def in_turn(pieces: Sequence[Motion], moments: Sequence[Any]) -> Motion:
    """Motions one after the other, each between two of the moments; the first also before, the last one also after all of them."""
    if len(pieces) == 1:
        return pieces[0]
    ends = [*(t < e for e in moments[1:-1]), True]

    def joined(entries: Sequence[Any]) -> Any:
        same = all(e == entries[0] for e in entries)
        return entries[0] if same else sp.Piecewise(*zip(entries, ends, strict=True))

    rotation = [joined(e) for e in zip(*(p.rotation for p in pieces), strict=True)]
    translation = [joined(e) for e in zip(*(p.translation for p in pieces), strict=True)]
    return Rigid._unchecked(sp.Matrix(3, 3, rotation), translation)


def screw_of(displacement: Motion) -> tuple[list[Any], list[Any], Any, Any]:
    """(axis, point, angle, advance) of a constant displacement, 0 <= angle <= pi; the axis has length one.

    With R the rotation and d the translation: 2 sin(angle) axis is the antisymmetric part of R as a vector, 1 + 2 cos(angle) its
    trace, advance = d . axis, and point = (d' + cot(angle/2) axis x d') / 2 with d' = d - advance axis.

    Rotations whose antisymmetric parts say that they differ by less than 2e-15, which is the rounding of matrices of doubles, count as
    equal. Near a half turn, where the antisymmetric part is small, the axis comes from the symmetric part.
    """
    rotation, shift = displacement.rotation, sp.Matrix(displacement.translation)
    cosine = _settled((rotation.trace() - 1) / 2)
    twice = sp.Matrix([rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]])
    length = sp.sqrt(twice.dot(twice))
    if cosine > 0 and sp.N(length) < sp.Float("4e-15"):
        distance = sp.sqrt(shift.dot(shift))
        return (list(shift / distance) if distance != 0 else [0, 0, 1]), [0, 0, 0], sp.Integer(0), distance
    axis, sine = twice / length if length != 0 else twice, length / 2
    if cosine < -sp.Rational(9, 10):
        axis = _axis_near_half_turn(rotation, cosine, twice)
        sine = axis.dot(twice) / 2
    # atan2 is accurate near 0 and near pi, where the cosine says little.
    angle = sp.pi if cosine == -1 else sp.atan2(sine, cosine)
    cotangent = (1 + cosine) / sine if cosine > 0 else sine / (1 - cosine)
    advance = shift.dot(axis)
    across = shift - advance * axis
    point = (across + cotangent * axis.cross(across)) / 2
    return list(axis), list(point), angle, advance


def _small_screw(displacement: Motion, axis: Any, angle: Any, advance: Any, share: Any) -> Motion:
    """The screw of a small angle, without the point of its axis, which is far away and would cost digits. With d' as in `screw_of`, a the
    whole angle and b = share a, its translation is share advance axis + sin(b/2) (cos((a - b)/2) d' - sin((a - b)/2) axis x d') / sin(a/2).
    """
    line, half, rest = sp.Matrix(axis), angle * share / 2, angle * (1 - share) / 2
    across = sp.Matrix(displacement.translation) - advance * line
    moved = sp.sin(half) / sp.sin(angle / 2) * (sp.cos(rest) * across - sp.sin(rest) * line.cross(across))
    return Rigid._unchecked(axis_angle(axis, angle * share), moved + share * advance * line)


def _settled(value: Any) -> Any:
    """Exactly 1 or -1 where `value` is that; otherwise `value`."""
    for known in (sp.Integer(1), sp.Integer(-1)):
        if value == known or (abs(sp.N(value - known, 30)) < sp.Float("1e-25") and sp.simplify(value - known) == 0):
            return known
    return value


def _axis_near_half_turn(rotation: Any, cosine: Any, twice: Any) -> Any:
    """(R + R^T) / 2 = cos I + (1 - cos) a a^T, so that a is parallel to the largest column of the rest; sin(angle) >= 0 gives its sense."""
    plus = (sp.Matrix(rotation) + sp.Matrix(rotation).T) / 2 - cosine * sp.eye(3)
    largest = max(range(3), key=lambda k: sp.N(plus[k, k]))
    column = plus[:, largest]
    sense = -1 if sp.N(column.dot(twice)) < 0 else 1
    return sense * column / sp.sqrt(column.dot(column))
