"""Two cells as equations and inequalities (Snyder 1993, Sections 2 and 3.2, Appendix A).

`contact` writes a situation; on an expression graph `frame`, `place` and `placed_implicit` write where points are. `presence`: which
edges and vertices of combined implicit bodies exist; `part_nearby`: which of their leaves matter near a part, `part_margin`: one function
of points that tells where it is on the body, and `part_kind` what parts have in common that differ in numbers alone (`quadrics`,
`carriers`: the leaves in numbers, and what carries them all). `tracking`: contacts that are known already (Equation 7). `distance`: the
least distance instead, and `touch`, where that is nearly 0.
"""
