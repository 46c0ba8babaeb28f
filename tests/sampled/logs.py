"""Logs of drawn scenes, and of drawn formulas with choices: of every answer that has a log, the checker accepts it, and what both say of
the first contact, of the least distance, or of the minimum, agrees.
"""

import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sympy as sp

import collide
from generative import x, y
from tests.ways import scenes

from .compared import Scene
from .distances import Near

KINDS = ("formulas", "mixed", "distances", "combined", "clearances", *scenes.KINDS)
Claims = dict[str, list[float]]


def logged(seed: int, budget: float) -> tuple[str, list[str]]:
    """The kind goes by the seed; what came of it, and what is wrong."""
    kind, number = KINDS[seed % len(KINDS)], seed // len(KINDS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.proof"
        try:
            answer = asked(kind, number, budget, path)
        except ValueError as error:
            if "no log can be written" not in str(error):
                raise
            return "no log of its kind", []
        if not path.exists():
            strange = "of an error" in answer.notes[-1] or ("does not accept" in answer.notes[-1] and kind != "formulas")
            return f"{answer.status.name}, no log", [f"{kind}: {answer.notes[-1]}"] * strange
        checked = collide.check(path, budget=4 * budget)
        if not checked.accepted:
            return str(checked.status.name), [f"{kind}: the log is not accepted: {checked}"] * (checked.status.name == "REJECTED")
        return "accepted", [f"{kind}: {words}" for words in wrong(answer, claims(path))]


def asked(kind: str, seed: int, budget: float, path: Path) -> Any:
    if kind == "formulas":
        return of_formulas(random.Random(seed), budget, path)
    if kind in scenes.KINDS:
        scene = scenes.scene(kind, seed)
        query = collide.first_contact if len(scene.bodies) > 1 else collide.self_contact
        return query(list(scene.bodies), scene.span, budget=budget, log=path)
    return Near(kind, seed).found(budget, path) if kind in ("distances", "clearances") else Scene(kind, seed).asked(budget, path)


def of_formulas(rng: random.Random, budget: float, path: Path) -> Any:
    """Zeros or a minimum of a formula that has kinks and steps, and places where it is undefined."""
    domain = {s: (-rng.randint(0, 2), rng.randint(1, 2)) for s in (x, y)[:rng.randint(1, 2)]}
    f, g = (_drawn(rng, [*domain], depth) + rng.choice([*domain]) / 8 for depth in (2, 1))
    if rng.random() < 0.5:
        return collide.solve([f, g][:len(domain)], domain, budget=budget, log=path)
    return collide.minimize(f, domain, at_least=[g][:rng.randint(0, 1)], budget=budget, log=path)


def _drawn(rng: random.Random, symbols: list[Any], depth: int) -> Any:
    s, q = rng.choice(symbols), sp.Rational(rng.randint(-8, 8), rng.randint(1, 4))
    if depth == 0:
        return s + q
    a, b = (_drawn(rng, symbols, depth - 1) for _ in range(2))
    return rng.choice([a + b, a * q + s, abs(a) - q, sp.Max(a, b), sp.Min(a, b), sp.floor(a) + s, sp.Piecewise((a, s < q), (b, True)),
                       sp.Piecewise((a, s >= q)), sp.sin(a), a**2 - q])


def claims(path: Path) -> Claims:
    """The numbers of claims; of common points none."""
    found = Claims()
    for line in path.read_text().splitlines():
        word, *args = line.split()
        if word == "question":
            names = {"none": "farther", "some": "nearer"} if args[0] in ("distance", "minimum") else {"none": "clear", "some": "meet"}
        if word in ("none", "some") and args:
            found.setdefault(names[word], []).extend([float.fromhex(args[0])] if names[word] != "meet" else [])
    return found


def wrong(answer: Any, said: Claims) -> Iterator[str]:
    if isinstance(answer, collide.Contacts):
        last = answer.time[1] if answer.time is not None and answer.status is collide.Status.CONTACT else float("inf")
        if not max(said.get("clear", [-1.0])) <= last:
            yield f"the log has no contact until {said['clear']}, the answer one at {answer.time!r}"
        if "meet" in said and answer.status is collide.Status.NO_CONTACT:
            yield "the log has a contact, the answer none"
    elif isinstance(answer, collide.Zeros):
        return
    elif not (max(said.get("farther", [float("-inf")])) <= answer.bracket.hi and
              answer.bracket.lo <= min(said.get("nearer", [float("inf")]))):
        yield f"the log says {said}, the answer {answer.bracket!r}"
