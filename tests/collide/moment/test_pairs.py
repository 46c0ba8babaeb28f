"""Tables of pairs against sets and dictionaries that list them all."""

import itertools

import numpy as np
import pytest

from collide import Start
from collide.moment.pairs import Pairs, Starts, count_in, pairs_in


def listed(single, groups):
    return {*single, *(pair for group in groups for pair in itertools.combinations(sorted(group), 2))}


@pytest.mark.parametrize("seed", range(8))
def test_pairs_and_groups_hold_what_a_set_of_their_pairs_does(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 14))
    every = [*itertools.combinations(range(count), 2)]
    single = [every[k] for k in rng.integers(0, len(every), rng.integers(0, 4))]
    groups = [rng.choice(count, min(count, 3 + k), replace=False).tolist() for k in range(rng.integers(0, 4))]
    pairs, expected = Pairs(count, single, groups), listed(single, groups)
    assert {pair for pair in every if pair in pairs} == expected and len(pairs) == len(expected) and bool(pairs) == bool(expected)
    assert pairs.holds(*np.array(every).T).tolist() == [pair in expected for pair in every]
    gone = [every[k] for k in rng.integers(0, len(every), rng.integers(0, 6))]
    pairs, expected = pairs.without(gone[:2]).without(gone[2:]), expected - set(gone)
    assert {pair for pair in every if pair in pairs} == expected and len(pairs) == len(expected) and bool(pairs) == bool(expected)
    assert pairs.holds(*np.array(every).T).tolist() == [pair in expected for pair in every]


def test_the_state_of_pairs_is_told_as_by_a_dictionary():
    """All that is read of a dictionary {(i, j): state}."""
    starts = Starts(5, Start.DISJOINT, Pairs(5, [(0, 3)], [(1, 2, 4)]))
    starts.others |= {(0, 1): Start.TOUCHING, (2, 3): Start.OVERLAPPING}
    whole = {pair: starts.others.get(pair, Start.DISJOINT) for pair in itertools.combinations(range(5), 2)
             if pair not in {(0, 3), (1, 2), (1, 4), (2, 4)}}
    assert starts == whole and whole == starts and dict(starts) == whole and len(starts) == len(whole)
    assert [*starts] == [*whole] and [*starts.items()] == [*whole.items()] and [*starts.values()] == [*whole.values()]
    assert starts[0, 1] is Start.TOUCHING and starts.get((0, 3)) is None and starts.get((0, 2)) is Start.DISJOINT
    assert starts.keys() & {(0, 1), (0, 3)} == {(0, 1)} and repr(starts) == repr(whole)
    for absent in ((0, 3), (1, 0), (1, 1), (0, 5), (-1, 2), "ab", 3, (0, 1, 2), (0.5, 1)):
        assert absent not in starts
        with pytest.raises(KeyError):
            starts[absent]
    for state in Start:
        assert [*pairs_in(starts, state)] == [*pairs_in(whole, state)] and count_in(starts, state) == count_in(whole, state)


def test_the_states_of_many_bodies_take_no_room():
    starts = Starts(100_000, Start.DISJOINT)
    starts.others[7, 8] = Start.TOUCHING
    assert len(starts) == 4_999_950_000 == count_in(starts, Start.DISJOINT) + 1 and starts[3, 99_999] is Start.DISJOINT
    assert [*pairs_in(starts, Start.TOUCHING)] == [(7, 8)] and len(repr(starts)) < 200
