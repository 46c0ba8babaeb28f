"""Problems (objective, equations, inequalities, domain) and the search that solves many of them on one queue.

`problem` holds one, `prepare` gives it kernels and lists; `search` holds the state of a search, `drive` runs it within a budget, `progress`
shows how far it is. The loop over boxes is `native`. `paving` covers a set with boxes, level by level. `feasible_points` looks for
points that satisfy constraints.
"""
