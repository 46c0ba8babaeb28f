"""Entry points of modules: the floating-point control register is set on entry and restored on exit."""

import functools
import platform

from .lanes import Lanes, Module

# The whole control register is set, not its rounding field alone: start-up code of a library built with fast-math may
# have switched on flush-to-zero, which breaks containment near zero. All exceptions masked, denormals kept.
_CONTROL = {
    ("x86_64", "upward"): 0x5F80,
    ("x86_64", "nearest"): 0x1F80,
    ("aarch64", "upward"): 0x0040_0000,
    ("aarch64", "nearest"): 0,
}
# Of the control register of x86-64, which holds the flags too.
_READ, _WRITE = "@llvm.x86.sse.stmxcsr", "@llvm.x86.sse.ldmxcsr"


@functools.cache
def architecture() -> str:
    """The architecture of this processor, "x86_64" or "aarch64"; RuntimeError for any other."""
    name = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    if name not in ("x86_64", "aarch64"):
        raise RuntimeError(f"codegen needs an x86-64-v3 or AArch64 processor, this one is {platform.machine()!r}")
    return name


def set_control(L: Lanes, rounding: str) -> None:
    """Set the control register in the midst of a function, round code that is not ours."""
    value = _CONTROL[architecture(), rounding]
    if architecture() == "x86_64":
        L.intrinsics.setdefault(_WRITE, f"declare void {_WRITE}(ptr)")
        at = L.emit("alloca i32")
        L.lines += [f"  store i32 {value}, ptr {at}", f"  call void {_WRITE}(ptr {at})"]
    else:
        L.intrinsics.setdefault("@llvm.aarch64.set.fpcr", "declare void @llvm.aarch64.set.fpcr(i64)")
        L.lines.append(f"  call void @llvm.aarch64.set.fpcr(i64 {value})")


def invalid(L: Lanes) -> str:
    """Whether the processor's sticky flag of invalid operations is set."""
    if architecture() == "x86_64":
        L.intrinsics.setdefault(_READ, f"declare void {_READ}(ptr)")
        at = L.emit("alloca i32")
        L.lines.append(f"  call void {_READ}(ptr {at})")
        flags = L.emit(f"zext i32 {L.emit(f'load i32, ptr {at}')} to i64")
    else:
        L.intrinsics.setdefault("@llvm.aarch64.get.fpsr", "declare i64 @llvm.aarch64.get.fpsr()")
        flags = L.emit("call i64 @llvm.aarch64.get.fpsr()")
    return L.emit(f"trunc i64 {flags} to i1")


def begin_clear(L: Lanes) -> None:
    """Clear the flags of exceptions at the beginning of a block, where the entry point has not done so with the mode of rounding."""
    if architecture() == "aarch64":
        clear_invalid(L)


def clear_invalid(L: Lanes) -> None:
    """Clear the flags of exceptions; the mode of rounding stays."""
    if architecture() == "x86_64":
        set_control(L, L.rounding)
    else:
        L.intrinsics.setdefault("@llvm.aarch64.set.fpsr", "declare void @llvm.aarch64.set.fpsr(i64)")
        L.lines.append("  call void @llvm.aarch64.set.fpsr(i64 0)")


def add_entry(module: Module, name: str, body: str, parameters: str, arguments: str) -> None:
    """Add to `module` the entry point `name`: save the control register, set it, call `body`, restore it.

    The body is a function of its own and never inlined, so nothing of it can be scheduled outside the two writes.
    `parameters` declares the arguments ("ptr %x, i64 %n"), `arguments` passes them on; the register is set as the
    module's rounding asks.
    """
    value = _CONTROL[architecture(), module.rounding]
    if architecture() == "x86_64":
        save, write = _READ, _WRITE
        begin = (f"  %old = alloca i32\n  %new = alloca i32\n  call void {save}(ptr %old)\n"
                 f"  store i32 {value}, ptr %new\n  call void {write}(ptr %new)\n")
        end = f"  call void {write}(ptr %old)\n"
        module.intrinsics.update({save: f"declare void {save}(ptr)", write: f"declare void {write}(ptr)"})
    else:
        save, write = "@llvm.aarch64.get.fpcr", "@llvm.aarch64.set.fpcr"
        begin = f"  %old = call i64 {save}()\n  call void {write}(i64 {value})\n"
        end = f"  call void {write}(i64 %old)\n"
        module.intrinsics.update({save: f"declare i64 {save}()", write: f"declare void {write}(i64)"})
    module.add(name, f"define void @{name}({parameters}) #4 {{\n{begin}  call void @{body}({arguments})\n{end}"
                     "  ret void\n}")
