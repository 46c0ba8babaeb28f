"""Search loops written in a small subset of Python and compiled to native code.

The functions are ordinary Python on flat arrays, so they can be read, run and tested as such. `compile_loop`
translates one of them, with every function it calls, to LLVM: numbers are 64-bit integers and doubles in round-to-
nearest, arrays are bare pointers, nothing is counted or checked.

The subset: integers, floats and truth values; ``s.name[i]`` for an array of the structure passed around; assignment
(also swaps and ``+=``), ``if``, ``while``, ``for .. in range``, ``break``, ``continue``, ``return``, conditional
expressions, ``and``/``or``/``not`` (short-circuit), chained comparisons, ``min``, ``max``, ``abs``, constant tuples
indexed by an integer, module constants, calls of functions marked `native`, and `call_kernel`, which calls machine
code at an address. A variable keeps the kind it was first given.

Why not numba: for the collision search (70 functions) it needs 15 to 20 s of processor time before the first
answer, this needs about half a second, and a search should not take longer to start than to run.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from .lanes import literal

INT, FLOAT, BOOL, INTS, FLOATS, STRUCT, NONE = "i64", "double", "i1", "i64*", "double*", "struct", "void"
_LLVM = {INTS: "ptr", FLOATS: "ptr", STRUCT: "ptr"}


def native(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function as part of native loops; it stays an ordinary Python function."""
    function.__native__ = True  # type: ignore[attr-defined]
    return function


def call_kernel(address: int, *pointers: Any) -> None:
    """Call ``void f(void *, ...)`` at an address, from native code only; the arguments are arrays or addresses."""
    raise RuntimeError("call_kernel works in compiled loops only")


class UnsupportedPython(SyntaxError):
    """A construct outside the subset; the message names the function and the line."""


class Value(NamedTuple):
    """An SSA value or literal and its kind."""

    name: str
    kind: str


def loop_assembly(entry: Callable[..., Any], kinds: Sequence[str], fields: Mapping[str, str], name: str) -> str:
    """LLVM assembly with `entry`, compiled for arguments of these kinds, as the external function `name`.

    `fields` gives the kind (INTS or FLOATS) of every array of the structure, in the order of their addresses in
    memory.
    """
    module = _LoopModule(fields)
    inner, result = module.function(entry, tuple(kinds))
    parameters = ", ".join(f"{_llvm(k)} %a{i}" for i, k in enumerate(kinds))
    arguments = parameters
    call = f"call {_llvm(result)} @{inner}({arguments})"
    body = f"  {call}\n  ret void" if result == NONE else f"  %r = {call}\n  ret {_llvm(result)} %r"
    module.text.append(f"define {_llvm(result)} @{name}({parameters}) {{\n{body}\n}}")
    return "\n".join([*module.declarations.values(), *module.text])


def _llvm(kind: str) -> str:
    return _LLVM.get(kind, kind)


class _LoopModule:
    def __init__(self, fields: Mapping[str, str]) -> None:
        self.fields = {name: (position, kind) for position, (name, kind) in enumerate(fields.items())}
        self.text: list[str] = []
        self.declarations: dict[str, str] = {}
        self._done: dict[tuple[Any, tuple[str, ...]], tuple[str, str]] = {}

    def function(self, function: Callable[..., Any], kinds: tuple[str, ...]) -> tuple[str, str]:
        """Name and result kind of `function` specialized to argument kinds, compiled on first use."""
        key = function, kinds
        if key not in self._done:
            name = f"{function.__name__}.{len(self._done)}"
            self._done[key] = name, _Function(self, function, kinds, name).compile()
        return self._done[key]

    def declare(self, name: str, signature: str) -> None:
        result, _, arguments = signature.partition(" ")
        self.declarations[name] = f"declare {result} @{name}{arguments}"

    def constants(self, values: Sequence[float]) -> str:
        """A constant array of doubles."""
        name = f"@c{len(self.declarations)}"
        items = ", ".join(f"double {literal(float(v))}" for v in values)
        self.declarations[name] = f"{name} = private constant [{len(values)} x double] [{items}]"
        return name


class _Function:
    """Translates one function for given argument kinds."""

    def __init__(self, module: _LoopModule, function: Callable[..., Any], kinds: tuple[str, ...], name: str) -> None:
        self.module, self.python, self.kinds, self.name = module, function, kinds, name
        source, self.first_line = inspect.getsourcelines(function)
        self.tree = ast.parse(textwrap.dedent("".join(source))).body[0]
        self.globals: Mapping[str, Any] = function.__globals__
        self.allocas: list[str] = []
        self.lines: list[str] = []
        self.variables: dict[str, Value] = {}
        self.loops: list[tuple[str, str]] = []
        self.result: str | None = None
        self.count = 0
        self.open = True

    def compile(self) -> str:
        assert isinstance(self.tree, ast.FunctionDef)
        names = [a.arg for a in self.tree.args.args]
        if len(names) != len(self.kinds):
            self.fail(self.tree, f"{self.python.__name__} takes {len(names)} arguments, got {len(self.kinds)}")
        for i, (name, kind) in enumerate(zip(names, self.kinds, strict=True)):
            self.store_name(name, Value(f"%p{i}", kind), self.tree)
        self.block(self.tree.body)
        if self.open:
            if self.result not in (None, NONE):
                self.fail(self.tree, "a path ends without a value")
            self.end("ret void")
        result = self.result or NONE
        parameters = ", ".join(f"{_llvm(k)} %p{i}" for i, k in enumerate(self.kinds))
        body = "\n".join(["entry:", *self.allocas, *self.lines])
        self.module.text.append(f"define internal {_llvm(result)} @{self.name}({parameters}) {{\n{body}\n}}")
        return result

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

    def slot(self, kind: str) -> str:
        self.count += 1
        self.allocas.append(f"  %s{self.count} = alloca {_llvm(kind)}")
        return f"%s{self.count}"

    def load(self, pointer: str, kind: str) -> Value:
        return Value(self.emit(f"load {_llvm(kind)}, ptr {pointer}"), kind)

    def put(self, value: Value, pointer: str) -> None:
        self.lines.append(f"  store {_llvm(value.kind)} {value.name}, ptr {pointer}")

    # -- statements ---------------------------------------------------------------------------------------------

    def block(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            if self.open:
                getattr(self, f"do_{type(statement).__name__}", self.unsupported)(statement)

    def unsupported(self, node: ast.AST) -> NoReturn:
        self.fail(node, f"{type(node).__name__} is outside the subset of native loops")

    def do_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.value(node.value)

    def do_Pass(self, node: ast.Pass) -> None:
        """Nothing."""

    def do_Assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            values = [self.value(v) for v in node.value.elts]
            for part, value in zip(target.elts, values, strict=True):
                self.assign(part, value)
        else:
            self.assign(target, self.value(node.value))

    def do_AugAssign(self, node: ast.AugAssign) -> None:
        old = ast.copy_location(ast.parse(ast.unparse(node.target), mode="eval").body, node)
        self.assign(node.target, self.binary(node, node.op, self.value(old), self.value(node.value)))

    def assign(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self.store_name(target.id, value, target)
        elif isinstance(target, ast.Subscript):
            pointer, kind = self.element(target)
            self.put(self.convert(value, kind, target), pointer)
        else:
            self.unsupported(target)

    def store_name(self, name: str, value: Value, node: ast.AST) -> None:
        if name not in self.variables:
            self.variables[name] = Value(self.slot(value.kind), value.kind)
        pointer, kind = self.variables[name]
        self.put(self.convert(value, kind, node), pointer)

    def do_Return(self, node: ast.Return) -> None:
        value = Value("", NONE) if node.value is None else self.value(node.value)
        if self.result is None:
            self.result = value.kind
        value = self.convert(value, self.result, node)
        self.end("ret void" if value.kind == NONE else f"ret {_llvm(value.kind)} {value.name}")

    def do_If(self, node: ast.If) -> None:
        yes, no, after = self.label(), self.label(), self.label()
        self.end(f"br i1 {self.truth(node.test)}, label %{yes}, label %{no}")
        for label, body in ((yes, node.body), (no, node.orelse)):
            self.start(label)
            self.block(body)
            self.end(f"br label %{after}")
        self.start(after)
        if _leaves(node.body) and _leaves(node.orelse):
            self.end("unreachable")

    def do_While(self, node: ast.While) -> None:
        test, body, after = self.label(), self.label(), self.label()
        self.end(f"br label %{test}")
        self.start(test)
        self.end(f"br i1 {self.truth(node.test)}, label %{body}, label %{after}")
        self.loop(node.body, body, test, after)

    def do_For(self, node: ast.For) -> None:
        if not (isinstance(node.iter, ast.Call) and isinstance(node.target, ast.Name) and not node.orelse
                and isinstance(node.iter.func, ast.Name) and node.iter.func.id == "range"):
            self.fail(node, "a for loop runs over range(...)")
        bounds = [self.convert(self.value(a), INT, a) for a in node.iter.args]
        first, last = (Value("0", INT), bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
        step = int(ast.literal_eval(node.iter.args[2])) if len(bounds) == 3 else 1
        counter = self.slot(INT)
        self.put(first, counter)
        test, body, more, after = (self.label() for _ in range(4))
        self.end(f"br label %{test}")
        self.start(test)
        i = self.load(counter, INT)
        holds = self.emit(f"icmp {'slt' if step > 0 else 'sgt'} i64 {i.name}, {last.name}")
        self.end(f"br i1 {holds}, label %{body}, label %{after}")
        self.start(body)
        self.store_name(node.target.id, i, node)
        self.end(f"br label %{body}.in")
        self.loop(node.body, f"{body}.in", more, after)
        tail = self.lines.pop()
        self.start(more)
        self.put(Value(self.emit(f"add i64 {self.load(counter, INT).name}, {step}"), INT), counter)
        self.end(f"br label %{test}")
        self.lines.append(tail)
        self.open = True

    def loop(self, statements: Sequence[ast.stmt], body: str, again: str, after: str) -> None:
        self.loops.append((again, after))
        self.start(body)
        self.block(statements)
        self.end(f"br label %{again}")
        self.loops.pop()
        self.start(after)

    def do_Break(self, node: ast.Break) -> None:
        self.end(f"br label %{self.loops[-1][1]}")

    def do_Continue(self, node: ast.Continue) -> None:
        self.end(f"br label %{self.loops[-1][0]}")

    # -- expressions --------------------------------------------------------------------------------------------

    def value(self, node: ast.expr) -> Value:
        result: Value = getattr(self, f"of_{type(node).__name__}", self.unsupported)(node)
        return result

    def truth(self, node: ast.expr) -> str:
        value = self.value(node)
        return value.name if value.kind == BOOL else self.emit(f"icmp ne i64 {self.convert(value, INT, node).name}, 0")

    def convert(self, value: Value, kind: str, node: ast.AST) -> Value:
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
            pointer, kind = self.variables[node.id]
            return self.load(pointer, kind)
        if node.id not in self.globals:
            self.fail(node, f"{node.id} is not defined")
        return self.constant(self.globals[node.id], node)

    def of_Attribute(self, node: ast.Attribute) -> Value:
        if isinstance(node.value, ast.Name) and node.value.id not in self.variables:
            return self.constant(getattr(self.globals.get(node.value.id), node.attr, None), node)
        structure = self.value(node.value)
        if structure.kind != STRUCT or node.attr not in self.module.fields:
            self.fail(node, f"the structure has no array {node.attr!r}")
        position, kind = self.module.fields[node.attr]
        at = self.emit(f"getelementptr ptr, ptr {structure.name}, i64 {position}")
        return Value(self.emit(f"load ptr, ptr {at}"), kind)

    def of_Subscript(self, node: ast.Subscript) -> Value:
        if isinstance(node.value, ast.Tuple):
            table = self.module.constants([float(ast.literal_eval(e)) for e in node.value.elts])
            return self.load(self.emit(f"getelementptr double, ptr {table}, i64 {self.index(node)}"), FLOAT)
        pointer, kind = self.element(node)
        return self.load(pointer, kind)

    def index(self, node: ast.Subscript) -> str:
        return self.convert(self.value(node.slice), INT, node).name

    def element(self, node: ast.Subscript) -> tuple[str, str]:
        array = self.value(node.value)
        if array.kind not in (INTS, FLOATS):
            self.fail(node, "only arrays and constant tuples can be indexed")
        kind = INT if array.kind == INTS else FLOAT
        return self.emit(f"getelementptr {kind}, ptr {array.name}, i64 {self.index(node)}"), kind

    def of_BinOp(self, node: ast.BinOp) -> Value:
        if isinstance(node.op, ast.Pow):
            if not (isinstance(node.right, ast.Constant) and node.right.value == 2):
                self.fail(node, "only the power 2 is known")
            base = self.value(node.left)
            return self.binary(node, ast.Mult(), base, base)
        return self.binary(node, node.op, self.value(node.left), self.value(node.right))

    def binary(self, node: ast.AST, op: ast.operator, a: Value, b: Value) -> Value:
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
        target = self.globals.get(node.func.id) if isinstance(node.func, ast.Name) else None
        arguments = [self.value(a) for a in node.args]
        if isinstance(node.func, ast.Attribute):
            return self.intrinsic(node, node.func.attr, arguments)
        if target is call_kernel:
            return self.kernel(arguments)
        if target is None or not getattr(target, "__native__", False):
            self.fail(node, f"{ast.unparse(node.func)} is not a native function")
        name, result = self.module.function(target, tuple(a.kind for a in arguments))
        passed = ", ".join(f"{_llvm(a.kind)} {a.name}" for a in arguments)
        call = f"call {_llvm(result)} @{name}({passed})"
        if result == NONE:
            self.lines.append(f"  {call}")
            return Value("", NONE)
        return Value(self.emit(call), result)

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


def _leaves(statements: Sequence[ast.stmt]) -> bool:
    """Does control surely not run past the end of these statements?"""
    if not statements:
        return False
    last = statements[-1]
    if isinstance(last, ast.If):
        return _leaves(last.body) and _leaves(last.orelse)
    return isinstance(last, (ast.Return, ast.Break, ast.Continue))
