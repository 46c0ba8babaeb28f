"""Evidence: what it says of times, and in words."""

import numpy as np

import collide
from collide.queries import contact_search
from collide.timeline.evidence import about
from generative import Rigid, t
from models.shapes.rings import torus


def test_a_time_in_words_has_no_negative_zero() -> None:
    assert about(-0.0) == "about t = 0" and about(-0.25) == "about t = -0.25"


def test_something_is_located_before_a_moment_if_nothing_is_clear_until_then(monkeypatch) -> None:
    seen = []
    known = contact_search._doubtful
    monkeypatch.setattr(contact_search, "_doubtful", lambda found, *rest: seen.append(found) or known(found, *rest))
    falling = torus().moved(Rigid(translation=(0.5, 0, 2 - t)))
    assert collide.first_contact([torus(), falling], (0, 2)).time.lo > 0
    (found, *_) = seen
    clear = found.clear_until(2.0)
    assert 0 < clear < 2
    for moment in (0.0, clear, float(np.nextafter(clear, 2.0)), 2.0):
        assert found.has_before(moment) == (clear < moment)
