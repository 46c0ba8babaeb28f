"""When can a contact in a box begin? The bounds that the fast method needs of a problem, as one kernel.

The kernel evaluates the equations E and their derivatives where `codegen.directions.time_bound` wants them: at the
centre of the box, over the box at the beginning of its window of time, and over box and window. Its variables are
those of the problem, followed by as many that hold the centre and, in the place of the time, the beginning.

Borders, corners and poles of a surface need nothing special here: Taylor's theorem holds on the closed box, and no
condition but E = 0 is used. So it bounds the time of *any* contact of the closed surfaces in the box.
"""

from collections.abc import Sequence
from ctypes import CFUNCTYPE, c_void_p
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from codegen.autodiff import partials
from codegen.composed_directions import Form, composed_time_bound
from codegen.directions import time_bound
from codegen.expr import Expr, reachable
from codegen.kernel import Kernel
from codegen.lanes import WIDTH
from codegen.moving_nets import Net, net_kernel
from codegen.operations import LEVEL
from codegen.polynomials import polynomial_degree
from codegen.separable_directions import FIXED, TURNED, TURNING, Carrier, separable_time_bound
from codegen.separation import carried, composed, factored, separated
from codegen.taylor_models import Model, record_kernel
from codegen.tensor_models import Tensor, tensor_record_kernel

# Operations that may be less than differentiable somewhere.
_ROUGH = frozenset(LEVEL) | {"where", "choice", "undefined", "guarded", "inverse"}
# Polynomials of up to this degree in each parameter are taken whole; of other surfaces, Taylor polynomials of this degree.
_HIGHEST, _TOTAL = 3, 3


@dataclass(frozen=True, eq=False)
class Advance:
    """The kernel of the bounds, and the address of the function that makes a time of them."""

    kernel: Kernel
    bound: int
    varying = True

    @property
    def all_kernels(self) -> tuple[Kernel, ...]:
        return (self.kernel,)


def advance_kernel(equations: Sequence[Expr], variables: Sequence[str], time: int, parameters: int = 0, quick: bool = False) -> Advance:
    """Bounds for the common zeros of `equations`, nodes of one pool in so many variables, number `time` the time,
    and parameters.
    """
    n = len(variables)
    pool = equations[0].pool
    x = [pool.variable(k) for k in range(n)]
    centre = [pool.variable(n + k) for k in range(n)]
    start = [*x[:time], centre[time], *x[time + 1:]]
    others = [k for k in range(n) if k != time]
    columns = _columns(equations, x)
    curvature = {k: partials(columns[k], x) for k in range(n)}
    pairs = [(i, j) for i in others for j in others if i <= j and any(_depends(row[j]) for row in curvature[i])]
    outputs = [*equations,
               *_substitute(equations, start),
               *_substitute(equations, centre),
               *(e for k in others for e in _substitute(columns[k], centre)),
               *(e for i, j in pairs for e in _substitute([row[j] for row in curvature[i]], start)),
               *_substitute(columns[time], start),
               *(row[time] for row in curvature[time])]
    m = len(equations)
    if rough(equations):
        for guard in [*equations, *(e for column in columns for e in column)]:
            outputs[2 * m:3 * m] = [pool.trusted(e, guard, 3) for e in outputs[2 * m:3 * m]]
    return Advance(_kernel(outputs, variables, parameters), time_bound(n, time, m, pairs, quick))


@dataclass(frozen=True, eq=False)
class Moving:
    """A body on a graph whose shape and motion are apart: at matrix shape + shift in the world. `shape` are functions of so many
    variables of its own, three for a rigid body; the matrix, row after row, and the shift are functions of the time. `rigid`: the
    matrix is known to be a rotation. A body that deforms by functions of the time, the matrix `inner` (empty for others), is at matrix
    inner shape + shift. With `pairs` the shape consists of functions of one parameter, and the products of these pairs of them, one
    of the first parameter and one of the second (counted from its first one on), stand for it.
    """

    shape: Sequence[Expr]
    matrix: Sequence[Expr]
    shift: Sequence[Expr]
    own: Sequence[int]
    rigid: bool = False
    inner: Sequence[Expr] = ()
    pairs: tuple[tuple[int, int], ...] = ()

    @property
    def parts(self) -> tuple[Sequence[Expr], ...]:
        """Its nodes; `rebuilt` puts others in their place."""
        return self.shape, self.matrix, self.shift, self.inner

    @property
    def kind(self) -> tuple[Any, ...]:
        """What else there is to it, as a key."""
        return "moving", *self.own, self.rigid

    def rebuilt(self, parts: Sequence[Sequence[Expr]]) -> "Moving":
        shape, matrix, shift, inner = parts
        return Moving(shape, matrix, shift, self.own, self.rigid, inner, self.pairs)


@dataclass(frozen=True, eq=False)
class Deforming:
    """A body at F(shape, time): `shape` are m functions of so many variables of its own, and `form` is F of variables 0 to m - 1 of the
    graph and the time as variable m.
    """

    shape: Sequence[Expr]
    form: Sequence[Expr]
    own: Sequence[int]

    @property
    def parts(self) -> tuple[Sequence[Expr], ...]:
        return self.shape, self.form

    @property
    def kind(self) -> tuple[Any, ...]:
        return "deforming", *self.own

    def rebuilt(self, parts: Sequence[Sequence[Expr]]) -> "Deforming":
        shape, form = parts
        return Deforming(shape, form, self.own)


Bodies = tuple[Moving, Moving] | tuple[Deforming, Deforming]


def moving(position: Sequence[Expr], own: Sequence[int], time: int) -> Moving | None:
    """A body at a position given by variables of its own and the time, if its shape and its motion are seen to be separable."""
    found = separated(position, time)
    if found is not None and len(found.shape) <= len(position):
        return Moving(*found, own)
    inner, matrix, shift = carried(position, time)
    inside = separated(inner, time) if inner else None
    if inside is None:
        return None
    for i, rest in enumerate(inside.shift):
        shift = [e + matrix[len(inner) * row + i] * rest for row, e in enumerate(shift)]
    parts = factored(inside.shape, (own[0], own[1])) if len(own) == 2 else None
    if parts is None or len(parts.first) + len(parts.second) >= len(inside.shape) or rough(inside.shape):
        return Moving(inside.shape, matrix, shift, own, inner=inside.matrix)
    scaled = [e * parts.scales[k % len(inside.shape)] for k, e in enumerate(inside.matrix)]
    return Moving([*parts.first, *parts.second], matrix, shift, own, inner=scaled, pairs=tuple(parts.pairs))


def deforming(positions: Sequence[Sequence[Expr]], owns: Sequence[Sequence[int]], time: int) -> tuple[Deforming, Deforming] | None:
    """Two bodies at positions given by variables of their own and the time, if these are seen to act through a few functions."""
    found = [composed(position, time) for position in positions]
    if found[0] is None or found[1] is None:
        return None
    return Deforming(*found[0], owns[0]), Deforming(*found[1], owns[1])


@dataclass(frozen=True, eq=False)
class SeparableAdvance:
    """Taylor models of two such bodies, each by a kernel and the function that makes records of its results, `kernel` for
    the motions, for bodies that deform the functions that say how, and the function that makes a time of all that. See
    `codegen.taylor_models`, `codegen.moving_nets` and `codegen.separable_directions`.
    `varying`: may points of a body move at different rates?
    """

    kernels: tuple[Kernel, Kernel]
    models: tuple[Model | Tensor, Model | Tensor]
    records: tuple[int, int]
    carriers: tuple[Carrier, Carrier]
    kernel: Kernel
    nets: tuple[Net | None, Net | None]
    moved: tuple[int, int]
    bound: int

    @property
    def varying(self) -> bool:
        return any(carrier.kind == TURNING for carrier in self.carriers) or any(net is not None for net in self.nets)

    @property
    def all_kernels(self) -> tuple[Kernel, ...]:
        return (*self.kernels, self.kernel)

    def views(self, time: float, parameters: np.ndarray) -> list[np.ndarray]:
        """About what the matrices (3, m) of both bodies are at a time, with this block of parameters."""
        out = np.zeros((len(self.kernel.outputs), 2, WIDTH))
        window = np.tile([[-time], [time]], (2, 1, WIDTH))
        CFUNCTYPE(None, c_void_p, c_void_p, c_void_p)(self.kernel.block_address())(*(a.ctypes.data for a in (window, parameters, out)))
        with np.errstate(invalid="ignore"):
            values = np.nan_to_num(0.5 * (out[:, 1, 0] - out[:, 0, 0]))
        return [_full(values[begin:], model.coordinates, entries)
                for model, begin, entries in zip(self.models, *self._seen(), strict=True)]

    def _seen(self) -> tuple[list[int], list[tuple[int, ...]]]:
        """Where in the results of `kernel` the matrices of the bodies begin, and which of their entries are there."""
        sizes = [_intervals(carrier, net is not None) for carrier, net in zip(self.carriers, self.nets, strict=True)]
        begins, entries = [0, sizes[0]], [carrier.entries if carrier.kind != FIXED else () for carrier in self.carriers]
        last = sum(sizes) + 12
        for k, net in enumerate(self.nets):
            if net is not None:
                begins[k], entries[k] = last, net.entries
                last += net.intervals
        return begins, entries


def _full(values: np.ndarray, columns: int, entries: Sequence[int]) -> np.ndarray:
    """A matrix (3, columns) of its entries, the unit matrix where it has none."""
    if not entries:
        return np.eye(3, columns)
    matrix = np.zeros((3, columns))
    matrix.flat[list(entries)] = values[:len(entries)]
    return matrix


@dataclass(frozen=True, eq=False)
class ComposedAdvance:
    """Taylor models of the functions through which two bodies deform, and `forms`, kernels of how they do so. See
    `codegen.composed_directions`.
    """

    kernels: tuple[Kernel, Kernel]
    models: tuple[Model, Model]
    records: tuple[int, int]
    forms: tuple[Kernel, Kernel]
    bound: int
    varying = True

    @property
    def all_kernels(self) -> tuple[Kernel, ...]:
        return (*self.kernels, *self.forms)

    @property
    def kernel(self) -> Kernel:
        return self.forms[0]


def composed_advance(bodies: tuple[Deforming, Deforming], parameters: int = 0, quick: bool = False) -> ComposedAdvance:
    """Bounds for the contact of two such bodies."""
    (first, one), (second, two) = (_shape(body, False, parameters) for body in bodies)
    forms = [_form_kernel(body, sign, parameters) for body, sign in zip(bodies, (1, -1), strict=True)]
    return ComposedAdvance((first, second), (one, two), (record_kernel(one, quick), record_kernel(two, quick)),
                           (forms[0][0], forms[1][0]), composed_time_bound((one, two), (forms[0][1], forms[1][1]), quick))


def _form_kernel(body: Deforming, sign: int, parameters: int) -> tuple[Kernel, Form]:
    """The kernel of F as `composed_time_bound` takes it. Its variables are how far the box of the functions reaches from its centre, and
    the window; then that centre, and the beginning of the window.
    """
    pool, m = body.form[0].pool, len(body.shape)
    x = [pool.variable(k) for k in range(m + 1)]
    centre = [pool.variable(m + 1 + k) for k in range(m + 1)]
    box = [c + r for c, r in zip(centre[:m], x[:m], strict=True)]
    start, window = [*box, centre[m]], [*box, x[m]]
    value = [e if sign > 0 else -e for e in body.form]
    slopes = _columns(value, x)
    gradient = [slopes[j][i] for i in range(3) for j in range(m)]
    entries = tuple(k for k, e in enumerate(gradient) if _depends(e))
    curvature = {j: partials(slopes[j], x) for j in range(m)}
    bends = tuple((j, k) for j in range(m) for k in range(j, m) if any(_depends(row[k]) for row in curvature[j]))
    now = _guarded(_substitute(value, centre), _substitute([*value, *(e for column in slopes for e in column)], window))
    outputs = [*now, *_substitute([gradient[k] for k in entries], centre),
               *(e for j, k in bends for e in _substitute([row[k] for row in curvature[j]], start)),
               *_substitute(value, start), *_substitute(slopes[m], start),
               *_substitute([row[m] for row in partials(slopes[m], x)], window), *_substitute(value, window)]
    return _kernel(outputs, [*(f"g{k}" for k in range(m)), "t"], parameters), Form(entries, bends)


def separable_advance(bodies: tuple[Moving, Moving], time: int, parameters: int = 0, quick: bool = False) -> SeparableAdvance:
    """Bounds for the contact of two separable bodies; variable `time` of the graph is the time."""
    carriers = _carrier(bodies[0].matrix, time), _carrier(bodies[1].matrix, time)
    first, second = (_factors(body, parameters) if body.pairs else
                     _shape(body, not body.rigid and (carrier.kind != FIXED or len(body.inner) > 0), parameters)
                     for body, carrier in zip(bodies, carriers, strict=True))
    models = first[1], second[1]
    nets = _net(bodies[0], models[0], time), _net(bodies[1], models[1], time)
    begins = [sum(_intervals(carrier, net is not None) for carrier, net in zip(carriers, nets, strict=True)) + 12]
    begins.append(begins[0] + (nets[0].intervals if nets[0] else 0))
    one, two = (net_kernel(net, begin, quick) if net else 0 for net, begin in zip(nets, begins, strict=True))
    shown = _shown(nets[0], models[0]), _shown(nets[1], models[1])
    records = [tensor_record_kernel(m, quick) if isinstance(m, Tensor) else record_kernel(m, quick) for m in models]
    return SeparableAdvance((first[0], second[0]), models, (records[0], records[1]), carriers,
                            _motion_kernel(bodies, carriers, nets, time, parameters), nets, (one, two),
                            separable_time_bound(shown, carriers, nets, quick))


def _shown(net: Net | None, model: Model | Tensor) -> Model:
    if net is not None:
        return net.shown
    assert isinstance(model, Model)
    return model


def _intervals(carrier: Carrier, deforms: bool) -> int:
    """How many intervals `separable_time_bound` reads of a matrix."""
    kind, entries, rates = carrier
    return {FIXED: 0, TURNED: len(entries), TURNING: 2 * len(entries) + (3 if deforms else 2) * len(rates)}[kind]


def _net(body: Moving, model: Model | Tensor, time: int) -> Net | None:
    if not body.inner:
        return None
    carrier = _carrier(body.inner, time)
    return Net(model, len(body.inner) // model.coordinates, carrier.entries, carrier.rates)


def _shape(body: Moving | Deforming, viewed: bool, parameters: int) -> tuple[Kernel, Model]:
    """The kernel of a body's Taylor models: its variables are those of the body, then as many for the centre."""
    d = len(body.own)
    outputs, model = _modelled(*_own_variables(body), range(d))
    return _kernel(outputs, [f"x{k}" for k in range(d)], parameters), model._replace(viewed=viewed)


def _factors(body: Moving, parameters: int) -> tuple[Kernel, Tensor]:
    """The same for products of functions of one parameter each: the outputs for both kinds one after the other."""
    shape, x, centre = _own_variables(body)
    count = 1 + max(i for i, _ in body.pairs)
    first, one = _modelled(shape[:count], x, centre, [0])
    second, two = _modelled(shape[count:], x, centre, [1])
    return _kernel([*first, *second], ["x0", "x1"], parameters), Tensor(one, two, body.pairs)


def _own_variables(body: Moving | Deforming) -> tuple[list[Expr], list[Expr], list[Expr]]:
    """The shape as functions of variables 0 to d - 1, these, and as many for the centre."""
    pool, d = body.shape[0].pool, len(body.own)
    x, centre = [pool.variable(k) for k in range(d)], [pool.variable(d + k) for k in range(d)]
    renumbered: list[Expr | None] = [None] * (1 + max(body.own))
    for k, j in enumerate(body.own):
        renumbered[j] = x[k]
    return _substitute(body.shape, renumbered), x, centre


def _modelled(shape: Sequence[Expr], x: Sequence[Expr], centre: Sequence[Expr], by: Sequence[int]) -> tuple[list[Expr], Model]:
    """What a Taylor model of functions of the variables number `by` is made of."""
    pool, d = shape[0].pool, len(by)
    derivatives = _Derivatives(shape, [x[k] for k in by])
    kinked = rough(shape)
    degrees = tuple(int(min(polynomial_degree(shape, k), _HIGHEST + 1)) for k in by)
    if not kinked and max(degrees) <= _HIGHEST:
        terms = list(product(*(range(p + 1) for p in degrees)))
        remainder: list[tuple[int, ...]] = []
    else:
        degrees = (_TOTAL,) * d
        terms = [i for i in product(range(_TOTAL + 1), repeat=d) if sum(i) <= _TOTAL]
        remainder = [i for i in product(range(_TOTAL + 2), repeat=d) if sum(i) == _TOTAL + 1]
    terms = [i for i in terms if sum(i) == 0 or any(map(_depends, derivatives[i]))]
    remainder = [i for i in remainder if any(map(_depends, derivatives[i]))]
    outputs = [*shape, *(e for i in terms for e in _substitute(derivatives[i], centre)), *(e for i in remainder for e in derivatives[i])]
    if kinked:
        doubt = pool.constant(0)
        for guard in (e for i in terms for e in derivatives[i]):
            doubt = pool.trusted(doubt, guard, 3)
        outputs.append(doubt)
    return outputs, Model(degrees, tuple(map(_index, terms)), tuple(map(_index, remainder)), kinked, len(shape))


def _index(orders: tuple[int, ...]) -> tuple[int, int]:
    return orders[0], orders[1] if len(orders) > 1 else 0


class _Derivatives(dict[tuple[int, ...], list[Expr]]):
    """Partial derivatives by their orders, computed when first wanted."""

    def __init__(self, outputs: Sequence[Expr], x: Sequence[Expr]) -> None:
        super().__init__({(0,) * len(x): list(outputs)})
        self.x = x

    def __missing__(self, orders: tuple[int, ...]) -> list[Expr]:
        j = next(k for k, order in enumerate(orders) if order)
        lower = tuple(order - (k == j) for k, order in enumerate(orders))
        self[orders] = _columns(self[lower], [self.x[j]])[0]
        return self[orders]


def _motion_kernel(bodies: tuple[Moving, Moving], carriers: tuple[Carrier, Carrier], nets: tuple[Net | None, Net | None], time: int,
                   parameters: int) -> Kernel:
    """The matrices and shifts and their derivatives as `separable_time_bound` takes them, of the window and its beginning, then those
    that `net_kernel` takes.
    """
    pool = bodies[0].shape[0].pool
    window, start = pool.variable(0), pool.variable(1)
    moment: list[Expr | None] = [None] * time + [window]
    outputs: list[Expr] = []
    last: list[Expr] = []
    guards: list[Expr] = []
    for body, (kind, entries, rates), net, sign in zip(bodies, carriers, nets, (1, -1), strict=True):
        matrix = _substitute([e if sign > 0 else -e for e in body.matrix], moment)
        values = [matrix[e] for e in entries]
        if kind != FIXED:
            outputs += _substitute(values, [start])
        if kind == TURNING:
            (speed,) = _columns([matrix[e] for e in rates], [window])
            outputs += [*_substitute(speed, [start]), *_columns(speed, [window])[0], *values, *(speed if net else ())]
            guards += [*values, *speed]
        if net is not None:
            last += _inner(_substitute(body.inner, moment), net, window, start)
    shift = _substitute([a - b for a, b in zip(bodies[0].shift, bodies[1].shift, strict=True)], moment)
    (speed,) = _columns(shift, [window])
    now = _guarded(_substitute(shift, [start]), [*guards, *shift, *speed])
    outputs += [*now, *_substitute(speed, [start]), *_columns(speed, [window])[0], *shift]
    return _kernel([*outputs, *last], ["t"], parameters)


def _inner(matrix: Sequence[Expr], net: Net, window: Expr, start: Expr) -> list[Expr]:
    """Of the matrix of a net the entries and the rates at the start, and the derivatives of these. What follows from them holds only
    where they are differentiable all through the window, so elsewhere nothing is known of the entries.
    """
    values = [matrix[e] for e in net.entries]
    (speed,) = _columns([matrix[e] for e in net.rates], [window])
    now = _guarded(_substitute(values, [start]), [*values, *speed])
    return [*now, *_substitute(speed, [start]), *_columns(speed, [window])[0]]


def _guarded(values: Sequence[Expr], guards: Sequence[Expr]) -> list[Expr]:
    """The values where all guards are differentiable on the whole box, the whole line elsewhere."""
    if rough(guards):
        for guard in guards:
            values = [guard.pool.trusted(e, guard, 3) for e in values]
    return list(values)


def _columns(outputs: Sequence[Expr], variables: Sequence[Expr]) -> list[list[Expr]]:
    """One list of derivatives a variable."""
    rows = partials(outputs, variables)
    return [[row[k] for row in rows] for k in range(len(variables))]


def _carrier(matrix: Sequence[Expr], time: int) -> Carrier:
    if len(matrix) == 9 and all(e.op == "constant" and e.value == int(k % 4 == 0) for k, e in enumerate(matrix)):
        return Carrier(FIXED)
    moment = matrix[0].pool.variable(time)
    (speed,) = _columns(matrix, [moment])
    entries, rates = (tuple(k for k, e in enumerate(values) if _depends(e)) for values in (matrix, speed))
    return Carrier(TURNING if moment in reachable(matrix) else TURNED, entries, rates)


def _kernel(outputs: Sequence[Expr], variables: Sequence[str], parameters: int) -> Kernel:
    names = [*variables, *(f"{name} at the centre" for name in variables)]
    return Kernel(outputs, names, [f"p{k}" for k in range(parameters)], quick=True)


def rough(outputs: Sequence[Expr]) -> bool:
    """May a function or its derivatives fail to be differentiable somewhere?"""
    variable: set[int] = set()
    for e in reachable(outputs):
        # What is bound runs over an interval too: the integral of a jump has a kink.
        if e.op in ("variable", "parameter", "bound") or any(a.index in variable for a in e.args):
            variable.add(e.index)
            if e.op in _ROUGH:
                return True
    return any(e.op == "undefined" for e in reachable(outputs))


def _depends(e: Expr) -> bool:
    """Is it anything but the constant 0?"""
    return not (e.op == "constant" and e.value == 0)


def _substitute(outputs: Sequence[Expr], variables: Sequence[Expr | None]) -> list[Expr]:
    """The same formulas of other nodes in the place of their variables."""
    if not outputs:
        return []
    pool = outputs[0].pool
    image: dict[int, Expr] = {}
    for e in reachable(outputs):
        if e.op == "variable":
            new = variables[e.value]
            assert new is not None
            image[e.index] = new
        else:
            image[e.index] = pool.restore(e.op, tuple(image[a.index] for a in e.args), e.value)
    return [image[e.index] for e in outputs]
