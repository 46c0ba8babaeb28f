"""Bodies in the plane: regions bounded by outlines of curves, for cams, gears, linkages and other mechanisms that move in one plane.

A region is a `Solid` whose edges are its faces, so to say: `collide` asks of two regions where curves of the plane meet, which takes two
equations in two parameters and the time, and no unknown of a third dimension. Regions turn about z and shift along x and y.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import sympy as sp

from codegen.given import shown
from codegen.walk import free_symbols

from . import curve as curves
from .at_samples import sample
from .brep import PLANAR, Solid, Vertex
from .curve import Curve
from .numeric import approx_function
from .surface import ParametricSurface
from .symbols import Parameter, formula, items, positive, t, text, u, v, vector
from .vanishing import vanishes

# Samples of a piece for the sign of an area, and for the size of a region, in doubles; the width of strips, against that, is for pictures.
_SAMPLES, _WIDTH = 32, sp.Rational(1, 40)

Pieces = list[Curve]


def region(outline: Any, holes: Iterable[Any] = (), *, name: str | None = None) -> Solid:
    """A body in the plane z = 0: what an outline encloses, without what holes enclose.

    Parameters
    ----------
    outline : Curve or list of Curve
        Pieces that follow each other and close, each smooth and regular; or one closed curve. Their third coordinate is 0. Formulas may
        depend on t: then the region deforms.
    holes : list of outlines, optional
        Outlines within it, apart from it and from each other, which is not checked.
    name : str, optional
        The name that results call it by.

    Returns
    -------
    Solid
        With ``planar`` true. It is a body of `collide.first_contact`, `distance`, `clearance`, `contacts_during`, `clash`, `contact_batch`,
        `joint_travel` and `classify`, beside other regions; and a link of a `Chain` whose axes are along z.

    Raises
    ------
    ValueError
        For pieces that leave the plane, that do not follow each other exactly, or that enclose no area.

    Notes
    -----
    That outlines close is *exact*: ends of pieces are equal numbers. That pieces do not cross themselves or each other is not checked.
    Which side is the inside is told by the sign of an area in doubles, at t = 0, for some positive numbers in the place of parameters.

    Examples
    --------
    A cam, a disc of radius 1 about a point 1/2 from its axis, lifts a disc of radius 1/4 on a rocker:

    >>> import collide
    >>> from generative import Screw, Rigid, plane, t
    >>> cam = plane.disc(1, (0.5, 0)).moved(Screw([0, 0, 1], angle=t))
    >>> roller = plane.disc(0.25, (0, 1.5))
    >>> found = collide.first_contact([cam, roller], (0, 3))
    >>> found.status, found.features[0], len(found.boxes[0])
    (Status.CONTACT, ('edge 0', 'edge 0'), 3)
    """
    loops = [_outline(given) for given in (outline, *items(holes, "the holes of a region"))]
    faces: list[ParametricSurface] = []
    vertices: list[Vertex] = []
    width = _width(loops)
    for k, loop in enumerate(loops):
        first = len(faces)
        # The normal of a strip is on the right of its curve: outside, where an outline goes round counter-clockwise.
        inward = (_area(loop) > 0) != (k == 0)
        faces += [ParametricSurface([*p.expressions[:2], width * v], {u: p.domain, v: (-1, 1)}, flipped=inward) for p in loop]
        count = len(loop)
        if count > 1:
            vertices += [Vertex((first + i, first + (i + 1) % count), ((loop[i].domain[1], 0), (loop[(i + 1) % count].domain[0], 0)))
                         for i in range(count)]
    return Solid(faces, (), vertices, name=name).noted(PLANAR)


def disc(radius: Any = 1, centre: Any = (0, 0), *, name: str | None = None) -> Solid:
    """The disc of this radius about a point of two coordinates."""
    size, (a, b) = positive(radius, [t], "the radius of a disc"), _point(centre, "the centre of a disc")
    return region(Curve([a + size * sp.cos(u), b + size * sp.sin(u), 0], (0, 2 * sp.pi)), name=name)


def polygon(corners: Sequence[Any], *, name: str | None = None) -> Solid:
    """The polygon with these corners, of two coordinates each, in either order."""
    points = [(*_point(c, "a corner of a polygon"), sp.Integer(0)) for c in items(corners, "the corners of a polygon")]
    if len(points) < 3:
        raise ValueError(f"a polygon needs at least three corners, got {len(points)}")
    return region(curves.polygon(points), name=name)


def rectangle(width: Any, height: Any, centre: Any = (0, 0), *, name: str | None = None) -> Solid:
    """The rectangle of this width along x and height along y about a point."""
    a, b = positive(width, [], "the width of a rectangle") / 2, positive(height, [], "the height of a rectangle") / 2
    p, q = _point(centre, "the centre of a rectangle")
    return polygon([(p - a, q - b), (p + a, q - b), (p + a, q + b), (p - a, q + b)], name=name)


def slot(length: Any, radius: Any, *, name: str | None = None) -> Solid:
    """The points within `radius` of the segment from (0, 0) to (length, 0): a link with round ends, or a pin in its slot's shape."""
    far, r = positive(length, [], "the length of a slot"), positive(radius, [], "the radius of a slot")
    low, high = curves.line((0, -r, 0), (far, -r, 0)), curves.line((far, r, 0), (0, r, 0))
    right = Curve([far + r * sp.cos(u), r * sp.sin(u), 0], (-sp.pi / 2, sp.pi / 2))
    left = Curve([r * sp.cos(u), r * sp.sin(u), 0], (sp.pi / 2, 3 * sp.pi / 2))
    return region([low, right, high, left], name=name)


def arcs(start: Any, end: Any, bulge: Any) -> list[Curve]:
    """The circular arc from one point to another by the tangent of a quarter of its angle, as DXF has it: positive for a left turn.

    One piece, rational for rational points and bulge: a quadratic Bezier curve with weights 1, (1 - b^2) / (1 + b^2), 1. Of half a circle
    and more two pieces of half the angle, which meet exactly.
    """
    (ax, ay), (bx, by) = _point(start, "an end of an arc"), _point(end, "an end of an arc")
    b = formula(bulge, [], "the bulge of an arc")
    if b == 0:
        return [curves.line((ax, ay, 0), (bx, by, 0))]
    if abs(b) >= 1:
        apex = ((ax + bx) / 2 + b * (by - ay) / 2, (ay + by) / 2 - b * (bx - ax) / 2)
        half = b / (1 + sp.sqrt(1 + b**2))
        return [*arcs((ax, ay), apex, half), *arcs(apex, (bx, by), half)]
    # The middle control point is on the right of the chord for a positive bulge, where the tangents at both ends meet.
    half = b / (1 - b**2)
    middle = ((ax + bx) / 2 + half * (by - ay), (ay + by) / 2 - half * (bx - ax), 0)
    return [curves.bezier([(ax, ay, 0), middle, (bx, by, 0)], [1, (1 - b**2) / (1 + b**2), 1])]


# -- checks -------------------------------------------------------------------------------------------------------------


def _point(given: Any, owner: str) -> tuple[Any, Any]:
    entries = items(given, owner)
    if len(entries) == 2:
        entries = [*entries, 0]
    x, y, z = vector(entries, [t], owner)
    if z != 0:
        raise ValueError(f"{owner} lies in the plane z = 0, got {shown(given)}")
    return x, y


def _outline(given: Any) -> Pieces:
    pieces = [given] if isinstance(given, Curve) else items(given, "an outline")
    if not pieces or not all(isinstance(p, Curve) for p in pieces):
        raise ValueError(f"an outline is a closed Curve, or a list of Curve pieces, got {shown(given)}")
    for k, p in enumerate(pieces):
        if not vanishes(p.expressions[2]):
            raise ValueError(f"piece {k} of an outline leaves the plane z = 0: its third coordinate is {text(p.expressions[2])}")
    for k, (p, q) in enumerate(pairwise([*pieces, pieces[0]])):
        ends = p.at(p.domain[1])[:2], q.at(q.domain[0])[:2]
        if not all(vanishes(a - b) for a, b in zip(*ends, strict=True)):
            raise ValueError(f"an outline does not close: piece {k} ends at {text(ends[0])}, and piece {(k + 1) % len(pieces)} begins at "
                             f"{text(ends[1])}")
    return pieces


def _sampled(pieces: Pieces) -> list[tuple[float, float]]:
    """Points at t = 0, with numbers that stand for parameters, all positive."""
    found = []
    for p in pieces:
        known = {s: sample(s) for s in free_symbols(*p.expressions, *p.domain) if isinstance(s, Parameter)}
        at = approx_function([e.xreplace(known) for e in p.expressions[:2]], [u, t])
        lo, hi = (float(e.xreplace(known)) for e in p.domain)
        found += [at(lo + (hi - lo) * k / _SAMPLES, 0.0) for k in range(_SAMPLES)]
    return [(float(a), float(b)) for a, b in found]


def _area(pieces: Pieces) -> float:
    """The area of the polygon of samples, positive where it goes round counter-clockwise."""
    points = _sampled(pieces)
    total = 0.5 * math.fsum(a * d - b * c for (a, b), (c, d) in pairwise([*points, points[0]]))
    if total == 0 or not math.isfinite(total):
        raise ValueError("an outline encloses no area")
    return total


def _width(loops: Sequence[Pieces]) -> Any:
    """Half the height of strips: a number of few digits, since it is of no account."""
    points = [p for loop in loops for p in _sampled(loop)]
    size = max(max(c) - min(c) for c in zip(*points, strict=True))
    return _WIDTH * sp.Integer(2) ** math.frexp(size)[1] if size > 0 else _WIDTH
