"""The closest points of two convex meshes that move, proved: `voronoi_walk` in doubles, and on rationals where doubles leave it open."""

import math
from fractions import Fraction
from functools import cached_property
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from codegen.given import doubles, shown
from codegen.interval import Interval
from codegen.machine.loop_runtime import compiled
from codegen.machine.memory import Memory, Number, OwnsMemory

from ...bodies.mesh import as_mesh
from ...given import is_number
from ..primitives.arguments import Motions, check_motions
from . import voronoi_walk
from .common_point import CommonPoint
from .convex_mesh import Convex, convex
from .feature_distance import corners, critical
from .memory import BAD, DOUBT, MEET, PROVED, N, WalkMemory, put_all, put_points
from .penetration_depth import Depth, depth
from .pose_windows import FINEST, LONGEST, MotionEnclosure
from .rational_memory import check_pose, exact_memory, given_pose, sets_of_corners

POSES, _LANES = ("pose_a", "pose_b"), 8


class ClosestPair:
    """The closest features of two convex bodies at one moment; *proved*, by exact signs, for the numbers of the poses as given.

    `features`: of each body "vertex 3", "edge 1-2" of two vertices or "face 7". `points` (2, 3): where, in the world, in doubles (rounded).
    With motions, poses at a time are known up to some roundings: what cannot be told by that is not `proved`, and intervals are wider.
    """

    def __init__(self, pair: "Closest", poses: np.ndarray, features: tuple[int, ...], outcome: int, points: np.ndarray) -> None:
        self._pair, self._poses, self._features, self._outcome = pair, poses, features, outcome
        self.points = points
        self.proved, self._time, self._off = True, math.nan, 0.0

    @property
    def features(self) -> tuple[str, str]:
        """The closest features; of bodies that meet, those where the search ended."""
        return self._pair._name(0, *self._features[::2]), self._pair._name(1, *self._features[1::2])

    @cached_property
    def distance(self) -> Interval:
        """Its ends are equal, or neighbours; 0 for bodies that meet. With motions it is some roundings wider."""
        if self._outcome == MEET:
            return Interval(0.0, self._off)
        return self._widened(root(self._pair._exactly(self._poses, self._features).square))

    def _widened(self, known: Interval) -> Interval:
        if self._off == 0.0:
            return known
        return Interval(max(math.nextafter(known.lo - self._off, 0.0), 0.0), math.nextafter(known.hi + self._off, math.inf))

    @cached_property
    def valid_until(self) -> float:
        """With motions: a time until which these features are *proved* to stay the closest ones, found up to about 2**-40; the time itself,
        where bodies meet or features are parallel. NaN without motions.
        """
        lasting = self.proved and not math.isnan(self._time)
        return self._pair._valid_until(self._time, self._features) if lasting else self._time

    @cached_property
    def _depth(self) -> Depth:
        return depth(self._pair.bodies, self._poses)

    @property
    def meeting(self) -> bool:
        """Whether the bodies have a common point. Those that touch have one."""
        return self._outcome == MEET

    @property
    def penetrating(self) -> bool:
        """Whether the bodies have an inner point in common. Those that touch have none, at the distance 0."""
        return self._outcome == MEET and self._depth.square > Fraction(self._off)**2

    @property
    def depth(self) -> Interval:
        """The length of the least translation of the second body that separates the two, except for a touch; 0 if they are apart."""
        return self._widened(root(self._depth.square)) if self._outcome == MEET else Interval(0.0, 0.0)

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


class Closest(OwnsMemory):
    """The closest points of two convex meshes, followed from pose to pose.

    Parameters
    ----------
    a, b : Mesh or pair
        Convex meshes, closed and turned outwards (see `Mesh`).
    motions : pair of Motion, optional
        Those of the two bodies; then `at` takes a time. Without them `at` takes poses: matrices (4, 4) of doubles, each taken as it is,
        columns of the rotation orthonormal up to 1e-6.

    Raises
    ------
    ValueError
        For meshes that are not convex, closed and turned outwards, with the faces concerned; for other numbers or arrays of poses; and for
        motions with free parameters.

    Notes
    -----
    All signs are exact for the doubles of the poses. The closest features of the last step are where the walk begins in the next. A step
    costs as much as features change. Of bodies that penetrate, a common point of the last step that still is one decides, at some ten times
    that; their depth is computed when it is asked for. Steps cost a hundred times more where rounding does not decide, as it does not
    for parallel faces, and where bodies begin to meet. For one thread at a time. A copy, also one that is pickled, goes on by itself from
    where the original is.

    Examples
    --------
    >>> import numpy as np
    >>> import collide
    >>> tip = collide.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    >>> away = np.eye(4)
    >>> away[:3, 3] = -2, -2, 0.25
    >>> collide.Closest(tip, tip).at(np.eye(4), away)
    ClosestPair(edge 0-3 and edge 1-2, distance=[2.1213203435596424, 2.121320343559643])
    """

    steps = Number[int](WalkMemory)
    _looked = ("_given", "_pose", "_point", "_dim", "_slot", "_poses", "_at", "_address", "_course")

    def __init__(self, a: Any, b: Any, motions: Motions = None) -> None:
        self._motions = None if motions is None else check_motions(motions)
        self.bodies = convex(as_mesh(a, "first", True), "the first mesh"), convex(as_mesh(b, "second", True), "the second mesh")
        first, second = self.bodies
        n, m = len(first.vertices), len(first.start)
        self.arrays = Memory(WalkMemory, {"vertices": n + len(second.vertices), "slots": m + len(second.start), "rows": 1})
        self.arrays["vertex"][:] = np.concatenate([b.vertices for b in self.bodies])
        for name, shift in (("start", n), ("after", m), ("twin", m)):
            self.arrays[name][:] = np.concatenate([getattr(first, name), getattr(second, name) + shift])
        self.arrays["begin"][:] = 0, m, m + len(second.start)
        sets_of_corners(self.arrays, [b.vertices for b in self.bodies])
        self.arrays["slot"][:] = 0, m
        self._common = CommonPoint(self.bodies)
        self._look()

    def _look(self) -> None:
        self._course = None if self._motions is None else MotionEnclosure(self._motions)
        own = self.arrays
        self._given, self._pose, self._point, self._dim, self._slot = (own[name] for name in ("given", "pose", "point", "dim", "slot"))
        self._poses = self._given.reshape(2, 4, 4)
        self._at, self._address = compiled(voronoi_walk.at), own.address

    def at(self, *where: Any) -> ClosestPair:
        """Find the closest points at a pose.

        Parameters
        ----------
        *where
            Two poses (4, 4); with motions, a time.

        Returns
        -------
        ClosestPair
            With the features, the points, and `distance`, which *encloses* the least one.
        """
        if len(where) != (2 if self._course is None else 1):
            raise TypeError(f"at takes {'two poses' if self._course is None else 'a time'}, got {len(where)} arguments")
        if self._course is not None:
            return self._at_time(where[0])
        for k, given in enumerate(where):
            self._poses[k] = given if isinstance(given, np.ndarray) and given.shape == (4, 4) else given_pose(given, POSES[k])
        outcome = self._at(self._address, 0)
        if outcome != PROVED:
            outcome = self._decided(self._poses, outcome)
        return ClosestPair(self, self._pose.copy(), self._features, outcome, self._point.copy())

    def distances(self, poses_a: Any, poses_b: Any) -> np.ndarray:
        """(n, 2): *proved* bounds of the distances at poses (n, 4, 4), step after step; some roundings apart. 0 where bodies meet."""
        poses = [doubles(given, f"{name}s", "(n, 4, 4)") for given, name in zip((poses_a, poses_b), POSES, strict=True)]
        if not poses[0].shape == poses[1].shape == (len(poses[0]), 4, 4):
            raise ValueError(f"poses must have the shape (n, 4, 4), as many of each body, got {poses[0].shape} and {poses[1].shape}")
        rows, bound, feature = np.stack(poses, axis=1), np.empty((len(poses[0]), 2)), np.empty((len(poses[0]), 4), np.int64)
        given, done = {"given": rows, "bound": bound, "feature": feature}, 0
        try:
            for name, values in given.items():
                self.arrays.refer(name, values.ctypes.data)
            while done < len(rows):
                outcome = compiled(voronoi_walk.each)(self._address, done, len(rows))
                done = self.arrays.number("row") + 1
                if outcome != PROVED:
                    bound[done - 1] = self._bounds(rows[done - 1], outcome)
        finally:
            for name in given:
                self.arrays.refer_back(name)
        return bound

    def _bounds(self, poses: np.ndarray, outcome: int) -> Interval:
        outcome = self._decided(poses, outcome)
        return Interval(0.0, 0.0) if outcome == MEET else root(self._exactly(self._pose, self._features).square)

    @property
    def _features(self) -> tuple[int, ...]:
        return (*self._dim.tolist(), *self._slot.tolist())

    def _at_time(self, time: Any) -> ClosestPair:
        """At the poses in the middle of what encloses those at the time; then for all of these."""
        assert self._course is not None
        if not (is_number(time) and math.isfinite(time)):
            raise ValueError(f"a time must be a finite number, got {shown(time)}")
        low, high = self._course.over(float(time), 0.0)
        if not np.isfinite(low).all():
            raise ValueError(f"the motions are not defined, or jump, at {time!r}")
        for side in range(2):
            middle = 0.5 * (low[:, 0] + high[:, 0])[12 * side:12 * side + 12]
            self._poses[side] = np.vstack([np.column_stack([middle[:9].reshape(3, 3), middle[9:]]), [0, 0, 0, 1]])
        outcome = self._at(self._address, 0)
        if outcome != PROVED:
            outcome = self._decided(self._poses, outcome)
        found = ClosestPair(self, self._pose.copy(), self._features, outcome, self._point.copy())
        found.proved, found._time = self._lasting(low, high) == _LANES, float(time)
        # sqrt(3) times what a coordinate may be off by, of both bodies together.
        found._off = 1.75 * float((self.arrays["spin"] * self.arrays["width"] + self.arrays["shift"]).sum())
        return found

    def _lasting(self, low: np.ndarray, high: np.ndarray) -> int:
        """In how many of eight windows the present features are proved the closest."""
        self.arrays["lowest"][:], self.arrays["highest"][:] = low, high
        return compiled(voronoi_walk.windows)(self._address)

    def _valid_until(self, time: float, features: tuple[int, ...]) -> float:
        """By windows that grow where they are proved, and shrink where not."""
        assert self._course is not None
        self._dim[:], self._slot[:] = features[:2], features[2:]
        at, length = time, 2.0**-6
        while length > FINEST * max(abs(at), 1.0) and at - time < LONGEST:
            done = self._lasting(*self._course.over(at, length))
            at += done * length
            length *= 8.0 if done == _LANES else 0.125
        return at

    def _decided(self, poses: np.ndarray, outcome: int) -> int:
        """By the common point of the last step, if it still is one; else by rationals, from the features at which doubles left it."""
        if outcome == BAD:
            for pose, name in zip(poses, POSES, strict=True):
                check_pose(pose, name)
        # With motions the features must hold in a neighbourhood of the time, so a search finds them.
        common = self._common.proved(self._pose) if self._course is None else None
        if common is not None:
            self._point[:] = common
            return MEET
        exact = self._in_rationals(self._pose, self._features)
        outcome = voronoi_walk.walk(cast(Any, exact))
        assert outcome != DOUBT, "a walk on rationals comes nearer with every step"
        put_points(cast(Any, exact))
        self._dim[:], self._slot[:], self._point[:] = exact.dim, exact.slot, exact.point.astype(float)
        if outcome == MEET:
            # The common point: of what is inside the other body, or of an edge that crosses a triangle.
            self._point[:] = self._point[2 - exact.inner if exact.inner else int(exact.dim[1] < exact.dim[0])]
            self._common.look(self._pose, self._point[0])
        return outcome

    def _in_rationals(self, pose: np.ndarray, features: tuple[int, ...]) -> SimpleNamespace:
        return exact_memory(self.arrays, np.concatenate([b.exact for b in self.bodies]), pose, features)

    def _exactly(self, pose: np.ndarray, features: tuple[int, ...]) -> SimpleNamespace:
        """The closest points of features, in rationals."""
        s = self._in_rationals(pose, features)
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
