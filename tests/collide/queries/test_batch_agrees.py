"""Rows of `contact_batch` against single calls with the same numbers, and against closed forms where there are some.

The same question asked in two ways: the answers may be more or less precise, but must not contradict each other.
"""

import itertools
from functools import partial

import numpy as np
import pytest
import sympy as sp

import collide
from collide import Budget, Start, Status
from generative import Parameter, ParametricSurface, Rigid, Screw, t, u, v
from generative.changes import with_formulas

Q = sp.Rational
P, S, X, H, A = (Parameter(name) for name in ("p", "s", "x", "h", "a"))
BALL = ParametricSurface([sp.cos(u) * sp.cos(v) / 4, sp.sin(u) * sp.cos(v) / 4, sp.sin(v) / 4],
                         {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})
ENOUGH = Budget(seconds=None, boxes=400_000)
ROWS = 5


def patch(height, width=(-1, 1)):
    return ParametricSurface([u, v, height], {u: width, v: (-1, 1)})


def moving(body, *place):
    return body.moved(Rigid(translation=place))


def disc(begin, end, height):
    """Round a pole at v = begin, with the distance to it as the other parameter."""
    return ParametricSurface([(v - begin) * sp.cos(u), (v - begin) * sp.sin(u), height], {u: (0, 2 * sp.pi), v: (begin, end)})


FALLING, PLATE = moving(BALL, X, Q(1, 9), H - t), patch(u * v / 7, (-2, 2))
PIECES = sp.Piecewise((P - u, u < P), (0, u < S), (u - S, True))
FAMILIES = {
    "slope": [patch(A * sp.Abs(u) + v**2 / 5), FALLING],
    "place": [patch(-sp.Abs(u - P) / 2 + v / 7), FALLING],
    "slope in the kink": [patch(-sp.Abs(S * u - P) / 2), FALLING],
    "ends": [patch(-sp.Abs(u) / 2, (-1 - P, S)), FALLING],
    "order of kinks": [patch(PIECES / 2), FALLING],
    "no kink of u alone": [patch(sp.Max(u, P * v) / 2), FALLING],
    "both": [patch(-sp.Abs(u - P)), patch(sp.Abs(v - P)).moved(Rigid(translation=[0, 0, H - t]) @ Screw([0, 0, 1], angle=A))],
    "crease round a pole": [PLATE, moving(disc(0, 1, v**2 / 2 + sp.Abs(v - sp.Abs(P))), X / 3, 0, H - t)],
    "place of a pole": [PLATE, moving(disc(P, P + 1, (v - P)**2), X / 3, 0, H - t)],
    "at rest": [BALL, moving(BALL, X / 3, 0, H / 2)],
    "kink of the motion": [patch(sp.Abs(v - P) / 4), moving(BALL, X, 0, sp.Piecewise((H - t, t < Q(1, 2)), (H - 2 * t + Q(1, 2), True)))],
    "a corner turns back at a kink": [patch(0), moving(patch(u / 2 + v / 3), S, Q(1, 9), Q(5, 6) + sp.Abs(t - Q(1, 2)))],
    "just at the end": [patch(0), moving(BALL, X, Q(1, 9), Q(5, 4) - t)],
    "jump of the motion": [patch(sp.Abs(v - P) / 4), moving(BALL, X, 0, H - sp.floor(3 * t + Q(1, 7)) / 4 - t / 5)],
}  # fmt: skip


def drawn(bodies, rng):
    """Numbers for the parameters, with such as lie on others, and on ends, among them."""
    used = {s for b in bodies for e in (*b.body, *itertools.chain(*b.domain.values()), *b.motion.entries) for s in e.free_symbols}
    draws = {P: rng.choice([0.0, 0.25, -1.0, 0.3, 0.7], ROWS), S: rng.choice([0.25, 1.0, -0.5, 1e-3], ROWS),
             X: rng.uniform(-0.9, 0.9, ROWS), H: rng.uniform(0.1, 1.3, ROWS), A: rng.uniform(-1, 1, ROWS)}  # fmt: skip
    return {s: values for s, values in draws.items() if s in used}


def contradictions(batch, k, one, begin):
    """What a row and a single call cannot both say."""
    (lo, hi), hit = batch.time[k], batch.status[k] is not Status.NO_CONTACT
    if one.start[0, 1] in (Start.TOUCHING, Start.OVERLAPPING):
        # Surfaces that meet at the start, which is what the batch is asked for.
        return [] if hit and lo == begin else ["apart at the start"]
    found = [] if not (hit and lo > hi) else ["a bracket is reversed"]
    if batch.status[k] is Status.CONTACT and hi < one.clear_until:
        found.append("proved where the other is clear")
    if one.status is Status.CONTACT and (lo > one.time.hi if hit else True):
        found.append("clear where the other is proved")
    return found + ["one of them is not decided"] * (batch.status[k] is not one.status)


@pytest.mark.parametrize("name", FAMILIES)
def test_rows_are_like_single_calls(name):
    """(Fails where only the first piece of a creased surface is searched, where tangency is asked for at the start, and where the place
    of a pole is not known.)
    """
    bodies = FAMILIES[name]
    values = drawn(bodies, np.random.default_rng(list(FAMILIES).index(name)))
    batch = collide.contact_batch(bodies, (0, 1), parameters=values, budget=ENOUGH)
    for k in range(ROWS):
        numbers = {s: sp.Rational(float(array[k])) for s, array in values.items()}
        one = collide.first_contact([with_formulas(b, partial(sp.Basic.xreplace, rule=numbers)) for b in bodies], (0, 1), budget=ENOUGH)
        assert not contradictions(batch, k, one, 0.0), (numbers, batch.status[k], batch.time[k], one)
    assert batch.hit.sum() > 0


def nearest(x, z, way):
    """The distance of a point to the lines z = way |u| / 2, and where on them it is nearest."""
    feet = [(side * s, way * s / 2) for side in (1, -1) for s in [max(0.0, (side * x + way * z / 2) / 1.25)]]
    return min((np.hypot(x - u_at, z - z_at), u_at) for u_at, z_at in feet)


@pytest.mark.parametrize("place", [0, P], ids=["at 0", "anywhere"])
@pytest.mark.parametrize("way", [-1, 1], ids=["roof", "valley"])
def test_a_ball_falls_on_a_crease(way, place):
    """Its middle is then 1/4 away from both planes, or from the crease."""
    n = 40
    rng = np.random.default_rng(3)
    values = {P: rng.uniform(-1, 1, n), X: rng.uniform(-0.6, 0.6, n), H: rng.uniform(-1.2, 1.4, n)}
    given = {s: numbers for s, numbers in values.items() if s is not P or place is P}
    values[P] *= place is P
    r = collide.contact_batch([patch(way * sp.Abs(u - place) / 2, (-2, 2)), FALLING], (0, 1), parameters=given)
    kinds = {"crosses": 0, "lands": 0, "passes": 0}
    for k in range(n):
        p, x, h = (float(values[s][k]) for s in (P, X, H))
        aside = abs(x - p)
        height = np.sqrt(1 / 16 - aside**2) if way < 0 and aside < 1 / np.sqrt(80) else way * aside / 2 + np.sqrt(5) / 8
        if nearest(x - p, h, way)[0] < 1 / 4:
            kinds["crosses"] += 1
            assert r.status[k] is Status.CONTACT and r.time[k, 0] == 0 and r.time[k, 1] < 1e-6
        elif h > height > h - 1:
            kinds["lands"] += 1
            assert r.status[k] is Status.CONTACT and r.time[k, 0] - 1e-12 <= h - height <= r.time[k, 1] + 1e-12
            assert np.isclose(r.parameters[k, 0], p + nearest(x - p, height, way)[1], atol=1e-3)
        else:
            kinds["passes"] += 1
            assert r.status[k] is Status.NO_CONTACT
    assert min(kinds.values()) > 2, kinds
