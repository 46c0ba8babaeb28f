"""Before when can two moving points not coincide: bounds of the time of contact over boxes, of second order along directions.

`advance` (any bodies) and `separable_advance` (shapes and motions found apart by `separation` and `composition`) are the ways in.
`directions`, `separable` and `composed` emit the bounds, `trials` chooses directions, `step` moves the time on. Models of surfaces and
motions: `polynomial_models`, `tensor_models`, `moving_nets`, `body_models`, `moving_bodies`.
"""
