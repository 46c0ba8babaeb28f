"""What a query is about, as the first lines of its log: bodies as formulas in space, or systems of formulas."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp
from flint import arb

from codegen.given import expression
from generative import ImplicitBody, ImplicitSurface, ParametricSurface, Solid, u, v, x, y, z
from generative.body import called
from generative.implicit import Piece
from generative.symbols import SYMBOLS

from .checker.formulas import Program, read
from .text import NoLog, Texts

# Windows of time in which it is seen how far implicit bodies reach, and by which part more their ranges are.
_WINDOWS, _MORE = 64, 1.0 / 64


class Statement:
    """Lines of a statement; `faces`: of each body the numbers of its pieces, in the order of its faces or leaves."""

    def __init__(self, question: str, bodies: Sequence[Any], time: Sequence[Any], span: tuple[float, float],
                 excepted: Sequence[tuple[int, int]] = ()) -> None:
        check_writable(bodies)
        rows: list[tuple[str, list[Any]]] = []
        self.faces: list[list[int]] = []
        for k, body in enumerate(bodies):
            own = _pieces(body, k, span)
            self.faces.append([*range(len(rows), len(rows) + len(own))])
            rows += own
        rows.append(("time", list(map(expression, time))))
        self.lines = [f"question {question}", *_written(rows), *(f"except {i} {j}" for i, j in excepted)]


def check_writable(bodies: Sequence[Any]) -> None:
    """NoLog for bodies that logs cannot speak of."""
    for k, body in enumerate(bodies):
        if not isinstance(body, (ParametricSurface, ImplicitBody, Solid)):
            raise NoLog(f"no log can be written for {called(bodies, k)}, a {type(body).__name__}; bodies of logs are formulas")


def formulas_lines(question: str, variables: Sequence[tuple[Any, Any, Any]], rows: Sequence[tuple[str, Any]]) -> list[str]:
    """The statement about formulas: `variables` (symbol, lo, hi), `rows` (equation, condition or objective; formula)."""
    names = {s: sp.Symbol(f"x{k}") for k, (s, _, _) in enumerate(variables)}
    lines = [("variable", [names[s], expression(lo), expression(hi)]) for s, lo, hi in variables]
    return [f"question {question}", *_written([*lines, *((kind, [expression(f).xreplace(names)]) for kind, f in rows)])]


def _written(rows: Sequence[tuple[str, list[Any]]]) -> list[str]:
    texts = Texts(f for _, formulas in rows for f in formulas)
    lines = [f"{word} {' '.join(map(texts.of, formulas))}" for word, formulas in rows]
    return [*(f"let #{k + 1} {text}" for k, text in enumerate(texts.definitions)), *lines]


def _pieces(body: Any, k: int, span: tuple[float, float]) -> list[tuple[str, list[Any]]]:
    if isinstance(body, ImplicitBody):
        return [(f"level {k}", _level(piece, span)) for piece in body.pieces]
    faces = body.faces if isinstance(body, Solid) else (body,)
    own = [(f"surface {k}", [*(end for s in (u, v) for end in face.domain[s]), *face.expressions]) for face in faces]
    for _, formulas in own:
        strange = {s for f in formulas for s in f.free_symbols} - set(SYMBOLS.values())
        if strange:
            raise NoLog(f"no log can be written for bodies with free parameters, such as {min(map(str, strange))}")
    return own


def _level(piece: Piece, span: tuple[float, float]) -> list[Any]:
    """Ranges that hold the leaf at all times, its equation, and what is fulfilled where it is part of the surface of the whole."""
    leaf = piece.leaf
    within = [e for c, (lo, hi) in zip(leaf.coordinates, leaf.bounds, strict=True) for e in (lo - c, c - hi)]
    others = [-body.expression for body in piece.outside] + [body.expression for body in piece.inside]
    return [*_ranges(leaf, span), leaf.expression, *within, *others]


def _ranges(leaf: ImplicitSurface, span: tuple[float, float]) -> list[Any]:
    """Ranges of x, y and z, somewhat larger than the leaf's bounds reach."""
    texts = Texts(leaf.motion.apply((x, y, z)))
    program = Program(4)
    names = {"x": 0, "y": 1, "z": 2, "t": 3}
    formulas = [read(texts.of(e))[0] for e in leaf.motion.apply((x, y, z))]
    definitions = {f"#{k + 1}": read(d)[0] for k, d in enumerate(texts.definitions)}
    program.rows = [program.add(f, names, definitions) for f in formulas]
    sides = [arb(float(lo)).union(arb(float(hi))) for lo, hi in leaf.bounds]
    ends = np.linspace(*span, _WINDOWS + 1).tolist()
    boxes = [program.jets([*sides, arb(lo).union(arb(hi))], 0) for lo, hi in itertools.pairwise(ends)]
    result: list[Any] = []
    for k in range(3):
        lo, hi = min(float(box[k][0].lower()) for box in boxes), max(float(box[k][0].upper()) for box in boxes)
        more = _MORE * (hi - lo)
        result += [sp.Rational(_few(lo - more)), sp.Rational(_few(hi + more))]
    return result


def _few(x: float) -> float:
    return round(x * 1024) / 1024


