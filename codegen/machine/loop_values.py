"""Expressions of native loops: how they become LLVM values. See `loops`."""

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn, Protocol, get_origin

from ..emit.lanes import literal
from .structures import LANES, Box, Boxes, Described, Floats, Grid, Ints, Lanes, Place, Record, Row, View

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
            "!4 = !{!2, !2, i64 0}", "!5 = !{!3, !3, i64 0}")


def call_kernel(address: int, *pointers: Any) -> None:
    """Call ``void f(void *, ...)`` at an address, from native code only; the arguments are arrays or addresses."""
    raise RuntimeError("call_kernel works in compiled loops only")


class UnsupportedPython(SyntaxError):
    """A construct outside the subset; the message names the function and the line."""


class Value(NamedTuple):
    """An SSA value or literal and its kind; the length of a row, of an array that has rows."""

    name: str
    kind: Kind
    row: str = ""


def llvm_type(kind: Kind) -> str:
    if isinstance(kind, str):
        return _LLVM.get(kind, kind)
    return INT if issubclass(kind, Row) else "ptr"


class LoopModule(Protocol):
    """What expressions need of the module they are compiled into."""

    memory: Described
    structure: type
    position: dict[str, int]
    text: list[str]

    def function(self, function: Callable[..., Any], kinds: tuple[Kind, ...]) -> tuple[str, Kind]:
        """Name and result kind of a native function for these argument kinds."""
        ...

    def declare(self, name: str, signature: str) -> None: ...

    def constants(self, values: Sequence[float]) -> str: ...


class Expressions:
    """Translates the expressions of one function; statements come on top (`loops`)."""

    def __init__(self, module: LoopModule, function: Callable[..., Any], first_line: int) -> None:
        self.module, self.python, self.first_line = module, function, first_line
        self.globals: Mapping[str, Any] = function.__globals__
        self.allocas: list[str] = []
        self.lines: list[str] = []
        self.variables: dict[str, Value] = {}
        self.count = 0
        self.open = True

    def unsupported(self, node: ast.AST) -> NoReturn:
        self.fail(node, f"{type(node).__name__} is outside the subset of native loops")

    def fail(self, node: ast.AST, message: str) -> NoReturn:
        line = self.first_line + getattr(node, "lineno", 1) - 1
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

    def load(self, pointer: str, kind: Kind, about: str = "") -> Value:
        return Value(self.emit(f"load {llvm_type(kind)}, ptr {pointer}{about}"), kind)

    def put(self, value: Value, pointer: str, about: str = "") -> None:
        self.lines.append(f"  store {llvm_type(value.kind)} {value.name}, ptr {pointer}{about}")

    # -- expressions --------------------------------------------------------------------------------------------

    def value(self, node: ast.expr) -> Value:
        result: Value = getattr(self, f"of_{type(node).__name__}", self.unsupported)(node)
        return result

    def truth(self, node: ast.expr) -> str:
        value = self.value(node)
        return value.name if value.kind == BOOL else self.emit(f"icmp ne i64 {self.convert(value, INT, node).name}, 0")

    def convert(self, value: Value, kind: Kind, node: ast.AST) -> Value:
        if value.kind == kind:
            return value
        if kind == FLOAT and value.kind == INT:
            return Value(self.emit(f"sitofp i64 {value.name} to double"), FLOAT)
        if kind == INT and value.kind == BOOL:
            return Value(self.emit(f"zext i1 {value.name} to i64"), INT)
        self.fail(node, f"a value of kind {value.kind} where {kind} is needed")

    def constant(self, x: Any, node: ast.AST) -> Value:
        if isinstance(x, bool):
            return Value("true" if x else "false", BOOL)
        if isinstance(x, int):
            return Value(str(x), INT)
        if isinstance(x, float):
            return Value(literal(x), FLOAT)
        self.fail(node, f"{x!r} is no number")

    def of_Constant(self, node: ast.Constant) -> Value:
        return self.constant(node.value, node)

    def of_Name(self, node: ast.Name) -> Value:
        if node.id in self.variables:
            pointer, kind, _ = self.variables[node.id]
            return Value(STRUCTURE, STRUCT) if kind == STRUCT else self.load(pointer, kind)
        if node.id not in self.globals:
            self.fail(node, f"{node.id} is not defined")
        return self.constant(self.globals[node.id], node)

    # -- memory -------------------------------------------------------------------------------------------------

    def of_Attribute(self, node: ast.Attribute) -> Value:
        if isinstance(node.value, ast.Name) and node.value.id not in self.variables:
            return self.constant(getattr(self.globals.get(node.value.id), node.attr, None), node)
        owner = self.value(node.value)
        if isinstance(owner.kind, type) and issubclass(owner.kind, View) and node.attr == "at":
            return Value(owner.name, FLOATS)
        place = self.place(owner, node)
        if place.array == "":
            return Value(owner.name, INT)
        if place.kind in (int, float):
            pointer, kind = self.scalar(owner, place)
            return self.load(pointer, kind, f", !tbaa {TYPES[kind]}")
        return self.array(owner, place)

    def place(self, owner: Value, node: ast.Attribute) -> Place:
        cls = self.module.structure if owner.kind == STRUCT else owner.kind
        known = self.module.memory.places.get(cls, {}) if isinstance(cls, type) else {}
        if node.attr not in known:
            self.fail(node, f"the structure has no array {node.attr!r}" if owner.kind == STRUCT else f"{owner.kind} has no {node.attr!r}")
        return known[node.attr]

    def pointer(self, name: str) -> str:
        """Where an array begins."""
        at = self.emit(f"getelementptr ptr, ptr {STRUCTURE}, i64 {self.module.position[name]}")
        return self.emit(f"load ptr, ptr {at}, !invariant.load !0")

    def product(self, sizes: Sequence[int | str]) -> str:
        """A product of sizes, of which the structure knows those that have names."""
        result = str(math.prod(size for size in sizes if isinstance(size, int)))
        for size in sizes:
            if isinstance(size, str):
                pointer, _ = self.scalar(Value(STRUCTURE, STRUCT), self.module.memory.places[self.module.structure][size])
                result = self.times(self.load(pointer, INT, f", !tbaa {TYPES[INT]}").name, result)
        return result

    def times(self, a: str, b: str) -> str:
        return a if b == "1" else self.emit(f"mul i64 {a}, {b}")

    def offset(self, owner: Value, place: Place) -> str:
        """Of a number in its array."""
        if owner.kind == STRUCT or place.at < 0:
            return str(place.at) if owner.kind == STRUCT else owner.name
        row = self.emit(f"mul i64 {owner.name}, {self.module.memory.length(place.array)}")
        return self.emit(f"add i64 {row}, {place.at}")

    def scalar(self, owner: Value, place: Place) -> tuple[str, str]:
        _, element = _KINDS[place.kind]
        return self.emit(f"getelementptr {element}, ptr {self.pointer(place.array)}, i64 {self.offset(owner, place)}"), element

    def array(self, owner: Value, place: Place) -> Value:
        """An array, or the part of it that belongs to a row; the record that lies there."""
        if place.at >= 0:
            return Value(self.scalar(owner, place)[0], INTS)
        if isinstance(place.kind, type) and issubclass(place.kind, Row):
            return Value("", place.kind, "1")
        kind, element = _KINDS.get(place.kind, (Box if place.kind is Boxes else place.kind, FLOAT))
        begin, shape = self.pointer(place.array), place.shape
        if owner.kind != STRUCT:
            shape = shape[1:]
            begin = self.emit(f"getelementptr {element}, ptr {begin}, i64 {self.times(owner.name, self.product(shape))}")
        return Value(begin, kind, self.product(shape[1:]) if place.kind is Boxes or get_origin(place.kind) is Grid else "")

    def of_Subscript(self, node: ast.Subscript) -> Value:
        if isinstance(node.value, ast.Tuple):
            table = self.module.constants([float(ast.literal_eval(e)) for e in node.value.elts])
            return self.load(self.emit(f"getelementptr double, ptr {table}, i64 {self.index(node.slice)}"), FLOAT)
        array = self.value(node.value)
        if array.row and isinstance(array.kind, type):
            row = self.index(node.slice)
            if issubclass(array.kind, Row):
                return Value(row, array.kind)
            return Value(self.emit(f"getelementptr double, ptr {array.name}, i64 {self.times(row, array.row)}"), array.kind)
        pointer, kind = self.element(node, array)
        return self.load(pointer, kind, f", !tbaa {TYPES[kind]}")

    def index(self, node: ast.expr) -> str:
        return self.convert(self.value(node), INT, node).name

    def element(self, node: ast.Subscript, array: Value) -> tuple[str, str]:
        if array.kind not in (INTS, FLOATS, Lanes):
            self.fail(node, "only arrays and constant tuples can be indexed")
        kind = INT if array.kind == INTS else FLOAT
        if isinstance(node.slice, ast.Tuple):
            row, column = map(self.index, node.slice.elts)
            start = self.times(row, str(LANES) if array.kind is Lanes else array.row)
            at = self.emit(f"add i64 {start}, {column}")
        else:
            at = self.index(node.slice)
        return self.emit(f"getelementptr {kind}, ptr {array.name}, i64 {at}"), kind

    def of_BinOp(self, node: ast.BinOp) -> Value:
        if isinstance(node.op, ast.Pow):
            if not (isinstance(node.right, ast.Constant) and node.right.value == 2):
                self.fail(node, "only the power 2 is known")
            base = self.value(node.left)
            return self.binary(node, ast.Mult(), base, base)
        return self.binary(node, node.op, self.value(node.left), self.value(node.right))

    def binary(self, node: ast.AST, op: ast.operator, a: Value, b: Value) -> Value:
        if isinstance(op, (ast.BitAnd, ast.BitOr)) and a.kind == b.kind == BOOL:
            return Value(self.emit(f"{'and' if isinstance(op, ast.BitAnd) else 'or'} i1 {a.name}, {b.name}"), BOOL)
        division = isinstance(op, ast.Div)
        kind = FLOAT if division or FLOAT in (a.kind, b.kind) else INT
        a, b = self.convert(a, kind, node), self.convert(b, kind, node)
        names = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div"}
        integers = {ast.FloorDiv: "sdiv", ast.Mod: "srem"}
        if type(op) in names:
            instruction = ("f" if kind == FLOAT else "") + names[type(op)]
        elif kind == INT and type(op) in integers:
            # Equal to Python's for operands that are not negative, the only ones in use.
            instruction = integers[type(op)]
        else:
            self.fail(node, f"{type(op).__name__} is outside the subset of native loops")
        return Value(self.emit(f"{instruction} {kind} {a.name}, {b.name}"), kind)

    def of_UnaryOp(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return Value(self.emit(f"xor i1 {self.truth(node.operand)}, true"), BOOL)
        a = self.value(node.operand)
        if not isinstance(node.op, ast.USub):
            self.unsupported(node)
        return Value(self.emit(f"fneg double {a.name}" if a.kind == FLOAT else f"sub i64 0, {a.name}"), a.kind)

    def of_Compare(self, node: ast.Compare) -> Value:
        values = [self.value(v) for v in (node.left, *node.comparators)]
        result: str | None = None
        for op, a, b in zip(node.ops, values[:-1], values[1:], strict=True):
            one = self.compare(node, op, a, b)
            result = one if result is None else self.emit(f"and i1 {result}, {one}")
        assert result is not None
        return Value(result, BOOL)

    def compare(self, node: ast.AST, op: ast.cmpop, a: Value, b: Value) -> str:
        suffix = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne"}[type(op)]
        if FLOAT in (a.kind, b.kind):
            a, b = self.convert(a, FLOAT, node), self.convert(b, FLOAT, node)
            return self.emit(f"fcmp {'u' if suffix == 'ne' else 'o'}{suffix} double {a.name}, {b.name}")
        a, b = self.convert(a, INT, node), self.convert(b, INT, node)
        return self.emit(f"icmp {suffix if suffix in ('eq', 'ne') else 's' + suffix} i64 {a.name}, {b.name}")

    def of_BoolOp(self, node: ast.BoolOp) -> Value:
        """Short-circuit: what follows may only be meaningful where what precedes holds."""
        result, after = self.slot(BOOL), self.label()
        for k, part in enumerate(node.values):
            holds = self.truth(part)
            self.put(Value(holds, BOOL), result)
            if k < len(node.values) - 1:
                more = self.label()
                ways = (more, after) if isinstance(node.op, ast.And) else (after, more)
                self.end(f"br i1 {holds}, label %{ways[0]}, label %{ways[1]}")
                self.start(more)
        self.end(f"br label %{after}")
        self.start(after)
        return self.load(result, BOOL)

    def of_IfExp(self, node: ast.IfExp) -> Value:
        yes, no, after = self.label(), self.label(), self.label()
        self.end(f"br i1 {self.truth(node.test)}, label %{yes}, label %{no}")
        self.start(yes)
        a = self.value(node.body)
        result = self.slot(a.kind)
        self.put(a, result)
        self.end(f"br label %{after}")
        self.start(no)
        self.put(self.convert(self.value(node.orelse), a.kind, node), result)
        self.end(f"br label %{after}")
        self.start(after)
        return self.load(result, a.kind)

    def of_Call(self, node: ast.Call) -> Value:
        if isinstance(node.func, ast.Name) and node.func.id in ("min", "max", "abs"):
            return self.builtin(node, node.func.id, [self.value(a) for a in node.args])
        target, arguments = self.called(node)
        if isinstance(target, str):
            return self.intrinsic(node, target, arguments)
        if target is call_kernel:
            return self.kernel(arguments)
        if not getattr(target, "__native__", False):
            self.fail(node, f"{ast.unparse(node.func)} is not a native function")
        name, result = self.module.function(target, tuple(a.kind for a in arguments))
        passed = "".join(f", {llvm_type(a.kind)} {a.name}" for a in arguments if a.kind != STRUCT)
        call = f"call {llvm_type(result)} @{name}(ptr {STRUCTURE}{passed})"
        if result == NONE:
            self.lines.append(f"  {call}")
            return Value("", NONE)
        return Value(self.emit(call), result)

    def called(self, node: ast.Call) -> tuple[Any, list[Value]]:
        """A native function or the name of one of NumPy's, and arguments, of which the first is the record of a method."""
        function, owner = node.func, list[Value]()
        if isinstance(function, ast.Name):
            target = self.globals.get(function.id)
        elif isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id not in self.variables:
            target = function.attr
        elif isinstance(function, ast.Attribute):
            owner = [self.value(function.value)]
            target = getattr(owner[0].kind, function.attr, None)
        else:
            self.unsupported(function)
        arguments = owner + [self.value(a) for a in node.args]
        for a in arguments:
            if a.row and isinstance(a.kind, type):
                self.fail(node, "an array of records is no record")
        return target, arguments

    def kernel(self, arguments: Sequence[Value]) -> Value:
        target = self.emit(f"inttoptr i64 {arguments[0].name} to ptr")
        passed = []
        for a in arguments[1:]:
            passed.append("ptr " + (self.emit(f"inttoptr i64 {a.name} to ptr") if a.kind == INT else a.name))
        self.lines.append(f"  call void {target}({', '.join(passed)})")
        return Value("", NONE)

    def builtin(self, node: ast.AST, name: str, values: list[Value]) -> Value:
        kind = FLOAT if any(v.kind == FLOAT for v in values) else INT
        values = [self.convert(v, kind, node) for v in values]
        if name == "abs":
            if kind == FLOAT:
                return self.intrinsic(node, "fabs", values)
            values = [values[0], Value(self.emit(f"sub i64 0, {values[0].name}"), INT)]
        result = values[0]
        less = ("fcmp olt double" if kind == FLOAT else "icmp slt i64")
        for v in values[1:]:
            a, b = (v, result) if name == "min" else (result, v)
            better = self.emit(f"{less} {a.name}, {b.name}")
            result = Value(self.emit(f"select i1 {better}, {kind} {v.name}, {kind} {result.name}"), kind)
        return result

    def intrinsic(self, node: ast.AST, name: str, values: Sequence[Value]) -> Value:
        known = {"fabs": "fabs", "sqrt": "sqrt", "round": "roundeven", "rint": "roundeven", "floor": "floor", "ceil": "ceil"}
        if name not in known:
            self.fail(node, f"{name} is outside the subset of native loops")
        full = f"llvm.{known[name]}.f64"
        self.module.declare(full, "double (double)")
        return Value(self.emit(f"call double @{full}(double {self.convert(values[0], FLOAT, node).name})"), FLOAT)
