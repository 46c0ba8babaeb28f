"""The situations as systems: how many there are, that they vanish where they must, and bad input."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import collide
from collide.bodies.numbers import NONE
from collide.bodies.parts import faces_of, is_closed, parts_of
from collide.queries.arguments import check_options
from collide.queries.solid_features import solid_fault
from collide.situations import presence as border
from collide.situations.contact import at_time, member, situation
from collide.situations.presence import where, without_absent
from generative import Edge, ImplicitSurface, ParametricSurface, Rigid, Screw, Solid, Vertex, t, u, v, x, y, z
from generative.family import member_of
from tests.collide.contact_scenes import FLOOR, TILT, TURN, TURNED, Q, ball, box, cylinder, half_space, move, slab, sphere

SPAN = (0, 4)


def situations(first, second):
    """Every tangency situation of two bodies: faces, edges and vertices of one against those of the other."""
    parts = [without_absent(parts_of(body), NONE, SPAN) for body in (first, second)]
    return [situation(p, q, SPAN) for p, q in itertools.product(*parts)]


def kinds(problems):
    """How often each pair of kinds of features occurs."""
    counts = {}
    for p in problems:
        pair = tuple(sorted(name.split()[0] for name in p.features))
        counts[pair] = counts.get(pair, 0) + 1
    return counts


def rows_at(problem, point):
    """Values of all rows, and feasibility, at a point (a box as small as doubles allow)."""
    at = np.array([[float(e) for e in point]])
    values = (problem.parameters.T[0], problem.parameters.T[1]) if len(problem.parameters) else None
    lo, hi = problem.range_kernel.interval(at, at, parameters=values)
    return lo[0, :-1], hi[0, :-1], (lo[0, -1], hi[0, -1])


def test_two_cylinders_have_the_25_problems_of_appendix_a():
    a, b = cylinder().moved(TILT).moved(move(0, 0, 5 - t)), cylinder()
    # The centres of the discs are poles of their parameters; they come on top, as parts of their faces.
    smooth = [[p for p in parts_of(body) if p.dimension > 0] for body in (a, b)]
    problems = [situation(p, q, SPAN) for p in smooth[0] for q in smooth[1]]
    assert kinds(problems) == {("face", "face"): 9, ("edge", "face"): 12, ("edge", "edge"): 4}
    assert all(len(p.rows) == len(p.variables) for p in problems)


def test_all_six_situations_of_boxes():
    problems = situations(box(1, 1, 1).moved(move(0, 0, 4 - t)), box(2, 2, 2))
    assert kinds(problems) == {("face", "face"): 36, ("edge", "face"): 144, ("edge", "edge"): 144, ("face", "vertex"): 96,
                               ("edge", "vertex"): 192, ("vertex", "vertex"): 64}
    sizes = {kind: {(len(p.rows), len(p.variables)) for p in problems if tuple(sorted(n.split()[0] for n in p.features)) == kind}
             for kind in kinds(problems)}
    assert sizes == {("face", "face"): {(5, 5)}, ("edge", "face"): {(4, 4)}, ("edge", "edge"): {(3, 3)}, ("face", "vertex"): {(3, 3)},
                     ("edge", "vertex"): {(3, 2)}, ("vertex", "vertex"): {(3, 1)}}


def test_members_of_a_family_share_what_follows_from_formulas_and_nothing_else():
    """Rings with k lobes and of different sizes: one graph, with other numbers, domains, periods and directions."""
    def problem(k, size):
        ring = ParametricSurface([sp.cos(k * u) * (size + sp.cos(v)), sp.sin(k * u) * (size + sp.cos(v)), sp.sin(v)],
                                 {u: (0, 2 * sp.pi / k), v: (0, 2 * sp.pi)})
        plate = ParametricSurface([u, v, -3 + t], {u: (-1, 1), v: (-1, 1)})
        return member(faces_of(ring)[0], faces_of(plate)[0], time=(0, k), label=(k, 7), tangency=False)

    second, third = problem(2, 5), problem(3, 7)
    assert second.built is third.built and second.range_kernel is third.range_kernel
    assert second.label == (2, 7) and third.label == (3, 7)
    for k, size, p in ((2, 5, second), (3, 7, third)):
        for q in (p, at_time(p, 0.5)):
            assert q.period == pytest.approx([2 * np.pi / k, 2 * np.pi, 0.0, 0.0, 0.0])
        assert p.outer[0, 1] == pytest.approx(2 * np.pi / k) and p.outer[4].tolist() == [0.0, k]
        at = [0.25, 0.5, 0.125, -0.375, 0.0]
        circle = size + np.cos(0.5)
        known = [np.cos(k * 0.25) * circle - 0.125, np.sin(k * 0.25) * circle + 0.375, np.sin(0.5) + 3]
        lo, hi, _ = rows_at(p, at)
        assert lo == pytest.approx(known) and hi == pytest.approx(known)
        normal = p.candidates(np.array([at]))[0, 0, :3]
        outward = [np.cos(0.5) * np.cos(k * 0.25), np.cos(0.5) * np.sin(k * 0.25), np.sin(0.5)]
        assert abs(normal / np.linalg.norm(normal)) == pytest.approx(np.abs(outward))
    assert second.candidates(np.array([at]))[0, 0, :3] != pytest.approx(third.candidates(np.array([at]))[0, 0, :3])


def test_an_open_patch_is_a_solid_with_four_edges_and_four_corners():
    names = [p.feature for p in parts_of(slab())]
    assert names == ["face 0", *(f"edge {k}" for k in range(4)), *(f"vertex {k}" for k in range(4))]
    assert not is_closed(slab()) and is_closed(ball()) and is_closed(cylinder()) and is_closed(box(1, 1, 1))
    # Every side is covered by a part of its own, so tangency may be used up to the border.
    assert not situation(parts_of(slab())[0], parts_of(ball())[0], SPAN).border.any()


def test_a_side_without_an_edge_keeps_its_border():
    lid = ParametricSurface([u, v, 0], {u: (0, 1), v: (0, 1)})
    solid = Solid([lid], [Edge((0,), ((0, u),), (0, 1))])
    face = parts_of(solid)[0]
    assert face.border == ((False, True), (True, True))


def test_combined_bodies_have_creases_and_corners():
    three = (half_space() & ImplicitSurface(x, bounds=[(-4, 4)] * 3)) - sphere(1)
    inner = [p.feature for p in parts_of(three) if not p.sides]
    assert inner == ["face 0", "face 1", "face 2", "edge 0", "edge 1", "edge 2", "vertex 0"]
    assert len(faces_of(three)) == 3
    # The ball of radius 2 fills the hollow of radius 1, and counts once.
    assert len(faces_of(three | sphere(2) | sphere(2))) == 3


def test_implicit_surfaces_have_edges_and_vertices_where_they_reach_their_bounds():
    """A quarter plane each, z = 0 and x = 0, ends at three sides; these meet in twos, and the crease between the planes ends twice."""
    two = half_space() & ImplicitSurface(x, bounds=[(-4, 4)] * 3)
    for body, edges, vertices in ((sphere(1), 0, 0), (FLOOR, 4, 4), (two, 1 + 6, 4 + 2), (two - sphere(1), 3 + 6, 1 + 4 + 2)):
        parts = without_absent(parts_of(body.moved(move(0, 0, t)).moved(TILT)), NONE, SPAN)
        assert [sum(p.dimension == d for p in parts) for d in (1, 0)] == [edges, vertices]
    # What deforms, or moves another way, is looked at throughout the time span: z = t reaches the upper side at t = 4.
    rising = ImplicitSurface(z - t, bounds=[(-4, 4)] * 3)
    assert len(without_absent(parts_of(rising), NONE, (0.0, 3.0))) == 9
    assert len(without_absent(parts_of(rising), NONE, (5.0, 6.0))) == 1


def test_where_an_implicit_part_is():
    """The ball of radius 1 in its box of half-width 4; the edge of a floor."""
    assert np.abs(where(parts_of(sphere())[0], NONE, SPAN) - [-1, 1]).max() < 1.1
    edge = next(p for p in parts_of(FLOOR) if p.sides)
    assert where(edge, NONE, SPAN)[:2].tolist() == [[-4, -4], [-4, 4]] and np.abs(where(edge, NONE, SPAN)[2]).max() < 0.5


@pytest.mark.parametrize("rounds", range(11, 15))
def test_an_edge_may_be_seen_to_be_absent_after_any_round(rounds, monkeypatch):
    """A dome ends a little below the top of its bounds: the boxes that could hold an edge there are excluded after some halvings."""
    monkeypatch.setattr(border, "_ROUNDS", rounds)
    dome = ImplicitSurface(x**2 - x * y + y**2 + z - 1, bounds=[(-4, 4), (-4, 4), (-50, Q(11, 10))])
    edge = next(p for p in parts_of(dome) if p.sides == ((0, 2, 1),))
    found = border._where.__wrapped__(edge, NONE, SPAN)
    assert found is None or (np.abs(found[:2]) <= 4).all()


@pytest.mark.parametrize("first, second, point", [
    # ball of radius 1 above the floor, touching at its lowest point at t = 2: u, v, t
    (ball().moved(move(0, 0, 3 - t)), FLOOR, (1, -sp.pi / 2, 2)),
    # x1, y1, z1 in the frame of the first ball, the angle (the gradients are opposed and of equal length), t
    (sphere().moved(move(0, 0, 4 - t)), sphere(), (0, 0, -1, sp.pi / 4, 2)),
    (ball().moved(move(3 - t, 0, 0)), ball(), (sp.pi, 0, 0, 0, 1)),
])
def test_rows_vanish_at_a_contact_and_only_there(first, second, point):
    problem = situation(parts_of(first)[0], parts_of(second)[0], SPAN)
    lo, hi, feasible = rows_at(problem, point)
    assert (lo <= 1e-15).all() and (hi >= -1e-15).all() and (np.abs(lo) < 1e-14).all() and feasible[1] == 1
    # A little later the surfaces still meet somewhere, but not tangentially here.
    lo, hi, _ = rows_at(problem, (*point[:-1], point[-1] + 0.1))
    assert ((lo > 1e-3) | (hi < -1e-3)).any()


def test_nothing_beyond_the_bounds_of_an_implicit_surface_counts():
    for radius, feasible in ((8, 0), (3, 1)):
        problem = situation(parts_of(ball(radius))[0], parts_of(half_space())[0], SPAN)
        assert rows_at(problem, (0.3, 0, 1))[2] == (feasible, feasible) and not problem.border.any()


@pytest.mark.parametrize("motion, expected", [(3 - t, 1), (1 + t, 0)])
def test_incoming(motion, expected):
    """A ball that falls on the floor comes in; one that rises from it does not."""
    falls = situation(parts_of(ball().moved(move(0, 0, motion)))[0], parts_of(FLOOR)[0], SPAN, incoming=True)
    time = 2 if expected else 0
    _, _, feasible = rows_at(falls, (1, -1.5707, time))
    assert feasible == (expected, expected)


@pytest.mark.parametrize("grows", [1, -1])
def test_incoming_by_deformation(grows):
    """An implicit ball at rest on the floor, of radius 1 at t = 0, comes in where it grows, not where it shrinks; so on a ridge."""
    lean = sp.atan(Q(3, 4))
    wedge = half_space().moved(Screw([1, 0, 0], angle=lean)) & half_space().moved(Screw([1, 0, 0], angle=-lean))
    (ridge,) = (p for p in parts_of(wedge) if p.dimension == 1 and not p.sides)
    breathing = ImplicitSurface(x**2 + y**2 + z**2 - (1 + grows * t) ** 2, bounds=[(-2, 2)] * 3).moved(move(0, 0, 1))
    for second, point in ((parts_of(FLOOR)[0], (0, 0, -1, sp.atan(2), 0)), (parts_of(slab())[0], (0, 0, 0)), (ridge, (0, 0, -1, 0))):
        problem = situation(parts_of(breathing)[0], second, SPAN, incoming=True)
        lo, hi, feasible = rows_at(problem, point)
        n = len(problem.equations)
        assert (lo[:n] <= 1e-15).all() and (hi[:n] >= -1e-15).all() and feasible == ((1, 1) if grows > 0 else (0, 0))


def test_parts_that_differ_in_a_number_share_their_kernels():
    problems = situations(slab(1), FLOOR)
    edges = [p for p in problems if p.features[0].startswith("edge") and p.features[1] == "face 0"]
    addresses = {p.range_kernel.block_address() for p in edges}
    assert len(edges) == 4 and len(addresses) == 2


# -- bad input ----------------------------------------------------------------------------------------------------

PLANE = [slab(), FLOOR]


@pytest.mark.parametrize("bodies, error, message", [
    ([slab(), 3], TypeError, "body 1 is a int"),
    ([slab(), None], TypeError, "body 1 is a NoneType"),
    ([slab()], ValueError, "at least two bodies"),
    (slab(), TypeError, "list of bodies"),
    ([FLOOR, ParametricSurface([u, v, 0], {u: (0, 10**400), v: (0, 1)})], ValueError, "bounds of body 1 exceed the range of doubles"),
    ([slab(), ImplicitSurface(z, [(-(10**400), 0), (0, 1), (0, 1)])], ValueError, "bounds of body 1 exceed the range of doubles"),
    ([FLOOR, ParametricSurface([u, u**2, sp.sin(u)], {u: (0, 1), v: (0, 1)})], ValueError, "normal of body 1 vanishes everywhere"),
    ([FLOOR, ParametricSurface([u + v, (u + v) ** 2, 0], {u: (0, 1), v: (0, 1)})], ValueError, "normal of body 1 vanishes everywhere"),
    ([FLOOR, ParametricSurface([u * v, sp.sin(u * v) / 3, sp.exp(u * v)], {u: (0, 1), v: (0, 1)})], ValueError, "vanishes everywhere"),
])
def test_bad_bodies(bodies, error, message):
    with pytest.raises(error, match=message):
        collide.first_contact(bodies, SPAN)


@pytest.mark.parametrize("span, message", [
    ((1, 0), "must go forward"), ((1, 1), "must go forward"), ((0, sp.oo), "finite real ends"), ((0, float("inf")), "finite real ends"),
    ((0, float("nan")), "finite real ends"), (3, "must be a pair"),
    ("02", "must be a pair"), ((0, 10**400), "range of doubles"), ((0, 1, 2), "must be a pair"), ((0, t), "finite real ends")])
def test_bad_span(span, message):
    with pytest.raises(ValueError, match=message):
        collide.first_contact(PLANE, span)


@pytest.mark.parametrize("name", ["simultaneity", "spacing", "tolerance"])
@pytest.mark.parametrize("value", [0, -1e-9, float("nan"), float("inf"), "1e-6", None, True])
def test_bad_tolerances(name, value):
    with pytest.raises(ValueError, match=f"{name} must be a positive number"):
        collide.first_contact(PLANE, SPAN, **{name: value})


@pytest.mark.parametrize("budget", [0, -1.0, float("nan"), "1", True, collide.Budget])
def test_bad_budgets(budget):
    with pytest.raises(ValueError, match="the budget's seconds must be positive or None, got"):
        collide.first_contact(PLANE, SPAN, budget=budget)


@pytest.mark.parametrize("third", [sp.Rational(1, 3), sp.Float(1) / 3, Fraction(1, 3), np.float32(1 / 3), np.int64(3)], ids=repr)
def test_numbers_of_all_libraries_are_numbers(third):
    check_options("auto", "auto", simultaneity=third, spacing=third, tolerance=third)
    assert collide.Budget(seconds=third).seconds == third


@pytest.mark.parametrize("formula", [z**2, (x**2 + z - 1)**4 * z**2])
def test_an_implicit_surface_without_normals(formula):
    thick = ImplicitSurface(formula, bounds=[(-1, 1)] * 3)
    with pytest.raises(ValueError, match="the normal of body 1 vanishes everywhere"):
        collide.first_contact([PLANE[0], thick | FLOOR], SPAN)


@pytest.mark.parametrize("size", [Q(1, 10**170), 10**120])
def test_a_surface_of_any_size_has_normals(size):
    plate, cap = (ParametricSurface([size * u, size * v, size * h], {u: (-1, 1), v: (-1, 1)}) for h in (0, 2 - t + (u**2 + v**2) / 4))
    c = collide.first_contact([plate, cap], (0, 3))
    assert c.status is collide.Status.CONTACT and c.time.lo <= 2 <= c.time.hi and c.time.hi - c.time.lo < 1e-9


def test_bad_tangency():
    with pytest.raises(TypeError, match="tangency must be True or False, got 'no'"):
        collide.first_contact(PLANE, SPAN, tangency="no")


def test_bad_methods():
    for name in ("method", "order"):
        with pytest.raises(ValueError, match=f"{name} must be one of"):
            collide.first_contact(PLANE, SPAN, **{name: "best"})
    with pytest.raises(TypeError, match="tangency must be True or False, got None"):
        collide.first_contact(PLANE, SPAN, tangency=None)


def test_an_implicit_surface_without_bounds():
    with pytest.raises(ValueError, match="needs bounds"):
        ImplicitSurface(z)


def test_edges_that_do_not_lie_on_their_faces():
    face = ParametricSurface([u, v, 0], {u: (0, 1), v: (0, 1)})
    # Equal at the ends and in the middle sample of the constructor only.
    bump = u * (u - 1) * (7 * u - 3)
    other = ParametricSurface([u, v * 0, v + bump], {u: (0, 1), v: (0, 1)})
    solid = Solid([face, other], [Edge((0, 1), ((u, 0), (u, 0)), (0, 1))])
    assert "edge 0 does not lie on both of its faces 0 and 1" in solid_fault(solid, (0.0, 1.0))
    with pytest.raises(ValueError, match="edge 0 does not lie on both"):
        collide.first_contact([solid, FLOOR], SPAN)
    outside = Solid([face], [Edge((0,), ((u, 0),), (0, 2))])
    with pytest.raises(ValueError, match="edge 0 leaves the parameter domain of face 0"):
        collide.first_contact([outside, FLOOR], SPAN)
    corner = Solid([face], vertices=[Vertex((0,), ((0, 3),))])
    with pytest.raises(ValueError, match="vertex 0 leaves"):
        collide.first_contact([corner, FLOOR], SPAN)


def test_good_solids_pass():
    for body in (cylinder(), box(1, 2, 3), cylinder().moved(TURNED).moved(Rigid(translation=[t, 0, 0]))):
        assert solid_fault(body, (0.0, 1.0)) == ""
    assert TURN[1] == 2 * sp.pi and Q(1, 2) * 2 == 1


def test_whole_turns_close_wherever_they_begin():
    """The numbers of a surface are data for its family, but that it closes on itself is not: a torus has no edges."""
    for begin in (sp.Rational(7831, 5000), sp.Rational(-17, 10), sp.sqrt(2)):
        ring = ParametricSurface([(2 + sp.cos(v) / 3) * sp.cos(u), (2 + sp.cos(v) / 3) * sp.sin(u), sp.sin(v) / 3],
                                 {u: (begin, begin + 2 * sp.pi), v: (1 - begin, 1 - begin + 2 * sp.pi)})
        (part,) = parts_of(member_of(ring).body)
        assert part.dimension == 2 and min(part.periods) > 6.28
