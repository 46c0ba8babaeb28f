"""Bodies combined of half-spaces are searched by convex patches of their planes, cut out exactly: `flat_faces`, by `halfspace_faces`.

The referees are closed forms.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

from collide import DistanceStatus, clearance, clearance_batch, distance
from collide.bodies.flat_faces import flat_faces
from collide.bodies.halfspace_faces import faces_of
from collide.bodies.implicit_parts import Candidates
from collide.bodies.numbers import numbers_of
from collide.situations import distance as situations
from generative import ImplicitSurface, Parameter, Rigid, axis_angle, difference, intersection, primitives, t, union, x, y, z
from generative.family import member_of

HALF, NEARLY = sp.Rational(1, 2), sp.Rational(1, 2) + sp.Rational(1, 2**40)
A, B, C, H = (Parameter(name) for name in ("a", "b", "c", "height"))
ROOF = ImplicitSurface(x + z - HALF, [(-2, 2)] * 3)


def cells(body: Any) -> Any:
    member = member_of(body)
    return flat_faces(member.body, numbers_of(member))


def up(height: Any, rotation: Any = None) -> Rigid:
    return Rigid(translation=[0, 0, height]) if rotation is None else Rigid(rotation=rotation, translation=[0, 0, height])


def areas(body: Any) -> dict[int, Fraction]:
    """The squares of the areas of the planes of leaves, of bodies whose patches there are parallelograms or triangles, one each."""
    found = {}
    for p in cells(body).patches:
        (a, b), (c, d) = ([q - r for q, r in zip(p.corners[k], p.corners[0], strict=True)] for k in (1, 2)), (p.corners[3], p.corners[0])
        n = [a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3] for k in range(3)]
        found[p.leaf] = sum(e * e for e in n) / (4 if c == d else 1)
    return found


@pytest.mark.parametrize("c", [sp.Rational(3, 4), HALF, NEARLY, sp.Integer(1)])
def test_patches_are_exact(c: Any) -> None:
    sides = {0: HALF * c, 1: HALF * c, 2: c, 3: c, 4: HALF, 5: HALF}
    assert areas(primitives.block((1, HALF, c))) == {k: Fraction(int(e.p), int(e.q)) ** 2 for k, e in sides.items()}


def test_a_roof_that_ends_in_an_edge_leaves_out_a_face() -> None:
    found = areas(intersection(primitives.block((2, 1, 1)), ROOF))
    assert 1 not in found and {k: found[k] for k in (0, 4, 5, 6)} == {0: 1, 4: 4, 5: 1, 6: 2}


def test_patches_at_a_corner_that_is_cut_off() -> None:
    found = areas(intersection(primitives.block((1, 1, 1)), ImplicitSurface(x + y + z - 1, [(-2, 2)] * 3)))
    assert found[6] == Fraction(3, 4) * Fraction(1, 2)**4


@pytest.mark.parametrize("body", [
    primitives.ball(1), intersection(primitives.block((1, 1, 1)), primitives.ball(HALF)),
    primitives.block((1, 1, sp.sqrt(2))), ImplicitSurface(z, [(-1, 1)] * 3),
    intersection(*(ImplicitSurface(e - 2, [(-1, 1)] * 3) for e in (x, -x, y, -y, z, -z))),
    intersection(*(ImplicitSurface(e - 1, [(-9, 9)] * 3) for e in (x, -x, y, -y))),
    union(primitives.block((1, 1, 1)), primitives.block((1, 1, 1)).moved(up(HALF)))])
def test_others_are_searched_by_their_functions(body: Any) -> None:
    assert cells(body) is None


def test_functions_have_one_answer_with_symbols_and_with_numbers() -> None:
    for body in (primitives.block((1, HALF, NEARLY)), intersection(primitives.block((2, 1, 1)), ROOF),
                 difference(primitives.block((1, 1, 1)), primitives.block((HALF, HALF, 2)))):
        known = [polygon for face in faces_of(body) or [] for polygon in face.polygons]
        assert {c for p in known for c in p} == {c for p in cells(body).patches for c in p.corners}


EDGE_DOWN, CORNER_DOWN = axis_angle([1, 0, 0], sp.pi / 4), axis_angle([1, -1, 0], sp.acos(1 / sp.sqrt(3)))


@pytest.mark.parametrize(("size", "rotation", "below", "kinds"), [
    (HALF, None, 0.25, "face face"), (sp.Integer(1), EDGE_DOWN, math.sqrt(0.5), "face edge"),
    (HALF, EDGE_DOWN, math.sqrt(0.125), "face edge"), (sp.Integer(1), CORNER_DOWN, math.sqrt(0.75), "face vertex"),
    (NEARLY, axis_angle([0, 0, 1], sp.pi / 2), 0.25 + 2.0**-41, "face face")])
def test_distances_of_blocks(size: Any, rotation: Any, below: float, kinds: str) -> None:
    lower, upper = primitives.block((3, 3, 1)), primitives.block((size, size, size))
    found = distance(lower, upper.moved(up(3, rotation)))
    want = 2.5 - below
    assert found.status is DistanceStatus.MEASURED and found.iterations < 30_000
    assert found.bracket.lo - 1e-15 <= want <= found.bracket.hi + 1e-15
    assert np.allclose(np.linalg.norm(found.points[:, 0] - found.points[:, 1], axis=1), want, atol=1e-8)
    assert kinds in {f"{a.split()[0]} {b.split()[0]}" for a, b in found.features}
    at = upper.moved(up(3, rotation))
    for (first, second), points in list(zip(found.features, found.points.tolist(), strict=True))[::20]:
        assert lies(lower, first, points[0]) and lies(at, second, points[1])


def lies(body: Any, feature: str, point: list[float]) -> bool:
    """Whether all leaves of a feature are zero at a point in space."""
    part = next(p for p in Candidates(body) if p.feature == feature)
    return all(abs(float(leaf.expression.xreplace(dict(zip((x, y, z), point, strict=True))))) < 1e-8 for leaf in part.leaves)


def test_distances_of_bodies_that_are_not_convex() -> None:
    """A bar that reaches into a slot, by 1/4; a post beside an L."""
    slotted = difference(primitives.block((2, 2, 1)), primitives.block((1, 3, HALF)))
    slot = difference(primitives.block((2, 2, 1)), intersection(*(ImplicitSurface(e, [(-3, 3)] * 3) for e in (
        x - HALF, -x - HALF, -z))))
    bar = primitives.block((HALF, 4, 1)).moved(up(sp.Rational(3, 4)))
    found = distance(slot, bar)
    assert found.status is DistanceStatus.MEASURED and found.bracket.lo <= 0.25 <= found.bracket.hi
    found = distance(slotted, primitives.block((HALF, 1, sp.Rational(1, 4))))
    assert cells(slotted) is not None and found.bracket.lo <= 0.125 <= found.bracket.hi
    corner = union(primitives.block((2, 1, 1)), primitives.block((1, 1, 4)))
    post = primitives.block((1, 1, 1)).moved(Rigid(translation=[sp.Rational(3, 2), 0, sp.Rational(3, 2)]))
    found = distance(corner, post)
    assert found.status is DistanceStatus.MEASURED and found.bracket.lo <= 0.5 <= found.bracket.hi


def test_faces_that_meet() -> None:
    block = primitives.block((1, 1, 1))
    assert distance(block, block.moved(up(HALF, axis_angle([1, 2, 3], 1)))).status is DistanceStatus.MEETING
    assert distance(block, block.moved(up(1))).bracket.lo == 0.0


def test_other_blocks_have_the_same_situations(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is asked of blocks with other numbers, and of other faces of them, makes no situation."""
    def ask(a: Any, b: Any, way: list[int], angle: Any) -> None:
        other = Rigid(rotation=axis_angle(way, angle), translation=[way[0] * 3, way[1] * 3, way[2] * 3])
        assert distance(primitives.block(a), primitives.block(b).moved(other)).status is DistanceStatus.MEASURED

    ask((1, HALF, sp.Rational(3, 7)), (sp.Rational(1, 3), 1, 1), [1, 2, 3], sp.Rational(1, 7))
    monkeypatch.setattr(situations, "Frame", lambda *_, **__: pytest.fail("a situation is made"))
    ask((1, sp.Rational(5, 7), sp.Rational(3, 8)), (sp.Rational(2, 3), 1, 2), [-2, 1, 3], sp.Rational(5, 7))
    ask((2, sp.Rational(5, 9), sp.Rational(3, 11)), (sp.Rational(1, 3), 2, 1), [2, -3, 1], sp.Rational(9, 7))


def test_rows_of_sizes() -> None:
    lower, upper = primitives.block((A, B, 1)), primitives.block((1, B, C)).moved(Rigid(translation=[0, 0, H - t]))
    sizes = np.array([[1.0, 1.0, 1.0, 3.0], [0.5, 1.0, 0.5 + 2.0**-40, 3.0], [2.0, 0.5, 1.0, 4.0], [1.0, 1.0, 0.5, 2.25]])
    found = clearance_batch([lower, upper], (0, 1), parameters=dict(zip((A, B, C, H), sizes.T.copy(), strict=True)))
    want = sizes[:, 3] - 1.5 - sizes[:, 2] / 2
    assert (found.status == DistanceStatus.MEASURED).all()
    assert (found.bracket[:, 0] <= want + 1e-15).all() and (want <= found.bracket[:, 1] + 1e-15).all()
    assert np.allclose(np.linalg.norm(found.points[:, 0] - found.points[:, 1], axis=1), want, atol=1e-8)
    assert np.allclose(found.times, 1.0)


def test_a_range_of_sizes_is_searched_by_functions() -> None:
    found = clearance([primitives.block((1, 1, C)), primitives.block((1, 1, 1)).moved(up(3 - t))], (0, 1), parameters={C: (HALF, 1)},
                      at_least=0.99, budget=30)
    assert found.verdict is True
