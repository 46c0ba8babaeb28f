"""Polyhedra from mesh files: what the formats leave free changes no body, and a damaged file is none."""

import struct
import sys
from fractions import Fraction

import pytest

from generative import polyhedron
from generative.mesh import polyhedron_from_file
from tests.generative.test_solids import volume
from tests.sampled import files

CUBE = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
V = "".join(f"v {x} {y} {z}\n" for x, y, z in CUBE)
F = "".join(f"f {' '.join(str(c + 1) for c in side)}\n" for side in SIDES)
ROWS, CORNERS = "".join(f"{x} {y} {z}\n" for x, y, z in CUBE), "".join(f"4 {' '.join(map(str, side))}\n" for side in SIDES)
ELL = "".join(f"v {x} {y} {z}\n" for z in (0, 1) for x, y in [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)])
ELL += "f 6 5 4 3 2 1\nf 7 8 9 10 11 12\n" + "".join(f"f {i + 1} {(i + 1) % 6 + 1} {(i + 1) % 6 + 7} {i + 7}\n" for i in range(6))
PLY = "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\nelement face 6\n" \
      "property list uchar int vertex_indices\nend_header\n" + ROWS + CORNERS


@pytest.fixture
def read(tmp_path):
    def made(name, data):
        (tmp_path / name).write_bytes(data if isinstance(data, bytes) else data.encode())
        return polyhedron_from_file(tmp_path / name)

    return made


@pytest.mark.parametrize("kind", files.WRITERS)
def test_a_body_is_the_same_from_every_format(tmp_path, kind):
    if kind in ("glb", "3mf"):
        pytest.importorskip("trimesh")
    if kind == "3mf":
        pytest.importorskip("lxml")
        pytest.importorskip("networkx")
    for seed in range(4):
        assert files.compared(kind, seed, tmp_path) == ("compared", [])


def test_a_wrong_body_is_noticed(tmp_path, monkeypatch):
    """The comparison sees faces that are cut into fans, and corners that are lost."""
    def fans(rng, body):
        triangles = [(face[0], *face[k:k + 2]) for face in body.faces for k in range(1, len(face) - 1)]
        return files.off(rng, body._replace(faces=triangles))

    monkeypatch.setitem(files.WRITERS, "off", fans)
    assert sum(bool(files.compared("off", seed, tmp_path)[1]) for seed in range(8)) > 2


@pytest.mark.parametrize("name, data, faces, size", [
    ("ell.obj", ELL, 6 + 8, 3),
    ("cube.obj", V + F, 6, 8),
    ("negative.obj", V + F.replace("f 1 2 4 3", "f -8 -7 -5 -6"), 6, 8),
    ("mixed.obj", "vt 0 0\nvn 0 0 1\n" + V + F.replace("f 1 2 4 3", "f 1/1 2/1/1 4//1 3"), 6, 8),
    ("continued.obj", V + F.replace("f 1 2 4 3", "f 1 2 \\\n 4 \\\n 3"), 6, 8),
    ("twice.obj", V + F.replace("f 1 2 4 3", "f 1 2 2 4 3 1") + "f 1 2 1\n", 6, 8),
    ("two.obj", "g a\nusemtl m\n" + V + F[:20] + V + F[20:].translate({48 + k: f"{k + 8}" for k in range(1, 9)}), 6, 8),
    ("cube.off", f"OFF\n8 6 12\n{ROWS}{CORNERS}", 6, 8),
    ("line.off", f"OFF 8 6 12\n{ROWS}{CORNERS}", 6, 8),
    ("bare.off", f"8 6 12 # numbers\n\n{ROWS}# faces\n{CORNERS}", 6, 8),
    ("colours.off", f"COFF\n8 6 12\n{ROWS}{CORNERS}".replace("1\n", "1 255 0 0 255\n").replace("3\n", "3 1 0 0\n"), 6, 8),
    ("cube.ply", PLY, 6, 8),
    ("CUBE.PLY", PLY.replace("\n", "\r\n"), 6, 8),
    # A corner 1e-6 above the plane of the others: its three faces are two triangles each.
    ("rounded.obj", V.replace("v 1 1 1\n", "v 1.000001 1.000001 1.000001\n") + F, 9, 8),
    # A strongly twisted one.
    ("twisted.obj", V.replace("v 1 1 1\n", "v 2 2 2\n") + F, 9, 12),
])  # fmt: skip
def test_what_a_format_leaves_free(read, name, data, faces, size):
    solid = read(name, data)
    assert len(solid.faces) == faces and volume(solid) == pytest.approx(size, rel=1e-5) and solid.closed.startswith("closed")


def test_binary_files_may_begin_with_the_word_solid(read):
    triangles = [[CUBE[c] for c in corners] for a, b, c, d in SIDES for corners in ((a, b, c), (a, c, d))]
    data = b"solid".ljust(80) + struct.pack("<I", 12) + b"".join(struct.pack("<12fH", 0, 0, 0, *sum(own, ()), 0) for own in triangles)
    assert volume(read("cube.stl", data)) == pytest.approx(8)
    with pytest.raises(ValueError, match=r"cut.stl cannot be read as STL: it is truncated"):
        read("cut.stl", data[:400])


def test_places_far_from_each_other_stay_apart(read):
    """A cube of a nanometre: no distance counts as none."""
    solid = read("small.obj", V.replace("1", "1e-9") + F)
    assert volume(solid) == pytest.approx(8e-27)


@pytest.mark.parametrize("name, data, message", [
    ("a.obj", V + F.replace("f 1 2 4 3", "f 1 2 4 9"), "a.obj has a face, face 0, of vertices .*, but 8 vertices"),
    ("a.obj", V + F.replace("f 1 2 4 3", "f 0 2 4 3"), "a.obj cannot be read as OBJ: line 9 names vertex 0"),
    ("a.obj", V + F.replace("f 1 2 4 3", "f -9 2 4 3"), "line 9 counts back to before the first vertex"),
    ("a.obj", V + F.replace("f 1 2 4 3", "f 1 2"), "a.obj has a face, face 0, of 2 vertices"),
    ("a.obj", V.replace("v 1 1 1\n", "v 1 1\n") + F, "line 8 has no three numbers for a vertex: 1 1"),
    ("a.obj", V.replace("v 1 1 1\n", "v 1 1 x\n") + F, "line 8 has no three numbers for a vertex: 1 1 x"),
    ("a.obj", V.replace("v 1 1 1\n", "v 1 1 nan\n") + F, r"a.obj has a vertex that is not finite, vertex 7: \(1.0, 1.0, nan\)"),
    ("a.obj", V + F + "v inf 0 0\n", "a.obj has a vertex that is not finite, vertex 8"),
    ("a.obj", V + F[:-10], "a.obj: the polyhedron has 1 hole: 4 edges belong to one face only"),
    ("a.obj", V + F + "cstype bezier\n", "line 15 is of a free-form curve or surface"),
    ("a.obj", "this is no mesh", "a.obj holds no faces"),
    ("a.off", f"OFF\n8 6 0\n{ROWS}{CORNERS[:-10]}", "a.off cannot be read as OFF: it promises 8 vertices and 6 faces, .* but has 13"),
    ("a.off", f"OFF\n8 6 0\n{ROWS}{CORNERS}".replace("4 0 1 3 2", "5 0 1 3 2"), "line 11 promises a face of 5 corners, but has 4 numbers"),
    ("a.off", "OFF BINARY\n1 1 1\n", "it is an OFF file of the kind OFF BINARY"),
    ("a.off", "4OFF\n1 1 1\n", "it is an OFF file of the kind 4OFF"),
    ("a.off", "OFF\n", "does not begin with the keyword OFF and the numbers"),
    ("a.ply", PLY[:-3], "a.ply cannot be read as PLY: it is truncated"),
    ("a.ply", PLY.replace("4 0 1 3 2", "4 0 1 3 2 2"), "it holds more numbers than its header promises"),
    ("a.ply", PLY.replace("ply", "plx", 1), "does not begin with a header"),
    ("a.ply", PLY.replace("ascii", "binary_middle_endian"), "its header names no format of ascii"),
    ("a.ply", PLY.replace("float x", "quad x"), "line 4 of its header is no property of a known type: property quad x"),
    ("a.ply", PLY.replace("float x", "float a"), "it has no vertices with x, y and z"),
    ("a.ply", PLY.replace("vertex_indices", "corners"), "its faces have no list vertex_indices"),
    ("a.ply", PLY.replace("vertex 8", "vertex 88888888"), "it promises 88,888,888 elements vertex, but is no longer than"),
    ("a.ply", PLY.replace("element face", "element tristrips"), "it holds strips of triangles"),
    ("a.stl", "solid a\nfacet\nvertex 0 0 0\nendfacet\nendsolid", "it has facets of other numbers of vertices than three"),
    ("a.stl", "this is no mesh", "a.stl cannot be read as STL: it does not begin with the word solid"),
    ("a.stl", "solid\nendsolid", "a.stl holds no faces"),
])  # fmt: skip
def test_bad_files_are_one_sentence(read, name, data, message):
    with pytest.raises(ValueError, match=message) as caught:
        read(name, data)
    assert "\n" not in str(caught.value)


def test_flipped_faces_and_too_many_are_said(tmp_path, read):
    with pytest.raises(FileNotFoundError, match="no mesh file"):
        polyhedron_from_file(tmp_path / "none.stl")
    with pytest.raises(ValueError, match=r"1 face is flipped, .* the first is face 0, at vertex \d+ \(-?1, "):
        read("a.obj", V + F.replace("f 1 2 4 3", "f 3 4 2 1"))
    read("b.obj", V + F)
    with pytest.raises(ValueError, match="holds 12 triangles; a polyhedron takes 4 to 10"):
        polyhedron_from_file(tmp_path / "b.obj", most=10)


def test_faces_that_cross_are_named(read):
    shifted = "".join(f"v {x + 1} {y + 1} {z + 1}\n" for x, y, z in CUBE) + "".join(
        f"f {' '.join(str(c + 9) for c in side)}\n" for side in SIDES)
    with pytest.raises(ValueError, match=r"a.obj: the polyhedron crosses itself: faces \d and \d+ do"):
        read("a.obj", V + F + shifted)


def test_a_file_says_what_the_body_does(read):
    """A prism on an ell, from a file, and directly."""
    points = [tuple(map(Fraction, p)) for z in (0, 1) for p in ((x, y, z) for x, y in [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)])]
    faces = [(5, 4, 3, 2, 1, 0), (6, 7, 8, 9, 10, 11), *((i, (i + 1) % 6, (i + 1) % 6 + 6, i + 6) for i in range(6))]
    assert read("ell.obj", ELL) == polyhedron(points, faces)


@pytest.mark.parametrize("words", ["No module named 'networkx'", "missing `pip install networkx`"])
def test_without_a_package_the_error_says_which(monkeypatch, tmp_path, words):
    trimesh = pytest.importorskip("trimesh")
    (tmp_path / "x.3mf").write_bytes(b"")

    def load(*_, **__):
        raise ImportError(words)

    monkeypatch.setattr(trimesh, "load_mesh", load)
    with pytest.raises(ImportError, match="3MF files need networkx: pip install networkx"):
        polyhedron_from_file(tmp_path / "x.3mf")
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(ImportError, match="pip install trimesh"):
        polyhedron_from_file(tmp_path / "x.3mf")
