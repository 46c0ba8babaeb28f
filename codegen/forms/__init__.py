"""Forms of functions other than those they are written in.

`removable`: quotients whose parts vanish together, and sums whose poles cancel. `identities`: functions that have a second form, tighter
somewhere. `ways_out`: what SymPy itself writes for a function. `exact_values`: values at exact numbers, by SymPy. `skeleton`: formulas
without their rational numbers.
"""
