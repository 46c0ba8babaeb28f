"""Members of families: formulas without their numbers. The referee is the formula itself, in 40 digits."""

import random

import numpy as np
import pytest
import sympy as sp

from generative import Parameter, ParametricSurface, Rigid, Screw, axis_angle, family, resting, t, u, v
from generative.chart import is_pole
from generative.family import member_of
from generative.primitives import ball
from generative.seams import period
from generative.template import TemplateReader, write


def wavy(rng):
    """r (a cos u cos v, b sin u cos v, c sin v) with r = 1 + w sin(3 u + p) sin(4 v + q), turning and flying."""
    a, b, c, w, p, q = map(float, rng.uniform(0.5, 1.0, 6))
    r = 1 + w * sp.sin(3 * u + p) * sp.sin(4 * v + q)
    shape = [r * a * sp.cos(u) * sp.cos(v), r * b * sp.sin(u) * sp.cos(v), r * c * sp.sin(v)]
    turn = Screw(axis=rng.normal(size=3), point=rng.normal(size=3), angle=float(rng.normal()) * t + float(rng.normal()),
                 advance=float(rng.normal()) * t)
    flight = Rigid(translation=[float(x) + float(y) * t for x, y in rng.normal(size=(3, 2))])
    return ParametricSurface(shape, {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)}, motion=flight @ turn)


def waves(rng):
    """A sum and a product whose terms SymPy orders by their numbers."""
    n = [float(x) for x in rng.uniform(-2.0, 2.0, 8)]
    height = n[0] * sp.sin(n[1] * u) + n[2] * sp.cos(n[3] * v) + (n[4] + u) ** 2 * (n[5] + v) ** 3
    height += sp.exp(n[6] * u) / (3 + sp.atan2(v, n[7] + 4))
    return ParametricSurface([u, v, height], {u: (n[0] - 3, n[1] + 3), v: (n[2] - 3, n[3] + 3)})


def same(first, second, numbers):
    """Do expressions agree, with numbers in the place of the symbols of the first, at points, to 35 digits?"""
    at = {u: sp.Rational(3, 7), v: sp.Rational(-5, 11), t: sp.Rational(13, 17)}
    for a, b in zip(first, second, strict=True):
        difference = (sp.sympify(a).xreplace(numbers) - sp.sympify(b)).xreplace(at).evalf(40, maxn=200)
        assert abs(difference) < sp.Float("1e-35")


@pytest.mark.parametrize("make", [wavy, waves])
def test_bodies_that_differ_in_numbers_are_members_of_one_family(make):
    rng = np.random.default_rng(3)
    bodies = [make(rng) for _ in range(12)]
    members = [member_of(body) for body in bodies]
    assert len({id(m.body) for m in members}) == 1
    for body, m in zip(bodies, members, strict=True):
        numbers = dict(zip(m.symbols, m.numbers, strict=True))
        same(m.body.expressions, body.expressions, numbers)
        same([e for pair in m.body.domain.values() for e in pair], [e for pair in body.domain.values() for e in pair], numbers)
        assert m.body.flipped == body.flipped and not any(n.free_symbols for n in m.numbers)


def test_a_member_does_not_depend_on_the_members_before_it():
    rng = np.random.default_rng(4)
    first, second = wavy(rng), wavy(rng)
    answers = []
    for order in ((first, second), (second, first)):
        for cached in (member_of, resting.resting_surface, resting._surface, family._moved):
            cached.cache_clear()
        answers.append({id(body): member_of(body) for body in order})
    for body in (first, second):
        one, other = (found[id(body)] for found in answers)
        assert one.body is not other.body
        assert one.body == other.body and one.numbers == other.numbers and one.symbols == other.symbols


def test_small_integers_and_frequencies_of_a_shape_are_structure():
    tube = 2 + sp.cos(v / 2) / 3
    shape = ParametricSurface([sp.cos(2 * sp.pi * u) * tube, sp.sin(2 * sp.pi * u) * tube, sp.sin(v / 2)], {u: (0, 1), v: (0, 4 * sp.pi)})
    member = member_of(shape)
    assert set(member.numbers) == {sp.Rational(1, 3)} and member.body.domain == shape.domain
    assert [period(member.body, s) for s in (u, v)] == [period(shape, s) for s in (u, v)] != [0.0, 0.0]


def test_all_numbers_of_a_motion_are_data_but_factors_of_one():
    plate = ParametricSurface([u, v, 0], {u: (0, 1), v: (0, 1)})
    members = [member_of(plate.moved(Rigid(translation=[k, 0, 3 * k - 2 * t**2]))) for k in (1, 2, 5, sp.Rational(1, 3))]
    assert len({id(m.body) for m in members}) == 1
    falling = member_of(plate.moved(Rigid(rotation=axis_angle([0, 0, 1], t), translation=[0, 1, -t]))).body.motion
    assert falling.rotation == axis_angle([0, 0, 1], t)
    assert list(falling.translation) == [0, Parameter("n0"), -t]


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1)])
def test_bodies_that_turn_forwards_and_backwards_are_of_one_family(axis):
    shape = ParametricSurface([u, v, 0], {u: (0, 1), v: (0, 1)})
    turns = [Rigid(rotation=axis_angle(axis, angle), translation=[sp.cos(angle) / 5, 0, 0])
             for angle in (sp.Rational(rate) * t + sp.Rational(rate) / 3 for rate in (7, -7, "7/5", "-9/5"))]
    for made in (shape, ball(1), ball(1) | ball(2)):
        bodies = [made.moved(turn) for turn in turns]
        members = [member_of(b) for b in bodies]
        assert len({id(m.body) for m in members}) == 1
        for member, body in zip(members, bodies, strict=True):
            known = dict(zip(member.symbols, member.numbers, strict=True))
            own, given = (b if isinstance(b, ParametricSurface) else b.leaves[0] for b in (member.body, body))
            same(own.motion.apply((u, v, 1)), given.motion.apply((u, v, 1)), known)


def test_domains_are_data_unless_there_is_a_pole():
    r, p = 0.7, 0.3
    disc = ParametricSurface([v * sp.cos(u), v * sp.sin(u), 0], {u: (0, 2 * sp.pi), v: (0, r)})
    ring = ParametricSurface([v * sp.cos(u), v * sp.sin(u), 0], {u: (0, 2 * sp.pi), v: (p, r)})
    cone = ParametricSurface([(v - p) * sp.cos(u), (v - p) * sp.sin(u), v], {u: (0, 2 * sp.pi), v: (p, r)})
    assert member_of(disc).body.domain == disc.domain and member_of(cone).body.domain == cone.domain
    assert is_pole(member_of(disc).body, v, 0) and is_pole(member_of(cone).body, v, 0)
    assert member_of(ring).body.domain[v] == (Parameter("n0"), Parameter("n1")) and member_of(ring).numbers == ring.domain[v]


UNITS = [1, 2**40, sp.Rational(1, 2**40), 10**12, sp.Rational(1, 3**20)]


@pytest.mark.parametrize("unit", UNITS, ids=str)
def test_a_member_closes_on_itself_where_the_body_does(unit):
    """Parameters in any unit: seams and poles rest on numbers that are not small, then. So do those of a wheel of many teeth."""
    a, b, p, size = u / unit, v / unit, sp.Rational(1234567, 10**7), sp.Rational(314159, 10**5)
    turn, half, arc = (0, 2 * sp.pi * unit), (-sp.pi / 2 * unit, sp.pi / 2 * unit), (0, 2 * sp.pi / 3 * unit)
    ball = ParametricSurface([size * sp.cos(a + p) * sp.cos(b), sp.sin(a + p) * sp.cos(b), sp.sin(b)], {u: turn, v: half})
    cone = ParametricSurface([(1 - b) * sp.cos(3 * a), (1 - b) * sp.sin(3 * a), size * b], {u: arc, v: (0, unit)})
    tube = ParametricSurface([sp.cos(a), sp.sin(a), size * b], {u: turn, v: (0, Parameter("height"))})
    wheel = ParametricSurface([sp.cos(a) * (1 + sp.sin(5000 * a) / 50), sp.sin(a), size * b], {u: turn, v: (0, unit)})
    for body, seam, poles in ((ball, u, [v, v]), (cone, u, [v]), (tube, u, []), (wheel, u, [])):
        m = member_of(body)
        assert period(m.body, seam) == float(body.domain[u][1] - body.domain[u][0])
        assert [s for s in (u, v) for end in (0, 1) if is_pole(m.body, s, end)] == poles
        assert body is not ball or size in m.numbers
        same(m.body.expressions, body.expressions, dict(zip(m.symbols, m.numbers, strict=True)))


def test_parameters_of_a_body_are_among_its_numbers():
    a, rate = Parameter("a"), Parameter("rate")
    body = ParametricSurface([a * u, v + 0.3, sp.Max(u, 0.1)], {u: (0, a), v: (0, 1)}).moved(Rigid(translation=[0, 0, rate * t]))
    m = member_of(body)
    assert {a, rate} <= set(m.numbers) and not {a, rate} & {s for e in m.body.expressions for s in e.free_symbols}
    numbers = {s: {a: sp.Rational(3, 5), rate: sp.Rational(7, 5)}.get(n, n) for s, n in zip(m.symbols, m.numbers, strict=True)}
    same(m.body.expressions, [e.xreplace({a: sp.Rational(3, 5), rate: sp.Rational(7, 5)}) for e in body.expressions], numbers)


def test_what_is_no_plain_function_stays_as_it_is():
    a = Parameter("a")
    e = sp.Piecewise((0.3 * u, u < 0.1), (a * u, True))
    reader = TemplateReader()
    instructions, (at,) = reader.read([e])
    assert reader.numbers == [a]
    assert write(instructions, [Parameter("n0")])[at] == e.xreplace({a: Parameter("n0")})


def test_a_deep_formula():
    e = u
    for k in range(100):
        e = sp.sin(e) + sp.Rational(1, 1000 + k)
    reader = TemplateReader()
    instructions, (at,) = reader.read([e])
    assert len(reader.numbers) == 100 and write(instructions, reader.numbers)[at] == e


def test_other_symbols_are_refused_as_before():
    with pytest.raises(ValueError, match="the symbol a means nothing in a parametric surface"):
        ParametricSurface([sp.Symbol("a", real=True) * u, v, 0], {u: (0, 1), v: (0, 1)})


def test_members_of_a_known_kind_are_not_read_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[object] = []
    plain = TemplateReader.read
    monkeypatch.setattr(TemplateReader, "read", lambda self, *given: calls.append(self) or plain(self, *given))
    rng = random.Random(5)

    def size() -> sp.Rational:
        return sp.Rational(rng.randint(101, 399), 1009)

    for number in range(80):
        if number == 40:
            calls.clear()
        minor = size()
        ring = 1 + minor * sp.cos(v)
        torus = ParametricSurface([ring * sp.cos(u), ring * sp.sin(u), minor * sp.sin(v)], {u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)})
        turn = axis_angle([size() - sp.Rational(250, 1009), size(), 1], 7 * size())
        member_of(torus.moved(Rigid(rotation=turn, translation=[size(), -size(), 5 - t])))
    # Roots of squares, and the order of terms, make a few kinds.
    assert len(calls) <= 8
