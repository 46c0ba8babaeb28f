#!/usr/bin/env bash
# trimesh 5.2.0: the axis that points up in a COLLADA file changes nothing, and nothing tells which one it is.
#
# Input: a tetrahedron with legs 1, 2 and 3 along x, y and z, in files that say X_UP, Y_UP and Z_UP.
# Expected: shapes that are turned against each other, or a field beside `units` that holds the axis,
# since a program that joins files of several origins must know it.
# Seen: the same extents 1 x 2 x 3 from all three files, and no trace of the axis in the metadata.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check trimesh==5.2.0 numpy==2.4.6 networkx==3.6.1 pycollada==0.9.3

cat > "$folder/show.py" <<'PYTHON'
import sys

import trimesh

DAE = """<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><created>2020-01-01T00:00:00</created><modified>2020-01-01T00:00:00</modified><up_axis>{}</up_axis></asset>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="12">0 0 0 1 0 0 0 2 0 0 0 3</float_array>
<technique_common><accessor source="#a" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 1 2 3 2 0 3</p></triangles></mesh></geometry>
</library_geometries><library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"/></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"""
seen = []
for axis in ("X_UP", "Y_UP", "Z_UP"):
    with open("part.dae", "w") as file:
        file.write(DAE.format(axis))
    scene = trimesh.load("part.dae")
    told = "UP" in f"{scene.metadata} {[g.metadata for g in scene.geometry.values()]}".upper().replace("UPDATE", "")
    seen.append((axis, scene.to_mesh().extents.tolist(), told))
    print("trimesh", trimesh.__version__, *seen[-1])
same = all(extents == [1.0, 2.0, 3.0] and not told for _, extents, told in seen)
sys.exit(0 if trimesh.__version__ == "5.2.0" and same else 1)
PYTHON
cd "$folder" && venv/bin/python show.py
