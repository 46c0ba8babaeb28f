"""What a theorem says, in words. Numbers are doubles, in decimals that read back as these."""

from collections.abc import Iterator, Sequence
from typing import Any

from .problem import Part, Problem

Box = tuple[tuple[float, float], ...]


def none(problem: Problem, bound: Any, boxes: Sequence[Box], single: int) -> str:
    """That there is no solution; `boxes` are those in which zeros may lie, so many of which hold a single one."""
    times = [formula_text(end) for end in problem.time]
    if problem.question == "contact":
        return (f"{_surfaces(problem)} have no point in common at any time t with {times[0]} <= t <= {float(bound)!r}"
                f"{_parameters(problem)}.")
    if problem.question == "distance":
        return (f"{_surfaces(problem)} are farther from each other than {float(bound)!r} at all times t from {' to '.join(times)}"
                f"{_parameters(problem)}.")
    if problem.question == "minimum":
        return ("No point of the domain fulfils the constraints." if bound is None else
                f"The objective is greater than {float(bound)!r} at all points of the domain that fulfil the constraints.")
    listed = "; ".join(map(box_text, boxes[:8])) + ("; ..." if len(boxes) > 8 else "")
    return f"All zeros lie in {len(boxes)} boxes, of which {single} hold exactly one each: {listed}." if boxes else "There is no zero."


def some(problem: Problem, system: Any, bound: Any, box: Box, least: float) -> Iterator[str]:
    """That there is a solution in a box, and what follows with what is known not to be, up to `least`."""
    if problem.question == "contact":
        yield f"{_bodies(problem, *system[1:3])} have a point in common {_when(problem, box)}."
        if least < box[-1][1]:
            yield f"So their first contact lies in {least!r} <= t <= {box[-1][1]!r}."
    elif problem.question == "distance":
        yield f"Somewhere they are at most {float(bound)!r} from each other, {_when(problem, box)}."
        if least < bound:
            yield f"So the least distance lies between {least!r} and {float(bound)!r}."
    elif problem.question == "minimum":
        yield f"It is at most {float(bound)!r} at a point of them in {box_text(box)}."
    else:
        yield f"There is a zero in {box_text(box)}."


def one(problem: Problem, system: Any, only: Box, near: Box) -> str:
    """That there is exactly one common point in a box, as `Problem.built` says of the system "touch"."""
    _, a, b, room = system
    # At a corner there are no more variables than equations: then the common point itself is the only one in its box.
    first = problem.system("common point", a, b).equations - 1
    where = (f" at which the equations' derivatives by the first {first} variables of place that have room and by any other of place "
             "are linearly dependent") if len(room) > first else ""
    return f"{_bodies(problem, a, b)} have exactly one point in common in {box_text(only)}{where}: at {box_text(near)}."


def _surfaces(problem: Problem) -> str:
    if problem.itself is not None:
        most = " and ".join(map(formula_text, problem.itself))
        limits = f" (of one surface those whose u and v differ by at most {most})" if most else ""
        return f"Places of the surfaces that are different{limits}"
    own, pairs = {piece.body for piece in problem.pieces}, sorted(problem.excepted)
    but = f", but for pairs {', '.join(f'{i} and {j}' for i, j in pairs)}, of which nothing is claimed," if pairs else ""
    return f"Of {len(own)} bodies those surfaces that belong to different ones{but}"


def _bodies(problem: Problem, a: Part, b: Part) -> str:
    if problem.itself is not None:
        return "Places of the surfaces that are different"
    return "Surfaces of bodies {} and {}".format(*(problem.pieces[part[0]].body for part in (a, b)))


def _parameters(problem: Problem) -> str:
    ranges = [f"{name} from {formula_text(lo)} to {formula_text(hi)}" for name, (lo, hi) in problem.variables.items()]
    return f", for all {', '.join(ranges)}" if ranges else ""


def _when(problem: Problem, box: Box) -> str:
    n = len(problem.variables)
    at = [f"{name} in [{lo!r}, {hi!r}]" for name, (lo, hi) in zip(problem.variables, box[-n - 1:-1], strict=True)]
    lo, hi = box[-1]
    return f"{'at t =' if lo == hi else 'at a time t in'} {lo if lo == hi else [lo, hi]!r}{', with ' if at else ''}{', '.join(at)}"


def formula_text(formula: Any) -> str:
    return formula if isinstance(formula, str) else f"({' '.join(map(formula_text, formula))})"


def box_text(box: Box) -> str:
    return " x ".join(f"[{lo!r}, {hi!r}]" for lo, hi in box)
