"""Margins for rounding, by which boxes, spheres and distances of bodies are wider than computed."""

# Boxes and distances are widened by so much of what they are computed from: some hundred roundings. Norms are taken to be so much greater.
ROUNDINGS, WIDER = 1e-13, 1.0 + 1e-6
