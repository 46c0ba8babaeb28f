"""Logs of drawn scenes: of every answer that has a log, the checker accepts it, and what both say of the first contact, or of the least
distance, agrees.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import collide
from tests.ways import scenes

from .compared import Scene
from .distances import Near

KINDS = ("mixed", "distances", "combined", "clearances", *scenes.KINDS)
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
            return f"{answer.status.name}, no log", []
        checked = collide.check(path, budget=4 * budget)
        if not checked.accepted:
            return str(checked.status.name), [f"{kind}: the log is not accepted: {checked}"] * (checked.status.name == "REJECTED")
        return "accepted", [f"{kind}: {words}" for words in wrong(answer, claims(path))]


def asked(kind: str, seed: int, budget: float, path: Path) -> Any:
    if kind in scenes.KINDS:
        scene = scenes.scene(kind, seed)
        query = collide.first_contact if len(scene.bodies) > 1 else collide.self_contact
        return query(list(scene.bodies), scene.span, budget=budget, log=path)
    return Near(kind, seed).found(budget, path) if kind in ("distances", "clearances") else Scene(kind, seed).asked(budget, path)


def claims(path: Path) -> Claims:
    """The numbers of claims; of common points none."""
    found = Claims()
    for line in path.read_text().splitlines():
        word, *args = line.split()
        if word == "question":
            names = {"none": "farther", "some": "nearer"} if args == ["distance"] else {"none": "clear", "some": "meet"}
        if word in ("none", "some"):
            found.setdefault(names[word], []).extend([float.fromhex(args[0])] if names[word] != "meet" else [])
    return found


def wrong(answer: Any, said: Claims) -> Iterator[str]:
    if isinstance(answer, collide.Contacts):
        last = answer.time[1] if answer.time is not None and answer.status is collide.Status.CONTACT else float("inf")
        if not max(said.get("clear", [-1.0])) <= last:
            yield f"the log has no contact until {said['clear']}, the answer one at {answer.time!r}"
        if "meet" in said and answer.status is collide.Status.NO_CONTACT:
            yield "the log has a contact, the answer none"
    elif not (max(said.get("farther", [0.0])) <= answer.bracket.hi and answer.bracket.lo <= min(said.get("nearer", [float("inf")]))):
        yield f"the log says {said}, the answer {answer.bracket!r}"
