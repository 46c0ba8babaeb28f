"""Rows shared among workers of `dask.distributed` and of joblib's loky, where these are installed (the extra `executors`)."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

import collide
from collide import Status
from collide.search import fan_out as module
from collide.search.budget import Budget
from collide.search.clock import Clock
from collide.search.fan_out import fan_out
from tests.robot_cell import straight_paths

from .test_fan_out import BATCHES, POINTS, Deadly, heard, same

pytestmark = pytest.mark.filterwarnings("ignore")
__all__ = ["heard"]


@contextlib.contextmanager
def dask(workers: int) -> Iterator[Any]:
    peer = pytest.importorskip("distributed")
    with peer.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster, \
            peer.Client(cluster) as client:
        yield client


@contextlib.contextmanager
def loky(workers: int) -> Iterator[Any]:
    pytest.importorskip("joblib")
    from joblib.externals.loky import get_reusable_executor

    executor = get_reusable_executor(max_workers=workers, kill_workers=True)
    try:
        yield executor
    finally:
        executor.shutdown(wait=True, kill_workers=True)


EXECUTORS = pytest.mark.parametrize("executor", [dask, loky])


@EXECUTORS
@pytest.mark.parametrize("workers", [1, 2])
def test_the_same_bits(executor: Any, workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FIRST", 7)
    with executor(workers) as some:
        assert module._workers(some) == workers
        for name in ("contact_batch", "edge_edge"):
            same(BATCHES[name](), BATCHES[name](executor=some))
        with pytest.raises(ValueError, match="row 31"):
            fan_out(Wrong, 40, some, Clock(Budget()))  # type: ignore[arg-type]


def test_the_same_bits_of_robot_paths() -> None:
    """200 straight paths of six joints in a cell, by two workers of a Dask cluster."""
    bodies, values, ignored, _ = straight_paths(200)
    ask = partial(collide.contact_batch, bodies, (0, 4), parameters=values, ignore=ignored, budget=300)
    with dask(2) as two:
        same(ask(), ask(executor=two))


class Wrong:
    """A question of which row 31 is refused."""

    def __init__(self, lo: int, hi: int) -> None:
        self.lo, self.hi = lo, hi

    def __call__(self, budget: Any) -> Any:
        if self.lo <= 31 < self.hi:
            raise ValueError(f"row {31 - self.lo}: no")
        return collide.edge_edge(POINTS[self.lo:self.hi, :8])


class Slow(Wrong):
    """A question whose rows take a minute each, but for the first ones; those that the clock ends are UNRESOLVED."""

    def __call__(self, budget: Any) -> Any:
        clock, answer = Clock(budget), collide.edge_edge(POINTS[self.lo:self.hi, :8])
        end = time.monotonic() + 60
        while self.lo >= 2 and not clock.over and time.monotonic() < end:
            time.sleep(0.001)
        ended = Status.UNRESOLVED if clock.over and budget.seconds > 1 else Status.BUDGET_SPENT
        return answer if self.lo < 2 else replace(answer, status=np.full(len(answer), ended))


@EXECUTORS
def test_a_budget_reaches_the_workers(executor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FIRST", 1)
    monkeypatch.setattr(module, "_SECONDS", 1e-9)
    with executor(1) as some:
        fan_out(Wrong, 2, some, Clock(Budget(60.0)))  # type: ignore[arg-type]
        answer = fan_out(Slow, 6, some, Clock(Budget(2.0)))  # type: ignore[arg-type]
    assert answer.status[2] is Status.UNRESOLVED and answer.status[-1] is Status.BUDGET_SPENT
    assert (answer.status[:2] != Status.BUDGET_SPENT).all()


@EXECUTORS
@pytest.mark.usefixtures("heard")
def test_ctrl_c_reaches_the_workers_and_keeps_what_is_done(executor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that would take a minute each end at once, and leave the workers to others."""
    monkeypatch.setattr(module, "_FIRST", 1)
    monkeypatch.setattr(module, "_SECONDS", 1e-9)
    monkeypatch.setattr(module, "_LAST", 20.0)
    began, submitted = threading.Event(), module._submitted

    def noted(*given: Any) -> Any:
        future = submitted(*given)
        if given[1].ask.lo == 2:
            began.set()
        return future

    def interrupt() -> None:
        began.wait()
        time.sleep(1.0)  # until it is at work
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(module, "_submitted", noted)
    presser = threading.Thread(target=interrupt)
    with executor(1) as some:
        fan_out(Wrong, 2, some, Clock(Budget(60.0)))  # type: ignore[arg-type]
        presser.start()
        answer = fan_out(Slow, 6, some, Clock(Budget(60.0)))  # type: ignore[arg-type]
        presser.join()
        assert answer.status[2] is Status.UNRESOLVED and answer.status[-1] is Status.BUDGET_SPENT
        assert (answer.status[:2] != Status.BUDGET_SPENT).all()
        again = fan_out(Wrong, 2, some, Clock(Budget(30.0)))  # type: ignore[arg-type]
        assert np.array_equal(again.hit, answer.hit[:2])


@EXECUTORS
def test_a_worker_that_dies_costs_its_rows(executor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_AHEAD", 1)
    monkeypatch.setattr(module, "_SECONDS", 1e-9)
    monkeypatch.setattr(module, "_FIRST", 1)
    with executor(1) as some:
        answer = fan_out(Deadly, 8, some, Clock(collide.Budget(100.0)))  # type: ignore[arg-type]
    (note,) = answer.notes
    assert note.startswith("Workers died (") and note.endswith("): of rows 4 to 4 nothing is known.")
    assert (answer.status == Status.BUDGET_SPENT).tolist() == [k == 4 for k in range(8)]
    assert np.array_equal(answer.hit, collide.edge_edge(POINTS[:8, :8]).hit)
