"""``python -m tests.sampled.polyhedra [--count 1000] [--seed 0] [hulls] [screws] [points] [segments]``: closest points of random hulls
against a slab between the witnesses, in rationals; parts of random triangles under screws, rejected and searched; and points and segments
in solids of cubes, of which it is known what every point is in. Prints what disagrees.
"""

import argparse
import time
from collections import Counter

import numpy as np

import collide
from codegen.machine.loop_runtime import compiled
from collide.polyhedra.closest.memory import MEET
from collide.polyhedra.mesh import first_contact as mesh_module
from generative import Rigid
from tests.collide.polyhedra import screw_parts, voxels
from tests.collide.polyhedra.closest.test_closest import check
from tests.collide.polyhedra.location.test_index import joined
from tests.collide.polyhedra.mesh.test_screw_rejection import random_screw, soup
from tests.collide.polyhedra.solids import random_pair, random_pose

SPAN = (0.0, 1.0)


def hulls(random: np.random.Generator, count: int) -> tuple[Counter, int]:
    """Five poses a pair of hulls. Of those that meet one in twenty is checked, by all planes that may separate them, which takes long."""
    seen, wrong = Counter(), 0
    for k in range(count):
        if k % 5 == 0:
            meshes = random_pair(random)
            walk = collide.Closest(*meshes)
        matrices = random_pose(random, 0.5), random_pose(random, 4.0)
        found = walk.at(*matrices)
        if found._outcome == MEET and k % 20:
            seen["met"] += 1
            continue
        try:
            seen[check(meshes, matrices, found)] += 1
        except AssertionError:
            wrong += 1
            print(f"WRONG hulls, pair {k}: {matrices}", flush=True)
    return seen, wrong


def screws(random: np.random.Generator, count: int) -> tuple[Counter, int]:
    """540 parts of two soups of triangles at a time."""
    seen, wrong = Counter(), 0
    while seen["asked"] < count:
        screw = random_screw(random)
        for motions in ((screw, Rigid()), (Rigid(), screw)):
            meshes = soup(random, 6), soup(random, 6)
            axis = mesh_module.axis_of(*motions)
            search = mesh_module._Search(meshes, motions, SPAN, 1e-6, mesh_module.seen_from(axis, meshes, SPAN))
            compiled(screw_parts.compare)(search.arrays.address)
            asked, hits, rejected, both = search.arrays["key"][:4].astype(int).tolist()
            seen.update(asked=asked, hits=hits, rejected=rejected)
            if both:
                wrong += both
                print(f"WRONG screws: {both} hits rejected, {motions}", flush=True)
    return seen, wrong


def points(random: np.random.Generator, count: int) -> tuple[Counter, int]:
    """By thousands in a solid: most on corners, edges and faces of cubes, some next to these by one bit."""
    seen, wrong = Counter(), 0
    for k in range(-(-count // 1000)):
        full, matrix = voxels.voxels(random, 2 + k % 4, 0.5), (np.eye(3), voxels.SHEAR)[k % 2]
        if not full.any():
            continue
        asked = random.integers(0, 2 * len(full) + 1, (1000, 3)) / 2
        inner = random.random((1000, 3)) < 0.3
        asked[inner] += np.round(random.uniform(-0.5, 0.5, inner.sum()) * 2.0**20) / 2.0**20
        # So far that carried coordinates still are doubles.
        asked[::4] += random.choice([-1, 0, 1], (250, 3)) * 2.0**-44
        known = voxels.kinds(full, asked)
        found = collide.Index(voxels.mesh_of(full, random, matrix)).classify(asked @ matrix.T)[0]
        seen.update(kind.name for kind in known)
        for p in asked[[one is not other for one, other in zip(found, known, strict=True)]]:
            wrong += 1
            print(f"WRONG points, solid {k}: {p.tolist()}", flush=True)
    return seen, wrong


def segments(random: np.random.Generator, count: int) -> tuple[Counter, int]:
    """By fifties, with ends at corners of cubes, and half-way between them; half of the solids are sheared."""
    seen, wrong = Counter(), 0
    for k in range(-(-count // 50)):
        full, matrix = voxels.voxels(random, 2 + k % 3, 0.5), (np.eye(3), voxels.SHEAR)[k % 2]
        if not full.any():
            continue
        index, size = collide.Index(voxels.mesh_of(full, random, matrix)), len(full)
        asked = np.concatenate([random.integers(-1, size + 2, (25, 2, 3)) * 1.0, random.integers(-2, 2 * size + 3, (25, 2, 3)) / 2])
        for runs, segment in zip(index.classify_segments(asked @ matrix.T), asked, strict=True):
            known = joined(voxels.along(full, segment))
            seen.update(asked=1, pieces=len(known))
            if joined([(kind, point is not None) for kind, _, point in runs]) != known:
                wrong += 1
                print(f"WRONG segments, solid {k}: {segment.tolist()}", flush=True)
    return seen, wrong


ASKED = {"hulls": hulls, "screws": screws, "points": points, "segments": segments}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.sampled.polyhedra", description=__doc__)
    parser.add_argument("kinds", nargs="*", default=list(ASKED))
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options, total = parser.parse_args(), 0
    for kind in options.kinds:
        begin = time.perf_counter()
        seen, wrong = ASKED[kind](np.random.default_rng(options.seed), options.count)
        print(f"{kind}: {dict(seen)}, {wrong} wrong, {time.perf_counter() - begin:.0f} s", flush=True)
        total += wrong
    return min(total, 1)


if __name__ == "__main__":
    raise SystemExit(main())
