"""Proofs replayed for all parts at once: the parts found of polytopes are those that exact rational arithmetic finds."""

import itertools
import random

import sympy as sp

import collide.situations.presence as presence
from codegen.remembered import forget
from collide.bodies.implicit_parts import implicit_parts
from collide.bodies.numbers import numbers_of
from generative import ImplicitSurface, Rigid, t, x, y, z
from generative.family import member_of

R = sp.Rational
REST = 0.0, 0.0


def corners(planes):
    """{planes that meet there: point} of the polytope of n p <= d."""
    found = {}
    for chosen in itertools.combinations(range(len(planes)), 3):
        normals, levels = sp.Matrix([planes[k][0] for k in chosen]), sp.Matrix([planes[k][1] for k in chosen])
        if normals.det() == 0:
            continue
        point = normals.LUsolve(levels)
        if all((sp.Matrix([n]) * point)[0] <= d for n, d in planes):
            found[chosen] = point
    return found


def cut_brick(rng, number):
    """A brick, often without a corner, and its planes."""
    sizes = [R(rng.randint(500, 900), 1009) for _ in range(3)]
    planes = [([s * (k == j) for j in range(3)], e) for k, e in enumerate(sizes) for s in (1, -1)]
    planes.append(([1, 1, 1], sum(sizes) * R([700, 900, 1100][number % 3] + rng.randint(0, 50), 1000)))
    leaves = [ImplicitSurface(n[0] * x + n[1] * y + n[2] * z - d, [(-R(9, 8) * e, R(9, 8) * e) for e in sizes]) for n, d in planes]
    body = leaves[0]
    for leaf in leaves[1:]:
        body = body & leaf
    return planes, body.moved(Rigid(translation=[0, 0, 3 - t]))


def test_parts_of_polytopes(monkeypatch):
    forget()
    rng, searches, kinds = random.Random(7), [], {}
    searched = presence._searched
    monkeypatch.setattr(presence, "_searched", lambda *given: searches.append(given[0]) or searched(*given))
    for k in range(9):
        planes, body = cut_brick(rng, k)
        member = member_of(body)
        numbers = numbers_of(member)
        before = len(searches)
        kinds.setdefault(member.body, implicit_parts(member.body))
        parts = presence.without_absent(kinds[member.body], numbers, (0.0, 4.0))
        at = corners(planes)
        pairs = [pair for chosen in at for pair in itertools.combinations(chosen, 2)]
        places = {leaf: j for j, leaf in enumerate(member.body.leaves)}
        found = [tuple(sorted(places[leaf] for leaf in part.leaves)) for part in parts if part.dimension < 2]
        assert sorted(found) == sorted([*at, *{pair for pair in pairs if pairs.count(pair) == 2}])
        for part in parts:
            own = {places[leaf] for leaf in part.leaves}
            box = presence.where(part, numbers, REST)
            for chosen, point in at.items():
                if own <= set(chosen):
                    assert all(lo <= e <= hi for (lo, hi), e in zip(box.tolist(), point, strict=True))
        if k >= 6:
            # Edges end elsewhere on each member; all other parts are proved at once.
            assert len(searches) - before < 20
