"""Room for vectors while a function runs: on the stack, or from the heap where it would be too much for the stack of a thread.

What a formula needs grows with its size, and the stack of a thread has half a megabyte on some systems. Memory from the heap may be
refused: then a kernel says that nothing is known, which is true of everything.
"""

from collections.abc import Sequence

from .lanes import Kind, Lanes, Module

# Bytes up to which a function takes its room from the stack. Functions with room call each other, but not many levels deep.
_STACK = 1 << 16

TAKE, GIVE = "codegen_take", "codegen_give"
"""Functions that code calls for memory, with bytes, and to give it back (see `native.Code`). They compute with integers, in any mode of
rounding.
"""

# As vectors are, at most.
_ALIGNED = 64
UNKNOWN: dict[Kind, tuple[float, ...]] = {
    "interval": (float("inf"), float("inf")), "decorated": (float("inf"), float("inf"), 0.0), "points": (float("nan"),)}
"""The vectors of an output of which nothing is known."""



def is_large(size: int) -> bool:
    """Whether so many bytes are too much for the stack."""
    return size > _STACK


def vector_bytes(L: Lanes, vectors: int) -> int:
    """Bytes of so many vectors, one at least."""
    return 8 * L.width * max(vectors, 1)


def add_with_room(module: Module, name: str, parameters: str, size: int | str, large: bool, inside: Sequence[str],
                  refused: Sequence[str] = (), before: Sequence[str] = ()) -> None:
    """Add the function `name`: after the lines `before`, which may compute the size, those `inside`, with `size` bytes at ``%room``; where
    memory for a `large` room is refused, the lines `refused` instead, from the label of that name on.
    """
    if large:
        module.intrinsics.update({TAKE: f"declare ptr @{TAKE}(i64)", GIVE: f"declare void @{GIVE}(ptr)"})
        inside = [f"  %bytes = add i64 {size}, {_ALIGNED}", f"  %block = call ptr @{TAKE}(i64 %bytes)",
                  "  %none = icmp eq ptr %block, null", "  br i1 %none, label %refused, label %granted", "granted:",
                  "  %begin = ptrtoint ptr %block to i64", "  %negative = sub i64 0, %begin",
                  f"  %skipped = and i64 %negative, {_ALIGNED - 1}", "  %room = getelementptr i8, ptr %block, i64 %skipped",
                  *inside, f"  call void @{GIVE}(ptr %block)", "  ret void", "refused:", *refused]
    else:
        inside = [f"  %room = alloca i8, i64 {size}, align {_ALIGNED}", *inside]
    body = "\n".join([*before, *inside])
    module.add(name, f"define internal void @{name}({parameters}) #2 {{\n{body}\n  ret void\n}}")


def unknown(L: Lanes, kind: Kind, outputs: int) -> list[str]:
    """From the label ``refused`` on: write into ``%out`` that nothing is known of any output."""
    values = UNKNOWN[kind]
    lines = ["  br label %output", "output:", "  %k = phi i64 [ 0, %refused ], [ %following, %output ]",
             f"  %first = mul i64 %k, {len(values)}"]
    for j, value in enumerate(values):
        lines += [f"  %place{j} = add i64 %first, {j}", f"  %to{j} = getelementptr {L.vector}, ptr %out, i64 %place{j}",
                  f"  store {L.vector} {L.const(value)}, ptr %to{j}, align 8"]
    return [*lines, "  %following = add i64 %k, 1", f"  %more = icmp slt i64 %following, {outputs}",
            "  br i1 %more, label %output, label %written", "written:"]
