"""Trees of boxes of one body's parameters, each node with a polynomial model: what a body looks like there, whatever its motion.

A pair of boxes is a node of each of two trees; nodes are shared by all pairs, made when first wanted, and halved along the side
that is longer in space. See `codegen.time_bounds.polynomial_models` for what a record holds and `march` for its use.
"""

from codegen.machine.loops import call_kernel, native

from .boxes import lower, upper
from .layout import BODY, FUNCTIONS, GATHER, LANES, LENGTH, NODES, OWN, PARAMETERS, RECORD, RECORD_STRIDE, ROOM_NODES, SCATTER, VIEW
from .queue import attribute

# A node's size in space is taken as at least this share of its width in the parameters (of bodies smaller than 1, times their size), so
# that collapsed patches are split too.
_LEAST = 1e-9


@native
def room_for_nodes(s):
    return s.count[NODES] + 8 * LANES <= s.count[ROOM_NODES]


@native
def put_side(s, p, side, j, lane, lo, hi):
    """Parameter j of a body in a lane of S: its interval and its ends."""
    d = attribute(s, p, OWN + side)
    s.S[2 * j * LANES + lane] = -lo
    s.S[(2 * j + 1) * LANES + lane] = hi
    s.S[2 * (d + j) * LANES + lane] = -lo
    s.S[(2 * (d + j) + 1) * LANES + lane] = lo
    s.S[2 * (2 * d + j) * LANES + lane] = -hi
    s.S[(2 * (2 * d + j) + 1) * LANES + lane] = hi


@native
def model(s, p, side, records):
    """The records of the boxes in S."""
    call_kernel(attribute(s, p, BODY + side), s.S, attribute(s, p, PARAMETERS), s.T)
    call_kernel(attribute(s, p, RECORD + side), s.S, s.T, attribute(s, p, VIEW + side), records)


@native
def new_node(s):
    node = s.count[NODES]
    s.count[NODES] = node + 1
    s.halves[node] = -1
    return node


@native
def seed(s, p, side, count):
    """Nodes for one side of the first boxes in `hold` that come from no tree."""
    own, used = attribute(s, p, OWN + side), 0
    for k in range(count):
        if s.parents[2 * k + side] < 0:
            node = new_node(s)
            for j in range(own):
                s.rectangle[4 * node + 2 * j] = lower(s, s.hold, k, side * attribute(s, p, OWN) + j)
                s.rectangle[4 * node + 2 * j + 1] = upper(s, s.hold, k, side * attribute(s, p, OWN) + j)
            s.parents[2 * k + side] = node
            s.fresh[used] = node
            used += 1
    if used > 0:
        model_fresh(s, p, side, used)


@native
def model_fresh(s, p, side, used):
    """The records of the first nodes in `fresh`."""
    for lane in range(LANES):
        node = s.fresh[min(lane, used - 1)]
        s.begins[lane] = node * s.count[RECORD_STRIDE]
        for j in range(attribute(s, p, OWN + side)):
            put_side(s, p, side, j, lane, s.rectangle[4 * node + 2 * j], s.rectangle[4 * node + 2 * j + 1])
    model(s, p, side, s.made)
    call_kernel(attribute(s, p, SCATTER), s.record, s.begins, s.made)


@native
def extent(s, p, side, node, j):
    """How long the node is in space along parameter j; -1 if it cannot be halved there."""
    lo, hi = s.rectangle[4 * node + 2 * j], s.rectangle[4 * node + 2 * j + 1]
    if not lo < 0.5 * (lo + hi) < hi:
        return -1.0
    return max(s.record[node * s.count[RECORD_STRIDE] + attribute(s, p, LENGTH + side) - 2 + j], _LEAST * s.space[p] * (hi - lo))


@native
def node_size(s, p, side, node):
    largest = -1.0
    for j in range(attribute(s, p, OWN + side)):
        largest = max(largest, extent(s, p, side, node, j))
    return largest


@native
def longest(s, p, side, node):
    return 1 if attribute(s, p, OWN + side) > 1 and extent(s, p, side, node, 1) > extent(s, p, side, node, 0) else 0


@native
def ask(s, asked, node):
    """Note that the halves of a node are wanted; how many nodes are asked for now."""
    if s.halves[node] >= 0:
        return asked
    for k in range(asked):
        if s.asked[k] == node:
            return asked
    s.asked[asked] = node
    return asked + 1


@native
def make_halves(s, p, side, asked):
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
def halve_node(s, p, side, node, cut, used):
    """The two halves of a node along parameter `cut`, which share the middle, noted in `fresh` from `used` on."""
    first = new_node(s)
    new_node(s)
    for half in range(2):
        for k in range(4):
            s.rectangle[4 * (first + half) + k] = s.rectangle[4 * node + k]
        middle = 0.5 * (s.rectangle[4 * node + 2 * cut] + s.rectangle[4 * node + 2 * cut + 1])
        s.rectangle[4 * (first + half) + 2 * cut + 1 - half] = middle
        s.fresh[used + half] = first + half
    s.halves[node] = first
    return used + 2


@native
def next_longest(s, p, side, node):
    """The longer side of the halves of a node, by its own sides."""
    cut = longest(s, p, side, node)
    other = 1 - cut if attribute(s, p, OWN + side) > 1 else cut
    return other if extent(s, p, side, node, other) > 0.5 * extent(s, p, side, node, cut) else cut


@native
def gather(s, p, side, used, records):
    """The records of the nodes in `both` into the lanes."""
    for lane in range(LANES):
        s.begins[lane] = s.both[2 * (lane if lane < used else 0) + side] * s.count[RECORD_STRIDE]
    call_kernel(attribute(s, p, GATHER), s.record, s.begins, records)


@native
def put_functions(s, p, side, records):
    """How far the boxes of a body's functions reach from their middles, and the windows, into `g`; then these middles, and the beginnings
    of the windows.
    """
    m = attribute(s, p, FUNCTIONS + side)
    middle = attribute(s, p, LENGTH + side) - 3 - 2 * m
    for lane in range(LANES):
        for j in range(m):
            centre, reach = records[(middle + j) * LANES + lane], records[(middle + m + j) * LANES + lane]
            s.g[2 * j * LANES + lane] = reach
            s.g[(2 * j + 1) * LANES + lane] = reach
            s.g[2 * (m + 1 + j) * LANES + lane] = -centre
            s.g[(2 * (m + 1 + j) + 1) * LANES + lane] = centre
        for k in range(2):
            s.g[(2 * m + k) * LANES + lane] = s.W[k * LANES + lane]
            s.g[(4 * m + 2 + k) * LANES + lane] = s.W[(2 + k) * LANES + lane]
