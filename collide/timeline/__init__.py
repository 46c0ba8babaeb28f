"""The time span in stages: what is searched when, what is known of it, and where formulas change.

`stages` goes through the span, `along` from knot to knot of recorded motions (`course`); `examine` searches one stretch of it. `scene`
holds the bodies and how they begin, `approaching` which of their parts must be searched (`near_triangles` and `near_parts` as far in time
as it is asked for), `situated` the equations of two of them; `features` goes from faces to edges and vertices. `jumps` and `kinks` find
where formulas change, `at_jump` looks at such a moment. `evidence` is what a search tells, `crossings` the second kind of proof, `stalls`
says why a search stops before its end, as where bodies rest or touch.
"""
