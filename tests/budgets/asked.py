"""One question in a process of its own, with an empty cache, and how much later than its budget it returns.

The time for which the process waits for a processor that others use does not count (`/proc/*/schedstat`, where there is one).
"""

import contextlib
import multiprocessing
import os
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from codegen.machine import cache
from codegen.machine.compiler import compiler

from ..ways.shapes import Draw
from .questions import QUESTIONS, UNLIMITED

# Seconds for which a question may go on after its time, until it is killed; after which its stack is noted; and frames that are noted.
ROOT = Path(__file__).parents[2]
PATIENCE, NOTED, FRAMES = 60.0, (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0), 14


@dataclass
class Late:
    """A question, its budget (or when Ctrl-C came), and by how many seconds it came late: by the clock, and without waiting for a
    processor. `stack`: where it was then; `told`: the first words of the answer, or of the error.
    """

    name: str
    seed: int
    budget: float
    interrupt: bool
    seconds: float = 0.0
    own: float = 0.0
    stack: str = ""
    told: str = ""
    again: str = ""

    def __str__(self) -> str:
        how = "Ctrl-C at" if self.interrupt else "budget"
        return f"{self.name}:{self.seed}, {how} {self.budget:.3g}: late {self.own:.2f} s ({self.seconds:.2f} by the clock); {self.told}"


def asked(name: str, seed: int, budget: float, interrupt: bool = False, again: float = 0.0) -> Late:
    """Asks it with a budget, or with a long one and Ctrl-C after so many seconds; and `again` with a budget of so many."""
    late = Late(name, seed, budget, interrupt or name in UNLIMITED)
    with tempfile.TemporaryDirectory() as folder:
        here, there = multiprocessing.Pipe()
        os.chmod(folder, 0o700)
        child = multiprocessing.get_context("fork").Process(target=_run, args=(there, folder, late, again))
        child.start()
        there.close()
        with contextlib.suppress(EOFError):
            began = here.recv()
            end = began + budget
            here.poll(max(0.0, end - time.perf_counter()))
            waited = _waited(child.pid)
            if late.interrupt and child.is_alive() and not here.poll():
                end = time.perf_counter()
                os.kill(child.pid or 0, signal.SIGINT)
            if here.poll(PATIENCE):
                ended, waited_then, late.told = here.recv()
                late.seconds = ended - end
                late.own = late.seconds - max(0.0, waited_then - waited)
                if again and here.poll(again + PATIENCE):
                    late.again = here.recv()
            else:
                late.seconds = late.own = PATIENCE
                late.told = "killed"
        if child.is_alive() and late.told == "killed":
            child.kill()
        child.join(10)
        if child.is_alive():
            child.kill()
        stack = Path(folder) / "stack.txt"
        late.stack = stack.read_text(encoding="utf-8") if stack.exists() else ""
    return late


def _waited(process: int | None) -> float:
    """Seconds for which the first thread of a process waited for a processor."""
    with contextlib.suppress(OSError):
        return int(Path(f"/proc/{process}/task/{process}/schedstat").read_text(encoding="ascii").split()[1]) / 1e9
    return 0.0


def _run(pipe: Any, folder: str, late: Late, again: float) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ[cache.VARIABLE] = folder
    try:
        ask = QUESTIONS[late.name](Draw(f"budgets {late.name} {late.seed}"))
    except BaseException as error:
        traceback.print_exc()
        pipe.send(time.perf_counter())
        pipe.send((time.perf_counter(), 0.0, f"not made: {error!r}"))
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    began, ended = time.perf_counter(), threading.Event()
    threading.Thread(target=_note, args=(Path(folder) / "stack.txt", began + late.budget, ended), daemon=True).start()
    try:
        pipe.send(began)
        told = _told(ask(60.0 if late.interrupt else late.budget))
    except KeyboardInterrupt:
        told = "KeyboardInterrupt"
    except Exception as error:
        told = f"{type(error).__name__}: {error}"
    end = time.perf_counter()
    ended.set()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pipe.send((end, _waited(os.getpid()), told[:160]))
    if again:
        pipe.send(_told(ask(again), whole=True))
    if compiler.child is not None:
        compiler.child.kill()
    os._exit(0)


def _note(file: Path, end: float, ended: threading.Event) -> None:
    """Where the first thread is at some times after its time is up; later where it does not let others run."""
    for after in NOTED:
        if ended.wait(max(0.0, end + after - time.perf_counter())):
            return
        frames = traceback.extract_stack(sys._current_frames()[threading.main_thread().ident or 0])
        stack = [*(f for f in frames if Path(f.filename).is_relative_to(ROOT)), frames[-1]][2:][-FRAMES:]
        with open(file, "a", encoding="utf-8") as noted:
            places = (f"{'/'.join(Path(f.filename).parts[-2:])}:{f.lineno} {f.name}" for f in reversed(stack))
            noted.write(f"  after {time.perf_counter() - end:.2f} s: {' < '.join(places)}\n")


def _told(answer: Any, whole: bool = False) -> str:
    """Its status, or all that it says of itself."""
    status = getattr(answer, "status", answer)
    names = ", ".join(sorted({s.name for s in status})) if whole and isinstance(status, np.ndarray) else ""
    return f"{(answer if whole else status)!r} {names}".replace("\n", " ")


def latest(found: list[Late], count: int = 10) -> Iterator[str]:
    """In words, those that came latest, with where they were then."""
    for late in sorted(found, key=lambda each: -each.own)[:count]:
        yield f"{late}\n{late.stack}"

