"""Matrices that the prover calls definite are so for the checker, also singular ones that roundings make look definite."""

from types import SimpleNamespace

import flint
import numpy as np
import pytest
from flint import arb

from codegen.machine.structures import LANES
from collide.proof.checker.check import BITS
from collide.proof.checker.rules import positive_definite
from collide.proof.native.algebra import bend_of, hessian
from collide.proof.native.memory import OVER


def memory(slopes, scale):
    """Rows with these slopes (m, n) in all lanes, whose squares count `scale`, without second derivatives."""
    m, n = slopes.shape
    jet = np.zeros((4, m + m * n + m * n * n, 2 * LANES))
    jet[OVER, m:m + m * n, :LANES] = slopes.reshape(-1, 1)
    H, R, L, M = np.zeros((4, n, n))
    return SimpleNamespace(n=n, m=m, equations=m, nearest=0, jet=jet, weight=np.zeros((m, LANES)), square=np.full(LANES, scale),
                           H=H, R=R, L=L, M=M)


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_a_matrix_that_is_called_definite_is_so_for_the_checker(rows):
    rng, n, bends = np.random.default_rng(rows), 3, []
    for _ in range(200):
        slopes, scale = rng.normal(size=(rows, n)) * 10.0 ** rng.uniform(-2, 2, size=(rows, 1)), float(rng.uniform(0.5, 2.0))
        s = memory(slopes, scale)
        hessian(s, OVER, 0, False)
        bends.append(bend_of(s))
        with flint.ctx.workprec(BITS):
            g = [[arb(e) for e in row] for row in slopes.tolist()]
            table = [[sum(arb(scale) * row[i] * row[j] for row in g) + bends[-1] * (i == j) for j in range(n)] for i in range(n)]
            assert positive_definite(table)
    assert all(bend > 0.0 for bend in bends) if rows < n else np.median(bends) == 0.0
