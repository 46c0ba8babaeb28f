"""Meshes of implicit bodies: as near as was asked for, cut where they should be, kept where bodies move together."""

import numpy as np
import pytest

from generative import ImplicitSurface, Rigid, Screw, axis_angle, primitives, t, x, y, z
from generative.mesh import tessellate

RING = ImplicitSurface((x**2 + y**2 + z**2 + 0.91) ** 2 - 4 * (x**2 + y**2), bounds=[(-1.4, 1.4), (-1.4, 1.4), (-0.4, 0.4)])


@pytest.mark.parametrize("deviation", [3e-3, 1e-3])
def test_triangles_are_near_the_surface(deviation):
    """Those of a torus of radii 1 and 0.3, whose distances are known."""
    vertices, triangles = tessellate(RING, deviation=deviation)[0].at(0.0)
    size = np.linalg.norm(np.ptp(vertices, axis=0))
    middles = vertices[triangles].mean(axis=1)
    far = np.abs(np.hypot(np.hypot(middles[:, 0], middles[:, 1]) - 1, middles[:, 2]) - 0.3)
    assert np.percentile(far, 98) <= 1.3 * deviation * size


@pytest.mark.parametrize(("motion", "kept"), [
    (Rigid(), True), (Screw([1, 2, 2], angle=t), True), (Rigid(rotation=axis_angle([0, 0, 1], t), translation=[t, 0, 0]), True),
])  # fmt: skip
def test_a_mesh_is_kept_where_all_move_together(motion, kept):
    bitten = (primitives.ball(1) - primitives.ball(1, (1, 0, 0))).moved(motion)
    for mesh in tessellate(bitten, times=(0.0, 1.0)):
        assert mesh.deforming != kept
        vertices, triangles = mesh.at(0.7)
        own = (vertices[np.unique(triangles)] - mesh.place(0.7)[1]) @ mesh.place(0.7)[0]
        outer, inner = np.linalg.norm(own, axis=1), np.linalg.norm(own - [1, 0, 0], axis=1)
        assert np.minimum(np.abs(outer - 1), np.abs(inner - 1)).max() < 0.01 and outer.max() < 1.01 and inner.min() > 0.98


def test_a_mesh_follows_what_cuts_it():
    meshes = tessellate(primitives.ball(1) - primitives.ball(1).moved(Rigid(translation=[2 - t, 0, 0])), times=(0.0, 1.0))
    assert all(mesh.deforming and mesh.remeshed for mesh in meshes)
    reach = [max(m.at(time)[0][np.unique(m.at(time)[1])][:, 0].max(initial=-9) for m in meshes) for time in (0.0, 1.0)]
    assert reach[0] == pytest.approx(1, abs=0.02) and reach[1] == pytest.approx(0.5, abs=0.02)


def area(body):
    return sum(np.linalg.norm(np.cross(v[f[:, 1]] - v[f[:, 0]], v[f[:, 2]] - v[f[:, 0]]), axis=1).sum() / 2
               for v, f in (mesh.at(0.0) for mesh in tessellate(body)))


def test_faces_in_one_plane_are_meshed_once():
    plate, rod = primitives.block((4, 4, 2)), primitives.round_cylinder(1, 2).moved(Rigid(translation=[0, 0, -1]))
    assert abs(area((plate - rod) | rod) - 64.0) < 0.1
    cross = primitives.block((3, 1, 1)) | primitives.block((1, 3, 1))
    assert abs(area(cross) - 22.0) < 0.1
    raised = (plate - rod) | rod.moved(Rigid(translation=[0, 0, 1]))
    # The wall of the bore below the rod, and that of the rod above the plate; no wall between the rod and the plate.
    assert abs(area(raised) - (64.0 + 4.0 * np.pi)) < 0.3
