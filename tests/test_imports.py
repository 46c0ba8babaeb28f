"""Data flows right: what each package, and each module with a job of its own, may import.

The import statements are read, wherever they stand in a module, so an import inside a function counts too.
"""

import ast
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ["generative", "codegen", "collide", "models"]

# Outside the standard library, a module may import its own package and these; `only` names modules that may import more.
ALLOWED: dict[str, set[str]] = {
    "generative": {"sympy", "codegen.deadline", "codegen.walk", "codegen.functions", "codegen.forms.skeleton", "codegen.given",
                   "codegen.operators", "codegen.initial_value.known"},
    "codegen": {"numpy"},
    "collide": {"numpy", "sympy", "codegen", "generative"},
    "models": {"sympy", "generative"},
}
ONLY: dict[str, set[str]] = {
    "generative.numeric": {"numpy"},
    "generative.sampled": {"numpy"},
    "generative.mesh": {"numpy", "scipy"},
    "generative.mesh_file": {"numpy", "trimesh"},
    "generative.polygon_files": {"numpy"},
    "generative.hull": {"numpy", "scipy"},
    "generative.outline": {"numpy"},
    "generative.crossing": {"numpy"},
    "generative.marching": {"numpy"},
    "generative.contour": {"numpy"},
    "generative.urdf": {"yourdfpy"},
    "generative.urdf_joints": {"numpy"},
    "generative.urdf_shapes": {"numpy"},
    "generative.thumbnail": {"numpy"},
    "generative.fit": {"numpy", "scipy", "trimesh"},
    "generative.fitted": {"numpy"},
    "generative.voxels": {"numpy", "scipy"},
    # Proves that a region is cut into cells, which are found in doubles.
    "generative.trimmed": {"numpy", "codegen"},
    "generative.trimming_cells": {"numpy"},
    "generative.trimming_pieces": {"numpy"},
    "generative.trimming_cusps": {"numpy"},
    "generative.trimming_proof": {"numpy", "codegen"},
    # Values in doubles, and enclosures, of formulas whose numbers are apart.
    "generative.pattern": {"numpy", "codegen"},
    "generative.patterned": {"numpy", "codegen"},
    "generative.curve": {"numpy"},
    "generative.triangulation": {"numpy"},
    "generative.step": {"numpy", "scipy", "codegen"},
    # OpenCASCADE reads files.
    "generative.step.kernel": {"OCP"},
    # ezdxf reads drawings.
    "generative.dxf": {"ezdxf"},
    # Proves that outlines of drawings are apart.
    "generative.outlines_apart": {"numpy", "codegen"},
    "generative.following": {"numpy", "scipy"},
    # The numbers of all pieces of a motion through keyframes are enclosed at once.
    "generative.keyframed": {"numpy", "codegen"},
    "generative.knots": {"numpy"},
    # Proves that loops of links close, by Krawczyk's test, and how far they move.
    "generative.driven_loops": {"numpy", "codegen"},
    "generative.enclosed_root": {"numpy", "codegen"},
    "generative.loops": {"codegen"},
    "generative.solved_loops": {"codegen"},
    # Enclose the values of joints at a time.
    "generative.enclosed_values": {"numpy", "codegen"}, "generative.chain": {"codegen"},
    # Proves that a member of a family is as open as the family.
    "generative.resting": {"numpy", "codegen"},
    # Encloses the entries of turns that are not written.
    "generative.turns": {"codegen"},
    # Proves how far its screws are from a motion.
    "generative.screws": {"numpy", "codegen"},
    "codegen.from_sympy": {"sympy"},
    "codegen.contractor": {"sympy"},
    "codegen.walk": {"sympy"},
    "codegen.constants": {"sympy"},
    "codegen.sympy_rules": {"sympy"},
    "codegen.functions": {"sympy"},
    "codegen.forms": {"sympy"},
    "codegen.hand": {"sympy"},
    "codegen.given": {"sympy", "mpmath"},
    "codegen.operators": {"sympy", "mpmath"},
    "codegen.functions.solutions": {"sympy", "mpmath"},
    "codegen.graph.pattern": {"scipy"},
    "codegen.machine.native": {"llvmlite"},
    # A folder: the reference interpreter, on arbitrary-precision numbers.
    "codegen.reference": {"mpmath"},
    "collide.proof": {"flint"},
    "collide.proof.checker": {"flint"},
    "collide.polyhedra.boolean.parts": {"scipy"},
    "collide.picture.charts": {"plotly"},
    "collide.picture.drawing": {"scipy"},
    "collide.picture.tracks": {"scipy"},
    "collide.picture.marks": {"scipy"},
    "collide.picture.export": {"trimesh", "imageio"},
    "collide.picture.parts": {"plotly"},
    "collide.picture.search": {"plotly"},
    "collide.search.progress": {"tqdm"},
    "collide.__main__": {"models"},
    "collide.world.certified": {"flint"},
    "collide.world.contact_solver.coulomb": {"scipy"},
    "collide.world.mass.implicit": {"scipy"},
    "collide.world.contact_solver.impact": {"scipy"},
    "collide.world.dynamics.steady_contact": {"scipy"},
    "collide.world.contact_solver.forces": {"scipy"},
    "collide.world.features.curved": {"scipy"},
    "collide.world.features.normal_cone": {"scipy"},
    # A folder: sparse matrices, and their factors.
    "collide.shell": {"scipy"},
    "models.operators": {"numpy"},
    "models.polygons": {"numpy"},
    "models.scenes.fruits": {"numpy"},
}


def modules(package: str) -> Iterator[tuple[str, str, str]]:
    """Name, own package and source of every module."""
    for path in sorted(ROOT.joinpath(*package.split(".")).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        own = ".".join(parts[:-1])
        yield (own if parts[-1] == "__init__" else ".".join(parts)), own, path.read_text(encoding="utf-8")


def imported(source: str, own: str) -> Iterator[str]:
    """The full name of everything a module imports: of ``from m import n``, m.n."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = own.split(".")[:len(own.split(".")) - node.level + 1] if node.level else []
            base = [*above, *([node.module] if node.module else [])]
            yield from (".".join([*base, alias.name]) for alias in node.names)


def permitted(name: str, allowed: set[str]) -> bool:
    return name.split(".")[0] in sys.stdlib_module_names or any(name == a or name.startswith(a + ".") for a in allowed)


def violations(module: str, own: str, source: str) -> list[str]:
    package = module.split(".")[0]
    parts = module.split(".")
    named = (".".join(parts[:k]) for k in range(1, len(parts) + 1))
    allowed = {package, *ALLOWED[package]}.union(*(ONLY.get(name, set()) for name in named))
    return [f"{module} imports {name}" for name in imported(source, own) if not permitted(name, allowed)]


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_point_one_way(package: str) -> None:
    found = list(modules(package))
    assert found, f"no modules in {package}"
    assert [v for module in found for v in violations(*module)] == []


# Folders, and modules among them, in the order in which they build on each other: one imports only itself, those before it, and what
# `GROUND` names.
ORDER: dict[str, list[str]] = {
    "codegen": ["graph", "functions", "forms", "reference", "emit", "machine", "algebra", "time_bounds", "initial_value", "hand"],
    "collide": ["bodies", "search", "culling", "situations", "moment", "timeline", "picture", "answers", "proof", "bezier", "polyhedra",
                "sheets", "queries", "world", "shell"],
    "collide.polyhedra": ["exact", "primitives", "mesh", "closest", "location", "touch", "distance", "flat", "boolean", "step"],
    "collide.world": ["solids", "mass", "shapes", "rigid_body", "motion", "features", "contact", "contact_solver", "dynamics",
                      "broad_phase", "narrow_phase", "simulation", "certified"],
}  # fmt: skip
# Modules outside the folders that those may import, which themselves import only the folders named.
GROUND: dict[str, dict[str, set[str]]] = {
    "codegen": {"walk": set(), "deadline": set(), "given": set(), "operators": set(), "interval": set(), "remembered": set(),
                "sympy_rules": {"graph", "functions", "forms"}, "from_sympy": {"graph", "functions", "forms"},
                "numbers": {"graph", "reference"}, "pattern": {"graph"},
                "kernel": {"graph", "reference", "emit", "machine"},
                "constants": {"graph", "forms", "reference", "emit", "machine"}},
    "collide": {"given": set(), "files": set(), "frozen": set()},
    "collide.polyhedra": {},
    "collide.world": {"event": set(), "journal": set(), "reason": set()},
}  # fmt: skip


def arrows(package: str) -> Iterator[tuple[str, str]]:
    """(module, module that it imports) within a package; delayed imports and those for types alone count, too."""
    found = list(modules(package))
    names = {module for module, _, _ in found}
    for module, own, source in found:
        for name in imported(source, own):
            target = name if name in names else name.rpartition(".")[0]
            if target in names and target not in (module, package):
                yield module, target


@pytest.mark.parametrize("package", PACKAGES)
def test_modules_do_not_import_in_circles(package: str) -> None:
    needs: dict[str, set[str]] = {module: set() for module, _, _ in modules(package)}
    for a, b in arrows(package):
        needs[a].add(b)
    done: set[str] = set()
    while len(done) < len(needs):
        free = {m for m, needed in needs.items() if m not in done and needed <= done}
        assert free, f"these import each other: {sorted(set(needs) - done)}"
        done |= free


def upward(package: str, pairs: Iterable[tuple[str, str]]) -> list[str]:
    """The imports that point from a folder to one after it, or to a module on top of the folders."""
    order, ground = ORDER[package], GROUND[package]
    wrong = []
    for a, b in pairs:
        first, second = (name.removeprefix(package).split(".")[1] if name != package else "" for name in (a, b))
        if first in order:
            allowed = second in ground or (second in order and order.index(second) <= order.index(first))
        else:
            allowed = first not in ground or second in ground or second in ground[first]
        wrong += [] if allowed else [f"{a} imports {b}"]
    return wrong


@pytest.mark.parametrize("package", ORDER)
def test_folders_build_on_those_before_them(package: str) -> None:
    assert upward(package, arrows(package)) == []
    folders = {path.parent.name for path in ROOT.joinpath(*package.split(".")).glob("*/*.py")}
    present = {module.removeprefix(f"{package}.").split(".")[0] for module, _, _ in modules(package)}
    assert folders <= set(ORDER[package]) <= present


@pytest.mark.parametrize(("package", "a", "b"), [
    ("codegen", "codegen.graph.expr", "codegen.emit.lower"), ("codegen", "codegen.emit.batch", "codegen.machine.native"),
    ("codegen", "codegen.numbers", "codegen.emit.lanes"), ("codegen", "codegen.reference.interpreter", "codegen.family"),
    ("collide", "collide.search.drive", "collide.queries.trace"), ("collide", "collide.given", "collide.search.drive"),
    ("collide.polyhedra", "collide.polyhedra.exact.planes", "collide.polyhedra.mesh.loop"),
    ("collide.world", "collide.world.shapes.simple", "collide.world.motion.rotation"),
    ("collide.world", "collide.world.rigid_body", "collide.world.motion.state"),
    ("collide.world", "collide.world.simulation.loop", "collide.world.run"),
    ("collide.world", "collide.world.event", "collide.world.contact_solver.impact"),
])  # fmt: skip
def test_an_upward_import_is_noticed(package: str, a: str, b: str) -> None:
    assert len(upward(package, [(a, b), (b, b)])) == 1


@pytest.mark.parametrize(("package", "most"), [("collide", 8), ("codegen", 14)])
def test_few_modules_stand_outside_the_folders(package: str, most: int) -> None:
    assert len(list((ROOT / package).glob("*.py"))) <= most


@pytest.mark.parametrize(("module", "own", "source"), [
    ("generative.surface", "generative", "import codegen.kernel"), ("generative.surface", "generative", "from codegen import compile"),
    ("generative.motion", "generative", "import numpy as np"), ("generative.motion", "generative", "from collide import solve"),
    ("codegen.graph.expr", "codegen.graph", "import sympy"), ("codegen.emit.lower", "codegen.emit", "def f():\n    from sympy import sin"),
    ("codegen.emit.elementary.power", "codegen.emit.elementary", "from llvmlite import binding"),
    ("codegen.graph.expr", "codegen.graph", "import generative"),
    ("collide.search.native.loop", "collide.search.native", "import models.scenes"),
    ("collide.answers.contacts", "collide.answers", "import plotly.graph_objects as go"),
    ("collide.search.native.loop", "collide.search.native", "from llvmlite import ir"), ("models.shapes", "models", "import collide"),
    ("models.shapes.basic", "models.shapes", "from codegen.functions import Chebyshev"), ("codegen.kernel", "codegen", "import numbax"),
])  # fmt: skip
def test_a_forbidden_import_is_noticed(module: str, own: str, source: str) -> None:
    assert len(violations(module, own, source)) == 1


def test_relative_imports_are_resolved() -> None:
    assert list(imported("from . import a\nfrom ..b import c\nfrom .d import e", "p.q")) == ["p.q.a", "p.b.c", "p.q.d.e"]
