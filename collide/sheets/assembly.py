"""A whole sheet of surfaces: its pieces, which pairs of them are joined, and which others may meet, and when."""

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from codegen.given import shown
from generative import Motion, ParametricSurface, Solid, v
from generative.body import called
from generative.chart import is_pole
from generative.symbols import parameters_of

from ..bezier.nurbs import BezierNets
from ..bodies.mesh import Mesh
from ..bodies.parts import sides
from ..culling.sweep import sweep_and_prune
from .glue import Join, joins, repeats
from .self_pairs import SheetPair
from .sheet import Pole, SheetPiece, cut, piece_of, pieces_of_nets, pole_of

# Slices of time, and cells along each parameter, in which surfaces that share nothing are enclosed.
_SLICES, _CELLS = 16, 4

Span = tuple[float, float]


class SheetPieces:
    """The pieces of a sheet, the pairs of them that are joined, and the pairs that are not."""

    def __init__(self, bodies: Sequence[Any], span: Span) -> None:
        """`bodies`: see `bodies_of`."""
        if isinstance(bodies, _Drawn):
            self.pieces = pieces_of_nets(bodies.nets)
        else:
            self.pieces = [piece_of(s, k) for k, s in enumerate(_at_rest(bodies))]
        _check(self.pieces, span[0], bodies)
        found = joins(self.pieces, span)
        poles = {k: _poles(piece, bodies) for k, piece in enumerate(self.pieces)}
        inner = [_between_poles(piece, poles[k]) for k, piece in enumerate(self.pieces)]
        self.near = [SheetPair(inner[i], inner[i], known) if i == j else SheetPair(self.pieces[i], self.pieces[j], known)
                     for (i, j), known in sorted(found.items())]
        self.near += [SheetPair(pole.cap, pole.cap, (Join(),)) for known in poles.values() for _, _, pole in known]
        self.apart = [SheetPair(pole.tip, pole.far, ()) for known in poles.values() for _, _, pole in known]

    @property
    def closing(self) -> tuple[Join, ...] | None:
        """The joins of a single surface with itself, where its formulas repeat; none of surfaces without joins; None of others."""
        ways = [join for pair in self.near for join in pair.joins if join != Join()]
        if self.apart or any(len(set(pair.label)) > 1 for pair in self.near):
            return None
        return tuple(ways) if not ways or (len(self.pieces) == 1 and repeats(self.pieces[0], ways)) else None

    def far(self, span: Span) -> Iterable[tuple[SheetPair, Span]]:
        """Pairs that share nothing and may meet, and when."""
        yield from ((pair, span) for pair in self.apart)
        near = {pair.label for pair in self.near}
        for (i, j), window in windows(self.pieces, span).items():
            if (i, j) not in near:
                yield SheetPair(self.pieces[i], self.pieces[j], ()), window


class _Drawn(Sequence[ParametricSurface]):
    """The surfaces of nets, made where they are looked at."""

    def __init__(self, nets: BezierNets) -> None:
        self.nets, self._made = nets, dict[int, ParametricSurface]()

    def __len__(self) -> int:
        return len(self.nets)

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            return [self[j] for j in range(*k.indices(len(self)))]
        if k not in self._made:
            self._made[k] = self.nets.surface(k)
        return self._made[k]


def bodies_of(surface: Any) -> Sequence[ParametricSurface]:
    """The surfaces of what `self_contact` takes; TypeError or ValueError for what it does not."""
    if isinstance(surface, BezierNets):
        return _Drawn(surface)
    if isinstance(surface, Mesh):
        raise TypeError("self_contact takes no Mesh: a rigid one does not fold; of triangles that move by themselves ask mesh_mesh, part "
                        "against part")
    given = [surface] if isinstance(surface, ParametricSurface) else list(surface.faces) if isinstance(surface, Solid) else surface
    if not isinstance(given, Sequence) or not given or not all(isinstance(s, ParametricSurface) for s in given):
        raise TypeError(f"self_contact takes a ParametricSurface, a list of them, a Solid or BezierNets, got {shown(surface)}")
    for k, s in enumerate(given):
        free = parameters_of(*s.body, *itertools.chain(*s.domain.values()), s.motion.rotation, s.motion.translation)
        if free:
            raise ValueError(f"{called(given, k, 'surface ')} contains the parameter {min(free, key=str)}; substitute a number")
    return list(given)


def _check(pieces: Sequence[SheetPiece], moment: float, bodies: Sequence[ParametricSurface]) -> None:
    """Raise for what spans no surface at the start, and for what is there twice."""
    known: dict[Any, int] = {}
    for k, piece in enumerate(pieces):
        if piece.degenerate(moment):
            raise ValueError(f"the normal of {called(bodies, k, 'surface ')} vanishes everywhere: its u and v do not span a surface")
        first = known.setdefault((piece.shape, piece.numbers.tobytes(), piece.domain), k)
        if first != k:
            raise ValueError(f"{called(bodies, k, 'surface ')} of the sheet is {called(bodies, first, 'surface ')} again: it touches that "
                             "everywhere; leave one of them out")


def _poles(piece: SheetPiece, bodies: Sequence[ParametricSurface]) -> list[tuple[int, int, Pole]]:
    """(number of the parameter, end, neighbourhood) of each pole."""
    found = []
    if piece.surface is None:
        return []
    for symbol, end in sides(piece.surface):
        if is_pole(piece.surface, symbol, end):
            axis = int(symbol is v)
            pole = pole_of(piece, axis, end)
            if pole is None:
                value = piece.domain[axis][end]
                raise ValueError(f"{called(bodies, piece.body, 'surface ')} is a single point at {symbol} = {value}, where no smooth "
                                 "parameters were found: cut a piece off there")
            found.append((axis, end, pole))
    return found


def _between_poles(whole: SheetPiece, poles: Sequence[tuple[int, int, Pole]]) -> SheetPiece:
    for axis, end, pole in poles:
        whole = cut(whole, axis, end, pole.middle)
    return whole


def _at_rest(surfaces: Sequence[ParametricSurface]) -> list[ParametricSurface]:
    """The surfaces, at rest if they move rigidly as a whole: contacts among them do not depend on that motion."""
    if carrier(surfaces) is None:
        return list(surfaces)
    return [ParametricSurface(s.body, s.domain, flipped=s.flipped) for s in surfaces]


def carrier(bodies: Sequence[Any]) -> Motion | None:
    """The motion of a sheet that moves rigidly as a whole, which is searched without it; None for others."""
    if isinstance(bodies, _Drawn) or any(s.motion != bodies[0].motion for s in bodies):
        return None
    motion: Motion = bodies[0].motion
    return motion


def windows(pieces: Sequence[SheetPiece], span: Span) -> dict[tuple[int, int], Span]:
    """Pairs (i, j), i < j, that may meet, and the time outside of which they are *proved* apart."""
    if len(pieces) < 2:
        return {}
    times = np.linspace(*span, _SLICES + 1)
    times[0], times[-1] = span
    boxes = np.stack([_swept(p, np.stack([times[:-1], times[1:]], axis=1)) for p in pieces])
    met = [np.sort(sweep_and_prune(boxes[:, k, :, 0], boxes[:, k, :, 1]), axis=1) for k in range(_SLICES)]
    windows: dict[tuple[int, int], Span] = {}
    for k, found in enumerate(met):
        for i, j in found.tolist():
            windows[i, j] = windows.get((i, j), (times[k], 0.0))[0], times[k + 1]
    return {pair: (float(lo), float(hi)) for pair, (lo, hi) in sorted(windows.items())}


def _swept(piece: SheetPiece, slices: np.ndarray) -> np.ndarray:
    """Boxes (slices, 3, 2) that hold a piece throughout each slice of time."""
    edges = [np.linspace(lo, hi, _CELLS + 1) for lo, hi in piece.outer]
    for e, ends in zip(edges, piece.outer, strict=True):
        e[0], e[-1] = ends
    cells = [[(a[i], a[i + 1]), (b[j], b[j + 1])] for a, b in [edges] for i in range(_CELLS) for j in range(_CELLS)]
    rows = np.concatenate([np.tile(np.array(cells), (len(slices), 1, 1)), np.repeat(slices, len(cells), axis=0)[:, None]], axis=1)
    lo, hi = piece.shape.place.interval(rows[..., 0], rows[..., 1], parameters=(piece.numbers[:, 0], piece.numbers[:, 1]))
    by_slice = (len(slices), len(cells), 3)
    return np.stack([lo.reshape(by_slice).min(axis=1), hi.reshape(by_slice).max(axis=1)], axis=-1)
