"""Common parts of all logs: a statement, claims with their trees, and the file."""

import contextlib
import os
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import flint
import numpy as np

from codegen.given import shown

from ..files import remove, replaced
from .checker.check import BITS, check
from .checker.claims import FIRST
from .checker.problem import Case, Part, below, halves
from .checker.rules import RowPlaces
from .existence import found_solution
from .families import families
from .trees import Box, Grower, GrownTree, Stuck, short

Alive = Callable[[], bool]
"""Whether there is time left."""
Span = tuple[float, float]
# Logs of at most so many lines are checked before it is said what they prove; and of formulas with choices, at whose borders doubles and
# balls decide otherwise.
_SHORT, _CHOSEN = 256, 8192
_CHOICE = re.compile(r"\((?:if|jump|floor|abs|max|min) ")
# So many boxes are tried about the box round several triangles before these are halved.
_FEW = 64


class Halved(NamedTuple):
    """A tree that begins with halvings of meshes, in preorder; at their leaves are trees of steps. `open_from`: as of `GrownTree`."""

    parts: Sequence[str | GrownTree]
    used: int
    open_from: float

    def lines(self, until: float = np.inf) -> list[str]:
        """In preorder; boxes that begin after `until` are left out. Raises `Stuck` where one is open that does not."""
        if self.open_from == -np.inf:
            raise Stuck
        return [line for part in self.parts for line in ([part] if isinstance(part, str) else part.lines(until))]


class _Rejected(Exception):
    """The checker does not accept a log."""


class Log:
    """The log of one answer, in the making. A query makes it before its search, so that what cannot be written is refused then."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"log must be the path of a file, got {shown(path)}")
        if not os.path.isdir(os.path.dirname(os.path.abspath(path))) or os.path.isdir(os.path.abspath(path)):
            raise ValueError(f"log must be the path of a file in a folder that exists, got {shown(path)}")
        self.path, self.said = path, list[str]()

    def begin(self, lines: Sequence[str]) -> None:
        self.lines, self.families = lines, families(tuple(lines), threading.get_ident())
        self.problem, self.growers = self.families.problem, dict[int, Grower]()

    def write(self, found: Any, alive: Alive) -> str:
        """Write the log of an answer, and say in words what it proves or claims, or why there is none; an older file does not stay then.
        Short logs are verified by the checker, and not written if it rejects them.
        """
        with flint.ctx.workprec(BITS):
            claims = self.claims(found, alive)
        if claims:
            with contextlib.suppress(_Rejected):
                return self._written(claims)
        remove(self.path)
        return " ".join(["No log was written:", *(self.said or ["no proof was found in the steps of a log."])])

    def _written(self, claims: Sequence[str]) -> str:
        said, text = " and ".join(self.said), "".join(f"{line}\n" for line in (FIRST, *self.lines, *claims, "end"))
        with replaced(self.path) as new:
            new.write_text(text, encoding="ascii", newline="\n")
            if text.count("\n") > (_CHOSEN if _CHOICE.search(text) else _SHORT) or not new.is_file():
                return f"The log {self._assumes()}claims {said}; collide.check verifies it."
            checked = check(new)
            if not checked.accepted:
                self.said = [f"its checker does not accept it, since {checked.reason}."]
                raise _Rejected
            return f"The log {self._assumes()}proves {said}."

    def _assumes(self) -> str:
        names = ", ".join(self.problem.program.assumed)
        return f"assumes {names} as declared, and so " if names else ""

    def claims(self, found: Any, alive: Alive) -> list[str]:
        """The lines of what is proved; `said` in words."""
        raise NotImplementedError

    # -- parts of claims ------------------------------------------------------------------------------------------

    def grower(self, case: Case) -> Grower:
        """The grower of trees of a system, named as the checker does."""
        tape, numbers = self.families.of(case)
        if id(tape) not in self.growers:
            self.growers[id(tape)] = Grower(tape)
        return self.growers[id(tape)].of(numbers)

    def test(self, case: Case) -> Callable[[], RowPlaces]:
        """A function that makes the checker's own system."""
        return lambda: self.problem.system(case)

    def domain(self, case: Case, span: Span | None = None) -> list[Span]:
        """The box that a tree divides, or, if there is a `span`, its part with these times."""
        box = self.families.outer(case)
        return [*box] if span is None else [*box[:-1], span]

    @property
    def begins(self) -> float:
        """The beginning of the time of bodies, or a number just before it."""
        return below(self.problem.program.constants[self.problem.variables["t"][0]])

    def ends(self, piece: int) -> list[Span]:
        """The ranges of the parameters of a piece, nearly."""
        known = self.problem.program.constants
        return [(float(known[lo]), float(known[hi])) for lo, hi in self.problem.part((piece,)).parameters.values()]

    def pair(self, a: Part, b: Part, end: float, lines: Sequence[str]) -> list[str]:
        """The lines of a pair of which a tree tells until a time, and nothing of later."""
        domain = self.domain(Case((a, b)))
        later = end < domain[-1][1]
        return [*[f"s {len(domain) - 1} {short(end)}"] * later, *lines, *["l"] * later]

    def tree(self, case: Case, most: int, alive: Alive, inside: Sequence[Box] = ()) -> list[str]:
        """A tree that excludes a system. Raises `Stuck`."""
        if inside:
            tape, numbers = self.families.of(case)
            return Grower(tape, inside).of(numbers).grow(self.domain(case), most, alive).lines()
        return self.halved(case, None, most, alive, True).lines()

    def halved(self, case: Case, span: Span | None, most: int, alive: Alive, whole: bool = False, enough: float = np.inf) -> Halved:
        """A tree that excludes a system, as far as it comes, or until `enough`; if it is wanted as a `whole`, given up at the first box
        that stays open. What is not told apart at once from the box round several triangles is looked at with halves of these, down to
        single triangles.
        """
        parts, stack, used = list[str | GrownTree](), [case], 0
        first = np.inf
        while stack:
            at, larger = stack[-1], self._larger(stack.pop())
            if parts and (used >= most or not alive() or (whole and first < np.inf)):
                return Halved(parts, used, -np.inf)
            tree = self.grower(at).grow(self.domain(at, span), most - used if larger is None else _FEW, alive, enough)
            if larger is None or tree.open_from == np.inf:
                parts.append(tree)
                used, first = used + tree.used, min(first, tree.open_from)
            else:
                parts.append(f"h {larger}")
                stack += halves(at, larger)
                used += 1
        return Halved(parts, used, first)

    def _larger(self, case: Case) -> int | None:
        """The one of two parts that is several triangles; the larger one, if both are."""
        several = [k for k, part in enumerate(case.parts) if len(part) == 3 and part[2] - part[1] > 1]
        return max(several, key=lambda k: self._size(case.parts[k]), default=None)

    def _size(self, part: Part) -> float:
        """The longest side of the box round some triangles."""
        return max(hi - lo for lo, hi in self.problem.box(*part))

    def pairs(self, first: set[tuple[int, int]]) -> Iterator[tuple[Part, ...]]:
        """Pairs of pieces, those of the bodies in `first` before others, since they fail first."""
        own = self.problem.pieces
        return iter(sorted(self.problem.tuples(), key=lambda pair: (own[pair[0][0]].body, own[pair[1][0]].body) not in first))

    def solution(self, case: Case, near: Sequence[float], reach: float, moment: float | None = None) -> str | None:
        """A step `x`: a solution near a point; of bodies at a moment, with the values of parameters as they are."""
        root, at = [*self.families.inner(case)], []
        if moment is not None:
            at = [min(max(moment, root[-1][0]), root[-1][1])]
            root[-1] = at[0], at[0]
        point, size = np.array([*near, *at]), np.array([hi - lo for lo, hi in root])
        point = np.clip(point, *np.array(root).T)
        held = range(len(root) - len(self.problem.variables), len(root)) if at else []
        return found_solution(self.grower(case), self.test(case), root, point, reach * size, held)
