"""Culling: pairs of cells that can meet, and their windows of time (Snyder 1993, Sections 6 and 7).

`broad_phase` sweeps boxes through time (`sweep`); `approach` and its native loop bound the windows of pairs by how fast they come near each
other. `boxes_apart` bounds distances by boxes, `turned_boxes` in a frame along the direction in which bodies are nearest.
"""
