"""Every guard obeys one suite, of guards of `guards`, `landing` and `planes`: it ends a motion at the first time at which its condition
fails, which is known in closed form, whether it is asked for many times or one by one; its values then fall through zero.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest

from collide.world.contact.closed_forms import OnFace
from collide.world.contact.manifold import ContactConstraint
from collide.world.contact_solver.forces import ActiveConstraint, Solved, motion
from collide.world.dynamics.guard_set import guards_of
from collide.world.dynamics.guards import (
    Cones,
    Forces,
    Guard,
    GuardReason,
    MotionAt,
    Slips,
    SlipStops,
    SlipTurns,
    Tilts,
    TooHigh,
    Top,
    WithinBorder,
)
from collide.world.dynamics.landing import CornersLand, HopsLand, PartsLand
from collide.world.dynamics.planes import Plane, heights
from collide.world.dynamics.projection import alongside
from collide.world.features.features import features
from collide.world.motion.state import BodyState
from collide.world.shapes.simple import Flat

from ..scenes import FLOOR, cube

ZERO, X, Z = np.zeros(3), np.array([1.0, 0, 0]), np.array([0.0, 0, 1])
HALF = 0.5
BORDER = np.array([[-HALF, -9.0, 0], [HALF, -9, 0], [HALF, 9, 0], [-HALF, 9, 0]])
FACE = Flat(Z, 0.0, np.stack([BORDER, np.roll(BORDER, -1, axis=0)], axis=1))
KEPT = ActiveConstraint(ContactConstraint((1, 0), OnFace(ZERO, 0.0, FACE)), 0.5, None, 1e-12)
HOPS, SLIPS = replace(KEPT, loose=True, rises=True), replace(KEPT, slip=X)
# None of these is an end.
TIMES = np.linspace(0.053, 0.954, 19)
Course = Callable[[np.ndarray], np.ndarray]


def motion_of(kept: ActiveConstraint, place: Course, velocity: Course, pressed: Course = np.ones_like) -> Callable[[np.ndarray], MotionAt]:
    """A corner that goes along over the plane z = 0 at rest, with a force along the normal that presses it."""

    def at(times: np.ndarray) -> MotionAt:
        m = len(times)
        still = BodyState(np.zeros((m, 3)), np.tile(np.eye(3), (m, 1, 1)), np.zeros((m, 3)), np.zeros((m, 3)))
        places = {0: still, 1: still._replace(centre=place(times), velocity=velocity(times))}
        now = motion((kept.link,), places, {0: np.zeros((m, 6)), 1: np.zeros((m, 6))}, {1: 0}, m)
        forces = np.zeros((m, 1, 3))
        forces[:, 0, 0] = pressed(times)
        push = np.zeros((m, 6))
        push[:, 2] = pressed(times)
        return MotionAt(places, now, Solved(forces, push, push, pressed(times) < 5.0), alongside((kept,), now))

    return at


def along(x: Course, z: Course) -> Course:
    return lambda t: np.stack([x(t), np.zeros_like(t), z(t)], axis=1)


def nothing(t: np.ndarray) -> np.ndarray:
    return np.zeros_like(t)


REST = along(nothing, nothing)


class Case(NamedTuple):
    guard: Guard
    at: Callable[[np.ndarray], MotionAt]
    end: float


def plane(most: float, least: float) -> Plane:
    """A corner that is 0.2 above the one in contact."""
    return Plane(0, 1, 1.0, np.array([0.2 * Z]), np.array([least]), np.array([most]))


def slips(at: Callable[[np.ndarray], MotionAt]) -> Slips:
    return Slips((SLIPS,), at(np.zeros(1)).motion)


def stopping() -> Case:
    at = motion_of(SLIPS, REST, along(lambda t: np.maximum(0.3 - t, 0.0), nothing))
    return Case(SlipStops(slips(at)), at, 0.3)


def turning() -> Case:
    at = motion_of(SLIPS, REST, lambda t: np.stack([0.3 - t, np.ones_like(t), np.zeros_like(t)], axis=1))
    return Case(SlipTurns(slips(at)), at, 0.3)


def parts() -> Case:
    # A cube of side 1, whose centre comes down to 0.5 + 0.2.
    shapes = {k: features(shape, (0.0, 0.0, 0.0)) for k, shape in enumerate((FLOOR, cube()))}
    found = PartsLand((KEPT,), shapes.get, 1.0)
    assert not found.pairs, "of bodies with corners it is the planes that tell"
    found.pairs = {(1, 0): (0, shapes[1], shapes[0])}  # type: ignore[dict-item]
    return Case(found, motion_of(KEPT, along(nothing, lambda t: 1.2 - t), along(nothing, lambda t: -np.ones_like(t))), 0.7)


CASES: dict[str, Callable[[], Case]] = {
    "forces": lambda: Case(Forces(), motion_of(KEPT, REST, REST, lambda t: np.where(t < 0.6, 1.0, 9.0)), 0.6),
    "border": lambda: Case(WithinBorder((KEPT,), 1.0), motion_of(KEPT, along(lambda t: t, nothing), along(np.ones_like, nothing)), HALF),
    "too high": lambda: Case(TooHigh((HOPS,), 1.0), motion_of(HOPS, along(nothing, lambda t: 1e-8 * t), REST), 0.2),
    "top": lambda: Case(Top((HOPS,)), motion_of(HOPS, REST, along(nothing, lambda t: 0.4 - t)), 0.4),
    "tilts": lambda: Case(Tilts((KEPT,), [plane(0.5, -math.inf)], 1.0), motion_of(KEPT, along(nothing, lambda t: t), REST), 0.3),
    "slip stops": stopping, "slip turns": turning,
    "corners land": lambda: Case(CornersLand([plane(math.inf, 0.0)]), motion_of(KEPT, along(nothing, lambda t: 0.5 - t), REST), 0.7),
    "hops land": lambda: Case(HopsLand((HOPS,), 1.0), motion_of(HOPS, along(nothing, lambda t: 0.6 - t), along(nothing, np.negative)), 0.6),
    "parts land": parts,
    "cones": lambda: Case(Cones((KEPT,), np.ones(6)), motion_of(KEPT, REST, REST, lambda t: 0.4 - t), 0.4),
}  # fmt: skip


@pytest.fixture(params=list(CASES))
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]()


def test_the_cases_are_of_all_guards() -> None:
    system: Any = type("System", (), {"kept": (SLIPS,), "free": (), "bodies": {}})
    system.free, system.bodies = (1,), {1: type("Body", (), {"radius": 1.0})}
    at = motion_of(SLIPS, REST, REST)
    landings = CornersLand([]), HopsLand((SLIPS,), 1.0), PartsLand((), {}.get, 1.0)
    used = guards_of(system, [], slips(at), 1.0, landings)
    assert {type(g) for g in used} == {type(made().guard) for made in CASES.values()}
    assert {g.reason for g in used} == set(GuardReason) - {GuardReason.LOST}


def test_a_guard_ends_the_motion_at_the_first_time_after_the_end(case: Case) -> None:
    expected = int(np.searchsorted(TIMES, case.end))
    assert 0 < expected < len(TIMES) and case.guard.look(case.at(TIMES), len(TIMES)).first == expected
    # Contacts may be 2e-9 beyond a border.
    near = case.end + np.array([-1e-6, -1e-7, 1e-7, 1e-6])
    assert case.guard.look(case.at(near), 4).first == 2


def test_times_at_once_agree_with_one_by_one(case: Case) -> None:
    together = case.guard.look(case.at(TIMES), len(TIMES))
    each = [case.guard.look(case.at(TIMES[k:k + 1]), 1) for k in range(len(TIMES))]
    first = next(k for k, found in enumerate(each) if not found.first)
    assert together.first == first
    for n, values in enumerate(together.values):
        np.testing.assert_allclose(np.asarray(values), np.concatenate([np.asarray(e.values[n]) for e in each]), atol=1e-14)


def test_no_time_beyond_the_count_is_told(case: Case) -> None:
    first = case.guard.look(case.at(TIMES), len(TIMES)).first
    assert [case.guard.look(case.at(TIMES), k).first for k in (0, 1, first, first + 1)] == [0, 1, first, first]


def test_values_fall_through_zero_where_the_motion_ends(case: Case) -> None:
    found = case.guard.look(case.at(TIMES), len(TIMES))
    values = [np.asarray(e).reshape(len(TIMES), -1) for e in found.values]
    assert not values or any((e[:found.first] > 0.0).all() and (e[found.first] <= 0.0).any() for e in values)


def test_heights_are_those_above_the_plane() -> None:
    at = motion_of(KEPT, along(nothing, lambda t: t), REST)(TIMES)
    corners = np.array([[1.0, 2, 0.3], [0, 0, -0.1]])
    np.testing.assert_allclose(heights(0, 1.0, corners, at.motion, at.places[1]), TIMES[:, None] + [0.3, -0.1], atol=1e-15)
