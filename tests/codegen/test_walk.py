"""Formulas walked without recursion: of any depth, each part once, and with SymPy's own results where SymPy comes to the end."""

import inspect
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp

import codegen
import collide
from codegen import operators, walk
from codegen.given import shown
from generative import ImplicitSurface, Parameter, ParametricSurface, Rigid, Solid, primitives, t, u, v
from generative import z as HEIGHT
from generative.symbols import derivative

x, y, z = sp.symbols("x y z", real=True)
SQUARE = {u: (-1, 1), v: (-1, 1)}


def deep(count: int) -> Any:
    """x y - 3, of that times y less 2, and so on: twice as many operations, nested in each other."""
    e: Any = x
    for k in range(count):
        e = sp.Add(sp.Mul(e, y, evaluate=False), sp.Integer(k % 7 - 3), evaluate=False)
    return e


def value(e: Any) -> float:
    return float(codegen.compile([e], [x, y, z], quick=True).points([[0.3, 0.7, 0.3]])[0, 0])


def test_no_depth_is_too_deep() -> None:
    e = deep(3000)
    assert walk.nesting(e) == 6000 and walk.free_symbols(e) == {x, y} and walk.atoms(e, sp.Symbol) == {x, y}
    assert walk.has(e, x) and walk.has(e, sp.Mul) and not walk.has(e, z, sp.sin)
    assert not walk.is_writable(e) and shown(e) == f"a formula of {len(walk.parts(e)):,} operations"
    changed = walk.replaced(e, {x: z})
    assert walk.free_symbols(changed) == {y, z} and np.isclose(value(changed), value(e), rtol=1e-12)


@pytest.mark.parametrize("slope", [walk.derivative, derivative])
def test_derivatives_of_deep_formulas(slope: Callable[[Any, Any], Any]) -> None:
    """By x it is y to the power of the depth; by y it is that of the graph."""
    e = deep(400)
    assert np.isclose(value(slope(e, x)), 0.7**400, rtol=1e-12)
    rows = codegen.compile([e], [x, y], quick=True).jacobian().points([[0.3, 0.7]])
    assert np.isclose(value(slope(e, y)), rows.ravel()[1], rtol=1e-12)


def test_what_occurs_often_is_met_once() -> None:
    e: Any = x
    for _ in range(200):
        e = sp.Add(sp.Mul(e, e, evaluate=False), y, evaluate=False)
    found = walk.parts(e)
    assert len(found) == 402 == len({id(part) for part in found}) and walk.nesting(e) == 400
    place = {id(part): k for k, part in enumerate(found)}
    assert all(place[id(a)] < place[id(part)] for part in found for a in part.args)
    assert walk.free_symbols(e) == {x, y} and walk.free_symbols(walk.replaced(e, {x: z})) == {y, z} and not walk.is_writable(e)


def drawn(rng: random.Random, size: int) -> Any:
    if size == 0:
        return rng.choice([x, y, z, sp.Rational(rng.randint(1, 9), 7)])
    a, b = drawn(rng, size - 1), drawn(rng, rng.randrange(size))
    return rng.choice([
        lambda: a + b, lambda: a * b, lambda: sp.sin(a), lambda: sp.exp(-a**2), lambda: (1 + a**2) ** sp.Rational(1, 3), lambda: a - 2 * b,
        lambda: sp.Piecewise((a, x < y), (b, True)), lambda: sp.atan2(a, 2 + b**2), lambda: operators.DefiniteIntegral(a * z, z, 0, 1),
        lambda: sp.sqrt(2 + sp.cos(b)) ** a,
    ])()  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_where_sympy_comes_to_the_end_it_says_the_same(seed: int) -> None:
    e = drawn(random.Random(seed), 4)
    assert walk.free_symbols(e) == e.free_symbols and walk.atoms(e, sp.Symbol, sp.sin) == e.atoms(sp.Symbol, sp.sin)
    assert walk.has(e, y, sp.Piecewise) == e.has(y, sp.Piecewise)
    for change in ({x: y, y: x}, {z: sp.Rational(1, 3)}, {x: y + z}):
        assert walk.replaced(e, change) == e.xreplace(change)
    for s in (x, y):
        slope = walk.derivative(e, s)
        at, known = {x: sp.Rational(3, 7), y: sp.Rational(5, 9), z: sp.Rational(2, 11)}, sp.diff(e, s)
        assert abs(complex(sp.N(slope.subs(at))) - complex(sp.N(known.subs(at)))) < 1e-9


# -- where SymPy is needed -------------------------------------------------------------------------------------------------


def nested(s: Any, count: int) -> Any:
    """So many operations of s, nested in each other, near s / 2."""
    e = s / 2
    for k in range(1, count):
        e = sp.sin(e, evaluate=False) if k % 2 else sp.Add(e, sp.Rational(1, 1000 + k), evaluate=False)
    return e


MADE: list[Callable[[int], Any]] = [
    lambda n: ParametricSurface([u, v, nested(u, n)], SQUARE).normal, lambda n: Rigid(translation=[0, 0, nested(t, n)]),
    lambda n: ImplicitSurface(nested(HEIGHT, n), [(-1, 1)] * 3).gradient,
    lambda n: ParametricSurface([u, v, sp.Piecewise((nested(u, n - 2), u < v), (0, True))], SQUARE).normal,
]  # fmt: skip


@pytest.mark.parametrize("make", MADE, ids=["surface", "motion", "implicit", "cases"])
def test_what_nests_deeper_than_sympy_follows_is_refused_in_words(make: Callable[[int], Any]) -> None:
    make(walk.DEEPEST)
    for count in (walk.DEEPEST + 1, 900):
        with pytest.raises(ValueError, match=rf"nests {count} operations in each other, more than the {walk.DEEPEST}") as caught:
            make(count)
        assert "\n" not in str(caught.value)


def test_unions_of_intersections_are_refused_alike() -> None:
    body: Any = primitives.ball()
    other = primitives.ball(2)
    for _ in range(walk.DEEPEST // 2):
        body = (body | other) & other
    with pytest.raises(ValueError, match=f"must nest in each other at most {walk.DEEPEST} times, got {walk.DEEPEST + 1}"):
        body | other


def test_what_is_replaced_is_written_as_sympy_writes_it() -> None:
    """Powers and products of sums are put together without SymPy, and equal what it makes of them."""
    a, b = 2 * x - 3 * y, (1 - x) ** 3 / 3 + y
    for e in (x**2 * y, x * y**3 * (x + y) ** 2, 3 * x**4 / y, x * y / 6, (x * y) ** 2 * z, x * y * sp.pi, sp.cos(x) * x * y):
        for change in ({x: a}, {x: a, y: b}, {x: a, y: a}, {x: -a, y: 2 * b}, {x: a * b, y: b}, {x: sp.Integer(0)}, {x: 2 * z, y: a}):
            assert walk.replaced(e, change) == e.xreplace(change)


def test_equations_of_any_depth_are_solved() -> None:
    """x, to which 1 is added and subtracted again, is 1/2 where it is 1/2."""
    e: Any = x
    for _ in range(1500):
        e = sp.Add(sp.Add(e, 1, evaluate=False), -1, evaluate=False)
    r = collide.solve([sp.Add(e, sp.Rational(-1, 2), evaluate=False)], {x: (0, 1)})
    assert len(r.points) == 1 and r.proved.all() and abs(r.points[0, 0] - 0.5) < 1e-9
    m = collide.minimize(e, {x: (0, 1)})
    assert m.bracket[0] <= 0 <= m.bracket[1]


def from_a_deep_place(call: Callable[[], Any], depth: int) -> Any:
    """Called by so many functions that call each other."""
    return call() if depth == 0 else from_a_deep_place(call, depth - 1)


PLATE, WAVE, SPEED = ParametricSurface([u, v, 2], SQUARE), ParametricSurface([u, v, nested(u + v, 118) - t], SQUARE), Parameter("speed")
FALLING = WAVE.moved(Rigid(translation=[0, 0, -SPEED * t]))
ASKED: list[Callable[[], Any]] = [
    lambda: collide.first_contact([PLATE, WAVE], (0, 1)), lambda: collide.self_contact(WAVE, (0, 1)),
    lambda: collide.contact_batch([PLATE, FALLING], (0, 1), parameters={SPEED: [1.0]}), lambda: collide.trace([PLATE, WAVE], (0, 1)),
    lambda: collide.check_solid(Solid([WAVE]), time=(0, 1)),
]  # fmt: skip


@pytest.mark.parametrize("ask", ASKED, ids=["first_contact", "self_contact", "contact_batch", "trace", "check_solid"])
def test_where_too_few_calls_are_left_a_query_says_so(ask: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match="a formula nests more operations in each other than SymPy's functions"):
        from_a_deep_place(ask, 930 - len(inspect.stack()))
