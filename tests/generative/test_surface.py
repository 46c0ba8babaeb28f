import pickle

import numpy as np
import pytest
import sympy as sp

from generative import ParametricSurface, Rigid, Screw, t, u, v, x

TAU = 2 * sp.pi


def torus():
    r = sp.Rational(3, 10)
    return ParametricSurface([(1 + r * sp.cos(v)) * sp.cos(u), (1 + r * sp.cos(v)) * sp.sin(u), r * sp.sin(v)],
                             {u: (0, TAU), v: (0, TAU)})


def value(expressions, **at):
    values = {s: at.get(s.name, 0) for s in (u, v, t)}
    return np.array([float(sp.N(e.subs(values))) for e in expressions])


def test_moved_surface_is_the_motion_of_the_body():
    motion = Screw(axis=[1, 0, 1], angle=t, advance=t) @ Rigid(translation=[0, 0, 3])
    moved = torus().moved(Rigid(translation=[0, 0, 3])).moved(Screw(axis=[1, 0, 1], angle=t, advance=t))
    assert moved.body == torus().body and moved.motion == motion
    at = {"u": 0.4, "v": 1.1, "t": 0.8}
    by_hand = motion.at(0.8).apply([e.subs({u: 0.4, v: 1.1}) for e in torus().body])
    np.testing.assert_allclose(value(moved.expressions, **at), value(by_hand), atol=1e-14)


def test_normal_points_outwards_turns_along_and_flips():
    moved = torus().moved(Rigid(rotation=[1, 1, 0, 0], translation=[5, 0, 0], normalize=True))
    np.testing.assert_allclose(value(moved.normal, u=0, v=0)[[1, 2]], 0, atol=1e-15)
    assert value(moved.normal, u=0, v=0)[0] > 0
    back = ParametricSurface(torus().body, torus().domain, flipped=True)
    np.testing.assert_allclose(value(back.normal, u=1, v=2), -value(torus().normal, u=1, v=2), atol=1e-15)
    # Turned by 90 degrees about x, the top of the tube (v = pi/2) looks along -y.
    top = value(moved.normal, u=0, v=sp.pi / 2)
    np.testing.assert_allclose(top / np.linalg.norm(top), [0, -1, 0], atol=1e-15)


def test_numbers_are_exact():
    surface = ParametricSurface([0.1 * u, v, 0.5], {u: (0, 0.1), v: (0, sp.sqrt(2))})
    assert surface.body[0] == sp.Rational(0.1) * u and surface.body[2] == sp.Rational(1, 2)
    assert surface.domain[u][1] == sp.Rational(0.1)
    assert repr(surface) == "ParametricSurface([0.1*u, v, 1/2], {u: (0, 0.1), v: (0, sqrt(2))})"


def test_deforming_and_time():
    surface = ParametricSurface([u, v, sp.sin(u - t)], {u: (0, 1), v: (0, 1)})
    assert surface.deforming and not torus().deforming
    frozen = surface.moved(Rigid(translation=[0, 0, t])).at(2)
    assert not frozen.deforming and frozen.expressions[2] == sp.sin(u - 2) + 2


def test_values_compare_hash_and_print():
    assert torus() == torus() and len({torus(), torus()}) == 1
    assert torus().moved(Rigid(translation=[0, 0, 1])) != torus()
    assert "S(u, v)" in torus()._repr_latex_() and "\\in [0, 2 \\pi]" in torus()._repr_latex_()
    with pytest.raises(AttributeError):
        torus().body = (u, v, u)
    domain = torus().domain
    domain[u] = (0, 1)
    assert torus().domain[u] == (0, TAU)


RECTANGLE = {u: (0, 1), v: (0, 1)}


@pytest.mark.parametrize("expressions, domain, message", [
    ([u, v], RECTANGLE, "vector of 3 expressions, got 2"),
    (u, RECTANGLE, "vector of 3 expressions, got u"),
    ([sp.Symbol("u"), v, 0], RECTANGLE, "import u from generative"),
    ([sp.Symbol("w"), v, 0], RECTANGLE, "the symbol w means nothing"),
    ([u, v, sp.Derivative(v * sp.sin(u), u)], RECTANGLE, r"Derivative\(v\*sin\(u\), u\), which is not evaluated yet; call \.doit"),
    ([x, v, 0], RECTANGLE, "the symbol x means nothing"),
    ([u, v, sp.oo], RECTANGLE, "not a finite real"),
    ([u, v, u < v], RECTANGLE, "needs real expressions"),
    ([u, v, 0], {u: (0, 1)}, "one is missing"),
    ([u, v, 0], {u: (0, 1), v: (1, 0)}, "domain of v is empty or reversed"),
    ([u, v, 0], {u: (0, 1), v: (1, 1)}, "domain of v is empty or reversed"),
    ([u, v, 0], {u: (0, sp.oo), v: (0, 1)}, "domain of u must have two finite"),
    ([u, v, 0], {u: (0, float("inf")), v: (0, 1)}, "domain of u must have two finite"),
    ([u, v, 0], {u: (0, t), v: (0, 1)}, "domain of u must have two finite"),
    ([u, v, 0], {u: 3, v: (0, 1)}, "must be a pair"),
    ([u, v, 0], {sp.Symbol("u"): (0, 1), v: (0, 1)}, "import u from generative"),
    ([u, v, 0], {u: (0, 1), v: (0, 1), t: (0, 1)}, "means nothing in a parameter domain"),
])
def test_misuse_says_what_to_do(expressions, domain, message):
    with pytest.raises(ValueError, match=message):
        ParametricSurface(expressions, domain)


def test_wrong_types():
    with pytest.raises(TypeError, match="needs a domain"):
        ParametricSurface([u, v, 0], [(0, 1), (0, 1)])
    with pytest.raises(TypeError, match="moves by a Motion"):
        torus().moved([0, 0, 1])


def test_a_surface_is_pickled_without_its_hash():
    """It depends on the process."""
    surface = ParametricSurface([u, v, u * v], {u: (0, 1), v: (0, 1)})
    hash(surface)
    again = pickle.loads(pickle.dumps(surface))
    assert "_hash" not in again.__dict__ and again == surface and hash(again) == hash(surface)
