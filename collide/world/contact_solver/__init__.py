"""Impulses and forces under Coulomb's law."""
