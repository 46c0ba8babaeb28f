#!/usr/bin/env bash
# codac 2.1.2: pow of an interval with a float as exponent drops the fraction of the exponent, without a word.
#
# Input: pow(Interval(4, 9), 0.5), pow(Interval(4, 9), 1.3).
# Expected: [2, 3], as pow with the interval [0.5, 0.5] and sqrt give; and [6.06, 17.4]; or a TypeError for a float.
# Seen: [1, 1] and [4, 9]: the exponents 0 and 1 are used. An enclosure of x ** 0.5 written this way excludes every value.
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check codac==2.1.2
cat > "$folder/try.py" <<'PY'
from codac import Interval, pow, sqrt

x = Interval(4, 9)
for exponent, least, greatest in ((0.5, 2.0, 3.0), (1.3, 6.06, 17.4)):
    as_float, as_interval = pow(x, exponent), pow(x, Interval(exponent, exponent))
    print(f"pow({x}, {exponent}) = {as_float}; with the exponent as an interval {as_interval}")
    assert abs(as_interval.lb() - least) < 0.01 and abs(as_interval.ub() - greatest) < 0.05
    assert not as_float.contains(greatest), "the fraction of the exponent counts now"
print("sqrt", sqrt(x))
PY
"$folder/venv/bin/python" "$folder/try.py"
