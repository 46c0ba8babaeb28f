"""Piecewise smooth solids with their faces, edges and vertices, normals outward."""

from itertools import product
from typing import Any

import sympy as sp

from generative import Edge, ParametricSurface, Solid, Vertex, sew, u, v
from generative.symbols import exact

from .blobs import lens_facts
from .facts import Facts, centred, shape
from .quadrics import TURN, cone_side, cylinder_side


def disc(radius: Any, height: Any, *, upwards: bool) -> ParametricSurface:
    """The disc of this radius in the plane z = height, v running from the centre (a pole) to the rim."""
    return ParametricSurface([radius * v * sp.cos(u), radius * v * sp.sin(u), height], {u: TURN, v: (0, 1)}, flipped=upwards)


def _cylinder_facts(radius: Any = 1, height: Any = 2) -> Facts:
    radius, height = exact(radius), exact(height)
    return {"area": 2 * sp.pi * radius * (height + radius), "volume": sp.pi * radius**2 * height, "closed": True,
            "box": [*centred(radius, radius), (0, height)]}


@shape(_cylinder_facts, source="MathWorld: Cylinder; as a solid with edges: Snyder 1993, Appendix A",
       symmetry="mirror x, turn")
def cylinder(*, radius: Any = 1, height: Any = 2) -> Solid:
    """x^2 + y^2 <= radius^2, 0 <= z <= height: side (radius cos u, radius sin u, v), top and bottom, and its two rims."""
    faces = [cylinder_side(radius=radius, height=height), disc(radius, height, upwards=True), disc(radius, 0, upwards=False)]
    return Solid(faces, edges=[Edge((0, 1), ((u, height), (u, 1)), TURN), Edge((0, 2), ((u, 0), (u, 1)), TURN)])


def _cone_facts(radius: Any = 1, height: Any = 2) -> Facts:
    radius, height = exact(radius), exact(height)
    return {"area": sp.pi * radius * (radius + sp.sqrt(radius**2 + height**2)), "volume": sp.pi * radius**2 * height / 3,
            "closed": True, "box": [*centred(radius, radius), (0, height)]}


@shape(_cone_facts, source="MathWorld: Cone", symmetry="mirror x, turn")
def cone(*, radius: Any = 1, height: Any = 2) -> Solid:
    """rho <= radius (1 - z / height), 0 <= z <= height, rho^2 = x^2 + y^2: side and bottom, its rim, and its apex as a vertex."""
    faces = [cone_side(radius=radius, height=height), disc(radius, 0, upwards=False)]
    return Solid(faces, edges=[Edge((0, 1), ((u, 0), (u, 1)), TURN)], vertices=[Vertex((0,), ((0, 1),))])


def _box_facts(sizes: Any = (1, 1, 1)) -> Facts:
    a, b, c = (exact(s) for s in sizes)
    return {"area": 2 * (a * b + b * c + c * a), "volume": a * b * c, "closed": True, "box": centred(a / 2, b / 2, c / 2)}


@shape(_box_facts, source="MathWorld: Cuboid", symmetry="mirror x, mirror y, mirror z")
def box(*, sizes: Any = (1, 1, 1)) -> Solid:
    """|x| <= a/2, |y| <= b/2, |z| <= c/2 for the edge lengths (a, b, c): six faces, twelve edges, eight vertices.

    Face 2 k + s lies at the low (s = 0) or high (s = 1) end of axis k; its u and v are the two other coordinates in cyclic order.
    """
    half = [exact(s) / 2 for s in sizes]
    faces = []
    for k, s in product(range(3), (0, 1)):
        i, j = (k + 1) % 3, (k + 2) % 3
        place: list[Any] = [0, 0, 0]
        place[k], place[i], place[j] = (2 * s - 1) * half[k], u, v
        faces.append(ParametricSurface(place, {u: (-half[i], half[i]), v: (-half[j], half[j])}, flipped=s == 0))
    edges = [_box_edge(k, s, r, half) for k in range(3) for s, r in product((0, 1), (0, 1))]
    return Solid(faces, edges, [_box_vertex(corner, half) for corner in product((0, 1), repeat=3)])


def _on_face(k: int, point: list[Any]) -> tuple[Any, Any]:
    """The parameters of a point on a face at right angles to axis k."""
    return point[(k + 1) % 3], point[(k + 2) % 3]


def _box_edge(k: int, s: int, r: int, half: list[Any]) -> Edge:
    """The edge along axis k at the ends s and r of the two other axes, in cyclic order."""
    i, j = (k + 1) % 3, (k + 2) % 3
    point: list[Any] = [u, u, u]
    point[i], point[j] = (2 * s - 1) * half[i], (2 * r - 1) * half[j]
    return Edge((2 * i + s, 2 * j + r), (_on_face(i, point), _on_face(j, point)), (-half[k], half[k]))


def _box_vertex(corner: tuple[int, ...], half: list[Any]) -> Vertex:
    point = [(2 * s - 1) * h for s, h in zip(corner, half, strict=True)]
    return Vertex(tuple(2 * k + s for k, s in enumerate(corner)), tuple(_on_face(k, point) for k in range(3)))


@shape(lens_facts, source="MathWorld: Lens, Spherical Cap", symmetry="mirror x, mirror z, turn")
def biconvex_lens(*, radius: Any = 1, rim: Any = sp.Rational(4, 5)) -> Solid:
    """Two caps of spheres that meet in a sharp rim of radius `rim` in the plane z = 0; v runs from the pole.

    (r sin v cos u, r sin v sin u, r cos v - c) and its mirror image in z = 0, with r = `radius` and c^2 = r^2 - rim^2.
    """
    radius, rim = exact(radius), exact(rim)
    if not 0 < rim < radius:
        raise ValueError(f"the rim of a lens must be above 0 and below the radius {radius} of its faces, got {rim}")
    depth = sp.sqrt(radius**2 - rim**2)
    across = [radius * sp.sin(v) * sp.cos(u), radius * sp.sin(v) * sp.sin(u)]
    domain = {u: TURN, v: (0, sp.asin(rim / radius))}
    return sew([ParametricSurface([*across, side * (radius * sp.cos(v) - depth)], domain, flipped=side > 0) for side in (1, -1)])
