"""What a result claims of its points."""

import collide
from models.scenes import SCENES


def test_a_pole_in_the_middle_of_a_flat_contact_is_not_called_isolated() -> None:
    """The pole's own situation has one zero, but the contact round it is a patch: existence, not uniqueness."""
    scene = SCENES["dish-on-checkerboard"]
    contacts = collide.first_contact(scene.bodies, scene.time, **scene.options)
    assert contacts.status is collide.Status.CONTACT
    assert len(contacts) > 10
    assert contacts.existence.all()
    assert not contacts.proved.any()
