"""Units of length and time make no difference: scenes in other units have the same answer, by the same work."""

import numpy as np
import pytest
import sympy as sp

import collide
from collide.answers import distinct
from generative import ImplicitBody, ImplicitSurface, ParametricSurface, Rigid, t, x, y, z
from generative.combination import Combination
from models.scenes import SCENES
from tests.collide.contact_scenes import CASES, Q, box, move

SCALES = [(1, 10**6), (Q(1, 10**6), 1), (Q(1, 10**6), Q(1, 10**6)), (10**6, 10**6), (Q(1, 10**9), 1000)]
UNITS = [(2**20, 1), (Q(1, 2**20), 1), (1, 2**20), (1, Q(1, 2**20)), (2**20, 2**20), (Q(1, 2**20), Q(1, 2**20))]


def scaled(body, length, time):
    """The body in a world where lengths are `length` times as large, and everything takes `time` times as long."""
    slower = {t: t / sp.sympify(time)}
    if isinstance(body, Combination):
        return Combination(body.operation, [scaled(child, length, time) for child in body.children])
    if not isinstance(body, (ParametricSurface, ImplicitBody)):
        return body.mapped([scaled(face, length, time) for face in body.faces])
    if isinstance(body, ParametricSurface):
        resting = ParametricSurface([length * e.xreplace(slower) for e in body.body], body.domain, flipped=body.flipped)
    else:
        formula = body.body.xreplace(slower | {s: s / sp.sympify(length) for s in (x, y, z)})
        resting = ImplicitSurface(formula, [(length * lo, length * hi) for lo, hi in body.bounds])
    motion = body.motion
    return resting.moved(Rigid(rotation=motion.rotation.xreplace(slower).tolist(),
                               translation=[length * e.xreplace(slower) for e in motion.translation]))


def first(bodies, span, length, time, *, spacing=0.05, simultaneity=1e-6, **options):
    """The first contact of a scene in other units."""
    return collide.first_contact([scaled(b, length, time) for b in bodies], tuple(sp.sympify(end) * time for end in span),
                                 spacing=spacing * float(length), simultaneity=simultaneity * float(time), **options)


@pytest.mark.parametrize("name", ["tilted ball on floor", "ball on floor, on its seam", "border of a patch", "crossed edges",
                                  "parametric grazes parametric ball by 1e-6", "parametric ball on the rim of a cylinder",
                                  "ball on the crease of a wedge"])
def test_a_contact_is_proved_in_any_units(name):
    case = next(c for c in CASES if c.name == name)
    for length, time in SCALES:
        c = first(case.bodies, case.span, length, time)
        exact = sp.N(case.time * time, 40)
        assert c.status is collide.Status.CONTACT and c.proved.tolist() == [True]
        assert sp.Float(c.time.lo, 40) <= exact <= sp.Float(c.time.hi, 40) and c.clear_until <= exact
        assert c.time.hi - c.time.lo < 1e-10 * float(exact)


@pytest.mark.parametrize("name", ["bumpy-pair", "meshing-gears", "tori-crossed", "torus-on-cone"])
def test_units_that_are_powers_of_two_take_as_many_boxes(name):
    """Scaling by powers of two rounds nothing; only how SymPy orders a formula may differ."""
    scene = SCENES[name]
    known = first(scene.bodies, scene.time, 1, 1, **scene.options)
    for length, time in UNITS:
        c = first(scene.bodies, scene.time, length, time, **scene.options)
        assert c.status is known.status and c.proved.sum() == known.proved.sum()
        # Along a curve of contacts the bracket is closed in on to about the simultaneity.
        assert np.array(c.time) / float(time) == pytest.approx(np.array(known.time), abs=scene.options.get("simultaneity", 1e-6))
        assert c.iterations < 1.5 * known.iterations


def test_a_near_miss_of_bodies_of_a_micrometre_is_one():
    """Passing by at a millionth of the size: proved to be no contact."""
    case = next(c for c in CASES if c.name == "parametric passes parametric ball at 1e-6")
    for length, time in SCALES:
        assert first(case.bodies, case.span, length, time).status is collide.Status.NO_CONTACT


def test_samples_that_are_not_compared_do_not_repeat_each_other(monkeypatch):
    """A box lands flat on another one, in samples of the face and of its edges; every pair is compared here."""
    asked, pairs = [], distinct.near_pairs
    monkeypatch.setattr(distinct, "near_pairs", lambda *given: (asked.append(given), pairs(*given))[1])
    collide.first_contact([box(1, 1, 1).moved(move(1 / sp.sqrt(80), 0, 3 - t)), box(3, 3, 1)], (0, 4))
    search, numbers = asked[-1]
    first, second = np.triu_indices(len(numbers), 1)
    repeated = distinct.repeats(search, numbers[second], numbers[first])
    compared = {pair for some in pairs(search, numbers) for pair in zip(*map(np.ndarray.tolist, some), strict=True)}
    assert repeated.sum() > 10 and len(compared) < len(first) / 4
    assert {*zip(first[repeated].tolist(), second[repeated].tolist(), strict=True)} <= compared


@pytest.mark.parametrize("aside", [0, sp.sqrt(2)], ids=["exact", "searched"])
def test_samples_are_not_far_too_many(aside):
    big = 10**6
    bodies = [box(big, big, big).moved(move(aside, 0, 3 * big - big * t)), box(3 * big, 3 * big, big)]
    c = collide.first_contact(bodies, (0, 4), spacing=0.2 * big)
    assert c.status is collide.Status.CONTACT and c.time.lo <= 2 <= c.time.hi and "farther apart" not in c.summary()
    c = collide.first_contact(bodies, (0, 4), budget=collide.Budget(seconds=0.5))
    spent = c.status is collide.Status.BUDGET_SPENT
    assert (spent or (not aside and "farther apart" in c.summary())) and c.clear_until <= 2 <= c.time.hi
