"""Parts of bodies of many leaves by their kinds: where they are, and when a point is on them, is what the formulas of their body say."""

import random

import numpy as np
import pytest
import sympy as sp

from codegen.kernel import Kernel
from collide.bodies.implicit_parts import implicit_parts
from collide.bodies.numbers import numbers_of
from collide.situations import part_kind, presence
from collide.situations.frame import Frame, Local
from collide.situations.part_nearby import nearby
from collide.situations.placed_implicit import PlacedImplicit
from generative import IDENTITY, Rigid, axis_angle, t
from generative.family import member_of
from tests.collide.contact_scenes import Q

from .test_occupancy import SPAN, body, compiled, on_part, points_of, wheel


def turned(given, rotation):
    return given.moved(Rigid(rotation=rotation, translation=[t, 0, 2 * t]))


def placed(part, carrier):
    """Where a part is, its functions, and 1 or 0 for on it or not: of coordinates in its own frame, or of points in the world."""
    frame = Frame(3, (0, 1), symbols=(part.own.symbols, ()))
    pool = frame.pool
    at = tuple(pool.variable(k) for k in range(3))
    own = PlacedImplicit(part, frame, 1, None if carrier else (Local(IDENTITY, frame.known(1), at), at))
    one, zero = pool.constant(1), pool.constant(0)
    conditions = own.conditions()
    held = one
    for c in conditions:
        held = pool.where(c, held, zero)
    return Kernel([*own.position, *own.values, held, *(e for g in own.outward for e in g)], ["x", "y", "z", "t"],
                  [str(s) for s in part.own.symbols])


@pytest.mark.parametrize("carrier", [True, False])
def test_parts_of_kinds_are_where_their_formulas_say(carrier):
    rng = random.Random("kinds")
    given = turned(body(rng, False), axis_angle([1, 2, 2], t))
    member = member_of(given)
    numbers, parts, exact, found = numbers_of(member), implicit_parts(member.body), implicit_parts(given), 0
    left = set(presence.without_absent(parts, numbers, SPAN))
    for k in rng.sample([k for k, part in enumerate(parts) if part in left and not part.sides], 5):
        part, whole = nearby(parts[k], numbers), exact[k]
        assert part.mover is not None
        kernel = placed(part, carrier)
        for p, time in points_of(whole, rng):
            own = np.array(compiled(whole.leaves[0])(*p, time)[1:])
            ends = part.own.intervals[-6:].mean(axis=1).reshape(3, 2)
            if not ((ends[:, 0] < own) & (own < ends[:, 1])).all():
                continue
            values = kernel.points(np.array([[*(own if carrier else p), time]]), parameters=part.own.middles)[0]
            count = len(whole.leaves)
            assert np.abs(values[:3] - p).max() < 1e-12 and np.abs(values[3:3 + count]).max() < 1e-12
            if on_part(whole, p, time):
                found += 1
                assert values[3 + count] == 1 and (part.margin is None or part.margin.bounds(own[None], own[None])[1] >= 0)
            for j, leaf in enumerate(whole.leaves):
                truth = [float(e.subs(dict(zip(sp.symbols("x y z t", real=True), [*p, time], strict=True)))) for e in leaf.gradient]
                assert np.abs(values[4 + count + 3 * j:][:3] - truth).max() < 1e-9
    assert found > 2


def test_faces_edges_and_vertices_of_a_wheel_are_one_kind_each():
    member = member_of(turned(wheel(), axis_angle([0, 0, 1], t)))
    numbers = numbers_of(member)
    parts = presence.without_absent(implicit_parts(member.body), numbers, SPAN)
    own = [nearby(part, numbers) for part in parts if presence.where(part, numbers, SPAN) is not None]
    assert all(part.mover is not None for part in own)
    assert {part.dimension for part in own} == {0, 1, 2} and len({id(part.whole) for part in own}) == 3


def test_what_stretches_is_not_taken_to_carry_its_leaves():
    """A matrix that is a rotation at the moments at which it is looked at, and not at others."""
    for stretch, kept in ((1, True), (1 + t * (t - 1) * (t - Q(1, 2)) * Q(1, 8), False)):
        member = member_of(turned(wheel(), axis_angle([0, 0, 1], t)).at(t))
        motion = Rigid._unchecked(sp.ImmutableMatrix(3, 3, [stretch, 0, 0, 0, 1, 0, 0, 0, 1]), [t, 0, 0])
        member = member_of(wheel().moved(motion))
        assert (part_kind.carrier_of(member.body, numbers_of(member)) is not None) == kept
