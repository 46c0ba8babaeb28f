"""Contacts of two bodies of corners, edges, flat faces and balls, as constraints that can be followed."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from generative import Solid

from ..contact.closed_forms import OnEdge, OnFace
from ..contact.feature_pairs import Near, between, followed
from ..contact.manifold import ContactConstraint, Side, by_parts, manifold, separating
from ..contact.tracked_pair import OnSmooth
from ..contact_solver.forces import motion
from ..features.features import Features, ball, features
from ..features.local_geometry import Lost
from ..motion.polynomial import place_of
from ..reason import Work
from ..shapes.polyhedral import Polyhedral, polyhedral
from ..shapes.simple import Flat, outside
from .event_queue import Key
from .pair import Manifold
from .transitions import Touches

# Against size: points that are one, and normals that are out by no more; bounces that rise no higher are none.
_SAME, _FLAT = 1e-9, 1e-9
# Normals are those of a contact, but for roundings of where bodies are.
_ABOUT = 1e-9
# Against size: how deep corners may be in each other where a search finds that they touch.
_DEEP = 1e-7
# At so many times of a bracket it is looked whether bodies touch.
_MOMENTS = 5
# Against the speed of a fall from its size, one with which a body may stay in contact.
_SLOWLY = 1e-3


class Linked(Touches):
    """Pairs that touch, with the contacts by which they are followed."""

    def shape(self, k: int) -> Polyhedral | None:
        actor = self.actors[k]
        middle = float(actor.middle[0]), float(actor.middle[1]), float(actor.middle[2])
        return polyhedral(actor.rigid.outline, middle) if actor.ball is None else None

    def features(self, k: int) -> Features | None:
        actor = self.actors[k]
        middle = float(actor.middle[0]), float(actor.middle[1]), float(actor.middle[2])
        return ball(actor.ball) if actor.ball is not None else features(actor.rigid.outline, middle)

    def separating(self, key: Key) -> np.ndarray | None:
        """A normal of bodies with corners that touch where a search finds none, as where edges are parallel."""
        shapes, places = [self.shape(k) for k in key[:2]], [place_of(self.actors[k].course, self.now) for k in key[:2]]
        if shapes[0] is None or shapes[1] is None:
            return None
        one, other = (s.moved(p.turn, p.centre) for s, p in zip((shapes[0], shapes[1]), places, strict=True))
        # They come together that way.
        way = places[0].velocity - places[1].velocity
        return separating(one, other, way, _DEEP * self.size(key), _SAME * self.size(key))

    def links(self, key: Key, points: np.ndarray, normals: np.ndarray, parts: bool, old: Sequence[ContactConstraint] = (),
              lands: bool = False) -> tuple[ContactConstraint, ...]:
        """The contacts in the planes of some points, with normals from the first body to the second; none where it is not known how to
        follow one of them, or where they are of other parts than corners, straight edges and flat faces, and these are not asked for.
        `old`: those that there were just before; `lands`: do bodies hit each other?
        """
        i, j = key[:2]
        self.turn_to(Work.CONTACT, (i, j))
        lay = {k: flat for link in old for k, flat in zip(link.pair, link.flats, strict=True)}
        one, other = (Side(place_of(self.actors[k].course, self.now), self.shape(k), self.actors[k].ball,
                           self.features(k) if parts else None, lay.get(k)) for k in (i, j))
        found: list[ContactConstraint] = []
        for n in range(len(points)):
            if any(normals[m] @ normals[n] > 1.0 - _SAME for m in range(n)):
                continue
            own = manifold(i, j, one, other, points[n], -normals[n], self.size(key), lands)
            if not own:
                return ()
            if any(isinstance(link.contact, OnSmooth) or link.flats != (None, None) for link in own):
                # These are all that there are.
                return tuple(own)
            found += own
        return tuple(found)

    def refuted(self, key: Key, points: np.ndarray, normals: np.ndarray) -> np.ndarray:
        """(k,): which normals are those of no planes between two bodies, since one of them is convex, and is beyond: a corner of it, where
        both have flat faces, or the centre of a ball?
        """
        found, shapes = np.zeros(len(points), bool), [self.shape(k) for k in key[:2]]
        for k, shape, side in zip(key[:2], shapes, (1.0, -1.0), strict=True):
            # The centre of a patch is on its surface, so it tells nothing; that of a ball does.
            corners = self._corners(k, shape) if shape is not None and None not in shapes and len(shape.corners) else None
            parts = self.features(k) if corners is not None or self.actors[k].ball is not None else None
            if parts is not None and parts.convex:
                way = (self.actors[k].course.centre_at(self.now)[None] if corners is None else corners)[:, None] - points
                # Of large bodies, by as much as a normal may be out.
                found |= (side * (way * normals).sum(axis=2) > _DEEP * (self.size(key) + np.linalg.norm(way, axis=2))).any(axis=0)
        return found

    def in_planes(self, key: Key, points: np.ndarray, normals: np.ndarray) -> np.ndarray:
        """(k,): which normals are those of planes between two bodies of flat faces? Edges that end at corners, or whose faces go on in each
        other, may be listed with others, or with none: at points in such a plane these say nothing. All are, where one is elsewhere.
        """
        sides = [Side(place_of(self.actors[k].course, self.now), self.shape(k), None) for k in key[:2]]
        if any(s.flat is None for s in sides):
            return np.ones(len(points), bool)
        size = self.size(key)
        known = np.array([bool(manifold(key[0], key[1], sides[0], sides[1], p, -n, size)) for p, n in zip(points, normals, strict=True)])
        near = [np.abs(((points[known] - p) * normals[known]).sum(axis=1)) for p in points]
        return known if all((e <= _SAME * size).any() for e in near) else np.ones(len(points), bool)

    def tracked(self, key: Key, touch: Manifold, parts: bool = False) -> Manifold:
        """With the contacts that are tracked, if they are, and of bodies with corners at these."""
        try:
            links = self.links(key, touch.points, touch.normals, parts, (), True)
        except Lost:
            links = ()
        if links and not self._explain(key, links, touch.normals):
            links = ()
        if not links or (len(links) == len(touch.points) and any(self.actors[k].ball is not None for k in key[:2])):
            return replace(touch, links=links)
        points, normals = self.courses(key, links)
        near = [np.linalg.norm(touch.points - p, axis=1) for p in points]
        proved = np.array([bool(e.min() <= _SAME * self.size(key) and touch.proved[np.argmin(e)]) for e in near])
        return replace(touch, points=points, normals=normals, proved=proved, links=links)

    def _explain(self, key: Key, links: Sequence[ContactConstraint], normals: np.ndarray) -> bool:
        """Is there a contact of each normal? Of a rim that lies flat, there is none."""
        along = normals @ self.courses(key, links)[1].T
        return bool((along.max(axis=1) > 1.0 - _ABOUT).all())

    def courses(self, key: Key, links: Sequence[ContactConstraint]) -> tuple[np.ndarray, np.ndarray]:
        """(k, 3): points of contacts, and normals from the first body to the second."""
        self.turn_to(Work.CONTACT, key[:2])
        places = {k: place_of(self.actors[k].course, self.now) for k in key[:2]}
        found = [link.contact.course(*(places[b] for b in link.pair)) for link in links]
        signs = np.array([1.0 if link.pair[0] == key[1] else -1.0 for link in links])
        return np.array([c.point for c in found]), signs[:, None] * np.array([c.normal for c in found])

    def bends(self, key: Key) -> np.ndarray:
        """(k,): the second derivatives of the gaps at contacts that can be followed, as bodies move on by now; else `_accelerations`."""
        links = self.touch(key).links
        if not links:
            return self._accelerations(key)
        self.turn_to(Work.CONTACT, key[:2])
        courses = {k: self.actors[k].course for k in key[:2]}
        places = {k: place_of(course, self.now).lane() for k, course in courses.items()}
        rates = {k: course.rates_at(self.now)[None] for k, course in courses.items()}
        return motion(links, places, rates, {}, 1).free[0, :, 0]

    def gaps(self, key: Key) -> np.ndarray:
        """(k,): how far two bodies are apart at their contacts."""
        places = {k: place_of(self.actors[k].course, self.now) for k in key[:2]}
        return np.array([link.contact.course(*(places[b] for b in link.pair)).gap for link in self.touch(key).links])

    def _feet(self, key: Key, links: Sequence[ContactConstraint], points: np.ndarray) -> np.ndarray:
        """Of corners and edges, where they would touch: they may be higher than others that have landed."""
        places = {k: place_of(self.actors[k].course, self.now) for k in key[:2]}
        found = points.copy()
        for k, link in enumerate(links):
            if isinstance(link.contact, (OnFace, OnEdge)):
                at = link.contact.course(*(places[b] for b in link.pair))
                found[k] -= at.gap * at.normal
        return found

    def renewed(self, link: ContactConstraint) -> ContactConstraint:
        """A contact of curved surfaces as it is found from where it is now."""
        if not isinstance(link.contact, OnSmooth):
            return link
        link.contact.course(*(place_of(self.actors[b].course, self.now) for b in link.pair))
        return ContactConstraint(link.pair, link.contact.again())

    def moved_touch(self, key: Key, lands: bool = False) -> Manifold:
        """What still touches may be nowhere."""
        old = self.touch(key)
        if not old.links:
            return super().moved_touch(key, lands)
        points, normals = self.courses(key, old.links)
        links = self.links(key, self._feet(key, old.links, points), normals, True, old.links, lands)
        if links:
            points, normals = self.courses(key, links)
        count = len(links)
        return replace(old, time=self.now, points=points[:count], normals=normals[:count], proved=np.zeros(count, bool), links=links)

    def watched(self, key: Key) -> bool:
        """Also of balls on solids that are convex, of convex bodies of flat faces, whose corners stay on both sides of the planes of
        contacts that are followed, and of bodies on the two sides of the plane of a face.
        """
        plain = any(self.actors[k].ball is not None for k in key[:2]) or (self.flat(key) and bool(self.touch(key).links))
        parts = [self.features(k) for k in key[:2]] if plain else [None]
        face = self.touch(key).face
        return super().watched(key) or all(p is not None and p.convex for p in parts) or (face is not None and self._parted_by(key, *face))

    def _parted_by(self, key: Key, k: int, face: Flat) -> bool:
        """Are two bodies on different sides of the plane of a face of body k, which is all that this one has there?"""
        fixed, other, near = self.shape(k), sum(key[:2]) - k, _SAME * self.size(key)
        if fixed is None:
            return False
        corners = self._corners(k, fixed)
        side = float(np.sign(face.normal @ self.actors[other].course.centre_at(self.now) - face.level))
        high = side * (corners @ face.normal - face.level)
        if (high > near).any() or (outside(face, corners[high >= -near]) > near).any():
            return False
        shape, parts = self.shape(other), self.features(other)
        if shape is not None:
            return bool((side * (self._corners(other, shape) @ face.normal - face.level) >= -near).all())
        return parts is not None and parts.convex

    def _corners(self, k: int, shape: Polyhedral) -> np.ndarray:
        place = place_of(self.actors[k].course, self.now)
        return np.asarray(place.centre + shape.corners @ place.turn.T)

    def at_border(self, keys: Sequence[Key]) -> Sequence[Key]:
        for key in keys:
            i, j = key[:2]
            one, other = (Side(place_of(self.actors[k].course, self.now), None, self.actors[k].ball, self.features(k)) for k in (i, j))
            links = tuple(by_parts(one, other, i, j, self.size(key)))
            if len(links) != 1 or not self._on_edge(links[0]):
                return ()
            points, normals = self.courses(key, links)
            self.put(key, replace(self.touch(key), time=self.now, points=points, normals=normals, proved=np.zeros(1, bool), face=None,
                                  links=links))
        return keys

    def grazing(self, key: Key, bracket: tuple[float, float]) -> Manifold | None:
        """Where curved bodies touch that meet so gently that they do so all through a bracket of time, but for a billionth of their size;
        None where it is not known.
        """
        parts, times, found = [self.features(k) for k in key[:2]], np.linspace(*bracket, _MOMENTS), list[Near]()
        if parts[0] is None or parts[1] is None or not followed(parts[0], parts[1]):
            return None
        for t in reversed(times.tolist()):
            try:
                one, other = (place_of(self.actors[k].course, t) for k in key[:2])
                found = between(parts[0], parts[1], one, other, self.size(key))
            except Lost:
                return None
            if not found or abs(min(near.gap for near in found)) > _SAME * self.size(key):
                return None
        i, j = key[:2]
        links = tuple(ContactConstraint((j, i) if near.turned else (i, j), near.contact)
                      for near in found if abs(near.gap) <= _SAME * self.size(key))
        points, normals = self.courses(key, links)
        return Manifold(self.now, points, normals, np.zeros(len(points), bool), None, links)

    @staticmethod
    def _on_edge(link: ContactConstraint) -> bool:
        contact = link.contact
        return isinstance(contact, OnSmooth) and max(contact.one.dimension, contact.other.dimension) < 2

    def look_closely(self, key: Key) -> None:
        """Contacts of curved surfaces are made only where bodies hardly part, or come together, or touch at more than a point, as solids
        may: others just bounce.
        """
        touch = self.touch(key)
        if touch.links or all(self.shape(k) is not None for k in key[:2]):
            return
        pull = max(float(np.linalg.norm(self.actors[k].gravity)) for k in key[:2])
        pull = max(pull, float(np.abs(self._accelerations(key)).max()), self._drift(key) ** 2 / self.size(key))
        several = len(touch.points) > 1 or any(isinstance(self.actors[k].rigid.outline, Solid) for k in key[:2])
        if several or np.abs(self.speeds(key)).min() <= _SLOWLY * math.sqrt(self.size(key) * pull) + _SAME * sum(map(self.pace, key[:2])):
            self.put(key, self.tracked(key, touch, True))

    def _hardly_part(self, key: Key) -> np.ndarray:
        """Also at those that part so slowly that they rise no higher than a billionth of the size, beside others."""
        found, speeds = super()._hardly_part(key), self.speeds(key)
        if found.any() and not found.all() and self.touch(key).links and self._pull(key) is None:
            found |= (speeds > 0.0) & (speeds * speeds <= 2.0 * float(np.abs(self.bends(key)).max()) * _FLAT * self.size(key))
        return found

    def bounces_end(self, key: Key, e: float) -> bool:
        """Or none of them would rise higher than a billionth of the size, of what rocks or turns."""
        if super().bounces_end(key, e):
            return True
        self.look_closely(key)
        touch = self.touch(key)
        if e >= 1.0 or not touch.links or self._steady_pull(key) is not None:
            return False
        speed = e * float(np.abs(self.speeds(key)).max())
        return speed * speed <= -2.0 * float(self.bends(key).min()) * _FLAT * self.size(key)
