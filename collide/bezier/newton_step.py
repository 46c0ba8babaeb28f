"""A step of Newton's method on the conditions of Karush, Kuhn and Tucker for the earliest contact: a quadratic program.

The equations G dx = -F are solved in three columns; in the two or fewer directions that are left the Lagrangian, regularized in the
parameters, is made least. Plain doubles: nothing is claimed of it.
"""

from codegen.machine.loops import native

from .memory import PairsMemory

# Pivots below this mean a singular system.
_SINGULAR = 1e-14


@native
def constrained(s: PairsMemory, restore: float) -> bool:
    """Gauss-Jordan elimination of G dx = -restore F with pivots in three columns that are not held. Regular?

    W (3, 9): from (G, 1, -restore F) to (B G, B, -restore B F), B the inverse of the columns of the pivots.
    """
    for i in range(3):
        for j in range(5):
            s.W[i, j] = s.G[i, j]
        for j in range(3):
            s.W[i, 5 + j] = 1.0 if i == j else 0.0
        s.W[i, 8] = -restore * s.F[i]
    for i in range(3):
        best, pivot = _SINGULAR * s.scale, -1
        for j in range(5):
            if s.held[j] == 0 and abs(s.W[i, j]) > best:
                best, pivot = abs(s.W[i, j]), j
        if pivot < 0:
            return False
        s.columns[i] = pivot
        inverse = 1.0 / s.W[i, pivot]
        for k in range(9):
            s.W[i, k] *= inverse
        for r in range(3):
            if r != i:
                factor = s.W[r, pivot]
                for k in range(9):
                    s.W[r, k] -= factor * s.W[i, k]
                s.W[r, pivot] = 0.0
    return True


@native
def step(s: PairsMemory, regular: float) -> bool:
    """The least dx . (H + regular) dx / 2 + dt subject to `constrained`, in the two or fewer directions left; whether there is one."""
    count = 0
    for j in range(5):
        s.d[j] = 0.0
    for i in range(3):
        s.d[s.columns[i]] = s.W[i, 8]
    for j in range(5):
        if s.held[j] == 0 and j != s.columns[0] and j != s.columns[1] and j != s.columns[2]:
            for k in range(5):
                s.Z[count, k] = 0.0
            s.Z[count, j] = 1.0
            for i in range(3):
                s.Z[count, s.columns[i]] = -s.W[i, j]
            count += 1
    if count == 0:
        return True
    a, g = curvature(s, 0, 0, regular), slope_along(s, 0, regular)
    if count == 1:
        if abs(a) <= _SINGULAR:
            return False
        along(s, 0, -g / a)
        return True
    b, c, h = curvature(s, 0, 1, regular), curvature(s, 1, 1, regular), slope_along(s, 1, regular)
    determinant = a * c - b * b
    if abs(determinant) <= _SINGULAR * max(abs(a), abs(c)):
        return False
    along(s, 0, (b * h - c * g) / determinant)
    along(s, 1, (b * g - a * h) / determinant)
    return True


@native
def curvature(s: PairsMemory, a: int, b: int, regular: float) -> float:
    """The second derivative of the Lagrangian with its regularization along two of the directions in Z."""
    total = 0.0
    for j in range(5):
        row = regular * s.Z[b, j] if j < 4 else 0.0
        for k in range(5):
            row += s.H[j, k] * s.Z[b, k]
        total += s.Z[a, j] * row
    return total


@native
def slope_along(s: PairsMemory, a: int, regular: float) -> float:
    """At the particular solution in d."""
    total = s.Z[a, 4]
    for j in range(5):
        row = regular * s.d[j] if j < 4 else 0.0
        for k in range(5):
            row += s.H[j, k] * s.d[k]
        total += s.Z[a, j] * row
    return total


@native
def along(s: PairsMemory, a: int, distance: float) -> None:
    for j in range(5):
        s.d[j] += distance * s.Z[a, j]


@native
def convex(s: PairsMemory, regular: float) -> bool:
    """Whether the Lagrangian with its regularization curves upwards along the step."""
    total = 0.0
    for j in range(5):
        row = regular * s.d[j] if j < 4 else 0.0
        for k in range(5):
            row += s.H[j, k] * s.d[k]
        total += s.d[j] * row
    return total >= 0.0


@native
def multipliers(s: PairsMemory, regular: float) -> bool:
    """Those for which the gradient of the Lagrangian vanishes after the step, in the columns of the pivots."""
    for i in range(3):
        s.multiplier[i] = 0.0
    for m in range(3):
        j = s.columns[m]
        rest = 1.0 if j == 4 else regular * s.d[j]
        for k in range(5):
            rest += s.H[j, k] * s.d[k]
        for i in range(3):
            s.multiplier[i] -= s.W[m, 5 + i] * rest
    return True
