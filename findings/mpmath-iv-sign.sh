#!/usr/bin/env bash
# mpmath 1.3.0: iv.sign of an interval that holds 0 is [-1, -1], also of [0, 1], on which the sign is 0 or 1.
#
# Input: intervals on both sides of 0, and some that hold it.
# Expected: an interval that holds the sign of each number in the argument: [-1, 1] for [-1, 2], [0, 1] for [0, 1].
# Seen: [-1, -1] for all that hold 0; bounds are right where all numbers have one sign. Other functions of `iv` that were tried, such as
# abs, exp and atan, enclose their values on the same intervals.
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check mpmath==1.3.0
cat > "$folder/try.py" <<'PY'
import mpmath
from mpmath import iv, mp

print("mpmath", mpmath.__version__)
missed = []
for low, high in ((1, 2), (-2, -1), (-1, 2), (-2, 1), (0, 1), (-1, 0)):
    found = iv.sign(iv.mpf([low, high]))
    signs = sorted({float(mp.sign(x)) for x in (low, (low + high) / 2, high, 0) if low <= x <= high})
    print(f"sign of [{low}, {high}]: {found}; signs in it: {signs}")
    missed.append(not all(found.a <= s <= found.b for s in signs))
assert missed == [False, False, True, True, True, True], "the sign is enclosed now"
assert 0 in iv.mpf([0, 1]) and float(abs(iv.mpf([-1, 2])).b) == 2
PY
"$folder/venv/bin/python" "$folder/try.py"
