"""Edges and vertices of solids: those that are proved not to lie on their faces, or to leave them, are refused.

A solid is looked at as a member of its family, so that one kernel serves all members.
"""

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from codegen.kernel import Kernel, compile
from generative import Edge, ParametricSurface, Solid, Vertex, t, u, v
from generative.resting import equal, runs_along

from ..bodies.numbers import NONE, Numbers

# Intervals into which an edge is divided, at the ends of which it is looked at.
_CELLS = 16
# The relative error of a number that was computed in doubles.
_ROUNDINGS = 2.0**-48
# Only formulas of fewer operations are expanded.
_SMALL = 200


class _Test(NamedTuple):
    """Some outputs of a kernel, from number `at` on: the path of a feature on face `face`; or, if that is None, the difference of two
    faces, and a point.
    """

    at: int
    feature: int
    face: int | None
    fault: str


@functools.lru_cache(maxsize=256)
def solid_fault(body: Solid, span: tuple[float, float], numbers: Numbers = NONE) -> str:
    """The fault of an edge or a vertex that is proved not to lie on all of its faces, or to leave them.

    Differences up to 1e-9 of the size pass, and some units in the last place, as the rounding of coefficients computed in doubles.
    """
    tests, _ = _feature_tests(body)
    if not tests:
        return ""
    values = _along_features(body, span, numbers)
    seen = [values[test.feature][..., test.at + 3:test.at + 6].reshape(-1, 3) for test in tests if test.face is None]
    slack = _slack(np.concatenate(seen)) if seen else 0.0
    rectangles = [numbers.bounds([*face.domain.values()])[0] for face in body.faces]
    return next((test.fault for test in tests if _fails(test, values[test.feature][..., test.at:], rectangles, slack)), "")


@functools.lru_cache(maxsize=256)
def features_lie_identically(body: Solid) -> bool:
    """Whether it is seen, once for all members of a family, that edges run straight along whole sides of faces, that vertices are corners,
    and that positions on all faces of an edge or a vertex are the same formulas.
    """
    tests, outputs = _feature_tests(body)
    sides = all(any(_runs_straight(body.faces[f], path, edge.domain, s, end) for s in (u, v) for end in (0, 1))
                for edge in body.edges for f, path in zip(edge.faces, edge.paths, strict=True))
    corners = all(any(equal(e, end) for end in body.faces[f].domain[s])
                  for vertex in body.vertices for f, point in zip(vertex.faces, vertex.points, strict=True)
                  for s, e in zip((u, v), point, strict=True))
    return sides and corners and all(e == 0 or (sp.count_ops(e) < _SMALL and equal(e, sp.S.Zero))
                                     for test in tests if test.face is None for e in outputs[test.at:test.at + 3])


def _runs_straight(face: ParametricSurface, path: tuple[Any, Any], domain: tuple[Any, Any], symbol: Any, end: int) -> bool:
    return runs_along(face, path, domain, symbol, end) and not any(sp.diff(e, u).has(u) for e in path)


@functools.lru_cache(maxsize=256)
def _feature_tests(body: Solid) -> tuple[tuple[_Test, ...], tuple[Any, ...]]:
    """Tests of all edges and vertices, and formulas of u and t of their outputs."""
    features: list[tuple[str, Edge | Vertex]] = [(f"edge {n}", e) for n, e in enumerate(body.edges)]
    features += [(f"vertex {n}", p) for n, p in enumerate(body.vertices)]
    outputs: list[Any] = []
    tests: list[_Test] = []
    for number, (name, feature) in enumerate(features):
        paths = feature.paths if isinstance(feature, Edge) else feature.points
        curves = [[e.xreplace({u: a, v: b}) for e in body.faces[f].body] for f, (a, b) in zip(feature.faces, paths, strict=True)]
        for k, f in enumerate(feature.faces):
            tests.append(_Test(len(outputs), number, f, f"{name} leaves the parameter domain of face {f}"))
            outputs += paths[k]
            if k:
                fault = f"{name} does not lie on both of its faces {feature.faces[0]} and {f}"
                tests.append(_Test(len(outputs), number, None, fault))
                outputs += [*(p - q for p, q in zip(curves[0], curves[k], strict=True)), *curves[0]]
    return tuple(tests), tuple(outputs)


def _along_features(body: Solid, span: tuple[float, float], numbers: Numbers) -> list[np.ndarray]:
    """For each feature (2, n, outputs): bounds of all outputs at points of it.

    One kernel serves all features, though each needs few of its outputs: compiling costs more than evaluating.
    """
    ends, _ = numbers.bounds([*(edge.domain for edge in body.edges), *[(0, 0)] * len(body.vertices)])
    along = np.linspace(ends[:, 0], ends[:, 1], _CELLS + 1, axis=1)
    points = np.stack(np.broadcast_arrays(along[..., None], span), axis=-1).reshape(-1, 2)
    bounded = np.stack(_feature_kernel(body, numbers.symbols).interval(points, points, parameters=numbers.parameters))
    return np.split(bounded, len(ends), axis=1)


@functools.lru_cache(maxsize=256)
def _feature_kernel(body: Solid, symbols: tuple[Any, ...]) -> Kernel:
    return compile(_feature_tests(body)[1], [u, t], symbols, quick=True)


def _slack(points: np.ndarray) -> float:
    """The distance by which rounding may move points (n, k); those that are not finite are left out."""
    known = points[np.isfinite(points).all(axis=1)]
    return float(1e-9 * np.ptp(known, axis=0).max() + _ROUNDINGS * np.abs(known).max()) if len(known) else 0.0


def _fails(test: _Test, values: np.ndarray, rectangles: Sequence[np.ndarray], slack: float) -> bool:
    """Whether a path is proved to leave the rectangle of its face, or two faces are proved to differ."""
    lo, hi = values
    if test.face is None:
        return bool(((lo[:, :3] > slack) | (hi[:, :3] < -slack)).any())
    rectangle = rectangles[test.face]
    beyond = _slack(rectangle.T)
    return bool(((lo[:, :2] > rectangle[:, 1] + beyond) | (hi[:, :2] < rectangle[:, 0] - beyond)).any())
