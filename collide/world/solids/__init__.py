"""Implicit bodies as solids with known faces and edges."""
