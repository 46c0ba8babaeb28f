"""The page on functions: how wide the bounds of each are, against Arb. ``python -m tests.function_table`` writes it."""
