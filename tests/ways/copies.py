"""Copies of bodies and of objects that go on from step to step, made at random moments: answers are the same to the bit.

An object and its twin get the same questions. The twin is replaced by a copy of itself now and then, and the one left behind is asked
something else, which must change nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import collide
from generative import Rigid, t

from ..copied import WAYS, asked_run, ball, plain, square
from .shapes import Draw

STEPS = 12
COPIES = [make for way, make in WAYS.items() if way not in ("pickle 0", "pickle 1")]


def copied(value: Any, d: Draw) -> Any:
    return d.choice(COPIES)(value)


@dataclass(frozen=True)
class Kept:
    """An object `made` twice, and questions to it, one after the other."""

    kind: str
    seed: int
    make: Callable[[], Any] = field(repr=False)
    questions: tuple[Callable[[Any], Any], ...] = field(repr=False)

    @property
    def name(self) -> str:
        return f"{self.kind}:{self.seed}"


def kept(kind: str, seed: int) -> Kept:
    numbers = np.random.default_rng(seed)
    make, questions = KINDS[kind](numbers)
    return Kept(kind, seed, make, tuple(questions))


def wrong(case: Kept) -> list[str]:
    """Where copies answer otherwise."""
    d, one, other, found = Draw(case.name), case.make(), case.make(), list[str]()
    for k, question in enumerate(case.questions):
        if d.random() < 0.4:
            left, other = other, copied(other, d)
            if d.random() < 0.7:
                d.choice(case.questions)(left)
            if d.random() < 0.3:
                d.choice(case.questions)(copied(other, d))
        if plain(question(one)) != plain(question(other)):
            found.append(f"question {k} to a copy has another answer")
    return found


# -- the kinds -----------------------------------------------------------------------------------------------------------------


Numbers = np.random.Generator
Made = tuple[Callable[[], Any], list[Callable[[Any], Any]]]


def poses(numbers: Numbers, far: float) -> list[np.ndarray]:
    """A body that wanders; sometimes it jumps."""
    place, turn, found = numbers.normal(size=3) * far, numbers.normal(size=4), []
    for _ in range(STEPS):
        step = 1.0 if numbers.random() < 0.1 else 0.05
        place, turn = place + step * numbers.normal(size=3), turn + step * numbers.normal(size=4)
        w, x, y, z = turn / np.linalg.norm(turn)
        pose = np.eye(4)
        pose[:3, :3] = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
        pose[:3, 3] = place
        found.append(pose)
    return found


def soup(numbers: Numbers) -> collide.Mesh:
    n = int(numbers.integers(4, 40))
    return collide.Mesh(numbers.normal(size=(n, 3)), np.array([numbers.permutation(n)[:3] for _ in range(2 * n)]))


def hull(numbers: Numbers) -> collide.Mesh:
    return soup(numbers).hull().mesh


def near(numbers: Numbers) -> Made:
    first, second, distance = soup(numbers), soup(numbers), float(numbers.choice([0.0, 0.25, 2.0]))
    asked = [lambda o, a=a, b=b, seek=seek: o.nearest(a, b) if seek else o.update(a, b)
             for a, b, seek in zip(poses(numbers, 1.0), poses(numbers, 2.0), numbers.random(STEPS) < 0.4, strict=True)]
    return lambda: collide.Near(first, second, distance), asked


def closest(numbers: Numbers) -> Made:
    first, second = hull(numbers), hull(numbers)
    if numbers.random() < 0.3:
        motions, times = (Rigid(), Rigid(translation=[t - 4, t / 3, 0])), numbers.uniform(0, 8, STEPS)
        return lambda: collide.Closest(first, second, motions), [lambda o, s=s: _pair(o.at(s)) for s in times.tolist()]
    asked = [lambda o, a=a, b=b: (_pair(o.at(a, b)), o.distances([a, b], [b, a])) for a, b in
             zip(poses(numbers, 1.0), poses(numbers, 3.0), strict=True)]
    return lambda: collide.Closest(first, second), asked


def _pair(found: Any) -> Any:
    return found.features, found.distance, found.valid_until, found.points, found.depth


def boxes(numbers: Numbers) -> Made:
    n = int(numbers.integers(1, 200))
    corners, sizes, places = numbers.normal(size=(n, 3)) * 4, numbers.uniform(0, 2, (n, 3)), []
    for _ in range(STEPS + 1):
        corners = corners + numbers.choice([0.01, 0.3, 5.0], p=[0.5, 0.4, 0.1]) * numbers.normal(size=(n, 3))
        places.append(np.stack([corners, corners + sizes], axis=-1))
    return lambda: collide.SweepAndPrune(places[0]), [lambda o, at=at: (o.update(at), o.pairs, o.boxes) for at in places[1:]]


def index(numbers: Numbers) -> Made:
    mesh = hull(numbers)
    asked = [lambda o, p=numbers.normal(size=(20, 3)): o.classify(np.concatenate([p, o.mesh.arrays[0]])) for _ in range(STEPS // 2)]
    asked += [lambda o, q=numbers.normal(size=(5, 2, 3)): o.classify_segments(q) for _ in range(STEPS // 2)]
    return lambda: collide.Index(mesh), asked


def world(numbers: Numbers) -> Made:
    at, speed, spin = numbers.uniform(-0.5, 0.5, (2, 3)), numbers.normal(size=(2, 3)), numbers.normal(size=(2, 3))
    bodies = [collide.RigidBody(ball(0.25), position=place + [2 * k, 0, 0], velocity=way, spin=turn)
              for k, (place, way, turn) in enumerate(zip(at, speed, spin, strict=True))]
    given = collide.World([*bodies, collide.RigidBody(square(-1), fixed=True)], restitution=0.5)
    return lambda: given, [lambda o: asked_run(o.run(until=1.0))] * 2


def run(numbers: Numbers) -> Made:
    make, _ = world(numbers)
    certified = bool(numbers.random() < 0.3)
    return lambda: make().run(until=1.0, certified=certified), [
        asked_run, *(lambda o, s=s: (o.energy(s * o.until), vars(o.state(s * o.until))) for s in numbers.uniform(0, 1, STEPS).tolist())]


KINDS: dict[str, Callable[[Numbers], Made]] = {
    "kept_near": near, "kept_closest": closest, "kept_boxes": boxes, "kept_index": index, "kept_world": world, "kept_run": run,
}  # fmt: skip
