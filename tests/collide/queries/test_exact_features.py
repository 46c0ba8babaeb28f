"""Edges and vertices of solids of rational polynomials, looked at exactly: all is right of polyhedra, and what is not is seen."""

import sympy as sp

import generative
from collide.bodies.numbers import numbers_of
from collide.queries.exact_features import features_lie_exactly
from collide.queries.solid_features import features_lie_identically, solid_fault
from generative import Edge, ParametricSurface, Solid, Vertex, curve, solids, u, v
from generative.family import member_of

R = sp.Rational
CUBE = generative.hull([(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)])
ROUNDED = generative.hull([(0.1, 0.2, 0.3), (1.7, 0.1, 0.2), (0.3, 1.9, 0.4), (0.2, 0.6, 2.3), (1.1, 1.2, 1.3)])


def changed(edges=CUBE.edges, vertices=CUBE.vertices, faces=CUBE.faces):
    return Solid._unchecked(faces, edges, vertices)


def test_polyhedra():
    assert features_lie_exactly(CUBE) and features_lie_exactly(ROUNDED)


def test_what_is_not_known():
    assert not features_lie_exactly(solids.capsule(1, 2))
    a, b, c = CUBE.faces[0].body
    moved = ParametricSurface([a, b, c + sp.sqrt(2)], CUBE.faces[0].domain)
    assert not features_lie_exactly(changed(faces=(moved, *CUBE.faces[1:])))


def test_edges_that_are_not_on_their_faces():
    first, *others = CUBE.edges
    (p, q), path = first.paths
    for wrong in (((q, p), path), ((p + R(1, 2**60), q), path), ((p, q + R(1, 3)), path)):
        assert not features_lie_exactly(changed(edges=(Edge(first.faces, wrong, first.domain), *others)))
    # A difference that is nothing but rounding passes all the same, by intervals.
    assert solid_fault(changed(edges=(Edge(first.faces, ((p + R(1, 2**60), q), path), first.domain), *others)), (0.0, 1.0)) == ""


def test_an_edge_whose_ends_lie_on_both_faces_and_its_middle_does_not():
    flat, bent = (ParametricSurface([u, v, bend * u * (1 - u)], {u: (0, 1), v: (0, 1)}) for bend in (0, 1))
    straight = Edge((0, 1), ((u, 0), (u, 0)), (0, 1))
    assert features_lie_exactly(Solid._unchecked([flat, flat], [straight], []))
    both = Solid._unchecked([flat, bent], [straight], [])
    assert not features_lie_exactly(both) and "does not lie on both" in solid_fault(both, (0.0, 1.0))


def test_edges_and_vertices_beyond_their_faces():
    first, *others = CUBE.edges
    longer = Edge(first.faces, first.paths, (0, 2))
    assert not features_lie_exactly(changed(edges=(longer, *others)))
    corner = Vertex((0,), ((R(3, 2), 0),))
    assert not features_lie_exactly(changed(vertices=(corner, *CUBE.vertices)))


def test_features_of_a_family_are_looked_at_once_for_all_members():
    for body in (solids.capsule(R(1, 3), 2), solids.extruded(curve.circle(R(2, 7)), [0, 0, R(5, 9)])):
        assert features_lie_identically(member_of(body).body)
    tube, low, high = solids.capsule(R(1, 3), 2).faces
    first, second = solids.capsule(R(1, 3), 2).edges
    # A face moved away, and edges that leave it: at one of their ends, and where they bulge between their ends.
    lifted = ParametricSurface([*low.body[:2], low.body[2] - R(1, 7)], low.domain)
    beyond = Edge(first.faces, ((u, R(-1, 9)), first.paths[1]), first.domain)
    bulge = Edge(first.faces, ((u + 2 * u * (2 * sp.pi - u), 0), first.paths[1]), first.domain)
    whole = tube, low, high
    for faces, edges in (((tube, lifted, high), (first, second)), (whole, (beyond, second)), (whole, (bulge, second))):
        member = member_of(Solid._unchecked(faces, edges, []))
        assert not features_lie_identically(member.body) and solid_fault(member.body, (0.0, 1.0), numbers_of(member))
