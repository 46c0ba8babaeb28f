"""The questions whose answers are kept: every scene of `models`, also displaced, one of each other query, and the runs of `runs`.

An answer is a table of strings: numbers as hexadecimal doubles, arrays as a digest of their bytes, so that equal means the same bits.
Numbers are drawn without functions of NumPy whose last bits depend on the processor; only runs use such.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

import codegen
import collide
from generative import Parameter, ParametricSurface, Rigid, t, u, v, x, y, z
from models.scenes import SCENES
from models.scenes.scene import Scene

from . import runs

Answer = dict[str, str]
HALF = sp.Rational(1, 2)


def digest(array: Any) -> str:
    """As `runs.digest`; all NaN are one number, too."""
    values = np.asarray(array, float)
    return runs.digest(np.where(np.isnan(values), np.nan, values))


def exact(number: float) -> str:
    return float(number).hex()


def contacts(c: collide.Contacts) -> Answer:
    """All of an answer but what it took; normals, which are approximate, to nine digits."""
    return {
        "status": c.status.name, "time": "none" if c.time is None else f"{exact(c.time[0])} {exact(c.time[1])}",
        "clear_until": exact(c.clear_until), "start": " ".join(state.name for state in c.start.values()),
        "proved": f"{int(c.proved.sum())} of {len(c)}, {int(c.existence.sum())} exist", "points": digest(c.points),
        "normals": digest(np.round(c.normals, 9)), "pairs": digest(c.pairs),
        "features": "; ".join(sorted({" on ".join(f) for f in c.features})),
        "boxes": digest(np.concatenate([np.ravel(box) for box in c.boxes]) if len(c.boxes) else []), "iterations": str(c.iterations),
    }  # fmt: skip


def scene(given: Scene, moved: Rigid | None = None) -> Answer:
    bodies = [body if moved is None else body.moved(moved) for body in given.bodies]
    query = collide.first_contact if len(bodies) > 1 else collide.self_contact
    return contacts(query(bodies, time=given.time, **given.options))


def batch(r: Any) -> Answer:
    return {"status": " ".join(f"{s.name}:{int((r.status == s).sum())}" for s in collide.Status), "time": digest(r.time),
            "proved": digest(r.proved), "parameters": digest(r.parameters), "tests": digest(r.tests)}


def bezier(order: int, rational: bool) -> Answer:
    random = np.random.default_rng(order)
    q = random.normal(0, 0.4, (40, 2, 2, order + 1, order + 1, 3))
    q[:, :, 0, ..., :2] += np.stack(np.meshgrid(*[np.linspace(-1, 1, order + 1)] * 2, indexing="ij"), -1)
    q[:, 1, 0, ..., 2] += 2.5
    q[:, 1, 1, ..., 2] -= 4.0
    weights = random.uniform(0.5, 2, (40, 2, order + 1, order + 1)) if rational else None
    return batch(collide.bezier_pairs(q, 1e-8, weights=weights))


def linear(query: Callable[..., Any]) -> Answer:
    random = np.random.default_rng(8)
    q = random.normal(0, 1, (400, 8, 3))
    q[:, 4:] = q[:, :4] + random.normal(0, 2, (400, 4, 3))
    return batch(query(q))


def rows() -> Answer:
    height, bend = Parameter("height"), Parameter("bend")
    ball = ParametricSurface([sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v), sp.sin(v)], {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})
    field = ParametricSurface([2 * u, 2 * v, bend * (u**2 + v**2 - u * v / 3)], {u: (-1, 1), v: (-1, 1)})
    values = {height: np.linspace(1.5, 3.5, 24), bend: np.linspace(-0.5, 0.5, 24)}
    return batch(collide.contact_batch([ball.moved(Rigid(translation=[HALF / 2, HALF / 5, height - t])), field], (0, 2), parameters=values))


def zeros() -> Answer:
    found = collide.solve([x**2 + y**2 - 4, sp.sin(3 * x) - y], {x: (-3, 3), y: (-3, 3)})
    return {"status": found.status.name, "boxes": digest(found.boxes), "proved": digest(found.proved), "iterations": str(found.iterations)}


def minimum() -> Answer:
    found = collide.minimize((1 - x)**2 + 100 * (y - x**2)**2, {x: (-2, 2), y: (-2, 2)}, at_least=[1 - x**2 - y**2])
    return {"status": found.status.name, "bracket": f"{exact(found.bracket[0])} {exact(found.bracket[1])}", "boxes": digest(found.boxes),
            "iterations": str(found.iterations)}


def kernel() -> Answer:
    formulas = [sp.sin(x * y) + sp.exp(z) / (x**2 + 1), sp.sqrt(x + 3) * sp.atan(y) - sp.Abs(z), sp.log(y + 4) ** 3, x**HALF]
    random = np.random.default_rng(3)
    middle, reach = random.uniform(-2, 2, (200, 3)), np.ldexp(random.uniform(1, 2, (200, 1)), random.integers(-20, 0, (200, 1)))
    k = codegen.compile(formulas, [x, y, z])
    slopes = k.jacobian().interval(middle - reach, middle + reach)
    return {"bounds": digest(k.decorated(middle - reach, middle + reach)[:2]), "slopes": digest(slopes), "points": digest(k.points(middle))}


AWAY = Rigid(translation=[sp.Rational(3, 1009), sp.Rational(-5, 1013), sp.Rational(7, 1019)])
MOVED = ("tori-crossed", "bumpy-pair", "wheel-on-step", "implicit-tori-crossed", "cylinder-on-cylinder")
QUERIES: dict[str, Callable[[], Answer]] = {
    **{name: lambda given=given: scene(given) for name, given in SCENES.items()},
    **{f"{name}, displaced": lambda name=name: scene(SCENES[name], AWAY) for name in MOVED},
    **{f"bezier_pairs, order {n}{', rational' * rational}": lambda n=n, rational=rational: bezier(n, rational)
       for n in (1, 2, 3) for rational in (False, True)},
    "edge_edge": lambda: linear(collide.edge_edge), "vertex_face": lambda: linear(collide.vertex_face),
    "contact_batch": rows, "solve": zeros, "minimize": minimum, "kernel": kernel,
    **{name: lambda made=made: runs.run(made()) for name, made in runs.RUNS.items()},
}  # fmt: skip
