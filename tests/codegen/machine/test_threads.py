"""Many threads that compile at once: no deadlock, the same bits, and locks taken in one order."""

import ctypes
import faulthandler
import sys
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
import sympy as sp

from codegen import compile, kernel
from codegen.graph import expr
from codegen.machine import cache, linked, native, straight_line, tiers
from codegen.machine import interpreter as instructions
from codegen.machine.compiler import compiler, urgent

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


def constant_kernel(k):
    """Writes k."""
    return straight_line.straight_line("thread test", (k,), "x", lambda module, L: L.store("%x", 0, L.const(float(k))))


def work(shared, k):
    lo, hi = np.array([[0.1, 0.2], [1.0, 2.0]]), np.array([[0.2, 0.3], [1.5, 2.5]])
    mine = [compile(formulas(k), [a, b], quick=quick) for quick in (False, True)]
    result = [f(lo, hi) for each in (*shared, *mine) for f in (each.interval, each.decorated)]
    result += [(each.points(lo),) for each in (*shared, *mine)]
    result.append(shared[0].jacobian().interval(lo, hi))
    for each in shared:
        each.block_address("decorated")
    constant_kernel(k)
    tiers.compile_busy()
    return [array.tobytes() for arrays in result for array in arrays]


def together(count, run):
    """Run so many threads at once, each with its number; what each returns."""
    results, barrier = [None] * count, threading.Barrier(count)

    def begin(k):
        barrier.wait()
        results[k] = run(k)

    threads = [threading.Thread(target=begin, args=(k,), daemon=True) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(100)
    assert not any(thread.is_alive() for thread in threads)
    return results


def test_threads_that_compile_at_once_do_not_wait_for_each_other_for_ever(edges, monkeypatch):
    monkeypatch.setattr(tiers, "CALLS", 2)
    faulthandler.dump_traceback_later(120)
    answers = []
    for turn in range(ROUNDS):
        shared = [compile(formulas(10 * turn + 5), [a, b], quick=quick) for quick in (True, False)]
        answers.append(together(THREADS, lambda k, shared=shared: work(shared, k % 2)))
    faulthandler.cancel_dump_traceback_later()
    # Threads with the same formulas have the same bits.
    assert all(turn[k] == turn[k + 2] for turn in answers for k in range(2))
    assert len(edges) > 5 and not cyclic(edges)


def test_each_thread_gets_the_machine_code_that_it_asked_for(monkeypatch):
    """And each kernel is linked once."""
    for each in (compiler, urgent):
        # Code that other tests asked for would be counted.
        each.settle()
    linked_names = []

    def slow(code, names):
        """Other threads run before the code is known, and after."""
        linked_names.append(names)
        time.sleep(1e-3)
        return native.Code(code, names)

    monkeypatch.setattr(straight_line, "Code", slow)
    monkeypatch.setattr(straight_line, "_known", straight_line._known.copy())

    def ask(thread):
        found = []
        for k in (100 + (n * (2 * thread + 1)) % 16 for n in range(16)):
            out = np.zeros(8)
            ctypes.CFUNCTYPE(None, ctypes.c_void_p)(constant_kernel(k))(out.ctypes.data)
            found.append(out[0] == k)
        return all(found)

    assert all(together(8, ask)) and len(linked_names) == 16


def test_no_two_kernels_get_the_same_stub(monkeypatch):
    """Made by many threads at once: through one address machine code of the other would be called."""
    def slow(taken):
        """Other threads run before the place is taken."""
        count = len(taken)
        time.sleep(1e-4)
        return count

    monkeypatch.setattr(tiers, "_all", [])
    monkeypatch.setattr(tiers, "len", slow, raising=False)
    program = SimpleNamespace(entry=0, address=0, count_at=id)
    made = [t for each in together(8, lambda k: [tiers.Tiered(3, program, None, None, "") for _ in range(20)]) for t in each]
    assert len({t.address for t in made}) == len(made) == 160


def test_nodes_made_by_many_threads_are_told_apart():
    """Kernels and problems are shared, and their pools with them: two nodes of one index would be taken for each other."""
    before = sys.getswitchinterval()
    pool = expr.ExprPool()
    x = pool.variable(0)

    def build(k):
        e = x
        for n in range(2000):
            e = pool.node("sin", e) + pool.constant(n % 7 + k)
        return e

    try:
        sys.setswitchinterval(1e-6)
        together(6, build)
    finally:
        sys.setswitchinterval(before)
    assert [e.index for e in pool.nodes] == list(range(len(pool.nodes)))
    assert {id(e) for e in pool.nodes} == {id(e) for e in pool._interned.values()}
