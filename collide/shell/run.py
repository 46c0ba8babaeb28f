"""Run of a sheet: places step by step, counts of contacts, the cost of these; and a page that plays it."""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import NamedTuple

import numpy as np

from ..bodies.mesh import Mesh
from ..files import write_text
from ..frozen import Frozen
from ..picture.drawing import GREY, Drawing
from ..picture.scenes import finished
from ..picture.viewer import page, scene
from .sheet import Sheet

# A page plays for so many seconds at least; points along each side of a patch that it shows.
_SHORTEST, _FINE = 4.0, 4
_POSE = np.array([0.0]), np.array([[0.0, 0, 0, 1, 0, 0, 0]])


class Step(NamedTuple):
    """A step that ends at `time`: `places` (4 k, 3) of the nodes, how many `contacts` got impulses, the `part` of the movement that is
    proved free of contact, and seconds of the whole step and of its collisions.
    """

    time: float
    places: np.ndarray
    contacts: int
    part: float
    seconds: float
    collision_seconds: float


@dataclass(frozen=True, eq=False)
class ShellRun(Frozen):
    """The `steps` of a sheet from its `start`, among `obstacles`. `reason`: a sentence where the budget ended the run; empty if it came to
    its end.
    """

    sheet: Sheet
    start: np.ndarray
    steps: tuple[Step, ...]
    obstacles: Sequence[Mesh] = ()
    reason: str = ""

    @property
    def contacts(self) -> np.ndarray:
        """(steps,): counts of contacts."""
        return np.array([s.contacts for s in self.steps])

    @property
    def collision_share(self) -> float:
        """The part of all time that was spent on collisions."""
        return sum(s.collision_seconds for s in self.steps) / max(sum(s.seconds for s in self.steps), 1e-300)

    def summary(self) -> str:
        """Counts of steps and contacts, and what the collisions cost."""
        whole, seconds = sum(s.part == 1.0 for s in self.steps), sum(s.seconds for s in self.steps)
        return (f"{len(self.steps)} steps, {whole} of them whole, the others as far as they are proved free of contact. At most "
                f"{self.contacts.max(initial=0)} contacts a step, {self.contacts.mean() if len(self.steps) else 0:.1f} on average. "
                f"{100.0 * self.collision_share:.0f} % of {seconds:.2f} s went into collisions.{f' {self.reason}' if self.reason else ''}")

    def __repr__(self) -> str:
        until = self.steps[-1].time if self.steps else 0.0
        return f"ShellRun({len(self.steps)} steps of {self.sheet!r}, until={until:g})"

    def save_html(self, path: str | PathLike[str], title: str = "Sheet") -> None:
        """Write a page that plays the run in a browser, self-contained."""
        last = self.steps[-1].time if self.steps else 0.0
        drawing = Drawing((0.0, max(last, 1e-9)))
        fine = Sheet(self.sheet.size, self.sheet.patches, thickness=1.0, young=1.0, density=1.0, cells=_FINE)
        frames = [fine.points(places) for places in (self.start, *(s.places for s in self.steps))]
        drawing.add_part(0, drawing.shape(frames, fine.triangles, False), _POSE, np.array(frames))
        for k, mesh in enumerate(self.obstacles):
            vertices = mesh.vertices[:, :3]
            drawing.add_part(k + 1, drawing.shape([vertices], mesh.triangles, False), _POSE, vertices, moving=False, colour=GREY)
        data = finished(drawing, 0.0, max(last, 1e-9), max(_SHORTEST, last), play=True)
        names = ["sheet", *(m.name or f"obstacle {k}" for k, m in enumerate(self.obstacles))]
        text = scene(data, names, shown=f"t = 0 to {last:g}", chart="", grey=list(range(1, len(names))))
        write_text(path, page(title, [f"<h2>{title}</h2>\n<p>{self.summary()}</p>\n{text}"]))
