"""The prover's balls against those of the checker, and its trees."""

import flint
import numpy as np
import pytest

from collide.proof.checker.problem import Problem
from collide.proof.checker.rules import side
from collide.proof.trees import Grower

from .test_rules import FORMULAS


@pytest.mark.parametrize("text", FORMULAS)
def test_balls_contain_those_of_arb(text: str) -> None:
    """Or else the prover would take steps that the checker does not: at points up to rounding, over boxes with what that adds."""
    problem = Problem(["question zeros", "variable x -1 1", "variable y -1 1", f"equation {text}"])
    grower, rng = Grower(problem, ("formulas", None)), np.random.default_rng(2)
    system = problem.system("formulas", None)
    for size in (0.0, 1e-9, 0.05, 0.4):
        middle = rng.uniform(-0.6, 0.6, (11, 2))
        mid, rad = grower.balls(middle - size, middle + size, 2)
        for k in range(len(middle)):
            with flint.ctx.workprec(64):
                (value, g, h), = system.program.jets([side(c - size, c + size)[2] for c in middle[k].tolist()], 2)
            known = {0: value, **{1 + i: d for i, d in g.items()}, **{3 + 2 * i + j: d for (i, j), d in h.items()}}
            for entry, ball in known.items():
                m, r = mid[k, entry], rad[k, entry]
                if ball.is_nan():
                    assert not m - r > -np.inf or r >= 1, (text, entry, ball, m, r)
                elif m == m and r < np.inf:
                    slack = 1e-11 * (1 + abs(m)) + 1e-6 * r
                    assert m - r - slack <= float(ball.lower()) and float(ball.upper()) <= m + r + slack, (text, size, entry, ball, m, r)
