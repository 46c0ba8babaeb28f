"""Docstrings: their examples run as printed, and nothing in them looks like a link that is none."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import collide

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


DESCRIBED = {name: thing for name, thing in vars(collide).items() if name in collide.__all__ and (
    inspect.isfunction(thing) or "Parameters\n---" in inspect.getdoc(thing))}


def sections(text):
    """The sections of a docstring in numpydoc form, by their headings."""
    parts = re.split(r"(?m)^(\w+)\n-+$", text)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("name", DESCRIBED)
def test_a_docstring_describes_all_parameters(name):
    found = sections(inspect.getdoc(DESCRIBED[name]))
    heads = [line.partition(" : ")[0] for line in found["Parameters"].splitlines() if line and not line.startswith(" ")]
    described = [word.strip().lstrip("*") for head in heads for word in head.split(",")]
    assert sorted(described) == sorted(inspect.signature(DESCRIBED[name]).parameters)


@pytest.mark.parametrize("name", [name for name, thing in DESCRIBED.items() if inspect.isfunction(thing)])
def test_a_docstring_says_what_comes_back_and_how_sure_it_is(name):
    found = sections(inspect.getdoc(DESCRIBED[name]))
    assert {"Returns", "Raises", "Notes", "Examples"} <= found.keys()
    assert name == "trace" or re.search(r"\*(proves|proved|encloses?|approximates?)\*|exact|guarantee", found["Notes"], re.IGNORECASE)
