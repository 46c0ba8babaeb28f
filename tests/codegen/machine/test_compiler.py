"""Machine code made in the background: used as soon as it is there, by one child, which leaves nothing behind and holds nobody up."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import codegen
from codegen.graph.serialize import serialize
from codegen.machine import cache, compiler, compiler_process, tiers
from codegen.machine.compiler import Compiler, Work
from tests.codegen.boxes import random_boxes, same_bits
from tests.codegen.test_random_graphs import VARIABLES, Grower

ROOT = Path(__file__).parents[3]
EMPTY = "define void @f() {\n  ret void\n}"
POSIX = pytest.mark.skipif(os.name != "posix", reason="signals and copies of processes")


def long_text(lines: int = 40_000) -> str:
    """What LLVM needs some seconds for."""
    steps = "\n".join(f"  %x{k + 1} = fmul <8 x double> %x{k}, %x{k // 2}" for k in range(lines))
    return f"define <8 x double> @f(<8 x double> %x0) {{\n{steps}\n  ret <8 x double> %x{lines}\n}}"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """An empty cache."""
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def made(place):
    """A compiler of its own, and what it made, by name."""
    own, found = Compiler(), {}
    yield own, lambda name, text: own.ask(Work(name, "text", (text,)), lambda code: found.__setitem__(name, code)), found
    own.settle()
    child = own.child
    if child is not None:
        child.stdin.close()
        child.wait()


def has_ended(pid: int) -> bool:
    """Does a process end that is not our child?"""
    for _ in range(600):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


def script(code: str, place: Path) -> list[str]:
    """What a process of its own prints; what it starts does not hold its output."""
    begin = ("import os, sys\nfrom tests.codegen.machine.test_compiler import EMPTY, long_text\n"
             "from codegen.machine.compiler import Work, compiler\n")
    done = subprocess.run([sys.executable, "-c", begin + code], env={**os.environ, cache.VARIABLE: str(place)}, cwd=ROOT, check=True,
                          capture_output=True, text=True)
    assert done.stderr == ""
    return done.stdout.split()


def test_what_is_made_is_handed_out_and_kept(made, place):
    own, ask, found = made
    for name in ("one", "two", "one"):
        ask(name, EMPTY)
    own.settle()
    assert found["one"] == found["two"] == cache.load("one") and own.child is not None
    child = own.child
    ask("three", EMPTY)
    own.settle()
    assert own.child is child, "one child for all"


def test_what_cannot_be_made_stays_as_it_is(made):
    own, ask, found = made
    ask("bad", "this is no assembly")
    ask("good", EMPTY)
    own.settle()
    assert list(found) == ["good"] and cache.load("bad") is None


def test_nothing_is_made_by_another_source_than_the_name_stands_for(made, monkeypatch):
    """It would be kept in the cache under a name that promises the other one."""
    own, ask, found = made
    monkeypatch.setattr(compiler.cache, "fingerprint", lambda: b"another")
    ask("name", EMPTY)
    own.settle()
    assert not found and cache.load("name") is None


@pytest.mark.parametrize("kind", ["interval", "decorated", "points"])
@pytest.mark.parametrize("bounded", [False, True])
def test_the_text_of_kernels_is_the_same_in_both_processes(kind, bounded):
    kernel = codegen.Kernel(Grower(3).graphs(40), [f"x{k}" for k in range(VARIABLES)], quick=True, bounded=bounded)
    assert kernel._interpretable
    assert compiler_process._block(serialize(kernel.outputs), kind, kernel._bounded(kind)) == kernel.llvm(kind, "block")


@POSIX
def test_what_a_child_died_of_is_given_up(made):
    own, ask, found = made
    for turn in range(2):
        ask("long", long_text())
        ask(f"short {turn}", EMPTY)
        with own._changed:
            assert own._changed.wait_for(lambda: own.child is not None and len(own._handed) == 2, 60)
        os.kill(own.child.pid, signal.SIGKILL)
        own.settle()
    assert list(found) == ["short 0", "short 1"]


@POSIX
def test_children_that_keep_dying_are_no_longer_started(made, monkeypatch):
    own, ask, found = made
    monkeypatch.setattr(compiler, "_BEGIN", "import os; os.read(0, 1); os.abort() # {path} {package} {root}")
    warned = []
    monkeypatch.setattr(compiler.warnings, "warn", lambda text, *given, **options: warned.append(text))
    for k in range(5):
        ask(f"name {k}", EMPTY)
        own.settle()
    assert not found and own._deaths == compiler._DEATHS and len(warned) == 1 and own.child is None


@POSIX
def test_a_child_that_is_gone_before_it_gets_its_work_is_followed_by_another(made, monkeypatch):
    """What is written to it goes nowhere, and neither to a file that was opened meanwhile; the thread that hands over goes on."""
    own, ask, found = made
    begin, living = compiler._BEGIN, own._living

    def late(name):
        child = living(name)
        monkeypatch.setattr(compiler, "_BEGIN", begin)
        if child is not None and not gone:
            with own._changed:
                assert own._changed.wait_for(lambda: own.child is not child, 60)
            gone.append(child)
        return child

    gone = []
    monkeypatch.setattr(compiler, "_BEGIN", "raise SystemExit # {path} {package} {root}")
    monkeypatch.setattr(own, "_living", late)
    for name in ("one", "two"):
        ask(name, EMPTY)
    own.settle(60)
    assert list(found) == ["two"] and own._deaths == 1 and gone[0].stdin.closed and gone[0].stdout.closed


def test_what_cannot_be_handed_over_or_used_is_given_up_alone(made, monkeypatch):
    own, ask, found = made
    own.ask(Work("no message", "text", (lambda: None,)), lambda code: None)
    own.ask(Work("used wrongly", "text", (EMPTY,)), lambda code: 1 / 0)
    ask("one", EMPTY)
    own.settle(60)
    assert list(found) == ["one"] and own._deaths == 0


_BESIDE = """import sys, time
from codegen.machine.compiler import Work, compiler
sys.path.insert(0, "")
compiler.ask(Work("name", "text", ({text!r},)), id)
compiler.settle(60)
print(compiler.child.pid)
"""


@POSIX
def test_nothing_beside_the_user_s_program_runs_in_a_child(place, tmp_path):
    """There may be a `queue.py` or a `numpy.py`, and a notebook's path begins with the working folder."""
    for name in (*sys.stdlib_module_names, "llvmlite", "mpmath", "numpy", "sympy"):
        (tmp_path / f"{name}.py").write_text(f"import os\nopen('ran', 'a').write(f'{name} {{os.getpid()}}\\n')\n")
    done = subprocess.run([sys.executable, "-P", "-c", _BESIDE.format(text=EMPTY)], capture_output=True, text=True, cwd=tmp_path,
                          env={**os.environ, cache.VARIABLE: str(place), "PYTHONPATH": str(ROOT)}, timeout=120)
    assert done.returncode == 0, done.stderr
    ran = (tmp_path / "ran").read_text().split("\n") if (tmp_path / "ran").exists() else []
    assert [line for line in ran if line.endswith(f" {done.stdout.strip()}")] == [] and cache.load("name") is not None


def test_where_no_child_can_be_started_a_thread_compiles(made, monkeypatch):
    own, ask, found = made
    monkeypatch.setattr(compiler.sys, "executable", "/usr/bin/modeller")
    ask("name", EMPTY)
    own.settle()
    assert own.child is None and found["name"] == cache.load("name")


@POSIX
def test_nobody_who_asks_waits_until_a_child_is_started(made, monkeypatch):
    own, ask, found = made
    begun, go, start = threading.Event(), threading.Event(), compiler._started

    def started():
        begun.set()
        go.wait(20)
        return start()

    monkeypatch.setattr(compiler, "_started", started)
    ask("one", EMPTY)
    assert begun.wait(20)
    asking = threading.Thread(target=ask, args=("two", EMPTY))
    asking.start()
    asking.join(5)
    waits = asking.is_alive()
    go.set()
    own.settle()
    assert not waits and set(found) == {"one", "two"}


@pytest.mark.parametrize("refused", ["compiler", "compiled"])
def test_where_no_thread_can_be_started_nothing_is_waited_for(made, monkeypatch, refused):
    """What somebody needs is made by himself then (see `waited.awaited`); no child is left behind."""
    own, ask, found = made
    start, children, popen = threading.Thread.start, [], compiler._started

    def refuse(self):
        if self.name == refused:
            raise RuntimeError("can't start new thread")
        start(self)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    monkeypatch.setattr(compiler, "_started", lambda: (children.append(popen()), children[-1])[1])
    ask("one", EMPTY)
    own.settle(20)
    assert not own.works_at("one") and not found and all(child.returncode is not None for child in children)
    monkeypatch.undo()
    ask("two", EMPTY)
    own.settle()
    assert "two" in found


@POSIX
def test_a_process_is_not_copied_while_code_is_made_or_begun_to_be_used_in_it(made):
    """The copy would have locks that nobody opens."""
    own, _, _ = made
    own._busy.acquire()
    holding = threading.Thread(target=own.hold)
    holding.start()
    holding.join(0.05)
    assert holding.is_alive()
    own._busy.release()
    holding.join()
    assert own._busy.locked()
    own.release()
    assert not own._busy.locked()


def test_children_hear_no_interrupt(made):
    own, ask, found = made
    ask("one", EMPTY)
    own.settle()
    child = own.child
    os.kill(child.pid, signal.SIGINT)
    ask("two", EMPTY)
    own.settle()
    assert own.child is child and list(found) == ["one", "two"]
    assert os.getsid(child.pid) != os.getsid(0), "what the terminal sends to all does not reach it"
    group = Path(f"/proc/{child.pid}/autogroup")
    assert not group.exists() or not group.read_text() or group.read_text().endswith(" nice 10\n"), "it gives way to all that do not wait"


@POSIX
def test_a_short_program_ends_at_once_and_what_it_asked_for_is_made(place):
    (pid,) = script("compiler.ask(Work('name', 'text', (EMPTY,)), id)\nwhile not compiler.child: pass\nprint(compiler.child.pid)", place)
    assert has_ended(int(pid))
    assert (place / "name.o").exists()


@POSIX
def test_nobody_waits_at_the_end_for_what_is_being_made(place):
    """The child has just begun as the other process ends, and ends some seconds later, wherever it is."""
    (pid,) = script("for k in range(9): compiler.ask(Work(f'name{k}', 'text', (long_text(),)), id)\n"
                    "while compiler.child is None: pass\nprint(compiler.child.pid)", place)
    assert not (place / "name8.o").exists()
    assert has_ended(int(pid))
    assert not (place / "name8.o").exists()


@POSIX
def test_a_thread_that_compiles_is_waited_for_at_the_end(place):
    """LLVM must not be at work while its process is taken down; what has not begun is left."""
    script("sys.executable = 'modeller'\nfor k in range(3): compiler.ask(Work(f'name{k}', 'text', (long_text(2000),)), id)", place)
    assert not (place / "name2.o").exists()


@POSIX
def test_copies_of_a_process_have_a_child_of_their_own(place):
    said = script("compiler.ask(Work('one', 'text', (EMPTY,)), id)\ncompiler.settle()\nfirst = compiler.child.pid\n"
                  "if (copy := os.fork()) == 0:\n"
                  "    assert compiler.child is None\n"
                  "    compiler.ask(Work('two', 'text', (EMPTY,)), id)\n    compiler.settle()\n    os._exit(compiler.child.pid == first)\n"
                  "assert os.waitpid(copy, 0)[1] == 0\n"
                  "compiler.ask(Work('three', 'text', (EMPTY,)), id)\ncompiler.settle()\nprint(compiler.child.pid == first)", place)
    assert said == ["True"] and all((place / f"{name}.o").exists() for name in ("one", "two", "three"))


@pytest.mark.usefixtures("nothing_compiled")
def test_answers_are_the_same_while_code_is_exchanged():
    """Threads evaluate a kernel while its machine code arrives."""
    outputs = Grower(7).graphs(60)
    names = [f"x{k}" for k in range(VARIABLES)]
    kernel = codegen.Kernel(outputs, names, quick=True)
    boxes = random_boxes("exchanged", 64, VARIABLES)
    first, tiered, wrong = kernel.interval(*boxes), kernel._tiered("interval"), []
    stop = threading.Event()

    def evaluate() -> None:
        while not stop.is_set():
            wrong.extend(1 for a, b in zip(kernel.interval(*boxes), first, strict=True) if not same_bits(a, b))

    threads = [threading.Thread(target=evaluate) for _ in range(3)]
    for thread in threads:
        thread.start()
    tiered.ask()
    compiler.compiler.settle()
    calls = tiered.calls
    kernel.interval(*boxes)
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong and calls == tiered.calls == 0 and all(map(same_bits, kernel.interval(*boxes), first))
    assert all(map(same_bits, codegen.Kernel(outputs, names).interval(*boxes), first))
    assert tiers._all and np.isfinite(tiers._all[0].cells).all()
