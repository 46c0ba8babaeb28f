"""Tables of Taylor polynomials: against Arb, in the reference and in code, and made anew."""

import numpy as np
import pytest
from flint import acb, arb, ctx

import codegen
from codegen.graph.expr import ExprPool
from codegen.graph.tables import layout, rows
from codegen.reference.interpreter import interpret
from tests.special_tables.functions import TABLES
from tests.special_tables.rows import made

# Units in the last place, of tables with zeros in their ranges, and of small values that are added to values near 1; of others 4.
WIDER = {"airy_ai": 16, "airy_ai_slope": 64, "airy_bi": 128, "airy_bi_slope": 8, "airy_q": 4096, "airy_s": 2048, "hankel_q0": 128,
         "hankel_q1": 32, "bessel_y0": 16, "bessel_y1": 8, "gamma": 32}


def places(name: str, count: int) -> np.ndarray:
    table, rng = layout(name), np.random.default_rng(2)
    if table.linear:
        return rng.uniform(table.first, table.last, count)
    return 2.0 ** rng.uniform(np.log2(table.first), np.log2(table.last), count)


@pytest.mark.parametrize("name", TABLES)
def test_values_lie_within_the_errors_of_their_rows(name: str) -> None:
    pool = ExprPool()
    kernel = codegen.compile([pool.node("tabled", pool.variable(0), value=name)], [pool.variable(0)])
    at = places(name, 12)
    low, high, level = kernel.decorated(at[:, None], at[:, None])
    reference = interpret(kernel.outputs, at[:, None], at[:, None])
    points = kernel.points(at[:, None])
    with ctx.workprec(200):
        for k, x in enumerate(at.tolist()):
            y = TABLES[name].function(acb(x)).real
            assert level[k, 0] == 3 and low[k, 0] <= points[k, 0] <= high[k, 0]
            for lo, hi in ((low, high), reference[:2]):
                assert arb(lo[k, 0]) <= y <= arb(hi[k, 0]) and hi[k, 0] - lo[k, 0] <= WIDER.get(name, 4) * np.spacing(abs(hi[k, 0]))


@pytest.mark.parametrize("name", ["ein", "w0_below", "erfinv", "elliptic_k_slope"])
def test_rows_are_those_that_the_program_makes(name: str) -> None:
    assert [float(x) for x in TABLES[name].layout] == [float(x) for x in layout(name)]
    for k in (0, 5):
        assert np.allclose(made(TABLES[name], k)[:-1], rows(name)[k, :-1], rtol=1e-15, atol=1e-30)


def test_boxes_span_monotone_functions_and_end_at_the_table() -> None:
    pool = ExprPool()
    kernel = codegen.compile([pool.node("tabled", pool.variable(0), value="ein")], [pool.variable(0)])
    low, high, level = kernel.decorated([[0.0], [0.5], [-0.1]], [[1.0], [1.1], [0.5]])
    assert 1.0 <= high[0, 0] < 1.0 + 1e-15 and low[0, 0] == pytest.approx(0.7965995993) and level[:, 0].tolist() == [3, 0, 0]
    assert low[1:, 0].tolist() == [-np.inf] * 2 and np.isnan(kernel.points([[1.5]]))[0, 0]
    assert kernel.jacobian().decorated([[0.5]], [[0.5]])[2][0, 0] == 0
