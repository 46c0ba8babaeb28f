"""Polyhedra from mesh files, good and bad."""

import sys

import pytest

from generative.mesh import polyhedron_from_file
from tests.models.test_shapes import quadrature

trimesh = pytest.importorskip("trimesh")


@pytest.mark.parametrize("kind", ["stl", "obj", "ply"])
def test_a_file_gives_a_closed_solid(tmp_path, kind):
    target = tmp_path / f"box.{kind}"
    trimesh.creation.box((1, 2, 3)).export(target)
    solid = polyhedron_from_file(target)
    assert (len(solid.faces), len(solid.edges), len(solid.vertices)) == (12, 18, 8)
    assert sum(quadrature(f)[1] for f in solid.faces) == pytest.approx(6)


def test_bad_files_are_one_sentence(tmp_path):
    ball = trimesh.creation.icosphere(subdivisions=1)
    with pytest.raises(FileNotFoundError, match="no mesh file"):
        polyhedron_from_file(tmp_path / "none.stl")
    (tmp_path / "text.stl").write_text("this is no mesh")
    with pytest.raises(ValueError, match=r"text\.stl"):
        polyhedron_from_file(tmp_path / "text.stl")
    ball.export(tmp_path / "cut.stl")
    (tmp_path / "cut.stl").write_bytes((tmp_path / "cut.stl").read_bytes()[:1000])
    with pytest.raises(ValueError, match=r"cut\.stl"):
        polyhedron_from_file(tmp_path / "cut.stl")
    trimesh.Trimesh(ball.vertices, ball.faces[1:]).export(tmp_path / "hole.obj")
    with pytest.raises(ValueError, match="1 hole: 3 edges belong to one face only"):
        polyhedron_from_file(tmp_path / "hole.obj")
    faces = ball.faces.copy()
    faces[[3, 40]] = faces[[3, 40], ::-1]
    trimesh.Trimesh(ball.vertices, faces, process=False).export(tmp_path / "flipped.ply")
    with pytest.raises(ValueError, match=r"2 faces are flipped, .* the first is face 3, at vertex \d+ \(-?[\d.]+, "):
        polyhedron_from_file(tmp_path / "flipped.ply")
    ball.export(tmp_path / "ball.ply")
    with pytest.raises(ValueError, match="takes 4 to 10"):
        polyhedron_from_file(tmp_path / "ball.ply", most=10)


def test_without_trimesh_the_error_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(ImportError, match="pip install trimesh"):
        polyhedron_from_file(tmp_path / "x.stl")
