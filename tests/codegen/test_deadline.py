"""Limits of time: what looks at the clock, how much is done after the time is up, and what is left behind."""

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import sympy as sp

from codegen import deadline
from codegen.deadline import TimeUp, check, interruptible, limited
from codegen.emit.lower import lower
from codegen.emit.translate import Translation
from codegen.from_sympy import from_sympy
from codegen.graph.autodiff import jacobian
from codegen.graph.expr import ExprPool
from codegen.kernel import Kernel
from codegen.machine import native
from codegen.machine.bytecode import kernel_layout

X, Y = sp.symbols("x y", real=True)
LONG = sum(sp.Rational(1, k + 7) * sp.sin(k * X + Y) * sp.cos(X - k * Y) for k in range(500))


@pytest.fixture(scope="module")
def graph():
    return from_sympy([LONG], [X, Y])


class Looks:
    """Time for so many looks at the clock, and then none."""

    def __init__(self, most: int = 0) -> None:
        self.left, self.seen = most, 0

    def __call__(self) -> float:
        self.seen += 1
        return 1.0 if self.seen <= self.left else -1.0


def spin() -> None:
    while True:
        pass


def test_without_a_limit_nothing_ends():
    check()
    check(1e9)
    with interruptible():
        check()
    assert threading.get_ident() not in deadline._watch.work


def test_a_limit_that_is_not_reached_raises_nothing_in_any_thread(monkeypatch):
    """Not even to take something back: CPython would look for it at every call from then on."""
    monkeypatch.setattr(deadline, "_raise", lambda *given: pytest.fail("something was raised"))
    with limited(lambda: 5.0), interruptible():
        assert threading.get_ident() in deadline._watch.work
    assert threading.get_ident() not in deadline._watch.work


def test_the_innermost_limit_counts_and_the_outer_one_comes_back():
    with limited(lambda: 1.0), pytest.raises(TimeUp):
        with limited(lambda: 5.0):
            check(4.0)
        check(4.0)
    check(4.0)


def test_a_limit_is_that_of_its_thread():
    with limited(lambda: -1.0), ThreadPoolExecutor(1) as pool:
        pool.submit(check).result()


# -- our own loops --------------------------------------------------------------------------------------------------------


def test_conversion_stops_within_some_hundreds_of_nodes():
    pool = ExprPool()
    with limited(looks := Looks(1)), pytest.raises(TimeUp):
        from_sympy([LONG], [X, Y], pool=pool)
    assert looks.seen == 2 and len(pool.nodes) <= 1024
    # The graph is as good as before.
    whole = from_sympy([LONG], [X, Y], pool=pool)
    assert all(e.index == k for k, e in enumerate(pool.nodes)) and whole[0].pool is pool


def test_derivatives_stop_within_some_hundreds_of_nodes():
    outputs = from_sympy([LONG], [X, Y])
    pool = outputs[0].pool
    before = len(pool.nodes)
    with limited(Looks()), pytest.raises(TimeUp):
        jacobian(outputs, [pool.variable(0), pool.variable(1)])
    assert len(pool.nodes) <= before + 512


@pytest.mark.parametrize("translate", [lambda outputs: lower(outputs, "interval"), lambda outputs: kernel_layout(outputs, "interval")],
                         ids=["machine code", "interpreter"])
def test_translation_stops_within_some_hundreds_of_nodes(graph, monkeypatch, translate):
    nodes, node = [], Translation.node
    monkeypatch.setattr(Translation, "node", lambda self, e: (nodes.append(e), node(self, e)))
    with limited(Looks(2)), pytest.raises(TimeUp):
        translate(graph)
    assert len(nodes) <= 512


def test_a_kernel_is_not_evaluated_when_the_time_is_up():
    kernel = Kernel(from_sympy([X + Y], [X, Y]), ["x", "y"], quick=True)
    box = np.zeros((1, 2))
    for evaluate in (lambda: kernel.interval(box, box), lambda: kernel.decorated(box, box), lambda: kernel.points(box)):
        evaluate()
        with limited(lambda: -1.0), pytest.raises(TimeUp):
            evaluate()


def test_what_llvm_would_not_have_ready_in_time_is_not_begun(graph, monkeypatch):
    """By the length of what is to be compiled: a microsecond a byte."""
    begun = []
    monkeypatch.setattr(native, "announce", lambda: begun.append(1))
    text = lower(graph, "interval").text()
    assert len(text) > 100_000
    with limited(lambda: 0.05), pytest.raises(TimeUp):
        native.object_code(text)
    assert not begun


# -- what cannot look at the clock ----------------------------------------------------------------------------------------


def test_what_is_interruptible_ends_wherever_it_is():
    for _ in range(3):
        with limited(Looks(1)), pytest.raises(TimeUp):
            interruptible()(spin)()
        assert not deadline._watch.work


def test_what_catches_errors_does_not_catch_that():
    def stubborn() -> None:
        while True:
            try:
                spin()
            except Exception:
                continue

    with limited(Looks(1)), pytest.raises(TimeUp), interruptible():
        stubborn()


def test_interruptible_work_within_other_work_ends_with_it():
    with limited(Looks(1)), pytest.raises(TimeUp), interruptible():
        with interruptible():
            pass
        assert deadline._watch.work[threading.get_ident()].anywhere
        spin()
    assert not deadline._watch.work


def test_a_limit_within_it_does_not_end_it():
    with limited(Looks(1)), pytest.raises(TimeUp), interruptible():
        with limited(lambda: 1.0):
            pass
        assert deadline._watch.work[threading.get_ident()].anywhere
        spin()
    assert not deadline._watch.work


def test_it_may_end_late():
    """So that what looks at the clock ends by that."""
    with limited(lambda: -1.0):
        with interruptible(2.0):
            with pytest.raises(TimeUp):
                check()
            assert deadline._watch.work[threading.get_ident()].anywhere
        with pytest.raises(TimeUp), interruptible(0.5):
            spin()
    assert not deadline._watch.work


def test_nothing_is_raised_after_it(monkeypatch):
    """Short pieces of work that end at about the same moment as their time."""
    monkeypatch.setattr(deadline._Watch, "_PAUSE", 1e-5)
    for most in range(300):
        try:
            with limited(Looks(most % 20)):
                for _ in range(20):
                    with interruptible():
                        sum(range(100))
        except TimeUp:
            pass
        assert not deadline._watch.work
        sum(range(100))


def test_work_that_is_interrupted_just_as_it_ends_has_ended_with_its_limit(monkeypatch):
    end, calls = deadline._Watch.end, []

    def late(self, work):
        calls.append(self)
        if len(calls) == 1:
            raise TimeUp
        end(self, work)

    monkeypatch.setattr(deadline._Watch, "end", late)
    with pytest.raises(TimeUp), limited(lambda: 1.0), interruptible():
        pass
    assert not deadline._watch.work


# -- what is in SymPy -----------------------------------------------------------------------------------------------------


def in_sympy(left: Looks) -> None:
    """Our own loop, that looks at no clock, round calls of SymPy."""
    while True:
        sp.expand((X + Y + len(str(left.seen))) ** 30)


def test_what_is_in_sympy_as_the_time_is_up_ends_there():
    with pytest.raises(TimeUp) as caught, limited(looks := Looks(1)):
        in_sympy(looks)
    last = caught.traceback[-1].frame.f_globals["__name__"]
    assert last.partition(".")[0] in ("sympy", "mpmath"), last
    assert not deadline._watch.work
    assert sp.expand((X + Y) ** 3).coeff(X, 2) == 3 * Y


def test_our_own_code_does_not_end_where_it_looks_at_no_clock(monkeypatch):
    """What it holds may be half done; and SymPy, while it is not late by some time."""
    seen, real = [], deadline._in_pure_code
    monkeypatch.setattr(deadline, "_in_pure_code", lambda thread: (seen.append(1), real(thread))[1])
    with limited(looks := Looks()):
        while len(seen) < 20:
            pass
    assert looks.seen == 0, "nor is the clock looked at for it"
    with limited(looks := Looks(100_000)):
        sp.expand((X + Y) ** 20)
    assert not deadline._watch.work


# -- Ctrl-C ---------------------------------------------------------------------------------------------------------------


def press() -> None:
    signal.raise_signal(signal.SIGINT)


def test_ctrl_c_within_a_limit_is_the_end_of_its_time():
    """Not an error anywhere: what is between two looks at the clock is done."""
    done = []
    with pytest.raises(TimeUp), limited(lambda: 5.0):
        press()
        done.append(1)
        assert deadline.interrupted()
        check()
    assert done and not deadline.interrupted()
    with pytest.raises(KeyboardInterrupt):
        press()
    with limited(lambda: 5.0):
        check()


def test_ctrl_c_ends_what_is_in_sympy():
    with pytest.raises(TimeUp), limited(looks := Looks(10**9)):
        press()
        in_sympy(looks)
    assert not deadline._watch.work


def test_ctrl_c_that_is_not_heeded_and_a_second_one_are_those_of_python():
    with pytest.raises(KeyboardInterrupt), limited(lambda: 50.0):
        press()
        spin()
    with pytest.raises(KeyboardInterrupt), limited(lambda: 50.0):
        press()
        press()
    assert not deadline._watch.work and signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_of_another_meaning_keeps_it(monkeypatch):
    """Where a program has its own, as `asyncio` does."""
    seen = []
    before = signal.signal(signal.SIGINT, lambda *_: seen.append(1))
    try:
        with limited(lambda: 5.0):
            press()
            check()
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen


def test_ctrl_c_is_for_the_first_thread():
    with limited(lambda: 5.0), ThreadPoolExecutor(1) as pool:
        press()

        def other() -> None:
            with limited(lambda: 5.0):
                check()

        pool.submit(other).result()
        with pytest.raises(TimeUp):
            check()


def test_ctrl_c_that_nobody_was_told_of_is_not_lost():
    """Work that ends before its next look at the clock."""
    with pytest.raises(KeyboardInterrupt), limited(lambda: 5.0):
        press()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler and not deadline.interrupted()
    with limited(lambda: 5.0):
        press()
        assert deadline.interrupted()


@pytest.mark.parametrize("moment", ["begin", "end"])
def test_ctrl_c_twice_while_a_limit_begins_or_ends_leaves_nothing_behind(monkeypatch, moment):
    """Nothing is raised there, where half of it would stay: what comes after it would be interrupted, too."""
    real = getattr(deadline._Watch, moment)

    def twice(self, work):
        press()
        press()
        real(self, work)

    monkeypatch.setattr(deadline._Watch, moment, twice)
    with pytest.raises(KeyboardInterrupt), limited(lambda: 5.0):
        pass
    monkeypatch.undo()
    assert not deadline._watch.work and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert deadline._left.get() is None and not deadline.interrupted()
    with limited(lambda: 5.0):
        check()


def test_nothing_is_raised_by_the_clock_while_a_limit_begins_or_ends(monkeypatch):
    """Not even where it may be raised anywhere."""
    raised, ends = [], deadline._Watch.end
    monkeypatch.setattr(deadline, "_raise", lambda thread, error: raised.append(error))

    def slowly(self, work):
        for _ in range(10):
            self._look(threading.get_ident(), work)
        ends(self, work)

    monkeypatch.setattr(deadline._Watch, "end", slowly)
    with limited(lambda: -1.0), interruptible(100.0):
        work = deadline._watch.work[threading.get_ident()]
        work.late = 0.0
    assert not raised and not work.ended


# -- other processes, and the end of this one -----------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "fork"), reason="copies of processes")
def test_a_copy_of_a_process_has_no_limit_but_its_own():
    """Nor the thread that looks at the clock: it starts one."""
    def ended_well():
        check()
        if deadline.interrupted() or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            return False
        try:
            with limited(lambda: -1.0), interruptible():
                spin()
        except TimeUp:
            return True
        return False

    with limited(lambda: -1.0):
        press()
        pid = os.fork()
        if pid == 0:
            signal.alarm(20)
            os._exit(0 if ended_well() else 1)
        assert deadline.interrupted()
    assert os.waitpid(pid, 0)[1] == 0


def test_where_no_thread_can_be_started_limits_hold_at_looks_at_the_clock(monkeypatch):
    """As while the interpreter ends."""
    def start(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(deadline, "_watch", deadline._Watch())
    monkeypatch.setattr(threading.Thread, "start", start)
    with pytest.raises(TimeUp), limited(Looks()), interruptible():
        check()
    monkeypatch.undo()
    assert deadline._left.get() is None and signal.getsignal(signal.SIGINT) is signal.default_int_handler


# -- threads --------------------------------------------------------------------------------------------------------------


def test_only_the_thread_whose_time_is_up_is_interrupted():
    late = threading.Event()

    def endless() -> None:
        try:
            with limited(Looks(1)), interruptible():
                spin()
        finally:
            late.set()

    def other() -> int:
        with limited(lambda: 1.0), interruptible():
            while not late.is_set():
                pass
            return sum(range(1000))

    with ThreadPoolExecutor(2) as pool:
        one, two = pool.submit(endless), pool.submit(other)
        assert two.result() == 499500
        with pytest.raises(TimeUp):
            one.result()
