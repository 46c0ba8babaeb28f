#!/usr/bin/env bash
# SymPy 1.14.0: limit(coth(x) - 1/x, x, 0) is -oo from the right and oo from the left; it is 0.
#
# Input: Langevin's function coth(x) - 1/x, which is x/3 - x**3/45 + ... near 0, in three ways of writing it.
# Expected: 0 for each, as for (x*cosh(x) - sinh(x))/(x*sinh(x)).
# Seen: infinite limits with coth, 0 with cosh/sinh. The series of coth that SymPy gives, 1/x + x/3 - x**3/45, is right.
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check sympy==1.14.0 mpmath==1.3.0
cat > "$folder/try.py" <<'PY'
import sympy as sp

x = sp.Symbol("x", real=True)
print("SymPy", sp.__version__)
functions = {"coth": sp.coth(x) - 1 / x, "cosh/sinh": sp.cosh(x) / sp.sinh(x) - 1 / x,
             "one fraction": (x * sp.cosh(x) - sp.sinh(x)) / (x * sp.sinh(x))}
found = {name: [sp.limit(f, x, 0, side) for side in ("+", "-")] for name, f in functions.items()}
for name, limits in found.items():
    print(f"{name}: right {limits[0]}, left {limits[1]}; value at 1e-6: {sp.N(functions[name].subs(x, sp.Rational(1, 10**6)), 10)}")
print("series of coth:", sp.series(sp.coth(x), x, 0, 4))
assert found["cosh/sinh"] == found["one fraction"] == [0, 0]
assert found["coth"][0] == -sp.oo, "the limit is right now"
PY
"$folder/venv/bin/python" "$folder/try.py"
