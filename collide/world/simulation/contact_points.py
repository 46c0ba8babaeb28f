"""Contacts of two bodies of corners, edges, flat faces and balls, as constraints that can be followed."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from generative import Solid

from ..contact.closed_forms import OnEdge, OnFace
from ..contact.feature_pairs import NearContact, between, followed
from ..contact.manifold import ContactConstraint, Side, by_parts, manifold
from ..contact.tracked_pair import OnSmooth
from ..contact_solver.forces import motion
from ..features.local_geometry import Lost
from ..motion.polynomial import place_of
from ..reason import WorkKind
from . import contact_sides, gap_rates
from .contact_sides import SAME
from .event_queue import PairKey
from .pair import Manifold
from .state import Simulation

# Normals are those of a contact, but for roundings of where bodies are.
_ABOUT = 1e-9
# At so many times of a bracket it is looked whether bodies touch.
_MOMENTS = 5
# Against the speed of a fall from its size, one with which a body may stay in contact.
_SLOWLY = 1e-3


def constraints_of(
    s: Simulation,
    key: PairKey,
    points: np.ndarray,
    normals: np.ndarray,
    parts: bool,
    old: Sequence[ContactConstraint] = (),
    lands: bool = False,
) -> tuple[ContactConstraint, ...]:
    """The contacts in the planes of some points, with normals from the first body to the second; none where it is not known how to follow
    one of them, or where they are of other parts than corners, straight edges and flat faces, and these are not asked for. `old`: those
    that there were just before; `lands`: whether bodies hit each other.
    """
    i, j = key.bodies
    s.turn_to(WorkKind.CONTACT, (i, j))
    lay = {k: flat for link in old for k, flat in zip(link.pair, link.flats, strict=True)}
    one, other = (
        Side(place_of(s.actors[k].course, s.now), contact_sides.shape_of(s, k), s.actors[k].ball,
             contact_sides.features_of(s, k) if parts else None, lay.get(k))
        for k in (i, j)
    )
    found: list[ContactConstraint] = []
    for n in range(len(points)):
        if any(normals[m] @ normals[n] > 1.0 - SAME for m in range(n)):
            continue
        own = manifold(i, j, one, other, points[n], -normals[n], s.size(key), lands)
        if not own:
            return ()
        if any(link.contact.tracked or link.flats != (None, None) for link in own):
            # These are all that there are.
            return tuple(own)
        found += own
    return tuple(found)


def tracked(s: Simulation, key: PairKey, touch: Manifold, parts: bool = False) -> Manifold:
    """The manifold with the contacts that are tracked, if they are, and of bodies with corners at these."""
    try:
        links = constraints_of(s, key, touch.points, touch.normals, parts, (), True)
    except Lost:
        links = ()
    if links and not explain(s, key, links, touch.normals):
        links = ()
    if not links or (len(links) == len(touch.points) and any(s.actors[k].ball is not None for k in key.bodies)):
        return replace(touch, links=links)
    points, normals = points_of(s, key, links)
    near = [np.linalg.norm(touch.points - p, axis=1) for p in points]
    proved = np.array([bool(e.min() <= SAME * s.size(key) and touch.proved[np.argmin(e)]) for e in near])
    return replace(touch, points=points, normals=normals, proved=proved, links=links)


def explain(s: Simulation, key: PairKey, links: Sequence[ContactConstraint], normals: np.ndarray) -> bool:
    """Whether there is a contact of each normal. Of a rim that lies flat, there is none."""
    along = normals @ points_of(s, key, links)[1].T
    return bool((along.max(axis=1) > 1.0 - _ABOUT).all())


def points_of(s: Simulation, key: PairKey, links: Sequence[ContactConstraint]) -> tuple[np.ndarray, np.ndarray]:
    """(k, 3): points of contacts, and normals from the first body to the second."""
    s.turn_to(WorkKind.CONTACT, key.bodies)
    places = {k: place_of(s.actors[k].course, s.now) for k in key.bodies}
    found = [link.contact.course(*(places[b] for b in link.pair)) for link in links]
    signs = np.array([1.0 if link.pair[0] == key.j else -1.0 for link in links])
    return np.array([c.point for c in found]), signs[:, None] * np.array([c.normal for c in found])


def bends(s: Simulation, key: PairKey) -> np.ndarray:
    """(k,): the second derivatives of the gaps at contacts that can be followed, as bodies move now; else `gap_rates.accelerations`."""
    links = s.touch(key).links
    if not links:
        return gap_rates.accelerations(s, key)
    s.turn_to(WorkKind.CONTACT, key.bodies)
    courses = {k: s.actors[k].course for k in key.bodies}
    places = {k: place_of(course, s.now).lane() for k, course in courses.items()}
    rates = {k: course.rates_at(s.now)[None] for k, course in courses.items()}
    return motion(links, places, rates, {}, 1).free[0, :, 0]


def gaps_of(s: Simulation, key: PairKey) -> np.ndarray:
    """(k,): how far two bodies are apart at their contacts."""
    places = {k: place_of(s.actors[k].course, s.now) for k in key.bodies}
    return np.array([link.contact.course(*(places[b] for b in link.pair)).gap for link in s.touch(key).links])


def feet_of(s: Simulation, key: PairKey, links: Sequence[ContactConstraint], points: np.ndarray) -> np.ndarray:
    """The points, of corners and edges those where they would touch: these may be higher than others that have landed."""
    places = {k: place_of(s.actors[k].course, s.now) for k in key.bodies}
    found = points.copy()
    for k, link in enumerate(links):
        if isinstance(link.contact, (OnFace, OnEdge)):
            at = link.contact.course(*(places[b] for b in link.pair))
            found[k] -= at.gap * at.normal
    return found


def renewed(s: Simulation, link: ContactConstraint) -> ContactConstraint:
    """A contact of curved surfaces as it is found from where it is now."""
    if not link.contact.tracked:
        return link
    link.contact.course(*(place_of(s.actors[b].course, s.now) for b in link.pair))
    return ContactConstraint(link.pair, link.contact.again())


def moved_touch(s: Simulation, key: PairKey, lands: bool = False) -> Manifold:
    """Contact of two bodies that touched a while ago, and stayed together except for small bounces, which may be nowhere; `lands`: which is
    a hit.
    """
    old = s.touch(key)
    if not old.links:
        return carried(s, key, old)
    points, normals = points_of(s, key, old.links)
    links = constraints_of(s, key, feet_of(s, key, old.links, points), normals, True, old.links, lands)
    if links:
        points, normals = points_of(s, key, links)
    count = len(links)
    return replace(old, time=s.now, points=points[:count], normals=normals[:count], proved=np.zeros(count, bool), links=links)


def at_border(s: Simulation, keys: Sequence[PairKey]) -> Sequence[PairKey]:
    """These pairs as they touch where a ball has come to the border of a face; none where that is not known."""
    for key in keys:
        i, j = key.bodies
        one, other = (Side(place_of(s.actors[k].course, s.now), None, s.actors[k].ball, contact_sides.features_of(s, k)) for k in (i, j))
        links = tuple(by_parts(one, other, i, j, s.size(key)))
        if len(links) != 1 or not on_edge(links[0]):
            return ()
        points, normals = points_of(s, key, links)
        s.put(key, replace(s.touch(key), time=s.now, points=points, normals=normals, proved=np.zeros(1, bool), face=None, links=links))
    return keys


def grazing(s: Simulation, key: PairKey, bracket: tuple[float, float]) -> Manifold | None:
    """The contact of curved bodies that meet so gently that they touch all through a bracket of time, except for a billionth of their size;
    None where it is not known.
    """
    parts, times, found = [contact_sides.features_of(s, k) for k in key.bodies], np.linspace(*bracket, _MOMENTS), list[NearContact]()
    if parts[0] is None or parts[1] is None or not followed(parts[0], parts[1]):
        return None
    for t in reversed(times.tolist()):
        try:
            one, other = (place_of(s.actors[k].course, t) for k in key.bodies)
            found = between(parts[0], parts[1], one, other, s.size(key))
        except Lost:
            return None
        if not found or abs(min(near.gap for near in found)) > SAME * s.size(key):
            return None
    i, j = key.bodies
    links = tuple(
        ContactConstraint((j, i) if near.turned else (i, j), near.contact) for near in found if abs(near.gap) <= SAME * s.size(key)
    )
    points, normals = points_of(s, key, links)
    return Manifold(s.now, points, normals, np.zeros(len(points), bool), None, links)


def on_edge(link: ContactConstraint) -> bool:
    contact = link.contact
    return isinstance(contact, OnSmooth) and max(contact.one.dimension, contact.other.dimension) < 2


def look_closely(s: Simulation, key: PairKey) -> None:
    """Make contacts of curved surfaces only where bodies barely part, or come together, or touch at more than a point, as solids may:
    others just bounce.
    """
    touch = s.touch(key)
    if touch.links or all(contact_sides.shape_of(s, k) is not None for k in key.bodies):
        return
    pull = max(float(np.linalg.norm(s.actors[k].gravity)) for k in key.bodies)
    pull = max(pull, float(np.abs(gap_rates.accelerations(s, key)).max()), gap_rates.slip_speed(s, key) ** 2 / s.size(key))
    several = len(touch.points) > 1 or any(isinstance(s.actors[k].rigid.outline, Solid) for k in key.bodies)
    if several or np.abs(gap_rates.parting_speeds(s, key)).min() <= _SLOWLY * math.sqrt(
        s.size(key) * pull
    ) + SAME * gap_rates.speed_bounds(s, key):
        s.put(key, tracked(s, key, touch, True))


def carried(s: Simulation, key: PairKey, old: Manifold) -> Manifold:
    """A contact without constraints, which moves on with the ball, or with the body that is free."""
    ball = next((k for k in key.bodies if s.actors[k].ball is not None), None)
    if ball is None:
        way = s.actors[key.i] if s.actors[key.i].free else s.actors[key.j]
        return replace(
            old,
            time=s.now,
            points=old.points + (way.course.centre_at(s.now) - way.course.centre_at(old.time)),
            proved=np.zeros(len(old.points), bool),
        )
    radius = s.actors[ball].ball or 0.0
    points = s.actors[ball].course.centre_at(s.now) + (radius if ball == key.i else -radius) * old.normals
    return replace(old, time=s.now, points=points, proved=np.zeros(len(points), bool))
