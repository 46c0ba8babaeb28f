"""Many threads that first use everything together, from nothing: the bits of every answer are those of one thread alone."""

import functools
import gc
import sys
import threading

import numpy as np
import pytest
import sympy as sp

import collide
from codegen.machine import linked, loop_runtime, straight_line, tiers
from generative import ParametricSurface, Rigid, t, u, v
from tests.collide.polyhedra.motions import TURN, WEAVE

ROUNDS = 2


def clear_caches():
    for each in gc.get_objects():
        if isinstance(each, functools._lru_cache_wrapper) and each.__module__.partition(".")[0] in ("codegen", "collide", "generative"):
            each.cache_clear()


@pytest.fixture
def forget(monkeypatch):
    """Makes this process forget what it knows of kernels, formulas and bodies; machine code comes from the disk again."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def empty():
        for module, name, nothing in ((straight_line, "_known", {}), (linked, "_codes", {}), (linked, "_tiers", {}),
                                      (tiers, "_all", []), (loop_runtime, "_loops", [])):
            monkeypatch.setattr(module, name, nothing)
        clear_caches()

    yield empty
    sys.setswitchinterval(before)
    # What was made meanwhile goes, and with it its machine code.
    clear_caches()


def bezier():
    answer = collide.bezier_pairs(np.random.default_rng(1).uniform(-1, 1, (20, 2, 2, 3, 3, 3)))
    return answer.time, answer.parameters, answer.proved


def straight():
    answer = collide.edge_edge(np.random.default_rng(2).uniform(-1, 1, (50, 8, 3)))
    return answer.time, answer.parameters, answer.proved


def moving():
    answer = collide.vertex_face(np.random.default_rng(3).uniform(-1, 1, (50, 4, 3)), motions=(TURN, WEAVE))
    return answer.time, answer.parameters, answer.proved


def meshes():
    corners, faces = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]), np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    answer = collide.mesh_mesh((corners, faces), (corners + [0.25, 0.25, 2], faces), motions=(Rigid(translation=[0, 0, 3 * t]), Rigid()))
    return (np.array(answer.time),)


def surfaces():
    cap = ParametricSurface([u, v, -(u**2 + v**2) / 2], {u: (-1, 1), v: (-1, 1)})
    dish = ParametricSurface([u, v, sp.sin(u + v) / 3], {u: (-1, 1), v: (-1, 1)})
    answer = collide.first_contact([cap, dish.moved(Rigid(translation=[0, sp.Rational(1, 10), 1 - t]))], (0, 2))
    return np.array(answer.time), answer.points, answer.normals, answer.proved


QUESTIONS = [surfaces, bezier, straight, moving, meshes]


def bits(answer):
    return [np.ascontiguousarray(part).tobytes() for part in answer]


def test_answers_are_those_of_one_thread_when_many_first_use_kernels_together(forget):
    expected = [bits(ask()) for ask in QUESTIONS]
    found = {}

    def run(turn, k, barrier):
        barrier.wait()
        # Two threads ask the same at the same time, others something else.
        for n in range(len(QUESTIONS)):
            which = (n + k // 2) % len(QUESTIONS)
            found[turn, k, which] = bits(QUESTIONS[which]())

    for turn in range(ROUNDS):
        forget()
        barrier = threading.Barrier(4)
        threads = [threading.Thread(target=run, args=(turn, k, barrier), daemon=True) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(100)
    assert len(found) == ROUNDS * 4 * len(QUESTIONS)
    assert all(answer == expected[which] for (_, _, which), answer in found.items())
