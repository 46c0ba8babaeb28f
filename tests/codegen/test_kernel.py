"""The outside contract of a kernel: ragged batches, parameters, bad requests, pickling, threads, jacobians."""

import multiprocessing
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import sympy as sp

import codegen
from codegen.graph.expr import ExprPool
from codegen.machine.linked import batch_function

from .boxes import boxes, same_bits

x, y, a, b = sp.symbols("x y a b", real=True)
ROWS = [0, 1, 7, 8, 9, 31, 33]


@pytest.mark.parametrize("rows", ROWS)
def test_any_number_of_rows(kernel: codegen.Kernel, rows: int) -> None:
    lo, hi = boxes(40)
    whole = kernel.decorated(lo, hi)
    part = kernel.decorated(lo[:rows], hi[:rows])
    assert [p.shape for p in part] == [(rows, 5)] * 3 and part[2].dtype == np.uint8
    assert all(p.dtype == w.dtype and p.tobytes() == w[:rows].tobytes() for p, w in zip(part, whole, strict=True))
    assert all(same_bits(p, w) for p, w in zip(kernel.interval(lo[:rows], hi[:rows]), part, strict=False))
    assert same_bits(kernel.points(lo[:rows]), kernel.points(lo)[:rows]) and part[0].flags.c_contiguous


def test_points_lie_in_the_bounds(kernel: codegen.Kernel) -> None:
    lo, hi = boxes(100)
    out_lo, out_hi = kernel.interval(lo, hi)
    values = kernel.points(0.5 * lo + 0.5 * hi)
    assert ((out_lo <= values) & (values <= out_hi)).all()
    assert np.allclose(values[:, 0], np.sin(0.5 * (lo + hi)[:, 0]) * 0.5 * (lo + hi)[:, 1], rtol=1e-14)


@pytest.mark.parametrize("rows", ROWS)
def test_parameters_broadcast_or_a_row_each(with_parameters: codegen.Kernel, rows: int) -> None:
    (lo, hi), (plo, phi) = boxes(rows), (np.array([0.5, -1.0]), np.array([0.75, -0.5]))
    once = with_parameters.decorated(lo, hi, parameters=(plo, phi))
    each = with_parameters.decorated(lo, hi, parameters=(np.tile(plo, (rows, 1)), np.tile(phi, (rows, 1))))
    assert all(np.array_equal(p, q) for p, q in zip(once, each, strict=True))
    plo, phi = boxes(rows, seed=2)
    varied = with_parameters.interval(lo, hi, parameters=(plo, phi))
    for k in range(rows):
        alone = with_parameters.interval(lo[k:k + 1], hi[k:k + 1], parameters=(plo[k], phi[k]))
        assert all(same_bits(v[k:k + 1], w) for v, w in zip(varied, alone, strict=True))
    values = with_parameters.points(lo, parameters=plo)
    assert np.allclose(values[:, 0], plo[:, 0] * lo[:, 0] + plo[:, 1])


@pytest.mark.parametrize("rows", [1, 7, 8, 9, 17])
def test_one_column_is_read_and_written_without_going_beyond_it(rows: int) -> None:
    """Whole blocks of it are vectors in memory; of the rest nothing behind the last row is touched, and wrong rows are named there, too."""
    kernel = codegen.compile([sp.sin(x)], [x])
    lo = np.linspace(0.1, 2.0, 20)[:, None]
    every = kernel.decorated(lo, lo + 0.25)
    out, level, bad = np.full((2, 20), 7.0), np.full(20, 7, np.uint8), np.array([-1])
    ends = [lo[:rows].copy(), lo[:rows] + 0.25]
    batch = batch_function(kernel._code("decorated", "batch"))
    addresses = [a.ctypes.data for a in (*ends, *out, level, bad)]
    batch(rows, *addresses[:2], None, None, 0, *addresses[2:])
    assert same_bits(out[0][:rows], every[0][:rows, 0]) and same_bits(out[1][:rows], every[1][:rows, 0]) and bad[0] == -1
    assert (level[:rows] == 3).all() and (out[:, rows:] == 7.0).all() and (level[rows:] == 7).all()
    ends[1][rows - 1] = np.nan
    with pytest.raises(ValueError, match=f"box row {rows - 1}:"):
        kernel.interval(*ends)


@pytest.mark.parametrize("rows", [1, 8, 13])
def test_many_variables_parameters_and_outputs(rows: int) -> None:
    """Past some number of columns the code loops over them instead of naming each."""
    count = 40
    xs, ps = sp.symbols(f"x:{count}", real=True), sp.symbols(f"p:{count}", real=True)
    kernel = codegen.compile([x * p + 1 for x, p in zip(xs, ps, strict=True)] + [-xs[0]], xs, ps)
    rng = np.random.default_rng(7)
    lo, plo = rng.uniform(-2, 2, (rows, count)), rng.uniform(0.5, 2, (rows, count))
    out_lo, out_hi, level = kernel.decorated(lo, lo + 0.5, parameters=(plo, plo))
    at = kernel.points(lo, parameters=plo)
    assert out_lo.shape == (rows, count + 1) and (level == 3).all()
    assert np.allclose(out_lo[:, :-1], lo * plo + 1) and np.allclose(out_hi[:, :-1], (lo + 0.5) * plo + 1)
    assert np.allclose(at, np.concatenate([lo * plo + 1, -lo[:, :1]], axis=1)) and np.array_equal(out_hi[:, -1], -lo[:, 0])
    for name, box, p in (("box", 31, 0), ("parameter", 0, 39)):
        hi, phi = lo + 0.5, plo.copy()
        (hi if name == "box" else phi)[rows - 1, box or p] = np.nan
        with pytest.raises(ValueError, match=rf"{name} row {rows - 1}: {'x31' if box else 'p39'} = "):
            kernel.interval(lo, hi, parameters=(plo, phi))
    few = codegen.compile([xs[0] * ps[39]], xs[:1], ps)
    assert np.allclose(few.points(lo[:, :1], parameters=plo)[:, 0], lo[:, 0] * plo[:, 39])
    assert np.allclose(few.interval(lo[:, :1], lo[:, :1], parameters=(plo, plo))[0][:, 0], lo[:, 0] * plo[:, 39])


def test_results_of_calls_do_not_share_memory(kernel: codegen.Kernel) -> None:
    lo, hi = boxes(9)
    first, second = kernel.interval(lo, hi), kernel.interval(lo + 1, hi + 1)
    assert not any(np.shares_memory(p, q) for p in first for q in second)


def test_bad_requests_to_compile() -> None:
    for empty in ([], (), sp.Matrix([]), [[]]):
        with pytest.raises(ValueError, match="the list of expressions is empty"):
            codegen.compile(empty, [x])
    with pytest.raises(ValueError, match="free symbol b is neither variable nor parameter"):
        codegen.compile([x + b], [x], [a])
    with pytest.raises(ValueError, match="cannot compile mathieuc"):
        codegen.compile(sp.mathieuc(1, 1, x), [x])
    with pytest.raises(ValueError, match="not a finite real constant"):
        codegen.compile([x + sp.I], [x])
    with pytest.raises(ValueError, match="form must be one of natural, mean-value, bicentred, divided, got 'taylor'"):
        codegen.compile([x], [x], form="taylor")
    for given in (None, object()):
        with pytest.raises(ValueError, match=r"give SymPy expressions|object"):
            codegen.compile([given], [x])
    with pytest.raises(TypeError, match=r"lists of symbols, got x; write \[x\]"):
        codegen.compile([x], x)
    for condition in (x < 1, sp.Eq(x, 1), sp.true, (x < 1) & (x > 0)):
        with pytest.raises(ValueError, match="a condition has no bounds"):
            codegen.compile([x, condition], [x])
    for formula in ("x + 1", ["x + 1"]):
        with pytest.raises(TypeError, match=r"not as text; got 'x \+ 1'"):
            codegen.compile(formula, [x])
    for given in ({x, y}, (e for e in [x]), sp.Interval(0, 1)):
        with pytest.raises(ValueError, match="give SymPy expressions, or a list of them"):
            codegen.compile(given, [x, y])
    for symbols in (None, "x", {x}, 3):
        with pytest.raises(TypeError, match="must be lists of symbols, got"):
            codegen.compile([x], symbols)
    with pytest.raises(ValueError, match=r"cpu must be one of .*, or None for this processor, got 'no such processor'"):
        codegen.compile([x], [x], cpu="no such processor")
    pool = ExprPool()
    with pytest.raises(ValueError, match="uses variable 1 but only 1 were listed"):
        codegen.compile([pool.variable(1)], [pool.variable(0)])


def test_matrices_and_nested_lists_are_row_major() -> None:
    kernel = codegen.compile(sp.Matrix([[x, y], [x + y, 3]]), [x, y])
    lo, hi = kernel.interval([[1, 2]], [[1, 2]])
    assert lo.tolist() == hi.tolist() == [[1, 2, 3, 3]]
    assert codegen.compile([[x, [y]], sp.Matrix([x * y])], [x, y]).points([[2, 3]]).tolist() == [[2, 3, 6]]
    assert codegen.compile(x, [x]).points([[2]]).tolist() == [[2]]


def test_constants_and_kernels_of_no_variables() -> None:
    kernel = codegen.compile([sp.pi, sp.Rational(1, 3), 2, sp.sqrt(2) - sp.sqrt(2), sp.Float("0.1", 40)], [])
    lo, hi, level = kernel.decorated(np.empty((9, 0)), np.empty((9, 0)))
    assert lo.shape == (9, 5) and (level == 3).all()
    assert (lo[0, 0], hi[0, 0]) == (3.141592653589793, np.nextafter(3.141592653589793, 4))
    assert hi[8, 1] == np.nextafter(lo[8, 1], 1) and lo[8, 2] == hi[8, 2] == 2 and lo[8, 3] == hi[8, 3] == 0
    assert lo[0, 4] == 0.09999999999999999 and hi[0, 4] == 0.1
    assert np.allclose(kernel.points(np.empty((2, 0))), [[np.pi, 1 / 3, 2, 0, 0.1]] * 2)
    with pytest.raises(ValueError, match="no variables to take derivatives by"):
        kernel.jacobian()
    only = codegen.compile([a * 2], [], [a])
    assert only.interval(np.empty((2, 0)), np.empty((2, 0)), parameters=([1.0], [2.0]))[1].tolist() == [[4], [4]]


def test_jacobian_and_jacobian_of_jacobian() -> None:
    kernel = codegen.compile([x**3 * y, sp.sin(x) * a], [x, y], [a])
    first = kernel.jacobian()
    second = first.jacobian()
    at = [[0.5, 2.0]]
    assert np.allclose(first.points(at, parameters=[3.0]), [[1.5, 0.125, 3 * np.cos(0.5), 0]])
    assert np.allclose(second.points(at, parameters=[3.0]), [[6, 0.75, 0.75, 0, -3 * np.sin(0.5), 0, 0, 0]])
    lo, hi, level = second.decorated(at, at, parameters=([3.0], [3.0]))
    assert (lo <= hi).all() and (hi - lo < 1e-14).all() and (level == 3).all()
    assert first.variables == ("x", "y") and first.parameters == ("a",)


def test_the_mean_value_form_is_tighter_and_contains() -> None:
    expressions = [x**2 - x * y, sp.sin(x) - x + y * sp.cos(x), x / (1 + x**2), sp.Abs(x) - x, sp.floor(x) - x, sp.sqrt(x) - x]
    natural = codegen.compile(expressions, [x, y])
    mean = codegen.compile(expressions, [x, y], form="mean-value")
    rng = np.random.default_rng(3)
    lo = rng.uniform(-2, 2, (300, 2))
    hi = lo + np.exp(rng.uniform(-12, 0, (300, 1)))
    (nlo, nhi), (mlo, mhi) = natural.interval(lo, hi), mean.interval(lo, hi)
    assert (nlo <= mlo).all() and (mhi <= nhi).all() and (mlo <= mhi).all()
    small = ((hi - lo) < 1e-3).all(1)
    with np.errstate(invalid="ignore", divide="ignore"):
        gain = ((nhi - nlo) / (mhi - mlo))[small]
    assert (np.quantile(gain[:, :3], 0.75, axis=0) > 1.5).all()
    for share in (0.0, 0.3, 1.0):
        p = lo + share * (hi - lo)
        p = np.clip(p, lo, hi)
        plo, phi = natural.interval(p, p)
        inside = (mlo <= phi) & (plo <= mhi)
        assert inside[:, :5].all() and inside[p[:, 0] >= 0].all()


def test_the_jacobian_of_a_mean_value_form_is_that_of_the_formula() -> None:
    u, v = sp.symbols("u v", real=True)
    kernels = [codegen.compile([sp.sin(u) * v, u**2 - v], [u, v], form=form).jacobian() for form in ("natural", "mean-value")]
    lo, hi = np.array([[0.0, -1.0]]), np.array([[1.0, 2.0]])
    assert all(np.array_equal(a, b) for a, b in zip(*(k.decorated(lo, hi) for k in kernels), strict=True))


def test_pickled_kernels_give_the_same_bits(kernel: codegen.Kernel, with_parameters: codegen.Kernel) -> None:
    lo, hi = boxes(11)
    again = pickle.loads(pickle.dumps(kernel))
    assert all(same_bits(p, q) for p, q in zip(again.interval(lo, hi), kernel.interval(lo, hi), strict=True))
    assert repr(again) == repr(kernel) and again.variables == kernel.variables
    jacobian = pickle.loads(pickle.dumps(with_parameters.jacobian()))
    pair = ([1.0, 2.0], [1.0, 2.5])
    assert all(same_bits(p, q) for p, q in zip(jacobian.interval(lo, hi, parameters=pair),
                                               with_parameters.jacobian().interval(lo, hi, parameters=pair), strict=True))


def test_pickled_kernels_work_in_another_process(kernel: codegen.Kernel) -> None:
    lo, hi = boxes(11)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        result = pool.starmap(kernel.interval, [(lo, hi)])[0]
    assert all(same_bits(p, q) for p, q in zip(result, kernel.interval(lo, hi), strict=True))


def test_threads_calling_and_compiling_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GENERATIVE_COLLISION_CACHE", "")
    lo, hi = boxes(2000)
    shared = codegen.compile([x * y + 12345, x - y], [x, y])
    start = threading.Barrier(4)

    def work(k: int) -> list[Any]:
        start.wait()
        own = codegen.compile([x * y + k * 777, x - y], [x, y])
        return [shared.interval(lo, hi), own.interval(lo, hi), own.points(lo), shared.points(lo)]

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(work, range(4)))
    (expected_lo, expected_hi), points = shared.interval(lo, hi), shared.points(lo)
    for k, ((slo, shi), (olo, ohi), own, common) in enumerate(results):
        assert same_bits(slo, expected_lo) and same_bits(shi, expected_hi) and same_bits(common, points)
        assert same_bits(own[:, 1], points[:, 1]) and np.allclose(own[:, 0], lo[:, 0] * lo[:, 1] + 777 * k)
        assert same_bits(olo[:, 1], expected_lo[:, 1]) and (olo <= own).all() and (own <= ohi).all()


def test_repr() -> None:
    assert repr(codegen.compile([x + y, x], [x, y])) == "<Kernel of 2 expressions of (x, y): 3 operations>"
    assert repr(codegen.compile([a * x], [x], [a])) == "<Kernel of 1 expressions of (x) with a: 3 operations>"


def test_block_entry_points_agree_with_the_batch(with_parameters: codegen.Kernel) -> None:
    """Native callers pass blocks of 8 lanes, -lo and hi one after the other."""
    import ctypes

    lo, hi = boxes(8)
    block = np.ascontiguousarray(np.stack([-lo, hi], axis=1).transpose(2, 1, 0))
    p = np.tile(np.array([[-0.5, 0.75], [1.0, -0.5]])[:, :, None], (1, 1, 8))
    out = np.empty((2, 2, 8))
    address = with_parameters.block_address("interval")
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(address)(block.ctypes.data, p.ctypes.data, out.ctypes.data)
    out_lo, out_hi = with_parameters.interval(lo, hi, parameters=([0.5, -1.0], [0.75, -0.5]))
    assert np.array_equal(-out[:, 0].T, out_lo) and np.array_equal(out[:, 1].T, out_hi)


def test_quick_code_gives_the_same_bits() -> None:
    """Machine code that is ready sooner computes the same: intervals, decorations and points."""
    e = [sp.sin(x * y) / (2 + sp.cos(x)) + sp.exp(-y**2), sp.sqrt(1 + x**2) * sp.atan(y), abs(x - y) * x**3, sp.log(x + 5)]
    usual, quick = (codegen.compile(e, [x, y], quick=q) for q in (False, True))
    rng = np.random.default_rng(4)
    lo = rng.uniform(-4, 4, (300, 2))
    hi = lo + rng.exponential(0.3, (300, 2))
    mine, other = usual.decorated(lo, hi), quick.decorated(lo, hi)
    assert same_bits(mine[0], other[0]) and same_bits(mine[1], other[1]) and np.array_equal(mine[2], other[2])
    assert same_bits(usual.points(lo), quick.points(lo))
    assert quick.jacobian().quick and pickle.loads(pickle.dumps(quick)).quick


def test_powers_times_a_logarithm_are_bounded_at_zero() -> None:
    """On [0, 1/100] they fall from 0, which is a bound; the level is 0, as they are not defined at 0."""
    forms = [x * sp.log(x), sp.sqrt(x) * sp.log(x), x**2 * sp.log(x), x ** sp.Rational(1, 3) * sp.log(x), 3 * x * y * sp.log(x)]
    lo, hi, level = codegen.compile(forms, [x, y]).decorated([[0.0, 1.0]], [[0.01, 1.0]])
    end = np.array([float(f.subs({x: sp.Rational(1, 100), y: 1})) for f in forms])
    assert (hi == 0.0).all() and (level == 0).all() and np.allclose(lo, end, rtol=1e-14, atol=0.0)
