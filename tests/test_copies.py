"""Copies of public values: whatever way they are made, they answer as the original does, and leave it as it is."""

import copy
import enum
import functools
import json
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import sympy as sp

import codegen
import collide
import generative
from codegen.functions import Samples
from collide.frozen import Frozen
from generative import Rigid, t, u, v
from generative.value import Value

from . import copied
from .copied import CORNERS, EXAMPLES, EYE, TRIANGLES, WAYS, cube, digest, plain, shifted

ROOT = Path(__file__).parents[1]
PICKLES = {way for way in WAYS if way not in ("copy", "deepcopy")}
# What cannot be copied in some ways, and the words of the sentence that says so. SymPy's formulas have no pickles of protocols 0 and 1.
REFUSED: dict[str, tuple[set[str], str]] = {
    "graph_node": (set(WAYS), "belongs to its ExprPool and cannot be pickled; pickle the Kernel instead"),
    "mesh_that_deforms": (PICKLES, "is a function of the time, which cannot be pickled; tessellate the body again"),
    "world_with_own_forces": (PICKLES, "Can't pickle local object"),
}
OLD, OLD_WORDS = {"pickle 0", "pickle 1"}, "Only pickle protocol 2 or higher is supported by SymPy"


def copies(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Of an example, all that can be made; those that cannot are refused in one sentence."""
    ways, words = REFUSED.get(name, (set(), ""))
    for way, make in WAYS.items():
        try:
            yield way, make(value)
            assert way not in ways, f"{name} is refused no longer: {way}"
        except (TypeError, ValueError, AttributeError, NotImplementedError) as error:
            text = str(error)
            assert (way in ways and words in text) or (way in OLD and text == OLD_WORDS), f"{name}, {way}: {text}"
            assert text.count(". ") == 0 and "\n" not in text, "a refusal is one sentence"


class Known(NamedTuple):
    """An example: its type, its pickle where there is one, and the digest of its answers."""

    kind: type
    data: bytes | None
    answer: str


_known: dict[str, Known] = {}


def known(name: str, value: Any = None) -> Known:
    """Of an example, found once."""
    if name not in _known:
        value = EXAMPLES[name].make() if value is None else value
        data = pickle.dumps(value) if name not in REFUSED else None
        _known[name] = Known(type(value), data, digest(name, value))
    return _known[name]


@pytest.mark.parametrize("name", EXAMPLES)
def test_copies_answer_as_the_original_does_and_leave_it_as_it_is(name: str) -> None:
    """All are made before any is asked. The original is asked last: what the use of copies changed in it would show."""
    value = EXAMPLES[name].make()
    made = dict(copies(name, value))
    answers = {way: digest(name, other) for way, other in made.items()}
    expected = known(name, value).answer
    assert {way for way, answer in answers.items() if answer != expected} == set()
    if isinstance(value, Value):
        assert all(other == value and hash(other) == hash(value) for other in made.values())
    assert all(list(writeable(other)) == [] for other in (value, *made.values())), "arrays from which something was derived"


def writeable(value: Any) -> Iterator[str]:
    """The names of the public arrays of a `Frozen` value that may be written to."""
    for name, each in vars(value).items() if isinstance(value, Frozen) else ():
        for array in each if isinstance(each, (tuple, list)) else (each,):
            if not name.startswith("_") and isinstance(array, np.ndarray) and array.flags.writeable:
                yield name


def test_copies_work_in_a_fresh_process() -> None:
    names = [name for name in EXAMPLES if name not in REFUSED]
    given = {name: known(name).data for name in names}
    done = subprocess.run([sys.executable, "-m", "tests.copied"], input=pickle.dumps(given), capture_output=True, cwd=ROOT, timeout=300)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    answers = json.loads(done.stdout)
    assert {name for name in names if answers[name] != known(name).answer} == set()


PUBLIC = [value for module in (generative, codegen, collide) for value in map(functools.partial(getattr, module), module.__all__)
          if isinstance(value, type) and not issubclass(value, Exception)]


def test_there_is_an_example_of_every_public_class() -> None:
    found = {known(name).kind for name in EXAMPLES}
    # Of a query's parts: in the answers of `touch`, and what a run's outcome is.
    parts = {collide.TouchContact, *(value for value in PUBLIC if issubclass(value, enum.Enum))}
    assert {value.__name__ for value in PUBLIC if value not in parts and not any(issubclass(kind, value) for kind in found)} == set()


@pytest.mark.parametrize("kind", [value for value in PUBLIC if issubclass(value, enum.Enum)])
def test_outcomes_stay_the_same_objects(kind: type[enum.Enum]) -> None:
    assert all(make(each) is each for each in kind for make in WAYS.values())


# -- runs ------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("certified", [False, True])
def test_a_copy_of_a_run_holds_what_happened_and_says_that_it_cannot_be_resumed(certified: bool) -> None:
    world = copied.thrown()
    run = world.run(until=0.5, certified=certified)
    other = copy.copy(run)
    with pytest.raises(ValueError, match="loaded or copied holds what happened"):
        other.resumed(until=1.0)
    if certified:
        with pytest.raises(ValueError, match="copies of runs and loaded ones have none"):
            other.bounds(0.25)
    on = run.resumed(until=1.0)
    whole = world.run(until=1.0, certified=certified)
    assert plain(copied.asked_run(on)) == plain(copied.asked_run(whole))
    assert plain(copied.asked_run(other)) == plain(copied.asked_run(run)), "the run that goes on changes neither"


@pytest.mark.parametrize("certified", [False, True])
def test_a_run_is_resumed_once(certified: bool) -> None:
    """It would go on from where the run is that came of it: later, with events that were not asked for."""
    run = copied.thrown().run(until=0.5, certified=certified)
    on = run.resumed(until=1.0)
    with pytest.raises(ValueError, match=r"known until t = 0\.5, has been resumed already"):
        run.resumed(until=0.75)
    assert on.resumed(until=1.0625).until == 1.0625


# -- arrays ----------------------------------------------------------------------------------------------------------------------------


def test_the_arrays_of_a_mesh_cannot_be_written_to() -> None:
    """Its tree would be that of other numbers."""
    mesh = cube()
    for other in (mesh, copy.deepcopy(mesh), pickle.loads(pickle.dumps(mesh, 2)), mesh.moved(Rigid(translation=[t, 0, 0])),
                  mesh.with_vertices(2 * CORNERS)):
        for array in (*other.arrays, other.tree.boxes, other.edges, other.radii, other.hull().triangles):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0


def test_what_is_known_of_a_shape_cannot_be_written_to() -> None:
    """It is remembered for other bodies of this shape."""
    for array in (collide.mass_properties(cube()).centre, collide.RigidBody(cube()).centre, collide.RigidBody(cube()).inertia):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 7.0


def test_equal_meshes_are_equal_wherever_they_come_from() -> None:
    mesh, moved = cube(), cube().moved(Rigid(translation=[t, 0, 0]))
    assert mesh == cube(name="other") and hash(mesh) == hash(cube()) and moved == cube().moved(Rigid(translation=[t, 0, 0]))
    assert mesh != moved and mesh != collide.Mesh(CORNERS, TRIANGLES[::-1]) and mesh != collide.Mesh(2 * CORNERS, TRIANGLES)
    # The same numbers, but a tree that was made of others.
    assert collide.Mesh(CORNERS * [1, 1, 9], TRIANGLES).with_vertices(CORNERS) != mesh


def halved(q: np.ndarray) -> Rigid:
    return Rigid(rotation=q[:3, :3], translation=q[:3, 3])


Arrays = tuple[np.ndarray, ...]
POINTS = np.random.default_rng(1).normal(size=(4, 3, 3))
KEPT: dict[str, tuple[Arrays, Callable[..., Any], Callable[[Any], Any]]] = {
    "mesh": ((CORNERS, TRIANGLES), collide.Mesh, lambda m: (*m.arrays, m.tree)),
    "mesh with other vertices": ((2 * CORNERS,), cube().with_vertices, lambda m: (*m.arrays, m.tree)),
    "near": ((CORNERS, TRIANGLES), lambda *m: collide.Near(m, m, 1.0), lambda near: near.nearest(EYE, shifted(3, 0, 0)).distance),
    "closest": ((CORNERS, TRIANGLES), lambda *m: collide.Closest(m, m), lambda closest: closest.at(EYE, shifted(0, 3, 3)).distance),
    "sweep and prune": ((copied.SPREAD,), collide.SweepAndPrune, lambda s: (s.boxes, s.update(copied.SPREAD + [[[1], [0], [0]]]))),
    "bezier nets": ((np.random.default_rng(1).normal(size=(1, 2, 3, 3, 3)), np.ones((1, 3, 3)), np.ones((1, 2, 2))),
                    lambda *e: collide.BezierNets(*e, 0.0), lambda nets: (nets.points, nets.weights, nets.domains)),
    "rigid body": (tuple(np.ones((4, 3))) + (np.eye(3), np.array([1.0, 0, 0, 0])),
                   lambda p, s, w, c, i, q: collide.RigidBody(cube(), position=p, velocity=s, spin=w, centre=c, inertia=i, mass=1.0,
                                                              orientation=q), copied.told),
    "world": ((np.array([0, 0, -1.0]),), lambda g: collide.World([collide.RigidBody(cube())], gravity=g), lambda w: w.gravity),
    "samples": ((np.arange(3.0), np.ones(3), np.ones(3)), Samples, lambda s: (s.knots, s.values, s.slopes)),
    "pose": ((shifted(1, 2, 3),), halved, lambda m: m.entries),
    "polyhedron": ((CORNERS, TRIANGLES), generative.polyhedron, repr),
    "curve": ((POINTS[:, 0],), generative.curve.bezier, repr),
    "patch": ((POINTS,), generative.patch.bezier_patch, repr),
}  # fmt: skip


@pytest.mark.parametrize("name", KEPT)
def test_values_keep_copies_of_the_arrays_that_they_are_made_of(name: str) -> None:
    given, make, ask = KEPT[name]
    arrays = [array.copy() for array in given]
    value, expected = make(*arrays), plain(ask(make(*given)))
    for array in arrays:
        array[...] = array[::-1].copy() if array.dtype.kind == "i" else 0.5
    assert plain(ask(value)) == expected


def test_values_keep_copies_of_the_lists_that_they_are_made_of() -> None:
    faces, bodies, links = [copied.square()], copied.falling_ball(), {"base": [copied.square()], "arm": [copied.ball()]}
    solid, chain = generative.Solid(faces), generative.Chain(links, [generative.revolute("a", "base", "arm", axis=[0, 0, 1])])
    world, found = collide.World(made := [collide.RigidBody(cube())]), collide.first_contact(bodies, (0, 2))
    domain = {u: (0, 1), v: (0, 1)}
    surface = generative.ParametricSurface([u, v, sp.S.Zero], domain)
    texts = [repr(e) for e in (solid, chain, world, found, surface)]
    for given in (faces, bodies, links, made, domain):
        given.clear()
    assert [repr(e) for e in (solid, chain, world, found, surface)] == texts
    assert len(solid.faces) == len(world.bodies) == 1 and len(found.bodies) == 2 and len(surface.domain) == 2
