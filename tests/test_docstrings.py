"""Docstrings are Markdown: what looks like a reference link there, as ``a[i][j]`` does outside of backticks, breaks `make docs`."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def docstrings(tree):
    """Those of modules, classes and functions, and the strings that stand after an assignment."""
    return [n.value.value for n in ast.walk(tree) if isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)
            and isinstance(n.value.value, str)]


def test_no_docstring_holds_an_unmeant_link():
    for package in ("generative", "codegen", "collide", "models"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for text in docstrings(ast.parse(path.read_text(encoding="utf-8"))):
                plain = re.sub(r"``.*?``|`.*?`", "", re.sub(r"(?m)^\s*(>>>|\.\.\.).*$", "", text), flags=re.DOTALL)
                assert not (found := re.search(r"\]\[\w+\]", plain)), f"{path.relative_to(ROOT)}: {found[0]} outside of backticks"
