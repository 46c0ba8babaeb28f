"""The checker of logs of proofs: files that import nothing but Python's standard library, python-flint (Arb) and each other.

In the order of a sceptical reader: `problem` is what a log is about, `formulas` encloses what that is made of, with derivatives, `rules`
are the few ways in which a step may follow, `claims` is what a log says, `check` goes through it and says which theorem it proves, in
`words`; and `text` reads lines, brackets and numbers. Copied to another place, they check logs there.
"""
