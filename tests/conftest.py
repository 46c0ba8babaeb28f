"""Fixtures of all tests."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from collide.search import clock

SLOW = frozenset((Path(__file__).parent / "slow.txt").read_text(encoding="utf-8").splitlines())
"""Tests that take long where no machine code is on disk, 3.5 s or more each, and random cases beyond some of each kind: `make slow` runs
them, `make test` the others.
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid in SLOW:
            item.add_marker("slow")


@pytest.fixture(autouse=True, scope="session")
def nothing_asked_for_later() -> Iterator[None]:
    """At the end of a query code is asked for that makes later ones of its kind faster. Here most come but a few times, and the process
    that compiles would take time from the tests.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "compile_repeated", lambda: None)
        yield


@pytest.fixture(autouse=True, scope="session")
def ctrl_c_is_heard() -> Iterator[None]:
    """A shell starts programs in the background with SIGINT ignored; tests of Ctrl-C need Python's own handler."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
