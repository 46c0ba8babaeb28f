"""Chains against forward kinematics written anew in doubles, and products of motions against their entries."""

import math

import numpy as np
import pytest
import sympy as sp

from codegen import compile
from generative import IDENTITY, Chain, Parameter, Product, Rigid, Screw, axis_angle, fixed, prismatic, revolute, solids, t
from generative.family import member_of
from generative.products import AlongZ, common
from generative.rest import at_rest
from tests.arms import arm, polynomials, segments, values

BAR = solids.capsule(sp.Rational(1, 8), 1)
R = sp.Rational


def placed(motion, times, point=(0, 0, 0)):
    """(n, 3): where a point is."""
    return compile(list(motion.apply(point)), [t]).points(np.asarray(times, float)[:, None])


@pytest.mark.parametrize("seed", range(4))
def test_links_are_where_forward_kinematics_says(seed):
    made, angles = arm(seed), polynomials(seed)
    times = np.linspace(0, 1, 9)
    first, second = segments(made, angles, times)
    for k, body in enumerate(made.chain.at(values(angles))):
        motion = body.faces[0].motion
        assert placed(motion, times) == pytest.approx(first[k], abs=1e-12)
        assert placed(motion, times, (0, 0, sp.Rational(made.lengths[k]))) == pytest.approx(second[k], abs=1e-12)


@pytest.mark.parametrize("axis", [(0, 0, 1), (0, 0, -2), (1, 0, 0), (0, -1, 0), (1, 2, 2), (1, 1, 0)])
def test_a_joint_turns_about_its_axis_and_moves_along_it(axis):
    origin = Rigid(rotation=axis_angle((1, 0, 0), R(1, 3)), translation=[1, 2, 3])
    chain = Chain({"a": BAR, "b": BAR}, [revolute("turn", "root", "a", axis=axis, origin=origin), prismatic("slide", "a", "b", axis=axis)])
    moved = chain.motions({"turn": t, "slide": t**2})
    unit = [R(e) / sp.sqrt(sum(R(e) ** 2 for e in axis)) for e in axis]
    expected = {"a": origin @ Screw(axis, angle=t), "b": origin @ Screw(axis, angle=t) @ Rigid(translation=[e * t**2 for e in unit])}
    for link, motion in expected.items():
        for point in np.eye(3, dtype=int).tolist():
            assert placed(moved[link], (-1, 0.3, 2), point) == pytest.approx(placed(motion, (-1, 0.3, 2), point), abs=1e-12)


def test_trees_branch_and_what_is_fixed_is_one_link():
    joints = [revolute("left", "torso", "arm"), revolute("right", "torso", "leg"), fixed("weld", "arm", "tool"),
              prismatic("grip", "tool", "finger")]
    chain = Chain({"torso": BAR, "arm": BAR, "tool": BAR, "finger": BAR, "leg": [BAR, BAR.named("foot")]}, joints)
    assert chain.root == "torso" and chain.values == ("left", "right", "grip")
    assert [b.name for b in chain.at({"left": t, "right": 0, "grip": 1})] == ["torso", "arm", "tool", "finger", "leg 0", "leg foot"]
    assert chain.ignore == [("arm", "finger"), ("arm", "tool"), ("leg 0", "leg foot"), ("tool", "finger"), ("torso", "arm"),
                            ("torso", "leg 0"), ("torso", "leg foot"), ("torso", "tool")]


def test_other_values_and_sizes_are_members_of_the_same_families():
    first, second = (arm(seed).chain.at(values(polynomials(seed))) for seed in (1, 2))
    again = arm(1).chain.at(values(-polynomials(7)), base=Rigid())
    for body, other in zip(first, again, strict=True):
        # SymPy writes cos(-a) as cos(a): the sign of an angle must not show in the family.
        assert member_of(body).body is member_of(other).body
    assert [len(member_of(b).numbers) for b in first] == [len(member_of(b).numbers) for b in second]


def test_products_keep_their_factors():
    a, b, c = Rigid(translation=[1, 0, 0]), Screw((0, 1, 0), angle=t), AlongZ(t**2, t)
    product = Product(a, b) @ c
    assert product.factors == (a, b, c) and common(product, Product(a, b)) == 2 and common(product, a @ b) == 0
    times = (0.25, 1.5)
    for motion, expected in ((product, a @ b @ Rigid(axis_angle((0, 0, 1), t**2), [0, 0, t])), (product @ product.inverse(), Rigid()),
                             (product.at(t / 2), (a @ b @ Rigid(axis_angle((0, 0, 1), t**2), [0, 0, t])).at(t / 2))):
        assert placed(motion, times, (1, 2, 3)) == pytest.approx(placed(expected, times, (1, 2, 3)), abs=1e-12)
        entries = [compile(list(m.entries), [t]).points(np.array([[0.7]])) for m in (motion, expected)]
        assert entries[0] == pytest.approx(entries[1], abs=1e-12)
    assert product == Product(a, b, c) and product != Product(a, c, b) and Product(a, a.inverse()).is_identity is False
    assert Product(Rigid()).is_identity and Product().is_constant and product.symbols == {t}


def test_links_are_at_rest_to_each_other_only_by_constant_factors_after_common_ones():
    turn, other, here, there = AlongZ(t), AlongZ(2 * t), Rigid(translation=[1, 0, 0]), Rigid(translation=[0, 1, 0])
    assert at_rest(Product(here, turn, here), Product(here, turn, there)) and at_rest(Product(turn), Product(turn, here))
    assert not at_rest(Product(here, turn), Product(there, turn)) and not at_rest(Product(turn, here), Product(other, here))
    assert not at_rest(Product(turn, here), Product(turn, here, turn)) and not at_rest(Product(turn), IDENTITY)
    assert at_rest(Product(here), IDENTITY)


def test_values_may_hold_parameters():
    p = Parameter("p")
    (body,) = Chain({"a": BAR}, [revolute("turn", "root", "a")]).at({"turn": p * t})
    assert body.faces[0].motion.symbols == {p, t}


@pytest.mark.parametrize("make, message", [
    (lambda: revolute("j", "a", "b", axis=(0, 0, 0)), "the axis of joint j must not be the zero vector"),
    (lambda: revolute("j", "a", "b", origin=Rigid(translation=[t, 0, 0])), "the origin of joint j must be a motion of numbers alone"),
    (lambda: revolute("j", None, "b"), "needs? names|need names"),
    (lambda: Chain({"a": BAR}, [revolute("j", "r", "a"), revolute("k", "r", "a")]), "there are two joints that lead to link a"),
    (lambda: Chain({"a": BAR, "b": BAR}, [revolute("j", "r", "a"), revolute("j", "r", "b")]), "there are two joints j"),
    (lambda: Chain({"a": BAR, "b": BAR}, []), "must form one tree, but 2 links are no joint's child: a, b"),
    (lambda: Chain({"a": BAR}, [revolute("j", "a", "b"), revolute("k", "b", "a")]), "every link is some joint's child"),
    (lambda: Chain({"c": BAR}, [revolute("j", "a", "b"), revolute("k", "b", "a")]), "but a hangs on a circle of joints"),
    (lambda: Chain({"a": BAR}, [revolute("j", "r", "a")]).at({}), "each of its joints j, got j not"),
    (lambda: Chain({"a": BAR}, [revolute("j", "r", "a")]).at({"j": t, "k": 0}), "got k too"),
    (lambda: Chain({"a": BAR}, [revolute("j", "r", "a")]).at({"j": math.nan}), "the value of joint j"),
    (lambda: Chain({"a": 1}, []), "the bodies of link a must be a list"),
    (lambda: Chain({"a": [1]}, []), "link a has a body that is no surface and no solid"),
    (lambda: Chain({"a": BAR}, [1]), "made by revolute, prismatic and fixed"),
    (lambda: Chain([BAR], []), "a mapping from names to bodies"),
    (lambda: Product(1), "a product is one of Motion values"),
])
def test_bad_chains_are_refused(make, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make()
