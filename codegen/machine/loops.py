"""Search loops written in a small subset of Python and compiled to native code.

The functions are ordinary Python on the memory that a structure describes, so they can be read as such. `loop_assembly`
translates one of them, with every function it calls, to LLVM: numbers are 64-bit integers and doubles in round-to-
nearest, arrays are bare pointers, nothing is counted or checked.

The subset: integers, floats and truth values; ``s.name[i]`` for an array of the structure passed around, ``s.name`` for a number of it,
rows and views of it with their fields and native methods (`structures`); assignment
(also swaps and ``+=``), ``if``, ``while``, ``for .. in range``, ``break``, ``continue``, ``return``, conditional
expressions, ``and``/``or``/``not`` (short-circuit), ``&`` and ``|`` of truth values (no branch), chained comparisons, ``min``, ``max``,
``abs``, constant tuples indexed by an integer, module constants, calls of functions marked `native`, and `call_kernel`, which calls machine
code at an address. A variable keeps the kind it was first given. In ``for .. in parallel(..)`` no pass reads or writes what another one
writes, which LLVM is told; without branches in it, eight passes then become one of vectors.

Why not numba: for the collision search (70 functions) it needs 15 to 20 s of processor time before the first
answer, this needs about half a second, and a search should not take longer to start than to run.
"""

import ast
import functools
import hashlib
import inspect
import itertools
import linecache
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from ..deadline import check
from ..emit.lanes import literal
from .loop_memory import (
    BOOL,
    FLOAT,
    INT,
    METADATA,
    NONE,
    STRUCT,
    STRUCTURE,
    TYPES,
    Kind,
    LoopValue,
    UnsupportedPython,
    llvm_type,
)
from .loop_values import Expressions, call_kernel
from .structures import Structure, described, native, parallel

# Metadata from this number on names loops.
_LOOPS = 100

__all__ = ["BOOL", "FLOAT", "INT", "STRUCT", "UnsupportedPython", "call_kernel", "loop_assembly", "native", "parallel"]


def loop_assembly(entry: Callable[..., Any], kinds: Sequence[Kind], structure: type[Structure], name: str) -> str:
    """LLVM assembly with `entry`, compiled for arguments of these kinds, as the external function `name`, whose first argument is the
    structure.
    """
    module = _LoopModule(structure)
    inner, result = module.function(entry, tuple(kinds))
    parameters = ", ".join([f"ptr {STRUCTURE}", *(f"{llvm_type(k)} %a{i}" for i, k in enumerate(kinds) if k != STRUCT)])
    call = f"call {llvm_type(result)} @{inner}({parameters})"
    body = f"  {call}\n  ret void" if result == NONE else f"  %r = {call}\n  ret {llvm_type(result)} %r"
    module.text.append(f"define {llvm_type(result)} @{name}({parameters}) {{\n{body}\n}}")
    return "\n".join([*module.declarations.values(), *module.text, *METADATA])


def told(entry: Callable[..., Any]) -> str:
    """All that the text of a loop is made of, besides this package: sources and constants of the modules of `entry` and of what they name,
    where these belong to its package or to that of its structure. A tenth of a millisecond a module, where the text takes a quarter of a
    second.
    """
    structure = next(iter(inspect.signature(entry).parameters.values())).annotation
    packages = {home.__module__.partition(".")[0] for home in (entry, structure)}
    found, unread = dict[str, str](), [entry.__module__]
    while unread:
        name = unread.pop()
        if name not in found:
            module = sys.modules[name]
            constants = [(k, repr(x)) for k, x in vars(module).items() if isinstance(x, (int, float, tuple))]
            found[name] = f"{_digest(inspect.getsourcefile(module) or '')} {constants}"
            named = (x.__name__ if isinstance(x, ModuleType) else getattr(x, "__module__", None) for x in vars(module).values())
            unread += (home for home in named if isinstance(home, str) and home.partition(".")[0] in packages and home in sys.modules)
    return f"{entry.__module__} {entry.__qualname__} {sorted(found.items())}"


@functools.cache
def _digest(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def argument_kinds(entry: Callable[..., Any]) -> tuple[Kind, ...]:
    """The kinds of the arguments of a function, as annotated."""
    annotated = [p.annotation for p in inspect.signature(entry).parameters.values()]
    return tuple(STRUCT if issubclass(a, Structure) else INT if a is int else a for a in annotated)


class _LoopModule:
    def __init__(self, structure: type[Structure]) -> None:
        self.structure, self.memory = structure, described(structure)
        self.position = self.memory.position
        self.text: list[str] = []
        self.declarations: dict[str, str] = {}
        self._serial = itertools.count()
        self._done: dict[tuple[Any, tuple[Kind, ...]], tuple[str, Kind]] = {}

    def function(self, function: Callable[..., Any], kinds: tuple[Kind, ...]) -> tuple[str, Kind]:
        """Name and result kind of `function` specialized to argument kinds, compiled on first use."""
        key = function, kinds
        if key not in self._done:
            check()
            name = f"{function.__name__}.{next(self._serial)}"
            self._done[key] = name, _Function(self, function, kinds, name).compile()
        return self._done[key]

    def declare(self, name: str, signature: str) -> None:
        result, _, arguments = signature.partition(" ")
        self.declarations[name] = f"declare {result} @{name}{arguments}"

    def loop(self) -> str:
        """Metadata of a loop whose passes are independent; each has a name of its own."""
        name = f"!{_LOOPS + sum(key[0] == '!' for key in self.declarations)}"
        self.declarations[name] = f"{name} = distinct !{{{name}, !7, !8, !9, !10}}"
        return f", !llvm.loop {name}"

    def constants(self, values: Sequence[float]) -> str:
        """A constant array of doubles."""
        name = f"@c{len(self.declarations)}"
        items = ", ".join(f"double {literal(float(v))}" for v in values)
        self.declarations[name] = f"{name} = private constant [{len(values)} x double] [{items}]"
        return name


class _Function(Expressions):
    """Translates one function for given argument kinds."""

    def __init__(self, module: _LoopModule, function: Callable[..., Any], kinds: tuple[Kind, ...], name: str) -> None:
        super().__init__(module, function)
        self.kinds, self.name = kinds, name
        self.tree = _definitions(inspect.getsourcefile(function) or "")[function.__code__.co_firstlineno]
        self.loops: list[tuple[str, str]] = []
        self.result: Kind | None = None

    def compile(self) -> Kind:
        names = [a.arg for a in self.tree.args.args]
        if len(names) != len(self.kinds):
            self.fail(self.tree, f"{self.python.__name__} takes {len(names)} arguments, got {len(self.kinds)}")
        for i, (name, kind) in enumerate(zip(names, self.kinds, strict=True)):
            if kind == STRUCT:
                self.variables[name] = LoopValue(STRUCTURE, STRUCT)
            else:
                self.store_name(name, LoopValue(f"%p{i}", kind), self.tree)
        self.block(self.tree.body)
        if self.open:
            if self.result not in (None, NONE):
                self.fail(self.tree, "a path ends without a value")
            self.end("ret void")
        result = self.result or NONE
        parameters = ", ".join([f"ptr {STRUCTURE}", *(f"{llvm_type(k)} %p{i}" for i, k in enumerate(self.kinds) if k != STRUCT)])
        body = "\n".join(["entry:", *self.allocas, *self.lines])
        self.module.text.append(f"define internal {llvm_type(result)} @{self.name}({parameters}) {{\n{body}\n}}")
        return result

    # -- statements ---------------------------------------------------------------------------------------------

    def block(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            if self.open:
                getattr(self, f"do_{type(statement).__name__}", self.unsupported)(statement)

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
        self.assign(node.target, self.binary(node, node.op, self.value(node.target), self.value(node.value)))

    def assign(self, target: ast.expr, value: LoopValue) -> None:
        if isinstance(target, ast.Name):
            self.store_name(target.id, value, target)
            return
        if isinstance(target, ast.Subscript):
            pointer, kind = self.element(target, self.value(target.value))
        elif isinstance(target, ast.Attribute):
            owner = self.value(target.value)
            place = self.place(owner, target)
            pointer, kind = self.scalar(owner, place)
            if place.row:
                value = LoopValue(self.convert(value, place.kind, target).name, INT)
        else:
            self.unsupported(target)
        self.put(self.convert(value, kind, target), pointer, f", !tbaa {TYPES[kind]}")

    def store_name(self, name: str, value: LoopValue, node: ast.AST) -> None:
        if name not in self.variables:
            self.variables[name] = LoopValue(self.slot(value.kind), value.kind)
        pointer, kind, _ = self.variables[name]
        self.put(self.convert(value, kind, node), pointer)

    def do_Return(self, node: ast.Return) -> None:
        value = LoopValue("", NONE) if node.value is None else self.value(node.value)
        if self.result is None:
            self.result = value.kind
        value = self.convert(value, self.result, node)
        self.end("ret void" if value.kind == NONE else f"ret {llvm_type(value.kind)} {value.name}")

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
                and isinstance(node.iter.func, ast.Name) and node.iter.func.id in ("range", "parallel")):
            self.fail(node, "a for loop runs over range(...) or parallel(...)")
        within, parallel = self.group, node.iter.func.id == "parallel"
        if parallel:
            self.group = ", !llvm.access.group !6"
        bounds = [self.convert(self.value(a), INT, a) for a in node.iter.args]
        first, last = (LoopValue("0", INT), bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
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
        self.put(LoopValue(self.emit(f"add i64 {self.load(counter, INT).name}, {step}"), INT), counter)
        self.end(f"br label %{test}{self.module.loop() if parallel else ''}")
        self.group = within
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


@functools.lru_cache(maxsize=64)
def _definitions(file: str) -> dict[int, ast.FunctionDef]:
    """The functions of a source file by the line where each begins, with its decorators. (`inspect` reads them five times slower.)"""
    found, parts = dict[int, ast.FunctionDef](), list[Any](ast.parse("".join(linecache.getlines(file))).body)
    while parts:
        part = parts.pop()
        if isinstance(part, ast.FunctionDef):
            found[min([part.lineno, *(each.lineno for each in part.decorator_list)])] = part
        parts += getattr(part, "body", ())
    return found


def _leaves(statements: Sequence[ast.stmt]) -> bool:
    """Whether control surely does not run past the end of these statements."""
    if not statements:
        return False
    last = statements[-1]
    if isinstance(last, ast.If):
        return _leaves(last.body) and _leaves(last.orelse)
    return isinstance(last, (ast.Return, ast.Break, ast.Continue))
