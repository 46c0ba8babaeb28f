"""Parts of `self_contact`: sides that are joined, pairs of places proved different, sides that close."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from collide.search.budget import Budget
from collide.search.clock import SEARCHING, Clock
from collide.sheets.assembly import windows
from collide.sheets.closing import closing
from collide.sheets.enclosures import neighbours
from collide.sheets.glue import folds, joins
from collide.sheets.injective import division
from collide.sheets.sheet import piece_of, pieces_of_nets
from generative import ParametricSurface, t, u, v
from tests.collide.sheet_scenes import folding, halves, hinge, pinched

R = sp.Rational


def test_every_pair_is_injective_or_kept():
    """Random pairs of different places that share a point: all of them lie in the boxes that are kept."""
    rng = np.random.default_rng(7)
    # x and z of u and -u agree for every v, so each such pair is a contact.
    surface = ParametricSurface([u**3 - u / 2, v, u**2], {u: (-1, 1), v: (0, 1)})
    piece = piece_of(surface, 0)
    kept, _, left, complete = division(neighbours([(piece, piece, joins([piece], (0.0, 1.0))[0, 0])]), (0.0, 1.0), Clock(Budget()))
    boxes = np.concatenate([kept, left])
    assert complete
    root = math.sqrt(0.5)
    for where, moment in rng.uniform(0, 1, (50, 2)):
        for first, second in ((root, -root), (-root, root)):
            p = np.array([first, where, second, where, moment])
            # sqrt(1/2) is rounded; so are the boxes' halves, which are dyadic.
            if ((boxes[:, :, 0] <= p + 1e-15) & (p - 1e-15 <= boxes[:, :, 1])).all(axis=1).any():
                break
        else:
            raise AssertionError(f"the contact at v = {where}, t = {moment} is in no pair of boxes")


def test_every_pair_of_a_sheet_is_injective_or_kept():
    """As before, of a surface in four parts: places that meet are in one part, in two that share a side, or only a corner."""
    rng = np.random.default_rng(17)
    body = [u**3 - u / 2, v + u / 4, u**2]
    halves = [((-1, 0), (0, 1)), ((0, R(1, 2)), (R(1, 2), 1))]
    pieces = [piece_of(ParametricSurface(body, {u: p, v: q}), k) for k, (p, q) in enumerate(itertools.product(*halves))]
    found = joins(pieces, (0.0, 1.0))
    assert sorted(pair for pair in found if pair[0] != pair[1]) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    boxes = {}
    for (i, j), known in found.items():
        kept, _, left, complete = division(neighbours([(pieces[i], pieces[j], known)]), (0.0, 1.0), Clock(Budget()))
        boxes[i, j] = np.concatenate([kept, left])
        assert complete
    root, met = math.sqrt(0.5), set()
    for where, moment in np.column_stack([rng.uniform(root / 2, 1, 60), rng.uniform(0, 1, 60)]):
        # Left and right agree in x and z at -root and root, and in y where v differs by root / 2.
        pair = int(where >= 0.5), 2 + int(where - root / 2 >= 0.5)
        p = np.array([-root, where, root, where - root / 2, moment])
        assert ((boxes[pair][:, :, 0] <= p + 1e-15) & (p - 1e-15 <= boxes[pair][:, :, 1])).all(axis=1).any(), p
        met.add(pair)
    assert met == {(0, 2), (1, 2), (1, 3)}


def test_sides_are_found_whichever_way_they_run():
    for reverse in (False, True):
        found = joins([piece_of(s, k) for k, s in enumerate(hinge(reverse))], (0.0, 2.0))
        (join,) = found[0, 1]
        assert join.across == (-1, 0) and join.at((u, v)) == (-u, 1 - v if reverse else v)


def test_sides_that_nearly_coincide_are_not_joined():
    unit = {u: (0, 1), v: (0, 1)}
    plates = [ParametricSurface(e, unit) for e in ([u - 1, v, 0], [u, v, u / 9], [u, v, u / 9 + R(1, 10**12)])]
    for k, joined in ((1, True), (2, False)):
        found = joins([piece_of(plates[0], 0), piece_of(plates[k], 1)], (0.0, 1.0))
        assert ((0, 1) in found) is joined
    nets = folding(2)
    points = nets.points.copy()
    points[1, 0, 0, 2, 2] = np.nextafter(points[1, 0, 0, 2, 2], 9)
    for net, count in ((nets.points, 1), (points, 0)):
        found = joins(pieces_of_nets(replace(nets, points=net)), (0.0, 1.0))
        assert [join.across for join in found.get((0, 1), ())].count((1, 0)) == count


def test_time_spent_on_neighbours_is_not_said_to_be_that_of_compiling():
    clock, piece = Clock(Budget()), piece_of(pinched(), 0)
    known = joins([piece], (0.0, 2.0))[0, 0]
    division(neighbours([(piece, piece, known)]), (0.0, 2.0), clock)
    assert 0 < clock.went_to[SEARCHING] <= clock.seconds


def test_sides_that_meet_are_seen_from_their_formulas():
    # A polynomial, sines and cosines of the same angle and of twice that, and what comes near but has no common factor.
    angle = 3 * t / 2
    bodies = [([u * (t**2 - 3), v, u * (t**3 - 3 * t)], math.sqrt(3), True),
              ([sp.sin(angle) * u, v + u * (1 + sp.cos(angle)), u * 0], 2 * math.pi / 3, True),
              ([u * sp.sin(2 * angle) / (1 + t), v, u * (1 - sp.cos(angle)) * sp.exp(t)], 4 * math.pi / 3, True),
              ([u * sp.sin(t), v, u * (sp.cos(t) + 1 + R(1, 10**9))], math.pi, False)]
    for body, moment, meet in bodies:
        piece = piece_of(ParametricSurface(body, {u: (0, 1), v: (0, 1)}), 0)
        found = closing(piece, (0, 0), piece, (0, 1), (moment - 1e-5, moment + 1), 0.1)
        assert (found is not None) is meet, body
        if found:
            assert found.time[0] <= moment + 1e-15 and moment - 1e-15 <= found.time[1] < found.time[0] + 1e-11
            assert (found.places[:, 0] == found.places[:, 1]).all() and len(found.places) >= 10


@pytest.mark.parametrize("turned", [False, True])
def test_contacts_up_to_a_common_corner_are_kept_or_not_covered(turned):
    """The surfaces meet where u = v (1 + t), from their common corner on. (Fails where the bend of one of them alone is looked at.)"""
    pieces = [piece_of(s, k) for k, s in enumerate(halves(u * v * (u - v * (1 + t)), turned))]
    (known,) = (found for pair, found in joins(pieces, (0.0, 1.0)).items() if pair == (0, 1))
    assert len(list(folds(*pieces, known))) == 1
    kept, _, left, complete = division(neighbours([(*pieces, known)]), (0.0, 1.0), Clock(Budget()))
    boxes = np.concatenate([kept, left])
    assert complete
    # From the time of what is not covered nothing is claimed.
    assert left[:, 4, 0].min() == 0
    for across in (1e-6, 0.01, 0.1, 0.4):
        p = np.array([across, across, *((across, 1 - across) if turned else (across, across)), 0.0])
        assert ((boxes[:, :, 0] <= p + 1e-15) & (p - 1e-15 <= boxes[:, :, 1])).all(axis=1).any()


def test_the_window_of_a_sheet_that_flies_through_another_quickly():
    flat = ParametricSurface([u, v, (v - R(1, 2)) ** 2 / 10], {u: (0, 1), v: (0, 1)})
    fast = ParametricSurface([u, v, 50 * (t - R(1, 3)) - (u - R(1, 2)) ** 2 / 10], {u: (0, 1), v: (0, 1)})
    (lo, hi), = windows([piece_of(flat, 0), piece_of(fast, 1)], (0.0, 1.0)).values()
    assert lo <= 1 / 3 <= hi and hi - lo < 0.2
