"""Pages that play a drawing in a browser, without anything from the net: its data, and the program `viewer.js` (WebGL 2).

Drag turns, shift and drag moves, the wheel or two fingers zoom, a double click brings the first view back.
"""

import html
import json
import sys
import tempfile
import webbrowser
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any

from ..files import write_text
from .drawing import COLOURS, GREY

FONT = "Inter, 'Helvetica Neue', Helvetica, Arial, sans-serif"
# Bodies up to which each has a switch of its own.
_SWITCHES = 40
_SPEEDS = (0.1, 0.25, 0.5, 1, 2, 4)
_VIEWS = {"3-D": "0.56 -0.72 0.45", "front": "0 -1 0", "side": "1 0 0", "top": "0 -0.0001 1"}

SCENE = """<div class="scene" style="--height:{height}px"><div class="stage"><canvas class="view"></canvas><canvas class="words"></canvas>
<div class="tip" hidden></div></div>
<div class="row playing"><button class="play" title="Play">▶</button><span class="clock"></span>
<input class="time" type="range" step="any" aria-label="time"><select class="speed" aria-label="speed">{speeds}</select>
<label><input type="checkbox" class="loop" checked>loop</label></div>
<div class="row"><span class="views">{views}</span><label><input type="checkbox" class="glass"{glass}>see through</label>
<label><input type="checkbox" class="axes">axes</label><span class="part">{shown}</span></div>
{legend}{chart}<script type="application/json" class="data">{data}</script></div>
"""

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ margin: 0 auto; padding: 1rem clamp(.5rem, 3vw, 1.25rem) 2rem; max-width: 72rem; font: 16px/1.6 {font}; color: #1f2933; }}
h1 {{ font-size: 1.6rem; font-weight: 650; margin: .5rem 0 0; }}
h2 {{ font-size: 1.2rem; font-weight: 600; margin: 1.2rem 0 .3rem; }}
p {{ margin: 0 0 .8rem; color: #47535f; overflow-wrap: anywhere; }}
{style}</style></head>
<body>{heading}
{sections}
{program}
</body></html>
"""

ALONE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>
<style>{style}
html, body {{ height: 100%; margin: 0; }}
.scene {{ height: 100%; box-sizing: border-box; display: flex; flex-direction: column; }}
.scene .stage {{ flex: 1; height: auto; min-height: 0; }}
{more}</style></head><body>{scene}{program}</body></html>
"""


@dataclass(frozen=True)
class Figure:
    """A scene that plays: in a notebook as the last value of a cell, in JupyterLab, VS Code and pages made of notebooks, without plotly and
    without anything from the net. `page` is the page that it is, `height` its height in a notebook, in pixels.
    """

    page: str = field(repr=False)
    height: int = 620

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.page)}" title="scene" loading="lazy" '
                f'style="display:block;width:100%;height:{self.height}px;border:0"></iframe>')

    def show(self) -> None:
        """Below the cell of a notebook, and elsewhere in a browser."""
        ipython = sys.modules.get("IPython")
        if ipython is not None and getattr(ipython.get_ipython(), "kernel", None) is not None:
            ipython.display.display(self)
            return
        with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False, encoding="utf-8") as file:
            file.write(self.page)
        webbrowser.open(Path(file.name).as_uri())

    def save_html(self, path: str | PathLike[str]) -> None:
        """Write the page, which needs no other file."""
        write_text(path, self.page)


def scene(data: dict[str, Any], names: Sequence[str], *, shown: str = "", glass: bool = False, chart: str = "", height: int = 560,
          grey: Collection[int] = ()) -> str:
    """The element that `viewer.js` brings to life. `shown` tells which part of the time it shows, `glass` starts it transparent, `grey` are
    bodies without a colour of their own.
    """
    speeds = "".join(f'<option value="{s}"{" selected" * (s == 1)}>{s:g} ×</option>' for s in _SPEEDS)
    views = "".join(f'<button data-look="{direction}">{name}</button>' for name, direction in _VIEWS.items())
    text = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return SCENE.format(height=height, speeds=speeds, views=views, glass=" checked" * glass, shown=html.escape(shown),
                        legend=_legend(names, grey), chart=chart, data=text)


def _legend(names: Sequence[str], grey: Collection[int]) -> str:
    """A switch for each body, in its colour."""
    if len(names) > _SWITCHES:
        return f'<div class="row part">{len(names)} bodies</div>'
    colours = [GREY if k in grey else COLOURS[k % len(COLOURS)] for k in range(len(names))]
    switches = [f'<label><input type="checkbox" data-body="{k}" checked><span class="swatch" style="background:{colours[k]}"></span>'
                f"{html.escape(name, quote=False)}</label>" for k, name in enumerate(names) if name]
    return f'<div class="row legend">{"".join(switches)}</div>'


def program() -> str:
    """The script that brings all scenes before it to life."""
    return f"<script>{files(__package__).joinpath('viewer.js').read_text(encoding='utf-8')}</script>"


def style() -> str:
    return files(__package__).joinpath("viewer.css").read_text(encoding="utf-8")


def page(title: str, sections: Sequence[str], heading: str = "") -> str:
    """A self-contained page."""
    return PAGE.format(title=html.escape(title), font=FONT, style=style(), heading=heading, sections="\n".join(sections), program=program())


def alone(title: str, scene: str, more: str = "") -> str:
    """A self-contained page that only plays, and which it fills; `more` are rules of style."""
    return ALONE.format(title=html.escape(title), style=style(), scene=scene, program=program(), more=more)
