"""Polyhedra about the origin or standing on z = 0; areas and volumes as in any table of mensuration."""

from itertools import product
from typing import Any

import sympy as sp

from generative import Solid, polyhedron
from generative.symbols import exact

from .facts import Facts, centred, shape

GOLDEN = (1 + sp.sqrt(5)) / 2


def _wedge_facts(sizes: Any = (2, 1, 1)) -> Facts:
    a, b, c = (exact(s) for s in sizes)
    return {"area": a * b + b * c + a * c + b * sp.sqrt(a**2 + c**2), "volume": a * b * c / 2, "closed": True,
            "box": [(0, a), (0, b), (0, c)]}


@shape(_wedge_facts, source="Wikipedia: Triangular prism")
def wedge(*, sizes: Any = (2, 1, 1)) -> Solid:
    """The part x/a + z/c <= 1 of the box [0, a] x [0, b] x [0, c]: a ramp."""
    a, b, c = sizes
    corners = [(x, y, z) for y in (0, b) for x, z in ((0, 0), (a, 0), (0, c))]
    return polyhedron(corners, [(0, 1, 2), (3, 5, 4), (0, 3, 4, 1), (0, 2, 5, 3), (1, 4, 5, 2)])


def _prism_facts(sides: int = 6, radius: Any = 1, height: Any = 1) -> Facts:
    base = sp.Rational(sides, 2) * radius**2 * sp.sin(2 * sp.pi / sides)
    return {"area": 2 * base + 2 * sides * radius * sp.sin(sp.pi / sides) * height, "volume": base * height, "closed": True}


@shape(_prism_facts, source="MathWorld: Prism, Regular Polygon", symmetry="mirror y, turn sides")
def prism(*, sides: int = 6, radius: Any = 1, height: Any = 1) -> Solid:
    """The upright prism on the polygon with corners radius (cos a, sin a), a = 2 pi k / sides, for 0 <= z <= height."""
    if sides < 3:
        raise ValueError(f"a prism needs at least three sides, got {sides}")
    turns = [2 * sp.pi * k / sides for k in range(sides)]
    corners = [(radius * sp.cos(a), radius * sp.sin(a), z) for z in (0, height) for a in turns]
    walls = [(k, (k + 1) % sides, sides + (k + 1) % sides, sides + k) for k in range(sides)]
    return polyhedron(corners, [tuple(reversed(range(sides))), tuple(range(sides, 2 * sides)), *walls])


def _octahedron_facts(radius: Any = 1) -> Facts:
    return {"area": 4 * sp.sqrt(3) * radius**2, "volume": sp.Rational(4, 3) * radius**3, "closed": True, "box": centred(*[radius] * 3)}


@shape(_octahedron_facts, source="MathWorld: Regular Octahedron", symmetry="mirror x, mirror z, turn 4")
def octahedron(*, radius: Any = 1) -> Solid:
    """|x| + |y| + |z| = radius."""
    corners = [tuple(radius * s * int(k == axis) for k in range(3)) for axis in range(3) for s in (1, -1)]
    faces = [(i, 2 + j, 4 + k) for i, j, k in product((0, 1), repeat=3)]
    return polyhedron(corners, [f if sum(c % 2 for c in f) % 2 == 0 else f[::-1] for f in faces])


def _dodecahedron_facts(edge: Any = 1) -> Facts:
    edge = exact(edge)
    return {"area": 3 * sp.sqrt(25 + 10 * sp.sqrt(5)) * edge**2, "volume": (15 + 7 * sp.sqrt(5)) / 4 * edge**3, "closed": True,
            "box": centred(*[GOLDEN**2 * edge / 2] * 3)}


@shape(_dodecahedron_facts, source="MathWorld: Regular Dodecahedron", symmetry="mirror x, mirror y, mirror z")
def dodecahedron(*, edge: Any = 1) -> Solid:
    """The corners are those of a cube of side g and, cyclically, (0, +-1, +-g^2) / 2, all times `edge`; g is the golden ratio."""
    cube = [(a * GOLDEN, b * GOLDEN, c * GOLDEN) for a, b, c in product((1, -1), repeat=3)]
    rest = [(0, b, c * GOLDEN**2) for b, c in product((1, -1), repeat=2)]
    corners = cube + [p[-k:] + p[:-k] for k in range(3) for p in rest]
    scale = exact(edge) / 2
    points = [sp.Matrix([scale * sp.expand(e) for e in p]) for p in corners]
    # The face across (0, g, 1) and its like has the five corners farthest along it.
    normals = [(0, b * GOLDEN, c) for b, c in product((1, -1), repeat=2)]
    faces = [_outline(corners, n[-k:] + n[:-k]) for k in range(3) for n in normals]
    return polyhedron([list(p) for p in points], faces)


def _outline(corners: Any, normal: Any) -> list[int]:
    """The indices of the corners farthest along `normal`, counterclockwise about it."""
    numbers = [[float(c) for c in p] for p in corners]
    n = [float(c) for c in normal]
    along = [sum(a * b for a, b in zip(p, n, strict=True)) for p in numbers]
    chosen = [k for k, a in enumerate(along) if a > max(along) - 1e-9]
    first = chosen[0]
    middle = [sum(numbers[k][i] for k in chosen) / len(chosen) for i in range(3)]
    east = [numbers[first][i] - middle[i] for i in range(3)]
    north = [n[1] * east[2] - n[2] * east[1], n[2] * east[0] - n[0] * east[2], n[0] * east[1] - n[1] * east[0]]
    size = sum(c * c for c in n) ** 0.5

    def angle(k: int) -> float:
        out = [numbers[k][i] - middle[i] for i in range(3)]
        return float(sp.atan2(sum(a * b for a, b in zip(out, north, strict=True)) / size,
                              sum(a * b for a, b in zip(out, east, strict=True))))

    return sorted(chosen, key=angle)
