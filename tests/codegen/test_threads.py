"""Many threads that compile at once: no deadlock, the same bits, and locks taken in one order."""

import faulthandler
import threading
from types import SimpleNamespace

import numpy as np
import pytest
import sympy as sp

from codegen import compile, kernel
from codegen.machine import cache, linked, native, straight_line, tiers
from codegen.machine import interpreter as instructions

a, b, s = sp.symbols("a b s", real=True)
THREADS, ROUNDS = 4, 2


class Watched:
    """A lock that notes, when it is taken, which others its thread holds."""

    def __init__(self, lock, edges, held):
        self.lock, self.edges, self.held = lock, edges, held

    def __enter__(self):
        mine = self.held.__dict__.setdefault("locks", [])
        if self not in mine:
            self.edges.update((other, self) for other in mine)
        mine.append(self)
        assert self.lock.acquire(timeout=20), "a deadlock"
        return self

    def __exit__(self, *error):
        self.lock.release()
        self.held.locks.remove(self)


@pytest.fixture
def edges(monkeypatch):
    """Pairs (held, taken) of locks, of all modules that have some; the disk cache is off."""
    found, held = set(), threading.local()
    monkeypatch.setenv(cache.VARIABLE, "")
    for module in (tiers, native, straight_line, linked):
        monkeypatch.setattr(module, "_lock", Watched(module._lock, found, held))
    for library in (instructions.UPWARD, instructions.NEAREST):
        monkeypatch.setattr(library, "_lock", Watched(library._lock, found, held))
    monkeypatch.setattr(kernel, "threading", SimpleNamespace(RLock=lambda: Watched(threading.RLock(), found, held)))
    return found


def cyclic(edges):
    """Is there a circle of locks, each taken while the one before was held?"""
    after = {}
    for one, other in edges:
        after.setdefault(one, set()).add(other)
    while after:
        last = [one for one, others in after.items() if not others & after.keys()]
        if not last:
            return True
        for one in last:
            del after[one]
    return False


def formulas(k):
    """Some that every thread compiles, some of its own; with an integral that is a number, for which lowering runs a kernel."""
    number = sp.Integral(s**2 + k, (s, 0, 1)) if k < 5 else k
    return [a * b + number, sp.sqrt(a**2 + k)]


def work(shared, k):
    lo, hi = np.array([[0.1, 0.2], [1.0, 2.0]]), np.array([[0.2, 0.3], [1.5, 2.5]])
    mine = [compile(formulas(k), [a, b], quick=quick) for quick in (False, True)]
    result = [f(lo, hi) for each in (*shared, *mine) for f in (each.interval, each.decorated)]
    result += [(each.points(lo),) for each in (*shared, *mine)]
    result.append(shared[0].jacobian().interval(lo, hi))
    for each in shared:
        each.block_address("decorated")
    straight_line.straight_line(f"thread test {k}", (k,), "x", lambda module, L: L.store("%x", 0, L.const(float(k))))
    tiers.compile_busy()
    return [array.tobytes() for arrays in result for array in arrays]


def test_threads_that_compile_at_once_do_not_wait_for_each_other_for_ever(edges, monkeypatch):
    monkeypatch.setattr(tiers, "CALLS", 2)
    faulthandler.dump_traceback_later(120)
    answers = [[None] * ROUNDS for _ in range(THREADS)]

    def run(k, shared, barrier, turn):
        barrier.wait()
        answers[k][turn] = work(shared, k % 2)

    for turn in range(ROUNDS):
        shared = [compile(formulas(10 * turn + 5), [a, b], quick=quick) for quick in (True, False)]
        barrier = threading.Barrier(THREADS)
        threads = [threading.Thread(target=run, args=(k, shared, barrier, turn), daemon=True) for k in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(100)
        assert not any(thread.is_alive() for thread in threads)
    faulthandler.cancel_dump_traceback_later()
    # Threads with the same formulas have the same bits.
    assert all(answers[k] == answers[k + 2] and None not in answers[k] for k in range(2))
    assert len(edges) > 5 and not cyclic(edges)
