"""Every notebook runs from top to bottom, is kept without outputs, tells its story in prose, and ends in a check.

The code cells run in this process, in order, with the last expression of a cell displayed as Jupyter would (its rich form is made,
and thrown away).
"""

import ast
import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))
plotly = pytest.importorskip("plotly")


def cells(path, kind):
    return ["".join(c["source"]) for c in json.loads(path.read_text(encoding="utf-8"))["cells"] if c["cell_type"] == kind]


def display(value):
    """What a notebook would render, without a browser."""
    if type(value).__module__.startswith("plotly"):
        assert value.to_json()
    elif hasattr(value, "_repr_html_"):
        assert value._repr_html_()
    elif value is not None:
        assert repr(value)


def run(source, name, space):
    """Execute a cell; its last statement, if it is an expression, is displayed."""
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), space)
    if last is not None:
        display(eval(compile(ast.Expression(last.value), name, "eval"), space))


def test_the_notebooks_are_there():
    assert len(NOTEBOOKS) == 8


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_is_clean(path):
    book = json.loads(path.read_text(encoding="utf-8"))
    assert all(not c["outputs"] and c["execution_count"] is None for c in book["cells"] if c["cell_type"] == "code")
    assert cells(path, "markdown")[0].startswith("# ") and "assert " in cells(path, "code")[-1]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_runs(path, capsys):
    space = {"__name__": "notebook"}
    for k, source in enumerate(cells(path, "code")):
        run(source, f"{path.name}, cell {k}", space)
