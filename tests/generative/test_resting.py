"""Shapes at rest as members of families: a member is what its family is with its numbers, and no more closed than that."""

import random

import pytest
import sympy as sp

from collide.bodies.parts import is_closed, parts_of
from generative import Edge, ParametricSurface, Solid, Vertex, solids, u, v
from generative.chart import is_pole
from generative.curve import Curve
from generative.family import member_of
from generative.resting import resting_solid, resting_surface
from generative.seams import turns

R, TURN = sp.Rational, (0, 2 * sp.pi)


def formulas(body):
    """All formulas of a solid, in order."""
    faces = [e for f in body.faces for e in (*f.body, *(end for ends in f.domain.values() for end in ends))]
    edges = [e for edge in body.edges for e in (*(e for path in edge.paths for e in path), *edge.domain)]
    return faces + edges + [e for vertex in body.vertices for point in vertex.points for e in point]


def can(radius, height):
    return solids.extruded(Curve([radius * sp.cos(u), radius * sp.sin(u), 0], TURN), [0, 0, height])


@pytest.mark.parametrize("make", [solids.capsule, can, lambda a, b: solids.rounded_box((2 * a + 1, 2 * b + 3, a + 2 * b + 2), a / 3)])
def test_solids_that_differ_in_numbers_are_members_of_one_family(make):
    rng = random.Random(3)
    sizes = [(R(1, 4), R(3, 8)), (R(2, 5), R(7, 3)), *((R(rng.randint(101, 997), 1009), R(rng.randint(101, 997), 1013)) for _ in range(4))]
    bodies = [make(*pair) for pair in sizes]
    members = [resting_solid(body) for body in bodies]
    assert len({id(m.body) for m in members}) == 1 and members[0].numbers
    for body, m in zip(bodies, members, strict=True):
        numbers = dict(zip(m.symbols, m.numbers, strict=True))
        assert all(sp.expand(a.xreplace(numbers) - b) == 0 for a, b in zip(formulas(m.body), formulas(body), strict=True))
        assert m.body.closed == body.closed and is_closed(m.body) == is_closed(body)


@pytest.mark.parametrize(("radius", "length"), [
    (1, 1), (R(1, 2), R(1, 2)), (R(1, 2), R(1, 2) + R(1, 2**40)), (sp.sqrt(2) / 2, sp.pi / 4), (2, 1)])
def test_capsules_of_special_numbers_are_what_they_are(radius, length):
    body = solids.capsule(radius, length)
    m = member_of(body)
    numbers = dict(zip(m.symbols, m.numbers, strict=True))
    assert all(sp.expand(a.xreplace(numbers) - b) == 0 for a, b in zip(formulas(m.body), formulas(body), strict=True))
    own, given = ([(p.feature, p.border, p.periods, p.two_sided) for p in parts_of(b)] for b in (m.body, body))
    assert own == given


@pytest.mark.parametrize("teeth", [1, 2, R(1, 2), R(3, 2), R(7, 5)])
@pytest.mark.parametrize("length", [sp.pi, 2 * sp.pi, 4 * sp.pi, 10 * sp.pi, R(44, 7)])
def test_members_close_where_they_close(teeth, length):
    rim = R(5, 7) + R(1, 8) * sp.cos(teeth * u)
    body = ParametricSurface([rim * sp.cos(u), rim * sp.sin(u), v], {u: (0, length), v: (0, R(1, 3))})
    assert [turns(resting_surface(body).body, s) for s in (u, v)] == [turns(body, s) for s in (u, v)]


@pytest.mark.parametrize("low", [0, R(1, 2**40), R(1, 3)])
@pytest.mark.parametrize("scale", [1, R(1, 2), sp.sqrt(2) / 2, R(3, 1009)])
def test_members_have_their_poles(low, scale):
    for body in (ParametricSurface([scale * v * sp.cos(u), scale * v * sp.sin(u), v], {u: TURN, v: (low, 1)}),
                 ParametricSurface([scale * (v - low) * u, (v - low) * (1 - u), v], {u: (0, 1), v: (low, R(3, 2))})):
        own = resting_surface(body).body
        assert [is_pole(own, s, end) for s in (u, v) for end in (0, 1)] == [is_pole(body, s, end) for s in (u, v) for end in (0, 1)]


def test_an_edge_that_runs_backwards_over_a_range_of_two_numbers_keeps_its_place():
    """The path goes from hi to lo as lo + hi - u: a number that no symbol of the ends tells of, so these stay in the formulas."""
    lo, hi = R(213, 1000), R(777, 1000)
    first, second = (ParametricSurface([u, v, height], {u: (lo, hi), v: (0, 1)}) for height in (0, 1))
    edges = [Edge((0, 1), ((u, end), (lo + hi - u, 1 - end)), (lo, hi)) for end in (0, 1)]
    corners = [Vertex((0,), ((lo, 0),)), Vertex((1,), ((hi, 1),))]
    body = Solid._unchecked([first, second], edges, corners)
    m = resting_solid(body)
    known = [(p.feature, p.border) for p in parts_of(body)]
    assert [(p.feature, p.border) for p in parts_of(m.body)] == known
