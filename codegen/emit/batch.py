"""The loop over NumPy arrays around a lowered body: rows in, blocks of lanes through it, rows out.

    void batch(i64 rows, ptr lo, ptr hi, ptr plo, ptr phi, i64 pstride, ptr out_lo, ptr out_hi, ptr level, ptr bad)

Arrays are C-contiguous float64 with one row a box (level: uint8). A parameter stride of 0 uses one row of
parameters for all boxes. Rows that are no whole block are copied into one, whose other lanes repeat the last row. Bounds
that are NaN, reversed, or infinite on the wrong side stop the loop and write the first row of the offending block
to `bad`, which is not touched otherwise; memory that is refused writes `REFUSED`.
"""

from collections.abc import Callable

from .entry import add_entry
from .lanes import WIDTH, Kind, Lanes, Module, literal
from .room import add_with_room, is_large, vector_bytes
from .translate import vectors

PARAMETERS = "i64 %rows, ptr %lo, ptr %hi, ptr %plo, ptr %phi, i64 %pstride, ptr %outlo, ptr %outhi, ptr %level, ptr %bad"
GENERAL = PARAMETERS + ", ptr %kernel, i64 %variables, i64 %parameters, i64 %outputs"
# Up to so many columns are written out; a loop over them is slower by a third for small kernels.
_UNROLL = 16
_INFINITY = f"splat (double {literal(float('inf'))})"
_MINUS_INFINITY = f"splat (double {literal(float('-inf'))})"


REFUSED = -2
"""The value of `bad` where there is no memory for one block of lanes."""

Count = int | str
"""A number, or the name of one that is only known at run time."""


def block_bytes(kind: Kind, variables: int, parameters: int, outputs: int, width: int = WIDTH) -> int:
    """The bytes that a block of lanes reads and writes, and those of its rows."""
    reads, writes = vectors(kind)
    return 2 * 8 * width * (reads * (variables + parameters) + writes * outputs)


def add_general_batch(module: Module, kind: Kind, large: bool) -> None:
    """Add the entry point ``batch`` for any kernel: its last arguments are the address of the kernel's block entry, and its sizes.
    `large`: blocks are too large for the stack.
    """
    _Batch(module, kind, "%variables", "%parameters", "%outputs").write(large)
    add_entry(module, "batch", "rows", GENERAL, GENERAL)


def add_batch(module: Module, kind: Kind, variables: int, parameters: int, outputs: int) -> None:
    """Add the entry point ``batch`` to a module that has a ``body``."""
    large = is_large(block_bytes(kind, variables, parameters, outputs, module.width))
    _Batch(module, kind, variables, parameters, outputs).write(large)
    add_entry(module, "batch", "rows", PARAMETERS, PARAMETERS)


def add_block(module: Module) -> None:
    """Add the entry point ``block(ptr x, ptr p, ptr out)``: one block of lanes, for native callers."""
    add_entry(module, "block", "body", "ptr %x, ptr %p, ptr %out", "ptr %x, ptr %p, ptr %out")


def _looped(count: Count) -> bool:
    return isinstance(count, str) or count > _UNROLL


def _product(L: Lanes, a: Count, b: int) -> Count:
    return a * b if isinstance(a, int) else L.emit(f"mul i64 {a}, {b}")


def _sum(L: Lanes, a: Count, b: Count) -> Count:
    return a + b if isinstance(a, int) and isinstance(b, int) else L.emit(f"add i64 {a}, {b}")


class _Batch:
    """Writes the loop. Many variables or outputs are loops too, so the code does not grow with their number."""

    def __init__(self, module: Module, kind: Kind, variables: Count, parameters: Count, outputs: Count) -> None:
        self.module, self.kind = module, kind
        self.variables, self.parameters, self.outputs = variables, parameters, outputs
        self.kernel, self.signature = ("%kernel", GENERAL) if isinstance(outputs, str) else ("@body", PARAMETERS)
        self.reads, self.writes = vectors(kind)
        self.L: Lanes = module.lanes()

    # -- rows -------------------------------------------------------------------------------------------------------

    def write(self, large: bool) -> None:
        """The function ``rows``: whole blocks, and then one for the rest of the rows, which are copied into a block of rows."""
        self._write_blocks()
        for element in ("i64", "i8"):
            self.module.add(f"repeat_{element}", _repeat(element))
        L = self.module.lanes()
        sizes = {"x": _product(L, self.variables, self.reads), "p": _product(L, self.parameters, self.reads),
                 "out": _product(L, self.outputs, self.writes)}
        sizes |= {f"own.{array}": count for array, count in self._arrays().items()}
        places: list[str] = []
        total: Count = 0
        for name, size in sizes.items():
            places.append(f"  %{name} = getelementptr {L.vector}, ptr %room, i64 {total}")
            total = _sum(L, total, size)
        bytes_ = _product(L, total, vector_bytes(L, 1))
        before, L.lines = L.lines, places
        self._split(L)
        add_with_room(self.module, "rows", self.signature, bytes_, large, L.lines, [f"  store i64 {REFUSED}, ptr %bad"], before)

    def _arrays(self) -> dict[str, Count]:
        """The arrays that are looked at, and their columns."""
        columns = {"lo": self.variables, "plo": self.parameters, "outlo": self.outputs}
        if self.kind != "points":
            columns |= {"hi": self.variables, "phi": self.parameters, "outhi": self.outputs}
        return columns | ({"level": self.outputs} if self.kind == "decorated" else {})

    def _split(self, L: Lanes) -> None:
        L.lines += [f"  %rest = and i64 %rows, {L.width - 1}", "  %whole = sub i64 %rows, %rest", "  %shared = icmp eq i64 %pstride, 0",
                    "  %prows = select i1 %shared, i64 1, i64 %rest",
                    f"  %good = call i1 @blocks({self._arguments('%whole', '0', {})})", "  %left = icmp sgt i64 %rest, 0",
                    "  %onward = and i1 %good, %left", "  br i1 %onward, label %last, label %end", "last:",
                    "  %pbegin = mul i64 %whole, %pstride"]
        own = {name: f"%own.{name}" for name in self._arrays()}
        for name, columns in self._arrays().items():
            if not name.startswith(("out", "level")):
                place, rows = ("%pbegin", "%prows") if name.startswith("p") else (L.emit(f"mul i64 %whole, {columns}"), "%rest")
                begin = L.emit(f"getelementptr double, ptr %{name}, i64 {place}")
                filled, all_rows = L.emit(f"mul i64 {rows}, {columns}"), _product(L, columns, L.width)
                L.lines.append(f"  call void @repeat_i64(ptr {own[name]}, ptr {begin}, i64 {columns}, i64 {filled}, i64 {all_rows})")
        stride = {"pstride": str(self.parameters)}
        L.lines.append(f"  %done = call i1 @blocks({self._arguments(str(L.width), '%whole', own | stride)})")
        L.lines.append("  br i1 %done, label %write, label %end\nwrite:")
        for name, columns in self._arrays().items():
            if name.startswith(("out", "level")):
                kind, element = ("i8", "i8") if name == "level" else ("i64", "double")
                begin = L.emit(f"getelementptr {element}, ptr %{name}, i64 {L.emit(f'mul i64 %whole, {columns}')}")
                filled = L.emit(f"mul i64 %rest, {columns}")
                L.lines.append(f"  call void @repeat_{kind}(ptr {begin}, ptr {own[name]}, i64 {columns}, i64 {filled}, i64 {filled})")
        L.lines += ["  br label %end", "end:"]

    def _arguments(self, rows: str, first: str, exchanged: dict[str, str]) -> str:
        """Those of ``blocks``."""
        given = [p.split(" %") for p in self.signature.split(", ")]
        passed = [f"{kind} {exchanged.get(name, '%' + name)}" for kind, name in given]
        return ", ".join([f"i64 {rows}", *passed[1:], f"i64 {first}", "ptr %x", "ptr %p", "ptr %out"])

    # -- blocks -----------------------------------------------------------------------------------------------------

    def _write_blocks(self) -> None:
        """The function ``blocks``: the loop over whole blocks. `first`: the number of its first row; whether all bounds are intervals."""
        L = self.L
        strides = [[_product(L, count, lane) for lane in range(L.width + 1)] for count in (self.variables, "%pstride", self.outputs)]
        L.lines += ["  br label %next", "next:", "  %i = phi i64 [ 0, %start ], [ %j, %written ]",
                    "  %more = icmp slt i64 %i, %rows", "  br i1 %more, label %block, label %done", "block:",
                    f"  %number = udiv i64 %i, {L.width}"]
        valid = self._gather("box", "block", "%x", ("%lo", "%hi"), self.variables, strides[0], L.mask_const(True))
        before = "box.done" if _looped(self.variables) else "block"
        valid = self._gather("parameter", before, "%p", ("%plo", "%phi"), self.parameters, strides[1], valid)
        L.lines += [f"  br i1 {self._all(valid)}, label %run, label %invalid", "run:",
                    f"  call void {self.kernel}(ptr %x, ptr %p, ptr %out)"]
        self._scatter(strides[2])
        last = "output.done" if _looped(self.outputs) else "run"
        L.lines = [line.replace("%written ]", f"%{last} ]") for line in L.lines]
        L.lines += [f"  %j = add i64 %i, {L.width}", "  br label %next", "invalid:", "  %at = add i64 %first, %i",
                    "  store i64 %at, ptr %bad", "  ret i1 false", "done:", "  ret i1 true"]
        body = "\n".join(L.lines)
        self.module.add("blocks", f"define internal i1 @blocks({self.signature}, i64 %first, ptr %x, ptr %p, ptr %out) #2 {{\n"
                                  f"start:\n{body}\n}}")

    def _each(self, name: str, before: str, count: Count, carry: str, body: Callable[[str, str], str]) -> str:
        """body(k, carry) -> carry for every k below count: written out for a few, else a loop from label `before` to ``name.done``."""
        L = self.L
        if not _looped(count):
            assert isinstance(count, int)
            for k in range(count):
                carry = body(str(k), carry)
            return carry
        L.lines += [f"  br label %{name}", f"{name}:", f"  %{name}.k = phi i64 [ 0, %{before} ], [ %{name}.next, %{name}.column ]",
                    f"  %{name}.carry = phi {L.mask} [ {carry}, %{before} ], [ %{name}.carried, %{name}.column ]",
                    f"  %{name}.more = icmp slt i64 %{name}.k, {count}",
                    f"  br i1 %{name}.more, label %{name}.column, label %{name}.done", f"{name}.column:"]
        carried = body(f"%{name}.k", f"%{name}.carry")
        L.lines += [f"  %{name}.carried = and {L.mask} {carried}, {L.mask_const(True)}", f"  %{name}.next = add i64 %{name}.k, 1",
                    f"  br label %{name}", f"{name}.done:"]
        return f"%{name}.carry"

    def _begin(self, array: str, strides: list[Count], element: str = "double") -> str:
        """Where the rows of this block begin."""
        L = self.L
        return L.emit(f"getelementptr {element}, ptr {array}, i64 {L.emit(f'mul i64 %number, {strides[-1]}')}")

    def _gather(self, name: str, before: str, block: str, arrays: tuple[str, str], count: Count, strides: list[Count], valid: str) -> str:
        """Columns of row-major arrays into a block; the mask of lanes that hold intervals."""
        if count == 0:
            return valid
        L = self.L
        begin = [self._begin(array, strides) for array in arrays[:self.reads]]

        def column(k: str, valid: str) -> str:
            low = self._column(begin[0], k, strides)
            if self.kind == "points":
                self._put(block, k, 1, 0, low)
                return valid
            high = self._column(begin[1], k, strides)
            self._put(block, k, 2, 0, L.neg(low))
            self._put(block, k, 2, 1, high)
            return L.both(L.both(L.le(low, high), valid), L.both(L.lt(low, _INFINITY), L.gt(high, _MINUS_INFINITY)))

        return self._each(name, before, count, valid, column)

    def _column(self, begin: str, column: str, strides: list[Count]) -> str:
        L = self.L
        if strides[1] == 1:
            return L.load(begin, 0)
        value = "poison"
        for lane, stride in enumerate(strides[:-1]):
            at = L.emit(f"getelementptr double, ptr {begin}, i64 {_place(L, stride, column)}")
            value = L.emit(f"insertelement {L.vector} {value}, double {L.emit(f'load double, ptr {at}')}, i64 {lane}")
        return value

    def _at(self, block: str, k: str, stride: int, position: int) -> str:
        L = self.L
        index = L.emit(f"add i64 {L.emit(f'mul i64 {k}, {stride}')}, {position}")
        return L.emit(f"getelementptr {L.vector}, ptr {block}, i64 {index}")

    def _put(self, block: str, k: str, stride: int, position: int, value: str) -> None:
        at = self._at(block, k, stride, position)
        self.L.lines.append(f"  store {self.L.vector} {value}, ptr {at}, align 8")

    def _all(self, mask: str) -> str:
        L = self.L
        name = f"llvm.vector.reduce.and.v{L.width}i1"
        L.intrinsics.setdefault(name, f"declare i1 @{name}({L.mask})")
        return L.emit(f"call i1 @{name}({L.mask} {mask})")

    def _scatter(self, strides: list[Count]) -> None:
        """The outputs of a block into the rows of the arrays."""
        L = self.L
        elements = {"outlo": "double", "outhi": "double", "level": "i8"}
        begin = {name: self._begin(f"%{name}", strides, elements[name]) for name in self._arrays() if name in elements}

        def output(k: str, carry: str) -> str:
            parts = [L.emit(f"load {L.vector}, ptr {self._at('%out', k, self.writes, j)}, align 8") for j in range(self.writes)]
            if self.kind == "points":
                self._spread(begin["outlo"], k, parts[0], strides, "double")
                return carry
            # 0 - n and h + 0, which are exact and make ends of 0 the zero +0: which one of both a maximum takes, processors differ in.
            self._spread(begin["outlo"], k, L.sub(L.const(0.0), parts[0]), strides, "double")
            self._spread(begin["outhi"], k, L.add(parts[1], L.const(0.0)), strides, "double")
            if self.kind == "decorated":
                self._spread(begin["level"], k, L.emit(f"fptoui {L.vector} {parts[2]} to <{L.width} x i8>"), strides, "i8")
            return carry

        self._each("output", "run", self.outputs, L.mask_const(True), output)

    def _spread(self, begin: str, k: str, value: str, strides: list[Count], element: str) -> None:
        L = self.L
        if strides[1] == 1:
            L.lines.append(f"  store <{L.width} x {element}> {value}, ptr {begin}, align {8 if element == 'double' else 1}")
            return
        for lane, stride in enumerate(strides[:-1]):
            at = L.emit(f"getelementptr {element}, ptr {begin}, i64 {_place(L, stride, k)}")
            one = L.emit(f"extractelement <{L.width} x {element}> {value}, i64 {lane}")
            L.lines.append(f"  store {element} {one}, ptr {at}")


def _place(L: Lanes, stride: Count, column: str) -> Count:
    """The place of a number among the rows of a block."""
    return stride + int(column) if isinstance(stride, int) and column.isdigit() else L.emit(f"add i64 {stride}, {column}")


def _repeat(element: str) -> str:
    """``void repeat(ptr to, ptr from, i64 columns, i64 filled, i64 total)``: rows copied, so many elements, and the last one of them
    repeated until there are `total`.
    """
    return "\n".join([
        f"define internal void @repeat_{element}(ptr %to, ptr %from, i64 %columns, i64 %filled, i64 %total) #2 {{", "start:",
        "  br label %next", "next:", "  %k = phi i64 [ 0, %start ], [ %onward, %copy ]", "  %more = icmp slt i64 %k, %total",
        "  br i1 %more, label %copy, label %done", "copy:", "  %there = icmp slt i64 %k, %filled", "  %before = sub i64 %k, %columns",
        f"  %a = getelementptr {element}, ptr %from, i64 %k", f"  %b = getelementptr {element}, ptr %to, i64 %before",
        "  %source = select i1 %there, ptr %a, ptr %b", f"  %value = load {element}, ptr %source",
        f"  %place = getelementptr {element}, ptr %to, i64 %k", f"  store {element} %value, ptr %place",
        "  %onward = add i64 %k, 1", "  br label %next", "done:", "  ret void", "}"])
