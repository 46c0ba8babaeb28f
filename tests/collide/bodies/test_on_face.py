"""Parameters of a contact on its face: the surface's own, whatever variables the search had."""

import numpy as np
import pytest
import sympy as sp

import collide
from collide.bodies.on_face import UV, at_ends, place_on
from generative import Parameter, ParametricSurface, Rigid, Solid, t, u, v
from generative.mesh import approx_function
from models.scenes import SCENES
from models.shapes.quadrics import cone_side, sphere
from models.shapes.solids import box
from tests.collide.phenomena.test_poles import FLOOR, POLES, SLAB, TILT, drop

Q = sp.Rational
TURNED = Rigid(rotation=[1, Q(1, 3), Q(1, 5), Q(1, 7)], normalize=True)
CORNER = box(sizes=(1, 1, 1)).moved(TURNED)


def check_places(c):
    """The surfaces at the parameters told are where the contacts are."""
    assert c.uv.shape == (len(c), 2) and c.uv.dtype == UV and UV.names == ("face", "u", "v")
    for (face, *at), body, k in ((c.uv[k, side].tolist(), c.bodies[c.pairs[k, side]], k) for k in range(len(c)) for side in (0, 1)):
        if face == -1:
            assert np.isnan(at).all()
            continue
        surface = body.faces[face] if isinstance(body, Solid) else body
        place = approx_function(surface.expressions, [u, v, t])(*at, c.boxes[k][-1].mean())
        assert np.abs(np.ravel(place) - c.points[k]).max() < 1e-9
        assert all(float(lo) <= x <= float(hi) for x, (lo, hi) in zip(at, surface.domain.values(), strict=True))


@pytest.mark.parametrize("name", POLES)
def test_places_near_poles_are_told_by_the_surfaces_own_parameters(name):
    bodies, span, _, _ = POLES[name]
    c = collide.first_contact(bodies, span, budget=20.0)
    check_places(c)
    assert any("p" in name for names in c.variables for name in names)
    for place, box_, names in zip(c.uv[:, 0], c.boxes, c.variables, strict=True):
        if "p1" in names and (box_[:2, 0] <= 0).all() and (box_[:2, 1] >= 0).all():
            # The least of all that stand for the pole.
            assert place["u"] == 0 and abs(place["v"]) == float(sp.pi / 2)


def test_beside_a_pole_the_angle_is_told():
    bodies, span, _, (x, *_) = POLES["just beside a pole"]
    c = collide.first_contact(bodies, span)
    assert abs(c.uv[0, 1]["u"]) < 1e-9 or abs(c.uv[0, 1]["u"] - 2 * np.pi) < 1e-9
    assert c.uv[0, 1]["v"] == pytest.approx(np.arccos(x), abs=1e-9) and c.uv[0, 0]["v"] == pytest.approx(-np.arccos(x), abs=1e-9)


@pytest.mark.parametrize(("bodies", "span", "feature"), [
    ([SCENES["cylinder-on-cylinder"].bodies[k] for k in (0, 1)], (0, 4), "edge"),
    ([CORNER.moved(Rigid(translation=[0, 0, 3 - t])), SLAB], (0, 4), "vertex"), ([CORNER.moved(drop(3)), FLOOR], (0, 4), "vertex"),
    ([cone_side(radius=1, height=1).moved(Rigid(rotation=[0, 1, 0, 0], translation=[0, 0, 3 - t])).moved(TILT), SLAB.moved(TILT)], (0, 4),
     "face"),
    ([ParametricSurface([u, v, u * v + sp.Abs(u)], {u: (-1, 1), v: (-1, 1)}).moved(drop(4)), SLAB], (0, 6), "face"),
], ids=["edge", "vertex", "vertex on implicit", "tip", "creases"])
def test_places_on_edges_vertices_and_tips_are_those_of_a_face(bodies, span, feature):
    c = collide.first_contact(bodies, span, budget=30.0)
    check_places(c)
    assert len(c) and feature in {name.split()[0] for names in c.features for name in names}


@pytest.mark.parametrize("name", ["sheet-rolls-up", "moebius-widens"])
def test_places_of_a_surface_on_itself(name):
    scene = SCENES[name]
    c = collide.self_contact(scene.bodies[0], scene.time, **scene.options)
    check_places(c)
    assert len(c) and c.uv[0, 0] != c.uv[0, 1]


def test_sides_and_poles_of_a_surface_that_touches_itself_are_those_of_the_whole():
    """A crease makes faces of a patch for other queries."""
    sheet = ParametricSurface([u, v, sp.Abs(v)], {u: (0, 1), v: (-1, 3)})
    assert place_on(sheet, "edge 3", ((v, 1),), np.array([[0.25, 0.25]]), True) == (0, 0.25, 3.0)
    assert place_on(sheet, "vertex 1", ((u, 0), (v, 1)), np.empty((0, 2)), True) == (0, 0.0, 3.0)
    assert place_on(sheet, "face 0", ((v, 1),), np.array([[0.25, 0.25]]), False) == (0, 0.25, 0.0)


def test_the_chart_of_a_pole_is_read_in_every_direction():
    ball, (half, fine) = sphere(), (np.pi / 2, 1e-9)
    for angle in np.linspace(0.1, 6.2, 9):
        for end, pole in ((0, -half), (1, half)):
            p, q = np.tan(0.05) * np.cos(angle), np.tan(0.05) * np.sin(angle)
            a, b = at_ends(ball, ((v, end),), np.array([[p - fine, p + fine], [q - fine, q + fine]]))
            assert a == pytest.approx(angle) and abs(b - pole) == pytest.approx(0.1)
    assert at_ends(ball, ((v, 1),), np.array([[-1e-3, 1e-9], [0.0, 1e-3]])) == (0.0, half)


def test_rows_of_a_batch_are_told_alike():
    height = Parameter("height")
    bodies = [sphere().moved(Rigid(translation=[0, 0, height - t])), sphere().moved(TURNED)]
    r = collide.contact_batch(bodies, (0, 4), parameters={height: np.array([3.0, 3.5])})
    assert r.proved.all()
    angle, height = r.parameters[:, :2].T
    assert np.allclose(height, -np.pi / 2, atol=1e-9) and (angle >= 0).all() and (angle <= 2 * np.pi).all()
