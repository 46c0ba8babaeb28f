"""Enclosed trajectories of bodies."""
