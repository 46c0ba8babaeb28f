"""Certified runs: states are enclosures of any precision, and every event is a theorem about the exact initial value problem.

    obstacles ─► roots ─► hits ─► simulation

- `enclosures`: Arb's balls (python-flint) for exact numbers, vectors of them, and doubles that enclose them
- `obstacles`: what the centre of a ball is measured against: points, lines, planes, and other balls
- `roots`: when a polynomial of the time first falls through zero, with proof
- `simulation`: which hit comes first, and what it does; with more digits where these do not suffice to tell
"""
