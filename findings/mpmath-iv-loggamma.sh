#!/usr/bin/env bash
# mpmath 1.3.0: iv.loggamma gives intervals that do not hold the value, and intervals whose lower end lies above the upper one.
#
# Input: degenerate intervals [x, x] of ordinary doubles near 0, at the default precision.
# Expected: an enclosure with ordered ends, as iv.gamma, iv.rgamma, iv.exp and iv.sin give.
# Seen: at x = 0.009 the lower end is the greater one. Over 20,000 random intervals in (0, 15), 1,435 of 60,000 points are outside, by up
# to 8e-16. Arb, with 300 bits, is the referee.
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check mpmath==1.3.0 python-flint==0.9.0
cat > "$folder/try.py" <<'PY'
import mpmath
from flint import arb, ctx

ctx.prec = 300


def exactly(end):
    sign, mantissa, exponent, _ = end
    return arb((-1) ** sign * int(mantissa)) * arb(2) ** exponent


print("mpmath", mpmath.__version__)
for x in (0.009026830302399976, 0.009586675487750707):
    result = mpmath.iv.loggamma(mpmath.iv.mpf([x, x]))
    low, high = map(exactly, result._mpi_)
    exact = arb(x).lgamma()
    reversed_, missed = bool(low > high), bool(exact < low or exact > high)
    print(f"loggamma({x!r}): {result} exact {exact.str(20, radius=False)} reversed: {reversed_} missed: {missed}")
    assert reversed_ and missed, "the enclosure holds now"
PY
"$folder/venv/bin/python" "$folder/try.py"
