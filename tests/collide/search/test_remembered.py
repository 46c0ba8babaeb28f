"""Caches forget old entries where they hold much, and never an entry in use."""

import gc
import threading
import weakref

import numpy as np
import pytest
import sympy as sp

import collide
from codegen import Kernel, remembered
from codegen.graph.expr import ExprPool
from codegen.machine import linked, tiers
from codegen.remembered import Bounded
from collide.search import problem
from generative import ParametricSurface, Rigid, t, u, v
from generative.family import member_of
from generative.polyhedron import brick

R = sp.Rational
BALL = ParametricSurface([sp.cos(u) * sp.cos(v) / 4, sp.sin(u) * sp.cos(v) / 4, sp.sin(v) / 4],
                         {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)}).moved(Rigid(translation=[0, 0, 2 - t]))


@pytest.fixture
def much(monkeypatch):
    """Whatever is there, it is much, and looked at each time."""
    monkeypatch.setattr(remembered, "GROWTH", -1 << 60)
    monkeypatch.setattr(remembered, "_PAUSE", -1.0)


def test_caches_are_emptied_before_a_question_and_not_within_one(much):
    """(Fails where nobody is asked who works.)"""
    known = member_of(BALL)
    with remembered.Working():
        remembered.forget_if_much()
        assert member_of(BALL) is known
        worker = threading.Thread(target=remembered.forget_if_much)
        worker.start()
        worker.join()
        assert member_of(BALL) is known
    remembered.forget_if_much()
    assert member_of(BALL) is not known


def test_answers_are_the_same_where_all_is_forgotten_each_time(much):
    """A ball of radius 1/4 falls from 2 onto boxes of heights h: at 2 - 1/4 - h / 2."""
    for k in range(2):
        height = R(7 + k, 10)
        found = collide.first_contact([brick((1, 1, height)), BALL], time=(0, 3))
        assert found.time.lo <= R(7, 4) - height / 2 <= found.time.hi
        assert member_of.cache_info().currsize < 20


def test_what_is_kept_is_bounded_in_bytes():
    """What was asked for least recently goes first; the newest stays, and what grows is counted anew."""
    kept = Bounded[list[int]](10, len)
    kept["a"], kept["b"], kept["c"] = [1] * 4, [1] * 4, [1] * 2
    assert len(kept["a"]) == 4 and kept.bytes == 10
    kept["d"] = [1]
    assert "b" not in kept and {"a", "c", "d"} <= {name for name in "abcd" if name in kept} and kept.bytes == 7
    kept["d"].extend([1] * 20)
    assert len(kept["d"]) == 21 and len(kept) == 1 and kept.bytes == 21
    kept["d"] = [1]
    assert kept.bytes == 1
    kept.clear()
    assert len(kept) == kept.bytes == 0 and "d" not in kept


def test_functions_share_what_is_kept():
    calls, kept = list[object](), Bounded[list[int]](100, len)
    first = kept.cached(lambda k, **options: calls.append((k, options)) or [k])
    second = kept.cached(lambda k: calls.append(k) or [-k])
    assert first(1) is first(1) and second(1) == [-1] and first(1, a=2) == [1] and calls == [(1, {}), 1, (1, {"a": 2})]
    second.cache_clear()
    assert len(kept) == 0 and first(1) == [1] and len(calls) == 4


def polynomial(k: int) -> Kernel:
    pool = ExprPool()
    x = pool.variable(0)
    return Kernel([(x + k) * (x + 7 * k)], ["x"], quick=True)


def test_kernels_that_nobody_holds_are_freed(monkeypatch):
    """And what comes later has their places; those that are held stay what they are, though they are no longer known by name."""
    monkeypatch.setattr(linked, "_tiers", Bounded(20_000, lambda tiered: linked._NOTHING if tiered is None else tiered.size))
    monkeypatch.setattr(linked.cache, "stored", lambda name: False)
    one = np.ones((1, 1))
    held = [polynomial(1000 + k) for k in range(40)]
    addresses = [kernel.block_address() for kernel in held]
    seen, before = [weakref.ref(kernel._tiered("interval")) for kernel in held], None
    for k in range(400):
        kernel = polynomial(2000 + k)
        assert kernel.interval(one, one)[0] == (2001 + k) * (1 + 7 * (2000 + k))
        del kernel
        if k == 100:
            gc.collect()
            before = len(tiers._all)
    assert len(linked._tiers) < 60 and linked._tiers.bytes <= 20_000 and len(tiers._all) == before
    assert all(each() is not None for each in seen) and [kernel.block_address() for kernel in held] == addresses
    assert all(kernel.interval(one, one)[0] == (1001 + k) * (1 + 7 * (1000 + k)) for k, kernel in enumerate(held))
    del held
    gc.collect()
    assert sum(each() is not None for each in seen) <= 1


def test_an_address_that_was_given_away_stays(monkeypatch):
    """Though the kernel goes. (Fails where `address` holds nothing.)"""
    monkeypatch.setattr(linked, "_tiers", Bounded(0, lambda tiered: 1))
    kernel = polynomial(12345)
    kernel.address()
    seen = weakref.ref(kernel._tiered("interval") or kernel._code("interval", "block"))
    del kernel
    polynomial(12346).block_address()
    gc.collect()
    assert seen() is not None


def test_answers_are_the_same_where_problems_are_forgotten_at_once(monkeypatch):
    """To the bit, while the search holds what it works with."""
    bodies = [brick((1, 1, R(k, 10))) for k in (7, 8)]
    pairs = [[body, BALL] for body in bodies]
    expected = [collide.first_contact(pair, time=(0, 3)) for pair in pairs]
    remembered.forget()
    for kept in (problem.PROBLEMS, linked._tiers):
        monkeypatch.setattr(kept, "most", 0)
    for pair, before in [*zip(pairs, expected, strict=True)] * 2:
        found = collide.first_contact(pair, time=(0, 3))
        assert found.time == before.time and found.points.tobytes() == before.points.tobytes() and len(problem.PROBLEMS) <= 1
