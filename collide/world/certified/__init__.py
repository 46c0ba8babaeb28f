"""Certified runs: states are enclosures of any precision, and every event is a theorem about the exact initial value problem.

    obstacles ─► roots ─► hits ──────────────────────────────┐
    graphs ─► systems ─► contacts ───────────────────────────┤
    polyhedra ─► forms ─► features ─► closing ─► pieces ─────┴─► asking ─► responses ─► simulation
    tumbling ─► flights ─► bodies

- `enclosures`: Arb's balls (python-flint) for exact numbers, vectors of them, and doubles that enclose them
- `graphs`: formulas over balls
- `flights`: parabolas, and how balls and tops turn
- `tumbling`: how others do, by validated Taylor series
- `bodies`: exact mass properties; a flight as a body of a query, whose intervals hold its numbers
- `obstacles`: what the centre of a ball is measured against: points, lines, planes, and other balls
- `roots`: when a polynomial of the time first falls through zero, with proof
- `hits`: of balls, with such polynomials
- `polyhedra`, `forms`: flat faces, exactly: the hull of their corners, and what of that is theirs; and where flights take it
- `features`, `closing`: planes between convex bodies that move with their faces, edges or corners; and how one after the other tells when
  they first touch; `pieces`: the same of bodies that are not convex, by their faces
- `systems`: the equations of a contact over balls, and that they have one zero in a box
- `contacts`: of all other bodies: a search excludes what comes before, and a system tells when and where it is; and that bodies part
- `asking`: when a pair touches next
- `responses`: Newton's restitution
- `simulation`: which hit comes first; with more digits where these do not suffice to tell
"""
