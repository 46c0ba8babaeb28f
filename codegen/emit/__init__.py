"""Graphs written as LLVM text.

`lanes` is the only home of emitted rounding and SIMD width; `elementary` writes the functions on it, `interval_vectors` vectors and
matrices. `dispatch` tells which of them an operation of a graph is; `translate` goes over a graph, `repetition` writes repeated parts
once, `lower` makes whole functions of it, `batch` the loop that takes arrays, `entry` sets the control register. `formula` writes graphs as
parts of functions.
"""

from . import formula as _formula  # noqa: F401  (registers how the formulas of declared functions are written)
