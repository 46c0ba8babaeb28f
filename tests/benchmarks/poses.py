"""First contact in random poses: how much the time of a query depends on how bodies stand.

Tilted: a scene of `models` turned and moved as a whole at random, the origins of its parameters shifted, so that no contact lies at a
dyadic parameter or along an axis. Flying: each body of it turned at random, the first one coming from a random direction past the other.
"""

import functools
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy as sp

import collide
from generative import ParametricSurface, Rigid, t, u
from models.scenes import SCENES
from models.shapes.rings import bumpy_sphere, torus

from .contact import apart
from .timing import table

POSES, SEED, CALLS = 12, 7, 12


def main() -> None:
    makers = {"crossed tori, tilted": crossed, "crossed tori, flying": functools.partial(flying, turned_tori),
              "bumpy pair, tilted": bumpy, "bumpy pair, flying": functools.partial(flying, bumpy_balls), "torus on torus, tilted": stacked}
    table(f"First contact in {POSES} random poses: milliseconds of a warm call, and of the search alone",
          ["", "min", "median", "max", "search: min", "median", "max", "boxes: min", "median", "max", "contacts", "unproved points"],
          [_row(name, maker) for name, maker in makers.items()])


def _row(name: str, maker: Callable[[np.random.Generator], tuple[list[Any], Any, dict[str, Any]]]) -> list[Any]:
    rng = np.random.default_rng(SEED)
    found = [measured(*maker(rng)) for _ in range(POSES)]
    whole, search, boxes, points, unproved = np.array(found).T
    spread = [f(column) for column in (1e3 * whole, 1e3 * search, boxes) for f in (np.min, np.median, np.max)]
    return [name, *map(float, spread[:6]), *map(int, spread[6:]), int((points > 0).sum()), int(unproved.sum())]


def measured(bodies: list[Any], span: Any, options: dict[str, Any]) -> tuple[float, float, int, int, int]:
    """Of the fastest of several calls: seconds, those of the search; boxes, points, and those not proved."""
    best, search = np.inf, np.inf
    for _ in range(CALLS):
        with apart() as share:
            begin = time.perf_counter()
            c = collide.first_contact(bodies, time=span, **options)
            seconds = time.perf_counter() - begin
        best, search = min(best, seconds), min(search, share["run"])
    return best, search, c.iterations, len(c.points), int((~c.proved).sum())


# -- poses --------------------------------------------------------------------------------------------------------


def rotation(rng: np.random.Generator) -> list[sp.Rational]:
    """Any rotation, as a quaternion of rationals to be normalized."""
    return [sp.Rational(int(x), 1000) for x in np.round(1000 * rng.normal(size=4))]


def shift(rng: np.random.Generator) -> sp.Expr:
    """A multiple of sqrt(2), up to about two."""
    return sp.sqrt(2) * sp.Rational(int(rng.integers(-1400, 1400)), 1000)


def tilt(rng: np.random.Generator) -> Rigid:
    return Rigid(rotation=rotation(rng), translation=[shift(rng) for _ in range(3)], normalize=True)


def turned_tori(rng: np.random.Generator) -> list[ParametricSurface]:
    return [torus(u_origin=shift(rng), v_origin=shift(rng)) for _ in range(2)]


def bumpy_balls(rng: np.random.Generator) -> list[ParametricSurface]:
    """The shapes of the scene bumpy-pair."""
    pair = bumpy_sphere(), bumpy_sphere(radius=sp.Rational(4, 5), around=3)
    return [ParametricSurface(ball.body, ball.domain | {u: tuple(end + move for end in ball.domain[u])})
            for ball in pair for move in [shift(rng)]]


def crossed(rng: np.random.Generator) -> tuple[list[Any], Any, dict[str, Any]]:
    return moved_as("tori-crossed", turned_tori(rng), rng)


def bumpy(rng: np.random.Generator) -> tuple[list[Any], Any, dict[str, Any]]:
    return moved_as("bumpy-pair", bumpy_balls(rng), rng)


def stacked(rng: np.random.Generator) -> tuple[list[Any], Any, dict[str, Any]]:
    ring = [torus(major=2, minor=sp.Rational(1, 2), u_origin=shift(rng), v_origin=shift(rng)) for _ in range(2)]
    return moved_as("torus-on-torus", ring, rng)


def moved_as(name: str, shapes: Sequence[ParametricSurface], rng: np.random.Generator) -> tuple[list[Any], Any, dict[str, Any]]:
    """Other bodies with the motions of a scene, tilted as a whole."""
    scene, whole = SCENES[name], tilt(rng)
    bodies = [shape.moved(body.motion).moved(whole) for shape, body in zip(shapes, scene.bodies, strict=True)]
    return bodies, scene.time, scene.options


def flying(shapes: Callable[[np.random.Generator], list[ParametricSurface]],
           rng: np.random.Generator) -> tuple[list[Any], Any, dict[str, Any]]:
    """Both bodies stand at random; the first one comes at unit speed from a random direction, to pass the middle of the second one
    within 1.
    """
    first, second = (body.moved(Rigid(rotation=rotation(rng), normalize=True)) for body in shapes(rng))
    along, aside = (sp.Matrix(rotation(rng)[:3]) for _ in range(2))
    way = along * ((sp.Rational(15, 4) - t) / along.norm()) + aside * (shift(rng) / 2 / aside.norm())
    return [first.moved(Rigid(translation=list(way))), second], (0, 5), SCENES["bumpy-pair"].options
