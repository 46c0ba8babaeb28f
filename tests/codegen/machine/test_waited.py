"""Code that somebody waits for: made by another process, so that limits of time end the wait, and nothing is lost."""

import os
import time

import pytest

import codegen
from codegen.deadline import TimeUp, limited
from codegen.graph.expr import ExprPool
from codegen.machine import cache, compiler_process, linked, waited
from codegen.machine.compiler import Work, hasty, urgent
from tests.codegen.machine.test_compiler import EMPTY, long_text


@pytest.fixture
def place(tmp_path, monkeypatch):
    """An empty cache, and no text so short that it is made at once."""
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(waited, "SHORT", 0)
    yield tmp_path / "cache"
    hasty.settle()


class Looks:
    """Time for so many looks at the clock, and then none."""

    def __init__(self, most: int) -> None:
        self.left = most

    def __call__(self) -> float:
        self.left -= 1
        return float(self.left)


def test_it_is_made_by_another_process_and_kept(place, monkeypatch):
    monkeypatch.setattr(waited, "made", lambda *_: pytest.fail("it was made here"))
    code = waited.kept("name", "text", lambda: (EMPTY,))
    assert code == cache.load("name") == compiler_process.made("text", (EMPTY,))
    assert waited.kept("name", "text", lambda: pytest.fail("it was there")) == code


def test_short_text_is_made_here(place, monkeypatch):
    monkeypatch.setattr(waited, "SHORT", 1000)
    monkeypatch.setattr(hasty, "ask", lambda *_: pytest.fail("it was asked for"))
    assert waited.kept("name", "text", lambda: (EMPTY,)) == cache.load("name")


def test_a_limit_of_time_ends_the_wait_and_the_code_comes_all_the_same(place):
    """LLVM would take some seconds; the clock is looked at meanwhile."""
    text = long_text(4000)
    with limited(Looks(3)), pytest.raises(TimeUp):
        waited.kept("long", "text", lambda: (text,))
    hasty.settle()
    assert cache.load("long") is not None


def test_what_another_process_cannot_make_is_made_here_or_refused_here(place, monkeypatch):
    with pytest.raises(RuntimeError, match=r"LLVM|expected"):
        waited.kept("bad", "text", lambda: ("this is no assembly",))
    monkeypatch.setattr(hasty, "ask", lambda work, adopt: None)
    assert waited.awaited(Work("name", "text", (EMPTY,))) == cache.load("name")


@pytest.mark.skipif(not hasattr(os, "nice"), reason="niceness")
def test_who_is_waited_for_does_not_come_after_others(place, monkeypatch):
    polite = []
    monkeypatch.setattr(compiler_process, "_give_way", lambda: polite.append(1))
    for given in (True, False):
        compiler_process._answer(str(place), cache.fingerprint(), given, f"name {given}", "text", (EMPTY,))
    assert polite == [1]


def test_it_comes_while_locks_are_held_that_adopting_other_code_needs(place):
    """Interpreted code that costs much by now was asked for just before."""
    pool = ExprPool()
    kernel = codegen.Kernel([pool.node("exp", pool.variable(0)) + 3], ["x"], [], quick=True)
    tiered = kernel._tiered("interval")
    assert tiered is not None
    with linked._lock, limited(lambda until=time.monotonic() + 30.0: until - time.monotonic()):
        tiered.asked = True
        tiered.hurry()
        assert waited.awaited(Work("name", "text", (EMPTY,))) == cache.load("name")
        assert tiered._before is None, "it is adopted when the lock is free"
    urgent.settle()
    assert tiered._before is not None
