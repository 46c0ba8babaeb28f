"""Parameters u and v of a point on its face, which the variables of a search need not be."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from generative import ImplicitBody, ParametricSurface, u, v
from generative.chart import from_chart

from .cells import Cell, Path
from .flat_faces import flat_faces
from .mesh import Mesh
from .numbers import NONE, Numbers
from .parts import faces_of, parts_of

UV = np.dtype([("face", np.int64), ("u", np.float64), ("v", np.float64)])
"""A place on a body: the number of a face, and the parameters there."""

NOWHERE = (-1, float("nan"), float("nan"))

NAMES = ("u", "v", "p", "q")
"""Those of the parameters of parts, among the variables of a problem."""

_AT_CORNERS = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0))
"""u and v of the corners of a triangle of a mesh; at the first one v may be any."""
# So near to the end of a parameter a point counts as on it.
_CLOSE = 1e-10

Held = tuple[tuple[Any, int], ...]
"""Ends of parameters at which a part lies: symbols, each with 0 or 1. Where both parameters are variables they are smooth ones round the
pole that is there.
"""


def held_of(part: Cell) -> Held:
    return () if part.around is None else (part.around[1:],)


def own_box(variables: Sequence[str], box: np.ndarray, side: int) -> np.ndarray:
    """The rows of a box (variables, 2) that are parameters of the part of the first body (side 0) or of the second."""
    own = [k for k, name in enumerate(variables) if name[-1] == str(side + 1) and name[:-1] in NAMES]
    return np.asarray(box)[own]


def place_on(body: Any, feature: str, held: Held, own: np.ndarray, whole: bool) -> tuple[int, float, float]:
    """A place as in `UV`, whose own variables lie in the box `own`, on a feature of a body; of an implicit body, which has no parameters,
    -1 and NaN. `whole`: a patch is one face, even if it has creases.
    """
    if isinstance(body, ImplicitBody):
        return NOWHERE
    if isinstance(body, Mesh):
        return _on_triangle(body, feature, own)
    kind, number = feature.split()
    face = int(number) if kind == "face" else 0
    if held:
        return face, *at_ends(body if whole else _faces(body)[face], held, own)
    if kind == "face":
        return face, *_middle(own)
    part = next(p for p in parts_of(body) if p.feature == feature)
    return next(k for k, surface in enumerate(_faces(body)) if surface is part.surface), *on_face(part, own)


def _on_triangle(mesh: Mesh, feature: str, own: np.ndarray) -> tuple[int, float, float]:
    """A triangle of a mesh, and u and v in a + u (b - a) + u v (c - b) of its corners."""
    kind, _, name = feature.partition(" ")
    known, numbers = mesh.topology, [int(e) for e in name.split("-")]
    if kind == "face":
        return numbers[0], *_middle(own)
    if kind == "vertex":
        triangle = int(known.triangle_of[numbers[0]])
        return triangle, *_AT_CORNERS[known.corners[triangle].tolist().index(numbers[0])]
    edge = known.edge_number(*numbers)
    triangle, s = int(known.sides[edge, 0]), float(own.mean())
    side = known.edge_of[triangle].tolist().index(edge)
    return triangle, *((s, 0.0), (1.0, s), (1.0 - s, 1.0))[side]


def on_face(part: Cell, own: np.ndarray, numbers: Numbers = NONE) -> tuple[float, float]:
    """About u and v of the point of a part whose own parameters lie in the box `own` (dimension, 2)."""
    if part.around is not None:
        return at_ends(part.around[0], held_of(part), own, numbers)
    if part.dimension == 2:
        return _middle(own)
    known = dict(zip(part.symbols, map(sp.Float, own.mean(axis=1)), strict=True)) | dict(numbers.pairs)
    a, b = (float(e.xreplace(known)) for e in part.path)
    return a, b


def feature_at(body: Any, feature: str, own: np.ndarray, known: "Sequence[Border]", numbers: Numbers) -> str:
    """The name of a point of a closed face, whose own variables lie in the box `own`: an edge or a vertex if it lies on one, or else the
    face. `known`: the `borders` of that face; `numbers`: those of the body.
    """
    if isinstance(body, Mesh):
        return _triangle_feature(body, int(feature.split()[1]), own)
    if isinstance(body, ImplicitBody) and len(own) == 2:
        flat = flat_faces(body, numbers)
        assert flat is not None, "of implicit bodies only flat ones have parameters"
        return flat.feature_at(feature, own)
    if isinstance(body, ImplicitBody) or not feature.startswith("face") or len(own) != 2:
        return feature
    lying = [part for part, paths in known
             if any(all(_may_be(e, ends, numbers) for e, ends in zip(path, own, strict=True)) for path in paths)]
    return min(lying, key=lambda part: part.dimension).feature if lying else feature


Border = tuple[Cell, Sequence[Path]]


def borders(body: Any, feature: str) -> Sequence[Border]:
    """The edges and vertices of a face of a patch or solid, each with its paths there that tell a parameter; none of other bodies."""
    if isinstance(body, (Mesh, ImplicitBody)) or not feature.startswith("face"):
        return ()
    face = faces_of(body)[int(feature.split()[1])]
    found = [(part, [path for surface, path in part.outward if surface is face.surface and not all(e.has(u) for e in path)])
             for part in parts_of(body) if part.dimension < 2 and part.around is None]
    return [(part, paths) for part, paths in found if paths]


def _triangle_feature(mesh: Mesh, k: int, own: np.ndarray) -> str:
    """The name of a point for u and v in a + u (b - a) + u v (c - b) of the corners of triangle k."""
    known = mesh.topology
    at = {(s, end): _may_be(sp.Integer(end), ends) for s, ends in zip("uv", own, strict=True) for end in (0, 1)}
    if at["u", 0]:
        return f"vertex {known.corners[k, 0]}"
    if at["u", 1] and (at["v", 0] or at["v", 1]):
        return f"vertex {known.corners[k, 1 if at['v', 0] else 2]}"
    sides = [side for side, end in enumerate((("v", 0), ("u", 1), ("v", 1))) if at[end]]
    return known.edge_name(known.edge_of[k, sides[0]]) if sides else f"face {k}"


def _may_be(e: Any, ends: np.ndarray, numbers: Numbers = NONE) -> bool:
    """Whether a parameter of a path may be within these ends. Of one that is no number, or one of a range, that is not asked."""
    if e.has(u):
        return True
    (lo, hi), room = numbers.enclose(e), _CLOSE * (1.0 + float(np.abs(ends).max()))
    return bool(hi - lo > room or (ends[0] - room <= hi and lo <= ends[1] + room))


def at_ends(surface: ParametricSurface, held: Held, own: np.ndarray, numbers: Numbers = NONE) -> tuple[float, float]:
    """About u and v at these ends of the parameters of a face.

    A pole is one point for all values of its other parameter: where the box holds the pole, that one is given as the least of its range.
    """
    if len(own) == 2 and ((own[:, 0] > 0.0) | (own[:, 1] < 0.0)).any():
        ((symbol, end),) = held
        across = surface.domain[v if symbol is u else u]
        return from_chart(surface, symbol, end, numbers.enclose(across[0])[0], *_middle(own))
    free = float(own[0].mean()) if len(own) == 1 else None
    ends = dict(held)
    a, b = (float(np.mean(numbers.enclose(surface.domain[s][ends[s]]))) if s in ends else
            numbers.enclose(surface.domain[s][0])[0] if free is None else free for s in (u, v))
    return a, b


def _faces(body: Any) -> Sequence[ParametricSurface]:
    return [p.surface for p in faces_of(body)]


def _middle(own: np.ndarray) -> tuple[float, float]:
    a, b = own.mean(axis=1).tolist()
    return a, b
