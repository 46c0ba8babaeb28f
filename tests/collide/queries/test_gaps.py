"""Answers for bodies with gaps (`queries.gaps`, `queries.thick_contact`, `bodies.thickened`)."""

import math
from pathlib import Path
from typing import Any

import pytest

import collide
from codegen.functions import Samples, Spline
from generative import Parameter, Rigid, t, x, y, z
from generative.deform import deform
from generative.solids import box, sphere


def test_distances_hold_for_bodies_thickened_by_their_gaps() -> None:
    plain = box([2, 2, 2])
    loose = plain.with_gap(0.25).named("loose")
    far = box([2, 2, 2]).moved(Rigid(translation=[5, 0, 0]))
    exact, found = collide.distance(plain, far), collide.distance(loose, far.with_gap(0.125))
    assert exact.bracket.lo == 3.0 and not exact.notes
    # 3 less both gaps, rounded downwards.
    assert 2.624 < found.bracket.lo <= 3 - 0.375 and found.bracket.hi == exact.bracket.hi
    assert "are up to 0.25 off its faces" in found.notes[0]


KNOTS = [0, 0.5, 1.25, 2, 2.5, 3.25, 4]


def balls(apart: float, beside: float, gap: float, spline: bool = False) -> list[Any]:
    """Two balls of radius 1, the second of which comes along x from so far away, and passes at a distance `beside`; also by a spline."""
    way = Spline(t, Samples(KNOTS, [apart - k for k in KNOTS], [-1.0] * len(KNOTS))) if spline else apart - t
    return [sphere(1).with_gap(gap).named("loose"), sphere(1).moved(Rigid(translation=[way, beside, 0]))]


def reach(distance: float, apart: float, beside: float) -> float:
    """The time at which the centres are that distance apart."""
    return apart - math.sqrt(distance**2 - beside**2)


@pytest.mark.parametrize("spline", [False, True])
@pytest.mark.parametrize("gap", [1e-12, 1e-3, 0.05])
def test_brackets_hold_the_contact_of_faces_and_of_thickened_bodies(gap: float, spline: bool) -> None:
    found = collide.first_contact(balls(5, 0.5, gap, spline), time=(0, 4))
    assert found.status is collide.Status.CONTACT
    assert found.time.lo == found.clear_until <= reach(2 + gap, 5, 0.5) and reach(2, 5, 0.5) <= found.time.hi
    # A cube of shifts holds points up to sqrt(3) gaps away; the contact is proved for all of these.
    assert found.time.lo >= reach(2 + 2 * gap, 5, 0.5) - 1e-9 and found.time.hi <= reach(2 - 2 * gap, 5, 0.5) + 1e-9
    assert any("`Solid.gap`). Brackets of times are wider" in note for note in found.notes)


@pytest.mark.parametrize("spline", [False, True])
def test_faces_that_miss_by_less_than_the_gap_may_meet(spline: bool) -> None:
    found = collide.first_contact(balls(3, 2.05, 0.1, spline), time=(0, 4))
    assert found.status is collide.Status.UNRESOLVED and found.undecided.tolist() == [[0, 1]]
    assert found.clear_until <= reach(2.1, 3, 2.05)
    assert collide.first_contact(balls(3, 2.05, 0.02, spline), time=(0, 4)).status is collide.Status.NO_CONTACT


@pytest.mark.parametrize("spline", [False, True])
def test_bodies_nearer_than_their_gaps_at_the_start_are_named(spline: bool) -> None:
    found = collide.first_contact(balls(2.05, 0, 0.1, spline), time=(0, 1))
    assert found.status is collide.Status.CONTACT and found.clear_until == 0.0 and found.time.hi >= 0.05
    assert "Bodies loose and 1, thickened by their gaps, are not proved apart at the start." in found.notes


@pytest.mark.parametrize("spline", [False, True])
def test_spells_leave_open_what_gaps_may_decide(spline: bool) -> None:
    found = collide.contacts_during(balls(5, 0.5, 1e-6, spline), time=(0, 4))
    kinds = found.kinds.tolist()
    assert kinds[0] is collide.Spell.SEPARATION and collide.Spell.CONTACT in kinds
    assert found.ends[0, 0] <= reach(2 + 1e-6, 5, 0.5) < reach(2, 5, 0.5) <= found.begins[kinds.index(collide.Spell.CONTACT), 1]
    assert any("`Solid.gap`). Brackets of times are wider" in note for note in found.notes)


P = Parameter("p")


def beside(gap: float) -> list[Any]:
    """As `balls` from 5 away, beside by the parameter."""
    return [sphere(1).with_gap(gap).named("loose"), sphere(1).moved(Rigid(translation=[5 - t, P, 0]))]


@pytest.mark.parametrize("gap", [1e-9, 0.02])
def test_ranges_of_parameters_count_gaps(gap: float) -> None:
    found = collide.first_contact(beside(gap), (0, 4), parameters={P: (0.5, 1)})
    assert found.status is collide.Status.CONTACT and found.time.lo == found.clear_until
    assert reach(2 + 2 * gap, 5, 0.5) - 1e-9 <= found.time.lo <= reach(2 + gap, 5, 0.5)
    assert reach(2, 5, 0.5) <= found.time.hi <= reach(2 - 2 * gap, 5, 0.5) + 1e-9
    assert found.parameters[0][P].lo == 0.5
    assert collide.first_contact(beside(gap), (0, 4), parameters={P: (2.05, 3)}).status is collide.Status.NO_CONTACT
    near = collide.first_contact(beside(gap), (2, 6), parameters={P: (2 + 0.9 * gap, 3)})
    assert near.status is collide.Status.UNRESOLVED and near.clear_until <= reach(2 + gap, 5, 2 + 0.9 * gap)


@pytest.mark.parametrize("gap", [1e-9, 0.05])
def test_a_critical_value_counts_gaps(gap: float) -> None:
    bodies = [sphere(1).with_gap(gap), sphere(1).moved(Rigid(translation=[5 - P, 0, t * (1 - t)]))]
    found = collide.critical_value(bodies, (0, 1), {P: (0, 4)}, budget=collide.Budget(boxes=20_000))
    assert found.bracket.lo <= 3 - gap and found.status is not collide.Status.NO_CONTACT
    assert found.status is not collide.Status.CONTACT or 3 <= found.bracket.hi <= 3 + 2 * gap + 1e-9
    far = [bodies[0], bodies[1].moved(Rigid(translation=[0, 2.2, 0]))]
    assert collide.critical_value(far, (0, 1), {P: (0, 4)}).status is collide.Status.NO_CONTACT


@pytest.mark.parametrize("gap", [1e-9, 0.05])
def test_rows_of_batches_count_gaps(gap: float) -> None:
    values = [0.0, 1.0, 2 + 0.5 * gap, 2 + 1.9 * gap, 0.5]
    found = collide.contact_batch(beside(gap), (0, 6), parameters={P: values})
    for k in (0, 1, 4):
        assert found.status[k] is collide.Status.CONTACT
        assert found.time[k, 0] <= reach(2 + gap, 5, values[k]) and reach(2, 5, values[k]) <= found.time[k, 1]
    assert found.status[2] is collide.Status.UNRESOLVED and found.time[2, 0] <= reach(2 + gap, 5, values[2])
    assert found.status[3] is collide.Status.NO_CONTACT
    assert "`Solid.gap`" in found.notes[0]


def test_rows_that_move_in_a_flush_way_count_gaps() -> None:
    """Bodies of flat faces have exact answers, which are about bodies without gaps."""
    cube = box([2, 2, 2])
    bodies = [cube.with_gap(0.125), cube.moved(Rigid(translation=[P, 0, 6 - t]))]
    found = collide.contact_batch(bodies, (0, 6), parameters={P: [0.0, 2.0625, 3.0]})
    assert found.time[0, 0] <= 4 - 0.125 and found.time[0, 1] >= 4
    assert found.status.tolist()[1:] == [collide.Status.UNRESOLVED, collide.Status.NO_CONTACT]


@pytest.mark.parametrize("gap", [1e-9, 0.05])
def test_a_log_is_about_all_shifts_by_gaps(tmp_path: Path, gap: float) -> None:
    pytest.importorskip("flint")
    collide.first_contact(balls(5, 0.5, gap), time=(0, 4), log=tmp_path / "log")
    checked = collide.check(tmp_path / "log")
    assert checked.status.name == "ACCEPTED" and f"for all shift0_x from {-gap} to {gap}" in checked.theorem
    early = float(checked.theorem.split("0.0 <= t <= ")[1].split(",")[0])
    assert reach(2 + 2 * gap, 5, 0.5) - 1e-6 <= early <= reach(2 + gap, 5, 0.5)
    late = float(checked.theorem.split("in common at t = ")[1].split(",")[0])
    assert reach(2, 5, 0.5) <= late <= reach(2 - 2 * gap, 5, 0.5) + 1e-6


def test_questions_that_count_no_gaps_refuse_them_or_say_so() -> None:
    bodies = balls(5, 0.5, 0.1)
    with pytest.raises(ValueError, match=r'edges of body 0 \("loose"\) are up to 0\.1 off its faces .* body\.with_gap\(0\)'):
        collide.clearance_batch(beside(0.1), (0, 1), parameters={P: [3.0]})
    with pytest.raises(ValueError, match="tracked contacts are points of faces"):
        collide.first_contact(bodies, (3, 4), tracked=[collide.tracked_at(bodies, (0, 1), [0.9, 0.25, 0], 3.1, 2)])
    rigid = [collide.RigidBody(sphere(1).with_gap(0.1), fixed=True), collide.RigidBody(sphere(1), position=[3, 0, 0], velocity=[-1, 0, 0])]
    run = collide.World(rigid, gravity=[0, 0, 0]).run(2.0, events=1)
    assert "The run is one of its faces, without that." in run.notes[0]


def test_deformed_bodies_need_another_bound() -> None:
    loose = box([2, 2, 2]).with_gap(0.25)
    with pytest.raises(ValueError, match=r"edges of the solid are up to 0\.25 off its faces"):
        deform(loose, [2 * x, y, z])
    assert deform(loose.with_gap(0), [2 * x, y, z]).with_gap(0.5).gap == 0.5
    # What is derived from one body is not taken for one that differs in its gap alone.
    assert loose != box([2, 2, 2]) and loose == box([2, 2, 2]).with_gap(0.25)


@pytest.mark.parametrize("gap", [1e-9, 0.1])
def test_flush_faces_of_bodies_with_gaps_come_to_lie_on_each_other(gap: float) -> None:
    """The faces do at t = 4, the thickened bodies at 4 minus both gaps."""
    cube = box([2, 2, 2]).with_gap(gap)
    found = collide.first_contact([cube, cube.moved(Rigid(translation=[0, 0, 6 - t]))], (0, 6))
    assert found.status in (collide.Status.CONTACT, collide.Status.UNRESOLVED)
    assert found.time.lo <= 4 - 2 * gap and 4 <= found.time.hi <= 4 + 1e-6 and found.clear_until > 4 - 2 * gap * 3**0.5 - 1e-6
