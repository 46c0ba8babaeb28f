"""Paving: inner ⊂ set ⊂ inner ∪ border, areas in their brackets, curves covered and proved; budgets, bad input, pictures."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp
from flint import arb, ctx

import collide
from collide import SubpavingStatus, pave
from collide.queries.pave import _volume

x, y, z = sp.symbols("x y z", real=True)
SQUARE = {x: (-3, 3), y: (-3, 3)}
CIRCLE = x**2 + y**2
PI = arb.pi()
LENS = 2 * PI / 3 - arb(3).sqrt() / 2       # of two discs of radius 1, each through the centre of the other

Holds = Callable[[Fraction, Fraction], bool]
SETS: dict[str, tuple[Any, Holds, Any]] = {
    "disc": (CIRCLE <= 4, lambda p, q: p * p + q * q <= 4, 4 * PI),
    "open disc": (CIRCLE < 4, lambda p, q: p * p + q * q < 4, 4 * PI),
    "ring": ([CIRCLE >= 1, CIRCLE <= 4], lambda p, q: 1 <= p * p + q * q <= 4, 3 * PI),
    "lens": ([CIRCLE <= 1, (x - 1)**2 + y**2 <= 1], lambda p, q: p * p + q * q <= 1 and (p - 1)**2 + q * q <= 1, LENS),
    "two discs": (sp.Or(CIRCLE <= 1, (x - 1)**2 + y**2 <= 1), lambda p, q: p * p + q * q <= 1 or (p - 1)**2 + q * q <= 1, 2 * PI - LENS),
    "cut": ([sp.Abs(x) + sp.Abs(y) <= 2, sp.sqrt(x) <= 1], lambda p, q: 0 <= p <= 1 and p + abs(q) <= 2, arb(3)),
    "outside": (sp.Not(sp.Or(CIRCLE < 1, x > 2)), lambda p, q: p * p + q * q >= 1 and p <= 2, 30 - PI),
    "steps": (sp.floor(x) <= sp.sign(y), lambda p, q: p.__floor__() <= (q > 0) - (q < 0), arb(24)),
    "beyond a pole": (1 / x >= y, lambda p, q: p != 0 and 1 / p >= q, None),
}  # fmt: skip


def within(points: np.ndarray, boxes: np.ndarray, strictly: bool = False) -> np.ndarray:
    """How many of the boxes (k, n, 2) hold each of the points (j, n)."""
    counts = []
    for p in points:
        held = (boxes[..., 0] < p) & (p < boxes[..., 1]) if strictly else (boxes[..., 0] <= p) & (p <= boxes[..., 1])
        counts.append(held.all(axis=1).sum())
    return np.array(counts)


@pytest.mark.parametrize("name", SETS)
def test_inner_boxes_are_in_the_set_and_all_boxes_cover_it(name: str) -> None:
    constraints, holds, area = SETS[name]
    s = pave(constraints, SQUARE, eps=0.03)
    assert s.status is SubpavingStatus.PAVED and not s.exists.any()
    assert np.ptp(s.border, axis=2).max() <= 0.03
    rng = np.random.default_rng(3)
    corners = [s.inner[:, [0, 1], [a, b]] for a in (0, 1) for b in (0, 1)]
    middles = [s.inner[..., 0] + rng.random((len(s.inner), 2)) * (s.inner[..., 1] - s.inner[..., 0]) for _ in range(3)]
    assert all(holds(Fraction(p), Fraction(q)) for p, q in np.concatenate([*corners, *middles]).tolist())
    points = np.round(rng.uniform(-3, 3, (2000, 2)) * 64) / 64 if name in ("cut", "steps") else rng.uniform(-3, 3, (2000, 2))
    points = points[[holds(Fraction(p), Fraction(q)) for p, q in points.tolist()]]
    assert len(points) and (within(points, np.concatenate([s.inner, s.border])) > 0).all()
    assert (within(points, np.concatenate([s.inner, s.border]), strictly=True) <= 1).all()
    if area is not None:
        assert area >= arb(s.volume.lo) and area <= arb(s.volume.hi)
        assert s.volume.hi - s.volume.lo < 1.2


def test_brackets_of_areas_close() -> None:
    widths = [pave(SETS["ring"][0], SQUARE, eps=eps).volume.width for eps in (0.1, 0.01, 0.001)]
    assert widths[1] < 0.2 * widths[0] and widths[2] < 0.2 * widths[1]


def test_volumes_are_rounded_outwards() -> None:
    s = pave([x >= sp.Rational(1, 10), x <= sp.Rational(7, 10), y * 3 <= 1, y >= 0], {x: (0, 1), y: (0, 1)}, eps=1e-3)
    inner, border = (sum((Fraction(b) - Fraction(a)) * (Fraction(d) - Fraction(c)) for (a, b), (c, d) in boxes.tolist())
                     for boxes in (s.inner, s.border))
    assert 0 < s.volume.lo <= inner <= Fraction(1, 5) <= inner + border <= s.volume.hi
    rng = np.random.default_rng(4)
    for box in np.sort(10.0 ** rng.uniform(-200, 100, (2000, 1, 3, 2)), axis=-1):
        exact = math.prod(Fraction(b) - Fraction(a) for a, b in box[0].tolist())
        assert _volume(box).lo <= exact <= _volume(box).hi
    full = pave(x <= 9, {x: (0, 1)}, eps=0.1)
    assert full.volume == pytest.approx((1, 1)) and full.volume.contains(1.0) and not len(full.border)


def test_nothing_and_everything() -> None:
    empty = pave(CIRCLE <= -1, SQUARE, eps=0.1)
    assert empty.status is SubpavingStatus.EMPTY and empty.volume == (0, 0) and "No point" in empty.summary()
    assert pave(sp.sqrt(x - 9) <= 1, SQUARE, eps=0.1).status is SubpavingStatus.EMPTY
    whole = pave([], SQUARE, eps=0.1)
    assert whole.inner.tolist() == [[[-3, 3], [-3, 3]]] and not len(whole.border)


# -- curves -----------------------------------------------------------------------------------------------------------


def rational_points(count: int) -> list[tuple[Fraction, Fraction]]:
    """Of the unit circle."""
    parameters = [Fraction(k, 97) for k in range(-count, count)]
    return [((1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)) for t in parameters]


def test_a_circle_is_covered_and_proved() -> None:
    s = pave(sp.Eq(CIRCLE, 1), SQUARE, eps=0.02)
    assert s.exists.all() and not len(s.inner) and s.volume.lo == 0 and len(s.border) < 1000
    ends = [[[Fraction(e) for e in side] for side in box] for box in s.border.tolist()]
    for p, q in rational_points(400):
        assert any(a <= p <= b and c <= q <= d for (a, b), (c, d) in ends)
    ctx.prec = 100
    for box, region, free in zip(s.border, s.regions, s.free, strict=True):
        assert free.sum() == 1 and (region[:, 0] <= box[:, 0]).all() and (box[:, 1] <= region[:, 1]).all()
        j, k = int(free.argmax()), int(free.argmin())
        assert region[j].tolist() == box[j].tolist()
        for value in (box[j, 0], box[j].mean(), box[j, 1]):
            root = (1 - arb(value)**2).sqrt()
            assert sum(bool(r > arb(region[k, 0]) and r < arb(region[k, 1])) for r in (root, -root)) == 1


def test_pieces_lie_in_the_domain_and_satisfy_the_other_constraints() -> None:
    s = pave([sp.Eq(CIRCLE, 1), x + y >= sp.Rational(1, 3)], {x: (-1, 0.95), y: (-3, 3)}, eps=0.02)
    regions = s.regions[s.exists]
    assert 0 < len(regions) < len(s.border)
    assert (regions[:, 0].min(), regions[:, 0].max()) >= (-1, -1) and regions[:, 0].max() <= 0.95
    assert all(Fraction(p) + Fraction(q) >= Fraction(1, 3) for p, q in regions[..., 0].tolist())


@pytest.mark.parametrize("equation", [sp.Eq((CIRCLE - 1)**2, 0), sp.Eq(sp.Abs(x - y), 0), sp.Eq(sp.floor(x), sp.Rational(1, 2) * y)])
def test_nothing_is_proved_of_singular_zeros(equation: Any) -> None:
    s = pave(equation, SQUARE, eps=0.1)
    assert len(s.border)
    for box in s.border[s.exists]:      # of the steps: pieces y = 2 k between integers x are not singular
        assert equation.lhs.has(sp.floor) and np.floor(box[0, 0]) == np.floor(box[0, 1])


def test_nothing_is_proved_where_there_is_no_zero() -> None:
    """(x - y)^2 is nowhere negative, but bounds of what it expands to are."""
    near = pave(sp.Eq(CIRCLE - 2 * x * y, -sp.Rational(1, 1000)), SQUARE, eps=0.05)
    assert len(near.border) and not near.exists.any()


def test_a_curve_in_space_and_single_points() -> None:
    domain = {**SQUARE, z: (-3, 3)}
    s = pave([sp.Eq(CIRCLE + z**2, 4), sp.Eq((x - 1)**2 + y**2, 1)], domain, eps=0.05)
    angle = np.linspace(0, 4 * np.pi, 300)      # Viviani's curve, which crosses itself at (2, 0, 0)
    curve = np.column_stack([1 + np.cos(angle), np.sin(angle), 2 * np.sin(angle / 2)])
    grown = s.border + [-1e-12, 1e-12]
    assert (within(curve, grown) > 0).all() and 0.8 < s.exists.mean() < 1
    assert all(np.abs(box.mean(axis=1) - [2, 0, 0]).max() < 0.5 for box in s.border[~s.exists])
    points = pave([sp.Eq(CIRCLE, 1), sp.Eq(x, y)], SQUARE, eps=0.05)
    assert len(points.border) == 2 and points.exists.all() and not points.free.any()


# -- budgets, results -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("budget", [collide.Budget(boxes=500), collide.Budget(bytes=20_000), collide.Budget(seconds=0.05), 1e-9])
def test_a_spent_budget_leaves_a_bracket(budget: Any) -> None:
    s = pave(SETS["ring"][0], SQUARE, eps=1e-7, budget=budget)
    area = 3 * PI
    assert s.status is SubpavingStatus.BUDGET_SPENT and area >= arb(s.volume.lo) and area <= arb(s.volume.hi)
    if isinstance(budget, collide.Budget) and budget.boxes:
        assert s.iterations <= 500
    assert pave(sp.Eq(CIRCLE, 1), SQUARE, eps=1e-7, budget=budget).status is SubpavingStatus.BUDGET_SPENT


def test_sides_of_neighbouring_doubles_are_not_halved_for_ever() -> None:
    s = pave(sp.Eq(x, sp.sqrt(2)), {x: (0, 2)}, eps=1e-300)
    assert s.status is SubpavingStatus.PAVED and np.ptp(s.border) < 4e-15
    assert pave(x**2 <= 2, {x: (0, 2)}, eps=1e-300).volume.width < 1e-13


def test_ends_that_are_no_doubles_are_rounded_outwards() -> None:
    s = pave(x >= 0, {x: (-sp.pi, sp.pi)}, eps=0.1)
    assert s.domain[0].tolist() == [-np.nextafter(np.pi, 4), np.nextafter(np.pi, 4)]


def test_results_are_immutable_and_say_what_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    s = pave(CIRCLE <= 4, SQUARE, eps=0.2, progress=True)
    with pytest.raises(ValueError, match="read-only"):
        s.inner[0] = 0
    with pytest.raises(AttributeError):
        s.status = SubpavingStatus.EMPTY  # type: ignore[misc]
    assert "inner boxes" in s.summary() and "volume" in s.summary() and repr(s).startswith("Subpaving(PAVED")
    assert "inside (proved)" in s._repr_html_() and repr(s.status) == "SubpavingStatus.PAVED"


def test_a_picture() -> None:
    pytest.importorskip("plotly")
    figure = pave(CIRCLE <= 4, SQUARE, eps=0.2).figure()
    assert [trace.name for trace in figure.data] == ["inside (proved)", "border"] and len(figure.data[0].x) % 6 == 0
    assert [trace.name for trace in pave(sp.Eq(CIRCLE, 1), SQUARE, eps=0.2).figure().data] == ["a piece of the zeros (proved)"]
    with pytest.raises(ValueError, match="two variables"):
        pave(x <= 1, {x: (0, 2)}, eps=0.2).figure()


@pytest.mark.parametrize(("arguments", "error", "words"), [
    (("x < 1", SQUARE, 0.1), TypeError, "not as text"), ((x, SQUARE, 0.1), TypeError, "a constraint is a relation"),
    ((z <= 1, SQUARE, 0.1), ValueError, "the free symbol z"), ((x <= 1, {x: (2, 1)}, 0.1), ValueError, "lo < hi"),
    ((x <= 1, {x: (0, sp.oo)}, 0.1), ValueError, "finite"), ((x <= 1, SQUARE, 0), ValueError, "eps must be a positive number"),
    ((x <= 1, SQUARE, np.nan), ValueError, "eps"), ((sp.mathieuc(1, 1, x) <= 1, SQUARE, 0.1), ValueError, "mathieuc"),
])  # fmt: skip
def test_bad_input_is_named(arguments: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        pave(arguments[0], arguments[1], eps=arguments[2])
