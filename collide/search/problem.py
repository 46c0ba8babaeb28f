"""A problem for the search: a system of equations over a box, as expression graphs, and its compiled kernels."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np

from codegen.algebra.local_step import least_step
from codegen.algebra.margin import Margin
from codegen.algebra.passes import backward_code
from codegen.emit.lanes import WIDTH
from codegen.family import family
from codegen.graph.autodiff import partials
from codegen.graph.domain import domain
from codegen.graph.expr import Expr
from codegen.graph.serialize import deserialize, serialize
from codegen.graph.signs import LARGEST
from codegen.kernel import Kernel
from codegen.machine.linked import address
from codegen.machine.native import Code
from codegen.remembered import Bounded
from codegen.time_bounds.advance import Advance, advance_kernel
from codegen.time_bounds.distance import distance_advance
from codegen.time_bounds.moving_bodies import Bodies, DeformingBody
from codegen.time_bounds.separable_advance import ComposedAdvance, SeparableAdvance, composed_advance, separable_advance

Value = TypeVar("Value")

# So many inequalities of a problem contract its boxes.
_MOST_LIMITS = 24


def _shared(build: Callable[["Problem"], Value]) -> Value:
    """A property computed once for all problems that have their formulas in common, and once more for those too large to be `bounded`."""
    def value(self: "Problem") -> Value:
        key = build.__name__, self.bounded
        if key not in self.built:
            self.built[key] = build(self)
        result: Value = self.built[key]
        return result

    return property(value)  # type: ignore[return-value]


@dataclass(frozen=True, eq=False)
class Problem:
    """Zeros of `equations` over a box, the least of one variable first where there is an objective.

    `variables` name the coordinates; `outer` and `inner` (n, 2) enclose the exact domain and lie within it. `necessary`
    are further functions that vanish at every zero of interest, except on the borders marked in `border` (n, 2). `incoming`: of
    bodies that may touch already, only contacts towards which they move count. `strict`: the necessary functions do not
    follow from the equations at the least zero; so a zero of the equations counts, and bounds the objective, only where all
    rows together, being square, are proved to have one. `feasible` is a truth value that must
    hold. `period` (n,) is the proved period of a variable that closes on itself, 0 for others. `polar` (n, 2): at boxes
    that end before the first of these values of a variable, or begin after the second, the search stops and asks for
    other variables. `image` gives six coordinates: the point of space as each of the two bodies sees it. `label` is the
    pair of bodies. Only the first `searched` variables are split (None: all); the others follow from them. `fast`:
    advance the objective, as for bodies that start apart. `propagate`: contract by forward-backward propagation and
    preconditioned sweeps too. `parameters` (p, 2) are intervals that hold the exact values of the parameter nodes.
    `features` name the parts of the two bodies, and `held` says at which ends of their faces' parameters these are (see `bodies.on_face`);
    `directions` gives the kernel of candidates for the normal there, six numbers each
    (see `contact`), for points only, and the parameters that it takes. `gap`: where the objective is a distance of points, their
    difference, and further functions that are zero (see `codegen.time_bounds.distance`), which depend on the variables before the
    objective, all others. `places`: three coordinates of each part that has one of the `margins`, a function of them that must not be
    negative at any zero of interest; None is always so. `slopes`: derivatives of the least objective (see `situations.stationary`). The
    first `slots` of the parameters are numbers of the bodies that come with each instance; `ends` are then the exact ends of the domain,
    which may depend on them, as the parameters `late` do (number, body 1 or 2, expression). The domain of the variables `hulls` holds that
    for any values of others on which its ends depend; `feasible` has the ends.

    `dataclasses.replace` makes a problem with other values: where its formulas are the same it has in `built` what was derived from them,
    kernels above all, so nothing is compiled again.
    """

    variables: tuple[str, ...]
    outer: np.ndarray
    inner: np.ndarray
    equations: tuple[Expr, ...]
    necessary: tuple[Expr, ...] = ()
    incoming: bool = False
    strict: bool = False
    feasible: Expr | None = None
    objective: int | None = None
    border: np.ndarray | None = None
    period: np.ndarray | None = None
    polar: np.ndarray | None = None
    image: tuple[Expr, ...] = ()
    label: tuple[int, int] = (0, 1)
    searched: int | None = None
    propagate: bool = False
    fast: bool = False
    parameters: np.ndarray = field(default_factory=lambda: np.zeros((0, 2)))
    features: tuple[str, str] = ("face 0", "face 0")
    held: tuple[tuple[tuple[Any, int], ...], ...] = ((), ())
    directions: Callable[[], tuple[Kernel, np.ndarray] | None] | None = None
    moving: Callable[[], Bodies | None] | None = None
    gap: tuple[Expr, ...] = ()
    places: tuple[Expr, ...] = ()
    slopes: tuple[Expr, ...] = ()
    margins: tuple[Margin | None, ...] = ()
    ends: tuple[tuple[Any, Any], ...] = ()
    slots: int = 0
    late: list[tuple[int, int, Any]] = field(default_factory=list)
    hulls: tuple[int, ...] = ()
    built: dict[Any, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        formulas = _FORMULAS(self)
        if self.built.setdefault("formulas", formulas) != formulas:
            object.__setattr__(self, "built", {"formulas": formulas})

    def __reduce__(self) -> tuple[Callable[..., "Problem"], tuple[Any, ...]]:
        """The formulas, for a graph of the copy's own, and the data. Not `directions` and `moving`, functions that only save boxes."""
        graphs = {name: getattr(self, name) for name in _GRAPHS} | {"feasible": () if self.feasible is None else (self.feasible,)}
        data = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in (*graphs, "directions", "moving", "built")}
        return _restored, (serialize([e for part in graphs.values() for e in part]), {name: len(e) for name, e in graphs.items()}, data)

    @property
    def rows(self) -> tuple[Expr, ...]:
        return (*self.equations, *self.necessary)

    @cached_property
    def bounded(self) -> bool:
        """Whether the domain and all parameters are of a size that bounded kernels are made for (see `Kernel`). There may be NaN in the
        place of numbers that come later.
        """
        # The domain has few ends, for which numbers of Python are faster.
        return all(not abs(e) > LARGEST for e in self.outer.ravel().tolist()) and not (np.abs(self.parameters) > LARGEST).any()

    @_shared
    def coordinates(self) -> list[Expr]:
        pool = self.equations[0].pool
        return [pool.variable(k) for k in range(len(self.variables))]

    @_shared
    def derivatives(self) -> list[list[Expr]]:
        return partials(self.rows, self.coordinates)

    @_shared
    def range_kernel(self) -> Kernel:
        """The rows, and 1 or 0 for feasible or not."""
        return self._kernel([*self.rows, self.possible])

    @_shared
    def possible(self) -> Expr:
        """1 or 0 for feasible or not."""
        pool = self.equations[0].pool
        one, zero = pool.constant(1), pool.constant(0)
        return one if self.condition is None else pool.where(self.condition, one, zero)

    @_shared
    def possible_kernel(self) -> Kernel:
        """The kernel of `possible` alone."""
        return self._kernel([self.possible])

    @_shared
    def place_kernels(self) -> tuple[Kernel, ...]:
        """The kernels of the places of each part."""
        return tuple(self._kernel(self.places[k:k + 3]) for k in range(0, len(self.places), 3))

    @_shared
    def place_slope_kernels(self) -> tuple[Kernel, ...]:
        """The kernels of the Jacobian of each of the places."""
        places = (self.places[k:k + 3] for k in range(0, len(self.places), 3))
        return tuple(self._slopes(place, partials(place, self.coordinates)) for place in places)

    def ranges(self, lo: np.ndarray, hi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n, rows + 1) each: what `range_kernel` says of boxes (n, variables), where margins are looked at, too."""
        parameters = tuple(self.parameters.T) if len(self.parameters) else None
        low, high = self.range_kernel.interval(lo, hi, parameters=parameters)
        for kernel, margin in zip(self.place_kernels, self.margins, strict=True):
            if margin is not None:
                below, above = margin.bounds(*kernel.interval(lo, hi, parameters=parameters))
                low[~(below >= 0.0), -1] = 0.0
                high[above < 0.0, -1] = 0.0
        return low, high

    @_shared
    def domain(self) -> Expr | None:
        """Holds wherever all equations are defined; None where nothing is known that could be false. Not that of the necessary rows:
        these hold derivatives, which may be undefined where the bodies meet.
        """
        return domain(self.equations)

    @property
    def condition(self) -> Expr | None:
        """The condition that holds at every zero of interest, beside the rows."""
        if self.feasible is None or self.domain is None:
            return self.domain if self.feasible is None else self.feasible
        return self.feasible.pool.node("and", self.domain, self.feasible)

    @_shared
    def limits(self) -> tuple[Expr, ...]:
        """Functions that are at most 0 at every zero of interest: of the inequalities that must all hold."""
        found, open_ = [], [self.feasible] if self.feasible is not None else []
        while open_:
            e = open_.pop()
            if e.op == "and":
                open_ += reversed(e.args)
            elif e.op in ("le", "lt"):
                found.append(e.args[0] - e.args[1])
        return tuple(found[:_MOST_LIMITS])

    @_shared
    def limit_kernels(self) -> tuple[Kernel, Kernel]:
        """The limits, and their Jacobian like that of the rows."""
        return self._kernel(self.limits), self._slopes(self.limits, partials(self.limits, self.coordinates))

    @_shared
    def slope_kernel(self) -> Kernel:
        """The Jacobian row-major: Clarke's where the row is continuous on the whole box, the whole line elsewhere.

        A row that is trusted only where something else holds on the whole box has its derivatives trusted only there.
        """
        return self._slopes(self.rows, self.derivatives)

    @_shared
    def point_kernel(self) -> Kernel:
        """The rows, then the Jacobian, for local solves."""
        return self._kernel([*self.rows, *(d for row in self.derivatives for d in row)])

    @_shared
    def image_kernel(self) -> Kernel | None:
        return self._kernel(self.image) if self.image else None

    @_shared
    def pattern(self) -> tuple[tuple[int, ...], ...]:
        """The variables that each row depends on."""
        return tuple(tuple(j for j, d in enumerate(row) if not (d.op == "constant" and d.value == 0)) for row in self.derivatives)

    @_shared
    def backward(self) -> Code | None:
        """Forward-backward propagation of the equations and the feasibility."""
        return backward_code(self.equations, self.condition) if self.propagate else None

    def candidates(self, at: np.ndarray) -> np.ndarray:
        """Candidates (n, k, 6) for the normals at points (n, variables), approximately; none (k = 0) where there are no directions."""
        known = self.directions() if self.directions is not None else None
        if known is None:
            return np.empty((len(at), 0, 6))
        kernel, values = known
        middle = 0.5 * (values[:, 0] + values[:, 1])
        if self.slots:
            # There are NaN in the place of the numbers of an instance.
            own = self.parameter_blocks[1][:len(values), 0]
            middle[:len(own)] = own
        return np.asarray(kernel.points(at, parameters=middle).reshape(len(at), -1, 6))

    @property
    def parameter_blocks(self) -> tuple[np.ndarray, np.ndarray]:
        """The parameters as the kernels of boxes and of points take them, eight lanes each."""
        return self._blocks[0]

    @property
    def parameter_addresses(self) -> tuple[int, int]:
        """The addresses of these; 0 where there are none."""
        return self._blocks[1]

    @cached_property
    def _blocks(self) -> tuple[tuple[np.ndarray, np.ndarray], tuple[int, int]]:
        """Both, made once for copies over other domains."""
        known: tuple[np.ndarray, Any] | None = self.built.get("blocks")
        if known is None or known[0] is not self.parameters:
            lo, hi = self.parameters.T[..., None]
            boxes, points = np.empty((len(lo), 2, WIDTH)), np.empty((len(lo), WIDTH))
            boxes[:, 0], boxes[:, 1], points[:] = -lo, hi, 0.5 * (lo + hi)
            known = self.built["blocks"] = self.parameters, ((boxes, points), (address(boxes) or 0, address(points) or 0))
        blocks: tuple[tuple[np.ndarray, np.ndarray], tuple[int, int]] = known[1]
        return blocks

    @cached_property
    def views(self) -> list[np.ndarray]:
        """Matrices that tell the extents in space of bodies whose matrices are not known to be rotations, eight lanes each: those of half
        time.
        """
        if not self.viewed:
            return []
        return [np.repeat(matrix[0].reshape(-1, 1), WIDTH, axis=1) for matrix in self.views_with(self.parameter_blocks[0])]

    @property
    def viewed(self) -> bool:
        """Whether there are such bodies."""
        return isinstance(self.advance, SeparableAdvance) and any(model.viewed for model in self.advance.models)

    def views_with(self, parameters: np.ndarray) -> list[np.ndarray]:
        """Those matrices (8, 3, m) with the parameters in each lane of a block."""
        assert isinstance(self.advance, SeparableAdvance) and self.objective is not None
        return self.advance.views(float(self.outer[self.objective].mean()), parameters)

    @_shared
    def advance(self) -> Advance | SeparableAdvance | ComposedAdvance | None:
        """Bounds of the objective from below, for `conservative_advancement`."""
        if not self.fast or self.objective is None:
            return None
        if self.gap:
            return distance_advance(self.gap, self.variables, self.objective, len(self.parameters), self.bounded, bool(self.necessary))
        bodies = self.moving() if self.moving is not None else None
        if bodies is not None and isinstance(bodies[0], DeformingBody):
            return composed_advance(bodies, len(self.parameters), self.bounded)
        if bodies is not None:
            return separable_advance(bodies, self.objective, len(self.parameters), self.bounded)
        return advance_kernel(self.equations, self.variables, self.objective, len(self.parameters), self.bounded)

    @_shared
    def curved(self) -> tuple[tuple[tuple[int, int], ...], tuple[Expr, ...]]:
        """The pairs of variables by which the equations have second derivatives, and these, row after row."""
        n = len(self.variables)
        first = partials(self.equations, self.coordinates)
        columns = [partials([row[j] for row in first], self.coordinates) for j in range(n)]
        nonzero = [(i, j) for i in range(n) for j in range(i, n)
                   if any(not (d[j].op == "constant" and d[j].value == 0) for d in columns[i])]
        return tuple(nonzero), tuple(d[j] for i, j in nonzero for d in columns[i])

    @_shared
    def least_kernel(self) -> Kernel:
        """The equations, their Jacobian and their second derivatives, for local solves for the least objective."""
        first = partials(self.equations, self.coordinates)
        return self._kernel([*self.equations, *(d for row in first for d in row), *self.curved[1]])

    @property
    def least_step(self) -> int:
        assert self.objective is not None
        return least_step(len(self.equations), len(self.variables), self.objective, self.curved[0], quick=True)

    def as_member(self) -> "Problem":
        """The same problem with its numbers as parameters, beside those it has: problems of one family share all code, and what is derived
        from their formulas.

        Worth it for many problems; a single one is searched faster with its numbers compiled in.
        """
        parts = [self.equations, self.necessary, (self.feasible,) if self.feasible else (), self.image, self.gap, self.places, self.slopes]
        bodies: Any = (self.moving() if self.moving is not None and self.fast else None) or ()
        for body in bodies:
            parts += [tuple(part) for part in body.parts]
        outputs, numbers = family([e for part in parts for e in part], len(self.parameters))
        cut = iter(outputs)
        equations, necessary, feasible, image, gap, places, slopes, *moving = [tuple(next(cut) for _ in part) for part in parts]
        count = len(moving) // 2
        moved = [body.rebuilt(moving[k * count:(k + 1) * count]) for k, body in enumerate(bodies)]
        found = replace(self, equations=equations, necessary=necessary, feasible=feasible[0] if feasible else None, image=image, gap=gap,
                        places=places, slopes=slopes, parameters=np.concatenate([self.parameters, numbers]),
                        moving=(lambda: (moved[0], moved[1])) if moved else None)
        key = (serialize(outputs), *map(len, parts), *(body.kind for body in bodies), *(getattr(self, name) for name in _STRUCTURE))
        own = {name: getattr(self, name) for name in DATA}
        return _first_of(_Keyed(key, found)).instance(found.parameters, self.outer, self.inner, **own)

    def instance(self, numbers: np.ndarray, outer: np.ndarray, inner: np.ndarray, **fields: Any) -> "Problem":
        """The same problem with other intervals (p, 2) for its first parameters, another domain, and other values of the `fields` that no
        kernel depends on: nothing is compiled again.
        """
        return self.with_data(parameters=np.concatenate([numbers, self.parameters[len(numbers):]]), outer=outer, inner=inner, **fields)

    def with_data(self, **data: Any) -> "Problem":
        """The same formulas with other values of fields that no kernel depends on: the domain, the parameters, and `DATA`. (`replace` asks
        whether the formulas are the same, which takes longer.)
        """
        assert data.keys() <= _OF_INSTANCES
        other = object.__new__(Problem)
        vars(other).update({name: value for name, value in vars(self).items() if name not in _DERIVED} | data)
        return other

    def _slopes(self, functions: Sequence[Expr], derivatives: Sequence[Sequence[Expr]]) -> Kernel:
        return self._kernel([_trusted_like(d, f) for f, row in zip(functions, derivatives, strict=True) for d in row])

    def _kernel(self, outputs: Sequence[Expr]) -> Kernel:
        return formula_kernel(outputs, self.variables, len(self.parameters), self.bounded)


_GRAPHS = ("equations", "necessary", "image", "gap", "places", "slopes")


def _restored(graph: bytes, lengths: Mapping[str, int], data: Mapping[str, Any]) -> Problem:
    outputs = iter(deserialize(graph))
    graphs: dict[str, Any] = {name: tuple(itertools.islice(outputs, length)) for name, length in lengths.items()}
    return Problem(**data, **graphs | {"feasible": next(iter(graphs["feasible"]), None)})


def formula_kernel(outputs: Sequence[Expr], variables: Sequence[str], parameters: int, bounded: bool = False) -> Kernel:
    return Kernel(outputs, variables, [f"p{k}" for k in range(parameters)], quick=True, bounded=bounded)


# Bytes that are kept of problems; those that one takes; and those that a node of its graph takes with its share of kernels (measured).
_MOST_KEPT, _EACH, _NODE = 64 << 20, 20_000, 350
PROBLEMS = Bounded[Problem](_MOST_KEPT, lambda problem: _EACH + _NODE * len(problem.equations[0].pool.nodes))
"""The problems that were made for parts of bodies, which hold their kernels."""

# What distinguishes problems with the same formulas from each other: in code, and in data only, which all that share `built` have of their
# own.
_STRUCTURE = ("variables", "objective", "incoming", "strict", "searched", "propagate", "fast")
DATA = ("margins", "border", "period", "polar", "label", "features", "held", "directions", "ends", "slots", "late")
_OF_INSTANCES = {*DATA, "outer", "inner", "parameters"}
_FORMULAS = attrgetter(*(f.name for f in fields(Problem) if f.name not in {*_OF_INSTANCES, "built"}))
# Properties that are derived from these.
_DERIVED = {name for name, value in vars(Problem).items() if isinstance(value, cached_property)}


@dataclass(frozen=True)
class _Keyed:
    key: tuple[Any, ...]
    problem: Problem = field(compare=False)


@PROBLEMS.cached
def _first_of(keyed: _Keyed) -> Problem:
    """The problem that came first with this key."""
    return keyed.problem


def _trusted_like(derivative: Expr, row: Expr) -> Expr:
    """The derivative of a row where the row is continuous, and where all its guards hold."""
    pool = row.pool
    result = pool.trusted(derivative, row)
    while row.op == "trusted":
        row, guard, level = row.args[0], row.args[1], row.value
        result = pool.trusted(result, guard, level)
    return result
