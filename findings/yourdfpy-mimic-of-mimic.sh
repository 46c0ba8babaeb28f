#!/usr/bin/env bash
# yourdfpy 0.0.60: a joint that mimics a joint that mimics a third one does not move.
#
# Input: a chain of three continuous joints about z: a; b = 2 a; c = 3 b. The format lets a joint
# mimic any existing joint.
# Expected: with a = 0.1 the links are turned by 0.1, 0.1 + 0.2 = 0.3 and 0.3 + 0.6 = 0.9 rad.
# Seen: 0.1, 0.3, 0.3. A line of the log, "will assume (0.0 + offset)", says so while loading.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps yourdfpy==0.0.60 trimesh==5.2.0 numpy==2.4.6 \
    lxml==6.1.3 six==1.17.0 networkx==3.6.1

cat > "$folder/show.py" <<'PYTHON'
import math
import sys
from importlib.metadata import version

import yourdfpy

JOINT = '<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{2}"/><axis xyz="0 0 1"/>{3}</joint>'
links = "".join(f'<link name="l{k}"/>' for k in range(4))
joints = [("a", "l0", "l1", ""), ("b", "l1", "l2", '<mimic joint="a" multiplier="2"/>'),
          ("c", "l2", "l3", '<mimic joint="b" multiplier="3"/>')]
with open("robot.urdf", "w") as file:
    file.write(f'<robot name="r">{links}{"".join(JOINT.format(*j) for j in joints)}</robot>')
robot = yourdfpy.URDF.load("robot.urdf")
robot.update_cfg({"a": 0.1})
poses = [robot.get_transform(f"l{k}", "l0") for k in (1, 2, 3)]
angles = [round(math.atan2(pose[1, 0], pose[0, 0]), 9) for pose in poses]
print("yourdfpy", version("yourdfpy"), "angles of the links:", angles, "expected [0.1, 0.3, 0.9]")
sys.exit(0 if version("yourdfpy") == "0.0.60" and angles == [0.1, 0.3, 0.3] else 1)
PYTHON
cd "$folder" && venv/bin/python show.py
