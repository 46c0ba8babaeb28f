"""Random questions of every kind, with fresh numbers: each a function of the budget in seconds.

A kind makes its question from a source of random numbers; what a question does before it is asked, as making bodies, does not count.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

import collide
from generative import Parameter, Rigid, fit, keyframes, ode, t, u, v
from generative.mesh import polyhedron_from_file
from models.scenes.worlds import WORLDS

from ..arms import arm, polynomials
from ..ways.equations import KINDS as SYSTEMS
from ..ways.equations import system
from ..ways.scenes import KINDS, Scene, scene
from ..ways.shapes import Draw, brick, csg, hull, rounded, torus

Question = Callable[[float], Any]
QUESTIONS: dict[str, Callable[[Draw], Question]] = {}
UNLIMITED = set[str]()
"""Those that take no budget, and end by Ctrl-C alone."""


def question(make: Callable[[Draw], Question]) -> Callable[[Draw], Question]:
    QUESTIONS[make.__name__] = make
    return make


def unlimited(make: Callable[[Draw], Question]) -> Callable[[Draw], Question]:
    UNLIMITED.add(make.__name__)
    return question(make)


def drawn(d: Draw, *kinds: str) -> Scene:
    return scene(d.choice(kinds or tuple(KINDS)), d.getrandbits(30))


# -- bodies --------------------------------------------------------------------------------------------------------------


@question
def first_contact(d: Draw) -> Question:
    s = drawn(d)
    return lambda budget: collide.first_contact(list(s.bodies), s.span, budget=budget)


@question
def with_log(d: Draw) -> Question:
    s, place = drawn(d, "one_family", "families", "solids", "polyhedra", "implicit"), Path(tempfile.mkdtemp()) / "log"
    return lambda budget: collide.first_contact(list(s.bodies), s.span, budget=budget, log=place)


@question
def traced(d: Draw) -> Question:
    s = drawn(d)
    return lambda budget: collide.trace(collide.first_contact, list(s.bodies), s.span, budget=budget).answer


@question
def worst_case(d: Draw) -> Question:
    bodies, ranges = _shifted(d, drawn(d, "one_family", "families", "poles", "solids", "polyhedra", "deforming", "implicit"))
    return lambda budget: collide.first_contact(bodies, (0, 1), parameters=ranges, budget=budget)


@question
def sensitivity(d: Draw) -> Question:
    bodies, ranges = _shifted(d, drawn(d, "one_family", "families", "poles", "solids"))
    values = {p: lo for p, (lo, _) in ranges.items()}

    def ask(budget: float) -> Any:
        found = collide.first_contact(bodies, (0, 1), parameters=values, budget=budget)
        return found.sensitivity(list(values))

    return ask


@question
def contacts_during(d: Draw) -> Question:
    s = drawn(d)
    return lambda budget: collide.contacts_during(list(s.bodies), s.span, budget=budget)


@question
def clearance(d: Draw) -> Question:
    s, least = drawn(d), d.choice((None, 0.125))
    return lambda budget: collide.clearance(list(s.bodies), s.span, at_least=least, budget=budget)


@question
def distance(d: Draw) -> Question:
    s, at = drawn(d), d.number(0, 0.25)
    return lambda budget: collide.distance(s.bodies[0], s.bodies[1], float(at), budget=budget)


@question
def clearance_of_ranges(d: Draw) -> Question:
    bodies, ranges = _shifted(d, drawn(d, "one_family", "families", "solids", "polyhedra"))
    return lambda budget: collide.clearance(bodies, (0, 1), parameters=ranges, budget=budget)


@question
def critical_value(d: Draw) -> Question:
    bodies, ranges = _shifted(d, drawn(d, "one_family", "families", "solids", "polyhedra", "implicit"), 1)
    ranges = {p: (lo - 1, hi + 2) for p, (lo, hi) in ranges.items()}
    return lambda budget: collide.critical_value(bodies, (0, 1), ranges, budget=budget)


@question
def contact_batch(d: Draw) -> Question:
    bodies, ranges = _shifted(d, drawn(d, "one_family", "families", "solids", "polyhedra", "implicit", "csg"))
    count = d.choice((3, 40, 1000))
    rows = {p: np.linspace(float(lo), float(hi), count) for p, (lo, hi) in ranges.items()}
    return lambda budget: collide.contact_batch(bodies, (0, 1), parameters=rows, budget=budget)


@question
def clearance_batch(d: Draw) -> Question:
    bodies, ranges = _shifted(d, drawn(d, "one_family", "families", "solids", "polyhedra"))
    count = d.choice((3, 40, 1000))
    rows = {p: np.linspace(float(lo), float(hi), count) for p, (lo, hi) in ranges.items()}
    return lambda budget: collide.clearance_batch(bodies, (0, 1), parameters=rows, budget=budget)


@question
def self_contact(d: Draw) -> Question:
    s = drawn(d, "one_family", "deforming", "functions", "families")
    surface = d.choice((s.bodies[0], list(s.bodies)))
    return lambda budget: collide.self_contact(surface, s.span, budget=budget)


@question
def long_formula(d: Draw) -> Question:
    """A surface of many terms, which take seconds to convert, to differentiate and to translate."""
    s, count = drawn(d, "one_family"), d.choice((40, 200))
    wave = sum(d.number(-1, 1) / 64 * sp.sin(d.number(1, 9) * u + d.number(1, 9) * v) * sp.cos(d.number(1, 9) * u * v)
               for _ in range(count))
    first = s.bodies[0]
    bodies = [type(first)([first.body[0], first.body[1], first.body[2] + wave], first.domain).moved(first.motion), s.bodies[1]]
    return lambda budget: collide.first_contact(bodies, s.span, budget=budget)


@question
def many_bodies(d: Draw) -> Question:
    bodies = [torus(d).moved(Rigid(translation=[3 * k + d.number(0, 1) + t * d.number(-4, 4), t * d.number(-1, 1), 0])) for k in range(40)]
    return lambda budget: collide.first_contact(bodies, (0, 1), budget=budget)


@question
def arm_in_ranges(d: Draw) -> Question:
    """An arm of which each joint is off by a little."""
    seed, off = d.getrandbits(20), [Parameter(f"e{k}") for k in range(6)]
    values = [sum(sp.Rational(float(c)) * t**n for n, c in enumerate(row)) + e for row, e in zip(polynomials(seed), off, strict=True)]
    chain = arm(seed).chain
    bodies = chain.at({f"joint {k}": value for k, value in enumerate(values)})
    ranges = {e: (-sp.Rational(1, 100), sp.Rational(1, 100)) for e in off}
    ask = d.choice((lambda budget: collide.clearance(bodies, (0, 1), at_least=0.01, ignore=chain.ignore, parameters=ranges, budget=budget),
                    lambda budget: collide.first_contact(bodies, (0, 1), ignore=chain.ignore, parameters=ranges, budget=budget)))
    return ask


@question
def recorded_arm(d: Draw) -> Question:
    """An arm along a recorded path, among obstacles."""
    seed, knots = d.getrandbits(20), d.choice((6, 40))
    rng, times, made = np.random.default_rng(seed), np.linspace(0, 4, knots), arm(seed)
    path = fit.joint_motion(times, np.cumsum(rng.normal(size=(knots, 6)), axis=0) / knots**0.5)
    bodies = made.chain.at({f"joint {k}": path.value[k] for k in range(6)})
    posts = [torus(d).moved(Rigid(translation=[2 * k - 1, 1, 1])) for k in range(2)]
    every, ignored = [*bodies, *posts], [*made.chain.ignore]
    return d.choice((lambda budget: collide.clearance(every, (0, 4), at_least=0.01, ignore=ignored, budget=budget),
                     lambda budget: collide.first_contact(every, (0, 4), ignore=ignored, budget=budget)))


@question
def classify(d: Draw) -> Question:
    body, points = csg(d), np.random.default_rng(d.getrandbits(30)).normal(size=(d.choice((100, 10_000)), 3))
    return lambda budget: collide.classify(body, points, budget=budget)


@question
def check_solid(d: Draw) -> Question:
    s = drawn(d, "solids")
    return lambda budget: collide.check_solid(s.bodies[0], budget=budget)


# -- formulas ------------------------------------------------------------------------------------------------------------


@question
def solve(d: Draw) -> Question:
    s = system("zeros", d.getrandbits(30))
    return lambda budget: collide.solve(list(s.equations), dict(zip(s.unknowns, s.domain, strict=True)), budget=budget)


@question
def minimize(d: Draw) -> Question:
    s = system(d.choice([k for k in SYSTEMS if k != "zeros"]), d.getrandbits(30))
    domain = dict(zip(s.unknowns, s.domain, strict=True))
    return lambda budget: collide.minimize(s.objective, domain, equal=list(s.equations), at_least=list(s.at_least), budget=budget)


@question
def large_system(d: Draw) -> Question:
    """Eight unknowns, and a hundred terms an equation."""
    unknowns = sp.symbols("a:8", real=True)
    rows = [e + sum(d.number(-1, 1) * sp.sin(d.choice(unknowns) * d.choice(unknowns) + d.number(0, 3)) for _ in range(100))
            for e in unknowns]
    return lambda budget: collide.solve(rows, dict.fromkeys(unknowns, (-2, 2)), budget=budget)


@question
def pave(d: Draw) -> Question:
    s = system("zeros", d.getrandbits(30))
    domain = dict(zip(s.unknowns, s.domain, strict=True))
    return lambda budget: collide.pave([e >= 0 for e in s.equations], domain, eps=1e-3, budget=budget)


# -- arrays and meshes ---------------------------------------------------------------------------------------------------


def ball(d: Draw, count: int) -> tuple[np.ndarray, np.ndarray]:
    """A bumpy sphere with about so many triangles."""
    n = max(3, int((count / 2) ** 0.5))
    a, b = np.meshgrid(np.arange(n) * 2 * np.pi / n, (np.arange(n) + 0.5) * np.pi / n)
    r = 1 + np.random.default_rng(d.getrandbits(30)).normal(size=a.shape) / 50
    points = np.stack([r * np.cos(a) * np.sin(b), r * np.sin(a) * np.sin(b), r * np.cos(b)], axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(n), np.arange(n - 1))
    p, q, k = (i + n * j).ravel(), ((i + 1) % n + n * j).ravel(), n
    around, last = np.arange(n), n * (n - 1)
    caps = [np.stack([around, (around + 1) % n, np.full(n, n * n)], axis=1)[:, ::-1],
            np.stack([last + around, last + (around + 1) % n, np.full(n, n * n + 1)], axis=1)]
    return (np.concatenate([points, [[0, 0, 1], [0, 0, -1]]]),
            np.concatenate([np.stack([p, p + k, q], axis=1), np.stack([q, p + k, q + k], axis=1), caps[0][:, ::-1], caps[1][:, ::-1]]))


@question
def mesh_straight(d: Draw) -> Question:
    count = d.choice((200, 20_000, 200_000))
    (p, triangles), (q, others) = ball(d, count), ball(d, count)
    shift = np.array([2.5, float(d.number(-1, 1)), 0])
    first, second = (np.stack([p, p]), triangles), (np.stack([q + shift, q - shift]), others)
    return lambda budget: collide.mesh_mesh(first, second, budget=budget)


@question
def mesh_moving(d: Draw) -> Question:
    count = d.choice((200, 20_000))
    meshes = ball(d, count), ball(d, count)
    motions = (Rigid(rotation=[1, d.number(0, 1) * t, d.number(0, 1) * t**2, 0], normalize=True),
               Rigid(rotation=[1, 0, t, t**2], translation=[3 - 4 * t, d.number(-1, 1) * t, sp.sin(3 * t)], normalize=True))
    return lambda budget: collide.mesh_mesh(*meshes, motions=motions, budget=budget)


@question
def mesh_of_screws(d: Draw) -> Question:
    """Along a motion that was fitted by screws."""
    knots = d.choice((3, 8, 17))
    rng, times = np.random.default_rng(d.getrandbits(30)), np.linspace(0, 1, knots)
    turned = np.stack([np.ones(knots), *rng.normal(size=(3, knots)) / 3], axis=1)
    turned /= np.linalg.norm(turned, axis=1, keepdims=True)
    poses = [Rigid(rotation=[sp.Rational(float(e)) for e in q], translation=[sp.Rational(float(e)) for e in p], normalize=True)
             for q, p in zip(turned, np.stack([3 - 4 * times, rng.normal(size=knots) / 9, 0 * times], axis=1), strict=True)]
    motion, count = keyframes(poses, [sp.Rational(float(e)) for e in times]), d.choice((200, 20_000))
    meshes = ball(d, count), ball(d, count)
    return lambda budget: collide.mesh_mesh(*meshes, motions=(Rigid(), motion), budget=budget)


@question
def meshes_as_bodies(d: Draw) -> Question:
    count = d.choice((200, 5_000))
    first, second = collide.Mesh(*ball(d, count)), collide.Mesh(*ball(d, count))
    bodies = [first, second.moved(Rigid(rotation=[1, t, 0, t**2], translation=[3 - 4 * t, d.number(-1, 1), 0], normalize=True))]
    return d.choice((lambda budget: collide.first_contact(bodies, (0, 1), budget=budget),
                     lambda budget: collide.clearance(bodies, (0, 1), budget=budget),
                     lambda budget: collide.contacts_during(bodies, (0, 1), budget=budget),
                     lambda budget: collide.distance(*bodies, 0.0, budget=budget)))


@question
def arm_of_meshes(d: Draw) -> Question:
    seed = d.getrandbits(20)
    made = arm(seed)
    values = [sum(sp.Rational(float(c)) * t**n for n, c in enumerate(row)) for row in polynomials(seed)]
    bodies = made.chain.at({f"joint {k}": value for k, value in enumerate(values)})
    meshes = [collide.Mesh(0.2 * p + [0, 0, 0.2], triangles).moved(b.faces[0].motion if hasattr(b, "faces") else b.motion)
              for b in bodies for p, triangles in [ball(d, 400)]]
    return d.choice((lambda budget: collide.clearance(meshes, (0, 1), at_least=0.01, budget=budget),
                     lambda budget: collide.first_contact(meshes, (0, 1), budget=budget)))


@question
def triangles(d: Draw) -> Question:
    """`edge_edge`, `vertex_face` and `triangle_triangle`, straight and moving."""
    name = d.choice(("edge_edge", "vertex_face", "triangle_triangle"))
    rng, n = np.random.default_rng(d.getrandbits(30)), d.choice((10, 10_000, 100_000))
    corners = 6 if name == "triangle_triangle" else 4
    query = getattr(collide, name)
    if d.random() < 0.5:
        q = rng.normal(size=(n, 2 * corners, 3))
        return lambda budget: query(q, budget=budget)
    motions = (Rigid(rotation=[1, d.number(0, 1) * t, t**2, 0], normalize=True), Rigid(translation=[3 - 4 * t, sp.sin(3 * t), 0]))
    q = rng.normal(size=(n, corners, 3))
    return lambda budget: query(q, motions=motions, budget=budget)


@question
def bezier_pairs(d: Draw) -> Question:
    n, degree = d.choice((5, 2000)), d.choice((2, 3, 5))
    q = np.random.default_rng(d.getrandbits(30)).normal(size=(n, 2, 2, degree, degree, 3))
    return lambda budget: collide.bezier_pairs(q, budget=budget)


@question
def bezier_triangles(d: Draw) -> Question:
    q = np.random.default_rng(d.getrandbits(30)).normal(size=(d.choice((5, 2000)), 2, 2, d.choice((3, 6, 10)), 3))
    return lambda budget: collide.bezier_triangle_pairs(q, budget=budget)


# -- worlds and logs -----------------------------------------------------------------------------------------------------


@question
def world(d: Draw) -> Question:
    s = WORLDS[d.choice(tuple(WORLDS))]
    places = [tuple(e + float(d.number(-1, 1)) * 1e-3 for e in b.get("position", (0, 0, 0))) for b in s.bodies]
    bodies = [collide.RigidBody(**{**b, "position": place}) for b, place in zip(s.bodies, places, strict=True)]
    made = collide.World(bodies, **s.options)
    return lambda budget: made.run(**s.run, budget=budget)


@question
def certified_world(d: Draw) -> Question:
    shape = d.choice((brick, hull, rounded))
    bodies = [collide.RigidBody(shape(d), position=(4.0 * k, float(d.number(-1, 1)) / 4, 0), velocity=(1.5 - 3.0 * k, 0, 0),
                                spin=tuple(float(d.number(-1, 1)) for _ in range(3)), mass=1.0) for k in range(2)]
    made = collide.World(bodies, gravity=(0, 0, 0))
    return lambda budget: made.run(2.0, certified=True, budget=budget)


@question
def check_log(d: Draw) -> Question:
    place = Path(tempfile.mkdtemp()) / "log"
    s = drawn(d, "one_family", "solids")
    collide.first_contact(list(s.bodies), s.span, budget=6, log=place)
    if not place.exists():
        return lambda budget: None
    return lambda budget: collide.check(place, budget=budget)


# -- what takes no budget ------------------------------------------------------------------------------------------------


@unlimited
def masses(d: Draw) -> Question:
    body = drawn(d, "csg", "solids", "implicit").bodies[0].at(0)
    query = d.choice((collide.mass_properties, collide.exact_mass_properties))
    return lambda budget: query(body)


@unlimited
def screws(d: Draw) -> Question:
    motion = Rigid(rotation=[1, sp.sin(d.number(1, 9) * t), t**2, 0], translation=[sp.sin(d.number(1, 9) * t), t, 0], normalize=True)
    points = np.random.default_rng(d.getrandbits(30)).normal(size=(100, 3))
    return lambda budget: fit.screws(motion, (0, 1), points, 10.0 ** -d.randint(2, 5))


@unlimited
def touching(d: Draw) -> Question:
    meshes = [collide.Mesh(*ball(d, 20_000)) for _ in range(2)]
    motions = Rigid(), Rigid(translation=[d.number(1, 2), 0, 0])
    return lambda budget: collide.touch(*meshes, motions)


@unlimited
def indexed(d: Draw) -> Question:
    mesh = collide.Mesh(*ball(d, d.choice((2_000, 20_000))))
    return lambda budget: collide.Index(mesh)


@unlimited
def mesh_file(d: Draw) -> Question:
    """A file of triangles, read as a solid."""
    (vertices, triangles), place = ball(d, 1_500), Path(tempfile.mkdtemp()) / "ball.obj"
    lines = [*("v {!r} {!r} {!r}".format(*p) for p in vertices.tolist()), *("f {} {} {}".format(*t) for t in (triangles + 1).tolist())]
    place.write_text("\n".join(lines), encoding="ascii")
    return lambda budget: polyhedron_from_file(place)


@unlimited
def joint_path(d: Draw) -> Question:
    knots, rng = d.choice((40, 400)), np.random.default_rng(d.getrandbits(30))
    angles = np.cumsum(rng.normal(size=(knots, 6)), axis=0)
    return lambda budget: fit.joint_motion(np.linspace(0, 4, knots), angles)


@unlimited
def loaded_mesh(d: Draw) -> Question:
    given = ball(d, 200_000)
    return lambda budget: collide.Mesh(*given).tree


@unlimited
def fitted(d: Draw) -> Question:
    values = np.random.default_rng(d.getrandbits(30)).normal(size=(24, 24, 24))
    return lambda budget: fit.implicit(values)


@unlimited
def differential_equations(d: Draw) -> Question:
    angle, speed = sp.symbols("angle speed", real=True)
    first, second, start, rate = torus(d), torus(d), d.number(0, 1), d.number(1, 3)

    def ask(budget: float) -> Any:
        swing = ode([speed, -rate * sp.sin(angle)], [angle, speed], start=[start, 0], time=(t, 0, 20))[0]
        return collide.first_contact([first, second.moved(Rigid(translation=[swing + 3, 0, 0]))], (0, 20), budget=budget)

    return ask


def _shifted(d: Draw, s: Scene, count: int = 3) -> tuple[list[Any], dict[Any, tuple[Any, Any]]]:
    """The bodies of a scene, of which the second is shifted by parameters with ranges."""
    parameters = [Parameter(f"shift{k}") for k in range(count)]
    moved = s.bodies[1].moved(Rigid(translation=[*parameters, *[0] * (3 - count)]))
    return [s.bodies[0], moved], {p: (-d.number(0.01, 0.1), d.number(0.01, 0.1)) for p in parameters}
