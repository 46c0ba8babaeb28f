"""The program that makes the tables of `codegen.emit.elementary.tabled`, with Arb.

``python -m tests.special_tables`` writes the file anew; names make only these tables.
"""
