"""Pages of the documentation: their code runs as printed, block after block; what is written for them from the packages is complete."""

import ast
import importlib
import inspect
import re
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

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


def test_the_code_of_the_page_on_simulation_runs():
    space = {}
    for source in re.findall(r"```python\n(.*?)```", (ROOT / "docs/pages/simulation.md").read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(source, "simulation.md", "exec"), space)
    assert abs(space["first"].time[0] - 0.4) < 1e-12 and abs(space["rising"].state(2.0).velocities[1][2] - 4.0) < 1e-12


def test_the_code_of_the_page_on_mechanisms_runs():
    space = {}
    for source in re.findall(r"```python\n(.*?)```", (ROOT / "docs/pages/mechanisms.md").read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(source, "mechanisms.md", "exec"), space)
    angle = np.arccos((1 + 3.75**2 - 9) / 7.5)
    assert abs(space["contacts"].time.lo - (2 * np.pi - angle - 2)) < 1e-9 and abs(space["lift"].lo - np.arcsin(5 / 8)) < 1e-12
    assert space["lower"].value.lo <= np.arccos(-1 / 56) + 1e-15 and abs(space["upper"].value.lo - np.arccos(-49 / 56)) < 1e-12
    assert abs(space["travel"].free.lo - angle) < 1e-9 and abs(space["travel"].free.hi - 2 * np.pi + angle) < 1e-9
    assert space["relations"].worst[2, 3] is space["collide"].ClashKind.INTERFERE


def test_modules_that_pages_name_are_there():
    """Paths as written in backticks, such as `collide/search/native`."""
    for page in ["README.md", *(f"docs/pages/{p.name}" for p in (ROOT / "docs/pages").glob("*.md"))]:
        named = re.findall(r"`((?:codegen|collide|generative|models|tests)/[\w/.]+)`", (ROOT / page).read_text(encoding="utf-8"))
        assert [path for path in named if not (ROOT / path).exists()] == [], page


@pytest.fixture
def docs(monkeypatch):
    """The programs that make the pages of the documentation, by name."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    return importlib.import_module


def test_the_reference_lists_every_public_name_once(docs):
    reference = docs("reference")
    for package in reference.PACKAGES:
        found = reference.names(package)
        exported = getattr(importlib.import_module(package), "__all__", [])
        assert len(set(found)) == len(found)
        assert [n for n in exported if n not in found and not any(f.startswith(f"{n}.") for f in found)] == []
        page = reference.page(package)
        for name in set(found) - reference.VALUES.keys():
            assert inspect.getdoc(reference.value(package, name)), name
            assert f"\n::: {reference.path(package, name)}\n" in page


def test_examples_of_docstrings_are_blocks_of_code(docs):
    pytest.importorskip("griffe")
    fenced = docs("examples").fenced
    text = "Of 2*x.\n\n>>> 2 * x * y\n2*x*y\n>>> x > 1\nx > 1\n\nMore."
    assert re.sub("\n+", "\n", fenced(text)) == "Of 2*x.\n```pycon\n>>> 2 * x * y\n2*x*y\n>>> x > 1\nx > 1\n```\nMore."
    for package in docs("reference").PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            source = path.read_text(encoding="utf-8")
            for node in ast.walk(ast.parse(source)) if ">>>" in source else []:
                text = isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module)) and ast.get_docstring(node)
                outside = re.sub(r"```pycon\n.*?\n```", "", fenced(text or ""), flags=re.DOTALL)
                assert ">>>" not in outside, f"{path}: {outside}"


def test_formulas_need_nothing_from_the_net(docs):
    pytest.importorskip("latex2mathml")
    latex = r"a &lt; \left[\begin{matrix}x^{2}\\1\end{matrix}\right]"
    page = docs("formulas").on_page_content(rf'<p><span class="arithmatex">\({latex}\)</span></p>')
    told = re.sub("<[^>]*>", "", docs("formulas").drawn(r"s \sin{\left(t \right)} \cos^{2} t").replace("<mspace", " <"))
    assert re.sub("&#x0002[89];", "|", told) == "s sin|t| cos2 t"
    assert "<math" in page and "<mtable>" in page and "<msup>" in page and "\\" not in page and "[" not in page
    told = (ROOT / "docs" / "mkdocs.yml").read_text(encoding="utf-8")
    assert "http" not in told and "font: false" in told


def test_the_code_on_pages_of_shapes_and_scenes_runs(docs):
    cards = docs("cards")
    for shape in cards.SHAPES.values():
        call = ast.parse(cards.making(shape)).body[-1].value
        given = {k.arg: eval(ast.unparse(k.value), {"sp": sp}) for k in call.keywords}
        assert given == {name: p.default for name, p in inspect.signature(shape.make).parameters.items()}, shape.name
    for scene in cards.SCENES.values():
        compile(cards.asked(scene), scene.name, "exec")
        assert f"def {scene.name.replace('-', '_')}(" in cards.source(scene.build)


def test_the_page_of_a_scene_plays_it_and_says_what_is_proved(docs, tmp_path, monkeypatch):
    cards = docs("cards")
    monkeypatch.setattr(cards, "SCENES", {"tori-crossed": cards.SCENES["tori-crossed"]})
    pages = cards.scene_pages()
    assert set(pages) == {"scenes.md", "scenes/tori-crossed.md", "live/tori-crossed.html"}
    assert 'href="scenes/tori-crossed.html"' in pages["scenes.md"] and "data:image/png" in pages["scenes.md"]
    page = pages["scenes/tori-crossed.md"]
    assert "each proved to be a unique isolated contact" in page and 'src="../live/tori-crossed.html"' in page
    assert not re.search(r"""(?:src|href)=["']?https?:""", pages["live/tori-crossed.html"])
    monkeypatch.chdir(tmp_path)
    space = {}
    exec(cards.asked(cards.SCENES["tori-crossed"]), space)
    assert space["contacts"].proved.all() and (tmp_path / "tori-crossed.html").is_file()


@pytest.mark.parametrize("page", sorted(p.name for p in (ROOT / "docs/pages").glob("*.md")))
def test_frames_of_written_pages_show_pages_that_are_made(page, docs):
    cards = docs("cards")
    shown = re.findall(r'src="live/([\w-]+)\.html"', (ROOT / "docs/pages" / page).read_text(encoding="utf-8"))
    assert set(shown) <= cards.SCENES.keys() | cards.SHAPES.keys() and (shown or page != "index.md")
