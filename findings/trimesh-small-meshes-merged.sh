#!/usr/bin/env bash
# trimesh 5.2.0: a small mesh is read as one point with twelve triangles, without a word.
#
# Input: a cube with an edge of 2e-9, as OBJ, as of a part of some nanometres in metres.
# Expected: eight vertices and a volume of 8e-27, since other shapes are the same at every scale.
# Seen: all vertices within 1e-8 of each other are merged, whatever the size of the mesh: one vertex,
# twelve faces, volume 0. With process=False it is read as it is.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check trimesh==5.2.0 numpy==2.4.6

cat > "$folder/show.py" <<'PYTHON'
import sys

import trimesh

corners = [(x, y, z) for x in (-1e-9, 1e-9) for y in (-1e-9, 1e-9) for z in (-1e-9, 1e-9)]
sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
with open("cube.obj", "w") as file:
    file.write("".join("v {} {} {}\n".format(*p) for p in corners))
    file.write("".join("f " + " ".join(str(c + 1) for c in side) + "\n" for side in sides))
mesh, raw = trimesh.load_mesh("cube.obj"), trimesh.load_mesh("cube.obj", process=False)
print("trimesh", trimesh.__version__, len(mesh.vertices), "vertices", len(mesh.faces), "faces, volume", mesh.volume,
      "; unprocessed", len(raw.vertices), "vertices, volume", raw.volume)
sys.exit(0 if trimesh.__version__ == "5.2.0" and len(mesh.vertices) == 1 and mesh.volume == 0 and len(raw.vertices) == 8 else 1)
PYTHON
cd "$folder" && venv/bin/python show.py
