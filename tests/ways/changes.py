"""The same bodies in other words: other units, other parameters, motions written into formulas."""

from collections.abc import Callable
from typing import Any

from generative import ImplicitSurface, ParametricSurface, Rigid, Solid, t, u, v, x, y, z
from generative.combination import Combination


def mapped(body: Any, change: Callable[[Any], Any]) -> Any:
    """The body with each of its surfaces changed."""
    if isinstance(body, Combination):
        return Combination(body.operation, [mapped(child, change) for child in body.children])
    if isinstance(body, Solid):
        return body.mapped([change(face) for face in body.faces])
    return change(body)


def in_units(body: Any, size: Any, time: Any) -> Any:
    """Lengths `size` times as large, and t replaced by the expression `time`."""
    def change(surface: Any) -> Any:
        motion = surface.motion.at(time)
        moved = Rigid._unchecked(motion.rotation, size * motion.translation)
        if isinstance(surface, ParametricSurface):
            return ParametricSurface([size * e.xreplace({t: time}) for e in surface.body], surface.domain,
                                     flipped=surface.flipped).moved(moved)
        formula = surface.body.xreplace({t: time, **{s: s / size for s in (x, y, z)}})
        return ImplicitSurface(formula, [(size * lo, size * hi) for lo, hi in surface.bounds]).moved(moved)

    return mapped(body, change)


def lifted(body: Any) -> Any:
    """The motion written into the formula."""
    return mapped(body, lambda s: ParametricSurface(s.expressions, s.domain, flipped=s.flipped))


def scaled_parameters(body: ParametricSurface, a: Any, b: Any, c: Any = 0) -> ParametricSurface:
    """The same surface with u / a + c and v / b in the place of its parameters: affine in each, the ranges a and b times as large."""
    (u0, u1), (v0, v1) = body.domain[u], body.domain[v]
    there = {u: (u - c * a) / a, v: v / b}
    formula = [e.xreplace(there) for e in body.body]
    return ParametricSurface(formula, {u: (a * (u0 + c), a * (u1 + c)), v: (b * v0, b * v1)}, flipped=body.flipped).moved(body.motion)
