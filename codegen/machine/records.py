"""Eight records of a table into the lanes of a block, and back: a transposition, eight by eight numbers at a time."""

from ..emit.lanes import WIDTH, Lanes
from .straight_line import straight_line


def padded(length: int) -> int:
    """The length of a record in a table, and of a block that holds eight: a multiple of eight."""
    return -(-length // WIDTH) * WIDTH


def gather(length: int) -> int:
    """Address of ``void(table, begins, block)``: entry k of the record at ``table[begins[lane]]`` becomes block (length,) entry (k, lane).

    `begins` (8,) are 64-bit integers. Records and the block are as long as `padded` says; what lies beyond `length` comes along.
    """
    return straight_line("gather", (length,), "table begins block", lambda module, L: _gather(L, length), "nearest", quick=True)


def scatter(length: int) -> int:
    """Address of ``void(table, begins, block)``: the reverse. Lanes with the same beginning must hold the same."""
    return straight_line("scatter", (length,), "table begins block", lambda module, L: _scatter(L, length), "nearest", quick=True)


def _gather(L: Lanes, length: int) -> None:
    rows = _rows(L)
    for first in range(0, length, WIDTH):
        for k, column in enumerate(_transposed(L, [L.load(row, first // WIDTH) for row in rows])):
            L.store("%block", first + k, column)


def _scatter(L: Lanes, length: int) -> None:
    rows = _rows(L)
    for first in range(0, length, WIDTH):
        for row, values in zip(rows, _transposed(L, [L.load("%block", first + k) for k in range(WIDTH)]), strict=True):
            L.store(row, first // WIDTH, values)


def _rows(L: Lanes) -> list[str]:
    """The address of the first record."""
    rows = []
    for lane in range(WIDTH):
        at = L.emit(f"getelementptr i64, ptr %begins, i64 {lane}")
        begin = L.emit(f"load i64, ptr {at}")
        rows.append(L.emit(f"getelementptr double, ptr %table, i64 {begin}"))
    return rows


def _transposed(L: Lanes, rows: list[str]) -> list[str]:
    """Blocks of 1, 2 and then 4 numbers are exchanged between rows that are as far apart (Eklundh 1972)."""
    size = 1
    while size < WIDTH:
        above = [p if p & size == 0 else WIDTH + p - size for p in range(WIDTH)]
        below = [p + size if p & size == 0 else WIDTH + p for p in range(WIDTH)]
        for i in range(WIDTH):
            if i & size == 0:
                a, b = rows[i], rows[i + size]
                rows[i], rows[i + size] = _chosen(L, a, b, above), _chosen(L, a, b, below)
        size *= 2
    return rows


def _chosen(L: Lanes, a: str, b: str, places: list[int]) -> str:
    order = ", ".join(f"i32 {p}" for p in places)
    return L.emit(f"shufflevector {L.vector} {a}, {L.vector} {b}, <{WIDTH} x i32> <{order}>")
