"""Logs of all kinds, small ones: functions that write them."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import sympy as sp

import collide
from generative import ImplicitSurface, Parameter, ParametricSurface, Rigid, t, u, v, x, y, z
from models.scenes import SCENES


def surface(body: int, point: str, ends: str = "0 1 0 1") -> str:
    """Lines of a piece over u and v."""
    a, b, c, d = ends.split()
    return f"piece {body}\nparameter u {a} {b}\nparameter v {c} {d}\npoint {point}\n"


PLATE = ParametricSurface([u, v, 0], {u: (-1, 1), v: (-1, 1)})
BALL = ParametricSurface([sp.cos(u) * sp.cos(v) / 2 + sp.Rational(1, 5), sp.cos(u) * sp.sin(v) / 2 + sp.Rational(1, 4),
                          sp.sin(u) / 2 + 3 - t], {u: (-sp.pi / 2, sp.pi / 2), v: (0, 2 * sp.pi)})
RISE, WIDE = Parameter("rise"), Parameter("e")
CORNERS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def bowl(rise: object = 1, wide: object = 1) -> ParametricSurface:
    return ParametricSurface([wide * u, v, u**2 + v**2 + rise - t], {u: (-1, 1), v: (-1, 1)})


def ranges(path: Path) -> None:
    found = collide.first_contact([PLATE, bowl(RISE, WIDE)], (0, 3), parameters={RISE: (1, 2), WIDE: (1, 2)}, log=path)
    assert found.time is not None and found.time[0] <= 1 <= found.time[1]


def clearances(path: Path) -> None:
    collide.clearance([PLATE, bowl(RISE)], (0, sp.Rational(1, 2)), parameters={RISE: (1, 2)}, log=path)


def meshes(path: Path) -> None:
    turned = Rigid(rotation=[3, t, 1, 0], translation=[0.1, 0.2, 2 - t])
    found = collide.mesh_mesh((CORNERS, FACES), (CORNERS, FACES), motions=(Rigid(), turned), time=(0, 2), log=path)
    assert found.notes and found.status is collide.Status.CONTACT and found.notes[0] in found.summary()


def bodies(path: Path) -> None:
    mesh = collide.Mesh(CORNERS, FACES)
    collide.first_contact([mesh, mesh.moved(Rigid(translation=[0.1, 0.2, 2 - t]))], (0, 2), log=path)


def ball_on_mesh(path: Path) -> None:
    """It meets the corner (0, 0, 1) at t = 2 - sqrt(1/4 - 1/25 - 1/16)."""
    found = collide.first_contact([collide.Mesh(CORNERS, FACES), BALL], (0, 3), log=path)
    assert found.time is not None and found.time[0] <= 2 - np.sqrt(0.1475) <= found.time[1]


def level_on_mesh(path: Path) -> None:
    """The same, of the ball as a level set, which is named first."""
    own = ImplicitSurface((x - sp.Rational(1, 5))**2 + (y - sp.Rational(1, 4))**2 + z**2 - sp.Rational(1, 4), [(-1, 1)] * 3)
    collide.first_contact([own.moved(Rigid(translation=[0, 0, 3 - t])), collide.Mesh(CORNERS, FACES)], (0, 3), log=path)


def far_from_mesh(path: Path) -> None:
    """From the corner (0, 0, 1) it is sqrt(4 + 1/25 + 1/16) - 1/2."""
    collide.distance(collide.Mesh(CORNERS, FACES), BALL.at(0), log=path)


def straight(path: Path) -> None:
    collide.mesh_mesh((np.stack([CORNERS, CORNERS]), FACES), (np.stack([CORNERS + [0.1, 0.2, 2], CORNERS + 0.1]), FACES), log=path)


def bent(path: Path) -> None:
    arch = ParametricSurface([u, v, (1 + t) * u**2], {u: (-1, 1), v: (0, 1)})
    collide.self_contact(arch, (0, 1), log=path)


def tube(path: Path) -> None:
    widens = ParametricSurface([(1 + t) * sp.cos(u), (1 + t) * sp.sin(u), v], {u: (0, 2 * sp.pi), v: (0, 1)})
    assert "do not meet until" in collide.self_contact(widens, (0, 1), log=path).notes[0]


def patches(path: Path) -> None:
    place = np.stack([*np.meshgrid([0, 0.5, 1.0], [0, 0.5, 1.0], indexing="ij"), np.zeros((3, 3))], axis=-1)
    lower = place + np.array([0, 0, 0.3]) * np.outer([0, 1, 0], [0, 1, 0])[..., None]
    upper = place[::-1] + [0, 0, 1] - np.array([0, 0, 0.2]) * np.outer([0, 1, 0], [0, 1, 0])[..., None]
    q = np.array([[[lower, 0 * lower], [upper, np.broadcast_to([0.1, 0, -1.5], (3, 3, 3))]]])
    assert "Logs of 1 of 1" in collide.bezier_pairs(q, log=path.parent).notes[0]
    (path.parent / "row-0.proof").rename(path)


def rows(path: Path) -> None:
    found = collide.contact_batch([PLATE, bowl(RISE)], (0, 3), parameters={RISE: np.array([1.0, 5.0])}, log=path.parent)
    assert "Logs of 2 of 2" in found.notes[0]
    assert "no point in common" in collide.check(path.parent / "row-1.proof").theorem
    (path.parent / "row-0.proof").rename(path)


def scene(name: str) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        collide.first_contact(list(SCENES[name].bodies), SCENES[name].time, log=path, **SCENES[name].options)
    return make


def levels(path: Path) -> None:
    ball = ImplicitSurface(x**2 + y**2 + z**2 - 1, [(-1.5, 1.5)] * 3)
    collide.first_contact([ball, ball.moved(Rigid(translation=[sp.Rational(1, 3), 0, 3 - t]))], (0, 2), log=path)


def ignored(path: Path) -> None:
    low = PLATE.moved(Rigid(translation=[0, 0, -1]))
    collide.first_contact([PLATE, PLATE, bowl(), low], (0, 2), ignore=[(0, 1)], log=path)


def bounces(path: Path) -> None:
    """A height with kinks, that folds."""
    height = sp.Abs(u - v) + 1 - t + sp.Max(0, t - 2) / 2
    collide.first_contact([PLATE, ParametricSurface([u, v, height], {u: (0, 1), v: (0, 1)})], (0, 2), log=path)


def distances(path: Path) -> None:
    collide.distance(PLATE, bowl().at(0), log=path)


def zeros(path: Path) -> None:
    collide.solve([x**2 + y**2 - 1, sp.sin(3 * x) - y], {x: (-2, 2), y: (-2, 2)}, at_least=[x + 1], log=path)


def double_zeros(path: Path) -> None:
    collide.solve([(x - sp.Rational(1, 3))**2 * (x + 1)], {x: (-2, 2)}, log=path)


def no_zeros(path: Path) -> None:
    collide.solve([x**2 + y**2 + 1, x - y], {x: (-2, 2), y: (-2, 2)}, log=path)


def minima(path: Path) -> None:
    collide.minimize(x**2 + y**2, {x: (-2, 2), y: (-2, 2)}, equal=[x * y - sp.Rational(1, 2)], at_least=[x + y - 1], log=path)


def infeasible(path: Path) -> None:
    collide.minimize(x + y, {x: (-2, 2), y: (-2, 2)}, equal=[x**2 + y**2 + 1], log=path)


MADE: dict[str, Callable[[Path], None]] = {
    **{name: scene(name) for name in ("pendulum-on-post", "wheel-on-step", "tori-crossed", "lens-on-ball")},
    "levels": levels, "ignored pairs": ignored, "kinks": bounces, "distances": distances, "zeros": zeros, "double zeros": double_zeros,
    "no zeros": no_zeros, "minima": minima, "infeasible": infeasible, "ranges of parameters": ranges, "clearances of ranges": clearances,
    "meshes": meshes, "bodies that are meshes": bodies, "straight meshes": straight, "a sheet that bends": bent, "a tube that widens": tube,
    "a ball on a mesh": ball_on_mesh, "a level on a mesh": level_on_mesh, "a distance of a mesh": far_from_mesh,
    "patches": patches, "rows of a batch": rows}
