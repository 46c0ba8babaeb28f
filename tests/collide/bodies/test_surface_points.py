"""Places of surfaces at a moment: `surface_points`. The referee is SymPy's product of motions, in forty digits."""

from typing import Any

import numpy as np
import pytest
import sympy as sp

from collide.bodies.numbers import NONE
from collide.bodies.surface_points import coarse_extent, extent, position_kernel
from generative import Chain, Rigid, revolute, solids, t, u, v
from generative.products import Product

UP = Rigid(translation=[0, 0, sp.Rational(1, 2)])
JOINTS = [revolute(f"q{k}", f"link {k}", f"link {k + 1}", axis=[(1, 0, 0), (0, 1, 0)][k % 2], origin=UP) for k in range(3)]
CHAIN = Chain({"link 0": [], **{f"link {k}": solids.capsule(sp.Rational(1, 16), 1) for k in (1, 2, 3)}}, JOINTS)
PLACES = np.array([[0.3, 0.2, 0.5], [1.5, 0.4, 0.25], [2.0, 0.75, 1.0]])


def arm() -> list[Any]:
    return CHAIN.at({"q0": sp.Rational(2, 5) * t, "q1": sp.Rational(1, 3) - t, "q2": sp.sin(3 * t) / 4})  # type: ignore[no-any-return]


def test_kernels_of_links_hold_the_product_of_their_motions() -> None:
    for face in arm()[-1].faces:
        lo, hi = position_kernel(face, ()).interval(PLACES, PLACES)
        for place, low, high in zip(PLACES.tolist(), lo, hi, strict=True):
            at = {s: sp.Rational(e) for s, e in zip((u, v, t), place, strict=True)}
            want = [sp.N(e.xreplace(at), 40) for e in face.expressions]
            assert all(sp.Float(a, 40) <= e <= sp.Float(b, 40) for a, e, b in zip(low.tolist(), want, high.tolist(), strict=True))
            assert (high - low < 1e-14).all()


def test_boxes_round_links_multiply_no_formulas(monkeypatch: pytest.MonkeyPatch) -> None:
    body = arm()[-1]
    monkeypatch.setattr(Product, "apply", lambda *_: pytest.fail("SymPy multiplies the motions of a chain"))
    box = extent(body, 0.5)
    position_kernel(body.faces[0], ())
    assert np.isfinite(box).all() and np.isfinite(coarse_extent(body, 0.5, NONE)).all()
    monkeypatch.undo()
    for face in body.faces:
        (a, b), (c, d) = face.domain[u], face.domain[v]
        at = np.array([[float(a + (b - a) * p), float(c + (d - c) * q), 0.5] for p in (0.1, 0.5, 0.9) for q in (0.1, 0.5, 0.9)])
        there = position_kernel(face, ()).points(at)
        assert (box[:, 0] <= there).all() and (there <= box[:, 1]).all()
