"""Bodies without guards against 0 * infinity, computed again with them where one was needed.

A product of intervals of which no bound is known guards each of its four products of ends: 0 * inf is NaN, and stands for 0. That is 18
instructions where 10 would do, for infinite ends that few boxes have. So a formula of many products is written twice: first without
guards, then with them, for the blocks of lanes where the first one met 0 * inf. All lanes of such a block are computed again.

Proof that none is missed. IEEE 754 (2019, 7.2) makes every product 0 * inf signal *invalid*, and every processor here keeps that in a
sticky bit: bit 0 of MXCSR on x86-64 (Intel's manual, volume 1, 10.2.3.1), of FPSR on AArch64 (Arm's architecture manual, C5.2.10). The
product is an instruction of its own on all lanes: no optimization pass runs over the text, no factor is a constant (`Translation._scaled`
takes these), and nothing but the instruction can make the value. Nothing in the block clears the bit: a formula that calls code that is not
ours, which sets the register in its midst, keeps its guards. So a clear bit after the block proves that no product in it was 0 * inf, and
then each guard would have passed its product on as it was: both ways have the same bits. The bit is clear when a block begins, as the
entry point sets MXCSR and what finds it set clears it; on AArch64 each block clears it first. A set bit proves nothing, as comparisons
of NaN set it too: it costs time alone.
"""

from collections.abc import Sequence

from ..graph.expr import Expr, reachable
from ..graph.signs import SignFacts
from .dispatch import is_guarded
from .entry import begin_clear, clear_invalid, invalid
from .lanes import Module

# From so many guarded products on a formula is written twice, by measurement: the flag costs about as much to read as two guards.
FEW = 4
# What is run by loops of its own, and what calls code that is not ours.
_KEEP_GUARDS = frozenset({"loop", "sum", "union", "primitive"})


def pays(outputs: Sequence[Expr], known: dict[int, SignFacts]) -> bool:
    """Whether a formula is worth a body without guards."""
    order = reachable(outputs)
    return (not any(e.op in _KEEP_GUARDS for e in order)
            and sum(e.op == "mul" and is_guarded([known[a.index] for a in e.args]) for e in order) >= FEW)


def add_checked(module: Module, name: str, unguarded: str, guarded: str, parameters: str) -> None:
    """Add the function `name`: what the function `unguarded` does, and the function `guarded` where that met 0 * infinity."""
    L = module.lanes()
    begin_clear(L)
    L.lines.append(f"  call void @{unguarded}({parameters})")
    L.lines += [f"  br i1 {invalid(L)}, label %again, label %done", "again:"]
    clear_invalid(L)
    L.lines.append(f"  call void @{guarded}({parameters})")
    clear_invalid(L)
    body = "\n".join(L.lines)
    module.add(name, f"define internal void @{name}({parameters}) #2 {{\n{body}\n  br label %done\ndone:\n  ret void\n}}")
