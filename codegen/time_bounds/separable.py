"""A lower bound of the time of contact of two bodies in a box, from polynomial models of their shapes and from what carries them.

Let E = P1 - P2 = A1 g1 + A2 g2 + T, with the second matrix negated: the functions g_k of a body's parameters, three for a rigid
body, lie within the convex hull of control points, widened by rho (`polynomial_models`), and the 3 x m matrices A_k and T are functions of
the time (`separation`). For a direction n, a vector of doubles, n . A g = m . g with m = A^T n: so what is wide stays
in the frame of its body, a shape is evaluated once for all times, and a direction costs a few products. Let A > 0 bound
n . E or -n . E from below over the box at t0, the beginning of the window, B its time derivative n . (A1' g1 + A2' g2 + T') over
the box at t0, and C <= 0 the second one, n . (A1'' g1 + A2'' g2 + T''), over the box and the window: `step` makes a step of
these. Nor is there a contact in the window where A1 g1 + A2 g2 + T, over box and window, excludes 0.

Of rigid bodies that turn a second step is tried, in the best direction. For each pair of points g, n . E(t0) + s n . E'(t0) is affine in
s; it is at least A > 0 at s = 0 and at least F at a trial step s1, A and F by the control points, with the matrices A_k and A_k + s1 A_k'.
So for s up to s1 it is at least A + B s with B = (F - A) / s1, which forgets less than bounds of the rate over boxes do. The trial step
may be any positive number, also one that ends beyond the window: what is affine goes on there.

A body may also deform by functions of the time: then g_k, three or fewer functions, stands for b(t) = C(t) f with the record that
`moving_nets` makes of the functions f, of b at t0. Of such bodies B has A b'(t0) besides, and C has 2 A' b' + A b'', all over the window.

Rounding. Everything is rounded upward, with relative errors below u = 2^-52. Computed, m is wrong by at most 3.1 u N, N =
sum_i |n_i| |A_ij|, and by sum_i |n_i| rad A_ij; the product of m entries with a control point by another 1.01 m u N . |P|. With `size` no
less than |P| + rho in any coordinate both together are at most |n| . h, h_i = sum_j ((m + 5) u |A_ij| + rad A_ij) size_j, and likewise
for the product with T and with the middle of the difference. A product with m + s1 m' in the place of m, m' = A'^T n, is wrong by at most
4.2 u of both and 1.01 m u, likewise less than m + 5, with h + s1 h' in the place of h. Errors of underflow, a few thousand of
2^-1074 each multiplied by at most 2^500, are below 2^-500; a direction or a body beyond 2^500 is not used. Further sums
round the way they are wanted.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..emit.lanes import Lanes, Module
from ..machine.straight_line import straight_line
from .moving_nets import Net
from .polynomial_models import Model
from .step import (
    Ball,
    Matrix,
    Reader,
    Value,
    Vector,
    added,
    dot,
    half_push,
    minus_step,
    normals,
    product,
    row_product,
    signed,
    step,
    used_up,
)
from .trials import DirectionTrials

Terms = list[tuple[Matrix | None, Ball]]
"""Products of matrices and points."""

FIXED, TURNED, TURNING = 0, 1, 2
"""Kind of a matrix: the identity, constant, a function of time."""

# See "Rounding" above.
_LARGEST, _TINY, _UNIT = 2.0**500, 2.0**-500, 2.0**-52

# The longest trial step against the window: it ends beyond it, so that a gap still open there leaves no doubt of the window.
_BEYOND = 1.0 + 2.0**-8


class Carrier(NamedTuple):
    """The shape of a 3 x m matrix that carries a body: what it is, and where, row after row, it and its derivative by time have
    entries other than the constant 0.
    """

    kind: int
    entries: tuple[int, ...] = tuple(range(9))
    rates: tuple[int, ...] = tuple(range(9))


Nets = tuple[Net | None, Net | None]


def separable_time_bound(models: tuple[Model, Model], carriers: tuple[Carrier, Carrier], nets: Nets = (None, None),
                         quick: bool = False) -> int:
    """Address of ``void(A, B, M, W, N, out)``: a lower bound of the time of any contact of eight pairs of boxes.

    A, B  (length,)   the records of the two boxes (`polynomial_models.record_kernel`; `moving_nets.net_kernel` of bodies that are nets,
                      whose model here is `Net.shown`)
    M     intervals:  for each body whose matrix is not FIXED, its entries at t0, and for one that is TURNING the rates there, the
                      derivatives of these over the window, the entries over the window, and for a net that is TURNING the rates over the
                      window; at last T, T' at t0, T'' and T over the window. The matrix of the second body is negated
    W     (2, 2)      the window as an interval, and its beginning t0 as a thin one
    N     (3,)        one direction to try
    out   (2,)        the bound, which means "none in the window" where it lies beyond; about which share of the gap the second
                      derivative by time used up, so that a shorter window would serve better; infinity where derivatives are unbounded
    `quick`: see `straight_line`.
    """
    return straight_line("separable time bound", (models, carriers, nets), "A B M W N out",
                         lambda module, L: SeparatedPair(models, carriers, nets).write(module, L), quick=quick)


class ControlProduct(NamedTuple):
    """Control points of a body times its matrix at t0, "A", or the rate of that, "R". They stand in its record from number `start` on."""

    body: int
    matrix: str
    start: int


class SeparatedPair(DirectionTrials):
    """Writes the kernel."""

    def __init__(self, models: tuple[Model, Model], carriers: tuple[Carrier, Carrier], nets: Nets = (None, None)) -> None:
        super().__init__()
        self.models, self.carriers, self.nets = models, carriers, nets
        self.sums = {"place": [ControlProduct(k, "A", 0) for k in (0, 1)]}
        self.secant = not any(nets) and any(carrier.kind == TURNING for carrier in carriers)
        if any(nets) or self.secant:
            self.sums["rate"] = [ControlProduct(k, "R", 0) for k in (0, 1) if carriers[k].kind == TURNING]
            self.sums["rate"] += [ControlProduct(k, "A", net.rate) for k, net in enumerate(nets) if net]
        self.put(doubt=1, longest=1, turned=4, **{f"{name} {part}": 3 for name in self.sums for part in ("shift", "error", "size")})
        self.put_balls(E=3, B=3, C=3)
        self.put(**{f"{name}{k}": 3 * models[k].coordinates for k in (0, 1) for name in "AR"})

    def body(self, L: Lanes, side: int, position: int, length: int | None = None) -> Vector:
        count = self.models[side].coordinates if length is None else length
        return [L.load("%A" if side == 0 else "%B", position + i) for i in range(count)]

    def net_ball(self, L: Lanes, side: int, which: int) -> Ball:
        net = self.nets[side]
        assert net is not None
        middle, radius = (self.body(L, side, at, net.rows) for at in net.ball(which))
        return middle, radius

    def write(self, module: Module, L: Lanes) -> None:
        tangents = self.prepare(L)
        self.try_all(module, L, [[L.load("%N", i) for i in range(3)], self.load(L, "E"), *normals(L, tangents)], ("%A", "%B"))
        if self.secant:
            self.by_secant(L)
        L.store("%out", 0, L.neg(L.add(L.load("%W", 2), self.number(L, "best"))))
        L.store("%out", 1, self.share_used(L))

    # -- preparation ------------------------------------------------------------------------------------------------

    def prepare(self, L: Lanes) -> list[Vector]:
        """Store the values that all directions share in the scratch memory; the tangents in the world, in ordinary arithmetic."""
        read = Reader(L, 0, "%M")
        matrices = [self.matrices(read, k) for k in (0, 1)]
        shifts = [read.vector() for _ in range(4)]
        for k, m in enumerate(self.models):
            for x, y in zip(self.body(L, k, m.middle), self.body(L, k, m.reach), strict=True):
                read.note(x, y)
        place, rate, push, window = (self.moved(L, read, shift, [terms[k] for terms in self.terms(L, matrices)])
                                     for k, shift in enumerate(shifts))
        for name, ball in (("E", place), ("B", rate), ("C", push)):
            self.store_ball(L, name, ball)
        known: dict[str, Matrix] = {}
        for k, found in enumerate(matrices):
            known |= {f"{name}{k}": matrix for name, matrix in zip("AR", found, strict=False)}
        self.keep_sums(L, read.finite, known, {"place": shifts[0], "rate": shifts[1]})
        self.keep_start(L, window)
        return self.world_tangents(L, [known.get("A0"), known.get("A1")])

    def keep_start(self, L: Lanes, window: Ball) -> None:
        """Whether the bodies are known to be apart all through the window before any direction is tried."""
        none = L.mask_const(False)
        for x, y in zip(*window, strict=True):
            none = L.either(none, L.gt(L.abs(x), y))
        self.begin(L, none)
        self.store(L, "turned", [L.const(0.0)] * 4)
        self.store(L, "longest", [L.mul(L.const(_BEYOND), L.add(L.load("%W", 1), L.load("%W", 2)))])
        self.store(L, "doubt", [L.add(*(self.body(L, k, m.doubt, 1)[0] for k, m in enumerate(self.models)))])

    def world_tangents(self, L: Lanes, first: Sequence[Matrix | None]) -> list[Vector]:
        return [_turned(L, first[k], tangent) for k in (0, 1) for tangent in self.tangents(L, k)]

    def matrices(self, read: Reader, k: int) -> list[Matrix]:
        """The matrix of body k at t0, its derivatives, and the matrix over the window, as far as they count."""
        kind, entries, rates = self.carriers[k]
        blocks = {FIXED: [], TURNED: [entries], TURNING: [entries, rates, rates, entries] + [rates] * (self.nets[k] is not None)}[kind]
        return [Matrix(read, self.models[k].coordinates, block) for block in blocks]

    def terms(self, L: Lanes, matrices: Sequence[list[Matrix]]) -> list[list[Terms]]:
        """For each body the products that add up to its place at t0, to its rate and its second derivative, and to its place in
        the window; where the matrix is fixed, None stands for it.
        """
        result = []
        for k, found in enumerate(matrices):
            box = self.body(L, k, self.models[k].middle), self.body(L, k, self.models[k].reach)
            first, last = (found[0], found[min(3, len(found) - 1)]) if found else (None, None)
            place, rate, push, window = [(first, box)], [], [], [(last, box)]
            if self.nets[k] is not None:
                speed, speeds, force, places = (self.net_ball(L, k, which) for which in range(4))
                rate, push, window, box_after = [(first, speed)], [(last, force)], [(last, places)], places
            else:
                box_after = box
            if self.carriers[k].kind == TURNING:
                rate.append((found[1], box))
                push.append((found[2], box_after))
                if self.nets[k] is not None:
                    push.append((found[4], speeds))
            result.append([place, rate, push, window])
        return result

    def keep_sums(self, L: Lanes, finite: Value, matrices: Mapping[str, Matrix], shifts: Mapping[str, Ball]) -> None:
        """The middles of the matrices; of every sum its shift, h, and the sum of the sizes of what a direction is multiplied with,
        where the rounding of that is unwanted.
        """
        for name, matrix in matrices.items():
            for i, row in enumerate(matrix.middle):
                for j, value in row.items():
                    self.store(L, name, [value], self.models[int(name[1])].coordinates * i + j)
        for name, products in self.sums.items():
            total, h = self.errors(L, products, matrices, shifts[name], "E" if name == "place" else "B")
            for x in [*total, *h]:
                finite = L.add(finite, x)
            for part, values in (("shift", shifts[name][0]), ("error", h), ("size", total)):
                self.store(L, f"{name} {part}", values)
        for each in (each for products in self.sums.values() for each in products):
            for x in self.sizes(L, each):
                finite = L.add(finite, x)
        self.store(L, "finite", [finite])

    def sizes(self, L: Lanes, each: ControlProduct) -> Vector:
        return self.body(L, each.body, each.start + self.models[each.body].size)

    def errors(self, L: Lanes, products: Sequence[ControlProduct], matrices: Mapping[str, Matrix], shift: Ball, ball: str,
               ) -> tuple[Vector, Vector]:
        units = L.const((5 + max(3, *(m.coordinates for m in self.models))) * _UNIT)
        factors = [(matrices.get(f"{p.matrix}{p.body}"), self.sizes(L, p)) for p in products]
        total, h = [], []
        for i in range(3):
            size, error = L.add(L.abs(shift[0][i]), L.abs(self.number(L, ball, i))), shift[1][i]
            for matrix, sizes in factors:
                if matrix is None:
                    size = L.add(sizes[i], size)
                    continue
                for j, entry in matrix.middle[i].items():
                    size = L.fma(L.abs(entry), sizes[j], size)
                    error = L.fma(matrix.radius[i][j], sizes[j], error)
            total.append(size)
            h.append(L.fma(units, size, error))
        return total, h

    def moved(self, L: Lanes, read: Reader, shift: Ball, terms: Sequence[Terms]) -> Ball:
        """The sum of the products of both bodies, and the shift."""
        total = shift
        for k, products in enumerate(terms):
            for matrix, ball in products:
                total = added(L, signed(L, ball, k == 0), total) if matrix is None else product(L, matrix, ball, total)
        for x, y in zip(*total, strict=True):
            read.note(x, y)
        return total

    def tangents(self, L: Lanes, k: int) -> list[Vector]:
        """Mean differences of the corners of the control net along each parameter, in the frame of the body."""
        (p, q), m = self.models[k].both, self.models[k].coordinates
        (low, right), (left, high) = [[self.body(L, k, m * ((q + 1) * p * a + q * b)) for b in (0, 1)] for a in (0, 1)]
        along = [(left, right), (right, left)][:len(self.models[k].degrees)]
        return [[L.sub(L.add(high[i], end[i]), L.add(low[i], start[i])) for i in range(m)] for end, start in along]

    # -- one direction ------------------------------------------------------------------------------------------------

    def one_direction(self, L: Lanes, n: Vector) -> None:
        tiny = L.const(_TINY)
        size = [L.abs(x) for x in n]
        total = dot(L, size, [L.const(1.0)] * 3)
        for name in self.sums:
            total = dot(L, size, self.load(L, f"{name} size"), total)
        hull = high, low = self.extent(L, "place", n, size)
        centre = dot(L, n, self.load(L, "E"))
        wide = dot(L, size, self.load(L, "rhoE"), L.add(dot(L, size, self.load(L, "place error")), tiny))
        high, low = L.min(high, L.add(centre, wide)), L.min(low, L.sub(wide, centre))
        rate = self.extent(L, "rate", n, size) if any(self.nets) else None
        minus_a, advance, curved = step(L, n, high, low, self.ball(L, "B"), self.ball(L, "C"), rate)
        valid = L.both(L.lt(minus_a, L.const(0.0)), L.lt(L.add(total, self.number(L, "finite")), L.const(_LARGEST)))
        better = self.improve(L, valid, advance, curved)
        if self.secant:
            opposite, found = L.lt(high, L.const(0.0)), [*(L.neg(x) for x in n), hull[1]]
            kept = self.load(L, "turned")
            self.store(L, "turned", [L.select(better, L.select(opposite, y, x), z)
                                     for x, y, z in zip(found, [*n, hull[0]], kept, strict=True)])

    def by_secant(self, L: Lanes) -> None:
        """Lower `best` by a step in the best direction, of which the control points, each with its own rate, say how far the gap has closed
        at the end of a trial step.
        """
        half, tiny = L.const(0.5), L.const(_TINY)
        *turned, minus_a = self.load(L, "turned")
        size = [L.abs(x) for x in turned]
        c = half_push(L, turned, size, self.ball(L, "C"))
        trial = minus_step(L, minus_a, L.mul(half, dot(L, turned, self.load(L, "B"))), c)
        trial = L.min(L.neg(trial), self.number(L, "longest"))
        minus_f = L.fma(trial, dot(L, turned, self.load(L, "rate shift")), dot(L, turned, self.load(L, "place shift")))
        wide = [L.fma(trial, x, y) for x, y in zip(self.load(L, "rate error"), self.load(L, "place error"), strict=True)]
        spread = dot(L, size, wide, L.add(self.left_open(L, size), L.fma(trial, tiny, tiny)))
        for k, model in enumerate(self.models):
            m = self.seen(L, turned, ControlProduct(k, "A", 0))
            if self.carriers[k].kind == TURNING:
                m = [L.fma(trial, rate, x) for rate, x in zip(self.seen(L, turned, ControlProduct(k, "R", 0)), m, strict=True)]
            minus_f = L.add(_extremes(L, dict(enumerate(m)), model, "%A" if k == 0 else "%B", 0)[0], minus_f)
            spread = dot(L, [L.abs(x) for x in m], self.body(L, k, model.rho), spread)
        closing = L.div(L.sub(L.add(minus_f, spread), minus_a), trial)
        advance = L.max(L.neg(trial), minus_step(L, minus_a, L.mul(half, closing), c))
        self.improve(L, L.lt(minus_a, L.const(0.0)), advance, used_up(L, minus_a, advance, c))

    def extent(self, L: Lanes, name: str, n: Vector, size: Vector) -> tuple[Value, Value]:
        """Upper bounds of a sum in direction n and of its negative, by the control points."""
        spread = dot(L, size, self.load(L, f"{name} error"), L.add(self.left_open(L, size), L.const(_TINY)))
        high = dot(L, n, self.load(L, f"{name} shift"))
        low = L.neg(high)
        for each in self.sums[name]:
            k, model = each.body, self.models[each.body]
            m = self.seen(L, n, each)
            highest, lowest = _extremes(L, dict(enumerate(m)), model, "%A" if k == 0 else "%B", each.start)
            high, low = L.add(highest, high), L.sub(low, lowest)
            spread = dot(L, [L.abs(x) for x in m], self.body(L, k, each.start + model.rho), spread)
        return L.add(high, spread), L.add(low, spread)

    def left_open(self, L: Lanes, size: Vector) -> Value:
        """The part that control points do not bound: in doubt, nothing is known of them. `size` is that of the direction."""
        return self.number(L, "doubt")

    def seen(self, L: Lanes, n: Vector, each: ControlProduct) -> Vector:
        """The direction in the frame of a body, or as the rate of its matrix turns it."""
        k, m = each.body, self.models[each.body].coordinates
        kind, entries, rates = self.carriers[k]
        if kind == FIXED:
            return n if k == 0 else [L.neg(x) for x in n]
        kept = entries if each.matrix == "A" else rates
        result = []
        for j in range(m):
            rows = [i for i in range(3) if m * i + j in kept]
            column = [self.number(L, f"{each.matrix}{k}", m * i + j) for i in rows]
            result.append(dot(L, [n[i] for i in rows], column) if rows else L.const(0.0))
        return result


def _extremes(L: Lanes, row: Mapping[int, Value], model: Model, record: str, start: int) -> tuple[Value, Value]:
    """The greatest and the least product with a control point, rounded upward both."""
    def value(point: int) -> Value:
        return row_product(L, row, {j: L.load(record, start + model.coordinates * point + j) for j in row})

    # Rounded operations are carried out in the order in which they stand, so each value is used before the next is made.
    highest = lowest = value(0)
    for point in range(1, model.points):
        x = value(point)
        highest, lowest = L.max(x, highest), L.min(x, lowest)
    return highest, lowest


def _turned(L: Lanes, matrix: Matrix | None, b: Vector) -> Vector:
    return b if matrix is None else [row_product(L, row, b) for row in matrix.middle]
