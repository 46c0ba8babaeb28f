"""Cost of the first call: scenes of `models` and two hundred different bodies, each in a fresh process with an empty cache on disk.

Seconds of the processor, one thread: building the bodies, the first call, the second one, which compiles what both used much,
and the fastest of the next three.
"""

import tempfile
from typing import Any

import sympy as sp

from generative import Rigid, axis_angle, t
from models.scenes import SCENES
from models.shapes.quadrics import ellipsoid, sphere
from models.shapes.rings import torus

from .timing import fresh, table

_SHAPES = (lambda k: sphere(radius=sp.Rational(1, 2) + sp.Rational(k % 9, 50)),
           lambda k: ellipsoid(semiaxes=(sp.Rational(1, 2), sp.Rational(2, 5) + sp.Rational(k % 7, 30), sp.Rational(3, 5))),
           lambda k: torus(major=sp.Rational(1, 2), minor=sp.Rational(1, 5) + sp.Rational(k % 5, 60)))
_TERMS = (t, t**2, sp.sin(t), sp.cos(2 * t), t**3 / 5, sp.exp(-t), sp.sqrt(1 + t**2))
_AXES = ([0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0], [1, 2, 3], [0, 1, 1], [1, 0, 2])

_RUN = """
import time
from tests.benchmarks.cold import bodies_and_options
clock = time.thread_time
import collide
def call():
    begin = clock()
    (collide.first_contact if len(bodies) > 1 else collide.self_contact)(bodies, **options)
    return clock() - begin
begin = clock()
bodies, options = bodies_and_options({name!r})
print(clock() - begin)
first, second = call(), call()
print(first, second, min(call() for _ in range(3)))
"""


def main() -> None:
    rows = []
    for name in [*SCENES, "two hundred bodies"]:
        with tempfile.TemporaryDirectory() as directory:
            rows.append([name, *fresh(_RUN.format(name=name), GENERATIVE_COLLISION_CACHE=directory)])
    table("Seconds from nothing (target: bodies and first call under 3)", ["scene", "bodies", "first call", "second call", "then"], rows)


def bodies_and_options(name: str) -> tuple[list[Any], dict[str, Any]]:
    if name not in SCENES:
        return two_hundred(), {"time": (0, 2)}
    scene = SCENES[name]
    return list(scene.bodies), {"time": scene.time, **scene.options}


def two_hundred() -> list[Any]:
    """Spheres, ellipsoids and tori of several sizes that move in 71 ways, among them rotations about seven axes, inside a large torus."""
    places = [(2 * (k % 14), 2 * (k // 14 % 7), 4 + 4 * (k // 98) + sp.Rational(k, 53)) for k in range(199)]
    return [*(_SHAPES[k % 3](k).moved(_motion(k % 71, place)) for k, place in enumerate(places)), torus(major=20, minor=1)]


def _motion(kind: int, place: Any) -> Rigid:
    turn, shift = _TERMS[kind % 7], _TERMS[kind // 7 % 7]
    to = [place[0] + shift / 3, place[1] + sp.Rational(kind % 5, 28) * turn, place[2] - t * (1 + sp.Rational(kind % 3, 5))]
    if kind % 4 == 0:
        return Rigid(translation=to)
    return Rigid(rotation=axis_angle(_AXES[kind // 10 % 7], turn + sp.Rational(kind, 11)), translation=to)
