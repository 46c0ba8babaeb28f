#!/usr/bin/env bash
# splipy 1.10.1: a circle that is reversed is no circle any more.
#
# Input: the exact circles of radius 1 that the library makes, of degree 2 and 4, both periodic; and their reverse().
# Expected: the same points in the opposite order, since reversing changes the direction of the parameter alone: all at distance 1 from 0.
# Seen: distances from 1 to 1.414 (degree 2) and from 0.955 to 1.090 (degree 4), and another start. An arc that is not
# periodic stays the same arc.
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check splipy==1.10.1 numpy==2.4.6 scipy==1.17.1
cat > "$folder/try.py" <<'PY'
from importlib.metadata import version

import numpy as np
from splipy import curve_factory


def radii(curve):
    points = np.asarray(curve(np.linspace(curve.start(0), curve.end(0), 400)))
    return np.linalg.norm(points, axis=1)


print("splipy", version("splipy"))
arc = curve_factory.circle_segment(np.pi / 2)
for name, curve in (("degree 2", curve_factory.circle(type="p2C0")), ("degree 4", curve_factory.circle(type="p4C1")), ("arc", arc)):
    before = abs(radii(curve) - 1).max()
    curve.reverse()
    after = radii(curve)
    print(f"{name}: off by {before:.1e} before; radii from {after.min():.4f} to {after.max():.4f} reversed")
    assert before < 1e-12 and (abs(after - 1).max() > 0.05) == (name != "arc"), "the reverse is a circle now"
PY
"$folder/venv/bin/python" "$folder/try.py"
