"""Solids limited to the faces that may meet others (`culling.shown_near`), against the same questions about all faces."""

import numpy as np
import pytest
import sympy as sp

import collide
from collide.bodies.numbers import NONE
from collide.bodies.surface_points import middle_of
from collide.culling import shown_near
from collide.timeline import scene
from generative import Curve, ParametricSurface, Rigid, Solid, t, u, v
from generative.pattern import Pattern
from generative.patterned import Patterned, is_apart
from generative.step.curves import symbols

PLATE = ParametricSurface([u, v, 0], {u: (-8, 8), v: (-8, 8)})
BALL = ParametricSurface([sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v), sp.sin(v)], {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})


def perforated() -> Solid:
    """A plate with nine holes, open below: a body of many patches."""
    rims = [[Curve([5 * i + sp.cos(u), 5 * j + sp.sin(u), 0], (0, 2 * sp.pi))] for i in (-1, 0, 1) for j in (-1, 0, 1)]
    corners = [(-8, -8), (8, -8), (8, 8), (-8, 8)]
    square = [Curve([a + u * (c - a), b + u * (d - b), 0], (0, 1))
              for (a, b), (c, d) in zip(corners, [*corners[1:], corners[0]], strict=True)]
    return PLATE.trimmed([square, *rims])


def test_faces_far_from_all_others_are_not_shown_and_answers_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    plate = perforated()
    drop = BALL.moved(Rigid(translation=[sp.Rational(5, 2), sp.Rational(5, 2), 3 - t]))
    seen = []

    def kept(bodies, *others):
        seen.append(shown_near.shown_near(bodies, *others))
        return seen[-1]

    monkeypatch.setattr(scene, "shown_near", kept)
    found = collide.first_contact([plate, drop], (0, 3))
    assert len(plate.faces) > 12 and 0 < len(seen[0][0].shown) < len(plate.faces)
    monkeypatch.setattr(scene, "shown_near", lambda bodies, *others: tuple(bodies))
    whole = collide.first_contact([plate, drop], (0, 3))
    assert found.status is whole.status is collide.Status.CONTACT and found.time.lo <= 2 <= found.time.hi
    assert found.features == whole.features and np.allclose(found.points, whole.points)


def test_patterns_enclose_their_points_without_formulas() -> None:
    """A cylinder of radius 3/2 as a pattern with its number."""
    (n,) = symbols(1)
    source = Patterned(Pattern((n * sp.cos(u), n * sp.sin(u), v), (n,)), (1.5,))
    face = ParametricSurface._unchecked(source, ((sp.S.Zero, 2 * sp.pi), (sp.S.Zero, sp.S.One)))
    assert is_apart(face, (0, 0), (1, 0)) and not is_apart(face, (0, 0), (0, 0)) and not is_apart(face, (0, 0), (2 * sp.pi, 0))
    box = middle_of(face, 0.0, NONE)
    assert box is not None and np.abs(box - np.array([[-1.5], [0.0], [0.5]])).max() < 1e-12
    assert "made" not in source.__dict__ and face.body == (sp.Rational(3, 2) * sp.cos(u), sp.Rational(3, 2) * sp.sin(u), v)
    assert Patterned(source.pattern, (1.5,)) == source != Patterned(source.pattern, (1.25,))
