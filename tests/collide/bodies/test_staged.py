"""Bodies that follow splines have the numbers of each piece, and distances are told across all of them: `staged`."""

import numpy as np
import pytest
import sympy as sp

from collide import clearance
from collide.bodies.staged import Staged
from generative import Chain, Parameter, ParametricSurface, Rigid, fit, prismatic, revolute, solids, t, u, v

TIMES = np.linspace(0.0, 3.0, 61)
BALL = ParametricSurface([sp.cos(u) * sp.sin(v), sp.sin(u) * sp.sin(v), sp.cos(v)], {u: (0, 2 * sp.pi), v: (0, sp.pi)})
E = Parameter("e")


def heights() -> np.ndarray:
    """Of the centre of a ball: least, 2, at knot 30."""
    return 2.0 + np.abs(TIMES - 1.5) * (1.0 + 0.3 * np.sin(TIMES))


def test_numbers_of_a_stage_are_those_of_its_piece() -> None:
    path = fit.joint_motion(TIMES, heights()).value
    bodies = [BALL.moved(Rigid(translation=[0, 0, path])), BALL.moved(Rigid(translation=[0, 0, path + t])), BALL]
    staged = Staged(bodies, (0, sp.Rational(5, 2)), (0.0, 2.5), {})
    assert len(staged) == 50 and staged.ends[1] == TIMES[1] and staged.table(2) is None
    for stage in (0, 17, 49):
        lo, hi = staged.ends[stage:stage + 2].tolist()
        assert staged.span(stage) == (sp.Rational(lo) if stage else 0, sp.Rational(hi) if stage < 49 else sp.Rational(5, 2))
        for k in (0, 1):
            member, numbers = staged.members[k], staged.numbers(k, stage)
            known = {s: sp.Rational(a) if e is None else e for s, e, (a, _) in zip(
                member.symbols, numbers._exact, numbers.intervals.tolist(), strict=True)}
            for at in (lo, 0.3 * lo + 0.7 * hi):
                found = member.body.motion.translation[2].xreplace(known).xreplace({t: sp.Rational(at)})
                assert float(found) == pytest.approx(float(bodies[k].motion.translation[2].subs(t, at)), abs=1e-13)


def test_a_least_distance_at_a_knot_is_told() -> None:
    """Both verdicts, and the time."""
    path = fit.joint_motion(TIMES, heights()).value
    bodies = [BALL.moved(Rigid(translation=[0, 0, path])), BALL.moved(Rigid(translation=[0, 0, -1]))]
    moments = np.linspace(1.4, 1.6, 4001)
    least = min(float(path.xreplace({t: sp.Rational(at)})) for at in moments[1980:2021]) - 1.0
    found = clearance(bodies, (0, 3))
    assert found.bracket.lo <= least + 1e-9 and found.bracket.hi >= least - 1e-6 and 1.49 < found.times[0].mean() < 1.51
    assert clearance(bodies, (0, 3), at_least=found.bracket.lo * 0.999).verdict is True
    assert clearance(bodies, (0, 3), at_least=found.bracket.hi * 1.001).verdict is False


def test_a_link_that_is_in_the_way_in_one_stage_alone_is_found() -> None:
    """By the joints of a chain, with an error of the joint in a range: the gap is e and what the path has above 2."""
    path = fit.joint_motion(TIMES, heights()).value
    bar = solids.capsule(sp.Rational(1, 2), 1)
    arm = Chain({"low": bar, "high": bar}, [revolute("turn", "base", "low"), prismatic("lift", "low", "high")])
    bodies = arm.at({"turn": 3 * path, "lift": path + E})
    assert clearance(bodies, (0, 3), at_least=0.85, parameters={E: 1}).verdict is True
    assert clearance(bodies, (0, 3), at_least=0.85, parameters={E: (0.9, 1)}).verdict is True
    assert clearance(bodies, (0, 3), at_least=0.85, parameters={E: (0.8, 1)}).verdict is False
    assert clearance(bodies, (0, 3), parameters={E: (-1, 1)}).status.name == "MEETING"
