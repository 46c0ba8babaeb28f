"""Times of impact of pairs: closed forms, planes, trees, search.

- `time_of_impact`: the interface of a provider, and all five; `pair_batch`: the pairs that one is asked for at once, and its answers
- `separating_planes`: two bodies of flat faces, by planes between them
- `spheres`, `sphere_gaps`, `support_planes`: balls beside each other or beside flat faces, by signs of polynomials
- `bounding_trees`: any two bodies in flight that have trees of spheres, bounds alone
- `search`: any two bodies; `overlap`: points inside two bodies at the start
- `native`: the loops of planes and trees
"""
