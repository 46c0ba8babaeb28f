#!/usr/bin/env bash
# Open CASCADE 8.0.1 (cadquery-ocp-novtk 8.0.1.1.0): points on the axis of a cone, well below its tip, are classified as outside.
#
# Input: the solid cone of radius 1 and height 2; points on its axis, and points beside them by 1/1000.
# Expected: BRepClass3d_SolidClassifier says IN for all of them: at height 1.8 the cone still has a radius of 0.1.
# Seen: on the axis OUT from 1.8 on, a tenth of the height below the tip; IN for the points beside.
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check cadquery-ocp-novtk==8.0.1.1.0
cat > "$folder/try.py" <<'PY'
from OCP.BRepClass3d import BRepClass3d_SolidClassifier
from OCP.BRepPrimAPI import BRepPrimAPI_MakeCone
from OCP.gp import gp_Pnt
from OCP.TopAbs import TopAbs_IN, TopAbs_OUT

cone = BRepPrimAPI_MakeCone(1, 0, 2).Shape()
state = {(x, z): BRepClass3d_SolidClassifier(cone, gp_Pnt(x, 0, z), 1e-7).State() for x in (0, 1e-3) for z in (1.5, 1.7, 1.8, 1.9, 1.95)}
for (x, z), kind in state.items():
    print(f"({x}, 0, {z}): radius there {1 - z / 2:.3f}, {kind}")
assert all(state[1e-3, z] == TopAbs_IN for z in (1.5, 1.7, 1.8, 1.9, 1.95)) and state[0, 1.7] == TopAbs_IN
assert state[0, 1.8] == state[0, 1.9] == state[0, 1.95] == TopAbs_OUT, "points on the axis are inside now"
PY
"$folder/venv/bin/python" "$folder/try.py"
