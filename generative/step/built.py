"""Faces of the kernel made from formulas over rectangles: its curves and surfaces, and the borders of planes."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..surface import ParametricSurface
from ..symbols import u, v
from .kernel import modelling, opencascade
from .recognized import CONSTANT, COSINE, LINEAR, ROUNDING, SINE, Powers, RevolvedForm, Terms, net, normal_of_plane, terms, turn, value

# The kernel's own distance below which points are one, mm.
_SAME_POINT = 1e-7

Range = tuple[float, float]
"""Those of a parameter of the kernel at the lower and at the upper end of a parameter of a formula."""


class Arc(NamedTuple):
    """A Geom_Curve from one of its parameters to another, which may be less."""

    curve: Any
    ends: Range

    def point(self, share: float) -> np.ndarray:
        return array(self.curve.Value((1.0 - share) * self.ends[0] + share * self.ends[1]))

    def edge(self) -> Any:
        """The TopoDS_Edge, run through as the arc is."""
        made = modelling().make_edge(self.curve, *sorted(self.ends)).Edge()
        return made if self.ends[0] < self.ends[1] else opencascade().shapes.Edge(made.Reversed())


class BuiltSurface(NamedTuple):
    """A Geom_Surface over ranges of its parameters."""

    surface: Any
    u_range: Range
    v_range: Range


def array(p: Any) -> np.ndarray:
    """The coordinates of a point or vector of the kernel."""
    return np.array([p.X(), p.Y(), p.Z()])


def face_of(face: ParametricSurface, scale: Any) -> Any:
    """The TopoDS_Face of a surface at rest, with lengths times `scale`; None where its formula has no kind of surface here."""
    body, domain = [e * scale for e in face.expressions], face.domain
    found = terms(body)
    normal = _normal(body, face)
    if found is not None and normal_of_plane(found) is not None:
        return _plane(found, body, face, normal)
    made = (found and (_turned(found, domain) or _extruded(found, body, domain))) or _patch(body, domain)
    if not made:
        return None
    surface, us, vs = made
    shape = modelling().make_face(surface, *sorted(us), *sorted(vs), _SAME_POINT).Face()
    point, by_u, by_v = modelling().point(), modelling().vector(), modelling().vector()
    surface.D1(sum(us) / 2, sum(vs) / 2, point, by_u, by_v)
    return shape if np.cross(array(by_u), array(by_v)) @ normal > 0.0 else shape.Reversed()


def _normal(body: Sequence[Any], face: ParametricSurface) -> np.ndarray:
    """The outward direction in the middle of a rectangle."""
    at = {s: (lo + hi) / 2 for s, (lo, hi) in face.domain.items()}
    by_u, by_v = (np.array([float(e.diff(s).subs(at)) for e in body]) for s in (u, v))
    return np.cross(by_v, by_u) if face.flipped else np.cross(by_u, by_v)


def _axes(make: Any, origin: np.ndarray, z: np.ndarray, x: np.ndarray) -> Any:
    """Axes in a plane, or a frame in space, as `make` says."""
    kernel = modelling()
    return make(kernel.point(*origin.tolist()), kernel.direction(*z.tolist()), kernel.direction(*x.tolist()))


# -- curves --------------------------------------------------------------------------------------------------------------


def _arc(body: Sequence[Any], symbol: Any, ends: tuple[Any, Any]) -> Arc | None:
    """A curve of one of the symbols, run through from one end to the other: an ellipse, or a polynomial or rational one."""
    found = terms(body)
    if found is not None and symbol in found.waves and found.among(symbol, CONSTANT, COSINE, SINE):
        own = found.only(v if symbol is u else u, CONSTANT)
        conic, shift, sense = _conic(own)
        angles = [sense * (found.waves[symbol].at(e) - shift) for e in ends]
        return Arc(conic, (angles[0], angles[1]))
    poles = net([e.xreplace({symbol: u}) for e in body], (ends, (0, 1)))
    return None if poles is None else Arc(modelling().bezier_curve(*_poles(poles[:, :1], modelling().points)), (0.0, 1.0))


def _conic(own: dict[Powers, np.ndarray]) -> tuple[Any, float, int]:
    """O + A cos a + B sin a as a circle or ellipse of the kernel, whose angle is that of the formula less a shift, times a sense."""
    zero = np.zeros(3)
    origin, a, b = (own.get(p, zero) for p in (CONSTANT, COSINE, SINE))
    size = float(np.linalg.norm(a))
    if max(abs(float(a @ b)), abs(float(a @ a - b @ b))) <= ROUNDING * size**2:
        return modelling().circle(_axes(modelling().axes, origin, np.cross(a, b), a), size), 0.0, 1
    ways, sizes, turned = np.linalg.svd(np.array([a, b]).T, full_matrices=False)
    # The vector (cos a, sin a) has the coordinates (cos, sin) of the angle along the axes of the ellipse.
    sense = 1 if np.linalg.det(turned) > 0.0 else -1
    shift = math.atan2(turned[0, 1], turned[0, 0])
    across = np.cross(ways[:, 0], ways[:, 1])
    return modelling().ellipse(_axes(modelling().axes, origin, across, ways[:, 0]), float(sizes[0]), float(sizes[1])), shift, sense


def _poles(weighted: np.ndarray, make: Any) -> tuple[Any, ...]:
    """Poles (m, 1, 4) or (m, n, 4), times their weights, as arrays of the kernel; the weights only where they differ."""
    flat = weighted.shape[1] == 1
    sizes = weighted.shape[:1] if flat else weighted.shape[:2]
    bounds = [e for n in sizes for e in (1, n)]
    points, weights = make(*bounds), (modelling().numbers if flat else modelling().number_grid)(*bounds)
    for at in np.ndindex(*sizes):
        *p, w = (weighted[at[0], 0] if flat else weighted[at]).tolist()
        places = [k + 1 for k in at]
        points.SetValue(*places, modelling().point(*(c / w for c in p)))
        weights.SetValue(*places, w)
    return (points,) if (weighted[..., 3] == 1.0).all() else (points, weights)


# -- planes: what bounds them are the sides of their rectangle -----------------------------------------------------------


def _plane(found: Terms, body: Sequence[Any], face: ParametricSurface, normal: np.ndarray) -> Any:
    """A part of a plane inside the sides of its rectangle that are neither points nor seams; None where one of them has no kind here."""
    (a, b), (c, d) = (face.domain[s] for s in (u, v))
    # Once round the rectangle, counterclockwise.
    sides = [_side(body, *side, found.size) for side in ((v, c, u, (a, b)), (u, b, v, (c, d)), (v, d, u, (b, a)), (u, a, v, (d, c)))]
    if None in sides:
        return None
    near = max(_SAME_POINT, ROUNDING * found.size)
    kept = [s for k, s in enumerate(sides) if s and not (sides[k - 2] and _is_seam(s, sides[k - 2], near))]
    closed = [np.abs(s.point(0.0) - s.point(1.0)).max() <= near for s in kept]
    chain = [s for s, alone in zip(kept, closed, strict=True) if not alone]
    loops = [[s] for s, alone in zip(kept, closed, strict=True) if alone] + ([chain] if chain else [])
    kernel = modelling()
    way = -normal if face.flipped else normal
    plane = kernel.plane(kernel.point(*kept[0].point(0.0).tolist()), kernel.direction(*way.tolist()))
    made = kernel.make_face(plane, _wire(loops[0]), False)
    for loop in loops[1:]:
        made.Add(_wire(loop))
    return made.Face().Reversed() if face.flipped else made.Face()


def _side(body: Sequence[Any], fixed: Any, at: Any, symbol: Any, ends: tuple[Any, Any], size: float) -> Any:
    """The curve of a side; False where it is a point, None where it has no kind here."""
    curve = [e.xreplace({fixed: at}) for e in body]
    found = terms(curve)
    if found is not None and set(found.vectors) <= {(CONSTANT, CONSTANT)}:
        return False
    return _arc(curve, symbol, ends)


def _is_seam(a: Arc, b: Arc, near: float) -> bool:
    """Whether a curve is another one run through backwards, as seen at some points."""
    return all(np.abs(a.point(s) - b.point(1.0 - s)).max() <= near for s in (0.0, 0.25, 0.5, 1.0))


def _wire(loop: Sequence[Arc]) -> Any:
    made = modelling().make_wire()
    for arc in loop:
        made.Add(arc.edge())
    return made.Wire()


# -- surfaces ------------------------------------------------------------------------------------------------------------


def _turned(found: Terms, domain: dict[Any, Any]) -> BuiltSurface | None:
    """A cylinder, cone, sphere or torus, or the surface of revolution of another curve."""
    made = turn(found)
    if made is None:
        return None
    other = v if made.symbol is u else u
    lo, hi = map(float, domain[other])
    wave = found.waves.get(other)
    radii = [value(made.radius, wave, e) for e in (lo, 0.5 * (lo + hi), hi)]
    if max(radii, key=abs) < 0.0:
        made = made._replace(frame=made.frame * [[-1.0], [-1.0], [1.0]], radius={p: -c for p, c in made.radius.items()})
    turns = found.waves[made.symbol]
    angles = turns.at(domain[made.symbol][0]), turns.at(domain[made.symbol][1])
    kinds = set(made.radius) | set(made.height)
    if kinds <= {CONSTANT, LINEAR}:
        surface, along = _straight(made, lo, hi)
    elif kinds <= {CONSTANT, COSINE, SINE} and wave is not None:
        surface, along = _round(made, wave.at(lo), wave.at(hi))
    else:
        return None
    return None if surface is None else BuiltSurface(surface, angles, along)


def _straight(made: RevolvedForm, lo: float, hi: float) -> tuple[Any, Range]:
    """A cylinder, or a cone from where it is widest."""
    r, slope, rise = made.radius.get(CONSTANT, 0.0), made.radius.get(LINEAR, 0.0), made.height.get(LINEAR, 0.0)
    x, _, z = made.frame
    if slope == 0.0:
        return modelling().cylinder(_axes(modelling().frame, made.origin, z, x), r), (rise * lo, rise * hi)
    widest = max(lo, hi, key=lambda e: r + slope * e)
    sense = math.copysign(1.0, rise)
    speed = sense * math.hypot(slope, rise)
    frame, angle = _axes(modelling().frame, made.origin + rise * widest * z, z, x), math.atan2(sense * slope, abs(rise))
    cone = modelling().cone(frame, angle, r + slope * widest)
    return cone, (speed * (lo - widest), speed * (hi - widest))


def _round(made: RevolvedForm, lo: float, hi: float) -> tuple[Any, Range]:
    """A sphere or torus, where radius and height run through a circle; None for a torus that meets its axis."""
    p, q = (np.array([made.radius.get(k, 0.0), made.height.get(k, 0.0)]) for k in (COSINE, SINE))
    small, large = float(np.linalg.norm(p)), made.radius.get(CONSTANT, 0.0)
    if max(abs(float(p @ q)), abs(float(p @ p - q @ q))) > ROUNDING * small**2:
        return None, (lo, hi)
    sense, shift = math.copysign(1.0, p[0] * q[1] - p[1] * q[0]), math.atan2(p[1], p[0])
    ends = shift + sense * lo, shift + sense * hi
    back = 2 * math.pi * round(sum(ends) / (4 * math.pi))
    along = ends[0] - back, ends[1] - back
    x, _, z = made.frame
    axes = _axes(modelling().frame, made.origin, z, x)
    if abs(large) <= ROUNDING * small:
        quarter = math.pi / 2
        return modelling().sphere(axes, small), (min(max(along[0], -quarter), quarter), min(max(along[1], -quarter), quarter))
    return (modelling().torus(axes, large, small) if large > small else None), along


def _extruded(found: Terms, body: Sequence[Any], domain: dict[Any, Any]) -> BuiltSurface | None:
    """An ellipse moved along a line."""
    for s, other in ((v, u), (u, v)):
        ways = found.only(s, LINEAR)
        if other in found.waves and found.among(s, CONSTANT, LINEAR) and set(ways) == {CONSTANT}:
            arc = _arc([e.xreplace({s: 0}) for e in body], other, domain[other])
            if arc is not None:
                length = float(np.linalg.norm(ways[CONSTANT]))
                along = modelling().direction(*ways[CONSTANT].tolist())
                ends = tuple(length * float(e) for e in domain[s])
                return BuiltSurface(modelling().extrusion(arc.curve, along), arc.ends, (ends[0], ends[1]))
    return None


def _patch(body: Sequence[Any], domain: dict[Any, Any]) -> BuiltSurface | None:
    """A Bezier patch of polynomial or rational formulas."""
    poles = net(body, (domain[u], domain[v]))
    if poles is None or not (poles[..., 3] > 0.0).all():
        return None
    return BuiltSurface(modelling().bezier_surface(*_poles(poles, modelling().point_grid)), (0.0, 1.0), (0.0, 1.0))
