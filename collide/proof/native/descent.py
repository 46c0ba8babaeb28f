"""Newton's method within eight boxes: where rows, or their squares, are least."""

from codegen.machine.loops import native
from codegen.machine.structures import LANES

from .algebra import newton_step, squared
from .evaluate import at_trials, evaluate
from .memory import AT, NEW, ProverMemory

# By how much one step must make a place better for there to be another.
_BETTER = 0.99


@native
def height(s: ProverMemory, place: int, lane: int) -> float:
    """w . F + (m/2) |F|^2 at a point."""
    total = 0.0
    for r in range(s.m):
        w, value = s.weight[r, lane], s.jet[place, r, lane]
        total += (w + (0.5 * s.square[lane] * value if squared(s, place, r, lane) else 0.0)) * value
    return total


@native
def descend(s: ProverMemory, steps: int) -> None:
    """Newton's method for a least w . F + (m/2) |F|^2 within the boxes; where a step does not lead down, shorter ones are tried. `point` is
    where it ends, with the jets there at AT.
    """
    for j in range(s.n):
        for lane in range(LANES):
            s.point[j, lane] = min(max(s.point[j, lane], s.lo[j, lane]), s.hi[j, lane])
            s.trial[j, lane] = s.point[j, lane]
    at_trials(s)
    evaluate(s, 2, AT)
    for lane in range(LANES):
        s.best[lane], s.length[lane] = height(s, AT, lane), 1.0
    for _ in range(steps):
        for lane in range(LANES):
            if s.tried[lane] != 0:
                newton_step(s, lane)
                for j in range(s.n):
                    move = s.length[lane] * s.step[j, lane]
                    move = move if move == move else 0.0
                    s.trial[j, lane] = min(max(s.point[j, lane] + move, s.lo[j, lane]), s.hi[j, lane])
        at_trials(s)
        evaluate(s, 2, NEW)
        better = False
        for lane in range(LANES):
            if s.tried[lane] != 0:
                before = s.best[lane]
                _accept(s, lane)
                better = better or s.best[lane] < _BETTER * before or s.length[lane] < 1.0
        if not better:
            return


@native
def _accept(s: ProverMemory, lane: int) -> None:
    new = height(s, NEW, lane)
    if new <= s.best[lane]:
        s.best[lane] = new
        s.length[lane] = min(1.0, 4.0 * s.length[lane])
        for j in range(s.n):
            s.point[j, lane] = s.trial[j, lane]
        for e in range(s.entries):
            s.jet[AT, e, lane] = s.jet[NEW, e, lane]
    else:
        s.length[lane] = 0.125 * s.length[lane]
