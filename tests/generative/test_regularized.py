"""Trees with the right sign everywhere, against all signs near a place: the sign of a regularized set is that of all sectors round it."""

import itertools
import random

import pytest

from generative.regularized import Node, Trees, Untold

CHAINS = [[1, 2, 3], [4], [5, 6], [7]]


def random_tree(trees, rng, count):
    if count == 1:
        return rng.choice([-1, 1]) * rng.randint(1, 7)
    first = rng.randint(1, count - 1)
    return trees._node(rng.random() < 0.5, (random_tree(trees, rng, first), random_tree(trees, rng, count - first)))


def sign(tree, signs):
    """Of unions the least, of intersections the greatest: signs of the functions, by their numbers, are -1 inside, 1 outside, 0."""
    if isinstance(tree, bool):
        return -1 if tree else 1
    if isinstance(tree, int):
        return signs[abs(tree)] if tree > 0 else -signs[-tree]
    return (min if tree.union else max)(sign(child, signs) for child in tree.children)


def places():
    """All signs that surfaces can have together: of a chain the earlier sets are within the later ones, and one at most is 0."""
    def of(chain):
        for inside in range(len(chain) + 1):
            outside = [1] * inside + [-1] * (len(chain) - inside)
            yield outside
            if inside:
                yield [*outside[:inside - 1], 0, *outside[inside:]]
    for parts in itertools.product(*map(of, CHAINS)):
        yield dict(zip(itertools.chain(*CHAINS), itertools.chain(*parts), strict=True))


def sectors(signs):
    zero = [k for k, own in signs.items() if not own]
    return [{**signs, **dict(zip(zero, chosen, strict=True))} for chosen in itertools.product((-1, 1), repeat=len(zero))]


@pytest.mark.parametrize("seed", range(60))
def test_a_regular_tree_has_the_sign_of_all_sectors_where_they_agree_and_is_0_elsewhere(seed):
    trees, rng = Trees(CHAINS), random.Random(seed)
    given = random_tree(trees, rng, rng.randint(2, 9))
    regular = trees.regular(given)
    for signs in places():
        near = {sign(given, sector) for sector in sectors(signs)}
        assert sign(regular, signs) == (near.pop() if len(near) == 1 else 0)


def test_what_trees_become():
    trees = Trees([[1, 2], [3]])
    assert trees.regular(trees._node(False, (1, -1))) is False and trees.regular(trees._node(True, (1, -1))) is True
    assert trees.regular(trees._node(True, (1, 2))) == 2 and trees.regular(trees._node(False, (1, -2))) is False
    beside = trees._node(True, (trees._node(False, (1, 3)), trees._node(False, (-1, 3))))
    assert trees.regular(beside) == 3


def test_a_tree_that_grows_without_end_is_left(monkeypatch):
    monkeypatch.setattr("generative.regularized._MOST", 10)
    trees = Trees([[k] for k in range(1, 13)])
    with pytest.raises(Untold):
        for a, b in itertools.combinations(range(1, 13), 2):
            trees.regular(Node(True, (trees.made(False, (a, b)), trees.made(False, (-a, -b)))))
