"""Logs that are altered, and a referee for those that are accepted all the same.

``python -m tests.collide.proof.mutants 1000`` alters logs of scenes so many times. What is accepted must be a proof itself: either it
claims what the log claimed before, only in other steps, or no common point of the surfaces that it states is found by many local
searches, and Newton's method finds the one that it says there is.
"""

import itertools
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import flint
import numpy as np

import collide
from collide.proof.checker.problem import Problem, below, double
from collide.proof.trees import Grower
from models.scenes import SCENES

NUMBER = re.compile(r"(?<![#\w.])-?(?:0x[0-9a-f.]+p[+-]\d+|\d+(?:/\d+)?)(?![\w.])")
Lines = list[str]


def _some(rng: random.Random, lines: Lines, kinds: tuple[str, ...]) -> int:
    return rng.choice([k for k, line in enumerate(lines) if line.split(" ")[0] in kinds])


def _changed_number(rng: random.Random, line: str, change: Callable[[float], float]) -> str:
    found = [*NUMBER.finditer(line)]
    if not found:
        return line
    m = rng.choice(found)
    text = m.group()
    value = float.fromhex(text) if "x" in text else float(_fraction(text))
    new = change(value)
    return line[:m.start()] + (str(int(new)) if new == int(new) and abs(new) < 1e9 else new.hex()) + line[m.end():]


def _fraction(text: str) -> float:
    p, _, q = text.partition("/")
    return int(p) / int(q or 1)


def bound(rng: random.Random, lines: Lines) -> None:
    """A claim goes further than the truth: the surfaces meet earlier."""
    k = _some(rng, lines, ("clear",))
    word, value = lines[k].split()
    lines[k] = f"{word} {(float.fromhex(value) + 2.0**-rng.randint(1, 12)).hex()}"


def sign(rng: random.Random, lines: Lines) -> None:
    """The weights of a step are those of the opposite."""
    k = _some(rng, lines, ("n", "m", "c"))
    kind, *words = lines[k].split()
    rows = 3
    lines[k] = " ".join([kind, *(w[1:] if w.startswith("-") else w if w == "0" else f"-{w}" for w in words[:rows]), *words[rows:]])


def weight(rng: random.Random, lines: Lines) -> None:
    k = _some(rng, lines, ("n", "m", "c"))
    lines[k] = lines[k][:1] + _changed_number(rng, lines[k][1:], lambda x: x * rng.choice([0.5, 1.5, 3, 0]) + rng.choice([0, 1, -40]))


def matrix(rng: random.Random, lines: Lines) -> None:
    """A number of the box in which a contact is said to exist, or of its matrix."""
    k = _some(rng, lines, ("x",))
    lines[k] = "x" + _changed_number(rng, lines[k][1:], lambda x: -x if rng.random() < 0.5 else x * (1 + 2.0**-rng.randint(1, 20)))


def dropped(rng: random.Random, lines: Lines) -> None:
    del lines[_some(rng, lines, ("n", "m", "c", "s", "x", "pair", "meet", "end"))]


def repeated(rng: random.Random, lines: Lines) -> None:
    k = _some(rng, lines, ("n", "m", "c", "s", "x", "pair"))
    lines.insert(k, lines[k])


def swapped(rng: random.Random, lines: Lines) -> None:
    a, b = (_some(rng, lines, ("n", "m", "c", "s")) for _ in range(2))
    lines[a], lines[b] = lines[b], lines[a]


def division(rng: random.Random, lines: Lines) -> None:
    k = _some(rng, lines, ("s",))
    lines[k] = "s" + _changed_number(rng, lines[k][1:], lambda x: x + rng.choice([1, -1, 0.01, -0.01]))


def formula(rng: random.Random, lines: Lines) -> None:
    """Another number, function, or variable in what is stated."""
    k = _some(rng, lines, ("surface", "let"))
    head, _, rest = lines[k].partition("(")
    if rng.random() < 0.5:
        lines[k] = head + "(" + _changed_number(rng, rest, lambda x: x + rng.choice([1, -1, 0.25, -0.25, 0.01]))
        return
    changes = [("cos", "sin"), ("sin", "cos"), ("+", "-"), ("*", "+"), (" u", " v"), ("t", "u"), ("cos", "cosh"), ("sin", "frob")]
    old, new = rng.choice(changes)
    lines[k] = head + "(" + rest.replace(old, new, 1)


def domain(rng: random.Random, lines: Lines) -> None:
    """Other ranges, or another beginning."""
    k = _some(rng, lines, ("surface", "time"))
    head = re.match(r"surface \d+ |time ", lines[k])
    assert head
    lines[k] = head.group() + _changed_number(rng, lines[k][head.end():], lambda x: x + rng.choice([1, -1, 0.5]))


def cut(rng: random.Random, lines: Lines) -> None:
    del lines[rng.randrange(len(lines)):]


KINDS = (bound, sign, weight, matrix, dropped, repeated, swapped, division, formula, domain, cut)


def claim(lines: Lines) -> tuple[str, ...]:
    """What a log states and claims, without the steps."""
    return tuple(line for line in lines if line.split(" ")[0] not in ("s", "n", "m", "c", "x"))


def common_point(lines: Lines) -> bool:
    """Is there a common point of the surfaces that a log states, before the time until which it says that there is none?"""
    statement = lines[1:next(k for k, line in enumerate(lines) if line.startswith(("clear", "meet")))]
    until = [double(line.split()[1]) for line in lines if line.startswith("clear")]
    problem, rng = Problem(statement), np.random.default_rng(1)
    with flint.ctx.workprec(64), np.errstate(all="ignore"):
        for a, b in problem.pairs() if until else ():
            grower, ranges = Grower(problem, ("common point", a, b)), problem.ranges("common point", a, b)
            root = np.array([*((float(lo), float(hi)) for lo, hi in ranges), (below(problem.moment(0)), until[0])])
            points = rng.uniform(root[:, 0], root[:, 1], (400, len(root)))
            for _ in range(40):
                value, slope = grower.jets(points)
                step = np.einsum("kij,kj->ki", np.linalg.pinv(np.nan_to_num(slope), rcond=1e-9), np.nan_to_num(value))
                points = np.clip(points - step, root[:, 0], root[:, 1])
            if np.nanmin(np.linalg.norm(grower.jets(points)[0], axis=1)) < 1e-9:
                return True
    return False


def lies_far(lines: Lines) -> bool:
    """Is a common point that a log says there is none, by Newton's method from the middle of its box?"""
    statement = lines[1:next(k for k, line in enumerate(lines) if line.startswith(("clear", "meet")))]
    problem = Problem(statement)
    with flint.ctx.workprec(64):
        for line, step in itertools.pairwise(lines):
            if not line.startswith("meet"):
                continue
            a, b = ((int(word),) for word in line.split()[1:])
            grower = Grower(problem, ("common point", a, b))
            ends = np.array([double(word) for word in step.split()[1:1 + 2 * grower.n]]).reshape(-1, 2)
            point, free = ends.mean(axis=1), ends[:, 0] < ends[:, 1]
            for _ in range(8):
                value, slope = grower.jets(point[None])
                point[free] -= np.linalg.lstsq(slope[0][:, free], value[0], rcond=None)[0]
            if not (np.linalg.norm(grower.jets(point[None])[0]) < 1e-10 and (abs(point - ends.mean(axis=1)) <= np.ptp(ends, axis=1)).all()):
                return True
    return False


def run(count: int, scenes: tuple[str, ...], folder: Path) -> Counter[tuple[str, str]]:
    """How many mutants of each kind were rejected, or accepted with the same claim, or with another that was found true; AssertionError
    for one whose claim is found to be false.
    """
    rng, found = random.Random(18), Counter[tuple[str, str]]()
    logs = []
    for name in scenes:
        path = folder / f"{name}.proof"
        collide.first_contact(list(SCENES[name].bodies), SCENES[name].time, log=path, **SCENES[name].options)
        logs.append(path.read_text().splitlines())
    for number in range(count):
        kind, lines = KINDS[number % len(KINDS)], [*rng.choice(logs)]
        before = [*lines]
        kind(rng, lines)
        if lines == before:
            continue
        path = folder / "mutant.proof"
        path.write_text("".join(f"{line}\n" for line in lines))
        if collide.check(path).accepted:
            same = claim(lines) == claim(before)
            assert same or not (common_point(lines) or lies_far(lines)), f"mutant {number} ({kind.__name__}) is accepted, and false"
            found[kind.__name__, "proof of the same" if same else "proof of another truth"] += 1
        else:
            found[kind.__name__, "rejected"] += 1
    return found


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        counts = run(int(sys.argv[1]), ("pendulum-on-post", "wheel-on-step", "tori-crossed"), Path(place))
    for what, times in sorted(counts.items()):
        print(f"{times:5}  {what[0]}: {what[1]}")
