import numpy as np
import pytest
import sympy as sp

from codegen.functions import Chebyshev
from generative import ImplicitSurface, ParametricSurface, Rigid, Screw, t, u, v, x, y, z
from generative.mesh import approx_function, approx_motion, tessellate

TAU = 2 * sp.pi


def boundary_edges(triangles):
    """Edges that are not met once in each direction: none for a closed, consistently oriented mesh."""
    edges = np.concatenate([triangles[:, [a, b]] for a, b in ((0, 1), (1, 2), (2, 0))])
    return set(map(tuple, edges)) ^ set(map(tuple, edges[:, ::-1]))


def sphere(flipped=False):
    return ParametricSurface([sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v), sp.sin(v)],
                             {u: (0, TAU), v: (-sp.pi / 2, sp.pi / 2)}, flipped=flipped)


def volume(vertices, triangles):
    p, q, r = (vertices[triangles[:, k]] for k in range(3))
    return np.einsum("ij,ij->", p, np.cross(q, r)) / 6


def test_seams_and_poles_are_welded_and_triangles_look_outwards():
    [mesh] = tessellate(sphere())
    vertices, triangles = mesh.at(0.0)
    assert not boundary_edges(triangles) and volume(vertices, triangles) == pytest.approx(4.18, abs=0.04)
    assert volume(*tessellate(sphere(flipped=True))[0].at(0.0)) < 0


def test_the_seam_of_a_one_sided_strip_is_not_welded():
    """Joined there, triangles of opposite senses would run along the same edge in the same direction."""
    width = 1 + v * sp.cos(u / 2)
    [mesh] = tessellate(ParametricSurface([width * sp.cos(u), width * sp.sin(u), v * sp.sin(u / 2)], {u: (0, TAU), v: (-1, 1)}))
    triangles = mesh.at(0.0)[1]
    edges = np.concatenate([triangles[:, [a, b]] for a, b in ((0, 1), (1, 2), (2, 0))])
    assert len(np.unique(edges, axis=0)) == len(edges)


def test_the_grid_is_as_fine_as_asked():
    for deviation in (1e-2, 1e-3):
        vertices, triangles = tessellate(sphere(), deviation=deviation)[0].at(0.0)
        middles = vertices[triangles].mean(axis=1)
        assert 1 - np.linalg.norm(middles, axis=1).min() < 2 * deviation * np.sqrt(12)
    flat = ParametricSurface([u, v, u + v], {u: (0, 1), v: (0, 1)})
    assert len(tessellate(flat)[0].at(0.0)[0]) == 4


def test_marching_tetrahedra_close_a_ball_and_look_outwards():
    ball = ImplicitSurface(x**2 + y**2 + z**2 - 1, bounds=[(-1.3, 1.2), (-1.2, 1.3), (-1.1, 1.4)])
    vertices, triangles = tessellate(ball, cells=20)[0].at(0.0)
    assert not boundary_edges(triangles) and volume(vertices, triangles) == pytest.approx(4.18, abs=0.06)


def test_a_difference_keeps_the_parts_of_both_leaves():
    ball = ImplicitSurface(x**2 + y**2 + z**2 - 1, bounds=[(-1.5, 1.5)] * 3)
    half = ball - ImplicitSurface(z, bounds=[(-1.5, 1.5)] * 3)  # the upper half
    dome, disc = (mesh.at(0.0) for mesh in tessellate(half))
    assert dome[0][np.unique(dome[1])][:, 2].min() > -0.1
    np.testing.assert_allclose(disc[0][:, 2], 0, atol=1e-12)
    assert np.linalg.norm(disc[0][np.unique(disc[1])], axis=1).max() < 1.1


def test_meshes_follow_motion_and_deformation():
    screw = Screw(axis=[0, 0, 1], angle=t, advance=t)
    [rigid] = tessellate(sphere().moved(Rigid(translation=[2, 0, 0])).moved(screw))
    still = tessellate(sphere())[0].at(0.0)[0]
    turn = np.array([[np.cos(1), -np.sin(1), 0], [np.sin(1), np.cos(1), 0], [0, 0, 1]])
    np.testing.assert_allclose(rigid.at(1.0)[0], (still + [2, 0, 0]) @ turn.T + [0, 0, 1], atol=1e-14)
    [wave] = tessellate(ParametricSurface([u, v, t * sp.sin(3 * u)], {u: (0, 1), v: (0, 1)}), times=(0.0, 1.0))
    assert not wave.static and not wave.remeshed
    assert np.ptp(wave.at(0.0)[0][:, 2]) == 0 and np.ptp(wave.at(1.0)[0][:, 2]) > 0.8


def test_functions_beside_sympys_own_are_evaluated():
    function = approx_function([Chebyshev(u, 1, 2, 3), sp.sinc(u), 7], [u])
    np.testing.assert_allclose(function(np.array([0.5]))[0], [1 + 1 - 1.5, np.sin(0.5) / 0.5, 7])
    assert approx_motion(Rigid(translation=[0, 0, t]))(2.0)[1][2] == 2


def test_a_cut_mesh_ends_on_its_condition():
    ball = ImplicitSurface(x**2 + y**2 + z**2 - 1, bounds=[(-1.5, 1.5)] * 3)
    dome, disc = (mesh.at(0.0) for mesh in tessellate(ball - ImplicitSurface(z, bounds=[(-1.5, 1.5)] * 3)))
    assert abs(dome[0][np.unique(dome[1])][:, 2].min()) < 1e-12
    rim = np.linalg.norm(disc[0][np.unique(disc[1])], axis=1)
    assert rim.max() == pytest.approx(1, abs=5e-3)


def test_other_things_are_refused():
    with pytest.raises(TypeError, match="a body is a ParametricSurface"):
        tessellate("torus")
