"""Random assemblies against dense sampling, ``python -m tests.sampled``: combined bodies of up to 40 leaves, arms, mixed scenes.

Every body is drawn twice: as one of the package, and as a function of NumPy that is negative inside, which knows nothing of its formulas.
Distances of simpler pairs are compared with roots in forty digits (`roots`).
"""
