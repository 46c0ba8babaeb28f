"""Deforming surfaces, and sheets of them, that touch themselves."""

import numpy as np
import sympy as sp

import collide
from generative import ParametricSurface, t, u, v

R = sp.Rational
W = u + R(1, 7)


def pinched(gap=0, bulge=1, span_v=(-1, R(9, 8))):
    """A tube whose waist closes: at t = 1 + gap the points u + 1/7 = pi/2 and 3 pi/2 meet at v = 0 in the origin."""
    return ParametricSurface([2 * sp.cos(W), v, sp.sin(W) * (sp.cos(W) ** 2 + bulge * v**2 + 1 + gap - t)], {u: (0, 2 * sp.pi), v: span_v})


def hinge(reverse=False):
    """A plate, and a bent plate that turns on one side of it; the bend touches the plate at u = 3/4, v = 2/5, tan(2 - t) = 9/32."""
    along = 1 - v if reverse else v
    bend = -(1 - (along - R(2, 5)) ** 2 / 4) / 2 * u**2 * (R(3, 2) - u)
    c, s = sp.cos(2 - t), sp.sin(2 - t)
    plate = ParametricSurface([u, v, 0], {u: (0, 1), v: (0, 1)})
    return plate, ParametricSurface([u * c - bend * s, along, u * s + bend * c], {u: (0, 1), v: (0, 1)})


def folding(patches=2, lean=0, wave=0):
    """A B-spline sheet that bends into an arch and further, until its ends meet; it leans sideways by `lean`, and is wavy across."""
    count = patches + 3
    along, beside = np.meshgrid(np.linspace(0, 1, count), np.arange(4) / 3, indexing="ij")

    def bent(turn):
        height = 1 - np.cos(turn * along) + wave * np.sin(6 * beside)
        return np.stack([np.sin(turn * along), beside + lean * along**2, height], axis=-1) / turn

    start, end = bent(4.5), bent(6.9)
    knots = [0] * 3 + list(range(patches + 1)) + [patches] * 3
    return collide.nurbs_to_bezier(start, knots, [0] * 4 + [1] * 4, (3, 3), velocities=end - start)


def over(body, *ends, turned=False):
    """The surface over (lo, hi) of u and v from 0 to 1; `turned`: u and v exchanged, v reversed."""
    if turned:
        return ParametricSurface([e.subs({u: 1 - v, v: u}, simultaneous=True) for e in body], {u: (0, 1), v: (0, 1)})
    return ParametricSurface(body, {u: ends, v: (0, 1)})


UNIT = {u: (0, 1), v: (0, 1)}


def halves(shape, turned):
    """Two surfaces with `shape` between them; `turned`: the parameters of the second run otherwise."""
    lean = u + u * v / 4, v - u**2 / 5
    upper, lower = ([*lean, u * v / 3 + part] for part in (shape, -shape / 2))
    return [ParametricSurface(upper, UNIT), over(lower, turned=True) if turned else ParametricSurface(lower, UNIT)]
