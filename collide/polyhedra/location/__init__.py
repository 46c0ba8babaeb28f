"""The index of a polyhedron: points and segments against it (Vanecek 1990)."""
