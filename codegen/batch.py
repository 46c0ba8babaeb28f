"""The loop over NumPy arrays around a lowered body: rows in, blocks of lanes through it, rows out.

    void batch(i64 rows, ptr lo, ptr hi, ptr plo, ptr phi, i64 pstride, ptr out_lo, ptr out_hi, ptr level, ptr bad)

Arrays are C-contiguous float64 with one row a box (level: uint8). A parameter stride of 0 uses one row of
parameters for all boxes. Lanes past the last row repeat it, so any number of rows is handled by one loop. Bounds
that are NaN, reversed, or infinite on the wrong side stop the loop and write the first row of the offending block
to `bad`, which is not touched otherwise.
"""


from .lanes import Lanes, Module, literal
from .lower import Kind, vectors
from .native import add_entry

PARAMETERS = "i64 %rows, ptr %lo, ptr %hi, ptr %plo, ptr %phi, i64 %pstride, ptr %outlo, ptr %outhi, ptr %level, ptr %bad"
_INFINITY = f"splat (double {literal(float('inf'))})"
_MINUS_INFINITY = f"splat (double {literal(float('-inf'))})"


def add_batch(module: Module, kind: Kind, variables: int, parameters: int, outputs: int) -> None:
    """Add the entry point ``batch`` to a module that has a ``body``."""
    _Batch(module, kind, variables, parameters, outputs).write()
    add_entry(module, "batch", "rows", PARAMETERS, PARAMETERS)


def add_block(module: Module) -> None:
    """Add the entry point ``block(ptr x, ptr p, ptr out)``: one block of lanes, for native callers."""
    add_entry(module, "block", "body", "ptr %x, ptr %p, ptr %out", "ptr %x, ptr %p, ptr %out")


class _Batch:
    def __init__(self, module: Module, kind: Kind, variables: int, parameters: int, outputs: int) -> None:
        self.module, self.kind = module, kind
        self.variables, self.parameters, self.outputs = variables, parameters, outputs
        self.reads, self.writes = vectors(kind)
        self.L: Lanes = module.lanes()

    def write(self) -> None:
        L = self.L
        width = L.width
        rows = self._rows()
        checks: list[str] = []
        self._gather("%x", "%lo", "%hi", self.variables, [self._offset(r, self.variables) for r in rows], checks)
        offsets = [L.emit(f"mul i64 {r}, %pstride") for r in rows] if self.parameters else []
        self._gather("%p", "%plo", "%phi", self.parameters, offsets, checks)
        valid = self._all(checks)
        body_before = "\n".join(L.lines)
        L.lines = ["  call void @body(ptr %x, ptr %p, ptr %out)"]
        self._scatter(rows)
        body_after = "\n".join(L.lines)
        sizes = {"x": self.variables * self.reads, "p": self.parameters * self.reads, "out": self.outputs * self.writes}
        allocate = "\n".join(f"  %{n} = alloca {L.vector}, i64 {max(s, 1)}, align 64" for n, s in sizes.items())
        self.module.add("rows", f"""define internal void @rows({PARAMETERS}) #2 {{
start:
{allocate}
  %last = sub i64 %rows, 1
  br label %next
next:
  %i = phi i64 [ 0, %start ], [ %j, %run ]
  %more = icmp slt i64 %i, %rows
  br i1 %more, label %gather, label %done
gather:
{body_before}
  br i1 {valid}, label %run, label %invalid
run:
{body_after}
  %j = add i64 %i, {width}
  br label %next
invalid:
  store i64 %i, ptr %bad
  ret void
done:
  ret void
}}""")

    def _rows(self) -> list[str]:
        """The row of each lane: past the end, the last one."""
        L = self.L
        name = "llvm.smin.i64"
        L.intrinsics.setdefault(name, f"declare i64 @{name}(i64, i64)")
        return [L.emit(f"call i64 @{name}(i64 {L.emit(f'add i64 %i, {k}')}, i64 %last)") for k in range(L.width)]

    def _offset(self, row: str, stride: int) -> str:
        return self.L.emit(f"mul i64 {row}, {stride}")

    def _gather(self, block: str, lo: str, hi: str, count: int, offsets: list[str], checks: list[str]) -> None:
        L = self.L
        for j in range(count):
            low = self._column(lo, j, offsets)
            if self.kind == "points":
                L.store(block, j, low)
                continue
            high = self._column(hi, j, offsets)
            checks += [L.le(low, high), L.lt(low, _INFINITY), L.gt(high, _MINUS_INFINITY)]
            L.store(block, 2 * j, L.neg(low))
            L.store(block, 2 * j + 1, high)

    def _column(self, array: str, j: int, offsets: list[str]) -> str:
        L = self.L
        value = "poison"
        for lane, offset in enumerate(offsets):
            at = L.emit(f"getelementptr double, ptr {array}, i64 {L.emit(f'add i64 {offset}, {j}')}")
            value = L.emit(f"insertelement {L.vector} {value}, double {L.emit(f'load double, ptr {at}')}, i64 {lane}")
        return value

    def _all(self, checks: list[str]) -> str:
        L = self.L
        if not checks:
            return "true"
        together = checks[0]
        for c in checks[1:]:
            together = L.both(together, c)
        name = f"llvm.vector.reduce.and.v{L.width}i1"
        L.intrinsics.setdefault(name, f"declare i1 @{name}({L.mask})")
        return L.emit(f"call i1 @{name}({L.mask} {together})")

    def _scatter(self, rows: list[str]) -> None:
        L = self.L
        offsets = [self._offset(r, self.outputs) for r in rows]
        for k in range(self.outputs):
            parts = [L.load("%out", k * self.writes + j) for j in range(self.writes)]
            if self.kind == "points":
                self._spread("%outlo", parts[0], k, offsets, "double")
                continue
            # 0 - n, which is exact and turns n = 0 into lo = +0.
            self._spread("%outlo", L.sub(L.const(0.0), parts[0]), k, offsets, "double")
            self._spread("%outhi", parts[1], k, offsets, "double")
            if self.kind == "decorated":
                level = L.emit(f"fptoui {L.vector} {parts[2]} to <{L.width} x i8>")
                self._spread("%level", level, k, offsets, "i8")

    def _spread(self, array: str, value: str, k: int, offsets: list[str], element: str) -> None:
        L = self.L
        for lane, offset in enumerate(offsets):
            at = L.emit(f"getelementptr {element}, ptr {array}, i64 {L.emit(f'add i64 {offset}, {k}')}")
            one = L.emit(f"extractelement <{L.width} x {element}> {value}, i64 {lane}")
            L.lines.append(f"  store {element} {one}, ptr {at}")


