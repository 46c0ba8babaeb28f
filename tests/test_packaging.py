"""Files about the project agree with each other."""

import re
import tomllib
from pathlib import Path
from typing import Any

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
            # `docs.build` puts the pages beside the folder of images.
            assert made or any((folder / link).exists() for folder in (page.parent, ROOT / "docs")), f"{page.name} links to {link}"


def test_every_written_page_is_in_the_navigation() -> None:
    told = (ROOT / "docs" / "mkdocs.yml").read_text(encoding="utf-8")
    assert [p.name for p in (ROOT / "docs" / "pages").glob("*.md") if f": {p.name}" not in told] == []


def canonical(requirement: str) -> str:
    """The name of the package that a requirement is of."""
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", requirement)[0].lower())  # type: ignore[index]


def required(project: dict[str, Any], extra: str) -> set[str]:
    """The packages of an extra, which may name others."""
    found = set[str]()
    for requirement in project["optional-dependencies"][extra]:
        own = re.fullmatch(rf"{project['name']}\[(.*)\]", requirement)
        found |= set.union(*(required(project, e) for e in own[1].split(","))) if own else {canonical(requirement)}
    return found


def test_the_lock_has_all_packages_with_the_digests_of_their_files() -> None:
    """So that pip checks each of them. It says nowhere where they are from."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project, lock = table["project"], (ROOT / "requirements.txt").read_text(encoding="utf-8")
    entries = re.findall(r"(?m)^(\S+)==\S+((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$", lock)
    assert len(entries) == len(re.findall(r"(?m)^[^\s#]", lock)) and "://" not in lock
    needed = set(map(canonical, (*project["dependencies"], *table["build-system"]["requires"])))
    for extra in ("tests", "pictures", "mesh", "urdf", "film", "executors", "proof"):
        needed |= required(project, extra)
    assert needed <= {canonical(name) for name, _ in entries}
