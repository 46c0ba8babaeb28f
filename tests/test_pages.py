"""The code in the README and on the first page of the documentation runs as printed, block after block."""

import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
MEETING = 3 - np.sqrt(39) / 5


@pytest.mark.parametrize("page", ["README.md", "docs/pages/index.md"])
def test_the_code_of_a_page_runs_as_printed(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    space = {}
    for source in re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(source, page, "exec"), space)
    contacts = space["contacts"]
    assert contacts.proved.tolist() == [True, True] and contacts.time.lo <= MEETING + 1e-15 and contacts.time.hi >= MEETING - 1e-15
    printed = capsys.readouterr().out
    assert "2 points, each proved" in printed and len(list(tmp_path.glob("*.html"))) == 1
    if page == "README.md":
        # The ball of radius 1 falls from 3 as t^2.
        assert "First contact at t = 1.4142135624" in printed
        worst, zeros = space["worst"], space["zeros"]
        assert abs(worst.time.lo - (np.pi / 2 - np.arcsin(0.25))) < 1e-12 and worst.parameters[0][space["radius"]].lo == 0.5
        assert space["clear"].verdict is True and zeros.unique.all() and len(zeros) == 2


def test_the_code_of_the_page_on_speed_runs():
    space = {}
    for source in re.findall(r"```python\n(.*?)```", (ROOT / "docs/pages/speed.md").read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(source, "speed.md", "exec"), space)
    assert space["answer"].proved.any() and len(space["answer"]) == 300 and len(space["spells"].of(0, 1)) > 8


def test_the_code_of_the_page_on_the_inside_runs(capsys):
    (source,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/pages/inside.md").read_text(encoding="utf-8"), re.DOTALL)
    space = {}
    exec(compile(source, "inside.md", "exec"), space)
    assert "2 points, each proved" in capsys.readouterr().out and np.diff(space["trace"].bracket[-1]) < 1e-9


def test_the_code_of_the_page_on_paving_runs(capsys):
    space = {}
    for source in re.findall(r"```python\n(.*?)```", (ROOT / "docs/pages/paving.md").read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(source, "paving.md", "exec"), space)
    assert np.isnan(space["lo"][1]).all() and space["ring"].volume.contains(3 * np.pi) and space["curve"].exists.mean() > 0.9


def test_modules_that_pages_name_are_there():
    """Paths as written in backticks, such as `collide/search/native`."""
    for page in ["README.md", *(f"docs/pages/{p.name}" for p in (ROOT / "docs/pages").glob("*.md"))]:
        named = re.findall(r"`((?:codegen|collide|generative|models|tests)/[\w/.]+)`", (ROOT / page).read_text(encoding="utf-8"))
        assert [path for path in named if not (ROOT / path).exists()] == [], page
