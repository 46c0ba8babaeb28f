"""Search loops that are compiled better when they are used much."""

import gc
import weakref

import numpy as np
import pytest

from codegen.machine import loop_runtime as native
from codegen.machine.loops import INT, STRUCT, loop_assembly
from codegen.machine.structures import Ints, Structure, array
from codegen.machine.tiers import begin_query


class Numbers(Structure):
    number: Ints = array(1)


def answer(s, k):
    return k + s.number[0]


@pytest.fixture
def loop(monkeypatch):
    monkeypatch.setenv("GENERATIVE_COLLISION_CACHE", "")
    made = native.Loop(loop_assembly(answer, [STRUCT, INT], Numbers, "entry"), 1, True)
    monkeypatch.setattr(native, "_loops", [made])
    return made


def test_better_code_waits_for_the_end_of_a_repeated_query_and_for_time(loop):
    count = np.array([7], np.int64)
    table = np.array([count.ctypes.data], np.int64)
    for query in range(1, native._QUERIES + 1):
        begin_query()
        assert loop(table.ctypes.data, 35) == 42
        native.optimize_loops(60.0)
        native.optimize_loops(0.5, repeated=True)
        assert not loop._best
        if query < native._QUERIES:
            native.optimize_loops(60.0, repeated=True)
            assert not loop._best
    native.optimize_loops(60.0, repeated=True)
    assert loop._best and loop(table.ctypes.data, 35) == 42


def test_code_that_other_threads_may_be_running_stays(loop):
    before = weakref.ref(loop._codes[0])
    loop._seconds = 1.0
    native.optimize_loops(60.0)
    gc.collect()
    assert loop._best and before() is not None
