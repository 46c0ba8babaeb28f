"""What all tests share."""

from collections.abc import Iterator

import pytest

from collide.search import drive


@pytest.fixture(autouse=True, scope="session")
def nothing_asked_for_later() -> Iterator[None]:
    """At the end of a query code is asked for that makes later ones of its kind faster. Here most come but a few times, and the process
    that compiles would take time from the tests.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drive, "compile_repeated", lambda: None)
        yield
