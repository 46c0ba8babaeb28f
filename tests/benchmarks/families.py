"""Families of pairs of surfaces in general motion: a formula, and draws of its numbers and of the boxes that are searched."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy as sp

from collide.bodies.parts import faces_of
from collide.search.problem import Problem
from collide.situations.contact import situation
from generative import Parameter, ParametricSurface, Rigid, t, u, v

SEED = 1


@dataclass(frozen=True)
class Family:
    """Patches of one formula: `body` in u, v and `symbols`, and t where they deform; and a draw of the values of the symbols and of the
    domain.
    """

    name: str
    symbols: tuple[sp.Symbol, ...]
    body: tuple[Any, Any, Any]
    draw: Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]]

    @property
    def forms(self) -> tuple[bool, ...]:
        """Known to be rigid, or in any motion."""
        return (False,) if any(sp.sympify(e).has(t) for e in self.body) else (True, False)


def wavy() -> Family:
    """r (a cos u cos v, b sin u cos v, c sin v), r = 1 + w sin(3 u + p) sin(4 v + q): about a third of it."""
    a, b, c, w, p, q = symbols = sp.symbols("a b c w p q", real=True)
    r = 1 + w * sp.sin(3 * u + p) * sp.sin(4 * v + q)
    body = r * a * sp.cos(u) * sp.cos(v), r * b * sp.sin(u) * sp.cos(v), r * c * sp.sin(v)

    def draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        first = rng.uniform([-np.pi, -1.2], [np.pi, 0.0])
        values = [*rng.uniform(0.5, 1.0, 3), rng.uniform(0.05, 0.15), *rng.uniform(0, 2 * np.pi, 2)]
        return np.array(values), np.stack([first, first + rng.uniform(0.8, 1.6, 2)], axis=1)

    return Family("wavy ellipsoid patches", symbols, body, draw)


def bicubic() -> Family:
    """Sums of Bernstein polynomials with control points uniform in [-0.6, 0.6]."""
    points = sp.symbols("p0:48", real=True)

    def basis(s: Any) -> list[Any]:
        return [(1 - s)**3, 3 * s * (1 - s)**2, 3 * s**2 * (1 - s), s**3]

    rows = [[sum(b * points[12 * i + 3 * j + k] for j, b in enumerate(basis(v))) for k in range(3)] for i in range(4)]
    body = tuple(sum(b * rows[i][k] for i, b in enumerate(basis(u))) for k in range(3))

    def draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        return rng.uniform(-0.6, 0.6, 48), np.array([[0.0, 1.0], [0.0, 1.0]])

    return Family("bicubic patches", points, body, draw)  # type: ignore[arg-type]


def swinging() -> Family:
    """Bicubic patches each of whose control points swings by up to 0.2 in every coordinate."""
    base = bicubic()
    swings, paces = sp.symbols("d0:48", real=True), sp.symbols("w0:16", real=True)
    moved = {p: p + swings[k] * sp.sin(paces[k // 3] * t) for k, p in enumerate(base.symbols)}

    def draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        values, box = base.draw(rng)
        return np.concatenate([values, rng.uniform(-0.2, 0.2, 48), rng.uniform(1, 6, 16)]), box

    x, y, z = (e.xreplace(moved) for e in base.body)
    return Family("swinging bicubic patches", (*base.symbols, *swings, *paces), (x, y, z), draw)


def twisting() -> Family:
    """Bicubic patches twisted about an axis, up to 1 radian a unit of length."""
    base = bicubic()
    rate = sp.Symbol("twist", real=True)
    (x, y, z), angle = base.body, rate * t * base.body[2]

    def draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        values, box = base.draw(rng)
        return np.append(values, rng.uniform(-1, 1)), box

    turned = x * sp.cos(angle) - y * sp.sin(angle), x * sp.sin(angle) + y * sp.cos(angle), z
    return Family("twisting bicubic patches", (*base.symbols, rate), turned, draw)


MOTION = sp.symbols("x y z angle rate push px py pz qx qy qz sx sy sz", real=True)


def motion() -> tuple[list[Any], list[Any]]:
    """Rotation about a unit axis by angle + rate t + push t^2, and translation p + q t + s t^2."""
    x, y, z, angle, rate, push, *moves = MOTION
    c, s = sp.cos(angle + t * (rate + push * t)), sp.sin(angle + t * (rate + push * t))
    rotation = [c + (1 - c) * x * x, (1 - c) * x * y - s * z, (1 - c) * x * z + s * y,
                (1 - c) * x * y + s * z, c + (1 - c) * y * y, (1 - c) * y * z - s * x,
                (1 - c) * x * z - s * y, (1 - c) * y * z + s * x, c + (1 - c) * z * z]
    return rotation, [moves[k] + t * (moves[3 + k] + t * moves[6 + k]) for k in range(3)]


def drawn_motion(rng: np.random.Generator) -> np.ndarray:
    """Any turn, up to 2 radians in the time; no translation."""
    axis = rng.normal(size=3)
    return np.array([*(axis / np.linalg.norm(axis)), rng.uniform(0, 2 * np.pi), rng.uniform(-2, 2), rng.uniform(-1, 1), *np.zeros(9)])


def drawn_pair(family: Family, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The first patch comes from 1.5 away or further and flies by the second, so that their middles pass within about a half at
    half time, with an acceleration of about a half in every coordinate.
    """
    shapes = [family.draw(rng) for _ in range(2)]
    moves = [drawn_motion(rng) for _ in range(2)]
    middles = [_middle(family)(*box.mean(axis=1), 0.5, *values, *move) for (values, box), move in zip(shapes, moves, strict=True)]
    push = rng.normal(size=3) * 0.5
    speed = rng.normal(size=3)
    speed *= rng.uniform(3, 5) / np.linalg.norm(speed)
    moves[0][12:15], moves[0][9:12] = push, speed - push
    moves[0][6:9] = np.ravel(middles[1]) - np.ravel(middles[0]) + 0.5 * rng.normal(size=3) - 0.5 * (speed - push) - 0.25 * push
    return np.concatenate([shapes[0][0], moves[0], shapes[1][0], moves[1]]), np.concatenate([shapes[0][1], shapes[1][1], [[0.0, 1.0]]])


@functools.cache
def _middle(family: Family) -> Callable[..., Any]:
    """The position as a function of u, v, t and all numbers."""
    rotation, translation = motion()
    position = [sum(rotation[3 * k + j] * family.body[j] for j in range(3)) + translation[k] for k in range(3)]
    return sp.lambdify([u, v, t, *family.symbols, *MOTION], position)  # type: ignore[no-any-return]


def surfaces(family: Family, rigid: bool = True) -> tuple[list[ParametricSurface], list[list[Parameter]]]:
    """Both patches of a pair, and for each the parameters that stand for its numbers, then those for the ends of its domain. Their motion
    is given apart, or else in the formula of a deforming surface.
    """
    names = [*family.symbols, *MOTION]
    bodies, symbols = [], []
    for side in (1, 2):
        own = [Parameter(f"{s}_{side}") for s in (*names, "u0", "u1", "v0", "v1")]
        at, ends = dict(zip(names, own, strict=False)), own[len(names):]
        rotation, translation = ([e.xreplace(at) for e in part] for part in motion())
        moves = Rigid(sp.Matrix(3, 3, rotation), translation)
        body = [sp.sympify(e).xreplace(at) for e in family.body]
        still = ParametricSurface(body if rigid else moves.apply(body), {u: ends[:2], v: ends[2:]})
        bodies.append(still.moved(moves) if rigid else still)
        symbols.append(own)
    return bodies, symbols


def problem(family: Family, rigid: bool) -> Problem:
    """Two patches of the family, known to be rigid or not, over time [0, 1]; the numbers of both as parameters."""
    bodies, symbols = surfaces(family, rigid)
    whole = situation(*(faces_of(body)[0] for body in bodies), (0, 1), symbols=tuple(tuple(own[:-4]) for own in symbols))
    # Closed patches stand for their borders: there is no tangency at their sides.
    return replace(whole, border=np.array([[1, 1]] * 4 + [[0, 0]]))


def asked(family: Family, numbers: np.ndarray, boxes: np.ndarray) -> tuple[list[ParametricSurface], dict[Parameter, np.ndarray]]:
    """Both bodies, and the values of their parameters in all pairs."""
    bodies, symbols = surfaces(family)
    values = np.split(numbers, 2, axis=1)
    columns = [np.column_stack([values[k], boxes[:, 2 * k:2 * k + 2].reshape(-1, 4)]).T for k in (0, 1)]
    return bodies, {s: row for own, rows in zip(symbols, columns, strict=True) for s, row in zip(own, rows, strict=True)}


def drawn(family: Family, count: int, seed: int = SEED) -> tuple[np.ndarray, np.ndarray]:
    """Parameters (count, p) and boxes (count, 5, 2)."""
    rng = np.random.default_rng(seed)
    pairs = [drawn_pair(family, rng) for _ in range(count)]
    return np.array([numbers for numbers, _ in pairs]), np.array([box for _, box in pairs])
