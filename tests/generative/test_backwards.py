"""Bodies in time that runs backwards. The referee is the same body at the opposite time, exactly."""

import numpy as np
import pytest
import sympy as sp

from generative import ImplicitSurface, ParametricSurface, Rigid, Screw, difference, solids, t, u, v, x, y, z
from generative.backwards import backwards
from generative.changes import pieces_of
from generative.fit import motion_through
from generative.primitives import ball
from generative.products import Product

TIMES = np.array([0.0, 0.5, 1.25, 2.0])
RECORDED = motion_through(TIMES, np.tile([1.0, 0, 0, 0], (4, 1)), np.stack([TIMES**2, np.sin(TIMES), TIMES], 1)).value
MOTIONS = {
    "screw": Screw([1, 2, 2], angle=t, advance=t**2),
    "pieces": Rigid(translation=[sp.Piecewise((t, t < 1), (1, True)), sp.Abs(t), sp.floor(t)]),
    "product": Product(Screw([0, 0, 1], angle=t), Rigid(translation=[1, 0, t])), "recorded": RECORDED,
}  # fmt: skip


@pytest.mark.parametrize("motion", MOTIONS.values(), ids=MOTIONS)
@pytest.mark.parametrize("body", [
    ParametricSurface([u, v, u * v * t], {u: (-1, 1), v: (-1, 1)}), ImplicitSurface(x**2 + y + t * z, [(-1, 1)] * 3),
    difference(ball(), ball(1, (1, 0, 0))), solids.capsule()], ids=["patch", "implicit", "combination", "solid"])
def test_at_minus_t_a_body_is_where_it_was_at_t(body, motion):
    moved = body.moved(motion)
    for piece, other in zip(pieces_of(moved), pieces_of(backwards(moved)), strict=True):
        for time in (sp.Rational(1, 3), sp.Rational(5, 4), sp.Rational(3, 2)):
            here, there = ([e.xreplace({t: sign * time}) for p in [own] for e in (*p.motion.entries, *sp.flatten([p.body]))]
                           for own, sign in ((piece, 1), (other, -1)))
            assert all(sp.simplify(a - b) == 0 for a, b in zip(here, there, strict=True))


def test_splines_stay_splines():
    """So that a recorded motion is gone through from knot to knot backwards, too."""
    from generative.knots import splines_of

    moved = ball().moved(RECORDED)
    assert [len(e.samples.knots) for e in splines_of(backwards(moved))] == [len(e.samples.knots) for e in splines_of(moved)]
    assert all((e.samples.knots == -TIMES[::-1]).all() for e in splines_of(backwards(moved)))
    assert backwards(backwards(moved)) == moved
