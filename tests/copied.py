"""One small example of each public value, a question to it, and the ways of copying it.

As a program it reads pickled examples from its input, asks them, and writes digests of their answers: see `test_copies`.
"""

import copy
import enum
import functools
import hashlib
import itertools
import json
import pickle
import sys
import tempfile
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

import codegen
import collide
import generative as g
from codegen.functions import DefiniteIntegral, Inverse, Samples, Spline
from generative import Parameter, Rigid, fit, t, u, v, x, y, z
from generative.mesh import tessellate

EYE = np.eye(4)
CORNERS = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
QUADS = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
TRIANGLES = np.array([s for a, b, c, d in QUADS for s in ([a, b, c], [a, c, d])])


class Example(NamedTuple):
    """How a value is made, and questions to it, one after the other: their answers are compared."""

    make: Callable[[], Any]
    ask: Callable[[Any], Any]


EXAMPLES: dict[str, Example] = {}


def example(ask: Callable[[Any], Any] | None = None) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """Note a function that makes a value as the example of its name. `ask` is by default all that the value says of itself."""
    def note(make: Callable[[], Any]) -> Callable[[], Any]:
        EXAMPLES[make.__name__] = Example(make, ask or told)
        return make

    return note


# -- what a value says --------------------------------------------------------------------------------------------------------


def told(value: Any) -> Any:
    """Its text and all of its public attributes that are no methods."""
    if isinstance(value, sp.Basic):
        return value
    names = [name for name in dir(value) if not name.startswith("_")]
    return repr(value), {name: _attribute(value, name) for name in names}


def _attribute(value: Any, name: str) -> Any:
    try:
        found = getattr(value, name)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None if callable(found) and not isinstance(found, sp.Basic) else found


def plain(value: Any) -> Any:
    """Nested tuples of texts that tell values apart to the bit, and are the same in any process."""
    if isinstance(value, np.ndarray):
        return (value.shape, value.dtype.str, plain(value.tolist()) if value.dtype == object else value.tobytes().hex())
    if isinstance(value, Mapping):
        return tuple(sorted(((str(k), plain(e)) for k, e in value.items()), key=repr))
    if isinstance(value, (list, tuple)):
        return tuple(map(plain, value))
    if isinstance(value, (set, frozenset)):
        return tuple(sorted(map(plain, value), key=repr))
    if isinstance(value, (str, int, float, complex, type(None), np.generic, enum.Enum)):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, sp.Basic):
        return sp.srepr(value)
    if isinstance(value, collide.Mesh):
        return plain([*value.arrays, value.tree.boxes, value.tree.children, value.motion, value.name])
    text = repr(value)
    return type(value).__name__ if " at 0x" in text else text


def digest(name: str, value: Any) -> str:
    """Of what an example answers, the same in any process."""
    return hashlib.sha256(repr(plain(EXAMPLES[name].ask(value))).encode()).hexdigest()


# -- the ways of copying ------------------------------------------------------------------------------------------------------


def _pickled(protocol: int, value: Any) -> Any:
    return pickle.loads(pickle.dumps(value, protocol))


WAYS: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy, "deepcopy": copy.deepcopy,
    **{f"pickle {k}": functools.partial(_pickled, k) for k in range(pickle.HIGHEST_PROTOCOL + 1)},
    "a copy of a copy": lambda value: copy.copy(_pickled(5, copy.deepcopy(value))),
}  # fmt: skip


# -- shapes, motions and formulas ------------------------------------------------------------------------------------------------


def ball(radius: Any = 1, **options: Any) -> g.ParametricSurface:
    return g.ParametricSurface([radius * sp.cos(u) * sp.cos(v), radius * sp.sin(u) * sp.cos(v), radius * sp.sin(v)],
                               {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)}, **options)


def square(height: Any = 0) -> g.ParametricSurface:
    return g.ParametricSurface([u, v, height], {u: (-1, 1), v: (-1, 1)})


def fall(height: Any = 3) -> Rigid:
    return Rigid(translation=[0, 0, height - t**2])


def cube(**options: Any) -> collide.Mesh:
    return collide.Mesh(CORNERS, TRIANGLES, **options)


@example()
def parametric_surface() -> Any:
    return ball(name="ball").moved(fall())


@example()
def implicit_surface() -> Any:
    return g.ImplicitSurface(z - x**2, bounds=[(-1, 1), (-1, 1), (-1, 2)])


@example()
def combined_body() -> Any:
    return g.union(g.primitives.ball(), g.complement(g.primitives.ball(2))).moved(fall())


@example()
def block() -> Any:
    return g.primitives.block((1, 2, 3))


@example()
def solid() -> Any:
    return g.Solid([square()], [edge()], [vertex()])


@example()
def capsule() -> Any:
    return g.solids.capsule()


@example()
def half_space() -> Any:
    return g.primitives.half_space()


@example()
def polyhedron() -> Any:
    return g.hull(CORNERS.tolist())


@example()
def edge() -> Any:
    return g.Edge([0], [(u, -1)], (-1, 1))


@example()
def vertex() -> Any:
    return g.Vertex([0], [(-1, -1)])


@example()
def curve() -> Any:
    return g.curve.circle(2)


@example()
def spline_pieces() -> Any:
    return g.curve.piecewise([g.curve.line([0, 0, 0], [1, 0, 0]), g.curve.line([1, 0, 0], [1, 1, 0]).onto((1, 2))])


@example()
def swept_surface() -> Any:
    return g.sweep.extrude(g.curve.circle(), [0, 0, 1])


@example()
def patch() -> Any:
    return g.patch.bezier_patch([[[0, 0, 0], [0, 1, 0]], [[1, 0, 0], [1, 1, 1]]])


@example()
def twisted() -> Any:
    return g.deform.twist(square(), 1)


@example()
def rigid() -> Any:
    return Rigid(rotation=g.axis_angle([0, 0, 1], t), translation=[t, 0, 1])


@example()
def screw() -> Any:
    return g.Screw(axis=[0, 0, 1], point=[1, 0, 0], angle=t, advance=t / 2)


@example()
def pose() -> Any:
    return g.pose(EYE[:3, :3], [1, 2, 3])


@example()
def product() -> Any:
    return g.Product(g.Screw([0, 0, 1], [1, 0, 0], angle=t), fall())


@example()
def keyframes() -> Any:
    return g.keyframes([Rigid(translation=[k, k * k, 0]) for k in range(4)], [0, 1, 2, 3])


@example()
def interpolated() -> Any:
    return g.interpolate_poses(Rigid(), Rigid(translation=[1, 2, 3]), (0, 1))


@example()
def parameter() -> Any:
    return Parameter("size")


@example()
def chain() -> Any:
    joints = [g.revolute("arm", "base", "arm", axis=[0, 0, 1]), g.prismatic("hand", "arm", "hand", axis=[1, 0, 0])]
    return g.Chain({"base": [square()], "arm": [ball()], "hand": []}, joints)


@example()
def joint() -> Any:
    return g.fixed("weld", "base", "arm")


def pendulum() -> tuple[Any, ...]:
    p, q = sp.symbols("p q", real=True)
    return tuple(g.ode([q, -sp.sin(p)], [p, q], [1, 0], (t, 0, 2)))


@example(lambda value: (value, g.ode_span(value[0]), codegen.compile(list(value), [t]).interval([[0.5]], [[0.75]])))
def ode() -> Any:
    return pendulum()


@example()
def ode_span() -> Any:
    return g.ode_span(pendulum()[0])


@example(lambda value: (value, codegen.compile([value], [x]).interval([[0.5]], [[0.75]])))
def spline() -> Any:
    return Spline(x, Samples([0, 1, 2], [0, 1, 0], [1, 0, -1]))


@example(lambda value: (value, codegen.compile([value], [x]).interval([[0.5]], [[0.75]])))
def operators() -> Any:
    return DefiniteIntegral(sp.exp(-y**2), y, 0, x) + Inverse(y + y**3, y, x, 0, 2)


@example()
def curve_fit() -> Any:
    return fit.interpolating_curve([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 1]])


@example()
def motion_fit() -> Any:
    return fit.motion_through([0.0, 1.0, 2.0], [[1, 0, 0, 0]] * 3, [[0, 0, 0], [1, 0, 0], [1, 1, 0]])


@example(lambda value: (told(value), value.at(0.5)))
def moving_mesh() -> Any:
    return tessellate(square().moved(fall()), deviation=0.1)[0]


@example(lambda value: (told(value), value.at(0.5)))
def mesh_that_deforms() -> Any:
    return tessellate(square(t * u), deviation=0.1)[0]


# -- kernels and contractors ------------------------------------------------------------------------------------------------------


BOXES = np.array([[0.25, 0.5]]), np.array([[0.5, 0.75]])


@example(lambda value: (repr(value), value.variables, value.interval(*BOXES), value.decorated(*BOXES), value.points(BOXES[0]),
                        value.jacobian().interval(*BOXES)))
def kernel() -> Any:
    return codegen.compile([sp.sin(x) * y, x - y], [x, y])


@example(lambda value: (value.interval(*BOXES, parameters=([1.0], [2.0])), value.quick))
def quick_kernel() -> Any:
    size = Parameter("size")
    return codegen.compile([sp.sin(x) * y * size], [x, y], [size], quick=True)


@example(lambda value: (value.interval(*BOXES), value.pattern, value.pattern.csr([1.0, 2.0, 3.0]).toarray(),
                        [e.flags.writeable for e in value.pattern[:2]]))
def sparse_jacobian() -> Any:
    return codegen.compile([x * y, y], [x, y]).jacobian(sparse=True)


@example(lambda value: (value, value.csr([1.0, 2.0, 3.0]).toarray()))
def pattern() -> Any:
    return codegen.compile([x * y, y], [x, y]).jacobian(sparse=True).pattern


@example(lambda value: (repr(value), value.variables, value(*BOXES), (~value)(*BOXES), (value & value)(*BOXES)))
def contractor() -> Any:
    return codegen.contract([sp.Le(x**2 + y**2, 0.5)], [x, y])


@example()
def interval() -> Any:
    return codegen.Interval(1.0, 2.0)


@example(lambda value: (repr(value), value.lo, value.hi, value.contradictions, value.kernel, value.by_hand))
def comparison() -> Any:
    return codegen.compare(codegen.compile([x - x**2], [x]), lambda lo, hi: (0 * lo, 0 * hi + 0.25), (np.zeros((1, 1)), np.ones((1, 1))))


@example(lambda value: repr(value))
def graph_node() -> Any:
    return codegen.compile([x * y], [x, y]).outputs[0]


# -- bodies of numbers ---------------------------------------------------------------------------------------------------------------


@example(lambda value: (told(value), value.edges, value.closed, value.radii, value.hull(), value.with_vertices(2 * CORNERS),
                        collide.mesh_mesh(value.arrays, value.moved(Rigid()), motions=(fall(), Rigid())).time))
def mesh() -> Any:
    return cube(name="cube")


@example(lambda value: (told(value), value.resting.edges, value.hull().caps))
def moved_mesh() -> Any:
    made = cube().moved(fall())
    _ = made.edges, made.radii, made.misturned, hash(made)
    return made


@example(lambda value: (value.vertices, value.triangles, value.shape, value.tree, value.rigid))
def deforming_mesh() -> Any:
    return collide.Mesh(np.stack([CORNERS, CORNERS + 1]), TRIANGLES).with_vertices(np.stack([CORNERS, CORNERS + 2]))


@example(lambda value: (told(value), value.real, value.caps, value.mesh))
def hull() -> Any:
    return cube().hull()


@example(lambda value: (told(value), value.classify([[0, 0, 0], [1, 0, 0], [3, 0, 0]]), value.classify_segments([[[-2, 0, 0], [2, 0, 0]]])))
def index() -> Any:
    return collide.Index(cube())


def shifted(*shift: float) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, 3] = shift
    return pose


def asked_near(near: collide.Near) -> Any:
    return [(near.update(EYE, shifted(0, k / 8, -k / 16)), near.nearest(shifted(k / 8, 0, 0), EYE)) for k in range(4)]


@example(asked_near)
def near() -> Any:
    made = fresh_near()
    made.update(EYE, EYE)
    return made


@example(asked_near)
def fresh_near() -> Any:
    return collide.Near(cube(), collide.Mesh(CORNERS + [3.125, 0, 0], TRIANGLES), 1.25)


def asked_closest(closest: collide.Closest) -> Any:
    poses = [shifted(3, k / 4, k / 8) for k in range(4)]
    return [told(closest.at(EYE, pose)) for pose in poses], closest.distances([EYE] * 4, poses), closest.steps


@example(asked_closest)
def closest() -> Any:
    made = collide.Closest(cube(), cube())
    made.at(EYE, shifted(0, 3, 3))
    return made


@example(lambda value: [told(value.at(k / 4)) for k in range(4)])
def closest_in_motion() -> Any:
    return collide.Closest(cube(), cube(), (Rigid(), Rigid(translation=[4 - t, t / 3, 0])))


@example()
def closest_pair() -> Any:
    return collide.Closest(cube(), cube()).at(EYE, shifted(0, 3, 3))


@example()
def closest_pair_in_motion() -> Any:
    return collide.Closest(cube(), cube(), (Rigid(), Rigid(translation=[4 - t, t / 3, 0]))).at(0.5)


@example()
def penetrating_pair() -> Any:
    return collide.Closest(cube(), cube()).at(EYE, shifted(0, 1.75, 0.25))


SPREAD = np.array([[[k, k + 1.5]] * 3 for k in range(5)], float)


@example(lambda value: (value.pairs, value.boxes, [value.update(SPREAD + [[[k], [-k], [0]]] * np.arange(5)[:, None, None])
                                                   for k in range(4)]))
def sweep_and_prune() -> Any:
    made = collide.SweepAndPrune(SPREAD)
    made.update(SPREAD * 0.5)
    return made


@example()
def nearest_triangles() -> Any:
    return near().nearest(EYE, EYE)


@example()
def hull_overlap() -> Any:
    return collide.hull_overlap(cube(), cube(), None, shifted(1, 0, 0))


SIDE_BY_SIDE = np.stack([EYE, shifted(0.5, 0, 0), shifted(3, 0, 0)])


@example(lambda value: [value.update(SIDE_BY_SIDE + k / 4 * (SIDE_BY_SIDE[::-1] - SIDE_BY_SIDE)) for k in range(4)])
def swarm() -> Any:
    made = collide.Swarm([cube()] * 3)
    made.update(SIDE_BY_SIDE)
    return made


@example()
def swarm_changes() -> Any:
    return collide.Swarm([cube()] * 3).update(SIDE_BY_SIDE)


@example()
def boolean() -> Any:
    return collide.boolean(cube(), cube(), "union")


@example()
def bezier_nets() -> Any:
    return collide.nurbs_to_bezier(np.random.default_rng(1).normal(size=(4, 3, 3)), [0, 0, 0, 0.5, 1, 1, 1], [0, 0, 0, 1, 1, 1], (2, 2))


# -- answers ---------------------------------------------------------------------------------------------------------------------------


def falling_ball(**options: Any) -> list[Any]:
    return [ball(**options).moved(fall()), square()]


@example(lambda value: (told(value), value.summary(), value.to_json(), value.uv))
def contacts() -> Any:
    return collide.first_contact(falling_ball(name="ball"), (0, 2))


@example(lambda value: (told(value), value.sensitivity([Parameter("size")])))
def contacts_with_parameter() -> Any:
    size = Parameter("size")
    return collide.first_contact([ball(size).moved(fall()), square()], (0, 2), parameters={size: 1})


@example()
def sensitivity() -> Any:
    return contacts_with_parameter().sensitivity([Parameter("size")])


@example()
def self_contacts() -> Any:
    return collide.self_contact(square(), (0, 1))


@example()
def contact_batch() -> Any:
    size = Parameter("size")
    return collide.contact_batch([ball(size).moved(fall()), square()], (0, 2), parameters={size: [1, 0.5]})


@example()
def contact_times() -> Any:
    return collide.contacts_during(falling_ball(), (0, 2))


@example(lambda value: (told(value), value.summary()))
def distance() -> Any:
    return collide.distance(square(), square(2))


@example(lambda value: (told(value), value.summary()))
def clearance() -> Any:
    return collide.clearance([ball().moved(fall()), square()], (0, 1))


@example(lambda value: ([(s.kind.name, tuple(s.begin), tuple(s.end)) for s in value.spells], value.summary()))
def clashes() -> Any:
    return collide.clash([ball().moved(fall()), square()], (0, 1))


@example()
def clash_spell() -> Any:
    return clashes().spells[0]


@example()
def clearance_range() -> Any:
    return collide.clearance_range([ball().moved(fall()), square()], (0, sp.Rational(1, 4)), tolerance=0.1)


@example()
def joint_travel() -> Any:
    lift = g.Chain({"hand": [ball()]}, [g.prismatic("lift", "base", "hand", axis=[0, 0, 1])])
    return collide.joint_travel(lift, "lift", {"lift": 0}, [square(3)], limits=(-1, 1))


@example(lambda value: (value.bracket, value.summary()))
def clearance_profile() -> Any:
    return collide.clearance_profile([ball().moved(fall()), square()], (0, 1), 2)


@example(repr)
def link_state() -> Any:
    lift = g.Chain({"hand": [ball()]}, [g.prismatic("lift", "base", "hand", axis=[0, 0, 1])])
    found = collide.distance(*lift.at({"lift": 3}), square(), at=0)
    return found.by_robot({"crane": (lift, {"lift": 3})})["crane"][0]


@example(lambda value: (value.box, value.summary()))
def free_box() -> Any:
    size = Parameter("size")
    return collide.free_box([ball(size).moved(fall()), square()], 0.5, start={size: 1}, limits={size: (1, 2)}, time=(0, sp.Rational(1, 4)))


@example()
def clearance_batch() -> Any:
    size = Parameter("size")
    return collide.clearance_batch([ball(size).moved(fall()), square()], (0, 1), parameters={size: [1, 0.5]})


@example()
def critical_value() -> Any:
    size = Parameter("size")
    return collide.critical_value([ball(size).moved(fall(sp.Rational(7, 2))), square()], (0, 1), {size: (1, 4)})


@example(lambda value: (told(value), value.summary(), value.points))
def zeros() -> Any:
    return collide.solve([x**2 + y**2 - 1, x - y], {x: (-2, 2), y: (-2, 2)})


@example(lambda value: (told(value), value.summary()))
def minimum() -> Any:
    return collide.minimize(x**2 + y**2 - x, {x: (-2, 2), y: (-2, 2)})


@example(lambda value: (told(value), value.summary()))
def maximum() -> Any:
    return collide.maximize(x - x**2 - y**2, {x: (-2, 2), y: (-2, 2)})


@example(lambda value: (told(value), value.summary(), value.inner.flags.writeable))
def subpaving() -> Any:
    return collide.pave(sp.Le(x**2 + y**2, 1), {x: (-2, 2), y: (-2, 2)}, eps=0.5)


@example(lambda value: (repr(value.answer), value.bracket, value.iterations, [(p.variables, p.label, p.ranges(*p.outer.T[:, None]), seen)
                                                                             for p, seen in value.boxes().items()]))
def trace() -> Any:
    torus = g.sweep.revolve(g.Curve([3 + sp.cos(u), 0, sp.sin(u)], (0, 2 * sp.pi)))
    return collide.trace([torus, ball().moved(fall())], time=(0, 2))


@example(lambda value: (told(value), value.summary()))
def mesh_contact() -> Any:
    return collide.mesh_mesh(cube(), cube(), motions=(Rigid(translation=[0, 0, 4 - t**2]), Rigid()), time=(0, 3))


@example(lambda value: (told(value), value.summary()))
def touch() -> Any:
    return collide.touch(cube(), cube(), (Rigid(), Rigid(translation=[2, 0, 0])))


def regions() -> Any:
    tracker = collide.RegionTracker()
    for k in (2, 3):
        tracker.update(collide.touch(cube(), cube(), (Rigid(), Rigid(translation=[k, 0, 0]))), k)
    return tracker


@example(lambda value: (told(value), value.update(collide.touch(cube(), cube()), 4.0), repr(value)))
def region_tracker() -> Any:
    return regions()


@example()
def region_change() -> Any:
    return regions().history[0]


@example()
def linear_queries() -> Any:
    q = np.random.default_rng(3).normal(size=(3, 8, 3))
    return collide.edge_edge(q)


@example()
def bezier_batch() -> Any:
    q = np.random.default_rng(3).normal(size=(2, 2, 2, 3, 3, 3))
    return collide.bezier_pairs(q)


@example()
def classified() -> Any:
    return collide.classify(g.primitives.ball(), [[0, 0, 0], [2, 0, 0]])


@example()
def checked_solid() -> Any:
    return collide.check_solid(g.solids.capsule())


@example()
def checked_proof() -> Any:
    with tempfile.TemporaryDirectory() as folder:
        collide.first_contact(falling_ball(), (0, 2), log=f"{folder}/a.proof")
        return collide.check(f"{folder}/a.proof")


@example()
def budget() -> Any:
    return collide.Budget(seconds=2.0, boxes=10)


@example()
def tracked() -> Any:
    return collide.Tracked((0, 1), 3 * sp.pi / 2, 0, t, 0, radius=0.5)


# -- simulation ------------------------------------------------------------------------------------------------------------------------


def thrown(**options: Any) -> collide.World:
    floor = collide.RigidBody(square(), fixed=True)
    return collide.World([collide.RigidBody(ball(0.25), position=[0, 0, 1], spin=[1, 0, 0]), floor], restitution=0.5, **options)


def asked_run(run: collide.Run) -> Any:
    events = [[plain(getattr(e, name)) for name in ("time", "pairs", "points", "normals", "impulses", "proved")] for e in run.events]
    return (run.outcome, run.reason, run.until, run.certified_until, events, [told(run.state(run.until * k / 4)) for k in range(4)],
            run.energy(run.until / 2), run.momentum(run.until / 2), run.courses(0)[0][1:], run.summary())


def asked_world(world: collide.World) -> Any:
    return [told(b) for b in world.bodies], world.gravity, world.restitution, asked_run(world.run(until=0.75))


@example(asked_world)
def world() -> Any:
    return thrown()


@example()
def rigid_body() -> Any:
    return collide.RigidBody(cube(), density=2, velocity=[1, 0, 0])


@example()
def driven_body() -> Any:
    return collide.RigidBody(cube(), motion=Rigid(translation=[t, 0, 0]))


@example()
def mass_properties() -> Any:
    return collide.mass_properties(ball())


@example()
def exact_mass() -> Any:
    return collide.exact_mass_properties(ball())


@example(lambda value: asked_run(value.run(until=0.5)))
def world_with_own_forces() -> Any:
    return thrown(forces=lambda state: drag(state))


@example(lambda value: (asked_run(value), value.motion(1).entries))
def driven_run() -> Any:
    pushed = collide.RigidBody(cube(), motion=Rigid(translation=[t, 0, 5]))
    return collide.World([collide.RigidBody(ball(0.25)), pushed]).run(until=0.75)


@example(asked_run)
def loaded_run() -> Any:
    with tempfile.TemporaryDirectory() as folder:
        run().save(f"{folder}/run.json")
        return thrown().load(f"{folder}/run.json")


@example(asked_run)
def run() -> Any:
    return thrown().run(until=0.75)


@example(asked_run)
def forced_run() -> Any:
    return thrown(forces=drag).run(until=0.5)


def drag(state: Any) -> Any:
    return -0.1 * state.velocities


@example(asked_run)
def certified_run() -> Any:
    return thrown().run(until=0.75, certified=True)


@example()
def state() -> Any:
    return run().state(0.25)


@example()
def event() -> Any:
    return run().events[0]


@example()
def rest() -> Any:
    return thrown().run(until=20, budget=20).rests[0]


@example()
def figure() -> Any:
    return collide.picture.figure(contacts())


if __name__ == "__main__":
    sys.modules["tests.copied"] = sys.modules["__main__"]
    print(json.dumps({name: digest(name, pickle.loads(data)) for name, data in pickle.load(sys.stdin.buffer).items()}))
