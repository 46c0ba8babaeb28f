"""Bodies as members of families: one formula with symbols for its numbers, and the numbers of each body.

Everything that is derived from formulas alone (derivatives, poles, seams, compiled kernels) is then done once for a family, whatever the
sizes, poses and velocities of its members.
"""

import functools
from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import sympy as sp

from codegen.deadline import interruptible

from .brep import Edge, Solid, Vertex
from .combination import Combination
from .implicit import ImplicitBody, ImplicitSurface
from .motion import Motion, Rigid
from .products import AlongZ, Product
from .resting import Member, resting_solid, resting_surface, symbols_of, written
from .surface import ParametricSurface
from .symbols import Parameter, parameters_of
from .template import Formulas, Group, read
from .triangulated import Triangulated
from .turns import Turn


class Factor(NamedTuple):
    """A factor of a motion without its numbers, of which it has so many: the formulas of its rotation and of its translation, or, as one,
    of angle and advance along z; none where all twelve entries are numbers. `turn`: so many numbers, the first,
    are of the rotation alone.
    """

    formulas: tuple[Formulas, ...]
    numbers: int
    turn: int = 0


Moves = tuple[Factor, ...]


@functools.lru_cache(maxsize=1 << 14)
@interruptible()
def member_of(body: Any) -> Member:
    """The body as a member of its family. A mesh has the numbers of its motion alone, and so has a solid of many numbers; one whose faces
    move apart is a family of its own.

    The ends of a domain are data, too, and so are bounds. But if a surface has a pole, ends that are numbers stay in its formula, since how
    it goes on round the pole depends on them.
    """
    if isinstance(body, ImplicitBody):
        return _implicit_member(body)
    if isinstance(body, Solid):
        return _solid_member(body)
    if isinstance(body, Triangulated):
        return _carried_member(Member(body.resting), body.motion)
    if not isinstance(body, ParametricSurface):
        return Member(body)
    return _carried_member(resting_surface(body.resting), body.motion)


def family_of(body: Any) -> Member:
    """The body as a member of a family in which every parameter of the body is a symbol; of a solid with parameters whose numbers are no
    symbols, it is the body itself.
    """
    found = member_of(body)
    if not found.symbols and isinstance(body, Solid):
        own = tuple(sorted(parameters_in(body), key=str))
        return Member(body, own, own)
    return found


def _solid_member(body: Solid) -> Member:
    motion = body.faces[0].motion
    if any(f.motion != motion for f in body.faces):
        return Member(body)
    shape = resting_solid(body.resting)
    if shape is None and (parameters_in(body.resting) or not isinstance(motion, Product)):
        return Member(body)
    return _carried_member(shape or Member(body.resting), motion)


def _carried_member(shape: Member, motion: Motion) -> Member:
    """A member of a family of shapes, carried by a motion."""
    moves, others = _read_motion(motion)
    numbers = *shape.numbers, *others
    return Member(_moved(shape.body, moves, isinstance(motion, Product), len(shape.numbers)), symbols_of(len(numbers)), numbers)


def _read_motion(motion: Motion) -> tuple[Moves, tuple[Any, ...]]:
    """The factors of a motion, and their numbers."""
    factors = [_read_factor(f, isinstance(motion, Product)) for f in motion.factors]
    return tuple(factor for factor, _ in factors), tuple(chain(*(numbers for _, numbers in factors)))


@functools.lru_cache(maxsize=4096)
def _read_factor(motion: Motion, kept: bool) -> tuple[Factor, tuple[Any, ...]]:
    """A motion, or (`kept`) a factor of a product, and its numbers.

    Angles are read before they are in sines and cosines: SymPy writes sin(-a) as -sin(a), which depends on the numbers in a.
    """
    turn = motion.rotation if isinstance(motion, Rigid) and isinstance(motion.rotation, Turn) else None
    if kept and motion.is_constant:
        return Factor((), 12), motion.entries if turn is None else (*turn.entries, *motion.translation)
    if turn is not None:
        (turned, own), (moved, others) = turn.formulas, read([(tuple(motion.translation), True)], moves=True)
        return Factor((turned, *moved), len(own) + len(others), len(own)), (*own, *others)
    formulas, numbers = read([(motion.formulas, True)] if isinstance(motion, AlongZ) else _groups(motion), moves=True)
    return Factor(formulas, len(numbers)), numbers


def _groups(motion: Motion) -> list[Group]:
    """The entries of the rotation, and of the translation."""
    entries = _forward(motion.entries)
    return [(entries[:9], False), (entries[9:], True)]


# Of turns about the axes z, x and y by a positive angle these are its sine.
_SINES = 3, 7, 2


def _forward(entries: Sequence[Any]) -> tuple[Any, ...]:
    """The same with the waves of -a for those of a where a turn goes backwards by a: so the sense of a turn is a number, no structure."""
    found: dict[Any, Any] = {}
    for wave in (entries[k].args[1] for k in _SINES if _is_opposite(entries[k])):
        if isinstance(wave, sp.sin) and any(term.as_coeff_Mul()[0] not in (1, -1) for term in sp.Add.make_args(wave.args[0])):
            (angle,) = wave.args
            found |= {wave: -sp.sin(-angle, evaluate=False), sp.cos(angle): sp.cos(-angle, evaluate=False)}
    return tuple(e.xreplace(found) for e in entries) if found else tuple(entries)


def _is_opposite(e: Any) -> bool:
    """Whether it is written as -1 times one factor."""
    return e.is_Mul and len(e.args) == 2 and e.args[0] is sp.S.NegativeOne


@functools.lru_cache(maxsize=512)
def _moved(resting: Any, moves: Moves, kept: bool, own: int) -> Any:
    """The body of a family with `own` numbers, carried by a motion that has the others, a product where it is `kept`."""
    carrier = _carrier(moves, kept, own)
    return resting.carried(carrier) if isinstance(resting, Solid) else resting.moved(carrier)


@functools.lru_cache(maxsize=512)
def _carrier(moves: Moves, kept: bool, own: int) -> Motion:
    """The motion of a family; `own` numbers come before its own."""
    made: list[Motion] = []
    for factor in moves:
        symbols, own = symbols_of(own + factor.numbers)[own:], own + factor.numbers
        made.append(_written_factor(factor, symbols))
    return Product(*made) if kept else made[0]


def _carried(moves: Moves, kept: bool, own: int, rest: int | None = None) -> Motion:
    """A carrier, after a constant motion before whose twelve numbers there are `rest` others."""
    carrier = _carrier(moves, kept, own)
    return carrier if rest is None else Product(carrier, _written_factor(Factor((), 12), symbols_of(rest + 12)[rest:]))


def _written_factor(factor: Factor, symbols: Sequence[Parameter]) -> Motion:
    if not factor.formulas:
        return Rigid._unchecked(sp.ImmutableMatrix(3, 3, symbols[:9]), symbols[9:])
    first, *others = factor.formulas
    if not others:
        return AlongZ(*written(first, symbols))
    return _rigid((first, others[0]), symbols, symbols[factor.turn:])


def _implicit_member(body: ImplicitBody) -> Member:
    leaves = tuple(dict.fromkeys(body.leaves))
    motions = tuple(dict.fromkeys(leaf.motion for leaf in leaves))
    (formulas,), own = read([([e for leaf in leaves for e in (leaf.body, *chain(*leaf.bounds))], False)])
    together = isinstance(body, Combination) and body.together
    moves, numbers = (_read_together if together and len(motions) > 1 else _read_motions)(motions, len(own))
    carriers = tuple(motions.index(leaf.motion) for leaf in leaves)
    whole = _implicit(_tree(body, leaves), formulas, moves, carriers, len(own), len(numbers), together)
    return Member(whole, symbols_of(len(own) + len(numbers)), (*own, *numbers))


Several = tuple[tuple[Formulas, Formulas], ...] | tuple[tuple[Moves, bool, int], ...] | tuple[tuple[Moves, bool, int, int | None], ...]
"""Motions that have their numbers in common, or, where one of them is a product, numbers of their own, so many before them. Or products of
a motion that they have in common and a constant one, None the identity, before whose twelve numbers there are so many.
"""


def _read_motions(motions: Sequence[Motion], own: int) -> tuple[Several, tuple[Any, ...]]:
    """Several motions of one body, which has `own` other numbers, and their numbers."""
    if not any(isinstance(m, Product) or (isinstance(m.rotation, Turn) and len(motions) == 1) for m in motions):
        formulas, found = read([group for m in motions for group in _groups(m)], moves=True)
        return tuple(zip(formulas[::2], formulas[1::2], strict=True)), found
    moves: list[tuple[Moves, bool, int]] = []
    numbers: list[Any] = []
    for m in motions:
        factors, found = _read_motion(m)
        moves.append((factors, isinstance(m, Product), own + len(numbers)))
        numbers += found
    return tuple(moves), tuple(numbers)


def _read_together(motions: Sequence[Motion], own: int) -> tuple[Several, tuple[Any, ...]]:
    """Motions of which one moves them all, and their numbers."""
    mover = motions[0].mover
    moves, numbers = _read_motion(mover)
    rests = [None if m.rest.is_identity else m.rest.entries for m in motions]
    several = list[tuple[Moves, bool, int, int | None]]()
    kept, found = isinstance(mover, Product), list(numbers)
    for rest in rests:
        several.append((moves, kept, own, None if rest is None else own + len(found)))
        found += rest or ()
    return tuple(several), tuple(found)


def parameters_in(body: Any) -> frozenset[Parameter]:
    """The parameters in the formulas, domains and motions of any body."""
    if isinstance(body, Triangulated):
        return _in_motion(body.motion)
    pieces = body.leaves if isinstance(body, ImplicitBody) else body.faces if isinstance(body, Solid) else (body,)
    features = _in_features(body.resting) if isinstance(body, Solid) else frozenset()
    return features.union(*(_in_shape(p if isinstance(p, ImplicitSurface) else p.resting) for p in pieces),
                             *(_in_motion(p.motion) for p in pieces))


@functools.lru_cache(maxsize=4096)
def _in_shape(piece: Any) -> frozenset[Parameter]:
    if isinstance(piece, ImplicitSurface):
        return frozenset(parameters_of(piece.body, *chain(*piece.bounds)))
    return frozenset(parameters_of(*piece.ingredients, *chain(*piece.domain.values())))


@functools.lru_cache(maxsize=4096)
def _in_motion(motion: Motion) -> frozenset[Parameter]:
    return frozenset(s for s in motion.symbols if isinstance(s, Parameter))


@functools.lru_cache(maxsize=4096)
def _in_features(body: Solid) -> frozenset[Parameter]:
    return frozenset().union(*map(_in_feature, body.edges), *map(_in_feature, body.vertices))


def _in_feature(feature: Edge | Vertex) -> frozenset[Parameter]:
    return frozenset(parameters_of(*chain(*(feature.paths if isinstance(feature, Edge) else feature.points)),
                                   *(feature.domain if isinstance(feature, Edge) else ())))


Tree = int | tuple[Any, ...]
"""The number of a leaf, or an operation and the trees of its operands."""


def _tree(body: ImplicitBody, leaves: Sequence[ImplicitSurface]) -> Tree:
    if isinstance(body, Combination):
        return body.operation, *(_tree(child, leaves) for child in body.children)
    return next(k for k, leaf in enumerate(leaves) if leaf == body)


@functools.lru_cache(maxsize=512)
def _implicit(tree: Tree, shapes: Formulas, motions: Several, carriers: tuple[int, ...], own: int, others: int,
              together: bool) -> ImplicitBody:
    """The implicit body of a family. Each leaf has a formula, six ends of its bounds, and the number of its motion. `together`: as
    `Combination.together`.
    """
    symbols = symbols_of(own + others)
    made = written(shapes, symbols[:own])
    moves = [_rigid(parts, symbols[own:], symbols[own:]) if len(parts) == 2 else _carried(*parts) for parts in motions]
    leaves = [ImplicitSurface(e, [ends[:2], ends[2:4], ends[4:]], motion=moves[carrier])
              for carrier, (e, *ends) in zip(carriers, (made[k:k + 7] for k in range(0, len(made), 7)), strict=True)]
    whole = _grown(tree, leaves)
    return whole._carried_along() if together and isinstance(whole, Combination) else whole


def _grown(tree: Tree, leaves: Sequence[ImplicitSurface]) -> ImplicitBody:
    return leaves[tree] if isinstance(tree, int) else Combination(tree[0], [_grown(child, leaves) for child in tree[1:]])


def _rigid(formulas: tuple[Formulas, Formulas], symbols: Sequence[Parameter], others: Sequence[Parameter]) -> Rigid:
    """`others`: the symbols of the translation."""
    rotation, translation = written(formulas[0], symbols), written(formulas[1], others)
    return Rigid._unchecked(sp.ImmutableMatrix(3, 3, rotation), translation)
