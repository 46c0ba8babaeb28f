"""What a picture is made of: the times it shows, meshes, dots and normals, outlines of boxes, and the frames of its animation."""

import functools
import html
from collections.abc import Sequence, Sized
from typing import Any

import numpy as np

from generative import ParametricSurface, Solid, t, u, v
from generative.body import label
from generative.mesh import VIEW, MovingMesh, approx_function, tessellate
from generative.triangulated import Triangulated

from .drawing import COLOURS, DEVIATION, merged
from .subject import Meeting, Nearest

TRANSPARENT = 0.5
Meshes = Sequence[tuple[int, MovingMesh]]
"""Meshes, each with the index of its body."""

LIGHT = {"ambient": 0.5, "diffuse": 0.62, "specular": 0.25, "roughness": 0.55, "fresnel": 0.12}
INK = "#16202a"


def plotly() -> Any:
    try:
        import plotly.graph_objects as go
    except ImportError as error:
        raise ImportError("pictures need plotly: pip install plotly") from error
    return go


# -- what is shown ---------------------------------------------------------------------------------------------------


def span(contacts: Meeting | Nearest | None, time: tuple[float, float] | None) -> tuple[float, float]:
    """From the start to the moment of contact, or of the least distance, or to the end of what is known to be clear."""
    if time is not None and contacts is None:
        return float(time[0]), float(time[1])
    if contacts is None:
        return 0.0, 0.0
    if isinstance(contacts, Nearest):
        return float(contacts.time_span[0]), float(contacts.moment)
    first, last = contacts.time_span
    if contacts.time is not None:
        last = contacts.time[1] if np.isfinite(contacts.time[1]) else contacts.time[0]
    return float(first), float(max(first, last))


def stage(bodies: Sequence[Any], span: tuple[float, float], frames: int) -> tuple[Meshes, np.ndarray]:
    """The meshes, each with the index of its body, and the times of the frames, the last being the moment shown first.

    Bodies that come from afar are shown from where the whole is at most 1.1 times as large as at the end.
    """
    sampled = np.linspace(*span, 3)
    shown = [(k, body) for k, body in enumerate(bodies) if body not in bodies[:k]]  # a body that may touch itself is there twice
    meshes = [(k, mesh) for k, body in shown for mesh in merged(tessellate(body, times=sampled, deviation=DEVIATION))]
    if span[0] == span[1] or frames == 1 or all(mesh.static for _, mesh in meshes):
        return meshes, np.array([span[1]])
    starts = np.linspace(*span, 33)[:-1]
    final = scale(meshes, [span[1]])
    start = next((s for s in starts if scale(meshes, [s, span[1]]) <= 1.1 * final), starts[-1])
    return meshes, np.linspace(start, span[1], frames)


def bounds_of(meshes: Meshes, times: Any) -> tuple[np.ndarray, np.ndarray]:
    clouds = [mesh.at(time)[0] for _, mesh in meshes for time in (times[:1] if mesh.static else times)]
    clouds = [c[np.isfinite(c).all(axis=1)] for c in clouds]
    filled = [c for c in clouds if len(c)] or [np.zeros((1, 3))]
    return np.min([c.min(axis=0) for c in filled], axis=0), np.max([c.max(axis=0) for c in filled], axis=0)


def scale(meshes: Meshes, times: Any) -> float:
    """The diagonal of the box round everything at these times."""
    lo, hi = bounds_of(meshes, times)
    return float(np.linalg.norm(hi - lo)) or 1.0


# -- traces ----------------------------------------------------------------------------------------------------------


def coordinates(vertices: np.ndarray) -> dict[str, np.ndarray]:
    return {axis: vertices[:, k].astype(np.float32) for k, axis in enumerate("xyz")}


def _corners(vertices: np.ndarray, triangles: np.ndarray) -> dict[str, np.ndarray]:
    """Corner indices, the farthest triangles first: plotly blends transparent triangles in the order given."""
    triangles = triangles[np.argsort(vertices[triangles].mean(axis=1) @ VIEW, kind="stable")]
    return {axis: triangles[:, k] for k, axis in enumerate("ijk")}


def mesh_trace(go: Any, mesh: MovingMesh, bodies: Sequence[Any], body: int, time: float, told: Sized | None) -> Any:
    vertices, triangles = mesh.at(time)
    touching = told is not None and len(told) > 0
    return go.Mesh3d(**coordinates(vertices), **_corners(vertices, triangles), flatshading=False,
                     color=COLOURS[body % len(COLOURS)], opacity=TRANSPARENT if touching else 1.0,
                     lighting=LIGHT, lightposition={"x": 2000, "y": -3000, "z": 6000}, name=written(bodies, body), hoverinfo="name")


def contact_traces(go: Any, contacts: Meeting | None, size: float) -> list[Any]:
    """White dots, and the normals as dark lines.

    The dots are a little transparent, so that plotly draws them after the bodies, which would tint them.
    """
    if contacts is None or not len(contacts):
        return []
    points, normals, few = contacts.points, contacts.normals, len(contacts) < 25
    dots = go.Scatter3d(**coordinates(points), mode="markers", name="contact", showlegend=False,
                        text=[text_of(contacts, k) for k in range(len(points))], hovertemplate="%{text}<extra></extra>",
                        marker={"opacity": 0.99, "size": 7 if few else 5, "color": "white", "line": {"color": INK, "width": 2}})
    near, far = (points + share * size * normals for share in (0.012, 0.1 if few else 0.06))
    ends = np.stack([near, far, np.full_like(points, np.nan)], axis=1).reshape(-1, 3)
    lines = go.Scatter3d(**coordinates(ends), mode="lines", name="normal", showlegend=False, hoverinfo="skip",
                         line={"color": INK, "width": 4 if few else 2})
    return [lines, dots]


def nearest_traces(go: Any, answer: Nearest) -> list[Any]:
    """Segments between nearest points, with a dot at either end."""
    if not len(answer):
        return []
    ends, gap = answer.points, np.full((len(answer), 1, 3), np.nan)
    lines = np.concatenate([ends, gap], axis=1).reshape(-1, 3)
    told = ["unique (proved)" if known else "sample" for known in np.repeat(answer.unique, 2)]
    return [go.Scatter3d(**coordinates(lines), mode="lines", name="distance", showlegend=False, hoverinfo="skip",
                         line={"color": "#c8102e", "width": 6}),
            go.Scatter3d(**coordinates(ends.reshape(-1, 3)), mode="markers", name="nearest point", showlegend=False, text=told,
                         hovertemplate="(%{x:.6g}, %{y:.6g}, %{z:.6g})<br>%{text}<extra></extra>",
                         marker={"opacity": 0.99, "size": 5, "color": "white", "line": {"color": INK, "width": 2}})]


def box_traces(go: Any, contacts: Meeting | None) -> list[Any]:
    """The border of each contact's parameter box on the two surfaces, at the middle of its time."""
    outlines = []
    for k in range(0 if contacts is None else len(contacts)):
        assert contacts is not None
        named = dict(zip(contacts.variables[k], np.asarray(contacts.boxes[k]), strict=True))
        for number, body in enumerate(contacts.pairs[k], 1):
            surface = face_of(contacts.bodies[body], contacts.features[k][number - 1])
            if surface is None or not {f"u{number}", f"v{number}", "t"} <= set(named):
                continue
            outlines.append(outline(surface, named[f"u{number}"], named[f"v{number}"], float(named["t"].mean())))
    if not outlines:
        return []
    return [go.Scatter3d(**coordinates(np.concatenate(outlines)), mode="lines", name="box", showlegend=False, hoverinfo="skip",
                         line={"color": "#c8102e", "width": 3})]


def outline(surface: ParametricSurface, u_range: Any, v_range: Any, time: float, points: int = 9) -> np.ndarray:
    """The border of a parameter box on a surface, (4 points + 1, 3); the last row is NaN, to keep outlines apart."""
    (a, b), (c, d), at = u_range, v_range, np.linspace(0, 1, points)
    ring = np.concatenate([[a + at * (b - a), 0 * at + c], [0 * at + b, c + at * (d - c)],
                           [b - at * (b - a), 0 * at + d], [0 * at + a, d - at * (d - c)]], axis=1)
    return np.concatenate([_place(surface)(*ring, time), np.full((1, 3), np.nan)])


@functools.lru_cache(maxsize=64)
def _place(surface: ParametricSurface) -> Any:
    return approx_function(surface.expressions, [u, v, t])


def face_of(body: Any, feature: str) -> ParametricSurface | None:
    """The parametric face that a feature such as "face 2" names."""
    kind, _, number = feature.partition(" ")
    if isinstance(body, Triangulated):
        return None
    faces = body.faces if isinstance(body, Solid) else [body]
    if kind != "face" or not number.isdigit() or int(number) >= len(faces):
        return None
    face = faces[int(number)]
    return face if isinstance(face, ParametricSurface) else None


def written(bodies: Sequence[Any], k: int) -> str:
    """What a picture calls body k; plotly reads text as HTML."""
    return html.escape(plain(bodies, k), quote=False)


def plain(bodies: Sequence[Any], k: int) -> str:
    """What a picture calls body k."""
    return label(bodies, k, "body ")


def text_of(contacts: Meeting, k: int, newline: str = "<br>") -> str:
    """What is known of a contact."""
    x, y, z = contacts.points[k]
    known = "unique contact (proved)" if contacts.proved[k] else "contact (proved)" if contacts.existence[k] else "located only"
    (i, j), (a, b) = contacts.pairs[k], contacts.features[k]
    named = written if newline == "<br>" else plain
    return newline.join([f"({x:.6g}, {y:.6g}, {z:.6g})", f"{named(contacts.bodies, i)} {a}, {named(contacts.bodies, j)} {b}", known])


def frame(go: Any, meshes: Meshes, traces: Sequence[Any], times: np.ndarray, k: int,
           told: Sized | None) -> Any:
    """Frame k: new places of what moves; opaque bodies and no dots before the moment that is told of."""
    touching, last = told is not None and len(told) > 0, k == len(times) - 1
    data = []
    for (_, mesh), _trace in zip(meshes, traces, strict=False):
        change: dict[str, Any] = {"opacity": TRANSPARENT if touching and last else 1.0}
        if not mesh.static:
            vertices, triangles = mesh.at(times[k])
            change |= coordinates(vertices) | (_corners(vertices, triangles) if mesh.remeshed else {})
        data.append(go.Mesh3d(**change))
    data += [go.Scatter3d(visible=last) for _ in traces[len(meshes):]]
    return go.Frame(data=data, traces=list(range(len(traces))), name=str(k))
