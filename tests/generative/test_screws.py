"""Motions as chains of screws: the bound of the error is proved, and holds at samples."""

import numpy as np
import pytest
import sympy as sp

from generative import Motion, Rigid, Screw, axis_angle, fit, t
from generative.numeric import approx_function

CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
CURVED = Rigid(rotation=axis_angle([0, 0, 1], t) * axis_angle([1, 0, 0], t**2), translation=[t, sp.sin(t), 0])


def measured(found, motion):
    """The largest distance at samples, of points in the hull."""
    own, worst = approx_function(motion.entries, [t]), 0.0
    inner = np.vstack([CORNERS, 0.5 * CORNERS[:4] + 0.25 * CORNERS[4:]])
    for screw, (begin, end) in found.segments:
        at = np.linspace(begin, end, 40)
        off = own(at) - approx_function(screw.entries, [t])(at)
        moved = np.einsum("tij,pj->tpi", off[:, :9].reshape(-1, 3, 3), inner) + off[:, None, 9:]
        worst = max(worst, np.linalg.norm(moved, axis=2).max())
    return worst


@pytest.mark.parametrize("tolerance", [0.3, 0.05])
def test_the_error_is_bounded_and_not_by_much(tolerance):
    found = fit.screws(CURVED, (0, 1), CORNERS, tolerance)
    worst = measured(found, CURVED)
    assert worst - 1e-14 <= found.error <= min(tolerance, 1.2 * worst) and "proved" in found.statement
    assert found.segments[0][1][0] == 0 and found.segments[-1][1][1] == 1 and isinstance(found.value, Motion)
    ends = [span for _, span in found.segments]
    assert [a[1] for a in ends[:-1]] == [b[0] for b in ends[1:]]
    # They join exactly: the end of one is the beginning of the next.
    for (first, span), (second, _) in zip(found.segments, found.segments[1:], strict=False):
        both = [approx_function(m.entries, [t])(np.array(span[1])) for m in (first, second)]
        assert np.abs(both[0] - both[1]).max() < 1e-14


def test_a_screw_is_one_screw():
    found = fit.screws(Screw(axis=[1, 2, 2], point=[1, 0, 0], angle=t, advance=t / 3), (0, 1), CORNERS, 1e-2)
    assert len(found.segments) == 1 and found.error <= 1e-2 and measured(found, Screw(axis=[1, 2, 2], point=[1, 0, 0], angle=t,
                                                                                     advance=t / 3)) < 1e-14


def test_turns_of_a_half_and_more_are_divided():
    found = fit.screws(Screw(axis=[0, 0, 1], angle=7 * t), (0, 1), CORNERS, 0.2)
    assert len(found.segments) >= 5 and measured(found, Screw(axis=[0, 0, 1], angle=7 * t)) < 1e-13


def test_what_is_no_motion_or_no_point_is_named():
    for arguments, message in ((((0, 1), CORNERS[:, :2]), r"shape \(n, 3\)"), (((1, 0), CORNERS), "increas"),
                               (((0, 1), CORNERS * np.nan), "finite"), (((0, 1), CORNERS[:0]), "n > 0")):
        with pytest.raises(ValueError, match=message):
            fit.screws(CURVED, *arguments)
    with pytest.raises(ValueError, match="tolerance"):
        fit.screws(CURVED, (0, 1), CORNERS, tolerance=-1)
    with pytest.raises(TypeError, match="Motion"):
        fit.screws(t, (0, 1), CORNERS)
    with pytest.raises(ValueError, match="not defined"):
        fit.screws(Rigid(translation=[1 / t, 0, 0]), (0, 1), CORNERS)
    jump = Rigid(translation=[sp.Piecewise((0, t < sp.Rational(1, 3)), (1, True)), 0, 0])
    with pytest.raises(ValueError, match="no 4096 screws"):
        fit.screws(jump, (0, 1), CORNERS, tolerance=0.1)
