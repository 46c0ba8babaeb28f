"""Machine code in this process, made from LLVM assembly: target, linking.

Baseline processors: x86-64-v3 (AVX2 and FMA) or AArch64. Below it fused multiply-add and floor would become library
calls, which a rigorous path must not contain.
"""

import contextlib
import ctypes
import functools
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

from llvmlite import binding as llvm

from ..deadline import check
from ..emit.entry import architecture
from ..emit.room import GIVE, TAKE
from . import cache

PROCESSOR = "GENERATIVE_COLLISION_CPU"
"""The environment variable that names a lower level of this processor, as x86-64-v3, for which all code is made then."""

# The innermost lock: nothing else is waited for while it is held. See `linked._lock` for the order of all.
_lock = threading.Lock()

# Seconds that LLVM takes for a byte of assembly, from 0.2e-6 to 1.2e-6 as measured on kernels of 400 to 7,400 operations. It cannot be
# interrupted, so it is not begun where less time is left.
_A_BYTE = 1e-6


@functools.cache
def machine() -> str:
    """As `architecture`; RuntimeError for x86-64 without AVX2 and FMA, too."""
    name = architecture()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features()
    missing = [f for f in ("avx2", "fma", "bmi2") if name == "x86_64" and not features.get(f)]
    if missing:
        raise RuntimeError(f"codegen needs a processor with x86-64-v3 (AVX2, FMA); this one lacks {', '.join(missing)}")
    return name


@functools.cache
def host() -> tuple[str, str]:
    """Name and feature string of this processor, as LLVM spells them; of a lower level of it where the environment variable `PROCESSOR`
    names one, for measurements. ValueError for what this processor is not.
    """
    architecture, own = machine(), (llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())
    named, known = os.environ.get(PROCESSOR, ""), _levels(architecture, own[1])
    if named and named not in known:
        raise ValueError(f"the environment variable {PROCESSOR} must be one of {', '.join(known)}, or empty, got {named!r}")
    return (named, "") if named else own


def _levels(architecture: str, features: str) -> list[str]:
    """Names of levels of an architecture that a processor with these features has."""
    return ["generic"] if architecture == "aarch64" else ["x86-64-v3"] + ["x86-64-v4"] * ("+avx512f" in features.split(","))


def code_key(*parts: bytes | str, cpu: str | None = None) -> str:
    """The name in the cache of code made from these parts for this processor, or for a named one, by this version of LLVM."""
    return cache.key(*parts, cpu or "\0".join(host()), ".".join(map(str, llvm.llvm_version_info)))


def target_machine(cpu: str | None = None, opt: int = 2) -> llvm.TargetMachine:
    """LLVM's code generator for this processor, or for a named one (`cpu`) of the same architecture."""
    machine()
    name, features = host() if cpu is None else (cpu, "")
    target = llvm.Target.from_triple(llvm.get_process_triple())
    return target.create_target_machine(cpu=name, features=features, opt=opt, reloc="pic", codemodel="small")


def check_cpu(cpu: Any) -> None:
    """ValueError for a processor that code must not be made for: LLVM ends the process for some names, and knows others only by the
    features it gives them.
    """
    name, features = host()
    known = [name, *_levels(machine(), features)]
    if cpu is not None and cpu not in known:
        raise ValueError(f"cpu must be one of {', '.join(known)}, or None for this processor, got {cpu!r}")


def has_wide_registers(cpu: str | None) -> bool:
    """Whether a register of this processor, or of a named one, holds 8 lanes (AVX-512)."""
    name, features = host() if cpu is None else (cpu, "")
    return name == "x86-64-v4" or "+avx512f" in features.split(",")


watchers: list[Callable[[], None]] = []
"""Called before every wait for the compiler: progress bars append themselves here, and remove themselves."""


def announce() -> None:
    """Before a wait for the compiler."""
    for watcher in tuple(watchers):
        watcher()


def object_code(text: str, cpu: str | None = None, opt: int = 2) -> bytes:
    """Machine code (a relocatable object) of LLVM assembly, which is taken as it is: no optimization pass runs on
    it.
    """
    check(_A_BYTE * len(text))
    announce()
    target = target_machine(cpu, opt)
    with _parsed(text, target) as module:
        return bytes(target.emit_object(module))


def optimized_object_code(text: str, *, quick: bool = False) -> bytes:
    """The same after LLVM's standard optimizations: for ordinary code, whose rounding is to nearest throughout.

    `quick`: without copies of loops and of larger functions, which for large code takes a third of the time to compile.
    """
    options = llvm.create_pipeline_tuning_options(1 if quick else 2)
    if quick:
        options.loop_unrolling = options.loop_vectorization = options.slp_vectorization = False
        options.inlining_threshold = 25
    return _after(text, target_machine(), options, lambda builder: builder.getModulePassManager())


def first_object_code(text: str) -> bytes:
    """The same after the least that is worth its time: local variables to registers, and no scheduling of instructions."""
    def passes(builder: llvm.PassBuilder) -> Any:
        manager = llvm.create_new_module_pass_manager()
        manager.add_sroa_pass()
        manager.add_instruction_combine_pass()
        manager.add_simplify_cfg_pass()
        return manager

    return _after(text, target_machine(opt=0), llvm.create_pipeline_tuning_options(1), passes)


def _after(text: str, target: llvm.TargetMachine, options: Any, passes: Callable[[Any], Any]) -> bytes:
    announce()
    with _parsed(text, target) as module:
        builder = llvm.create_pass_builder(target, options)
        passes(builder).run(module, builder)
        return bytes(target.emit_object(module))


def assembly(text: str, cpu: str | None = None) -> str:
    """The same as readable assembly, for tests that scan it for external calls."""
    target = target_machine(cpu)
    with _parsed(text, target) as module:
        return str(target.emit_assembly(module))


@contextlib.contextmanager
def _parsed(text: str, target: llvm.TargetMachine) -> Iterator[llvm.ModuleRef]:
    """The module, which is closed at the end, and the target with it: Ctrl-C meanwhile counts, which in a finalizer Python reports and
    forgets.
    """
    with _lock, contextlib.closing(target), contextlib.closing(llvm.parse_assembly(text)) as module:
        yield module


@functools.cache
def _jit() -> llvm.LLJIT:
    return llvm.create_lljit_compiler(target_machine())


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


# They need no interpreter lock; given no memory, the second does nothing.
_MEMORY = {TAKE: _address(ctypes.pythonapi.PyMem_RawMalloc), GIVE: _address(ctypes.pythonapi.PyMem_RawFree)}


# Each piece of code takes two maps of address space or more (measured). Linux gives a process 65,530 of them, and LLVM ends a process that
# gets no more.
MOST = 12_000


class Code:
    """Machine code linked into this process; `address` of its entry points. Unloaded when garbage-collected. `linked`: how many pieces were
    linked so far.
    """

    linked = 0

    def __init__(self, object_code: bytes, names: tuple[str, ...]) -> None:
        with _lock:
            Code.linked += 1
            builder = llvm.JITLibraryBuilder().add_object_img(object_code)
            for name, function in _MEMORY.items():
                if name.encode() in object_code:
                    builder.import_symbol(name, function)
            for name in names:
                builder.export_symbol(name)
            self._library = builder.link(_jit(), f"codegen{Code.linked}")
            self.address: dict[str, int] = {name: self._library[name] for name in names}


def crowded() -> bool:
    """Whether so much code is linked that no more is to be where interpreting will do."""
    return Code.linked >= MOST
