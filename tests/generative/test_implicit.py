import numpy as np
import pytest
import sympy as sp

from generative import ImplicitSurface, ParametricSurface, Rigid, Screw, complement, difference, intersection, t, u, union, v, x, y, z

BOX = [(-3, 3)] * 3


def ball(centre=0, radius=1):
    return ImplicitSurface((x - centre)**2 + y**2 + z**2 - radius**2, bounds=BOX)


def at(expression, point, time=0):
    return float(sp.N(expression.subs({x: point[0], y: point[1], z: point[2], t: time})))


def test_the_moved_surface_is_seen_from_the_body():
    motion = Screw(axis=[0, 0, 1], point=[1, 0, 0], angle=t, advance=2 * t)
    egg = ImplicitSurface(x**2 + 4 * y**2 + 9 * z**2 - 1, bounds=BOX).moved(Rigid(translation=[1, 0, 0])).moved(motion)
    body = np.array([0.3, -0.2, 0.4])
    world = [sp.N(e.subs(t, 0.7)) for e in egg.motion.apply([sp.Float(b) for b in body])]
    assert at(egg.expression, world, 0.7) == pytest.approx(body[0]**2 + 4 * body[1]**2 + 9 * body[2]**2 - 1, abs=1e-14)
    assert egg.bounds == ball().bounds


def test_gradient_is_the_spatial_gradient_of_the_expression():
    egg = ImplicitSurface(x**2 + 4 * y**2 + sp.sin(z), bounds=BOX).moved(Screw([1, 2, 3], [0, 1, 0], t, t))
    for ours, s in zip(egg.gradient, (x, y, z), strict=True):
        assert at(ours - sp.diff(egg.expression, s), (0.1, 0.2, -0.7), 0.4) == pytest.approx(0, abs=1e-14)


POINTS = np.random.default_rng(4).uniform(-2, 2, (24, 3))


def test_operations_are_those_on_sets():
    a, b = ball(0), ball(1)
    inside = [(at(a.expression, p) < 0, at(b.expression, p) < 0) for p in POINTS]
    for body, rule in ((a | b, lambda i, j: i or j), (a & b, lambda i, j: i and j), (a - b, lambda i, j: i and not j),
                       (~a, lambda i, j: not i), (~(a | b), lambda i, j: not (i or j))):
        assert [at(body.expression, p) < 0 for p in POINTS] == [rule(*i) for i in inside]


def test_named_operations_and_nesting():
    a, b, c = ball(0), ball(1), ball(2)
    assert a | b | c == union(a, b, c) and len((a | b | c).children) == 3
    assert a - b - c == difference(a, b, c)
    assert ~(a | b) == intersection(~a, ~b) and complement(~a) == a
    assert (a - (b | c)).leaves == (a, ~b, ~c)
    assert len({a | b, union(a, b), a & b}) == 2


def test_pieces_give_snyders_restricted_equations():
    a, b, c = ball(0), ball(1), ball(2)
    first, second = (a - b).pieces
    # a - b: a = 0 where b >= 0 (its complement <= 0), and b = 0 where a <= 0.
    assert (first.leaf, first.inside, first.outside) == (a, (~b,), ())
    assert (second.leaf, second.inside, second.outside) == (~b, (a,), ())
    last = ((a & b) | c).pieces[1]
    assert (last.leaf, last.inside, last.outside) == (b, (a,), (c,))


def test_moving_a_combination_moves_every_leaf():
    motion = Rigid(rotation=[1, 0, 0, t], translation=[0, 0, t])
    moved = (ball(0) - ball(1)).moved(motion)
    assert all(leaf.motion == motion for leaf in moved.leaves)
    assert at(moved.expression, (0, 0, 1), 1) == at((ball(0) - ball(1)).expression, (0, 0, 0))
    assert moved.at(1).leaves[0].motion.is_constant


def test_display():
    assert repr(ball() - ball(1)).startswith("intersection(ImplicitSurface(x**2 + y**2 + z**2 - 1, bounds=[(-3, 3)")
    assert "\\max" in (ball() - ball(1))._repr_latex_() and "= 0" in ball()._repr_latex_()


def test_bounds_may_be_given_by_symbols():
    assert ImplicitSurface(x, {z: (5, 6), x: (1, 2), y: (3, 4)}) == ImplicitSurface(x, [(1, 2), (3, 4), (5, 6)])


@pytest.mark.parametrize("make, message", [
    (lambda: ImplicitSurface(x), "needs bounds="),
    (lambda: ImplicitSurface(x, bounds=[(0, 1)] * 2), "needs bounds="),
    (lambda: ImplicitSurface(x, bounds={x: (0, 1), y: (0, 1)}), "needs bounds="),
    (lambda: ImplicitSurface(x, bounds=[(0, 1), (0, 1), (0, sp.oo)]), "the bound of z must have two finite"),
    (lambda: ImplicitSurface(x, bounds=[(0, 1), (2, 1), (0, 1)]), "the bound of y is empty or reversed"),
    (lambda: ImplicitSurface(sp.Symbol("x"), bounds=BOX), "import x from generative"),
    (lambda: ImplicitSurface(x + u, bounds=BOX), "the symbol u means nothing"),
    (lambda: ImplicitSurface(t - 1, bounds=BOX), "contains none of x, y and z"),
    (lambda: union(), "at least one"),
])
def test_misuse_says_what_to_do(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_parametric_surfaces_do_not_combine():
    patch = ParametricSurface([u, v, 0], {u: (0, 1), v: (0, 1)})
    with pytest.raises(TypeError, match="got ParametricSurface"):
        union(ball(), patch)
