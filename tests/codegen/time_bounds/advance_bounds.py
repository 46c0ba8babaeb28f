"""Pairs of moving and deforming surfaces, and the kernels that bound their times of contact, called on eight boxes."""

import ctypes
from dataclasses import replace

import numpy as np
import sympy as sp

from codegen.from_sympy import convert
from codegen.graph.expr import ExprPool
from codegen.time_bounds.moving_bodies import MovingShape, deforming, moving
from codegen.time_bounds.separable_advance import composed_advance, separable_advance
from generative import ParametricSurface, Rigid, Screw, axis_angle, deform, t, u, v

N, M, TIME = 5, 3, 4


def torus():
    return ParametricSurface([(1 + 0.25 * sp.cos(v)) * sp.cos(u), (1 + 0.25 * sp.cos(v)) * sp.sin(u), 0.25 * sp.sin(v)],
                             {u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)})


def bumpy():
    r = 1 + sp.sin(5 * u) * sp.sin(4 * v) / 5
    return ParametricSurface([r * sp.cos(u) * sp.cos(v), r * sp.sin(u) * sp.cos(v), r * sp.sin(v)],
                             {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})


def net(degree, seed):
    """A Bezier patch each of whose control points swings about a line."""
    rng = np.random.default_rng(seed)

    def basis(s):
        return [sp.binomial(degree, k) * s**k * (1 - s)**(degree - k) for k in range(degree + 1)]

    points = [sp.Integer(0)] * 3
    for i, a in enumerate(basis(u)):
        for j, b in enumerate(basis(v)):
            for k, (place, speed, swing, pace) in enumerate(rng.integers(-9, 10, (3, 4)).tolist()):
                start = (i, j, 0)[k] + sp.Rational(place, 20)
                points[k] += a * b * (start + t * sp.Rational(speed, 9) + sp.Rational(swing, 30) * sp.sin(pace * t + i))
    return ParametricSurface(points, {u: (0, 1), v: (0, 1)})


PATCH = ParametricSurface([u + v**2 / 3, v - u**3 / 4, u**3 * v**2 - v**3 / 2 + u * v / 3], {u: (0, 1), v: (-1, 1)})
PAIRS = {
    "tori": (torus().moved(Rigid(rotation=[[1, 0, 0], [0, 0, -1], [0, 1, 0]], translation=[0, 0, 3 - t])), torus()),
    "bumpy": (bumpy().moved(Rigid(rotation=axis_angle([1, 2, 3], t + 1), translation=[0.1, sp.Rational(1, 7), 4 - t])),
              bumpy().moved(Rigid(rotation=axis_angle([2, -1, 1], t / 2)))),
    "screw": (torus().moved(Screw(axis=[1, 1, 0], point=[0, 1, 0], angle=3 * t, advance=t**2)), bumpy()),
    "deforming": (ParametricSurface([u, v, sp.sin(u * t) * v + t**2 * sp.cos(v)], {u: (-2, 2), v: (-2, 2)}),
                  ParametricSurface([u, v, 3 - t * u * v], {u: (-2, 2), v: (-2, 2)})),
    "checkerboard": (ParametricSurface([u, v, sp.Min(0, sp.sin(sp.pi * u) * sp.sin(sp.pi * v)) / 2], {u: (-2, 2), v: (-2, 2)}),
                     torus().moved(Rigid(rotation=axis_angle([1, 2, 3], t), translation=[0, 0, 2 - t]))),
    "bicubic": (ParametricSurface([u, v, u**3 * v**2 - v**3 / 2 + u * v / 3], {u: (0, 1), v: (-1, 1)})
                .moved(Rigid(rotation=axis_angle([3, 1, 2], 2 * t**2), translation=[t, t**3 / 7, 2 - t])),
                ParametricSurface([u - v**2, v + u**3 / 5, u**2 * v**3], {u: (-1, 1), v: (-1, 1)})),
    "waves": (ParametricSurface([u + t**2 / 5, v, sp.sin(3 * u + 2 * v - 5 * t) / 4 + sp.exp(u - t) * sp.cos(2 * u + t) / 9],
                                {u: (-2, 2), v: (-2, 2)}),
              torus().moved(Rigid(rotation=axis_angle([1, 2, 3], t), translation=[0, 0, 2 - t]))),
    "net": (net(2, 1), net(3, 2).moved(Rigid(rotation=axis_angle([1, 2, 3], t + 1), translation=[0, 0, 2 - t]))),
    "turning net": (net(3, 2).moved(Rigid(rotation=axis_angle([1, 2, 3], 2 * t**2 + 1), translation=[0, 0, 2 - t])),
                    net(2, 3).moved(Rigid(rotation=axis_angle([0, 0, 1], sp.Rational(2, 7)), translation=[0, t, 0]))),
    "turning waves": (ParametricSurface([u + t**2 / 5, v, sp.sin(3 * u + 2 * v - 5 * t) / 4 + sp.exp(u * v) * sp.cos(t) / 9 - u * v * t],
                                        {u: (-2, 2), v: (-2, 2)}).moved(Rigid(rotation=axis_angle([1, 2, 3], t))), torus()),
    "flapping": (ParametricSurface([u, v, sp.sin(7 * t) * abs(u) + sp.cos(5 * t) * abs(v - 1) + v * sp.Max(t, 1)],
                                   {u: (-2, 2), v: (-2, 2)}), torus()),
    "twisting": (deform.twist(PATCH, t / 2 + t**2 / 9), deform.twist(PATCH, -t).moved(Rigid(translation=[0, t / 3, 2 - t]))),
    "folding": (ParametricSurface([u + v**3 / 5, v, abs(sp.sin(u * v) - t / 3) + sp.sqrt(5 + u**2 * t)], {u: (-2, 2), v: (-2, 2)}),
                bumpy().moved(Rigid(rotation=axis_angle([2, -1, 1], t / 2)))),
    "kinks": (ParametricSurface([u, v, abs(u) - t * abs(v - 1)], {u: (-2, 2), v: (-2, 2)}), torus()),
}


def shifted(first, second):
    """The difference of two surfaces less a shift, as nodes, with the shift as parameters."""
    pool = ExprPool()
    x = [pool.variable(k) for k in range(N)]
    a = convert(first.expressions, {u: x[0], v: x[1], t: x[4]}, pool)
    b = convert(second.expressions, {u: x[2], v: x[3], t: x[4]}, pool)
    return [p - q - pool.parameter(k) for k, (p, q) in enumerate(zip(a, b, strict=True))]


def block(ends):
    """Intervals (8, k, 2) as kernels take them."""
    return np.ascontiguousarray(np.stack([-ends[:, :, 0].T, ends[:, :, 1].T], axis=1))


def with_ends(lo, hi):
    """Boxes (8, k), then their lower and their upper ends as thin intervals."""
    return block(np.stack([np.concatenate([lo, lo, hi], axis=1), np.concatenate([hi, lo, hi], axis=1)], axis=2))


def centred(lo, hi):
    """Boxes (8, k), then their centres as thin intervals."""
    centre = np.clip((lo + hi) / 2, lo, hi)
    return block(np.stack([np.concatenate([lo, centre], axis=1), np.concatenate([hi, centre], axis=1)], axis=2))


def evaluated(kernel, x, parameters):
    out = np.zeros((len(kernel.outputs), 2, 8))
    call(kernel.block_address(), x, parameters, out)
    return out


class Bound:
    """The two kernels, called on eight boxes at a time."""

    def __init__(self, advance, n=N):
        self.advance, self.n = advance, n
        self.outputs = len(advance.kernel.outputs)

    def taylor(self, lo, hi, parameters):
        """Z and T of eight boxes (8, n), the parameters (8, p, 2)."""
        z = centred(lo, hi)
        z[2 * self.n - 1, 0], z[2 * self.n - 1, 1] = -lo[:, -1], lo[:, -1]
        return z, evaluated(self.advance.kernel, z, block(parameters))

    def time(self, lo, hi, parameters, normal=None):
        return self.advanced(*self.taylor(lo, hi, parameters), normal)

    def advanced(self, z, taylor, normal=None):
        out = np.zeros((self.n + 1, 8))
        direction = np.zeros((M, 8)) if normal is None else np.ascontiguousarray(normal)
        call(self.advance.bound, z, taylor, direction, out)
        return out[0]


class SeparableBound:
    """The same for two bodies whose shapes and motions are apart."""

    def __init__(self, advance):
        self.advance = advance

    def inputs(self, lo, hi, parameters):
        """Both records, the motion, the window."""
        p, result = block(parameters), []
        for side, own in ((0, [0, 1]), (1, [2, 3])):
            s = with_ends(lo[:, own], hi[:, own])
            record, view = np.zeros((self.advance.models[side].length, 8)), np.ones((3 * self.advance.models[side].coordinates, 8))
            call(self.advance.records[side], s, evaluated(self.advance.kernels[side], s, p), view, record)
            result.append(record)
        window = block(np.stack([lo[:, [4, 4]], np.stack([hi[:, 4], lo[:, 4]], axis=1)], axis=2))
        motion = self.motion(result, window, p)
        return *self.shown(result, motion, window), motion, window

    def motion(self, records, window, p):
        return [evaluated(self.advance.kernel, window, p)]

    def shown(self, records, motion, window):
        """The records, of bodies that deform what they look like at the beginnings of the windows."""
        result = []
        for record, net, address in zip(records, self.advance.nets, self.advance.moved, strict=True):
            result.append(record if net is None else np.full((net.length, 8), np.nan))
            if net is not None:
                call(address, record, *motion, window, result[-1])
        return result

    def time(self, lo, hi, parameters, normal=None):
        return self.advanced(*self.inputs(lo, hi, parameters), normal=normal)

    def advanced(self, first, second, motion, window, normal=None):
        out = np.zeros((2, 8))
        direction = np.zeros((M, 8)) if normal is None else np.ascontiguousarray(normal)
        call(self.advance.bound, first, second, *motion, window, direction, out)
        return out[0]


class ComposedBound(SeparableBound):
    """The same for two bodies that deform through functions of their parameters."""

    def motion(self, records, window, p):
        blocks = []
        for record, model, kernel in zip(records, self.advance.models, self.advance.forms, strict=True):
            middle, reach = record[model.middle:model.reach], record[model.reach:model.doubt]
            box = np.concatenate([np.stack([reach, reach], axis=1), window[:1], np.stack([-middle, middle], axis=1), window[1:]])
            blocks.append(evaluated(kernel, box, p))
        return blocks

    def shown(self, records, motion, window):
        return records


def call(address, *arrays):
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(arrays))(address)(*(a.ctypes.data for a in arrays))


def apart(first, second, hidden):
    """The bounds of the separated form of the same; `hidden`: found in the formulas of the positions."""
    pool = ExprPool()
    x = [pool.variable(k) for k in range(N)]
    bodies = []
    for surface, own, sign in ((first, (0, 1), 0), (second, (2, 3), 1)):
        at = {u: x[own[0]], v: x[own[1]], t: x[TIME]}
        translation = convert(list(surface.motion.translation), at, pool)
        if hidden:
            body = moving(convert(surface.expressions, at, pool), own, TIME)
        else:
            body = MovingShape(convert(surface.body, at, pool), convert(list(surface.motion.rotation), at, pool), translation, own,
                               rigid=True)
        if sign:
            body = replace(body, shift=[e + pool.parameter(k) for k, e in enumerate(body.shift)])
        bodies.append(body)
    return SeparableBound(separable_advance((bodies[0], bodies[1]), TIME, parameters=3))


def through_functions(first, second):
    """The bounds of the composed form of the same."""
    pool = ExprPool()
    x = [pool.variable(k) for k in range(N)]
    positions = [convert(surface.expressions, {u: x[2 * k], v: x[2 * k + 1], t: x[TIME]}, pool)
                 for k, surface in enumerate((first, second))]
    positions[1] = [e + pool.parameter(k) for k, e in enumerate(positions[1])]
    return ComposedBound(composed_advance(deforming(positions, ((0, 1), (2, 3)), TIME), parameters=3))
