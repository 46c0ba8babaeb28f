"""The loop over NumPy arrays around a lowered body: rows in, blocks of lanes through it, rows out.

    void batch(i64 rows, ptr lo, ptr hi, ptr plo, ptr phi, i64 pstride, ptr out_lo, ptr out_hi, ptr level, ptr bad)

Arrays are C-contiguous float64 with one row a box (level: uint8). A parameter stride of 0 uses one row of
parameters for all boxes. Lanes past the last row repeat it, so any number of rows is handled by one loop. Bounds
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
    """The bytes that a block of lanes reads and writes."""
    reads, writes = vectors(kind)
    return 8 * width * (reads * (variables + parameters) + writes * outputs)


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


class _Batch:
    """Writes the loop. Many variables or outputs are loops too, so the code does not grow with their number."""

    def __init__(self, module: Module, kind: Kind, variables: Count, parameters: Count, outputs: Count) -> None:
        self.module, self.kind = module, kind
        self.variables, self.parameters, self.outputs = variables, parameters, outputs
        self.kernel, self.signature = ("%kernel", GENERAL) if isinstance(outputs, str) else ("@body", PARAMETERS)
        self.reads, self.writes = vectors(kind)
        self.L: Lanes = module.lanes()

    def write(self, large: bool) -> None:
        """The function ``rows``: the loop, with room for blocks of x, p and out, one behind the other."""
        self._write_loop()
        L = self.module.lanes()
        places: list[str] = []
        total: Count = 0
        counts = {"x": (self.variables, self.reads), "p": (self.parameters, self.reads), "out": (self.outputs, self.writes)}
        for name, (count, each) in counts.items():
            places.append(f"  %{name} = getelementptr {L.vector}, ptr %room, i64 {total}")
            total = self._sum(L, total, self._product(L, count, each))
        places.append(f"  call void @blocks({self.signature}, ptr %x, ptr %p, ptr %out)")
        size = self._product(L, total, vector_bytes(L, 1))
        add_with_room(self.module, "rows", self.signature, size, large, places, [f"  store i64 {REFUSED}, ptr %bad"], L.lines)

    @staticmethod
    def _product(L: Lanes, a: Count, b: int) -> Count:
        return a * b if isinstance(a, int) else L.emit(f"mul i64 {a}, {b}")

    @staticmethod
    def _sum(L: Lanes, a: Count, b: Count) -> Count:
        return a + b if isinstance(a, int) and isinstance(b, int) else L.emit(f"add i64 {a}, {b}")

    def _write_loop(self) -> None:
        L = self.L
        L.lines += ["  %last = sub i64 %rows, 1", "  br label %next", "next:",
                    "  %i = phi i64 [ 0, %start ], [ %j, %written ]", "  %more = icmp slt i64 %i, %rows",
                    "  br i1 %more, label %block, label %done", "block:"]
        rows = self._rows()
        valid = self._gather("box", "block", "%x", ("%lo", "%hi"), self.variables, self._offsets(rows, str(self.variables)),
                             L.mask_const(True))
        before = "box.done" if _looped(self.variables) else "block"
        valid = self._gather("parameter", before, "%p", ("%plo", "%phi"), self.parameters, self._offsets(rows, "%pstride"), valid)
        L.lines += [f"  br i1 {self._all(valid)}, label %run, label %invalid", "run:",
                    f"  call void {self.kernel}(ptr %x, ptr %p, ptr %out)"]
        self._scatter(self._offsets(rows, str(self.outputs)))
        last = "output.done" if _looped(self.outputs) else "run"
        L.lines = [line.replace("%written ]", f"%{last} ]") for line in L.lines]
        L.lines += [f"  %j = add i64 %i, {L.width}", "  br label %next", "invalid:", "  store i64 %i, ptr %bad", "  ret void",
                    "done:", "  ret void"]
        body = "\n".join(L.lines)
        self.module.add("blocks", f"define internal void @blocks({self.signature}, ptr %x, ptr %p, ptr %out) #2 {{\nstart:\n{body}\n}}")

    def _rows(self) -> list[str]:
        """The row of each lane: past the end, the last one."""
        L = self.L
        name = "llvm.smin.i64"
        L.intrinsics.setdefault(name, f"declare i64 @{name}(i64, i64)")
        return [L.emit(f"call i64 @{name}(i64 {L.emit(f'add i64 %i, {k}')}, i64 %last)") for k in range(L.width)]

    def _offsets(self, rows: list[str], stride: str) -> list[str]:
        return [self.L.emit(f"mul i64 {row}, {stride}") for row in rows]

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

    def _gather(self, name: str, before: str, block: str, arrays: tuple[str, str], count: Count, offsets: list[str], valid: str) -> str:
        """Columns of row-major arrays into a block; the mask of lanes that hold intervals."""
        L = self.L

        def column(k: str, valid: str) -> str:
            low = self._column(arrays[0], k, offsets)
            if self.kind == "points":
                self._put(block, k, 1, 0, low)
                return valid
            high = self._column(arrays[1], k, offsets)
            self._put(block, k, 2, 0, L.neg(low))
            self._put(block, k, 2, 1, high)
            return L.both(L.both(L.le(low, high), valid), L.both(L.lt(low, _INFINITY), L.gt(high, _MINUS_INFINITY)))

        return self._each(name, before, count, valid, column)

    def _column(self, array: str, column: str, offsets: list[str]) -> str:
        L = self.L
        value = "poison"
        for lane, offset in enumerate(offsets):
            at = L.emit(f"getelementptr double, ptr {array}, i64 {L.emit(f'add i64 {offset}, {column}')}")
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

    def _scatter(self, offsets: list[str]) -> None:
        """The outputs of a block into the rows of the arrays."""
        L = self.L

        def output(k: str, carry: str) -> str:
            parts = [L.emit(f"load {L.vector}, ptr {self._at('%out', k, self.writes, j)}, align 8") for j in range(self.writes)]
            if self.kind == "points":
                self._spread("%outlo", k, parts[0], offsets, "double")
                return carry
            # 0 - n and h + 0, which are exact and make ends of 0 the zero +0: which one of both a maximum takes, processors differ in.
            self._spread("%outlo", k, L.sub(L.const(0.0), parts[0]), offsets, "double")
            self._spread("%outhi", k, L.add(parts[1], L.const(0.0)), offsets, "double")
            if self.kind == "decorated":
                self._spread("%level", k, L.emit(f"fptoui {L.vector} {parts[2]} to <{L.width} x i8>"), offsets, "i8")
            return carry

        self._each("output", "run", self.outputs, L.mask_const(True), output)

    def _spread(self, array: str, k: str, value: str, offsets: list[str], element: str) -> None:
        L = self.L
        for lane, offset in enumerate(offsets):
            at = L.emit(f"getelementptr {element}, ptr {array}, i64 {L.emit(f'add i64 {offset}, {k}')}")
            one = L.emit(f"extractelement <{L.width} x {element}> {value}, i64 {lane}")
            L.lines.append(f"  store {element} {one}, ptr {at}")
