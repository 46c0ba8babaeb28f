"""Data flows right: what each package, and each module with a job of its own, may import.

The import statements are read, wherever they stand in a module, so an import inside a function counts too.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ["generative", "codegen", "collide", "models"]

# Outside the standard library, a module may import its own package and these; `only` names modules that may import more.
ALLOWED: dict[str, set[str]] = {
    "generative": {"sympy", "codegen.functions", "codegen.operators"},
    "codegen": {"numpy"},
    "collide": {"numpy", "sympy", "codegen", "generative"},
    "models": {"sympy", "generative"},
}
ONLY: dict[str, set[str]] = {
    "generative.numeric": {"numpy"},
    "generative.sampled": {"numpy"},
    "generative.mesh": {"numpy", "scipy", "trimesh"},
    "generative.marching": {"numpy"},
    "generative.thumbnail": {"numpy"},
    "generative.fit": {"numpy", "scipy", "trimesh"},
    "codegen.from_sympy": {"sympy"},
    "codegen.sympy_rules": {"sympy"},
    "codegen.functions": {"sympy"},
    "codegen.operators": {"sympy", "mpmath"},
    "codegen.machine.native": {"llvmlite"},
    # The reference interpreter, on arbitrary-precision numbers.
    "codegen.reference": {"mpmath"},
    "collide.picture": {"plotly"},
    "collide.picture.parts": {"plotly"},
    "collide.picture.search": {"plotly"},
    "collide.search.progress": {"tqdm"},
    "collide.__main__": {"models"},
    "models.operators": {"numpy"},
}


def modules(package: str) -> Iterator[tuple[str, str, str]]:
    """Name, own package and source of every module."""
    for path in sorted((ROOT / package).rglob("*.py")):
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
    allowed = {package} | ALLOWED[package] | ONLY.get(module, set())
    return [f"{module} imports {name}" for name in imported(source, own) if not permitted(name, allowed)]


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_point_one_way(package: str) -> None:
    found = list(modules(package))
    assert found, f"no modules in {package}"
    assert [v for module in found for v in violations(*module)] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_modules_do_not_import_in_circles(package: str) -> None:
    """Imports at the top of modules; one inside a function is delayed on purpose."""
    top: dict[str, set[str]] = {}
    found = list(modules(package))
    names = {module for module, _, _ in found}
    for module, own, source in found:
        tree = ast.parse(source)
        tree.body = [n for n in tree.body if isinstance(n, (ast.Import, ast.ImportFrom))]
        targets = {part for name in imported(ast.unparse(tree), own) for part in (name, name.rpartition(".")[0])}
        top[module] = (targets & names) - {module, package}
    done: set[str] = set()
    while len(done) < len(top):
        free = {m for m, needs in top.items() if m not in done and needs <= done}
        assert free, f"these import each other: {sorted(set(top) - done)}"
        done |= free


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
