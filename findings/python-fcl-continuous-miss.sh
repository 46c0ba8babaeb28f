#!/usr/bin/env bash
# python-fcl 0.7.0.11: continuous collision misses two unit cubes that fly through each other.
#
# Input: two unit cubes, as fcl.Box and as triangle meshes. One stands still at 0, the other flies along x from 3 to -2. They touch at 0.4.
# Expected: a collision at 0.4 from every solver.
# Seen: the default request and conservative advancement report no collision for boxes and for meshes. The naive solver samples ten moments
# and reports 0.444, when the cubes are already in each other.
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check python-fcl==0.7.0.11 trimesh==5.2.0 numpy
cat > "$folder/try.py" <<'PY'
import fcl
import numpy as np
import trimesh


def mesh():
    box, model = trimesh.creation.box((1, 1, 1)), fcl.BVHModel()
    model.beginModel(len(box.vertices), len(box.faces))
    model.addSubModel(box.vertices, box.faces)
    model.endModel()
    return model


def ask(make, **options):
    still, moving = fcl.CollisionObject(make(), fcl.Transform()), fcl.CollisionObject(make(), fcl.Transform(np.array([3.0, 0, 0])))
    request, result = fcl.ContinuousCollisionRequest(**options), fcl.ContinuousCollisionResult()
    fcl.continuousCollide(still, fcl.Transform(), moving, fcl.Transform(np.array([-2.0, 0, 0])), request, result)
    return result.is_collide, round(result.time_of_contact, 3)


kinds = {"boxes": lambda: fcl.Box(1, 1, 1), "meshes": mesh}
solvers = {"default": {}, "conservative advancement": {"ccd_solver_type": fcl.CCDSolverType.CCDC_CONSERVATIVE_ADVANCEMENT},
           "naive": {"ccd_solver_type": fcl.CCDSolverType.CCDC_NAIVE}}
seen = {(kind, name): ask(make, **options) for kind, make in kinds.items() for name, options in solvers.items()}
for key, answer in seen.items():
    print(*key, answer, "expected (True, 0.4)")
assert all(not seen[kind, name][0] for kind in kinds for name in ("default", "conservative advancement")), "the collision is found now"
assert all(seen[kind, "naive"] == (True, 0.444) for kind in kinds)
PY
"$folder/venv/bin/python" "$folder/try.py"
