"""Formulas that are read by the skeleton they have in common give what a reader of their own gives."""

import random

import pytest
import sympy as sp

from generative import axis_angle, t, u, v
from generative.symbols import Parameter
from generative.template import TemplateReader, read

R = sp.Rational
_SPECIAL = [*map(sp.Integer, (0, 1, -1, 2, 2000)), R(1, 2), R(-1, 2), R(1, 3), R(2, 3), R(1, 4), R(5, 33), 1 + R(1, 2**40), sp.pi,
            sp.sqrt(2), sp.sqrt(2) / 3, Parameter("p")]


def _shape(draw):
    a, b, c, d = (draw() for _ in range(4))
    ring = a + b * sp.cos(v)
    return [([ring * sp.cos(u), ring * sp.sin(c * u), d * sp.sin(v) - b, a - b, c * sp.pi], False)]


def _wave(draw):
    a, b, c, d = (draw() for _ in range(4))
    return [([a * sp.sin(b * u + c) + d * sp.sin(d * v + a), sp.sqrt(a * a + 1) * u, (a + sp.sqrt(3)) / 7 * v, sp.Abs(u * b - c)], False)]


def _motion(draw):
    axis = [e if e.is_Rational else 1 for e in (draw(), draw())]
    entries = list(axis_angle([*axis, 1], draw() + draw() * t))
    return [(entries, False), ([draw() - t, draw() * sp.sin(draw() * t), draw()], True)]


@pytest.mark.parametrize(("formulas", "moves"), [(_shape, False), (_wave, False), (_wave, True), (_motion, True)])
def test_reading_by_skeletons(formulas, moves):
    rng = random.Random(3)
    known = []

    def draw():
        kind = rng.random()
        if kind < 0.35:
            known.append(R(rng.randint(-999, 999), 1000))
        return rng.choice(known[-3:]) * rng.choice([1, 1, 1, -1]) if known and kind < 0.6 else rng.choice(_SPECIAL)

    for _ in range(150):
        groups = formulas(draw)
        fixed = [draw() for _ in range(rng.choice([0, 0, 2]))]
        found, numbers = read(groups, moves, fixed)
        reader = TemplateReader(moves, fixed)
        assert found == tuple(reader.read(*group) for group in groups) and numbers == tuple(reader.numbers)


def test_kinds_are_read_once(monkeypatch):
    calls = []
    plain = TemplateReader.read
    monkeypatch.setattr(TemplateReader, "read", lambda self, *given: calls.append(given) or plain(self, *given))
    for k in range(101, 160):
        read([([R(k, 997) * sp.cos(u) + R(3 * k, 1009), R(k, 997) * sp.sin(u)], False)])
    assert len(calls) == 2
