"""The applications of Ponamgi, Manocha and Lin 1995, Section 5: a bolt that goes into a nut step by step, and a chain of linked tori."""

import numpy as np
import pytest
import sympy as sp

import collide
from generative import Rigid, axis_angle, t
from models import polygons
from models.scenes import SCENES

HERE, UPRIGHT = np.eye(4), axis_angle([1, 0, 0], sp.pi / 2)
# Of the tube of `polygons.torus`.
MINOR = sp.Rational(3, 16)


def threads(turns):
    return collide.Mesh(*polygons.bolt(turns)), collide.Mesh(*polygons.nut(turns))


def steps(count):
    """The pose of a bolt that many steps below its place in the nut."""
    pose, angle = np.eye(4), -2 * np.pi * count / polygons.AROUND
    pose[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    pose[2, 3] = -polygons.STEP * count
    return pose


@pytest.mark.parametrize(("turns", "sizes"), [(3, (562, 462)), (6, (1024, 924)), (9, (1486, 1386))])
def test_a_bolt_goes_into_a_nut_step_by_step_and_meets_it_nowhere(turns, sizes):
    bolt, nut = threads(turns)
    assert (len(bolt.triangles), len(nut.triangles)) == sizes
    near = collide.Near(bolt, nut)
    for k in np.linspace(polygons.AROUND * turns, 0, 4):
        assert len(near.update(steps(k), HERE)) == 0


def test_in_its_place_a_bolt_is_near_all_of_the_nut():
    """No corner of the nut is farther from it than the allowance times its own distance from the axis."""
    bolt, nut = threads(1)
    found = collide.Near(bolt, nut, 1.375 * polygons.ALLOWANCE).update(HERE, HERE)
    assert len(np.unique(nut.triangles[np.unique(found[:, 1])])) == len(nut.vertices)


def test_the_bolt_is_a_polyhedron():
    bolt, _ = threads(1)
    index = collide.Index(bolt)
    kinds, numbers = index.classify([[0, 0, 0], [1, 0, -0.25], [2, 0, 0], bolt.vertices[20, :3]])
    assert [kind.name for kind in kinds] == ["IN", "EDGE", "OUT", "VERTEX"] and numbers[3] == 20


@pytest.mark.parametrize("way", [1, -1])
def test_the_play_of_a_bolt_along_its_axis_is_exact(way):
    """Signs are exact, and the play is a double: just before it nothing meets, then the edges of the thread."""
    bolt, nut = threads(1)
    near, pose = collide.Near(bolt, nut), np.eye(4)
    counts = []
    for share in (1 - 2.0**-52, 1):
        pose[2, 3] = way * polygons.PLAY * share
        counts.append(len(near.update(pose, HERE)))
    assert counts[0] == 0 and counts[1] > 60
    found = collide.mesh_mesh(bolt, nut, motions=(Rigid(translation=[0, 0, way * t]), Rigid()))
    assert found.time.lo <= polygons.PLAY <= found.time.hi < found.time.lo + 1e-12


def linked(spacing):
    """The motions of two links with centres so far apart."""
    return Rigid(), Rigid(rotation=UPRIGHT, translation=[spacing, 0, 0])


def test_polygonal_links_touch_at_a_corner_when_smooth_ones_do():
    link = collide.Mesh(*polygons.torus())
    assert len(link.triangles) == 400
    index, meeting = collide.Index(link), 2 - 2 * MINOR
    found = collide.touch(index, index, linked(meeting))
    assert found.status == collide.TouchStatus.TOUCHING and found.contacts[0].point.tolist() == [0.8125, 0, 0] and not found.rounded
    away = sp.Rational(1, 2**40)
    assert collide.touch(index, index, linked(meeting - away)).status == collide.TouchStatus.SEPARATE
    assert collide.touch(index, index, linked(meeting + away)).status == collide.TouchStatus.PENETRATING
    found = collide.mesh_mesh(link, link, motions=linked(meeting - sp.Rational(1, 4) + t))
    assert found.time.lo <= 0.25 <= found.time.hi < found.time.lo + 1e-12


def test_the_clearance_of_polygonal_links_is_that_of_two_edges():
    link, half = collide.Mesh(*polygons.torus()), np.pi / 20
    for gap in (sp.Rational(1, 64), sp.Rational(1, 16), sp.Rational(1, 8)):
        moved = [link.moved(m) for m in linked(2 - 2 * MINOR - sp.Rational(1, 64) - gap + t)]
        play = collide.clearance(moved, (0, sp.Rational(1, 64))).bracket
        known = float(gap) * np.cos(half) / np.sqrt(1 + np.sin(half)**2)
        assert play.lo - 1e-6 <= known <= play.hi + 1e-6 and play.hi - play.lo < 1e-9


def test_smooth_links_keep_the_clearance_that_is_known():
    """1 - s - 2 r, which is 1/5 - t."""
    play = collide.clearance(SCENES["chain-of-tori"].bodies[:2], (0, sp.Rational(1, 8)))
    assert play.bracket.lo <= 0.075 <= play.bracket.hi < play.bracket.lo + 1e-6 and play.unique.all()


def test_all_links_of_a_smooth_chain_touch_at_once():
    scene = SCENES["chain-of-tori"]
    found = collide.first_contact(scene.bodies, scene.time, **scene.options)
    assert found.time.lo <= 0.2 <= found.time.hi < found.time.lo + 1e-12 and len(found) == 7 and found.unique.all()
    places = np.sort(found.points[:, 0]) - 1.6 * np.arange(7)
    assert np.allclose(places, 0.8, atol=1e-9) and np.allclose(found.points[:, 1:], 0, atol=1e-9)
