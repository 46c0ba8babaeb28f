"""Logs of first_contact: processor time of a warm query without and with a log, bytes and steps of it, and seconds of the checker.

The goal is 1.3 times the query without a log, at most 200 bytes a step, and the crossed tori checked in 1 s.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import collide
from models.scenes import SCENES

from .timing import table

TIMES = 5


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        rows = [_row(name, Path(folder) / "a.proof") for name, scene in SCENES.items() if len(scene.bodies) > 1]
    table("Logs of first_contact, least of five (goals: 1.3 times, 200 bytes a step, the crossed tori checked in 1 s)",
          ["", "ms without", "ms with a log", "times", "steps", "bytes a step", "s checked", ""], rows)


def _row(name: str, path: Path) -> list[Any]:
    scene = SCENES[name]
    without = _spent(lambda: collide.first_contact(scene.bodies, scene.time, **scene.options))
    logged = _spent(lambda: collide.first_contact(scene.bodies, scene.time, **scene.options, log=path))
    if not path.exists():
        return [name, 1e3 * without, 1e3 * logged, logged / without, "-", "-", "-", "no log"]
    size, checked = path.stat().st_size, collide.check(path)
    path.unlink()
    return [name, 1e3 * without, 1e3 * logged, logged / without, checked.steps, size / max(checked.steps, 1), checked.seconds,
            checked.status.name]


def _spent(ask: Callable[[], Any]) -> float:
    """Seconds of the processor, the least of some times, after one for code that is made."""
    found = list[float]()
    for _ in range(TIMES + 1):
        begin = time.process_time()
        ask()
        found.append(time.process_time() - begin)
    return min(found[1:])


if __name__ == "__main__":
    main()
