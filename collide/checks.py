"""Bad input, refused in one sentence before any work is done."""

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from codegen.kernel import Kernel, compile
from generative import Edge, ImplicitBody, ParametricSurface, Solid, Vertex, t, u, v, x, y, z
from generative.symbols import exact

from .numbers import NONE, Numbers
from .patch import bounds, enclose
from .state import METHODS

ORDERS = ("auto", "upper", "lower")
# Cells in which a degenerate normal, and a difference between faces and edges, is looked for.
_CELLS = 16


def check_kinds(bodies: Sequence[Any]) -> None:
    if isinstance(bodies, (ParametricSurface, ImplicitBody, Solid)) or not isinstance(bodies, Sequence):
        raise TypeError(f"first_contact takes a list of bodies, got a {type(bodies).__name__}")
    if len(bodies) < 2:
        raise ValueError(f"a collision needs at least two bodies, got {len(bodies)}")
    for k, body in enumerate(bodies):
        if not isinstance(body, (ParametricSurface, ImplicitBody, Solid)):
            raise TypeError(f"body {k} is a {type(body).__name__}; bodies are ParametricSurface, ImplicitSurface and Solid values")


def check_bodies(bodies: Sequence[Any], span: tuple[float, float], numbers: Sequence[Numbers] | None = None) -> None:
    """`numbers`: of bodies that are formulas of families."""
    for k, body in enumerate(bodies):
        if isinstance(body, ParametricSurface):
            check_normal(body, f"body {k}", span[0], numbers[k] if numbers else NONE)
        elif isinstance(body, ImplicitBody):
            check_gradients(body, f"body {k}")
        else:
            for f, face in enumerate(body.faces):
                check_normal(face, f"face {f} of body {k}", span[0])
            fault = solid_fault(body, span)
            if fault:
                raise ValueError(f"body {k}: {fault}")


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
        if isinstance(value, bool) or not (isinstance(value, (int, float, np.number, sp.Rational)) and 0 < value < math.inf):
            raise ValueError(f"{name} must be a positive number, got {value!r}")
    for name, choice, known in (("method", method, [*METHODS, "time-dependent"]), ("order", order, list(ORDERS))):
        if choice not in known:
            raise ValueError(f"{name} must be one of {', '.join(known)}, got {choice!r}")


# -- surfaces -----------------------------------------------------------------------------------------------------


def check_normal(surface: ParametricSurface, name: str, moment: float, numbers: Numbers = NONE) -> None:
    if degenerate(surface, moment, numbers):
        raise ValueError(f"the normal of {name} vanishes everywhere: its u and v do not span a surface")


def check_gradients(body: ImplicitBody, name: str) -> None:
    """Refuses what is written as a product of powers, as z**2 is: F and its gradient vanish together."""
    for leaf in body.leaves:
        factors = [f for f in sp.Mul.make_args(leaf.body) if f.has(x, y, z)]
        if all(f.is_Pow and f.exp.is_number and f.exp > 1 for f in factors):
            raise ValueError(f"the normal of {name} vanishes everywhere: all factors of {leaf.body} are powers; give their bases")


@functools.lru_cache(maxsize=1024)
def degenerate(surface: ParametricSurface, moment: float, numbers: Numbers = NONE) -> bool:
    """Is the normal zero at every point of a grid, up to a few roundings of parallel tangents: a curve or a point?"""
    if all(e == 0 for e in surface.body_normal):
        return True
    ends, _ = numbers.bounds([*surface.domain.values()])
    at = np.stack(np.meshgrid(*(np.linspace(lo, hi, 2 * _CELLS + 1)[1::2] for lo, hi in ends), [moment], indexing="ij"), axis=-1)
    values = _tangent_kernel(surface, numbers.symbols).points(at.reshape(-1, 3), parameters=numbers.middles)
    normal, first, second = (np.linalg.norm(values[:, 3 * k:3 * k + 3], axis=1) for k in range(3))
    return not bool((normal > 1e-13 * first * second).any())


@functools.lru_cache(maxsize=256)
def _tangent_kernel(surface: ParametricSurface, symbols: tuple[Any, ...]) -> Kernel:
    """The normal and both tangents in the body's frame."""
    derivatives = [[sp.diff(e, s) for e in surface.body] for s in (u, v)]
    return compile([*surface.body_normal, *derivatives[0], *derivatives[1]], [u, v, t], symbols, quick=True)


@functools.lru_cache(maxsize=256)
def solid_fault(body: Solid, span: tuple[float, float]) -> str:
    """What is wrong with the edges and vertices: one that is proved not to lie on all of its faces, or to leave them.

    Differences up to 1e-9 of the size pass, as the rounding of coefficients computed in doubles.
    """
    features: list[tuple[str, Edge | Vertex]] = [(f"edge {n}", e) for n, e in enumerate(body.edges)]
    features += [(f"vertex {n}", p) for n, p in enumerate(body.vertices)]
    outputs: list[Any] = []
    tests: list[tuple[int, Edge | Vertex, int, str]] = []
    for name, feature in features:
        paths = feature.paths if isinstance(feature, Edge) else feature.points
        curves = [[e.xreplace({u: a, v: b}) for e in body.faces[f].body] for f, (a, b) in zip(feature.faces, paths, strict=True)]
        for k, f in enumerate(feature.faces):
            tests.append((len(outputs), feature, k, f"{name} leaves the parameter domain of face {f}"))
            outputs += paths[k]
            if k:
                tests.append((len(outputs), feature, -1, f"{name} does not lie on both of its faces {feature.faces[0]} and {f}"))
                outputs += [*(p - q for p, q in zip(curves[0], curves[k], strict=True)), *curves[0]]
    if not tests:
        return ""
    # One kernel for all features, though each needs few of its outputs: compiling costs more than evaluating.
    kernel = compile(outputs, [u, t], quick=True)
    return next((fault for at, feature, k, fault in tests if _fails(kernel, at, feature, k, body, span)), "")


def _fails(kernel: Kernel, at: int, feature: Edge | Vertex, k: int, body: Solid, span: tuple[float, float]) -> bool:
    """Is the feature's path proved to leave the rectangle of its face number k, or (k = -1) to differ between two faces?"""
    (ends,), _ = bounds([feature.domain if isinstance(feature, Edge) else (0, 0)])
    points = np.array([(s, moment) for s in np.linspace(ends[0], ends[1], _CELLS + 1) for moment in span])
    lo, hi = (values[:, at:] for values in kernel.interval(points, points))
    if k < 0:
        slack = 1e-9 * (1.0 + np.abs(np.concatenate([lo[:, 3:6], hi[:, 3:6]])).max())
        return bool(((lo[:, :3] > slack) | (hi[:, :3] < -slack)).any())
    rectangle, _ = bounds(list(body.faces[feature.faces[k]].domain.values()))
    slack = 1e-9 * (1.0 + np.abs(rectangle).max())
    return bool(((lo[:, :2] > rectangle[:, 1] + slack) | (hi[:, :2] < rectangle[:, 0] - slack)).any())
