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

from .export import save_film as save_film
from .export import save_mesh as save_mesh
from .layout import buttons, distance_title, layout, slider, title
from .parts import box_traces, contact_traces, frame, mesh_trace, nearest_traces, plotly, scale, span, stage
from .scenes import scene_of
from .search import search_traces
from .subject import Meeting, Nearest, Observed
from .viewer import page

if TYPE_CHECKING:
    import plotly.graph_objects as go


def figure(subject: Meeting | Nearest | Sequence[Any], *, time: tuple[float, float] | None = None, frames: int = 22,
           height: int = 620, boxes: bool | Observed = False) -> "go.Figure":
    """The interactive figure of a result, or of bodies over the span `time` (None: at t = 0, at rest). That of a distance ends at the
    moment at which it is least, with the nearest points and the segments between them.

    `boxes` outlines, on both surfaces, the parameter box of every contact between two faces; of a contact that was only located it
    is as large as the search left it, of a proved one too small to be seen. A `collide.Trace` outlines boxes that its search looked
    at, early ones dark and late ones bright, on the surfaces at the last moment shown.
    """
    go = plotly()
    _check(subject, time)
    contacts = subject if isinstance(subject, Meeting) else None
    nearest = subject if isinstance(subject, Nearest) and contacts is None else None
    bodies = subject.bodies if isinstance(subject, (Meeting, Nearest)) else subject
    meshes, times = stage(bodies, span(nearest if contacts is None else contacts, time), frames)
    last = len(times) - 1
    if not any(len(mesh.at(times[last])[1]) for _, mesh in meshes):
        raise ValueError("there is nothing to draw: the bodies are nowhere finite, or nowhere within their bounds")
    told = nearest if contacts is None else contacts
    traces = [mesh_trace(go, mesh, bodies, body, times[last], told) for body, mesh in meshes]
    traces += contact_traces(go, contacts, scale(meshes, times))
    traces += [] if nearest is None else nearest_traces(go, nearest)
    if isinstance(boxes, Observed):
        traces += search_traces(go, boxes, bodies, float(times[last]))
    elif boxes:
        traces += box_traces(go, contacts)
    picture = go.Figure(traces)
    if last:
        picture.frames = [frame(go, meshes, traces, times, k, told) for k in range(len(times))]
        picture.update_layout(sliders=[slider(times)], updatemenus=[buttons()])
    picture.update_layout(layout(meshes, times, height, bool(last)), title=title(contacts) if nearest is None else distance_title(nearest))
    return picture


def _check(subject: Any, time: Any) -> None:
    if not isinstance(subject, (Meeting, Nearest)) and (isinstance(subject, str) or not isinstance(subject, Sequence) or not subject):
        raise TypeError("a picture shows a result of first_contact or a list of at least one body, got "
                        f"{'an empty list' if subject == [] else type(subject).__name__}")
    if time is not None and not time[0] <= time[1]:
        raise ValueError(f"the time span of a picture must not be reversed, got {time!r}")


def still(subject: Meeting | Sequence[Any], *, time: tuple[float, float] | None = None, height: int = 620) -> "go.Figure":
    """The last moment of `figure`, framed alone."""
    return figure(subject, time=time, frames=1, height=height)


def save_html(path: str | PathLike[str], results: Sequence[Meeting | Nearest], *, titles: Sequence[str] = (), heading: str = "") -> None:
    """One self-contained page, some 20 kilobytes and its bodies: for each result a heading, its summary and its scene, which plays."""
    sections = []
    for k, result in enumerate(results):
        title = titles[k] if k < len(titles) else f"Query {k + 1}"
        sections.append(f"<section><h2>{html.escape(title)}</h2>\n<p>{html.escape(result.summary())}</p>\n{scene_of(result)}</section>")
    name = heading or (titles[0] if len(results) == 1 and titles else "First contacts")
    Path(path).write_text(page(name, sections, f"<h1>{html.escape(name)}</h1>" if len(results) > 1 else ""), encoding="utf-8")


CHROMIUM_FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
                  "--disable-component-update", "--disable-sync", "--use-gl=angle", "--use-angle=swiftshader",
                  "--enable-unsafe-swiftshader", "--hide-scrollbars", "--virtual-time-budget=5000")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def save_png(path: str | PathLike[str], subject: Meeting | Sequence[Any], *, time: tuple[float, float] | None = None,
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

