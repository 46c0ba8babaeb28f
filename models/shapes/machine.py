"""Machine parts: gear teeth, cams, threads, races, and solids sewn from their faces."""

from typing import Any

import sympy as sp

from generative import Curve, ParametricSurface, Solid, curve, sew, solids, sweep, u, v
from generative.solids import capped
from generative.symbols import exact

from .facts import Facts, centred, shape
from .quadrics import TURN, sphere
from .solids import disc

GEARS = "F. Litvin and A. Fuentes, Gear Geometry and Applied Theory, 2004, Chapter 10; MathWorld: Circle Involute"
ROLL = (sp.Rational(1, 5), sp.Rational(19, 20))


def involute(base: Any = 1, turn: Any = 0, roll: Any = ROLL) -> Curve:
    """The involute of a circle of radius `base` from the angle `turn` on, u the roll angle: tangent to radii at its cusp u = 0.

    base (cos w + u sin w, sin w - u cos w) with w = u + turn.
    """
    w = u + turn
    return Curve([base * (sp.cos(w) + u * sp.sin(w)), base * (sp.sin(w) - u * sp.cos(w)), 0], roll)


def _flank_facts(base: Any = 1, turn: Any = 0, width: Any = sp.Rational(1, 2), crown: Any = 0, roll: Any = ROLL) -> Facts:
    lo, hi = (exact(e) for e in roll)
    facts: Facts = {"radius_range": (base * sp.sqrt(1 + lo**2), sp.sqrt(base**2 * (1 + hi**2) + exact(width) ** 2 / 4))}
    return facts | ({} if crown else {"area": base * (hi**2 - lo**2) / 2 * width})


@shape(_flank_facts, source=GEARS, symmetry="mirror z", signed="turn crown roll")
def involute_flank(*, base: Any = 1, turn: Any = 0, width: Any = sp.Rational(1, 2), crown: Any = 0,
                   roll: Any = ROLL) -> ParametricSurface:
    """One flank of a spur gear's tooth, |z| <= width/2, seen from inside the tooth's gap: the normal looks along the line of action.

    (base (cos w + u sin w), base (sin w - u cos w), v) with w = u + turn.
    With `crown` the flank recedes by turning: `turn` grows by crown z^2, so that it bulges in the middle.
    """
    w, half = u + turn + crown * v**2, exact(width) / 2
    body = [base * (sp.cos(w) + u * sp.sin(w)), base * (sp.sin(w) - u * sp.cos(w)), v]
    return ParametricSurface(body, {u: roll, v: (-half, half)})


def _tooth_facts(base: Any = 1, half_angle: Any = sp.Rational(1, 4), width: Any = sp.Rational(1, 2), roll: Any = ROLL) -> Facts:
    lower = involute(base, -half_angle, roll)
    section = sp.integrate(sp.expand(-2 * lower.expressions[1] * lower.tangent[0]), (u, *lower.domain))
    return {"volume": section * width, "closed": True}


@shape(_tooth_facts, source=GEARS, symmetry="mirror y", signed="roll")
def gear_tooth(*, base: Any = 1, half_angle: Any = sp.Rational(1, 4), width: Any = sp.Rational(1, 2), roll: Any = ROLL) -> Solid:
    """A tooth about the x axis between two involute flanks that start `half_angle` from it, cut flat at root and tip, 0 <= z <= width.

    Its flanks are involutes, base (cos w + u sin w, sin w - u cos w) with w = u - half_angle, and the mirror image in y = 0.
    Section by Gauss' theorem: minus two integrals of y dx along the lower flank.
    """
    lower = involute(base, -exact(half_angle), roll)
    upper = Curve([lower.expressions[0], -lower.expressions[1], 0], lower.domain)
    up = [0, 0, width]
    ends = [[c.at(e) for c in (lower, upper)] for e in lower.domain]
    root, tip = (sweep.extrude(curve.line(*pair), up) for pair in ends)
    flanks = [sweep.extrude(lower, up), _flipped(sweep.extrude(upper, up))]
    floor = sweep.ruled(lower, upper)
    roof = sweep.ruled(*(Curve([*c.expressions[:2], width], c.domain) for c in (lower, upper)))
    return sew([*flanks, _flipped(root), tip, _flipped(floor), roof])


def _flipped(surface: ParametricSurface) -> ParametricSurface:
    return ParametricSurface(surface.body, surface.domain, flipped=not surface.flipped)


def _cam_facts(base: Any = 1, lift: Any = sp.Rational(1, 2), width: Any = sp.Rational(1, 2)) -> Facts:
    base, lift = exact(base), exact(lift)
    return {"volume": sp.pi * ((base + lift / 2) ** 2 + lift**2 / 8) * width, "closed": True,
            "radius_range": (0, sp.sqrt((base + lift) ** 2 + exact(width) ** 2))}


@shape(_cam_facts, source="simple harmonic lift, as in J. Uicker, G. Pennock and J. Shigley, Theory of Machines and Mechanisms",
       symmetry="mirror y", signed="lift")
def cam(*, base: Any = 1, lift: Any = sp.Rational(1, 2), width: Any = sp.Rational(1, 2)) -> Solid:
    """A harmonic cam, 0 <= z <= width: rho = base + lift (1 - cos u) / 2, with two rims."""
    rho = base + exact(lift) * (1 - sp.cos(u)) / 2
    side = sweep.extrude(Curve([rho * sp.cos(u), rho * sp.sin(u), 0], TURN), [0, 0, width])
    return capped(side, (0, 0, 0), (0, 0, width))


def _bar_facts(a: Any = 1, b: Any = sp.Rational(1, 2), power: int = 4, length: Any = 2) -> Facts:
    e = sp.Rational(1, power)
    return {"volume": 4 * a * b * sp.gamma(1 + e) ** 2 / sp.gamma(1 + 2 * e) * length, "closed": True,
            "box": [*centred(a, b), (0, length)]}


@shape(_bar_facts, source="MathWorld: Superellipse", symmetry="mirror x, mirror y")
def rounded_bar(*, a: Any = 1, b: Any = sp.Rational(1, 2), power: int = 4, length: Any = 2) -> Solid:
    """An upright bar over a superellipse (x/a)^p + (y/b)^p = 1, with two rims."""
    return capped(sweep.extrude(curve.superellipse(a, b, power), [0, 0, length]), (0, 0, 0), (0, 0, length))


def _frustum_facts(bottom: Any = 1, top: Any = sp.Rational(1, 2), height: Any = 1) -> Facts:
    bottom, top, height = (exact(e) for e in (bottom, top, height))
    wide, slant = sp.Max(bottom, top), sp.sqrt((bottom - top) ** 2 + height**2)
    return {"area": sp.pi * (bottom**2 + top**2 + (bottom + top) * slant), "closed": True, "box": [*centred(wide, wide), (0, height)],
            "volume": sp.pi * height * (bottom**2 + bottom * top + top**2) / 3}


@shape(_frustum_facts, source="MathWorld: Conical Frustum", symmetry="mirror x, turn", signed="bottom top")
def frustum(*, bottom: Any = 1, top: Any = sp.Rational(1, 2), height: Any = 1) -> Solid:
    """rho <= bottom + (top - bottom) z / height, 0 <= z <= height, rho^2 = x^2 + y^2: a round cone without its tip."""
    side = sweep.revolve(curve.line([bottom, 0, 0], [top, 0, height]))
    return sew([side, disc(bottom, 0, upwards=False), disc(top, height, upwards=True)])


def _capsule_facts(radius: Any = sp.Rational(1, 2), length: Any = 1) -> Facts:
    return {"area": 2 * sp.pi * radius * length + 4 * sp.pi * radius**2, "closed": True,
            "volume": sp.pi * radius**2 * length + sp.Rational(4, 3) * sp.pi * radius**3,
            "box": [*centred(radius, radius), (-radius, length + radius)]}


@shape(_capsule_facts, source="Wikipedia: Capsule (geometry)", symmetry="mirror x, turn")
def capsule(*, radius: Any = sp.Rational(1, 2), length: Any = 1) -> Solid:
    """The points no farther than `radius` from the segment (0, 0, 0) to (0, 0, length): a cylinder with hemispheres at both ends.

    Normals agree along its two edges.
    """
    return solids.capsule(radius, length)


def _half_ball_facts(radius: Any = 1) -> Facts:
    return {"area": 3 * sp.pi * radius**2, "volume": sp.Rational(2, 3) * sp.pi * radius**3, "closed": True,
            "box": [*centred(radius, radius), (0, radius)]}


@shape(_half_ball_facts, source="MathWorld: Hemisphere", symmetry="mirror x, turn")
def half_ball(*, radius: Any = 1) -> Solid:
    """x^2 + y^2 + z^2 <= radius^2, z >= 0."""
    dome = ParametricSurface(sphere(radius=radius).body, {u: TURN, v: (0, sp.pi / 2)})
    return sew([dome, disc(radius, 0, upwards=False)])


def _raceway_facts(major: Any = 1, groove: Any = sp.Rational(2, 5), half_angle: Any = sp.pi / 3) -> Facts:
    reach = major + groove
    return {"area": 4 * sp.pi * groove * (major * half_angle + groove * sp.sin(half_angle)),
            "box": centred(reach, reach, groove * sp.sin(half_angle))}


@shape(_raceway_facts, source="MathWorld: Torus, Pappus's Centroid Theorem", symmetry="mirror x, mirror z, turn")
def raceway(*, major: Any = 1, groove: Any = sp.Rational(2, 5), half_angle: Any = sp.pi / 3) -> ParametricSurface:
    """The outer race of a ball bearing: the zone |v| <= half_angle of a torus, seen from inside the tube. Area by Pappus.

    ((R + r cos v) cos u, (R + r cos v) sin u, r sin v) with R = `major` and r = `groove`.
    """
    across = major + groove * sp.cos(v)
    return ParametricSurface([across * sp.cos(u), across * sp.sin(u), groove * sp.sin(v)],
                             {u: TURN, v: (-half_angle, half_angle)}, flipped=True)
