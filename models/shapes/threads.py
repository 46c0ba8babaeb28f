"""Threads: rounded ones as implicit bodies, the 60-degree thread of bolts and nuts as solids, and flanks of square threads."""

from typing import Any

import sympy as sp

from generative import ImplicitBody, ImplicitSurface, ParametricSurface, Solid, sew, u, v, x, y, z
from generative.solids import capped
from generative.symbols import exact

from .facts import Facts, centred, shape
from .polyhedra import _prism_facts
from .quadrics import TURN

# -- rounded threads: every section at right angles to the axis is a circle whose centre winds about the axis ------------


def _thread(radius: Any, depth: Any, pitch: Any, bounds: Any) -> ImplicitSurface:
    """(x - depth cos k z)^2 + (y - depth sin k z)^2 = radius^2 with k = 2 pi / pitch."""
    angle = 2 * sp.pi * z / pitch
    return ImplicitSurface((x - depth * sp.cos(angle)) ** 2 + (y - depth * sp.sin(angle)) ** 2 - radius**2, bounds)


def _rod_facts(radius: Any = 1, depth: Any = sp.Rational(1, 8), pitch: Any = sp.Rational(1, 2), length: Any = 2) -> Facts:
    radius, depth = exact(radius), exact(depth)
    return {"volume": sp.pi * radius**2 * length, "closed": True,
            "box": [*centred(radius + depth, radius + depth), (0, length)]}


@shape(_rod_facts, source="R. Moineau, 1930: the rotor of the progressing cavity pump; volume: Cavalieri's principle", signed="depth pitch")
def threaded_rod(*, radius: Any = 1, depth: Any = sp.Rational(1, 8), pitch: Any = sp.Rational(1, 2), length: Any = 2) -> ImplicitBody:
    """A right-handed rounded thread between z = 0 and `length`: (x - depth cos k z)^2 + (y - depth sin k z)^2 = radius^2, k = 2 pi/pitch.

    By Cavalieri its volume is that of a cylinder.
    """
    out = sp.Rational(9, 8) * (exact(radius) + depth)
    bounds = [*centred(out, out), (-exact(length) / 8, sp.Rational(9, 8) * length)]
    return _thread(radius, depth, pitch, bounds) & ImplicitSurface(-z, bounds) & ImplicitSurface(z - length, bounds)


def _nut_facts(radius: Any = 1, depth: Any = sp.Rational(1, 8), pitch: Any = sp.Rational(1, 2), width: Any = 2,
               height: Any = sp.Rational(3, 4)) -> Facts:
    hexagon = _prism_facts(6, width, height)["volume"]
    return {"volume": hexagon - sp.pi * exact(radius) ** 2 * height, "closed": True}


@shape(_nut_facts, source="made for this catalogue for `threaded_rod`", signed="depth pitch")
def nut(*, radius: Any = 1, depth: Any = sp.Rational(1, 8), pitch: Any = sp.Rational(1, 2), width: Any = 2,
        height: Any = sp.Rational(3, 4)) -> ImplicitBody:
    """A hexagon with its corners `width` from the z axis, 0 <= z <= height, without a threaded hole.

    The hole is (x - depth cos k z)^2 + (y - depth sin k z)^2 < radius^2, k = 2 pi / pitch, as in `threaded_rod`.
    """
    out = sp.Rational(9, 8) * exact(width)
    bounds = [*centred(out, out), (-exact(height) / 8, sp.Rational(9, 8) * height)]
    inner = exact(width) * sp.sqrt(3) / 2
    turns = [sp.pi / 6 + sp.pi * k / 3 for k in range(6)]
    result: ImplicitBody = ImplicitSurface(-z, bounds) & ImplicitSurface(z - height, bounds)
    for a in turns:
        result = result & ImplicitSurface(x * sp.cos(a) + y * sp.sin(a) - inner, bounds)
    return result - _thread(radius, depth, pitch, bounds)


# -- the thread of bolts and nuts ------------------------------------------------------------------------------------------

THREAD = "Ponamgi et al. 1995, Section 5.1, after Nicolson and Fearing 1991; flank angle: ISO 68-1; profile: our own, see `profile`"
"""Source of the thread of bolt and nut."""

SIXTY = sp.sqrt(3)
"""Slope of a flank that stands at 30 degrees to the radius."""


def profile(phase: Any, *, pitch: Any, root: Any) -> tuple[Any, Any, Any]:
    """(height, amplitude, k) of a rounded 60-degree thread over the mean radius, at the phase 2 pi s / pitch from a crest.

    height = H asin(k cos(phase)), amplitude = H asin(k), with H k = sqrt(3) pitch / (2 pi), so that the flanks are as steep as those
    of a 60-degree thread, and k^2 = 1 - 12 pi^2 (root / pitch)^2, so that crests and roots have the radius of curvature `root`.

    Section 5.1 of Ponamgi et al. 1995 says of the thread of Nicolson and Fearing: a profile with rounded crest and root is wrapped in
    a helix about a cylinder; its variables are the pitch p, the basic major diameter d of the internal thread, the allowance a d with
    0 <= a <= 1, and the radius r of root and crest; it is piecewise in position and pitch. These four are `pitch`, `major`, `allowance`
    and `root` here, and the bolt is smaller than the nut by the allowance. The paper prints neither the pieces nor an angle:
    that of 60 degrees is the standard one (ISO 68-1), and the one analytic formula in place of pieces is ours.
    """
    ratio = exact(root) / pitch
    if not 0 < ratio < 1 / (2 * SIXTY * sp.pi):
        raise ValueError(f"the radius of crests and roots must be above 0 and below 0.0919 pitches, got {root} for the pitch {pitch}")
    k = sp.sqrt(1 - 12 * sp.pi**2 * ratio**2)
    size = SIXTY * exact(pitch) / (2 * sp.pi * k)
    return size * sp.asin(k * sp.cos(phase)), size * sp.asin(k), k


def _section(mean: Any, pitch: Any, root: Any) -> Any:
    """Area of a section at right angles to the axis: the integral of rho^2 / 2, with that of asin(k cos)^2 = pi Li_2(k^2)."""
    k = profile(0, pitch=pitch, root=root)[2]
    size = SIXTY * exact(pitch) / (2 * sp.pi * k)
    return sp.pi * mean**2 + size**2 * sp.pi * sp.polylog(2, k**2) / 2


def _bolt_means(major: Any, pitch: Any, root: Any, allowance: Any) -> tuple[Any, Any]:
    """Mean radii of bolt and nut: the nut's thread reaches major / 2, the bolt's is smaller by allowance major / 2."""
    nut_mean = exact(major) / 2 - profile(0, pitch=pitch, root=root)[1]
    return nut_mean - exact(allowance) * major / 2, nut_mean


def _bolt_facts(major: Any = 2, pitch: Any = sp.Rational(1, 2), root: Any = sp.Rational(1, 32), allowance: Any = sp.Rational(1, 50),
                length: Any = 2) -> Facts:
    reach = exact(major) * (1 - exact(allowance)) / 2
    return {"volume": _section(_bolt_means(major, pitch, root, allowance)[0], pitch, root) * length, "closed": True,
            "radius_range": (0, sp.sqrt(reach**2 + exact(length) ** 2)), "box": [*centred(reach, reach), (0, length)]}


@shape(_bolt_facts, source=THREAD, signed="allowance")
def bolt(*, major: Any = 2, pitch: Any = sp.Rational(1, 2), root: Any = sp.Rational(1, 32), allowance: Any = sp.Rational(1, 50),
         length: Any = 2) -> Solid:
    """The threaded shaft of a bolt, right-handed, 0 <= z <= `length`: (rho cos u, rho sin u, z), two flat ends and two rims.

    rho = mean + H asin(k cos(2 pi z / pitch - u)) with H and k as in `profile`. `major` is the basic major diameter of
    the internal thread, `allowance` times that is what the bolt's diameter is smaller, `root` the radius of roots and crests.
    """
    mean, _ = _bolt_means(major, pitch, root, allowance)
    rho = mean + profile(2 * sp.pi * v / pitch - u, pitch=pitch, root=root)[0]
    thread = ParametricSurface([rho * sp.cos(u), rho * sp.sin(u), v], {u: TURN, v: (0, length)})
    return capped(thread, (0, 0, 0), (0, 0, length))


def _bolt_nut_facts(major: Any = 2, pitch: Any = sp.Rational(1, 2), root: Any = sp.Rational(1, 32), outer: Any = sp.Rational(8, 5),
                    height: Any = 1) -> Facts:
    _, mean = _bolt_means(major, pitch, root, 0)
    return {"volume": (sp.pi * exact(outer) ** 2 - _section(mean, pitch, root)) * height, "closed": True,
            "box": [*centred(outer, outer), (0, height)]}


@shape(_bolt_nut_facts, source=THREAD)
def bolt_nut(*, major: Any = 2, pitch: Any = sp.Rational(1, 2), root: Any = sp.Rational(1, 32), outer: Any = sp.Rational(8, 5),
             height: Any = 1) -> Solid:
    """A round nut for `bolt`, of the outer radius `outer`, 0 <= z <= `height`: thread, rim and two rings between them.

    The thread is (rho cos u, rho sin u, z) with rho = mean + H asin(k cos(2 pi z / pitch - u)), H and k as in `profile`; its crests
    reach the radius major / 2.
    """
    _, mean = _bolt_means(major, pitch, root, 0)

    def rho(at: Any) -> Any:
        return mean + profile(2 * sp.pi * at / pitch - u, pitch=pitch, root=root)[0]

    thread = ParametricSurface([rho(v) * sp.cos(u), rho(v) * sp.sin(u), v], {u: TURN, v: (0, height)}, flipped=True)
    rim = ParametricSurface([outer * sp.cos(u), outer * sp.sin(u), v], {u: TURN, v: (0, height)})
    rings = []
    for at, upwards in ((0, False), (height, True)):
        across = (1 - v) * rho(at) + v * outer
        rings.append(ParametricSurface([across * sp.cos(u), across * sp.sin(u), at], {u: TURN, v: (0, 1)}, flipped=upwards))
    return sew([thread, rim, *rings])


# -- square threads ----------------------------------------------------------------------------------------------------


def _thread_flank_facts(inner: Any = sp.Rational(4, 5), outer: Any = 1, pitch: Any = 1, turns: Any = (0, 2), crown: Any = 0,
                        downwards: bool = False) -> Facts:
    inner, outer, c = exact(inner), exact(outer), exact(pitch) / (2 * sp.pi)
    if crown:
        return {}
    rho = sp.Symbol("rho", positive=True)
    area = sp.integrate(sp.sqrt(rho**2 + c**2), (rho, inner, outer)) * 2 * sp.pi * (exact(turns[1]) - turns[0])
    return {"area": area, "box": [*centred(outer, outer), (pitch * exact(turns[0]), pitch * exact(turns[1]))]}


@shape(_thread_flank_facts, source="MathWorld: Helicoid", signed="pitch turns crown downwards")
def thread_flank(*, inner: Any = sp.Rational(4, 5), outer: Any = 1, pitch: Any = 1, turns: Any = (0, 2), crown: Any = 0,
                 downwards: bool = False) -> ParametricSurface:
    """A flank of a square thread, the helicoid (v cos u, v sin u, pitch u / (2 pi)); with `crown` it rises by crown (v - middle)^2.

    The normal looks up, or down for the flank of a nut.
    """
    middle = (exact(inner) + outer) / 2
    height = exact(pitch) * u / (2 * sp.pi) + crown * (v - middle) ** 2
    start, end = (2 * sp.pi * exact(k) for k in turns)
    return ParametricSurface([v * sp.cos(u), v * sp.sin(u), height], {u: (start, end), v: (inner, outer)}, flipped=not downwards)
