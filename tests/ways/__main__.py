"""``python -m tests.ways``: the long search for answers that contradict each other, with new seeds until the time is up.

Every contradiction is printed with a command that repeats it, and written to a folder as a script that stands by itself.
"""

import argparse
import random
import time
from collections import Counter
from pathlib import Path

from collide.search import clock

from . import copies, equations, members, settings
from .asking import Findings, ask_copies, ask_equations, ask_machine, ask_members, ask_referee, ask_rows, ask_settings, asked, suiting
from .machinery import MACHINES
from .scenes import KINDS, scene
from .source import script

_compile_repeated = clock.compile_repeated


def _nothing() -> None:
    pass


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.ways", description=__doc__)
    kinds = (*KINDS, *equations.KINDS, *copies.KINDS, *settings.KINDS, *members.KINDS)
    parser.add_argument("scenes", nargs="*", metavar="KIND[:SEED]", help=f"kinds, or scenes to ask again (kinds: {', '.join(kinds)})")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=None, help="the first seed (default: from the clock)")
    parser.add_argument("--ways", nargs="*", help="only these (also: rows, referee, and those of `machinery`)")
    parser.add_argument("--budget", type=float, default=10.0, help="seconds a question")
    parser.add_argument("--found", type=Path, default=Path("build/contradictions"), help="folder for the scripts")
    options = parser.parse_args()
    named = [s for s in options.scenes if ":" in s]
    chosen = [s for s in options.scenes if ":" not in s] or kinds
    end, seed = time.monotonic() + 60 * options.minutes, int(time.time()) if options.seed is None else options.seed
    print(f"kinds {' '.join(chosen)}; first seed {seed}", flush=True)
    tally = Tally(options.found)
    if named:
        for name in named:
            kind, _, number = name.partition(":")
            tally.add(examined(kind, int(number), options.ways, options.budget))
    else:
        while time.monotonic() < end:
            for kind in chosen:
                tally.add(examined(kind, seed, options.ways, options.budget))
                if time.monotonic() >= end:
                    break
            seed += 1
    tally.print()
    return 1 if tally.wrong else 0


def examined(kind: str, seed: int, only: list[str] | None, budget: float) -> Findings:
    """A scene in some of the ways that suit it, chosen by its name."""
    if kind in equations.KINDS:
        return ask_equations(kind, seed, budget)
    if kind in copies.KINDS:
        return ask_copies(kind, seed)
    if kind in members.KINDS:
        return ask_members(kind, seed, budget)
    if kind in settings.KINDS:
        return ask_settings(kind, seed, min(budget, 3.0))
    given, choice = scene(kind, seed), random.Random(f"ways {kind} {seed}")
    # What is asked for at the end of a query makes later ones faster; here each comes but a few times.
    clock.compile_repeated = _compile_repeated if choice.random() < 0.2 else _nothing
    ways = suiting(given)
    shares = {"rows": 0.15} | dict.fromkeys(MACHINES, 0.05) | {"of_copies": 0.3}
    extra = ["referee", *(n for n, share in shares.items() if choice.random() < share)]
    names = choice.sample(ways, min(len(ways), 6)) if only is None else [n for n in only if n in ways]
    found = asked(given, names, budget)
    for name in extra if only is None else only:
        if name == "rows" and given.parametric and len(given.bodies) == 2 and given.kind != "kinked":
            ask_rows(found, budget)
        elif name in MACHINES:
            ask_machine(found, name, budget)
        elif name == "referee" and given.time is None:
            ask_referee(found, choice.random() < 0.3)
    return found


class Tally:
    """Counts of everything that was asked; contradictions are printed when they come."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.began, self.last = folder, time.monotonic(), time.monotonic()
        self.asked, self.less, self.seconds = Counter[str](), Counter[str](), Counter[str]()
        self.wrong = 0

    def add(self, found: Findings) -> None:
        self.asked.update([found.scene.kind])
        self.asked.update(found.seconds.keys())
        self.seconds.update(found.seconds)
        self.less.update({f"{found.scene.kind}, {name}": k for name, k in found.less.items()})
        if found.wrong:
            self.wrong += 1
            self.show(found)
        if time.monotonic() - self.last > 300:
            self.last = time.monotonic()
            self.print()

    def show(self, found: Findings) -> None:
        name = found.scene.name
        print(f"\n{name}: python -m tests.ways {name} --ways {' '.join(w for w in found.seconds)}", flush=True)
        for line in found.wrong:
            print(f"  {line}", flush=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{name.replace(':', '_')}.py"
        path.write_text(script(tuple(call for c in found.claims for call in c.asked), "\n".join(found.wrong)), encoding="utf-8")

    def print(self) -> None:
        minutes = (time.monotonic() - self.began) / 60
        print(f"\n{minutes:.1f} minutes, {self.wrong} scenes with contradictions", flush=True)
        print("asked:", ", ".join(f"{name} {k} ({self.seconds[name]:.0f} s)" if name in self.seconds else f"{name} {k}"
                                  for name, k in sorted(self.asked.items())), flush=True)
        print("known less:", ", ".join(f"{name} {k}" for name, k in self.less.most_common()), flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
