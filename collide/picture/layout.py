"""The layout of a picture: camera, axes, title, time slider and buttons."""

from typing import Any

import numpy as np

from generative.mesh import VIEW

from .parts import Meshes, bounds_of
from .subject import Meeting, Nearest
from .viewer import FONT


def layout(meshes: Meshes, times: np.ndarray, height: int, moving: bool) -> dict[str, Any]:
    lo, hi = bounds_of(meshes, times)
    margin = 0.03 * float(np.linalg.norm(hi - lo))
    widths = hi - lo + 2 * margin
    hidden = {"visible": False, "showbackground": False}
    axes = {f"{axis}axis": hidden | {"range": [lo[k] - margin, hi[k] + margin]} for k, axis in enumerate("xyz")}
    # Plotly's camera measures in units of the box whose sides are these ratios.
    ratio = dict(zip("xyz", (widths / widths.max()).tolist(), strict=True))
    eye = VIEW * _distance(meshes, times, 0.5 * (lo + hi)) / float(widths.max())
    scene = {**axes, "aspectmode": "manual", "aspectratio": ratio, "dragmode": "turntable",
             "camera": {"eye": dict(zip("xyz", eye.tolist(), strict=True)), "projection": {"type": "perspective"}}}
    return {"scene": scene, "height": height, "paper_bgcolor": "white", "font": {"family": FONT, "size": 13, "color": "#3b4754"},
            "margin": {"l": 0, "r": 0, "t": 34, "b": 78 if moving else 8}, "showlegend": False}


def _distance(meshes: Meshes, times: np.ndarray, centre: np.ndarray) -> float:
    """How far from the centre the eye must be for everything to fit, at all times, into a view 45 degrees high, 6:5 wide."""
    right = np.cross([0.0, 0.0, 1.0], VIEW)
    right /= np.linalg.norm(right)
    up, slope = np.cross(VIEW, right), 0.98 * np.tan(np.pi / 8)
    cloud = np.concatenate([mesh.at(time)[0] for _, mesh in meshes for time in (times[0], times[-1])]) - centre
    side, rise = np.abs(cloud @ right) / 1.2, np.abs(cloud @ up)
    return float(np.nanmax(np.maximum(side, rise) / slope + cloud @ VIEW))


def distance_title(answer: Nearest) -> dict[str, Any]:
    lo, hi = answer.bracket
    return _head(f"Least distance {lo:.9g}{'' if hi - lo <= 1e-8 * hi else f' to {hi:.9g}'}, at t = {answer.moment:.6g}")


def _head(text: str) -> dict[str, Any]:
    return {"text": text, "x": 0.02, "y": 0.975, "font": {"size": 15}}


def title(contacts: Meeting | None) -> dict[str, Any] | None:
    if contacts is None or contacts.time is None:
        return None
    points = f"{len(contacts)} point{'' if len(contacts) == 1 else 's'}"
    lo, hi = contacts.time
    places = int(np.clip(-np.log10(max(hi - lo, 1e-9)), 3, 9)) if np.isfinite(hi) else 3
    moment = f"{lo if np.isinf(hi) else hi:.{places}f}".rstrip("0").rstrip(".")
    return _head(f"First contact at t = {moment}, {points}")


def slider(times: np.ndarray) -> dict[str, Any]:
    jump = {"mode": "immediate", "frame": {"duration": 0, "redraw": True}, "transition": {"duration": 0}}
    steps = [{"args": [[str(k)], jump], "label": f"{time:.4g}", "method": "animate"} for k, time in enumerate(times)]
    return {"active": len(times) - 1, "steps": steps, "x": 0.24, "len": 0.72, "y": 0, "pad": {"t": 16, "b": 8},
            "currentvalue": {"prefix": "t = ", "font": {"size": 14, "color": "#3b4754"}, "xanchor": "left"},
            "ticklen": 0, "minorticklen": 0, "font": {"color": "rgba(0,0,0,0)", "size": 1},
            "transition": {"duration": 0}, "bgcolor": "#3f7fbf", "activebgcolor": "#2b5f94", "bordercolor": "#dfe5eb"}


def buttons() -> dict[str, Any]:
    play = {"frame": {"duration": 70, "redraw": True}, "transition": {"duration": 0}, "mode": "immediate", "fromcurrent": False}
    stop = {"frame": {"duration": 0, "redraw": True}, "mode": "immediate", "transition": {"duration": 0}}
    return {"type": "buttons", "direction": "left", "x": 0.02, "xanchor": "left", "y": 0, "yanchor": "top",
            "pad": {"t": 30, "b": 8}, "showactive": False, "bgcolor": "white", "bordercolor": "#c9d2dc",
            "buttons": [{"label": "▶ Play", "method": "animate", "args": [None, play]},
                        {"label": "❚❚", "method": "animate", "args": [[None], stop]}]}
