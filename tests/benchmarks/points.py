"""Every function of one variable at points, beside NumPy and SciPy, in one run: ns a point with all the processor has, and with AVX2 alone.

Points are spread over a range in which people use the function, so that choices within it are met in random order.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

import codegen

from .kernels import NARROW
from .timing import fresh, interleaved, table

ROWS = 30_000
Peer = Callable[[np.ndarray], np.ndarray]


def functions() -> dict[str, tuple[Callable[[Any], Any], Peer, tuple[float, float]]]:
    """The formula, the peer, and the range of the points."""
    from scipy import special as s

    plain = {
        "sqrt": (np.sqrt, (0.2, 9.0)), "exp": (np.exp, (-5.0, 5.0)), "log": (np.log, (0.2, 9.0)), "sin": (np.sin, (-5.0, 5.0)),
        "cos": (np.cos, (-5.0, 5.0)), "tan": (np.tan, (-5.0, 5.0)), "asin": (np.arcsin, (-1.0, 1.0)), "acos": (np.arccos, (-1.0, 1.0)),
        "atan": (np.arctan, (-5.0, 5.0)), "sinh": (np.sinh, (-5.0, 5.0)), "cosh": (np.cosh, (-5.0, 5.0)), "tanh": (np.tanh, (-5.0, 5.0)),
        "asinh": (np.arcsinh, (-5.0, 5.0)), "acosh": (np.arccosh, (1.1, 9.0)), "atanh": (np.arctanh, (-0.99, 0.99)),
        "erf": (s.erf, (-3.0, 3.0)), "erfc": (s.erfc, (-3.0, 9.0)), "gamma": (s.gamma, (0.2, 20.0)), "loggamma": (s.gammaln, (0.2, 20.0)),
        "digamma": (s.psi, (0.2, 20.0)), "Si": (lambda a: s.sici(a)[0], (0.2, 20.0)), "Ci": (lambda a: s.sici(a)[1], (0.2, 20.0)),
        "Shi": (lambda a: s.shichi(a)[0], (0.2, 20.0)), "Chi": (lambda a: s.shichi(a)[1], (0.2, 20.0)), "Ei": (s.expi, (0.2, 20.0)),
        "fresnels": (lambda a: s.fresnel(a)[0], (0.2, 5.0)), "fresnelc": (lambda a: s.fresnel(a)[1], (0.2, 5.0)),
        "LambertW": (lambda a: s.lambertw(a).real, (0.2, 20.0)), "erfinv": (s.erfinv, (-0.99, 0.99)), "elliptic_k": (s.ellipk, (0.0, 0.99)),
        "elliptic_e": (s.ellipe, (0.0, 0.99)), "airyai": (lambda a: s.airy(a)[0], (-5.0, 5.0)),
        "airybi": (lambda a: s.airy(a)[2], (-5.0, 5.0)),
        "zeta": (s.zeta, (1.1, 20.0)), "sinc": (lambda a: np.sinc(a / np.pi), (-5.0, 5.0)), "floor": (np.floor, (-5.0, 5.0)),
        "Abs": (np.abs, (-5.0, 5.0)), "sign": (np.sign, (-5.0, 5.0)),
    }  # fmt: skip
    found: dict[str, Any] = {name: (getattr(sp, name), *rest) for name, rest in plain.items()}
    for n, (peer, kind) in {0: (s.j0, "j"), 1: (s.j1, "j"), 2: (lambda a: s.jv(2, a), "j")}.items():
        found[f"bessel{kind}({n})"] = (lambda x, n=n: sp.besselj(n, x)), peer, (0.2, 20.0)
    for kind, peers in {"y": (s.y0, s.y1), "i": (s.i0, s.i1), "k": (s.k0, s.k1)}.items():
        for n, peer in enumerate(peers):
            found[f"bessel{kind}({n})"] = (lambda x, n=n, kind=kind: getattr(sp, f"bessel{kind}")(n, x)), peer, (0.2, 20.0)
    found["E1"] = (lambda x: sp.expint(1, x)), s.exp1, (0.2, 20.0)
    found["polygamma(1)"] = (lambda x: sp.polygamma(1, x)), (lambda a: s.polygamma(1, a)), (0.2, 20.0)
    found["polylog(2)"] = (lambda x: sp.polylog(2, x)), (lambda a: s.spence(1 - a)), (-0.99, 0.99)
    found["x**3"] = (lambda x: x**3), (lambda a: a**3), (0.2, 9.0)
    found["x**2.5"] = (lambda x: x ** sp.Rational(5, 2)), (lambda a: a**2.5), (0.2, 9.0)
    found["x**pi"] = (lambda x: x**sp.pi), (lambda a: a**np.pi), (0.2, 9.0)
    found["cbrt"] = (lambda x: sp.cbrt(x)), np.cbrt, (0.2, 9.0)
    found["expm1"] = (lambda x: sp.exp(x) - 1), np.expm1, (-1.0, 1.0)
    found["log1p"] = (lambda x: sp.log(1 + x)), np.log1p, (-0.5, 5.0)
    return found


def _points(name: str) -> np.ndarray:
    return np.random.default_rng(1).uniform(*functions()[name][2], (ROWS, 1))


def peers(names: list[str]) -> dict[str, Callable[[], Any]]:
    """Calls of NumPy and SciPy."""
    found = functions()
    return {name: lambda f=found[name][1], at=_points(name)[:, 0].copy(): f(at) for name in names}


def narrow_peers(names: list[str]) -> list[float]:
    """Seconds of the same without AVX-512, which NumPy is told as it starts."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    wide = " ".join(f for f in __cpu_dispatch__ if __cpu_features__[f] and (f == "X86_V4" or f.startswith("AVX512")))
    code = f"from tests.benchmarks import points, timing; print(*timing.interleaved(points.peers({names!r}), 5, 4).values())"
    return fresh(code, NPY_DISABLE_CPU_FEATURES=wide)


def compare(names: list[str] | None = None) -> None:
    """Print the table, the slowest first; `names` of functions, all of them if there are none."""
    x, chosen = sp.Symbol("x", real=True), names or list(functions())
    contenders = {f"{name} peer": call for name, call in peers(chosen).items()}
    for name in chosen:
        at = _points(name)
        for cpu in (None, NARROW):
            kernel = codegen.compile(functions()[name][0](x), [x], cpu=cpu)
            contenders[f"{name} {cpu}"] = lambda k=kernel, at=at: k.points(at)
        ours, theirs = contenders[f"{name} None"]()[:, 0], contenders[f"{name} peer"]()
        assert np.allclose(ours, theirs, rtol=1e-9, atol=1e-12), (name, np.abs(ours - theirs).max())
    ns = {name: seconds * 1e9 / ROWS for name, seconds in interleaved(contenders, 5, 4).items()}
    narrow = [seconds * 1e9 / ROWS for seconds in narrow_peers(chosen)]
    rows = [[name, a := ns[f"{name} None"], b := ns[f"{name} peer"], a / b, c := ns[f"{name} {NARROW}"], d, c / d]
            for name, d in zip(chosen, narrow, strict=True)]
    table(f"Functions at points, ns a point of {ROWS}, beside NumPy or SciPy; the last three columns with AVX2 alone, both",
          ["", "ours", "peer", "ours/peer", "ours, AVX2", "peer, AVX2", "ours/peer"], sorted(rows, key=lambda row: -row[3]))


def main() -> None:
    compare()
