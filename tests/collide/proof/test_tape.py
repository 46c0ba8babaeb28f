"""The prover's balls against those of the checker, and its trees."""

import flint
import numpy as np
import pytest

from collide.proof.checker.check import follow
from collide.proof.checker.claims import Step
from collide.proof.checker.problem import Case, Problem
from collide.proof.checker.rules import side
from collide.proof.checker.text import double
from collide.proof.trees import Grower

from .test_rules import FORMULAS


@pytest.mark.parametrize("text", FORMULAS)
def test_balls_contain_those_of_arb(text: str) -> None:
    """Or else the prover would take steps that the checker does not: at points up to rounding, over boxes with what that adds."""
    problem = Problem(["question zeros", "variable x -1 1", "variable y -1 1", "piece 0", f"equation {text}"])
    grower, rng = Grower(problem, Case(((0,),))), np.random.default_rng(2)
    system = problem.system(Case(((0,),)))
    for size in (0.0, 1e-9, 0.05, 0.4):
        middle = rng.uniform(-0.6, 0.6, (11, 2))
        mid, rad = grower.balls(middle - size, middle + size, 2)
        for k in range(len(middle)):
            with flint.ctx.workprec(64):
                balls = [side(c - size, c + size)[2] for c in middle[k].tolist()]
                (value, g, h), = system.program.jets(system.equations, balls, 2, (0, 1))
            known = {0: value, **{1 + i: d for i, d in g.items()}, **{3 + 2 * i + j: d for (i, j), d in h.items()}}
            for entry, ball in known.items():
                m, r = mid[k, entry], rad[k, entry]
                if ball.is_nan():
                    assert not m - r > -np.inf or r >= 1, (text, entry, ball, m, r)
                elif m == m and r < np.inf:
                    slack = 1e-11 * (1 + abs(m)) + 1e-6 * r
                    assert m - r - slack <= float(ball.lower()) and float(ball.upper()) <= m + r + slack, (text, size, entry, ball, m, r)


TILTED = Problem(["question contact", "let #1 (* 1/2 (cos u) (cos v))", "let #2 (* 1/2 (sin u) (cos v))",
                  "let #3 (+ 3/2 (neg t) (* 1/2 (sin v)))",
                  "variable t 0 1", "piece 0", "parameter u -4 4", "parameter v -4 4",
                  "point (+ (* 2/7 u) (* 6/7 v)) (+ (* 3/7 u) (* 2/7 v)) (+ (* 6/7 u) (* -3/7 v))",
                  "piece 1", "parameter u 0 (* 2 pi)", "parameter v (* -1/2 pi) (* 1/2 pi)", "point (+ (* 2/7 #1) (* 6/7 #2) (* -3/7 #3)) "
                  "(+ (* 3/7 #1) (* 2/7 #2) (* 6/7 #3)) (+ (* 6/7 #1) (* -3/7 #2) (* -2/7 #3))"])


def test_slopes_that_vanish_but_for_rounding_are_not_said_to_have_a_sign() -> None:
    """A ball comes down on a plate that is tilted: the normal does not change along the plate, which Arb does not see exactly."""
    rng, system = np.random.default_rng(1), Case(((0,), (1,)))
    grower = Grower(TILTED, system)
    for k in range(92):
        v, begin, end, c = rng.uniform(0.1, 1), rng.uniform(0.3, 0.9), 1 - 10**-rng.uniform(1.5, 5), rng.uniform(-0.02, 0.06, 2)
        root = [*((x - 0.06, x) for x in c.tolist()), (3.9269908169872423, 4.319689898685967), (-1.5707963, -1.5707963 + v), (begin, end)]
        tree = grower.grow(root, 2000, lambda: True) if k >= 86 else None
        if tree is None or tree.open_from < np.inf:
            continue
        stack = [tuple(root)]
        for line in tree.lines()[0].split("\n"):
            box, words = stack.pop(), line.split()
            if words[0] == "s":
                i = int(words[1])
                at = double(words[2]) if len(words) > 2 else 0.5 * sum(box[i])
                stack += [(*box[:i], ends, *box[i + 1:]) for ends in ((at, box[i][1]), (box[i][0], at))]
                continue
            with flint.ctx.workprec(64):
                if words[0] == "c":
                    follow(TILTED, Step(0, system, box, tuple(words)))
