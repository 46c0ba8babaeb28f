"""A slice of the random assemblies; hours of it are ``python -m tests.sampled``."""

from dataclasses import replace

import numpy as np
import pytest

import collide
from collide.world.simulation import low_bounces

from . import kept, meanings, roots, switches, worlds
from .compared import Scene, wrong
from .convex import Convex, depth
from .poses import poses
from .worlds import turned


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


@pytest.mark.parametrize("seed", [7, 12, 40, 62])
def test_derivatives_at_switches_hold_their_limits_from_each_side(seed: int) -> None:
    assert switches.compared("switches", seed, 60) == ("looked at", [])


@pytest.mark.parametrize("kind", meanings.KINDS)
def test_no_solution_is_lost_by_a_narrow_reading(kind: str) -> None:
    for seed in (0, 1, 2):
        assert meanings.compared(kind, seed, 5)[1] == []


@pytest.mark.parametrize("seed", [7, 9])
def test_bodies_that_another_one_lets_go_when_it_is_hit_do_not_go_on_as_they_did(seed: int) -> None:
    """They moved by one solution, which ends with the hit."""
    assert not list(kept.wrong(kept.world(seed).run(until=1.0, budget=60)))


def test_bodies_that_rise_from_others_just_as_these_hit_something_are_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """They moved by one solution; one of three blocks fell through the floor, as long as such slips counted as none."""
    monkeypatch.setattr(low_bounces, "_SLIP", 1e-6)
    run = kept.dominoes(5).run(until=0.61, budget=120)
    assert run.outcome is collide.Outcome.FINISHED and not list(kept.wrong(run))


def test_a_body_that_hops_along_another_one_comes_down_on_it() -> None:
    """An egg that a block hit from the side, where gravity does not draw them together, but the spin of the egg does."""
    run = kept.world(99).run(until=1.1195, budget=120)
    assert run.outcome is collide.Outcome.FINISHED and not list(kept.wrong(run))


def test_slow_slips_are_stopped_by_friction_alone() -> None:
    run = kept.dominoes(8).run(until=1.8835, budget=120)
    assert run.outcome is collide.Outcome.FINISHED and not list(kept.wrong(run))


def test_a_ball_that_is_hit_so_that_it_hops_comes_down_again() -> None:
    """A rocking body hits a rolling ball, and leans on it while it hops by less than a billionth of its size."""
    ball = {"position": (4.420534128, 0.169033127, 0.5), "velocity": (0.174437517, 0.22135463, 0), "mass": 0.712716695,
            "spin": (-0.44270926, 0.348875034, 0.866606818)}
    q = np.array([-0.350969734, 0.467890961, 0.718408897, 0.37654608])
    q = q / np.linalg.norm(q)
    egg = {"position": (3.566703484, -0.309448801, kept.reach(kept.EGG, turned(q).T @ [0, 0, -1])), "orientation": q, "mass": 0.444837714,
           "velocity": (0.163665625, 0.326199193, -0.071628788), "spin": (-0.40064128, 0.111300087, -0.409143703)}
    bodies = [collide.RigidBody(kept.FLOOR, fixed=True), collide.RigidBody(kept.BALL, **ball), collide.RigidBody(kept.EGG, **egg)]
    run = collide.World(bodies, gravity=kept.GRAVITY, restitution=0.5, friction=0.6).run(until=0.002)
    now = poses(run, np.linspace(0.0, 0.002, 500))
    assert run.outcome is collide.Outcome.FINISHED and any((e.pairs == [1, 2]).all(axis=1).any() for e in run.events)
    assert not [*kept.deep(now), *kept.lively(now), *kept.pushed(now)]


def test_a_sliding_block_whose_other_edge_hardly_rises_when_one_lands_is_not_pulled_down() -> None:
    """It leans on one edge while the other one rises by less than a billionth of its size, and lands; then the first one goes up."""
    up = 8e-5
    block = collide.RigidBody(kept.block(0.5, 0.5, 1), position=(0, 0, 0.5), velocity=(up, 1, up / 2), spin=(0, 2 * up, 0))
    world = collide.World([collide.RigidBody(kept.FLOOR, fixed=True), block], gravity=kept.GRAVITY, restitution=0.5, friction=0.2)
    run = world.run(until=2e-4)
    assert run.outcome is collide.Outcome.FINISHED and run.events and not list(kept.wrong(run))


def test_what_is_wrong_with_a_run_in_contact_is_seen() -> None:
    bodies = [collide.RigidBody(kept.FLOOR, fixed=True), collide.RigidBody(kept.BALL, position=(0, 3, 0.5), velocity=(1, 0, 0)),
              collide.RigidBody(kept.block(1, 1, 1), position=(0, 0, 0.5), velocity=(1, 0, 0)),
              collide.RigidBody(kept.block(1, 1, 1), position=(1.01, 0, 0.5), velocity=(0.9, 0, 0))]
    run = collide.World(bodies, gravity=kept.GRAVITY, restitution=0.0, friction=0.2).run(until=0.2)
    now = poses(run, np.linspace(0.0, 0.2, 50))
    assert not list(kept.wrong(run)) and not [*kept.deep(now), *kept.lively(now), *kept.pushed(now)]
    late, down, along = (now.times > 0.1)[:, None, None], np.array([0, 0, 2e-9]), np.array([1.0, 0, 0])
    of_first, of_second = (np.arange(4)[:, None] == k for k in (2, 3))
    assert "the floor" in " ".join(kept.deep(replace(now, centres=now.centres - of_first * down)))
    closer = now.centres[:, 2, :1] + 1.0 - 2e-9 - now.centres[:, 3, :1]
    assert "bodies 2 and 3" in " ".join(kept.deep(replace(now, centres=now.centres + of_second * closer[:, None] * along)))
    assert [*kept.lively(replace(now, velocities=now.velocities * (1 + 0.02 * late)))]
    assert "friction" in " ".join(kept.pushed(replace(now, velocities=now.velocities - 0.1 * late * along)))
    assert "pulls" in " ".join(kept.pushed(replace(now, velocities=now.velocities - 0.1 * late * [0, 0, 1])))


def test_planes_part_bodies_that_are_apart() -> None:
    """Along a random direction, by a billionth or less than nothing."""
    rng = np.random.default_rng(3)
    for round_ in ((False, False), (False, True), (True, True)):
        sizes, ways = rng.uniform(0.2, 0.8, (2, 3)), rng.normal(size=(200, 3))
        one, other = (Convex(e, kind) for e, kind in zip(sizes, round_, strict=True))
        turns = [np.array([turned(q / np.linalg.norm(q)) for q in rng.normal(size=(200, 4))]) for _ in (0, 1)]
        ways /= np.linalg.norm(ways, axis=1)[:, None]
        # The points of both that are furthest that way lie on one line along it.
        furthest = [turn @ (shape.sizes**2 * own / np.linalg.norm(shape.sizes * own, axis=1)[:, None] if shape.round else
                            shape.sizes * np.sign(own))[..., None]
                    for shape, turn, own in zip((one, other), turns, ((ways[:, None] @ t)[:, 0] for t in turns), strict=True)]
        for gap, apart in ((1e-9, True), (-1e-6, False)):
            q = (furthest[0] + furthest[1])[..., 0] + gap * ways
            deep = depth(one, other, np.zeros((200, 3)), turns[0], q, turns[1])
            assert (deep < 0).all() if apart else (deep > 0).all() and (deep < 1.1e-6).all()


def test_slips_run_out_where_nothing_but_a_bend_draws_bodies_together() -> None:
    """An egg in a ring, without gravity: no slip counted as none there, and ever shorter steps came ever nearer to its end."""
    run = worlds.world(357).run(until=2.2, budget=120)
    assert run.outcome is collide.Outcome.FINISHED and run.rests and not list(worlds.wrong(run))
