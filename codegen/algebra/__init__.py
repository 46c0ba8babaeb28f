"""Rounded linear algebra and contractors, as emitted interval code.

`linear` is the way in: Linear_Solve, the interval inverse, Krawczyk (`rows`, `blocks`, `loops`, `operators`). `backward` contracts boxes
through a formula (HC4), and `contraction` through many, joined by and and or, with the rules of `inverses`; `margin` does so through
unions and intersections of quadrics, and is always interpreted. `local_step` is a step of a local solve, in doubles.
"""
