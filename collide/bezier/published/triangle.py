"""Kernels for triangular Bezier patches as Chen et al. 2024 take them: measured, and split into four at the middles of the sides.

A node is as in `kernel`: the control points of u^i v^j w^k, those with i = 0 first, in order of j, then the measures. Of
rational patches weighted points and weights are split alike.
"""

import functools

from codegen.emit.interval_vectors import Value
from codegen.emit.lanes import Lanes, Module
from codegen.machine.straight_line import straight_line

from ..kernel import MEASURES, over_weight

Net = dict[tuple[int, int], Value]
# Each part by its corners: those of the domain, u = 1, v = 1 and w = 1, and the middles between two of them.
_PARTS = ((("u",), ("u", "v"), ("u", "w")), (("u", "v"), ("v",), ("v", "w")), (("u", "w"), ("v", "w"), ("w",)),
          (("v", "w"), ("u", "w"), ("u", "v")))


def indices(degree: int) -> list[tuple[int, int]]:
    """Exponents (i, j) in the order of the control points."""
    return [(i, j) for i in range(degree + 1) for j in range(degree + 1 - i)]


@functools.cache
def measure(degree: int, rational: bool) -> int:
    """Address of ``void(node)``: the sides w u and w v, and the mean of the corners; the other measures are 0."""

    def write(module: Module, L: Lanes) -> None:
        _measure(L, "%node", 0, _net(L, degree), degree, rational)

    return straight_line("bezier triangle measure", (degree, rational), "node", write)


@functools.cache
def quarter(degree: int, rational: bool) -> int:
    """Address of ``void(node, first)``: four nodes in a row, by blossoms at corners and middles of sides."""

    def write(module: Module, L: Lanes) -> None:
        blossoms: dict[tuple[tuple[str, ...], ...], Net] = {(): _net(L, degree)}
        record = len(indices(degree)) + MEASURES
        for part, (a, b, c) in enumerate(_PARTS):
            net: Net = {}
            for k, (i, j) in enumerate(indices(degree)):
                arguments = tuple(sorted([a] * i + [b] * j + [c] * (degree - i - j)))
                net[i, j] = _blossom(L, blossoms, arguments, degree)[0, 0]
                L.store("%first", part * record + k, net[i, j])
            _measure(L, "%first", part * record, net, degree, rational)

    return straight_line("bezier triangle quarter", (degree, rational), "node first", write)


def _net(L: Lanes, degree: int) -> Net:
    return {ij: L.load("%node", k) for k, ij in enumerate(indices(degree))}


def _blossom(L: Lanes, known: dict[tuple[tuple[str, ...], ...], Net], arguments: tuple[tuple[str, ...], ...], degree: int) -> Net:
    """The net that is left after so many arguments of the blossom."""
    if arguments not in known:
        before = _blossom(L, known, arguments[:-1], degree)
        steps = {"u": (1, 0), "v": (0, 1), "w": (0, 0)}
        net: Net = {}
        for i, j in indices(degree - len(arguments)):
            values = [before[i + steps[x][0], j + steps[x][1]] for x in arguments[-1]]
            net[i, j] = values[0] if len(values) == 1 else L.mul(L.const(0.5), L.add(*values))
        known[arguments] = net
    return known[arguments]


def _measure(L: Lanes, pointer: str, start: int, net: Net, degree: int, rational: bool) -> None:
    u, v, w = net[degree, 0], net[0, degree], net[0, 0]
    if rational:
        u, v, w = (over_weight(L, x) for x in (u, v, w))
    centre = L.mul(L.const(1 / 3), L.add(L.add(u, v), w))
    for k, value in enumerate((L.sub(u, w), L.sub(v, w), centre, L.const(0.0), L.const(0.0))):
        L.store(pointer, start + len(net) + k, value)
