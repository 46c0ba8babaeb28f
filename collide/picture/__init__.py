"""Pictures of moving bodies and of their contacts that play in notebooks and pages (WebGL), usable offline; charts are plotly's.

A scene of a `Contacts` runs from the start of the time span to the moment of contact, where the points of contact appear as white dots
with their normals, curves of contact as lines, patches as shades. Meshes are approximations, for the eye only.
"""

import html
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from ..files import replaced, write_text
from .export import save_film as save_film
from .export import save_mesh as save_mesh
from .scenes import figure as figure
from .scenes import scene_of
from .subject import MeetingAnswer, NearestAnswer
from .viewer import Figure as Figure
from .viewer import alone, page


def save_html(path: str | PathLike[str], results: Sequence[MeetingAnswer | NearestAnswer], *, titles: Sequence[str] = (),
              heading: str = "") -> None:
    """One self-contained page, some 20 kilobytes and its bodies: for each result a heading, its summary and its scene, which plays."""
    sections = []
    for k, result in enumerate(results):
        title = titles[k] if k < len(titles) else f"Query {k + 1}"
        sections.append(f"<section><h2>{html.escape(title)}</h2>\n<p>{html.escape(result.summary())}</p>\n{scene_of(result)}</section>")
    name = heading or (titles[0] if len(results) == 1 and titles else "First contacts")
    write_text(path, page(name, sections, f"<h1>{html.escape(name)}</h1>" if len(results) > 1 else ""))


CHROMIUM_FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
                  "--disable-component-update", "--disable-sync", "--use-gl=angle", "--use-angle=swiftshader",
                  "--enable-unsafe-swiftshader", "--hide-scrollbars", "--virtual-time-budget=5000")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


# Of a picture that nobody can press: its bodies and their names.
_BARE = ".scene { border: 0; border-radius: 0; } .scene .row:not(.legend) { display: none; }"


def save_png(path: str | PathLike[str], subject: MeetingAnswer | NearestAnswer | Sequence[Any], *, time: tuple[float, float] | None = None,
             width: int = 900, height: int = 620) -> None:
    """The last moment of what `figure` shows as a PNG file, by a Chromium found on the PATH; RuntimeError without."""
    chromium()
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "scene.html"
        page.write_text(alone("Scene", scene_of(subject, time=time), _BARE), encoding="utf-8")
        page_to_png(page, path, width=width, height=height)


def chromium() -> str:
    """The browser that takes screenshots. RuntimeError without one."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        raise RuntimeError("a PNG needs Chromium (Debian's package chromium); save_html and save_film need no browser")
    return found


def page_to_png(page: str | PathLike[str], path: str | PathLike[str], *, width: int = 900, height: int = 620) -> None:
    """A screenshot of an HTML file by headless Chromium."""
    browser = chromium()
    with replaced(path) as new, tempfile.TemporaryDirectory() as profile:
        command = [browser, *CHROMIUM_FLAGS, f"--user-data-dir={profile}", f"--window-size={width},{height}",
                   f"--screenshot={new.absolute()}", Path(page).resolve().as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        if new.is_file() and not new.stat().st_size:
            raise RuntimeError(f"Chromium made no picture of {page}: {done.stderr.strip()[-200:]}")

