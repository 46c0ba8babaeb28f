"""Formulas compiled into rigorous SIMD inclusion functions.

    SymPy ─► from_sympy ─► graph ─► emit ─► LLVM text ─► machine ─► Kernel

`compile` is the way in; `Kernel` says what a kernel offers and guarantees. `contract` compiles constraints into a `Contractor`, which
narrows boxes. Each folder imports only those before it:

- `graph`: formulas as graphs, their derivatives, and what is known of them; SymPy is read by `from_sympy` with `sympy_rules`
- `reference`: the slow arithmetic that defines what a kernel returns
- `emit`: graphs as LLVM text, the only home of rounding and SIMD width
- `machine`: text, and native loops written in Python, as machine code; what is interpreted until it is compiled
- `algebra`: rounded linear algebra and contractors
- `time_bounds`: before when can two moving points not coincide
- `initial_value`: solutions of differential equations, enclosed step by step, and how far they are `known`
- `hand`: inclusion functions that the user wrote: as functions in formulas, and compared with kernels

`given`: what the user gives, and why no text ever runs. `functions`, `operators` and `solutions` are SymPy functions that SymPy itself has
not; `family` takes the numbers of a graph as parameters; `pattern` is which entries of a sparse Jacobian or Hessian there are.
"""

from . import initial_value as _initial_value  # noqa: F401  (registers the solver of differential equations)
from .contractor import Contractor, contract
from .hand.compare import Comparison, compare
from .hand.primitive import primitive
from .interval import Interval
from .kernel import Kernel, compile

__all__ = ["Comparison", "Contractor", "Interval", "Kernel", "compare", "compile", "contract", "primitive"]
