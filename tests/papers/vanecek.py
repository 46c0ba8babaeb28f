"""Rows of Vanecek 1990."""

import functools

import numpy as np
import sympy as sp

import collide
from collide import Index, Mesh, RegionTracker, touch
from generative import IDENTITY, Rigid, t

from ..benchmarks.brep_index import PAPER, SIDES, sphere, torus
from . import close, row

here = functools.partial(row, "vanecek")
FACES = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]


def block(low: tuple[float, ...], high: tuple[float, ...]) -> Mesh:
    corners = [[(low, high)[k][0], (low, high)[j][1], (low, high)[i][2]] for k in (0, 1) for j in (0, 1) for i in (0, 1)]
    return Mesh(corners, FACES)


CUBE = block((0, 0, 0), (1, 1, 1))


def union(*meshes: Mesh) -> Mesh:
    return meshes[0] if len(meshes) == 1 else collide.boolean(union(*meshes[:-1]), meshes[-1], "union").mesh


@here(1, "Figs. 1, 2: the tree of a tetrahedron")
def tetrahedron() -> str:
    index = Index(Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]))
    kinds, _ = index.classify([[0.1, 0.1, 0.1], [2, 0, 0], [0.25, 0.25, 0], [0.5, 0, 0], [0, 0, 0]])
    assert [k.name for k in kinds] == ["IN", "OUT", "FACE", "EDGE", "VERTEX"]
    return f"{index.nodes} nodes, height {index.heights[0]}"


@here(4, "Fig. 3: a segment as a sequence")
def segments() -> str:
    (run,) = Index(CUBE).classify_segments([[[0, 0, -1], [0, 0, 2]]])
    names = [kind.name for kind, _, _ in run]
    assert names == ["OUT", "VERTEX", "EDGE", "VERTEX", "OUT"]
    return ", ".join(names)


@here(6, "Table 1: nodes of ten objects", "spheres 58, 135, 245, 463, 2309; tori 110, 299, 435, 1019, 4721")
def table_1() -> str:
    found = [[Index(made(n)).nodes for n in SIDES] for made in (sphere, torus)]
    assert all(len(PAPER[name]) == len(nodes) for name, nodes in zip(("sphere", "torus"), found, strict=True))
    return f"spheres {', '.join(map(str, found[0]))}; tori {', '.join(map(str, found[1]))}"


@here(7, "Fig. 4: separate, touching, penetrating")
def statuses() -> str:
    found = [touch(CUBE, CUBE, (IDENTITY, Rigid(translation=[d, 0, 0]))).status.name for d in (2, 1, sp.Rational(1, 2))]
    assert found == ["SEPARATE", "TOUCHING", "PENETRATING"]
    return ", ".join(found).lower()


@here(8, "Figs. 5, 6: the time of collision")
def time_of_collision() -> str:
    c = collide.mesh_mesh(CUBE, CUBE, motions=(IDENTITY, Rigid(translation=[2 - t, 0, 0])), time=(0, 2))
    close(c.time.hi, 1.0, 1e-6)
    return f"t in [{c.time.lo!r}, {c.time.hi!r}]"


@here(13, "1: legs of a robot, several regions")
def legs() -> str:
    table = union(block((0, 0, 1), (5, 3, 2)), *(block((a, b, 0), (a + 1, b + 1, 1)) for a in (0, 4) for b in (0, 2)))
    found = touch(table, block((-1, -1, -1), (9, 4, 0)))
    assert len(found.faces) == 4
    return f"{len(found.contacts)} contacts, {len(found.planes)} places, {len(found.faces)} regions"


@here(15, "ProtoSolid: regularized set operations")
def boolean() -> str:
    r = collide.boolean(CUBE, block((0.5, 0.5, 0.5), (2, 2, 2)), "difference")
    assert r.volume == sp.Rational(7, 8)
    return f"volume {r.volume}, exact"


@here(16, "5: contacts followed over time")
def coherence() -> str:
    fork = union(block((0, 0, 0), (3, 1, 1)), block((0, 1, 0), (1, 4, 1)), block((2, 1, 0), (3, 4, 1)))
    bar, tracker = block((-1, 2, 1), (4, 3, 2)), RegionTracker()
    for k, (y, z) in enumerate(((0, 0), (-1.5, 0), (-0.75, 0), (0, 1))):
        tracker.update(touch(bar, fork, (Rigid(translation=[0, y, z]), IDENTITY)), k)
    kinds = [c.kind.value for c in tracker.history]
    assert kinds == ["birth", "birth", "merge", "split", "death", "death"]
    return ", ".join(kinds)


@here(5, "2.4: points", "")
def points() -> str:
    index, g = Index(torus(10)), np.random.default_rng(0)
    kinds, _ = index.classify(g.uniform(-1.5, 1.5, (100_000, 3)))
    return f"100,000 points, {sum(k is collide.Kind.IN for k in kinds)} inside"
