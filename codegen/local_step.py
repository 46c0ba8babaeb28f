"""One damped Gauss-Newton step in eight lanes at once, in ordinary arithmetic: for local solves, which prove nothing."""

import functools
import threading

from . import cache
from .lanes import Module
from .native import Code, add_entry, host, llvm_version, object_code

LARGEST = 10
"""Systems of up to so many variables are worth straight-line code."""

_alive: list[Code] = []
_lock = threading.Lock()
# The damping of a step at a large residual, and where the residual is none.
_DAMPING, _LEAST = 1e-3, 1e-15


@functools.cache
def local_step(m: int, n: int) -> int:
    """Address of ``void(value, step)``: a step of Levenberg and Marquardt for m functions of n variables.

    value (m + m n,) holds the functions and then their Jacobian row-major. step (n + 1,) receives the step and the
    largest size of a function. The damping fades with the residual, so convergence stays quadratic at regular zeros
    and steps stay tame at singular ones; a lane without a step gets NaN.
    """
    key = cache.key("local step", f"{m} {n}", "\0".join(host()), llvm_version())
    code = cache.load(key)
    if code is None:
        code = object_code(_text(m, n))
        cache.store(key, code)
    with _lock:
        _alive.append(Code(code, ("kernel",)))
        return _alive[-1].address["kernel"]


def _text(m: int, n: int) -> str:
    module = Module(rounding="nearest")
    L = module.lanes()
    f = [L.load("%value", i) for i in range(m)]
    d = [[L.load("%value", m + n * i + j) for j in range(n)] for i in range(m)]
    residual, right = L.abs(f[0]), []
    for x in f[1:]:
        residual = L.max(L.abs(x), residual)
    a: list[list[str]] = []
    largest = L.const(0.0)
    for j in range(n):
        row = []
        for k in range(j + 1):
            total = L.mul(d[0][j], d[0][k])
            for i in range(1, m):
                total = L.fma(d[i][j], d[i][k], total)
            row.append(total)
        a.append(row)
        largest = L.max(row[j], largest)
        total = L.mul(d[0][j], f[0])
        for i in range(1, m):
            total = L.fma(d[i][j], f[i], total)
        right.append(L.neg(total))
    damping = L.mul(largest, L.add(L.const(_LEAST), L.min(L.mul(residual, residual), L.const(_DAMPING))))
    for j in range(n):
        a[j][j] = L.add(a[j][j], damping)
    # A = L D L^T without exchanges, which is stable for a positive definite matrix; a[j][k] for k < j becomes L.
    inverse = []
    for j in range(n):
        scaled = []
        for k in range(j):
            total = a[j][k]
            for i in range(k):
                total = L.fma(L.neg(scaled[i]), a[k][i], total)
            scaled.append(total)
            a[j][k] = L.mul(total, inverse[k])
        pivot = a[j][j]
        for k in range(j):
            pivot = L.fma(L.neg(scaled[k]), a[j][k], pivot)
        inverse.append(L.div(L.const(1.0), pivot))
    for j in range(n):
        for k in range(j):
            right[j] = L.fma(L.neg(a[j][k]), right[k], right[j])
    right = [L.mul(x, inverse[j]) for j, x in enumerate(right)]
    for j in range(n - 1, -1, -1):
        for k in range(j + 1, n):
            right[j] = L.fma(L.neg(a[k][j]), right[k], right[j])
    for j in range(n):
        L.store("%step", j, right[j])
    L.store("%step", n, residual)
    body = "\n".join(L.lines)
    module.add("body", f"define internal void @body(ptr noalias %value, ptr noalias %step) #2 {{\n{body}\n  ret void\n}}")
    add_entry(module, "kernel", "body", "ptr %value, ptr %step", "ptr %value, ptr %step")
    return module.text()
