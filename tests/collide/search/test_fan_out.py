"""Batches on executors: the same bits, and what becomes of rows where workers end, time ends, or somebody presses Ctrl-C."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import fields, replace
from multiprocessing import get_context
from multiprocessing.pool import ThreadPool
from typing import Any

import numpy as np
import pytest

import collide
from collide import DistanceStatus, Status
from collide.search.clock import Clock
from collide.search.fan_out import fan_out, joined
from generative import Parameter, ParametricSurface, Rigid, Screw, t, u, v

SPEED, TILT = Parameter("speed"), Parameter("tilt")
PLATE = ParametricSurface([u, v, 0], {u: (-1, 1), v: (-1, 1)})
BOWL = ParametricSurface([u, v, u**2 + v**2 + TILT * u], {u: (-1, 1), v: (-1, 1)}).moved(Rigid(translation=[0, 0, 1 - SPEED * t]))
N = 40
VALUES = {SPEED: np.linspace(0.1, 2.0, N), TILT: np.cos(np.arange(N)) / 3}
G = np.random.default_rng(5)
PATCHES, POINTS = G.uniform(-1, 1, (N, 2, 2, 3, 3, 3)), G.uniform(-1, 1, (N, 12, 3))
MOTIONS = Screw(axis=[0, 0, 1], angle=t), Rigid(translation=[0, 0, SPEED * t])
BATCHES = {
    "contact_batch": lambda **k: collide.contact_batch([PLATE, BOWL], (0, 2), parameters=VALUES, **k),
    "clearance_batch": lambda **k: collide.clearance_batch([PLATE, BOWL], (0, 0.5), parameters=VALUES, **k),
    "bezier_pairs": lambda **k: collide.bezier_pairs(PATCHES, weights=np.ones((N, 2, 3, 3)), **k),
    "bezier_triangle_pairs": lambda **k: collide.bezier_triangle_pairs(PATCHES.reshape(N, 2, 2, 9, 3)[:, :, :, :6], **k),
    "edge_edge": lambda **k: collide.edge_edge(POINTS[:, :8], **k),
    "vertex_face": lambda **k: collide.vertex_face(POINTS[:, :4], motions=MOTIONS, parameters={SPEED: VALUES[SPEED]}, **k),
    "triangle_triangle": lambda **k: collide.triangle_triangle(POINTS, **k),
}


def same(a: Any, b: Any) -> None:
    for f in fields(a):
        first, second = getattr(a, f.name), getattr(b, f.name)
        if isinstance(first, np.ndarray):
            assert np.array_equal(first, second, equal_nan=first.dtype.kind == "f"), f.name


@pytest.mark.parametrize("name", BATCHES)
def test_threads_answer_with_the_same_bits(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = BATCHES[name]()
    for first in (1, 7):
        monkeypatch.setattr("collide.search.fan_out._FIRST", first)
        with ThreadPoolExecutor(2) as executor:
            same(alone, BATCHES[name](executor=executor))
    with ThreadPool(2) as pool:
        pool.submit = None  # type: ignore[attr-defined]
        same(alone, BATCHES[name](executor=pool))


def test_processes_answer_with_the_same_bits() -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        for name in ("contact_batch", "edge_edge"):
            same(BATCHES[name](), BATCHES[name](executor=executor))


def test_what_is_no_executor() -> None:
    with pytest.raises(TypeError, match="executor must have a method submit or map"):
        BATCHES["contact_batch"](executor=2)


class Inline(Executor):
    """Does at once what is submitted."""

    def submit(self, function: Any, /, *args: Any, **options: Any) -> Any:
        return _Done(function, args)


class _Done:
    def __init__(self, function: Any, args: Any) -> None:
        self.function, self.args = function, args

    def result(self) -> Any:
        return self.function(*self.args)

    def done(self) -> bool:
        return True

    def cancel(self) -> None:
        """Nothing is under way."""


def test_errors_name_the_row_of_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("collide.search.fan_out._FIRST", 3)

    def ask(lo: int, hi: int) -> Any:
        def answer(budget: Any) -> Any:
            if hi > 25:
                raise ValueError(f"row {25 - lo}: no")
            return collide.edge_edge(POINTS[lo:hi, :8])
        return answer

    with pytest.raises(ValueError, match="row 25: no"):
        fan_out(ask, N, Inline(), Clock(collide.Budget()))  # type: ignore[arg-type]


def test_a_spent_budget_leaves_rows() -> None:
    answer = collide.contact_batch([PLATE, BOWL], (0, 2), parameters=VALUES, executor=Inline(), budget=1e-6)
    assert len(answer) == N and {*answer.status} <= {Status.BUDGET_SPENT, Status.CONTACT, Status.NO_CONTACT}
    assert Status.BUDGET_SPENT in {*answer.status}


class Interrupting(ThreadPoolExecutor):
    """Ctrl-C is pressed when the first task is done, and once only, also where two end together."""

    def __init__(self, workers: int) -> None:
        super().__init__(workers)
        self.first = threading.Lock()

    def submit(self, function: Any, /, *args: Any, **options: Any) -> Any:
        future = super().submit(function, *args, **options)
        future.add_done_callback(self.press)
        return future

    def press(self, _: Any) -> None:
        if self.first.acquire(blocking=False):
            os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture
def heard() -> Iterator[None]:
    """Ctrl-C is heard, also where the tests run in the background of a shell."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard")
def test_ctrl_c_keeps_the_rows_that_are_done() -> None:
    values = {SPEED: np.concatenate([VALUES[SPEED]] * 50), TILT: np.concatenate([VALUES[TILT]] * 50)}
    with Interrupting(2) as executor:
        answer = collide.clearance_batch([PLATE, BOWL], (0, 0.5), parameters=values, executor=executor)
    done = answer.status != DistanceStatus.BUDGET_SPENT
    assert 0 < done.sum() < len(answer)
    whole = collide.clearance_batch([PLATE, BOWL], (0, 0.5), parameters=VALUES)
    assert np.array_equal(answer.bracket[done], np.concatenate([whole.bracket] * 50)[done])


def test_ctrl_c_before_the_rows_are_shared_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def pressed(*_: Any) -> None:
        raise KeyboardInterrupt

    for module in ("clearance_batch", "contact_batch"):
        monkeypatch.setattr(f"collide.queries.{module}.RowFamilies", pressed)
        assert {*BATCHES[module](executor=Inline()).status} <= {DistanceStatus.BUDGET_SPENT, Status.BUDGET_SPENT}


@pytest.mark.usefixtures("heard")
def test_threads_at_work_are_told_of_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that would take a minute comes back at once, as far as it is known."""
    monkeypatch.setattr("collide.search.fan_out._FIRST", 1)
    began = threading.Event()

    def ask(lo: int, hi: int) -> Any:
        def answer(budget: Any) -> Any:
            clock, row = Clock(budget), collide.edge_edge(POINTS[lo:hi, :8])
            if lo != 1 or budget.seconds < 1:
                return replace(row, status=np.full(1, Status.BUDGET_SPENT))
            began.set()
            while not clock.over:
                time.sleep(0.001)
            return replace(row, status=np.full(1, Status.UNRESOLVED))
        return answer

    def interrupt() -> None:
        began.wait()
        time.sleep(0.3)  # until its future is waited for
        os.kill(os.getpid(), signal.SIGINT)

    presser = threading.Thread(target=interrupt)
    presser.start()
    with ThreadPoolExecutor(2) as executor:
        answer = fan_out(ask, 3, executor, Clock(collide.Budget(60.0)))  # type: ignore[arg-type]
    presser.join()
    assert answer.status[1] is Status.UNRESOLVED


class Silent(Executor):
    """All workers are gone, which nobody says: the first chunk is answered, and no other."""

    _max_workers = 2

    def __init__(self) -> None:
        self.futures = list[Future[Any]]()

    def submit(self, function: Any, /, *args: Any, **options: Any) -> Future[Any]:
        self.futures.append(Future())
        if len(self.futures) == 1:
            self.futures[0].set_result(function(*args, **options))
        return self.futures[-1]


def test_workers_that_never_answer_cost_their_rows_and_no_more_than_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("collide.search.fan_out._FIRST", 2)
    executor = Silent()
    answer = fan_out(Deadly, N, executor, Clock(collide.Budget(2.0)))  # type: ignore[arg-type]
    assert (answer.status[:2] != Status.BUDGET_SPENT).all() and (answer.status[2:] == Status.BUDGET_SPENT).all()
    (note,) = answer.notes
    assert note.startswith("Workers gave no answer within the budget: of rows 2 to ")
    assert all(future.cancelled() for future in executor.futures[1:])


class Deadly:
    """A question about rows that ends the process which comes to row 4; where the budget is spent, nothing is known."""

    def __init__(self, lo: int, hi: int) -> None:
        self.lo, self.hi = lo, hi

    def __call__(self, budget: Any) -> Any:
        if self.lo <= 4 < self.hi and budget.seconds > 1:
            os._exit(1)
        answer = collide.edge_edge(POINTS[self.lo:self.hi, :8])
        return answer if budget.seconds > 1 else replace(answer, status=np.full(self.hi - self.lo, Status.BUDGET_SPENT))


def test_a_worker_that_dies_costs_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("collide.search.fan_out._AHEAD", 1)
    monkeypatch.setattr("collide.search.fan_out._SECONDS", 1e-9)
    monkeypatch.setattr("collide.search.fan_out._FIRST", 1)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        answer = fan_out(Deadly, 8, executor, Clock(collide.Budget(100.0)))  # type: ignore[arg-type]
    assert answer.notes == ("Workers died (BrokenProcessPool): of rows 4 to 4 nothing is known.",)
    assert (answer.status == Status.BUDGET_SPENT).tolist() == [k == 4 for k in range(8)]
    assert np.array_equal(answer.hit, collide.edge_edge(POINTS[:8, :8]).hit)


class Fragile(Inline):
    """Takes three tasks, of which the second ends with its worker, and breaks at the fourth."""

    taken = 0

    def submit(self, function: Any, /, *args: Any, **options: Any) -> Any:
        self.taken += 1
        if self.taken > 3:
            raise BrokenExecutor
        return _Done((lambda *_: [][0]) if self.taken == 2 else function, args)


def test_what_was_done_before_an_executor_broke_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("collide.search.fan_out._FIRST", 2)
    monkeypatch.setattr("collide.search.fan_out._AHEAD", 5)

    def ask(lo: int, hi: int) -> Any:
        row = collide.edge_edge(POINTS[lo:hi, :8])
        return lambda budget: row if budget.seconds > 1 else replace(row, status=np.full(hi - lo, Status.BUDGET_SPENT))

    answer = fan_out(ask, 30, Fragile(), Clock(collide.Budget(60.0)))  # type: ignore[arg-type]
    assert answer.notes == ("Workers died (BrokenExecutor): of rows 2 to 3 nothing is known.",)
    assert np.flatnonzero(answer.status == Status.BUDGET_SPENT).tolist() == [2, 3]


def test_answers_are_put_together() -> None:
    parts = [collide.edge_edge(POINTS[lo:lo + 10, :8]) for lo in range(0, N, 10)]
    same(collide.edge_edge(POINTS[:, :8]), joined(parts))
