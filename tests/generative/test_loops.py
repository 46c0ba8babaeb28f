"""Closed chains (`loops`, `solved_loops`, `joint`) against closed forms of their mechanisms, and what is refused."""

import math

import mpmath
import numpy as np
import pytest
import sympy as sp

from codegen import compile
from generative import Chain, Rigid, axis_angle, fixed, loops, prismatic, revolute, solids, t

R = sp.Rational
BAR = solids.box((1, R(1, 10), R(1, 10)))


def at(*place, turn=None):
    return Rigid(rotation=turn, translation=list(place))


def slider_crank(base=(), root="frame", axis=(0, 0, 1), offset=0, **options):
    """Crank 1, rod 3, a slider along x at the height `offset`."""
    joints = [*base, revolute("turn", root, "crank", axis=axis), revolute("wrist", "crank", "rod", origin=at(1, 0, 0), axis=axis),
              prismatic("slide", root, "piston", axis=(1, 0, 0), origin=at(0, offset, 0))]
    near = {"turn": 0, "wrist": 0, "slide": 4}
    loop = loops.loop(loops.pin("rod", (3, 0, 0), "piston", (0, 0, R(1, 4))), driver="turn", near=near, **options)
    return Chain({"crank": BAR, "rod": BAR, "piston": BAR}, joints, loops=[loop])


def four_bar(driver, near, span=None, lengths=(1, 3, 2, R(7, 2)), further=(), **more):
    a, b, c, d = lengths
    joints = [revolute("crank", "ground", "A"), revolute("coupler", "A", "B", origin=at(a, 0, 0)),
              revolute("rocker", "ground", "C", origin=at(d, 0, 0)), *further]
    loop = loops.loop(loops.pin("B", (b, 0, 0), "C", (c, 0, 0)), driver=driver, near=near, span=span)
    return Chain({"A": BAR, "B": BAR, "C": BAR}, joints, loops=[loop, *more.get("loops", ())])


def holds(formula, true, times, wide=1e-11):
    """Bounds of a formula of t hold the true values, of 30 digits, and are narrow and regular."""
    column = np.asarray(times, float)[:, None]
    lo, hi, level = compile([formula], [t]).decorated(column, column)
    with mpmath.workdps(30):
        for k, s in enumerate(column[:, 0]):
            value = true(mpmath.mpf(float(s)))
            assert lo[k, 0] <= value <= hi[k, 0], (float(s), value)
    assert (hi - lo).max() < wide and (level == 3).all()


TURN = np.linspace(-6.2, 6.2, 23)


def test_a_slider_crank_moves_as_its_closed_form():
    engine = slider_crank()
    assert engine.values == ("turn",) and engine.loops[0].span == (-8 * math.pi, 8 * math.pi) and not engine.loops[0].dead_points
    values = engine.joint_values({"turn": t})
    holds(values["slide"], lambda s: mpmath.cos(s) + mpmath.sqrt(9 - mpmath.sin(s) ** 2), TURN)
    holds(values["wrist"], lambda s: -s - mpmath.asin(mpmath.sin(s) / 3), TURN)
    # Other motions of the crank are other arguments of the same functions.
    holds(engine.joint_values({"turn": t**2 / 8})["slide"],
          lambda s: mpmath.cos(s * s / 8) + mpmath.sqrt(9 - mpmath.sin(s * s / 8) ** 2), TURN)


def test_a_loop_is_solved_where_its_links_share_one_that_moves():
    """A slider-crank on an arm that another joint turns about another axis, with an offset and tilted joints."""
    tilt = at(1, 2, 3, turn=axis_angle((1, 1, 0), 1))
    arm = [revolute("arm", "world", "hand", axis=(1, 2, 2)), fixed("flange", "hand", "frame", origin=tilt)]
    engine = slider_crank(base=arm, offset=R(1, 2))
    assert engine.values == ("arm", "turn")
    holds(engine.joint_values({"arm": 0, "turn": t})["slide"],
          lambda s: mpmath.cos(s) + mpmath.sqrt(9 - (mpmath.sin(s) - 0.5) ** 2), TURN)


def test_a_four_bar_moves_as_its_closed_form():
    """The triangle of crank pin, coupler and rocker (Freudenstein's equation)."""
    bars = four_bar("crank", {"crank": 0, "coupler": 0.8, "rocker": 1.8})

    def rocker(s):
        px, py = mpmath.cos(s) - 3.5, mpmath.sin(s)
        gap = mpmath.hypot(px, py)
        return mpmath.atan2(py, px) % (2 * mpmath.pi) - mpmath.acos((gap**2 + 4 - 9) / (4 * gap))

    holds(bars.joint_values({"crank": t})["rocker"], rocker, np.linspace(-6.2, 6.2, 15))


def test_dead_points_are_named_and_proved():
    """Driven by the rocker it stops where crank and coupler are in line: |B|^2 = (b +- a)^2."""
    bars = four_bar("rocker", {"rocker": 2, "coupler": 0.5, "crank": 0.2})
    (closed,) = bars.loops
    for end, reach, point in zip(closed.span, (4, 2), closed.dead_points, strict=True):
        with mpmath.workdps(30):
            true = mpmath.acos((mpmath.mpf(reach) ** 2 - 12.25 - 4) / 14)
        assert point.value.lo <= true <= point.value.hi and abs(end - true) < 1e-9
    assert closed.dead_points[0].value.lo <= closed.span.lo and closed.span.hi <= closed.dead_points[1].value.hi
    with pytest.raises(ValueError, match=r"rocker at 3 is beyond 1\.588.* to 2\.636.*dead point at rocker = 1\.588"):
        bars.joint_values({"rocker": 3})


def test_a_pin_in_a_slot_and_a_rod():
    """The slotted lever of a quick return, and a yoke whose slider a rod in space moves."""
    lever = Chain({}, [revolute("crank", "frame", "A"), revolute("lever", "frame", "L", origin=at(-2, 0, 0))],
                  loops=[loops.loop(loops.slot("A", (1, 0, 0), "L", (0, 0, 0), (1, 0, 0)), driver="crank", near={"crank": 0, "lever": 0})])
    holds(lever.joint_values({"crank": t})["lever"], lambda s: mpmath.atan2(mpmath.sin(s), 2 + mpmath.cos(s)), TURN)
    lift = Chain({}, [revolute("crank", "frame", "A"), prismatic("lift", "frame", "S", origin=at(R(1, 2), 0, 0))],
                 loops=[loops.loop(loops.rod("A", (1, 0, 0), "S", (0, 0, 0), 3), driver="crank", near={"crank": 0, "lift": 3})])
    holds(lift.joint_values({"crank": t})["lift"], lambda s: mpmath.sqrt(9 - (mpmath.cos(s) - 0.5) ** 2 - mpmath.sin(s) ** 2), TURN)


def test_a_ball_joint_in_space():
    """Three joints of a portal follow a crank: the point of its pin, coordinate by coordinate."""
    axes = ("x", "frame", (1, 0, 0)), ("y", "x", (0, 1, 0)), ("z", "y", (0, 0, 1))
    slides = [prismatic(f"to {n}", p, n, axis=axis) for n, p, axis in axes]
    portal = Chain({}, [revolute("crank", "frame", "A", axis=(1, 1, 0)), *slides],
                   loops=[loops.loop(loops.spherical("A", (1, 0, 0), "z", (0, 0, 0)), driver="crank",
                                     near={"crank": 0, "to x": 1, "to y": 0, "to z": 0})])
    values = portal.joint_values({"crank": t})
    holds(values["to x"], lambda s: (1 + mpmath.cos(s)) / 2, TURN)
    holds(values["to z"], lambda s: -mpmath.sin(s) / mpmath.sqrt(2), TURN)


def test_loops_hang_on_loops_and_gears_follow_joints_that_loops_determine():
    """The rocker of a four-bar drives a slider by a rod of 4, and a gear twice as fast the other way, which a second gear follows."""
    more = [prismatic("slide", "ground", "S", axis=(1, 0, 0), origin=at(R(7, 2), 0, 0)), revolute("push", "C", "P", origin=at(2, 0, 0)),
            revolute("gear", "ground", "G", follows=("rocker", -2, 1)), revolute("idler", "ground", "I", follows=("gear", -1, 0))]
    second = loops.loop(loops.pin("P", (4, 0, 0), "S", (0, 0, 0)), driver="crank", near={"crank": 0, "push": -2, "slide": 3})
    bars = four_bar("crank", {"crank": 0, "coupler": 0.8, "rocker": 1.8}, further=more, loops=[second])
    values = bars.joint_values({"crank": t})
    assert bars.values == ("crank",) and list(values) == ["crank", "coupler", "rocker", "slide", "push", "gear", "idler"]
    c, s = (2 * f(values["rocker"]) for f in (sp.cos, sp.sin))
    holds(values["slide"] - c - sp.sqrt(16 - s**2), lambda _: mpmath.mpf(0), TURN, wide=1e-9)
    holds(values["gear"] + values["idler"] + 2 * values["rocker"] - values["idler"], lambda _: mpmath.mpf(1), TURN)


def test_what_a_closure_joins_touches_by_design():
    engine = slider_crank()
    assert ("rod", "piston") in engine.ignore and ("crank", "piston") not in engine.ignore


@pytest.mark.parametrize("make, message", [
    (lambda: four_bar("rocker", {"rocker": 2, "coupler": 0.5, "crank": 0.2}, (1, 3)),
     r"proved regular for rocker from 1\.588\d* to 2\.636\d* only.*dead point at rocker = 1\.588"),
    (lambda: four_bar("crank", {"crank": 0, "coupler": 0.8, "rocker": 1.8}, lengths=(1, 1, 1, 9)), "not proved to close at crank = 0"),
    (lambda: four_bar("crank", {"crank": 0, "coupler": 0.8}), "2 closing equations for 1 joints that follow"),
    (lambda: four_bar("crank", {"crank": 0, "coupler": 0.8, "x": 1.8}), "'x' is no joint with a value of its own"),
    (lambda: four_bar("crank", {"crank": 9, "coupler": 0.8, "rocker": 1}, (0, 1)), r"assembled at crank = 9, outside of its span \(0, 1\)"),
    (lambda: Chain({}, [revolute("a", "r", "A"), revolute("b", "A", "B", axis=(1, 0, 0)), revolute("c", "r", "C")],
                   loops=[loops.loop(loops.pin("B", (1, 0, 0), "C", (1, 0, 0)), driver="a", near={"a": 0, "b": 0, "c": 0})]),
     "a pin of B and C needs joints that turn about parallel axes"),
    (lambda: Chain({}, [revolute("a", "r", "A"), revolute("b", "A", "B", origin=at(1, 0, 0)), revolute("c", "r", "C", origin=at(1, 1, 0)),
                        revolute("d", "C", "D", origin=at(1, 0, 0))],
                   loops=[loops.loop(loops.pin("B", (1, 0, 0), "D", (1, 0, 0)), driver="a", near={"a": 0, "b": 1, "c": 0})]),
     "depends on joint d too"),
    (lambda: loops.loop(driver="a", near={"a": 0, "b": 0}), "closed by pin, slot, rod or spherical"),
    (lambda: loops.loop(loops.pin("a", (0, 0, 0), "b", (0, 0, 0)), driver="a", near={"b": 0}), "values of the driving joint 'a'"),
    (lambda: Chain({}, [revolute("a", "r", "A")], loops=[1]), "made by loops.loop"),
    (lambda: Chain({}, [revolute("a", "r", "A", follows=("b", 1, 0)), revolute("b", "r", "B", follows=("a", 1, 0))]), "which follows it"),
    (lambda: Chain({}, [prismatic("a", "r", "A"), prismatic("b", "r", "B")],
                   loops=[loops.loop(loops.rod("A", (0, 0, 0), "B", (1, 0, 0), 2), driver="a", near={"a": 0, "b": 1})]),
     r"needs a span \(lo, hi\) of joint a"),
])
def test_bad_loops_are_refused(make, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make()
