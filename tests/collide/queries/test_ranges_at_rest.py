"""Ranges of parameters of bodies that rest against each other, or move alike: whether they meet at any value is asked, not left out."""

import itertools

import numpy as np
import pytest
import sympy as sp

import collide
from collide import Start, Status
from generative import Parameter, ParametricSurface, Rigid, axis_angle, t, u, v
from generative.polyhedron import brick

R = sp.Rational
H, RHO = Parameter("h"), Parameter("rho")
SPHERE = {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)}
PLATE = ParametricSurface([u, v, 0], {u: (-5, 5), v: (-5, 5)})
STILL, ALONG = Rigid(translation=[0, 0, 0]), Rigid(translation=[t, 0, 0])
TURNING = Rigid(rotation=axis_angle([1, 2, 3], 2 * t), translation=[t, 2 * t**2, 0])


def ball(r=1, at=(0, 0, 0)):
    return ParametricSurface([r * sp.cos(u) * sp.cos(v), r * sp.sin(u) * sp.cos(v), r * sp.sin(v)], SPHERE).moved(Rigid(translation=at))


@pytest.mark.parametrize("motion", [STILL, ALONG, TURNING], ids=["still", "along", "turning"])
@pytest.mark.parametrize(("lowest", "meets"), [(R(1, 2), True), (R(11, 10), False)])
def test_a_ball_over_a_plate_at_any_height(motion, lowest, meets):
    """Below 1 it is through the plate at every time."""
    bodies = [ball(at=[0, 0, H]).moved(motion), PLATE.moved(motion)]
    c = collide.first_contact(bodies, (0, 1), parameters={H: (lowest, 3)}, spacing=0.5)
    assert c.status is (Status.CONTACT if meets else Status.NO_CONTACT)
    assert c.clear_until == (0.0 if meets else 1.0) and (not meets or c.time == (0.0, 0.0))
    assert all(at[H][0] <= 1 for at in c.parameters)
    least = collide.critical_value(bodies, (0, 1), {H: (lowest, 3)}, spacing=0.5)
    assert least.status is c.status


@pytest.mark.parametrize("r", [(R(1, 10), R(1, 2)), (R(1, 2), R(3, 2))])
def test_a_ball_of_any_size_in_another(r):
    """Surfaces count: as long as it is the smaller one, it meets nothing."""
    c = collide.first_contact([ball(RHO), ball(at=[R(1, 4), 0, 0])], (0, 1), parameters={RHO: r}, spacing=1.0)
    assert c.status is (Status.CONTACT if r[1] > R(3, 4) else Status.NO_CONTACT)


def test_a_solid_that_moves_with_another():
    box = brick([1, 1, 1]).moved(Rigid(translation=[0, 0, H]))
    c = collide.first_contact([box.moved(ALONG), PLATE.moved(ALONG)], (0, 1), parameters={H: (R(1, 4), 3)}, spacing=1.0)
    assert c.status is Status.CONTACT and c.time == (0.0, 0.0)


def test_what_rests_without_a_range_is_named_and_what_has_one_is_asked():
    """Three of five bodies stand on the plate: two whatever the height of the third is, which is through the plate for some."""
    low = [ball(at=[x, 0, R(1, 2)]) for x in (-3, 0)]
    bodies = [*low, PLATE, ball(at=[3, 0, H])]
    c = collide.first_contact(bodies, (0, 1), parameters={H: (R(1, 2), 3)}, spacing=1.0)
    assert c.status is Status.CONTACT and c.time == (0.0, 0.0) and set(map(tuple, c.pairs.tolist())) == {(2, 3)}
    assert "do not move against each other" in c.summary() and c.start[0, 2] is Start.OVERLAPPING and c.start[2, 3] is Start.UNKNOWN
    c = collide.first_contact(bodies, (0, 1), parameters={H: (2, 3)})
    assert c.status is Status.NO_CONTACT and "do not move against each other" in c.summary() and c.start[1, 2] is Start.OVERLAPPING
    c = collide.first_contact(bodies, (0, 1), parameters={H: (R(1, 2), 3)}, ignore=[(2, 3)])
    assert c.status is Status.NO_CONTACT and (2, 3) not in c.start


def test_a_range_says_what_its_values_do():
    """Rows of a batch, spells and distances at single heights, and the range between each two of them."""
    bodies, heights = [ball(at=[0, 0, H]).moved(TURNING), PLATE.moved(TURNING)], [R(1, 4), R(1, 2), R(7, 8), R(9, 8), 2]
    rows = collide.contact_batch(bodies, (0, 1), parameters={H: np.array(heights, float)}).hit
    for k, (lo, hi) in enumerate(itertools.pairwise(heights)):
        c = collide.first_contact(bodies, (0, 1), parameters={H: (lo, hi)}, spacing=1.0)
        assert (c.status is Status.CONTACT) == rows[k:k + 2].any() and (c.status is Status.NO_CONTACT) == (not rows[k:k + 2].any())
