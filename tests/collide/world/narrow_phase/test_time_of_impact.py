"""Every provider of times of impact obeys one suite; the referees are the distance of centres, and the axes of boxes at many times."""

import itertools
from typing import Any

import numpy as np
import pytest

from collide import RigidBody, World
from collide.world.motion.moving_body import MovingBody
from collide.world.narrow_phase import separating_planes, spheres
from collide.world.narrow_phase.time_of_impact import PROVIDERS, provider_of
from models.shapes.solids import box

from ..scenes import BALL, EGG, FLOOR, set_up

CORNERS = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
Body = dict[str, Any]


def boxes(rng: np.random.Generator) -> tuple[Body, Body]:
    one = {"shape": box(), "velocity": (1, 0.1, 0), "spin": rng.normal(size=3)}
    return one, {"shape": box(), "position": (2.5, *rng.uniform(-0.5, 0.5, 2)), "velocity": (-1, 0, 0), "spin": rng.normal(size=3)}


def balls(rng: np.random.Generator) -> tuple[Body, Body]:
    one = {"shape": BALL, "velocity": (1, 0.1, 0), "spin": (0, 1, 0)}
    return one, {"shape": BALL, "position": (3.5, *rng.uniform(-0.9, 0.9, 2)), "velocity": (-1, 0, 0)}


def ball_and_floor(rng: np.random.Generator) -> tuple[Body, Body]:
    return {"shape": FLOOR, "fixed": True}, {"shape": BALL, "position": (*rng.normal(size=2), 2.5), "velocity": (*rng.normal(size=2), -1.2)}


def gap_of_boxes(one: MovingBody, other: MovingBody, t: float) -> float:
    (first, second), turns = ([CORNERS @ a.course.turn_at(t).T + a.course.centre_at(t) for a in (one, other)],
                              [a.course.turn_at(t) for a in (one, other)])
    axes = [*turns[0].T, *turns[1].T, *np.cross(turns[0].T[:, None], turns[1].T[None]).reshape(-1, 3)]
    axes = np.array([e / np.linalg.norm(e) for e in axes if np.linalg.norm(e) > 1e-9])
    low, high = (first @ axes.T, second @ axes.T)
    return float(np.maximum(high.min(axis=0) - low.max(axis=0), low.min(axis=0) - high.max(axis=0)).max())


def gap_of_balls(one: MovingBody, other: MovingBody, t: float) -> float:
    return float(np.linalg.norm(one.course.centre_at(t) - other.course.centre_at(t))) - 2.0


def gap_over_floor(one: MovingBody, other: MovingBody, t: float) -> float:
    return float((other if one.rigid.fixed else one).course.centre_at(t)[2]) - 1.0


CASES = [(boxes, gap_of_boxes, separating_planes), (balls, gap_of_balls, spheres), (ball_and_floor, gap_over_floor, spheres)]


def actors(given: tuple[Body, Body]) -> tuple[MovingBody, MovingBody]:
    one, other = set_up(World([RigidBody(**body) for body in given], gravity=(0, 0, 0))).actors
    return one, other


@pytest.mark.parametrize(("made", "gap", "provider"), CASES)
@pytest.mark.parametrize("seed", range(4))
def test_no_bound_is_later_than_bodies_meet_and_the_order_does_not_matter(made: Any, gap: Any, provider: Any, seed: int) -> None:
    pair, window = actors(made(np.random.default_rng(seed))), (0.0, 2.0)
    assert provider_of(*pair) is provider is provider_of(*pair[::-1])
    times = np.linspace(*window, 4001)
    first = next((t for t in times if gap(*pair, t) < -1e-12), np.inf)
    for one, other in (pair, pair[::-1]):
        found = provider.parted(one, other, window)
        assert found.since == 0.0 and found.until <= first
        hit = provider.met(one, other, found, window[1], 0.5) if found.until < window[1] else None
        if hit is None:
            continue
        # It is the zero of the gap, which falls there.
        assert found.until <= hit.time[0] <= hit.time[1] <= first and first - hit.time[1] <= times[1]
        assert gap(one, other, hit.time[0] - 1e-9) > 0.0 > gap(one, other, hit.time[1] + 1e-6)
        assert hit.existence.all() and np.allclose(np.linalg.norm(hit.normals, axis=1), 1.0)
        assert hit.normals[0] @ (other.course.centre_at(hit.time[0]) - one.course.centre_at(hit.time[0])) > 0.0 or one.rigid.fixed


@pytest.mark.parametrize(("made", "gap", "provider"), CASES)
def test_some_impacts_are_proved(made: Any, gap: Any, provider: Any) -> None:
    found = []
    for seed in range(4):
        one, other = actors(made(np.random.default_rng(seed)))
        apart = provider.parted(one, other, (0.0, 2.0))
        found.append(apart.until < 2.0 and provider.met(one, other, apart, 2.0, 0.5) is not None)
    assert any(found)


def test_what_no_provider_accepts_is_searched() -> None:
    assert provider_of(*actors(({"shape": EGG}, {"shape": BALL, "position": (4, 0, 0)}))) is None and len(PROVIDERS) == 2
