#!/usr/bin/env bash
# ezdxf 1.4.5: two readings of one closed polyline have different numbers of edges.
#
# Input: an LWPOLYLINE with the closed flag whose last point repeats the first, as many programs write it; and an open one that returns.
# Expected: virtual_entities() and make_path() agree on the outline and on whether it is closed.
# Seen: five entities, one of length 0, against four edges of the path; the open polyline is closed for the path only. A tangent of the edge
# of length 0 does not exist, so an offset or a sweep along the entities fails where the path works.
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check ezdxf==1.4.5
cat > "$folder/try.py" <<'PY'
import ezdxf
from ezdxf.path import make_path

space = ezdxf.new().modelspace()
closed = space.add_lwpolyline([(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)], close=True)
returning = space.add_lwpolyline([(0, 0), (1, 0), (1, 1), (0, 0)], close=False)
lengths = [(line.dxf.start - line.dxf.end).magnitude for line in closed.virtual_entities()]
print("ezdxf", ezdxf.__version__, "| entities:", lengths, "| edges of the path:", len(make_path(closed)))
print("open polyline that returns: closed flag", returning.closed, "| path closed", make_path(returning).is_closed)
assert lengths == [1, 1, 1, 1, 0] and len(make_path(closed)) == 4, "both readings agree now"
assert make_path(returning).is_closed and not returning.closed
PY
"$folder/venv/bin/python" "$folder/try.py"
