"""The prover's balls against those of the checker, and its trees."""

from collections.abc import Sequence

import flint
import numpy as np
import pytest

from collide.proof.checker.check import follow
from collide.proof.checker.claims import ClaimStep
from collide.proof.checker.problem import Case, LogProblem
from collide.proof.checker.rules import side
from collide.proof.checker.text import double
from collide.proof.families import families
from collide.proof.native.memory import DIVIDED, MEAN
from collide.proof.trees import Grower, GrownTree, short

from .test_rules import FORMULAS


def grown(lines: Sequence[str], case: Case) -> tuple[Grower, LogProblem]:
    own = families(tuple(lines), 0)
    tape, numbers = own.of(case)
    return Grower(tape).of(numbers), own.problem


@pytest.mark.parametrize("text", FORMULAS)
def test_balls_contain_those_of_arb(text: str) -> None:
    """Or else the prover would take steps that the checker does not: at points up to rounding, over boxes with what that adds."""
    grower, problem = grown(["question zeros", "variable x -1 1", "variable y -1 1", "piece 0", f"equation {text}"], Case(((0,),)))
    rng = np.random.default_rng(2)
    system = problem.system(Case(((0,),)))
    for size in (0.0, 1e-9, 0.05, 0.4):
        middle = rng.uniform(-0.6, 0.6, (11, 2))
        values = grower.balls(middle - size, middle + size, 0)[:, :, 0].copy()
        mid, rad = grower.balls(middle - size, middle + size, 2)
        assert np.array_equal(values, [mid[:, 0], rad[:, 0]], equal_nan=True), "values alone are those that come with derivatives"
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


TILTED = ["question contact", "let #1 (* 1/2 (cos u) (cos v))", "let #2 (* 1/2 (sin u) (cos v))",
                  "let #3 (+ 3/2 (neg t) (* 1/2 (sin v)))",
                  "variable t 0 1", "piece 0", "parameter u -4 4", "parameter v -4 4",
                  "point (+ (* 2/7 u) (* 6/7 v)) (+ (* 3/7 u) (* 2/7 v)) (+ (* 6/7 u) (* -3/7 v))",
                  "piece 1", "parameter u 0 (* 2 pi)", "parameter v (* -1/2 pi) (* 1/2 pi)", "point (+ (* 2/7 #1) (* 6/7 #2) (* -3/7 #3)) "
                  "(+ (* 3/7 #1) (* 2/7 #2) (* 6/7 #3)) (+ (* 6/7 #1) (* -3/7 #2) (* -2/7 #3))"]


def test_slopes_that_vanish_but_for_rounding_are_not_said_to_have_a_sign() -> None:
    """A ball comes down on a plate that is tilted: the normal does not change along the plate, which Arb does not see exactly."""
    rng, system = np.random.default_rng(1), Case(((0,), (1,)))
    grower, problem = grown(TILTED, system)
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
                    follow(problem, ClaimStep(0, system, box, tuple(words)))


def test_members_of_a_family_have_one_tape() -> None:
    """Which is given the numbers of each."""
    found = []
    for radius, speed in ((2.5, -0.1), (1.0 / 3, 0.7)):
        r, s, ranges = radius.hex(), speed.hex(), ["parameter u 0 1", f"parameter v 0 {radius.hex()}"]
        own = families(("question contact", f"let #1 (* {s} t)", "variable t 0 1",
                        "piece 0", *ranges, f"point (* {r} (cos u)) (* {r} (sin u)) v",
                        "piece 1", *ranges, f"point u v (+ #1 (* {s} u))"), 0)
        tape, numbers = own.of(Case(((0,), (1,))))
        value, slope = Grower(tape).of(numbers).jets(np.array([[0.5, 0.25, 0.125, 1.0, 0.75]]))
        expected = [radius * np.cos(0.5) - 0.125, radius * np.sin(0.5) - 1, 0.25 - speed * 0.875]
        assert np.allclose(value[0], expected, rtol=1e-14) and slope[0, 2].tolist() == [0, 1, -speed, 0, -speed]
        found.append(tape)
    assert found[0] is found[1]


def test_numbers_are_written_as_they_are_read() -> None:
    rng = np.random.default_rng(4)
    numbers = np.concatenate([rng.normal(size=900) * 2.0**rng.integers(-900, 900, 900), rng.integers(-10**7, 10**7, 60), np.arange(-9, 12),
                              2.0**np.arange(-20, 20), [1e6, 999999, 1000001, 0.1, -0.0, np.nextafter(2, 3), np.nextafter(2, 1)]])
    tree = object.__new__(GrownTree)
    tree.used, tree.sizes, tree.open_from = 3, {"n": 1, "m": len(numbers)}, np.inf
    tree.arrays = {"kind": np.array([DIVIDED, MEAN, MEAN]), "part": np.array([1, -1, -1]), "by": np.zeros(3, int), "cut": np.full(3, 0.3),
                   "box": np.array([[[0, 1]], [[0, 0.3]], [[0.3, 1]]]), "weights": np.stack([numbers] * 3), "more": np.zeros((3, 2)),
                   "near": np.zeros((3, 1))}
    divided, first, second = tree.lines()[0].split("\n")
    assert divided == f"s 0 {short(0.3)}" and first == second
    assert [double(word) for word in first.split()[1:]] == numbers.tolist()
    assert tree.lines(0.1)[0].split("\n") == [divided, first, "l"]
