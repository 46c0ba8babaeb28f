"""A slice of the random assemblies; hours of it are ``python -m tests.sampled``."""

import pytest

import collide

from . import kept, roots
from .compared import Scene, wrong


@pytest.mark.parametrize("seed", [1, 2])
def test_what_is_claimed_of_a_mixed_scene_agrees_with_samples(seed: int) -> None:
    scene = Scene("mixed", seed)
    answer = scene.asked(60)
    assert answer.status in (collide.Status.CONTACT, collide.Status.NO_CONTACT) and wrong(scene, answer) == []


def test_samples_see_a_contact_that_is_missed_and_one_that_is_none() -> None:
    scene = Scene("mixed", 1)
    answer = scene.asked(60)
    assert answer.status is collide.Status.CONTACT
    assert list(scene.overlaps(1.0)), "bodies that meet go on into each other"
    scene.flights = [flight._replace(rate=flight.rate + 1) for flight in scene.flights]
    assert list(scene.beside(answer)), "bodies that turn otherwise are not where it says"


@pytest.mark.parametrize("kind", roots.KINDS)
def test_distances_agree_with_roots(kind: str) -> None:
    for seed in (0, 1):
        assert roots.compared(kind, seed, 60) == ("MEASURED", [])


@pytest.mark.parametrize("seed", [7, 9])
def test_bodies_that_another_one_lets_go_when_it_is_hit_do_not_go_on_as_they_did(seed: int) -> None:
    """They moved by one solution, which ends with the hit."""
    assert not list(kept.wrong(kept.world(seed).run(until=1.0, budget=60)))
