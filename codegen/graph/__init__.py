"""Formulas as hash-consed graphs, and what follows from the formula alone.

`expr` holds the graph, `evaluate` says what it means over any arithmetic. Derived graphs: `autodiff`, `taylor`, `meanvalue`, `quadrature`
(integrals as sums of integrands over panels). What is known of a formula: `domain`, `signs`, `polynomials`. `binders`: integrals and
inverses, whose bodies have a variable of their own. `serialize`: a graph as bytes.
"""
