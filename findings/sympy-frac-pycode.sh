#!/usr/bin/env bash
# SymPy 1.14.0: pycode and lambdify(..., "math") write frac(x) as "x % 1" without brackets, so products and powers of it have other values.
#
# Input: frac(x), the part of x after the point, three times, squared, as a divisor, and times frac(2 x); x is 27/10.
# Expected: the values that SymPy itself gives, and the NumPy printer: 2.1, 0.49, 1.428..., 0.28.
# Seen: 0.1, 0.7, 0.370..., 0.78, from "3*x % 1", "x % 1**2", "1/x % 1" and "x % 1*(2*x) % 1". Mod(x, 1) is written with brackets.
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check sympy==1.14.0 mpmath==1.3.0
cat > "$folder/try.py" <<'PY'
import sympy as sp

x = sp.Symbol("x")
print("SymPy", sp.__version__)
frac, wrong = sp.frac, 0
for formula in (3 * frac(x), frac(x) ** 2, 1 / frac(x), frac(x) * frac(2 * x), 3 * sp.Mod(x, 1, evaluate=False)):
    exact, seen = float(formula.subs(x, sp.Rational(27, 10))), sp.lambdify(x, formula, "math")(2.7)
    print(f"{formula}: {exact:.6g}; written as {sp.pycode(formula)!r}, which is {seen:.6g}")
    wrong += abs(exact - seen) > 1e-6
assert wrong == 4, "frac is written with brackets now"
PY
"$folder/venv/bin/python" "$folder/try.py"
