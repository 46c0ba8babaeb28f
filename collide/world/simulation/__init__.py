"""The event queue and the loop of a run."""
