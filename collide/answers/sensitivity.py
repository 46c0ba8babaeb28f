"""Derivatives of contacts by the parameters of the bodies, enclosed (`Contacts.sensitivity`)."""

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from codegen.given import shown
from codegen.kernel import Kernel
from generative.family import family_of
from generative.symbols import Parameter

from ..bodies.cells import Cell
from ..bodies.numbers import Numbers
from ..bodies.on_face import NAMES, Held
from ..bodies.parameters import variable_of
from ..bodies.parts import Pole, parts_of
from ..situations.contact import parameters_with
from ..situations.derivatives import derivatives
from ..situations.stationary import ends_of
from .table import ROWS, card


class _Contacts(Protocol):
    """The fields of `Contacts` that are read."""

    def __len__(self) -> int: ...
    @property
    def unique(self) -> np.ndarray: ...
    @property
    def pairs(self) -> np.ndarray: ...
    @property
    def features(self) -> Sequence[tuple[str, str]]: ...
    @property
    def boxes(self) -> Sequence[np.ndarray]: ...
    @property
    def variables(self) -> Sequence[tuple[str, ...]]: ...
    @property
    def held(self) -> Sequence[tuple[Held, ...]]: ...
    @property
    def parameters(self) -> Sequence[Mapping[Any, Any]]: ...
    @property
    def given(self) -> Mapping[Any, Any]: ...
    @property
    def formulas(self) -> Sequence[Any]: ...


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """Derivatives of k contacts by n parameters: `time` (k, n, 2) encloses dt/dp, `points` (k, 3, n, 2) the derivatives of the points in
    space; NaN of contacts that are not proved unique, and where no derivative is proved to exist.
    """

    symbols: tuple[Any, ...]
    time: np.ndarray
    points: np.ndarray

    def __repr__(self) -> str:
        return f"Sensitivity({len(self.time)} contacts, by {', '.join(map(str, self.symbols))})"

    def _repr_html_(self) -> str:
        rows = [[str(s), *(f"{value:.6g}" for value in (self.time[k, j].mean(), *self.points[k, :, j].mean(axis=1)))]
                for k in range(len(self.time)) for j, s in enumerate(self.symbols)][:ROWS]
        return card(repr(self), ["parameter", "dt/dp", "dx/dp", "dy/dp", "dz/dp"], rows, self.time[..., 0].size, "derivative")


def sensitivity(contacts: _Contacts, symbols: Any) -> Sensitivity:
    """The sensitivity of all contacts of an answer, see `Contacts.sensitivity`: one call of each kernel for all contacts of its formulas.
    """
    wanted = _wanted(contacts, symbols)
    found = np.full((len(contacts), 4 * len(wanted), 2), np.nan)
    for known, numbers in _by_kernel(contacts, wanted).values():
        own = known[0].own
        boxes, values = [contacts.boxes[k].tolist() for k in numbers], [map(list, contacts.parameters[k].values()) for k in numbers]
        rows = np.array([[*(box[j] for j in own[:-1]), *at, box[own[-1]]] for box, at in zip(boxes, values, strict=True)])
        lo, hi = known[0].kernel.interval(rows[..., 0], rows[..., 1], parameters=_parameters(known))
        found[numbers, :, 0], found[numbers, :, 1] = lo, hi
    finite = np.isfinite(found)
    if not finite.all():
        found[~finite.all(axis=-1)] = np.nan
    table = found.reshape(len(found), 4, len(wanted), 2)
    return Sensitivity(wanted, table[:, 0], table[:, 1:])


def _parameters(known: Sequence["_Moves"]) -> tuple[np.ndarray, np.ndarray] | None:
    first = known[0].parameters
    if first is None or len(known) == 1:
        return first
    lo, hi = (np.array([k.parameters[end] for k in known if k.parameters is not None]) for end in (0, 1))
    return lo, hi


def _by_kernel(contacts: _Contacts, wanted: tuple[Any, ...]) -> dict[Kernel, tuple[list["_Moves"], list[int]]]:
    """The contacts that are proved unique and have a square system, by the kernels of their derivatives."""
    groups: dict[Kernel, tuple[list[_Moves], list[int]]] = {}
    given, pairs = tuple(contacts.given), contacts.pairs.tolist()
    for k in np.flatnonzero(contacts.unique).tolist():
        i, j = pairs[k]
        known = _moves(_Kind(contacts.formulas[i], contacts.formulas[j], contacts.features[k], contacts.variables[k], contacts.held[k]),
                       given, wanted)
        if known is not None:
            of, numbers = groups.setdefault(known.kernel, ([], []))
            of.append(known)
            numbers.append(k)
    return groups


def _wanted(contacts: _Contacts, symbols: Any) -> tuple[Any, ...]:
    wanted = (symbols,) if isinstance(symbols, Parameter) else tuple(symbols) if isinstance(symbols, Iterable) else (symbols,)
    if not contacts.formulas:
        raise ValueError("there are no derivatives by parameters: first_contact was called without parameters=...")
    for s in wanted:
        if s not in contacts.given:
            raise ValueError(f"sensitivity takes parameters that first_contact was given, got {shown(s)}")
    return wanted


class _Kind(NamedTuple):
    """Key of contacts that share their formulas: two bodies, features of them, the variables of their boxes, and `Contacts.held`."""

    first: Any
    second: Any
    features: tuple[str, str]
    variables: tuple[str, ...]
    held: tuple[Held, ...]


class _Moves(NamedTuple):
    """The kernel of the derivatives of contacts of a kind, the values of its parameters, and which variables of a contact it takes."""

    kernel: Kernel
    parameters: tuple[np.ndarray, np.ndarray] | None
    own: list[int]


@functools.lru_cache(maxsize=1024)
def _moves(kind: _Kind, given: tuple[Any, ...], wanted: tuple[Any, ...]) -> _Moves | None:
    """None where no square system is known of such contacts."""
    members = family_of(kind.first), family_of(kind.second)
    parts = [_part(m.body, kind, side) for side, m in enumerate(members)]
    if parts[0] is None or parts[1] is None:
        return None
    further = (*map(variable_of, given), "t")
    free = tuple(tuple(variable_of(e) if e in given else "" for e in m.numbers) for m in members)
    known = derivatives(parts[0], parts[1], tuple(m.symbols for m in members), free, further, tuple(map(variable_of, wanted)))
    own = [k for k, name in enumerate(kind.variables) if name not in further[:-1]]
    if known is None or [kind.variables[k] for k in own] != [name for name in known.problem.variables if name not in further[:-1]]:
        return None
    # Those that are variables have no values here.
    numbers = *(Numbers(m.symbols, [0 if e in given else e for e in m.data]) for m in members), ends_of(further, [(0, 1)] * len(further))
    values = parameters_with(known.problem, numbers)
    return _Moves(known.kernel, (values[:, 0].copy(), values[:, 1].copy()) if len(values) else None, own)


def _part(body: Any, kind: _Kind, side: int) -> Cell | None:
    """The part of a body with these variables."""
    own = tuple(name[:-1] for name in kind.variables if name[-1] == str(side + 1) and name[:-1] in NAMES)
    face = int(kind.features[side].split()[1])
    charts: frozenset[Pole] = frozenset((face, s, end) for s, end in kind.held[side]) if own[:1] == ("p",) else frozenset()
    for part in parts_of(body, charts):
        if part.feature == kind.features[side] and (part.leaves or part.names[:part.dimension] == own):
            return part.whole or part
    return None
