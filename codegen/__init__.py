"""Formulas compiled into rigorous SIMD inclusion functions.

    SymPy ─► from_sympy ─► Expr graph ─► autodiff ─► lower ─► LLVM ─► Kernel

`compile` is the way in; `Kernel` says what a kernel offers and guarantees.
"""

from .interval import Interval
from .kernel import Kernel, compile

__all__ = ["Interval", "Kernel", "compile"]
