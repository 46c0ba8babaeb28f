"""What a theorem says, in words. Numbers are doubles, in decimals that read back as these."""

from typing import Any

from .problem import Part, Problem

Box = tuple[tuple[float, float], ...]


def surfaces(problem: Problem) -> str:
    if problem.itself is not None:
        most = " and ".join(map(formula_text, problem.itself))
        limits = f" (of one surface those whose u and v differ by at most {most})" if most else ""
        return f"Places of the surfaces that are different{limits}"
    own, pairs = {piece.body for piece in problem.pieces}, sorted(problem.excepted)
    but = f", but for pairs {', '.join(f'{i} and {j}' for i, j in pairs)}, of which nothing is claimed," if pairs else ""
    return f"Of {len(own)} bodies those surfaces that belong to different ones{but}"


def bodies(problem: Problem, a: Part, b: Part) -> str:
    if problem.itself is not None:
        return "Places of the surfaces that are different"
    return "Surfaces of bodies {} and {}".format(*(problem.pieces[part[0]].body for part in (a, b)))


def parameters(problem: Problem) -> str:
    ranges = [f"{name} from {formula_text(lo)} to {formula_text(hi)}" for name, (lo, hi) in problem.variables.items()]
    return f", for all {', '.join(ranges)}" if ranges else ""


def when(problem: Problem, box: Box) -> str:
    n = len(problem.variables)
    at = [f"{name} in [{lo!r}, {hi!r}]" for name, (lo, hi) in zip(problem.variables, box[-n - 1:-1], strict=True)]
    lo, hi = box[-1]
    return f"{'at t =' if lo == hi else 'at a time t in'} {lo if lo == hi else [lo, hi]!r}{', with ' if at else ''}{', '.join(at)}"


def formula_text(formula: Any) -> str:
    return formula if isinstance(formula, str) else f"({' '.join(map(formula_text, formula))})"


def box_text(box: Box) -> str:
    return " x ".join(f"[{lo!r}, {hi!r}]" for lo, hi in box)
