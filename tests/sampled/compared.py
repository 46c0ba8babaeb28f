"""Claims about a scene of drawn bodies, against samples: a contact before `clear_until`, or where no surfaces are, is an error."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np

import collide

from .drawn import OTHERS, Array, Flight, Shape, combined, flights

MOMENTS, POINTS = 200, 6000
# So deep in both bodies a sample is no rounding; so near their surfaces is a contact.
DEEP, NEAR = 1e-6, 1e-6


class Scene:
    """Drawn bodies and their flights in the times from 0 to 1."""

    def __init__(self, kind: str, seed: int) -> None:
        rng = np.random.default_rng([seed, *kind.encode()])
        if kind == "combined":
            shapes = [combined(rng, int(rng.integers(2, 41))), OTHERS[rng.integers(len(OTHERS))](rng)]
        else:
            shapes = [combined(rng, int(rng.integers(2, 5))) if rng.random() < 0.2 else OTHERS[rng.integers(len(OTHERS))](rng)
                      for _ in range(int(rng.integers(2, 6)))]
        self.shapes: list[Shape] = shapes
        self.flights: list[Flight] = flights(rng, [s.radius for s in shapes])
        self.samples = [sampled(rng, s) for s in shapes]

    def asked(self, budget: float, log: Path | None = None) -> collide.Contacts:
        bodies = [s.body.moved(f.motion) for s, f in zip(self.shapes, self.flights, strict=True)]
        return collide.first_contact(bodies, time=(0, 1), budget=budget, log=log)

    def depth(self, i: int, j: int, moment: float) -> float:
        """How deep samples of one body are in both, at most; negative where none is in both."""
        found = -np.inf
        for a, b in ((i, j), (j, i)):
            own = self.samples[a]
            inside = self.shapes[b].inside(self.flights[b].local(self.flights[a].world(own, moment), moment))
            found = max(found, float(-np.maximum(inside, self.shapes[a].inside(own)).min(initial=np.inf)))
        return found

    def overlaps(self, until: float) -> Iterator[str]:
        """Samples before a time that are in two bodies."""
        for moment in np.linspace(0, until, MOMENTS)[:-1]:
            for i, j in combinations(range(len(self.shapes)), 2):
                reach = self.shapes[i].radius + self.shapes[j].radius
                if np.linalg.norm(self.flights[i].world(np.zeros(3), moment) - self.flights[j].world(np.zeros(3), moment)) < reach:
                    deep = self.depth(i, j, moment)
                    if deep > DEEP:
                        yield f"bodies {i} and {j} overlap by {deep:.3g} at t = {moment:.6f}, before {until!r}"
                        return

    def beside(self, answer: collide.Contacts) -> Iterator[str]:
        """Contacts that are on no surface."""
        for point, (i, j), box, names in zip(answer.points, answer.pairs, answer.boxes, answer.variables, strict=True):
            times = np.asarray(box)[list(names).index("t")]
            for k in (i, j):
                off = abs(float(self.shapes[k].inside(self.flights[k].local(np.asarray(point)[None], float(np.mean(times))))[0]))
                if not off < NEAR + 4 * float(np.ptp(times)):
                    yield f"the contact {point} of bodies {i} and {j} is {off:.3g} off body {k}"


def sampled(rng: np.random.Generator, shape: Shape) -> Array:
    """Points of a body: on its surface, and within."""
    points = rng.uniform(-shape.radius, shape.radius, (POINTS, 3))
    inner = points[shape.inside(points) < 0]
    return np.concatenate([inner[::4], boundary(rng, shape, POINTS)])


def boundary(rng: np.random.Generator, shape: Shape, count: int) -> Array:
    """Points just inside a body, on its surface: halving between points inside and outside, of so many in a cube, ends there."""
    points = rng.uniform(-shape.radius, shape.radius, (count, 3))
    values = shape.inside(points)
    inner, outer = points[values < 0], points[values > 0]
    count = min(len(inner), len(outer))
    lo, hi = inner[:count].copy(), outer[:count].copy()
    for _ in range(40):
        middle = (lo + hi) / 2
        within = shape.inside(middle) < -2 * DEEP
        lo[within], hi[~within] = middle[within], middle[~within]
    return lo


def wrong(scene: Scene, answer: collide.Contacts) -> Sequence[str]:
    found = [*scene.overlaps(float(answer.clear_until)), *scene.beside(answer)]
    if answer.time is not None and answer.status is collide.Status.CONTACT and not len(answer):
        found.append("a contact without a point")
    return found
