"""Answer of a collision query: the contacts, and in words the claims that are proved of them.

Numerical outcomes are values here, never exceptions: a `Status`, a bracket of the time, and per point whether it is
proved.
"""

import decimal
import itertools
import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np

from codegen.interval import Interval
from generative.body import body_name, label

from .. import picture
from ..bodies.on_face import NOWHERE, UV, Held, own_box, place_on
from ..frozen import Frozen, frozen
from ..moment.pairs import Pairs, Starts, count_in, pairs_in
from ..moment.start import Start
from ..search.progress import duration
from .consistency import check_time
from .gap_bounds import gap_bounds
from .left_open import MOST_PAIRS, named_pairs, pair_array, undecided_in_words
from .link_states import ByRobot, Listed
from .sensitivity import Sensitivity, sensitivity
from .table import ROWS, card, counted, point


class Status(Enum):
    """The outcome of a query; each value is its sentence."""

    CONTACT = "A contact is proved to exist within the bracket of the contact time."
    UNRESOLVED = "Places that may be in contact were located, but neither proved nor excluded."
    NO_CONTACT = "No contact: proved for the whole time span."
    BUDGET_SPENT = "The budget was spent before the question was decided."

    def __repr__(self) -> str:
        return f"Status.{self.name}"


@dataclass(frozen=True, eq=False)
class Contacts(Frozen, ByRobot):
    """The contacts of bodies at the earliest time of contact. `proved` means `unique` here, and `existence` is `exists`.

    `time` encloses the earliest contact time (None if there is none), and before `clear_until` there is proved to be no
    contact (for pairs disjoint at the start; for the others, no new incoming tangential contact). Of each of k points:
    `points` and `normals` (k, 3), the normal being unit, outward from the first body of the pair, NaN where no
    direction separates; `proved`, one unique and isolated contact lies in its box; `existence`, some contact lies in
    its box, as proved too (every proved point, and every point of a sampled curve that holds a contact); `pairs` (k,
    2), the indices of the two bodies; `features`, which parts of them touch; `uv`, at which u and v of these; `boxes` and `variables`, the
    enclosure of what was searched for. A place in space is listed once: where a surface covers itself, of contacts proved unique for
    different parameters whose boxes meet in space and in time. `iterations` are boxes examined, `seconds` the time of the
    whole call, `start` the state of each pair at the beginning of `time_span`. `notes` are further sentences of the summary.
    `open`: the pairs that `undecided` lists.
    `nesting`: the pairs, UNKNOWN at the start, whose surfaces are proved apart then, where it is not decided whether one
    body encloses the other: what is claimed of them is the meeting of their surfaces, as of disjoint ones. `held`: of each body the ends of
    parameters at which it is met, for `uv`. `parameters`: where these were given, for each contact, {symbol: the values at which it comes},
    of which `given` are the exact ones or ranges of them; `formulas` are the bodies with these symbols.
    """

    status: Status
    time: Interval | None
    clear_until: float
    points: np.ndarray
    normals: np.ndarray
    proved: np.ndarray
    existence: np.ndarray
    pairs: np.ndarray
    features: Sequence[tuple[str, str]]
    boxes: Sequence[np.ndarray]
    variables: Sequence[tuple[str, ...]]
    iterations: int
    seconds: float
    start: Mapping[tuple[int, int], Start]
    bodies: Sequence[Any] = ()
    time_span: tuple[float, float] = (0.0, 1.0)
    notes: tuple[str, ...] = ()
    nesting: frozenset[tuple[int, int]] = frozenset()
    held: Sequence[tuple[Held, ...]] = ()
    parameters: Sequence[Mapping[Any, Interval]] = ()
    given: Mapping[Any, Any] = field(default_factory=dict)
    formulas: Sequence[Any] = ()
    open: Collection[tuple[int, int]] = ()

    def __post_init__(self) -> None:
        k = len(self.points)
        shapes = {"points": (k, 3), "normals": (k, 3), "proved": (k,), "existence": (k,), "pairs": (k, 2)}
        for name, shape in shapes.items():
            assert getattr(self, name).shape == shape, f"{name} must have the shape {shape}"
        assert k == len(self.features) == len(self.boxes) == len(self.variables), "one feature pair and one box a point"
        times = [float(box[-1, 1]) for box, exists in zip(self.boxes, self.existence.tolist(), strict=True) if exists]
        check_time(self.time, self.clear_until, self.time_span[1], min(times, default=math.inf))
        self._freeze()

    @property
    def ignored(self) -> Pairs:
        """The pairs of bodies that were not asked about: no claim is made of them."""
        return self.start.ignored if isinstance(self.start, Starts) else Pairs(len(self.bodies))

    @cached_property
    def undecided(self) -> np.ndarray:
        """(m, 2) int64, in order: the pairs of bodies i < j of which it is not decided whether they meet within `time`.

        They were not searched to its end, or something is located there that is neither proved nor excluded. Of all other pairs that were
        asked about it is *proved* that they do not meet before `time[1]`, in the sense of `summary`. None is listed for CONTACT and
        NO_CONTACT. Of surfaces that may touch themselves also i = j.
        """
        return pair_array(() if self.status in (Status.CONTACT, Status.NO_CONTACT) else self.open)

    @property
    def unique(self) -> np.ndarray:
        """(k,) bool: *proved* to be the only contact in its box, and isolated (`proved`)."""
        return self.proved

    @property
    def exists(self) -> np.ndarray:
        """(k,) bool: *proved* that its box holds a contact (`existence`)."""
        return self.existence

    @cached_property
    def uv(self) -> np.ndarray:
        """(k, 2), of each contact and each body of its pair the fields "face", "u" and "v": about where on which face it is (`UV`).

        `u` and `v` are the surface's own parameters, those of the middle of the contact's box, in doubles, also where `variables` are
        others: that of an edge, or smooth ones p and q round a pole. On edges and vertices they are those of the first face that meets
        there. A pole is one point for all values of one parameter: where the box holds it, that one means nothing, and the least of its
        range is given. Implicit bodies have no parameters: -1, NaN and NaN.
        """
        return frozen(np.array([[self._uv(k, side) for side in (0, 1)] for k in range(len(self))], UV).reshape(-1, 2))

    def _uv(self, k: int, side: int) -> tuple[int, float, float]:
        if not len(self.bodies):
            return NOWHERE
        held, itself = self.held[k][side] if self.held else (), any(i == j for i, j in self.start)
        body, own = self.bodies[self.pairs[k, side]], own_box(self.variables[k], self.boxes[k], side)
        return place_on(body, self.features[k][side], held, own, itself)

    @cached_property
    def gap_bounds(self) -> np.ndarray:
        """(k,): at each place the surfaces of the two bodies are *proved* to come within this distance of each other, at some time of its
        box: they touch there, or miss each other by less. 0 where contact is proved; NaN for meshes, combined bodies, and where no bound is
        found.
        """
        return frozen(gap_bounds(self))

    def sensitivity(self, symbols: Any) -> Sensitivity:
        """Sensitivity of contacts to the parameters that `first_contact` was given: the derivatives by `symbols`, one or n of them.

        `time` (k, n, 2) of the result encloses dt/dp of each of the k contacts, and `points` (k, 3, n, 2) the derivatives of its point in
        space: by the implicit function theorem, of the system whose unique zero was proved. NaN for contacts that are not proved unique,
        such as grazes and samples of curves, and where formulas are not differentiable. The contact is followed as the one of its two
        features; of a worst case they are the derivatives there.

        Raises ValueError for a symbol that `first_contact` was not given.
        """
        return sensitivity(self, symbols)

    def _items(self) -> Iterator[Listed]:
        """Each contact as an item of the answer."""
        whole = itertools.repeat({}) if not self.parameters else self.parameters
        distances = Interval(0.0, math.inf), Interval(0.0, 0.0)
        rows = zip(self.pairs.tolist(), self.points, self.boxes, self.existence.tolist(), whole, strict=False)
        for k, (pair, place, box, exists, values) in enumerate(rows):
            yield Listed(k, pair, (place, place), box[-1], distances[exists], values)

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        when = "" if self.time is None else f", time=[{self.time[0]!r}, {self.time[1]!r}]"
        points = f"{counted(len(self), 'point')}, {int(self.proved.sum())} proved unique"
        return f"Contacts({self.status.name}{when}, {points})"

    def summary(self) -> str:
        """One paragraph: what was proved, what was only located, and what the budget left open."""
        sentences = [_outcome(self), _clearance(self), undecided_in_words(self.bodies, self.undecided, len(self.start)), *self.notes,
                     _ignored(self), _starts(self)]
        sentences.append(effort(self.iterations, self.seconds))
        return " ".join(s for s in sentences if s)

    def to_json(self) -> str:
        """Everything but the bodies, as JSON; a number that JSON cannot hold (NaN, infinity) is null."""
        table = {
            "status": self.status.name, "time": self.time, "clear_until": self.clear_until, "time_span": self.time_span,
            "points": self.points, "normals": self.normals, "proved": self.proved, "existence": self.existence,
            "undecided": self.undecided,
            "pairs": self.pairs, "names": [[body_name(self.bodies, k) for k in pair] for pair in self.pairs.tolist()],
            "features": self.features, "uv": [[dict(zip(UV.names or (), at, strict=True)) for at in pair] for pair in self.uv.tolist()],
            "boxes": self.boxes, "variables": self.variables,
            "iterations": self.iterations, "seconds": self.seconds, "summary": self.summary(),
            "start": [{"pair": list(pair), "state": state.name} for pair, state in self.start.items()],
        }  # fmt: skip
        return json.dumps({key: _plain(value) for key, value in table.items()}, allow_nan=False, indent=1)

    def _repr_html_(self) -> str:
        rows = []
        for k in range(min(len(self), ROWS)):
            bodies = ", ".join(label(self.bodies, body) for body in self.pairs[k])
            known = "unique (proved)" if self.proved[k] else "exists (proved)" if self.existence[k] else "located"
            places = ", ".join("-" if face < 0 else point(at) for face, *at in (self._uv(k, side) for side in (0, 1)))
            rows.append([point(self.points[k]), bodies, ", ".join(self.features[k]), places, known])
        return card(self.summary(), ["point", "bodies", "features", "u and v", "known"], rows, len(self), "point")

    def show(self) -> None:
        """Play the bodies up to the contact, in a notebook or browser: see `collide.picture.figure`."""
        picture.figure(self).show()

    def save_html(self, path: str | PathLike[str], title: str = "First contact") -> None:
        """Write the scene that plays and the summary as one self-contained HTML page."""
        picture.save_html(path, [self], titles=[title])


def _outcome(c: Contacts) -> str:
    """The status, the bracket of the time, and what is known of the points."""
    if c.status is Status.NO_CONTACT:
        first, last = (_number(end, 12) for end in c.time_span)
        if _all_apart(c):
            who = "the pairs of bodies asked about" if c.ignored else "the bodies"
            what = "what is not joined is proved not to touch" if _with_itself(c) else f"{who} are proved not to touch"
            return f"No contact: {what} from t = {first} to t = {last}."
        return f"No new contact from t = {first} to t = {last}: proved, in the sense given below."
    if c.status is Status.CONTACT:
        return f"First contact{_whose(c)} {_when(c)}: {_points(c)}."
    if c.status is Status.UNRESOLVED:
        return f"There may be a contact{_whose(c)} {_when(c)}, but its existence is neither proved nor excluded: {_points(c)}.{_gap(c)}"
    known = ""
    if c.time is not None and math.isfinite(c.time[1]):
        # A bracket that ends before the span does so where a contact is proved.
        sure = bool(np.any(c.existence | c.proved)) or c.time[1] < c.time_span[1]
        known = f" {'The first contact comes' if sure else 'The first contact, if there is one, comes'} {_when(c)}."
    found = "" if not len(c) else f" So far: {_points(c)}."
    return f"{Status.BUDGET_SPENT.value}{known}{found}"


def _gap(c: Contacts) -> str:
    """The least bound of a gap."""
    known = c.gap_bounds[np.isfinite(c.gap_bounds)]
    return f" They touch, or miss each other by less than {_rounded_up(float(known.min()))} (proved)." if len(known) else ""


def _whose(c: Contacts) -> str:
    """The bodies that meet, if there are several pairs, or one of them has a name."""
    pairs = sorted({(i, j) for i, j in c.pairs.tolist()})
    if any(body_name(c.bodies, k) for pair in pairs[:MOST_PAIRS] for k in pair):
        return f" of {named_pairs(c.bodies, pairs)}"
    return f" of bodies {named_pairs(c.bodies, pairs)}" if pairs and len(c.bodies) > 2 else ""


def _with_itself(c: Contacts) -> bool:
    """Whether the question is self-contact. They may be joined to themselves and to each other, then."""
    return not isinstance(c.start, Starts) and any(i == j for i, j in c.start)


def _when(c: Contacts) -> str:
    """The bracket of the time in decimals, its ends rounded outwards."""
    assert c.time is not None, "a contact has a time"
    lo, hi = c.time[0], c.time[1]
    places = _places(hi - lo)
    ends = f"[{_number(lo, places)}, {_number(hi, places, up=True)}]"
    if hi - lo > 1e-6 * max(1.0, abs(lo)):
        return f"at a time t within {ends}"
    return f"at t = {_number(0.5 * (lo + hi), min(places, 10), None)}, within {ends}"


def _points(c: Contacts) -> str:
    unique, some = int(c.proved.sum()), int((c.existence & ~c.proved).sum())
    rest = len(c) - unique - some
    if not len(c):
        return "no point of it is listed"
    if len(c) == 1 and unique:
        return "one point, proved to be a unique isolated contact"
    if unique == len(c):
        return f"{unique} points, each proved to be a unique isolated contact"
    if rest == len(c) and c.status is Status.CONTACT:
        return f"{counted(rest, 'point')}, only located: the time of the contact is proved, that it is there is not"
    if some == len(c):
        return f"{counted(some, 'point')} near which a contact is proved to exist, perhaps samples of a curve or patch of contacts"
    parts = [f"{unique} proved unique and isolated"] if unique else []
    if some:
        parts.append(f"{some} near which a contact is proved to exist")
    if rest:
        parts.append(f"{rest} only located: contact there is not proved")
    return f"{counted(len(c), 'point')} ({'; '.join(parts)})"


def _clearance(c: Contacts) -> str:
    if c.status is Status.NO_CONTACT or not c.clear_until > c.time_span[0]:
        return ""
    before = _number(c.clear_until, 12)
    new = "" if _all_apart(c) else "new "
    return f"Before t = {before} there is proved to be no {new}contact."


def _all_apart(c: Contacts) -> bool:
    states = (state for state in Start if state is not Start.DISJOINT)
    return all(pair in c.nesting for state in states for pair in pairs_in(c.start, state))


def _starts(c: Contacts) -> str:
    """The pairs that are not proved disjoint at the start, and how this weakens the claim."""
    sentences = []
    for state in (Start.TOUCHING, Start.OVERLAPPING, Start.UNKNOWN):
        count = count_in(c.start, state) - (len(c.nesting) if state is Start.UNKNOWN else 0)
        if count:
            pairs = itertools.islice((pair for pair in pairs_in(c.start, state) if pair not in c.nesting), MOST_PAIRS)
            sentences.append(f"Bodies {named_pairs(c.bodies, [*pairs], count)} are {state.value}.")
    if sentences:
        sentences.append("For such pairs the claim is only that there is no new incoming tangential contact before.")
    elif c.start and not c.nesting:
        sentences.append("At the start nothing touches but what is joined (proved)." if _with_itself(c) else
                         f"All {'other ' if c.ignored else ''}pairs of bodies are disjoint at the start (proved).")
    if c.nesting:
        sentences.append(f"The surfaces of bodies {named_pairs(c.bodies, sorted(c.nesting))} are proved apart at the start; whether one "
                         "body encloses the other is not decided, and what is said of them is said of their surfaces.")
    return " ".join(sentences)


def _ignored(c: Contacts) -> str:
    """The pairs that were not asked about."""
    groups = ["the pairs among " + ", ".join([*(label(c.bodies, k) for k in group[:MOST_PAIRS]), *["..."] * (len(group) > MOST_PAIRS)])
              for group in c.ignored.groups]
    groups += [" and ".join(label(c.bodies, k) for k in pair) for pair in sorted(c.ignored.single)]
    if not groups:
        return ""
    rest = f"; and {counted(len(groups) - MOST_PAIRS, 'more item')}" if len(groups) > MOST_PAIRS else ""
    return f"Not asked about, and not part of any claim: {'; '.join(groups[:MOST_PAIRS])}{rest}."


def _places(width: float) -> int:
    """Decimals that show a bracket of this width, two digits of it at least."""
    return 15 if width <= 0 else min(15, max(6, 2 - math.floor(math.log10(width))))


def _rounded_up(value: float) -> str:
    """Three digits of a positive number, rounded up."""
    with decimal.localcontext(prec=3, rounding=decimal.ROUND_CEILING):
        return f"{float(+decimal.Decimal(value)):.2e}"


def _number(value: float, places: int, up: bool | None = False) -> str:
    """`value` with `places` decimals, rounded down, or up, or (None) to nearest; trailing zeros dropped."""
    rounding = {True: decimal.ROUND_CEILING, False: decimal.ROUND_FLOOR, None: decimal.ROUND_HALF_EVEN}[up]
    if not math.isfinite(value):
        return str(value)
    with decimal.localcontext(prec=400):
        text = f"{decimal.Decimal(value).quantize(decimal.Decimal(1).scaleb(-places), rounding=rounding):f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def effort(boxes: int, seconds: float) -> str:
    """The cost of an answer: boxes examined, and the time of the whole call."""
    return f"The search examined {counted(boxes, 'box')}; all in all it took {duration(seconds)}."


def _plain(value: Any) -> Any:
    """`value` as JSON types."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (list, tuple)):
        return [_plain(e) for e in value]
    if isinstance(value, dict):
        return {name: _plain(e) for name, e in value.items()}
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value
