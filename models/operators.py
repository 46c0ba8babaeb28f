"""One example of every operator of `generative`, to be looked at: curves, surfaces, solids, implicit bodies, motions.

`sheet` shows them in a notebook; the gallery and the tests of inclusion functions run through the same entries.
"""

import html
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from generative import (
    Curve,
    Motion,
    Rigid,
    Screw,
    axis_angle,
    curve,
    deform,
    euler,
    interpolate_poses,
    keyframes,
    patch,
    polyhedron,
    primitives,
    sew,
    solids,
    sweep,
    t,
    u,
    v,
    x,
    y,
    z,
)
from generative.fit import (
    chebyshev_curve,
    chebyshev_motion,
    chebyshev_motion_of,
    interpolating_curve,
    motion_through,
    rotation_minimizing_up,
)
from generative.polyhedron import brick
from generative.thumbnail import thumbnail

from .shapes.quadrics import sphere
from .shapes.rings import torus
from .shapes.swept import vase

HALF, TURN = sp.Rational(1, 2), (0, 2 * sp.pi)
THIN = sp.Rational(1, 12)
KNOT = Curve([sp.sin(u) + 2 * sp.sin(2 * u), sp.cos(u) - 2 * sp.cos(2 * u), -sp.sin(3 * u)], TURN)
ROOTS = sp.sqrt(2) / 2
POINTS = [[1, 0, 0], [0, 2, HALF], [-1, 0, 1], [0, -2, HALF]]
NET = [[[i, j, 3 * (0 < i < 3) * (0 < j < 3) - i * HALF] for j in range(4)] for i in range(4)]
SECTIONS = [Curve([*c.expressions[:2], k], TURN) for k, c in enumerate([curve.circle(), curve.superellipse(1, 2, 6), curve.circle(HALF)])]


def wire(path: Curve, up: Any = (HALF, sp.Rational(1, 3), 1)) -> Any:
    """A curve is shown as a thin tube about it."""
    return sweep.sweep(curve.circle(THIN), path, up=up)


def wires(pieces: list[Curve]) -> list[Any]:
    return [wire(p) for p in pieces]


def evenly(path: Curve) -> list[Any]:
    """A curve at constant speed, with balls at equal steps of its parameter."""
    even, ball = path.by_arc_length(), sphere(radius=2 * THIN)
    places = [even.at(even.domain[1] * sp.Rational(k, 6)) for k in range(7)]
    return [*(ball.moved(Rigid(translation=p)) for p in places), wire(even)]


CURVES: dict[str, Callable[[], Any]] = {
    "line": lambda: wire(curve.line([0, 0, 0], [2, 1, 1])), "arc": lambda: wire(curve.arc(1, 0, sp.pi)),
    "circle": lambda: wire(curve.circle()), "ellipse": lambda: wire(curve.ellipse(2, 1)),
    "superellipse": lambda: wire(curve.superellipse(2, 1, 6)), "helix": lambda: wire(curve.helix(1, 1, 3)),
    "polynomial": lambda: wire(curve.polynomial([[0, 0, 0], [2, 0, 0], [0, 3, -1], [0, -2, 2]])),
    "bezier": lambda: wire(curve.bezier([[0, 0, 0], [1, 3, 0], [2, -2, 1], [3, 1, 0]])),
    "rational bezier": lambda: wire(curve.bezier([[1, 0, 0], [1, 1, 0], [0, 1, 0]], weights=[1, 1, 2])),
    "b_spline": lambda: wires(curve.b_spline([[0, 0, 0], [1, 2, 0], [2, -1, 1], [3, 2, 0], [4, 0, 0]], [0, 0, 0, 0, 1, 2, 2, 2, 2], 3)),
    "nurbs": lambda: wires(curve.b_spline([[1, 0, 0], [1, 1, 0], [0, 1, 0], [-1, 1, 0], [-1, 0, 0]], [0, 0, 0, 1, 1, 2, 2, 2], 2,
                                          weights=[1, ROOTS, 1, ROOTS, 1])),
    "chebyshev": lambda: wire(curve.chebyshev([[0, 0, 0], [2, 0, 1], [0, 1, 0], [0, 0, HALF]])),
    "interpolating_curve": lambda: wires(interpolating_curve(POINTS, closed=True).value),
    "chebyshev_curve": lambda: wire(chebyshev_curve(lambda s: np.stack([s, np.exp(-s * s), np.sin(3 * s) / 3], 1), (-1, 1),
                                                    tolerance=1e-2).value),
    "by_arc_length": lambda: evenly(curve.polynomial([[0, 0, 0], [2, 0, 0], [0, 0, 4]])),
    "polygon": lambda: wires(curve.polygon([[0, 0, 0], [2, 0, 0], [2, 1, 0], [0, 2, 1]])),
    "piecewise": lambda: wire(curve.piecewise([curve.line([0, 0, 0], [2, 0, 0]), curve.arc(2, 0, 1).onto((1, 2))])),
}
SURFACES: dict[str, Callable[[], Any]] = {
    "extrude": lambda: sweep.extrude(curve.superellipse(2, 1, 4), [0, 0, 1]), "revolve": vase,
    "ruled": lambda: sweep.ruled(curve.circle(), Curve([2 * sp.cos(u + 1), 2 * sp.sin(u + 1), 2], TURN)),
    "loft": lambda: sweep.loft(SECTIONS),
    "profile_product": lambda: sweep.profile_product(curve.superellipse(1, 1, 6), Curve([1 + u * (1 - u), 0, 2 * u], (0, 1))),
    "sweep": lambda: sweep.sweep(curve.circle(HALF), curve.arc(2, 0, 4), scale=1 + u / 4),
    "sweep, least turning": lambda: sweep.sweep(curve.superellipse(HALF, HALF / 4, 4), KNOT,
                                                up=rotation_minimizing_up(KNOT, tolerance=1e-4).value),
    "wire_product": lambda: sweep.wire_product(curve.ellipse(HALF / 3, HALF), curve.helix(1, 2, 2)),
    "affine_sweep": lambda: sweep.affine_sweep(curve.circle(), [[1 + u, 0, 0], [0, 1 - u / 2, 0], [u, 0, 1]],
                                               curve.line([0, 0, 0], [0, 0, 2])),
    "rail_product": lambda: sweep.rail_product(Curve([sp.cos(u), sp.sin(u), 0], (0, sp.pi)), curve.line([0, 0, 0], [3, 0, 0]),
                                               curve.line([0, 1, 0], [3, 3, 0])),
    "offset": lambda: [sweep.offset(vase(), sp.Rational(1, 5)), vase()],
    "reparameterize": lambda: sweep.reparameterize(sweep.height_field(u * v, (0, 1), (0, 1)), u, u * v, {u: (0, 1), v: (0, 1)}),
    "interpolate": lambda: sweep.interpolate(sphere(), torus(), HALF),
    "height_field": lambda: sweep.height_field(sp.sin(3 * u * v) / 4, (-1, 1), (-1, 1)),
    "bezier_patch": lambda: patch.bezier_patch(NET),
    "bezier_triangle": lambda: patch.bezier_triangle([row[:4 - i] for i, row in enumerate(NET)]),
    "b_spline_patches": lambda: patch.b_spline_patches(NET, [0, 0, 0, 1, 2, 2, 2], [0, 0, 0, 1, 2, 2, 2], (2, 2)),
    "scale": lambda: deform.scale(torus(), (2, 1, 1)),
    "twist": lambda: deform.twist(sweep.extrude(curve.superellipse(1, HALF, 4), [0, 0, 3]), HALF),
    "taper": lambda: deform.taper(sweep.extrude(curve.circle(), [0, 0, 2]), 1 - z / 3),
    "bend": lambda: deform.bend(sweep.height_field(0, (-1, 1), (-HALF, HALF)), sp.Rational(3, 2)),
    "deform": lambda: deform.deform(sphere(), [x, y + x**2 / 2, z]),
}
SOLIDS: dict[str, Callable[[], Any]] = {
    "extruded": lambda: solids.extruded(curve.superellipse(2, 1, 4), [0, 1, 1]),
    "revolved": lambda: solids.revolved(Curve([1 + u * (1 - u), 0, 2 * u], (0, 1))),
    "lofted": lambda: solids.lofted(SECTIONS),
    "swept": lambda: solids.swept(curve.circle(HALF), curve.helix(1, 2, sp.Rational(3, 4)), scale=1 - u / 8),
    "sew": lambda: sew([deform.twist(f, HALF) for f in brick((1, 1, 3)).faces]),
    "polyhedron": lambda: polyhedron([(0, 0, 0), (2, 0, 0), (0, 2, 0), (0, 0, 2)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]),
}
IMPLICIT: dict[str, Callable[[], Any]] = {
    "half_space": lambda: primitives.half_space((1, 0, 2), size=1), "ball": primitives.ball, "round_cylinder": primitives.round_cylinder,
    "round_cone": primitives.round_cone, "block": primitives.block,
    "union": lambda: primitives.ball() | primitives.ball(1, (1, 0, 0)),
    "intersection": lambda: primitives.ball() & primitives.ball(1, (1, 0, 0)),
    "moved, then united": lambda: primitives.block() | primitives.block().moved(Rigid(rotation=axis_angle([0, 0, 1], sp.pi / 4))),
    "difference": lambda: primitives.block((2, 2, 2)) - primitives.ball(1, (1, -1, 1)),
    "blend_union": lambda: primitives.blend_union(primitives.ball(), primitives.ball(HALF, (sp.Rational(5, 4), 0, 0)), width=HALF,
                                                  bounds=[(-2, 2)] * 3),
    "blend_intersection": lambda: primitives.blend_intersection(primitives.ball(), primitives.ball(1, (1, 0, 0)), width=HALF),
    "blend_difference": lambda: primitives.blend_difference(primitives.ball(), primitives.ball(HALF, (1, 0, 0)), width=HALF / 4),
}
TIMES = np.linspace(0, 1, 40)
POSES = [Rigid(translation=[0, 0, 0]), Rigid(rotation=axis_angle([0, 0, 1], sp.pi / 2), translation=[2, 0, 0]),
         Rigid(rotation=axis_angle([1, 0, 0], sp.pi / 2), translation=[2, 2, 1])]
TRAJECTORY = (np.stack([np.cos(TIMES), 0 * TIMES, 0 * TIMES, np.sin(TIMES)], 1),
              np.stack([3 * TIMES, 0 * TIMES, 4 * TIMES * (1 - TIMES)], 1))


def flight(at: Any) -> tuple[Any, Any]:
    """A throw with a turn, as an ODE solver would return it."""
    zero = 0 * at
    return np.stack([np.cos(at), zero, np.sin(at), zero], 1), np.stack([3 * at, zero, 4 * at * (1 - at)], 1)


MOTIONS: dict[str, Callable[[], Any]] = {
    "Rigid, translation": lambda: Rigid(translation=[3 * t, 0, 2 * t * (1 - t)]),
    "Rigid, axis and angle": lambda: Rigid(rotation=axis_angle([0, 0, 1], 2 * t), translation=[0, 2 * t, 0]),
    "Rigid, Euler angles": lambda: Rigid(rotation=euler("XYZ", [t, 2 * t, 0]), translation=[2 * t, 0, 0]),
    "Rigid, matrix": lambda: Rigid(rotation=[[0, -1, 0], [1, 0, 0], [0, 0, 1]], translation=[0, 2 * t, t]),
    "a motion @ a motion": lambda: Screw([0, 0, 1], angle=2 * t) @ Rigid(translation=[2, 0, t]),
    "inverse": lambda: Screw([0, 0, 1], [1, 0, 0], 4 * t, 2 * t).inverse(),
    "Rigid, quaternion": lambda: Rigid(rotation=[1, t, 0, t], translation=[3 * t, 0, 0]),
    "Screw": lambda: Screw([0, 0, 1], [1, 0, 0], 4 * t, 2 * t), "interpolate_poses": lambda: interpolate_poses(POSES[0], POSES[2]),
    "keyframes": lambda: keyframes(POSES, [0, HALF, 1]), "chebyshev_motion": lambda: chebyshev_motion(TIMES.tolist(), *TRAJECTORY).value,
    "chebyshev_motion_of": lambda: chebyshev_motion_of(flight, (0, 1), tolerance=1e-4).value,
    "motion_through": lambda: motion_through(TIMES[::13].tolist(), *(a[::13] for a in TRAJECTORY)).value,
    "seen_from": lambda: Rigid(translation=[2, 0, 0]).seen_from(Screw([0, 0, 1], angle=2 * t)),
}


@dataclass(frozen=True)
class PictureSheet:
    """Small captioned pictures, shown side by side in a notebook."""

    pictures: tuple[str, ...]

    def _repr_html_(self) -> str:
        return (f'<div style="display:grid;grid-template-columns:repeat(auto-fill,160px);gap:8px;text-align:center;font-size:11.5px">'
                f"{''.join(self.pictures)}</div>")


def sheet(entries: dict[str, Callable[[], Any]]) -> PictureSheet:
    """The pictures of entries such as `CURVES` or `MOTIONS`; a motion is shown as a brick that it carries from t = 0 to 1."""
    return PictureSheet(tuple(picture(name, make()) for name, make in entries.items()))


def picture(name: str, value: Any) -> str:
    """A captioned picture of a body, of several bodies, or of a motion."""
    moving = isinstance(value, Motion)
    bodies = [brick().moved(value)] if moving else value if isinstance(value, list) else [value]
    drawn = thumbnail(bodies, [k / 5 for k in range(6)] if moving else [0.0], size=150)
    return f'<figure style="margin:0">{drawn}<figcaption>{html.escape(name)}</figcaption></figure>'
