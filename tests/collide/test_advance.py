"""The bound of the time of contact: no contact of a box comes before it, whatever the box, the window and the motion.

The contacts are made, not found: a random point of a random box is a contact of the second surface shifted by the
difference of the two points, which is a parameter of the kernel.
"""

import ctypes
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from codegen.expr import ExprPool
from codegen.from_sympy import convert
from codegen.kernel import Kernel
from collide import Budget, Status, first_contact
from collide.advance import advance_kernel
from collide.moving_bodies import Moving, deforming, moving
from collide.separable_advance import composed_advance, separable_advance
from generative import ParametricSurface, Rigid, Screw, axis_angle, deform, t, u, v, x, y, z
from generative.patch import bezier_patch
from models.scenes import SCENES
from models.shapes.machine import rounded_bar
from models.shapes.quadrics import sphere

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
            s = centred(lo[:, own], hi[:, own])
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
            body = Moving(convert(surface.body, at, pool), convert(list(surface.motion.rotation), at, pool), translation, own, rigid=True)
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


COMPOSED = ("deforming", "twisting", "folding", "bumpy", "bicubic")
RIGID = ("tori", "bumpy", "screw", "checkerboard", "bicubic")
SEPARABLE = ("bumpy", "bicubic", "waves", "net", "turning net", "turning waves", "flapping")


@pytest.fixture(scope="module", params=[*((name, "any") for name in PAIRS), *((name, "rigid") for name in RIGID),
                                        *((name, "separated") for name in SEPARABLE), *((name, "composed") for name in COMPOSED)])
def pair(request):
    name, form = request.param
    first, second = PAIRS[name]
    equations = shifted(first, second)
    ends = [*first.domain.values(), *second.domain.values(), (0, 4)]
    domain = np.array([[float(lo), float(hi)] for lo, hi in ends])
    names = ["u1", "v1", "u2", "v2", "t"]
    point = Kernel(equations, names, ["d0", "d1", "d2"])
    if form == "any":
        return domain, point, Bound(advance_kernel(equations, names, TIME, parameters=3))
    if form == "composed":
        return domain, point, through_functions(first, second)
    return domain, point, apart(first, second, form == "separated")


def boxes_with_contacts(domain, point, rng, size, window):
    """Eight boxes of about this size, a point in each, and the shifts that make it a contact."""
    at = domain[:, 0] + rng.random((8, N)) * (domain[:, 1] - domain[:, 0])
    at[:, TIME] = rng.uniform(0, 4, 8)
    width = np.full((8, N), size) * rng.uniform(0.1, 1, (8, N))
    width[:, TIME] = window * rng.uniform(0.1, 1, 8)
    lo = at - width * rng.random((8, N))
    hi = np.maximum(lo + width, at)
    zero = np.zeros((8, M))
    shift = np.stack(point.interval(at, at, parameters=(zero, zero)), axis=2)
    return at, lo, hi, shift


@pytest.mark.parametrize("size", [1e-7, 1e-4, 1e-2, 0.1, 1.0])
def test_no_contact_comes_before_the_bound(pair, size):
    domain, point, bound = pair
    rng = np.random.default_rng(int(1 / size))
    moved = 0
    for window in (1e-6, 1e-2, 0.3, 3.0):
        for _ in range(40):
            at, lo, hi, shift = boxes_with_contacts(domain, point, rng, size, window)
            time = bound.time(lo, hi, shift, rng.normal(size=(M, 8)))
            assert not np.isnan(time).any()
            assert (time <= at[:, TIME]).all()
            moved += int((time > lo[:, TIME]).sum())
    assert moved > 50 or size == 1.0


def test_the_bound_is_close_where_two_spheres_meet():
    """Unit spheres with centres 3 - t apart meet at t = 1; a box of width h round the points is late by about h^2."""
    ball = [sp.cos(v) * sp.sin(u), sp.sin(v), sp.cos(v) * sp.cos(u)]
    domain = {u: (-1, 1), v: (-1, 1)}
    first = ParametricSurface([ball[0], ball[1], -ball[2] + 3 - t], domain)
    second = ParametricSurface(ball, domain)
    bound = Bound(advance_kernel(shifted(first, second), ["u1", "v1", "u2", "v2", "t"], TIME, parameters=3))
    for h in (1e-1, 1e-2, 1e-3):
        lo, hi = np.full((8, N), -h), np.full((8, N), h)
        lo[:, TIME], hi[:, TIME] = 0.0, 2.0
        time = bound.time(lo, hi, np.zeros((8, M, 2)))
        assert (time <= 1.0).all() and (time >= 1.0 - 5 * h**2).all()


def two_functions(first, second):
    """Two functions of x, y, z and t less a shift, which are parameters, as nodes."""
    pool = ExprPool()
    at = {e: pool.variable(k) for k, e in enumerate((x, y, z, t))}
    return [e - pool.parameter(k) for k, e in enumerate(convert([first, second], at, pool))]


def ring(rotation, shift):
    """A torus as an implicit function, moved."""
    a, b, c = sp.Matrix(rotation).T * (sp.Matrix([x, y, z]) - sp.Matrix(shift))
    return (a**2 + b**2 + c**2 + sp.Rational(15, 16)) ** 2 - 4 * (a**2 + b**2)


FUNCTIONS = {"tori": (ring(axis_angle([1, 2, 2], 3 * t + 1), [t / 3, 0, 3 - t]), ring(sp.eye(3), [0, 0, 0])),
             "wave and ball": (z - sp.sin(3 * x + t) * sp.cos(2 * y) / 5, x**2 + y**2 + (z - 3 + t**2 / 2) ** 2 - 1),
             "kink": (z - abs(x), x**2 + y**2 + (z - 2 + t) ** 2 - 1)}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("size", [1e-6, 1e-3, 0.1, 1.0])
def test_no_common_zero_of_two_functions_comes_before_the_bound(name, size):
    equations, names = two_functions(*FUNCTIONS[name]), ["x", "y", "z", "t"]
    point, bound = Kernel(equations, names, ["d0", "d1"]), Bound(advance_kernel(equations, names, 3, parameters=2), n=4)
    rng, moved = np.random.default_rng(int(1 / size)), 0
    for window in (1e-6, 1e-2, 0.3, 3.0):
        for _ in range(40):
            at = rng.uniform(-1.5, 1.5, (8, 4))
            at[:, 3] = rng.uniform(0, 3, 8)
            width = np.array([size, size, size, window]) * rng.uniform(0.1, 1, (8, 4))
            lo = at - width * rng.random((8, 4))
            hi = np.maximum(lo + width, at)
            zero = np.zeros((8, 2))
            shift = np.stack(point.interval(at, at, parameters=(zero, zero)), axis=2)
            time = bound.time(lo, hi, shift)
            assert (time <= at[:, 3]).all()
            moved += int((time > lo[:, 3]).sum())
    assert moved > 50 or size == 1.0


def test_the_bound_of_two_functions_is_close_where_two_spheres_meet():
    """Unit spheres with centres 3 - t apart meet at t = 1, at (0, 0, 1): a box of width h round it, and of time, is late by about h^2."""
    one, other = x**2 + y**2 + z**2 - 1, x**2 + y**2 + (z - 3 + t) ** 2 - 1
    bound = Bound(advance_kernel(two_functions(one, other), ["x", "y", "z", "t"], 3, parameters=2), n=4)
    for h in (1e-1, 1e-2, 1e-3):
        lo, hi = np.array([[-h, -h, 1 - h, 1 - h]] * 8), np.array([[h, h, 1 + h, 1 + h]] * 8)
        time = bound.time(lo, hi, np.zeros((8, 2, 2)))
        assert (time <= 1.0).all() and (time >= 1.0 - 5 * h**2).all()


def test_the_advance_is_rounded_towards_the_beginning():
    """a + b t + c t^2, of no parameter but time: the bound must not pass the exact zero by a rounding, and come near it."""
    pool = ExprPool()
    a, s, p = pool.variable(0), pool.variable(1), [pool.parameter(k) for k in range(3)]
    bound = Bound(advance_kernel([p[0] + p[1] * s + p[2] * s * s + 0 * a], ["x", "t"], 1, parameters=3), n=2)
    rng = np.random.default_rng(5)
    for _ in range(200):
        a, b = rng.uniform(1e-3, 1, 8), -np.abs(rng.normal(size=8))
        c = -np.abs(rng.normal(size=8)) * (rng.random(8) < 0.7)
        root = np.where(c < 0, 2 * a / (-b + np.sqrt(b * b - 4 * a * c)), -a / b)
        lo, hi = np.zeros((8, 2)), np.tile([1.0, 2000.0], (8, 1))
        lo[:, 1] = root * rng.uniform(0, 0.99, 8)
        values = np.stack([a, b, c], axis=1)
        time = bound.time(lo, hi, np.stack([values, values], axis=2))
        for k in range(8):
            exact = Fraction(time[k])
            assert Fraction(a[k]) + Fraction(b[k]) * exact + Fraction(c[k]) * exact**2 >= 0
        assert (time >= root * (1 - 1e-9)).all()


def test_rounding_of_the_bounds_themselves_is_covered(pair):
    """A contact at the beginning of a box that is a point: whatever the rounding, the window must not move."""
    domain, point, bound = pair
    rng = np.random.default_rng(9)
    for _ in range(300):
        at = domain[:, 0] + rng.random((8, N)) * (domain[:, 1] - domain[:, 0])
        at[:, TIME] = rng.choice([0.0, 1e-300, 1e-20], 8)
        zero = np.zeros((8, M))
        shift = np.stack(point.interval(at, at, parameters=(zero, zero)), axis=2)
        end = at + np.eye(N)[TIME] * rng.choice([0.0, 1.0], (8, 1))
        assert (bound.time(at, end, shift, rng.normal(size=(M, 8))) <= at[:, TIME]).all()


@pytest.mark.parametrize("bad", [np.inf, 1e308])
def test_unbounded_coefficients_and_directions_say_nothing(bad):
    first, second = PAIRS["tori"]
    bound = Bound(advance_kernel(shifted(first, second), ["u1", "v1", "u2", "v2", "t"], TIME, parameters=3))
    lo, hi = np.full((8, N), 0.4), np.full((8, N), 0.5)
    hi[:, TIME] = 5.0
    z, taylor = bound.taylor(lo, hi, np.broadcast_to(np.array([[0.0], [-0.64], [0.0]]), (8, M, 2)))
    good = bound.advanced(z, taylor)
    assert ((good > 0.4) & (good < 5)).all()
    # E at the centre and the tangents also make the directions: there only an infinity must have its effect.
    directions = range(2 * M, 3 * M + 4 * M)
    for row in range(M, bound.outputs):
        damaged = taylor.copy()
        damaged[row] = bad
        if row not in directions:
            assert (bound.advanced(z, damaged) <= good).all()
        if math.isinf(bad):
            assert (bound.advanced(z, damaged) == 0.4).all()
    for direction in (np.nan, np.inf, -np.inf, 1e308, 5e-324):
        assert (bound.advanced(z, taylor, np.full((M, 8), direction)) >= good).all()


def test_a_kink_stops_the_advance():
    """|u| is not differentiable at 0: over a box across the kink derivatives must not be used."""
    first, second = PAIRS["kinks"]
    bound = Bound(advance_kernel(shifted(first, second), ["u1", "v1", "u2", "v2", "t"], TIME, parameters=3))
    lo, hi = np.tile([-0.1, 0.0, 0.0, 0.0, 0.0], (8, 1)), np.tile([0.2, 0.1, 0.1, 0.1, 1.0], (8, 1))
    shift = np.tile([[-1.2], [0.0], [-0.5]], (8, 1, 2))
    assert (bound.time(lo, hi, shift) == 0.0).all()
    lo[:, 0] = 0.1
    assert (bound.time(lo, hi, shift) > 0.0).all()


def test_a_surface_with_unbounded_derivatives_on_large_boxes_is_divided():
    """The spout's frame has a square root in a denominator, whose bounds over large boxes hold 0."""
    scene = SCENES["cloth-on-spout"]
    c = first_contact(scene.bodies, time=scene.time, budget=Budget(boxes=100_000))
    assert c.status is Status.CONTACT and c.proved.all()


# A rational patch whose denominator, bounded over the whole patch, holds 0, and a disc over a superellipse.
RATIONAL = bezier_patch([[[i, j, sp.Rational(i * j % 3, 2)] for j in range(3)] for i in range(3)],
                        [[1 + sp.Rational((i + j) % 2, 2) for j in range(3)] for i in range(3)])


@pytest.mark.parametrize("name, surface, height", [("rational patch", RATIONAL, 4), ("disc", rounded_bar().faces[1], 2)])
def test_surfaces_unbounded_on_their_whole_domain_are_divided_along_both_parameters(name, surface, height):
    ball = sphere(radius=sp.Rational(1, 2)).moved(Rigid(axis_angle([1, 2, 2], 1), [sp.Rational(1, 3), sp.Rational(1, 4), height - t]))
    c = first_contact([ball, surface], time=(0, 4), budget=Budget(boxes=20_000))
    assert c.status is Status.CONTACT and c.proved.all() and len(c) == 1
    on_ball = np.linalg.norm(c.points[0] - [1 / 3, 1 / 4, height - c.time.hi])
    assert abs(on_ball - 0.5) < 1e-9
