"""Scenes and shapes: a grid of pictures, and for each a page with its live picture, what is said and known of it, and its code."""

import html
import inspect
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import sympy as sp

import collide
from collide.picture.scenes import scene_of
from collide.picture.viewer import alone
from generative.thumbnail import thumbnail
from models.scenes import SCENES, Scene
from models.shapes import SHAPES, Shape

Pages = dict[str, str]

WIDE = "---\nhide: [toc]\n---\n"
BUDGET, LONGEST = 60.0, 600
"""Seconds for the answer of a scene; characters of a formula above which a page does not print it."""


def live(title: str, subject: Any, **options: Any) -> str:
    """A page that only plays, to stand in a frame of another, which it fills."""
    return alone(title, scene_of(subject, **options))


def frame(name: str, title: str, up: str = "") -> str:
    return f'<iframe class="live" src="{up}live/{name}.html" title="{html.escape(title)}"></iframe>'


def card(folder: str, name: str, picture: str, text: str) -> str:
    return f'<a class="card" href="{folder}/{name}.html">{picture}<b>{name}</b><span>{html.escape(text)}</span></a>'


def grid(cards: Sequence[str]) -> str:
    return f'<div class="cards">{"".join(cards)}</div>'


def source(function: Any) -> str:
    """A function, and where it stands."""
    function = inspect.unwrap(function)
    path = Path(*Path(inspect.getsourcefile(function) or "").parts[-3:])
    code = textwrap.dedent(inspect.getsource(function))
    return f"From `{path}`:\n\n```python\n{code}```\n"


def formulas(bodies: Sequence[Any]) -> str:
    """Those that are short enough to be read."""
    written = [(getattr(b, "name", "") or f"body {k}", b._repr_latex_()) for k, b in enumerate(bodies) if hasattr(b, "_repr_latex_")]
    return "\n\n".join(f"{name}\n\n{latex.replace('$', '$$')}" for name, latex in written if len(latex) < LONGEST)


def answer(scene: Scene) -> Any:
    options: Any = {"budget": BUDGET, **scene.options}
    if len(scene.bodies) == 1:
        return collide.self_contact(scene.bodies[0], time=scene.time, **options)
    return collide.first_contact(scene.bodies, time=scene.time, **options)


def asked(scene: Scene) -> str:
    """The call of `answer`, as a user writes it."""
    query, bodies = ("self_contact", "scene.bodies[0]") if len(scene.bodies) == 1 else ("first_contact", "scene.bodies")
    return (f'import collide\nfrom models.scenes import SCENES\n\nscene = SCENES["{scene.name}"]\n'
            f"contacts = collide.{query}({bodies}, time=scene.time, **scene.options)\n"
            f'print(contacts.summary())\ncontacts.save_html("{scene.name}.html")')


def scene_pages() -> Pages:
    """Every scene is answered."""
    pages, cards = {}, []
    for name, scene in sorted(SCENES.items()):
        found = answer(scene)
        moment = scene.time[1] if found.time is None else found.time.lo
        cards.append(card("scenes", name, thumbnail([b.at(moment) for b in scene.bodies], size=240), scene.title))
        pages[f"live/{name}.html"] = live(scene.title, found, play=True)
        shown = formulas(scene.bodies)
        pages[f"scenes/{name}.md"] = "\n\n".join([
            f"# {scene.title}", frame(name, scene.title, "../"), "## What is proved", found.summary(),
            f"**Known:** {escaped(str(scene.known))}. **Source:** {escaped(scene.source)}.",
            "## The question", f"```python\n{asked(scene)}\n```", f"Or `collide {name}` on the command line.", "## The bodies",
            source(scene.build), *([f"As formulas:\n\n{shown}"] if shown else []), "[All scenes](../scenes.md)"]) + "\n"
    words = ("Collision problems with known answers. Each page plays its scene, says what was proved, and holds the code. "
             "`collide NAME` runs one.")
    return {"scenes.md": f"{WIDE}# Scenes\n\n{words}\n\n{grid(cards)}\n", **pages}


def shape_pages() -> Pages:
    pages, cards = {}, []
    for name, shape in SHAPES.items():
        body = shape.make().named(name)
        cards.append(card("shapes", name, thumbnail([body], size=240), sentence(shape.text)))
        pages[f"live/{name}.html"] = live(name, [body])
        shown = formulas([body])
        pages[f"shapes/{name}.md"] = "\n\n".join([
            f"# {name.replace('_', ' ')}", frame(name, name, "../"), marked(shape.text), known(shape),
            f"**Source:** {escaped(shape.source)}.", "## To make it", f"```python\n{making(shape)}\n```",
            *([shown.partition("\n\n")[2]] if shown else []), source(shape.make), "[All shapes](../shapes.md)"]) + "\n"
    words = ("Each page holds its live picture, its formula, what is known of it, and the code. `models.shapes.SHAPES[NAME].make(...)` "
             "makes one, `.facts(...)` tells what is known of it. Pictures are at the default sizes.")
    return {"shapes.md": f"{WIDE}# Shapes\n\n{words}\n\n{grid(cards)}\n", **pages}


def making(shape: Shape) -> str:
    """The call that makes one, with the parameters at their defaults."""
    given = ", ".join(f"{name}={_exact(p.default)}" for name, p in inspect.signature(shape.make).parameters.items())
    imports = ["import sympy as sp"] * ("sp." in given) + ["from models.shapes import SHAPES"]
    return "\n".join([*imports, "", f'body = SHAPES["{shape.name}"].make({given})'])


def _exact(value: Any) -> str:
    """A number as Python reads it without rounding."""
    return re.sub(r"(\d+)/(\d+)", r"sp.Rational(\1, \2)", re.sub(r"\bpi\b", "sp.pi", str(value)))


def known(shape: Shape) -> str:
    rows = [f"| {name.replace('_', ' ')} | $\\displaystyle {sp.latex(value)}$ |" for name, value in shape.facts().items()]
    rows += [f"| symmetry | {shape.symmetry} |"] * bool(shape.symmetry)
    return "\n".join(["| known | |", "|---|---|", *rows]) if rows else ""


def sentence(text: str) -> str:
    return re.split(r"[.:;] ", " ".join(text.split()))[0].replace("`", "").rstrip(".")


def escaped(text: str) -> str:
    return re.sub(r"([*_\\<])", r"\\\1", text).rstrip(".")


def marked(text: str) -> str:
    """Its words, with what is in backticks as code, and `*` and `_` outside of these as they are."""
    return "".join(part if k % 2 else re.sub(r"([*_\\<])", r"\\\1", part) for k, part in enumerate(re.split("(`[^`]*`)", text)))
