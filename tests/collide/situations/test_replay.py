"""Proofs that are replayed: a box that is left always holds the part, and parts of which one body has no point may be there on another."""

import numpy as np
import pytest

import collide.situations.presence as presence
from codegen.remembered import forget
from collide.bodies.implicit_parts import implicit_parts
from collide.bodies.numbers import numbers_of
from collide.situations.replay import Proofs, placed
from generative import primitives
from generative.family import member_of

UNIT = np.tile([0.0, 1.0], (4, 1))


def near(point, room=0.0):
    """A part that is a point, as a test of boxes; within `room` of it boxes are not told from it."""
    def test(boxes):
        return ((boxes[:, :3, 0] <= np.add(point, room)) & (boxes[:, :3, 1] >= np.subtract(point, room))).all(axis=1)

    return test


def test_shares_cover_what_they_cover():
    rng = np.random.default_rng(1)
    lo = rng.normal(size=(4, 1))
    whole = np.concatenate([lo, lo + rng.uniform(0, 3, (4, 1)) * [[1.0], [1.0], [0.0], [1e-300]]], axis=1)
    assert np.array_equal(placed(UNIT, whole), whole)
    cuts = np.sort(rng.uniform(size=9))
    ends = placed(np.stack([np.r_[0.0, cuts], np.r_[cuts, 1.0]], axis=1)[:, None].repeat(4, axis=1), whole)
    assert np.array_equal(ends[0, :, 0], whole[:, 0]) and np.array_equal(ends[-1, :, 1], whole[:, 1])
    assert np.array_equal(ends[1:, :, 0], ends[:-1, :, 1]) and (ends[..., 0] <= ends[..., 1]).all()


def test_a_proof_fits_bodies_of_other_sizes_alone():
    proofs, whole = Proofs(), UNIT.copy()
    at = np.array([0.3, 0.6, 1 / 3])
    proofs.note(near(at), whole, np.stack([at - 1e-3, at + 1e-3], axis=1))
    larger = np.array([[-1.0, 6.0], [0.0, 7.0], [2.0, 9.0], [0.0, 5.0]])
    point = larger[:3, 0] + 7 * at
    known, box = proofs.replayed(near(point), larger)
    assert known and (box[:, 0] <= point).all() and (point <= box[:, 1]).all() and np.ptp(box, axis=1).max() < 0.02
    # Elsewhere, or nowhere, it is no proof.
    assert proofs.replayed(near(point + 0.5), larger) == (False, None)
    assert proofs.replayed(near(point + 100), larger) == (False, None)
    proofs.note(near([9.0, 9, 9]), whole, None)
    assert proofs.replayed(near(point + 100), larger) == (True, None)


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0)])
def test_parts_do_not_depend_on_the_members_before(order):
    """Two balls of one family meet in an edge, or do not, or one is inside the other."""
    sizes = [(1, 1, 1), (1, 1, 3), (3, 1, 1), (1, 1, 1.25)]
    found = []
    for kept in (False, True):
        forget()
        answers = {}
        for k in order:
            if not kept:
                forget()
            first, second, apart = (3 * e / 7 for e in sizes[k])
            member = member_of(primitives.ball(first) | primitives.ball(second, (apart, 0, 0)))
            numbers = numbers_of(member)
            parts = presence.without_absent(implicit_parts(member.body), numbers, (0.0, 1.0))
            answers[k] = [(p.feature, presence.where(p, numbers, (0.0, 1.0))) for p in parts]
        found.append(answers)
    for k in order:
        fresh, warm = (answers[k] for answers in found)
        assert [name for name, _ in fresh] == [name for name, _ in warm]
        assert all(np.allclose(a, b, atol=1e-8) for (_, a), (_, b) in zip(fresh, warm, strict=True) if a is not None)
