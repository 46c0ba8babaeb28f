"""The checker of logs of proofs: files that import nothing but Python's standard library, python-flint (Arb) and each other.

`text` reads formulas, `formulas` encloses them with their derivatives, `rules` are the few ways in which a step may follow, `pieces` and
`problem` are what a log is about, `claims` what it says of that, and `check` goes through it and says which theorem it proves. Copied to
another place, they check logs there.
"""
