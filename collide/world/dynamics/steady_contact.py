"""Bodies that stay in contact: at rest, or one that slides or rolls on what does not move (mode 2 of Snyder 1993, Section 1.1).

Rest: forces within the cones of friction at the contacts balance gravity. A ball on a flat face rolls as far as friction lets it, else it
slides; both are parabolas, with a spin that changes evenly. A body that does not turn slides evenly, too. Such motion ends when the slip
stops, or when the contact reaches the border of the face.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from ..contact_solver.impact import Contact
from ..motion.ballistic import Ballistic
from ..motion.moving_body import MovingBody
from ..motion.rotation import frame
from ..shapes.simple import Flat

# Directions in which a cone of friction is divided; what counts as balanced, against the weights; as no speed, against gravity and size;
# and as the same direction.
_CONE, _BALANCED, _SLOW, _SAME = 16, 1e-9, 1e-9, 1e-9


class ContactMode(Enum):
    """The mode in which a body stays in contact."""

    REST = "rests"
    ROLLING = "rolls"
    SLIDING = "slides"
    ROCKING = "rocks"


@dataclass(frozen=True, eq=False)
class SteadyContact:
    """A body's motion in contact: `course`, until a time at which it is looked at again; `leaves`: it is at the border then."""

    mode: ContactMode
    course: Ballistic
    until: float = math.inf
    leaves: bool = False


def rest(actors: Sequence[MovingBody], contacts: Sequence[Contact], t: float) -> bool:
    """Whether forces at the contacts hold these bodies, which do not move. Contacts are of pairs of numbers of them."""
    from scipy.optimize import nnls

    size = max((a.rigid.mass * float(np.linalg.norm(a.gravity)) for a in actors if a.free), default=0.0)
    columns = []
    for c in contacts:
        normal, first, second = frame(c.normal)
        angles = 2.0 * np.pi * np.arange(_CONE) / _CONE if c.friction else np.zeros(1)
        for angle in angles:
            force = normal + c.friction * (math.cos(angle) * first + math.sin(angle) * second)
            column = np.zeros((len(actors), 6))
            for b, sign in zip(c.pair, (-1.0, 1.0), strict=True):
                if actors[b].free:
                    column[b] = sign * np.array([*force, *(np.cross(c.point - actors[b].course.centre_at(t), force) / actors[b].radius)])
            columns.append(column.ravel())
    weight = np.array([[*(-a.rigid.mass * a.gravity), 0.0, 0.0, 0.0] for a in actors]).ravel()
    if not size:
        return False
    left = nnls(np.array(columns).T, weight)[1]
    return bool(left <= _BALANCED * size)


def still(course: Ballistic, t: float, size: float, gravity: np.ndarray) -> bool:
    """Whether a body does not move, except for what falls short of a billionth of its size."""
    least = _SLOW * math.sqrt(size * float(np.linalg.norm(gravity)))
    return bool(np.linalg.norm(course.velocity_at(t)) <= least and np.linalg.norm(course.spin_at(t)) * size <= least)


def at_rest(actor: MovingBody, t: float) -> Ballistic:
    found: Ballistic = actor.course.again(t, velocity=np.zeros(3), acceleration=np.zeros(3), spin=np.zeros(3), spinning=np.zeros(3))
    return found


def ball_on(actor: MovingBody, face: Flat, normal: np.ndarray, friction: float, t: float) -> SteadyContact | None:
    """A ball on a flat face that does not move; `normal` points to the ball, and `face` is in the world. None where the direction of the
    friction would turn, so that there is no parabola.
    """
    assert actor.ball is not None
    radius, g = actor.ball, actor.gravity
    heavy = float(actor.inertia.matrix[0, 0]) / (actor.rigid.mass * radius * radius)
    press, along = -float(g @ normal), g - (g @ normal) * normal
    velocity, spin = actor.course.velocity_at(t), actor.course.spin_at(t)
    velocity = velocity - (velocity @ normal) * normal
    slip = velocity - radius * np.cross(spin, normal)
    least = _SLOW * math.sqrt(radius * float(np.linalg.norm(g)))
    if np.linalg.norm(slip) <= least and np.linalg.norm(along) * heavy / (1.0 + heavy) <= friction * press:
        forward, up = along / (1.0 + heavy), (spin @ normal) * normal
        course = actor.course.again(t, velocity=velocity, acceleration=forward, spin=np.cross(normal, velocity) / radius + up,
                                    spinning=np.cross(normal, forward) / radius)
        return _bounded(SteadyContact(ContactMode.ROLLING, course), face, radius * normal)
    toward = slip if np.linalg.norm(slip) > least else along
    toward = toward / np.linalg.norm(toward)
    if friction and np.linalg.norm(np.cross(toward, along)) > _SAME * np.linalg.norm(g):
        return None
    force = friction * press * toward
    course = actor.course.again(t, velocity=velocity, acceleration=along - force, spin=spin,
                                spinning=np.cross(normal, force) / (radius * heavy))
    # The slip changes along itself: when is it gone?
    slowing = float((force * (1.0 + 1.0 / heavy) - along) @ toward)
    ends = t + float(slip @ toward) / slowing if slowing > 0.0 and friction else math.inf
    return _bounded(SteadyContact(ContactMode.SLIDING, course, ends), face, radius * normal)


def block_on(actor: MovingBody, contacts: Sequence[Contact], t: float) -> SteadyContact | None:
    """A body without spin that slides evenly on what does not move, on several contacts whose normals point to it."""
    from scipy.optimize import nnls

    velocity, g = actor.course.velocity_at(t), actor.gravity
    least = _SLOW * math.sqrt(actor.radius * float(np.linalg.norm(g)))
    if np.linalg.norm(actor.course.spin_at(t)) * actor.radius > least:
        return None
    normals = np.array([c.normal for c in contacts])
    # Across all normals, as it slides.
    free = np.eye(3) - np.linalg.pinv(normals, rcond=_SAME) @ normals
    velocity = free @ velocity
    moving = bool(np.linalg.norm(velocity) > least)
    toward = velocity if moving else free @ g
    if not np.linalg.norm(toward) > _SAME * np.linalg.norm(g):
        return None
    toward = toward / np.linalg.norm(toward)
    mass, centre = actor.rigid.mass, actor.course.centre_at(t)
    forces = np.array([c.normal - c.friction * toward for c in contacts])
    turns = np.array([np.cross(c.point - centre, f) / actor.radius for c, f in zip(contacts, forces, strict=True)])
    push = mass * np.concatenate([toward, np.zeros(3)])
    system = np.column_stack([np.column_stack([forces, turns]).T, -push, push])
    found, left = nnls(system, np.concatenate([-mass * g, np.zeros(3)]))
    rate = float(found[-2] - found[-1])
    if left > _BALANCED * mass * np.linalg.norm(g) or (not moving and rate <= 0.0):
        return None
    course = actor.course.again(t, velocity=velocity, acceleration=rate * toward, spin=np.zeros(3), spinning=np.zeros(3))
    return SteadyContact(ContactMode.SLIDING, course, t + float(np.linalg.norm(velocity)) / -rate if rate < 0.0 else math.inf)


def _bounded(held: SteadyContact, face: Flat, up: np.ndarray) -> SteadyContact:
    """No longer than until the contact, `up` below the centre, reaches the border of the face."""
    course = held.course
    last = course.start + leaving(face, course.centre - up, course.velocity, course.acceleration)
    return held if held.until <= last else SteadyContact(held.mode, course, last, True)


def leaving(face: Flat, point: np.ndarray, velocity: np.ndarray, acceleration: np.ndarray) -> float:
    """The time after which a point that moves so in the plane of a face crosses its border."""
    found = math.inf
    for a, b in face.border:
        across = np.cross(b - a, face.normal)
        for tau in _roots(float(acceleration @ across) / 2.0, float(velocity @ across), float((point - a) @ across)):
            at = point + tau * velocity + tau * tau / 2.0 * acceleration
            if tau > 0.0 and 0.0 <= (at - a) @ (b - a) <= (b - a) @ (b - a):
                found = min(found, tau)
    return found


def _roots(a: float, b: float, c: float) -> list[float]:
    """The real zeros of a s^2 + b s + c, without cancellation."""
    if a == 0.0:
        return [-c / b] if b else []
    square = b * b - 4.0 * a * c
    if square < 0.0:
        return []
    q = -(b + math.copysign(math.sqrt(square), b)) / 2.0
    return [q / a, c / q] if q else [0.0]
