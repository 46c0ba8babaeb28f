"""Rounded linear algebra on small interval matrices, over blocks of 8 systems: straight-line code up to `UNROLLED` unknowns.

Everything the interval Newton method needs and nothing may round carelessly: Snyder's Linear_Solve (1993, Fig. 8),
the Krawczyk operator (Section 4.1, Theorem 1), and the interval inverse by Gaussian elimination (Section 4.2.1,
Theorem 2). A kernel is made once for each size, kept in the cache on disk, and called by address; `quick`: see `straight_line`.

Blocks in memory are arrays of vectors of 8 doubles, one lane a system:

    M   (m, n, 2)   interval matrix: an enclosure of the Jacobian over the box X, as -lo and hi
    f   (m, 2)      an enclosure of f(c)
    c   (n,)        a point of X
    X   (n, 2)      the box, bounded
    flag ()         see each kernel; 1.0 and 0.0
"""

from collections.abc import Callable

from ..emit.lanes import Lanes, Module
from ..machine.straight_line import straight_line
from . import loops as linear_loops
from . import operators as linear_operators
from . import rows as linear_rows
from .loops import Pattern

# Unknowns (or rows) up to which the code is straight; beyond, compiling it would take longer than most searches.
UNROLLED = 5

_ROWS: dict[str, Callable[[Lanes, int, int], None]] = {"linear_solve": linear_rows.linear_solve, "eliminate": linear_rows.eliminate}
_SQUARE: dict[str, Callable[[Lanes, int], None]] = {
    "krawczyk": linear_operators.krawczyk, "interval_inverse": linear_operators.interval_inverse,
    "precondition": linear_operators.precondition,
}  # fmt: skip
_ARGUMENTS = {"linear_solve": "M f c X flag", "eliminate": "M f c X flag", "krawczyk": "M f c X K flag",
              "interval_inverse": "M f c X Q flag", "precondition": "M f G g"}


def linear_solve(m: int, n: int, pattern: Pattern | None = None, quick: bool = False) -> int:
    """Address of ``void(M, f, c, X, flag)``: one sweep of Linear_Solve on M (x - c) = -f over the rows of M as they are.

    X shrinks in place and keeps every x in X with f(x) = 0; the flag becomes 0.0 in lanes where there is none (it is
    left alone in others). Unlike Fig. 8, a divisor that holds 0 is used too: the quotient is then the complement of
    a gap. `pattern` lists the columns of each row that are not zero throughout; the others are not read.
    """
    return _kernel("linear_solve", m, n, pattern, quick)


def eliminate(m: int, n: int, quick: bool = False) -> int:
    """Address of ``void(M, f, c, X, flag)``: like `linear_solve`, on Y M (x - c) = -Y f, Y such that each row of Y mid M holds a variable
    that the others do not, as far as their columns are independent: of those the ones by which rows change most over X.

    So a variable that two rows tell only together, as the time when planes meet that are tilted against the axes, is found at once.
    For n up to `UNROLLED`.
    """
    return _kernel("eliminate", m, n, None, quick)


def krawczyk(n: int, quick: bool = False) -> int:
    """Address of ``void(M, f, c, X, K, flag)``: the Krawczyk operator K = c - Y f(c) + (I - Y M)(X - c), Y about the inverse of mid M.

    K (n, 2) holds every zero of f in X. The flag is 1.0 where K lies in the interior of X: then f has exactly one
    zero in X (Theorem 1; interior inclusion implies the norm condition, Neumaier 1990, Section 5.1), provided M
    encloses the Jacobian, or Clarke's, over all of X and f is continuous there.
    """
    return _kernel("krawczyk", n, n, None, quick)


def interval_inverse(n: int, quick: bool = False) -> int:
    """Address of ``void(M, f, c, X, Q, flag)``: the solutions of M y = -f by Gaussian elimination on Y M, plus c.

    Q (n, 2) holds every zero of f in X; it is the whole space where a pivot holds 0. The flag is 1.0 where Q lies
    in the interior of X: then f has exactly one zero in X (Theorem 2), on the same terms.
    """
    return _kernel("interval_inverse", n, n, None, quick)


def precondition(n: int, quick: bool = False) -> int:
    """Address of ``void(M, f, G, g)``: G = Y M and g = Y f, Y about the inverse of mid M: the same zeros, nearly
    decoupled.
    """
    return _kernel("precondition", n, n, None, quick)


def _kernel(name: str, m: int, n: int, pattern: Pattern | None, quick: bool) -> int:
    straight = max(m, n) <= UNROLLED

    def write(module: Module, L: Lanes) -> None:
        if not straight:
            linear_loops.write(module, L, name, _ARGUMENTS[name], m, n, pattern)
        elif name in _ROWS:
            _ROWS[name](L, m, n)
        else:
            _SQUARE[name](L, n)

    return straight_line(name, (m, n, pattern, straight), _ARGUMENTS[name], write, quick=quick)
