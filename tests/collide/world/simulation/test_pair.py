"""The record of a pair: its transitions are pure functions, and the table of pairs undoes what a step changed, orders included."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest

from collide.moment.start import Start
from collide.world.simulation.event_queue import PairKey
from collide.world.simulation.pair import Manifold, Pair, PairState, PairTable

MANIFOLD = Manifold(0.5, np.zeros((1, 3)), np.eye(3)[:1], np.array([True]))
NEW = Pair()
HELD = [NEW.holds(state, (1, 2), None) for state in (PairState.BOUNCING, PairState.STEADY, PairState.FOLLOWED)]
ALL = [NEW, NEW.unsure(), NEW.parts(), NEW.parts().unsure(), NEW.touched(MANIFOLD).hits(), *HELD]


def test_a_pair_that_was_never_seen_is_separate_and_nothing_is_proved() -> None:
    assert NEW.start is Start.DISJOINT and NEW.until == -math.inf and NEW.motions is None and not NEW.held
    assert PairTable()[PairKey(0, 1)] == NEW


@pytest.mark.parametrize("pair", ALL)
def test_only_pairs_in_contact_for_a_while_are_held(pair: Pair) -> None:
    assert pair.held is (pair in HELD)
    assert pair.start is {PairState.PARTING: Start.TOUCHING, PairState.UNKNOWN: None}.get(pair.state, Start.DISJOINT)


@pytest.mark.parametrize("pair", ALL)
def test_a_hit_forgets_what_was_claimed_of_the_flight_before(pair: Pair) -> None:
    hit = pair.clear(3.0, (1, 2), 2.0).bounces((0.5, 1e-9)).hits()
    assert hit.state is PairState.TOUCHING
    assert (hit.until, hit.motions, hit.impact, hit.doubtful, hit.height) == (-math.inf, None, None, False, None)


def test_what_is_proved_ends_with_the_motions_it_is_of() -> None:
    proved = NEW.clear(3.0, (1, 2), 2.5).apart_from(1.0)
    assert (proved.until, proved.motions, proved.impact, proved.apart_at) == (3.0, (1, 2), 2.5, 1.0)
    assert proved.moved_otherwise() == NEW and proved.clear(4.0, (1, 2)).impact is None


def test_doubt_about_a_parting_pair_counts_once_it_is_apart() -> None:
    assert NEW.parts().separates().state is PairState.SEPARATE
    assert NEW.parts().unsure().state is PairState.PARTING and NEW.parts().unsure().separates() == NEW.unsure()
    assert NEW.unsure().parts().separates() == NEW.unsure()
    assert NEW.parts().unsure().sure().separates() == NEW == NEW.unsure().sure() == NEW.separates()


@pytest.mark.parametrize("held", HELD)
def test_what_was_held_is_asked_anew_once_it_parts(held: Pair) -> None:
    gone = held.touched(MANIFOLD).lets_go(9.81)
    assert (gone.state, gone.pull, gone.manifold, gone.motions, gone.until) == (PairState.PARTING, 9.81, None, None, -math.inf)
    assert held.leaves(0.0).pull is None and held.pulled(3.0).leaves(0.0).pull == 3.0
    assert held.goes_on((3, 4)) == held._replace(motions=(3, 4))


def test_a_pair_in_flight_keeps_what_is_proved_as_it_parts() -> None:
    assert NEW.clear(3.0, (1, 2)).parts().until == 3.0


def test_the_orders_follow_the_states() -> None:
    pairs = PairTable()
    for key in (PairKey(2, 3), PairKey(0, 1), PairKey(1, 2)):
        pairs[key] = pairs[key].touched(MANIFOLD).holds(PairState.STEADY, (0, 0), None)
    pairs[PairKey(0, 1)] = pairs[PairKey(0, 1)].hits()
    assert [*pairs.held] == [(2, 3, -1), (1, 2, -1)] and [*pairs.touched] == [(2, 3, -1), (0, 1, -1), (1, 2, -1)] and not pairs.followed
    pairs[PairKey(0, 1)] = pairs[PairKey(0, 1)].holds(PairState.BOUNCING, (0, 0), None)
    assert [*pairs.held] == [(2, 3, -1), (1, 2, -1), (0, 1, -1)] and pairs.manifold(PairKey(0, 1)) is MANIFOLD


MOVES: list[Callable[[Pair], Pair]] = [
    Pair.unsure, Pair.sure, Pair.parts, Pair.separates, Pair.hits, Pair.moved_otherwise, lambda p: p.touched(MANIFOLD),
    lambda p: p.touched(None), lambda p: p.clear(2.0, (1, 1)), lambda p: p.holds(PairState.STEADY, (1, 1), None),
    lambda p: p.holds(PairState.FOLLOWED, (1, 1), None), lambda p: p.lets_go(1.0), lambda p: p.bounces((0.5, 0.0)),
]  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_a_step_is_undone_whatever_it_did(seed: int) -> None:
    rng, pairs, keys = np.random.default_rng(seed), PairTable(), [PairKey(i, j) for i, j in itertools.combinations(range(4), 2)]

    def some(count: int) -> None:
        for _ in range(count):
            key = keys[rng.integers(len(keys))]
            pairs[key] = MOVES[rng.integers(len(MOVES))](pairs[key])

    some(30)
    pairs.mark()
    known = dict(pairs), [*pairs.held], [*pairs.touched], [*pairs.followed]
    for _ in range(2):
        some(30)
        assert {*pairs.held} == {key for key, p in pairs.items() if p.held}
        assert {*pairs.touched} == {key for key, p in pairs.items() if p.manifold is not None}
        pairs.undo()
        assert (dict(pairs), [*pairs.held], [*pairs.touched], [*pairs.followed]) == known
