"""Rounded linear algebra against exact rational arithmetic (`linear_systems`): no solution is ever lost, no flag is ever false."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest

from codegen.algebra import linear

from .linear_systems import (
    LANES,
    Block,
    Bounds,
    System,
    around,
    batches,
    enclose,
    holds,
    inner,
    kinds,
    run,
    solve,
    surely_unique,
    system,
    with_matrix,
)


def test_the_referee_knows_its_trade() -> None:
    q = Fraction
    assert solve([[q(0), q(2)], [q(3), q(1)]], [q(4), q(5)]) == [q(1), q(2)]
    assert solve([[q(1), q(2)], [q(2), q(4)]], [q(1), q(1)]) is None


# -- no solution is lost --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "m", "n"), [
    *(("linear_solve", m, n) for m, n in ((1, 1), (2, 2), (3, 3), (2, 5), (5, 3))),
    *(("eliminate", m, n) for m, n in ((2, 3), (3, 4), (3, 5)))])
def test_linear_solve_keeps_every_solution(method: str, m: int, n: int) -> None:
    address = getattr(linear, method)(m, n)
    shrunk = 0
    for k, kind in enumerate(kinds(m, n)):
        for systems in batches(100 * m + 10 * n + k, 10, kind):
            block = Block.of(systems)
            before = block.X.copy()
            run(address, *block)
            after = block.X
            assert not np.isnan(after).any() and (after <= before).all() and (block.flag == 1).all()
            assert all(holds(block.X, s.x, lane) for lane, s in enumerate(systems))
            shrunk += int((after < before).any((0, 1)).sum())
    assert shrunk > 50


def test_a_variable_that_rows_tell_only_together_is_found_by_elimination() -> None:
    """An edge flush with a plane, in axes that are turned at random: y1 - y2 = 0, y1 + y3 = 0 and y4 = 1/8, of which no row alone
    says much. Two of eight systems have dependent rows beside that.
    """
    rng = np.random.default_rng(14)
    turns = [np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(LANES)]
    systems = []
    for k, turn in enumerate(turns):
        rows = turn @ np.array([[1.0, -1, 0, 0], [1, 0, 1, 0] if k % 4 else [2, -2, 0, 0], [0, 0, 0, 1]])
        right = turn @ [0, 0, 0.125]
        systems.append(System([[(a, a) for a in row] for row in rows.tolist()], [(-b - 1e-16, -b + 1e-16) for b in right.tolist()],
                              [0.0] * 4, [(-1.0, 1.0)] * 4, rows.tolist(), [0.0] * 4))
    for method, narrow in (("linear_solve", 0), ("eliminate", LANES)):
        block = Block.of(systems)
        for _ in range(2):
            run(getattr(linear, method)(3, 4), *block)
        times = block.X[3]
        assert (block.flag == 1).all() and (-times[0] <= 0.125).all() and (times[1] >= 0.125).all()
        assert (times[0] + times[1] < 1e-14).sum() == narrow


@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize("operator", ["krawczyk", "interval_inverse"])
def test_operators_hold_every_solution_and_their_flags_are_true(operator: str, n: int) -> None:
    address = getattr(linear, operator)(n)
    rng, flagged = random.Random(n), 0
    for k, kind in enumerate([*kinds(n, n), lambda r: inner(r, n)]):
        for systems in batches(1000 * n + k, 12 if n < 5 else 6, kind):
            block, result = Block.of(systems), np.empty((n, 2, LANES))
            run(address, *block[:4], result, block.flag)
            assert not np.isnan(result).any() and set(np.unique(block.flag)) <= {0.0, 1.0}
            for lane, s in enumerate(systems):
                assert holds(result, s.x, lane)
                if block.flag[lane]:
                    flagged += 1
                    assert surely_unique(s, rng)
    assert flagged > 20


@pytest.mark.parametrize("n", [1, 2, 3])
def test_preconditioned_systems_keep_every_solution(n: int) -> None:
    """x stays a solution: 0 lies in G (x - c) + g, evaluated exactly. And a thin system becomes nearly the identity."""
    address = linear.precondition(n)
    for k, kind in enumerate(kinds(n, n)[:7]):
        for systems in batches(2000 * n + k, 6, kind):
            block, G, g = Block.of(systems), np.empty((n, n, 2, LANES)), np.empty((n, 2, LANES))
            run(address, block.M, block.f, G, g)
            assert not np.isnan(G).any() and not np.isnan(g).any()
            for lane, s in enumerate(systems):
                y = [Fraction(p) - Fraction(q) for p, q in zip(s.x, s.c, strict=True)]
                if np.isfinite(G[..., lane]).all() and np.isfinite(g[..., lane]).all():
                    for i in range(n):
                        ends = [[Fraction(-G[i, j, 0, lane]) * y[j], Fraction(G[i, j, 1, lane]) * y[j]] for j in range(n)]
                        assert sum(map(min, ends)) - Fraction(g[i, 0, lane]) <= 0 <= sum(map(max, ends)) + Fraction(g[i, 1, lane])
    thin = Block.of([system(random.Random(lane), n, n, 0.0) for lane in range(LANES)])
    run(address, thin.M, thin.f, G, g)
    identity = np.eye(n)[:, :, None]
    assert (np.abs(G[:, :, 1] - identity) < 1e-9).all() and (np.abs(-G[:, :, 0] - identity) < 1e-9).all()


# -- flags ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("operator", ["krawczyk", "interval_inverse"])
def test_singular_and_rootless_systems_are_never_proved(operator: str) -> None:
    address = getattr(linear, operator)(2)
    rng = random.Random(9)
    for spread in (0.0, 1e-15, 1e-6, 0.1):
        for far in (False, True):
            systems = []
            for _ in range(LANES):
                p, q, r = (rng.uniform(-2, 2) for _ in range(3))
                singular, regular = [[p, q], [4 * p, 4 * q]], [[p + 4, q], [r, 4.0]]
                x = [rng.choice([-1, 1]) * (1 + 0.1 * spread * 100 + 1e-9), rng.uniform(-0.5, 0.5)] if far else [0.1, 0.2]
                systems.append(with_matrix(rng, regular if far else singular, spread, x))
            block, result = Block.of(systems), np.empty((2, 2, LANES))
            run(address, *block[:4], result, block.flag)
            assert (block.flag == 0).all()


@pytest.mark.parametrize("operator", ["krawczyk", "interval_inverse"])
def test_good_systems_are_proved_and_bounded_tightly(operator: str) -> None:
    address = getattr(linear, operator)(3)
    rng = random.Random(10)
    A = [[[rng.uniform(-1, 1) + 4 * (i == j) for j in range(3)] for i in range(3)] for _ in range(LANES)]
    systems = [with_matrix(rng, a, 1e-12, [rng.uniform(-0.9, 0.9) for _ in range(3)]) for a in A]
    block, result = Block.of(systems), np.empty((3, 2, LANES))
    run(address, *block[:4], result, block.flag)
    assert (block.flag == 1).all() and (result[:, 0] + result[:, 1] < 1e-10).all()


@pytest.mark.parametrize("operator", ["krawczyk", "interval_inverse"])
def test_a_box_without_interior_proves_nothing(operator: str) -> None:
    address = getattr(linear, operator)(1)
    s = System([[(1.0, 1.0)]], [(0.0, 0.0)], [0.5], [(0.5, 0.5)], [[1.0]], [0.5])
    touching = System([[(1.0, 1.0)]], [(-0.5, -0.5)], [0.5], [(0.0, 1.0)], [[1.0]], [1.0])
    block, result = Block.of([s, touching] * 4), np.empty((1, 2, LANES))
    run(address, *block[:4], result, block.flag)
    assert (block.flag == 0).all() and result[0, 1].tolist() == [0.5, 1.0] * 4


def test_linear_solve_notices_that_there_is_no_solution() -> None:
    address = linear.linear_solve(2, 2)
    rng = random.Random(11)
    systems = []
    for k in range(LANES):
        s = with_matrix(rng, [[4.0, rng.uniform(-1, 1)], [rng.uniform(-1, 1), 4.0]], 0.01, [0.5, 0.5 if k % 2 else 3.0])
        systems.append(s)
    block = Block.of(systems)
    run(address, *block)
    assert block.flag.tolist() == [0.0, 1.0] * 4
    block.flag[:] = 0.0
    run(address, *block)
    assert (block.flag == 0).all(), "a lane that was empty before stays empty"


# -- division by intervals that hold 0 ------------------------------------------------------------------------------

INF = math.inf
THIRD = 1 / 3  # below the exact value
GAPS = [
    # b, a, X, expected: the hull of { t in X : b t = a }, None for empty
    ((-1.0, 2.0), (1.0, 1.0), (-0.5, 4.0), (0.5, 4.0)), ((-1.0, 2.0), (1.0, 1.0), (-3.0, 0.25), (-3.0, -1.0)),
    ((-1.0, 2.0), (1.0, 1.0), (-0.5, 0.25), None), ((-1.0, 2.0), (1.0, 1.0), (-3.0, 4.0), (-3.0, 4.0)),
    ((-1.0, 2.0), (-4.0, -1.0), (-0.25, 4.0), (1.0, 4.0)), ((-1.0, 2.0), (-4.0, -1.0), (-3.0, 0.5), (-3.0, -0.5)),
    ((-1.0, 2.0), (-1.0, 1.0), (-0.5, 0.25), (-0.5, 0.25)), ((0.0, 2.0), (1.0, 5.0), (-3.0, 4.0), (0.5, 4.0)),
    ((-2.0, 0.0), (1.0, 5.0), (-3.0, 4.0), (-3.0, -0.5)), ((0.0, 2.0), (-5.0, -1.0), (-3.0, 4.0), (-3.0, -0.5)),
    ((-0.0, 2.0), (1.0, 1.0), (-3.0, 4.0), (0.5, 4.0)), ((-2.0, -0.0), (1.0, 1.0), (-3.0, 4.0), (-3.0, -0.5)),
    ((0.0, 0.0), (1.0, 2.0), (-3.0, 4.0), None), ((-0.0, 0.0), (-2.0, -1.0), (-3.0, 4.0), None),
    ((0.0, 0.0), (0.0, 1.0), (-3.0, 4.0), (-3.0, 4.0)), ((0.0, 0.0), (-1.0, -0.0), (-3.0, 4.0), (-3.0, 4.0)),
    ((3.0, 3.0), (1.0, 1.0), (-3.0, 4.0), (THIRD, math.nextafter(THIRD, 1))),
    ((-3.0, 3.0), (1.0, 1.0), (-0.25, 4.0), (THIRD, 4.0)), ((-3.0, 3.0), (1.0, 1.0), (-4.0, 0.25), (-4.0, -THIRD)),
    ((2.0, 4.0), (1.0, 2.0), (-3.0, 4.0), (0.25, 1.0)), ((2.0, 4.0), (1.0, 2.0), (2.0, 4.0), None),
    ((-INF, INF), (1.0, 1.0), (-3.0, 4.0), (-3.0, 4.0)), ((1.0, INF), (1.0, 1.0), (-3.0, 4.0), (0.0, 1.0)),
    ((-INF, -1.0), (1.0, 1.0), (-3.0, 4.0), (-1.0, 0.0)), ((-INF, 2.0), (1.0, 1.0), (0.25, 4.0), (0.5, 4.0)),
    ((-1.0, 2.0), (1.0, 1.0), (0.25, 0.25), None), ((-1.0, 2.0), (1.0, 1.0), (0.5, 0.5), (0.5, 0.5)),
    ((-1.0, 2.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, -1.0)), ((-1.0, 2.0), (5e-324, 5e-324), (-1.0, 1.0), (-1.0, 1.0)),
    ((-5e-324, 5e-324), (1.0, 1.0), (-1e308, 1e308), None), ((-1e-308, 1e-308), (1.0, 1.0), (-1e307, 1e308), (1e308, 1e308)),
    ((0.0, 1e308), (1e308, 1e308), (-0.5, 2.0), (1.0, 2.0)),
]  # fmt: skip


def test_gaps_of_extended_division() -> None:
    address = linear.linear_solve(1, 1)
    for start in range(0, len(GAPS), LANES):
        cases = (GAPS[start:start + LANES] * LANES)[:LANES]
        # c = 0 and f = -a, so that M t = a.
        block = Block.of([System([[b]], [(-a[1], -a[0])], [0.0], [X], [[0.0]], [0.0]) for b, a, X, _ in cases])
        run(address, *block)
        for lane, (b, a, X, expected) in enumerate(cases):
            found = (-block.X[0, 0, lane], block.X[0, 1, lane])
            if expected is None:
                assert block.flag[lane] == 0, (b, a, X, found)
            else:
                assert block.flag[lane] == 1 and found == pytest.approx(expected, rel=3e-16, abs=0), (b, a, X, found)
                assert found[0] <= expected[0] and expected[1] <= found[1], (b, a, X, found)


def test_gaps_never_lose_a_solution() -> None:
    """Random quotients, many with 0 in the divisor: t with b t = a stays."""
    address = linear.linear_solve(1, 1)
    rng = random.Random(12)
    for _ in range(400):
        systems = []
        for _ in range(LANES):
            scale = math.ldexp(1.0, rng.choice([0, 0, 0, -500, -1060, 500]))
            b = rng.choice([0.0, rng.uniform(-1, 1)])
            M = around(rng, b, rng.choice([0.0, 1e-3, 2.0]))
            t = scale * rng.uniform(-1, 1)
            X = around(rng, t, scale * rng.choice([0.0, 1e-9, 1.0]))
            lo, hi = enclose(-Fraction(b) * Fraction(t))
            systems.append(System([[M]], [(lo, hi)], [0.0], [X], [[b]], [t]))
        block = Block.of(systems)
        run(address, *block)
        assert (block.flag == 1).all() and all(holds(block.X, s.x, lane) for lane, s in enumerate(systems))


# -- unbounded and hopeless matrices --------------------------------------------------------------------------------


@pytest.mark.parametrize("operator", ["krawczyk", "interval_inverse"])
@pytest.mark.parametrize("entry", [(-INF, INF), (0.0, INF), (-INF, -1.0), (-1e308, 1e308), (1e-320, 2e-320), (0.0, 0.0)])
def test_hopeless_matrices_give_no_nan_and_no_proof(operator: str, entry: Bounds) -> None:
    address = getattr(linear, operator)(2)
    s = System([[(1.0, 1.0), entry], [entry, entry]], [(0.0, 0.0)] * 2, [0.0] * 2, [(-1.0, 1.0)] * 2, [[1.0, 0.0]] * 2, [0.0] * 2)
    block, result = Block.of([s] * LANES), np.empty((2, 2, LANES))
    run(address, *block[:4], result, block.flag)
    assert not np.isnan(result).any() and all(holds(result, s.x, lane) for lane in range(LANES))
    if entry[0] <= 0 <= entry[1] or math.isinf(entry[0]) or math.isinf(entry[1]):
        assert (block.flag == 0).all()
