"""The closest points of two convex meshes that move, proved: `closest_loop` in doubles, and on rationals where doubles leave it open."""

import math
from fractions import Fraction
from functools import cached_property
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from codegen.given import doubles
from codegen.interval import Interval
from codegen.machine.loop_runtime import compiled
from codegen.machine.memory import Memory, Number

from ..bodies.mesh import as_mesh
from . import closest_loop
from .closest_features import corners, critical
from .closest_loop import LARGEST
from .closest_memory import BAD, DOUBT, MEET, PROVED, ROWS, N, WalkMemory, put_all, put_points
from .convex import Convex, convex, fractions
from .penetration import Depth, depth

# Of sets of corners, as bits: how many, which, and how many half-edges on it begins.
_MEMBERS = [0, 1, 1, 2, 1, 2, 2, 3]
_MEMBER = [[0, 0, 0], [0, 0, 0], [1, 0, 0], [0, 1, 0], [2, 0, 0], [2, 0, 0], [1, 2, 0], [0, 1, 2]]
_TURN = [0, 0, 1, 0, 2, 2, 1, 0]
_POSES = "pose_a", "pose_b"


class ClosestPair:
    """What is closest in two convex bodies at one moment; *proved*, by exact signs, for the numbers of the poses as given.

    `features`: of each body "vertex 3", "edge 1-2" of two vertices or "face 7". `points` (2, 3): where, in the world, in doubles (rounded).
    """

    def __init__(self, pair: "Closest", poses: np.ndarray, features: tuple[int, ...], outcome: int, points: np.ndarray) -> None:
        self._pair, self._poses, self._features, self._outcome = pair, poses, features, outcome
        self.points = points

    @property
    def features(self) -> tuple[str, str]:
        """The closest features; of bodies that meet, those where a common point was found."""
        return self._pair._name(0, *self._features[::2]), self._pair._name(1, *self._features[1::2])

    @cached_property
    def distance(self) -> Interval:
        """Its ends are equal, or neighbours; 0 for bodies that meet."""
        if self._outcome == MEET:
            return Interval(0.0, 0.0)
        return root(self._pair._exactly(self._poses, self._features).square)

    @cached_property
    def _depth(self) -> Depth:
        return depth(self._pair.bodies, self._poses)

    @property
    def penetrating(self) -> bool:
        """Have the bodies an inner point in common? Those that touch have not, at the distance 0."""
        return self._outcome == MEET and self._depth.square > 0

    @property
    def depth(self) -> Interval:
        """The length of the least translation of the second body that separates the two, but for a touch; 0 for bodies that are apart."""
        return root(self._depth.square) if self._outcome == MEET else Interval(0.0, 0.0)

    @cached_property
    def direction(self) -> np.ndarray:
        """(3,): a unit vector, in doubles. That of this translation; of bodies that are apart, from the first one to the second."""
        if self._outcome == MEET:
            return self._depth.direction
        n = self._pair._exactly(self._poses, self._features).v[N]
        longest = max(abs(x) for x in n)
        values = np.array([float(x / longest) for x in n])
        return values / np.linalg.norm(values)

    def __repr__(self) -> str:
        return f"ClosestPair({self.features[0]} and {self.features[1]}, distance={self.distance})"


class Closest:
    """The closest points of two convex meshes, from pose to pose."""

    steps = Number[int](WalkMemory)

    def __init__(self, a: Any, b: Any) -> None:
        self.bodies = convex(as_mesh(a, "first", True), "the first mesh"), convex(as_mesh(b, "second", True), "the second mesh")
        first, second = self.bodies
        n, m = len(first.vertices), len(first.start)
        self.arrays = Memory(WalkMemory, {"vertices": n + len(second.vertices), "slots": m + len(second.start), "rows": 1})
        self.arrays["vertex"][:] = np.concatenate([b.vertices for b in self.bodies])
        for name, shift in (("start", n), ("after", m), ("twin", m)):
            self.arrays[name][:] = np.concatenate([getattr(first, name), getattr(second, name) + shift])
        self.arrays["begin"][:] = 0, m, m + len(second.start)
        self.arrays["width"][:] = [np.abs(b.vertices).sum(axis=1).max() for b in self.bodies]
        for name, values in (("members", _MEMBERS), ("member", _MEMBER), ("turn", _TURN)):
            self.arrays[name][:] = values
        self.arrays["slot"][:] = 0, m
        for name, value in (("unit", 2.0**-51), ("tiny", 2.0**-1000), ("slack", 1 + 2.0**-20)):
            self.arrays.set(name, value)
        own = self.arrays
        self._given, self._pose, self._point, self._dim, self._slot = (own[name] for name in ("given", "pose", "point", "dim", "slot"))
        self._poses = self._given.reshape(2, 4, 4)
        self._at, self._address = compiled(closest_loop.at), self.arrays.address

    def at(self, pose_a: Any, pose_b: Any) -> ClosestPair:
        """The closest points at poses (4, 4)."""
        for k, given in enumerate((pose_a, pose_b)):
            self._poses[k] = given if isinstance(given, np.ndarray) and given.shape == (4, 4) else _pose(given, _POSES[k])
        outcome = self._at(self._address, 0)
        if outcome != PROVED:
            outcome = self._decided(self._poses, outcome)
        return ClosestPair(self, self._pose.copy(), (*self._dim.tolist(), *self._slot.tolist()), outcome, self._point.copy())

    def _decided(self, poses: np.ndarray, outcome: int) -> int:
        """By rationals, from the features at which doubles left it."""
        if outcome == BAD:
            for pose, name in zip(poses, _POSES, strict=True):
                _check(pose, name)
        exact = self._exact(self._pose, (*self._dim.tolist(), *self._slot.tolist()))
        outcome = closest_loop.walk(cast(Any, exact))
        assert outcome != DOUBT, "a walk on rationals comes nearer with every step"
        put_points(cast(Any, exact))
        self._dim[:], self._slot[:], self._point[:] = exact.dim, exact.slot, exact.point.astype(float)
        if outcome == MEET:
            # The common point: of what is inside the other body, or of an edge that crosses a triangle.
            self._point[:] = self._point[2 - exact.inner if exact.inner else int(exact.dim[1] < exact.dim[0])]
        return outcome

    def _exact(self, pose: np.ndarray, features: tuple[int, ...]) -> SimpleNamespace:
        """The memory of the loop with rationals in the place of doubles."""
        zero, a = Fraction(0), self.arrays
        s = SimpleNamespace(**{name: a[name] for name in ("start", "after", "twin", "begin", "members", "member", "turn")})
        s.vertex = np.concatenate([b.exact for b in self.bodies])
        s.pose, s.dim, s.slot = fractions(pose), np.array(features[:2]), np.array(features[2:])
        s.number, s.place, s.weight = np.zeros(6, int), np.full((6, 3), zero, object), np.full(6, zero, object)
        s.v, s.radius, s.norm, s.point = (np.full(shape, zero, object) for shape in ((ROWS, 3), ROWS, ROWS, (2, 3)))
        s.spin = s.shift = s.width = [zero, zero]
        s.unit = s.tiny = s.far = s.square = s.gain = zero
        s.slack, s.steps = Fraction(1), 0
        return s

    def _exactly(self, pose: np.ndarray, features: tuple[int, ...]) -> SimpleNamespace:
        """The closest points of features, in rationals."""
        s = self._exact(pose, features)
        memory = cast(Any, s)
        put_all(memory)
        s.square = critical(memory, *map(corners, features[:2]))
        return s

    def _name(self, side: int, dim: int, slot: int) -> str:
        body: Convex = self.bodies[side]
        slot -= side * len(self.bodies[0].start)
        i, j = int(body.start[slot]), int(body.start[body.after[slot]])
        return f"vertex {i}" if dim == 0 else f"edge {min(i, j)}-{max(i, j)}" if dim == 1 else f"face {slot // 3}"


def root(square: Fraction) -> Interval:
    """The square root of a rational number, between doubles: equal ones, or neighbours."""
    n, d = square.numerator, square.denominator
    shift = max(0, 128 - n.bit_length() + d.bit_length())
    shift += shift % 2
    whole = math.isqrt((n << shift) // d)
    exact = whole * whole * d == n << shift
    low = Fraction(whole, 1 << shift // 2)
    value = float(low)
    if Fraction(value) > low:
        value = math.nextafter(value, 0.0)
    known = exact and Fraction(value) == low
    return Interval(value, value if known else math.nextafter(value, math.inf))


def _pose(given: Any, name: str) -> np.ndarray:
    m = doubles(given, name, "(4, 4)")
    if m.shape != (4, 4):
        raise ValueError(f"{name} must have the shape (4, 4), got {m.shape}")
    return m


def _check(m: np.ndarray, name: str) -> None:
    """Raises for what `closest_loop.load` refuses."""
    if not (np.abs(m[:3, 3]).max() <= LARGEST and (m[3] == (0, 0, 0, 1)).all()):
        raise ValueError(f"{name} must be finite, no larger than {LARGEST:g}, with the last row 0, 0, 0, 1; got {m.tolist()}")
    r = m[:3, :3]
    if not (np.abs(r.T @ r - np.eye(3)).max() <= 0.99 * closest_loop.ORTHONORMAL and np.linalg.det(r) > 0):
        raise ValueError(f"the columns of the rotation in {name} must be orthonormal and right-handed, got {r.tolist()}")
