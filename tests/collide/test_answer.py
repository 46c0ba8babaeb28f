"""What a result claims of its points."""

import pytest

import collide
from collide import Budget, Status, first_contact
from generative import t
from models.scenes import SCENES

from .contact_scenes import TILT, TURNED, Q, ball, half_space, move, slab


def test_a_pole_in_the_middle_of_a_flat_contact_is_not_called_isolated() -> None:
    """The pole's own situation has one zero, but the contact round it is a patch: existence, not uniqueness."""
    scene = SCENES["dish-on-checkerboard"]
    contacts = collide.first_contact(scene.bodies, scene.time, **scene.options)
    assert contacts.status is collide.Status.CONTACT
    assert len(contacts) > 10
    assert contacts.existence.all()
    assert not contacts.proved.any()


GRAZES = [
    ("a ball comes down to a floor and goes up again", [ball().moved(TILT).moved(move(0, 0, 1 + (t - 1) ** 2)), half_space()], 1),
    ("two balls", [ball().moved(TILT).moved(move(*(e * (1 + (t - 1) ** 2 / 2) for e in (Q(6, 5), Q(8, 5), 0)))), ball().moved(TURNED)], 1),
    ("a plate slides over the top of a ball", [slab(Q(3, 2)).moved(move(t - 4, Q(1, 5), 1)), ball().moved(TILT)], Q(5, 2)),
]


@pytest.mark.parametrize("name, bodies, time", GRAZES, ids=[name for name, _, _ in GRAZES])
def test_the_bracket_of_an_unproved_contact_holds_it(name, bodies, time):
    """Bodies that only graze cannot be proved to touch; the boxes near what was located are not listed, but may hold the contact."""
    c = first_contact(bodies, (0, 8), budget=Budget(boxes=200_000))
    assert c.status is Status.UNRESOLVED and c.clear_until <= time
    assert Q(c.time.lo) <= time <= Q(c.time.hi) and c.time.lo > time - Q(1, 10**6)
