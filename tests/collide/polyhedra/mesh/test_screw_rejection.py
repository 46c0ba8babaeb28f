"""Pairs that are rejected under screws never meet: against the search without rejections, part by part and as a whole."""

import numpy as np
import pytest

import collide
from codegen.machine.loop_runtime import compiled
from collide.polyhedra.mesh import first_contact as mesh_module
from collide.polyhedra.mesh.loop import MeshMemory
from collide.polyhedra.mesh.screw_rejection import TESTS
from generative import Rigid, Screw, t

from .. import screw_parts
from ..solids import CORNERS, SIDES, ball, rotation


def random_screw(random):
    place = Rigid(rotation(random).tolist(), random.uniform(-1.5, 1.5, size=3).tolist())
    return Screw(axis=random.normal(size=3).tolist(), point=random.normal(size=3).tolist(), angle=float(random.uniform(-3, 3)) * t + 0.5,
                 advance=float(random.normal()) * t) @ place


def soup(random, n):
    """Triangles of all sizes, some with corners on an axis of the frame."""
    corners = random.normal(size=(n, 1, 3)) + random.choice([0.1, 0.5, 2], size=(n, 1, 1)) * random.normal(size=(n, 3, 3))
    corners[random.random((n, 3)) < 0.1] *= [0, 0, 1]
    return collide.Mesh(corners.reshape(-1, 3), np.arange(3 * n).reshape(-1, 3))


def test_no_part_that_meets_another_is_rejected():
    random, asked, hits, rejected = np.random.default_rng(4), 0, 0, 0
    for k in range(3):
        screw = random_screw(random) if k else Screw(axis=[0, 0, 1], angle=t, advance=t / 4)
        for motions in ((screw, Rigid()), (Rigid(), screw)):
            meshes = soup(random, 6), soup(random, 6)
            axis = mesh_module.axis_of(*motions)
            search = mesh_module._Search(meshes, motions, (0.0, 1.0), 1e-6, mesh_module.seen_from(axis, meshes, (0.0, 1.0)))
            compiled(screw_parts.compare)(search.arrays.address)
            counts = search.arrays["key"][:4].astype(int)
            assert counts[3] == 0, motions
            asked, hits, rejected = (x + int(y) for x, y in zip((asked, hits, rejected), counts[:3], strict=True))
    assert asked > 3000 and hits > 10 and rejected > 1000
    assert issubclass(screw_parts.compare.__annotations__["s"], MeshMemory)


def test_meshes_meet_when_they_do_without_rejections(monkeypatch):
    random, counts = np.random.default_rng(1), {}
    meshes, known = (ball(1, 10), ball(2, 12)), mesh_module.axis_of
    monkeypatch.setattr(mesh_module, "_UNSEEN", 8)
    for k in range(16):
        screw = random_screw(random)
        motions = (screw, Rigid(translation=[2, 0.5, 0])) if k % 2 else (Rigid(translation=[2, 0.5, 0]), screw)
        monkeypatch.setattr(mesh_module, "axis_of", known)
        found = collide.mesh_mesh(*meshes, motions=motions)
        monkeypatch.setattr(mesh_module, "axis_of", lambda *_: None)
        other = collide.mesh_mesh(*meshes, motions=motions)
        assert found.status == other.status and (found.time is None or found.time.intersects(other.time)) and not other.rejections
        for name, count in found.rejections.items():
            counts[name] = counts.get(name, 0) + count
    assert {"objects", *TESTS} == counts.keys() and sum(count > 0 for count in counts.values()) > 6


def test_the_printed_annulus_rejects_a_hit():
    """An edge comes nearer to the axis between its ends: Kim and Rossignac take r_min from these, and 1.1 < sqrt(2)."""
    moving = collide.Mesh([[1, -1, 0], [1, 1, 0], [3, 0, 0]], [[0, 1, 2]])
    c, s = np.cos(1.5), np.sin(1.5)
    still = collide.Mesh([[1.1 * c, 1.1 * s, -1], [1.1 * c, 1.1 * s, 1], [0.5 * c, 0.5 * s, 0]], [[0, 1, 2]])
    for time in ((0, 1.5), (0, 2)):
        found = collide.mesh_mesh(moving, still, motions=(Screw(axis=[0, 0, 1], angle=t), Rigid()), time=time, tolerance=1e-9)
        assert found.exists and abs(found.time.midpoint - (1.5 - np.arctan(0.21**0.5))) < 1e-9
        assert found.features == ("edge 0-1", "edge 0-1")


def test_objects_are_rejected_as_a_whole():
    cube = collide.Mesh(CORNERS, SIDES)
    turn = Screw(axis=[0, 0, 1], angle=t, advance=t)
    for away in ([9, 0, 0], [0, 0, 9]):
        found = collide.mesh_mesh(cube, cube, motions=(turn, Rigid(translation=away)), time=(0, 6))
        assert found.status.name == "NO_CONTACT" and found.rejections == {"objects": 1}
    still = Rigid(translation=[0, 0, 4])
    for motions in ((turn, still), (still, turn)):
        found = collide.mesh_mesh(cube, cube, motions=motions, time=(0, 6))
        assert found.exists and found.time.contains(3)


@pytest.mark.parametrize("motion", [Screw(axis=[0, 0, 1], angle=t**2), Rigid(translation=[0, 0, t]), Screw(axis=[0, 0, 1], angle=5000 * t)])
def test_other_motions_are_searched_as_ever(motion):
    cube = collide.Mesh(CORNERS, SIDES)
    found = collide.mesh_mesh(cube, cube, motions=(motion, Rigid(translation=[0, 0, 4])), time=(0, 1), budget=20.0)
    assert found.rejections == {} and found.status.name == "NO_CONTACT"


def test_tests_are_on_or_off_as_asked():
    g = np.random.default_rng(5)
    first, second = (soup(g, 40) for _ in range(2))
    asked = {"motions": (random_screw(g), Rigid()), "time": (0, 1)}
    on, off = (collide.mesh_mesh(first, second, rejection=e, **asked) for e in (True, False))
    assert on.status is off.status and (on.time is None or on.time.intersects(off.time))
    assert sum(on.rejections.values()) > 0 and off.rejections == {}
    with pytest.raises(TypeError, match="rejection"):
        collide.mesh_mesh(first, second, rejection="yes", **asked)
