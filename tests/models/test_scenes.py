"""The known facts of the scenes against an independent approximate computation: distances of dense samples."""

from itertools import combinations

import numpy as np
import pytest
import sympy as sp
from scipy.spatial import cKDTree

import collide
from generative import ImplicitBody, Solid, t, u, v, x, y, z
from generative.mesh import approx_function, tessellate
from models.scenes import SCENES, Known, Scene

TIMED = [s for s in SCENES.values() if isinstance(s.known.time, sp.Expr) and len(s.bodies) > 1]
ALONE = [s for s in SCENES.values() if len(s.bodies) == 1]


def cloud(body, time, count=101):
    """Sample points of the surface of a body."""
    if isinstance(body, Solid):
        return np.concatenate([cloud(face, time, 41) for face in body.faces])
    if isinstance(body, ImplicitBody):
        return np.concatenate([vertices[np.unique(triangles)] for vertices, triangles in
                               (mesh.at(time) for mesh in tessellate(body, cells=36))])  # fmt: skip
    lines = [np.linspace(float(lo), float(hi), count) for lo, hi in body.domain.values()]
    return approx_function(body.expressions, [u, v, t])(*np.meshgrid(*lines), time).reshape(-1, 3)


def gap(bodies, time):
    """The least distance of sample points of two of the bodies, or the least value of an implicit body's function there."""
    return min(pair_gap(first, second, time) for first, second in combinations(bodies, 2))


def pair_gap(first, second, time):
    if isinstance(second, ImplicitBody):
        return approx_function([second.expression], [x, y, z, t])(*cloud(first, time).T, time).min()
    return cKDTree(cloud(first, time), balanced_tree=False).query(cloud(second, time))[0].min()


@pytest.mark.parametrize("scene", [s for s in TIMED if s.name != "bolt-pushed-in-nut"], ids=lambda s: s.name)
def test_the_bodies_meet_at_the_known_time_and_not_before(scene):
    time, first = float(scene.known.time), float(scene.time[0])
    assert first < time < float(scene.time[1])
    at_contact = gap(scene.bodies, time)
    assert abs(at_contact) < 0.07
    for share in (0.0, 0.5, 0.8):
        earlier = first + share * (time - first)
        assert gap(scene.bodies, earlier) > at_contact + 0.2 * (time - earlier) * (1 - share)


@pytest.mark.parametrize("scene", ALONE, ids=lambda s: s.name)
def test_the_surface_touches_itself_at_the_known_time(scene):
    (body,) = scene.bodies
    c = collide.self_contact(body, scene.time)
    assert c.time.lo <= float(scene.known.time) <= c.time.hi < c.time.lo + 1e-9 and len(c) == scene.known.points


def test_the_threads_meet_at_the_known_time_and_not_before():
    """Bolt and nut are stars about the axis: in every half-plane through it, the radius of one against that of the other."""
    scene = SCENES["bolt-pushed-in-nut"]
    bolt, nut = (body.faces[0] for body in scene.bodies)
    height, angle = np.meshgrid(np.linspace(0.2, 0.8, 601), np.linspace(0, 2 * np.pi, 13))
    inner, outer = (approx_function(face.body[:2], [u, v]) for face in (bolt, nut))

    def clearance(time):
        lifted = inner(angle, height - (time - 0.5))
        return (np.linalg.norm(outer(angle, height), axis=-1) - np.linalg.norm(lifted, axis=-1)).min()

    time = float(scene.known.time)
    assert abs(clearance(time)) < 1e-5 and clearance(0) == pytest.approx(0.1)
    assert all(clearance(share * time) > 0.09 * (1 - share) for share in (0.5, 0.9, 0.99))


def test_the_ball_keeps_clear_of_the_ring():
    scene = SCENES["ball-through-ring"]
    gaps = [gap(scene.bodies, time) for time in np.linspace(*map(float, scene.time), 7)]
    assert min(gaps) == pytest.approx(1 / 20, abs=0.01)


def test_the_contact_points_of_the_crossed_tori():
    """At sqrt(1.56) the tubes' centres closest to each other are 2 r = 0.6 apart."""
    height = sp.sqrt(39) / 5
    b = sp.atan(-height)
    distance = sp.sqrt((sp.cos(b) - 1)**2 + (height + sp.sin(b))**2)
    assert sp.simplify(distance - sp.Rational(3, 5)) == 0
    assert SCENES["tori-crossed"].known.time == 3 - height


def test_scenes_are_complete():
    for name, scene in SCENES.items():
        assert scene.name == name and scene.title and scene.source and len(scene.bodies) >= 1 and str(scene.known)
        names = [body.name for body in scene.bodies]
        assert all(names) and len(set(names)) == len(names) == len(scene.names)
        assert set(scene.options) <= {"simultaneity", "spacing", "tolerance", "tangency", "order", "method", "tracked"}


def test_known_prints_what_is_known():
    assert str(Known(time=3 - sp.sqrt(39) / 5, contact="two points")) == "t = 3 - sqrt(39)/5 = 1.751000400, two points"
    assert str(Known(time=sp.Rational(7, 5))) == "t = 7/5"
    assert str(Known()) == "nothing" and str(Known(time="never")) == "no contact"
    assert repr(SCENES["tori-coaxial"]) == "Scene('tori-coaxial': Two coaxial tori touch along a circle)"
    assert isinstance(SCENES["bumpy-pair"], Scene)
