"""Pages that play a drawing in a browser, without anything from the net: its data, and the program `viewer.js` (WebGL 2).

Drag turns, shift and drag moves, the wheel or two fingers zoom, a double click brings the first view back.
"""

import html
import json
from collections.abc import Collection, Sequence
from importlib.resources import files
from typing import Any

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


def scene(data: dict[str, Any], names: Sequence[str], *, shown: str = "", glass: bool = False, chart: str = "", height: int = 560,
          grey: Collection[int] = ()) -> str:
    """The element that `viewer.js` brings to life. `shown` tells which part of the time it shows, `glass` starts it transparent, `grey` are
    bodies without a colour of their own.
    """
    speeds = "".join(f'<option value="{s}"{" selected" * (s == 1)}>{s:g} ×</option>' for s in _SPEEDS)
    views = "".join(f'<button data-look="{direction}">{name}</button>' for name, direction in _VIEWS.items())
    text = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("</", "<\\/")
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
    """What brings all scenes before it to life."""
    return f"<script>{files(__package__).joinpath('viewer.js').read_text(encoding='utf-8')}</script>"


def style() -> str:
    return files(__package__).joinpath("viewer.css").read_text(encoding="utf-8")


def page(title: str, sections: Sequence[str], heading: str = "") -> str:
    """A self-contained page."""
    return PAGE.format(title=html.escape(title), font=FONT, style=style(), heading=heading, sections="\n".join(sections), program=program())
