"""Parts of bodies of many leaves: none that is there is left out, by points of them that Newton's method finds in doubles."""

import functools
import random

import numpy as np
import pytest
import sympy as sp

from collide import Status, first_contact
from collide.bodies.implicit_parts import FEW, implicit_parts
from collide.bodies.numbers import numbers_of
from collide.situations import occupancy, placed_leaves, presence
from generative import ImplicitSurface, Rigid, axis_angle, difference, intersection, t, union, x, y, z
from generative.family import member_of
from generative.primitives import block, round_cylinder
from tests.collide.contact_scenes import Q, sphere

SPAN = (0.0, 1.0)
POINTS = 12


def leaf(rng):
    """A plane, a cylinder or a ball, near the origin, in bounds that cut some of them."""
    at = [Q(rng.randint(-8, 8), 10) for _ in range(3)]
    shape = rng.choice([x - Q(1, 3), x**2 + y**2 - Q(1, 2), x**2 + y**2 + z**2 - Q(3, 4), y + Q(1, 4), x * y + Q(1, 5)])
    bounds = [(-Q(rng.randint(8, 12), 8), Q(rng.randint(8, 12), 8)) for _ in range(3)]
    turn = axis_angle([Q(rng.randint(1, 4)), Q(rng.randint(0, 2)), Q(rng.randint(0, 3))], sp.pi * Q(rng.randint(0, 5), 4))
    return ImplicitSurface(shape, bounds=bounds).moved(Rigid(rotation=turn, translation=at))


def body(rng, moving):
    groups = []
    for _ in range(3):
        first, *others = [leaf(rng) if rng.random() < 0.7 else ~leaf(rng) for _ in range(3)]
        groups.append((union if rng.random() < 0.5 else intersection)(first, *others))
    whole = intersection(groups[0], union(groups[1], ~groups[2]))
    return whole.moved(Rigid(rotation=axis_angle([0, 0, 1], t), translation=[t, 0, 0])) if moving else whole


@functools.cache
def compiled(one):
    """The function of a leaf and the coordinates in its frame, of a point of the world and the time."""
    return sp.lambdify((x, y, z, t), [one.expression, *one.coordinates], "math")


def points_of(part, rng):
    """Points (and times) in the world on all leaves and sides of a part, found by Newton's method; not all are on the body."""
    unknown = [leaf.expression for leaf in part.leaves]
    unknown += [part.leaves[k].coordinates[c] - part.leaves[k].bounds[c][end] for k, c, end in part.sides]
    value = sp.lambdify((x, y, z, t), [unknown, [[sp.diff(e, s) for s in (x, y, z)] for e in unknown]], "math")
    for _ in range(POINTS):
        time = rng.uniform(*SPAN)
        p = np.array([rng.uniform(-1.2, 1.2) for _ in range(3)]) + compiled_motion(part.leaves[0], time)
        for _ in range(12):
            e, d = value(*p, time)
            p = p - np.linalg.lstsq(np.array(d), np.array(e), rcond=None)[0]
            if not np.abs(p).max() < 9:
                break
        else:
            if np.abs(value(*p, time)[0]).max() < 1e-13:
                yield p, time


def compiled_motion(one, time):
    """Where the origin of the frame of a leaf is."""
    return np.array([float(e.subs(t, time)) for e in one.motion.translation])


def level(implicit, p, time):
    if isinstance(implicit, ImplicitSurface):
        return compiled(implicit)(*p, time)[0]
    return (min if implicit.operation == "union" else max)(level(c, p, time) for c in implicit.children)


def on_part(part, p, time):
    """Clearly on the body: within the bounds of its leaves, and on a piece."""
    for k, one in enumerate(part.leaves):
        for c, (value, (lo, hi)) in enumerate(zip(compiled(one)(*p, time)[1:], one.bounds, strict=True)):
            free = not any(s[:2] == (k, c) for s in part.sides)
            if free and not float(lo) + 1e-9 < value < float(hi) - 1e-9:
                return False
    return any(all(level(b, p, time) > 1e-9 for b in piece.outside) and all(level(b, p, time) < -1e-9 for b in piece.inside)
               for piece in part.pieces)


@pytest.mark.parametrize(("seed", "moving"), [(0, True), (1, False)])
def test_every_part_with_a_point_is_there_and_holds_it(seed, moving):
    rng = random.Random(f"occupancy {seed}")
    given = body(rng, moving)
    member = member_of(given)
    numbers, parts = numbers_of(member), implicit_parts(member.body)
    assert len(given.leaves) > FEW
    left = set(presence.without_absent(parts, numbers, SPAN))
    assert len(left) < len(parts)
    # The same parts with numbers in the place of the family's symbols.
    exact, found = implicit_parts(given), 0
    assert [p.feature for p in exact] == [p.feature for p in parts]
    for k in (*range(9), *rng.sample(range(9, len(parts)), 24)):
        for p, time in points_of(exact[k], rng):
            if on_part(exact[k], p, time):
                found += 1
                assert parts[k] in left, f"{parts[k].feature} has the point {p} at {time}"
                own = np.array(compiled(exact[k].leaves[0])(*p, time)[1:])
                for place in (presence.near, presence.where):
                    box = place(parts[k], numbers, SPAN)
                    assert box is not None and (box[:, 0] - 1e-9 <= own).all() and (own <= box[:, 1] + 1e-9).all()
    assert found > 3


def wheel():
    """The wheel of a Geneva drive: a disc of radius 1 with four slots as wide as 0.22."""
    disc, slot = round_cylinder(1, Q(1, 5)), block((Q(8, 10), Q(22, 100), 1)).moved(Rigid(translation=[Q(7, 10), 0, 0]))
    for k in range(4):
        disc = disc - slot.moved(Rigid(rotation=axis_angle([0, 0, 1], k * sp.pi / 2 + sp.pi / 4)))
    return disc


def test_a_ball_falls_into_a_slot_of_a_wheel():
    """It falls on the two upper edges of the slot, whose distance is 0.22."""
    rho = Q(3, 20)
    at = [Q(6, 10) * sp.sqrt(2) / 2, Q(6, 10) * sp.sqrt(2) / 2, 1 - t]
    answer = first_contact([sphere(rho).moved(Rigid(translation=at)), wheel()], time=(0, 1))
    truth = float(1 - Q(1, 5) - sp.sqrt(rho**2 - Q(11, 100) ** 2))
    assert answer.status is Status.CONTACT and answer.time.lo <= truth * (1 + 1e-15) and truth * (1 - 1e-15) <= answer.time.hi
    assert answer.proved.tolist() == [True, True]


def test_large_bodies_take_one_kernel_a_kind_of_leaf():
    parts = implicit_parts(member_of(wheel()).body)
    numbers = numbers_of(member_of(wheel()))
    presence._kernel.cache_clear()
    placed_leaves._function.cache_clear()
    placed_leaves._kinds.cache_clear()
    occupancy.occupancy.cache_clear()
    presence._found.cache_clear()
    assert 0 < len(presence.without_absent(parts, numbers, SPAN)) < len(parts) / 10
    assert presence._kernel.cache_info().misses == 0 < placed_leaves._function.cache_info().misses == 1


def test_all_of_a_solid_block_of_nine_leaves_is_there():
    """A block with one corner cut off by planes through three of its edges: 7 faces, 15 edges and 10 vertices."""
    corner = intersection(*(ImplicitSurface(e, bounds=[(-2, 2)] * 3) for e in (x + y + z - 2, x + y + z - 6, -x - y - z - 6)))
    given = block((2, 2, 2)) & corner
    assert len(given.leaves) == 9
    member = member_of(given)
    left = presence.without_absent(implicit_parts(member.body), numbers_of(member), SPAN)
    left = [p for p in left if presence.where(p, numbers_of(member), SPAN) is not None]
    assert [sum(p.dimension == d and not p.sides for p in left) for d in (2, 1, 0)] == [7, 15, 10]


@pytest.mark.parametrize("order", ["carried", "apart"])
def test_leaves_that_move_against_each_other_are_looked_at_through_all_times(order):
    """A ball beside a wheel, which comes to it later, or stays where it is to it."""
    away = sphere(Q(1, 4)).moved(Rigid(translation=[3 - 2 * t if order == "apart" else Q(3), 0, 0]))
    given = (wheel() | away).moved(Rigid(rotation=axis_angle([0, 0, 1], t), translation=[0, 0, t]))
    assert given.together == (order == "carried")
    member = member_of(given)
    assert member.body.together == given.together
    parts, ball = implicit_parts(member.body), list(dict.fromkeys(given.leaves)).index(away.moved(given.leaves[0].motion.mover))
    left = presence.without_absent(parts, numbers_of(member), SPAN)
    assert any(len(p.leaves) == 2 and parts.leaves[ball] in p.leaves for p in left) == (order == "apart")


def test_leaves_whose_formulas_hold_no_numbers():
    """A ball falls on a block, from which such a body that lies beside it is cut off."""
    shape = x**4 + y**4 + z**4 - x**2 - y**2 - z**2
    holes = [block((1, 1, 1)).moved(Rigid(translation=[4, k, 0])) for k in range(2)]
    given = difference(block((2, 2, 2)), ImplicitSurface(shape, [(-2, 2)] * 3).moved(Rigid(translation=[20, 0, 0])), *holes)
    answer = first_contact([sphere(Q(1, 4)).moved(Rigid(translation=[0, 0, 2 - t])), given], time=(0, 1))
    assert answer.status is Status.CONTACT and answer.time.lo <= 0.75 <= answer.time.hi


def test_motions_that_are_not_defined_at_the_time_0():
    """What they carry is at rest for itself: it is looked at at another time."""
    first = 900
    given = wheel().moved(Rigid(rotation=axis_angle([0, 0, 1], sp.sqrt(t - first)), translation=[0, 0, sp.log(t)]))
    member = member_of(given)
    numbers, parts = numbers_of(member), implicit_parts(member.body)
    assert 0 < len(presence.without_absent(parts, numbers, (first, first + 1))) < len(parts) / 10
