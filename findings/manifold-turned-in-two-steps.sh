#!/usr/bin/env bash
# manifold3d 3.5.4: a sphere minus its own copy is not empty if the copy was turned by the same angle in two steps.
#
# Input: a sphere of 32 segments turned by 30 degrees at once, and the same sphere turned by 10 and then by 20 degrees. Coordinates differ
# in the last bit, a hundred times less than the tolerance that the library states (1e-12).
# Expected: the difference is empty, as it is for two copies with equal bits.
# Seen: some 160 triangles in about ten pieces, with a volume of 1e-17. Emptiness and counts of pieces are no test of a difference.
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check manifold3d==3.5.4 numpy
cat > "$folder/try.py" <<'PY'
import manifold3d

sphere = manifold3d.Manifold.sphere(1.0, 32)
once, twice = sphere.rotate((0, 0, 30)), sphere.rotate((0, 0, 10)).rotate((0, 0, 20))
same, left = once - sphere.rotate((0, 0, 30)), once - twice
print("equal bits: empty", same.is_empty(), "| two steps: triangles", left.num_tri(), "pieces", len(left.decompose()), "volume", left.volume(),
      "tolerance", once.get_tolerance())
assert same.is_empty() and left.num_tri() > 100 and len(left.decompose()) > 1 and abs(left.volume()) < 1e-12, "the difference is empty now"
PY
"$folder/venv/bin/python" "$folder/try.py"
