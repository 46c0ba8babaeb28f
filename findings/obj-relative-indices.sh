#!/usr/bin/env bash
# meshio 5.3.5 and trimesh 5.2.0 give OBJ faces with negative indices other corners than the file says, in two different ways.
#
# Input: a tetrahedron with legs 1, 2, 3 (volume 1), once with all vertices first (and one before them that no face uses), once with each
# face after its own three vertices.
# Expected: -1 is the vertex listed last before the face, -2 the one before it, as the format says: volume 1 from both files.
# Seen: meshio is one too low: -1 becomes -2, the last but one in NumPy, so faces have other corners. trimesh reads the first file; in the
# second it counts from the end of the file, so all four faces are the last one. No word from either. For trimesh this is known: issue 2364
# of its repository.
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check meshio==5.3.5 trimesh==5.2.0 numpy==2.4.6
cat > "$folder/try.py" <<'PY'
import os
import sys

import meshio
import numpy as np
import trimesh

os.chdir(sys.argv[1])
CORNERS, FACES = [(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]


def vertex(k):
    return "v {} {} {}\n".format(*CORNERS[k])


with open("first.obj", "w") as file:
    file.write("v 9 9 9\n" + "".join(map(vertex, range(4))) + "".join("f {} {} {}\n".format(*(c - 4 for c in face)) for face in FACES))
with open("turns.obj", "w") as file:
    file.write("".join("".join(map(vertex, face)) + "f -3 -2 -1\n" for face in FACES))
print("meshio", meshio.__version__, "trimesh", trimesh.__version__, "expected 6 * volume: 6")
found = {}
for name in ("first.obj", "turns.obj"):
    mesh, other = meshio.read(name), trimesh.load_mesh(name, process=False)
    corners = np.asarray(mesh.points)[mesh.cells_dict["triangle"]]
    found[name] = [round(float(np.linalg.det(c).sum()), 9) for c in (corners, other.vertices[other.faces])]
    print(name, "meshio", found[name][0], mesh.cells_dict["triangle"].tolist(), "| trimesh", found[name][1], other.faces.tolist())
assert found["first.obj"][0] != 6 and found["first.obj"][1] == 6 and 6 not in found["turns.obj"], "a reader is right now"
PY
"$folder/venv/bin/python" "$folder/try.py" "$folder"
