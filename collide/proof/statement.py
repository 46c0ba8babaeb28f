"""Statement of a query, the first lines of its log: bodies as formulas in space, or systems of formulas."""

import functools
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp
from flint import arb

from codegen.given import expression
from generative import ImplicitBody, ImplicitSurface, Solid, t, u, v, x, y, z
from generative.implicit import BoundaryPiece
from generative.symbols import SYMBOLS

from ..bodies.mesh import Mesh
from .checker.formulas import FormulaProgram
from .checker.text import read
from .text import NoLog, Texts
from .triangles import COORDINATES, LogTriangles

Ranges = Mapping[Any, tuple[Any, Any]]
# Windows of time in which it is seen how far implicit bodies reach, and by which part more their ranges are.
_WINDOWS, _MORE = 64, 1.0 / 64


class Statement:
    """Lines of a statement; `faces`: of each body the numbers of its pieces, in the order of its faces or leaves; `meshes`: of bodies that
    are one piece of many triangles these.
    """

    def __init__(self, question: str, bodies: Sequence[Any], time: Sequence[Any], span: tuple[float, float],
                 excepted: Sequence[tuple[int, int]] = (), ranges: Ranges | None = None, itself: Sequence[Any] | None = None) -> None:
        """`ranges`: of parameters that the bodies have, {symbol: (lo, hi)}; their patches are over domains without them. `itself`: it is
        about all places of all bodies, of those of one surface where these formulas of u, v, u1 and v1 are <= 0.
        """
        self.faces: list[list[int]] = []
        self.meshes = {k: LogTriangles(body, body.motion) for k, body in enumerate(bodies) if isinstance(body, Mesh)}
        variables, pieces = _Variables(span, ranges or {}), 0
        rows = [*variables.rows(), ("variable t", list(map(expression, time)))]
        for k, body in enumerate(bodies):
            own = _pieces(body, k, variables, self.meshes.get(k))
            count = sum(word.startswith("piece") for word, _ in own)
            self.faces.append([*range(pieces, pieces + count)])
            rows, pieces = rows + own, pieces + count
        rows += [] if itself is None else [("self", list(map(expression, itself)))]
        self.lines = [f"question {question}", *written(rows), *(f"except {i} {j}" for i, j in excepted)]


def stated(question: str, bodies: Sequence[Any], time: Sequence[Any], span: tuple[float, float],
           excepted: Sequence[tuple[int, int]] = (), ranges: Ranges | None = None, itself: Sequence[Any] | None = None) -> Statement:
    """The `Statement`; kept from call to call."""
    return _kept(question, tuple(bodies), tuple(time), tuple(span), tuple(excepted), tuple((ranges or {}).items()),
                 None if itself is None else tuple(itself))


@functools.lru_cache(maxsize=32)
def _kept(question: str, bodies: Any, time: Any, span: Any, excepted: Any, ranges: Any, itself: Any) -> Statement:
    return Statement(question, bodies, time, span, excepted, dict(ranges), itself)


class _Variables:
    """Time and parameters: names of these, and balls of all."""

    def __init__(self, span: tuple[float, float], ranges: Ranges) -> None:
        self.span, self.ranges = span, ranges
        taken = {"e", "pi", *SYMBOLS}
        self.names = {s: sp.Symbol(s.name if s.name.isidentifier() and s.name.isascii() and s.name not in taken else f"p{k}_")
                      for k, s in enumerate(ranges)}

    def rows(self) -> list[tuple[str, list[Any]]]:
        return [("variable", [self.names[s], *map(expression, ends)]) for s, ends in self.ranges.items()]

    def over(self, formulas: Sequence[Any], symbols: Sequence[Any], boxes: Sequence[Sequence[Any]]) -> list[list[Any]]:
        """Balls of formulas over each of some boxes of symbols, and at all values of parameters."""
        renamed = [f.xreplace(self.names) for f in formulas]
        texts, more = Texts(renamed), [self._ball(ends) for ends in self.ranges.values()]
        lines, stated, program, names = [texts.of(f) for f in renamed], FormulaProgram(), FormulaProgram(), dict[str, int]()
        for name, text in texts.assumed.items():
            stated.assume([name, *read(text)])
        for k, text in enumerate(texts.definitions):
            names[f"#{k + 1}"] = stated.add(read(text)[0], names)
        bound = {s.name: program.variable() for s in [*symbols, *self.names.values()]}
        rows = program.take(stated, [stated.add(read(line)[0], names) for line in lines], bound)
        return [[value for value, _, _ in program.jets(rows, [*box, *more], 0, ())] for box in boxes]

    def _ball(self, ends: Any) -> Any:
        lo, hi = _Variables(self.span, {}).over([*map(expression, ends)], (), [()])[0]
        return lo.union(hi)


def formulas_lines(question: str, variables: Sequence[tuple[Any, Any, Any]], rows: Sequence[tuple[str, Any]]) -> list[str]:
    """The statement about formulas: `variables` (symbol, lo, hi), `rows` (equation, condition or point, which is the
    objective; formula)."""
    names = {s: sp.Symbol(f"x{k}") for k, (s, _, _) in enumerate(variables)}
    lines = [("variable", [names[s], expression(lo), expression(hi)]) for s, lo, hi in variables]
    return [f"question {question}", *written([*lines, ("piece 0", []), *((kind, [expression(f).xreplace(names)]) for kind, f in rows)])]


def named(part: Sequence[int]) -> str:
    """A part as claims name it."""
    return ":".join(map(str, part))


def written(rows: Sequence[tuple[str, list[Any]]]) -> list[str]:
    """Lines, each of a first word, or more, and formulas."""
    texts = Texts(f for _, formulas in rows for f in formulas)
    lines = [" ".join([word, *map(texts.of, formulas)]) for word, formulas in rows]
    return [*(f"assume {name} {text}" for name, text in texts.assumed.items()),
            *(f"let #{k + 1} {text}" for k, text in enumerate(texts.definitions)), *lines]


def _pieces(body: Any, k: int, variables: _Variables, triangles: LogTriangles | None) -> list[tuple[str, list[Any]]]:
    if triangles:
        own = triangles.rows(k)
    elif isinstance(body, ImplicitBody):
        own = [row for piece in body.pieces for row in [(f"piece {k}", []), *_level(piece, variables)]]
    else:
        faces = body.faces if isinstance(body, Solid) else (body,)
        own = [row for face in faces for row in [(f"piece {k}", []), *_ranges((u, v), [face.domain[s] for s in (u, v)]),
                                                 ("point", list(face.expressions))]]
    strange = {s for _, formulas in own for f in formulas for s in f.free_symbols} - {*SYMBOLS.values(), *COORDINATES, *variables.names}
    if strange:
        raise NoLog(f"no log can be written for bodies with free parameters, such as {min(map(str, strange))}")
    return [(word, [f.xreplace(variables.names) for f in formulas]) for word, formulas in own]


def _ranges(symbols: Sequence[Any], ends: Sequence[Sequence[Any]]) -> list[tuple[str, list[Any]]]:
    return [(f"parameter {s}", list(own)) for s, own in zip(symbols, ends, strict=True)]


def _level(piece: BoundaryPiece, variables: _Variables) -> list[tuple[str, list[Any]]]:
    """Ranges that hold the leaf at all times, its equation, and what is fulfilled where it is part of the surface of the whole."""
    leaf = piece.leaf
    within = [e for c, (lo, hi) in zip(leaf.coordinates, leaf.bounds, strict=True) for e in (lo - c, c - hi)]
    others = [-body.expression for body in piece.outside] + [body.expression for body in piece.inside]
    return [*_ranges((x, y, z), _reach(leaf, variables)), ("point", [x, y, z]), ("equation", [leaf.expression]),
            *(("condition", [f]) for f in (*within, *others))]


def _reach(leaf: ImplicitSurface, variables: _Variables) -> list[list[Any]]:
    """Ranges of x, y and z, somewhat larger than the leaf's bounds reach."""
    (ends,) = variables.over([*map(expression, itertools.chain(*leaf.bounds))], (), [()])
    sides = [lo.union(hi) for lo, hi in zip(ends[::2], ends[1::2], strict=True)]
    times = np.linspace(*variables.span, _WINDOWS + 1).tolist()
    windows = [[*sides, arb(lo).union(arb(hi))] for lo, hi in itertools.pairwise(times)]
    boxes = variables.over(leaf.motion.apply((x, y, z)), (x, y, z, t), windows)
    result = list[list[Any]]()
    for k in range(3):
        lo, hi = min(float(box[k].lower()) for box in boxes), max(float(box[k].upper()) for box in boxes)
        more = _MORE * (hi - lo)
        result.append([sp.Rational(_few(lo - more)), sp.Rational(_few(hi + more))])
    return result


def _few(x: float) -> float:
    return round(x * 1024) / 1024


