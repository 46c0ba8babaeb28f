"""Ways to ask for the first contact of a scene: each asks another question, and says what its answer is for the scene.

A way takes the scene, a source of random choices and a budget in seconds, and returns a `Claim` in the scene's own units. Changes of units,
places and parameters are exact: rational numbers.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

import collide
from collide import Start, Status
from generative import IDENTITY, ParametricSurface, Rigid, Solid, t, u, v
from generative.combination import Combination

from ..laws import contacts_laws
from .agreement import Claim, Place
from .changes import in_units, lifted, scaled_parameters
from .scenes import Scene, cells
from .shapes import Draw

SIMULTANEITY, SPACING = sp.Rational(1, 2**20), sp.Rational(1, 32)


@dataclass(frozen=True)
class Question:
    """What to ask, and how to read the answer: a time s of the answer is `later` + `slower` s (or `clock(s)`) of the scene, a point q is
    turn^T (q - shift) / size, and body k is number order[k]. `sheet`: all bodies may touch themselves, too.
    """

    bodies: Sequence[Any]
    span: tuple[Any, Any]
    slower: Any = sp.S.One
    later: Any = sp.S.Zero
    clock: Callable[[Fraction], Fraction] | None = None
    size: Any = sp.S.One
    motion: Any = IDENTITY
    order: Sequence[int] | None = None
    sheet: bool = False

    def when(self, s: float) -> Fraction:
        exact = Fraction(s)
        return self.clock(exact) if self.clock else fraction(self.later) + fraction(self.slower) * exact

    def where(self, points: np.ndarray) -> np.ndarray:
        """Approximately."""
        turn, shift = np.array(self.motion.rotation, float), np.array(self.motion.translation, float).ravel()
        return ((points - shift) @ turn) / float(self.size)


def fraction(e: Any) -> Fraction:
    rational = sp.Rational(e)
    return Fraction(int(rational.p), int(rational.q))


def ask(way: str, q: Question, budget: float | collide.Budget, **options: Any) -> Claim:
    """The first contact of the question's bodies with each other, or of one with itself; its laws checked."""
    given = {"simultaneity": float(SIMULTANEITY / q.slower), "spacing": float(SPACING * q.size)} | options
    query = collide.self_contact if q.sheet or len(q.bodies) == 1 else collide.first_contact
    answer = query(list(q.bodies), q.span, budget=budget, **given)
    contacts_laws(answer)
    claim = read(way, q, answer, Fraction(given["simultaneity"]) * abs(fraction(q.slower)), float(SPACING))
    return replace(claim, asked=((query.__name__, list(q.bodies), q.span, {**given, "budget": budget}),))


def read(way: str, q: Question, c: Any, simultaneity: Fraction, spacing: float) -> Claim:
    """What the answer says, in the units of the scene."""
    order = q.order or range(len(q.bodies))
    proved = c.status is Status.CONTACT or (c.status is Status.BUDGET_SPENT and c.time is not None and c.time[1] < c.time_span[1])
    start = {(min(order[i], order[j]), max(order[i], order[j])): state for (i, j), state in c.start.items()}
    places = tuple(_places(q, c, order)) if c.status in (Status.CONTACT, Status.NO_CONTACT) else None
    return Claim(way, c.status, q.when(c.clear_until), q.when(c.time[1]) if proved else None, q.when(c.time_span[1]), start, places,
                 simultaneity, spacing, c.seconds)


def _places(q: Question, c: Any, order: Sequence[int]) -> Iterator[Place]:
    for k, at in enumerate(q.where(c.points)):
        i, j = (order[b] for b in c.pairs[k])
        box = dict(zip(c.variables[k], c.boxes[k].tolist(), strict=True)).get("t", c.time)
        normal = c.normals[k] @ np.array(q.motion.rotation, float) * (1 if i < j else -1)
        yield Place(at, (min(i, j), max(i, j)), normal, (q.when(box[0]), q.when(box[1])), bool(c.unique[k]), bool(c.exists[k]))


# -- the ways ------------------------------------------------------------------------------------------------------------


class Way(NamedTuple):
    """`suits`: of which scenes it can ask. `same`: also of bodies that do not start apart it asks for the same contacts."""

    function: Callable[[str, Scene, Draw, float], Claim]
    suits: Callable[[Scene], bool]
    same: bool

    def ask(self, name: str, scene: Scene, d: Draw, budget: float) -> Claim:
        return replace(self.function(name, scene, d, budget), same_question=self.same)


WAYS: dict[str, Way] = {}


def way(suits: Callable[[Scene], bool] = lambda scene: True, same: bool = False) -> Callable[[Any], Any]:
    """Notes a function as a way under its name."""
    def note(function: Any) -> Any:
        WAYS[function.__name__] = Way(function, suits, same)
        return function

    return note


def two(scene: Scene) -> bool:
    return len(scene.bodies) == 2


def many(scene: Scene) -> bool:
    return len(scene.bodies) > 1


def parametric(scene: Scene) -> bool:
    return scene.parametric


def plain(scene: Scene) -> Question:
    return Question(scene.bodies, scene.span)


@way(same=True)
def as_drawn(name: str, scene: Scene, d: Draw, budget: float) -> Claim:
    return ask(name, plain(scene), budget)


@way(many, same=True)
def permuted(name: str, scene: Scene, d: Draw, budget: float) -> Claim:
    order = list(range(len(scene.bodies)))
    while order == sorted(order):
        d.shuffle(order)
    return ask(name, Question([scene.bodies[k] for k in order], scene.span, order=order), budget)


@way(lambda scene: len(scene.bodies) > 2)
def pairs(name: str, scene: Scene, d: Draw, budget: float) -> Claim:
    """The earliest of the pairs, each asked alone."""
    claims = [ask(name, Question([scene.bodies[i], scene.bodies[j]], scene.span, order=(i, j)), budget)
              for i, j in combinations(range(len(scene.bodies)), 2)]
    return earliest(name, claims)


def merged(claims: Sequence[Claim]) -> dict[tuple[int, int], Start]:
    """The state of each pair at the start: not that it is apart if one claim does not say so."""
    start: dict[tuple[int, int], Start] = {}
    for c in claims:
        start |= {pair: state for pair, state in c.start.items() if state is not Start.DISJOINT or pair not in start}
    return start


def earliest(name: str, claims: Sequence[Claim]) -> Claim:
    """What claims about parts of a question say of the whole."""
    clear, by = min(c.clear for c in claims), min((c.by for c in claims if c.by is not None), default=None)
    start = merged(claims)
    rest = {c.status for c in claims if by is None or c.clear <= by}
    status = (Status.CONTACT if by is not None and rest <= {Status.CONTACT, Status.NO_CONTACT} else Status.NO_CONTACT
              if rest == {Status.NO_CONTACT} else Status.UNRESOLVED)
    places = [p for c in claims for p in c.places or ()] if status is Status.CONTACT else []
    first = min((p.time[1] for p in places), default=Fraction(0))
    places = [p for p in places if p.time[0] <= first + claims[0].simultaneity]
    return replace(claims[0], way=name, status=status, clear=clear, by=by, start=start, seconds=sum(c.seconds for c in claims),
                   asked=tuple(a for c in claims for a in c.asked),
                   places=tuple(places) if status in (Status.CONTACT, Status.NO_CONTACT) else None)


@way(same=True)
def units(name: str, scene: Scene, d: Draw, budget: float) -> Claim:
    """Other units of length and time, powers of two or of ten."""
    size, slower = (sp.Integer(d.choice((2, 10))) ** d.randint(-6, 6) for _ in range(2))
    bodies = [in_units(b, size, t * slower) for b in scene.bodies]
    return ask(name, Question(bodies, tuple(e / slower for e in scene.span), slower=slower, size=size), budget,
               tolerance=min(1e-9, 1e-9 * float(size)))


@way(same=True)
def later(name: str, scene: Scene, d: Draw, budget: float) -> Claim:
    """The time counted from another moment."""
    shift = d.choice((sp.Integer(1), sp.Rational(1, 3), sp.Integer(-7), sp.Integer(1000)))
    return ask(name, Question([in_units(b, sp.Integer(1), t + shift) for b in scene.bodies], tuple(e - shift for e in scene.span),
                              later=shift), budget)


@way(lambda scene: scene.span[0] == 0)
def squared(name: str, scene: Scene, d: Draw, budget: float) -> Claim:
    """The time t = s (s + 1) / 2 of a clock that speeds up. What is simultaneous is then counted in another measure."""
    bodies = [in_units(b, sp.Integer(1), t * (t + 1) / 2) for b in scene.bodies]
    claim = ask(name, Question(bodies, scene.span, clock=lambda s: s * (s + 1) / 2), budget)
    return replace(claim, simultaneity=Fraction(0))


@way(same=True)
def placed(name: str, scene: Scene, d: Draw, budget: float) -> Claim:
    """The whole scene turned by a rational rotation and moved."""
    turn = [d.randint(1, 4), d.randint(-3, 3), d.randint(-3, 3), d.randint(-3, 3)]
    motion = Rigid(rotation=d.choice([None, turn]), translation=[d.choice((1, 10, 100)) * e for e in d.vector(1)], normalize=True)
    return ask(name, Question([b.moved(motion) for b in scene.bodies], scene.span, motion=motion), budget)


@way(parametric, same=True)
def parametrized(name: str, scene: Scene, d: Draw, budget: float) -> Claim:
    """Other parameters of the surfaces: affine in each, and u and v exchanged."""
    def changed(body: ParametricSurface) -> ParametricSurface:
        body = scaled_parameters(body, d.choice((2, sp.Rational(1, 3), 100)), d.choice((1, sp.Rational(1, 7), 8)), d.choice((0, 1, -5)))
        if d.random() < 0.5:
            return body
        swap = {u: v, v: u}
        return ParametricSurface([e.xreplace(swap) for e in body.body], {u: body.domain[v], v: body.domain[u]},
                                 flipped=not body.flipped).moved(body.motion)

    return ask(name, Question([changed(b) for b in scene.bodies], scene.span), budget)


@way(parametric)
def flipped(name: str, scene: Scene, d: Draw, budget: float) -> Claim:
    """Normals reversed: open patches have two sides, and of bodies that start apart normals decide nothing."""
    bodies = [ParametricSurface(b.body, b.domain, flipped=not b.flipped).moved(b.motion) for b in scene.bodies]
    return ask(name, Question(bodies, scene.span), budget)


@way(lambda scene: all(isinstance(b, (ParametricSurface, Solid)) for b in scene.bodies))
def deformed(name: str, scene: Scene, d: Draw, budget: float) -> Claim:
    """The motions written into the formulas, of all bodies or of one."""
    which = d.choice((0, 1, None))
    return ask(name, Question([lifted(b) if which in (k, None) else b for k, b in enumerate(scene.bodies)], scene.span), budget)


@way(lambda scene: two(scene) and all(not isinstance(b, Combination) for b in scene.bodies) and scene.kind != "kinked")
def relative(name: str, scene: Scene, d: Draw, budget: float) -> Claim:
    """The first body as seen from the second one. Places are not compared."""
    frame = cells(scene.bodies[1])[0].motion.inverse()
    claim = ask(name, Question([b.moved(frame) for b in scene.bodies], scene.span), budget)
    return replace(claim, places=None)


@way(many, same=True)
def bystander(name: str, scene: Scene, d: Draw, budget: float) -> Claim:
    """With one more body of the same formulas, far away and moving along."""
    copy = d.choice(scene.bodies).moved(Rigid(translation=[d.choice((-300, 300)), 40, 7]))
    at = d.randint(0, len(scene.bodies))
    bodies, order = list(scene.bodies), list(range(len(scene.bodies)))
    bodies.insert(at, copy)
    order.insert(at, len(scene.bodies))
    claim = ask(name, Question(bodies, scene.span, order=order), budget)
    return replace(claim, start={pair: state for pair, state in claim.start.items() if pair[1] < len(scene.bodies)})


@way(lambda scene: any(isinstance(b, ParametricSurface) for b in scene.bodies) and len(scene.bodies) < 3)
def cut(name: str, scene: Scene, d: Draw, budget: float) -> Claim:
    """A surface cut in two, each half asked alone, or both as one sheet. They share their border, so places are not compared."""
    k = d.choice([k for k, b in enumerate(scene.bodies) if isinstance(b, ParametricSurface)])
    body, s = scene.bodies[k], d.choice((u, v))
    lo, hi = body.domain[s]
    middle = lo + (hi - lo) * d.number(0.2, 0.8)
    halves = [ParametricSurface(body.body, {**body.domain, s: ends}, flipped=body.flipped).moved(body.motion)
              for ends in ((lo, middle), (middle, hi))]
    if not many(scene):
        claim = ask(name, Question(halves, scene.span, sheet=True), budget)
        return replace(claim, start={(0, 0): max(claim.start.values(), key=lambda state: state is not Start.DISJOINT)}, places=None)
    claims = [ask(name, Question([half if b is body else b for b in scene.bodies], scene.span), budget) for half in halves]
    return replace(earliest(name, claims), places=None)


@way(many)
def options(name: str, scene: Scene, d: Draw, budget: float) -> Claim:
    """Options that change the work, not the meaning."""
    given = d.choice(({"method": "newton"}, {"method": "krawczyk"}, {"tangency": False}, {"order": "upper"}, {"order": "lower"},
                      {"method": "newton", "order": "upper"}, {"method": "subdivision"}))
    claim = ask(f"{name} {given}", plain(scene), budget, **given)
    return replace(claim, places=None)


@way()
def measures(name: str, scene: Scene, d: Draw, budget: float) -> Claim:
    """Other simultaneity, spacing and tolerance. Places that are listed are other ones."""
    given = {"simultaneity": d.choice((1e-9, 1e-3, 0.05)), "spacing": d.choice((1e-3, 0.5)), "tolerance": d.choice((1e-12, 1e-4))}
    return replace(ask(f"{name} {given}", plain(scene), budget, **given), places=None)


@way(lambda scene: scene.nets is not None)
def time_dependent(name: str, scene: Scene, d: Draw, budget: float) -> Claim:
    """The method of Chen et al."""
    return replace(ask(name, plain(scene), min(budget, 4.0), method="time-dependent"), places=None)


@way()
def halves_of_time(name: str, scene: Scene, d: Draw, budget: float) -> Claim:
    """The time span in two parts, one after the other."""
    begin, end = scene.span
    moment = begin + (end - begin) * d.number(0.1, 0.9, 4)
    first = ask(name, Question(scene.bodies, (begin, moment)), budget)
    if first.status is not Status.NO_CONTACT:
        return replace(first, end=fraction(end))
    second = ask(name, Question(scene.bodies, (moment, end)), budget)
    return replace(second, start=merged([first, second]))


@way()
def continued(name: str, scene: Scene, d: Draw, budget: float) -> Claim:
    """Small budgets, each call going on from what is clear."""
    begin, boxes, steps = scene.span[0], d.choice((20, 200, 1000)), []
    while True:
        steps.append(ask(name, Question(scene.bodies, (begin, scene.span[1])), collide.Budget(seconds=budget, boxes=boxes)))
        claim = replace(steps[-1], start=merged(steps), seconds=sum(s.seconds for s in steps), places=None)
        begin, boxes = sp.Rational(claim.clear.numerator, claim.clear.denominator), 2 * boxes
        if claim.status is not Status.BUDGET_SPENT or claim.seconds > budget or not claim.comparable or not begin < scene.span[1]:
            return claim
