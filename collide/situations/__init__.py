"""Two cells as equations and inequalities (Snyder 1993, Sections 2 and 3.2, Appendix A).

`contact` writes a situation; on an expression graph `frame`, `place` and `placed_implicit` write where points are. `presence`: which
edges and vertices of combined implicit bodies exist; `part_nearby`: which of their leaves matter near a part, and `part_kind` what
parts have in common that differ in numbers alone. `tracking`: contacts that are known already (Equation 7). `distance`: the least distance
instead, and `touch`, where that is nearly 0.
"""
