"""Text never runs, wherever it comes in: every argument of everything public refuses it, in one sentence, and so it refuses objects that
only pretend to be formulas.

There is one good call of each callable here; every argument of it, and every entry of its lists and dictionaries, is replaced in turn.
"""

import ast
import inspect
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp
from sympy.parsing import sympy_parser

import codegen
import collide
import generative
from codegen import functions, operators
from generative import (
    Curve,
    Edge,
    ImplicitSurface,
    Motion,
    Parameter,
    ParametricSurface,
    Rigid,
    Screw,
    Solid,
    Vertex,
    curve,
    deform,
    fit,
    motion,
    patch,
    polyhedron,
    primitives,
    sew,
    solids,
    sweep,
    symbols,
    t,
    u,
    v,
    x,
    y,
    z,
)
from generative.numeric import approx_function
from generative.polyhedron import brick
from generative.sew import borders, open_sides
from models.scenes import machines
from models.shapes import SHAPES

RAN: list[int] = []
PROGRAM = f"__import__('{__name__}', fromlist=['RAN']).RAN.append(1)"


class Text(str):
    pass


class Printed:
    """Prints as a program."""

    def __repr__(self) -> str:
        return PROGRAM


class Pretender:
    """Says to SymPy that it stands for a program."""

    def _sympy_(self) -> str:
        return PROGRAM


class Floating:
    """No number, though one can be had of it."""

    def __float__(self) -> float:
        return 0.5


PAYLOADS: list[Any] = [
    PROGRAM, Text(PROGRAM), np.str_(PROGRAM), PROGRAM.encode(), np.bytes_(PROGRAM.encode()), bytearray(PROGRAM.encode()), Printed(),
    Pretender(), Floating(), np.array(PROGRAM), np.array([PROGRAM]), np.array([PROGRAM] * 3, object), np.array(PROGRAM, object),
    [PROGRAM] * 3, (PROGRAM, PROGRAM), "1", np.str_("1"), b"1", b"\0\1", b"\0\1\2", b"\0\1\2\3", "12", "123", ["0", "1"],
    ["0", "1", "2"],
]  # fmt: skip

TEXTS = {PROGRAM, "1", "12", "123", "0", "2"}
SQUARE = {u: (0, 1), v: (0, 1)}
PLATE = ParametricSurface([u, v, 0], SQUARE)
BOWL = ParametricSurface([u, v, 2 - t + u**2 + v**2], SQUARE)
BALL, OUTLINE, LINE = primitives.ball(), curve.circle(), curve.line([0, 0, 0], [0, 0, 1])
PROFILE, FALL, HERE = Curve([1, 0, u], (0, 1)), Rigid(translation=[0, 0, -t]), Rigid()
CORNERS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
TETRAHEDRON = CORNERS, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
NET = [[[i, j, i * j] for j in range(2)] for i in range(2)]
MESH = np.array(CORNERS, float), np.array(TETRAHEDRON[1])
POINTS = np.arange(24.0).reshape(1, 8, 3) % 7
PATCHES = np.arange(48.0).reshape(1, 2, 2, 2, 2, 3) % 5
TRIANGLES = np.arange(36.0).reshape(1, 2, 2, 3, 3) % 5
POSES = [0.0, 0.5, 1.0], [[1.0, 0.0, 0.0, 0.0]] * 3, [[0.0, 0.0, 1.0]] * 3
SPEED = Parameter("speed")
SPEEDING = PLATE.moved(Rigid(translation=[0, 0, SPEED * t - 1]))
TRACKED = (0, 1), t / 9, 0, t / 9, 0, 5.0
KERNEL = codegen.compile([x * SPEED], [x], [SPEED])
CONTRACTOR = codegen.contract(x <= SPEED, [x], [SPEED])
UNIT = ([[0.0]], [[1.0]])
(DECAY,) = generative.ode([-x], [x], [1], (t, 0, 1))
NETS = collide.nurbs_to_bezier(np.array(NET, float), [0, 0, 1, 1], [0, 0, 1, 1], (1, 1))


class Call:
    """A good call."""

    def __init__(self, function: Callable[..., Any], *arguments: Any, **named: Any) -> None:
        self.function, self.arguments, self.named = function, arguments, named

    def run(self) -> Any:
        return self.function(*self.arguments, **self.named)

    @property
    def given(self) -> dict[str, Any]:
        """Argument by name; of what takes any number of arguments, by the name of all."""
        return dict(inspect.signature(self.function).bind(*self.arguments, **self.named).arguments)

    def changed(self, payload: Any) -> Iterator["Call"]:
        """The same call with the payload in the place of one thing in it."""
        for k, argument in enumerate(self.arguments):
            for other in replaced(argument, payload):
                yield Call(self.function, *self.arguments[:k], other, *self.arguments[k + 1:], **self.named)
        for name, argument in self.named.items():
            for other in replaced(argument, payload):
                yield Call(self.function, *self.arguments, **{**self.named, name: other})


def replaced(given: Any, payload: Any) -> Iterator[Any]:
    """Truth values stay: nothing is computed of them."""
    if isinstance(given, bool):
        return
    yield payload
    if isinstance(given, dict):
        for key, value in given.items():
            if getattr(type(payload), "__hash__", None) is not None:
                yield {(payload if k == key else k): e for k, e in given.items()}
            for other in replaced(value, payload):
                yield {**given, key: other}
    elif isinstance(given, (list, tuple)):
        for k in {0, len(given) - 1} if given else ():
            for other in replaced(given[k], payload):
                yield type(given)([*given[:k], other, *given[k + 1:]])
    elif isinstance(given, np.ndarray) and given.size:
        listed = given.astype(object)
        listed.flat[0] = payload
        yield from (listed, given.astype(str), given.astype(bytes), given.astype(str).tolist())


def tracking(*described: Any) -> Any:
    return collide.first_contact([PLATE, BOWL], (0, 3), tracked=[collide.Tracked(*described)])


def approximated(e: Any) -> Any:
    return approx_function([e], [u, v])(1.0, 2.0)


def timed(*, seconds: Any = 1.0, boxes: Any = 100, bytes: Any = 10**6) -> Any:
    return collide.Budget(seconds, boxes, bytes)


def checked(*, budget: Any) -> Any:
    with tempfile.NamedTemporaryFile() as file:
        return collide.check(file.name, budget=budget)


def jointed(axis: Any, origin: Any, factor: Any, offset: Any, limits: Any) -> Any:
    generative.fixed("k", "b", "c", origin=origin)
    follows = "k", factor, offset
    kinds = generative.revolute, generative.prismatic
    return [make("j", "a", "b", axis=axis, origin=origin, follows=follows, limits=limits) for make in kinds]


def declared(name: Any, value: Any, low: Any, slope: Any, lower: Any, level: Any, arguments: Any) -> Any:
    return codegen.primitive(name, points=lambda x: value, bounds=lambda x: (low, 1), derivative=lambda x: slope,
                             inverse=lambda y: (lower, 2**80), level=level, arguments=arguments)


def chained(body: Any, value: Any, base: Any) -> Any:
    chain = generative.Chain({"a": body, "b": [BALL]}, [generative.revolute("j", "b", "a")])
    return chain.at({"j": value}, base=base)


def looped(point: Any, direction: Any, length: Any, value: Any, span: Any) -> Any:
    closures = [make("a", point, "b", point) for make in (generative.loops.pin, generative.loops.spherical)]
    return generative.loops.loop(*closures, generative.loops.slot("a", point, "b", point, direction),
                                 generative.loops.rod("a", point, "b", point, length), driver="j", near={"j": value, "k": 1}, span=span)


def travelling(value: Any, limits: Any, budget: Any, ignore: Any) -> Any:
    return collide.joint_travel(SLIDER, "j", {"j": value}, [BALL.moved(Rigid(translation=[9, 0, 0]))] * 2, limits=limits, ignore=ignore,
                                budget=budget)


SLIDER = generative.Chain({"a": BALL}, [generative.prismatic("j", "b", "a")])
GENERATIVE = [
    Call(ParametricSurface, [u, v, t * u], SQUARE, motion=FALL), Call(PLATE.at, 1), Call(PLATE.moved, FALL), Call(BOWL.at, 1),
    Call(ImplicitSurface, x * y - z, [(-1, 1)] * 3, motion=FALL), Call(BALL.at, 1), Call(BALL.moved, FALL), Call((BALL | BALL).at, 1),
    Call((BALL | BALL).moved, FALL),
    Call(generative.union, BALL, BALL), Call(generative.intersection, BALL, BALL), Call(generative.difference, BALL, BALL),
    Call(generative.complement, BALL), Call(Motion, [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, t]), Call(FALL.apply, [0, 0, t]),
    Call(FALL.turn, [0, 0, t]), Call(FALL.at, 1), Call(FALL.seen_from, FALL), Call(Rigid, [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, t]),
    Call(Rigid, [1, 0, 0, 0], [0, 0, t]), Call(Screw, [0, 0, 1], [1, 0, 0], t, 2), Call(generative.axis_angle, [0, 0, 1], t),
    Call(generative.quaternion_matrix, [1, 0, 0, t]),
    Call(generative.euler, "xyz", [t, 1, 2]), Call(motion.quaternion_matrix, [1, 0, 0, 0]),
    Call(generative.ode, [y, -z * x], [x, y], [1, 0], (t, 0, 1), ranges={z: (1, 2)}, steps=9, divisions=2),
    Call(generative.ode_span, DECAY),
    Call(generative.interpolate_poses, HERE, HERE, (0, 1)), Call(generative.keyframes, [HERE, HERE, HERE], [0, 1, 2]),
    Call(Edge, [0, 1], [(u, 0), (u, 1)], (0, 1)), Call(Vertex, [0, 1], [(0, 0), (1, 1)]),
    Call(Solid, [PLATE], [Edge([0], [(u, 0)], (0, 1))], [Vertex([0], [(0, 0)])]), Call(Solid([PLATE]).at, 1),
    Call(Solid([PLATE]).moved, FALL), Call(generative.cap, sweep.extrude(OUTLINE, [0, 0, 1]), (v, 0), [0, 0, 0]),
    Call(sew, list(brick().faces)), Call(polyhedron, *TETRAHEDRON), Call(brick, (1, 1, 1)),
    Call(Curve, [u, u**2, t], (0, 1)), Call(OUTLINE.at, 1), Call(OUTLINE.onto, (0, 1)), Call(LINE.arc_length, 1),
    Call(LINE.by_arc_length, (0, 1), beyond=1), Call(curve.line, [0, 0, 0], [1, 0, 0]), Call(curve.arc, 1, 0, 1),
    Call(curve.circle, 1), Call(curve.ellipse, 1, 2, 0, 1), Call(curve.superellipse, 1, 1, 4), Call(curve.helix, 1, 1, 1),
    Call(curve.polynomial, [[0, 0, 0], [1, 0, 0]], (0, 1)), Call(curve.bezier, [[0, 0, 0], [1, 0, 0]], [1, 2]),
    Call(curve.chebyshev, [[0, 0, 0], [1, 0, 0]], (0, 1)), Call(curve.piecewise, [OUTLINE]),
    Call(curve.polygon, CORNERS[:3]), Call(curve.b_spline, CORNERS, [0, 0, 0, 1, 2, 2, 2], 2, [1, 1, 1, 1]),
    Call(sweep.extrude, OUTLINE, [0, 0, 1]), Call(sweep.revolve, PROFILE, (0, 1)), Call(sweep.ruled, OUTLINE, LINE),
    Call(sweep.loft, [OUTLINE, LINE], at=[0, 1]), Call(sweep.profile_product, OUTLINE, PROFILE),
    Call(sweep.sweep, OUTLINE, LINE, up=[1, 0, 0], scale=1 + u), Call(sweep.wire_product, OUTLINE, curve.helix(), scale=1),
    Call(sweep.affine_sweep, OUTLINE, [[1, 0, 0], [0, 1, 0], [0, 0, 1]], LINE),
    Call(sweep.rail_product, OUTLINE, LINE, curve.line([1, 0, 0], [1, 0, 2])),
    Call(sweep.offset, PLATE, 1), Call(sweep.reparameterize, PLATE, u, u * v, SQUARE), Call(sweep.interpolate, PLATE, BOWL, u),
    Call(sweep.height_field, u * v, (0, 1), (0, 1)), Call(deform.deform, PLATE, [x, y, z]), Call(deform.scale, PLATE, [1, 2, 3]),
    Call(deform.scale, PLATE, 2), Call(deform.twist, PLATE, 1), Call(deform.taper, PLATE, 1 + z**2), Call(deform.bend, PLATE, 1),
    Call(patch.bezier_patch, NET, [[1, 1], [1, 2]]), Call(patch.bezier_triangle, [CORNERS[:2], CORNERS[2:3]], [[1, 1], [1]]),
    Call(patch.b_spline_patches, NET, [0, 0, 1, 1], [0, 0, 1, 1], (1, 1), [[1, 1], [1, 1]]),
    *(Call(f, *[[[(0, 0, 0), (0, 1, 0)], [(1, 0, 0), (1, 1, 1)]]] * 4) for f in (patch.hermite, patch.hermite_to_bezier)),
    Call(patch.bezier_to_hermite, [[(i, j, i * j) for j in range(4)] for i in range(4)]),
    Call(primitives.half_space, [0, 0, 1], 0, size=1),
    Call(primitives.ball, 1, [0, 0, 0]), Call(primitives.round_cylinder, 1, 1), Call(primitives.round_cone, 1, 1),
    Call(primitives.block, [1, 1, 1]), Call(primitives.blend_union, BALL, BALL, width=1, bounds=[(0, 1)] * 3),
    Call(primitives.blend_intersection, BALL, BALL, width=1, bounds=[(0, 1)] * 3),
    Call(primitives.blend_difference, BALL, BALL, width=1, bounds=[(0, 1)] * 3),
    Call(solids.capped, sweep.extrude(OUTLINE, [0, 0, 1]), [0, 0, 0], [0, 0, 1]), Call(solids.extruded, OUTLINE, [0, 0, 1]),
    Call(solids.revolved, PROFILE), Call(solids.lofted, [OUTLINE, Curve([sp.cos(u), sp.sin(u), 1], OUTLINE.domain)], at=[0, 1]),
    Call(solids.swept, OUTLINE, LINE, up=[1, 0, 0], scale=1), Call(borders, list(brick().faces)), Call(open_sides, PLATE),
    Call(fit.chebyshev_curve, lambda s: np.stack([s, s, s], 1), (0, 1), degree=2, tolerance=1.0, derivative_bound=1.0),
    Call(fit.interpolating_curve, np.array(CORNERS, float), [0.0, 1.0, 2.0, 3.0]), Call(fit.motion_through, *POSES),
    Call(fit.motion_through, *map(np.array, POSES)), Call(fit.chebyshev_motion, *POSES, degree=1, tolerance=1.0),
    Call(fit.motion_through, *POSES, noise=1.0), Call(fit.joint_motion, np.arange(3.0), np.arange(3.0), noise=1.0),
    Call(fit.screws, FALL, (0, 1), np.ones((2, 3)), tolerance=0.1),
    Call(fit.chebyshev_motion_of, lambda s: (np.ones((len(s), 4)), np.ones((len(s), 3))), (0, 1), degree=1, tolerance=1.0),
    Call(fit.rotation_minimizing_up, LINE, [1, 0, 0], steps=8, tolerance=1.0),
    Call(fit.double_reflection, LINE, np.array([0.0, 1.0]), [1, 0, 0]),
    Call(approximated, u * v), Call(symbols.exact, 1), Call(generative.hull, CORNERS), Call(generative.hull, np.array(CORNERS, float)),
    Call(solids.capsule, 1, 1), Call(solids.rounded_box, [1, 1, 1], sp.Rational(1, 8)), Call(solids.box, [1, 1, 1]),
    Call(solids.cylinder, 1, 1), Call(solids.sphere, 1), Call(solids.cone, 1, 1), Call(generative.Product, FALL, HERE),
    Call(generative.pose, [1, 0, 0, 0], [0, 0, 1]), Call(generative.pose, np.eye(3), np.zeros(3)),
    Call(BALL.placed, [1, 0, 0, 0], [0, 0, 1]),
    Call(jointed, [0, 0, 1], HERE, 1, 0, (0, 1)), Call(chained, BALL, t, FALL), Call(SLIDER.joint_values_at, {"j": t}, (0, 1)),
    Call(looped, [0, 0, 0], [1, 0, 0], 1, 0, (0, 1)),
    Call(generative.plane.region, curve.circle(2), [curve.circle(1)]), Call(generative.plane.disc, 1, (0, 0)),
    Call(generative.plane.polygon, [(0, 0), (1, 0), (0, 1)]), Call(generative.plane.rectangle, 1, 1, (0, 0)),
    Call(generative.plane.slot, 1, 1), Call(generative.plane.arcs, (0, 0), (1, 0), 0.5),
]  # fmt: skip
ROUND = ParametricSurface([sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v), sp.sin(v)], {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})
CODEGEN = [
    Call(declared, "f", 1, 1, 0, -(2**80), 3, 1), Call(codegen.compare, KERNEL, KERNEL, UNIT, parameters=([1.0], [1.0])),
    Call(codegen.compile, [[x * SPEED, 1]], [x], [SPEED], form="natural"), Call(KERNEL.interval, *UNIT, parameters=([1.0], [1.0])),
    Call(KERNEL.decorated, *UNIT, parameters=([1.0], [1.0])), Call(KERNEL.points, [[1.0]], parameters=[1.0]),
    Call(KERNEL.points, np.ones((1, 1)), parameters=np.ones(1)), Call(functions.Chebyshev, x, 1, 2, 3),
    Call(functions.Samples, [0.0, 1.0], [0.0, 1.0], [0.0, 1.0], 0),
    Call(functions.Spline, x, functions.Samples([0.0, 1.0], [0.0, 1.0], [0.0, 1.0])), Call(functions.SphericalBesselQuotient, 1, x),
    Call(functions.cosc, x), Call(operators.DefiniteIntegral, x**2, x, 0, 1, 8),
    Call(operators.DefiniteIntegral(x * u, x, 0, 1).at, 1), Call(operators.Inverse, x**3 + x, x, u, 0, 1),
    Call(operators.Inverse(x**3 + x, x, u, 0, 1).at, 1), Call(codegen.contract, [x <= SPEED, sp.Eq(x, 1)], [x], [SPEED], rounds=2),
    Call(CONTRACTOR.__call__, *UNIT, parameters=([1.0], [1.0])),
    Call(CONTRACTOR.__call__, np.zeros((1, 1)), np.ones((1, 1)), parameters=([1.0], [1.0])),
]  # fmt: skip
SCREWS = fit.screws(FALL, (0, 1), MESH[0], tolerance=1e-2)
COLLIDE = [
    Call(collide.first_contact, [PLATE, BOWL, PLATE], (0, 3), simultaneity=1e-6, spacing=0.05, tolerance=1e-9, method="auto",
         order="auto", tracked=[collide.Tracked(*TRACKED)], ignore=[(0, 2)], budget=5.0),
    Call(collide.tracked_at, [PLATE, BOWL], (0, 1), [0.0, 0.0, 0.0], 2.0, 0.5, features=("face 0", "face 0")),
    Call(collide.distance, PLATE, BOWL, 0.0, tolerance=1e-9, spacing=0.1, budget=5.0),
    Call(collide.clearance, [PLATE, BOWL, PLATE], (0, 1), 0.5, tolerance=1e-9, spacing=0.1, ignore=[(0, 2)], budget=5.0),
    Call(collide.first_contact, [PLATE, SPEEDING], (0, 2), parameters={SPEED: 1}),
    Call(collide.clearance_batch, [PLATE, SPEEDING, PLATE], (0, 1), 0.5, parameters={SPEED: [1.0]}, tolerance=1e-9, ignore=[(0, 2)],
         budget=5.0),
    Call(collide.distance, PLATE, SPEEDING, 0.0, parameters={SPEED: 1}),
    Call(collide.clearance_profile, [PLATE, SPEEDING, PLATE], (0, 1), 2, tolerance=1e-2, ignore=[(0, 2)], parameters={SPEED: 1},
         budget=5.0),
    Call(collide.free_box, [PLATE, SPEEDING, PLATE], 0.5, start={SPEED: 1}, limits={SPEED: (1, 2)}, time=(0, 1), ignore=[(0, 2)],
         budget=5.0),
    Call(collide.clearance, [PLATE, SPEEDING], (0, 1), parameters={SPEED: (1, 2)}),
    Call(collide.critical_value, [PLATE, SPEEDING, PLATE], (0, 2), {SPEED: (1, 2)}, tolerance=1e-6, spacing=0.5, ignore=[(0, 2)],
         budget=5.0),
    Call(tracking, *TRACKED), Call(collide.self_contact, BOWL, (0, 1), simultaneity=1e-6, spacing=0.05, tolerance=1e-9, budget=5.0),
    Call(collide.contact_batch, [PLATE, SPEEDING], (0, 2), parameters={SPEED: [1.0, 2.0]}, tolerance=1e-6, budget=5.0),
    Call(collide.contact_batch, [PLATE, SPEEDING, PLATE], (0, 2), parameters={SPEED: [1.0]}, ignore=[(0, 2)]),
    Call(collide.contacts_during, [PLATE, BOWL, PLATE], (0, 3), tolerance=1e-6, ignore=[(0, 2)], budget=5.0),
    Call(collide.contact_batch, [PLATE, SPEEDING], (0, 2), parameters={SPEED: np.array([1.0, 2.0])}),
    Call(collide.clash, [PLATE, BOWL, PLATE], (0, 1), tolerance=1e-3, ignore=[(0, 2)], budget=5.0),
    Call(collide.clearance_range, [PLATE, PLATE, BALL], (0, 1), tolerance=1.0, ignore=[(0, 1)], budget=5.0),
    Call(travelling, 1, (0, 2), 5.0, [(0, 1)]),
    Call(timed, seconds=1.0, boxes=1, bytes=1), Call(checked, budget=5.0),
    Call(collide.solve, [x**2 + y - 2, sp.Eq(x, y)], {x: (0, 2), y: (0, 2)}, at_least=[x, y > 0], implied=[x - y], tolerance=1e-9,
         method="auto", budget=5.0),
    Call(collide.maximize, x**2 + y, {x: (0, 2), y: (0, 2)}, equal=[x - y], at_least=[x - 1, y > 1], tolerance=1e-8, width=1e-6,
         budget=5.0),
    Call(collide.minimize, x**2 + y, {x: (0, 2), y: (0, 2)}, equal=[x - y], at_least=[x - 1, y > 1], tolerance=1e-8, width=1e-6,
         budget=5.0),
    Call(collide.pave, [x**2 + y**2 <= 1, sp.Eq(x, y)], {x: (0, 2), y: (0, 2)}, eps=0.5, budget=5.0),
    Call(collide.check_solid, brick(), time=(0, 1), within=1e-9, budget=5.0), Call(collide.trace, [PLATE, BOWL], (0, 3)),
    *(Call(f, POINTS, 1e-6, time=(0, 1), budget=5.0) for f in (collide.edge_edge, collide.vertex_face)),
    *(Call(f, POINTS[:, :4], 1e-6, motions=(HERE, Rigid(translation=[0, 0, SPEED * t])), time=(0, 1), parameters={SPEED: [1.0]}, budget=5.0)
      for f in (collide.edge_edge, collide.vertex_face)),
    Call(collide.triangle_triangle, np.concatenate([POINTS, POINTS[:, :4] + 9], axis=1), 1e-6),
    Call(collide.triangle_triangle, POINTS[:, :6], 1e-6, motions=(HERE, Rigid(translation=[0, 0, SPEED * t])), time=(0, 1),
         parameters={SPEED: np.ones(1)}, budget=5.0),
    Call(collide.Mesh, *MESH), Call(collide.Mesh(*MESH).with_vertices, MESH[0]),
    Call(collide.Index, collide.Mesh(*MESH)), Call(collide.Index(collide.Mesh(*MESH)).classify, POINTS[0], 0.1),
    Call(collide.Index(collide.Mesh(*MESH)).classify_segments, POINTS[:, :2], 0.1),
    Call(collide.touch, collide.Mesh(*MESH), collide.Mesh(*MESH), motions=(HERE, FALL), at=0.5, tolerance=0.1),
    Call(collide.classify, BALL, [[0.0, 0.0, 3.0]], at=0.5, budget=5.0),
    Call(collide.bezier_mixed_pairs, np.zeros((1, 2, 3, 3)), np.ones((1, 2, 2, 2, 3)), tolerance=1e-6, budget=5.0, workers=1),
    Call(collide.hull_intersection, collide.Mesh(*MESH), collide.Mesh(*MESH), np.eye(4), np.eye(4)),
    Call(collide.screw_contact, MESH, (MESH[0] + 3, MESH[1]), SCREWS, 1e-6, budget=5.0),
    Call(collide.mesh_mesh, MESH, (MESH[0] + 3, MESH[1]), 1e-6, motions=(HERE, FALL), time=(0, 1), budget=5.0),
    Call(collide.Closest, MESH, MESH, motions=(HERE, FALL)), Call(collide.SweepAndPrune, np.ones((2, 3, 2))),
    Call(collide.Swarm, [MESH, MESH]), Call(collide.Swarm([MESH] * 2).update, np.stack([np.eye(4)] * 2)),
    Call(collide.Near, MESH, MESH, 0.5), Call(collide.hull_overlap, MESH, MESH, np.eye(4), np.eye(4)),
    Call(collide.boolean, MESH, MESH, "union"), Call(collide.step_limit, MESH[0], MESH[0] + 1, at_least=0.1, mesh=MESH[1], budget=5.0),
    Call(collide.step_limit, MESH[0], MESH[0] + 1, nets=np.array([[[0, 1], [2, 3]]])),
    Call(collide.bezier_pairs, PATCHES, 1e-6, np.ones((1, 2, 2, 2)), 1000, "auto", 0.0, 1),
    Call(collide.bezier_triangle_pairs, TRIANGLES, 1e-6, np.ones((1, 2, 3)), 1000, "auto", 1),
    Call(collide.nurbs_to_bezier, np.array(NET, float), [0, 0, 1, 1], [0, 0, 1, 1], (1, 1), np.ones((2, 2)), np.array(NET, float), (1, 2)),
    Call(collide.BezierNets, NETS.points, np.ones((1, 2, 2)), NETS.domains, 0.0), Call(collide.mass_properties, ROUND),
    Call(collide.exact_mass_properties, ROUND),
    Call(collide.RigidBody, ROUND, position=[0, 0, 1], orientation=[1, 0, 0, 0], velocity=[1, 0, 0], spin=[0, 0, 1], mass=1.0,
         centre=[0, 0, 0], inertia=np.eye(3), restitution=0.5, friction=0.1),
    Call(collide.RigidBody, ROUND, density=2.0), Call(collide.RigidBody, PLATE, motion=FALL),
    Call(collide.World, [collide.RigidBody(ROUND)], gravity=[0, 0, -1], restitution=0.5, friction=0.1, response="poisson"),
    Call(collide.World([collide.RigidBody(ROUND)]).run, 1.0, events=1, start=0.0, budget=5.0),
]  # fmt: skip
MODELS = [call for shape in SHAPES.values() for call in (
    Call(f, **{name: p.default for name, p in inspect.signature(shape.make).parameters.items()}) for f in (shape.make, shape.facts))]
MODELS += [Call(machines.push_time, allowance=sp.Rational(1, 50), major=2, pitch=sp.Rational(1, 2), root=sp.Rational(1, 32))]
CALLS = [*GENERATIVE, *CODEGEN, *COLLIDE, *MODELS]

# Arguments that are names, functions or executors, and results, which hold what a query puts there.
BODIES = ("ParametricSurface", "ImplicitSurface", "Solid", "union", "intersection", "difference", "polyhedron", "hull", "box", "capsule",
          "cone", "cylinder", "rounded_box", "sphere", "Mesh")
LOGGED = ("first_contact", "self_contact", "step_limit", "contact_batch", "bezier_pairs", "bezier_triangle_pairs", "mesh_mesh", "distance",
          "clearance", "solve", "minimize", "maximize")
NAMES = {"Parameter.name", "declared.name", "compile.cpu", "Tracked.features", "tracked_at.features",
         *(f"{region}.name" for region in ("region", "disc", "polygon", "rectangle", "slot")),
         *(f"{body}.name" for body in BODIES), *(f"{query}.log" for query in LOGGED)}
SHARED = ("contact_batch", "clearance_batch", "bezier_pairs", "bezier_triangle_pairs", "edge_edge", "vertex_face", "triangle_triangle")
SERIES = "Chebyshev", "SphericalBesselQuotient", "Spline"
CALLED = {"World.forces", "compare.by_hand", "chebyshev_curve.function", "chebyshev_motion_of.pose", "trace.query", "trace.arguments",
          "trace.options", *(f"{query}.executor" for query in SHARED)}
RESULTS = {"Boolean", "Changes", "ClashKind", "ClashSpell", "Clashes", "Clearance", "ClearanceBatch", "ClearanceProfile",
           "ClearanceRange", "ClosedLoop", "ClosestPair", "Closure", "Comparison", "ContactTimes", "Contacts", "Contractor",
           "ContradictionError", "CriticalValue", "DeadPoint", "Distance", "DistanceStatus", "ExactMass", "Fit", "FreeBox", "HullOverlap",
           "ImplicitBody", "Interval", "Joint", "JointTravel", "Kernel", "Kind", "LinkLoop", "LinkState", "MassProperties", "Maximum",
           "MaximumStatus",
           "MeshContact", "Minimum", "MinimumStatus", "NearestTriangles", "Outcome", "RegionChange", "RegionEvent", "RegionTracker",
           "Run", "ScrewFit", "Sensitivity", "Shape", "Spell",
           "Start", "Status", "Subpaving", "SubpavingStatus", "Touch", "TouchContact", "TouchRegion", "TouchStatus", "Trace", "Zeros",
           "ZerosStatus"}
WRAPPED = {"Budget": "timed", "check": "checked", "Tracked": "tracking", "Chain": "chained", "fixed": "jointed", "prismatic": "jointed",
           "revolute": "jointed", "primitive": "declared",
           **dict.fromkeys(("loop", "pin", "rod", "slot", "spherical"), "looped"), "joint_travel": "travelling"}


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What came to SymPy's parser."""
    came: list[Any] = []
    parse = sympy_parser.parse_expr

    def watched(text: Any, *arguments: Any, **named: Any) -> Any:
        came.append(text)
        return parse(text, *arguments, **named)

    monkeypatch.setattr(sympy_parser, "parse_expr", watched)
    RAN.clear()
    return came


def named(call: Call) -> str:
    return f"{call.function.__module__}.{call.function.__qualname__}"


@pytest.mark.parametrize("call", CALLS, ids=named)
def test_every_argument_refuses_text(call: Call, parsed: list[Any]) -> None:
    if call not in MODELS:
        call.run()
    for payload in PAYLOADS:
        for other in call.changed(payload):
            with pytest.raises((TypeError, ValueError)) as caught:
                other.run()
            assert "\n" not in str(caught.value), str(caught.value)
    assert not RAN and not [text for text in parsed if text in TEXTS]


def public() -> Iterator[tuple[str, Any]]:
    """Everything that a user may call by the names that the packages give out, and in the modules that these name."""
    for package in (generative, codegen, collide, functions):
        yield from ((name, getattr(package, name)) for name in package.__all__)
    for module in (curve, deform, fit, patch, primitives, solids, sweep):
        for name, thing in vars(module).items():
            if not name.startswith("_") and getattr(thing, "__module__", None) == module.__name__:
                yield name, thing


# Between modules: these get what was checked before.
INTERNAL = {"joined", "control_points", "bernstein", "project", "check_knots", "spans", "bezier_points", "patch_of", "Net",
            "Array"}


def test_no_callable_and_no_argument_is_missing_here() -> None:
    covered: dict[str, set[str]] = {}
    for call in CALLS:
        covered.setdefault(call.function.__name__, set()).update(call.given)
    for name, thing in public():
        if not callable(thing) or name in RESULTS | INTERNAL | {"Parameter"}:
            continue
        own = covered.get(WRAPPED.get(name, name))
        assert own is not None, f"{name} is not called"
        for parameter in () if name in (*WRAPPED, *SERIES) else inspect.signature(thing).parameters.values():
            truth = isinstance(parameter.default, bool) or parameter.annotation in (bool, "bool", bool | None)
            known = f"{name}.{parameter.name}" in NAMES | CALLED
            assert parameter.name in own or truth or known, f"no argument {parameter.name} of {name} is given"


@pytest.mark.parametrize("given", [np.array([["1", "2", "3"]] * 2), [["1", 2.0, 3.0]] * 2, [[b"1", 2.0, 3.0]] * 2])
def test_functions_that_return_text_are_refused(given: Any, parsed: list[Any]) -> None:
    with pytest.raises(ValueError, match="numbers"):
        fit.chebyshev_curve(lambda s: given, degree=1)
    with pytest.raises(ValueError, match="numbers"):
        fit.chebyshev_motion_of(lambda s: (given, given), (0, 1), degree=1)
    assert not parsed


ROOT = Path(__file__).parents[1]
# What runs text, or reads it as numbers.
RUNNING = {"sympify", "lambdify", "parse_expr", "nsimplify", "eval", "exec", "__import__"}


@pytest.mark.parametrize("package", ["generative", "codegen", "collide", "models"])
def test_only_one_module_names_what_runs_text(package: str) -> None:
    for path in sorted((ROOT / package).rglob("*.py")):
        calls = [n.func for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(n, ast.Call)]
        named = {f.attr if isinstance(f, ast.Attribute) else getattr(f, "id", "") for f in calls}
        assert not named & RUNNING or path.name == "given.py", f"{path} calls {sorted(named & RUNNING)}"
