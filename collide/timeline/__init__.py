"""The time span in stages: what is searched when, what is known of it, and where formulas change.

`scene` holds the bodies and what of them must be searched, `features` goes from faces to edges and vertices. `jumps` and `crossings` look
at jumps, kinks and ends of motions, `stalls` at what rests or touches; `evidence` is what a search found.
"""
