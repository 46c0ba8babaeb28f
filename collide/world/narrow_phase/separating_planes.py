"""Two bodies of flat faces: until when planes are between them, by the native loop of `culling.planes_loop`, and that they meet then.

Bodies are proved apart as long as a plane parts their corners. Where there is none any more they come near each other, and a moment later
a point is *proved* to be in both, or a way within one to go through the other, which is a sheet: in between their surfaces met.
"""

import threading
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from codegen.deadline import check
from codegen.interval import Interval
from codegen.machine.loop_runtime import compiled
from codegen.machine.memory import Memory

from ...answers.contacts import Contacts, Status
from ...culling.broad_phase import Window
from ...moment.start import Start
from ..contact.manifold import ContactConstraint, Side, manifold
from ..motion.moving_body import MovingBody
from ..motion.polynomial import place_of
from ..motion.pose_kernels import pose_of
from ..motion.state import BodyState
from ..shapes.hull import ShapeHull, enclosed, hull
from ..shapes.polyhedral import polyhedral
from ..shapes.simple import Flat, outside
from .native import planes_loop
from .native.planes_loop import FINISHED, PlanesMemory

# Memories of the loop, in each thread; so many are kept.
_memories, _KEPT = threading.local(), 256
# Against size: how deep bodies are when they are looked at; corners that are no higher than this may touch first. Effort only.
_DEPTHS, _LOW = (1e-13, 1e-12, 1e-11, 1e-10), 1e-9
# Against size: points of a place of touch are looked at so much further inside.
_INSIDE = 1e-10
# Against depth: so far aside of a point of touch, toward the middles of both bodies, is looked.
_ASIDE = (0.0, 0.0), (0.0, 0.2), (0.2, 0.0), (0.1, 0.1)
# Against size: faces that a point is on. Effort only.
_ON = 1e-9
# Roundings of a place in the coordinates of a body, against sizes.
_ROUNDING = 1e-14


class Parted(NamedTuple):
    """Proof that two bodies are apart from `since` until a time; `normal`: the direction from the first to the second in which they are
    apart most then, by `gap`, except for rounding; `certain`: whether that is known to be more than nothing.
    """

    since: float
    until: float
    normal: np.ndarray
    gap: float
    certain: bool


def flat(actor: MovingBody) -> ShapeHull | None:
    return None if actor.ball is not None else hull(actor.rigid.outline)


def accepts(one: MovingBody, other: MovingBody) -> bool:
    """Whether all corners of both bodies are known, and that these are all there is to them."""
    return flat(one) is not None and flat(other) is not None


def parted(one: MovingBody, other: MovingBody, window: Window, allowed: float = 0.0, stride: float = np.inf) -> Parted:
    """The time until which two bodies of flat faces are *proved* apart from the beginning of a window on, in which their motions are as
    queries see them; from then on, or since a later time, until which they are proved to be `allowed` deep in each other at most. In that
    time steps begin with one of `stride`.
    """
    first, second = flat(one), flat(other)
    assert first is not None and second is not None, "bodies without flat faces have no hulls"
    memory = _memory(first, second)
    # What must stay alive while the loop runs.
    poses = [pose_of(actor) for actor in (one, other)]
    for side, (kernel, numbers, still) in enumerate(poses):
        memory["moving"][side] = 0 if kernel is None else kernel.block_address()
        memory["numbers"][side] = 0 if numbers is None else numbers.ctypes.data
        if still is not None:
            memory["pose"].reshape(2, 36, 2, -1)[side] = still
    for name, value in (("now", window[0]), ("end", window[1]), ("allowed", allowed), ("stride", stride), ("apart", window[0])):
        memory.set(name, value)
    reason = compiled(planes_loop.parting)(memory.address)
    del poses
    check()
    since = np.inf if memory.number("allowed") > 0.0 else memory.number("apart")
    until = window[1] if reason == FINISHED else memory.number("now")
    gap = memory.number("gap")
    return Parted(since, until, memory["best"].copy(), gap, gap > memory.number("error"))


def _memory(one: ShapeHull, other: ShapeHull) -> Memory:
    """Kept for the next pair of the same hulls, in each thread."""
    kept = vars(_memories).setdefault("kept", {})
    found = kept.get((id(one), id(other)))
    if found is None:
        if len(kept) >= _KEPT:
            kept.clear()
        axes = np.concatenate([one.normals, other.normals, one.edges, other.edges])
        corners = np.concatenate([one.corners, other.corners])
        memory = Memory(PlanesMemory, {"corners": len(corners), "axes": len(axes)})
        for name, value in (("first", len(one.corners)), ("own", len(one.normals)), ("normals", len(one.normals) + len(other.normals)),
                            ("edges", len(axes) - len(other.edges))):
            memory.set(name, value)
        memory["corner"][:], memory["axis"][:], memory["reach"][:] = corners, axes, (one.reach, other.reach)
        # Both hulls are kept with it, so nothing else has their numbers.
        kept[id(one), id(other)] = found = memory, one, other
    return found[0]


# -- that they meet --------------------------------------------------------------------------------------------------------


def met(one: MovingBody, other: MovingBody, apart: Parted, end: float, size: float, least: float = 0.0) -> Contacts | None:
    """The contact of two bodies of flat faces that come together, faster than `least`, where they are not known to be apart any more,
    *proved*; None where it is not. `size`: of the smaller body.
    """
    n, now = apart.normal, apart.until
    hulls = flat(one), flat(other)
    assert hulls[0] is not None and hulls[1] is not None
    if not all(len(h.within) or len(h.around) for h in hulls if h is not None) or all(h.sheet for h in hulls if h is not None):
        return None
    links = _links((one, other), (hulls[0], hulls[1]), n, now, size)
    come = [(gap, closing) for _, _, gap, closing in (_meeting((one, other), link, now) for link in links) if closing > least]
    for depth in _DEPTHS if come else ():
        late = now + max(min((gap + depth * size) / closing for gap, closing in come), 4.0 * np.spacing(abs(now)))
        if late > end:
            return None
        points, proved = _shared((one, other), (hulls[0], hulls[1]), links, late)
        if proved.any():
            return contacts_of(points, n, proved, (now, late), end)
    return None


def touching(one: MovingBody, other: MovingBody, apart: Parted, size: float) -> Contacts | None:
    """The contacts of two bodies of flat faces that touch at a time, in doubles; None where they do not, or deep in each other."""
    hulls = flat(one), flat(other)
    assert hulls[0] is not None and hulls[1] is not None
    if apart.certain or not apart.gap > -_LOW * size:
        return None
    links = _links((one, other), (hulls[0], hulls[1]), apart.normal, apart.until, size)
    points = np.array([_meeting((one, other), link, apart.until)[0] for link in links])
    return contacts_of(points, apart.normal, np.zeros(len(points), bool), (apart.until, apart.until), apart.until) if links else None


def contacts_of(points: np.ndarray, normal: np.ndarray, proved: np.ndarray, when: Window, end: float) -> Contacts:
    """The contacts of two bodies, at points with one normal."""
    k = len(points)
    return Contacts(Status.CONTACT, Interval(*when), when[0], points, np.repeat(normal[None], k, axis=0), np.zeros(k, bool), proved,
                    np.tile([0, 1], (k, 1)), [("", "")] * k, [np.array([when])] * k, [("t",)] * k, 0, 0.0, {(0, 1): Start.DISJOINT},
                    time_span=(when[0], max(end, when[1])))


def _corners(actor: MovingBody, own: ShapeHull, moment: float) -> np.ndarray:
    """Places of corners, in doubles."""
    place = _place(actor, moment)
    return np.asarray((own.corners - actor.middle) @ place.turn.T + place.centre)


def _place(actor: MovingBody, moment: float) -> BodyState:
    return place_of(actor.seen, moment)


def _links(actors: tuple[MovingBody, MovingBody], hulls: tuple[ShapeHull, ShapeHull], n: np.ndarray, moment: float,
           size: float) -> list[ContactConstraint]:
    """The contacts of two bodies that touch across a normal at a moment, in doubles."""
    one, other = (Side(_place(a, moment), polyhedral(a.rigid.outline, _middle(a)), None) for a in actors)
    low = _corners(actors[1], hulls[1], moment)
    return manifold(0, 1, one, other, low[np.argmin(low @ n)], -n, size)


def _meeting(actors: tuple[MovingBody, MovingBody], link: ContactConstraint, moment: float) -> tuple[np.ndarray, np.ndarray, float, float]:
    """The middle of the gap of a contact then, the normal from the first body to the second, the width of the gap, and the speed at which
    it closes.
    """
    one, other = (_place(actors[k], moment) for k in link.pair)
    course = link.contact.course(one, other)
    closing = float(course.normal @ (other.at(course.point) - one.at(course.point)))
    normal = -course.normal if link.pair == (0, 1) else course.normal
    return course.point - course.gap / 2.0 * course.normal, normal, float(course.gap), closing


def _shared(actors: tuple[MovingBody, MovingBody], hulls: tuple[ShapeHull, ShapeHull], links: Sequence[ContactConstraint],
            moment: float) -> tuple[np.ndarray, np.ndarray]:
    """The points (k, 3) of contacts at a moment, in doubles, and of which it is *proved* that they are in both bodies."""
    found = [_meeting(actors, link, moment) for link in links]
    points, up = (np.array([f[k] for f in found]) for k in (0, 1))
    deep = np.array([[max(-gap, 0.0)] for _, _, gap, _ in found])
    inner = points + _INSIDE * (points.mean(axis=0) - points)
    proved = np.zeros(len(points), bool)
    ways = [_alongside(_inward(a, h, points, moment), up) for a, h in zip(actors, hulls, strict=True)]
    for part in _ASIDE:
        aside = deep * sum(p * way for p, way in zip(part, ways, strict=True))
        proved |= _both(actors, hulls, inner + aside, deep * up, moment)
    return points, proved


def _inward(actor: MovingBody, own: ShapeHull, points: np.ndarray, moment: float) -> np.ndarray:
    """Ways (k, 3) into a body from points on it: beside an edge or a corner of what is convex, to its middle; else away from the faces that
    meet there.
    """
    if len(own.within):
        return np.asarray(_corners(actor, own, moment).mean(axis=0) - points)
    place, flat = _place(actor, moment), polyhedral(actor.rigid.outline, _middle(actor))
    at = (points - place.centre) @ place.turn
    assert flat is not None, "what has a hull is flat"
    near = _ON * own.reach
    on = [(np.abs(at @ f.normal - f.level) <= near) & (outside(f, at) <= near) for f in flat.faces]
    return np.asarray(-(np.transpose(on).astype(float) @ np.array([f.normal for f in flat.faces]) @ place.turn.T))


def _alongside(ways: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Unit vectors (k, 3) across normals."""
    found = ways - (ways * n).sum(axis=1, keepdims=True) * n
    return np.asarray(found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-300))


def _both(actors: tuple[MovingBody, MovingBody], hulls: tuple[ShapeHull, ShapeHull], points: np.ndarray, up: np.ndarray,
          moment: float) -> np.ndarray:
    """(k,): whether it is *proved* that points are in both bodies; or, of a sheet, that the way from there into the other body goes through
    it.
    """
    proved = np.ones(len(points), bool)
    for k, bulk in enumerate((-up, up)):
        proved &= _inside(actors[k], hulls[k], points, moment)
        sheet = hulls[k].sheet
        if sheet is not None:
            back = points - bulk
            proved &= _inside(actors[k], hulls[k], back, moment) & _inside(actors[1 - k], hulls[1 - k], back, moment)
            proved &= _beyond(actors[k], sheet, points, moment) * _beyond(actors[k], sheet, back, moment) < 0.0
    return proved


def _middle(actor: MovingBody) -> tuple[float, float, float]:
    a, b, c = actor.middle.tolist()
    return a, b, c


def _inside(actor: MovingBody, own: ShapeHull, points: np.ndarray, moment: float) -> np.ndarray:
    """(k,): whether it is *proved* that points are in a body, or within the border of a sheet."""
    at, error = _seen(actor, own, points, moment)
    if not len(own.within):
        return enclosed(at, own.around, error)
    return np.asarray((at @ own.within[:, :3].T - own.within[:, 3]).max(axis=1) < -error)


def _beyond(actor: MovingBody, sheet: Flat, points: np.ndarray, moment: float) -> np.ndarray:
    """(k,): the side of a sheet on which points are, as is *proved*; 0: not known."""
    own = flat(actor)
    assert own is not None
    at, error = _seen(actor, own, points, moment)
    high = at @ sheet.normal - sheet.level
    return np.where(np.abs(high) > error, np.sign(high), 0.0)


def _seen(actor: MovingBody, own: ShapeHull, points: np.ndarray, moment: float) -> tuple[np.ndarray, float]:
    """Points in the coordinates of a body, and how far they may be out beyond a plane of it. Its motion is a rotation except for roundings.
    """
    lo, hi = entries(actor, moment)
    turn, shift, wide = (lo[:9] + hi[:9]).reshape(3, 3) / 2.0, (lo[9:] + hi[9:]) / 2.0, hi - lo
    sizes = float(np.abs(points).max() + np.abs(shift).max()) + own.reach
    return (points - shift) @ turn, own.slack + float(np.linalg.norm(wide[9:]) + np.linalg.norm(wide[:9]) * sizes) + _ROUNDING * sizes


def entries(actor: MovingBody, moment: float) -> tuple[np.ndarray, np.ndarray]:
    """Enclosures of a motion (12)."""
    pose, at = pose_of(actor), np.array([[moment]])
    if pose.still is not None:
        return -pose.still[:12, 0, 0], pose.still[:12, 1, 0]
    assert pose.kernel is not None
    numbers = None if pose.numbers is None else (-pose.numbers[:, 0, 0], pose.numbers[:, 1, 0])
    lo, hi = pose.kernel.interval(at, at, parameters=numbers)
    return lo[0, :12], hi[0, :12]
