"""Contacts and tangent planes of two polyhedra (Vanecek 1990)."""
