#!/usr/bin/env bash
# Open CASCADE 8.0.1 (cadquery-ocp-novtk 8.0.1.1.0): a shell with a missing face has a "volume", and not a telling one.
#
# Input: five of the six faces of a 2 x 2 x 2 box, sewn to a shell.
# Expected: a refusal, or a value that depends on the face that is missing, as sums over faces of a divergence integral do.
# Seen: 6.4 (of 8), whichever face is missing, without a word. A reader that takes a positive volume for closedness is misled.
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check cadquery-ocp-novtk==8.0.1.1.0
cat > "$folder/try.py" <<'PY'
from OCP.BRepBuilderAPI import BRepBuilderAPI_Sewing
from OCP.BRepGProp import BRepGProp
from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox
from OCP.GProp import GProp_GProps
from OCP.TopAbs import TopAbs_FACE
from OCP.TopExp import TopExp_Explorer

faces, explorer = [], TopExp_Explorer(BRepPrimAPI_MakeBox(2, 2, 2).Shape(), TopAbs_FACE)
while explorer.More():
    faces.append(explorer.Current())
    explorer.Next()
for missing in range(6):
    sewing = BRepBuilderAPI_Sewing()
    for k, face in enumerate(faces):
        if k != missing:
            sewing.Add(face)
    sewing.Perform()
    properties = GProp_GProps()
    BRepGProp.VolumeProperties_s(sewing.SewedShape(), properties)
    print(f"without face {missing}: {properties.Mass():.12g}")
    assert abs(properties.Mass() - 6.4) < 1e-9, "an open shell has another volume now"
PY
"$folder/venv/bin/python" "$folder/try.py"
