"""The advance in time of bodies that deform through functions, against exact rationals."""

from fractions import Fraction

import numpy as np
import pytest

from codegen.time_bounds.composed import EntryPattern, composed_time_bound

from .advance_referee import (
    ALL,
    BENT,
    CURVE,
    MANY,
    block,
    call,
    directed,
    exact_dot,
    may_advance,
    middles,
    net_tangents,
    normals,
    product,
    rationals,
    seen,
    thin,
    turned,
)

FORMS = [((BENT, CURVE), (EntryPattern(ALL, ((0, 0), (0, 2))), EntryPattern((0, 1, 5, 8), ((1, 1), (1, 2))))),
         ((MANY, CURVE), (EntryPattern(tuple(range(15)), ((0, 4), (3, 3))), EntryPattern(ALL, ())))]


def drawn_forms(rng, models, forms, kind):
    """Records of eight lanes and what is told of F: {name: intervals (8, ...)} of each body, and both blocks."""
    spread = {"thin": 0.0, "mixed": 1e-16}[kind]
    bodies, blocks, records = [], [], []
    opposed = rng.random(8) < 0.7
    for k, (model, form) in enumerate(zip(models, forms, strict=True)):
        m = model.coordinates
        record = np.zeros((model.length, 8))
        place = rng.normal(size=(m, 8))
        record[:model.rho] = (place + rng.normal(size=(model.points, m, 8)) * rng.choice([0.0, 1e-16], (1, 1, 8))).reshape(-1, 8)
        record[model.rho:model.size] = rng.random((m, 8)) * rng.choice([0.0, 1e-16], (1, 8))
        record[model.size:model.middle] = abs(place) + 1e-15
        record[model.middle:model.reach], record[model.reach:model.doubt] = place, rng.choice([1e-9, 1e-3], (1, 8))
        told = {"A": thin(rng, rng.normal(size=(8, len(form.entries))), spread),
                "H": thin(rng, rng.normal(size=(8, 3 * len(form.bends))), 1e-3), "W": (np.full((8, 3), -99.0), np.full((8, 3), 99.0))}
        for name in "FSBC":
            middle = rng.normal(size=(8, 3))
            if k:
                near = -bodies[0][name][0] + rng.normal(size=(8, 3)) * 1e-15
                middle = np.where(opposed[:, None], near, middle)
            told[name] = thin(rng, middle, spread) if name != "S" else (middle - 1.0, middle + 1.0)
        bodies.append(told)
        blocks.append(block(*(np.concatenate([told[name][end] for name in "FAHSBCW"], axis=1) for end in (0, 1))))
        records.append(record)
    return records, bodies, blocks


def composed_justified(step, models, forms, records, bodies, normal):
    total = {name: [(a + c, b + d) for (a, b), (c, d) in zip(*(rationals(*body[name]) for body in bodies), strict=True)] for name in "SBC"}
    shift, rest, nets, matrices, tangents = [(0, 0)] * 3, [Fraction(0)] * 3, [], [], []
    for model, form, r, body in zip(models, forms, records, bodies, strict=True):
        m = model.coordinates
        matrix = [[[Fraction(0)] * m for _ in range(3)] for _ in range(2)]
        for k, e in enumerate(form.entries):
            matrix[0][e // m][e % m], matrix[1][e // m][e % m] = Fraction(body["A"][0][k]), Fraction(body["A"][1][k])
        centre = [(-Fraction(x), -Fraction(x)) for x in r[model.middle:model.reach]]
        moved = [(a + c, b + d) for (a, b), (c, d) in zip(rationals(*body["F"]), product(matrix, centre), strict=True)]
        shift = [(a + c, b + d) for (a, b), (c, d) in zip(shift, moved, strict=True)]
        reach = [Fraction(x) for x in r[model.reach:model.doubt]]
        for k, (i, j) in enumerate(form.bends):
            for c in range(3):
                most = max(abs(Fraction(body["H"][end][3 * k + c])) for end in (0, 1))
                rest[c] += most * reach[i] * reach[j] / (2 if i == j else 1)
        rho = [Fraction(x) for x in r[model.rho:model.size]]
        nets.append([[(Fraction(x) - e, Fraction(x) + e) for x, e in zip(r[m * k:m * (k + 1)], rho, strict=True)]
                     for k in range(model.points)])
        matrices.append(matrix)
        rows = [{e % m: x for e, x in zip(form.entries, middles(body["A"]), strict=True) if e // m == i} for i in range(3)]
        tangents += [turned(rows, vector) for vector in net_tangents(model, r)]
    difference = [a + b for a, b in zip(*(middles(body["S"]) for body in bodies), strict=True)]
    found = [directed(normal), difference] + normals(tangents)
    for n in [[Fraction(x.x) for x in d] for d in found]:
        low, high = exact_dot(n, shift)
        left = sum(abs(x) * e for x, e in zip(n, rest, strict=True))
        for matrix, net in zip(matrices, nets, strict=True):
            ranges = [seen(n, matrix, point) for point in net]
            low, high = low + min(a for a, _ in ranges), high + max(b for _, b in ranges)
        ends = exact_dot(n, total["S"])
        if may_advance(step, (max(low - left, ends[0]), min(high + left, ends[1])), total["B"], total["C"], n):
            return True
    return False


@pytest.mark.parametrize(("models", "forms"), FORMS)
@pytest.mark.parametrize("kind", ["thin", "mixed"])
def test_no_more_is_used_of_deforming_bodies_than_follows(models, forms, kind):
    kernel, rng = composed_time_bound(models, forms), np.random.default_rng(13)
    advanced = 0
    for _ in range(25):
        records, bodies, blocks = drawn_forms(rng, models, forms, kind)
        start = rng.uniform(-1, 1, 8)
        window = block(np.stack([start, start], axis=1), np.stack([start + 4, start], axis=1))
        normal, out = rng.normal(size=(3, 8)), np.zeros((2, 8))
        call(kernel, *records, *blocks, window, np.ascontiguousarray(normal), out)
        for lane in range(8):
            step = Fraction(out[0, lane]) - Fraction(start[lane])
            if step > 0:
                advanced += 1
                alone = [{name: tuple(x[lane] for x in ends) for name, ends in body.items()} for body in bodies]
                assert composed_justified(step, models, forms, [r[:, lane] for r in records], alone, normal[:, lane])
    assert advanced > 40
