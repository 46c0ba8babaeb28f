"""Answers for bodies with gaps (`queries.gaps`)."""

import collide
from generative import Rigid, t
from generative.solids import box


def test_distances_hold_for_bodies_thickened_by_their_gaps() -> None:
    plain = box([2, 2, 2])
    loose = plain.with_gap(0.25).named("loose")
    far = box([2, 2, 2]).moved(Rigid(translation=[5, 0, 0]))
    exact, found = collide.distance(plain, far), collide.distance(loose, far.with_gap(0.125))
    assert exact.bracket.lo == 3.0 and not exact.notes
    # 3 less both gaps, rounded downwards.
    assert 2.624 < found.bracket.lo <= 3 - 0.375 and found.bracket.hi == exact.bracket.hi
    assert "are up to 0.25 off its faces" in found.notes[0]


def test_contacts_tell_that_gaps_are_left_out() -> None:
    loose = box([2, 2, 2]).with_gap(0.25)
    found = collide.first_contact([loose, box([2, 2, 2]).moved(Rigid(translation=[5 - t, 0, 0]))], time=(0, 4))
    assert found.time.lo <= 3 <= found.time.hi
    assert any("are up to 0.25 off its faces" in note for note in found.notes)
