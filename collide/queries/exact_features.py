"""Edges and vertices of solids whose faces are polynomials with rational coefficients, as those of polyhedra are: exactly."""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import sympy as sp

from generative import Edge, Solid, Vertex, u, v

# Whole coefficients by powers of u and of v, over a common denominator.
Polynomial = tuple[dict[tuple[int, int], int], int]


@lru_cache(maxsize=1024)
def features_lie_exactly(body: Solid) -> bool:
    """Whether it is proved that all edges and vertices lie on all of their faces, and do not leave them. False also where that is not
    known.
    """
    faces = [_polynomials((*face.body, *face.domain[u], *face.domain[v])) for face in body.faces]
    features: list[Edge | Vertex] = [*body.edges, *body.vertices]
    return all(faces) and all(_lies(feature, faces) for feature in features)


def _lies(feature: Edge | Vertex, faces: Sequence[Sequence[Polynomial]]) -> bool:
    """Paths are straight in the parameters, so that their ends tell whether they stay within a face; and polynomials are the same that
    agree at more places than their degree.
    """
    pairs = feature.paths if isinstance(feature, Edge) else feature.points
    paths = [_polynomials(pair) for pair in pairs]
    ends = _polynomials(feature.domain) if isinstance(feature, Edge) else _polynomials((sp.S.Zero,))
    if not (all(paths) and ends) or any(powers not in ((0, 0), (1, 0)) for path in paths for e, _ in path for powers in e):
        return False
    own = [faces[f] for f in feature.faces]
    degree = max((i + j for face in own for e, _ in face[:3] for i, j in e), default=0) if isinstance(feature, Edge) else 0
    within = all(_is_within([_value(e, _value(end)) for e in path], face[3:])
                 for face, path in zip(own, paths, strict=True) for end in ends)
    return within and all(len({_place(face, path, at) for face, path in zip(own, paths, strict=True)}) == 1 for at in range(degree + 1))


def _place(face: Sequence[Polynomial], path: Sequence[Polynomial], at: int) -> tuple[Fraction, ...]:
    first, second = (_value(e, at) for e in path)
    return tuple(_value(e, first, second) for e in face[:3])


def _is_within(at: Sequence[Any], rectangle: Sequence[Polynomial]) -> bool:
    lo, hi, low, high = map(_value, rectangle)
    return bool(lo <= at[0] <= hi and low <= at[1] <= high)


def _value(polynomial: Polynomial, first: Any = 0, second: Any = 0) -> Any:
    """A whole number where it is one: these are faster."""
    terms, denominator = polynomial
    total = sum(c * first**i * second**j for (i, j), c in terms.items())
    return total if denominator == 1 else Fraction(total) / denominator


def _polynomials(formulas: Sequence[Any]) -> tuple[Polynomial, ...]:
    """Empty where one of them is no such polynomial."""
    found = [_polynomial(e) for e in formulas]
    return tuple(e for e in found if e is not None) if None not in found else ()


@lru_cache(maxsize=4096)
def _polynomial(formula: Any) -> Polynomial | None:
    found: dict[tuple[int, int], Fraction] = {}
    for term in sp.Add.make_args(formula):
        number, rest = term.as_coeff_Mul()
        powers = {s: p for s, p in (factor.as_base_exp() for factor in sp.Mul.make_args(rest)) if s != 1}
        if not number.is_Rational or not powers.keys() <= {u, v} or not all(p.is_Integer and p > 0 for p in powers.values()):
            return None
        key = int(powers.get(u, 0)), int(powers.get(v, 0))
        found[key] = found.get(key, Fraction(0)) + Fraction(int(number.p), int(number.q))
    denominator = math.lcm(*(c.denominator for c in found.values()))
    return {key: int(c * denominator) for key, c in found.items()}, denominator
