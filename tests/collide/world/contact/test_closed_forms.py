"""All kinds of contact obey one suite: rates are those of the points, normals and gaps, and many states at once are each of them."""

import functools
from typing import Any

import numpy as np
import pytest

from collide import RigidBody, World
from collide.world.contact.closed_forms import ContactGeometry, OnBall, OnEdge, OnFace
from collide.world.contact.tracked_pair import OnSmooth
from collide.world.motion.rotation import about
from collide.world.motion.state import BodyState
from collide.world.shapes.simple import Flat
from collide.world.simulation.event_queue import PairKey

from ..scenes import EGG, FLOOR

Given = tuple[ContactGeometry, BodyState, BodyState]
SQUARE = np.array([[[-9.0, -9, 0], [9, -9, 0]], [[9, -9, 0], [9, 9, 0]], [[9, 9, 0], [-9, 9, 0]], [[-9, 9, 0], [-9, -9, 0]]])
UP = Flat(np.array([0.0, 0, 1]), 0.0, SQUARE)


def state(rng: np.random.Generator, centre: Any = (0, 0, 0), turned: float = 0.2) -> BodyState:
    axis = rng.normal(size=3)
    return BodyState(np.array(centre, float), about(axis / np.linalg.norm(axis), turned), *rng.normal(size=(2, 3)))


def corner_on_face(rng: np.random.Generator) -> Given:
    return OnFace(np.array([0.3, 0.2, -1.0]), 0.0, UP), state(rng, (0, 0, 1.2)), state(rng)


def ball_on_face(rng: np.random.Generator) -> Given:
    return OnFace(np.array([0.3, 0.2, 0.1]), 0.5, UP), state(rng, (0, 0, 1.2)), state(rng)


def balls(rng: np.random.Generator) -> Given:
    return OnBall(np.array([0.1, 0, 0.2]), 0.5, np.array([0, 0.3, 0.1]), 0.75), state(rng, (0.3, 0.5, 1.5)), state(rng)


def edges(rng: np.random.Generator) -> Given:
    one, other = np.array([[-1.0, 0, -0.1], [1, 0.2, -0.1]]), np.array([[0.1, -1.0, 0], [0, 1, 0.1]])
    contact, first, second = OnEdge(one, other, 1.0), state(rng, (0, 0, 0.3)), state(rng)
    # The rates of its point are those where the edges touch.
    found = contact.course(first, second)
    return contact, first._replace(centre=first.centre - found.gap * found.normal), second


@functools.cache
def rolling() -> tuple[ContactGeometry, Any]:
    egg = RigidBody(EGG, position=(0, 0, 0.5), spin=(0.3, 1, 0.2))
    simulation = World([RigidBody(FLOOR, fixed=True), egg], friction=0.9, restitution=0.0).run(until=0.01).simulation
    (kept,) = simulation.pairs[PairKey(0, 1)].constraints
    return kept.link.contact, [simulation.actors[k].course.places(np.array([0.01])).of(0) for k in kept.link.pair]


def egg_on_floor(rng: np.random.Generator) -> Given:
    contact, (one, other) = rolling()
    return contact.again(), *(BodyState(p.centre, p.turn, *rng.normal(size=(2, 3))) for p in (one, other))


KINDS = [corner_on_face, ball_on_face, balls, edges, egg_on_floor]


def later(s: BodyState, h: float) -> BodyState:
    speed = float(np.linalg.norm(s.spin))
    return s._replace(centre=s.centre + h * s.velocity, turn=about(s.spin / speed, h * speed) @ s.turn)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_rates_are_those_of_point_normal_and_gap(kind: Any, seed: int) -> None:
    contact, one, other = kind(np.random.default_rng(seed))
    now, h = contact.course(one, other), 1e-5
    after, before = (contact.course(later(one, e), later(other, e)) for e in (h, -h))
    np.testing.assert_allclose((after.point - before.point) / (2 * h), now.moving, atol=1e-7)
    np.testing.assert_allclose((after.normal - before.normal) / (2 * h), now.turning, atol=1e-7)
    speed = now.normal @ (one.at(now.point + now.gap * now.normal) - other.at(now.point))
    assert (after.gap - before.gap) / (2 * h) == pytest.approx(speed, abs=1e-7)
    assert np.linalg.norm(now.normal) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_many_states_at_once_are_each_of_them(kind: Any) -> None:
    contact, one, other = kind(np.random.default_rng(7))
    times = [0.0, 1e-3, 2e-3]
    many = [BodyState(*(np.stack(e) for e in zip(*(later(s, t) for t in times), strict=True))) for s in (one, other)]
    together, beyond = contact.course(*many), contact.outside(*many)
    for k, t in enumerate(times):
        alone = contact.course(later(one, t), later(other, t))
        for a, b in zip(together, alone, strict=True):
            np.testing.assert_allclose(a[k], b, atol=1e-12)
        assert beyond[k] == pytest.approx(contact.outside(later(one, t), later(other, t)), abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_contact_is_found_again(kind: Any) -> None:
    contact, one, other = kind(np.random.default_rng(11))
    known, again = contact.course(one, other), contact.again()
    for a, b in zip(again.course(one, other), known, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)
    assert contact.tracked is again.tracked is isinstance(contact, OnSmooth)
    assert not contact.flattens(one, other) and len(contact.lying) == 0 and contact.outside(one, other) <= 0.0
