"""Two films of thin sheets (Chen 2024, Figs. 7 and 8): a cloth over a ball, and one that is twisted until it touches itself. Counts of
contacts, and the part of the time that goes into collisions; pages that play are written into a temporary folder.
"""

import tempfile
from pathlib import Path

import numpy as np
import sympy as sp

from collide import Mesh, shell
from generative import Rigid, t

from .timing import table

TURNING, SHORTER = 6, sp.Rational(1, 6)


def cloth(patches: int) -> shell.Sheet:
    return shell.Sheet((1, 1), (patches, patches), thickness=1e-3, young=2e5, poisson=0.3, density=300)


def ball(radius: float, count: int = 162) -> Mesh:
    """The hull of points that are spread evenly over a sphere."""
    from scipy.spatial import ConvexHull

    k = np.arange(count) + 0.5
    height, turn = 1.0 - 2.0 * k / count, np.pi * (1.0 + np.sqrt(5.0)) * k
    around = np.sqrt(1.0 - height**2)
    points = radius * np.stack([np.cos(turn) * around, np.sin(turn) * around, height], axis=1)
    triangles = ConvexHull(points).simplices.copy()
    a, b, c = np.moveaxis(points[triangles], 1, 0)
    inward = (np.cross(b - a, c - a) * a).sum(axis=1) < 0
    triangles[inward] = triangles[inward, ::-1]
    return Mesh(points, triangles, name="ball")


def drape(patches: int = 6, until: float = 0.6, step: float = 0.02) -> shell.ShellRun:
    own = cloth(patches)
    return shell.simulate(own, until, step, places=own.placed(lambda p: p + [0.02, 0.01, 0.3]), obstacles=[ball(0.25)], friction=0.2,
                          damping=0.5)


def twist(patches: int = 6, until: float = 0.7, step: float = 0.025) -> shell.ShellRun:
    own, angle = cloth(patches), TURNING * t
    turn = sp.Matrix([[1, 0, 0], [0, sp.cos(angle), -sp.sin(angle)], [0, sp.sin(angle), sp.cos(angle)]])
    held = {tuple(own.nodes[0]): None, tuple(own.nodes[-1]): Rigid(rotation=turn, translation=[-SHORTER * t, 0, 0])}
    return shell.simulate(own, until, step, held=held, gravity=(0, 0, -1), friction=0.2, damping=0.5)


def main() -> None:
    folder, rows = Path(tempfile.mkdtemp(prefix="sheets-")), []
    for name, make in (("a cloth over a ball", drape), ("a twisted cloth", twist)):
        run = make()
        run.save_html(folder / f"{make.__name__}.html", name)
        seconds = sum(s.seconds for s in run.steps)
        a_step, share = f"{1e3 * seconds / len(run.steps):.0f} ms", f"{100 * run.collision_share:.0f} %"
        rows.append([name, len(run.steps), int(run.contacts.max()), f"{run.contacts.mean():.0f}", a_step, share])
    table(f"Thin sheets of 6 x 6 patches; films in {folder}", ["scene", "steps", "most contacts", "mean", "a step", "collisions"], rows)
