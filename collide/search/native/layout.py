"""Where everything of a search lives in memory: one list of named arrays, known to Python and to the native loop alike.

n is the largest number of variables of the problems, m of rows. A block of lanes holds one vector of 8 doubles a
quantity, as the kernels of `codegen` take them: entry (position, lane) at ``position * LANES + lane``, a box as -lo
and hi of each variable in turn.
"""

LANES = 8

FIELDS = {
    # problems
    "table": int,         # (problems, COLUMNS): see below
    "domain": float,      # (problems, n, 2): encloses the exact domain
    "inner": float,       # (problems, n, 2): lies within it
    "border": int,        # (problems, n, 2): 1 where the necessary conditions do not hold on that end of the domain
    "period": float,      # (problems, n): proved period of a variable, 0 for none
    "polar": float,       # (problems, n, 2): boxes that end before the first, or begin after the second, are at a pole
    "steepest": float,    # (problems, m): the largest change of a row by one unit of a variable that a local solve met
    "normal": float,      # (problems, 3): that of the best contact so far
    "space": float,       # (problems,): the size of the smaller body, but 1 if that is larger: what is small in space is measured by it
    # queued boxes
    "box": float,         # (capacity, n, 2): lo, hi
    "key": float,         # (capacity,)
    "child": int,         # (capacity,): pairing heap
    "sibling": int,       # (capacity,)
    "free": int,          # (capacity,): a stack of unused boxes
    "plan": int,          # (capacity,): what `march` does with it next
    "pair": int,          # (capacity, 2): its nodes in the trees of both bodies, -1 for none
    "horizon": float,     # (capacity,): up to which time; or minus the size it had when a local solve was tried in it
    # nodes of the trees of boxes of single bodies, see `body_trees`
    "record": float,      # (nodes, RECORD_STRIDE): polynomial models
    "rectangle": float,   # (nodes, 2, 2): lo, hi of each parameter
    "halves": int,        # (nodes,): the first of two neighbours; -1 before they are made
    # solutions
    "found": float,       # (solutions, n, 2): a box that holds it
    "region": float,      # (solutions, n, 2): where a UNIQUE one is the only zero
    "place": float,       # (solutions, 3, 2): bounds of its image in space
    "kind": int,          # (solutions,): LOCATED, EXISTS, UNIQUE
    "owner": int,         # (solutions,): its problem
    "dimension": int,     # (solutions,): one more than that of the set of zeros round it; 0 before it was looked for
    # scalars
    "count": int,         # (COUNTS,)
    "real": float,        # (REALS,)
    # blocks of lanes
    "X": float,           # (n, 2): boxes
    "C": float,           # (n,): their centres
    "F": float,           # (m + 1, 2): the range of the rows, and of the feasibility
    "V": float,           # (m + 1, 2): the same at the centres
    "M": float,           # (m, n, 2): the Jacobian
    "level": float,       # (limits, 2): functions that are at most 0, at the centres
    "slopes": float,      # (limits, n, 2): and their Jacobian
    "K": float,           # (n, 2): what an operator returns
    "hull": float,        # (n, 2): a union of boxes
    "Q": float,           # (n, 2): a smaller system's box
    "G": float,           # (m, m, 2): a smaller system's matrix
    "flag": float,        # (): see each use
    "image": float,       # (6, 2)
    "Z": float,           # (2 n, 2): boxes and their centres, for `march`
    "T": float,           # (bounds, 2): Taylor coefficients there
    "S": float,           # (6, 2): boxes of one body's parameters, their lower and their upper ends
    "W": float,           # (2, 2): windows of time and their beginnings
    "A": float,           # (RECORD_STRIDE,): polynomial models of the first body
    "B": float,           # (RECORD_STRIDE,): and of the second
    "shown": float,       # (SHOWN,): what the first body looks like at the beginnings of the windows, see `codegen.time_bounds.moving_nets`
    "other": float,       # (SHOWN,): and the second one
    "U": float,           # (bounds, 2): Taylor coefficients of the second body
    "g": float,           # (RECORD_STRIDE, 2): boxes of functions and of time, and their centres
    "made": float,        # (RECORD_STRIDE,): new ones
    "N": float,           # (m,): a direction
    "out": float,         # (n,): what follows for the time, and sizes in space
    "point": float,       # (n,): points of a local solve
    "value": float,       # (derivatives,): rows and Jacobian there, and second derivatives
    "steps": float,       # (2 n + 1,): steps from there, gradients, and residuals
    "multiplier": float,  # (m,): those of Lagrange
    "unheld": float,      # (n,): 0 for variables held at the end of their domain
    "damping": float,     # ()
    "unit": float,        # (n + m,): what variables are measured in, and factors of the rows
    "reach": float,       # (): the longest step against the domain
    # one lane at a time
    "before": float,      # (LANES, n, 2): boxes as they were popped
    "hold": float,        # (LANES, n, 2): and after contraction
    "action": int,        # (LANES,): what becomes of each
    "beside": int,        # (LANES,): a sample near a box that may hold an isolated contact, too; or -1
    "final": int,         # (LANES,): 1 for such a box that is so small that it is searched no more, WANTED for one that is all the same
    "idle": int,          # (LANES,): a variable that need not be divided, as nothing is known of the rows that contain it; or -1
    "trial": int,         # (LANES,): tests of a box in a row
    "until": float,       # (LANES,): the end of the window that is tested
    "both": int,          # (LANES, 2): nodes of the boxes in `before`
    "parents": int,       # (LANES, 2): nodes of the boxes in `hold`, or in `before`; -1 for none
    "fresh": int,         # (LANES,): nodes being made
    "begins": int,        # (LANES,): where their records begin, or those of other nodes
    "asked": int,         # (LANES,): nodes to be halved
    "repeat": int,        # (LANES,): how often the boxes in `hold` were tested in a row
    "later": float,       # (LANES,): and their horizons
    "reached": float,     # (LANES, n): where local solves ended
    "small": float,       # (max(m, n), n): dense matrix of a local solve
    "step": float,        # (n,)
    "gradient": float,    # (n,)
    "best": float,        # (n, 2): a box that holds a feasible zero with the objective u
    "centre": float,      # (n,)
    "tight": float,       # (n, 2)
    "wide": float,        # (n, 2)
    "near": float,        # (3, 2)
    "pick": int,          # (max(m, n),): variables an existence proof solves for
    "bound": int,         # (n,): is this variable at the end of its domain?
    # from one sample to the next
    "base": float,        # (n,): the sample
    "along": float,       # (2, n): directions in which the rows stay zero
    "heading": float,     # (2, 3): what they are in space
    "spot": float,        # (3,): a point in space
    "aim": float,         # (LANES, 2): steps as combinations of the directions
    "pace": float,        # (LANES,): the length of a step by the slopes
    "goal": float,        # (LANES,): its length as wanted
}  # fmt: skip

# Columns of `table`. The capitals from RANGE to PARAMETERS, and from BACKWARD on, and ELIMINATE, are addresses; 0 where a problem has
# none. SEARCHED: the first so many variables are split and measured, the others only contracted. CLOSED: 1 where the
# necessary conditions hold on the whole closed domain. BODY, RECORD, LENGTH, OWN, VIEW, FUNCTIONS, NET have an entry for each of two
# bodies whose shape and motion are apart: the kernel of its polynomial model and what makes a record of that, the length of the record, the
# number of its parameters, the matrix by which to judge its extents in space, the number of its functions, what shows it at the
# beginnings of windows (0 for a body that keeps its shape); for such bodies TAYLOR is the
# kernel of the motions, or TAYLOR and FORM are those of how the two deform. BESIDE counts the boxes beside which proofs were tried
# (`crossings_beside`). RANGED: 1 where `march` looks at the ranges of the rows, too. Problems of the same two bodies have the same LABEL.
# GATHER and SCATTER take records from the nodes and put them there (`records`). VARYING: 1 where the rates at which bodies move differ
# from point to point. LIMITS: how many functions that are at most 0 contract the boxes, by kernels in LIMIT_RANGE, LIMIT_SLOPE and
# LIMIT_SOLVE.
(VARIABLES, ROWS, EQUATIONS, OBJECTIVE, ROOT, RANGE, SLOPE, POINT, IMAGE, LINEAR, SQUARE, EXISTENCE, UNIQUENESS, PARAMETERS,
 POINT_PARAMETERS, SEARCHED, CLOSED, BACKWARD, PRECONDITION, DECOUPLED, TAYLOR, TIME_BOUND, LOCAL_STEP,
 LEAST, LEAST_STEP, BODY, _, RECORD, _, LENGTH, _, OWN, _, VIEW, _, FUNCTIONS, _, NET, _, FORM, BESIDE, RANGED, ELIMINATE,
 LABEL, GATHER, SCATTER, VARYING, LIMITS, LIMIT_RANGE, LIMIT_SLOPE, LIMIT_SOLVE, COLUMNS) = range(52)

# Entries of `count`. STRIDE is n, ROW_STRIDE m; ROOM the number of solutions there is memory for; WALKED how many were walked from; POLE
# is 1 + a problem in which a pole was met, POLE_END tells where: twice its variable, plus 1 at the upper end. BEST is the problem of
# the box `best`. MENDING: 1 once samples are left out, and only gaps beside these are sampled.
# LATE_STEPS counts steps over what comes just after the least objective that is proved.
(STRIDE, PROBLEMS, ROOM, FREE, OPEN, ITERATIONS, STEPS, SOLUTIONS, LOCAL_SOLVES, NEXT_LOCAL, UPPER_FIRST, NEWTON, SAMPLE, FIRST_ONLY,
 WALKED, POLE, POLE_END, NODES, ROOM_NODES, RECORD_STRIDE, BEST, MENDING, LATE_STEPS, ROW_STRIDE, COUNTS) = range(25)

# Entries of `real`: the proved upper bound u of the objective, that of boxes accepted without proof, the
# tolerances, and the least objective of a box that left the search without a proof that it holds no zero; LATEST the greatest. GAP, where
# positive: the search may end when no open box is better than u by more than the larger of GAP and SHARE |u|; where the zero is unlikely to
# be isolated, by more than AHEAD times the way from the beginning of the domain to u. ALONG: the least objective that a local solve ended
# at, and that is proved, but not to be that of an isolated zero; infinite where there is none.
PROVED, TENTATIVE, SIMULTANEITY, SEPARATION, TOLERANCE, CLEAR, GAP, SHARE, AHEAD, LATEST, ALONG, REALS = range(12)

# What is known of a solution. ALONE: `found` holds the only zero of the square system in `region`, which may lie just
# outside the domain or violate an inequality. LEFT_OUT: a sample that is not listed, for the sake of a better one beside it.
LOCATED, EXISTS, UNIQUE, ALONE, LEFT_OUT = 0, 1, 2, -1, -2

# The plan of a box that `march` has not seen, what counts tests in a row (see there), and the plan of a box in which nothing
# moves the point by more than the tolerance.
NO_PLAN, TEST, SETTLED = 255, 256, -1

# Why a slice of the loop ended.
FINISHED, SLICE, NEED_BOXES, NEED_SOLUTIONS, NEED_CHART = 0, 1, 2, 3, 4

# A box in which an isolated contact was found: there may be others.
WANTED = -1

# What becomes of a lane.
GONE, AGAIN, SPLIT, LATE, SMALLEST = 0, 1, 2, 3, 4
