"""Formulas compiled into rigorous SIMD inclusion functions.

    SymPy ─► from_sympy ─► Expr graph ─► autodiff ─► lower ─► LLVM ─► Kernel

`compile` is the way in; `Kernel` says what a kernel offers and guarantees. Where to look for

- graphs: `expr`, and `evaluate`, which says what they mean; `from_sympy` and `sympy_rules`; `autodiff`, `taylor`, `meanvalue`; what is
  known of formulas: `domain`, `signs`, `polynomials`; numbers as parameters: `family`; integrals and inverses: `operators`, `binders`,
  `quadrature`
- code: `lanes` (rounding and SIMD), `elementary` (the functions), `operations`, `translate`, `lower`, `batch`; `native`, `linked`, `cache`;
  what is interpreted before it is compiled: `tiers`, `program`, `instructions`
- systems of equations: `linear` and the modules it names, `backward`, `local_step`
- bounds of the time of contact: `directions` for any bodies, `separable_directions` and `composed_directions` for those whose shapes
  and motions are found apart by `separation` and `composition`; what these share: `polynomial_models`, `direction_trials`, `time_advance`
- native search loops: `loops`
- the slow referee that kernels are tested against: `reference`, `directed`
"""

from .interval import Interval
from .kernel import Kernel, compile

__all__ = ["Interval", "Kernel", "compile"]
