#!/usr/bin/env bash
# trimesh 5.2.0: a mesh in inches is written to 3MF as one in millimetres, with the same numbers.
#
# Input: a box of 1 x 2 x 3 whose units are set to inches.
# Expected: a 3MF file with the attribute unit=inch, which the format has, or numbers that are 25.4
# times as large.
# Seen: unit=millimeter and the numbers 1 x 2 x 3, so the part comes back 25.4 times too small.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check trimesh==5.2.0 numpy==2.4.6 networkx==3.6.1 lxml==6.0.2

cat > "$folder/show.py" <<'PYTHON'
import re
import sys
import zipfile

import trimesh

box = trimesh.creation.box((1, 2, 3))
box.units = "inches"
box.export("box.3mf")
with zipfile.ZipFile("box.3mf") as archive:
    model = next(archive.read(name).decode() for name in archive.namelist() if name.endswith(".model"))
unit = re.search(r'unit="(\w+)"', model)[1]
read = trimesh.load_mesh("box.3mf")
print("trimesh", trimesh.__version__, "unit in the file:", unit, "; read back:", read.extents.tolist(), read.units)
same = read.extents.round(9).tolist() == [1.0, 2.0, 3.0]
sys.exit(0 if trimesh.__version__ == "5.2.0" and unit == "millimeter" and same else 1)
PYTHON
cd "$folder" && venv/bin/python show.py
