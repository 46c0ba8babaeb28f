"""The native loop over boxes of many problems.

`loop` takes boxes from `queue`; `conservative_advancement` moves their time forward (by `body_trees` and `node_pairs`, with a look at
`ranges`), or `contraction` and `cid` narrow them; `split` says what becomes of them. `sample` starts local solves (`local_solve`, `kkt`),
`prove` turns what these find into theorems, `solutions` keeps those and lowers the bound of the time, `continuation` spreads samples over
curves and surfaces of contacts (`tangents`), and `thinning` drops boxes near them, which `manifolds` tells from those that may hold
isolated contacts; `crossings_beside` proves the time where contacts cannot be proved themselves. All of them share one memory: `layout`
names its arrays, `memory` makes it.

The loop rounds to nearest and decides only what may be decided freely. What is claimed rests on kernels, which round outwards.
"""
