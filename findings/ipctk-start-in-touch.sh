#!/usr/bin/env bash
# ipctk 1.6.1: a mesh that starts in touch may not move at all, not even apart.
#
# Input: a triangle in the plane z = 0 and one with a vertex in it. The second triangle moves straight up, away from the first.
# Expected: compute_collision_free_stepsize gives 1: after the start there is no contact.
# Seen: 0, with a warning on the console. From 1e-9 above, the same motion gives 1. A solver stops for ever once a contact is exact.
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check ipctk==1.6.1 numpy scipy
cat > "$folder/try.py" <<'PY'
import ipctk
import numpy as np

FACES = np.array([[0, 1, 2], [3, 4, 5]])


def step(height: float, rise: float) -> float:
    start = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.2, height], [1.2, 0.2, 1.0], [0.2, 1.2, 1.0]])
    end = start.copy()
    end[3:, 2] += rise
    return ipctk.compute_collision_free_stepsize(ipctk.CollisionMesh(start, ipctk.edges(FACES), FACES), start, end)


print("in touch, moving apart:", step(0.0, 1.0), "| 1e-9 apart, moving apart:", step(1e-9, 1.0))
assert step(0.0, 1.0) == 0 and step(1e-9, 1.0) == 1, "a start in touch may move apart now"
PY
"$folder/venv/bin/python" "$folder/try.py"
