"""Typed memory: loops read and write by name what NumPy has under that name."""

from typing import Any

import numpy as np
import pytest

from codegen.machine.loop_runtime import compiled
from codegen.machine.loops import STRUCT, UnsupportedPython, loop_assembly, native
from codegen.machine.memory import Memory, Number
from codegen.machine.structures import (
    LANES,
    Box,
    Boxes,
    Floats,
    Grid,
    Intervals,
    Ints,
    LaneArray,
    Row,
    Rows,
    Structure,
    Table,
    array,
    table,
)


class Body(Row):
    faces: int
    ends: Ints = array(2)
    edges: int
    size: float
    domain: Box = array("n", 2)
    side: Grid[int] = array("n", 2)


class Joint(Row):
    bends: int
    first: Body
    second: Body
    path: Grid[float] = array(2, "n", 3)

    @native
    def other(self, b: Body) -> Body:
        return self.second if self.first.number == b.number else self.first


class Store(Structure):
    unset = ("room",)

    body: Table[Body] = table("bodies")
    joint: Table[Joint] = table("joints")
    present: Body
    n: int
    used: int
    best: float
    worst: float
    box: Boxes = array("room", "n", 2)
    pair: Grid[int] = array("room", 2)
    net: Grid[int] = array(4, "n", 3)
    key: Floats = array("room")
    X: Intervals = array("n", 2, LANES)
    cell: Rows[Intervals] = array("room", 3, 2, LANES)
    point: LaneArray = array("n", LANES)
    hull: Box = array("n", 2)


SIZES = {"n": 3, "bodies": 4, "joints": 5, "room": 6}


class Owner:
    used, best = Number[int](Store), Number[float](Store)
    least = Number[float](Store, "worst")

    def __init__(self, arrays: Memory) -> None:
        self.arrays = arrays


@pytest.fixture
def memory() -> Memory:
    store, rng = Memory(Store, SIZES), np.random.default_rng(7)
    for name in ("box", "key", "X", "point", "hull", "domain", "size", "path"):
        store[name][:] = rng.normal(size=store[name].shape)
    for name in ("pair", "side", "body", "net"):
        store[name][:] = rng.integers(1, 9, store[name].shape)
    return store


@native
def width(p: Body, box: Box, j: int) -> float:
    return box.width(j) / p.domain.width(j)


@native
def mixed(s: Store, p: Body, i: int) -> int:
    s.used += p.faces * p.ends[1] + p.edges
    p.edges = p.number
    box, other = s.box[i], s.box[i + 1]
    for j in range(s.n):
        s.best = max(s.best, width(p, box, j))
        other.put(j, box.lo(j), box.middle(j))
        s.X.put(j, i, p.domain.lo(j), p.domain.hi(j))
        s.point[j, i] = s.X.width(j, i) + s.X.middle(j, 0) + s.X.magnitude(j, 0) + s.X.inner(j, 1)
        p.side[j, 1] = s.pair[i, 0]
    s.hull.put_lo(0, p.size)
    s.cell[i + 1].put(2, 3, box.lo(0), box.hi(0))
    s.pair[i, 1] = p.side[0, 0]
    s.worst = s.key[i]
    return s.used


def test_fields_of_rows_boxes_and_lanes_are_those_of_the_arrays(memory: Memory) -> None:
    before = {name: a.copy() for name, a in memory.items()}
    rows = memory.table(Body)
    faces, ends, edges = int(rows["faces"][2]), rows["ends"][2].copy(), int(rows["edges"][2])
    used = compiled(mixed)(memory.address, 2, 4)
    assert used == memory.number("used") == faces * ends[1] + edges and memory.number("n") == 3
    assert rows["edges"][2] == 2 and (rows["ends"][2] == ends).all() and rows["faces"][2] == faces
    box, domain = before["box"][4], before["domain"][2]
    assert memory.number("best") == max(0.0, ((box[:, 1] - box[:, 0]) / (domain[:, 1] - domain[:, 0])).max())
    assert (memory["box"][5] == np.stack([box[:, 0], 0.5 * box.sum(axis=1)], axis=1)).all()
    assert (memory["X"][:, 0, 4] == -domain[:, 0]).all() and (memory["X"][:, 1, 4] == domain[:, 1]).all()
    X = before["X"]
    lo, hi = -X[:, 0, 1], X[:, 1, 1]
    expected = (domain[:, 1] - domain[:, 0]) + 0.5 * (X[:, 1, 0] - X[:, 0, 0]) + np.abs(X[:, :, 0]).max(axis=1)
    assert (memory["point"][:, 4] == expected + np.minimum(np.maximum(0.5 * (lo + hi), lo), hi)).all()
    assert (memory["side"][2, :, 1] == before["pair"][4, 0]).all() and memory["pair"][4, 1] == before["side"][2, 0, 0]
    assert (memory["cell"][5, 2, :, 3] == box[0] * [-1.0, 1.0]).all()
    assert memory["hull"][0, 0] == before["size"][2] and memory.number("worst") == before["key"][4]


@native
def joined(s: Store, j: Joint, b: Body) -> int:
    a = j.first
    s.present, j.second = a, b
    s.best = j.path[1, 2, 0] + a.domain.lo(1)
    j.path[0, s.n - 1, 2] = 0.5
    s.net[3, 1, 2] += 10
    j.first, j.second = j.second, j.first
    j.bends = s.net[2, a.faces, 1] + j.other(b).edges
    return s.present.number


def test_rows_refer_to_rows_and_arrays_have_rows_of_rows(memory: Memory) -> None:
    """Both tables have integers of their own. (Fails when those of all tables lie in one array.)"""
    bodies, joints, net, path = memory.table(Body), memory.table(Joint), memory["net"].copy(), memory["path"].copy()
    bodies["faces"], joints["first"][3] = 2, 1
    before = bodies.copy()
    assert compiled(joined)(memory.address, 3, 2) == 1 and memory.packed["count"][0] == 1
    assert joints[3].item() == (net[2, 2, 1] + before["edges"][1], 2, 1) and (bodies == before).all() and not joints["bends"][:3].any()
    assert memory.number("best") == path[3, 1, 2, 0] + memory["domain"][1, 1, 0]
    net[3, 1, 2] += 10
    path[3, 0, 2, 2] = 0.5
    assert (memory["net"] == net).all() and (memory["path"] == path).all()


def test_arrays_that_double_keep_what_they_hold(memory: Memory) -> None:
    kept = memory["box"].copy()
    assert set(memory.sized("room")) == {"box", "pair", "key", "cell"}
    memory.double("room")
    assert memory["box"].shape == (12, 3, 2) and (memory["box"][:6] == kept).all() and memory["point"].shape == (3, LANES)
    memory["key"][10] = 5.0
    compiled(mixed)(memory.address, 1, 10)
    assert memory.number("worst") == 5.0


def test_arrays_double_piece_by_piece(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that Ctrl-C is never far: pieces that do not divide them."""
    before = {name: memory[name].copy() for name in memory.sized("room")}
    monkeypatch.setattr("codegen.machine.memory._LARGE", 3)
    memory.double("room")
    for name, old in before.items():
        assert len(memory[name]) == 2 * len(old), name
        np.testing.assert_array_equal(memory[name][:len(old)], old)
        assert not memory[name][len(old):].any(), name


def test_much_memory_is_not_filled(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is zero as the system gives it."""
    empty, asked = np.empty, list[int]()
    monkeypatch.setattr("codegen.machine.memory._LARGE", 10)
    monkeypatch.setattr(np, "empty", lambda size, *rest: (asked.append(size), empty(size, *rest))[1])
    memory = Memory(Store, SIZES)
    assert not asked and not any(array.any() for name, array in memory.items() if name != "count"), "nothing but its numbers"
    assert not memory["box"].any()
    copied = Memory(Store, SIZES, memory)
    assert asked, "it is filled where it begins as another one"
    np.testing.assert_array_equal(copied.beginning, memory.beginning)


def test_loops_find_an_array_of_the_caller(memory: Memory) -> None:
    """In the place of the memory's own, which stays as it is."""
    keys, before = np.arange(6.0), memory["key"].copy()
    memory.refer("key", keys.ctypes.data)
    compiled(mixed)(memory.address, 1, 3)
    assert memory.number("worst") == keys[3] and (memory["key"] == before).all()


def test_arrays_begin_on_their_own_vectors_and_are_zero() -> None:
    memory = Memory(Store, SIZES)
    begins = [a.ctypes.data for a in memory.values()]
    assert len({b // 64 for b in begins}) == len(begins) and all(b % 64 == 0 for b in begins)
    assert not any(a.any() for name, a in memory.items() if name not in memory.sized("room") and name != "count")
    assert len(memory) == len(begins) and 0 <= memory.bytes - sum(a.nbytes for a in memory.values()) <= 64 * (len(memory) + 1)


def test_numbers_are_attributes_of_what_has_the_memory(memory: Memory) -> None:
    owner = Owner(memory)
    owner.used, owner.best, owner.least = 3, 1.5, -2.0
    assert (memory.number("used"), memory.number("best"), memory.number("worst")) == (3, 1.5, -2.0)
    assert (owner.used, owner.best, owner.least) == (3, 1.5, -2.0) and type(owner.used) is int
    assert isinstance(Owner.used, Number)


@native
def unknown_column(s: Any) -> int:
    return s.body[0].corners


@native
def unknown_method(s: Any) -> float:
    return s.hull.size(0)


@native
def whole_array(s: Any) -> float:
    return width(s.body[0], s.box, 0)


@native
def flat_index(s: Any) -> int:
    return s.net[3, 1]


@native
def other_table(s: Any) -> int:
    s.joint[0].first = s.joint[1]
    return 0


@native
def number_as_row(s: Any) -> int:
    s.present = 1
    return 0


@pytest.mark.parametrize(("function", "message"), [
    (unknown_column, "Body.* has no 'corners'"), (unknown_method, "s.hull.size is not a native function"),
    (whole_array, "an array of records is no record"), (flat_index, "3 indices are needed, not 2"),
    (other_table, "Joint.* where .*Body.* is needed"), (number_as_row, "kind i64 where .*Body.* is needed"),
])
def test_what_a_record_does_not_have_is_named(function: Any, message: str) -> None:
    with pytest.raises(UnsupportedPython, match=message):
        loop_assembly(function, [STRUCT], Store, "entry")
