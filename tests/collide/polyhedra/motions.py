"""Queries of bodies in rigid motion, and their contacts isolated with balls (Arb), or known exactly for straight paths."""

import flint
import numpy as np
import sympy as sp

from collide.polyhedra.exact import feature_pairs as linear_exact
from generative import Parameter, Rigid, Screw, t

KINDS = ["edge_edge", "vertex_face"]
TURN = Screw(axis=[1, 2, 3], point=[0.25, 0, -0.5], angle=2.5 * t, advance=0.75 * t)
WEAVE = Rigid(rotation=[2, t, 1 - t, t**2], translation=[sp.sin(3 * t) / 2, t / 4 - 0.2, t**3 / 3])
PAIRS = [(TURN, Rigid()), (TURN, WEAVE), (WEAVE, Rigid(rotation=sp.ImmutableMatrix(sp.rot_axis3(t)), translation=[t, 0, 0]))]


def queries(g, n, kind):
    """Random points; triangles larger, so that one in ten is hit."""
    q = g.uniform(-1, 1, (n, 4, 3))
    return q * (1 if kind == "edge_edge" else np.array([1, 2, 2, 2])[:, None])


class Referee:
    """All contacts of a query in [0, 1] by isolating the zeros of the volume with balls of 200 bits, in Python."""

    def __init__(self, motions, q, face):
        self.motions, self.face = motions, face
        self.q = [[flint.arb(float(x)) for x in p] for p in q]

    def points(self, at):
        """The points, as ball polynomials of degree 1 in the offset from `at`: value and velocity over it."""
        out, bodies = [], [motion(at) for motion in self.motions]
        for k, p in enumerate(self.q):
            rotation, speed, shift, drift = bodies[int(k >= (1 if self.face else 2))]
            out.append([(sum((r * x for r, x in zip(rotation[3 * i:3 * i + 3], p, strict=True)), shift[i]),
                         sum((r * x for r, x in zip(speed[3 * i:3 * i + 3], p, strict=True)), drift[i])) for i in range(3)])
        return out

    def parts(self, at):
        a, b, c, d = self.points(at)
        e, f, w = (minus(c, b), minus(d, b), minus(a, b)) if self.face else (minus(b, a), minus(d, c), minus(c, a))
        n = cross(e, f)
        x, y = dot(cross(w, f), n), dot(cross(e, w), n) if self.face else dot(cross(w, e), n)
        return dot(w, n), x[0] / dot(n, n)[0], y[0] / dot(n, n)[0]

    def contact(self, lo, hi):
        """The first contact in [lo, hi] as a ball; None for none; AssertionError where balls do not decide."""
        at = flint.arb((lo + hi) / 2, (hi - lo) / 2)
        value, slope = self.parts(at)[0]
        if not value.contains(0):
            return None
        if slope.contains(0) or not slope.is_finite() or not value.is_finite():
            assert hi - lo > 1e-9, "undecided"
            middle = (lo + hi) / 2
            return self.contact(lo, middle) or self.contact(middle, hi)
        ends = [self.parts(flint.arb(x))[0][0] for x in (lo, hi)]
        if (ends[0] > 0) == (ends[1] > 0):
            return None
        root = self.bisect(lo, hi, ends[0] > 0)
        _, x, y = self.parts(root)
        bounds = [x, y, 1 - x - y] if self.face else [x, y, 1 - x, 1 - y]
        assert all(b > 0 or b < 0 for b in bounds), "undecided"
        return root if all(b > 0 for b in bounds) else None

    def bisect(self, lo, hi, positive):
        lo, hi = flint.arb(lo), flint.arb(hi)
        for _ in range(45):
            middle = ((lo + hi) / 2).mid()
            if (self.parts(middle)[0][0] > 0) == positive:
                lo = middle
            else:
                hi = middle
        return lo.union(hi)


def minus(a, b):
    return [(x[0] - y[0], x[1] - y[1]) for x, y in zip(a, b, strict=True)]


def times(a, b):
    return a[0] * b[0], a[0] * b[1] + a[1] * b[0]


def dot(a, b):
    products = [times(x, y) for x, y in zip(a, b, strict=True)]
    return sum((p[0] for p in products), flint.arb(0)), sum((p[1] for p in products), flint.arb(0))


def cross(a, b):
    return [(p[0] - q[0], p[1] - q[1]) for p, q in
            ((times(a[i], b[j]), times(a[j], b[i])) for i, j in ((1, 2), (2, 0), (0, 1)))]


def in_balls(motion):
    """Values and derivatives of the entries of a motion at a ball; numbers that doubles do not hold become balls first."""
    parts = [list(motion.rotation), list(sp.diff(motion.rotation, t)), list(motion.translation), list(sp.diff(motion.translation, t))]
    numbers = sorted({r for part in parts for e in part for r in e.atoms(sp.Rational) if r.q & (r.q - 1)}, key=float)
    names = [sp.Symbol(f"r{k}") for k in range(len(numbers))]
    of = {"sin": flint.arb.sin, "cos": flint.arb.cos, "sqrt": lambda x: flint.arb(x).sqrt()}
    named = dict(zip(numbers, names, strict=True))
    evaluate = sp.lambdify([t, names], [[e.xreplace(named) for e in part] for part in parts], [of], cse=True)
    values = [flint.arb(r.p) / r.q for r in numbers]
    return lambda at: evaluate(at, values)


NUMBERS = [Parameter(name) for name in ("ax", "ay", "az", "px", "py", "pz", "turn", "push")]
OWN = Screw(axis=NUMBERS[:3], point=NUMBERS[3:6], angle=NUMBERS[6] * t, advance=NUMBERS[7] * t)


def check_isolated(r, k, query, balls, kind):
    """Answer k, to 1e-9, against the contact of the query in [0, 1] that is isolated with balls."""
    truth = Referee(balls, query, kind == "vertex_face").contact(0.0, 1.0)
    assert r.hit[k] == r.proved[k] == (truth is not None), k
    if truth is not None:
        assert r.time[k, 0] <= truth <= r.time[k, 1] <= r.time[k, 0] + 1e-9


def check_straight(r, q, end, kind):
    """Answers of bodies that only translate, from q to `end`, against those of points with straight paths, known exactly, which it
    returns. What is located and not proved may be earlier than the contact.
    """
    truth = [linear_exact.answer(points, kind == "vertex_face", 1e-12)
             for points in linear_exact.integers(np.concatenate([q, end], axis=1))]
    for k, exact in enumerate(truth):
        assert r.hit[k] or exact is None, k
        assert not r.proved[k] or exact is not None, k
        if exact is not None:
            assert r.time[k, 0] <= exact.time[1] and (exact.time[0] <= r.time[k, 1] or not r.proved[k])
    return truth
