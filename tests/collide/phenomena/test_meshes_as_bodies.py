"""Triangle meshes among other bodies: times against closed forms, steps by distances, and the same polyhedra as solids."""

import numpy as np
import pytest
import sympy as sp

import collide
from collide import Start, Status
from generative import ImplicitSurface, Parameter, ParametricSurface, Rigid, Screw, difference, polyhedron, t, u, v, x, y, z
from generative.motion import Motion
from generative.polyhedron import brick

from ..meshes import R, ball, distances, finer, first_touch, icosahedron, terrain

DOWN = Rigid(translation=[0, 0, 3 - t])


def turned_up(direction) -> np.ndarray:
    """A rotation that takes a direction up."""
    w = direction / np.linalg.norm(direction)
    a = np.cross(w, [1.0, 0.3, 0.2])
    a /= np.linalg.norm(a)
    return np.stack([a, np.cross(w, a), w])


VERTICES, TRIANGLES = icosahedron()
HEIGHT = np.sqrt((5 + 2 * np.sqrt(5)) / 15)
"""The radius of the ball that touches all faces of an icosahedron, whose vertices are at distance 1; `RIM`: all edges."""
RIM = np.sqrt((5 + np.sqrt(5)) / 10)


@pytest.mark.parametrize(("corners", "reach", "kind"), [(1, 1.0, "vertex"), (2, RIM, "edge"), (3, HEIGHT, "face")])
@pytest.mark.parametrize("spin", [0, 1])
def test_a_ball_falls_on_a_vertex_an_edge_and_a_face(corners, reach, kind, spin):
    """Also while the mesh turns about the line of the fall. (Fails where edges or vertices are not looked at, and with the corners of faces
    in another order.)
    """
    up = turned_up(VERTICES[TRIANGLES[7][:corners]].mean(axis=0))
    mesh = collide.Mesh(VERTICES @ up.T, TRIANGLES).moved(Screw([0, 0, 1], angle=spin * t))
    for bodies in ([mesh, ball(R(1, 4)).moved(DOWN)], [ball(R(1, 4)).moved(DOWN), mesh]):
        c = collide.first_contact(bodies, (0, 3))
        assert c.status is Status.CONTACT and c.start[0, 1] is Start.DISJOINT
        assert c.time.lo - 1e-13 <= 3 - 0.25 - reach <= c.time.hi + 1e-13 and c.time.hi - c.time.lo < 2e-6
        assert any(kind in pair[bodies.index(mesh)] for pair in c.features)
        np.testing.assert_allclose(c.points[0], [0, 0, reach], atol=2e-6)
        np.testing.assert_allclose(np.abs(c.normals[0]), [0, 0, 1], atol=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_a_ball_on_a_terrain_against_steps_by_distances(seed):
    """A thousand triangles, turning and falling: exact but for the doubles of the steps. (Fails where triangles are found late.)"""
    g = np.random.default_rng(seed)
    mesh = terrain(23)
    shift, turn = [R(int(k), 20) for k in g.integers(-10, 11, 2)], int(g.integers(1, 4))
    motion = Rigid(translation=[*shift, 0]) @ Screw([0, 0, 1], angle=turn * t)
    fall = Rigid(translation=[R(1, 4), 0, 1 - t**2 / 4])
    c = collide.first_contact([mesh.moved(motion), ball(R(1, 7)).moved(fall)], (0, 3))

    def centre(time: float) -> np.ndarray:
        p = np.array([0.25 - float(shift[0]), -float(shift[1]), 1 - time**2 / 4])
        return np.array([[np.cos(turn * time), np.sin(turn * time), 0], [-np.sin(turn * time), np.cos(turn * time), 0], [0, 0, 1]]) @ p

    expected = first_touch(mesh.vertices[mesh.triangles, :3], centre, 1 / 7, 1.5 + turn * 1.0, 3.0)
    if expected == np.inf:
        assert c.status is Status.NO_CONTACT
    else:
        assert c.status is Status.CONTACT and c.time.lo - 1e-9 <= expected <= c.time.hi + 1e-9


def test_a_ball_on_a_plane_in_triangles_is_a_ball_on_a_plane():
    grid = np.stack([*np.meshgrid(*[np.linspace(-1, 1, 12)] * 2, indexing="ij"), np.zeros((12, 12))], axis=-1).reshape(-1, 3)
    mesh = collide.Mesh(grid, terrain(12).triangles)
    plane = ParametricSurface([u, v, 0], {u: (-1, 1), v: (-1, 1)})
    tilt = Screw([1, 0, 0], angle=R(1, 3))
    for place in ([R(1, 10), R(1, 7), 0], [0, 0, 0], [R(1, 11), R(1, 11), 0]):
        fall = Rigid(translation=[*place[:2], 2 - t - t**3 / 9])
        times = [collide.first_contact([ball(R(1, 5)).moved(fall), floor.moved(tilt)], (0, 3)).time for floor in (mesh, plane)]
        assert times[0].lo <= times[1].hi and times[1].lo <= times[0].hi and times[0].hi - times[0].lo < 2e-6


def hull(g: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The convex hull of some random points."""
    from scipy.spatial import ConvexHull

    found = ConvexHull(np.round(g.normal(size=(int(g.integers(4, 9)), 3)), 3))
    used, numbers = np.unique(found.simplices, return_inverse=True)
    p, triangles = 0.4 * found.points[used], numbers.reshape(-1, 3)
    a, b, c = (p[triangles[:, k]] for k in range(3))
    inward = (np.cross(b - a, c - a) * (a - p.mean(axis=0))).sum(axis=1) < 0
    triangles[inward] = triangles[inward][:, ::-1]
    return p, triangles


OTHERS = {
    "torus": ParametricSurface([(1 + sp.cos(v) / 3) * sp.cos(u), (1 + sp.cos(v) / 3) * sp.sin(u), sp.sin(v) / 3],
                               {u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)}),
    "patch": ParametricSurface([u, v, u * v / 4 + u**2 / 5], {u: (-1, 1), v: (-1, 1)}),
    "implicit": ImplicitSurface(x**2 + 2 * y**2 + z**2 - 1, [(-2, 2)] * 3),
    "csg": difference(ImplicitSurface(x**2 + y**2 + z**2 - 1, [(-2, 2)] * 3),
                      ImplicitSurface((x - R(1, 2))**2 + y**2 + z**2 - R(1, 2), [(-2, 2)] * 3)),
    "brick": brick([2, 2, 1]),
}


def falling(g: np.random.Generator) -> Motion:
    axis = g.integers(-3, 4, 3).tolist()
    shift = [R(int(k), 10) for k in g.integers(-8, 9, 2)]
    return Rigid(translation=[*shift, R(5, 2) - t]) @ Screw(axis if any(axis) else [1, 0, 0], angle=int(g.integers(0, 3)) * t)


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("seed", range(3))
def test_a_mesh_is_the_polyhedron_of_its_triangles(name, seed):
    """The same states and times. (Fails where a mesh counts as a sheet, and where the triangle that stands for a vertex is another one.)"""
    g = np.random.default_rng(seed)
    vertices, triangles = hull(g)
    motion = falling(g)
    bodies = [collide.Mesh(vertices, triangles), polyhedron(vertices.tolist(), triangles.tolist())]
    first, second = (collide.first_contact([OTHERS[name], body.moved(motion)], (0, 4)) for body in bodies)
    assert first.status is second.status and dict(first.start) == dict(second.start)
    if first.start[0, 1] is Start.DISJOINT and first.time is not None:
        assert first.time.lo <= second.time.hi and second.time.lo <= first.time.hi


@pytest.mark.parametrize("seed", range(3))
def test_two_turning_meshes_meet_when_mesh_mesh_says(seed):
    g = np.random.default_rng(seed)
    (p, i), (q, j) = hull(g), finer(*icosahedron(), 1)
    motions = falling(g), Screw([1, 1, 2], angle=t)
    c = collide.first_contact([collide.Mesh(p, i).moved(motions[0]), collide.Mesh(q, j).moved(motions[1])], (0, 3))
    expected = collide.mesh_mesh((p, i), (q, j), motions=motions, time=(0, 3), tolerance=1e-9)
    assert c.status is expected.status is Status.CONTACT
    assert c.time.lo <= expected.time.hi and expected.time.lo <= c.time.hi


def test_meshes_and_what_is_inside_them():
    """(Fails where rays that meet an edge count, and where what is behind a point counts as crossed.)"""
    shell = collide.Mesh(*finer(*icosahedron(), 2), name="shell")
    small = collide.Mesh(0.3 * VERTICES, TRIANGLES)
    inner = ImplicitSurface(x**2 + y**2 + z**2 - R(1, 16), [(-1, 1)] * 3)
    for body in (ball(R(1, 4)), inner, small):
        for shift, state in (((0, 0, 0), Start.OVERLAPPING), ((0.2, 0.1, 0), Start.OVERLAPPING), ((3, 0, 0), Start.DISJOINT)):
            c = collide.first_contact([body.placed(None, shift), shell.moved(Screw([0, 1, 0], angle=t / 10))], (0, R(1, 10)))
            assert c.start[0, 1] is state and c.status is Status.NO_CONTACT
    c = collide.first_contact([ImplicitSurface(x**2 + y**2 + z**2 - 4, [(-3, 3)] * 3), shell.moved(Rigid(translation=[t, 0, 0]))],
                              (0, R(1, 2)))
    assert c.start[0, 1] is Start.OVERLAPPING


def test_a_sheet_has_no_inside_and_its_hole_is_named():
    box = collide.Mesh(VERTICES, np.delete(TRIANGLES, 4, axis=0), name="bowl")
    edge = {f"edge {min(a, b)}-{max(a, b)}" for a, b in zip(TRIANGLES[4], np.roll(TRIANGLES[4], -1), strict=True)}
    assert not box.closed and box.hole in edge and collide.Mesh(VERTICES, TRIANGLES).hole is None
    c = collide.first_contact([ball(R(1, 4)), box.moved(Rigid(translation=[t, 0, 0]))], (0, 2))
    assert c.start[0, 1] is Start.DISJOINT and c.status is Status.CONTACT
    assert f'("bowl") is a mesh with a hole, at {box.hole}' in c.summary()
    corners = box.vertices[box.triangles, :3]
    expected = first_touch(corners, lambda time: np.array([-time, 0, 0]), 0.25, 1.0, 2.0)
    assert c.time.lo - 1e-10 <= expected <= c.time.hi + 1e-10


def test_a_mesh_that_is_turned_inside_out_or_partly_is_named():
    one = ball(R(1, 4)).moved(Rigid(translation=[4 - t, 0, 0]))
    torn = np.concatenate([TRIANGLES[:1, ::-1], TRIANGLES[1:]])
    for triangles, said in ((TRIANGLES[:, ::-1], "goes round clockwise, as seen from outside: it is inside out"), (TRIANGLES, None),
                            (torn, "triangles 0 and")):
        mesh = collide.Mesh(VERTICES + 8, triangles, name="room").placed(None, (-8, -8, -8))
        assert (mesh.misturned is None) == (said is None)
        c = collide.first_contact([mesh, one], (0, 4))
        assert said is None or (f'("room") is a mesh of which {mesh.misturned}. What it' in c.summary() and said in mesh.misturned)
        assert c.status is Status.CONTACT and 2.75 < c.time.lo < 3
    shells = collide.Mesh(np.concatenate([VERTICES, VERTICES / 2]), np.concatenate([TRIANGLES, TRIANGLES[:, ::-1] + len(VERTICES)]))
    assert shells.misturned is None and collide.Mesh(VERTICES, torn[1:]).misturned is None


def test_places_on_triangles():
    mesh = collide.Mesh(VERTICES @ turned_up(VERTICES[TRIANGLES[3]].mean(axis=0)).T, TRIANGLES)
    c = collide.first_contact([mesh, ball(R(1, 4)).moved(Rigid(translation=[R(1, 50), R(1, 40), 3 - t]))], (0, 3))
    (face, a, b), _ = c.uv[0]
    p, q, r = mesh.vertices[mesh.triangles[face], :3]
    np.testing.assert_allclose(p + a * (q - p) + a * b * (r - q), c.points[0], atol=1e-9)
    assert c.features[0] == ("face 3", "face 0")


def test_a_recorded_motion_and_several_bodies():
    from generative.fit import motion_through

    times = np.linspace(0, 3, 13)
    motion = motion_through(times, np.tile([1.0, 0, 0, 0], (13, 1)), np.stack([0 * times, 0 * times, 3 - times], axis=1)).value
    shell = collide.Mesh(VERTICES @ turned_up(VERTICES[0]).T, TRIANGLES)
    c = collide.first_contact([shell, ball(R(1, 4)).moved(motion), brick([1, 1, 1]).moved(Rigid(translation=[9, 0, 0]))], (0, 3))
    assert c.status is Status.CONTACT and abs(c.time.lo - 1.75) < 1e-5 and c.pairs.tolist() == [[0, 1]]


def test_budgets_and_bad_input():
    big, close = terrain(60), Rigid(translation=[0, 0, R(1, 1000)]) @ Screw([0, 0, 1], angle=t)
    c = collide.first_contact([big, terrain(60).moved(close)], (0, 1), budget=0.5)
    assert c.seconds < 1.5 and c.status in (Status.BUDGET_SPENT, Status.UNRESOLVED, Status.CONTACT, Status.NO_CONTACT)
    moving = collide.Mesh(np.stack([VERTICES, VERTICES]), TRIANGLES, name="cloth")
    for bad, message in ((moving, r'body 0 \("cloth"\) move by themselves'), (collide.Mesh(VERTICES, TRIANGLES[:0]), "without triangles")):
        with pytest.raises(ValueError, match=message):
            collide.first_contact([bad, ball(1)], (0, 1))
    with pytest.raises(ValueError, match="contains the parameter speed"):
        collide.first_contact([big.moved(Rigid(translation=[0, 0, Parameter("speed") * t])), ball(1)], (0, 1))
    with pytest.raises(TypeError, match="moves by a Motion"):
        big.moved(3)
    with pytest.raises(ValueError, match="has a motion of its own"):
        collide.mesh_mesh(big.moved(DOWN), big, motions=(DOWN, DOWN))
    assert big.moved(DOWN) == big.moved(DOWN) != big and "moved(" in repr(big.moved(DOWN))
    assert big.named("field").moved(DOWN).name == "field"
    assert distances(big.vertices[big.triangles, :3], np.array([0.0, 0, 5])).min() > 4


@pytest.mark.parametrize(("outer", "body"), [(collide.Mesh(VERTICES, TRIANGLES), ball(R(1, 2))),
                                              (collide.Mesh(*finer(VERTICES, TRIANGLES, 1)), collide.Mesh(VERTICES / 2, TRIANGLES)),
                                              (ball(1), collide.Mesh(VERTICES / 2, TRIANGLES))])
def test_a_body_in_a_mesh_leaves_it_and_comes_back(outer, body):
    """What goes out crosses the surface, which is no new contact; what comes back from outside touches it. The time of that is the one of
    the way back alone. (Fails where a pair that was inside is left out for too long, and where edges count that cross bodies.)
    """
    there = Rigid(translation=[3 * sp.sin(t), R(1, 8), R(1, 16)]) @ Screw([1, 2, 3], angle=t)
    found, back = (collide.first_contact([outer, body.moved(there)], span) for span in ((0, 3), (R(3, 2), 3)))
    assert found.start[0, 1] is Start.OVERLAPPING and back.start[0, 1] is Start.DISJOINT
    assert found.status is back.status is Status.CONTACT
    assert found.time.lo <= back.time.hi and back.time.lo <= found.time.hi and found.time.hi - found.time.lo < 2e-6


def test_a_mesh_that_turns_within_another_one_is_seen_by_its_faces():
    """Before its surface meets the other one there is nothing to search but faces: some hundred boxes, and not one of edges."""
    vertices, triangles = finer(VERTICES, TRIANGLES, 1)
    inner = collide.Mesh(0.7 * vertices, triangles).moved(Rigid(translation=[R(1, 8), 0, 0]) @ Screw([1, 2, 3], angle=t / 2))
    c = collide.first_contact([collide.Mesh(vertices, triangles), inner], (0, 2))
    assert c.status is Status.NO_CONTACT and c.start[0, 1] is Start.OVERLAPPING and c.iterations < 5000
