"""Bodies with parameters, asked for ranges of these and for single values: what is claimed for any value holds for each.

The earliest contact for any values is the least of those at single values. So claims about ranges contradict each other, or those about a
value, as claims about one scene do. Pairs are at rest, move alike, enclose each other, or pass; what overlaps is `ignored`.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

import collide
from collide import DistanceStatus, Status
from collide.answers.contact_times import Spell
from collide.bodies.parameters import substituted
from generative import ImplicitSurface, Parameter, ParametricSurface, Rigid, t, u, v, x, y, z

from ..laws import batch_laws, contacts_laws
from . import shapes
from .agreement import Claim, contradictions
from .motions import about, away, towards, turning
from .shapes import SQUARE, TURN, Draw

SPAN = (sp.Integer(0), sp.Integer(1))
BEGIN, END = Fraction(0), Fraction(1)
P, Q = Parameter("p"), Parameter("q")
TOLERANCE = 1e-7

Values = Mapping[Any, Any]


@dataclass(frozen=True)
class Setting:
    """Bodies 0 and 1, and others of which no pair is asked about; the `ranges` of the parameters."""

    kind: str
    seed: int
    bodies: tuple[Any, ...]
    ranges: dict[Any, tuple[Any, Any]]

    @property
    def name(self) -> str:
        return f"{self.kind}:{self.seed}"

    @property
    def ignore(self) -> list[tuple[int, int]]:
        return [(i, k) for k in range(2, len(self.bodies)) for i in range(k)]

    def at(self, values: Values) -> list[Any]:
        """The bodies with numbers for the parameters."""
        return [substituted(body, values) for body in self.bodies]


# -- settings ------------------------------------------------------------------------------------------------------------


def sized(d: Draw) -> tuple[Any, tuple[Any, Any]]:
    """A body with the parameter p in its size, and a range."""
    ring, lo = d.number(0.4, 0.8), d.number(0.1, 0.5)
    ball = [P * sp.cos(u) * sp.cos(v), P * sp.sin(u) * sp.cos(v), P * sp.sin(v)]
    tube = [(ring + P * sp.cos(v)) * sp.cos(u), (ring + P * sp.cos(v)) * sp.sin(u), P * sp.sin(v)]
    made = d.choice([
        lambda: ParametricSurface(ball, {u: TURN, v: (-sp.pi / 2, sp.pi / 2)}),
        lambda: ImplicitSurface(x**2 + y**2 + z**2 - P**2, [(-2, 2)] * 3),
        lambda: ParametricSurface(tube, {u: TURN, v: TURN}),
        lambda: ParametricSurface([u, v, d.number(0.2, 0.8) * u**2 + u * v / 4], {u: (-P, P), v: (-1, 1)}),
        lambda: ParametricSurface([u, v, P * (u**2 + v**2)], SQUARE),
    ])()
    return made, (lo, lo + d.number(0.1, 0.9))


def body(d: Draw) -> Any:
    return d.choice((*shapes.SMOOTH, shapes.ellipsoid, shapes.rounded, shapes.brick, plate))(d)


def plate(d: Draw) -> ParametricSurface:
    return ParametricSurface([2 * u, 2 * v, 0], SQUARE)


def first(d: Draw, reach: float) -> tuple[Any, dict[Any, tuple[Any, Any]]]:
    """A body at a place up to `reach` from the origin, with p in its size or place, and sometimes q in its place."""
    place = d.vector(reach)
    k, low = d.randrange(3), d.number(-reach, reach)
    fixed = d.random() < 0.5
    made, ends = sized(d) if fixed else (body(d), (low, low + d.number(0.1, 0.5 + reach)))
    ranges = {P: ends}
    if not fixed:
        place[k] = P
    if d.random() < 0.25:
        low = d.number(-reach, reach)
        place[(k + 1) % 3] = place[(k + 1) % 3] + Q
        ranges[Q] = (low, low + d.number(0.1, 0.5))
    return made.moved(Rigid(translation=place)), ranges


def resting(d: Draw) -> tuple[list[Any], dict[Any, tuple[Any, Any]]]:
    made, ranges = first(d, 1.5)
    return [made, body(d).moved(Rigid(rotation=d.choice((None, [d.randint(1, 3), d.randint(-2, 2), 1, 0])), normalize=True))], ranges


def alike(d: Draw) -> tuple[list[Any], dict[Any, tuple[Any, Any]]]:
    """Moved by one motion, or by a shift in which the parameter is."""
    bodies, ranges = resting(d)
    motion = Rigid(rotation=turning(d), translation=[e * t for e in d.vector(2)])
    return [b.moved(motion) for b in bodies], ranges


def enclosed(d: Draw) -> tuple[list[Any], dict[Any, tuple[Any, Any]]]:
    """A small body in a ball, at rest or on its way out."""
    r = d.number(1.2, 3)
    ball = ParametricSurface([r * sp.cos(u) * sp.cos(v), r * sp.sin(u) * sp.cos(v), r * sp.sin(v)], {u: TURN, v: (-sp.pi / 2, sp.pi / 2)})
    outer = d.choice((ball, ImplicitSurface(x**2 + y**2 + z**2 - r**2, [(-4, 4)] * 3)))
    made, ranges = first(d, 0.3)
    motion = Rigid(rotation=turning(d), translation=[e * t for e in d.vector(d.choice((0.1, 2.0)))])
    return d.choice(([made, outer], [made.moved(motion), outer], [made.moved(motion), outer.moved(motion)])), ranges


def passing(d: Draw) -> tuple[list[Any], dict[Any, tuple[Any, Any]]]:
    made, ranges = first(d, 0.3)
    return [towards(d, made, away(d)), about(d, body(d))], ranges


KINDS: dict[str, Callable[[Draw], Any]] = {"resting": resting, "alike": alike, "enclosed": enclosed, "passing": passing}


def setting(kind: str, seed: int) -> Setting:
    """Always the same of a kind and a seed."""
    d = Draw(f"{kind} {seed}")
    bodies, ranges = KINDS[kind](d)
    if d.random() < 0.5:
        bodies = bodies[::-1]
    if d.random() < 0.3:
        bodies.append(d.choice(bodies).moved(Rigid(translation=d.vector(0.2))))
    return Setting(kind, seed, tuple(bodies), ranges)


# -- claims --------------------------------------------------------------------------------------------------------------


def whole(way: str, status: Status, clear: float, by: float | None, asked: Any) -> Claim:
    """A claim about the least time at which surfaces meet, however they begin."""
    clear = END if status is Status.NO_CONTACT else Fraction(clear)
    return Claim(way, status, clear, None if by is None else Fraction(by), END, asked=(asked,))


def of_contacts(way: str, bodies: Sequence[Any], free: Values, budget: float, **options: Any) -> tuple[Claim, Any]:
    """The first contact. Without ranges it speaks of pairs that start apart alone; nothing is claimed of others."""
    given = {**options, "budget": budget, **({"parameters": dict(free)} if free else {})}
    answer = collide.first_contact(bodies, SPAN, **given)
    contacts_laws(answer)
    by = answer.time[1] if answer.status is Status.CONTACT else None
    claim = whole(way, answer.status, answer.clear_until, by, ("first_contact", list(bodies), SPAN, given))
    return (claim if free else replace(claim, start=dict(answer.start))), answer


def of_clearance(way: str, bodies: Sequence[Any], free: Values, budget: float, **options: Any) -> Claim:
    """Surfaces are proved to meet at some time, or to have a distance at all."""
    given = {**options, "budget": budget, "tolerance": 1e-3, **({"parameters": dict(free)} if free else {})}
    answer = collide.clearance(bodies, SPAN, **given)
    meeting, apart = answer.status is DistanceStatus.MEETING, answer.bracket.lo > 0.0
    status = Status.CONTACT if meeting else Status.NO_CONTACT if apart else Status.UNRESOLVED
    return whole(way, status, 0.0, 1.0 if meeting else None, ("clearance", list(bodies), SPAN, given))


def of_spells(way: str, bodies: Sequence[Any], budget: float, **options: Any) -> Claim:
    given = {**options, "budget": budget, "tolerance": TOLERANCE}
    answer = collide.contacts_during(bodies, SPAN, **given)
    clear, by = 0.0, None
    begun, *rest = answer.of(0, 1)
    if begun.kind is Spell.SEPARATION:
        clear = begun.end.lo
    if begun.kind is Spell.CONTACT:
        by = begun.end.hi if begun.begin == begun.end else begun.begin.hi
    elif begun.kind is Spell.SEPARATION and rest and rest[0].kind is Spell.CONTACT:
        by = rest[0].begin.hi
    status = Status.NO_CONTACT if clear >= 1.0 and not rest else Status.UNRESOLVED if by is None else Status.CONTACT
    return whole(way, status, clear, by, ("contacts_during", list(bodies), SPAN, given))


def of_rows(s: Setting, samples: Sequence[Values], budget: float) -> list[Claim]:
    table = {symbol: np.array([float(at[symbol]) for at in samples]) for symbol in s.ranges}
    given = {"parameters": table, "tolerance": TOLERANCE, "ignore": s.ignore, "budget": budget}
    r = collide.contact_batch(list(s.bodies), SPAN, **given)
    if all(isinstance(b, ParametricSurface) for b in s.bodies):
        batch_laws(r, len(samples), 4)
    asked = "contact_batch", list(s.bodies), SPAN, given
    return [whole("row", r.status[k], r.time[k, 0], r.time[k, 1] if r.proved[k] else None, asked) for k in range(len(samples))]


# -- what is asked -------------------------------------------------------------------------------------------------------


def samples_of(s: Setting, d: Draw) -> list[dict[Any, Any]]:
    """The ends of the ranges, and doubles between them."""
    ends = [{symbol: pair[side] for symbol, pair in s.ranges.items()} for side in (0, 1)]
    return ends + [{symbol: lo + (hi - lo) * sp.Rational(d.randint(0, 64), 64) for symbol, (lo, hi) in s.ranges.items()} for _ in range(3)]


def for_any(s: Setting, d: Draw, budget: float) -> tuple[list[Claim], Any, Any]:
    """What is claimed for any values, the answer to the question as it is drawn, and that for the critical value."""
    options = {"ignore": s.ignore} if s.ignore else {}
    claim, answer = of_contacts("ranges", s.bodies, s.ranges, budget, **options)
    symbol, (lo, hi) = d.choice(list(s.ranges.items()))
    middle = lo + (hi - lo) * d.number(0.1, 0.9)
    parts = [of_contacts("parts of ranges", s.bodies, {**s.ranges, symbol: part}, budget, **options)[0]
             for part in ((lo, middle), (middle, hi))]
    two = [s.bodies[0], s.bodies[1]][::d.choice((1, -1))]
    claims = [claim, least("parts of ranges", parts), of_clearance("clearance for ranges", s.bodies, s.ranges, budget, **options),
              of_contacts("the pair alone", two, s.ranges, budget)[0]]
    critical = None
    if len(s.ranges) == 1:
        given = {**options, "budget": budget}
        critical = collide.critical_value(s.bodies, SPAN, s.ranges, **given)
        claims.append(whole("critical value", critical.status, 0.0, 1.0 if critical.status is Status.CONTACT else None,
                            ("critical_value", list(s.bodies), SPAN, s.ranges, given)))
    return claims, answer, critical


def least(way: str, claims: Sequence[Claim]) -> Claim:
    """What claims about parts of ranges say of the whole ones."""
    clear, by = min(c.clear for c in claims), min((c.by for c in claims if c.by is not None), default=None)
    status = Status.CONTACT if by is not None else Status.NO_CONTACT if clear == END else Status.UNRESOLVED
    return Claim(way, status, clear, by, END, asked=tuple(a for c in claims for a in c.asked))


def at_values(s: Setting, samples: Sequence[Values], budget: float) -> list[list[Claim]]:
    """For each sample the claims about it."""
    found = [[row] for row in of_rows(s, samples, budget)]
    options = {"ignore": s.ignore} if s.ignore else {}
    for at, claims in zip(samples, found, strict=True):
        bodies = s.at(at)
        claims.append(of_contacts("call", bodies, {}, budget, **options)[0])
        claims.append(of_spells("spells", bodies, budget, **options))
        claims.append(of_clearance("clearance", bodies, {}, budget, **options))
    return found


def worst(s: Setting, answer: Any) -> Iterator[tuple[dict[Any, Any], float]]:
    """Values, doubles, at which a contact is proved to exist by a time."""
    for k in np.flatnonzero(answer.existence)[:2].tolist():
        at = answer.parameters[k]
        row = dict(zip(answer.variables[k], answer.boxes[k].tolist(), strict=True)).get("t")
        if row is not None and all(at[symbol].lo == at[symbol].hi for symbol in s.ranges):
            yield {symbol: sp.Rational(at[symbol].lo) for symbol in s.ranges}, row[1]


def wrong(kind: str, seed: int, budget: float) -> tuple[list[str], list[Claim]]:
    """All that contradicts in the answers about one setting, and the claims."""
    s, d = setting(kind, seed), Draw(f"settings {kind} {seed}")
    ranges, answer, critical = for_any(s, d, budget)
    known = list(worst(s, answer)) if answer.status is Status.CONTACT else []
    samples = [*samples_of(s, d), *(at for at, _ in known)]
    values = at_values(s, samples, budget)
    for claims, (_, by) in zip(values[len(samples) - len(known):], known, strict=True):
        claims.append(whole("worst case", Status.CONTACT, 0.0, by, ranges[0].asked[0]))
    found = [*contradictions(ranges)]
    for at, claims in zip(samples, values, strict=True):
        lines = [*contradictions(claims), *earlier(ranges, claims), *_below(s, critical, at, claims)]
        found += [f"at {', '.join(f'{symbol} = {value}' for symbol, value in at.items())}: {line}" for line in lines]
    return found, [*ranges, *(c for claims in values for c in claims)]


def earlier(ranges: Sequence[Claim], claims: Sequence[Claim]) -> Iterator[str]:
    """A contact at a value, before the time up to which there is none for any."""
    for a in claims:
        for b in ranges:
            if a.by is not None and a.comparable and (a.by < b.clear or b.status is Status.NO_CONTACT):
                yield f"a contact proved by {float(a.by)!r}, and none for any value before {float(b.clear)!r}: {a} / {b}"


def _below(s: Setting, critical: Any, at: Values, claims: Sequence[Claim]) -> Iterator[str]:
    """A contact at a value below the critical one."""
    if critical is None or not at[P] < sp.Rational(critical.bracket.lo if math.isfinite(critical.bracket.lo) else 2**60):
        return
    yield from (f"a contact below the critical value {critical.bracket}: {a}" for a in claims if a.by is not None and a.comparable)

