"""Scenes that are hard: several contacts at once, whole curves and faces of them, near misses, bodies that begin close to each other or
overlap, many turns, slivers, edges of implicit surfaces, formulas of every function, shapes of the catalogue. Of some the time is known.
"""

from collections.abc import Sequence
from typing import Any

import sympy as sp

from generative import ImplicitSurface, ParametricSurface, Rigid, axis_angle, curve, solids, t, u, v, x, y, z
from generative.polyhedron import brick
from models.shapes import SHAPES
from models.shapes.solids import cylinder

from . import shapes
from .changes import in_units
from .motions import about, away, towards
from .shapes import SQUARE, TURN, Draw

Q = sp.Rational
Drawn = tuple[Sequence[Any], Any]
"""Bodies, and the exact time of their first contact: None where it is not known, "none" where there is no contact from 0 to 1."""


def placed(d: Draw, bodies: Sequence[Any]) -> list[Any]:
    """All turned and moved alike, or not."""
    if d.random() < 0.5:
        return list(bodies)
    turn = [d.randint(1, 4), d.randint(-3, 3), d.randint(-3, 3), d.randint(-3, 3)]
    motion = Rigid(rotation=turn, translation=d.vector(1), normalize=True)
    return [b.moved(motion) for b in bodies]


def falls(d: Draw, height: Any, drift: bool = True) -> tuple[Rigid, Any]:
    """A fall by `height`, and when it has come so far."""
    time = d.number(0.2, 0.8)
    aside = [d.number(-0.3, 0.3) * t if drift else 0 for _ in range(2)]
    path = d.choice([height * (1 - t / time), height * (1 - t**2 / time**2), height * (1 - t / time) * (1 + t / 3)])
    return Rigid(translation=[*aside, path]), time


def ball(radius: Any, implicit: bool = False) -> Any:
    if implicit:
        return ImplicitSurface(x**2 + y**2 + z**2 - radius**2, [(-2 * radius, 2 * radius)] * 3)
    return ParametricSurface([radius * sp.cos(u) * sp.cos(v), radius * sp.sin(u) * sp.cos(v), radius * sp.sin(v)],
                             {u: TURN, v: (-sp.pi / 2, sp.pi / 2)})


def slab(d: Draw) -> Any:
    """The plane z = 0, wide."""
    return d.choice([ParametricSurface([u, v, 0], {u: (-4, 4), v: (-4, 4)}), ImplicitSurface(z, [(-4, 4), (-4, 4), (-2, 2)])])


def feet(d: Draw) -> Drawn:
    """Two or four feet of one surface come down on a plane at once."""
    c, a, b = d.number(0.3, 0.8), d.number(0.3, 1.5), d.number(0.2, 1.0)
    last = (v**2 - Q(1, 4)) ** 2 if d.random() < 0.5 else v**2
    body = ParametricSurface([u, v, a * (u**2 - c**2) ** 2 + b * last], SQUARE)
    motion, time = falls(d, d.number(0.5, 2))
    return placed(d, [body.moved(motion), slab(d)]), time


def balls(d: Draw) -> Drawn:
    """Balls that come down at once, or one a little later."""
    radius, implicit = d.number(0.2, 0.5), d.random() < 0.5
    motion, time = falls(d, d.number(0.5, 2))
    raised = [Rigid(translation=[2 * k - 2, d.number(-0.5, 0.5), radius]) for k in range(d.randint(1, 3))]
    delay = d.choice((0, Q(1, 2**22), Q(1, 2**12)))
    fallen = [ball(radius, implicit).moved(r).moved(motion) for r in raised]
    fallen[1:] = [b.moved(Rigid(translation=[0, 0, delay])) for b in fallen[1:]]
    return placed(d, [slab(d), *fallen]), time


def flat(d: Draw) -> Drawn:
    """Faces land flat on faces, edges along edges, round bodies along a line or circle."""
    height = d.number(0.5, 1.5)
    motion, time = falls(d, height)
    h = d.number(0.2, 0.6)
    upright = Rigid(rotation=axis_angle([1, 0, 0], sp.pi / 2))
    tilted = Rigid(rotation=axis_angle([1, 0, 0], sp.pi / 4))
    raised = Rigid(translation=[0, 0, h])
    ring = ParametricSurface([(1 + h / 2 * sp.cos(v)) * sp.cos(u), (1 + h / 2 * sp.cos(v)) * sp.sin(u), h / 2 * sp.sin(v)],
                             {u: TURN, v: TURN})
    lifted = [brick([1, Q(1, 2), 2 * h]).moved(raised), brick([1, h, h]).moved(tilted).moved(Rigid(translation=[0, 0, h / sp.sqrt(2)])),
              cylinder(radius=h, height=1), cylinder(radius=h, height=1).moved(upright).moved(raised),
              ring.moved(Rigid(translation=[0, 0, h / 2])), cylinder(radius=h, height=2 * h)]
    under = d.choice([slab(d), brick([1, Q(1, 2), 1]).moved(Rigid(translation=[0, 0, -Q(1, 2)]))])
    return placed(d, [d.choice(lifted).moved(motion), under]), time if isinstance(under, (ParametricSurface, ImplicitSurface)) else None


def graze(d: Draw) -> Drawn:
    """Balls that pass each other, or a plane, at a small distance, or overlap by as little."""
    gap = d.choice((-1, 1)) * Q(1, 10 ** d.randint(3, 9))
    r, s = d.number(0.3, 0.8), d.number(0.3, 0.8)
    first, second = ball(r, d.random() < 0.5), ball(s, d.random() < 0.5)
    if d.random() < 0.5:
        bodies = [first.moved(Rigid(translation=[r + s + gap, 4 * t - 2, 0])), second]
        time = "none" if gap > 0 else Q(1, 2) - sp.sqrt((r + s) ** 2 - (r + s + gap) ** 2) / 4
    else:
        bodies = [first.moved(Rigid(translation=[t, 0, r + gap + 8 * (t - Q(1, 2)) ** 2])), slab(d)]
        time = "none" if gap > 0 else Q(1, 2) - sp.sqrt(-gap / 8)
    return placed(d, bodies), time


def close(d: Draw) -> Drawn:
    """A ball that begins close to another one, or a plane."""
    gap, r, s = Q(1, 10 ** d.randint(3, 8)), d.number(0.3, 0.8), d.number(0.3, 0.8)
    speed = d.choice((gap * 2, Q(1, 3), gap / 2))
    if d.random() < 0.5:
        bodies = [ball(r, d.random() < 0.5).moved(Rigid(translation=[0, 0, r + s + gap - speed * t])), ball(s, d.random() < 0.5)]
    else:
        bodies = [ball(r, d.random() < 0.5).moved(Rigid(translation=[t / 5, 0, r + gap - speed * t])), slab(d)]
    return placed(d, bodies), gap / speed if gap <= speed else "none"


def spinning(d: Draw) -> Drawn:
    """A body that turns many times."""
    family = d.choice((shapes.bowl, shapes.helicoid, shapes.brick, shapes.rounded, shapes.torus))
    turn = Rigid(rotation=axis_angle([d.randint(1, 3), d.randint(-2, 2), 1], d.number(15, 60) * t))
    return [family(d).moved(turn), towards(d, d.choice((shapes.bowl, shapes.brick, shapes.rounded))(d), away(d))], None


def slivers(d: Draw) -> Drawn:
    """A thin body and a small one."""
    thin, small = Q(1, 2 ** d.randint(3, 12)), Q(1, 2 ** d.randint(3, 10))
    body = d.choice([lambda: brick([1, 1, thin]), lambda: ParametricSurface([u, v * thin, d.number(0.1, 0.5) * u**2], SQUARE),
                     lambda: ImplicitSurface(x**2 + y**2 + z**2 / thin**2 - 1, [(-2, 2)] * 3)])()
    other = in_units(d.choice((shapes.bowl, shapes.hull, shapes.rounded, shapes.ellipsoid))(d), small, t)
    motion, _ = falls(d, 1)
    aside = Rigid(rotation=axis_angle([1, 2, 0], d.number(-1, 1)), translation=[d.number(-0.5, 0.5), d.number(-0.5, 0.5), 0])
    return placed(d, [body, other.moved(aside).moved(motion)]), None


def rims(d: Draw) -> Drawn:
    """Implicit surfaces hit where they end at their bounds."""
    h = d.number(0.3, 0.7)
    bounded = d.choice([ImplicitSurface(z - d.number(-0.3, 0.3) * x * y, [(-1, h), (-h, 1), (-1, 1)]),
                        ImplicitSurface(x**2 + y**2 + z**2 - 1, [(-2, 2), (-2, h), (-1, h)])])
    other = d.choice((lambda d: ball(Q(1, 2), True), shapes.bowl, shapes.brick, shapes.rounded))(d)
    aside = [d.choice((-1, 1)) * d.number(0.5, 1.2), d.choice((-1, 1)) * d.number(0.3, 1.2), 3 - d.number(3, 6) * t]
    return placed(d, [bounded, other.moved(Rigid(rotation=axis_angle([1, 1, 0], d.number(-1, 1)), translation=aside))]), None


def overlapping(d: Draw) -> Drawn:
    """Bodies that touch or overlap at the start: what comes together later is another question, the same where no body is changed."""
    first, second = (d.choice((shapes.brick, shapes.rounded, shapes.ellipsoid, shapes.bowl, shapes.torus))(d) for _ in range(2))
    push = [e * t for e in d.vector(4)]
    return [first, second.moved(Rigid(rotation=axis_angle([1, 2, 3], d.number(-2, 2) * t), translation=[
        a + b for a, b in zip(d.vector(0.7), push, strict=True)]))], None


def functions(d: Draw) -> Drawn:
    """Formulas of many functions, in shapes and motions."""
    a, b, c = d.number(0.2, 0.8), d.number(0.5, 2), d.number(0.2, 1)
    r = u**2 + b * v**2
    heights = [a * sp.sqrt(1 + r), a * sp.atan2(u + c / 4, 3 + v), a * sp.asin(u * v / 2), a * sp.tanh(b * u) * v, a * sp.log(1 + r),
               a * sp.cosh(c * u) - a, a * sp.sinc(b * u * v), a * (1 + r) ** c, a * sp.acos(u / 3) * v / 2, a * u**4 * v**3,
               a * sp.tan(u * c / 2), a * sp.exp(sp.sin(b * u)) / 2, a * sp.atan(b * u + v), a * sp.sqrt(2 + u) * sp.cbrt(2 + v)]
    body = ParametricSurface([u, v, d.choice(heights)], SQUARE)
    swing = a * d.choice([sp.sin(b * 5 * t), sp.atan(9 * (t - c)), sp.tanh(9 * t - 4), sp.sqrt(t + c), sp.exp(-3 * t), sp.log(1 + t)])
    other = ParametricSurface([u, v, d.choice(heights)], SQUARE)
    return [body.moved(Rigid(translation=[swing, 0, swing / 2])), towards(d, other, away(d))], None


def swept(d: Draw) -> Drawn:
    """Solids made of curves."""

    a, b = d.number(0.3, 0.7), d.number(0.3, 0.9)
    made = [lambda: solids.extruded(curve.circle(a), [b / 3, 0, b]), lambda: solids.revolved(curve.line([a, 0, 0], [b, 0, 1])),
            lambda: solids.lofted([curve.circle(a), curve.Curve([b * sp.cos(u), b * sp.sin(u), 1], TURN)]),
            lambda: shapes.can(d), lambda: shapes.pillow(d)]
    first, second = (d.choice(made)() for _ in range(2))
    return [about(d, first), towards(d, d.choice((second, shapes.bowl(d))), away(d))], None


def folding(d: Draw) -> Drawn:
    """One surface that bends until it touches itself."""
    a, b, c = d.number(0.6, 1.5), d.number(-0.3, 0.3), d.number(2, 4)
    tube = ParametricSurface([(1 - a * t * sp.cos(u + b) ** 2 * (1 - v**2 / 2)) * sp.cos(u), v + b * sp.sin(u), sp.sin(u) * (1 + v / 9)],
                             {u: TURN, v: (-1, 1)})
    around, size = u * (1 + c * t), 1 + a * u * (v + b) / 8
    roll = ParametricSurface([size * sp.sin(around), v, size * sp.cos(around)], {u: (-1, 1), v: (-a / 4, a / 4)})
    fold = ParametricSurface([u - 3 * a * t * sp.sin(c * u), v, sp.cos(c * u / 2 + 1) + b * u * v], {u: (-2, 2), v: (-1, 1)})
    crumpled = shapes.net(d, 3, 3)[0] * [[[[1]]], [[[6]]]]
    return [d.choice((tube, roll, fold, shapes.patch_of(crumpled, None)))], None


CATALOGUE = [name for name in SHAPES if not name.startswith(("teapot", "thread", "bolt", "nut", "gear", "involute"))]


def catalogue(d: Draw) -> Drawn:
    """Shapes of the catalogue, all of about one size."""
    bodies = []
    for name in d.sample(CATALOGUE, 2):
        box = SHAPES[name].facts().get("box", [(-1, 1)] * 3)
        size = max(abs(float(e)) for ends in box for e in ends)
        bodies.append(in_units(SHAPES[name].make(), Q(round(2**10 / size), 2**10), t))
    if d.random() < 0.3:
        bodies[1] = d.choice((shapes.hull, shapes.rounded, shapes.bowl))(d)
    return [about(d, bodies[0]), towards(d, bodies[1], away(d))], None



HOSTILE = {f.__name__: f for f in (feet, balls, flat, graze, close, spinning, slivers, rims, overlapping, functions, swept, folding,
                                    catalogue)}
