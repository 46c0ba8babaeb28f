"""Limits of time kept by every public query, whatever it is doing: random budgets, and Ctrl-C at random moments.

`questions` draws random questions of every kind, `asked` asks one in a process of its own, with an empty cache, and measures how much later
than its budget it returns. ``python -m tests.budgets`` prints what returns latest.
"""
