"""Names of bodies: carried by whatever becomes of a body, and no part of what it is."""

import pickle

import pytest
import sympy as sp

import generative as g
from generative import ImplicitSurface, ParametricSurface, Rigid, Solid, complement, deform, sweep, t, u, union, v, x, y, z
from generative.body import called, label
from generative.family import member_of

SHEET = ParametricSurface([u, v, t * u], {u: (0, 1), v: (0, 1)}, name="sheet")
BALL = ImplicitSurface(x**2 + y**2 + z**2 - 1, bounds=[(-2, 2)] * 3, name="ball")
FALL = Rigid(translation=[0, 0, -t])
WEDGE = g.polyhedron([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)], name="wedge")
PAIR = union(BALL, BALL.moved(FALL), name="pair")


@pytest.mark.parametrize("body", [SHEET, BALL, PAIR, WEDGE, Solid([SHEET], name="patch")], ids=lambda body: body.name)
def test_a_name_stays_with_a_body_and_does_not_enter_its_identity(body):
    assert body.moved(FALL).name == body.at(1).name == body.moved(FALL).moved(FALL).at(t**2).name == body.name
    assert pickle.loads(pickle.dumps(body)).name == body.name and f"name={body.name!r}" in repr(body)
    other, without = body.named("cup"), body.named(None)
    assert (other.name, without.name) == ("cup", None) and body.name != "cup"
    assert other == without == body and hash(other) == hash(without) == hash(body)
    assert member_of(other) is member_of(body)


def test_what_is_deformed_or_turned_inside_out_keeps_its_name():
    assert deform.twist(SHEET, 1).name == sweep.offset(SHEET, 1).name == "sheet" and deform.twist(WEDGE, 1).name == "wedge"
    assert sweep.reparameterize(SHEET, u / 2, v, {u: (0, 1), v: (0, 1)}).name == "sheet"
    assert complement(BALL).name == "ball" and (~PAIR).name == "pair" and WEDGE.noted("closed").name == "wedge"


def test_what_is_made_of_several_bodies_has_a_name_of_its_own():
    assert (BALL | BALL.moved(FALL)).name is None and (BALL - PAIR).name is None
    for made in (g.difference(BALL, PAIR, name="shell"), g.intersection(BALL, PAIR, name="shell"), union(PAIR, name="shell")):
        assert made.name == "shell"


@pytest.mark.parametrize("make", [SHEET.named, lambda name: ParametricSurface(SHEET.body, SHEET.domain, name=name),
                                  lambda name: ImplicitSurface(z, [(-1, 1)] * 3, name=name), lambda name: union(BALL, PAIR, name=name),
                                  lambda name: Solid([SHEET], name=name)])
def test_a_name_is_a_line_of_text(make):
    for given in (3, b"cup", sp.Symbol("cup"), ["cup"]):
        with pytest.raises(TypeError, match="the name of a body is text, got"):
            make(given)
    for given in ("", "  ", "two\nlines", "\x1b[31m"):
        with pytest.raises(ValueError, match="one line of text that is not blank"):
            make(given)


def test_bodies_are_called_by_names_that_tell_them_apart():
    bodies = [SHEET.named("cup"), SHEET.named(None), BALL, BALL.moved(FALL)]
    assert [label(bodies, k) for k in range(4)] == ["cup", "1", '2 ("ball")', '3 ("ball")']
    assert [label(bodies, k, "body ") for k in range(3)] == ["cup", "body 1", 'body 2 ("ball")']
    assert [called(bodies, k) for k in range(2)] == ['body 0 ("cup")', "body 1"] and called((), 3) == label((), 3, "body ") == "body 3"
