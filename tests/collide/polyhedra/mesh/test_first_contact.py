"""Two meshes against all pairs of their triangles, against exact rationals, and closed forms."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import collide
from collide import Status
from collide.polyhedra.mesh import first_contact as mesh_ccd
from collide.polyhedra.mesh import initial_overlap
from generative import Rigid, Screw, t

TURN = Screw(axis=[1, 2, 3], point=[0.25, 0, -0.5], angle=2.5 * t, advance=0.75 * t)
WEAVE = Rigid(rotation=[2, t, 1 - t, t**2], translation=[3 - 2 * t, t / 4, t**3 / 3])


def soup(g, count, size, *, shared=0.5):
    """Small triangles in the unit ball; every other corner is one of another triangle."""
    vertices = g.uniform(-0.7, 0.7, (count, 1, 3)) + size * g.normal(size=(count, 3, 3))
    triangles = np.arange(3 * count).reshape(count, 3)
    for k in range(1, count):
        if g.random() < shared:
            triangles[k, :2] = triangles[k - 1, 1:]
    return vertices.reshape(-1, 3), triangles


def all_pairs(first, second, tolerance, **motions):
    """The earliest lower and upper end over all pairs of triangles, from their fifteen queries each."""
    (a, ta), (b, tb) = first, second
    pairs = list(itertools.product(ta, tb))
    if motions:
        q = np.array([np.concatenate([a[i], b[j]]) for i, j in pairs])
    else:
        q = np.array([np.concatenate([a[0][i], b[0][j], a[1][i], b[1][j]]) for i, j in pairs])
    r = collide.triangle_triangle(q, tolerance, **motions)
    assert (r.proved == r.hit).all()
    return (np.nanmin(r.time[:, 0]), np.nanmin(r.time[:, 1])) if r.hit.any() else None


def agree(r, truth, tolerance):
    if truth is None:
        assert r.status is Status.NO_CONTACT and r.time is None and r.clear_until == 1.0
        return
    assert r.status is Status.CONTACT and r.clear_until == r.time.lo
    assert r.time.lo <= truth[1] and truth[0] <= r.time.hi <= r.time.lo + tolerance


def test_straight_soups_against_all_pairs():
    g = np.random.default_rng(1)
    statuses = []
    for k in range(12):
        (a, ta), (b, tb) = soup(g, 25, 0.2), soup(g, 20, 0.2)
        away = [2.0, 2.0, 1.8][k % 3]
        ends = [np.stack([v, v + 0.3 * g.normal(size=v.shape)]) for v in (a, b + [away, 0, 0])]
        ends[1][1] -= [[1.4, 0.7, 0.0][k % 3], 0, 0]
        if k % 4 == 1:
            ends = [np.round(e * 16) / 16 for e in ends]
        r = collide.mesh_mesh((ends[0], ta), (ends[1], tb), tolerance=1e-7)
        agree(r, all_pairs((ends[0], ta), (ends[1], tb), 1e-7), 1e-7)
        statuses.append(r.status)
        if r.time is not None:
            places = [e[0][m[i]] * (1 - r.time.lo) + e[1][m[i]] * r.time.lo for e, m, i in zip(ends, (ta, tb), r.triangles, strict=True)]
            points = [p.T @ w for p, w in zip(places, r.weights, strict=True)]
            np.testing.assert_allclose(points[0], points[1], atol=1e-5)
            np.testing.assert_allclose(points[0], r.point, atol=1e-5)
    assert statuses.count(Status.CONTACT) > 3 and statuses.count(Status.NO_CONTACT) > 1


@pytest.mark.parametrize("motions", [(TURN, WEAVE), (Rigid(), WEAVE), (WEAVE, Screw(axis=[0, 0, 1], angle=-t, advance=-6 * t**2))])
def test_rigid_soups_against_all_pairs(motions):
    g = np.random.default_rng(2)
    hits = 0
    for k in range(3):
        first, second = soup(g, 20, 0.2), soup(g, 15, 0.15 + 0.1 * k)
        apart = [Rigid(translation=[0.3 * k, 0, 0]) @ m for m in motions]
        start = collide.mesh_mesh(first, second, motions=apart, time=(0, 1e-6))
        assert start.status is Status.NO_CONTACT
        r = collide.mesh_mesh(first, second, tolerance=1e-7, motions=apart)
        agree(r, all_pairs(first, second, 1e-7, motions=tuple(apart)), 1e-7)
        hits += r.status is Status.CONTACT
    assert hits or motions[0] == WEAVE


BOX = np.array(list(itertools.product((-1, 1), repeat=3)), float)
SIDES = np.array([[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
                  [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]])


def test_boxes_that_meet_in_closed_form():
    """A cube on edge falls on a cube: sqrt(2) above its middle is its lowest edge."""
    tilt = Rigid(rotation=sp.rot_axis1(sp.pi / 4).T, translation=[sp.Rational(1, 7), sp.Rational(1, 5), 4 - 2 * t])
    r = collide.mesh_mesh((BOX, SIDES), (BOX * [1, 1.5, 1], SIDES), tolerance=1e-9, motions=(tilt, Rigid()))
    truth = (3 - math.sqrt(2)) / 2
    assert r.status in (Status.CONTACT, Status.UNRESOLVED) and abs(r.time.lo - truth) < 1e-9
    assert "edge" in r.summary() and r.summary() in r._repr_html_()
    assert r.point[2] == pytest.approx(1, abs=1e-8) and r.point[1] == pytest.approx(0.2, abs=1e-8)
    # Flat on flat: no isolated contact, exactly decided for straight paths.
    fall = np.stack([BOX + [0.25, 0.125, 3], BOX + [0.25, 0.125, 1]])
    r = collide.mesh_mesh((fall, SIDES), (np.stack([BOX, BOX]), SIDES))
    assert r.status is Status.CONTACT and r.time.lo <= 0.5 <= r.time.hi
    near = fall.copy()
    near[1, :, 2] = fall[0, :, 2] - 1 + 2.0**-40
    r = collide.mesh_mesh((near, SIDES), (np.stack([BOX, BOX]), SIDES))
    assert r.status is Status.NO_CONTACT


def test_a_body_that_slides_on_another():
    """Faces in a plane touch from the beginning on; a contact of edges is proved among many that cannot be."""
    slide = Rigid(translation=[t / 4, t / 8, 0])
    r = collide.mesh_mesh((BOX, SIDES), (BOX + [0.3, 0.4, 2], SIDES), motions=(slide, Rigid()))
    assert r.status is Status.CONTACT and r.time.lo == 0.0 and r.time.hi <= 1e-6
    r = collide.mesh_mesh((BOX, SIDES), (BOX + [0.3, 0.4, 2 + 1e-12], SIDES), motions=(slide, Rigid()))
    assert r.status is Status.NO_CONTACT


def test_meshes_that_cross_at_the_beginning():
    """Faces crossed by edges whose vertices and edges are far away; and a small cube within a large one, which does not touch."""
    needle = np.array([[0.1, 0.2, -3.0], [0.1, 0.2, 3.0], [0.15, 0.2, 3.0]])
    one = np.array([[0, 1, 2]])
    for scale in (1.0, 1 / 3):
        r = collide.mesh_mesh((np.stack([needle, needle]) * scale, one), (np.stack([BOX, BOX]) * scale, SIDES))
        assert r.status is Status.CONTACT and r.time == (0.0, 0.0) and abs(abs(r.point[2]) - scale) < 1e-12
    r = collide.mesh_mesh((needle, one), (BOX, SIDES), motions=(Rigid(), Rigid(rotation=[1, 0, 0, t])))
    assert r.status is Status.CONTACT and r.time == (0.0, 0.0)
    r = collide.mesh_mesh((BOX / 3, SIDES), (BOX, SIDES), motions=(TURN.at(t / 100), Rigid(translation=[0.25, 0, -0.5])))
    assert r.status is Status.NO_CONTACT


def test_a_crossing_too_fine_for_doubles_is_decided_exactly():
    """An edge of the needle passes the face's edge at a distance of 2**-70, inside or outside."""
    face = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    for shift, crosses in ((2.0**-70, True), (-(2.0**-70), False)):
        needle = np.array([[0.25, shift, -1], [0.25, shift, 1], [0.25, -1, 1]])
        r = collide.mesh_mesh((np.stack([needle, needle]), [[0, 1, 2]]), (np.stack([face, face]), [[0, 1, 2]]))
        assert r.status is (Status.CONTACT if crosses else Status.NO_CONTACT)
        assert initial_overlap.meet_exactly(*([[Fraction(x) for x in p] for p in m.tolist()] for m in (needle, face))) == crosses


def test_the_queue_grows(monkeypatch):
    g = np.random.default_rng(4)
    (a, ta), (b, tb) = soup(g, 60, 0.2), soup(g, 60, 0.2)
    first, second = (np.stack([a, a]), ta), (np.stack([b + [2.5, 0, 0], b]), tb)
    plenty = collide.mesh_mesh(first, second)
    monkeypatch.setattr(mesh_ccd, "_ROOM", 2)
    scarce = collide.mesh_mesh(first, second)
    assert scarce.status is Status.CONTACT
    assert (scarce.time, scarce.iterations, scarce.pairs) == (plenty.time, plenty.iterations, plenty.pairs)


def test_meshes_made_ready():
    """The same answers, also at other places with the old tree. (Fails where boxes are not made anew.)"""
    g = np.random.default_rng(4)
    (a, ta), (b, tb) = soup(g, 60, 0.2), soup(g, 60, 0.2)
    first, second = collide.Mesh(a, ta), collide.Mesh(b, tb)
    plain, ready = (collide.mesh_mesh(*pair, motions=(TURN, WEAVE)) for pair in (((a, ta), (b, tb)), (first, second)))
    assert (ready.time, ready.iterations, ready.triangles) == (plain.time, plain.iterations, plain.triangles)
    assert "60 triangles" in repr(first)
    for shift in (2.5, 1.5):
        paths = np.stack([a + [shift, 0, 0], a]), np.stack([b, b[:, [1, 0, 2]]])
        plain = collide.mesh_mesh((paths[0], ta), (paths[1], tb))
        moved = collide.mesh_mesh(first.with_vertices(paths[0]), second.with_vertices(paths[1]))
        assert plain.status is moved.status is Status.CONTACT and plain.time.lo <= moved.time.hi and moved.time.lo <= plain.time.hi
    for tree in (first.tree, second.with_vertices(paths[1]).tree):
        for node, child in enumerate(tree.children):
            if child >= 0:
                lower = tree.boxes.reshape(-1, 2, 2, 3)[:, :, 0]
                np.testing.assert_array_equal(lower[node], lower[child:child + 2].min(axis=0))
    with pytest.raises(ValueError, match="got a Mesh of"):
        collide.mesh_mesh(first, second)
    with pytest.raises(ValueError, match="vertices, got 3"):
        first.with_vertices(a[:3])
    with pytest.raises(ValueError, match="vertices of the mesh must be finite"):
        collide.Mesh(a * math.inf, ta)
    with pytest.raises(ValueError, match="indices from 0 to 7"):
        collide.Mesh(BOX, SIDES + 3)


def test_a_mesh_made_ready_keeps_its_own_numbers():
    """The caller's arrays may change afterwards."""
    vertices, triangles = np.array(BOX, float), np.array(SIDES, np.int64)
    mesh, moved = collide.Mesh(vertices, triangles), (Rigid(), Rigid(translation=[5 - 3 * t, 0, 0]))
    before = collide.mesh_mesh(mesh, (BOX, SIDES), motions=moved)
    vertices[:], triangles[:] = 100.0, 0
    assert collide.mesh_mesh(mesh, (BOX, SIDES), motions=moved).time == before.time is not None


def test_a_motion_without_values_excludes_nothing():
    motions = Rigid(), Rigid(translation=[5 - sp.sqrt(t - 5), 0, 0])
    r = collide.mesh_mesh((BOX[:3], [[0, 1, 2]]), (BOX[:3], [[0, 1, 2]]), motions=motions)
    assert r.status is Status.UNRESOLVED and r.clear_until == 0.0


def test_triangles_that_stay_close_wait():
    """Two plates 1e-9 apart that turn together, and then meet; a budget tells how far they were followed. (Fails where what is given
    up is forgotten.)
    """
    plate = np.array([[-1.0, -1, 0], [1, -1, 0], [0, 1, 0]]), [[0, 1, 2]]
    other = plate[0] * [0.75, 0.5, 1] + [0.1, 0.05, 1e-9], [[0, 1, 2]]
    closing = TURN @ Rigid(translation=[0, 0, -sp.Max(0, t - sp.Rational(3, 4)) / 10**6])
    r = collide.mesh_mesh(plate, other, motions=(TURN, closing))
    assert r.status is Status.CONTACT and r.time.lo <= 0.751 <= r.time.hi <= r.time.lo + 1e-6
    assert collide.mesh_mesh(plate, other, motions=(TURN, TURN)).status is Status.NO_CONTACT
    r = collide.mesh_mesh(plate, other, motions=(TURN, closing), budget=collide.Budget(boxes=100_000))
    assert r.status is Status.BUDGET_SPENT and 0 < r.clear_until <= 0.751 and r.time.hi == 1


@pytest.mark.parametrize("boxes", [1, 16, 100, 1000, 20_000])
def test_a_budget_of_boxes_is_kept_exactly(boxes):
    """What is not begun is not forgotten. (Fails where queries take as many calls as without a budget, and where their pair is dropped.)"""
    plate = np.array([[-1.0, -1, 0], [1, -1, 0], [0, 1, 0]]), [[0, 1, 2]]
    other = plate[0] * [0.75, 0.5, 1] + [0.1, 0.05, 1e-9], [[0, 1, 2]]
    closing = TURN @ Rigid(translation=[0, 0, -sp.Max(0, t - sp.Rational(3, 4)) / 10**6])
    straight = [(np.stack([p, p + [0, 0, z]]), k) for (p, k), z in ((plate, 0.0), (other, -2e-9))]
    for meshes, motions in (((plate, other), (TURN, closing)), (straight, None)):
        r = collide.mesh_mesh(*meshes, tolerance=1e-12, motions=motions, budget=collide.Budget(boxes=boxes))
        assert r.iterations <= boxes and r.clear_until <= (0.5 if motions is None else 0.751)
        assert r.status in ((Status.BUDGET_SPENT,) if boxes <= 16 else (Status.BUDGET_SPENT, Status.CONTACT))


@pytest.mark.parametrize("boxes", range(16, 200, 8))
def test_a_query_that_the_budget_left_out_is_not_forgotten(boxes):
    """The last vertex of a triangle falls on another one, all other queries miss at once. (Fails where what was left out is dropped.)"""
    table = np.array([[-4.0, -4, 0], [5, -3, 0], [0, 6, 0]])
    falling = np.array([[0.5, 0.1, 4.0], [0.1, 0.7, 3.0], [0, 0, 1.0]])
    meshes = [(np.stack([p, p - [0, 0, z]]), [[0, 1, 2]]) for p, z in ((table, 0.0), (falling, 2.0))]
    r = collide.mesh_mesh(*meshes, budget=collide.Budget(boxes=boxes))
    assert r.iterations <= boxes and r.clear_until <= 0.5 and r.status is not Status.NO_CONTACT


def test_budget_and_bad_input():
    still = np.stack([BOX, BOX])
    r = collide.mesh_mesh((BOX, SIDES), (BOX + 0.1, SIDES), motions=(TURN, WEAVE), budget=1e-9)
    assert r.status is Status.BUDGET_SPENT and r.clear_until == 0.0 and r.time == (0.0, 1.0) and "budget" in r.summary()
    assert collide.mesh_mesh((still[:, :0], np.zeros((0, 3), int)), (still, SIDES)).status is Status.NO_CONTACT
    good = still, SIDES
    for bad, message in ((3, r"Mesh or a pair \(vertices, triangles\)"), ((BOX, SIDES), r"shape \(2, n, 3\)"),
                         ((still, SIDES + 7), "indices from 0 to 7"), ((still, SIDES * 1.0), "whole numbers"),
                         ((still * math.nan, SIDES), "finite"), (("x", SIDES), "array of numbers")):
        with pytest.raises(ValueError, match=message):
            collide.mesh_mesh(bad, good)
    with pytest.raises(ValueError, match="needs motions"):
        collide.mesh_mesh(good, good, time=(0, 2))
    with pytest.raises(TypeError, match="Rigid or Screw"):
        collide.mesh_mesh((BOX, SIDES), (BOX, SIDES), motions=(1, 2))


def test_meshes_are_told_by_their_names():
    vertices, triangles = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float), [[0, 1, 2]]
    rest, falling = np.array([vertices, vertices]), np.array([vertices + [0, 0, 1], vertices - [0, 0, 1]])
    plate, lid = collide.Mesh(rest, triangles, name="plate"), collide.Mesh(falling, triangles)
    r = collide.mesh_mesh(lid.with_vertices(falling), plate.with_vertices(rest))
    assert r.names == (None, "plate") and f"{r.features[0]} and {r.features[1]} of plate" in r.summary()
    assert "<td>first</td>" in r._repr_html_() and "<td>plate</td>" in r._repr_html_() and "name='plate'" in repr(plate)
    with pytest.raises(ValueError, match=r'vertices of the second mesh \("plate"\) must have the shape'):
        collide.mesh_mesh((vertices, triangles), plate, motions=(Rigid(), Rigid()))
