"""A slice of the random assemblies; hours of it are ``python -m tests.sampled``."""

import pytest

import collide

from . import roots
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
