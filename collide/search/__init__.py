"""The search engine: one native loop over boxes of many problems.

`loop` takes boxes from `queue`; `march` moves their time forward, or `contraction` narrows them; `split` says what becomes
of them. `sample` starts local solves (`local_solve`, `descend`), `prove` turns what these find into theorems, `solutions`
keeps those and lowers the bound of the time, `walk` spreads samples over curves and surfaces of contacts (`tangents`), and
`thinning` drops boxes near them, which `manifolds` tells from those that may hold isolated contacts. All of them
share one memory: `layout` names its arrays, `memory` makes it.

The loop rounds to nearest and decides only what may be decided freely. What is claimed rests on kernels, which round outwards.
"""
