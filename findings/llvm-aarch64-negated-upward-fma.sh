#!/usr/bin/env bash
# llvmlite 0.50.0 (LLVM 22.1): for AArch64 the negation of a fused product that is rounded upward becomes one instruction, fnmadd, which
# negates before it rounds.
#
# Input: fneg of llvm.experimental.constrained.fma with "round.upward", in a strictfp function, without any fast-math flag.
# Expected: a fused product, rounded upward, and then a change of sign: minus the result is a lower bound of minus the product.
# Seen: fnmadd for scalars. In a mode that rounds upward it gives the upper bound of the negated product, so a lower end of an interval is
# lost. For vectors of two, and for x86-64, the negation stays an instruction of its own. Nothing is run here: the assembly shows it.
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check llvmlite==0.50.0
cat > "$folder/try.py" <<'PY'
import llvmlite.binding as llvm

llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()
FUNCTION = """
define {T} @negated(({T} %a, {T} %b, {T} %c) #0 {{
  %p = call {T} @llvm.experimental.constrained.fma.{S}({T} %a, {T} %b, {T} %c, metadata !"round.upward", metadata !"fpexcept.ignore") #0
  %n = fneg {T} %p
  ret {T} %n
}}
declare {T} @llvm.experimental.constrained.fma.{S}({T}, {T}, {T}, metadata, metadata)
attributes #0 = {{ strictfp }}
""".replace("((", "(")


def instructions(triple: str, cpu: str, kind: str, suffix: str) -> list[str]:
    machine = llvm.Target.from_triple(triple).create_target_machine(cpu=cpu, opt=2)
    module = llvm.parse_assembly(FUNCTION.format(T=kind, S=suffix))
    module.triple = triple
    return [line.split()[0] for line in machine.emit_assembly(module).splitlines() if line.startswith("\t") and not line.startswith("\t.")]


scalar = instructions("aarch64-linux-gnu", "generic", "double", "f64")
vector = instructions("aarch64-linux-gnu", "generic", "<2 x double>", "v2f64")
other = instructions("x86_64-linux-gnu", "x86-64-v3", "double", "f64")
print("LLVM", llvm.llvm_version_info)
print("AArch64, scalar:", scalar, "| AArch64, vector of two:", vector, "| x86-64, scalar:", other)
assert "fnmadd" in scalar, "the negation is kept apart now"
assert "fneg" in vector and any(op.startswith("vxor") for op in other)
PY
"$folder/venv/bin/python" "$folder/try.py"
