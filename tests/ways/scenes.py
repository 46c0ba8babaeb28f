"""Random scenes, each given by its kind and a seed: bodies that start apart and most often meet in the middle of the time span."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from generative import ImplicitSurface, ParametricSurface, Rigid, Solid, keyframes, t

from . import shapes
from .changes import scaled_parameters
from .hostile import HOSTILE
from .motions import about, away, towards, turning
from .shapes import Draw


@dataclass(frozen=True)
class Scene:
    """Bodies over a time span. `nets` (1, 2, 2, N, M, 3) and `weights`: the same as an argument of `collide.bezier_pairs`. `time`: when
    they first meet, an exact number, "none" where they do not, None where that is not known.
    """

    kind: str
    seed: int
    bodies: tuple[Any, ...]
    span: tuple[Any, Any] = (sp.Integer(0), sp.Integer(1))
    nets: np.ndarray | None = None
    weights: np.ndarray | None = None
    time: Any = None

    @property
    def name(self) -> str:
        return f"{self.kind}:{self.seed}"

    @property
    def parametric(self) -> bool:
        return all(isinstance(b, ParametricSurface) for b in self.bodies)

    @property
    def rigid(self) -> bool:
        """Are all bodies rigid?"""
        return all(not face.deforming for b in self.bodies for face in cells(b))

    def of(self, *bodies: Any) -> "Scene":
        return Scene(self.kind, self.seed, bodies, self.span)


def cells(body: Any) -> Sequence[Any]:
    """Its parametric or implicit surfaces."""
    if isinstance(body, Solid):
        return body.faces
    return [body] if isinstance(body, (ParametricSurface, ImplicitSurface)) else body.leaves


def pair(first: Callable[[Draw], Any], second: Callable[[Draw], Any] | None = None) -> Callable[[Draw], list[Any]]:
    return lambda d: [about(d, first(d)), towards(d, (second or first)(d), away(d))]


def one_family(d: Draw) -> list[Any]:
    return pair(d.choice(shapes.SMOOTH))(d)


def families(d: Draw) -> list[Any]:
    return pair(*d.sample(shapes.SMOOTH, 2))(d)


def poles(d: Draw) -> list[Any]:
    return pair(d.choice(shapes.POLES), d.choice(shapes.POLES + shapes.SMOOTH))(d)


def creased(d: Draw) -> list[Any]:
    return pair(shapes.creased, d.choice((shapes.creased, shapes.ellipsoid, shapes.bowl)))(d)


def deforming(d: Draw) -> list[Any]:
    return pair(shapes.deforming, d.choice((shapes.deforming, *shapes.SMOOTH)))(d)


def implicit(d: Draw) -> list[Any]:
    return pair(shapes.rounded, d.choice((shapes.rounded, *shapes.SMOOTH)))(d)


def csg(d: Draw) -> list[Any]:
    return pair(shapes.csg, d.choice((shapes.csg, shapes.rounded, shapes.belt, shapes.bowl)))(d)


def solids(d: Draw) -> list[Any]:
    return pair(d.choice(shapes.SOLIDS), d.choice((*shapes.SOLIDS, shapes.ellipsoid, shapes.bowl)))(d)


def polyhedra(d: Draw) -> list[Any]:
    return pair(d.choice((shapes.hull, shapes.brick)), d.choice((shapes.hull, shapes.brick)))(d)


def kinked(d: Draw) -> list[Any]:
    """Motions by keyframes, with kinks, or with a jump."""
    first, second = about(d, d.choice(shapes.SMOOTH)(d)), d.choice((*shapes.SMOOTH, shapes.rounded))(d)
    begin, moment = away(d), d.number(0.2, 0.8)
    middle, end = d.vector(1.5), d.vector(3)
    poses = [Rigid(rotation=d.choice([None, [d.randint(1, 3), d.randint(-2, 2), 1, 0]]), translation=p, normalize=True)
             for p in (begin, middle, end)]
    kink = [sp.Piecewise((a + (b - a) * t / moment, t < moment), (b + (c - b) * (t - moment), True))
            for a, b, c in zip(begin, middle, end, strict=True)]
    jump = [sp.Piecewise((a + (b - a) * t, t < moment), (b + (c - b) * t, True)) for a, b, c in zip(begin, middle, end, strict=True)]
    bent = [a - (a - b) * sp.Abs(t - moment) for a, b in zip(d.vector(1), begin, strict=True)]
    motion = d.choice([lambda: keyframes(poses, [0, moment, 1]), lambda: Rigid(rotation=turning(d), translation=kink),
                       lambda: Rigid(translation=jump), lambda: Rigid(rotation=turning(d), translation=bent)])()
    return [first, second.moved(motion)]


def ranges(d: Draw) -> list[Any]:
    """Parameters of tiny or huge ranges, or far from zero."""
    return [scaled_parameters(b, sp.Integer(2) ** d.choice((-60, -30, -20, -3, 10, 30)), sp.Integer(2) ** d.choice((-40, -20, -3, 10, 30)),
                              d.choice((0, 0, 1000))) for b in d.choice((one_family, families, poles))(d)]


def several(d: Draw) -> list[Any]:
    """Three to five bodies, most of one family, that come from different sides."""
    family = d.choice((*shapes.SMOOTH, shapes.ellipsoid, shapes.rounded))
    made = [family(d)] * 5 if d.random() < 0.3 else [family(d) for _ in range(5)]
    count = d.randint(2, 4)
    return [about(d, made[0]), *(towards(d, made[k], [sp.Integer(k) * e for e in away(d)], 1.0 + 0.4 * k) for k in range(1, count + 1))]


def bezier(d: Draw, rational: bool = False) -> tuple[list[Any], np.ndarray, np.ndarray | None]:
    rows, columns = d.choice([(2, 2), (2, 3), (3, 3), (4, 4)])
    (p, w), (q, m) = (shapes.net(d, rows, columns) for _ in range(2))
    start = np.array([float(e) for e in away(d)]) * 0.75
    q[0] += start
    q[1] -= 2 * start - np.array([float(e) for e in d.vector(0.5)])
    nets, weights = np.stack([p, q])[None], np.stack([w, m])[None] if rational else None
    return [shapes.patch_of(nets[0, k], None if weights is None else weights[0, k]) for k in (0, 1)], nets, weights


KINDS: dict[str, Callable[[Draw], Any]] = {
    "one_family": one_family, "families": families, "poles": poles, "creased": creased, "deforming": deforming, "implicit": implicit,
    "csg": csg, "solids": solids, "polyhedra": polyhedra, "kinked": kinked, "ranges": ranges, "several": several,
    "bezier": bezier, "rational": lambda d: bezier(d, True), **HOSTILE,
}  # fmt: skip


def scene(kind: str, seed: int) -> Scene:
    """The scene of a kind and a seed, always the same."""
    drawn = KINDS[kind](Draw(f"{kind} {seed}"))
    if kind in HOSTILE:
        return Scene(kind, seed, tuple(drawn[0]), time=drawn[1])
    if isinstance(drawn, tuple):
        bodies, nets, weights = drawn
        return Scene(kind, seed, tuple(bodies), nets=nets, weights=weights)
    return Scene(kind, seed, tuple(drawn))
