"""From LLVM text, or from Python loops, to machine code, and calls of it.

`native` compiles, `cache` keeps machine code on disk, `linked` joins pieces of code, `straight_line` holds small kernels by name. `loops`,
`loop_memory` and `loop_values` compile a subset of Python for native search loops, whose memory `structures` describes and `memory` holds;
`loop_runtime` loads them with all that they call. `tiers` decides what is interpreted (`bytecode`, `recording`, `interpreter`) and what is
compiled in the background, by `compiler` with its `compiler_process`; so is what is `waited` for, so that the wait can end.
`records` lays out tables shared by loops and kernels.
"""
