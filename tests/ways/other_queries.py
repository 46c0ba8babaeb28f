"""The same scene as rows of `contact_batch`, as control points for `bezier_pairs`, and as meshes: ways like those of `ways`."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

import collide
from collide import Budget, Start, Status
from collide.moment.start import start_of
from collide.search.clock import Clock
from generative import Parameter, ParametricSurface, Rigid, Solid, t, u, v

from ..laws import batch_laws, contacts_laws, mesh_laws, minimum_laws
from .agreement import Claim
from .scenes import Scene, cells
from .shapes import Draw
from .ways import Question, ask, fraction, two, way

TOLERANCE = 1e-7


def row(name: str, r: Any, k: int, scene: Scene, asked: tuple[Any, ...] = ()) -> Claim:
    """The claim of row k of a batch: for CONTACT, UNRESOLVED and BUDGET_SPENT that there is no contact before the bracket."""
    status, end = r.status[k], fraction(scene.span[1])
    clear = end if status is Status.NO_CONTACT else Fraction(r.time[k, 0])
    return Claim(name, status, clear, Fraction(r.time[k, 1]) if r.proved[k] else None, end, {(0, 1): Start.DISJOINT},
                 asked=(asked,))


def _of_surfaces(told: Claim, bodies: Sequence[Any], scene: Scene) -> Claim:
    """The claim of a row about its surfaces alone: a row does not look at whether one body encloses another, and where surfaces meet at
    the start it says only that they do.
    """
    begin = fraction(scene.span[0])
    if told.clear > begin:
        found = start_of(*bodies, float(begin), TOLERANCE, Clock(Budget()))
        if found.state is Start.DISJOINT or not found.apart:
            return told
    return replace(told, start={})


# -- numbers as parameters -----------------------------------------------------------------------------------------------


class Numbers:
    """Replaces numbers of formulas that doubles hold by parameters, equal ones by one parameter or each by its own."""

    def __init__(self, d: Draw, shared: bool) -> None:
        self.draw, self.shared = d, shared
        self.values: dict[Any, float] = {}
        self.of: dict[Any, Any] = {}

    def parameter(self, number: Any) -> Any:
        if self.shared and number in self.of:
            return self.of[number]
        symbol = Parameter(f"n{len(self.values)}")
        self.values[symbol], self.of[number] = float(number), symbol
        return symbol

    def replaced(self, e: Any) -> Any:
        """Exponents stay, as do 0, 1 and -1, and what stands in a Piecewise, whose cases must go on into each other."""
        if e.is_Rational:
            return self.parameter(e) if e not in (0, 1, -1) and sp.Rational(float(e)) == e else e
        if not e.args or isinstance(e, sp.Piecewise):
            return e
        if e.is_Pow:
            return sp.Pow(self.replaced(e.base), e.exp)
        return e.func(*map(self.replaced, e.args))

    def body(self, body: ParametricSurface) -> ParametricSurface:
        domain = {s: tuple(map(self.replaced, ends)) if self.draw.random() < 0.5 else ends for s, ends in body.domain.items()}
        turn, shift = body.motion.rotation, [self.replaced(e) for e in body.motion.translation]
        if self.draw.random() < 0.5:
            turn = turn.applyfunc(self.replaced)
        return ParametricSurface([self.replaced(e) for e in body.body], domain, flipped=body.flipped).moved(Rigid._unchecked(turn, shift))


def with_numbers(body: ParametricSurface, values: Mapping[Any, Any]) -> ParametricSurface:
    """The body for some values of its parameters."""
    exact = {s: sp.Rational(float(x)) for s, x in values.items()}
    domain = {s: tuple(e.xreplace(exact) for e in ends) for s, ends in body.domain.items()}
    motion = Rigid._unchecked(body.motion.rotation.xreplace(exact), body.motion.translation.xreplace(exact))
    return ParametricSurface([e.xreplace(exact) for e in body.body], domain, flipped=body.flipped).moved(motion)


def parametrized_rows(scene: Scene, d: Draw, rows: int) -> tuple[list[ParametricSurface], dict[Any, np.ndarray], int]:
    """The scene as row k of a batch of others whose motions differ a little, the bodies, the values, and k."""
    numbers = Numbers(d, d.random() < 0.5)
    bodies = [numbers.body(b) for b in scene.bodies]
    used = {s for b in bodies for s in b.motion.translation.free_symbols if isinstance(s, Parameter)}
    if numbers.shared:
        used -= {s for b in bodies for e in (*b.body, *b.motion.rotation, *b.domain[u], *b.domain[v]) for s in e.free_symbols}
    rng, k = np.random.default_rng(d.getrandbits(32)), d.randrange(rows)
    left = {s for b in bodies for e in (*b.body, *b.motion.entries, *b.domain[u], *b.domain[v]) for s in e.free_symbols}
    table = {s: np.full(rows, value) for s, value in numbers.values.items() if s in left}
    for s in sorted(used & left, key=str):
        others = np.arange(rows) != k
        table[s][others] += np.round(rng.uniform(-0.2, 0.2, rows - 1) * 2**20) / 2**20
    return bodies, table, k


@way(lambda scene: two(scene) and scene.parametric)
def batch_row(name: str, scene: Scene, d: Draw, budget: float) -> Claim:
    """The scene as a row of a batch."""
    bodies, table, k = parametrized_rows(scene, d, d.choice((1, 4)))
    if not table:
        return ask(name, Question(scene.bodies, scene.span), budget)
    answer = collide.contact_batch(bodies, scene.span, parameters=table, tolerance=TOLERANCE, budget=budget)
    batch_laws(answer, len(answer), 4, tuple(map(float, scene.span)), None)
    asked = "contact_batch", bodies, scene.span, {"parameters": table, "tolerance": TOLERANCE}
    return _of_surfaces(row(name, answer, k, scene, asked), scene.bodies, scene)


def rows_against_calls(scene: Scene, d: Draw, budget: float) -> list[list[Claim]]:
    """For each row of a batch of neighbours of the scene, what it says, and what a single call says."""
    bodies, table, _ = parametrized_rows(scene, d, 6)
    answer = collide.contact_batch(bodies, scene.span, parameters=table, tolerance=TOLERANCE, budget=budget)
    found = []
    for k in range(6):
        single = [with_numbers(b, {s: values[k] for s, values in table.items()}) for b in bodies]
        asked = "contact_batch", bodies, scene.span, {"parameters": table, "tolerance": TOLERANCE}
        told, call = row(f"row {k}", answer, k, scene, asked), ask(f"call {k}", Question(single, scene.span), budget)
        found.append([_of_surfaces(told, single, scene), call])
    return found


# -- Bezier patches ------------------------------------------------------------------------------------------------------


@way(lambda scene: scene.nets is not None)
def bezier_row(name: str, scene: Scene, d: Draw, budget: float) -> Claim:
    """The control points in a batch of other pairs, swapped or not."""
    swap, rows = d.random() < 0.5, d.randint(1, 9)
    k = d.randrange(rows)
    rng = np.random.default_rng(d.getrandbits(32))
    nets = scene.nets + rng.normal(0, 0.5, (rows, *scene.nets.shape[1:]))
    nets[k] = scene.nets[0]
    weights = None if scene.weights is None else np.repeat(scene.weights, rows, axis=0)
    if swap:
        nets, weights = nets[:, ::-1], None if weights is None else weights[:, ::-1]
    tolerance = d.choice((1e-5, 1e-10))
    answer = collide.bezier_pairs(nets, tolerance, weights=weights)
    batch_laws(answer, rows, 4, tolerance=tolerance)
    return row(name, answer, k, scene, ("bezier_pairs", nets, tolerance, {"weights": weights}))


# -- meshes --------------------------------------------------------------------------------------------------------------


def triangles_of(body: Solid) -> tuple[np.ndarray, np.ndarray]:
    """A polyhedron as vertices (n, 3) in its frame and triangles (m, 3): faces are triangles, with a pole, or flat quadrilaterals."""
    vertices: list[list[float]] = []
    triangles: list[list[int]] = []
    for face in body.faces:
        corners = [[float(e.xreplace({u: a, v: b})) for e in face.body] for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))]
        for each in ((0, 1, 2), (0, 2, 3)):
            points = [corners[k] for k in each]
            if points[0] != points[-1]:
                vertices += [p for p in points if p not in vertices]
                triangles.append([vertices.index(p) for p in points])
    return np.array(vertices), np.array(triangles)


@way(lambda scene: scene.kind == "polyhedra")
def as_meshes(name: str, scene: Scene, d: Draw, budget: float) -> Claim:
    meshes = [triangles_of(b) for b in scene.bodies]
    motions = [cells(b)[0].motion for b in scene.bodies]
    answer = collide.mesh_mesh(*meshes, TOLERANCE, motions=tuple(motions), time=scene.span, budget=budget)
    mesh_laws(answer, tuple(map(float, scene.span)))
    by = Fraction(answer.time[1]) if answer.status is Status.CONTACT else None
    return Claim(name, answer.status, Fraction(answer.clear_until), by, fraction(scene.span[1]), {(0, 1): Start.DISJOINT},
                 asked=(("mesh_mesh", *meshes, TOLERANCE, {"motions": tuple(motions), "time": scene.span}),))


# -- one sheet, one minimum ----------------------------------------------------------------------------------------------

GRAPHS = {"one_family", "families", "functions"}
"""Kinds most of whose surfaces do not meet themselves."""


@way(lambda scene: scene.kind in GRAPHS)
def as_sheet(name: str, scene: Scene, d: Draw, budget: float) -> Claim:
    """Both surfaces as one sheet that may touch itself: then its contact with itself comes first, so what is proved clear is clear."""
    answer = collide.self_contact(list(scene.bodies), scene.span, budget=budget)
    contacts_laws(answer)
    between = answer.status is Status.CONTACT and len(answer) and (answer.pairs == [0, 1]).all() and answer.exists.any()
    by = Fraction(answer.time[1]) if between else None
    status = Status.UNRESOLVED if answer.status is Status.CONTACT and not between else answer.status
    return Claim(name, status, Fraction(answer.clear_until), by, fraction(scene.span[1]), {(0, 1): answer.start[0, 1]},
                 asked=(("self_contact", list(scene.bodies), scene.span, {"budget": budget}),))


@way(lambda scene: two(scene) and scene.parametric and scene.kind not in ("kinked", "overlapping"))
def as_minimum(name: str, scene: Scene, d: Draw, budget: float) -> Claim:
    """The least t at which two points coincide, as a minimum under equations."""
    places, domain = [], {}
    for k, body in enumerate(scene.bodies):
        own = sp.symbols(f"u{k} v{k}", real=True)
        places.append([e.xreplace(dict(zip((u, v), own, strict=True))) for e in body.expressions])
        domain |= dict(zip(own, (body.domain[u], body.domain[v]), strict=True))
    domain[t] = scene.span
    equal = [p - q for p, q in zip(*places, strict=True)]
    answer = collide.minimize(t, domain, equal=equal, tolerance=1e-5, budget=min(budget, 4.0))
    minimum_laws(answer, [tuple(map(float, ends)) for ends in domain.values()])
    end = fraction(scene.span[1])
    by = Fraction(answer.bracket.hi) if math.isfinite(answer.bracket.hi) else None
    status = {"INFEASIBLE": Status.NO_CONTACT, "OPTIMAL": Status.CONTACT}.get(answer.status.name, Status.BUDGET_SPENT)
    clear = end if status is Status.NO_CONTACT else Fraction(max(answer.bracket.lo, float(scene.span[0])))
    return Claim(name, status, clear, by, end, {(0, 1): Start.DISJOINT},
                 asked=(("minimize", t, domain, {"equal": equal, "tolerance": 1e-5, "budget": budget}),))
