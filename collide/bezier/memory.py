"""The memory of the search for Bezier pairs, shared by its native loops; and the numbers of its entries."""

LANES = 8

FIELDS = {
    "count": int,      # (COUNTS,): see below
    "real": float,     # (REALS,)
    "q": float,        # (n, 2, 2, N+1, M+1, 3): the problems
    "weights": float,  # (n, 2, N+1, M+1)
    # nodes of the two trees of subpatches
    "node": float,     # (nodes, RECORD): see `kernel`
    "child": int,      # (nodes,): the first of two halves, which are neighbours; -1 before they are made
    "depth": int,      # (nodes,)
    "radius": float,   # (nodes,): see `kernel.radius`
    "rectangle": float,  # (nodes, 4): least u, greatest u, least v, greatest v
    # boxes: a node of each tree and a window of time
    "pair": int,       # (boxes, 2)
    "window": float,   # (boxes, 2)
    "heap": int,       # (boxes,): a binary heap of boxes by the beginning of the window
    "key": float,      # (boxes,): the beginnings of the windows in `heap`
    "free": int,       # (boxes,): a stack of unused boxes
    # blocks for the kernels
    "D": float,        # (2, 3, LANES)
    "T": float,        # (4,)
    "out": float,      # (2, 4)
    "C": float,        # (5, LANES)
    "X": float,        # (5, 2, LANES)
    "f": float,        # (3, 2, LANES)
    "J": float,        # (3, 5, 2, LANES)
    "c": float,        # (3, LANES): the same for the three unknowns of a proof
    "Y": float,        # (3, 2, LANES)
    "A": float,        # (3, 3, 2, LANES)
    "K": float,        # (3, 2, LANES)
    "flag": float,     # (LANES,)
    # the local solve
    "x": float,        # (5,): u1, v1, u2, v2, t
    "held": int,       # (5,): -1 held at its lower bound, 1 at its upper one, 0 free
    "E": float,        # (6, LANES): what `evaluate` writes
    "S": float,        # (2, 6, 3): each patch's S, S_u, S_v, S_uu, S_uv, S_vv at a time
    "R": float,        # (2, 3, 3): its velocity, and the derivatives u and v of that
    "F": float,        # (3,): S1 - S2
    "G": float,        # (3, 5): its derivatives
    "multiplier": float,  # (3,)
    "normal": float,   # (LANES,): first that of the best contact so far
    "H": float,        # (5, 5): the second derivative of multiplier . F
    "W": float,        # (3, 9): see `local.constrained`
    "Z": float,        # (2, 5): directions along which F stays
    "d": float,        # (5,): the step
    "columns": int,    # (3,): the unknowns of a proof
    "best": float,     # (5,): the proved contact
    # the certificate, see `certificate`
    "M": float,        # (5, 5, 2, LANES): H there
    "slopes": float,   # (3, 5, 2): G there
    "offset": float,   # (3, 2): f there
    "inverse": float,  # (3, 3): Y there
    "dual": float,     # (3,): m there
    "order": int,      # (5,)
    "side": float,     # (2,)
    "bound": float,    # (LANES,)
    "region": float,   # (5, 2): as (-lo, hi)
    # answers
    "time": float,     # (n, 2)
    "parameters": float,  # (n, 4)
    "verdict": int,    # (n,)
    "tests": int,      # (n,)
    "proved": int,     # (n,): is a contact before the end of `time` proved?
}  # fmt: skip

# Entries of `count`: kernels, sizes, the state of the search. BASE: address of `node`; USED boxes were ever used,
# FREE of them are unused again.
(MEASURE, SPLIT_U, SPLIT_V, TEST, EVALUATE, ENCLOSE, KRAWCZYK, TEST_HALVES, TEST_BOTH, NEIGHBOURHOOD, CERTIFICATE, POINTS,
 RATIONAL, DEGREE, BASE, QUERIES, WEIGHTS, ROOM_NODES, ROOM_BOXES, NODES, USED, FREE, OPEN, TESTS, BUDGET, PROBLEM, SOLVES,
 COUNTS) = range(28)

# Entries of `real`: tolerance, size and ratio of weights of the problem, the proved upper bound of the time, the
# beginning of the earliest window dropped for being too late. ERROR: a bound of the errors of the control points given,
# relative to the size, doubled; mostly 0. CERTIFIED: a lower bound of the time of the contacts in `region`.
TOLERANCE, SCALE, RATIO, UPPER, CUT, ERROR, CERTIFIED, REALS = range(8)

# Verdicts: as `batch.statuses`, and too little memory.
MISS, CONTACT, UNRESOLVED, SPENT, NO_ROOM = 0, 1, 2, 3, 4

# Numbers in the arrays that do not grow with the problem.
_BLOCKS = {"D": 6, "C": 5, "X": 10, "f": 6, "J": 30, "c": 3, "Y": 6, "A": 18, "K": 6, "flag": 1, "E": 6, "M": 50, "bound": 1, "out": 1,
           "normal": 1}
SIZES = {"count": COUNTS, "real": REALS, "T": 4, "x": 5, "held": 5, "S": 36, "R": 18, "F": 3, "G": 15, "multiplier": 3, "H": 25, "W": 27,
         "Z": 10, "d": 5, "columns": 3, "best": 5, "dual": 3, "slopes": 30, "offset": 6, "inverse": 9, "order": 5, "side": 2,
         "region": 10, **{name: n * LANES for name, n in _BLOCKS.items()}}
