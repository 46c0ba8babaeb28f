"""Cubic splines of the time: as functions, between two knots and across one, against SciPy's in doubles and exact arithmetic."""

import pickle

import numpy as np
import pytest
import sympy as sp
from scipy.interpolate import CubicHermiteSpline

import codegen
from codegen.functions import Samples, Spline
from generative import Parameter, Rigid, t
from generative.changes import moments_of
from generative.fit import joint_motion, motion_through
from generative.knots import between, followed, splines_of
from generative.motion import axis_angle
from generative.numeric import approx_function
from generative.polyhedron import brick
from generative.products import AlongZ, Product
from models.shapes.quadrics import sphere

KNOTS, VALUES, SLOPES = [0.0, 0.3, 1.0, 2.5], [0.2, -0.7, 3.0, 1.0], [1.0, 2.0, -4.0, 0.5]
SAMPLES = Samples(KNOTS, VALUES, SLOPES)
SPLINE = Spline(t, SAMPLES)
SCIPY = CubicHermiteSpline(KNOTS, VALUES, SLOPES)
TIMES = np.concatenate([np.linspace(0, 2.5, 33), KNOTS])


@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_values_and_derivatives(order):
    spline, exact = sp.diff(SPLINE, t, order), SCIPY.derivative(order) if order else SCIPY
    inner = TIMES[~np.isin(TIMES, KNOTS)] if order > 1 else TIMES
    lo, hi = codegen.compile([spline], [t]).interval(inner[:, None], inner[:, None])
    for values in (approx_function([spline], [t])(inner)[:, 0], lo[:, 0], hi[:, 0], [float(spline.subs(t, sp.Rational(x))) for x in inner]):
        np.testing.assert_allclose(values, exact(inner), rtol=1e-13, atol=1e-12)


def test_at_knots_it_is_exact_and_beyond_the_ends_it_goes_on():
    assert [SPLINE.subs(t, sp.Rational(k)) for k in KNOTS] == [sp.Rational(v) for v in VALUES]
    assert [SPLINE.diff(t).subs(t, sp.Rational(k)) for k in KNOTS] == [sp.Rational(m) for m in SLOPES]
    for at, k in ((-1, 0), (4, 2)):
        assert SPLINE.subs(t, at) == SAMPLES.piece(k, sp.Integer(at))
    assert SPLINE.subs(t, sp.Rational(0.3) - sp.Rational(1, 10**40)) == SAMPLES.piece(0, sp.Rational(0.3) - sp.Rational(1, 10**40))


@pytest.mark.parametrize(("first", "last", "pieces"), [(0.1, 0.2, 1), (0.5, 0.75, 1), (0.5, 2.0, 2), (0.3, 1.0, 2), (-2.0, -1.0, 1),
                                                       (3.0, 4.0, 1), (1.5, 2.0, 1), (-1.0, 4.0, 3)])
def test_within_a_time_it_is_the_same_by_fewer_pieces(first, last, pieces):
    for spline in (SPLINE, SPLINE.diff(t)):
        held = spline.within(first, last)
        assert (len(held.samples.knots) - 1 if isinstance(held, Spline) else 1) == pieces
        for share in (0, sp.Rational(1, 3), sp.Rational(6, 7), 1):
            at = sp.Rational(first) + share * (sp.Rational(last) - sp.Rational(first))
            assert held.subs(t, at) == spline.subs(t, at)


def test_it_is_a_value():
    assert pickle.loads(pickle.dumps(SPLINE)) == SPLINE == Spline(t, Samples(KNOTS, VALUES, SLOPES))
    assert Spline(t, Samples(KNOTS, VALUES, VALUES)) != SPLINE
    assert str(SPLINE) == "Spline(t, 4 samples)" and SPLINE.is_real and SPLINE.free_symbols == {t}
    assert isinstance(SPLINE.subs(t, t**2), sp.Piecewise) and isinstance(SPLINE.subs(t, 2 * t + 1), Spline)
    assert moments_of([sphere().moved(Rigid(translation=[SPLINE, 0, 0]))]) == {sp.Rational(0.3), sp.Integer(1)}


@pytest.mark.parametrize("given", [([0], [0], [0]), ([0, 1], [0, 1], [0]), ([0, 0], [0, 1], [0, 1]), ([0, 1], [0, np.nan], [0, 1])])
def test_samples_are_checked(given):
    with pytest.raises(ValueError, match="Samples have"):
        Samples(*given)


@pytest.mark.parametrize("across", [False, True])
def test_all_pieces_are_one_formula_with_their_numbers(across):
    """Of a body that follows splines the formula of a piece, or of two, has the values of the body, exactly."""
    body = sphere().moved(Rigid(translation=[SPLINE, t, 0], rotation=axis_angle([0, 0, 1], SPLINE)))
    found = between(body, frozenset([SPLINE] if across else []))
    for k in range(2):
        numbers = {s: sp.Rational(float(found.slots[e].values[k + found.slots[e].later]))
                   if e in found.slots else e for s, e in zip(found.member.symbols, found.member.numbers, strict=True)}
        for time in np.linspace(KNOTS[k], KNOTS[k + 1 + across], 7).tolist():
            at = sp.Rational(time)
            place = found.member.body.motion.translation[0].xreplace(numbers).xreplace({t: at})
            assert sp.simplify(place - SPLINE.subs(t, at)) == 0
            held = followed(body, time).motion.translation[0].xreplace({t: at})
            assert held == SPLINE.subs(t, at)


def test_bodies_of_one_shape_are_one_family():
    quaternions = np.array([[1.0, 0, 0, 0], [0.8, 0.6, 0, 0], [0, 1, 0, 0], [0, 0.6, 0.8, 0]])
    g = np.random.default_rng(1)
    bodies = [sphere().moved(motion_through(KNOTS, quaternions[g.permutation(4)] * g.choice([-1, 1]), g.normal(size=(4, 3))).value)
              for _ in range(3)]
    first, *others = (between(b).member for b in bodies)
    assert all(m.body == first.body for m in others)


def test_solids_of_other_offsets_are_one_family():
    """All their numbers are data, and parameters among them."""
    free = Parameter("free")
    made = [between(brick().moved(Product(AlongZ(SPLINE + offset)))) for offset in (sp.Rational(1, 8), sp.Rational(1, 7), free)]
    assert made[0].member.body == made[1].member.body == made[2].member.body
    assert all(m.slots.keys() < set(m.member.numbers) for m in made)
    assert not made[0].member.free - made[0].slots.keys() and made[2].member.free - made[2].slots.keys() == {free}


def test_what_deforms_by_a_spline_keeps_its_formula():
    assert splines_of(sphere().moved(Rigid(translation=[SPLINE, 0, 0]))) == (SPLINE,)
    assert splines_of(sphere(radius=1).moved(Rigid(translation=[SPLINE.subs(t, 2 * t), 0, 0]))) is None
    assert splines_of(brick()) == ()


def test_joints():
    times = np.linspace(0, 3, 40)
    fit = joint_motion(times, np.stack([np.sin(times), times**2], axis=1))
    assert len(fit.value) == 2 and fit.error == 0 and fit.value[0].subs(t, sp.Rational(times[7])) == sp.Rational(np.sin(times[7]))
    single = joint_motion(times, np.sin(times))
    np.testing.assert_allclose(single.value.approx(times + 0.01), np.sin(times + 0.01), atol=1e-5)


@pytest.mark.parametrize("noise", ["auto", 1e-3])
@pytest.mark.parametrize("count", [60, 400])
def test_noise_is_found_and_left_out(noise, count):
    """The spline is nearer to what was measured than the measurements are, by few pieces; the noise that is told is that of the data."""
    g, times = np.random.default_rng(count), np.linspace(0, 3, count)
    fit = joint_motion(times, np.sin(times) + g.normal(0, 1e-3, count), noise=noise)
    assert len(fit.value.samples.knots) < 20 and 1e-3 < fit.error < 5e-3
    assert np.sqrt(np.mean((fit.value.approx(times) - np.sin(times)) ** 2)) < 0.6e-3
    assert 0.8e-3 < float(fit.statement.split("noise of ")[1].split(";")[0]) < 1.2e-3


def test_without_noise_all_samples_are_met():
    times = np.linspace(0, 3, 40)
    for noise in ("auto", 0, 1e-13):
        assert joint_motion(times, np.sin(5 * times), noise=noise).error == 0


def test_noise_of_poses():
    g, times = np.random.default_rng(5), np.linspace(0, 2, 300)
    half = 0.5 * times + g.normal(0, 0.5e-3, 300)
    quaternions = np.stack([np.cos(half), 0 * half, 0 * half, np.sin(half)], axis=1)
    fit = motion_through(times, quaternions, np.stack([times, 0 * times, np.sin(times)], 1) + g.normal(0, 1e-4, (300, 3)), noise="auto")
    assert "in translations" in fit.statement and "rad in rotations" in fit.statement and 1e-3 < fit.error < 6e-3
    assert abs(float(fit.value.at(sp.Rational(1, 3)).translation[2]) - np.sin(1 / 3)) < 1e-4


@pytest.mark.parametrize(("make", "message"), [
    (lambda: joint_motion([0, 1, 1], [1, 2, 3]), "sample times must increase, but number 2, 1, follows 1"),
    (lambda: joint_motion([0, np.nan, 1], [1, 2, 3]), "sample times must be finite, but number 1 is not"),
    (lambda: joint_motion([0, 1, 2], [1, np.nan, 3]), "sampled joints must be finite, but sample 1 is not"),
    (lambda: joint_motion([0, 1], [1, 2]), "n >= 3 values"),
    (lambda: joint_motion([0, 1, 2], [1, 2]), "n >= 3 values"),
    (lambda: joint_motion([0, 1], [1, 2, 3]), "3 increasing sample times, one a sample, got 2"),
    (lambda: joint_motion([0, 1, 2], [1, 2, 3], noise="auto"), "noise is found from at least 16 samples, got 3"),
    (lambda: joint_motion([0, 1, 2], [1, 2, 3], noise=-1), "noise must be a number from 0 up, got -1"),
    (lambda: motion_through([0, 1, np.inf], [[1, 0, 0, 0]] * 3, np.zeros((3, 3))), "sample times must be finite, but number 2 is not"),
    (lambda: motion_through([0, 2, 1], [[1, 0, 0, 0]] * 3, np.zeros((3, 3))), "sample times must increase, but number 2, 1, follows 2"),
])  # fmt: skip
def test_bad_samples_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
