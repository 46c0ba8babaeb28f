"""Memory of native loops: fields, rows and views as LLVM values, and how instructions are written. See `loops`."""

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn, Protocol, get_args, get_origin

from .structures import LANES, Box, Boxes, Described, FieldPlace, Floats, Grid, Ints, LaneArray, Record, Row, Rows, View

INT, FLOAT, BOOL, INTS, FLOATS, STRUCT, NONE = "i64", "double", "i1", "i64*", "double*", "struct", "void"
# The structure, which every function knows.
STRUCTURE = "%s"
Kind = str | type[Record]
_LLVM = {INTS: "ptr", FLOATS: "ptr", STRUCT: "ptr"}
# What fields are to the loop: the kind of a value, and of the elements of its array.
_KINDS: dict[Any, tuple[Kind, str]] = {int: (INT, INT), float: (FLOAT, FLOAT), Ints: (INTS, INT), Floats: (FLOATS, FLOAT),
                                       Grid[int]: (INTS, INT), Grid[float]: (FLOATS, FLOAT)}

# What the optimizer may know of memory: the addresses in the structure do not change during a call, and arrays of
# integers and of doubles do not overlap.
TYPES = {INT: "!4", FLOAT: "!5"}
METADATA = ("!0 = !{}", '!1 = !{!"arrays"}', '!2 = !{!"integers", !1, i64 0}', '!3 = !{!"doubles", !1, i64 0}',
            "!4 = !{!2, !2, i64 0}", "!5 = !{!3, !3, i64 0}", "!6 = distinct !{}",
            '!7 = !{!"llvm.loop.parallel_accesses", !6}', f'!8 = !{{!"llvm.loop.vectorize.width", i32 {LANES}}}',
            '!9 = !{!"llvm.loop.vectorize.enable", i1 true}', '!10 = !{!"llvm.loop.unroll.disable"}')


class UnsupportedPython(SyntaxError):
    """A construct outside the subset; the message names the function and the line."""


class LoopValue(NamedTuple):
    """An SSA value or literal and its kind; the sizes of what lies in an array of arrays, or of records."""

    name: str
    kind: Kind
    inner: tuple[str, ...] = ()


def llvm_type(kind: Kind) -> str:
    if isinstance(kind, str):
        return _LLVM.get(kind, kind)
    return INT if issubclass(kind, Row) else "ptr"


def of_rows(kind: Any) -> Any:
    """The array of records that follow each other, or None."""
    return Box if kind is Boxes else get_args(kind)[0] if get_origin(kind) is Rows else None


class LoopModule(Protocol):
    """The parts of a module that its expressions need."""

    memory: Described
    structure: type
    position: dict[str, int]
    text: list[str]

    def function(self, function: Callable[..., Any], kinds: tuple[Kind, ...]) -> tuple[str, Kind]:
        """Name and result kind of a native function for these argument kinds."""
        ...

    def declare(self, name: str, signature: str) -> None: ...

    def constants(self, values: Sequence[float]) -> str: ...

    def loop(self) -> str: ...


class Places:
    """Writes instructions, and finds what a function names in memory; expressions come on top (`loop_values`)."""

    def __init__(self, module: LoopModule, function: Callable[..., Any]) -> None:
        self.module, self.python = module, function
        self.globals: Mapping[str, Any] = function.__globals__
        self.allocas: list[str] = []
        self.lines: list[str] = []
        self.variables: dict[str, LoopValue] = {}
        self.count = 0
        self.open = True
        self.group = ""

    def unsupported(self, node: ast.AST) -> NoReturn:
        self.fail(node, f"{type(node).__name__} is outside the subset of native loops")

    def fail(self, node: ast.AST, message: str) -> NoReturn:
        line = getattr(node, "lineno", self.python.__code__.co_firstlineno)
        raise UnsupportedPython(f"{self.python.__module__}.{self.python.__name__}, line {line}: {message}")

    # -- writing ------------------------------------------------------------------------------------------------

    def emit(self, instruction: str) -> str:
        self.count += 1
        self.lines.append(f"  %t{self.count} = {instruction}")
        return f"%t{self.count}"

    def label(self) -> str:
        self.count += 1
        return f"b{self.count}"

    def start(self, label: str) -> None:
        self.lines.append(f"{label}:")
        self.open = True

    def end(self, instruction: str) -> None:
        """A terminator; what follows in the same Python block is unreachable."""
        if self.open:
            self.lines.append(f"  {instruction}")
        self.open = False

    def slot(self, kind: Kind) -> str:
        self.count += 1
        self.allocas.append(f"  %s{self.count} = alloca {llvm_type(kind)}")
        return f"%s{self.count}"

    def load(self, pointer: str, kind: Kind, about: str = "") -> LoopValue:
        return LoopValue(self.emit(f"load {llvm_type(kind)}, ptr {pointer}{about}{self.group}"), kind)

    def put(self, value: LoopValue, pointer: str, about: str = "") -> None:
        self.lines.append(f"  store {llvm_type(value.kind)} {value.name}, ptr {pointer}{about}{self.group}")

    def convert(self, value: LoopValue, kind: Kind, node: ast.AST) -> LoopValue:
        if value.kind == kind:
            return value
        if kind == FLOAT and value.kind == INT:
            return LoopValue(self.emit(f"sitofp i64 {value.name} to double"), FLOAT)
        if kind == INT and value.kind == BOOL:
            return LoopValue(self.emit(f"zext i1 {value.name} to i64"), INT)
        self.fail(node, f"a value of kind {value.kind} where {kind} is needed")

    def value(self, node: ast.expr) -> "LoopValue":
        """An expression."""
        raise NotImplementedError

    def constant(self, x: Any, node: ast.AST) -> "LoopValue":
        """A constant of the module."""
        raise NotImplementedError

    # -- memory -------------------------------------------------------------------------------------------------

    def of_Attribute(self, node: ast.Attribute) -> LoopValue:
        if isinstance(node.value, ast.Name) and node.value.id not in self.variables:
            return self.constant(getattr(self.globals.get(node.value.id), node.attr, None), node)
        owner = self.value(node.value)
        if isinstance(owner.kind, type) and issubclass(owner.kind, View) and node.attr == "at":
            return LoopValue(owner.name, FLOATS)
        place = self.place(owner, node)
        if place.array == "":
            return LoopValue(owner.name, INT)
        if place.kind in (int, float) or (place.row and place.at >= 0):
            pointer, kind = self.scalar(owner, place)
            number = self.load(pointer, kind, f", !tbaa {TYPES[kind]}").name
            return LoopValue(number, place.kind if place.row else kind)
        return self.array(owner, place)

    def place(self, owner: LoopValue, node: ast.Attribute) -> FieldPlace:
        cls = self.module.structure if owner.kind == STRUCT else owner.kind
        known = self.module.memory.places.get(cls, {}) if isinstance(cls, type) else {}
        if node.attr not in known:
            self.fail(node, f"the structure has no array {node.attr!r}" if owner.kind == STRUCT else f"{owner.kind} has no {node.attr!r}")
        return known[node.attr]

    def pointer(self, name: str) -> str:
        """The address of the beginning of an array."""
        at = self.emit(f"getelementptr ptr, ptr {STRUCTURE}, i64 {self.module.position[name]}")
        return self.emit(f"load ptr, ptr {at}, !invariant.load !0")

    def product(self, sizes: Sequence[int | str]) -> str:
        """A product of sizes, of which the structure knows those that have names."""
        result = str(math.prod(size for size in sizes if isinstance(size, int)))
        for size in sizes:
            if isinstance(size, str):
                pointer, _ = self.scalar(LoopValue(STRUCTURE, STRUCT), self.module.memory.places[self.module.structure][size])
                result = self.times(self.load(pointer, INT, f", !tbaa {TYPES[INT]}").name, result)
        return result

    def times(self, a: str, b: str) -> str:
        return a if b == "1" else self.emit(f"mul i64 {a}, {b}")

    def offset(self, owner: LoopValue, place: FieldPlace) -> str:
        """The address of a number in its array."""
        if owner.kind == STRUCT or place.at < 0:
            return str(place.at) if owner.kind == STRUCT else owner.name
        row = self.emit(f"mul i64 {owner.name}, {self.module.memory.length(place.array)}")
        return self.emit(f"add i64 {row}, {place.at}")

    def scalar(self, owner: LoopValue, place: FieldPlace) -> tuple[str, str]:
        _, element = _KINDS[int if place.row else place.kind]
        return self.emit(f"getelementptr {element}, ptr {self.pointer(place.array)}, i64 {self.offset(owner, place)}"), element

    def array(self, owner: LoopValue, place: FieldPlace) -> LoopValue:
        """An array, or the part of it that belongs to a row; the record that lies there."""
        if place.at >= 0:
            return LoopValue(self.scalar(owner, place)[0], INTS)
        if place.row:
            return LoopValue("", place.kind, ("1",))
        kind, element = _KINDS.get(place.kind, (of_rows(place.kind) or place.kind, FLOAT))
        begin, shape = self.pointer(place.array), place.shape
        if owner.kind != STRUCT:
            shape = shape[1:]
            begin = self.emit(f"getelementptr {element}, ptr {begin}, i64 {self.times(owner.name, self.product(shape))}")
        if of_rows(place.kind):
            return LoopValue(begin, kind, (self.product(shape[1:]),))
        return LoopValue(begin, kind, tuple(self.product((size,)) for size in shape[1:]) if get_origin(place.kind) is Grid else ())

    def of_Subscript(self, node: ast.Subscript) -> LoopValue:
        if isinstance(node.value, ast.Tuple):
            table = self.module.constants([float(ast.literal_eval(e)) for e in node.value.elts])
            return self.load(self.emit(f"getelementptr double, ptr {table}, i64 {self.index(node.slice)}"), FLOAT)
        array = self.value(node.value)
        if array.inner and isinstance(array.kind, type):
            row = self.index(node.slice)
            if issubclass(array.kind, Row):
                return LoopValue(row, array.kind)
            return LoopValue(self.emit(f"getelementptr double, ptr {array.name}, i64 {self.times(row, *array.inner)}"), array.kind)
        pointer, kind = self.element(node, array)
        return self.load(pointer, kind, f", !tbaa {TYPES[kind]}")

    def index(self, node: ast.expr) -> str:
        return self.convert(self.value(node), INT, node).name

    def element(self, node: ast.Subscript, array: LoopValue) -> tuple[str, str]:
        if array.kind not in (INTS, FLOATS, LaneArray):
            self.fail(node, "only arrays and constant tuples can be indexed")
        kind = INT if array.kind == INTS else FLOAT
        inner = (str(LANES),) if array.kind is LaneArray else array.inner
        at, *rest = map(self.index, node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice])
        if len(rest) != len(inner):
            self.fail(node, f"{len(inner) + 1} indices are needed, not {len(rest) + 1}")
        for size, k in zip(inner, rest, strict=True):
            at = self.emit(f"add i64 {self.times(at, size)}, {k}")
        return self.emit(f"getelementptr {kind}, ptr {array.name}, i64 {at}"), kind
