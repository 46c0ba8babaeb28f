"""Theorem of a log in words.

Numbers are doubles, in decimals that read back as these.
"""

from collections.abc import Iterator, Sequence

from .problem import Box, Case, LogProblem
from .text import written

NONE = {"contact": "{who} have no point in common at any time t with {when}.",
        "distance": "{who} are farther from each other than {bound!r} at all times t with {when}.",
        "minimum": "The objective is greater than {bound!r} at all points of the domain that fulfil the constraints.",
        "zeros": "All zeros lie in {count} boxes, of which {single} hold exactly one each: {boxes}."}  # fmt: skip
SOME = {"contact": "{who} have a point in common at {when}.",
        "distance": "{who} have points at most {bound!r} from each other at {when}.",
        "minimum": "The objective is at most {bound!r} at a point of the domain that fulfils the constraints, in {box}.",
        "zeros": "There is a zero in {box}."}  # fmt: skip
SO = {"contact": "So {their} lies in {least!r} <= t <= {most!r}.",
      "distance": "So the least distance lies between {least!r} and {most!r}.",
      "minimum": "So the minimum lies between {least!r} and {most!r}."}  # fmt: skip


def assumed(problem: LogProblem) -> Iterator[str]:
    """The functions that are not proved to be what the log says."""
    for f in problem.program.assumed.values():
        letters, low, high = [f"x{k}" for k in range(f.arguments)], *map(written, f.formulas[:2])
        where = " and ".join(f"lo{k} <= x{k} <= hi{k}" for k in range(f.arguments))
        slopes = [f" and {written(formula)} is its derivative by x{k}" for k, formula in enumerate(f.formulas[2:])]
        value = f", where x{f.arguments} is its value," if any(f"x{f.arguments}" in slope for slope in slopes) else ""
        yield (f"ASSUMED, not proved: {f.name}({', '.join(letters)}) lies between {low} and {high} wherever {where}"
               f"{value}{''.join(slopes)}.")


def none(problem: LogProblem, case: Case, box: Box, listed: Sequence[tuple[Box, Box, bool]]) -> str:
    """That there is no solution, the shared variables being in the last sides of a box, but zeros in parts of boxes that are `listed`."""
    if problem.question == "zeros" and not listed:
        return "There is no zero: no point of the domain fulfils all equations and conditions."
    boxes = "; ".join([*(box_text(part) for _, part, _ in listed[:8]), *["..."] * (len(listed) > 8)])
    return NONE[problem.question].format(who=_who(problem), when=_when(problem, box, "for all", case.bound), bound=case.bound,
                                         count=len(listed), single=sum(single for _, _, single in listed), boxes=boxes)


def some(problem: LogProblem, case: Case, box: Box, least: float) -> Iterator[str]:
    """That there is a solution in a box, and what follows with what is known not to be, up to `least`."""
    yield SOME[problem.question].format(who=_who(problem, case), when=_when(problem, box, "for some"), bound=case.bound, box=box_text(box))
    most = box[-1][1] if problem.question == "contact" else case.bound
    if most is not None and least < most:
        their = "their first contact" if len(problem.variables) == 1 else "the earliest of their first contacts"
        yield SO[problem.question].format(least=least, most=most, their=their)


def one(problem: LogProblem, case: Case, only: Box, near: Box) -> str:
    """That there is exactly one common point in a box, at which derivatives by the variables of place with room are dependent."""
    # At a corner there are no more of these than other equations: then the common point itself is the only one in its box.
    first = len(problem.system(case._replace(room=None)).equations) - 1
    where = (f" at which the equations' derivatives by the first {first} variables of place that have room and by each other of "
             "these are linearly dependent") if len(case.room or ()) > first else ""
    return f"{_parts(problem, case)} have exactly one point in common in {box_text(only)}{where}: at {box_text(near)}."


def _who(problem: LogProblem, case: Case | None = None) -> str:
    if problem.between:
        return f"Places of the surfaces {_different(problem)}"
    if case is not None:
        return "Surfaces of bodies " + " and ".join(str(problem.pieces[part[0]].body) for part in case.parts)
    pairs = ", ".join(f"{i} and {j}" for i, j in sorted(problem.excepted))
    but = f", but for pairs {pairs}, of which nothing is claimed," if pairs else ""
    return f"Of {len({piece.body for piece in problem.pieces})} bodies those surfaces that belong to different ones{but}"


def _parts(problem: LogProblem, case: Case) -> str:
    """Those two pieces alone, or triangles: other pieces of the same bodies may have other points in common."""
    both = [f"piece {part[0]} of body {problem.pieces[part[0]].body}" for part in case.parts]
    both = [f"triangle {part[1]} of {piece}" if len(part) == 3 else piece for part, piece in zip(case.parts, both, strict=True)]
    return f"Places of {' and '.join(both)}{f' {_different(problem)}' if problem.between else ''}"


def _different(problem: LogProblem) -> str:
    return f"that are different (of one surface those with {problem.itself})"


def _when(problem: LogProblem, box: Box, how: str, until: float | None = None) -> str:
    """The times and the values of parameters, where the problem is of bodies."""
    if not problem.of_bodies:
        return ""
    *ranges, (begin, end) = box[-len(problem.variables):]
    end = until if until is not None and problem.question == "contact" else end
    values = ", ".join(f"{name} from {lo!r} to {hi!r}" for name, (lo, hi) in zip(problem.variables, ranges, strict=False))
    return (f"t = {begin!r}" if begin == end else f"{begin!r} <= t <= {end!r}") + (f", {how} {values}" if values else "")


def box_text(box: Box) -> str:
    return " x ".join(f"[{lo!r}, {hi!r}]" for lo, hi in box)
