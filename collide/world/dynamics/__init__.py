"""Equations of motion with constraints, and the guards that end a motion in contact."""
