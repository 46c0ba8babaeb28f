"""Assembles the pages of the documentation in build/pages: written pages, executed notebooks, the gallery, scenes, and the reference.

Notebooks are executed in this process, cell by cell, and their printed text, figures and small pictures become part of the page.
Reference pages name the modules; mkdocstrings fills them from the docstrings.
"""

import ast
import contextlib
import html
import io
import json
import pkgutil
import shutil
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import gallery
from plotly.offline import get_plotlyjs

HERE = Path(__file__).parent
PAGES = HERE.parent / "build" / "pages"
PACKAGES = ("generative", "codegen", "collide", "models")
INNER = {"codegen.emit.lanes", "codegen.machine.native", "codegen.emit.lower", "codegen.machine.loops", "collide.__main__"}
"""Modules that only a reader of the source needs."""

FOR_USERS: dict[str, list[str]] = {
    "codegen.functions": [], "codegen.operators": [], "collide.answers.batch": ["Batch"], "collide.picture": [],
    "collide.picture.search": ["search_figure"], "generative.fit": [], "generative.mesh": [],
}  # fmt: skip

def write(name: str, text: str) -> None:
    target = PAGES / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


def rich(value: Any) -> str:
    """A value as the notebook would show it, as HTML."""
    if type(value).__module__.startswith("plotly"):
        return f'<div>{value.to_html(full_html=False, include_plotlyjs=False, auto_play=False, config={"displaylogo": False})}</div>'
    if hasattr(value, "_repr_html_"):
        return str(value._repr_html_())
    if hasattr(value, "_repr_latex_"):
        return f"<p>{value._repr_latex_()}</p>"
    return "" if value is None else f"<pre>{html.escape(repr(value))}</pre>"


def run(source: str, space: dict[str, Any]) -> str:
    """Execute a cell; what it printed and its last value, as HTML."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, shown = io.StringIO(), ""
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), space)
        if last is not None:
            shown = rich(eval(compile(ast.Expression(last.value), "<cell>", "eval"), space))
    text = printed.getvalue().strip()
    return (f"<pre>{html.escape(text)}</pre>\n\n" if text else "") + shown


def notebook(path: Path) -> str:
    """The page of a notebook."""
    space: dict[str, Any] = {"__name__": "notebook"}
    parts = ['<script src="../../plotly.min.js"></script><style>pre{white-space:pre-wrap}</style>']
    for c in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(c["source"])
        parts.append(source if c["cell_type"] == "markdown" else f"```python\n{source}\n```\n\n{run(source, space)}")
    return "\n\n".join([*parts[1:2], parts[0], *parts[2:]]) + "\n"


def modules(package: str) -> list[str]:
    root = import_module(package)
    names = [m.name for m in pkgutil.walk_packages(root.__path__, f"{package}.")]
    return [package, *(n for n in names if n not in INNER and not n.startswith(("codegen.emit.elementary", "codegen.reference")))]


def public(package: str) -> list[str]:
    """The modules that define what the package exports, or that it exports themselves."""
    root = import_module(package)
    names = [getattr(root, name) for name in getattr(root, "__all__", [])]
    found = {value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", "") for value in names}
    return [m for m in modules(package) if m in found | FOR_USERS.keys()] or modules(package)[1:]


def entry(package: str, module: str) -> str:
    """What users meet of a module: of one that they do not import themselves, what the package exports of it."""
    root, itself = import_module(package), import_module(module)
    exported = {n: getattr(root, n) for n in getattr(root, "__all__", [])}
    ours = [n for n, value in exported.items() if getattr(value, "__module__", "") == module]
    members = FOR_USERS.get(module, [] if itself in exported.values() else ours)
    return f"::: {module}" + (f"\n    options:\n      members: {json.dumps(members)}" if members else "")


def reference(package: str) -> str:
    """What is for users; and, on a page of its own, the modules behind it."""
    first = f"::: {package}\n    options:\n      members: false"  # what it exports is described where it is defined
    return f"# {package}\n\n" + "\n\n".join([first, *(entry(package, name) for name in public(package))]) + "\n"


def inside(package: str) -> str | None:
    rest = [m for m in modules(package)[1:] if m not in public(package)]
    return f"# Inside {package}\n\n" + "\n\n".join(f"::: {name}" for name in rest) + "\n" if rest else None


def gallery_page() -> str:
    style = ("<style>.sheet{display:grid;grid-template-columns:repeat(auto-fill,160px);gap:8px}"
             ".sheet figure{margin:0;text-align:center}</style>")
    parts = [f'<h2>{title}</h2><div class="sheet">{"".join(cells)}</div>' for title, cells in gallery.sections().items()]
    return f"# Gallery\n\n{style}\n\n" + "\n\n".join(parts) + "\n"


def shapes_page() -> str:
    from models.shapes import SHAPES

    text = ("`models.shapes.SHAPES[NAME].make(...)` makes one, with the keyword parameters named here, and `.facts(...)` tells what is "
            "known of it; below, at the default sizes.")
    return f"# Shapes\n\n{text}\n\n" + "\n\n".join(s._repr_html_() for s in SHAPES.values()) + "\n"


def scenes_page() -> str:
    from models.scenes import SCENES

    rows = [f"| `{name}` | {s.title} | {s.known} | {s.source} |".replace("*", "\\*") for name, s in sorted(SCENES.items())]
    text = "Run one with `python -m collide NAME`; in Python, `models.scenes.SCENES[NAME]` holds its bodies, time span and options."
    return f"# Scenes\n\n{text}\n\n| name | what happens | known answer | source |\n|---|---|---|---|\n" + "\n".join(rows) + "\n"


def main() -> None:
    shutil.rmtree(PAGES, ignore_errors=True)
    for page in sorted((HERE / "pages").glob("*.md")):
        write(page.name, page.read_text(encoding="utf-8"))
    if (HERE / "images").is_dir():
        shutil.copytree(HERE / "images", PAGES / "images")
    write("plotly.min.js", get_plotlyjs())
    write("gallery.md", gallery_page())
    write("shapes.md", shapes_page())
    write("scenes.md", scenes_page())
    for package in PACKAGES:
        write(f"reference/{package}.md", reference(package))
        if behind := inside(package):
            write(f"reference/inside-{package}.md", behind)
    for path in sorted((HERE.parent / "notebooks").glob("*.ipynb")):
        print(f"executing {path.name}", flush=True)
        write(f"notebooks/{path.stem}.md", notebook(path))


if __name__ == "__main__":
    main()
