#!/usr/bin/env bash
# SciPy 1.17.1: Rotation.apply refuses read-only arrays of vectors, although it only reads them.
#
# Input: a (1, 3) array whose flag writeable is False, as np.broadcast_to, memory maps and values that freeze their arrays give it.
# Expected: the rotated vectors, as for a copy of the array.
# Seen: ValueError, buffer source array is read-only. Other functions of SciPy and NumPy (norm, einsum, ConvexHull) take the array.
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check scipy==1.17.1 numpy==2.4.6
cat > "$folder/try.py" <<'PY'
import numpy as np
import scipy
from scipy.spatial.transform import Rotation

vectors = np.array([[1.0, 0, 0]])
turn = Rotation.from_rotvec([0, 0, np.pi / 2])
print("scipy", scipy.__version__, "a writable array:", turn.apply(vectors).round(12).tolist())
vectors.flags.writeable = False
assert np.linalg.norm(vectors) == 1
try:
    turn.apply(vectors)
except ValueError as error:
    print("the same array, read-only:", error)
else:
    raise SystemExit("read-only arrays are taken now")
PY
"$folder/venv/bin/python" "$folder/try.py"
