"""Two polyhedra at a moment: cubes that touch and penetrate in all ways, exactly, and the examples of the paper."""

import itertools

import numpy as np
import pytest
import sympy as sp

import collide
from collide import Index, Kind, Mesh, TouchStatus, touch
from generative import IDENTITY, Parameter, Rigid, Screw, t

from ..location.test_index import CORNERS, TRIANGLES, cube

CUBE = cube()
SMALL = sp.Rational(1, 10**40)
TURN = Rigid(rotation=sp.Matrix([[3, -4, 0], [4, 3, 0], [0, 0, 5]]) / 5)
SEPARATE, TOUCHING, PENETRATING = TouchStatus.SEPARATE, TouchStatus.TOUCHING, TouchStatus.PENETRATING


def shifted(*by):
    return Rigid(translation=list(by))


def truth(shift):
    """Of the unit cube and itself, shifted: along every axis they overlap, touch, or are apart."""
    sizes = [abs(x) for x in shift]
    return SEPARATE if max(sizes) > 1 else TOUCHING if max(sizes) == 1 else PENETRATING


@pytest.mark.parametrize("turn", [IDENTITY, TURN])
def test_shifted_cubes(turn):
    indices = Index(CUBE), Index(CUBE)
    steps = [0, sp.Rational(1, 3), 1 - SMALL, 1, 1 + SMALL]
    for shift in itertools.combinations_with_replacement(steps, 3):
        found = touch(*indices, (turn, turn @ shifted(*shift)))
        assert found.status is truth(shift) and not found.rounded, shift
        assert (len(found.contacts) > 0) == (found.status is TOUCHING)
        back = touch(*indices, (turn @ shifted(*shift), turn))
        assert back.status is found.status and {c.first for c in back.contacts} == {c.second for c in found.contacts}
        for c, k in zip(found.contacts, found.clusters, strict=True):
            assert np.allclose(found.planes[k, 0], c.point)


def test_contacts_have_the_entities_of_both():
    shift = [1, sp.Rational(1, 3), sp.Rational(1, 5)]
    found = touch(CUBE, CUBE, (IDENTITY, shifted(*shift)))
    kinds = sorted((c.first[0].name, c.second[0].name) for c in found.contacts)
    assert kinds == [("EDGE", "EDGE"), ("EDGE", "EDGE"), ("FACE", "VERTEX"), ("VERTEX", "FACE")]
    first, second = Index(CUBE), Index(Mesh(CORNERS + np.array(shift, float), TRIANGLES))
    for c in found.contacts:
        if c.first[0] is Kind.VERTEX:
            assert np.allclose(CORNERS[c.first[1]], c.point)
            assert (first.classify(CORNERS[[c.first[1]]])[1] == c.first[1]).all()
    assert np.allclose(found.planes[:, 1], [1, 0, 0]) and second.nodes == first.nodes


@pytest.mark.parametrize(("shift", "normal", "pairs"), [
    ([1, 1, 1], np.array([1, 1, 1]) / np.sqrt(3), {("VERTEX", "VERTEX")}),
    ([1, 1, 0], np.array([1, 1, 0]) / np.sqrt(2), {("EDGE", "EDGE"), ("VERTEX", "VERTEX")}),
])  # fmt: skip
def test_head_on_contacts_have_a_plane(shift, normal, pairs):
    found = touch(CUBE, CUBE, (IDENTITY, shifted(*shift)))
    assert {(c.first[0].name, c.second[0].name) for c in found.contacts} == pairs
    edges = [found.planes[c, 1] for c, k in enumerate(found.main) if found.contacts[k].first[0] is Kind.EDGE]
    assert np.allclose(edges or found.planes[:, 1], normal)


def test_edges_that_cross():
    roof = Mesh([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0], [-1, 0, 1], [1, 0, 1]],
                [[0, 2, 1], [0, 3, 2], [0, 1, 5], [0, 5, 4], [2, 3, 4], [2, 4, 5], [0, 4, 3], [1, 2, 5]])
    over = Rigid(rotation=sp.Matrix([[0, 1, 0], [1, 0, 0], [0, 0, -1]]), translation=[0, 0, 2])
    found = touch(roof, roof, (IDENTITY, over))
    ((first, second, point),) = found.contacts
    assert first[0] is second[0] is Kind.EDGE and point.tolist() == [0, 0, 1] and np.allclose(found.planes[0, 1], [0, 0, 1])


def test_what_lies_inside_without_crossing():
    inscribed = Mesh(CORNERS[[0, 3, 5, 6]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    lower, hollow = Mesh(CORNERS * [1, 1, 0.5], TRIANGLES), np.concatenate([TRIANGLES, TRIANGLES[:, ::-1] + 8])
    shell = Mesh(np.concatenate([CORNERS * 4 - 1, CORNERS * 2]), hollow)
    small = Mesh(CORNERS * 0.5 + 0.25, TRIANGLES)
    for a, b, status in ((CUBE, inscribed, PENETRATING), (CUBE, lower, PENETRATING), (CUBE, small, PENETRATING),
                         (shell, CUBE, TOUCHING), (shell, small, SEPARATE), (CUBE, CUBE, PENETRATING)):
        for one, other in ((a, b), (b, a)):
            assert touch(one, other).status is status


def test_the_paper_s_figure_7_is_six_contacts_in_one_cluster():
    size = 1 / 64
    slab = Mesh(CORNERS * [4, 4, 1] + [-4, -2, -1], TRIANGLES)
    apex, along = np.array([-2 * size, 0, -size]), np.array([1, 0, 0.75])
    across, aside = np.array([-0.15, 0, 0.2]), np.array([0, 0.2, 0])
    base = [apex + along + a * across + b * aside for a, b in ((1, 1), (1, -1), (-1, -1), (-1, 1))]
    cone = Mesh([apex, *base], [[0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 1, 4], [1, 2, 3], [1, 3, 4]])
    found = touch(cone, slab, tolerance=size)
    pairs = sorted((c.first[0].name, c.second[0].name) for c in found.contacts)
    assert found.status is TOUCHING and (found.clusters == 0).all()
    assert pairs == [("EDGE", "EDGE")] * 4 + [("VERTEX", "EDGE"), ("VERTEX", "FACE")]
    main = found.contacts[found.main[0]]
    assert main.first == (Kind.VERTEX, 0) and main.second[0] is Kind.FACE and np.allclose(found.planes[0], [apex, [0, 0, -1]])
    assert touch(cone, slab).status is PENETRATING


def test_poses_that_are_not_rational_are_rounded():
    turn = Screw(axis=[0, 0, 1], point=[0, 0, 0], angle=t, advance=0)
    found = touch(CUBE, CUBE, (IDENTITY, shifted(3, 0, 0) @ turn), at=1)
    assert found.status is SEPARATE and found.rounded and "rounded" in found.summary()
    assert not touch(CUBE, CUBE.moved(shifted(t, 0, 0)), at=sp.Rational(4, 3)).rounded
    assert touch(CUBE, CUBE.moved(shifted(t, 0, 0)), at=1).status is TOUCHING


def test_bad_input():
    with pytest.raises(TypeError, match="Mesh"):
        touch(CUBE, CORNERS)
    with pytest.raises(ValueError, match="pair of motions"):
        touch(CUBE, CUBE, (IDENTITY,))
    with pytest.raises(ValueError, match="numbers for all their parameters"):
        touch(CUBE, CUBE, (IDENTITY, shifted(Parameter("p"), 0, 0)))
    with pytest.raises(ValueError, match="finite"):
        touch(CUBE, CUBE, (IDENTITY, shifted(1 / t, 0, 0)), at=0)
    with pytest.raises(ValueError, match="at must be"):
        touch(CUBE, CUBE, at="now")
    with pytest.raises(ValueError, match="open"):
        touch(CUBE, Mesh(CORNERS, TRIANGLES[1:]))
    assert "SEPARATE" in repr(touch(CUBE, CUBE, (IDENTITY, shifted(2, 0, 0)))) and collide.Touch.__doc__
