"""Evidence in words."""

from collide.timeline.evidence import about


def test_a_time_in_words_has_no_negative_zero() -> None:
    assert about(-0.0) == "about t = 0" and about(-0.25) == "about t = -0.25"
