"""Machine code made in the background, by a process of its own, while this one goes on with what it has.

LLVM is reached through one lock a process, and its text is written under the interpreter's lock: a thread that compiles would stop those
that compute. So a child does both (`compiler_process`), the same for all threads. It is started when something is first asked for, hears
no Ctrl-C, writes nothing but the cache on disk, and ends when it is idle for a while, or some seconds after this process: until then it
goes on, so that short programs find their code the next time. If it dies, what it was at is given up, and stays as it is. Where no child
can be started, a thread compiles.

The child imports the standard library, this package from its folder, and `_NEEDED` from where this process has them: nothing that lies in
the working folder or beside the user's program.
"""

import atexit
import contextlib
import os
import queue
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, NamedTuple

from . import cache
from .compiler_process import ENDED, made, receive, send

# So many children may die before no more is started; and seconds that a process may wait when it ends, until its requests are written, and
# when it is copied, until no code is made in it.
_DEATHS, _HAND_OVER, _HOLD = 3, 0.2, 5.0
# Bytes that a pipe shall hold, so that requests are written at once.
_PIPE = 1 << 20
_ROOT = Path(__file__).parents[1]
_NEEDED = ("llvmlite", "mpmath", "numpy")
# The package itself imports SymPy, which the child does not need: it has a bare one instead. Its own path, that of the standard library,
# comes first.
_BEGIN = """import sys, types
sys.path += {path!r}
package = types.ModuleType({package!r})
package.__path__ = [{root!r}]
sys.modules[{package!r}] = package
from {package}.machine.compiler_process import main
main()"""


class Work(NamedTuple):
    """Code to be made: its name in the cache, and how (see `compiler_process.made`)."""

    name: str
    how: str
    given: tuple[Any, ...]


Adopt = Callable[[bytes], None]


class Compiler:
    """Requests, and the child that serves them: one thread hands them over, another one takes the answers. `polite`: the child comes after
    all other processes.
    """

    def __init__(self, polite: bool = True) -> None:
        self._polite = polite
        self._changed = threading.Condition()
        # LLVM is at work in this process.
        self._busy, self._held = threading.Lock(), False
        self._asked: dict[str, tuple[Work, list[Adopt]]] = {}
        # The names of those that are not handed over yet, how many, and the names of those that the child has.
        self._queue, self._waiting, self._handed = queue.SimpleQueue["str | subprocess.Popen[bytes]"](), 0, dict[str, None]()
        self._adopting, self._deaths, self._serves, self._ends = 0, 0, False, False
        self.child: subprocess.Popen[bytes] | None = None

    def ask(self, work: Work, adopt: Adopt) -> None:
        """`adopt` is called with the machine code when it is ready, in another thread; never if it cannot be made."""
        with self._changed:
            if self._ends:
                return
            if work.name in self._asked:
                self._asked[work.name][1].append(adopt)
                return
            if not self._serves:
                try:
                    threading.Thread(target=self._serve, name="compiler", daemon=True).start()
                except RuntimeError:
                    # There can be no more threads, as while the interpreter ends.
                    return
                self._serves = True
            self._asked[work.name] = work, [adopt]
            self._put(work.name)

    def settle(self, seconds: float = 900.0) -> None:
        """Waits until all that was asked for is in use: for tests and benchmarks. RuntimeError if it takes longer."""
        with self._changed:
            if not self._changed.wait_for(lambda: not (self._asked or self._adopting), seconds):
                raise RuntimeError(f"{len(self._asked)} pieces of machine code were not ready within {seconds} s")

    def works_at(self, name: str) -> bool:
        """Whether that code is still to come. It waits for no lock, so that Ctrl-C may come meanwhile."""
        return (name in self._asked or self._adopting > 0) and self._deaths < _DEATHS

    def hand_over(self) -> None:
        """This process ends: the child gets the rest, and goes on without it; what LLVM does here is waited for."""
        with self._changed:
            self._ends = True
            self._changed.wait_for(lambda: not self._waiting, _HAND_OVER)
            if self.child is not None:
                # Nobody will ask how it ended.
                self.child.returncode = 0
        with self._busy:
            pass

    def hold(self) -> None:
        """This process is about to be copied: not while another thread has begun to use code, or is in LLVM, whose locks would stay locked
        in the copy. Within some seconds, since nothing may hang.
        """
        if self._busy.acquire(timeout=_HOLD):
            self._held = True

    def release(self) -> None:
        if self._held:
            self._held = False
            self._busy.release()

    def forget(self) -> None:
        """This process is a copy of another one, to which the child belongs."""
        if self.child is not None:
            _close(self.child.stdin)
            _close(self.child.stdout)
            self.child.returncode = 0
        self.__init__(self._polite)  # type: ignore[misc]

    # -- handing over -----------------------------------------------------------------------------------------------

    def _put(self, name: str) -> None:
        self._waiting += 1
        self._queue.put(name)

    def _serve(self) -> None:
        """The one thread that writes to children, and so the one that closes what is written to: a number of a closed file may be another
        file's.
        """
        while True:
            given = self._queue.get()
            if not isinstance(given, str):
                _close(given.stdin)
                continue
            if given in self._asked:
                try:
                    self._hand(self._asked[given][0])
                except Exception:
                    # It is given up; what comes next is not.
                    self._answered(given, None)
            with self._changed:
                self._waiting -= 1
                self._changed.notify_all()

    def _hand(self, work: Work) -> None:
        """To the child; or its code is there, or made here, or given up."""
        code = cache.load(work.name)
        child = self._living(work.name) if code is None else None
        if child is not None:
            with contextlib.suppress(*ENDED):
                send(_ends_of(child)[0], (os.environ.get(cache.VARIABLE), cache.fingerprint(), self._polite, *work))
            return
        if code is None and self._deaths < _DEATHS and not self._ends:
            with self._busy, contextlib.suppress(Exception):
                code = cache.kept(work.name, lambda: made(work.how, work.given))
        self._answered(work.name, code)

    def _living(self, name: str) -> "subprocess.Popen[bytes] | None":
        """The child, which gets the work of this name; None where there can be none."""
        # Only this thread starts children, which takes long on a busy machine: nobody who asks waits for it.
        started = _started() if self.child is None and self._deaths < _DEATHS else None
        with self._changed:
            if started is not None:
                self._listen(started)
                self.child = started
            if self.child is not None:
                self._handed[name] = None
            return self.child

    def _listen(self, child: "subprocess.Popen[bytes]") -> None:
        """To a child that was started; one that nobody listens to ends."""
        try:
            threading.Thread(target=self._receive, args=(child,), name="compiled", daemon=True).start()
        except RuntimeError:
            child.kill()
            child.wait()
            _close(child.stdin)
            _close(child.stdout)
            raise

    # -- taking back ------------------------------------------------------------------------------------------------

    def _receive(self, child: "subprocess.Popen[bytes]") -> None:
        died = True
        # What it says may be no message, where memory is short: then it is of no more use.
        with contextlib.suppress(Exception):
            while True:
                name, code = receive(_ends_of(child)[1])
                if name is None:
                    died = False
                    break
                self._answered(name, code)
        if died:
            child.kill()
        self._ended(child, died)

    def _ended(self, child: "subprocess.Popen[bytes]", died: bool) -> None:
        """Give up the request at which the child died; another child gets the rest."""
        _close(child.stdout)
        child.wait()
        with self._changed:
            self.child, left = None, list(self._handed)
            self._queue.put(child)
            self._handed.clear()
            died = died and bool(left)
            self._deaths += died
            for name in left[died:]:
                self._put(name)
            if died:
                del self._asked[left[0]]
            self._changed.notify_all()
        if self._deaths == _DEATHS and died:
            with contextlib.suppress(Warning):
                warnings.warn(f"the process that compiles died {_DEATHS} times; formulas stay interpreted", RuntimeWarning, stacklevel=1)

    def _answered(self, name: str, code: bytes | None) -> None:
        with self._changed:
            adopters = self._asked.pop(name, (None, []))[1]
            self._handed.pop(name, None)
            self._adopting += 1
        try:
            with self._busy:
                for adopt in adopters:
                    if code is not None and not self._ends:
                        with contextlib.suppress(Exception):
                            adopt(code)
        finally:
            with self._changed:
                self._adopting -= 1
                self._changed.notify_all()


def _ends_of(child: "subprocess.Popen[bytes]") -> tuple[int, int]:
    """The pipes on which requests are written and answers are read."""
    assert child.stdin is not None and child.stdout is not None
    return child.stdin.fileno(), child.stdout.fileno()


def _close(end: IO[bytes] | None) -> None:
    if end is not None:
        with contextlib.suppress(OSError):
            end.close()


def _started() -> "subprocess.Popen[bytes] | None":
    """A child; None where there can be none: in a frozen program, or one that merely holds Python, `sys.executable` is something else."""
    program = sys.executable or ""
    if getattr(sys, "frozen", False) or not os.path.basename(program).lower().startswith(("python", "pypy")):
        return None
    code = _BEGIN.format(path=_folders(), package=_ROOT.name, root=str(_ROOT))
    flags, hidden = ["-I", "-S", *["-B"] * sys.dont_write_bytecode], getattr(subprocess, "CREATE_NO_WINDOW", 0)
    try:
        child = subprocess.Popen([program, *flags, "-c", code], bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, start_new_session=True, creationflags=hidden)
    except OSError:
        return None
    _widen(_ends_of(child)[0])
    return child


def _folders() -> list[str]:
    """The folders that the packages which the child needs are in."""
    files = [getattr(sys.modules.get(name), "__file__", None) for name in _NEEDED]
    return [*dict.fromkeys(os.path.dirname(os.path.dirname(os.path.abspath(file))) for file in files if file)]


def _widen(pipe: int) -> None:
    """A request is written at once then, also while the child is still starting. (Linux only; elsewhere it is written as it is read.)"""
    with contextlib.suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE)


compiler, urgent, hasty = Compiler(), Compiler(polite=False), Compiler(polite=False)
"""The compilers of this process: of what makes later calls faster, of that where interpreting costs more by now, and of what somebody
waits for with locks held (see `waited`), so that adopting it must need none of these.
"""

for _each in (compiler, urgent, hasty):
    atexit.register(_each.hand_over)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=_each.hold, after_in_parent=_each.release, after_in_child=_each.forget)
