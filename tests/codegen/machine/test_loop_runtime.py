"""Search loops that are compiled better when they are used much, and how the cache tells them."""

import gc
import weakref

import numpy as np
import pytest

from codegen.deadline import TimeUp, limited
from codegen.machine import loop_runtime as native
from codegen.machine import waited
from codegen.machine.compiler import compiler, hasty
from codegen.machine.loops import INT, STRUCT, loop_assembly, told
from codegen.machine.structures import Ints, Structure, array
from collide.search.native import kkt
from collide.search.native.loop import run


class Numbers(Structure):
    number: Ints = array(1)


def answer(s, k):
    return k + s.number[0]


@pytest.fixture
def loop(monkeypatch):
    monkeypatch.setenv("GENERATIVE_COLLISION_CACHE", "")
    monkeypatch.setattr(waited, "SHORT", 0)
    made = native.Loop("name", lambda: loop_assembly(answer, [STRUCT, INT], Numbers, "entry"), 1, True)
    monkeypatch.setattr(native, "_loops", [made])
    hasty.settle()
    return made


def test_better_code_is_asked_for_at_the_end_of_a_query_that_used_it(loop):
    count = np.array([7], np.int64)
    table = np.array([count.ctypes.data], np.int64)
    native.optimize_loops(ended=True)
    assert not loop._best, "it was not used"
    assert loop(table.ctypes.data, 35) == 42
    native.optimize_loops()
    assert not loop._best, "it is not used much"
    native.optimize_loops(ended=True)
    compiler.settle()
    assert loop._best and len(loop._codes) == 2 and loop(table.ctypes.data, 35) == 42


def test_loops_that_the_compiler_does_not_come_to_are_compiled_here(monkeypatch):
    monkeypatch.setenv("GENERATIVE_COLLISION_CACHE", "")
    monkeypatch.setattr(waited, "SHORT", 0)
    monkeypatch.setattr(native.hasty, "ask", lambda work, adopt: None)
    made = native.Loop("other", lambda: loop_assembly(answer, [STRUCT, INT], Numbers, "entry"), 1, True)
    count = np.array([7], np.int64)
    assert made(np.array([count.ctypes.data], np.int64).ctypes.data, 3) == 10 and not made._best


def test_a_limit_of_time_ends_the_writing_of_a_loop_and_the_wait_for_it(monkeypatch):
    """And nothing is lost: the next call goes on."""
    monkeypatch.setenv("GENERATIVE_COLLISION_CACHE", "")
    monkeypatch.setattr(waited, "SHORT", 0)
    monkeypatch.setattr(native.hasty, "ask", lambda *_: None)
    with limited(lambda: -1.0), pytest.raises(TimeUp):
        loop_assembly(answer, [STRUCT, INT], Numbers, "entry")
    made = native.Loop("name", lambda: loop_assembly(answer, [STRUCT, INT], Numbers, "entry"), 1, True)
    count = np.array([7], np.int64)
    table = np.array([count.ctypes.data], np.int64)
    with limited(lambda: -1.0), pytest.raises(TimeUp):
        made(table.ctypes.data, 35)
    assert made(table.ctypes.data, 35) == 42


def test_code_that_other_threads_may_be_running_stays(loop):
    before = weakref.ref(loop._codes[0])
    loop._seconds = 1.0
    native.optimize_loops()
    compiler.settle()
    gc.collect()
    assert len(loop._codes) == 2 and before() is not None


def test_the_cache_tells_loops_by_constants_and_sources_of_all_modules_they_reach(monkeypatch):
    """The text of the contact search holds constants of modules that its entry does not name."""
    before = told(run)
    assert before == told(run) and "collide.search.native.kkt" in before
    monkeypatch.setattr(kkt, "_FIRST", 2.0 * kkt._FIRST)
    assert told(run) != before
    monkeypatch.undo()
    assert told(run) == before
