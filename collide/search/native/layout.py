"""Memory layout of a search, defined once for the native loop, for NumPy and for the type checker.

n is the largest number of variables of the problems, m of rows. A block of lanes holds one vector of 8 doubles a
quantity, as the kernels of `codegen` take them.
"""

from codegen.machine.structures import LANES as LANES
from codegen.machine.structures import Box, Boxes, Floats, Grid, Intervals, Ints, LaneArray, Row, Structure, Table, array, table


class ProblemRow(Row):
    """A problem of the search. Kernels are addresses, and 0 where a problem has none. What has an entry for each of two bodies is there
    where shape and motion of both are apart.
    """

    variables: int
    rows: int
    equations: int                 # the first rows; necessary conditions follow
    objective: int                 # a variable, or -1
    root: int                      # the first box of its queue, or -1
    searched: int                  # the first so many variables are split and measured, the others only contracted
    closed: int                    # 1 where the necessary conditions hold on the whole closed domain
    angle: int                     # the variable that is one between the gradients of implicit surfaces, or -1
    distance: int                  # 1 where the objective is a distance of points
    placing: int                   # so many of the first variables say where a box is
    ranged: int                    # 1 where `march` looks at the ranges of the rows, too
    possible: int                  # or at the inequalities alone, by this kernel; 0 if it does not
    varying: int                   # 1 where the rates at which bodies move differ from point to point
    label: int                     # the same for problems of the same two bodies
    tried_beside: int              # boxes beside which proofs were tried (`crossings_beside`)
    range: int                     # kernels: of the rows and of the feasibility,
    slope: int                     # of the Jacobian,
    point: int                     # of both at points,
    image: int                     # of both bodies' points in space
    parameters: int                # for kernels of intervals,
    point_parameters: int          # and of points
    linear: int                    # operators: see `contraction`
    square: int
    eliminate: int
    precondition: int
    decoupled: int
    backward: int
    existence: int                 # operators that prove: see `prove`
    uniqueness: int
    local_step: int                # steps of local solves,
    least: int                     # and what those for the least objective evaluate,
    least_step: int                # and do
    limited: int                   # 1 where inequalities contract the boxes:
    limits: int                    # so many functions that are at most 0,
    limit_range: int               # by these kernels
    limit_slope: int
    limit_solve: int
    taylor: int                    # what bounds the time of contact: kernel of derivatives by time; of the motions, where these are apart;
    form: int                      # of how the second body deforms, where `taylor` is of the first;
    time_bound: int                # and what makes bounds of it
    place: Ints = array(2)         # where points of a part are, as the function that measures it takes them: its kernel,
    margin: Ints = array(2)        # what runs that function (0 for none),
    measures: Ints = array(2)      # and its program;
    narrowing: Ints = array(2)     # what runs the one that narrows boxes to where it is not negative (0 for none),
    narrows: Ints = array(2)       # and that program,
    place_slope: Ints = array(2)   # and the Jacobian of the place
    body: Ints = array(2)          # the kernel of a body's polynomial model,
    record: Ints = array(2)        # what makes a record of that,
    length: Ints = array(2)        # its length,
    own: Ints = array(2)           # the number of a body's parameters,
    view: Ints = array(2)          # the matrix by which to judge its extents in space,
    functions: Ints = array(2)     # the number of its functions,
    net: Ints = array(2)           # what shows it at the beginnings of windows (0 for a body that keeps its shape)
    gather: int                    # takes records from the nodes
    scatter: int                   # and puts them there (`records`)
    domain: Box = array("n", 2)    # encloses the exact domain
    inner: Box = array("n", 2)     # lies within it
    border: Grid[int] = array("n", 2)  # 1 where the necessary conditions do not hold on that end of the domain
    period: Floats = array("n")    # proved period of a variable, 0 for none
    polar: Box = array("n", 2)     # boxes that end before the first, or begin after the second, are at a pole
    steepest: Floats = array("m")  # the largest change of a row by one unit of a variable that a local solve met
    normal: Floats = array(3)      # that of the best contact so far
    space: float                   # the size of the smaller body, but 1 if that is larger: what is small in space is measured by it


class SearchMemory(Structure):
    """All of a search."""

    unset = ("box_room", "node_room", "rows", "numbers", "viewed")
    quick = True

    problem: Table[ProblemRow] = table("problems")
    n: int                         # the largest number of variables of a problem,
    m: int                         # of rows,
    record_length: int             # and the length of a polynomial model
    problems: int
    solution_room: int             # there is memory for so many solutions,
    node_room: int                 # and nodes
    unused: int                    # boxes in `free`
    open: int                      # and in queues
    nodes: int
    solutions: int
    iterations: int                # boxes examined
    steps: int
    late_steps: int                # over what comes just after the least objective that is proved
    local_solves: int
    next_local: int                # the number of steps after which the next one looks ahead
    walked: int                    # solutions that were walked from
    upper_first: int               # 1: boxes are ordered by the upper ends of their objectives
    newton: int                    # how boxes are narrowed, see `prepare.METHODS`
    sampling: int                  # 1: curves and surfaces of contacts are sampled
    first_only: int                # 1: the search ends with the first proof
    mending: int                   # 1 once samples are left out, and only gaps beside these are sampled
    pole_met: int                  # 1 where a box or a contact is at a pole:
    pole_problem: int              # of this problem,
    pole_variable: int
    pole_end: int                  # at the lower (0) or upper end (1)
    best_problem: int              # that of the box `best`
    reason: int                    # why the last slice ended
    # instances of problem 0, one after the other, see `rows`: addresses of this memory, and of what copies memory,
    own: int
    copying: int
    zero: int                      # of the part of the memory that is as it was at the beginning,
    first: int                     # and of a copy of that,
    zero_bytes: int                # and so many bytes of it;
    first_free: int                # the same of the array `free`
    free_bytes: int
    numbers: int                   # parameters,
    viewed: int                    # numbers in matrices that bodies are judged by,
    most_steps: int                # and steps of each search
    proved: float                  # the upper bound u of the objective,
    tentative: float               # and that of boxes accepted without proof
    proved_along: float            # the least objective at which a zero is proved, but not to be isolated; of those that local solves found
    clear: float                   # the least objective of a box that left the search without a proof that it holds no zero,
    latest: float                  # and the greatest
    simultaneity: float
    spacing: float
    tolerance: float
    # Where `gap` is positive, the search may end when no open box is better than u by more than the larger of it and `share` |u|; where the
    # zero is unlikely to be isolated, by more than `ahead` times the way from the beginning of the domain to u.
    gap: float
    share: float
    ahead: float

    # queued boxes
    box: Boxes = array("box_room", "n", 2)
    key: Floats = array("box_room")
    child: Ints = array("box_room")              # pairing heap
    sibling: Ints = array("box_room")
    free: Ints = array("box_room")               # a stack of unused boxes
    halved: Grid[int] = array("box_room", 2)     # variables that `march` halves next, or -1
    tests: Ints = array("box_room")              # tests in a row without a split
    settled: Ints = array("box_room")            # 1 where nothing moves the point by more than the tolerance: no box for `march`
    pair: Grid[int] = array("box_room", 2)       # its nodes in the trees of both bodies, -1 for none
    horizon: Floats = array("box_room")          # up to which time `march` looks at it
    solved_at: Floats = array("box_room")        # its size against the domain when a local solve was tried in it; infinite where none was
    # nodes of the trees of boxes of single bodies, see `body_trees`
    record: Grid[float] = array("node_room", "record_length")  # polynomial models
    rectangle: Boxes = array("node_room", 2, 2)
    halves: Ints = array("node_room")            # the first of two neighbours; -1 before they are made
    # instances: domains, parameters and matrices;
    row_outer: Boxes = array("rows", "n", 2)
    row_inner: Boxes = array("rows", "n", 2)
    row_numbers: Boxes = array("rows", "numbers", 2)
    row_view: Grid[float] = array("rows", "viewed")
    row_end: Ints = array("rows")                # FINISHED, or why the search did not come to its end, or UNTOLD,
    row_found: Grid[float] = array("rows", 4)    # u, the least time of what is left and of the first contact, boxes examined,
    row_box: Boxes = array("rows", "n", 2)       # and where contact is proved, or that contact
    given: Intervals = array("numbers", 2, LANES)    # the parameters of the present one, as kernels of intervals take them,
    given_points: LaneArray = array("numbers", LANES)    # and those of points,
    view: LaneArray = array("viewed", LANES)             # and its matrices
    # solutions
    found: Boxes = array("solution_room", "n", 2)   # a box that holds it
    region: Boxes = array("solution_room", "n", 2)  # where a UNIQUE one is the only zero
    place: Boxes = array("solution_room", 3, 2)     # bounds of its image in space
    kind: Ints = array("solution_room")             # LOCATED, EXISTS, UNIQUE
    owner: Ints = array("solution_room")            # its problem
    dimension: Ints = array("solution_room")        # that of the set of zeros round it; -1 before it was looked for
    # blocks of lanes
    X: Intervals = array("n", 2, LANES)          # boxes
    C: LaneArray = array("n", LANES)                 # their centres
    F: Intervals = array("row_ends", 2, LANES)   # the range of the rows, and of the feasibility
    at: Intervals = array(3, 2, LANES)           # where points are that are measured,
    measured: Intervals = array(1, 2, LANES)     # and how far they are on the surface of their body;
    central: Intervals = array(3, 2, LANES)      # where points are at the centres,
    linear: Intervals = array("narrowed", 2, LANES)    # both, the Jacobian, the boxes and their centres,
    narrowed: Intervals = array("narrowed", 2, LANES)  # and what is made of them: how far they are on the surface, and smaller boxes
    V: Intervals = array("row_ends", 2, LANES)   # the same at the centres
    M: Intervals = array("m", "n", 2, LANES)     # the Jacobian
    level: Intervals = array("limits", 2, LANES)        # functions that are at most 0, at the centres
    slopes: Intervals = array("limits", "n", 2, LANES)  # and their Jacobian
    K: Intervals = array("n", 2, LANES)          # what an operator returns
    hull: Intervals = array("n", 2, LANES)       # a union of boxes
    Q: Intervals = array("n", 2, LANES)          # a smaller system's box
    G: Intervals = array("m", "m", 2, LANES)     # a smaller system's matrix
    alive: Floats = array(LANES)                 # 1 in lanes whose boxes may hold a zero,
    survives: Floats = array(LANES)              # the same of the boxes in Q while they are halved;
    success: Floats = array(LANES)               # where an operator proves something,
    converged: Floats = array(LANES)             # and where a local solve arrived
    image: Intervals = array(6, 2, LANES)        # where the first body's points are in space, and the second's
    Z: Intervals = array("n", 2, 2, LANES)       # boxes and their centres, for `march`
    T: Intervals = array("bounds", 2, LANES)     # Taylor coefficients there
    U: Intervals = array("bounds", 2, LANES)     # and those of the second body
    S: Intervals = array(6, 2, LANES)            # boxes of one body's parameters, their lower and their upper ends
    W: Intervals = array(2, 2, LANES)            # windows of time and their beginnings
    A: LaneArray = array("record_length", LANES)     # polynomial models of the first body
    B: LaneArray = array("record_length", LANES)     # and of the second
    shown: LaneArray = array("shown_length", LANES)  # what the first body looks like at the beginnings of the windows, see `moving_nets`
    other: LaneArray = array("shown_length", LANES)  # and the second one
    g: Intervals = array("record_length", 2, LANES)  # boxes of functions and of time, and their centres
    made: LaneArray = array("record_length", LANES)  # new polynomial models
    N: LaneArray = array("m", LANES)                 # a direction
    out: LaneArray = array("n_and_one", LANES)       # what follows for the time, and sizes in space
    point: LaneArray = array("n", LANES)             # points of a local solve
    value: LaneArray = array("values", LANES)        # rows and Jacobian there, and second derivatives
    moves: LaneArray      = array("n_and_one", 2, LANES)  # steps from there, gradients, and residuals
    multiplier: LaneArray = array("m", LANES)        # those of Lagrange
    unheld: LaneArray = array("n", LANES)            # 0 for variables held at the end of their domain
    damping: Floats = array(LANES)
    unit: LaneArray = array("n_and_m", LANES)        # what variables are measured in, and factors of the rows
    reach: Floats = array(LANES)                 # the longest step against the domain
    # one lane at a time
    before: Boxes = array(LANES, "n", 2)         # boxes as they were popped
    hold: Boxes = array(LANES, "n", 2)           # and after contraction
    action: Ints = array(LANES)                  # what becomes of each
    beside: Ints = array(LANES)                  # a sample near a box that may hold an isolated contact, too; or -1
    final: Ints = array(LANES)                   # 1 for such a box, too small to be searched on; WANTED for one that is all the same
    filled: Ints = array(LANES)                  # 1 where each equation is exactly 0 on all of the box
    idle: Ints = array(LANES)                    # a variable that need not be divided, as nothing is known of its rows; or -1
    tested: Ints = array(LANES)                  # tests of a box in a row
    solving: Ints = array(LANES)                 # 1 where a local solve is wanted, or has arrived
    going: Ints = array(LANES)                   # 1 where a step from one sample to the next is tried
    crossing: Ints = array(LANES)                # 1 where a local solve beside a box would lower u
    manifold: Ints = array(LANES)                # of what dimension is the curve or surface of all zeros in a box; 0: not known
    until: Floats = array(LANES)                 # the end of the window that is tested
    tried_at: Floats = array(LANES)              # the sizes of the boxes when a local solve was tried in them
    both: Grid[int] = array(LANES, 2)            # nodes of the boxes in `before`
    parents: Grid[int] = array(LANES, 2)         # nodes of the boxes in `hold`, or in `before`; -1 for none
    sides: Grid[int] = array(LANES, 2)           # 1 where the node of such a pair is halved
    fresh: Ints = array(LANES)                   # nodes being made
    begins: Ints = array(LANES)                  # where their records begin, or those of other nodes
    asked: Ints = array(LANES)                   # nodes to be halved
    repeat: Ints = array(LANES)                  # how often the boxes in `hold` were tested in a row
    later: Floats = array(LANES)                 # and their horizons
    reached: Grid[float] = array(LANES, "n")     # where local solves ended
    beneath: Grid[float] = array(LANES, "n")     # and those beside a box
    small: Floats = array("n_or_m", "n")         # dense matrix of a local solve
    reduced: Floats = array("m", "n_and_m")      # a matrix and, beside it, what its rows were multiplied by
    step: Floats = array("n")
    gradient: Floats = array("n")
    best: Box = array("n", 2)                    # a box that holds a feasible zero with the objective u
    centre: Floats = array("n")
    tight: Box = array("n", 2)
    wide: Box = array("n", 2)
    near: Box = array(3, 2)                      # bounds of an image in space
    pick: Ints = array("n_or_m")                 # variables an existence proof solves for
    bound: Ints = array("n")                     # is this variable at the end of its domain?
    pivot: Ints = array("n")                     # the row that was eliminated with this variable, or -1
    moved: Floats = array("n")                   # how far each variable alone moves the point in space
    # from one sample to the next
    base: Floats = array("n")                    # the sample
    along: Floats = array(2, "n")                # directions in which the rows stay zero
    heading: Grid[float] = array(2, 3)           # what they are in space
    spot: Floats = array(3)                      # a point in space
    aim: Grid[float] = array(LANES, 2)           # steps as combinations of the directions
    pace: Floats = array(LANES)                  # the length of a step by the slopes
    goal: Floats = array(LANES)                  # its length as wanted


# What is known of a solution. ALONE: `found` holds the only zero of the square system in `region`, which may lie just
# outside the domain or violate an inequality. LEFT_OUT: a sample that is not listed, for the sake of a better one beside it.
LOCATED, EXISTS, UNIQUE, ALONE, LEFT_OUT = 0, 1, 2, -1, -2

# Why a slice of the loop ended.
FINISHED, SLICE, NEED_BOXES, NEED_SOLUTIONS, NEED_CHART = 0, 1, 2, 3, 4

# Where the answer of an instance takes a closer look.
UNTOLD = 5

# A box in which an isolated contact was found: there may be others.
WANTED = -1

# What becomes of a lane.
GONE, AGAIN, SPLIT, LATE, SMALLEST = 0, 1, 2, 3, 4
