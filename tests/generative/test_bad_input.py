"""Bad input is refused in one sentence, at once: degenerate profiles, knots that do not fit, poses that are not rigid, open solids."""

import numpy as np
import pytest
import sympy as sp

from codegen.functions import DefiniteIntegral
from generative import (
    IDENTITY,
    Curve,
    Edge,
    ImplicitSurface,
    ParametricSurface,
    Rigid,
    Solid,
    Vertex,
    cap,
    curve,
    deform,
    interpolate_poses,
    patch,
    polyhedron,
    primitives,
    sew,
    solids,
    sweep,
    t,
    u,
    v,
    x,
    y,
    z,
)
from generative.fit import interpolating_curve, motion_through
from generative.symbols import derivative
from models.shapes.patches import plane_patch
from models.shapes.solids import box, cylinder

POINTS = [[0, 0, 0], [1, 0, 0], [2, 1, 0], [3, 0, 1]]
UNIT = {u: (0, 1), v: (0, 1)}
TETRAHEDRON = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]


@pytest.mark.parametrize("make, message", [
    (lambda: cap(cylinder().faces[0], 3), r"the side of a cap is a pair such as \(u, 0\) or \(v, 1\), got 3"),
    (lambda: curve.piecewise([curve.circle(), 3]), r"a piecewise curve needs at least one piece, each a Curve, got \[Curve"),
    (lambda: curve.circle().by_arc_length(beyond=0), "the share beyond the ends must be positive, got 0"),
    # degenerate profiles
    (lambda: Curve([1, t, 0], (0, 1)), "must depend on u, got the point"),
    (lambda: curve.bezier([[1, 2, 3], [1, 2, 3]]), "must depend on u"),
    (lambda: curve.circle(0), "must be positive, got 0"),
    (lambda: curve.ellipse(1, -2), "must be positive, got -2"),
    (lambda: curve.superellipse(0, 1), "must be positive, got 0"),
    (lambda: curve.helix(1, 1, 0), "the number of turns of a helix must be positive"),
    (lambda: sweep.revolve(Curve([u, 0, u], (-1, 1))), "must keep to x >= 0, but reaches x = -1"),
    (lambda: sweep.revolve(Curve([0, 0, u], (0, 1))), "must not lie on the z axis"),
    (lambda: sweep.extrude(curve.line([0, 0, 0], [1, 1, 1]), [2, 2, 2]), "must not run along the direction of extrusion"),
    (lambda: sweep.sweep(curve.circle(), curve.line([0, 0, 0], [0, 0, 1])), "must not run along its up direction"),
    (lambda: deform.taper(cylinder(), 0), "the factor of a taper must be positive"),
    (lambda: primitives.ball(-1), "the radius of a ball must be positive"),
    (lambda: primitives.block((1, 0, 1)), "the size of a block must be positive"),
    (lambda: primitives.round_cone(1, -1), "the height of a cone must be positive"),
    (lambda: interpolating_curve([[0, 0, 0], [np.nan, 0, 0]]), "point 1 is not"),
    (lambda: interpolating_curve([[0, 0, 0], [1, 0, 0], [2, 1, 0]], [0, 2, 1]), "parameters must increase, but number 2, 1, follows 2"),
    (lambda: solids.revolved(Curve([u, 0, 0], (0, 2))), "the faces enclose no volume"),
    (lambda: sweep.offset(plane_patch(), "a b"), "an offset is written with SymPy symbols, not as text; got 'a b'"),
    # knots
    (lambda: curve.b_spline(POINTS, [0, 0, 0, 1, 1, 1], 3), "4 control points of degree 3 need 8 knots, got 6"),
    (lambda: curve.b_spline(POINTS * 2, [0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2], 2), "the knot 1 occurs 5 times"),
    (lambda: curve.b_spline(POINTS, [0, 0, 0, 0, 1, 1, 1, 1], 3.0), "an integer of at least 1, got 3.0"),
    (lambda: patch.b_spline_patches([POINTS] * 4, [0, 0, 1, 1], [0, 0, 0, 0, 1, 1, 1, 1], (3, 3)), "need 8 knots, got 4"),
    # formulas and domains
    (lambda: ParametricSurface(["u", "v", 0], UNIT), "a parametric surface is .* not as text; got 'u'"),
    (lambda: ParametricSurface([u, v, None], UNIT), "must be a SymPy expression or a number, got None"),
    (lambda: ParametricSurface([u, v, 0], {u: (None, 1), v: (0, 1)}), "an end of the domain of u must be .*, got None"),
    (lambda: ParametricSurface([u, v, 0], {u: "01", v: (0, 1)}), r"the domain of u must be a pair \(lo, hi\), got '01'"),
    (lambda: ImplicitSurface([x, y, z], [(0, 1)] * 3), "an implicit surface must be .*, got an object of type list"),
    (lambda: ImplicitSurface(z, bounds="abc"), "needs bounds=.*got 'abc'"),
    (lambda: Edge((0, 0.5), ((u, 0), (u, 0)), (0, 1)), r"faces of an edge must be a list of their numbers, got \(0, 0.5\)"),
    (lambda: Edge((0,), ((u, 0, 0),), (0, 1)), r"paths of an edge must be pairs \(u, v\), one a face"),
    (lambda: Vertex((0,), None), r"points of a vertex must be pairs \(u, v\), one a face, got None"),
    (lambda: Vertex(None, ((0, 0),)), "faces of a vertex must be a list of their numbers, got None"),
    # poses
    (lambda: Rigid(rotation=5), "a rotation must be a 3 x 3 matrix or a quaternion .*got 5"),
    (lambda: Rigid(rotation=[None] * 4), "a quaternion must be a SymPy expression or a number, got None"),
    (lambda: Rigid(translation="abc"), "a translation must be a vector of 3 expressions, got 'abc'"),
    (lambda: Rigid(rotation=[1, 1, 0, 0]), "has length 1.41421, not 1; pass normalize=True"),
    (lambda: Rigid(rotation=[[1 + t, 0, 0], [0, 1, 0], [0, 0, 1]]), "no rotation at t = 3/7: R R.T differs"),
    (lambda: Rigid(rotation=[[sp.cos(t), sp.sin(t), 0], [sp.sin(t), -sp.cos(t), 0], [0, 0, 1]]), "at t = 0: its determinant is -1"),
    (lambda: motion_through([0, 1, 2], [[1, 0, 0, 0]] * 3, [[0, 0, 0], [0, np.nan, 0], [0, 0, 0]]), "must be finite, but pose 1 is not"),
    # solids that do not close
    (lambda: sew(box().faces[1:]), r"the side . = -?1/2 of face \d meets no other side: the solid is open there"),
    (lambda: polyhedron(TETRAHEDRON, [(0, 1, 2), (0, 3, 1), (0, 2, 3), (1, 3, 2)]), "is inside out"),
    (lambda: polyhedron(TETRAHEDRON, [(0, 2, 1.5), (0, 1, 3), (0, 3, 2), (1, 2, 3)]), "face 0 must be a list of vertex numbers"),
    (lambda: polyhedron(TETRAHEDRON, [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3, 3)]), "face 3 needs at least three different vertices"),
])  # fmt: skip
def test_bad_values(make, message):
    with pytest.raises(ValueError, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("make, message", [
    (lambda: sweep.extrude([1, 2, 3], [0, 0, 1]), "extrude takes curves .*, got a list"),
    (lambda: deform.twist(curve.circle(), 1), "deformations act on ParametricSurface and Solid values, got a Curve"),
    (lambda: interpolate_poses(IDENTITY, np.eye(4)), "takes Motion values, got Rigid and ndarray"),
    (lambda: box().moved(None), "moves by a Motion"),
    (lambda: Solid(None), "a solid takes a list of faces"),
    (lambda: Solid(plane_patch()), "a solid takes a list of faces"),
    (lambda: sweep.offset(box(), 1), "offset takes parametric surfaces, got a Solid"),
    (lambda: sweep.reparameterize(curve.circle(), u, v, {}), "reparameterize takes parametric surfaces, got a Curve"),
    (lambda: sweep.interpolate(plane_patch(), box(), 1), "interpolate takes parametric surfaces, got a Solid"),
])  # fmt: skip
def test_bad_types(make, message):
    with pytest.raises(TypeError, match=message):
        make()


def test_what_is_good_is_not_refused():
    half_turn = Rigid(rotation=[[sp.cos(t), -sp.sin(t), 0], [sp.sin(t), sp.cos(t), 0], [0, 0, 1]])
    assert not half_turn.is_constant
    assert sweep.revolve(Curve([1 + sp.cos(u), 0, sp.sin(u)], (0, 2 * sp.pi))).domain[v] == (0, 2 * sp.pi)  # touches the axis
    assert curve.circle(1 + t).expressions[0] == (1 + t) * sp.cos(u)


def test_vectors_and_bounds_as_matrices_and_arrays():
    for vector in (sp.Matrix([u, v, 0]), sp.Matrix([[u, v, 0]]), np.array([u, v, 0])):
        assert ParametricSurface(vector, UNIT) == ParametricSurface([u, v, 0], UNIT)
    assert ImplicitSurface(z, np.array([(0, 1)] * 3)) == ImplicitSurface(z, [(0, 1)] * 3)


@pytest.mark.parametrize("e, slope", [
    (sp.sign(u) * u**2, 2 * sp.sign(u) * u), (sp.floor(3 * u), 0), (sp.Mod(u, 2) ** 2, 2 * (u - 2 * sp.floor(u / 2))),
    (sp.frac(u), 1), (sp.Heaviside(u - v) * v, 0), (sp.floor(sp.sign(u) + u) * u, sp.floor(sp.sign(u) + u)), (sp.Abs(u), sp.sign(u)),
], ids=str)  # fmt: skip
def test_derivatives_of_functions_that_step(e, slope):
    assert derivative(e, u) == slope
    normal = ParametricSurface([u, v, e], {u: (-1, 1), v: (-1, 1)}).body_normal
    assert sp.expand(normal[0] + slope) == 0 and normal[2] == 1


def test_steps_under_an_integral_move_with_its_variable():
    """The integral of floor(s u) over s from 0 to 2 is 2 - 1/u for u from 1/2 to 1: not of slope 0."""
    assert derivative(DefiniteIntegral(sp.floor(z * u), z, 0, 2), u) != 0


def test_solids_are_deformed_with_their_edges():
    twisted = deform.taper(deform.twist(sew(box(sizes=(1, 1, 2)).faces), 1), 2 + z)
    assert isinstance(twisted, Solid) and len(twisted.edges) == 12
    Solid(twisted.faces, twisted.edges, twisted.vertices)  # its constructor compares the edges on both faces
    assert twisted.closed == "closes at sampled points, not proved" and deform.scale(box(), 2).closed == "not checked to close"
    mirrored = deform.scale(sew(box().faces), (-1, 1, 1))
    assert sew(mirrored.faces)  # still outward


@pytest.mark.parametrize("make, name", [
    (lambda given: curve.polygon(given), "the corners of a polygon"), (lambda given: curve.piecewise(given), "the pieces of a curve"),
    (lambda given: curve.bezier(given), "the control points"), (lambda given: sweep.loft(given), "the sections of a loft"),
    (lambda given: sweep.loft([curve.circle(), curve.circle(2)], at=given), "the places of the sections"),
    (lambda given: sweep.affine_sweep(curve.circle(), given, curve.helix()), "the matrix of an affine sweep, its rows,"),
    (lambda given: patch.bezier_patch(given), "the control points of a patch"),
    (lambda given: patch.bezier_patch([given, given]), "a row of control points"), (lambda given: sew(given), "the faces"),
    (lambda given: polyhedron(given, [[0, 1, 2]]), "the vertices of a polyhedron"),
    (lambda given: polyhedron(TETRAHEDRON, given), "the faces of a polyhedron"),
])
@pytest.mark.parametrize("given", [3, "abc"])
def test_what_must_be_a_list(make, name, given):
    with pytest.raises(TypeError, match=f"{name} must be a list, got {given!r}"):
        make(given)
