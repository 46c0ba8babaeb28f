"""Bounds of the time of contact of bodies whose shapes and motions are apart: shapes are looked at once for all times."""

from collections.abc import Sequence
from ctypes import CFUNCTYPE, c_void_p
from dataclasses import dataclass

import numpy as np

from ..emit.lanes import WIDTH
from ..graph.autodiff import partials
from ..graph.expr import Expr, reachable
from ..kernel import Kernel
from .advance import bound_kernel, columns, depends, guarded, substituted
from .body_models import factors_kernel, shape_kernel
from .composed import EntryPattern, composed_time_bound
from .moving_bodies import DeformingBody, MovingShape
from .moving_nets import Net, net_kernel
from .polynomial_models import Model, record_kernel
from .separable import FIXED, TURNED, TURNING, Carrier, separable_time_bound
from .tensor_models import Tensor, tensor_record_kernel


@dataclass(frozen=True, eq=False)
class SeparableAdvance:
    """Polynomial models of two such bodies, each by a kernel and the function that makes records of its results, `kernel` for
    the motions, for bodies that deform the functions that say how, and the function that makes a time of all that. See
    `codegen.time_bounds.polynomial_models`, `codegen.time_bounds.moving_nets` and `codegen.time_bounds.separable`.
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
        """About what the matrices (8, 3, m) of both bodies are at a time, with the parameters in each lane of this block."""
        out = np.zeros((len(self.kernel.outputs), 2, WIDTH))
        window = np.tile([[-time], [time]], (2, 1, WIDTH))
        CFUNCTYPE(None, c_void_p, c_void_p, c_void_p)(self.kernel.block_address())(*(a.ctypes.data for a in (window, parameters, out)))
        with np.errstate(invalid="ignore"):
            values = np.nan_to_num(0.5 * (out[:, 1] - out[:, 0]))
        return [_full(values[begin:], model.coordinates, entries)
                for model, begin, entries in zip(self.models, *self._seen(), strict=True)]

    def _seen(self) -> tuple[list[int], list[tuple[int, ...]]]:
        """The places, in the results of `kernel`, at which the matrices of the bodies begin, and the entries that are there."""
        sizes = [_intervals(carrier, net is not None) for carrier, net in zip(self.carriers, self.nets, strict=True)]
        begins, entries = [0, sizes[0]], [carrier.entries if carrier.kind != FIXED else () for carrier in self.carriers]
        last = sum(sizes) + 12
        for k, net in enumerate(self.nets):
            if net is not None:
                begins[k], entries[k] = last, net.entries
                last += net.intervals
        return begins, entries


def _full(values: np.ndarray, width: int, entries: Sequence[int]) -> np.ndarray:
    """Matrices (8, 3, width) of their entries (n, 8), unit matrices where they have none."""
    if not entries:
        return np.tile(np.eye(3, width), (WIDTH, 1, 1))
    matrices = np.zeros((WIDTH, 3, width))
    matrices.reshape(WIDTH, -1)[:, list(entries)] = values[:len(entries)].T
    return matrices


@dataclass(frozen=True, eq=False)
class ComposedAdvance:
    """Polynomial models of the functions through which two bodies deform, and `forms`, kernels of how they do so. See
    `codegen.time_bounds.composed`.
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


def composed_advance(bodies: tuple[DeformingBody, DeformingBody], parameters: int = 0, bounded: bool = False) -> ComposedAdvance:
    """Bounds for the contact of two such bodies. `bounded`: see `Kernel`."""
    (first, one), (second, two) = (shape_kernel(body, False, parameters, bounded) for body in bodies)
    forms = [_form_kernel(body, sign, parameters, bounded) for body, sign in zip(bodies, (1, -1), strict=True)]
    return ComposedAdvance((first, second), (one, two), (record_kernel(one, quick=True), record_kernel(two, quick=True)),
                           (forms[0][0], forms[1][0]), composed_time_bound((one, two), (forms[0][1], forms[1][1]), quick=True))


def _form_kernel(body: DeformingBody, sign: int, parameters: int, bounded: bool) -> tuple[Kernel, EntryPattern]:
    """The kernel of F as `composed_time_bound` takes it. Its variables are how far the box of the functions reaches from its centre, and
    the window; then that centre, and the beginning of the window.
    """
    pool, m = body.form[0].pool, len(body.shape)
    x = [pool.variable(k) for k in range(m + 1)]
    centre = [pool.variable(m + 1 + k) for k in range(m + 1)]
    box = [c + r for c, r in zip(centre[:m], x[:m], strict=True)]
    start, window = [*box, centre[m]], [*box, x[m]]
    value = [e if sign > 0 else -e for e in body.form]
    slopes = columns(value, x)
    gradient = [slopes[j][i] for i in range(3) for j in range(m)]
    entries = tuple(k for k, e in enumerate(gradient) if depends(e))
    curvature = {j: partials(slopes[j], x) for j in range(m)}
    bends = tuple((j, k) for j in range(m) for k in range(j, m) if any(depends(row[k]) for row in curvature[j]))
    now = guarded(substituted(value, centre), substituted([*value, *(e for column in slopes for e in column)], window))
    outputs = [*now, *substituted([gradient[k] for k in entries], centre),
               *(e for j, k in bends for e in substituted([row[k] for row in curvature[j]], start)),
               *substituted(value, start), *substituted(slopes[m], start),
               *substituted([row[m] for row in partials(slopes[m], x)], window), *substituted(value, window)]
    return bound_kernel(outputs, [*(f"g{k}" for k in range(m)), "t"], parameters, bounded), EntryPattern(entries, bends)


def separable_advance(bodies: tuple[MovingShape, MovingShape], time: int, parameters: int = 0,
                      bounded: bool = False) -> SeparableAdvance:
    """Bounds for the contact of two separable bodies; variable `time` of the graph is the time. `bounded`: see `Kernel`."""
    carriers = _carrier(bodies[0].matrix, time), _carrier(bodies[1].matrix, time)
    first, second = (factors_kernel(body, parameters, bounded) if body.pairs else
                     shape_kernel(body, not body.rigid and (carrier.kind != FIXED or len(body.inner) > 0), parameters, bounded)
                     for body, carrier in zip(bodies, carriers, strict=True))
    models = first[1], second[1]
    nets = _net(bodies[0], models[0], time), _net(bodies[1], models[1], time)
    begins = [sum(_intervals(carrier, net is not None) for carrier, net in zip(carriers, nets, strict=True)) + 12]
    begins.append(begins[0] + (nets[0].intervals if nets[0] else 0))
    one, two = (net_kernel(net, begin, quick=True) if net else 0 for net, begin in zip(nets, begins, strict=True))
    shown = _shown(nets[0], models[0]), _shown(nets[1], models[1])
    records = [tensor_record_kernel(m, quick=True) if isinstance(m, Tensor) else record_kernel(m, quick=True) for m in models]
    return SeparableAdvance((first[0], second[0]), models, (records[0], records[1]), carriers,
                            _motion_kernel(bodies, carriers, nets, time, parameters, bounded), nets, (one, two),
                            separable_time_bound(shown, carriers, nets, quick=True))


def _shown(net: Net | None, model: Model | Tensor) -> Model:
    if net is not None:
        return net.shown
    assert isinstance(model, Model)
    return model


def _intervals(carrier: Carrier, deforms: bool) -> int:
    """The number of intervals that `separable_time_bound` reads of a matrix."""
    kind, entries, rates = carrier
    return {FIXED: 0, TURNED: len(entries), TURNING: 2 * len(entries) + (3 if deforms else 2) * len(rates)}[kind]


def _net(body: MovingShape, model: Model | Tensor, time: int) -> Net | None:
    if not body.inner:
        return None
    carrier = _carrier(body.inner, time)
    return Net(model, len(body.inner) // model.coordinates, carrier.entries, carrier.rates)


def _motion_kernel(bodies: tuple[MovingShape, MovingShape], carriers: tuple[Carrier, Carrier], nets: tuple[Net | None, Net | None],
                   time: int,
                   parameters: int, bounded: bool) -> Kernel:
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
        matrix = substituted([e if sign > 0 else -e for e in body.matrix], moment)
        values = [matrix[e] for e in entries]
        if kind != FIXED:
            outputs += substituted(values, [start])
        if kind == TURNING:
            (speed,) = columns([matrix[e] for e in rates], [window])
            outputs += [*substituted(speed, [start]), *columns(speed, [window])[0], *values, *(speed if net else ())]
            guards += [*values, *speed]
        if net is not None:
            last += _inner(substituted(body.inner, moment), net, window, start)
    shift = substituted([a - b for a, b in zip(bodies[0].shift, bodies[1].shift, strict=True)], moment)
    (speed,) = columns(shift, [window])
    now = guarded(substituted(shift, [start]), [*guards, *shift, *speed])
    outputs += [*now, *substituted(speed, [start]), *columns(speed, [window])[0], *shift]
    return bound_kernel([*outputs, *last], ["t"], parameters, bounded)


def _inner(matrix: Sequence[Expr], net: Net, window: Expr, start: Expr) -> list[Expr]:
    """The entries of the matrix of a net and their rates at the start, and the derivatives of these. What follows from them holds only
    where they are differentiable all through the window, so elsewhere nothing is known of the entries.
    """
    values = [matrix[e] for e in net.entries]
    (speed,) = columns([matrix[e] for e in net.rates], [window])
    now = guarded(substituted(values, [start]), [*values, *speed])
    return [*now, *substituted(speed, [start]), *columns(speed, [window])[0]]


def _carrier(matrix: Sequence[Expr], time: int) -> Carrier:
    if len(matrix) == 9 and all(e.op == "constant" and e.value == int(k % 4 == 0) for k, e in enumerate(matrix)):
        return Carrier(FIXED)
    moment = matrix[0].pool.variable(time)
    (speed,) = columns(matrix, [moment])
    entries, rates = (tuple(k for k, e in enumerate(values) if depends(e)) for values in (matrix, speed))
    return Carrier(TURNING if moment in reachable(matrix) else TURNED, entries, rates)
