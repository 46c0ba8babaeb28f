"""The index of a polyhedron against solids of cubes, of which it is known what every point is in, and the paper's examples."""

import numpy as np
import pytest

from collide import Index, Kind, Mesh
from collide.polyhedra.location import nodes
from generative import Rigid

from .. import voxels

CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
SQUARES = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
TRIANGLES = np.array([t for a, b, d, e in SQUARES for t in ([a, b, d], [a, d, e])])
# By 3/5 and 4/5 about an axis, and five times as large: so it is exact.
TURN = np.array([[3, -4, 0], [4, 3, 0], [0, 0, 5]], float)
TWICE = np.concatenate([TRIANGLES, TRIANGLES + 8])
OUT, EDGE, FACE, VERTEX, IN = Kind.OUT, Kind.EDGE, Kind.FACE, Kind.VERTEX, Kind.IN


def cube(matrix=None, triangles=TRIANGLES):
    return Mesh(CORNERS if matrix is None else CORNERS @ matrix.T, triangles)


@pytest.mark.parametrize("matrix", [np.eye(3), TURN])
@pytest.mark.parametrize(("ends", "kinds"), [
    ([(-1, 0.5, 1), (2, 0.5, 1)], [OUT, EDGE, FACE, EDGE, OUT]), ([(-1, -1, 1), (2, 2, 1)], [OUT, VERTEX, FACE, VERTEX, OUT]),
    ([(-1, 0, 1), (2, 0, 1)], [OUT, VERTEX, EDGE, VERTEX, OUT]), ([(-1, -1, -1), (2, 2, 2)], [OUT, VERTEX, IN, VERTEX, OUT]),
    ([(0.5, 0.5, 0.5), (0.5, 0.5, 0.5)], [IN]), ([(0, 0, 0), (0.5, 0.5, 0)], [VERTEX, FACE]), ([(-1, 0, 0), (-2, 0, 0)], [OUT]),
    ([(0.25, 0.5, 0.5), (3, 0.5, 0.5)], [IN, FACE, OUT]),
])  # fmt: skip
def test_segments_through_the_cube(matrix, ends, kinds):
    index = Index(cube(matrix))
    (runs,) = index.classify_segments(np.array([ends]) @ matrix.T)
    assert [kind for kind, _, _ in runs] == kinds
    for kind, number, point in runs:
        assert (number < 0) == (kind in (IN, OUT))
        if point is not None:
            found, numbers = index.classify(point[None])
            assert (found[0], numbers[0]) == (kind, number)


def test_numbers_are_those_of_the_mesh():
    mesh = cube()
    index = Index(mesh)
    kinds, numbers = index.classify([[0, 1, 1], [0.5, 0, 1], [0.25, 0.5, 1], [0.5, 0.5, 1], [0.5, 0.5, 0.5], [3, 0, 0]])
    assert kinds.tolist() == [VERTEX, EDGE, FACE, FACE, IN, OUT] and numbers[4:].tolist() == [-1, -1]
    assert mesh.vertices[numbers[0], :3].tolist() == [0, 1, 1]
    ends = mesh.vertices[mesh.edges[numbers[1]], :3]
    assert sorted(ends.tolist()) == [[0, 0, 1], [1, 0, 1]]
    # Both triangles of the top are one face, and the diagonal between them is none of its edges.
    top = np.flatnonzero((mesh.vertices[mesh.triangles, 2] == 1).all(axis=1))
    assert numbers[2] == numbers[3] == top.min() and (index.face_of[top] == top.min()).all()
    assert (index.edge_of < 0).sum() == 6 and index.nodes == 8 + 12 + 6


@pytest.mark.parametrize("matrix", [np.eye(3), voxels.SHEAR])
def test_points_in_solids_of_cubes(matrix):
    for seed in range(6):
        g = np.random.default_rng(seed)
        full = voxels.voxels(g, 2 + seed % 3, 0.6)
        index = Index(voxels.mesh_of(full, g, matrix))
        size = len(full)
        points = np.concatenate([g.integers(-1, 2 * size + 2, (150, 3)) / 2, g.integers(-64, 64 * size + 64, (150, 3)) / 64])
        kinds, _ = index.classify(points @ matrix.T)
        assert (kinds == voxels.kinds(full, points)).all()


@pytest.mark.parametrize("matrix", [np.eye(3), voxels.SHEAR])
def test_segments_in_solids_of_cubes(matrix):
    g = np.random.default_rng(5)
    full = voxels.voxels(g, 3, 0.5)
    index = Index(voxels.mesh_of(full, g, matrix))
    segments = np.concatenate([g.integers(-1, 5, (25, 2, 3)) * 1.0, g.integers(-2, 9, (25, 2, 3)) / 2])
    for runs, segment in zip(index.classify_segments(segments @ matrix.T), segments, strict=True):
        assert joined([(kind, point is not None) for kind, _, point in runs]) == joined(voxels.along(full, segment))


def joined(runs):
    """Kinds alone, of neighbours that differ; the numbers of two faces that meet at a point of neither are not compared."""
    kinds = [kind for kind, _ in runs]
    return [kind for k, kind in enumerate(kinds) if k == 0 or kind != kinds[k - 1]]


def test_signs_that_rounding_does_not_tell_are_asked_for(monkeypatch):
    asked = []
    side = nodes.IndexTree.side
    monkeypatch.setattr(nodes.IndexTree, "side", lambda self, *args: asked.append(1) or side(self, *args))
    index = Index(cube(np.array([[0.1, 0.2, 0.7], [0.3, -0.6, 0.1], [0.9, 0.1, -0.2]])))
    asked.clear()
    kinds, _ = index.classify(np.array([[0.25, 0.5, 0.5]]) @ np.array([[0.1, 0.2, 0.7], [0.3, -0.6, 0.1], [0.9, 0.1, -0.2]]).T)
    assert kinds[0] == IN and not asked
    middle = index.mesh.vertices[:2, :3].mean(axis=0)
    for c in np.nextafter(middle, middle + 1), middle, np.nextafter(middle, middle - 1):
        assert index.classify(c[None])[0][0] in (IN, OUT, FACE, EDGE)
    assert asked


def test_parts_and_cavities():
    inner = CORNERS * 0.5 + 0.25
    triangles = np.concatenate([TRIANGLES, TRIANGLES[:, ::-1] + 8, TRIANGLES + 16])
    index = Index(Mesh(np.concatenate([CORNERS, inner, CORNERS + [3, 0, 0]]), triangles))
    kinds, numbers = index.classify([[0.1] * 3, [0.5] * 3, [0.25, 0.5, 0.5], [3.5, 0.5, 0.5], [2, 0.5, 0.5], [4, 1, 0]])
    assert kinds.tolist() == [IN, OUT, FACE, IN, OUT, VERTEX] and numbers[5] == 16 + 6


def test_a_tolerance_is_that_of_the_paper():
    index = Index(cube(TURN))
    near = np.array([[0.5, 0.5, 1.001], [0.5, -0.001, 0.999], [1.0005, 1.0005, 0], [0.5, 0.5, 1.1]])
    kinds, _ = index.classify(near @ TURN.T, 0.01)
    assert kinds.tolist() == [FACE, EDGE, VERTEX, OUT] and (index.classify(near @ TURN.T)[0] == OUT).tolist() == [True] * 4
    (runs,) = index.classify_segments(np.array([[(-1, 0.5, 1.001), (2, 0.5, 1.001)]]) @ TURN.T, 0.01)
    assert [kind for kind, _, _ in runs] == [OUT, EDGE, FACE, EDGE, OUT]


def twice(shift):
    return np.concatenate([CORNERS, CORNERS + shift])


def flipped(triangles, *which):
    triangles = triangles.copy()
    triangles[list(which)] = triangles[list(which), ::-1]
    return triangles


@pytest.mark.parametrize(("vertices", "triangles", "said"), [
    (CORNERS, TRIANGLES[1:], "open: edge 0-1 belongs to triangle"), (CORNERS, TRIANGLES[:0], "no triangles"),
    (twice([1, 1, 0]), TWICE, "not manifold: edge 6-7 belongs to triangles"),
    (CORNERS, flipped(TRIANGLES, 3), "not oriented: triangles [0-9]+, [0-9]+ run through edge"),
    (CORNERS, TRIANGLES[:, ::-1], "inside out: triangle"),
    (twice([3, 0, 0]), np.concatenate([TRIANGLES, TRIANGLES[:, ::-1] + 8]), "inside out"),
    (twice(0.5), TWICE, "crosses itself: triangles"),
    (twice([1, 0.25, 0.25]), TWICE, "touches itself in a plane: triangles"),
    (CORNERS, np.concatenate([TRIANGLES, [[0, 0, 1], [0, 1, 0]]]), "degenerate: triangle 12 has two corners at one place"),
    (CORNERS[:3], [[0, 1, 2], [2, 1, 0]], "degenerate: triangles 0 and 1 lie on each other"),
    ([[0, 0, 0], [1, 0, 0], [3, 0, 0], [0, 1, 0]], [[0, 1, 2], [2, 1, 3], [2, 3, 0], [0, 3, 1]], "degenerate: triangle 0 has no area"),
])  # fmt: skip
def test_what_encloses_nothing_is_named(vertices, triangles, said):
    with pytest.raises(ValueError, match=said):
        Index(Mesh(vertices, np.asarray(triangles, int).reshape(-1, 3)))


def test_other_bad_input():
    with pytest.raises(TypeError, match="made of a Mesh"):
        Index(CORNERS)
    with pytest.raises(ValueError, match="without a motion"):
        Index(cube().moved(Rigid(translation=[1, 0, 0])))
    with pytest.raises(ValueError, match=r"\(2, n, 3\)|at rest"):
        Index(Mesh(np.stack([CORNERS, CORNERS]), TRIANGLES))
    index = Index(cube())
    with pytest.raises(ValueError, match=r"points must have the shape \(n, 3\)"):
        index.classify([1, 2, 3])
    with pytest.raises(ValueError, match="number 1 is not"):
        index.classify([[1, 2, 3], [np.nan, 0, 0]])
    with pytest.raises(ValueError, match="segments must have the shape"):
        index.classify_segments([[1, 2, 3]])
    with pytest.raises(ValueError, match="tolerance"):
        index.classify([[1, 2, 3]], tolerance=-1)
    kinds, numbers = index.classify(np.zeros((0, 3)))
    assert kinds.shape == numbers.shape == (0,) and index.classify_segments(np.zeros((0, 2, 3))) == []


@pytest.mark.parametrize("seed", [48, 83, 99, 103, 255, 1112])
def test_an_edge_that_crosses_two_planes_at_once_is_found_on_both_sides(seed):
    """Faces of two boxes lie in planes that meet in a line, which an edge of a third part crosses: on one side of the first plane it is on
    either side of the second one alone. Of these examples the edge is lost in the first four if what is below a plane is looked at
    only, and in the others if what is above.
    """
    g = np.random.default_rng(seed)
    boxes = [CORNERS + [*g.integers(-1, 1, 2), z] for z in g.permutation([1, 3, 6, 8])[:2]]
    part = np.concatenate([[[1, 1, 0], [-1, -1, 0]], g.integers(-3, 4, (2, 3))]) / 8 + [0, 0, 5]
    sides = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])[:, ::1 if np.linalg.det(part[1:] - part[0]) > 0 else -1]
    index = Index(Mesh(np.concatenate([*boxes, part]), g.permutation(np.concatenate([TWICE, sides + 16]))))
    kinds, numbers = index.classify([[0, 0, 5], [1 / 16, 1 / 16, 5]])
    assert kinds.tolist() == [EDGE, EDGE] and numbers[0] == numbers[1]
    at, along = index.classify_segments(np.array([[[0, 0, 5], [0, 0, 5]], [[0, 0, 4.5], [0, 0, 5.5]]]))
    assert at[0][:2] == (EDGE, numbers[0]) and (EDGE, numbers[0]) in [run[:2] for run in along]


def test_points_are_classified_in_pieces(monkeypatch):
    index, points = Index(cube()), np.random.default_rng(3).integers(-1, 3, (100, 3)) / 2
    whole = index.classify(points)
    monkeypatch.setattr(nodes, "_POINTS", 7)
    pieces = index.classify(points)
    assert (pieces[0] == whole[0]).all() and (pieces[1] == whole[1]).all()
