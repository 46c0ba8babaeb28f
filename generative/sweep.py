"""Surfaces from curves: extrusion, revolution, ruled surfaces, profile products and sweeps along a path.

Curves that are seen to make only a line or a point raise ValueError (`generative.sampled`).
In every surface here the parameter u runs along the (first) curve and v across it, except where its docstring says otherwise.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import sympy as sp

from .curve import Curve
from .sampled import check_range, two_dimensional
from .surface import ParametricSurface
from .symbols import derivative, double, formula, interval, items, parameters_of, simplified, t, text, u, v, vector

# The sine of an angle that is no rounding.
_ASIDE = 1e-6


def extrude(curve: Curve, direction: Any) -> ParametricSurface:
    """C(u) + v direction, v from 0 to 1. A counterclockwise outline extruded upwards has its normal outwards."""
    _check_curves("extrude", curve)
    step = vector(direction, [t], "a direction of extrusion")
    if all(e.is_zero for e in step):
        raise ValueError("the direction of extrusion must not be the zero vector")
    if not _goes_aside(curve, step) and all(e.expand().is_zero for e in _cross(curve.tangent, step)):
        raise ValueError("the curve must not run along the direction of extrusion everywhere: that makes no surface")
    return ParametricSurface([c + v * d for c, d in zip(curve.expressions, step, strict=True)], {u: curve.domain, v: (0, 1)})


def _goes_aside(curve: Curve, step: Sequence[Any]) -> bool:
    """Whether two points of a curve of numbers alone are clearly not on a line along `step`."""
    lo, hi = curve.domain
    chord = [b - a for a, b in zip(*([e.xreplace({u: at}) for e in curve.expressions] for at in (lo, lo + (hi - lo) / 3)), strict=True)]
    if not all(e.is_number and e.is_real for e in (*chord, *step)):
        return False
    way, along = ([double(e) for e in given] for given in (chord, step))
    return bool(math.hypot(*_cross(way, along)) > _ASIDE * math.hypot(*way) * math.hypot(*along) > 0.0)


def revolve(profile: Curve, angle: Any = (0, 2 * sp.pi)) -> ParametricSurface:
    """The profile, a curve in the half-plane x >= 0, y = 0, turned about the z axis; u is the angle, v runs along the profile.

    A profile that runs upwards has its normal outwards.
    """
    _check_curves("revolve", profile)
    across, depth, height = profile.at(v)
    if not depth.is_zero:
        raise ValueError(f"the profile of a surface of revolution must lie in the plane y = 0, got y = {text(depth)}")
    _check_half_plane(profile)
    return ParametricSurface([across * sp.cos(u), across * sp.sin(u), height], {u: angle, v: profile.domain})


def ruled(first: Curve, second: Curve) -> ParametricSurface:
    """(1 - v) first(u) + v second(u), v from 0 to 1; the second is mapped linearly onto the domain of the first."""
    _check_curves("ruled", first, second)
    other = second.onto(first.domain)
    body = [a + v * (b - a) for a, b in zip(first.expressions, other.expressions, strict=True)]
    return two_dimensional("ruled", ParametricSurface(body, {u: first.domain, v: (0, 1)}))


def loft(sections: Sequence[Curve], *, at: Sequence[Any] | None = None) -> ParametricSurface:
    """The surface of least degree in v through the sections: v is the section's place in `at`, by default 0, 1, 2, ...

    The others are mapped linearly onto the domain of the first. (Lagrange's interpolation; with more than five or so sections
    it swings out, and several lofts joined are better.)
    """
    if len(items(sections, "the sections of a loft")) < 2 or not all(isinstance(c, Curve) for c in sections):
        raise ValueError(f"a loft needs at least two sections, each a Curve, got {len(sections)}")
    given = range(len(sections)) if at is None else items(at, "the places of the sections")
    places = [formula(e, [], "the place of a section") for e in given]
    if len(places) != len(sections) or any(b <= a for a, b in pairwise(places)):
        raise ValueError(f"a loft needs increasing places, one a section, got {text(places)} for {len(sections)} sections")
    curves = [c.onto(sections[0].domain).expressions for c in sections]
    weights = [sp.prod([(v - b) / (a - b) for b in places if b != a]) for a in places]
    body = [sum(w * c[i] for w, c in zip(weights, curves, strict=True)) for i in range(3)]
    return two_dimensional("loft", ParametricSurface(body, {u: sections[0].domain, v: (places[0], places[-1])}))


def profile_product(section: Curve, profile: Curve) -> ParametricSurface:
    """The section (in the plane z = 0) scaled by the profile's x and raised by its z (Snyder and Kajiya 1992): u, then v."""
    _check_curves("profile_product", section, profile)
    scale, _, height = profile.at(v)
    a, b, _ = section.expressions
    surface = ParametricSurface([scale * a, scale * b, height], {u: section.domain, v: profile.domain})
    return two_dimensional("profile_product", surface)


def sweep(section: Curve, path: Curve, *, up: Any = (0, 0, 1), scale: Any = 1) -> ParametricSurface:
    """The section carried along the path: path(u) + scale (section_x side + section_y top), v along the section.

    top is the unit vector at right angles to the path and nearest to `up`, and side is tangent x top: the path must nowhere run
    along `up`, which may be a vector of expressions of u. For a path in a plane at right angles to `up` this frame does not
    twist; `generative.fit.rotation_minimizing_up` makes an `up` for any path. `scale` is an expression of u. A counterclockwise
    section has its normal outwards.
    """
    _check_curves("sweep", section, path)
    tangent, upward = path.tangent, vector(up, [u, t], "the up direction of a sweep")
    size = formula(scale, [u, t], "the scale of a sweep")
    side = _cross(tangent, upward)
    if all(e.is_zero for e in side):
        raise ValueError("the path of a sweep must not run along its up direction; give another up")
    side, along = _unit(side), _unit(tangent)
    top = _cross(side, along)
    a, b, _ = section.at(v)
    body = [p + size * (a * s + b * h) for p, s, h in zip(path.expressions, side, top, strict=True)]
    return two_dimensional("sweep", ParametricSurface(body, {u: path.domain, v: section.domain}))


def wire_product(section: Curve, path: Curve, *, scale: Any = 1) -> ParametricSurface:
    """The section carried along the path in its Frenet frame: path(u) + scale (section_y B - section_x N).

    N is the principal normal and B = T x N the binormal, so the path must nowhere be straight. The same as `sweep` with the up
    direction path' x path''; the frame turns with the torsion of the path.
    """
    _check_curves("wire_product", section, path)
    first, second = path.tangent, [derivative(e, u) for e in path.tangent]
    binormal = [sp.trigsimp(e) if sp.count_ops(e) < 40 else e for e in _cross(first, second)]
    if all(e.is_zero for e in binormal):
        raise ValueError("a straight path has no Frenet frame; use sweep with an up direction")
    return sweep(section, path, up=binormal, scale=scale)


def affine_sweep(section: Curve, matrix: Any, path: Curve) -> ParametricSurface:
    """matrix(u) section(v) + path(u), `matrix` 3 x 3 of expressions of u and t: u along the path, v along the section.

    (The general affine product of Snyder and Kajiya 1992.) Which way the normal points depends on the matrix.
    """
    _check_curves("affine_sweep", section, path)
    given = items(matrix.tolist() if hasattr(matrix, "tolist") else matrix, "the matrix of an affine sweep, its rows,")
    rows = [vector(row, [u, t], "a row of the matrix") for row in given]
    if len(rows) != 3:
        raise ValueError(f"an affine sweep needs a 3 x 3 matrix, got {len(rows)} rows")
    shape = section.at(v)
    body = [p + sum(m * s for m, s in zip(row, shape, strict=True)) for p, row in zip(path.expressions, rows, strict=True)]
    return two_dimensional("affine_sweep", ParametricSurface(body, {u: path.domain, v: section.domain}))


def rail_product(section: Curve, first: Curve, second: Curve) -> ParametricSurface:
    """The section, which should run from x = -1 to x = 1 in the plane z = 0, hung between two rails: u along the rails.

    middle(u) + section_x half(u) + section_y |half(u)| (0, 0, 1), with half of the way from the first rail to the second.
    """
    _check_curves("rail_product", section, first, second)
    other = second.onto(first.domain)
    half = [(b - a) / 2 for a, b in zip(first.expressions, other.expressions, strict=True)]
    width = sp.sqrt(sum(e**2 for e in half))
    a, b, _ = section.at(v)
    middle = [p + h for p, h in zip(first.expressions, half, strict=True)]
    body = [m + a * h + (b * width if k == 2 else 0) for k, (m, h) in enumerate(zip(middle, half, strict=True))]
    return two_dimensional("rail_product", ParametricSurface(body, {u: first.domain, v: section.domain}))


def offset(surface: ParametricSurface, distance: Any) -> ParametricSurface:
    """The surface moved along its unit normal by `distance`, a number or an expression of u, v and t."""
    _check_surfaces("offset", surface)
    normal = _unit(surface.body_normal)
    amount = formula(distance, [u, v, t], "an offset")
    return _like(surface, [s + amount * n for s, n in zip(surface.body, normal, strict=True)])


def reparameterize(surface: ParametricSurface, new_u: Any, new_v: Any, domain: Any, *, beyond: bool = False) -> ParametricSurface:
    """surface(new_u(u, v), new_v(u, v)) over `domain`: for instance a triangle, by new_v = v u.

    New parameters that are seen to leave the domain of the surface on a grid of 17 x 17 points raise ValueError, unless `beyond` is
    true; between these points nothing is checked. The formula is used wherever the new parameters lead.
    """
    _check_surfaces("reparameterize", surface)
    change = {u: formula(new_u, [u, v], "a parameter"), v: formula(new_v, [u, v], "a parameter")}
    result = ParametricSurface([e.xreplace(change) for e in surface.body], domain, flipped=surface.flipped, motion=surface.motion,
                               name=surface.name)
    for s in () if beyond else (u, v):
        check_range(s, change[s], surface.domain[s], result.domain)
    return two_dimensional("reparameterize", result)


def interpolate(first: ParametricSurface, second: ParametricSurface, share: Any) -> ParametricSurface:
    """(1 - share) first + share second in the world, `share` a number or an expression of u, v and t.

    The domain of the second is mapped linearly onto that of the first.
    """
    _check_surfaces("interpolate", first, second)
    weight = formula(share, [u, v, t], "a share")
    change = {}
    for s in (u, v):
        (lo, hi), (a, b) = first.domain[s], second.domain[s]
        change[s] = s if (lo, hi) == (a, b) else a + (s - lo) * (b - a) / (hi - lo)
    other = [e.xreplace(change) for e in second.expressions]
    return ParametricSurface([a + weight * (b - a) for a, b in zip(first.expressions, other, strict=True)], first.domain,
                             flipped=first.flipped)


def height_field(height: Any, x_range: Any, y_range: Any) -> ParametricSurface:
    """(u, v, height(u, v)), the normal upwards."""
    return ParametricSurface([u, v, height], {u: interval(x_range, "the range of x"), v: interval(y_range, "the range of y")})


def _check_curves(operator: str, *curves: Any) -> None:
    for c in curves:
        if not isinstance(c, Curve):
            raise TypeError(f"{operator} takes curves (generative.Curve), got a {type(c).__name__}")


def _check_surfaces(operator: str, *surfaces: Any) -> None:
    for s in surfaces:
        if not isinstance(s, ParametricSurface):
            raise TypeError(f"{operator} takes parametric surfaces, got a {type(s).__name__}")


def _check_half_plane(profile: Curve) -> None:
    """Refuse a profile that lies on the axis or is seen, at sampled points and t = 0, to cross it; not where it contains a `Parameter`."""
    lo, hi = profile.domain
    if parameters_of(profile.expressions[0], lo, hi):
        return
    across = [float(sp.re(sp.N(profile.expressions[0].subs({u: lo + (hi - lo) * sp.Rational(k, 16), t: 0})))) for k in range(17)]
    if profile.expressions[0].is_zero:
        raise ValueError("the profile of a surface of revolution must not lie on the z axis")
    size = max(map(abs, across))
    if min(across) < -1e-9 * size:
        raise ValueError(f"the profile of a surface of revolution must keep to x >= 0, but reaches x = {min(across):.6g}")


def _cross(a: Any, b: Any) -> list[Any]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def _unit(a: Any) -> list[Any]:
    length = sp.sqrt(simplified(sum(e**2 for e in a)))
    return [e / length for e in a]


def _like(surface: ParametricSurface, body: Any) -> ParametricSurface:
    """A surface with another body and the same domain, orientation and motion."""
    return ParametricSurface(body, surface.domain, flipped=surface.flipped, motion=surface.motion, name=surface.name)
