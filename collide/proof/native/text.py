"""Trees as text: their boxes in preorder, a line each, as the checker reads them."""

import numpy as np

from codegen.machine.loops import native
from codegen.machine.structures import Boxes, Floats, Grid, Ints, Structure, array

from .memory import CONVEX, DIVIDED, INSIDE, SINGLE

WRITTEN, FULL = 0, 1
"""All is written, or there is no room."""
# Numbers up to this that are integers are written as such; letters of a number, at most; and no number
# of a step is as small.
_INTEGER, _LETTERS, _SMALLEST = 1e6, 26, 1e-300


class TextMemory(Structure):
    unset = ("room", "used")
    quick = False

    n: int                             # variables
    m: int                             # rows
    used: int                          # boxes
    room: int
    end: int                           # how much text there is
    until: float                       # boxes that begin after it are left out
    kind: Ints = array("used")         # as of the prover
    part: Ints = array("used")
    by: Ints = array("used")
    cut: Floats = array("used")
    box: Boxes = array("used", "n", 2)
    near: Grid[float] = array("used", "n")
    weights: Grid[float] = array("used", "m")
    more: Grid[float] = array("used", 2)
    stack: Ints = array("used")
    text: Ints = array("room")         # letters, by their numbers


@native
def write(s: TextMemory) -> int:
    s.end = 0
    s.stack[0] = 0
    waiting = 1
    while waiting > 0:
        if s.end + (s.m + s.n + 4) * _LETTERS > s.room:
            return FULL
        waiting -= 1
        k = s.stack[waiting]
        if s.box[k].lo(s.n - 1) > s.until:
            _letter(s, 108)
        elif s.kind[k] == DIVIDED:
            _division(s, k)
            s.stack[waiting] = s.part[k] + 1
            s.stack[waiting + 1] = s.part[k]
            waiting += 2
        else:
            _step(s, k)
        _letter(s, 10)
    return WRITTEN


@native
def _letter(s: TextMemory, letter: int) -> None:
    s.text[s.end] = letter
    s.end += 1


@native
def _division(s: TextMemory, k: int) -> None:
    j = s.by[k]
    _letter(s, 115)
    _integer(s, j)
    if s.cut[k] != 0.5 * (s.box[k].lo(j) + s.box[k].hi(j)):
        _number(s, s.cut[k])


@native
def _step(s: TextMemory, k: int) -> None:
    """That a box has no solution."""
    kind = s.kind[k]
    if kind == INSIDE:
        _letter(s, 105)
        _integer(s, s.part[k])
        return
    _letter(s, 99 if kind == CONVEX else 110)
    for r in range(s.m):
        if kind == SINGLE:
            _number(s, 0.0 if abs(s.more[k, 0]) != r + 1.0 else (1.0 if s.more[k, 0] > 0.0 else -1.0))
        else:
            _number(s, s.weights[k, r])
    if kind == CONVEX:
        _number(s, s.more[k, 0])
        _number(s, s.more[k, 1])
        for j in range(s.n):
            _number(s, s.near[k, j])


@native
def _integer(s: TextMemory, value: int) -> None:
    """A space, and a number that is not negative."""
    _letter(s, 32)
    unit = 1
    while 10 * unit <= value:
        unit = 10 * unit
    while unit > 0:
        _letter(s, 48 + value // unit % 10)
        unit = unit // 10


@native
def _number(s: TextMemory, x: float) -> None:
    """A space, and a double, exact; short if it is an integer. What is as small or as great as no number of a step should be becomes 0."""
    _letter(s, 32)
    rest, exponent = abs(x), 0
    if not (rest > _SMALLEST and rest < 1.0 / _SMALLEST):
        _letter(s, 48)
        return
    if x < 0.0:
        _letter(s, 45)
    if rest == np.floor(rest) and rest < _INTEGER:
        _whole(s, rest)
        return
    while rest >= 2.0:
        rest = 0.5 * rest
        exponent += 1
    while rest < 1.0:
        rest = 2.0 * rest
        exponent -= 1
    _letter(s, 48)
    _letter(s, 120)
    _letter(s, 49)
    rest -= 1.0
    if rest > 0.0:
        _letter(s, 46)
    while rest > 0.0:
        rest = 16.0 * rest
        digit = _below(rest, 16)
        _letter(s, 48 + digit if digit < 10 else 87 + digit)
        rest -= digit
    _letter(s, 112)
    _letter(s, 45 if exponent < 0 else 43)
    _whole(s, 1.0 * abs(exponent))


@native
def _whole(s: TextMemory, value: float) -> None:
    unit = 1.0
    while 10.0 * unit <= value:
        unit = 10.0 * unit
    while unit >= 1.0:
        digit = _below(value / unit, 10)
        _letter(s, 48 + digit)
        value -= digit * unit
        unit = np.round(unit / 10.0) if unit > 1.0 else 0.0


@native
def _below(value: float, most: int) -> int:
    """The whole part of a number less than this."""
    digit = 0
    while digit + 1 < most and digit + 1.0 <= value:
        digit += 1
    return digit
