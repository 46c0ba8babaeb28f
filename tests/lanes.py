"""Run one emitted vector function on NumPy arrays, so that tests can reach the building blocks below a kernel."""

import ctypes

import numpy as np

from codegen.emit.entry import add_entry
from codegen.emit.lanes import Emit, Module
from codegen.machine.native import Code, object_code


class VectorFunction:
    """``f(*arrays) -> tuple of arrays`` from an emitter of arity `arity` with `results` results, all float64 (n,)."""

    def __init__(self, emit: Emit, arity: int, results: int, *, rounding: str = "upward", width: int = 8,
                 cpu: str | None = None) -> None:
        self.arity, self.results, self.width = arity, results, width
        module = Module(width, rounding)
        lanes = module.lanes()
        values = []
        for k in range(arity):
            pointer = lanes.emit(f"getelementptr {lanes.vector}, ptr %in, i64 {k}")
            values.append(lanes.emit(f"load {lanes.vector}, ptr {pointer}, align 8"))
        out = module.call(lanes, "tested", emit, *values)
        assert len(out) == results
        for k, value in enumerate(out):
            pointer = lanes.emit(f"getelementptr {lanes.vector}, ptr %out, i64 {k}")
            lanes.lines.append(f"  store {lanes.vector} {value}, ptr {pointer}, align 8")
        body = "\n".join(lanes.lines)
        module.add("body", f"define internal void @body(ptr %in, ptr %out) #2 {{\n{body}\n  ret void\n}}")
        add_entry(module, "entry", "body", "ptr %in, ptr %out", "ptr %in, ptr %out")
        self.text = module.text()
        self._code = Code(object_code(self.text, cpu), ("entry",))
        self._call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(self._code.address["entry"])

    def __call__(self, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
        n = len(arrays[0])
        blocks = -(-n // self.width)
        padded = np.ones((self.arity, blocks * self.width))
        for k, a in enumerate(arrays):
            padded[k, :n] = a
        x = np.ascontiguousarray(padded.reshape(self.arity, blocks, self.width).transpose(1, 0, 2))
        y = np.empty((blocks, self.results, self.width))
        for b in range(blocks):
            self._call(x[b].ctypes.data, y[b].ctypes.data)
        return tuple(y.transpose(1, 0, 2).reshape(self.results, -1)[:, :n])
