"""Certified runs: states are enclosures of any precision, and every event is a theorem about the exact initial value problem.

    arithmetic ─► motion ─► narrow_phase ─► next_contact ─► restitution ─► loop

- `arithmetic`: `enclosures` (Arb's balls for exact numbers, python-flint), `jets` (formulas over balls), `first_root` (first time at which
  a polynomial falls through zero), `krawczyk` (equations of a contact, and that they have one zero in a box)
- `motion`: `ballistic` (parabolas, and rotations of balls and tops), `tumbling` (all other rotations, by validated Taylor series), `body`
  (exact mass properties; a flight as a body of a query, whose intervals hold its numbers)
- `narrow_phase`: `sphere_obstacles` and `spheres` (centres of balls against points, lines, planes and balls, by polynomials); `polyhedron`
  and `facets` (flat faces, exactly), `separating_axes` and `conservative_advancement` (planes between convex bodies, one after the other,
  until they touch), `convex_pieces` (the same for bodies that are not convex); `search` (all other bodies: a search excludes earlier
  contacts, and a system of equations locates the first)
- `next_contact`: the next contact of a pair
- `restitution`: Newton's law of restitution
- `loop`: the order of the hits; with more digits where these do not suffice to tell
"""
