"""Skeletons: equal for formulas that differ in open numbers alone, and different where anything else differs."""

import itertools

import sympy as sp

from codegen.forms.skeleton import Skeleton

R = sp.Rational
a, b = sp.symbols("a b", real=True)


def test_open_numbers_are_left_out():
    first, second = Skeleton([R(213, 1000) * sp.sin(a) + 2]), Skeleton([R(-259, 1000) * sp.sin(a) + 2])
    assert first == second and hash(first) == hash(second)
    place = first.place(R(213, 1000))
    assert second.nodes[place] == R(-259, 1000) and first.open_numbers(first.expressions) == (place,)


def test_all_that_decides_makes_a_difference():
    p, q = R(213, 1000), R(259, 1000)
    given = [[p * a], [p * b], [R(1, 4) * a], [2 * a], [3 * a], [sp.pi * a], [a**2], [a**R(1, 2)], [a**p], [sp.sin(p * a)],
             [p * a, p * b], [p * a, q * b], [p * a, -p * b], [p * a + q], [p * a + p], [p * a - p], [p, sp.Integer(0)], [sp.Integer(0), p],
             [p, p], [p, q], [p, -p], [p, sp.Integer(1)], [sp.zeta(p), p], [sp.zeta(q), p]]
    for first, second in itertools.combinations(map(Skeleton, given), 2):
        assert first != second


def test_nodes_correspond():
    def whole(p, q):
        return Skeleton([p * a + q * sp.sin(q * b), -p * b, (q + a) ** 2])

    first, second = whole(R(213, 1000), R(1, 3)), whole(R(7, 901), R(3, 8))
    assert first == second and len(first.nodes) == len(second.nodes)
    change = {R(213, 1000): R(7, 901), R(1, 3): R(3, 8), R(-213, 1000): R(-7, 901)}
    assert all(one.xreplace(change) == other for one, other in zip(first.nodes, second.nodes, strict=True))
