"""The checker of logs of proofs: three files that import nothing but Python's standard library, python-flint (Arb) and each other.

`formulas` reads formulas and encloses them with their derivatives, `rules` are the few ways in which a step may follow, `check` goes
through a log and says which theorem it proves. Copied to another place, they check logs there.
"""
