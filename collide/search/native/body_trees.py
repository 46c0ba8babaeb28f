"""Trees of boxes of one body's parameters, each node with a polynomial model: what a body looks like there, whatever its motion.

A pair of boxes is a node of each of two trees; nodes are shared by all pairs, made when first wanted, and halved along the side
that is longer in space. See `codegen.time_bounds.polynomial_models` for what a record holds and `march` for its use.
"""

from codegen.machine.loops import call_kernel, native
from codegen.machine.structures import LaneArray

from .layout import LANES, ProblemRow, SearchMemory

# A node's size in space is taken as at least this share of its width in the parameters (of bodies smaller than 1, times their size), so
# that collapsed patches are split too. Effort only.
_LEAST = 1e-9


@native
def room_for_nodes(s: SearchMemory) -> bool:
    return s.nodes + 8 * LANES <= s.node_room


@native
def put_side(s: SearchMemory, p: ProblemRow, side: int, j: int, lane: int, lo: float, hi: float) -> None:
    """Parameter j of a body in a lane of S: its interval and its ends."""
    d = p.own[side]
    s.S.put(j, lane, lo, hi)
    s.S.put(d + j, lane, lo, lo)
    s.S.put(2 * d + j, lane, hi, hi)


@native
def model(s: SearchMemory, p: ProblemRow, side: int, records: LaneArray) -> None:
    """The records of the boxes in S."""
    call_kernel(p.body[side], s.S, p.parameters, s.T)
    call_kernel(p.record[side], s.S, s.T, p.view[side], records)


@native
def new_node(s: SearchMemory) -> int:
    node = s.nodes
    s.nodes = node + 1
    s.halves[node] = -1
    return node


@native
def seed(s: SearchMemory, p: ProblemRow, side: int, count: int) -> None:
    """Nodes for one side of the first boxes in `hold` that come from no tree."""
    own, used = p.own[side], 0
    for k in range(count):
        if s.parents[k, side] < 0:
            node = new_node(s)
            for j in range(own):
                s.rectangle[node].put(j, s.hold[k].lo(side * p.own[0] + j), s.hold[k].hi(side * p.own[0] + j))
            s.parents[k, side] = node
            s.fresh[used] = node
            used += 1
    if used > 0:
        model_fresh(s, p, side, used)


@native
def model_fresh(s: SearchMemory, p: ProblemRow, side: int, used: int) -> None:
    """The records of the first nodes in `fresh`."""
    for lane in range(LANES):
        node = s.fresh[min(lane, used - 1)]
        s.begins[lane] = node * s.record_length
        for j in range(p.own[side]):
            put_side(s, p, side, j, lane, s.rectangle[node].lo(j), s.rectangle[node].hi(j))
    model(s, p, side, s.made)
    call_kernel(p.scatter, s.record, s.begins, s.made)


@native
def extent(s: SearchMemory, p: ProblemRow, side: int, node: int, j: int) -> float:
    """The length of the node in space along parameter j; -1 if it cannot be halved there."""
    lo, hi = s.rectangle[node].lo(j), s.rectangle[node].hi(j)
    if not lo < 0.5 * (lo + hi) < hi:
        return -1.0
    return max(s.record[node, p.length[side] - 2 + j], _LEAST * p.space * (hi - lo))


@native
def node_size(s: SearchMemory, p: ProblemRow, side: int, node: int) -> float:
    largest = -1.0
    for j in range(p.own[side]):
        largest = max(largest, extent(s, p, side, node, j))
    return largest


@native
def longest(s: SearchMemory, p: ProblemRow, side: int, node: int) -> int:
    return 1 if p.own[side] > 1 and extent(s, p, side, node, 1) > extent(s, p, side, node, 0) else 0


@native
def ask(s: SearchMemory, asked: int, node: int) -> int:
    """Note that the halves of a node are wanted; how many nodes are asked for now."""
    if s.halves[node] >= 0:
        return asked
    for k in range(asked):
        if s.asked[k] == node:
            return asked
    s.asked[asked] = node
    return asked + 1


@native
def make_halves(s: SearchMemory, p: ProblemRow, side: int, asked: int) -> None:
    """The halves of the nodes asked for, four nodes at a time."""
    for first in range(0, asked, 4):
        used = 0
        for k in range(first, min(first + 4, asked)):
            used = halve_node(s, p, side, s.asked[k], longest(s, p, side, s.asked[k]), used)
        if used <= 4:
            # There are lanes to spare: the halves of the first node's halves are likely to be wanted next.
            node = s.asked[first]
            cut = next_longest(s, p, side, node)
            for half in range(2):
                used = halve_node(s, p, side, s.halves[node] + half, cut, used)
        model_fresh(s, p, side, used)


@native
def halve_node(s: SearchMemory, p: ProblemRow, side: int, node: int, cut: int, used: int) -> int:
    """The two halves of a node along parameter `cut`, which share the middle, noted in `fresh` from `used` on."""
    first = new_node(s)
    new_node(s)
    for half in range(2):
        new = s.rectangle[first + half]
        for j in range(2):
            new.put(j, s.rectangle[node].lo(j), s.rectangle[node].hi(j))
        if half == 0:
            new.put_hi(cut, s.rectangle[node].middle(cut))
        else:
            new.put_lo(cut, s.rectangle[node].middle(cut))
        s.fresh[used + half] = first + half
    s.halves[node] = first
    return used + 2


@native
def next_longest(s: SearchMemory, p: ProblemRow, side: int, node: int) -> int:
    """The longer side of the halves of a node, by its own sides."""
    cut = longest(s, p, side, node)
    other = 1 - cut if p.own[side] > 1 else cut
    return other if extent(s, p, side, node, other) > 0.5 * extent(s, p, side, node, cut) else cut


@native
def gather(s: SearchMemory, p: ProblemRow, side: int, used: int, records: LaneArray) -> None:
    """The records of the nodes in `both` into the lanes."""
    for lane in range(LANES):
        s.begins[lane] = s.both[lane if lane < used else 0, side] * s.record_length
    call_kernel(p.gather, s.record, s.begins, records)


@native
def put_functions(s: SearchMemory, p: ProblemRow, side: int, records: LaneArray) -> None:
    """Store the reach of the boxes of a body's functions from their middles, and the windows, in `g`; then these middles, and the
    beginnings of the windows.
    """
    m = p.functions[side]
    middle = p.length[side] - 3 - 2 * m
    for lane in range(LANES):
        for j in range(m):
            centre, reach = records[middle + j, lane], records[middle + m + j, lane]
            s.g.put(j, lane, -reach, reach)
            s.g.put(m + 1 + j, lane, centre, centre)
        for k in range(2):
            s.g.put(m + k * (m + 1), lane, s.W.lo(k, lane), s.W.hi(k, lane))
