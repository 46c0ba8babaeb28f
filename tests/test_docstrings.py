"""Docstrings: their examples run as printed, and nothing in them looks like a link that is none."""

import ast
import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


PACKAGES = ("generative", "codegen", "collide", "models")


@pytest.mark.parametrize("package", PACKAGES)
def test_examples_run_as_printed(package):
    names = [package, *(m.name for m in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."))]
    results = {name: doctest.testmod(importlib.import_module(name)) for name in names if not name.endswith("__main__")}
    assert [name for name, r in results.items() if r.failed] == []
    assert sum(r.attempted for r in results.values()) or package == "models"


def docstrings(tree):
    """Those of modules, classes and functions, and the strings that stand after an assignment."""
    return [n.value.value for n in ast.walk(tree) if isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)
            and isinstance(n.value.value, str)]


def test_no_docstring_holds_an_unmeant_link():
    """They are Markdown: what looks like a reference link there, as ``a[i][j]`` does outside of backticks, breaks `make docs`."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            for text in docstrings(ast.parse(path.read_text(encoding="utf-8"))):
                plain = re.sub(r"``.*?``|`.*?`", "", re.sub(r"(?m)^\s*(>>>|\.\.\.).*$", "", text), flags=re.DOTALL)
                assert not (found := re.search(r"\]\[\w+\]", plain)), f"{path.relative_to(ROOT)}: {found[0]} outside of backticks"
