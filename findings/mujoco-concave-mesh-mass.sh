#!/usr/bin/env bash
# mujoco 4.0.0: the default mass of a closed concave mesh is not density times volume.
#
# Input: a U-shaped prism (a 3 x 3 square with a notch of 1 x 2, one unit thick), volume 7, as a closed mesh with outward triangles;
# density 1000, nothing else stated.
# Expected: mass 7000, as the attribute inertia="exact" gives.
# Seen: the default adds unsigned tetrahedra round the centre of the mesh, so parts behind the notch count twice: more than 7000.
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check mujoco==4.0.0
cat > "$folder/try.py" <<'PY'
import mujoco

outline = [(0, 0), (3, 0), (3, 3), (2, 3), (2, 1), (1, 1), (1, 3), (0, 3)]
flat = [(0, 1, 5), (1, 4, 5), (0, 5, 7), (5, 6, 7), (1, 2, 4), (2, 3, 4)]
corners = [(x, y, z) for z in (0, 1) for x, y in outline]
n = len(outline)
faces = [(c, b, a) for a, b, c in flat] + [(a + n, b + n, c + n) for a, b, c in flat]
faces += [f for i in range(n) for j in [(i + 1) % n] for f in [(i, j, j + n), (i, j + n, i + n)]]
volume = sum(p[0] * (q[1] * r[2] - q[2] * r[1]) - p[1] * (q[0] * r[2] - q[2] * r[0]) + p[2] * (q[0] * r[1] - q[1] * r[0])
             for p, q, r in ([corners[k] for k in f] for f in faces)) / 6
assert volume == 7, volume


def mass(attribute: str) -> float:
    vertex, face = (" ".join(str(c) for row in rows for c in row) for rows in (corners, faces))
    text = (f'<mujoco><asset><mesh name="u" vertex="{vertex}" face="{face}" {attribute}/></asset><worldbody><body><freejoint/>'
            '<geom type="mesh" mesh="u" density="1000"/></body></worldbody></mujoco>')
    return float(mujoco.MjModel.from_xml_string(text).body_mass[1])


print("mujoco", mujoco.__version__)
print("default", mass(""), 'inertia="exact"', mass('inertia="exact"'), "expected 7000")
assert abs(mass('inertia="exact"') - 7000) < 1e-6
assert mass("") > 7100, "the default is near the volume now"
PY
"$folder/venv/bin/python" "$folder/try.py"
