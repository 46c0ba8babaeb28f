"""Logs of all kinds that are altered, and what becomes of those that are accepted all the same.

``python -m tests.collide.proof.mutants 1000`` alters logs so many times. What is accepted must be a proof itself: either its theorem is
that of the log before, only shown by other steps, or `referee` puts what it claims to the test, and does not refute it.
"""

import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import collide

from .made import MADE
from .referee import refuted

NUMBER = re.compile(r"(?<![#\w.])-?(?:0x[0-9a-f.]+p[+-]\d+|\d+(?:/\d+)?)(?![\w.])")
STEPS = ("n", "c", "s", "h", "d", "i", "l", "x", "box")
CLAIMS = ("none", "some", "one")
SHAPES = ("point", "parameter", "corner", "triangle", "let", "equation", "condition", "self")
STATED = ("question", "variable", "except", "piece", "end", *SHAPES, *CLAIMS)
FOREIGN = ("self (- u u1)", "except 0 1", "piece 0", "piece 1", "variable t 0 1", "parameter u 0 1", "parameter x", "point u v 0",
           "point x0", "equation 0", "equation 1", "condition 1", "condition -1", "corner 0 0 0", "triangle 0 1 2", "box 0 1", "none",
           "none 1", "h 0", "l", "i 0", "d 1 0 0 0 1 0", "question zeros")
JUNK = ("", "(", ")", "nan", "inf", "-", "1/0", "0x1p+1000", "-1", "999999999", "#1", "t", "u", "1e5", "()", "piece", "x" * 300)
CHANGES = (("cos", "sin"), ("sin", "cos"), ("+", "-"), ("*", "+"), (" u", " v"), ("t", "u"), ("cos", "cosh"), ("sin", "frob"),
           ("- ", "abs "), (" x", " y"), (" x0", " x1"), (" t", " 0"), (" 1", " 0"), ("0 1 2", "2 1 0"), ("+ ", "max "),
           ("square", "neg"), ("u1", "v1"))
Lines = list[str]


class Nothing(Exception):
    """A log has no line of this kind."""


def _some(rng: random.Random, lines: Lines, kinds: tuple[str, ...]) -> int:
    found = [k for k, line in enumerate(lines) if line.split(" ")[0] in kinds]
    if not found:
        raise Nothing
    return rng.choice(found)


def _changed_number(rng: random.Random, line: str, change: Callable[[float], float]) -> str:
    """With one number changed, but for those that count bodies or pieces."""
    begin = {"variable": 2, "parameter": 2, "let": 2, "s": 2}.get(line.split(" ")[0], 1)
    head, rest = " ".join(line.split(" ")[:begin]), " ".join(line.split(" ")[begin:])
    found = [*NUMBER.finditer(rest)]
    if not found:
        raise Nothing
    m = rng.choice(found)
    text = m.group()
    value = float.fromhex(text) if "x" in text else float(_fraction(text))
    new = change(value)
    return f"{head} {rest[:m.start()]}{str(int(new)) if new == int(new) and abs(new) < 1e9 else new.hex()}{rest[m.end():]}"


def _fraction(text: str) -> float:
    p, _, q = text.partition("/")
    return int(p) / int(q or 1)


def bound(rng: random.Random, lines: Lines) -> None:
    """A claim says more, or less: later, farther, nearer."""
    k = _some(rng, lines, ("none", "some"))
    lines[k] = _changed_number(rng, lines[k], lambda x: x + rng.choice([1, -1]) * 2.0**-rng.randint(1, 12))


def sign(rng: random.Random, lines: Lines) -> None:
    """The weights of a step are those of the opposite."""
    k = _some(rng, lines, ("n", "c"))
    kind, *words = lines[k].split()
    rows = min(3, len(words))
    lines[k] = " ".join([kind, *(w[1:] if w.startswith("-") else w if w == "0" else f"-{w}" for w in words[:rows]), *words[rows:]])


def weight(rng: random.Random, lines: Lines) -> None:
    k = _some(rng, lines, ("n", "c"))
    lines[k] = _changed_number(rng, lines[k], lambda x: x * rng.choice([0.5, 1.5, 3, 0]) + rng.choice([0, 1, -40]))


def matrix(rng: random.Random, lines: Lines) -> None:
    """A number of a box in which a solution is said to exist, or of a matrix."""
    k = _some(rng, lines, ("x", "d", "box"))
    lines[k] = _changed_number(rng, lines[k], lambda x: -x if rng.random() < 0.5 else x * (1 + 2.0**-rng.randint(1, 20)))


def dropped(rng: random.Random, lines: Lines) -> None:
    del lines[_some(rng, lines, (*STEPS, "piece", "parameter", "end", *CLAIMS))]


def repeated(rng: random.Random, lines: Lines) -> None:
    k = _some(rng, lines, (*STEPS, "piece", "parameter"))
    lines.insert(k, lines[k])


def swapped(rng: random.Random, lines: Lines) -> None:
    a, b = (_some(rng, lines, STEPS) for _ in range(2))
    lines[a], lines[b] = lines[b], lines[a]


def division(rng: random.Random, lines: Lines) -> None:
    k = _some(rng, lines, ("s", "h"))
    if lines[k].startswith("h"):
        lines[k] = f"h {1 - int(lines[k][2:])}"
    elif rng.random() < 0.3:
        lines[k] = " ".join(["s", str(rng.randint(0, 5)), *lines[k].split()[2:]])
    else:
        lines[k] = _changed_number(rng, lines[k], lambda x: x + rng.choice([1, -1, 0.01, -0.01]))


def formula(rng: random.Random, lines: Lines) -> None:
    """Another number, function, or variable in what is stated."""
    k = _some(rng, lines, SHAPES)
    if rng.random() < 0.5:
        lines[k] = _changed_number(rng, lines[k], lambda x: x + rng.choice([1, -1, 0.25, -0.25, 0.01]))
        return
    begin = len(lines[k].split(" ")[0])
    old, new = rng.choice(CHANGES)
    lines[k] = lines[k][:begin] + lines[k][begin:].replace(old, new, 1)


def domain(rng: random.Random, lines: Lines) -> None:
    """Other ranges, another beginning, or pairs left out, or not."""
    k = _some(rng, lines, ("parameter", "variable", "self", "except"))
    if lines[k].startswith("except"):
        del lines[k]
    else:
        lines[k] = _changed_number(rng, lines[k], lambda x: x + rng.choice([1, -1, 0.5, 0.01]))


def moved(rng: random.Random, lines: Lines) -> None:
    """A line of the statement, or a claim, stands elsewhere, twice, or not at all."""
    line = lines[_some(rng, lines, STATED)]
    if rng.random() < 0.7:
        lines.remove(line)
    if rng.random() < 0.7:
        lines.insert(rng.choice([_some(rng, lines, STATED), rng.randint(1, len(lines))]), line)


def foreign(rng: random.Random, lines: Lines) -> None:
    """A line that another statement has."""
    lines.insert(_some(rng, lines, STATED), rng.choice(FOREIGN))


def cut(rng: random.Random, lines: Lines) -> None:
    del lines[rng.randrange(len(lines)):]


def garbled(rng: random.Random, lines: Lines) -> None:
    """Any word becomes another one, or nonsense."""
    k, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    words, others = lines[k].split(" "), lines[j].split(" ")
    words[rng.randrange(len(words))] = rng.choice([*JUNK, rng.choice(others)])
    lines[k] = " ".join(words)


KINDS = (bound, sign, weight, matrix, dropped, repeated, swapped, division, formula, domain, moved, foreign, cut, garbled)


def run(count: int, made: Mapping[str, Callable[[Path], None]], folder: Path, seed: int = 18) -> Counter[tuple[str, str]]:
    """How many mutants of each kind were rejected, or accepted with the same theorem, or with another that was not refuted;
    AssertionError for one whose claim is refuted.
    """
    rng, found = random.Random(seed), Counter[tuple[str, str]]()
    logs = {}
    for name, make in made.items():
        path = folder / "a.proof"
        make(path)
        logs[name] = path.read_text().splitlines(), collide.check(path)
        assert logs[name][1].accepted and not refuted(logs[name][0]), (name, str(logs[name][1]))
    while sum(found.values()) < count:
        kind, (name, (before, proved)) = KINDS[rng.randrange(len(KINDS))], rng.choice([*logs.items()])
        lines = [*before]
        try:
            kind(rng, lines)
        except (Nothing, OverflowError, ValueError):
            continue
        if lines == before:
            continue
        path = folder / "mutant.proof"
        path.write_text("".join(f"{line}\n" for line in lines))
        answer = collide.check(path, budget=60)
        if not answer.accepted:
            found[kind.__name__, answer.status.name.lower()] += 1
        elif answer.theorem == proved.theorem and answer.statement == proved.statement:
            found[kind.__name__, "a proof of the same"] += 1
        else:
            false = refuted(lines)
            if false:
                path.rename(folder / "false.proof")
            assert not false, f"a mutant of {name} ({kind.__name__}) is accepted, and {false!r} is false: {folder / 'false.proof'}"
            found[kind.__name__, "a proof of another claim"] += 1
    return found


if __name__ == "__main__":
    counts = run(int(sys.argv[1]), MADE, Path(tempfile.mkdtemp()), int(sys.argv[2]) if len(sys.argv) > 2 else 18)
    for what, times in sorted(counts.items()):
        print(f"{times:5}  {what[0]}: {what[1]}")
