"""Bad input, refused in one sentence before any work is done."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from codegen.kernel import compile
from generative import Edge, ImplicitBody, ParametricSurface, Solid, Vertex, t, u, v
from generative.symbols import exact, formula

from .contact import Tracked
from .patch import bounds, enclose
from .state import METHODS

ORDERS = ("auto", "upper", "lower")
# Cells in which a degenerate normal, and a difference between faces and edges, is looked for.
_CELLS = 16


def check_bodies(bodies: Sequence[Any], span: tuple[float, float]) -> None:
    if isinstance(bodies, (ParametricSurface, ImplicitBody, Solid)) or not isinstance(bodies, Sequence):
        raise TypeError(f"first_contact takes a list of bodies, got a {type(bodies).__name__}")
    if len(bodies) < 2:
        raise ValueError(f"a collision needs at least two bodies, got {len(bodies)}")
    for k, body in enumerate(bodies):
        if isinstance(body, ParametricSurface):
            _check_normal(body, f"body {k}", span)
        elif isinstance(body, Solid):
            for f, face in enumerate(body.faces):
                _check_normal(face, f"face {f} of body {k}", span)
            _check_solid(body, k, span)
        elif not isinstance(body, ImplicitBody):
            raise TypeError(f"body {k} is a {type(body).__name__}; bodies are ParametricSurface, ImplicitSurface and Solid values")


def check_span(time: Any) -> tuple[float, float]:
    """The time span in doubles, enclosing the exact one."""
    try:
        first, last = time
        ends = exact(first), exact(last)
    except (TypeError, ValueError, sp.SympifyError):
        raise ValueError(f"time must be a pair (first, last) of numbers, got {time!r}") from None
    if not all(e.is_number and e.is_real and e.is_finite for e in ends):
        raise ValueError(f"the time span must have two finite real ends, got {first} to {last}")
    if not ends[0] < ends[1]:
        raise ValueError(f"the time span must go forward, got {first} to {last}")
    return enclose(ends[0])[0], enclose(ends[1])[1]


def check_options(method: str, order: str, **numbers: float) -> None:
    for name, value in numbers.items():
        if isinstance(value, bool) or not (isinstance(value, (int, float, np.number)) and 0 < value < math.inf):
            raise ValueError(f"{name} must be a positive number, got {value!r}")
    for name, choice, known in (("method", method, list(METHODS)), ("order", order, list(ORDERS))):
        if choice not in known:
            raise ValueError(f"{name} must be one of {', '.join(known)}, got {choice!r}")


# -- surfaces -----------------------------------------------------------------------------------------------------


def _check_normal(surface: ParametricSurface, name: str, span: tuple[float, float]) -> None:
    """A surface whose normal is zero at every point of a grid is a curve or a point."""
    if all(e == 0 for e in surface.body_normal):
        raise ValueError(f"the normal of {name} vanishes everywhere: its u and v do not span a surface")
    ends, _ = bounds([*surface.domain.values()])
    at = np.stack(np.meshgrid(*(np.linspace(lo, hi, 2 * _CELLS + 1)[1::2] for lo, hi in ends), [span[0]], indexing="ij"), axis=-1)
    derivatives = [[sp.diff(e, s) for e in surface.body] for s in (u, v)]
    values = compile([*surface.body_normal, *derivatives[0], *derivatives[1]], [u, v, t]).points(at.reshape(-1, 3))
    normal, first, second = (np.linalg.norm(values[:, 3 * k:3 * k + 3], axis=1) for k in range(3))
    # The cross product of parallel vectors is zero up to a few roundings.
    if not (normal > 1e-13 * first * second).any():
        raise ValueError(f"the normal of {name} vanishes everywhere: its u and v do not span a surface")


def _check_solid(body: Solid, k: int, span: tuple[float, float]) -> None:
    """The edges and vertices must lie on all of their faces: a proved difference raises."""
    for kind, features in (("edge", body.edges), ("vertex", body.vertices)):
        for n, feature in enumerate(features):
            curves = _on_faces(body, feature)
            for other, f in zip(curves[1:], feature.faces[1:], strict=True):
                if _apart(curves[0], other, feature, span):
                    raise ValueError(f"{kind} {n} of body {k} does not lie on both of its faces {feature.faces[0]} and {f}")
            _check_inside(body, feature, f"{kind} {n} of body {k}")


def _on_faces(body: Solid, feature: Edge | Vertex) -> list[tuple[Any, ...]]:
    paths = feature.paths if isinstance(feature, Edge) else feature.points
    return [tuple(e.xreplace({u: a, v: b}) for e in body.faces[f].body) for f, (a, b) in zip(feature.faces, paths, strict=True)]


def _apart(a: Sequence[Any], b: Sequence[Any], feature: Edge | Vertex, span: tuple[float, float]) -> bool:
    """Are the two curves proved to differ somewhere by more than the rounding of coefficients computed in doubles?"""
    kernel = compile([p - q for p, q in zip(a, b, strict=True)] + list(a), [u, t])
    domain = feature.domain if isinstance(feature, Edge) else (0, 0)
    (ends,), _ = bounds([domain])
    at = np.array([(s, moment) for s in np.linspace(*ends, _CELLS + 1) for moment in span])
    lo, hi = kernel.interval(at, at)
    size = 1.0 + np.abs(np.concatenate([lo[:, 3:], hi[:, 3:]])).max()
    return bool(((lo[:, :3] > 1e-9 * size) | (hi[:, :3] < -1e-9 * size)).any())


def _check_inside(body: Solid, feature: Edge | Vertex, name: str) -> None:
    """The path stays in the parameter rectangles of the faces."""
    paths = feature.paths if isinstance(feature, Edge) else feature.points
    (ends,), _ = bounds([feature.domain if isinstance(feature, Edge) else (0, 0)])
    at = np.linspace(*ends, _CELLS + 1)[:, None]
    for f, path in zip(feature.faces, paths, strict=True):
        rectangle, _ = bounds(list(body.faces[f].domain.values()))
        lo, hi = compile(list(path), [u]).interval(at, at)
        slack = 1e-9 * (1.0 + np.abs(rectangle).max())
        if ((lo > rectangle[:, 1] + slack) | (hi < rectangle[:, 0] - slack)).any():
            raise ValueError(f"{name} leaves the parameter domain of face {f}")


# -- tracked contacts ---------------------------------------------------------------------------------------------


def check_tracked(tracked: Sequence[Any], bodies: Sequence[Any], span: tuple[float, float]) -> None:
    for item in tracked:
        if not isinstance(item, Tracked):
            raise TypeError(f"tracked contacts are collide.Tracked values, got {item!r}")
        i, j = item.pair
        if not (0 <= i < j < len(bodies)):
            raise ValueError(f"a tracked pair is (i, j) with i < j among {len(bodies)} bodies, got {item.pair}")
        if isinstance(item.radius, bool) or not (isinstance(item.radius, (int, float)) and 0 < item.radius < math.inf):
            raise ValueError(f"the radius of a tracked contact must be a positive number, got {item.radius!r}")
        points = [_tracked_point(bodies[k], *at, k) for k, at in ((i, (item.u1, item.v1)), (j, (item.u2, item.v2)))]
        if points[0] is None and points[1] is None:
            raise ValueError(f"a contact of the implicit bodies {i} and {j} cannot be tracked: one of them needs parameters")
        _check_follows(item, points, bodies, span)


def _tracked_point(body: Any, a: Any, b: Any, k: int) -> tuple[Any, ...] | None:
    if isinstance(body, ImplicitBody):
        return None
    if not isinstance(body, ParametricSurface):
        raise TypeError(f"tracked contacts are known on ParametricSurface values; body {k} is a {type(body).__name__}")
    if a is None or b is None:
        raise ValueError(f"the tracked contact needs u(t) and v(t) on body {k}")
    at = {u: formula(a, [t], "a tracked function"), v: formula(b, [t], "a tracked function")}
    return tuple(e.xreplace(at) for e in body.expressions)


def _check_follows(item: Tracked, points: Sequence[tuple[Any, ...] | None], bodies: Sequence[Any], span: tuple[float, float]) -> None:
    """The two tracked points must not be proved further apart than the radius, at any of some moments."""
    at = np.linspace(*span, _CELLS + 1)[:, None]
    if points[0] is not None and points[1] is not None:
        square = sum((p - q) ** 2 for p, q in zip(points[0], points[1], strict=True))
        lo, _ = compile([square], [t]).interval(at, at)
        wrong = lo[:, 0] > item.radius**2
    else:
        point, body = (points[0], bodies[item.pair[1]]) if points[0] is not None else (points[1], bodies[item.pair[0]])
        wrong = _off_implicit(point or (), body, item.radius, at)
    if wrong.any():
        raise ValueError(f"the tracked functions of bodies {item.pair[0]} and {item.pair[1]} do not follow the contact: at "
                         f"t = {at[wrong.argmax(), 0]:g} the two points are more than the radius {item.radius:g} apart")


def _off_implicit(point: Sequence[Any], body: ImplicitBody, radius: float, at: np.ndarray) -> np.ndarray:
    """Where F is proved to have one sign in the cube of half-width `radius` round the point: no surface is that near."""
    from generative import x, y, z

    lo, hi = compile(list(point), [t]).interval(at, at)
    lo, hi = compile([body.expression], [x, y, z, t]).interval(np.hstack([lo - radius, at]), np.hstack([hi + radius, at]))
    wrong: np.ndarray = (lo[:, 0] > 0) | (hi[:, 0] < 0)
    return wrong
