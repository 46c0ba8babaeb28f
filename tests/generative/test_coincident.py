"""Leaves that are one surface, in all frames, and the bodies that are made of them, against bodies without such leaves.

Also `at_samples` and `common_zeros`, which tell surfaces apart that formulas do not show to be one.
"""

import pickle

import pytest
import sympy as sp

from generative import IDENTITY, ImplicitSurface, Parameter, Product, Rigid, Screw, axis_angle, difference, primitives, t, union, x, y, z
from generative.changes import with_formulas
from generative.coincident import frames_of, surfaces_of

Q = sp.Rational
BIG = [(-4, 4)] * 3
CUBE, ROD, CONE = primitives.block((2, 2, 2)), primitives.round_cylinder(1, 2), primitives.round_cone(1, 2)
TILTED = Rigid(rotation=axis_angle([1, 2, 3], Q(7, 10)), translation=[Q(1, 7), Q(2, 9), Q(1, 3)])
SPUN, QUARTER = Rigid(rotation=axis_angle([0, 0, 1], Q(3, 10))), Rigid(rotation=axis_angle([0, 0, 1], sp.pi / 2))
TURNING = Screw([0, 0, 1], angle=t)
p = Parameter("p")


def literals(*formulas):
    leaves = [ImplicitSurface(f, BIG) if not isinstance(f, ImplicitSurface) else f for f in formulas]
    return surfaces_of(leaves, frames_of(leaves)).literals


def box(lo, hi):
    return primitives.block([sp.S(b) - a for a, b in zip(lo, hi, strict=True)]).moved(
        Rigid(translation=[(sp.S(a) + b) / 2 for a, b in zip(lo, hi, strict=True)]))


def leaves(body):
    return {sp.expand(leaf.expression) for leaf in body.leaves}


@pytest.mark.parametrize(("a", "b", "side"), [
    (z, 2 * z, 1), (z, -z / 3, -1), (z - 1, 2 - 2 * z, -1), (x**2 + y**2 - 1, 3 * y**2 + 3 * x**2 - 3, 1),
    ((x - 1) * (x + 1) + y**2, 1 - x**2 - y**2, -1), (sp.sqrt(2) * x - 1, x - sp.sqrt(2) / 2, 1),
    (sp.sqrt((x + y)**2 + (x - y)**2) - 2, sp.sqrt(2 * x**2 + 2 * y**2) - 2, 1), (p * x - p, x - 1, 0), (x - p, 2 * x - 2 * p, 1),
    (z, z - Q(1, 10**20), 0), (z - Q(0.1) - Q(0.2), z - Q(0.3), 0), (z, x, 0), (sp.sin(x) + z, 2 * z + 2 * sp.sin(x), 1),
])
def test_one_surface_by_formulas(a, b, side):
    one, other = literals(a, b)
    assert abs(one) != abs(other) if side == 0 else one == side * other


@pytest.mark.parametrize("motion", [IDENTITY, SPUN, QUARTER, TURNING, Rigid(rotation=axis_angle([0, 0, 1], sp.pi / 4))])
@pytest.mark.parametrize("carrier", [IDENTITY, TILTED, Rigid(translation=[t, 0, t**2]), Product(TILTED, TURNING)])
def test_one_surface_in_frames(motion, carrier):
    for body in (ROD, CONE):
        both = Product(carrier, motion) if isinstance(carrier, Product) else carrier @ motion
        one, other = body.moved(carrier).leaves, body.moved(both).leaves
        found = surfaces_of([*one, *other], frames_of([*one, *other])).literals
        assert found[:len(one)] == found[len(one):]


def test_level_sets_of_one_function_are_nested():
    assert literals(z, z - 1, 2 - z, x) == [1, 2, 3, 4] and literals(z, z - 1, 2 - z, x, -z) == [1, 2, -3, 4, -1]
    found = surfaces_of([ImplicitSurface(f, BIG) for f in (z - 1, z, 4 - 2 * z, x, x)], [IDENTITY] * 5)
    assert sorted(found.nested) == [[2, 1, 3], [4]]


def test_bodies_without_walls_lids_and_skins():
    assert leaves(box((0, 0, 0), (1, 1, 1)) - box((0, 0, Q(1, 2)), (1, 1, 1))) == leaves(box((0, 0, 0), (1, 1, Q(1, 2))))
    assert leaves(box((0, 0, 0), (1, 1, 1)) | box((1, 0, 0), (2, 1, 1))) == leaves(box((0, 0, 0), (2, 1, 1)))
    drilled = primitives.block((4, 4, 2)) - ROD.moved(QUARTER).moved(Rigid(translation=[0, 0, -1]))
    assert leaves(drilled) == leaves(primitives.block((4, 4, 2))) | {1 - x**2 - y**2}
    assert all(sp.expand(e) in leaves(drilled) | {x**2 + y**2 - 1} for e in leaves(drilled | ROD.moved(Rigid(translation=[0, 0, -1]))))
    ball = primitives.ball(1)
    assert leaves((ball & ImplicitSurface(z, BIG)) | (ball & ImplicitSurface(-2 * z, BIG))) == leaves(ball)


@pytest.mark.parametrize("motion", [IDENTITY, SPUN, TILTED, TURNING])
def test_a_body_without_itself_is_empty(motion):
    for body in (CUBE, ROD, CONE, primitives.ball(1)):
        empty = body.moved(motion) - body.moved(motion)
        assert [leaf.body for leaf in empty.leaves] == [x**2 + 1]
        assert [leaf.body for leaf in (empty | ~empty).leaves] == [-x**2 - 1]
        assert leaves(empty | CUBE) == leaves(CUBE)
    assert [leaf.body for leaf in (box((0, 0, 0), (1, 1, 1)) & box((1, 0, 0), (2, 1, 1))).leaves] == [x**2 + 1]


def test_what_coincides_keeps_the_bounds_of_all():
    a, b = ImplicitSurface(z, [(-1, 0), (-1, 1), (-1, 1)]), ImplicitSurface(2 * z, [(0, 3), (-1, 2), (-1, 1)])
    (leaf,) = (a | b).leaves
    assert leaf.bounds == ((-1, 3), (-1, 2), (-1, 1))
    (leaf,) = (a | b.moved(QUARTER)).leaves
    assert leaf.bounds == ((-2, 1), (-1, 3), (-1, 1))
    (leaf,) = (a | b.moved(SPUN)).leaves
    corners = [(sp.cos(Q(3, 10)) * k - sp.sin(Q(3, 10)) * n, sp.sin(Q(3, 10)) * k + sp.cos(Q(3, 10)) * n) for k in (0, 3) for n in (-1, 2)]
    assert all(leaf.bounds[c][0] < corner[c] < leaf.bounds[c][1] for corner in corners for c in (0, 1))


def test_a_body_without_coincident_leaves_is_what_was_given():
    body = union(CUBE, ROD.moved(TILTED), primitives.ball(Q(1, 3)))
    assert body.leaves == (*CUBE.leaves, *ROD.moved(TILTED).leaves, *primitives.ball(Q(1, 3)).leaves)
    assert body.operation == "union" and len(body.children) == 3 and body.given == body.children


def test_it_stays_so_wherever_it_is():
    body = CUBE - CUBE.moved(Rigid(translation=[0, 0, 1]))
    right = leaves(box((-1, -1, -1), (1, 1, 0)))
    assert leaves(body) == right
    assert leaves(body.moved(TURNING).at(0)) == right and len(body.moved(Product(TURNING, TILTED)).leaves) == 6
    assert leaves(pickle.loads(pickle.dumps(body))) == right and leaves(body.named("step")) == right
    assert leaves(with_formulas(body.moved(Rigid(translation=[p, 0, 0])), lambda e: e.xreplace({p: sp.S.Zero}))) == right
    assert repr(body).count("ImplicitSurface") == 12 and (~body).operation == "union" and len((~body).leaves) == 6


def test_numbers_for_parameters_may_let_leaves_coincide():
    body = difference(CUBE, ROD.moved(Rigid(translation=[0, 0, p]))).moved(TURNING)
    assert len(body.leaves) == 9 and len(body.changed(lambda e: e.xreplace({p: sp.Integer(-1)})).leaves) == 7
    assert CUBE.samples == [] and len(body.samples) == 9 and {s for own in body.samples for e in own for s in e.free_symbols} == {p}


def doubtful(*formulas, bounds=BIG):
    return union(*(ImplicitSurface(f, bounds) for f in formulas)).comparison.doubtful


@pytest.mark.parametrize("size", [Q(1, 2**20), 1, 2**20])
def test_leaves_that_nearly_coincide_are_named(size):
    bounds = [(-4 * size, 4 * size)] * 3
    sums = [Q(float(size) * 0.1) + Q(float(size) * 0.2), Q(float(size) * 0.3)]
    assert doubtful(*(z - e for e in sums), x, bounds=bounds) == [(0, 1)]
    assert doubtful(z - sums[0], x, 2 * sums[1] - 2 * z, bounds=bounds) == [(0, 2)]
    assert doubtful(z - sums[0] + sums[1], z, bounds=bounds) == [(0, 1)]
    assert doubtful(x**2 + y**2 - sums[0]**2, z - sums[1], x**2 + y**2 - sums[1]**2, bounds=bounds) == [(0, 2)]
    assert doubtful(z, z - size * Q(1, 10**9), z - size, x, bounds=bounds) == []


def test_leaves_that_are_one_surface_but_not_seen_to_be_are_named(monkeypatch):
    monkeypatch.setattr("generative.coincident.vanishes", lambda e: False)
    assert doubtful(z - sp.sqrt(2) - sp.sqrt(3), x, z - sp.sqrt(5 + 2 * sp.sqrt(6))) == [(0, 2)]


def test_a_tree_that_stays_as_it_is_written_says_why(monkeypatch):
    sliding = CUBE | CUBE.moved(Rigid(translation=[2 + t, 0, 0]))
    assert "shift against each other" in sliding.comparison.as_written and len(sliding.leaves) == 12
    assert sliding.moved(TILTED).comparison == sliding.comparison
    assert CUBE.comparison is None or CUBE.comparison.as_written == ""
    monkeypatch.setattr("generative.regularized._MOST", 1)
    body = box((0, 0, 0), (1, 1, 1)) | box((1, 0, 0), (2, 1, 1)) | box((2, 0, 0), (3, 1, 1))
    assert "more than 1 unions and intersections" in body.comparison.as_written


@pytest.mark.parametrize(("a", "b", "met"), [
    (sp.sqrt(x**2 + y**2 + z**2) - 1, x**2 + y**2 + z**2 - 1, True), ((x**2 + y**2 - 1) ** 3, x**2 + y**2 - 1, True),
    (sp.sqrt(x**2 + y**2) + z - 1, z, False), (sp.sqrt((sp.sqrt(x**2 + y**2) - 2) ** 2 + z**2) - 1, z - 1, False),
    ((sp.sqrt(x**2 + y**2) - 2) ** 2 + z**2 - 1, (x**2 + y**2 + z**2 + 3) ** 2 - 16 * (x**2 + y**2), True),
    (sp.Max(sp.Abs(x), sp.Abs(y), sp.Abs(z)) - 1, x - 1, True), (z - sp.sin(x), z - sp.sin(x) - Q(1, 100), False),
    (sp.exp(x) * sp.exp(y) - z, x + y - sp.log(z**2) / 2, True), (sp.sin(x) * y, z - 1, False),
])
@pytest.mark.parametrize("motion", [IDENTITY, TILTED, TURNING])
def test_surfaces_of_functions_that_are_not_proportional_are_doubtful(a, b, met, motion):
    body = (ImplicitSurface(a, BIG) | ImplicitSurface(b, BIG)).moved(motion)
    assert bool(body.comparison.doubtful) is met


def test_a_leaf_in_another_frame_has_zeros_in_common():
    cone = ImplicitSurface(sp.sqrt(x**2 + y**2) + z - 1, BIG)
    raised = ImplicitSurface(x**2 + y**2 - (1 - z) ** 2, BIG).moved(Rigid(translation=[0, 0, 1]))
    assert not union(cone, raised).comparison.doubtful
    assert union(cone.moved(Rigid(translation=[0, 0, 1])), raised).comparison.doubtful == [(0, 1)]
