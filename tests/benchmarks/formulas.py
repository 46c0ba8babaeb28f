"""The formulas that all tools are timed on, written once for any arithmetic.

    a    rotated implicit torus, variables x, y, z, t
    b    a chain of 50 multiplications and 50 additions, w = w y + x from w = x
    c    the bumpy sphere, variables u, v
    cj   the bumpy sphere with its 3 x 2 Jacobian, derivatives written by hand with every subexpression shared

`sin`, `cos`, `sqrt` and `square` come from the arithmetic; `one` is 1 in it.
"""

from typing import Any


def torus(m: Any, x: Any, y: Any, z: Any, t: Any) -> list[Any]:
    s, c = m.sin(t), m.cos(t)
    ring = m.sqrt(m.square(x * c - y * s) + m.square(x * s + y * c)) - 1
    return [m.square(ring) + m.square(z) - m.tenth]


def chain(m: Any, x: Any, y: Any) -> list[Any]:
    w = x
    for _ in range(50):
        w = m.multiply_add(w, y, x)
    return [w]


def bumpy(m: Any, u: Any, v: Any) -> list[Any]:
    r = 1 + m.fifth * m.sin(5 * u) * m.sin(4 * v)
    cu, su, cv, sv = m.cos(u), m.sin(u), m.cos(v), m.sin(v)
    return [r * (cu * cv), r * (su * cv), r * sv]


def bumpy_with_jacobian(m: Any, u: Any, v: Any) -> list[Any]:
    s5, c5, s4, c4 = m.sin(5 * u), m.cos(5 * u), m.sin(4 * v), m.cos(4 * v)
    cu, su, cv, sv = m.cos(u), m.sin(u), m.cos(v), m.sin(v)
    r, ru, rv = 1 + m.fifth * s5 * s4, c5 * s4, m.four_fifths * s5 * c4
    a, b = cu * cv, su * cv
    return [r * a, r * b, r * sv,
            ru * a - r * b, rv * a - r * (cu * sv), ru * b + r * a, rv * b - r * (su * sv), ru * sv, rv * sv + r * cv]


FORMULAS = {"a": (torus, "x y z t"), "b": (chain, "x y"), "c": (bumpy, "u v"), "cj": (bumpy_with_jacobian, "u v")}
