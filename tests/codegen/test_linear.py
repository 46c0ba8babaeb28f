"""Rounded linear algebra against exact rational arithmetic: no solution is ever lost, no flag is ever false.

A system is an interval matrix M, an interval vector f, a point c and a box X, all chosen around a known solution: x in X and A in M
are drawn first, and f encloses -A (x - c), computed exactly.
"""

import ctypes
import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest

from codegen import linear

LANES = 8
Bounds = tuple[float, float]
Vector = list[Fraction]


def run(address: int, *arrays: np.ndarray) -> None:
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(arrays))(address)(*(a.ctypes.data for a in arrays))


def enclose(q: Fraction) -> Bounds:
    """The tight double enclosure of a rational."""
    x = float(q)
    if Fraction(x) == q:
        return x, x
    return (x, math.nextafter(x, math.inf)) if Fraction(x) < q else (math.nextafter(x, -math.inf), x)


class System(NamedTuple):
    """One lane: M (m, n), f (m,), c (n,), X (n,), a matrix A in M and a point x in X with A (x - c) + b = 0, b in f."""

    M: list[list[Bounds]]
    f: list[Bounds]
    c: list[float]
    X: list[Bounds]
    A: list[list[float]]
    x: list[float]


def around(rng: random.Random, value: float, width: float) -> Bounds:
    """An interval that holds `value`, at times as an end, at times of no width."""
    if width == 0:
        return value, value
    return (value if rng.random() < 0.15 else value - width * rng.random(),
            value if rng.random() < 0.15 else value + width * rng.random())


def system(rng: random.Random, m: int, n: int, spread: float, size: float = 1.0, unbounded: bool = False) -> System:
    X = [(-size * rng.random(), size * rng.random()) if rng.random() < 0.9 else (0.5 * size,) * 2 for _ in range(n)]
    x = [rng.choice([lo, hi, *[rng.uniform(lo, hi)] * 4]) for lo, hi in X]
    c = [rng.uniform(lo, hi) if rng.random() < 0.5 else min(max(0.5 * (lo + hi), lo), hi) for lo, hi in X]
    A = [[rng.choice([0.0, 1.0, *[rng.uniform(-2, 2)] * 4]) + (3.0 if i == j else 0.0) for j in range(n)] for i in range(m)]
    M = [[around(rng, a, spread * rng.random()) for a in row] for row in A]
    if unbounded:
        i, j = rng.randrange(m), rng.randrange(n)
        M[i][j] = rng.choice([(-math.inf, math.inf), (M[i][j][0], math.inf), (-math.inf, M[i][j][1])])
    f = []
    for row in A:
        lo, hi = enclose(-sum((Fraction(a) * (Fraction(p) - Fraction(q)) for a, p, q in zip(row, x, c, strict=True)), Fraction(0)))
        width = size * spread * rng.random() * 0.1
        f.append((lo - width, hi + width))
    return System(M, f, c, X, A, x)


class Block(NamedTuple):
    """Eight systems as the kernels read them."""

    M: np.ndarray
    f: np.ndarray
    c: np.ndarray
    X: np.ndarray
    flag: np.ndarray

    @classmethod
    def of(cls, systems: list[System]) -> "Block":
        def pairs(values: list) -> np.ndarray:  # type: ignore[type-arg]
            """(lanes, ..., 2) as (..., -lo and hi, lanes)"""
            array = np.moveaxis(np.array(values, float), 0, -1).copy()
            array[..., 0, :] *= -1
            return np.ascontiguousarray(array)

        return cls(pairs([s.M for s in systems]), pairs([s.f for s in systems]),
                   np.ascontiguousarray(np.array([s.c for s in systems], float).T), pairs([s.X for s in systems]), np.ones(LANES))


def holds(box: np.ndarray, x: list[float], lane: int) -> bool:
    return all(-box[j, 0, lane] <= v <= box[j, 1, lane] for j, v in enumerate(x))


def batches(seed: int, count: int, make: Callable[[random.Random], System]) -> list[list[System]]:
    rng = random.Random(seed)
    return [[make(rng) for _ in range(LANES)] for _ in range(count)]


def inner(rng: random.Random, n: int) -> System:
    """A solution well inside its box, and a matrix wide enough to be proved at times only."""
    A = [[rng.uniform(-1, 1) + 2 * n * (i == j) for j in range(n)] for i in range(n)]
    return with_matrix(rng, A, rng.choice([1e-9, 0.1, 1.0]), [rng.uniform(-0.5, 0.5) for _ in range(n)])


def kinds(m: int, n: int) -> list[Callable[[random.Random], System]]:
    return [lambda r: system(r, m, n, 0.0), lambda r: system(r, m, n, 1e-12), lambda r: system(r, m, n, 0.3),
            lambda r: system(r, m, n, 6.0), lambda r: system(r, m, n, 0.5, 1e-200), lambda r: system(r, m, n, 0.5, 1e-310),
            lambda r: system(r, m, n, 0.5, 1e150), lambda r: system(r, m, n, 2.0, unbounded=True)]


# -- exact referee --------------------------------------------------------------------------------------------------


def solve(A: list[list[Fraction]], b: Vector) -> Vector | None:
    """The solution of A y = b by Gaussian elimination, None for a singular matrix."""
    n = len(A)
    rows = [[*row, right] for row, right in zip(A, b, strict=True)]
    for k in range(n):
        pivot = next((r for r in range(k, n) if rows[r][k]), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for r in range(n):
            if r != k and rows[r][k]:
                factor = rows[r][k] / rows[k][k]
                rows[r] = [p - factor * q for p, q in zip(rows[r], rows[k], strict=True)]
    return [rows[k][n] / rows[k][k] for k in range(n)]


def drawn(rng: random.Random, bounds: Bounds) -> Fraction:
    lo, hi = bounds
    return Fraction(rng.choice([lo, hi, min(max(lo + (hi - lo) * rng.random(), lo), hi)]))


def surely_unique(s: System, rng: random.Random) -> bool:
    """Does every system drawn from M and f have exactly one solution, and that in X?"""
    for _ in range(8):
        A = [[drawn(rng, entry) for entry in row] for row in s.M]
        y = solve(A, [-drawn(rng, b) for b in s.f])
        if y is None or not all(lo <= Fraction(c) + v <= hi for (lo, hi), c, v in zip(s.X, s.c, y, strict=True)):
            return False
    return True


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


def with_matrix(rng: random.Random, A: list[list[float]], spread: float, solution: list[float]) -> System:
    """The system on X = [-1, 1]^n around c = 0 whose thin version has this solution."""
    n = len(A)
    f = [enclose(-sum((Fraction(a) * Fraction(v) for a, v in zip(row, solution, strict=True)), Fraction(0))) for row in A]
    M = [[(a - spread * rng.random(), a + spread * rng.random()) for a in row] for row in A]
    return System(M, f, [0.0] * n, [(-1.0, 1.0)] * n, A, solution)


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
