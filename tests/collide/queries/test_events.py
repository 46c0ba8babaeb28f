"""Events of flows: the times at which a formula of the states vanishes, as zeros of formulas that hold solutions."""

import pytest
import sympy as sp

import collide
from generative import ode, t

x, y = sp.symbols("x y", real=True)


def test_all_zeros_of_a_flow_are_found_and_proved() -> None:
    """x'' = -x from (1, 0): cos t vanishes at odd multiples of pi/2, cos t - sin t a quarter later."""
    place, speed = ode([y, -x], [x, y], start=[1, 0], time=(t, 0, 8))
    for g, first, apart in ((place, sp.pi / 2, sp.pi), (place + speed, sp.pi / 4, sp.pi)):
        zeros = collide.solve([g], {t: (0, 8)})
        assert zeros.status is collide.ZerosStatus.COMPLETE and zeros.unique.all()
        wanted = [float(first + k * apart) for k in range(3) if float(first + k * apart) < 8]
        assert sorted(zeros.boxes[:, 0, 0]) == pytest.approx(wanted, abs=1e-9)
