"""One scene asked in several ways, and everything in which the answers contradict each other."""

import time
import traceback
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from . import copies, equations, machinery, members, other_queries, referee, settings
from .agreement import Claim, closed_form, contradictions, weaker
from .scenes import Scene
from .shapes import Draw
from .ways import WAYS


@dataclass
class Findings:
    """`wrong`: contradictions; `claims`: all answers, whose calls make a script; `less`: which knew less than others, counted."""

    scene: Any
    claims: list[Any] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    less: Counter[str] = field(default_factory=Counter)
    seconds: Counter[str] = field(default_factory=Counter)

    def compare(self, claims: Sequence[Claim]) -> None:
        self.claims += claims
        self.wrong += contradictions(list(claims))
        self.less.update(weaker(list(claims)))


def suiting(scene: Scene) -> list[str]:
    return [name for name, way in WAYS.items() if way.suits(scene)]


def asked(scene: Scene, names: Sequence[str], budget: float = 10.0) -> Findings:
    """The scene as drawn and in the ways named, each with choices of its own that depend on the scene and the name only."""
    found, claims = Findings(scene), []
    for name in ["as_drawn", *(n for n in names if n != "as_drawn")]:
        with_errors(found, name, lambda name=name: claims.append(WAYS[name].ask(name, scene, Draw(f"{scene.name} {name}"), budget)))
    found.compare([*claims, *([] if scene.time is None else [closed_form(scene.time, scene.span[1])])])
    return found


def with_errors(found: Findings, name: str, run: object) -> None:
    """An exception is a finding, too."""
    began = time.perf_counter()
    try:
        run()  # type: ignore[operator]
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        found.wrong.append(f"{name} raised {type(error).__name__}: {error} ({last.filename.rpartition('/')[2]}:{last.lineno})")
    found.seconds[name] += time.perf_counter() - began


def ask_rows(found: Findings, budget: float) -> None:
    def run() -> None:
        for claims in other_queries.rows_against_calls(found.scene, Draw(f"{found.scene.name} rows"), budget):
            found.compare(claims)

    with_errors(found, "rows", run)


def ask_machine(found: Findings, name: str, budget: float) -> None:
    def run() -> None:
        first = machinery.answer(found.scene, budget)
        found.wrong += machinery.disagreement(found.scene, name, first, budget)

    with_errors(found, name, run)


def ask_referee(found: Findings, thorough: bool) -> None:
    def run() -> None:
        found.wrong += referee.missed(found.scene, found.claims)
        if thorough:
            found.wrong += referee.unsupported(found.scene, found.claims)

    with_errors(found, "referee", run)


def ask_equations(kind: str, seed: int, budget: float) -> Findings:
    """A system of equations or a minimum in all ways."""
    found = Findings(equations.system(kind, seed))

    def run() -> None:
        found.wrong, found.claims = equations.wrong(kind, seed, budget)

    with_errors(found, kind, run)
    return found


def ask_copies(kind: str, seed: int) -> Findings:
    """An object that goes on from step to step, and copies of it."""
    found = Findings(copies.kept(kind, seed))
    with_errors(found, kind, lambda: found.wrong.extend(copies.wrong(found.scene)))
    return found


def ask_settings(kind: str, seed: int, budget: float) -> Findings:
    """Bodies with ranges of parameters, against single values."""
    found = Findings(settings.setting(kind, seed))

    def run() -> None:
        found.wrong, found.claims = settings.wrong(kind, seed, budget)

    with_errors(found, kind, run)
    return found


def ask_members(kind: str, seed: int, budget: float) -> Findings:
    """Bodies of one family after each other, and each as the first one."""
    found = Findings(members.members(kind, seed))
    with_errors(found, kind, lambda: found.wrong.extend(members.wrong(kind, seed, budget)))
    return found
