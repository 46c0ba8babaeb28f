"""The slow arithmetic and the interpreter of graphs that define what a kernel returns; kernels are tested against them.

`directed` rounds numbers of any precision in a direction stated; `arithmetic` and `functions` are interval operations on these;
`interpreter` evaluates a graph. `chebyshev_basis` and `spherical_bessel` are the functions of these names.
"""
