"""Kernels for AArch64, run under emulation: the same bits as here.

``python -m tests.arm`` compiles random graphs, all kinds of products and the chain of the benchmark for AArch64, links each with a small
program in C, runs that under QEMU's user mode, with flush-to-zero switched on by the caller, and compares all bounds, levels and values
with those of this processor. NaN of points may differ in their bits, as the processors' own do. It needs an x86-64 processor,
``aarch64-linux-gnu-gcc`` and ``qemu-aarch64`` (Debian: gcc-aarch64-linux-gnu, qemu-user).
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from llvmlite import binding as llvm

import codegen
from codegen.emit import entry, lower
from codegen.emit.lanes import Kind
from codegen.graph.expr import Expr
from codegen.machine import native
from tests.codegen.boxes import Array, random_boxes
from tests.codegen.emit.test_unguarded import hard_boxes, products
from tests.codegen.test_random_graphs import VARIABLES, Grower

TRIPLE, COMPILER, EMULATOR = "aarch64-linux-gnu", "aarch64-linux-gnu-gcc", "qemu-aarch64"
KINDS: tuple[Kind, ...] = ("interval", "decorated", "points")
SEEDS = range(2)
# Fused multiplications that negate their result, or round after it: the lower end of an interval would be lost.
NEGATED = re.compile(r"\bfn(?:madd|msub|mul)\b")

# Flush-to-zero is bit 24 of FPCR. The program reads sizes and rows, and writes results, what was bad, and whether FPCR was kept.
PROGRAM = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
void batch(int64_t, double *, double *, double *, double *, int64_t, double *, double *, uint8_t *, int64_t *);
void *codegen_take(int64_t n) { return malloc(n); }
void codegen_give(void *p) { free(p); }
int main(void) {
    int64_t n[3], bad = -1;
    if (fread(n, 8, 3, stdin) != 3) return 1;
    double *in = calloc(2 * n[0] * n[1] + 1, 8), *out = calloc(2 * n[0] * n[2] + 1, 8);
    uint8_t *level = calloc(n[0] * n[2] + 1, 1);
    if (fread(in, 8, 2 * n[0] * n[1], stdin) != (size_t)(2 * n[0] * n[1])) return 1;
    uint64_t flushing = 1 << 24, after;
    __asm__ volatile("msr fpcr, %0" : : "r"(flushing));
    batch(n[0], in, in + n[0] * n[1], 0, 0, 0, out, out + n[0] * n[2], level, &bad);
    __asm__ volatile("mrs %0, fpcr" : "=r"(after));
    __asm__ volatile("msr fpcr, xzr");
    fwrite(out, 8, 2 * n[0] * n[2], stdout);
    fwrite(level, 1, n[0] * n[2], stdout);
    return bad != -1 || after != flushing;
}
"""


@contextmanager
def for_arm() -> Iterator[llvm.TargetMachine]:
    """Code is emitted for AArch64 meanwhile."""
    native.machine()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    here = entry.architecture
    entry.architecture = lambda: "aarch64"  # type: ignore[assignment]
    try:
        yield llvm.Target.from_triple(TRIPLE).create_target_machine(cpu="generic", opt=2, reloc="pic", codemodel="small")
    finally:
        entry.architecture = here


def emitted(text: str, target: llvm.TargetMachine) -> bytes:
    """An object file; ValueError if it negates fused products."""
    module = llvm.parse_assembly(text)
    module.triple = TRIPLE
    found = NEGATED.findall(target.emit_assembly(module)) if "round.upward" in text else []
    if found:
        raise ValueError(f"code for AArch64 that rounds upward holds {', '.join(sorted(set(found)))}")
    return bytes(target.emit_object(module))


def emulated(kernel: codegen.Kernel, kind: Kind, lo: Array, hi: Array, folder: Path) -> tuple[Array, Array, Array]:
    """Lower ends, upper ends and levels, as AArch64 computes them."""
    with for_arm() as target:
        (folder / "kernel.o").write_bytes(emitted(kernel.llvm(kind, "batch"), target))
    program = folder / "program"
    subprocess.run([COMPILER, "-O1", "-static", "-ffp-contract=off", "-o", program, folder / "program.c", folder / "kernel.o"], check=True)
    rows, outputs = len(lo), len(kernel.outputs)
    given = np.array([rows, lo.shape[1], outputs], np.int64).tobytes() + lo.tobytes() + hi.tobytes()
    done = subprocess.run([EMULATOR, program], input=given, stdout=subprocess.PIPE, check=True).stdout
    ends = np.frombuffer(done[:16 * rows * outputs]).reshape(2, rows, outputs)
    return ends[0], ends[1], np.frombuffer(done[16 * rows * outputs:], np.uint8).reshape(rows, outputs)


def differences(kernel: codegen.Kernel, kind: Kind, lo: Array, hi: Array, folder: Path) -> int:
    """How many results have other bits than here."""
    low, high, level = emulated(kernel, kind, lo, hi, folder)
    if kind == "points":
        here = kernel.points(lo)
        return int((~_same(low, here)).sum())
    found = kernel.decorated(lo, hi) if kind == "decorated" else (*kernel.interval(lo, hi), level)
    return int((~_same(low, found[0]) | ~_same(high, found[1]) | (level != found[2])).sum())


def _same(a: Array, b: Array) -> Array:
    return (a.view(np.int64) == b.view(np.int64)) | (np.isnan(a) & np.isnan(b))


def cases() -> Iterator[tuple[str, list[Expr], Array, Array]]:
    """Names, formulas and boxes."""
    yield "products", products(), *hard_boxes()
    yield "chain", products()[-1:], *hard_boxes()
    for seed in SEEDS:
        yield f"random graphs {seed}", Grower(seed).graphs(40), *random_boxes(f"arm {seed}", 200, VARIABLES)


def main() -> None:
    """Compare all cases; exit with an error if bits differ."""
    missing = [name for name in (COMPILER, EMULATOR) if shutil.which(name) is None]
    if missing or entry.architecture() != "x86_64":
        sys.exit(f"needs an x86-64 processor, and {' and '.join(missing) or 'nothing else'} (Debian: gcc-aarch64-linux-gnu, qemu-user)")
    total = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "program.c").write_text(PROGRAM)
        for case, outputs, lo, hi in cases():
            # Small formulas are written in place, as they are for users; the others in functions, which compile faster.
            lower.OUTLINE = 0 if len(outputs) > len(products()) else 1500
            kernel = codegen.Kernel(outputs, [f"x{k}" for k in range(lo.shape[1])], cpu="x86-64-v3")
            for kind in KINDS:
                found = differences(kernel, kind, lo, hi, folder)
                total += found
                print(f"{case}, {kind}: {found} of {len(lo) * len(outputs)} results differ", flush=True)
    sys.exit(total > 0)


if __name__ == "__main__":
    main()
