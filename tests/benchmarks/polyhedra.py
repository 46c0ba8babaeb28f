"""Applications of the papers on polyhedra: a bolt that goes into its nut step by step and chains of linked tori (Ponamgi, Manocha and Lin
1995, Tables 1 and 2, on an HP 735), and rejections under screws (Kim and Rossignac 2003, on a Pentium III of 1 GHz).

Beside python-fcl, where it is installed, as ratios, and convex hulls beside Qhull; `brep_index` has the table of Vanecek 1990, and
`closest` convex bodies. A step is a pose: which pairs of triangles meet there, exactly, and how far the bodies are apart.
"""

from collections import Counter
from collections.abc import Callable
from importlib.util import find_spec
from time import thread_time
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull

import collide
from codegen.machine.loop_runtime import compiled
from codegen.machine.loops import native
from collide.polyhedra.mesh import first_contact as mesh_module
from collide.polyhedra.mesh.loop import MeshMemory, turned_past
from collide.polyhedra.mesh.screw_rejection_loop import BODY, EDGE, EDGES, FACE, VERTEX, of_parts, refused
from generative import Rigid, Screw, hull, t
from models import polygons

from ..collide.polyhedra.solids import ball, pose, rotation
from . import screws_printed
from .timing import table

UPRIGHT = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
HERE, STEPS = np.eye(4), 60
# Turns, and milliseconds a step as printed.
THREADS = [(3, "59 ms"), (6, "99 ms"), (9, "191 ms")]
# Radius of bodies, the cube in which one ends, and how many pairs.
PRINTED = [(1.0, 60.0, 2000), (1.0, 45.0, 2000), (1.0, 30.0, 2000), (1.0, 15.0, 2000), (1.75, 15.0, 500)]
CHAINS = [(2, 1.2, "12 to 45 ms"), (2, 1.64, ""), (8, 1.2, "38 to 46 ms"), (8, 1.64, "")]


def median(steps: int, ask: Callable[[int], Any]) -> float:
    """Milliseconds of a step."""
    times = []
    for k in range(steps):
        begin = thread_time()
        ask(k)
        times.append(thread_time() - begin)
    return 1e3 * float(np.median(times))


class Fcl:
    """Meshes of python-fcl: do they meet at a pose of the first, and how far are they apart?"""

    def __init__(self, *meshes: collide.Mesh) -> None:
        import fcl

        self.fcl, self.objects = fcl, []
        for mesh in meshes:
            model = fcl.BVHModel()
            model.beginModel(len(mesh.vertices), len(mesh.triangles))
            model.addSubModel(np.ascontiguousarray(mesh.vertices[:, :3]), np.ascontiguousarray(mesh.triangles))
            model.endModel()
            self.objects.append(fcl.CollisionObject(model))

    def place(self, *poses: np.ndarray) -> None:
        for own, matrix in zip(self.objects, poses, strict=True):
            own.setTransform(self.fcl.Transform(matrix[:3, :3], matrix[:3, 3]))

    def meet(self, *poses: np.ndarray) -> int:
        self.place(*poses)
        result = self.fcl.CollisionResult()
        return int(self.fcl.collide(*self.objects, self.fcl.CollisionRequest(num_max_contacts=100000), result))

    def distance(self, *poses: np.ndarray) -> float:
        self.place(*poses)
        return float(self.fcl.distance(*self.objects, self.fcl.DistanceRequest(), self.fcl.DistanceResult()))


def beside(ours: float, theirs: float | None) -> str:
    return "not installed" if theirs is None else f"{theirs / ours:.2g} times as long"


def screwed(k: float) -> np.ndarray:
    """The pose of a bolt so many steps below its place."""
    angle = -2 * np.pi * k / polygons.AROUND
    turned = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    return pose(turned, (0, 0, -polygons.STEP * k))


def threads() -> list[list[Any]]:
    """The last 0.6 steps of the way in, by hundredths: the farther in, the more there is to look at."""
    rows = []
    for turns, printed in THREADS:
        bolt, nut = (collide.Mesh(*made(turns)) for made in (polygons.bolt, polygons.nut))
        at = [screwed(0.01 * (STEPS - k)) for k in range(STEPS)]
        near = collide.Near(bolt, nut)
        meeting = median(STEPS, lambda k, near=near, at=at: near.update(at[k], HERE))
        apart = median(STEPS, lambda k, near=near, at=at: near.nearest(at[k], HERE))
        peer = Fcl(bolt, nut) if find_spec("fcl") else None
        theirs = peer and (median(STEPS, lambda k, peer=peer, at=at: peer.meet(at[k], HERE)),
                           median(STEPS, lambda k, peer=peer, at=at: peer.distance(at[k], HERE)))
        rows.append([f"{len(bolt.triangles)} x {len(nut.triangles)}", meeting, beside(meeting, theirs and theirs[0]),
                     apart, beside(apart, theirs and theirs[1]), printed])
    return rows


def chains() -> list[list[Any]]:
    """Links of 400 triangles, planes at right angles, that swing a little: contacts or not at each step."""
    link, rows = collide.Mesh(*polygons.torus()), []
    for links, spacing, printed in CHAINS:
        near = [collide.Near(link, link) for _ in range(links - 1)]
        steps = [[pose(UPRIGHT if n % 2 else np.eye(3), (spacing * n + 1e-3 * np.sin(0.1 * k + n), 0, 0)) for n in range(links)]
                 for k in range(STEPS)]
        found = list[int]()

        def ask(k: int, near: list[collide.Near] = near, steps: list[list[np.ndarray]] = steps, found: list[int] = found) -> None:
            found.append(sum(len(pair.update(a, b)) for pair, a, b in zip(near, steps[k][:-1], steps[k][1:], strict=True)))

        ours, theirs = median(STEPS, ask), None
        if find_spec("fcl"):
            peer = Fcl(link, link)
            theirs = median(STEPS, lambda k, peer=peer, steps=steps: [peer.meet(*p) for p in zip(steps[k][:-1], steps[k][1:], strict=True)])
        rows.append([f"{links} tori {spacing:g} apart", ours, beside(ours, theirs), f"{np.mean(found):.1f} pairs", printed])
    return rows


# -- screws ---------------------------------------------------------------------------------------------------------------


@native
def reject(s: MeshMemory, first: int, second: int) -> int:
    """Of all pairs of a vertex and a triangle, and of edges, in `key`: how many, and how many are rejected, by kind."""
    for k in range(4):
        s.key[k] = 0.0
    for i in range(first):
        for j in range(second):
            if turned_past(s, i, j, s.beginning):
                of_parts(s)
            for p in range(3):
                if s.owned1[i, p] != 0:
                    s.key[0] += 1.0
                    s.key[1] += 1.0 if refused(s, VERTEX + p, BODY, FACE) else 0.0
                if s.owned2[j, p] != 0:
                    s.key[0] += 1.0
                    s.key[1] += 1.0 if refused(s, 0, BODY + VERTEX + p, FACE) else 0.0
                for q in range(3):
                    if s.owned1[i, 3 + p] != 0 and s.owned2[j, 3 + q] != 0:
                        s.key[2] += 1.0
                        s.key[3] += 1.0 if refused(s, EDGE + p, BODY + EDGE + q, EDGES) else 0.0
    return 0


def screws(radius: float, count: int = 150) -> list[list[Any]]:
    """Hulls of 80 and 85 vertices, 156 and 166 triangles, in a cube of 15 and outside of one of 5. The paper does not say how large."""
    random, counts, parts, times, all_pairs = np.random.default_rng(0), Counter[str](), np.zeros(4), [], []
    meshes = tuple(collide.Mesh(radius * made.vertices[:, :3], made.triangles) for made in (ball(1, 80), ball(2, 85)))
    for _ in range(count):
        shift = random.uniform(-7.5, 7.5, size=3)
        while np.abs(shift).max() < 2.5:
            shift = random.uniform(-7.5, 7.5, size=3)
        screw = Screw(axis=random.normal(size=3).tolist(), point=random.uniform(-5, 5, size=3).tolist(),
                      angle=float(random.uniform(0, np.pi)) * t, advance=float(random.uniform(-5, 5)) * t)
        motions = screw @ Rigid(rotation(random).tolist(), shift.tolist()), Rigid()
        collide.mesh_mesh(*meshes, motions=motions)
        begin = thread_time()
        found = collide.mesh_mesh(*meshes, motions=motions)
        times.append(thread_time() - begin)
        counts.update(objects=found.rejections.get("objects", 0), hits=int(found.exists))
        if found.exists:
            search = _search(meshes, motions)
            begin = thread_time()
            compiled(reject)(search.arrays.address, *(len(mesh.triangles) for mesh in meshes))
            all_pairs.append(thread_time() - begin)
            parts += search.arrays["key"][:4]
    n, shares = len(times), [f"{r / max(m, 1):.0%}" for m, r in (parts[:2], parts[2:])]
    return [[f"{radius:g}", f"{counts['hits']} of {n}", f"{counts['objects'] / n:.0%}", *shares,
             f"{1e3 * np.median(all_pairs) if all_pairs else 0.0:.2g}", f"{1e3 * np.median(times):.2f}", f"{1e3 * np.mean(times):.2f}"]]


def rejected(meshes: Any, motions: Any) -> np.ndarray:
    """Of all pairs of parts of both kinds, the shares that are rejected."""
    search = _search(meshes, motions)
    compiled(reject)(search.arrays.address, *(len(mesh.triangles) for mesh in meshes))
    return np.asarray(search.arrays["key"][[1, 3]] / search.arrays["key"][[0, 2]])


def _search(meshes: Any, motions: Any) -> Any:
    axis = mesh_module.axis_of(*motions)
    search = mesh_module._Search(meshes, motions, (0.0, 1.0), 1e-6, mesh_module.seen_from(axis, meshes, (0.0, 1.0)))
    compiled(reject)(search.arrays.address, 1, 1)
    return search


# -- hulls ----------------------------------------------------------------------------------------------------------------


def hulls() -> list[list[Any]]:
    """Points of a ball, all of them corners of the hull or few, in milliseconds; also until the formulas of all faces are written."""
    random, rows = np.random.default_rng(0), []
    for corners, count in ((300, 3000), (1000, 1000), (1000, 30_000), (3000, 3000)):
        points = random.normal(size=(count, 3))
        points /= np.linalg.norm(points, axis=1)[:, None]
        points[corners:] *= 0.5
        theirs, ours = median(7, lambda _, p=points: ConvexHull(p)), median(7, lambda _, p=points: hull(p))
        written = median(1, lambda _, p=points: [(h.faces, h.edges, h.vertices) for h in [hull(p)]])
        rows.append([f"{count:,}", f"{corners:,}", ours, theirs, f"{ours / theirs:.2g}", written])
    return rows


def main() -> None:
    table("Convex hulls as bodies, beside Qhull in SciPy", ["points", "corners", "ours, ms", "Qhull, ms", "ratio", "formulas, ms"], hulls())
    table("A bolt goes into a nut", ["triangles", "meeting, ms", "python-fcl", "distance, ms", "python-fcl", "printed"], threads())
    table("Linked tori", ["chain", "a step, ms", "python-fcl", "found", "printed"], chains())
    table("Screws: rejected of pairs of objects, and of those that meet of all 26,540 and 58,266 pairs of parts, and the time these take",
          ["radius", "meet", "objects", "vertex, triangle", "edge, edge", "ms", "a query, ms", "mean"],
          [*(screws(radius)[0] for radius in (1.0, 1.75, 2.5)), ["printed", "", "50%", "50.5%", "66%", "32.8", "", ""]])
    table("The tests as printed, beside ours: of pairs of objects, by (3) and by any; of those that meet of all pairs of parts",
          ["radius", "goes", "meet", "cylinder", "objects", "vertex, triangle", "edge, edge", "ours", "ours", "hits lost"],
          [*(screws_printed.row(*given, rejected) for given in PRINTED),
           ["printed", "", "", "50%", "", "50.5%", "66%", "", "", ""]])
