"""The same bits on every processor and under every control register, and no call out of the emitted code."""

import ctypes
import platform
import re
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import sympy as sp

import codegen
from codegen.emit import entry, lower
from codegen.emit.lanes import Kind, Module
from codegen.graph.expr import Expr, ExprPool
from codegen.machine import interpreter as instructions
from codegen.machine import native
from codegen.machine.bytecode import _Writer, interpretable
from codegen.machine.native import Code
from tests.arm import NEGATED
from tests.codegen.boxes import random_boxes, same_bits
from tests.codegen.test_containment import bessel, binary, ternary, unary

X86 = platform.machine() in ("x86_64", "AMD64")
KINDS: list[Kind] = ["interval", "decorated", "points"]


def all_operations() -> tuple[list[Expr], list[Expr]]:
    """Every operation of the containment tests, and their three variables."""
    pool = ExprPool()
    outputs = [e for build in (unary, binary, ternary, bessel) for e in build(pool).values()]
    return outputs, [pool.variable(k) for k in range(3)]


@pytest.fixture(autouse=True)
def called_functions(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(lower, "OUTLINE", 0)  # quicker to compile
    yield


@pytest.mark.skipif(not X86, reason="names a processor of x86-64")
def test_avx2_and_this_processor_give_the_same_bits() -> None:
    outputs, variables = all_operations()
    lo, hi = random_boxes("bits", 800, 3)
    here, baseline = (codegen.compile(outputs, variables, cpu=cpu) for cpu in (None, "x86-64-v3"))
    assert [r.tobytes() for r in here.decorated(lo, hi)] == [r.tobytes() for r in baseline.decorated(lo, hi)]
    points = np.where(np.isfinite(lo), lo, 0.5)
    a, b = here.points(points), baseline.points(points)
    assert (np.isnan(a) == np.isnan(b)).all()
    assert same_bits(np.nan_to_num(a, nan=0.0), np.nan_to_num(b, nan=0.0))


@pytest.mark.skipif(not X86, reason="reads the assembly of x86-64")
@pytest.mark.parametrize("cpu", [None, "x86-64-v3"])
@pytest.mark.parametrize("kind", KINDS)
def test_emitted_code_calls_nothing_outside(kind: Kind, cpu: str | None) -> None:
    outputs, variables = all_operations()
    check_calls(native.assembly(codegen.compile(outputs, variables).llvm(kind), cpu))


@pytest.mark.skipif(not X86, reason="reads the assembly of x86-64")
@pytest.mark.parametrize("cpu", [None, "x86-64-v3"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_interpreter_calls_nothing_outside(kind: Kind, cpu: str | None) -> None:
    """Its functions end in a jump to an address in memory."""
    outputs = [e for e in all_operations()[0] if interpretable([e])]
    module = Module(rounding="nearest" if kind == "points" else "upward")
    instructions._define_all(module, {step.instruction.symbol: step.instruction for step in _Writer(outputs, kind).steps}.values())
    instructions._enter(module, "enter", False)
    text = native.assembly(module.text(), cpu)
    check_calls(text)
    assert text.count("jmpq\t*") >= len(module.functions) - 4, "all but the last one and those that begin"


def check_calls(text: str) -> None:
    defined = set(re.findall(r"^\"?([\w.$]+)\"?:", text, re.MULTILINE))
    called = set(re.findall(r"^\s+(?:callq?|jmpq?)\s+\"?([\w.$@]+)", text, re.MULTILINE))
    called |= set(re.findall(r"([\w.$]+)@(?:PLT|GOTPCREL)", text))
    assert defined and called - defined == set()


# -- the control register --------------------------------------------------------------------------------------------

_REGISTER = """
declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.sse.ldmxcsr(ptr)
define i32 @read() {
  %p = alloca i32
  call void @llvm.x86.sse.stmxcsr(ptr %p)
  %value = load i32, ptr %p
  ret i32 %value
}
define void @write(i32 %value) {
  %p = alloca i32
  store i32 %value, ptr %p
  call void @llvm.x86.sse.ldmxcsr(ptr %p)
  ret void
}
"""
ALL_MASKED, FLUSH_TO_ZERO, DENORMALS_ARE_ZERO, TOWARDS_ZERO = 0x1F80, 0x8000, 0x0040, 0x6000
STATUS = 0x003F  # the sticky exception flags, which any arithmetic sets


class ControlRegister:
    """The MXCSR register of this thread."""

    def __init__(self) -> None:
        self._code = Code(native.object_code(_REGISTER), ("read", "write"))
        self.read: Callable[[], int] = ctypes.CFUNCTYPE(ctypes.c_uint32)(self._code.address["read"])
        self.write: Callable[[int], None] = ctypes.CFUNCTYPE(None, ctypes.c_uint32)(self._code.address["write"])


@pytest.fixture
def register() -> Iterator[ControlRegister]:
    register = ControlRegister()
    before = register.read()
    yield register
    register.write(before)


@pytest.mark.skipif(not X86, reason="MXCSR is a register of x86-64")
@pytest.mark.parametrize("quick", [False, True])
def test_flush_to_zero_and_rounding_of_the_caller_change_no_bit(register: ControlRegister, quick: bool) -> None:
    outputs, variables = all_operations()
    if quick:
        outputs = [e for e in outputs if interpretable([e])]
    kernel = codegen.compile(outputs, variables, quick=quick)
    # Denormal boxes: what flush-to-zero would spoil.
    lo, hi = random_boxes("flush", 400, 3)
    lo[:200], hi[:200] = np.minimum(lo[:200] * 2.0**-1060, 0.0), np.maximum(hi[:200], 1e-300) * 2.0**-60
    points = np.minimum(hi, 1e300)  # made here: NumPy itself flushes what it computes with the register changed
    expected = [r.tobytes() for r in (*kernel.decorated(lo, hi), kernel.points(points))]
    for control in (ALL_MASKED | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO, ALL_MASKED | TOWARDS_ZERO):
        register.write(control)
        found = [r.tobytes() for r in (*kernel.decorated(lo, hi), kernel.points(points))]
        after = register.read()
        register.write(ALL_MASKED)
        assert after & ~STATUS == control, "the caller's control register was not restored"
        assert found == expected


@pytest.mark.skipif(not X86, reason="MXCSR is a register of x86-64")
@pytest.mark.parametrize("kind", KINDS)
def test_interpreted_blocks_give_the_register_back(register: ControlRegister, kind: Kind) -> None:
    pool = ExprPool()
    kernel = codegen.compile([pool.variable(0) * 0.1], [pool.variable(0)], quick=True)
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(kernel.block_address(kind))
    x, out = np.ones((2, 8)), np.empty((3, 8))
    register.write(ALL_MASKED | TOWARDS_ZERO)
    call(x.ctypes.data, None, out.ctypes.data)
    after = register.read()
    register.write(ALL_MASKED)
    assert after & ~STATUS == ALL_MASKED | TOWARDS_ZERO


@pytest.mark.skipif(not X86, reason="MXCSR is a register of x86-64")
def test_flush_to_zero_is_really_switched_on(register: ControlRegister) -> None:
    """The test above would prove nothing if the register did not act."""
    tiny = np.array([5e-324, 1e-310])
    register.write(ALL_MASKED | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO)
    flushed = (tiny * 0.75 * 2.0**60).tolist()
    register.write(ALL_MASKED)
    assert flushed == [0.0, 0.0]


def test_a_denormal_result_is_kept() -> None:
    pool = ExprPool()
    x = pool.variable(0)
    kernel = codegen.compile([x * 1, x / 2, x**2], [x])
    lo, hi = kernel.interval([[5e-324]], [[1e-323]])
    assert lo.tolist() == [[5e-324, 0.0, 0.0]] and hi.tolist() == [[1e-323, 5e-324, 5e-324]]


def test_code_for_arm_calls_nothing_outside_and_sets_its_control_register(monkeypatch: pytest.MonkeyPatch) -> None:
    """Emitted and assembled for AArch64 here; `tests.arm` runs it."""
    from llvmlite import binding as llvm

    native.machine()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    monkeypatch.setattr(entry, "architecture", lambda: "aarch64")
    x, y = sp.symbols("x y", real=True)
    kernel = codegen.compile([sp.sin(x) * y, sp.sqrt(x) / y, sp.floor(x), sp.exp(x * y), sp.atan2(y, x), sp.Abs(x) ** 3], [x, y])
    module = llvm.parse_assembly(kernel.llvm("decorated", "batch"))
    module.triple = "aarch64-unknown-linux-gnu"
    machine = llvm.Target.from_triple(module.triple).create_target_machine(cpu="generic", opt=2, reloc="pic", codemodel="small")
    text = machine.emit_assembly(module)
    called = set(re.findall(r"\bbl\s+(\S+)", text))
    defined = set(re.findall(r"^(\w+):", text, re.MULTILINE))
    assert called <= defined
    assert len(re.findall(r"msr\s+FPCR", text)) == 2
    assert not NEGATED.search(text), "the lower end would be rounded the other way"


# -- Ctrl-C ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["ModuleRef", "TargetMachine"])
@pytest.mark.parametrize("compile", [native.object_code, native.first_object_code, native.assembly])
def test_ctrl_c_counts_while_what_was_compiled_is_given_back(kind: str, compile: Callable[[str], object],
                                                             monkeypatch: pytest.MonkeyPatch) -> None:
    """Python reports and forgets it in a finalizer, and the query would go on."""
    disposed: list[object] = []

    def dispose(self: object) -> None:
        disposed.append(self)
        raise KeyboardInterrupt

    monkeypatch.setattr(getattr(native.llvm, kind), "_dispose", dispose)
    with pytest.raises(KeyboardInterrupt):
        compile("define double @f(double %x) { ret double %x }")
    assert len(disposed) == 1


@pytest.mark.skipif(not X86, reason="x86-64 has levels")
def test_a_lower_level_of_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """All code is made for it, under names of its own, and nothing that this processor is not."""
    own = native.host()
    key = native.code_key("a")
    try:
        for named in ("x86-64-v3", "haswell"):
            native.host.cache_clear()
            monkeypatch.setenv(native.PROCESSOR, named)
            if named == "haswell":
                with pytest.raises(ValueError, match=r"GENERATIVE_COLLISION_CPU must be one of x86-64-v3.* got 'haswell'"):
                    native.host()
            else:
                assert native.host() == (named, "") and native.code_key("a") != key and not native.has_wide_registers(None)
                assert native.assembly(graph_text(), None).count("zmm") == 0
    finally:
        monkeypatch.delenv(native.PROCESSOR)
        native.host.cache_clear()
    assert native.host() == own and native.code_key("a") == key


def graph_text() -> str:
    pool = ExprPool()
    return codegen.Kernel([pool.variable(0) * pool.variable(1)], ["x", "y"]).llvm("interval", "block")
