"""The bodies of a world as a run sees them: each with its present motion, as numbers and as a body of a query."""

import functools
from typing import Any

import numpy as np

from generative import Motion, Solid, pose
from generative.changes import pieces_of

from ...bodies.mesh import Mesh
from ..rigid_body import RigidBody
from ..shapes.bounding_spheres import BoundingSphereTree, ball_tree, tree_of_ball
from ..shapes.simple import Flat, ball_radius, flats, reach
from .ballistic import RotationKind, flight
from .deforming import Deforming
from .prescribed import Prescribed
from .rotation import crosses, matrix
from .state import Inertia, Mass, Particulars
from .templates import QueryBody, Template, motion_of, placed, values_of
from .trajectory import Trajectory

_NONE = np.zeros(3)
# Accelerations that no formula tells are differences of velocities over this time.
_INSTANT = 2.0**-20


class NotFinite(ArithmeticError):
    """A body would move by numbers that are infinite or undefined: the `rigid` one, from `time` on."""

    def __init__(self, rigid: RigidBody, time: float) -> None:
        super().__init__(rigid, time)
        self.rigid, self.time = rigid, time


class MovingBody:
    """A body: `kind` of shape (equal for equal shapes), `middle`, its centre of mass in the shape's coordinates; found where they are asked
    for: `radius` round it, `ball`, the radius of a ball, or None, and `flats`, its flat faces. `course`: its present motion; `path`: all so
    far, with the times from which they hold. `version` counts changes of what queries see, and `way` those of the path of its centre.
    `before`: where it notes what `undone` takes back, if anywhere.
    """

    def __init__(self, rigid: RigidBody, gravity: np.ndarray) -> None:
        self.rigid, self.free, self.version, self.way = rigid, rigid.free, 0, 0
        self.gravity = gravity if self.free else _NONE
        self.middle = rigid.centre
        self.inertia = Inertia(rigid.inertia if self.free else np.eye(3))
        self.shape_number = 0
        self._templates: dict[RotationKind | None, Template] = {}
        # As queries see it: the course, and the body, made where it is asked for.
        self.course: Any = None
        self._seen: tuple[Any, QueryBody | None] = None, None
        # Their motion for the loop of `separating_planes`, and of which course.
        self.posed: tuple[Any, Any] = None, None
        self.path: list[tuple[float, Any]] = []
        self.before: list[Any] | None = None

    def begin(self, start: float) -> None:
        """Take the motion at the start of the run."""
        self.take(self.first(start), start)

    def first(self, start: float) -> Trajectory:
        """Motion at the start of the run."""
        if self.rigid.motion is not None:
            return Deforming(self.rigid.motion, self.rigid.outline, start) if self.rigid.deforms else Prescribed(self.rigid.motion)
        turn = matrix(self.rigid.orientation)
        centre = self.rigid.position + turn @ self.middle
        return flight(start, centre, self.rigid.velocity, self.gravity, turn, self.rigid.spin, self.inertia)

    @functools.cached_property
    def tree(self) -> BoundingSphereTree | None:
        """The tree of its surface, as its rotation and the path of its centre take it; of a fixed body, as its shape is."""
        if self.ball is not None and not self.rigid.fixed:
            return tree_of_ball(self.ball)
        return ball_tree(self.rigid.outline, (0.0, 0.0, 0.0) if self.rigid.fixed else tuple(self.middle.tolist()))

    @functools.cached_property
    def radius(self) -> float:
        """A bound of the distance of its points from its centre; of a body that deforms, at the start."""
        if self.rigid.deforms:
            first: Any = self.path[0][1] if self.path else self.first(0.0)
            return float(first.radius)
        return reach(self.rigid.outline, self._centre)

    @functools.cached_property
    def ball(self) -> float | None:
        return ball_radius(self.rigid.outline, self._centre)

    @functools.cached_property
    def flats(self) -> tuple[Flat, ...]:
        return flats(self.rigid.outline)

    @property
    def _centre(self) -> tuple[float, float, float]:
        return float(self.middle[0]), float(self.middle[1]), float(self.middle[2])

    @property
    def still(self) -> bool:
        """Whether it rests, at present."""
        return bool(self.course.still)

    @property
    def lasts(self) -> float:
        """The time until which the formula that queries see holds."""
        lasts = self.course.solved or (self.course.ballistic and self.ball is None)
        return float(self.course.until) if lasts else np.inf

    def take(self, course: Trajectory, time: float, seen: bool = True, onward: bool = False) -> None:
        """Move along a course from now on; `seen`: in the eyes of queries, too; `onward`: its centre as before, except for a rounding.
        Raises NotFinite for a course with a number that is not finite, which is not taken.
        """
        if not course.finite:
            raise NotFinite(self.rigid, time)
        if self.before is not None:
            self.before.append((self, self.course, self.version, self.way, self._seen, len(self.path)))
        self.course = course
        self.path.append((time, course))
        self.way += not onward
        if seen:
            self.version += 1
            self._seen = course, None

    def undone(self, course: Any, version: int, way: int, seen: tuple[Any, QueryBody | None], count: int) -> None:
        """As it was."""
        self.course, self.version, self.way, self._seen = course, version, way, seen
        del self.path[count:]

    @property
    def seen(self) -> Any:
        """The course that queries see."""
        return self._seen[0]

    @property
    def moving(self) -> QueryBody:
        """As queries see it."""
        course, found = self._seen
        if found is None:
            found = self._moving(course)
            self._seen = course, found
        return found

    def _moving(self, course: Any) -> QueryBody:
        shape = self.rigid.outline
        if self.rigid.motion is not None:
            return placed(shape.moved(self.rigid.motion))
        if self.rigid.fixed:
            return placed(shape.placed(self.rigid.orientation, self.rigid.position, normalize=True))
        gait = course.gait if self.ball is None else RotationKind.PUSHED if course.solved else None
        if gait not in self._templates:
            self._templates[gait] = Template(shape, self.middle, gait)
        return self._templates[gait].moving(values_of(course, self.middle, self.ball is not None))

    def like(self, other: "MovingBody | None", number: int) -> None:
        """Share the templates of an equal shape, which has the same number: they are made once."""
        self.shape_number = number
        if other is not None:
            self._templates = other._templates
            self.inertia = other.inertia if np.array_equal(self.inertia.matrix, other.inertia.matrix) else self.inertia

    def falling(self, t: float, velocity: np.ndarray) -> QueryBody:
        """The body at its place at t, moving evenly; one that is not free stays there."""
        if self.rigid.motion is not None:
            return placed(self.rigid.outline.moved(self.course.held(t)))
        if not self.free:
            return self.moving
        course = flight(t, self.course.centre_at(t), velocity, _NONE, self.course.turn_at(t), _NONE, self.inertia)
        template = Template(self.rigid.outline, self.middle, RotationKind.SPIN)
        return template.moving(values_of(course, self.middle, False))

    def flats_at(self, t: float) -> list[Flat]:
        """Its flat faces, in the world."""
        turn = self.course.turn_at(t)
        return [f.moved(turn, self.course.centre_at(t) - turn @ self.middle) for f in self.flats]

    def without(self, face: Flat) -> list[QueryBody]:
        """The parts other than a flat face, of a body that is fixed and may not be convex."""
        shape, found = self.rigid.outline, list[Any]()
        if isinstance(shape, Mesh):
            others = np.setdiff1d(np.arange(len(shape.triangles)), face.cells)
            found = [Mesh(shape.arrays[0], shape.triangles[others]).moved(shape.motion)] if len(others) else []
        elif isinstance(shape, Solid):
            found = [f for k, f in enumerate(pieces_of(shape)) if k not in face.cells]
        return [placed(f.placed(self.rigid.orientation, self.rigid.position, normalize=True)) for f in found]

    @property
    def falls(self) -> bool:
        """Whether it flies freely, under gravity."""
        flying = self.free and self.course.ballistic and bool(self.gravity.any())
        return flying and np.array_equal(self.course.acceleration, self.gravity)

    def motion(self, course: Any) -> Motion:
        """A part of its path as a motion of its shape."""
        if self.rigid.motion is not None:
            return self.rigid.motion
        return pose(self.rigid.orientation, self.rigid.position, normalize=True) if self.rigid.fixed else motion_of(course, self.middle)

    def pace(self, begin: float, end: float) -> tuple[np.ndarray, np.ndarray, float]:
        """Bounds (3,) of the velocity of its centre, as the course has it, over a time; and how much faster any of its points is."""
        lo, hi, turning = self.course.pace(begin, end)
        if isinstance(self.course, Deforming):
            return lo, hi, self.course.spread(begin, end, turning)
        return lo, hi, turning * (self.radius + (float(np.linalg.norm(self.middle)) if self.rigid.motion is not None else 0.0))

    def spread(self, t: float) -> float:
        """How much faster than its centre any of its points is."""
        turning = self.course.turning_at(t)
        return self.course.spread(t, t, turning) if isinstance(self.course, Deforming) else self.radius * turning

    def velocities(self, points: np.ndarray, t: float) -> np.ndarray:
        """(k, 3): velocities of its points which are there at t, with those of its deformation."""
        course = self.course
        return np.asarray(course.velocity_at(t) + crosses(course.spin_at(t), points - course.centre_at(t)) + self.deformation(points, t))

    def deformation(self, points: np.ndarray, t: float) -> np.ndarray:
        """(k, 3): the velocities by which its deformation moves points of its surface; 0 of what does not deform."""
        return self.course.surface_velocity(points, t) if isinstance(self.course, Deforming) else np.zeros(points.shape)

    def accelerations(self, points: np.ndarray, t: float) -> np.ndarray:
        """(k, 3): of its points which are there at t, as it goes on from then, of a ball without its turn; of what flies freely gravity's
        alone.
        """
        if self.course.ballistic:
            return np.broadcast_to(self.gravity, points.shape)
        # The polynomials of a forced course also tell what comes just after its end.
        course = self.course
        h = _INSTANT * min(1.0, course.span)
        if self.rigid.deforms:
            now = self.velocities(points, t)
            return np.asarray((self.velocities(points + h * now, t + h) - now) / h)
        if self.ball is not None:
            # It touches with other points as it turns.
            return np.broadcast_to((course.velocity_at(t + h) - course.velocity_at(t)) / h, points.shape)
        own = (points - course.centre_at(t)) @ course.turn_at(t)
        now, then = (course.velocity_at(s) + crosses(course.spin_at(s), own @ course.turn_at(s).T) for s in (t, t + h))
        return np.asarray((then - now) / h)

    @property
    def particulars(self) -> Particulars:
        return Particulars(self.free, self.rigid.mass, self.middle, self.inertia, self.radius)

    def mass(self, t: float) -> Mass:
        turn = self.course.turn_at(t)
        free = self.free
        return Mass(self.course.centre_at(t), 1.0 / self.rigid.mass if free else 0.0,
                    turn @ self.inertia.inverse @ turn.T if free else np.zeros((3, 3)), self.course.velocity_at(t), self.course.spin_at(t))
