"""Pairs of bodies that come near each other, and until when."""
