#!/usr/bin/env bash
# trimesh 5.2.0: faces of OBJ and PLY files with a notch are filled as if they had none.
#
# Input: an L-shaped prism of height 1, an OBJ file whose two ends are faces of six corners, as CAD
# programs and Blender write them.
# Expected: triangles that cover the ends once, a surface of area 14 (two ends of 3, walls of 8
# around), and the notch left open.
# Seen: each face is cut into a fan from its first corner, which reaches across the notch: area 15.
# Volume and watertightness look right.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check trimesh==5.2.0 numpy==2.4.6

cat > "$folder/show.py" <<'PYTHON'
import sys

import trimesh

outline = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
lines = [f"v {x} {y} {z}" for z in (0, 1) for x, y in outline] + ["f 6 5 4 3 2 1", "f 7 8 9 10 11 12"]
lines += [f"f {k + 1} {(k + 1) % 6 + 1} {(k + 1) % 6 + 7} {k + 7}" for k in range(6)]
with open("ell.obj", "w") as file:
    file.write("\n".join(lines) + "\n")
mesh = trimesh.load_mesh("ell.obj")
print("trimesh", trimesh.__version__, "area", mesh.area, "volume", mesh.volume, "watertight", mesh.is_watertight, "expected area 14")
sys.exit(0 if trimesh.__version__ == "5.2.0" and abs(mesh.area - 15) < 1e-9 else 1)
PYTHON
cd "$folder" && venv/bin/python show.py
