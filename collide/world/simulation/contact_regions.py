"""Contact regions of a run: the connected parts in which bodies that stay in contact touch, with numbers that they keep.

Of two bodies of flat faces the contacts are in one region if a straight way from one to another is in a face of each. All contacts of other
bodies are one region.
"""

from collections.abc import Sequence

import numpy as np

from ...answers.contact_regions import Footprint
from ..contact.closed_forms import OnEdge, OnFace
from ..contact.manifold import ContactConstraint
from ..motion.polynomial import place_of
from ..motion.state import BodyState
from ..shapes.polyhedral import Polyhedral
from ..shapes.simple import Flat, outside
from .contact_sides import shape_of
from .event_queue import PairKey
from .pair import Manifold, PairState
from .state import ContactRegion, Simulation

# Against size: how far a contact may be from a plane, since it is known for some time within the bracket of a hit; and from a border.
_NEAR = 1e-7

Pair = tuple[int, int]


def note(s: Simulation) -> None:
    """Note the regions of pairs whose contact has changed in a step."""
    changed = sorted({key.bodies for key in s.pairs.changed})
    s.pairs.changed.clear()
    for pair in changed:
        held = [key for key in s.pairs.held if key.bodies == pair and s.pairs[key].state is not PairState.BOUNCING]
        touches = [s.touch(key) for key in held if s.pairs[key].manifold is not None]
        if held or pair in s.regions:
            known, points = footprints(s, pair, touches) if held else ([], [])
            state, found = s.regions[pair].onward(known, s.now, len(s.region_begins))
            born = sorted((n, k) for k, n in enumerate(state.numbers) if n >= len(s.region_begins))
            s.region_begins += [ContactRegion(n, pair, s.now, None, points[k]) for n, k in born]
            s.region_changes += found
            s.regions[pair] = state


def footprints(s: Simulation, pair: Pair, touches: Sequence[Manifold]) -> tuple[list[Footprint], list[np.ndarray]]:
    """The regions of a pair that stays in contact, and their points (k, 3)."""
    links, shapes = [link for touch in touches for link in touch.links], [shape_of(s, k) for k in pair]
    if shapes[0] is None or shapes[1] is None or not links or not all(map(_straight, links)):
        # Curved contacts remember where they were found last: they are not asked here.
        points = np.concatenate([np.empty((0, 3)), *(touch.points for touch in touches)])
        return [Footprint(frozenset({pair}), frozenset({pair}))], [points]
    places = {k: place_of(s.actors[k].course, s.now) for k in pair}
    points = np.array([link.contact.course(*(places[b] for b in link.pair)).point for link in links])
    near = _NEAR * s.size(PairKey(*pair))
    sides = [_Side(shape, places[k], points, near) for k, shape in zip(pair, (shapes[0], shapes[1]), strict=True)]
    label = _label(len(links), sides)
    found = [np.flatnonzero(label == k).tolist() for k in np.unique(label)]
    return [Footprint(frozenset(_key(links[k]) for k in own), frozenset(e for k in own for e in sides[0].pairs(sides[1], k)))
            for own in found], [points[own] for own in found]


def _straight(link: ContactConstraint) -> bool:
    contact = link.contact
    return isinstance(contact, OnEdge) or (isinstance(contact, OnFace) and contact.radius == 0.0)


def _key(link: ContactConstraint) -> tuple[object, ...]:
    contact = link.contact
    if isinstance(contact, OnEdge):
        return (*link.pair, contact.edge.tobytes(), contact.other_edge.tobytes())
    assert isinstance(contact, OnFace)
    return (*link.pair, contact.point.tobytes(), contact.face.cells)


def _label(count: int, sides: Sequence["_Side"]) -> np.ndarray:
    """(count,): the least number of the contacts in one region."""
    label = np.arange(count)
    for p in range(count):
        for q in range(p):
            if label[p] != label[q] and all(side.joined(p, q) for side in sides):
                low, high = sorted((label[p], label[q]))
                label[label == high] = low
    return label


class _Side:
    """The faces of a body at contacts, in its own frame."""

    def __init__(self, shape: Polyhedral, place: BodyState, points: np.ndarray, near: float) -> None:
        self.faces, self.points, self.near = shape.faces, (points - place.centre) @ place.turn, near
        heights = self.points @ np.array([f.normal for f in shape.faces]).T - np.array([f.level for f in shape.faces])
        self.at = [[int(f) for f in np.flatnonzero(np.abs(row) <= near) if outside(shape.faces[f], p) <= near]
                   for row, p in zip(heights, self.points, strict=True)]

    def pairs(self, other: "_Side", k: int) -> list[Pair]:
        """The faces of both bodies at a contact."""
        return [(f, g) for f in self.at[k] for g in other.at[k]]

    def joined(self, p: int, q: int) -> bool:
        """Whether a face holds the straight way between two contacts."""
        return any(_holds(self.faces[f], self.points[p], self.points[q], self.near) for f in self.at[p] if f in self.at[q])


def _holds(face: Flat, p: np.ndarray, q: np.ndarray, near: float) -> bool:
    """Whether a segment in the plane of a face is in it: so are the middles of the parts that its border cuts it into."""
    way = q - p
    if not len(face.border) or way @ way <= near * near:
        return True
    across = np.cross(face.normal, way)
    a, b = face.border[:, 0], face.border[:, 1]
    left, right = (a - p) @ across, (b - p) @ across
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = a + (left / (left - right))[:, None] * (b - a)
    cuts = np.concatenate([crossing[left * right < 0.0], a, b])
    at = np.sort(np.clip(np.concatenate([[0.0, 1.0], (cuts - p) @ way / (way @ way)]), 0.0, 1.0))
    middles = p + ((at[1:] + at[:-1]) / 2.0)[:, None] * way
    return bool((outside(face, middles) <= near).all())
