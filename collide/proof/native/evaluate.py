"""Formulas over eight boxes at once: operations on balls, as the checker makes them, but in doubles and without their roundings."""

from codegen.machine.loops import call_kernel, native, parallel
from codegen.machine.structures import LANES

from .memory import OVER, ProverMemory

ADD, SUB, MUL, NEG = range(4)
"""Operations that are written here; others are called."""


@native
def run(s: ProverMemory, begin: int, end: int) -> None:
    for k in range(begin, end):
        o, z, a, b = s.code[k, 0], s.code[k, 1], s.code[k, 2], s.code[k, 3]
        if o == MUL:
            for i in parallel(LANES):
                p, x, q, y = s.ball[a, i], s.ball[a, LANES + i], s.ball[b, i], s.ball[b, LANES + i]
                s.ball[z, i] = p * q
                s.ball[z, LANES + i] = abs(p) * y + x * (abs(q) + y)
        elif o == ADD:
            for i in parallel(LANES):
                s.ball[z, i] = s.ball[a, i] + s.ball[b, i]
                s.ball[z, LANES + i] = s.ball[a, LANES + i] + s.ball[b, LANES + i]
        elif o == SUB:
            for i in parallel(LANES):
                s.ball[z, i] = s.ball[a, i] - s.ball[b, i]
                s.ball[z, LANES + i] = s.ball[a, LANES + i] + s.ball[b, LANES + i]
        elif o == NEG:
            for i in parallel(LANES):
                s.ball[z, i] = -s.ball[a, i]
                s.ball[z, LANES + i] = s.ball[a, LANES + i]
        else:
            call_kernel(s.call[o], s.base + 16 * LANES * a, s.base + 16 * LANES * b, s.base + 16 * LANES * z)


@native
def evaluate(s: ProverMemory, order: int, place: int) -> None:
    """The jets up to this order over what is in the registers of the variables."""
    run(s, s.begin[1], s.begin[order + 2])
    for k in range(s.entries if order > 1 else s.m + order * s.m * s.n):
        register = s.where[max(order - 1, 0), k]
        if register >= 0:
            for i in parallel(2 * LANES):
                s.jet[place, k, i] = s.ball[register, i]
        else:
            for i in parallel(2 * LANES):
                s.jet[place, k, i] = 0.0


@native
def over_boxes(s: ProverMemory) -> None:
    for j in range(s.n):
        for i in parallel(LANES):
            s.ball[j, i] = 0.5 * (s.lo[j, i] + s.hi[j, i])
            s.ball[j, LANES + i] = 0.5 * (s.hi[j, i] - s.lo[j, i])


@native
def over_faces(s: ProverMemory) -> None:
    for j in range(s.n):
        for i in parallel(LANES):
            s.ball[j, i] = 0.5 * (s.face_lo[j, i] + s.face_hi[j, i])
            s.ball[j, LANES + i] = 0.5 * (s.face_hi[j, i] - s.face_lo[j, i])


@native
def at_trials(s: ProverMemory) -> None:
    for j in range(s.n):
        for i in parallel(LANES):
            s.ball[j, i] = s.trial[j, i]
            s.ball[j, LANES + i] = 0.0


@native
def prepare(s: ProverMemory) -> int:
    """Evaluate once what depends on numbers alone."""
    run(s, s.begin[0], s.begin[1])
    return 0


@native
def jets(s: ProverMemory, order: int) -> int:
    """Over eight boxes, or at points."""
    over_boxes(s)
    evaluate(s, order, OVER)
    return 0
