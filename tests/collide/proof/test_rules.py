"""The rules of the checker against what is known: derivatives against SymPy's, and no rule excludes a box that holds a solution."""

import random
from fractions import Fraction
from typing import Any

import flint
import mpmath
import pytest
import sympy as sp
from flint import arb

from collide.proof.checker.formulas import FormulaProgram
from collide.proof.checker.rules import RowPlaces, positive_definite, side, system_of
from collide.proof.checker.text import Refused, read

x, y = sp.symbols("x y", real=True)
FORMULAS = {
    "(+ (* x y) (sin (* 2 x)))": x * y + sp.sin(2 * x), "(- (cos x) (tan (* 1/4 y)))": sp.cos(x) - sp.tan(y / 4),
    "(* (exp x) (inv (+ 2 (square y))))": sp.exp(x) / (2 + y**2), "(* (log (+ 3 x)) (sqrt (+ 3 y)))": sp.log(3 + x) * sp.sqrt(3 + y),
    "(asin (* x y 1/9))": sp.asin(x * y / 9), "(acos (* 1/3 x))": sp.acos(x / 3), "(atan (* x y))": sp.atan(x * y),
    "(* (sinh x) (cosh y))": sp.sinh(x) * sp.cosh(y), "(tanh (- x y))": sp.tanh(x - y), "(asinh (* 3 x))": sp.asinh(3 * x),
    "(inv (+ 4 (* x y)))": 1 / (4 + x * y), "(* (square (square (- x y))) (- x y))": (x - y)**5,
    "(inv (* (square (+ 4 x y)) (+ 4 x y)))": (4 + x + y)**-3, "(neg (* x x x))": -x**3,
    "(* (abs (- x 3)) y)": sp.Abs(x - 3) * y, "(max x (- y 9) (* 2 x))": sp.Max(x, y - 9, 2 * x), "(min (* x y) 9)": x * y,
    "(+ (floor (+ x 9/4)) (* x y))": sp.floor(x + sp.Rational(9, 4)) + x * y, "(+ (* pi x) (* e y))": sp.pi * x + sp.E * y,
    "(if (- y x) (* x y) (- y x))": sp.Piecewise((x * y, x < y), (y - x, True)),
    "(if (min (- y x) x) (* x y) (- y x))": sp.Piecewise((x * y, (x < y) & (x >= 0)), (y - x, True)),
}  # fmt: skip


def program(*formulas: str) -> tuple[FormulaProgram, list[int]]:
    stated, made = FormulaProgram(), FormulaProgram()
    bound = {"x": made.variable(), "y": made.variable()}
    return made, made.take(stated, [stated.add(read(f)[0], {}) for f in formulas], bound)


def system(equations: int, *formulas: str) -> RowPlaces:
    made, rows = program(*formulas)
    return system_of(made, rows[:equations], rows[equations:])


def exact(e: Any, at: tuple[float, float]) -> Any:
    """The value of a formula of SymPy at a point of doubles, to 30 digits, as a ball."""
    with mpmath.workdps(40):
        value = sp.lambdify((x, y), e, "mpmath")(*map(mpmath.mpf, at))
        return arb(mpmath.nstr(mpmath.mpf(value), 30), 1e-25)


@pytest.mark.parametrize("text", FORMULAS)
def test_values_and_derivatives(text: str) -> None:
    """At a point they are SymPy's; over a box round it they contain those at other points of it, or are unknown."""
    rng, e, (made, rows) = random.Random(3), FORMULAS[text], program(text)
    for _ in range(8):
        at = rng.uniform(-1, 1), rng.uniform(-1, 1)
        (value, g, h), = made.jets(rows, [arb(a) for a in at], 2, (0, 1))
        wide = made.jets(rows, [arb(a, rng.choice([0.01, 0.3])) for a in at], 2, (0, 1))[0]
        known = [(value, wide[0], e), *((g.get(i, arb(0)), wide[1].get(i, arb(0)), sp.diff(e, s)) for i, s in enumerate((x, y)))]
        pairs = {(0, 0): (x, x), (0, 1): (x, y), (1, 1): (y, y)}
        known += [(h.get(ij, arb(0)), wide[2].get(ij, arb(0)), sp.diff(e, *s)) for ij, s in pairs.items()]
        for narrow, broad, true in known:
            if isinstance(true, sp.Basic) and true.has(sp.Subs, sp.Derivative, sp.DiracDelta, sp.Heaviside, sp.sign, sp.floor):
                continue
            assert narrow.overlaps(exact(true, at)), (text, at, true)
            assert broad.is_nan() or broad.overlaps(exact(true, at)), (text, at, true)


def test_what_jumps_or_is_undefined_has_no_derivative() -> None:
    made, places = program("(if (- 1/2 x) 3 5)", "(floor x)", "(sqrt x)", "(log x)", "(abs x)")
    rows = made.jets(places, [arb(0.5, 0.75), arb(0)], 2, (0, 1))
    assert all(g[0].is_nan() for _, g, _ in rows[:4]) and all(h[0, 0].is_nan() for _, _, h in rows)
    assert rows[2][0].is_nan() and rows[3][0].is_nan() and rows[4][1][0].contains(-1) and rows[0][0].contains(3)


# Systems in x and y, with a solution: equations first, then conditions.
SOLVED = [
    (("(- (square x) y)", "(+ x (sin y) -1)"), 2, None), (("(- x y)",), 1, (0.25, 0.25)),
    (("(- (* x y) 1/16)", "(- x 1/2)"), 2, (0.5, 0.125)),
    (("(- x (abs y))", "(- y 1)"), 1, (0.5, -0.5)), (("(- (square x) 1/4)", "(- y 1/2)"), 0, (0.5, 0.5)),
    (("(if (- 1/2 x) 1 (- y 1/4))",), 1, (0.75, 0.25)), (("(max (- x 1/2) (- y 1/4))",), 1, (0.5, 0.125)),
]


@pytest.mark.parametrize("case", range(len(SOLVED)))
def test_no_rule_excludes_a_solution(case: int) -> None:
    """Whatever the weights, the curvature that is allowed for, and the point."""
    formulas, equations, root = SOLVED[case]
    if root is None:
        point = [float(c) for c in mpmath.findroot(lambda a, b: (a**2 - b, a + mpmath.sin(b) - 1), (0.5, 0.3))]
        root = point[0], point[1]
    rng, solved = random.Random(case), system(equations, *formulas)
    for _ in range(150):
        size = rng.choice([1e-6, 1e-2, 0.2, 2.0])
        ends = [(c - size * rng.random() - 1e-12, c + size * rng.random() + 1e-12) for c in root]
        box, n = [side(*s) for s in ends], len(formulas)
        weights = [arb(rng.gauss(0, 1) if r < equations else abs(rng.gauss(0, 1))) for r in range(n)]
        at = [arb(rng.choice([lo, hi, c, rng.uniform(lo, hi)])) for (lo, hi), c in zip(ends, root, strict=True)]
        m, bend = arb(rng.choice([0, 1, -1, 10, 1000])), arb(rng.choice([0, 1e-3, 1, 100]))
        assert not solved.excludes(box, weights) and not solved.excludes(box, [*weights, m, bend, *at])


def test_what_the_rules_can_show() -> None:
    """Each of them excludes what the one before cannot; and one finds the zero that there is."""
    curved, box = system(1, "(+ (square (- x y)) (* x x) (* -1 x) 5/16)"), [side(-1.0, 1.0), side(-1.0, 1.0)]
    one, half = [arb(1)], [arb(0.5), arb(0.5)]
    assert not curved.excludes(box, one)
    assert curved.excludes(box, [arb(1), arb(0), arb(0), *half]) and not curved.excludes(box, [arb(1), arb(0), arb(0), arb(-1), arb(1)])
    assert not curved.excludes(box, [arb(1), arb(0), arb(-1), *half])
    held = system(1, "(+ (* x x) (* 100 x y) 1)")
    assert held.excludes([side(-1.0, 1.0), side(0.0, 0.0)], [arb(1), *[arb(0)] * 4]), "no room, no curvature"
    straight = system(1, "(+ (* 3 x) (* -2 x) 3/2)")
    (value, _, _), = straight.program.jets([straight.sum], [arb(0, 1), arb(0, 1), arb(1), arb(0)], 0, ())
    assert not value > 0 and straight.excludes(box, one)
    tilted = system(1, "(+ (* x y) (* 3 x) 9/2)")
    assert tilted.excludes(box, one), "held where it is monotone in x, and then the mean value in y"
    near, inverse = [side(0.9, 1.1), side(0.9, 1.1)], [arb(c) for c in (1, -1, 1, -2)]
    crossing = system(2, "(- (square x) y)", "(- x y)", "(- x 2)")
    assert crossing.exists(near, inverse) and not crossing.exists([side(0.9, 0.99), side(0.9, 1.1)], inverse)
    assert not crossing.exists([side(1.01, 1.1), side(0.9, 1.1)], inverse)
    assert not system(2, "(- (square x) y)", "(- x y)", "(- x 1)").exists(near, inverse)
    # A hill is below zero at both ends, whatever is said of how it bends; and tangents are those at points of the box.
    flat, hill = [side(-1.0, 1.0), side(0.0, 0.0)], system(1, "(- 1/2 (square x))")
    assert not any(hill.excludes(flat, [arb(1), arb(0), arb(bend), arb(0), arb(0)]) for bend in (-3, 0, 1, 3))
    assert not system(1, "(- (* 5 (square x)) 1)").excludes(flat, [arb(1), arb(0), arb(-8), arb(0), arb(0)])
    step = system(1, "(if (- x 2) 100 (- (square x) 1/4))")
    assert not step.excludes(flat, [arb(1), arb(0), arb(0), arb(3), arb(0)])
    # Conditions are not squared: all x from -1 to 0 are solutions of x <= 1/2.
    assert not system(0, "(- x 1/2)").excludes([side(-1.0, 0.0), side(0.0, 0.0)], [arb(0), arb(1), arb(0), arb(-0.5), arb(0)])
    # With m the rows are held together: x y <= 0 is not seen from x - y = 0 by weights alone.
    saddle = system(1, "(- x y)", "(+ (* x y) 1/8)")
    assert saddle.excludes(box, [arb(0), arb(1), arb(4), arb(0), arb(0), arb(0)])
    assert not saddle.excludes(box, [arb(0), arb(1), arb(0), arb(0), arb(0), arb(0)])


def test_positive_definite_matrices() -> None:
    rng = random.Random(5)
    for _ in range(200):
        rows = [[rng.randint(-4, 4) for _ in range(3)] for _ in range(3)]
        table = [[Fraction(sum(row[i] * row[j] for row in rows)) - (rng.random() < 0.3) * (i == j) for j in range(3)] for i in range(3)]
        truth = all(sp.Matrix(k, k, lambda i, j: sp.Rational(table[i][j])).det() > 0 for k in (1, 2, 3))  # noqa: B023
        with flint.ctx.workprec(64):
            assert positive_definite([[arb(float(e)) for e in row] for row in table]) == truth


@pytest.mark.parametrize(("text", "why"), [
    ("(sin x", "not closed"), ("sin x)", "not opened"), ("(sin x y)", "with 2 arguments"), ("(frob x)", "nothing that"), ("z", "no number"),
    ("1_0", "no number"), ("1/0", "no number"), ("0x1p9999", "no number"), ("inf", "no number"), ("()", "nothing that"),
    ("((sin) x)", "nothing that"), ("(^ x 2)", "nothing that"), ("(- x)", "nothing that"), ("#1", "no number"),
    ("(if x 1)", "nothing that"),
    ("(< x 0)", "nothing that"), ("(if (< x 0) 1 2)", "nothing that"), ("(variable 0)", "nothing that"), ("(number 2)", "nothing that"),
    ("(weighed x y y)", "nothing that"),
])
def test_formulas_that_are_refused(text: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        program(text)
        read(text)
