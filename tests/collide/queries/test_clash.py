"""`clash` (`answers.clashes`): bodies whose relation is known in closed form, at every moment."""

import pytest
import sympy as sp

import collide
from collide import ClashKind, TouchRegion
from generative import Rigid, axis_angle, primitives, solids, t

R = sp.Rational
TABLE = solids.box((4, 4, 1)).moved(Rigid(translation=[0, 0, -R(1, 2)]))
BOX, BALL, CAN = solids.box((1, 1, 1)), primitives.ball(R(1, 2)), solids.cylinder(R(1, 2), 1)
LYING = axis_angle((1, 0, 0), sp.pi / 2)


def moved(body, *place, turn=None):
    return body.moved(Rigid(rotation=turn, translation=list(place)))


@pytest.mark.parametrize("body, region", [
    (moved(BOX, t / 2, 0, R(1, 2)), TouchRegion.FACE), (moved(BALL, t / 2, 0, R(1, 2)), TouchRegion.POINT),
    (moved(CAN, t / 2, 0, R(1, 2), turn=LYING), TouchRegion.CURVE), (moved(CAN, t / 2, 0, R(1, 2)), TouchRegion.FACE),
    (moved(solids.box((1, 1, 1)), 2 + R(1, 2), 0, R(1, 2)), TouchRegion.CURVE),
], ids=["slides on a face", "on a point", "rolls on a line", "stands on a disc", "edge on edge"])
def test_what_slides_touches_along_a_region(body, region):
    (spell,) = collide.clash([body, TABLE], (0, 1)).spells
    assert spell.kind is ClashKind.TOUCH and spell.region is region and not spell.proved
    assert spell.gap.lo == 0.0 and spell.gap.hi < 1e-14


def test_what_falls_is_clear_then_interferes_then_is_inside():
    """A ball of radius 1/2 falls from z = 2 through the surface at 0 of a block that is 4 deep: until 3/2, until 5/2, until the end."""
    block = moved(solids.box((4, 4, 4)), 0, 0, -2)
    answer = collide.clash([moved(BALL, 0, 0, 2 - t).named("ball"), block], (0, 3))
    kinds = [s.kind for s in answer.spells]
    assert kinds == [ClashKind.NONE, ClashKind.INTERFERE, ClashKind.FIRST_INSIDE] and all(s.proved for s in answer.spells)
    assert answer.spells[1].begin.lo <= 1.5 <= answer.spells[1].begin.hi and answer.spells[1].end.lo <= 2.5 <= answer.spells[1].end.hi
    assert answer.worst == {(0, 1): ClashKind.INTERFERE} and "ball inside body 1 from t = 2.5" in answer.summary()
    assert answer.status is collide.Status.CONTACT and answer.of(1, 0) == list(answer.spells)


def test_equal_boxes_interfere_until_they_are_flush():
    """Their faces coincide, so surfaces touch without crossing; a common interior point tells."""
    answer = collide.clash([moved(BOX, t, 0, 0), BOX], (0, 2))
    assert [(s.kind, s.begin.lo, s.end.hi) for s in answer.spells] == [(ClashKind.INTERFERE, 0, 1), (ClashKind.NONE, 1, 2)]


def test_a_touch_for_an_instant():
    """Boxes that pass edge on edge touch once, which is exact; balls all but touch, which no rounding tells."""
    answer = collide.clash([moved(BOX, t - 1, 1, 1 - t), BOX], (0, 2))
    assert ClashKind.INTERFERE not in {s.kind for s in answer.spells}
    for aside in (0, sp.sqrt(2) / 2):
        balls = collide.clash([moved(BALL, t - 1, 1, aside), moved(BALL, 0, 0, aside)], (0, 2))
        (touch,) = [s for s in balls.spells if s.kind is ClashKind.TOUCH]
        # Where the place of the touch has simple numbers, exact arithmetic tells.
        assert touch.begin.lo <= 1 <= touch.begin.hi and touch.proved is not bool(aside) and touch.gap.lo < 1e-12
        assert aside or touch.gap.lo == 0


def test_pairs_by_name_and_budgets():
    three = [BALL.named("a"), moved(BALL, 3, 0, 0).named("b"), moved(primitives.ball(3), 0, 0, t / 8).named("c")]
    answer = collide.clash(three, (0, 1), ignore=[("b", "c")])
    assert [(s.pair, answer.words(s)) for s in answer.spells] == [((0, 1), "clear"), ((0, 2), "a inside c")]
    with pytest.raises(ValueError, match="nothing is known of bodies 1 and 2"):
        answer.of(1, 2)
    spent = collide.clash([moved(BALL, 0, 0, 2 - t), TABLE], (0, 3), budget=collide.Budget(boxes=1))
    assert spent.status in (collide.Status.BUDGET_SPENT, collide.Status.CONTACT)


def test_a_ball_that_touches_a_box_from_inside_interferes_all_along():
    """At t = 3 a ball of radius 1/2 fills a unit box from face to face: its surface touches the faces for an instant."""
    answer = collide.clash([moved(BALL, 0, 0, 3 - t), BOX], (1, 5))
    (clear, spell, after) = answer.spells
    assert (clear.kind, spell.kind, after.kind) == (ClashKind.NONE, ClashKind.INTERFERE, ClashKind.NONE)
    assert spell.begin.lo <= 2 <= spell.begin.hi and spell.end.lo <= 4 <= spell.end.hi


def test_an_undecided_spell_gives_no_proof_beyond_its_moment():
    """A tetrahedron falls on its copy from t = 1 on; it is not proved that the surfaces meet all along."""
    corners, sides = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
    tetrahedron = collide.Mesh(corners, sides)
    bodies = [tetrahedron, tetrahedron.moved(Rigid(translation=[0, 0, 2 - t]))]
    (clear, spell) = collide.clash(bodies, (0, R(3, 2))).spells
    assert clear.kind is ClashKind.NONE and clear.end.lo <= 1 <= clear.end.hi
    assert spell.kind is ClashKind.INTERFERE and spell.begin.lo <= 1 <= spell.begin.hi
    kinds = [s.kind for s in collide.contacts_during(bodies, (0, R(3, 2))).of(0, 1)]
    assert spell.proved is not (collide.Spell.UNDECIDED in kinds)
