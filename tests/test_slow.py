"""The list of slow tests names tests that there are."""

from pathlib import Path

from .conftest import SLOW

ROOT = Path(__file__).parents[1]


def test_every_slow_test_exists() -> None:
    for name in SLOW:
        file, _, function = name.partition("::")
        assert f"def {function.partition('[')[0]}(" in (ROOT / file).read_text(encoding="utf-8"), name
