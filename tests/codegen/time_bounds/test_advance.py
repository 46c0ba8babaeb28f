"""The bound of the time of contact: no contact of a box comes before it, whatever the box, the window and the motion.

The contacts are made, not found: a random point of a random box is a contact of the second surface shifted by the
difference of the two points, which is a parameter of the kernel.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from codegen.from_sympy import convert
from codegen.graph.expr import ExprPool
from codegen.kernel import Kernel
from codegen.time_bounds.advance import advance_kernel
from collide import Budget, Status, first_contact
from generative import ParametricSurface, Rigid, axis_angle, t, u, v, x, y, z
from generative.patch import bezier_patch
from models.scenes import SCENES
from models.shapes.machine import rounded_bar
from models.shapes.quadrics import sphere

from .advance_bounds import PAIRS, TIME, Bound, M, N, apart, shifted, through_functions

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
