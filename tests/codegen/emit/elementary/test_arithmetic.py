"""Interval arithmetic and kinks against exact rational arithmetic: every end must be the tight one, bit for bit (up to signs of zero)."""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from codegen.emit.elementary import arithmetic, kinks
from tests.lanes import VectorFunction

Exact = Fraction | float  # a float is one of the infinities
LARGEST = np.finfo(float).max
ENDS = [-math.inf, -LARGEST, -3.0, -1.0, -0.1, -2.0 ** -600, -5e-324, -0.0,
        0.0, 5e-324, 2.0 ** -540, 0.3, 1.0, 7.0, LARGEST, math.inf]


def emitter(name: str) -> Callable[..., tuple[str, ...]]:
    found: Callable[..., tuple[str, ...]] = getattr(kinks if hasattr(kinks, name) else arithmetic, name)
    return found


def exact(x: float) -> Exact:
    return x if math.isinf(x) else Fraction(x)


def rounded_up(x: Exact) -> float:
    """The least double >= x."""
    if isinstance(x, float):
        return x
    try:
        y = x.numerator / x.denominator
    except OverflowError:
        return math.inf if x > 0 else -LARGEST
    if math.isinf(y):
        return math.inf if x > 0 else -LARGEST
    return math.nextafter(y, math.inf) if Fraction(y) < x else y


def product(x: Exact, y: Exact) -> Exact:
    if x == 0 or y == 0:
        return Fraction(0)
    if isinstance(x, float) or isinstance(y, float):
        return math.inf if (x > 0) == (y > 0) else -math.inf
    return x * y


def quotient(x: Exact, y: Exact, sign: int) -> Exact:
    """The limit of x / y, where y = 0 is approached from the side `sign`."""
    if x == 0 or isinstance(y, float):
        return Fraction(0)
    return x / y if y != 0 else math.inf * sign * (1 if x > 0 else -1)


def intervals(count: int, seed: int) -> np.ndarray:
    """Rows (lo, hi): all pairs of special ends, and random ones of all sizes."""
    special = [(a, b) for a, b in itertools.product(ENDS, ENDS) if a <= b and a < math.inf and b > -math.inf]
    rng = np.random.default_rng(seed)
    ends = rng.normal(size=(count, 2)) * 2.0 ** rng.integers(-40, 40, size=(count, 1))
    ends[::3] *= 2.0 ** rng.integers(-1000, 980, size=ends[::3].shape)
    ends[::7, 1] = ends[::7, 0]
    return np.concatenate([np.array(special), np.sort(ends, axis=1)])


def pairs(count: int, seed: int) -> np.ndarray:
    """Rows (xlo, xhi, ylo, yhi)."""
    x = intervals(count, seed)
    rng = np.random.default_rng(seed + 1)
    special = len(x) - count
    i, j = (k.ravel() for k in np.meshgrid(np.arange(special), np.arange(special)))
    some = rng.permutation(i.size)[:8 * count]
    i, j = np.concatenate([i[some], np.arange(len(x))]), np.concatenate([j[some], rng.permutation(len(x))])
    return np.hstack([x[i], x[j]])


def negate_lower(boxes: np.ndarray) -> list[np.ndarray]:
    """Columns (lo, hi, lo, hi, ...) as the arguments (n, h, n, h, ...)."""
    return [-column if k % 2 == 0 else column for k, column in enumerate(boxes.T)]


def run(emit: Callable[..., tuple[str, ...]], boxes: np.ndarray, results: int = 2, **options: str) -> tuple[np.ndarray, ...]:
    return VectorFunction(emit, boxes.shape[1], results, **options)(*negate_lower(boxes))


def corners(row: np.ndarray, operation: Callable[..., Exact]) -> tuple[float, float]:
    """Tight enclosure (-lo, hi) of the values at the corners."""
    ends = [exact(float(v)) for v in row]
    values = [operation(*corner) for corner in itertools.product(*(ends[k:k + 2] for k in range(0, len(ends), 2)))]
    return rounded_up(-min(values)), rounded_up(max(values))


def check(emit: Callable[..., tuple[str, ...]], boxes: np.ndarray, expected: Callable[[np.ndarray], tuple[float, float]]) -> None:
    with np.errstate(invalid="ignore"):
        n, h = run(emit, boxes)
    want = np.array([expected(row) for row in boxes])
    wrong = ~((n == want[:, 0]) & (h == want[:, 1]))
    k = int(np.argmax(wrong))
    assert not wrong.any(), f"{boxes[k]}: lo {-n[k]!r} hi {h[k]!r}, tight lo {-want[k, 0]!r} hi {want[k, 1]!r}"


def test_multiply() -> None:
    check(arithmetic.multiply, pairs(500, 1), lambda row: corners(row, product))


def test_multiply_without_guard() -> None:
    boxes = pairs(300, 2)
    boxes = boxes[np.isfinite(boxes).all(axis=1)]
    check(lambda L, *v: arithmetic.multiply(L, *v, guard=False), boxes, lambda row: corners(row, product))


@pytest.mark.parametrize("guard", [True, False])
def test_multiply_signed(guard: bool) -> None:
    boxes = pairs(500, 3)
    boxes = boxes[boxes[:, 0] >= 0]
    both = boxes[boxes[:, 2] >= 0]
    finite = np.isfinite(boxes).all(axis=1), np.isfinite(both).all(axis=1)
    if not guard:
        boxes, both = boxes[finite[0]], both[finite[1]]
    check(lambda L, *v: arithmetic.multiply_nonnegative(L, *v, guard=guard), boxes, lambda row: corners(row, product))
    check(lambda L, *v: arithmetic.multiply_both_nonnegative(L, *v, guard=guard), both, lambda row: corners(row, product))


@pytest.mark.parametrize(("lo", "hi"), [(0.1, 0.1), (-3.7, -3.7), (0.0, 0.0), (3.1, 3.2), (-3.2, -3.1), (-0.1, 0.3), (0.0, 2.0),
                                       (LARGEST, math.inf), (-math.inf, -LARGEST), (-math.inf, math.inf)])
def test_multiply_constant(lo: float, hi: float) -> None:
    boxes = intervals(300, 4)
    check(lambda L, n, h: arithmetic.multiply_constant(L, n, h, lo, hi), boxes,
          lambda row: corners(np.array([*row, lo, hi]), product))


def test_add_and_subtract() -> None:
    boxes = pairs(300, 5)
    boxes = boxes[np.isfinite(boxes).all(axis=1)]
    check(arithmetic.add, boxes, lambda row: corners(row, lambda x, y: x + y))
    check(arithmetic.subtract, boxes, lambda row: corners(row, lambda x, y: x - y))
    n, h = run(arithmetic.add, np.array([[-math.inf, 1.0, 2.0, math.inf], [-math.inf, math.inf, -LARGEST, LARGEST]]))
    assert (n == math.inf).all()
    assert (h == math.inf).all()


def test_fma() -> None:
    boxes = pairs(200, 6)
    rng = np.random.default_rng(7)
    z = intervals(200, 8)
    boxes = np.hstack([boxes, z[rng.integers(0, len(z), len(boxes))]])

    def total(x: Exact, y: Exact) -> Exact:
        infinite = [v for v in (x, y) if isinstance(v, float)]
        return infinite[0] if infinite else x + y

    def expected(row: np.ndarray) -> tuple[float, float]:
        # Infinite ends of the product and of z agree in sign, so ends are summed and not corners.
        ends = [exact(float(v)) for v in row]
        products = [product(x, y) for x in ends[:2] for y in ends[2:4]]
        return rounded_up(-total(min(products), ends[4])), rounded_up(total(max(products), ends[5]))

    check(arithmetic.fma, boxes, expected)


def test_square_and_abs() -> None:
    boxes = intervals(500, 9)

    def range_of(f: Callable[[Exact], Exact]) -> Callable[[np.ndarray], tuple[float, float]]:
        def expected(row: np.ndarray) -> tuple[float, float]:
            values = [f(exact(float(v))) for v in row] + ([Fraction(0)] if row[0] <= 0 <= row[1] else [])
            return rounded_up(-min(values)), rounded_up(max(values))
        return expected

    check(arithmetic.square, boxes, range_of(lambda x: x * x))
    check(kinks.abs, boxes, range_of(abs))


def divided(row: np.ndarray) -> tuple[float, float]:
    if row[2] < 0 < row[3] or row[2] == row[3] == 0:
        return math.inf, math.inf
    sign = 1 if row[3] > 0 else -1
    return corners(row, lambda x, y: quotient(x, y, sign))


def test_divide() -> None:
    check(arithmetic.divide, pairs(500, 10), divided)


def test_reciprocal() -> None:
    check(arithmetic.reciprocal, intervals(500, 11), lambda row: divided(np.array([1.0, 1.0, *row])))


def test_sqrt() -> None:
    boxes = intervals(1000, 12)
    squares = np.arange(1.0, 400.0) ** 2 * 2.0 ** -1074
    boxes = np.concatenate([boxes, np.stack([squares, squares[::-1]], 1)[:200], np.stack([squares, np.nextafter(squares, 1)], 1)])

    def lower_root(x: float) -> float:
        q = Fraction(x) * 4 ** 600
        return -rounded_up(Fraction(-math.isqrt(q.numerator // q.denominator), 2 ** 600))

    def upper_root(x: float) -> float:
        low = lower_root(x)
        return low if Fraction(low) ** 2 == Fraction(x) else math.nextafter(low, math.inf)

    def expected(row: np.ndarray) -> tuple[float, float]:
        if row[1] < 0:
            return math.inf, math.inf
        return -lower_root(max(row[0], 0.0)), math.inf if math.isinf(row[1]) else upper_root(row[1])

    check(arithmetic.sqrt, boxes, expected)


@pytest.mark.parametrize(("name", "f"), [
    ("floor", np.floor), ("ceiling", np.ceil), ("sign", np.sign), ("heaviside", lambda x: np.heaviside(x, 0.5))])
def test_steps(name: str, f: Callable[[np.ndarray], np.ndarray]) -> None:
    boxes = intervals(500, 13)
    n, h = run(emitter(name), boxes)
    assert np.array_equal(-n, f(boxes[:, 0]))
    assert np.array_equal(h, f(boxes[:, 1]))


def test_min_and_max() -> None:
    boxes = pairs(300, 14)
    for emit, f in ((kinks.min, np.minimum), (kinks.max, np.maximum)):
        n, h = run(emit, boxes)
        assert np.array_equal(-n, f(boxes[:, 0], boxes[:, 2]))
        assert np.array_equal(h, f(boxes[:, 1], boxes[:, 3]))


def test_negate() -> None:
    boxes = intervals(20, 15)
    n, h = run(arithmetic.negate, boxes)
    assert np.array_equal(n, boxes[:, 1])
    assert np.array_equal(-h, boxes[:, 0])


UNARY_LEVELS: list[tuple[str, Callable[[float, float], float]]] = [
    ("sqrt_level", lambda a, b: 3 if a > 0 else 2 if a >= 0 else 0),
    ("abs_level", lambda a, b: 2 if a <= 0 <= b else 3),
    ("sign_level", lambda a, b: 1 if a <= 0 <= b else 3),
    ("heaviside_level", lambda a, b: 1 if a <= 0 <= b else 3),
    ("floor_level", lambda a, b: 3 if holds_no_integer(a, b) else 1),
    ("ceiling_level", lambda a, b: 3 if holds_no_integer(a, b) else 1)]
BINARY_LEVELS: list[tuple[str, Callable[[float, float, float, float], float]]] = [
    ("divide_level", lambda a, b, c, d: 0 if c <= 0 <= d else 3),
    ("min_level", lambda a, b, c, d: 3 if b < c or d < a else 2),
    ("max_level", lambda a, b, c, d: 3 if b < c or d < a else 2)]


def holds_no_integer(a: float, b: float) -> bool:
    return math.isfinite(a) and math.isfinite(b) and math.floor(b) < a and math.ceil(a) > b


@pytest.mark.parametrize(("name", "expected"), [*UNARY_LEVELS, *BINARY_LEVELS])
def test_levels(name: str, expected: Callable[..., float]) -> None:
    boxes = intervals(300, 16) if (name, expected) in UNARY_LEVELS else pairs(300, 17)
    level, = run(emitter(name), boxes, results=1)
    assert np.array_equal(level, [expected(*row) for row in boxes])


POINTS: list[tuple[str, Callable[..., np.ndarray]]] = [
    ("sqrt", np.sqrt), ("abs", np.abs), ("sign", np.sign),
    ("heaviside", lambda x: np.heaviside(x, 0.5)), ("floor", np.floor), ("ceiling", np.ceil),
    ("min", np.minimum), ("max", np.maximum)]


@pytest.mark.parametrize(("name", "f"), POINTS)
def test_points(name: str, f: Callable[..., np.ndarray]) -> None:
    rng = np.random.default_rng(18)
    x = np.concatenate([ENDS, [math.nan] * 2, rng.normal(size=40)])
    args = [x, rng.permutation(x)] if name in ("min", "max") else [x]
    value, = VectorFunction(emitter(f"{name}_point"), len(args), 1, rounding="nearest")(*args)
    with np.errstate(all="ignore"):
        assert np.array_equal(value, f(*args), equal_nan=True)


def test_same_bits_on_a_narrower_machine() -> None:
    """AVX2 gives the bits of the host (both are x86-64 with fused multiply-add)."""
    boxes = pairs(100, 19)
    for emit in (arithmetic.multiply, arithmetic.divide):
        here, there = run(emit, boxes), run(emit, boxes, cpu="x86-64-v3")
        assert all(np.array_equal(a.view(np.int64), b.view(np.int64)) for a, b in zip(here, there, strict=True))
