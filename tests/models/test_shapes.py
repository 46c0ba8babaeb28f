"""Every registered shape against its known facts, by Gauss quadrature over the parameters or by its mesh."""

import inspect
import re

import numpy as np
import pytest
import sympy as sp

from generative import ImplicitBody, Solid, t, u, v, x, y, z
from generative.mesh import approx_function, tessellate
from models.shapes import SHAPES
from models.shapes.teapot import teapot_nets

SOLIDS = {name: s for name, s in SHAPES.items() if isinstance(s.make(), Solid)}
IMPLICIT = {name: s for name, s in SHAPES.items() if isinstance(s.make(), ImplicitBody)}
OTHER_SIZES = {
    "sphere": {"radius": 2}, "ellipsoid": {"semiaxes": (1, 2, sp.Rational(1, 2))}, "implicit_sphere": {"radius": 0.5},
    "cylinder_side": {"radius": 2, "height": 5}, "cone_side": {"radius": 3, "height": 1},
    "paraboloid_cup": {"radius": 2, "height": 3},
    "torus": {"major": 2, "minor": 0.5, "u_origin": 1, "v_origin": 2}, "implicit_torus": {"major": 2, "minor": 0.5},
    "bumpy_sphere": {"radius": 2, "bump": 0.2, "around": 3, "along": 5}, "plane_patch": {"width": 3, "depth": 1},
    "implicit_floor": {"width": 3, "depth": 1},
    "cylinder": {"radius": 2, "height": 3}, "cone": {"radius": 2, "height": 1}, "box": {"sizes": (1, 2, 3)},
    "spring": {"radius": 2, "wire": 0.3, "pitch": 2, "turns": 2}, "trefoil_knot": {"size": 2, "wire": 0.3},
    "pipe_elbow": {"bend": 2, "radius": 0.5, "angle": 1}, "vase": {"radius": 2, "wave": 0.5, "height": 1},
    "gear_rim": {"teeth": 7, "radius": 2, "depth": 0.2, "width": 1}, "moebius_strip": {"radius": 2, "width": 1},
    "egg": {"radius": 2, "taper": 0.5}, "lens": {"radius": 2, "rim": 0.5}, "superellipsoid": {"semiaxes": (1, 1, 2), "power": 6},
    "drilled_ball": {"radius": 2, "hole": 0.75},
    "wavy_sheet": {"size": 5, "amplitude": 0.2, "waves": 3}, "cushion": {"size": 1, "height": 2}, "saddle": {"size": 3, "height": 1},
    "wedge": {"sizes": (1, 3, 2)}, "prism": {"sides": 5, "radius": 2, "height": 2}, "octahedron": {"radius": 2},
    "dodecahedron": {"edge": 2},
    "involute_flank": {"base": 2, "width": 1, "turn": 0.5, "roll": (0.25, 0.75)},
    "gear_tooth": {"base": 2, "half_angle": 0.3, "width": 1, "roll": (0.25, 0.75)}, "cam": {"base": 2, "lift": 0.25, "width": 1},
    "rounded_bar": {"a": 2, "b": 1.5, "power": 6, "length": 3}, "frustum": {"bottom": 0.5, "top": 2, "height": 3},
    "capsule": {"radius": 0.25, "length": 3}, "half_ball": {"radius": 2},
    "raceway": {"major": 2, "groove": 0.5, "half_angle": 1}, "threaded_rod": {"radius": 2, "depth": 0.25, "pitch": 1, "length": 3},
    "nut": {"radius": 0.75, "depth": 0.1, "pitch": 0.4, "width": 1.75, "height": 1},
    "thread_flank": {"inner": 1, "outer": 1.5, "pitch": 2, "turns": (1, 2)},
    "hyperboloid": {"waist": 0.5, "rim": 1.5, "height": 3}, "catenoid": {"waist": 2, "height": 3}, "peanut": {"focus": 2, "size": 2.3},
    "teapot_spout": {"root": 0.25, "tip": 0.3},
    "hook": {"bend": 2, "wide": 0.5, "thick": 0.75, "angle": 2}, "lofted_foot": {"radius": 2, "squash": 0.25, "height": 3},
    "biconvex_lens": {"radius": 2, "rim": 0.5}, "bolt": {"major": 3, "pitch": 1, "root": 0.05, "allowance": 0.03, "length": 3},
    "bolt_nut": {"major": 3, "pitch": 0.75, "root": 0.02, "outer": 2.5, "height": 1.5},
}  # fmt: skip
CASES = [(name, {}) for name in SHAPES] + list(OTHER_SIZES.items())


def cases_with(*facts):
    """The cases for which one of these facts is known, and not False."""
    return [(name, given) for name, given in CASES if any(SHAPES[name].facts(**given).get(fact) for fact in facts)]


def sample(surface, cells=12):
    """Points (n, 3), normals and weights of 8-point Gauss-Legendre rules on a grid of cells x cells."""
    function = approx_function([*surface.body, *(sp.diff(e, s) for s in (u, v) for e in surface.body)], [u, v])
    nodes, weights = np.polynomial.legendre.leggauss(8)
    axes, factors = [], []
    for lo, hi in surface.domain.values():
        edges = np.linspace(float(lo), float(hi), cells + 1)
        half = (edges[1] - edges[0]) / 2
        axes.append((0.5 * (edges[1:] + edges[:-1])[:, None] + half * nodes).ravel())
        factors.append(np.tile(half * weights, cells))
    values = function(*np.meshgrid(*axes, indexing="ij")).reshape(-1, 9)
    normals = np.cross(values[:, 3:6], values[:, 6:]) * (-1 if surface.flipped else 1)
    return values[:, :3], normals, np.outer(*factors).ravel()


def quadrature(surface):
    """(area, volume by Gauss' theorem)."""
    point, normal, weight = sample(surface)
    return np.sum(weight * np.linalg.norm(normal, axis=-1)), np.sum(weight * np.sum(point * normal, axis=-1)) / 3


@pytest.mark.parametrize("name, parameters", [c for c in cases_with("area", "volume", "closed") if c[0] not in IMPLICIT])
def test_area_and_volume(name, parameters):
    facts = SHAPES[name].facts(**parameters)
    body = SHAPES[name].make(**parameters)
    area, volume = np.sum([quadrature(face) for face in (body.faces if isinstance(body, Solid) else [body])], axis=0)
    if "area" in facts:
        assert area == pytest.approx(float(facts["area"]), rel=1e-9)
    if "volume" in facts:  # positive: the normal points outwards
        assert volume == pytest.approx(float(facts["volume"]), rel=1e-8)
    if facts.get("closed"):
        assert volume > 0


@pytest.mark.parametrize("name, parameters", [c for c in CASES if SHAPES[c[0]].symmetry])
def test_symmetry(name, parameters):
    """The function has the same values at the images of points; the integrals of waves over the surface and its image agree."""
    body, maps = SHAPES[name].make(**parameters), SHAPES[name].symmetries(**parameters)
    rng = np.random.default_rng(3)
    points = rng.uniform(-2, 2, (300, 3))
    if name in IMPLICIT:
        function = approx_function([body.expression], [x, y, z])
        values = [function(*(points @ np.array(m, float).T).T) for m in (sp.eye(3), *maps)]
    else:
        faces, cells = (body.faces, 12 if len(body.faces) < 20 else 5) if isinstance(body, Solid) else ([body], 40)
        parts = zip(*(sample(face, cells) for face in faces), strict=True)
        at, normals, weights = map(np.concatenate, parts)
        area = weights * np.linalg.norm(normals, axis=1)
        waves = rng.normal(size=(6, 3)) * 6 / np.linalg.norm(at, axis=1).max()
        values = [np.exp(1j * at @ np.array(m, float).T @ waves.T).T @ area / area.sum() for m in (sp.eye(3), *maps)]
    rough = 1e-3 if name == "gear_rim" else 1e-7  # its flanks are steep for the quadrature
    for mapped in values[1:]:
        np.testing.assert_allclose(mapped, values[0], rtol=1e-9, atol=rough)


@pytest.mark.parametrize("name, parameters", cases_with("box", "radius_range"))
def test_box_and_radius(name, parameters):
    facts = SHAPES[name].facts(**parameters)
    meshes = tessellate(SHAPES[name].make(**parameters), deviation=1e-4)
    vertices = np.concatenate([corners[np.unique(triangles)] for corners, triangles in (mesh.at(0.0) for mesh in meshes)])
    if "box" in facts:
        box = np.array([[float(a), float(b)] for a, b in facts["box"]])
        size, rough = np.ptp(box, axis=1).max(), 0.03 if name in ("lens", "drilled_ball", "threaded_rod") else 5e-3  # ragged creases
        np.testing.assert_allclose(vertices.min(axis=0), box[:, 0], atol=rough * size)
        np.testing.assert_allclose(vertices.max(axis=0), box[:, 1], atol=rough * size)
    if "radius_range" in facts:
        radii, (lo, hi) = np.linalg.norm(vertices, axis=1), facts["radius_range"]
        assert float(lo) - 1e-12 <= radii.min() < radii.max() <= float(hi) + 1e-12


@pytest.mark.parametrize("name", IMPLICIT)
def test_implicit_surfaces_lie_inside_their_bounds_and_are_positive_outside(name):
    facts, area, volume = SHAPES[name].facts(), 0.0, 0.0
    rough = 0.05 if len(SHAPES[name].make().leaves) > 1 else 0.02  # meshes of combined bodies have ragged creases
    for mesh in tessellate(SHAPES[name].make()):
        vertices, triangles = mesh.at(0.0)
        p, q, r = (vertices[triangles[:, k]] for k in range(3))
        normal = np.cross(q - p, r - p) / 2
        area += np.linalg.norm(normal, axis=1).sum()
        volume += np.sum(p * normal) / 3
    if "area" in facts:
        assert area == pytest.approx(float(facts["area"]), rel=rough)
    if "volume" in facts:
        assert volume == pytest.approx(float(facts["volume"]), rel=rough)


@pytest.mark.parametrize("name", SOLIDS)
def test_the_edges_of_a_solid_bound_its_faces(name):
    """Every edge separates two faces (Euler's formula for the box); seen from the middle, both outward directions lead away."""
    body = SHAPES[name].make()
    assert all(len(edge.faces) == 2 for edge in body.edges)
    assert name != "box" or (len(body.faces), len(body.edges), len(body.vertices)) == (6, 12, 8)
    if name == "bolt_nut":  # its middle is not inside
        return
    centre = np.mean([mesh.at(0.0)[0].mean(axis=0) for mesh in tessellate(body)], axis=0) if body.edges else None
    for edge in body.edges:
        place = np.array([float(sp.N(e.subs(u, sp.Rational(1, 3)))) for e in body.position(edge)])
        for outward in body.outward(edge):
            assert np.dot([float(sp.N(sp.sympify(e).subs(u, sp.Rational(1, 3)))) for e in outward], place - centre) > 0


def test_every_shape_tells_its_formula_and_its_source():
    assert {*OTHER_SIZES, "teapot"} == set(SHAPES)
    for s in SHAPES.values():
        assert re.search(r"[<=]|\(\w.*, .*\w.*, .*\w\)", s.text), s.name
        assert len(s.source) > 10 and not s.source.endswith("."), s.name
        assert all(p.kind is p.KEYWORD_ONLY for p in inspect.signature(s.make).parameters.values()), s.name
    shown = SHAPES["bolt"]._repr_html_()
    assert "data:image/png" in shown and "asin(k cos" in shown and "Source: Ponamgi et al. 1995, Section 5.1" in shown
    assert repr(SHAPES["box"]) == "Shape(box(sizes=(1, 1, 1)), source: MathWorld: Cuboid)"


@pytest.mark.parametrize("name", SHAPES)
def test_sizes_are_positive(name):
    """Of every shape the first size, if nothing else a signed quantity, must not be zero or negative."""
    first, p = next(iter(inspect.signature(SHAPES[name].make).parameters.items()))
    for bad in (0, -1):
        value = (bad, *p.default[1:]) if isinstance(p.default, tuple) else bad
        if name != "frustum":  # of which one radius may be zero
            with pytest.raises(ValueError, match=f"the {first} of a {name} must be positive, got {bad}"):
                SHAPES[name].make(**{first: value})


def test_sizes_that_do_not_fit_each_other():
    with pytest.raises(ValueError, match="narrower than its radius 1, got 2"):
        SHAPES["drilled_ball"].make(hole=2)
    assert SHAPES["spring"].make(pitch=-1) and SHAPES["sphere"].make(radius=1 + t).deforming


def test_a_bumpy_sphere_is_smooth_at_its_poles():
    with pytest.raises(ValueError, match="odd number along"):
        SHAPES["bumpy_sphere"].make(along=2)


def test_the_teapot_is_the_published_one():
    """Points of the table of 306, which names 290 different ones in its 32 patches; patches of a band share their borders."""
    nets = np.array(teapot_nets(), float)
    assert nets.shape == (32, 4, 4, 3) and len(np.unique(nets.reshape(-1, 3).round(6), axis=0)) == 290
    points = {tuple(p) for p in nets.reshape(-1, 3).round(6).tolist()}
    assert points >= {(0.784, -1.4, 2.4), (-1.3375, 0.749, 2.53125), (-3.0, 0.3, 1.35), (-1.9, 0.0, 0.6), (3.525, 0.25, 2.49375),
                      (1.7, -0.66, 1.425), (0.45, -0.8, 3.15), (-0.798, -1.425, 0.0), (0.0, 0.0, 2.85)}
    for band in nets[:24].reshape(6, 4, 4, 4, 3):
        np.testing.assert_array_equal(band[:, :, 3], np.roll(band[:, :, 0], -1, axis=0))
    for mesh in tessellate(Solid(SHAPES["teapot"].make().faces[24:])):  # the halves of handle and spout face away from each other
        vertices, triangles = mesh.at(0.0)
        p, q, r = (vertices[triangles[:, k]] for k in range(3))
        assert np.cross(q - p, r - p)[:, 1].sum() * vertices[:, 1].mean() > 0
