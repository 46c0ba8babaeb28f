#!/usr/bin/env bash
# trimesh 5.2.0: STL text is not read if the name of the solid contains the word vertex.
#
# Input: a tetrahedron as STL text, once called part, once called vertex_part. The name is free in the
# format.
# Expected: the same mesh of volume 1/6 from both.
# Seen: the second one raises ValueError, string or file could not be read to its end due to unmatched
# data: the text is split at every vertex, wherever it stands.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check trimesh==5.2.0 numpy==2.4.6

cat > "$folder/show.py" <<'PYTHON'
import sys

import trimesh

corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
found = {}
for name in ("part", "vertex_part"):
    lines = [f"solid {name}"]
    for face in faces:
        lines += ["facet normal 0 0 0", "outer loop", *("vertex {} {} {}".format(*corners[c]) for c in face), "endloop", "endfacet"]
    with open(f"{name}.stl", "w") as file:
        file.write("\n".join([*lines, f"endsolid {name}"]) + "\n")
    try:
        found[name] = str(round(float(trimesh.load_mesh(f"{name}.stl").volume), 6))
    except ValueError as error:
        found[name] = f"ValueError: {error}"
print("trimesh", trimesh.__version__, found)
sys.exit(0 if trimesh.__version__ == "5.2.0" and found["part"] == "0.166667" and found["vertex_part"].startswith("ValueError") else 1)
PYTHON
cd "$folder" && venv/bin/python show.py
