"""Moments of shapes: volume, centre and inertia."""
