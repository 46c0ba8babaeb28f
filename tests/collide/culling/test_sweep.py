"""Sweep and prune against the comparison of all pairs."""

import numpy as np
import pytest

from collide.culling.sweep import Sweep, sweep_and_prune


def all_pairs(lo: np.ndarray, hi: np.ndarray) -> set[tuple[int, int]]:
    """Pairs of boxes that overlap; an end that is no number may be anywhere."""
    lo, hi = np.where(np.isnan(lo), -np.inf, lo), np.where(np.isnan(hi), np.inf, hi)
    meet = np.all((lo[:, None] <= hi[None]) & (lo[None] <= hi[:, None]), axis=2)
    return {(i, j) for i, j in np.argwhere(np.triu(meet, 1)).tolist()}


def found(pairs: np.ndarray) -> set[tuple[int, int]]:
    listed = [(min(pair), max(pair)) for pair in pairs.tolist()]
    assert len(listed) == len(set(listed)), "each pair once"
    return set(listed)


@pytest.mark.parametrize("spread", [(4, 4, 4), (400, 30, 4), (1, 1e6, 1e-3), (50, 0, 0), (0, 0, 0)])
@pytest.mark.parametrize("count", [0, 1, 2, 5, 60, 700])
def test_exactly_the_overlapping_boxes_are_found(count: int, spread: tuple[float, float, float]) -> None:
    """Boxes of all sizes, in space, in a plane, on a line and at a point; also a few that reach everywhere, or are not known."""
    rng = np.random.default_rng(count)
    lo = rng.uniform(-0.5, 0.5, (count, 3)) * spread
    hi = lo + rng.uniform(0, 1.5, (count, 3)) * rng.choice([0.0, 1.0, 9.0], (count, 1), p=[0.2, 0.7, 0.1])
    assert found(sweep_and_prune(lo, hi)) == all_pairs(lo, hi)
    lo[:1], hi[:1] = -np.inf, np.inf
    lo[1:2, 1], hi[2:3, 2] = np.nan, np.nan
    assert found(sweep_and_prune(lo, hi)) == all_pairs(lo, hi)


def test_boxes_that_share_a_side_overlap() -> None:
    """Also at the borders of columns, whatever the rounding."""
    for share in (1.0, 0.1, 1 / 3, 1e-7, 12345.678):
        edges = np.arange(-20, 21) * share
        lo = np.stack(np.meshgrid(*[edges[:-1]] * 2, [0.0], indexing="ij"), axis=-1).reshape(-1, 3)
        hi = np.stack(np.meshgrid(*[edges[1:]] * 2, [0.0], indexing="ij"), axis=-1).reshape(-1, 3)
        assert found(sweep_and_prune(lo, hi)) == all_pairs(lo, hi)


def test_pairs_of_different_groups_are_not_compared() -> None:
    rng = np.random.default_rng(5)
    lo = rng.uniform(-3, 3, (300, 3))
    hi, groups = lo + rng.uniform(0, 1, (300, 3)), rng.integers(0, 5, 300) * 8
    expected = {(i, j) for i, j in all_pairs(lo, hi) if groups[i] == groups[j]}
    sweep = Sweep(lo, hi, groups)
    assert found(sweep.pairs()) == expected and len(expected) <= sweep.tests


def test_the_work_grows_with_what_overlaps() -> None:
    """A lattice of boxes on a floor that all of them meet: of eight times as many not much more than eight times as many are tested."""
    tests = []
    for side in (16, 32):
        lo = np.append(np.stack(np.meshgrid(*[np.arange(side)] * 3), axis=-1).reshape(-1, 3), [[0, 0, -9]], axis=0).astype(float)
        hi = lo + 0.9
        lo[-1], hi[-1] = (-side, -side, -9), (2 * side, 2 * side, 0.5)
        sweep = Sweep(lo, hi)
        assert len(sweep.pairs()) == side**2
        tests.append(sweep.tests)
    assert tests[1] < 9 * tests[0]
