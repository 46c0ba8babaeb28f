"""Every notebook runs from top to bottom in a Jupyter kernel, is kept without outputs, tells its story in prose, and ends in a check."""

import html
import tempfile
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from traitlets.config import Config

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))
FIGURE = "application/vnd.plotly.v1+json"


def read(path):
    return nbformat.read(path, as_version=4)


def code(book):
    return [c for c in book.cells if c.cell_type == "code"]


def test_the_notebooks_are_there():
    assert len(NOTEBOOKS) == 18


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_is_clean(path):
    book = read(path)
    nbformat.validate(book)
    assert all(not c.outputs and c.execution_count is None for c in code(book))
    assert book.cells[0].source.startswith("# ") and "assert " in code(book)[-1].source


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_runs_in_a_kernel(path, monkeypatch, tmp_path):
    """As a user runs it, unattended and in under a minute, with no word on the error stream, where warnings go."""
    if "urdf" in path.stem:
        pytest.importorskip("yourdfpy")
    if "step" in path.stem:
        pytest.importorskip("OCP")
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    with tempfile.TemporaryDirectory() as sockets:
        # Sockets of files, not of the network, in a folder of their own: kernels of tests that run at the same time would share others.
        config = Config({"KernelManager": {"transport": "ipc", "ip": f"{sockets}/kernel"}})
        book = NotebookClient(read(path), timeout=300, kernel_name="python3", config=config).execute()
    outputs = [output for c in code(book) for output in c.outputs]
    assert all(c.execution_count for c in code(book)) and outputs
    assert not [output.text for output in outputs if output.get("name") == "stderr"]
    for output in outputs:  # a chart comes in the form that JupyterLab and VS Code draw, a scene as a page in a frame
        for figure in [output.data[FIGURE]] if FIGURE in output.get("data", {}) else []:
            assert figure["data"] and figure["layout"]["scene" if any(d["type"] == "mesh3d" for d in figure["data"]) else "xaxis"]
        shown = html.unescape(output.get("data", {}).get("text/html", ""))
        assert "<iframe" not in shown or ('class="data">{"shapes":' in shown and "http" not in shown)
