"""Trajectories, and bodies that have one."""
