"""Published test problems with their sources and known answers, for tests and benchmarks.

MGH: More, Garbow, Hillstrom, "Testing unconstrained optimization software", ACM TOMS 7 (1981), by problem number.
HS: Hock, Schittkowski, "Test examples for nonlinear programming codes", Springer LNEMS 187 (1981), by problem number;
where a variable has no bounds there, a box is given that is large against the solution.
VHMK: Van Hentenryck, McAllester, Kapur, "Solving polynomial systems using a branch and prune approach", SIAM J. Numer.
Anal. 34 (1997). DS: Dixon, Szego (eds.), "Towards global optimisation 2" (1978). COPRIN: the benchmark systems of the INRIA project of
that name.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

Q = sp.Rational
x, y, z = sp.symbols("x y z", real=True)


def variables(n: int) -> tuple[sp.Symbol, ...]:
    return tuple(sp.symbols(f"x1:{n + 1}", real=True))


@dataclass(frozen=True, eq=False)
class System:
    """Equations over a box; `count` zeros in all, of which `zeros` are known, exact or to the digits given."""

    name: str
    source: str
    equations: Sequence[Any]
    domain: dict[Any, tuple[Any, Any]]
    count: int
    zeros: Sequence[Sequence[Any]] = ()
    singular: bool = False
    at_least: Sequence[Any] = ()


@dataclass(frozen=True, eq=False)
class Program:
    """A minimization over a box with the known minimum (exact, or to the digits given) and minimizers in the box."""

    name: str
    source: str
    objective: Any
    domain: dict[Any, tuple[Any, Any]]
    minimum: Any
    minimizers: Sequence[Sequence[Any]]
    equal: Sequence[Any] = ()
    at_least: Sequence[Any] = field(default=())


# -- systems --------------------------------------------------------------------------------------------------------


def broyden(n: int, bound: int = 100) -> System:
    v = variables(n)
    at = dict(enumerate(v))
    rows = [(3 - 2 * at[k]) * at[k] - at.get(k - 1, 0) - 2 * at.get(k + 1, 0) + 1 for k in range(n)]
    return System(f"Broyden tridiagonal {n}", "MGH 30", rows, dict.fromkeys(v, (-bound, bound)), 2)


def brown(n: int) -> System:
    """The zeros are (a, ..., a, a^(1-n)) with n a^n - (n + 1) a^(n-1) + 1 = 0."""
    v = variables(n)
    a = sp.Symbol("a")
    rows = [v[k] + sum(v) - (n + 1) for k in range(n - 1)] + [sp.prod(v) - 1]
    roots = sp.Poly(n * a**n - (n + 1) * a**(n - 1) + 1, a).real_roots()
    return System(f"Brown almost-linear {n}", "MGH 27", rows, dict.fromkeys(v, (-10, 10)), len(roots),
                  [[r] * (n - 1) + [r**(1 - n)] for r in roots])


def bratu(n: int) -> System:
    """u'' + exp(u) = 0, u(0) = u(1) = 0 by differences: a lower and an upper solution."""
    v = variables(n)
    at = dict(enumerate(v))
    rows = [at.get(k - 1, 0) - 2 * at[k] + at.get(k + 1, 0) + Q(1, (n + 1)**2) * sp.exp(at[k]) for k in range(n)]
    return System(f"Bratu {n}", "Ascher, Mattheij, Russell 1995, by differences", rows, dict.fromkeys(v, (0, 10)), 2)


def _boundary_value(n: int) -> System:
    v = variables(n)
    h = Q(1, n + 1)
    at = dict(enumerate(v))
    rows = [2 * at[k] - at.get(k - 1, 0) - at.get(k + 1, 0) + h**2 * (at[k] + (k + 1) * h + 1)**3 / 2 for k in range(n)]
    return System(f"discrete boundary value {n}", "MGH 28", rows, dict.fromkeys(v, (-5, 5)), 1)


def _kinematics() -> System:
    a, b, c, d, e, f, g, h = v = variables(8)
    rows = [a**2 + b**2 - 1, c**2 + d**2 - 1, e**2 + f**2 - 1, g**2 + h**2 - 1,
            Q("0.004731") * a * c - Q("0.3578") * b * c - Q("0.1238") * a - Q("0.001637") * b - Q("0.9338") * d + g - Q("0.3571"),
            Q("0.2238") * a * c + Q("0.7623") * b * c + Q("0.2638") * a - Q("0.07745") * b - Q("0.6734") * d - Q("0.6022"),
            f * h + Q("0.3578") * a + Q("0.004731") * b,
            Q("-0.7623") * a + Q("0.2238") * b + Q("0.3461")]
    return System("six-revolute kinematics", "Tsai, Morgan 1985; VHMK", rows, dict.fromkeys(v, (-1, 1)), 16)


def _moore_jones() -> System:
    v = variables(10)
    table = [("0.25428722", "0.18324757", (4, 3, 9)), ("0.37842197", "0.16275449", (1, 10, 6)),
             ("0.27162577", "0.16955071", (1, 2, 10)), ("0.19807914", "0.15585316", (7, 1, 6)),
             ("0.44166728", "0.19950920", (7, 6, 3)), ("0.14654113", "0.18922793", (8, 5, 10)),
             ("0.42937161", "0.21180486", (2, 5, 8)), ("0.07056438", "0.17081208", (1, 7, 6)),
             ("0.34504906", "0.19612740", (10, 6, 8)), ("0.42651102", "0.21466544", (4, 8, 1))]
    rows = [v[k] - Q(a) - Q(b) * sp.prod(v[i - 1] for i in use) for k, (a, b, use) in enumerate(table)]
    known = ["0.2578333937", "0.3810971546", "0.2787450173", "0.2006689642", "0.4452514248",
             "0.1491839199", "0.4320096990", "0.0734027778", "0.3459668269", "0.4273262760"]
    return System("Moore-Jones i1", "Moore, Jones 1977; VHMK", rows, dict.fromkeys(v, (-2, 2)), 1, [known])


def _combustion() -> System:
    a, b, c, d, e = v = variables(5)
    r, r5, r6, r7, r8, r9, r10 = 10, Q("0.193"), Q("0.00041062"), Q("0.00054518"), Q("0.00000044975"), Q("0.000034074"), Q("0.00000009615")
    rows = [a * b + a - 3 * e,
            2 * a * b + a + 3 * r10 * b**2 + b * c**2 + r7 * b * c + r9 * b * d + r8 * b - r * e,
            2 * b * c**2 + r7 * b * c + 2 * r5 * c**2 + r6 * c - 8 * e,
            r9 * b * d + 2 * d**2 - 4 * r * e,
            a * b + a + r10 * b**2 + b * c**2 + r7 * b * c + r9 * b * d + r8 * b + r5 * c**2 + r6 * c + d**2 - 1]
    return System("propane combustion", "Meintjes, Morgan 1990", rows, {s: (Q(1, 10000), 100) for s in v}, 1)


def _arm() -> System:
    """A planar arm with links 2 and 1 reaches (sqrt(5), 0) with the elbow on either side: a right angle at the elbow."""
    first, second = sp.symbols("a b", real=True)
    rows = [2 * sp.cos(first) + sp.cos(first + second) - sp.sqrt(5), 2 * sp.sin(first) + sp.sin(first + second)]
    bend = sp.atan(Q(1, 2))
    return System("planar arm", "closed form", rows, {first: (-3, 3), second: (-3, 3)}, 2, [[-bend, sp.pi / 2], [bend, -sp.pi / 2]])


def _helix() -> System:
    angle = sp.atan(y / x) / (2 * sp.pi)
    return System("helical valley", "MGH 7", [10 * (z - 10 * angle), 10 * (sp.sqrt(x**2 + y**2) - 1), z],
                  {x: (Q(1, 10), 10), y: (-10, 10), z: (-10, 10)}, 1, [[1, 0, 0]])


def _broyden_banded(n: int) -> System:
    v = variables(n)
    rows = [v[i] * (2 + 5 * v[i]**2) + 1 - sum(v[j] * (1 + v[j]) for j in range(max(0, i - 5), min(n, i + 2)) if j != i) for i in range(n)]
    return System(f"Broyden banded {n}", "MGH 31", rows, dict.fromkeys(v, (-100, 101)), 1)


def _trigexp(n: int) -> System:
    v = variables(n)
    rows = [3 * v[0]**3 + 2 * v[1] - 5 + sp.sin(v[0] - v[1]) * sp.sin(v[0] + v[1])]
    rows += [-v[i - 1] * sp.exp(v[i - 1] - v[i]) + v[i] * (4 + 3 * v[i]**2) + 2 * v[i + 1]
             + sp.sin(v[i] - v[i + 1]) * sp.sin(v[i] + v[i + 1]) - 8 for i in range(1, n - 1)]
    rows += [-v[-2] * sp.exp(v[-2] - v[-1]) + 4 * v[-1] - 3]
    return System(f"Trigexp {n}", "COPRIN", rows, dict.fromkeys(v, (-100, 100)), 1, [[1] * n])


def _chebyquad(n: int) -> System:
    """The nodes of the quadrature of equal weights, in any order."""
    v = variables(n)
    rows = [sum(sp.chebyshevt(i, 2 * a - 1) for a in v) / n + (0 if i % 2 else Q(1, i**2 - 1)) for i in range(1, n + 1)]
    return System(f"Chebyquad {n}", "MGH 35", rows, dict.fromkeys(v, (-1, 2)), int(sp.factorial(n)))


def _cyclic() -> System:
    v = variables(5)
    rows = [sum(sp.prod(v[(i + j) % 5] for j in range(k)) for i in range(5)) for k in range(1, 5)] + [sp.prod(v) - 1]
    return System("Cyclic 5", "Bjorck, Froberg 1991; COPRIN", rows, dict.fromkeys(v, (-10, 10)), 10)


def _neural_network(n: int, count: int) -> System:
    v = variables(n)
    rows = [10 * a * sum(b**2 for b in v if b != a) - 11 * a + 10 for a in v]
    return System(f"neural network {n}", "Noonburg 1989; COPRIN", rows, dict.fromkeys(v, (-10, 10)), count)


def _six_joints() -> System:
    v = variables(6)
    s, c = [sp.sin(a) for a in v], [sp.cos(a) for a in v]
    weights = 3 * c[1] + 2 * c[2] + c[3]
    rows = [(s[1] - s[2] - s[3]) * c[4] * s[5] + (c[1] + c[2] + c[3]) * c[5] - Q("0.4077"),
            c[0] * (c[1] + c[2] + c[3]) * s[4] + s[0] * c[4] - Q("1.9115"), (s[1] + s[2] + s[3]) * s[4] - Q("1.9791"),
            c[0] * weights - Q("4.0616"), s[0] * weights - Q("1.7172"), 3 * s[1] + 2 * s[2] + s[3] - Q("3.9701")]
    return System("Kin1", "COPRIN", rows, dict.fromkeys(v, (0, 2 * sp.pi)), 16)


def systems() -> list[System]:
    p, q, r, s = variables(4)
    xy = {x: (-10, 10), y: (-10, 10)}
    return [
        System("Rosenbrock", "MGH 1", [10 * (y - x**2), 1 - x], xy, 1, [[1, 1]]),
        System("Freudenstein-Roth", "MGH 2", [-13 + x + ((5 - y) * y - 2) * y, -29 + x + ((y + 1) * y - 14) * y],
               {x: (-100, 100), y: (-100, 100)}, 1, [[5, 4]]),
        System("Powell badly scaled", "MGH 3", [10000 * x * y - 1, sp.exp(-x) + sp.exp(-y) - Q(10001, 10000)],
               {x: (0, 20), y: (0, 20)}, 2, [["1.09815932969981745568e-5", "9.10614673986652478"]]),
        System("Beale", "MGH 5", [Q(3, 2) - x * (1 - y), Q(9, 4) - x * (1 - y**2), Q(21, 8) - x * (1 - y**3)], xy, 1,
               [[3, Q(1, 2)]], singular=True),
        _helix(),
        System("Powell singular", "MGH 13", [p + 10 * q, sp.sqrt(5) * (r - s), (q - 2 * r)**2, sp.sqrt(10) * (p - s)**2],
               dict.fromkeys((p, q, r, s), (-10, 10)), 1, [[0, 0, 0, 0]], singular=True),
        brown(5),
        _boundary_value(10),
        broyden(5), broyden(10), broyden(20),
        System("Himmelblau", "Himmelblau 1972", [x**2 + y - 11, x + y**2 - 7], xy, 4, [[3, 2]]),
        bratu(10),
        _kinematics(),
        _moore_jones(),
        _combustion(),
        _arm(),
        _broyden_banded(10), _trigexp(10), _chebyquad(4), _cyclic(), _neural_network(4, 15), _six_joints(),
    ]


# -- programs ----------------------------------------------------------------------------------------------------------


def _rosenbrock() -> Any:
    return 100 * (y - x**2)**2 + (1 - x)**2


def _branin() -> Any:
    return (y - Q("5.1") / (4 * sp.pi**2) * x**2 + 5 / sp.pi * x - 6)**2 + 10 * (1 - 1 / (8 * sp.pi)) * sp.cos(x) + 10


def _goldstein_price() -> Any:
    return ((1 + (x + y + 1)**2 * (19 - 14 * x + 3 * x**2 - 14 * y + 6 * x * y + 3 * y**2))
            * (30 + (2 * x - 3 * y)**2 * (18 - 32 * x + 12 * x**2 + 48 * y - 36 * x * y + 27 * y**2)))


def programs() -> list[Program]:
    ten = {x: (-10, 10), y: (-10, 10)}
    ball = {x: (-10, 10), y: (-10, 10), z: (-10, 10)}
    a, b, c, d = variables(4)
    root = sp.CRootOf(2 * x**3 + x - 5, 0)
    root3, root2, root7 = sp.sqrt(3), sp.sqrt(2), sp.sqrt(7)
    return [
        Program("six-hump camel", "DS", (4 - Q(21, 10) * x**2 + x**4 / 3) * x**2 + x * y + (4 * y**2 - 4) * y**2,
                {x: (-3, 3), y: (-2, 2)}, "-1.03162845348987744", [["0.0898420131", "-0.7126564030"], ["-0.0898420131", "0.7126564030"]]),
        Program("Branin", "DS", _branin(), {x: (-5, 10), y: (0, 15)}, "0.39788735772973815",
                [[-sp.pi, "12.275"], [sp.pi, "2.275"], [3 * sp.pi, "2.475"]]),
        Program("Goldstein-Price", "DS", _goldstein_price(), {x: (-2, 2), y: (-2, 2)}, 3, [[0, -1]]),
        Program("HS1", "HS", _rosenbrock(), {x: (-10, 10), y: (Q(-3, 2), 10)}, 0, [[1, 1]]),
        Program("HS3", "HS", y + Q(1, 100000) * (y - x)**2, {x: (-10, 10), y: (0, 10)}, 0, [[0, 0]]),
        Program("HS4", "HS", (x + 1)**3 / 3 + y, {x: (1, 10), y: (0, 10)}, Q(8, 3), [[1, 0]]),
        Program("HS5", "HS", sp.sin(x + y) + (x - y)**2 - Q(3, 2) * x + Q(5, 2) * y + 1, {x: (Q(-3, 2), 4), y: (-3, 3)},
                -root3 / 2 - sp.pi / 3, [[Q(1, 2) - sp.pi / 3, -Q(1, 2) - sp.pi / 3]]),
        Program("HS6", "HS", (1 - x)**2, ten, 0, [[1, 1]], equal=[10 * (y - x**2)]),
        Program("HS7", "HS", sp.log(1 + x**2) - y, ten, -root3, [[0, root3]], equal=[(1 + x**2)**2 + y**2 - 4]),
        Program("HS10", "HS", x - y, ten, -1, [[0, 1]], at_least=[-3 * x**2 + 2 * x * y - y**2 + 1]),
        Program("HS11", "HS", (x - 5)**2 + y**2 - 25, ten, (root - 5)**2 + root**4 - 25, [[root, root**2]], at_least=[y - x**2]),
        Program("HS12", "HS", x**2 / 2 + y**2 - x * y - 7 * x - 7 * y, ten, -30, [[2, 3]], at_least=[25 - 4 * x**2 - y**2]),
        Program("HS14", "HS", (x - 2)**2 + (y - 1)**2, ten, 9 - Q(23, 8) * root7, [[(root7 - 1) / 2, (root7 + 1) / 4]],
                equal=[x - 2 * y + 1], at_least=[1 - x**2 / 4 - y**2]),
        Program("HS15", "HS", _rosenbrock(), {x: (-10, Q(1, 2)), y: (-10, 10)}, Q(613, 2), [[Q(1, 2), 2]],
                at_least=[x * y - 1, x + y**2]),
        Program("HS16", "HS", _rosenbrock(), {x: (-2, Q(1, 2)), y: (-10, 1)}, Q(1, 4), [[Q(1, 2), Q(1, 4)]],
                at_least=[x + y**2, x**2 + y]),
        Program("HS17", "HS", _rosenbrock(), {x: (-2, Q(1, 2)), y: (-10, 1)}, 1, [[0, 0]], at_least=[y**2 - x, x**2 - y]),
        Program("HS18", "HS", x**2 / 100 + y**2, {x: (2, 50), y: (0, 50)}, 5, [[sp.sqrt(250), sp.sqrt(Q(5, 2))]],
                at_least=[x * y - 25, x**2 + y**2 - 25]),
        Program("HS19", "HS", (x - 10)**3 + (y - 20)**3, {x: (13, 100), y: (0, 100)}, "-6961.81387558", [["14.095", "0.84296079"]],
                at_least=[(x - 5)**2 + (y - 5)**2 - 100, Q("82.81") - (y - 5)**2 - (x - 6)**2]),
        Program("HS21", "HS", x**2 / 100 + y**2 - 100, {x: (2, 50), y: (-50, 50)}, Q(-9996, 100), [[2, 0]], at_least=[10 * x - y - 10]),
        Program("HS22", "HS", (x - 2)**2 + (y - 1)**2, ten, 1, [[1, 1]], at_least=[2 - x - y, y - x**2]),
        Program("HS23", "HS", x**2 + y**2, {x: (-50, 50), y: (-50, 50)}, 2, [[1, 1]],
                at_least=[x + y - 1, x**2 + y**2 - 1, 9 * x**2 + y**2 - 9, x**2 - y, y**2 - x]),
        Program("HS24", "HS", ((x - 3)**2 - 9) * y**3 / (27 * root3), {x: (0, 10), y: (0, 10)}, -1, [[3, root3]],
                at_least=[x / root3 - y, x + root3 * y, 6 - x - root3 * y]),
        Program("HS29", "HS", -x * y * z, ball, -16 * root2, [[4 * i, 2 * root2 * j, 2 * i * j] for i in (1, -1) for j in (1, -1)],
                at_least=[48 - x**2 - 2 * y**2 - 4 * z**2]),
        Program("HS30", "HS", x**2 + y**2 + z**2, {x: (1, 10), y: (-10, 10), z: (-10, 10)}, 1, [[1, 0, 0]], at_least=[x**2 + y**2 - 1]),
        Program("HS31", "HS", 9 * x**2 + y**2 + 9 * z**2, {x: (-10, 10), y: (1, 10), z: (-10, 1)}, 6, [[1 / root3, root3, 0]],
                at_least=[x * y - 1]),
        Program("HS33", "HS", (x - 1) * (x - 2) * (x - 3) + z, {x: (0, 10), y: (0, 10), z: (0, 5)}, root2 - 6, [[0, root2, root2]],
                at_least=[z**2 - y**2 - x**2, x**2 + y**2 + z**2 - 4]),
        Program("HS34", "HS", -x, {x: (0, 100), y: (0, 100), z: (0, 10)}, -sp.log(sp.log(10)), [[sp.log(sp.log(10)), sp.log(10), 10]],
                at_least=[y - sp.exp(x), z - sp.exp(y)]),
        Program("HS35", "HS", 9 - 8 * x - 6 * y - 4 * z + 2 * x**2 + 2 * y**2 + z**2 + 2 * x * y + 2 * x * z,
                dict.fromkeys((x, y, z), (0, 10)), Q(1, 9), [[Q(4, 3), Q(7, 9), Q(4, 9)]], at_least=[3 - x - y - 2 * z]),
        Program("HS36", "HS", -x * y * z, {x: (0, 20), y: (0, 11), z: (0, 42)}, -3300, [[20, 11, 15]], at_least=[72 - x - 2 * y - 2 * z]),
        Program("HS37", "HS", -x * y * z, dict.fromkeys((x, y, z), (0, 42)), -3456, [[24, 12, 12]],
                at_least=[72 - x - 2 * y - 2 * z, x + 2 * y + 2 * z]),
        Program("HS41", "HS", 2 - a * b * c, {a: (0, 1), b: (0, 1), c: (0, 1), d: (0, 2)}, Q(52, 27), [[Q(2, 3), Q(1, 3), Q(1, 3), 2]],
                equal=[a + 2 * b + 2 * c - d]),
        Program("HS42", "HS", (a - 1)**2 + (b - 2)**2 + (c - 3)**2 + (d - 4)**2, dict.fromkeys((a, b, c, d), (-10, 10)), 28 - 10 * root2,
                [[2, 2, 3 * root2 / 5, 4 * root2 / 5]], equal=[a - 2, c**2 + d**2 - 2]),
        Program("HS43", "HS", a**2 + b**2 + 2 * c**2 + d**2 - 5 * a - 5 * b - 21 * c + 7 * d, dict.fromkeys((a, b, c, d), (-10, 10)), -44,
                [[0, 1, 2, -1]], at_least=[8 - a**2 - b**2 - c**2 - d**2 - a + b - c + d, 10 - a**2 - 2 * b**2 - c**2 - 2 * d**2 + a + d,
                                           5 - 2 * a**2 - b**2 - c**2 - 2 * a + b + d]),
        Program("HS44", "HS", a - b - c - a * c + a * d + b * c - b * d, dict.fromkeys((a, b, c, d), (0, 10)), -15, [[0, 3, 0, 4]],
                at_least=[8 - a - 2 * b, 12 - 4 * a - b, 12 - 3 * a - 4 * b, 8 - 2 * c - d, 8 - c - 2 * d, 5 - c - d]),
        Program("HS71", "HS", a * d * (a + b + c) + c, dict.fromkeys((a, b, c, d), (1, 5)), "17.0140172892",
                [["1", "4.74299963", "3.82114998", "1.37940829"]], equal=[a**2 + b**2 + c**2 + d**2 - 40], at_least=[a * b * c * d - 25]),
        Program("disjunction", "closed form", x**2 + y**2, ten, 1, [[1, 0], [0, -1]], at_least=[sp.Or(x >= 1, y <= -1)]),
    ]


