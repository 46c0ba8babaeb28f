"""Where two bodies of corners, edges, flat faces and balls touch, as contacts that can be followed."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .forced import place_of
from .lookout import Key
from .touches import Touches, Touching
from .tracked.manifold import Link, Side, manifold
from .tracked.polyhedral import Polyhedral, polyhedral

# Against size: points that are one, and normals that are out by no more; bounces that rise no higher are none.
_SAME, _FLAT = 1e-9, 1e-9


class Linked(Touches):
    """Pairs that touch, with the contacts by which they are followed."""

    def shape(self, k: int) -> Polyhedral | None:
        actor = self.actors[k]
        middle = float(actor.middle[0]), float(actor.middle[1]), float(actor.middle[2])
        return polyhedral(actor.rigid.shape, middle) if actor.ball is None else None

    def links(self, key: Key, points: np.ndarray, normals: np.ndarray) -> tuple[Link, ...]:
        """The contacts in the planes of some points, with normals from the first body to the second; none where it is not known how to
        follow one of them.
        """
        i, j = key[:2]
        one, other = (Side(place_of(self.actors[k].course, self.now), self.shape(k), self.actors[k].ball) for k in (i, j))
        found: list[Link] = []
        for n in range(len(points)):
            if any(normals[m] @ normals[n] > 1.0 - _SAME for m in range(n)):
                continue
            own = manifold(i, j, one, other, points[n], -normals[n], self.size(key))
            if not own:
                return ()
            found += own
        return tuple(found)

    def tracked(self, key: Key, touch: Touching) -> Touching:
        """With the contacts that are tracked, if they are, and of bodies with corners at these."""
        links = self.links(key, touch.points, touch.normals)
        if not links or any(self.actors[k].ball is not None for k in key[:2]):
            return replace(touch, links=links)
        points, normals = self._courses(key, links)
        near = [np.linalg.norm(touch.points - p, axis=1) for p in points]
        proved = np.array([bool(e.min() <= _SAME * self.size(key) and touch.proved[np.argmin(e)]) for e in near])
        return replace(touch, points=points, normals=normals, proved=proved, links=links)

    def _courses(self, key: Key, links: Sequence[Link]) -> tuple[np.ndarray, np.ndarray]:
        """(k, 3): points of contacts, and normals from the first body to the second."""
        places = {k: place_of(self.actors[k].course, self.now) for k in key[:2]}
        found = [link.contact.course(*(places[b] for b in link.pair)) for link in links]
        signs = np.array([1.0 if link.pair[0] == key[1] else -1.0 for link in links])
        return np.array([c.point for c in found]), signs[:, None] * np.array([c.normal for c in found])

    def moved_touch(self, key: Key) -> Touching:
        """What still touches may be nowhere."""
        old = self.touching[key]
        if not old.links:
            return super().moved_touch(key)
        points, normals = self._courses(key, old.links)
        links = self.links(key, points, normals)
        if links:
            points, normals = self._courses(key, links)
        count = len(links)
        return replace(old, time=self.now, points=points[:count], normals=normals[:count], proved=np.zeros(count, bool), links=links)

    def bounces_end(self, key: Key, e: float) -> bool:
        """Or none of them would rise higher than a billionth of the size, of what rocks or turns."""
        if super().bounces_end(key, e):
            return True
        touch = self.touching[key]
        if e >= 1.0 or not touch.links or self._pull(key) is not None:
            return False
        pull = float(np.abs(self._accelerations(key)).max())
        speed = e * float(np.abs(self.speeds(key)).max())
        return speed * speed <= 2.0 * pull * _FLAT * self.size(key)
