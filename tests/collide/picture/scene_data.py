"""Data of the scene of a figure, read back from its page."""

import base64
import html
import json
import re
from typing import Any

import numpy as np

from collide.picture import Figure

MARK = ("ax", "ay", "az", "bx", "by", "bz", "width", "from", "to", "fading", "red", "green", "blue",
        "ax at the end", "ay", "az", "bx", "by", "bz")


def data(figure: Figure) -> dict[str, Any]:
    (text,) = re.findall(r'<script type="application/json" class="data">(.*?)</script>', figure.page, re.DOTALL)
    return dict(json.loads(text))


def floats(text: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), "<f4").astype(float)


def marks(figure: Figure) -> np.ndarray:
    """As `Drawing.mark` made them, (k, 19): see `MARK`."""
    return floats(data(figure)["marks"]).reshape(-1, len(MARK))


def vertices(shape: dict[str, Any]) -> np.ndarray:
    """Of a mesh at its moments, (m, n, 3)."""
    rows = np.frombuffer(base64.b64decode(shape["vertices"]), [("p", "<u2", 4), ("n", "i1", 4)]).reshape(shape["frames"], shape["count"])
    return np.array(shape["lo"]) + np.array(shape["range"]) * rows["p"][..., :3] / 65535.0


def height(figure: Figure, part: int, moment: int) -> float:
    """The highest point of a part at one of its keys."""
    told = data(figure)
    own = told["parts"][part]
    up, w, *turn = floats(own["poses"]).reshape(-1, 7)[moment, 2:]
    axis, points = np.array(turn), vertices(told["shapes"][own["shape"]])[-1]
    turned = points + 2 * np.cross(axis, np.cross(axis, points) + w * points)
    return float(turned[:, 2].max() + up)


def names(figure: Figure) -> list[str]:
    """Those of the legend, as HTML."""
    return [html.unescape(name) for name in re.findall(r'class="swatch"[^>]*></span>(.*?)</label>', figure.page)]
