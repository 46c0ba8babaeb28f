"""Files about the project agree with each other."""

import re
import tomllib
from pathlib import Path

import collide

ROOT = Path(__file__).parents[1]


def test_the_version_is_the_same_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "collide.__version__"}
    assert re.search(r"(?m)^version: (.*)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"))[1] == collide.__version__  # type: ignore
    assert re.search(r"(?m)^## ([\d.]+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))[1] == collide.__version__  # type: ignore


def test_every_file_that_a_page_links_to_is_there() -> None:
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs" / "pages").glob("*.md")]:
        for link in re.findall(r"\]\(([^)#]+?)\)", page.read_text(encoding="utf-8")):
            made = link.startswith(("http", "reference/", "notebooks/")) or link in ("gallery.md", "scenes.md", "shapes.md")
            assert made or (page.parent / link).exists(), f"{page.name} links to {link}"


def test_every_written_page_is_in_the_navigation() -> None:
    told = (ROOT / "docs" / "mkdocs.yml").read_text(encoding="utf-8")
    assert [p.name for p in (ROOT / "docs" / "pages").glob("*.md") if f": {p.name}" not in told] == []
