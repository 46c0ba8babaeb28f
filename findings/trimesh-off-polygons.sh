#!/usr/bin/env bash
# trimesh 5.2.0: OFF files with a face of more than four corners raise a TypeError about a NumPy
# function.
#
# Input: a pentagonal prism as OFF, with two faces of five corners and five of four. Faces of any
# number of corners are what OFF is for.
# Expected: a mesh of volume 2.3776, or a sentence that polygons are not read.
# Seen: TypeError, The 'out' kwarg is necessary when using the string multiply ufunc directly. The
# indices are still text there. Faces of three and four corners alone are read.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check trimesh==5.2.0 numpy==2.4.6

cat > "$folder/show.py" <<'PYTHON'
import math
import sys

import trimesh

places = [(math.cos(2 * math.pi * k / 5), math.sin(2 * math.pi * k / 5), z) for z in (0, 1) for k in range(5)]
lines = ["OFF", "10 7 15", *(f"{x!r} {y!r} {z!r}" for x, y, z in places), "5 4 3 2 1 0", "5 5 6 7 8 9"]
lines += [f"4 {k} {(k + 1) % 5} {(k + 1) % 5 + 5} {k + 5}" for k in range(5)]
with open("prism.off", "w") as file:
    file.write("\n".join(lines) + "\n")
try:
    print("trimesh", trimesh.__version__, "volume", trimesh.load_mesh("prism.off").volume)
except TypeError as error:
    print("trimesh", trimesh.__version__, "raised", type(error).__name__, error)
    sys.exit(0 if trimesh.__version__ == "5.2.0" and "string multiply" in str(error) else 1)
sys.exit(1)
PYTHON
cd "$folder" && venv/bin/python show.py
