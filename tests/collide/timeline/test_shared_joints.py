"""Links of an arm on recorded joint paths that share several joints: against forward kinematics at dense samples, in doubles."""

import numpy as np
import sympy as sp

import collide
from collide import Status
from collide.moment.pairs import Pairs
from collide.queries.rows import RowFamilies
from generative import Chain, Parameter, Rigid, fit, revolute, solids, t
from generative.numeric import approx_function

R = sp.Rational
RADIUS, LENGTH, STEP = 0.0625, 0.125, 0.25
NAMES = ["a", "b", "c", "d"]
TIMES = np.linspace(0, 4, 5)


def links(count, path, offset=0):
    """Capsules on an arm that bends in a plane, the last of which turns out of it."""
    body = solids.capsule(R(RADIUS), R(LENGTH))
    joints = [revolute(f"q{i}", ["ground", *NAMES][i], NAMES[i], axis=[0, 0, 1] if i < count - 1 else [0, 1, 0],
                       origin=Rigid(translation=[R(STEP), 0, 0])) for i in range(count)]
    return Chain(dict.fromkeys(NAMES[:count], body), joints).at({f"q{i}": path.value[i] + offset for i in range(count)})


def axis_of(link, count, angles):
    """Points (33, 3) of the axis of a capsule at joint angles."""
    points = np.linspace([0, 0, 0], [0, 0, LENGTH], 33)
    for i in range(link, -1, -1):
        c, s = np.cos(angles[i]), np.sin(angles[i])
        turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]] if i < count - 1 else [[c, 0, s], [0, 1, 0], [-s, 0, c]])
        points = points @ turn.T + [STEP, 0, 0]
    return points


def first_overlap(count, path, offset=0):
    """The first of many times at which the axes of the first and of the last link are nearer than their radii."""
    moments = np.linspace(0, 4, 4001)
    for moment, angles in zip(moments, approx_function(list(path.value), [t])(moments) + offset, strict=True):
        first, last = axis_of(0, count, angles), axis_of(count - 1, count, angles)
        if np.linalg.norm(first[:, None] - last[None], axis=2).min() < 2 * RADIUS:
            return moment
    raise AssertionError("the links never meet")


def test_the_first_and_the_last_link():
    """All joints of the first are before the last one, too, and their paths have knots in common. The arm closes to a triangle."""
    path = fit.joint_motion(TIMES, np.stack([0.6 * TIMES + 0.01 * i * np.sin(TIMES) for i in range(4)], 1))
    own, first = links(4, path), first_overlap(4, path)
    answer = collide.first_contact([own[0], own[-1]], (0, 4))
    assert answer.status is Status.CONTACT and answer.clear_until <= first and abs(answer.time[1] - first) < 2e-3


def test_rows_of_a_batch_are_one_family():
    """Joint errors as parameters: no row has formulas of its own, and each meets at its own time."""
    path = fit.joint_motion(TIMES, np.stack([0.6 * TIMES + 0.01 * i * np.sin(TIMES) for i in range(4)], 1))
    error = Parameter("error")
    own, offsets = links(4, path, error), np.array([-0.03, 0.0, 0.02])
    ends = [own[0], own[-1]]
    assert not RowFamilies(ends, (0, 4), (0.0, 4.0), {error: offsets}, Pairs(2)).literal
    answer = collide.contact_batch(ends, (0, 4), parameters={error: offsets})
    for offset, (lo, hi) in zip(offsets, answer.time, strict=True):
        first = first_overlap(4, path, offset)
        assert lo <= first and abs(hi - first) < 2e-3
