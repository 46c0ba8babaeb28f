"""Constructs that SymPy users write, in groups: `constructs.txt`, read."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import sympy as sp
import sympy.codegen.cfunctions
import sympy.combinatorics
import sympy.functions.elementary.complexes
import sympy.stats
import sympy.vector
from sympy.functions.special.elliptic_integrals import elliptic_pi
from sympy.physics.units import degree, meter

from codegen.functions import Chebyshev, SphericalBesselQuotient
from codegen.operators import Inverse

LIST = Path(__file__).with_name("constructs.txt")
x, y, t = sp.symbols("x y t", real=True)


class Construct(NamedTuple):
    """`lo`, `hi`: where boxes are drawn, for each variable. `remark`: where the figures need a word."""

    group: str
    text: str
    lo: float
    hi: float
    remark: str

    @property
    def formula(self) -> Any:
        return eval(self.text, namespace())


def constructs() -> Iterator[Construct]:
    """All lines of the list."""
    group = ""
    for line in LIST.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            group = line[3:]
        elif line and not line.startswith("#"):
            text, ends, *remark = (part.strip() for part in line.split(" ; "))
            lo, hi = (float(end) for end in ends.split(","))
            yield Construct(group, text, lo, hi, *(remark or [""]))


@cache
def namespace() -> dict[str, Any]:
    """Names that a construct may use: SymPy's, and those of its parts that it does not export."""
    names: dict[str, Any] = {}
    exec("from sympy import *", names)
    cfunctions = sp.codegen.cfunctions
    names.update({name: getattr(cfunctions, name) for name in ("log2", "log10", "exp2", "expm1", "log1p", "fma", "hypot", "Cbrt", "Sqrt")})
    names.update({name: getattr(sp.stats, name) for name in ("density", "cdf", "Normal", "StudentT", "Cauchy")})
    names["GammaDistribution"] = sp.stats.Gamma
    names.update(x=x, y=y, t=t, n=sp.Symbol("n", integer=True, positive=True), k=sp.Symbol("k", integer=True), w=sp.Symbol("w"),
                 f=sp.Function("f"), N=sp.vector.CoordSys3D("N"), meter=meter, degree=degree, MatrixInverse=sp.Inverse, Inverse=Inverse,
                 Chebyshev=Chebyshev, SphericalBesselQuotient=SphericalBesselQuotient, elliptic_pi=elliptic_pi)  # fmt: skip
    return names
