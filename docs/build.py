"""Assembles the pages of the documentation in build/pages: written pages, executed notebooks, the gallery, scenes, shapes, the reference.

Notebooks are executed in this process, cell by cell, and their printed text, figures and small pictures become part of the page;
with `--fast` they are not, and only their text and code are there. A knob (ipywidgets) is turned to each of its values.
"""

import ast
import contextlib
import html
import io
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cards
import gallery
import ipywidgets
import reference
from plotly.offline import get_plotlyjs

HERE = Path(__file__).parent
PAGES = HERE.parent / "build" / "pages"


def write(name: str, text: str) -> None:
    target = PAGES / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


# A knob without a kernel: what each of its values shows is in the page, and only what is chosen is alive.
KNOB = """<div class="knob"><label>{name} <input type="range" min="0" max="{last}" value="{now}"> <output></output></label>
<div class="shown"></div>{states}<script>(() => {{
const box = document.currentScript.parentElement, states = box.querySelectorAll("template"), knob = box.querySelector("input");
const turn = () => {{ const state = states[knob.value]; box.querySelector("output").textContent = state.title;
  box.querySelector(".shown").replaceChildren(state.content.cloneNode(true)); }};
knob.onchange = turn; turn();
}})();</script></div>
"""


def turned(widget: Any) -> str:
    """What an `ipywidgets.interactive` of one slider with listed values shows, whichever of them is chosen."""
    (slider,) = widget.kwargs_widgets
    shown = [captured(lambda value=value: widget.f(**{slider._kwarg: value})) for value in slider.options]
    states = "".join(f'<template title="{html.escape(str(value))}">{text}</template>'
                     for value, text in zip(slider.options, shown, strict=True))
    return KNOB.format(name=html.escape(slider.description), last=len(shown) - 1, now=slider.options.index(slider.value), states=states)


def rich(value: Any) -> str:
    """A value as the notebook would show it, as HTML."""
    if hasattr(value, "kwargs_widgets"):
        return turned(value)
    if type(value).__module__.startswith("plotly"):
        return f'<div>{value.to_html(full_html=False, include_plotlyjs=False, auto_play=False, config={"displayModeBar": False})}</div>'
    if hasattr(value, "_repr_html_"):
        return str(value._repr_html_())
    if hasattr(value, "_repr_latex_"):
        return f'<div class="arithmatex">\\[{html.escape(value._repr_latex_().strip("$"))}\\]</div>'
    return "" if value is None else f'<pre class="printed">{html.escape(repr(value))}</pre>'


def run(source: str, space: dict[str, Any]) -> str:
    """Execute a cell; what it printed and its last value, as HTML."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None

    def executed() -> Any:
        exec(compile(tree, "<cell>", "exec"), space)
        return None if last is None else eval(compile(ast.Expression(last.value), "<cell>", "eval"), space)

    return captured(executed)


def captured(call: Callable[[], Any]) -> str:
    """What a call prints, and its value, as HTML."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        value = call()
    text = printed.getvalue().strip()
    return (f'<pre class="printed">{html.escape(text)}</pre>\n\n' if text else "") + rich(value)


def notebook(path: Path, execute: bool = True) -> str:
    """The page of a notebook."""
    space: dict[str, Any] = {"__name__": "notebook"}
    parts = ['<script src="../plotly.min.js"></script>']
    for c in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(c["source"])
        parts.append(source.replace(".ipynb)", ".md)") if c["cell_type"] == "markdown" else
                     f"```python\n{source}\n```\n\n{run(source, space) if execute else ''}")
    return "\n\n".join([*parts[1:2], parts[0], *parts[2:]]) + "\n"


def gallery_page() -> str:
    parts = [f'## {title}\n\n<div class="sheet">{"".join(cells)}</div>' for title, cells in gallery.sections(shapes=False).items()]
    return "# Gallery\n\n" + "\n\n".join(parts) + "\n"


def main(execute: bool = True) -> None:
    ipywidgets.interactive.update = lambda *_: None  # `turned` calls what a knob calls
    shutil.rmtree(PAGES, ignore_errors=True)
    for page in [*(HERE / "pages").glob("*.md"), *(HERE / "pages").glob("*.css")]:
        write(page.name, page.read_text(encoding="utf-8"))
    shutil.copytree(HERE / "images", PAGES / "images")
    write("plotly.min.js", get_plotlyjs())
    write("gallery.md", gallery_page())
    for name, text in {**cards.scene_pages(), **cards.shape_pages()}.items():
        write(name, text)
    for package in reference.PACKAGES:
        write(f"reference/{package}.md", reference.page(package))
        if package != "models":  # whose modules hold shapes and scenes, which have pages of their own
            write(f"reference/inside-{package}.md", reference.inside(package))
    for path in sorted((HERE.parent / "notebooks").glob("*.ipynb")):
        print(f"{'executing' if execute else 'copying'} {path.name}", flush=True)
        write(f"notebooks/{path.stem}.md", notebook(path, execute))


if __name__ == "__main__":
    main(execute="--fast" not in sys.argv[1:])
