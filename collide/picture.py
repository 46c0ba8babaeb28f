"""Interactive 3-D pictures (plotly) of moving bodies and of their contacts; one HTML page for several of them, usable offline.

A picture of a `Contacts` runs from the start of the time span to the moment of contact, where the bodies turn transparent and the
points of contact appear as white dots with their normals. Meshes are approximations, for the eye only.
"""

import html
import importlib.util
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from generative import ParametricSurface, Solid, t, u, v
from generative.mesh import MovingMesh, approx_function, tessellate

from .result import Contacts

if TYPE_CHECKING:
    import plotly.graph_objects as go

COLOURS = ("#3f7fbf", "#e0803a", "#4fa06b", "#8d6bb5", "#c9a227", "#c8586c", "#4aa5b5", "#8a7563")
TRANSPARENT = 0.5
DEVIATION = 7e-4
Meshes = Sequence[tuple[int, MovingMesh]]
"""Meshes, each with the index of its body."""

LIGHT = {"ambient": 0.5, "diffuse": 0.62, "specular": 0.25, "roughness": 0.55, "fresnel": 0.12}
VIEW = np.array([0.58, -0.74, 0.34]) / np.linalg.norm([0.58, -0.74, 0.34])
INK = "#16202a"
FONT = "Inter, 'Helvetica Neue', Helvetica, Arial, sans-serif"


def figure(subject: Contacts | Sequence[Any], *, time: tuple[float, float] | None = None, frames: int = 22,
           height: int = 620, boxes: bool = False) -> "go.Figure":
    """The interactive figure of a result, or of bodies over the span `time` (None: at t = 0, at rest).

    `boxes` outlines, on both surfaces, the parameter box of every contact between two faces; of a contact that was only located it
    is as large as the search left it, of a proved one too small to be seen.
    """
    go = _plotly()
    contacts = subject if isinstance(subject, Contacts) else None
    bodies = subject.bodies if isinstance(subject, Contacts) else subject
    meshes, times = _stage(bodies, _span(contacts, time), frames)
    last = len(times) - 1
    traces = [_mesh_trace(go, mesh, body, times[last], contacts) for body, mesh in meshes]
    traces += _contact_traces(go, contacts, _scale(meshes, times))
    traces += _box_traces(go, contacts) if boxes else []
    picture = go.Figure(traces)
    if last:
        picture.frames = [_frame(go, meshes, traces, times, k, contacts) for k in range(len(times))]
        picture.update_layout(sliders=[_slider(times)], updatemenus=[_buttons()])
    picture.update_layout(_layout(meshes, times, height, bool(last)), title=_title(contacts))
    return picture


def still(subject: Contacts | Sequence[Any], *, time: tuple[float, float] | None = None, height: int = 620) -> "go.Figure":
    """The last moment of `figure`, without the slider."""
    picture = figure(subject, time=time, frames=2, height=height)
    picture.frames = ()
    picture.layout.sliders = picture.layout.updatemenus = ()
    picture.layout.margin.b = 8
    return picture


def save_html(path: str | PathLike[str], results: Sequence[Contacts], *, titles: Sequence[str] = (), heading: str = "") -> None:
    """One self-contained page (plotly.js included): for each result a heading, its summary and its interactive figure."""
    _plotly()
    from plotly.io import to_html
    from plotly.offline import get_plotlyjs

    sections = []
    for k, result in enumerate(results):
        title = titles[k] if k < len(titles) else f"Query {k + 1}"
        drawing = to_html(figure(result), full_html=False, include_plotlyjs=False, auto_play=False, div_id=f"figure-{k}",
                          config={"displaylogo": False, "responsive": True})
        sections.append(f"<section><h2>{html.escape(title)}</h2>\n<p>{html.escape(result.summary())}</p>\n{drawing}</section>")
    name = heading or (titles[0] if len(results) == 1 and titles else "First contacts")
    page = PAGE.format(title=html.escape(name), sections="\n".join(sections), plotly=get_plotlyjs(), font=FONT,
                       heading=f"<h1>{html.escape(name)}</h1>" if len(results) > 1 else "")
    Path(path).write_text(page, encoding="utf-8")


CHROMIUM_FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
                  "--disable-component-update", "--disable-sync", "--use-gl=angle", "--use-angle=swiftshader",
                  "--enable-unsafe-swiftshader", "--hide-scrollbars", "--virtual-time-budget=5000")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def save_png(path: str | PathLike[str], subject: Contacts | Sequence[Any], *, time: tuple[float, float] | None = None,
             width: int = 900, height: int = 620) -> None:
    """The figure's last moment as a PNG file, by kaleido if it is installed, otherwise by a Chromium found on the PATH."""
    picture = still(subject, time=time, height=height)
    if importlib.util.find_spec("kaleido"):
        picture.write_image(str(path), format="png", width=width, height=height)
        return
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "figure.html"
        picture.write_html(page, include_plotlyjs=True, full_html=True, auto_play=False, config={"displayModeBar": False})
        page_to_png(page, path, width=width, height=height)


def page_to_png(page: str | PathLike[str], path: str | PathLike[str], *, width: int = 900, height: int = 620) -> None:
    """A screenshot of an HTML file by headless Chromium."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise RuntimeError("a PNG needs Chromium (Debian's package chromium) or kaleido (pip install kaleido); "
                           "save_html needs neither")
    target = Path(path).resolve()
    target.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, *CHROMIUM_FLAGS, f"--user-data-dir={profile}", f"--window-size={width},{height}", f"--screenshot={target}",
                   Path(page).resolve().as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if not target.is_file():
        raise RuntimeError(f"Chromium made no picture of {page}: {done.stderr.strip()[-200:]}")


def contacts_html(contacts: Contacts) -> str:
    """A result as a notebook shows it: its summary, and a table of at most ten points."""
    head = "<tr><th>point</th><th>bodies</th><th>features</th><th>known</th></tr>"
    rows = []
    for k in range(min(len(contacts), 10)):
        place = ", ".join(f"{c:.6g}" for c in contacts.points[k])
        i, j = contacts.pairs[k]
        known = "unique (proved)" if contacts.proved[k] else "exists (proved)" if contacts.existence[k] else "located"
        rows.append(f"<tr><td>({place})</td><td>{i}, {j}</td><td>{html.escape(', '.join(contacts.features[k]))}</td><td>{known}</td></tr>")
    more = f"<p>and {len(contacts) - 10} more points</p>" if len(contacts) > 10 else ""
    table = f"<table>{head}{''.join(rows)}</table>" if rows else ""
    return f"<div><p>{html.escape(contacts.summary())}</p>{table}{more}</div>"


PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ margin: 0 auto; padding: 1.5rem 1.25rem 4rem; max-width: 62rem; font: 16px/1.6 {font}; color: #1f2933; }}
h1 {{ font-size: 1.6rem; font-weight: 650; margin: .5rem 0 0; }}
h2 {{ font-size: 1.2rem; font-weight: 600; margin: 2.2rem 0 .3rem; }}
p {{ margin: 0 0 .8rem; color: #47535f; }}
section .plotly-graph-div {{ border: 1px solid #e3e8ee; border-radius: 10px; overflow: hidden; }}
</style>
<script>{plotly}</script></head>
<body>{heading}
{sections}
</body></html>
"""


def _plotly() -> Any:
    try:
        import plotly.graph_objects as go
    except ImportError as error:
        raise ImportError("pictures need plotly: pip install 'generative-collision[pictures]'") from error
    return go


# -- what is shown ---------------------------------------------------------------------------------------------------


def _span(contacts: Contacts | None, time: tuple[float, float] | None) -> tuple[float, float]:
    """From the start to the moment of contact, or to the end of what is known to be clear."""
    if contacts is None:
        return (0.0, 0.0) if time is None else (float(time[0]), float(time[1]))
    first, last = contacts.time_span
    if contacts.time is not None:
        last = contacts.time[1] if np.isfinite(contacts.time[1]) else contacts.time[0]
    return float(first), float(max(first, last))


def _stage(bodies: Sequence[Any], span: tuple[float, float], frames: int) -> tuple[Meshes, np.ndarray]:
    """The meshes, each with the index of its body, and the times of the frames, the last being the moment shown first.

    Bodies that come from afar are shown from where the whole is at most 1.1 times as large as at the end.
    """
    sampled = np.linspace(*span, 3)
    drawn = [tessellate(body, times=sampled, deviation=DEVIATION, cells=26) for body in bodies]
    meshes = [(k, mesh) for k, parts in enumerate(drawn) for mesh in parts]
    if span[0] == span[1] or all(mesh.static for _, mesh in meshes):
        return meshes, np.array([span[1]])
    starts = np.linspace(*span, 33)[:-1]
    final = _scale(meshes, [span[1]])
    start = next((s for s in starts if _scale(meshes, [s, span[1]]) <= 1.1 * final), starts[-1])
    return meshes, np.linspace(start, span[1], frames)


def _bounds(meshes: Meshes, times: Any) -> tuple[np.ndarray, np.ndarray]:
    clouds = [mesh.at(time)[0] for _, mesh in meshes for time in (times[:1] if mesh.static else times)]
    clouds = [c[np.isfinite(c).all(axis=1)] for c in clouds]
    filled = [c for c in clouds if len(c)] or [np.zeros((1, 3))]
    return np.min([c.min(axis=0) for c in filled], axis=0), np.max([c.max(axis=0) for c in filled], axis=0)


def _scale(meshes: Meshes, times: Any) -> float:
    """The diagonal of the box round everything at these times."""
    lo, hi = _bounds(meshes, times)
    return float(np.linalg.norm(hi - lo)) or 1.0


# -- traces ----------------------------------------------------------------------------------------------------------


def _coordinates(vertices: np.ndarray) -> dict[str, np.ndarray]:
    return {axis: vertices[:, k].astype(np.float32) for k, axis in enumerate("xyz")}


def _corners(vertices: np.ndarray, triangles: np.ndarray) -> dict[str, np.ndarray]:
    """Corner indices, the farthest triangles first: plotly blends transparent triangles in the order given."""
    triangles = triangles[np.argsort(vertices[triangles].mean(axis=1) @ VIEW, kind="stable")]
    return {axis: triangles[:, k] for k, axis in enumerate("ijk")}


def _mesh_trace(go: Any, mesh: MovingMesh, body: int, time: float, contacts: Contacts | None) -> Any:
    vertices, triangles = mesh.at(time)
    touching = contacts is not None and len(contacts) > 0
    return go.Mesh3d(**_coordinates(vertices), **_corners(vertices, triangles), flatshading=False,
                     color=COLOURS[body % len(COLOURS)], opacity=TRANSPARENT if touching else 1.0,
                     lighting=LIGHT, lightposition={"x": 2000, "y": -3000, "z": 6000}, name=f"body {body}", hoverinfo="name")


def _contact_traces(go: Any, contacts: Contacts | None, size: float) -> list[Any]:
    """White dots, and the normals as dark lines.

    The dots are a little transparent, so that plotly draws them after the bodies, which would tint them.
    """
    if contacts is None or not len(contacts):
        return []
    points, normals, few = contacts.points, contacts.normals, len(contacts) < 25
    dots = go.Scatter3d(**_coordinates(points), mode="markers", name="contact", showlegend=False,
                        text=[_label(contacts, k) for k in range(len(points))], hovertemplate="%{text}<extra></extra>",
                        marker={"opacity": 0.99, "size": 7 if few else 5, "color": "white", "line": {"color": INK, "width": 2}})
    near, far = (points + share * size * normals for share in (0.012, 0.1 if few else 0.06))
    ends = np.stack([near, far, np.full_like(points, np.nan)], axis=1).reshape(-1, 3)
    lines = go.Scatter3d(**_coordinates(ends), mode="lines", name="normal", showlegend=False, hoverinfo="skip",
                         line={"color": INK, "width": 4 if few else 2})
    return [lines, dots]


def _box_traces(go: Any, contacts: Contacts | None) -> list[Any]:
    """The border of each contact's parameter box on the two surfaces, at the middle of its time."""
    outlines = []
    for k in range(0 if contacts is None else len(contacts)):
        assert contacts is not None
        named = dict(zip(contacts.variables[k], np.asarray(contacts.boxes[k]), strict=True))
        for number, body in enumerate(contacts.pairs[k], 1):
            surface = _face(contacts.bodies[body], contacts.features[k][number - 1])
            if surface is None or not {f"u{number}", f"v{number}", "t"} <= set(named):
                continue
            (a, b), (c, d) = named[f"u{number}"], named[f"v{number}"]
            at = np.linspace(0, 1, 9)
            ring = np.concatenate([[a + at * (b - a), 0 * at + c], [0 * at + b, c + at * (d - c)],
                                   [b - at * (b - a), 0 * at + d], [0 * at + a, d - at * (d - c)]], axis=1)
            outlines.append(approx_function(surface.expressions, [u, v, t])(*ring, float(named["t"].mean())))
            outlines.append(np.full((1, 3), np.nan))
    if not outlines:
        return []
    return [go.Scatter3d(**_coordinates(np.concatenate(outlines)), mode="lines", name="box", showlegend=False, hoverinfo="skip",
                         line={"color": "#c8102e", "width": 3})]


def _face(body: Any, feature: str) -> ParametricSurface | None:
    """The parametric face that a feature such as "face 2" names."""
    kind, _, number = feature.partition(" ")
    faces = body.faces if isinstance(body, Solid) else [body]
    if kind != "face" or not number.isdigit() or int(number) >= len(faces):
        return None
    face = faces[int(number)]
    return face if isinstance(face, ParametricSurface) else None


def _label(contacts: Contacts, k: int) -> str:
    x, y, z = contacts.points[k]
    known = "unique contact (proved)" if contacts.proved[k] else "contact (proved)" if contacts.existence[k] else "located only"
    (i, j), (a, b) = contacts.pairs[k], contacts.features[k]
    return f"({x:.6g}, {y:.6g}, {z:.6g})<br>body {i} {a}, body {j} {b}<br>{known}"


def _frame(go: Any, meshes: Meshes, traces: Sequence[Any], times: np.ndarray, k: int,
           contacts: Contacts | None) -> Any:
    """Frame k: new places of what moves; opaque bodies and no dots before the moment of contact."""
    touching, last = contacts is not None and len(contacts) > 0, k == len(times) - 1
    data = []
    for (_, mesh), _trace in zip(meshes, traces, strict=False):
        change: dict[str, Any] = {"opacity": TRANSPARENT if touching and last else 1.0}
        if not mesh.static:
            vertices, triangles = mesh.at(times[k])
            change |= _coordinates(vertices) | (_corners(vertices, triangles) if mesh.remeshed else {})
        data.append(go.Mesh3d(**change))
    data += [go.Scatter3d(visible=last) for _ in traces[len(meshes):]]
    return go.Frame(data=data, traces=list(range(len(traces))), name=str(k))


# -- layout ----------------------------------------------------------------------------------------------------------


def _layout(meshes: Meshes, times: np.ndarray, height: int, moving: bool) -> dict[str, Any]:
    lo, hi = _bounds(meshes, times)
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


def _title(contacts: Contacts | None) -> dict[str, Any] | None:
    if contacts is None or contacts.time is None:
        return None
    points = f"{len(contacts)} point{'' if len(contacts) == 1 else 's'}"
    lo, hi = contacts.time
    places = int(np.clip(-np.log10(max(hi - lo, 1e-9)), 3, 9)) if np.isfinite(hi) else 3
    moment = f"{lo if np.isinf(hi) else hi:.{places}f}".rstrip("0").rstrip(".")
    return {"text": f"First contact at t = {moment}, {points}", "x": 0.02, "y": 0.975, "font": {"size": 15}}


def _slider(times: np.ndarray) -> dict[str, Any]:
    jump = {"mode": "immediate", "frame": {"duration": 0, "redraw": True}, "transition": {"duration": 0}}
    steps = [{"args": [[str(k)], jump], "label": f"{time:.4g}", "method": "animate"} for k, time in enumerate(times)]
    return {"active": len(times) - 1, "steps": steps, "x": 0.24, "len": 0.72, "y": 0, "pad": {"t": 16, "b": 8},
            "currentvalue": {"prefix": "t = ", "font": {"size": 14, "color": "#3b4754"}, "xanchor": "left"},
            "ticklen": 0, "minorticklen": 0, "font": {"color": "rgba(0,0,0,0)", "size": 1},
            "transition": {"duration": 0}, "bgcolor": "#3f7fbf", "activebgcolor": "#2b5f94", "bordercolor": "#dfe5eb"}


def _buttons() -> dict[str, Any]:
    play = {"frame": {"duration": 70, "redraw": True}, "transition": {"duration": 0}, "mode": "immediate", "fromcurrent": False}
    stop = {"frame": {"duration": 0, "redraw": True}, "mode": "immediate", "transition": {"duration": 0}}
    return {"type": "buttons", "direction": "left", "x": 0.02, "xanchor": "left", "y": 0, "yanchor": "top",
            "pad": {"t": 30, "b": 8}, "showactive": False, "bgcolor": "white", "bordercolor": "#c9d2dc",
            "buttons": [{"label": "▶ Play", "method": "animate", "args": [None, play]},
                        {"label": "❚❚", "method": "animate", "args": [[None], stop]}]}
