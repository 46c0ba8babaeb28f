"""Validated solutions of ordinary differential equations, by Taylor's series: `solve` makes the `Table` of a `Flow`.

In this order: `series` (the formulas of a step, as kernels), `march` and `march_loop` (from step to step, with their parts `march_columns`,
`march_states` and `march_cells`), `cells` (the table of all steps), `merged` (boxes of starts, by their parts), `crossed` (kinks in time).
"""

from . import march as _march  # noqa: F401  (registers the solver)
