"""Expressions of native loops: how they become LLVM values. See `loops`."""

import ast
from collections.abc import Sequence
from typing import Any

from ..emit.lanes import literal
from .loop_memory import BOOL, FLOAT, INT, NONE, STRUCT, STRUCTURE, LoopValue, Places, llvm_type


def call_kernel(address: int, *pointers: Any) -> None:
    """Call ``void f(void *, ...)`` at an address, from native code only; the arguments are arrays or addresses."""
    raise RuntimeError("call_kernel works in compiled loops only")


class Expressions(Places):
    """Translates the expressions of one function; statements come on top (`loops`)."""

    def value(self, node: ast.expr) -> LoopValue:
        result: LoopValue = getattr(self, f"of_{type(node).__name__}", self.unsupported)(node)
        return result

    def truth(self, node: ast.expr) -> str:
        value = self.value(node)
        return value.name if value.kind == BOOL else self.emit(f"icmp ne i64 {self.convert(value, INT, node).name}, 0")

    def constant(self, x: Any, node: ast.AST) -> LoopValue:
        if isinstance(x, bool):
            return LoopValue("true" if x else "false", BOOL)
        if isinstance(x, int):
            return LoopValue(str(x), INT)
        if isinstance(x, float):
            return LoopValue(literal(x), FLOAT)
        self.fail(node, f"{x!r} is no number")

    def of_Constant(self, node: ast.Constant) -> LoopValue:
        return self.constant(node.value, node)

    def of_Name(self, node: ast.Name) -> LoopValue:
        if node.id in self.variables:
            pointer, kind, _ = self.variables[node.id]
            return LoopValue(STRUCTURE, STRUCT) if kind == STRUCT else self.load(pointer, kind)
        if node.id not in self.globals:
            self.fail(node, f"{node.id} is not defined")
        return self.constant(self.globals[node.id], node)

    def of_BinOp(self, node: ast.BinOp) -> LoopValue:
        if isinstance(node.op, ast.Pow):
            if not (isinstance(node.right, ast.Constant) and node.right.value == 2):
                self.fail(node, "only the power 2 is known")
            base = self.value(node.left)
            return self.binary(node, ast.Mult(), base, base)
        return self.binary(node, node.op, self.value(node.left), self.value(node.right))

    def binary(self, node: ast.AST, op: ast.operator, a: LoopValue, b: LoopValue) -> LoopValue:
        if isinstance(op, (ast.BitAnd, ast.BitOr)) and a.kind == b.kind == BOOL:
            return LoopValue(self.emit(f"{'and' if isinstance(op, ast.BitAnd) else 'or'} i1 {a.name}, {b.name}"), BOOL)
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
        return LoopValue(self.emit(f"{instruction} {kind} {a.name}, {b.name}"), kind)

    def of_UnaryOp(self, node: ast.UnaryOp) -> LoopValue:
        if isinstance(node.op, ast.Not):
            return LoopValue(self.emit(f"xor i1 {self.truth(node.operand)}, true"), BOOL)
        a = self.value(node.operand)
        if not isinstance(node.op, ast.USub):
            self.unsupported(node)
        return LoopValue(self.emit(f"fneg double {a.name}" if a.kind == FLOAT else f"sub i64 0, {a.name}"), a.kind)

    def of_Compare(self, node: ast.Compare) -> LoopValue:
        values = [self.value(v) for v in (node.left, *node.comparators)]
        result: str | None = None
        for op, a, b in zip(node.ops, values[:-1], values[1:], strict=True):
            one = self.compare(node, op, a, b)
            result = one if result is None else self.emit(f"and i1 {result}, {one}")
        assert result is not None
        return LoopValue(result, BOOL)

    def compare(self, node: ast.AST, op: ast.cmpop, a: LoopValue, b: LoopValue) -> str:
        suffix = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne"}[type(op)]
        if FLOAT in (a.kind, b.kind):
            a, b = self.convert(a, FLOAT, node), self.convert(b, FLOAT, node)
            return self.emit(f"fcmp {'u' if suffix == 'ne' else 'o'}{suffix} double {a.name}, {b.name}")
        a, b = self.convert(a, INT, node), self.convert(b, INT, node)
        return self.emit(f"icmp {suffix if suffix in ('eq', 'ne') else 's' + suffix} i64 {a.name}, {b.name}")

    def of_BoolOp(self, node: ast.BoolOp) -> LoopValue:
        """Short-circuit: what follows may only be meaningful where what precedes holds."""
        result, after = self.slot(BOOL), self.label()
        for k, part in enumerate(node.values):
            holds = self.truth(part)
            self.put(LoopValue(holds, BOOL), result)
            if k < len(node.values) - 1:
                more = self.label()
                ways = (more, after) if isinstance(node.op, ast.And) else (after, more)
                self.end(f"br i1 {holds}, label %{ways[0]}, label %{ways[1]}")
                self.start(more)
        self.end(f"br label %{after}")
        self.start(after)
        return self.load(result, BOOL)

    def of_IfExp(self, node: ast.IfExp) -> LoopValue:
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

    def of_Call(self, node: ast.Call) -> LoopValue:
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
            return LoopValue("", NONE)
        return LoopValue(self.emit(call), result)

    def called(self, node: ast.Call) -> tuple[Any, list[LoopValue]]:
        """A native function or the name of one of NumPy's, and arguments, of which the first is the record of a method."""
        function, owner = node.func, list[LoopValue]()
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
            if a.inner and isinstance(a.kind, type):
                self.fail(node, "an array of records is no record")
        return target, arguments

    def kernel(self, arguments: Sequence[LoopValue]) -> LoopValue:
        target = self.emit(f"inttoptr i64 {arguments[0].name} to ptr")
        passed = []
        for a in arguments[1:]:
            passed.append("ptr " + (self.emit(f"inttoptr i64 {a.name} to ptr") if a.kind == INT else a.name))
        self.lines.append(f"  call void {target}({', '.join(passed)})")
        return LoopValue("", NONE)

    def builtin(self, node: ast.AST, name: str, values: list[LoopValue]) -> LoopValue:
        kind = FLOAT if any(v.kind == FLOAT for v in values) else INT
        values = [self.convert(v, kind, node) for v in values]
        if name == "abs":
            if kind == FLOAT:
                return self.intrinsic(node, "fabs", values)
            values = [values[0], LoopValue(self.emit(f"sub i64 0, {values[0].name}"), INT)]
        result = values[0]
        less = ("fcmp olt double" if kind == FLOAT else "icmp slt i64")
        for v in values[1:]:
            a, b = (v, result) if name == "min" else (result, v)
            better = self.emit(f"{less} {a.name}, {b.name}")
            result = LoopValue(self.emit(f"select i1 {better}, {kind} {v.name}, {kind} {result.name}"), kind)
        return result

    def intrinsic(self, node: ast.AST, name: str, values: Sequence[LoopValue]) -> LoopValue:
        known = {"fabs": "fabs", "sqrt": "sqrt", "round": "roundeven", "rint": "roundeven", "floor": "floor", "ceil": "ceil"}
        if name not in known:
            self.fail(node, f"{name} is outside the subset of native loops")
        full = f"llvm.{known[name]}.f64"
        self.module.declare(full, "double (double)")
        return LoopValue(self.emit(f"call double @{full}(double {self.convert(values[0], FLOAT, node).name})"), FLOAT)
