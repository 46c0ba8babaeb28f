"""Kernels called without Python: addresses, capsules, and a C program's view of both entries, with any rounding mode around."""

import ctypes
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import codegen
from codegen.machine.capsule import SIGNATURES

ROOT = Path(__file__).parents[3]
x, y, q = sp.symbols("x y q", real=True)
KINDS: list[Any] = ["interval", "decorated", "points"]
pointer = ctypes.c_void_p
BLOCK = ctypes.CFUNCTYPE(None, pointer, pointer, pointer)
BATCH = ctypes.CFUNCTYPE(None, ctypes.c_int64, *[pointer] * 4, ctypes.c_int64, *[pointer] * 4)


@pytest.fixture(scope="module", params=[False, True])
def kernel(request: pytest.FixtureRequest) -> codegen.Kernel:
    return codegen.compile([sp.sin(x) * y + q, sp.sqrt(x) / 3, sp.Abs(x - y)], [x, y], [q], quick=request.param)


def given() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    lo = np.random.default_rng(1).uniform(-1, 1, (11, 2))
    return lo, lo + 0.25, np.array([0.1])


def data(a: np.ndarray | None) -> int | None:
    return None if a is None else a.ctypes.data


def asked(kernel: codegen.Kernel, kind: str) -> tuple[np.ndarray, ...]:
    lo, hi, p = given()
    return (kernel.points(lo, parameters=p),) if kind == "points" else getattr(kernel, kind)(lo, hi, parameters=(p, 2 * p))


@pytest.mark.parametrize("kind", KINDS)
def test_a_block(kernel: codegen.Kernel, kind: Any) -> None:
    lo, hi, p = given()
    ends = (lambda a, b: np.stack([a.T])) if kind == "points" else lambda a, b: np.stack([-a.T, b.T])
    boxes = np.ascontiguousarray(ends(lo[:8], hi[:8]).transpose(1, 0, 2))
    numbers = np.ascontiguousarray(ends(np.tile(p, (8, 1)), np.tile(2 * p, (8, 1))).transpose(1, 0, 2))
    out = np.empty((3, {"interval": 2, "decorated": 3, "points": 1}[kind], 8))
    BLOCK(kernel.address(kind))(data(boxes), data(numbers), data(out))
    for k, expected in enumerate(asked(kernel, kind)):
        found = (-out[:, 0] if k == 0 and kind != "points" else out[:, k]).T
        assert np.array_equal(found, expected[:8], equal_nan=True)


@pytest.mark.parametrize("kind", KINDS)
def test_rows(kernel: codegen.Kernel, kind: Any) -> None:
    lo, hi, p = given()
    out, level, bad = (np.empty((11, 3)), np.empty((11, 3))), np.zeros((11, 3), np.uint8), np.array([-1])
    plain, twice = kind == "points", 2 * p
    second = [None if plain else data(a) for a in (hi, twice, out[1])]
    third = data(level) if kind == "decorated" else None
    BATCH(kernel.address(kind, "batch"))(11, data(lo), second[0], data(p), second[1], 0, data(out[0]), second[2], third, data(bad))
    assert bad[0] == -1
    for found, expected in zip((*out, level), asked(kernel, kind), strict=False):
        assert np.array_equal(found, expected, equal_nan=True)
    if not plain:
        hi[9, 1] = -7.0
        rest = data(out[0]), data(out[1]), data(level), data(bad)
        BATCH(kernel.address(kind, "batch"))(11, data(lo), data(hi), data(p), data(p), 0, *rest)
        assert bad[0] == 8


def test_capsules_carry_the_address(kernel: codegen.Kernel) -> None:
    opened = ctypes.pythonapi.PyCapsule_GetPointer
    opened.restype, opened.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    for entry in ("block", "batch"):
        capsule = kernel.capsule("interval", entry)  # type: ignore[arg-type]
        assert opened(capsule, SIGNATURES[entry].encode()) == kernel.address("interval", entry)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="incorrect name"):
            opened(capsule, b"double (double)")


def test_what_there_is_not() -> None:
    kernel = codegen.compile([x], [x], quick=True)
    with pytest.raises(ValueError, match="kind must be one of interval, decorated, points, got 'value'"):
        kernel.address("value")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="entry must be one of block, batch"):
        kernel.capsule("interval", "row")  # type: ignore[arg-type]


PROGRAM = """
#include <fenv.h>
typedef void (*block_t)(double *, double *, double *);
int run(block_t block, double *x, double *out, int mode)
{
    fesetround(mode == 0 ? FE_TONEAREST : mode == 1 ? FE_DOWNWARD : mode == 2 ? FE_UPWARD : FE_TOWARDZERO);
    int before = fegetround();
    block(x, 0, out);
    int same = fegetround() == before;
    fesetround(FE_TONEAREST);
    return same;
}
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_from_c_in_every_rounding_mode(tmp_path: Path) -> None:
    (tmp_path / "run.c").write_text(PROGRAM)
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "run.c", "-o", "run.so", "-lm"], cwd=tmp_path, check=True, timeout=60)
    run = ctypes.CDLL(str(tmp_path / "run.so")).run
    run.argtypes = [pointer, pointer, pointer, ctypes.c_int]
    lo, hi, _ = given()
    boxes = np.ascontiguousarray(np.stack([-lo[:8].T, hi[:8].T]).transpose(1, 0, 2))
    for quick in (False, True):
        kernel = codegen.compile([sp.exp(x) / 3 - y, x * y], [x, y], quick=quick)
        for kind in ("interval", "points"):
            block = boxes if kind == "interval" else np.ascontiguousarray(lo[:8].T[:, None])
            expected = kernel.interval(lo[:8], hi[:8])[1] if kind == "interval" else kernel.points(lo[:8])
            for mode in range(4):
                out = np.empty((2, 2, 8))
                assert run(kernel.address(kind), data(block), data(out), mode) == 1  # type: ignore[arg-type]
                found = out[:, 1].T if kind == "interval" else out.ravel()[:16].reshape(2, 8).T
                assert np.array_equal(found, expected)


def test_cffi_and_numba_where_they_are() -> None:
    cffi = pytest.importorskip("cffi")
    kernel, ffi, out = codegen.compile([x + y], [x, y]), cffi.FFI(), np.empty((1, 2, 8))
    block = ffi.cast("void (*)(double *, double *, double *)", kernel.address())
    block(ffi.from_buffer("double[]", np.ones((2, 2, 8))), ffi.NULL, ffi.from_buffer("double[]", out))
    assert (out == 2).all()


def test_the_code_of_the_page_runs() -> None:
    text = (ROOT / "docs/pages/native.md").read_text(encoding="utf-8")
    (source,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    space: dict[str, Any] = {}
    exec(compile(source, "native.md", "exec"), space)
    edges = np.linspace(0, 0.7, 8)
    expected = space["kernel"].interval(np.column_stack([edges, edges]), np.column_stack([edges, edges]) + 0.1)
    assert np.array_equal(space["lo"], expected[0]) and np.array_equal(space["hi"], expected[1])
    assert all(signature in text for signature in ('"void (double *, double *, double *)"',))
