"""The part of straight paths that the vertices of a mesh may go without contact of the mesh with itself.

- `candidates`: vertices and faces, and pairs of edges, that may meet
- `first_event`: the first time at which any of these meet, exactly
- `crossing_free`: whether an edge goes through a face at one time, exactly
- `kept_distance`: until when candidates are farther from each other than a distance
"""
