"""Every kept answer is still the same, bit for bit.

``python -m tests.golden --update`` keeps new ones: say in the commit why they changed.
"""

import json
from pathlib import Path

import pytest

from .queries import QUERIES
from .runs import arithmetic

KEPT = Path(__file__).with_name("answers.json")


def kept() -> dict[str, dict[str, str]]:
    return json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}


@pytest.mark.parametrize("name", QUERIES)
def test_the_answer_is_the_same_as_ever(name: str) -> None:
    known = kept()[name]
    if known.get("arithmetic", arithmetic()) != arithmetic():
        pytest.skip("linear algebra has other last bits on this processor than where the runs were kept")
    assert QUERIES[name]() == known


def test_all_kept_answers_are_asked_for() -> None:
    assert list(kept()) == list(QUERIES)
