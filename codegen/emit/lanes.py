"""Emission of LLVM IR for arithmetic on SIMD lanes: the only home of rounding modes and of the SIMD width.

A `Lanes` writes the body of one function as LLVM assembly text. Its values are vectors of `width` doubles (the
logical width is 8 on every machine; LLVM splits a vector where registers are narrower), its masks are vectors of
`width` booleans, and its bits are vectors of `width` 64-bit integers. All three are SSA names or literals (`str`).

Rounding. With ``rounding="upward"`` every `add`, `sub`, `mul`, `div`, `sqrt` and `fma` is a constrained intrinsic
and returns the least double not below the exact result (design decision: directed rounding, one mode for both
ends of an interval). Ordinary IR would let the optimizer turn ``-(x*c)`` into ``x*(-c)``, which rounds differently.
With ``rounding="nearest"`` plain IR is emitted, without any fast-math flag. Comparisons, selections, `neg`, `abs`,
`floor` and the integer operations are exact in both.

NaN. `max` and `min` are compare-and-select: ``max(a, b) = a if a > b else b``, so a NaN in either operand yields
the *second* operand. Callers put the operand that is never NaN second.
"""

import math
import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

WIDTH = 8

Kind = Literal["interval", "decorated", "points"]
"""The kind of the code of a kernel."""

_CONSTRAINED = 'metadata !"round.upward", metadata !"fpexcept.ignore"'


def literal(x: float) -> str:
    """The exact LLVM literal of a double (LLVM reads 0x followed by its 16 hexadecimal digits)."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"


Declarations = dict[str, str | Callable[[], str]]
"""The declarations of a module, by name: text, or a function that writes it once the text of the module is wanted."""


class Lanes:
    """Writer of one function body over vectors of doubles.

    `lines` collects the instructions, `intrinsics` the declarations they need (shared by the module).
    """

    def __init__(self, intrinsics: "Declarations", width: int = WIDTH, rounding: str = "upward") -> None:
        self.width, self.rounding = width, rounding
        self.intrinsics = intrinsics
        self.lines: list[str] = []
        self.vector, self.mask, self.bits = f"<{width} x double>", f"<{width} x i1>", f"<{width} x i64>"
        self._count = 0

    # -- writing ------------------------------------------------------------------------------------------------

    def emit(self, instruction: str) -> str:
        """Append ``%k = instruction`` and return ``%k``."""
        self._count += 1
        name = f"%r{self._count}"
        self.lines.append(f"  {name} = {instruction}")
        return name

    def _intrinsic(self, name: str, arity: int, constrained: bool) -> None:
        if name not in self.intrinsics:
            extra = ", metadata, metadata" if constrained else ""
            arguments = ", ".join([self.vector] * arity) + extra
            self.intrinsics[name] = f"declare {self.vector} @{name}({arguments})"

    def _call(self, name: str, *args: str) -> str:
        name = f"llvm.{name}.v{self.width}f64"
        self._intrinsic(name, len(args), constrained=False)
        return self.emit(f"call {self.vector} @{name}({', '.join(f'{self.vector} {a}' for a in args)})")

    def _rounded(self, name: str, *args: str) -> str:
        if self.rounding == "nearest":
            if name in ("fma", "sqrt"):
                return self._call(name, *args)
            return self.emit(f"{name} {self.vector} {', '.join(args)}")
        name = f"llvm.experimental.constrained.{name}.v{self.width}f64"
        self._intrinsic(name, len(args), constrained=True)
        operands = ", ".join(f"{self.vector} {a}" for a in args)
        return self.emit(f"call {self.vector} @{name}({operands}, {_CONSTRAINED}) #1")

    def load(self, pointer: str, position: int | str) -> str:
        """The vector at `position` of an array of vectors, a number or a value of 64 bits."""
        at = self.emit(f"getelementptr inbounds {self.vector}, ptr {pointer}, i64 {position}")
        return self.emit(f"load {self.vector}, ptr {at}, align 8")

    def store(self, pointer: str, position: int | str, value: str) -> None:
        at = self.emit(f"getelementptr inbounds {self.vector}, ptr {pointer}, i64 {position}")
        self.lines.append(f"  store {self.vector} {value}, ptr {at}, align 8")

    def row(self, name: str, rows: Callable[[], Sequence[Sequence[float]]], index: str, columns: int) -> list[str]:
        """Row `index` (bits) of a constant table, one of its own for each lane, as a vector a column."""
        self.table(name, rows)
        starts = [self.emit(f"mul i64 {self.emit(f'extractelement {self.bits} {index}, i64 {k}')}, {columns}") for k in range(self.width)]
        places = [self.emit(f"getelementptr double, ptr @{name}, i64 {start}") for start in starts]
        pairs = [self._pair(places, j) for j in range(0, columns - 1, 2)]
        return [column for pair in pairs for column in pair] + [self._gathered(places, columns - 1)] * (columns % 2)

    def table(self, name: str, rows: Callable[[], Sequence[Sequence[float]]]) -> None:
        """Declare a constant table."""
        self.intrinsics[name] = lambda: _table(name, rows())

    def _pair(self, places: Sequence[str], offset: int) -> tuple[str, str]:
        """Two columns that are neighbours: of each lane both numbers at once, even and odd lanes by themselves, and then exchanged."""
        two = "<2 x double>"
        at = [self.emit(f"load {two}, ptr {self.emit(f'getelementptr double, ptr {place}, i64 {offset}')}, align 8") for place in places]
        even, odd = self._joined(at[::2]), self._joined(at[1::2])
        size = self.width
        first, second = ([k + j + size * odd_lane for k in range(0, size, 2) for odd_lane in (0, 1)] for j in (0, 1))
        return self._shuffled(even, odd, size, first), self._shuffled(even, odd, size, second)

    def _joined(self, parts: Sequence[str]) -> str:
        """Vectors of two, one behind the other."""
        size = 2
        while len(parts) > 1:
            parts = [self._shuffled(a, b, size, range(2 * size)) for a, b in zip(parts[::2], parts[1::2], strict=True)]
            size *= 2
        return parts[0]

    def _shuffled(self, a: str, b: str, size: int, places: Iterable[int]) -> str:
        """The elements at these places of two vectors, one behind the other."""
        chosen = [f"i32 {k}" for k in places]
        return self.emit(f"shufflevector <{size} x double> {a}, <{size} x double> {b}, <{len(chosen)} x i32> <{', '.join(chosen)}>")

    def _gathered(self, places: Sequence[str], offset: int) -> str:
        vector = "poison"
        for k, place in enumerate(places):
            at = self.emit(f"getelementptr double, ptr {place}, i64 {offset}")
            vector = self.emit(f"insertelement {self.vector} {vector}, double {self.emit(f'load double, ptr {at}')}, i64 {k}")
        return vector

    # -- branches -----------------------------------------------------------------------------------------------

    def rarely(self, mask: str, name: str, function: "Emit", given: Sequence[str], usual: Sequence[str],
               cold: bool = True) -> list[str]:
        """The vectors `usual`, with those that ``function(lanes, *given)`` makes in their places where the mask holds. The function is
        `name` in the module, and runs if the mask holds in any lane: elsewhere its results are not looked at. `cold`: seldom.
        """
        types = "{ " + ", ".join([self.vector] * len(usual)) + " }"
        if name not in self.intrinsics:
            self.intrinsics[name] = ""  # what the function declares in turn comes behind it
            self.intrinsics[name] = self._own(name, function, len(given), " cold" * cold)
        reduce = f"llvm.vector.reduce.or.v{self.width}i1"
        self.intrinsics.setdefault(reduce, f"declare i1 @{reduce}({self.mask})")
        any_lane = self.emit(f"call i1 @{reduce}({self.mask} {mask})")
        label = any_lane[1:]
        self.lines += [f"  br label %before.{label}", f"before.{label}:", f"  br i1 {any_lane}, label %rare.{label}, label %after.{label}",
                       f"rare.{label}:"]
        packed = self.emit(f"call fastcc {types} @{name}({', '.join(f'{self.vector} {a}' for a in given)})")
        made = [self.select(mask, self.emit(f"extractvalue {types} {packed}, {k}"), a) for k, a in enumerate(usual)]
        self.lines += [f"  br label %after.{label}", f"after.{label}:"]
        return [self.emit(f"phi {self.vector} [ {a}, %before.{label} ], [ {b}, %rare.{label} ]") for a, b in zip(usual, made, strict=True)]

    def called(self, name: str, function: "Emit", *args: str) -> tuple[str, ...]:
        """The results of a function of its own, written once in the module of these lanes: for parts of library functions."""
        name = f"part_{name}"
        if name not in self.intrinsics:
            self.intrinsics[name] = ""
            self.intrinsics[name] = self._own(name, function, len(args), "")
        types = str(self.intrinsics[name]).partition("fastcc ")[2].partition(" @")[0]
        packed = self.emit(f"call fastcc {types} @{name}({', '.join(f'{self.vector} {a}' for a in args)})")
        return tuple(self.emit(f"extractvalue {types} {packed}, {k}") for k in range(types.count("double")))

    def _own(self, name: str, function: "Emit", arity: int, kind: str) -> str:
        """The text of a function that takes and returns vectors."""
        lanes = Lanes(self.intrinsics, self.width, self.rounding)
        values = function(lanes, *(f"%a{k}" for k in range(arity)))
        types, packed = "{ " + ", ".join([self.vector] * len(values)) + " }", "poison"
        for k, value in enumerate(values):
            packed = lanes.emit(f"insertvalue {types} {packed}, {lanes.vector} {value}, {k}")
        parameters = ", ".join(f"{self.vector} %a{k}" for k in range(arity))
        body = "\n".join(lanes.lines)
        return f"define internal fastcc {types} @{name}({parameters}) #2{kind} {{\n{body}\n  ret {types} {packed}\n}}"

    # -- rounded arithmetic -------------------------------------------------------------------------------------

    def const(self, x: float) -> str:
        """The same double in every lane."""
        return f"splat (double {literal(x)})"

    def add(self, a: str, b: str) -> str:
        return self._rounded("fadd", a, b)

    def sub(self, a: str, b: str) -> str:
        return self._rounded("fsub", a, b)

    def mul(self, a: str, b: str) -> str:
        return self._rounded("fmul", a, b)

    def div(self, a: str, b: str) -> str:
        return self._rounded("fdiv", a, b)

    def sqrt(self, a: str) -> str:
        return self._rounded("sqrt", a)

    def fma(self, a: str, b: str, c: str) -> str:
        """a*b + c with one rounding."""
        return self._rounded("fma", a, b, c)

    # -- exact operations ---------------------------------------------------------------------------------------

    def neg(self, a: str) -> str:
        return self.emit(f"fneg {self.vector} {a}")

    def abs(self, a: str) -> str:
        return self._call("fabs", a)

    def floor(self, a: str) -> str:
        return self._call("floor", a)

    def copysign(self, magnitude: str, sign: str) -> str:
        return self._call("copysign", magnitude, sign)

    def max(self, a: str, b: str) -> str:
        """a if a > b else b: a NaN in either operand yields b."""
        return self.select(self.gt(a, b), a, b)

    def min(self, a: str, b: str) -> str:
        """a if a < b else b: a NaN in either operand yields b."""
        return self.select(self.lt(a, b), a, b)

    # -- comparisons (false when an operand is NaN, except `isnan`) and masks --------------------------------------

    def _compare(self, how: str, a: str, b: str) -> str:
        return self.emit(f"fcmp {how} {self.vector} {a}, {b}")

    def lt(self, a: str, b: str) -> str:
        return self._compare("olt", a, b)

    def le(self, a: str, b: str) -> str:
        return self._compare("ole", a, b)

    def gt(self, a: str, b: str) -> str:
        return self._compare("ogt", a, b)

    def ge(self, a: str, b: str) -> str:
        return self._compare("oge", a, b)

    def eq(self, a: str, b: str) -> str:
        return self._compare("oeq", a, b)

    def isnan(self, a: str) -> str:
        return self._compare("uno", a, a)

    def negative(self, a: str) -> str:
        """Whether the sign bit is set. That of -0 is."""
        return self.emit(f"icmp slt {self.bits} {self.to_bits(a)}, zeroinitializer")

    def select(self, mask: str, a: str, b: str) -> str:
        """a where the mask holds, b elsewhere (vectors of doubles)."""
        return self.emit(f"select {self.mask} {mask}, {self.vector} {a}, {self.vector} {b}")

    def mask_const(self, value: bool) -> str:
        return f"splat (i1 {'true' if value else 'false'})"

    def both(self, a: str, b: str) -> str:
        return self.emit(f"and {self.mask} {a}, {b}")

    def either(self, a: str, b: str) -> str:
        return self.emit(f"or {self.mask} {a}, {b}")

    def differ(self, a: str, b: str) -> str:
        return self.emit(f"xor {self.mask} {a}, {b}")

    def invert(self, a: str) -> str:
        return self.differ(a, self.mask_const(True))

    # -- bits ---------------------------------------------------------------------------------------------------

    def to_bits(self, a: str) -> str:
        """The IEEE 754 encoding as 64-bit integers."""
        return self.emit(f"bitcast {self.vector} {a} to {self.bits}")

    def from_bits(self, a: str) -> str:
        return self.emit(f"bitcast {self.bits} {a} to {self.vector}")

    def bits_const(self, value: int) -> str:
        return f"splat (i64 {value})"

    def _bits(self, how: str, a: str, b: str) -> str:
        return self.emit(f"{how} {self.bits} {a}, {b}")

    def bits_add(self, a: str, b: str) -> str:
        return self._bits("add", a, b)

    def bits_sub(self, a: str, b: str) -> str:
        return self._bits("sub", a, b)

    def bits_and(self, a: str, b: str) -> str:
        return self._bits("and", a, b)

    def bits_xor(self, a: str, b: str) -> str:
        return self._bits("xor", a, b)

    def bits_mul(self, a: str, b: str) -> str:
        """The product modulo 2^64."""
        return self._bits("mul", a, b)

    def bits_shift_left(self, a: str, by: str) -> str:
        """Each lane by its own number of bits, below 64."""
        return self._bits("shl", a, by)

    def shift_left(self, a: str, by: int) -> str:
        return self._bits("shl", a, self.bits_const(by))

    def shift_right(self, a: str, by: int) -> str:
        """Logical shift: zeros come in from the left."""
        return self._bits("lshr", a, self.bits_const(by))

    def bits_eq(self, a: str, b: str) -> str:
        return self.emit(f"icmp eq {self.bits} {a}, {b}")


def _table(name: str, rows: Sequence[Sequence[float]]) -> str:
    numbers = [f"double {literal(x)}" for row in rows for x in row]
    return f"@{name} = private constant [{len(numbers)} x double] [{', '.join(numbers)}]"


Emit = Callable[..., tuple[str, ...]]
"""A library function: (Lanes, *vectors) -> vectors, emitted once a module and called by name."""


class Module:
    """LLVM assembly of one module: a library of vector functions emitted on demand, and entry points.

    A library function takes and returns vectors. One of up to `longest` instructions is written where it is used;
    for others `call` emits a function on first use and calls it by name, which compiles much faster.
    (LLVM's own inliner is not used: in a strictfp function it turns comparisons into constrained ones, which no
    longer become maximum instructions.)
    """

    def __init__(self, width: int = WIDTH, rounding: str = "upward", longest: float = math.inf) -> None:
        self.width, self.rounding, self.longest = width, rounding, longest
        self.intrinsics: Declarations = {}
        self.functions: dict[str, str] = {}
        self._results: dict[str, int] = {}
        self._lengths: dict[str, int] = {}

    def lanes(self) -> Lanes:
        return Lanes(self.intrinsics, self.width, self.rounding)

    def call(self, lanes: Lanes, name: str, function: Emit, *args: str) -> tuple[str, ...]:
        """The results of the library function `name`, written by `function`."""
        if self._short(name, function, len(args)):
            return tuple(function(lanes, *args))
        if name not in self._results:
            self._results[name] = self._define(name, function, len(args))
        count = self._results[name]
        results = self._type(lanes, count)
        operands = ", ".join(f"{lanes.vector} {a}" for a in args)
        packed = lanes.emit(f"call fastcc {results} @{name}({operands})")
        return tuple(lanes.emit(f"extractvalue {results} {packed}, {k}") for k in range(count))

    def _short(self, name: str, function: Emit, arity: int) -> bool:
        if math.isinf(self.longest):
            return True
        if name not in self._lengths:
            lanes = self.lanes()
            function(lanes, *(f"%a{k}" for k in range(arity)))
            self._lengths[name] = len(lanes.lines)
        return self._lengths[name] <= self.longest

    def _define(self, name: str, function: Emit, arity: int) -> int:
        lanes = self.lanes()
        values = function(lanes, *(f"%a{k}" for k in range(arity)))
        results = self._type(lanes, len(values))
        packed = "poison"
        for k, value in enumerate(values):
            packed = lanes.emit(f"insertvalue {results} {packed}, {lanes.vector} {value}, {k}")
        parameters = ", ".join(f"{lanes.vector} %a{k}" for k in range(arity))
        body = "\n".join(lanes.lines)
        self.functions[name] = (f"define internal fastcc {results} @{name}({parameters}) #2 {{\n"
                                f"{body}\n  ret {results} {packed}\n}}")
        return len(values)

    @staticmethod
    def _type(lanes: Lanes, count: int) -> str:
        return "{ " + ", ".join([lanes.vector] * count) + " }"

    def add(self, name: str, text: str) -> None:
        """Add a function written elsewhere (an entry point)."""
        self.functions[name] = text

    def text(self) -> str:
        wide = f'"prefer-vector-width"="512" "min-legal-vector-width"="{64 * self.width if self.width <= 8 else 512}"'
        strict = "strictfp " if self.rounding == "upward" else ""
        attributes = (f"attributes #1 = {{ strictfp }}\n"
                      f"attributes #2 = {{ {strict}nounwind noinline {wide} }}\n"
                      f"attributes #4 = {{ nounwind }}\n")
        declared = [text if isinstance(text, str) else text() for text in self.intrinsics.values()]
        return "\n".join([*declared, *self.functions.values(), attributes])
