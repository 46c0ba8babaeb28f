"""`touch`: separation, touch or penetration of two polyhedra, with the places of contact (Vanecek 1990, Sections 3 and 4).

The vertices, then the edges of each are classified by the index of the other. An edge or a vertex inside means that they penetrate. If none
is, they may still do so, face on face or along planes, as a cube does with its lower half: so the faces that have contacts are cut by the
tree, too. If no part of a face is inside the other body, nor lies on a face of it with the outside on the same side, then no inner points
are common: those of one body would be all of a part of the other, or end at its surface.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from codegen.given import shown
from generative import IDENTITY, Motion

from ...bodies.mesh import Mesh
from ...given import is_number
from ..location.index import Index, Kind, checked_tolerance
from ..location.tree import EDGE, IN, SIDE, VERTEX
from ..primitives.arguments import check_motions
from .placed_brep import Affine, Place, PlacedBrep
from .regions import ContactPlace, Faces, pairs_of_faces, regions_of
from .tangent_plane import normal_of

_KIND = {SIDE: Kind.FACE, EDGE: Kind.EDGE, VERTEX: Kind.VERTEX}
# What stands for a cluster: that of which the tangent plane is known best.
_ORDER = {(VERTEX, SIDE): 0, (SIDE, VERTEX): 0, (EDGE, EDGE): 1, (EDGE, VERTEX): 2, (VERTEX, EDGE): 2, (VERTEX, VERTEX): 3}


class TouchStatus(Enum):
    """SEPARATE: no point is common. TOUCHING: points of the surfaces are, but no inner ones. PENETRATING: inner points are."""

    SEPARATE = "separate"
    TOUCHING = "touching"
    PENETRATING = "penetrating"


class TouchContact(NamedTuple):
    """The entity of the first body and that of the second one at a contact, by kind and number as in `Index`, and a point (3,) of it, in
    the world.
    """

    first: tuple[Kind, int]
    second: tuple[Kind, int]
    point: np.ndarray


@dataclass(frozen=True, eq=False)
class Touch:
    """The relation of two polyhedra to each other.

    `status`: see `TouchStatus`. `contacts`: vertices at faces, edges and vertices, and edges at edges; none if they penetrate. Of edges
    that lie along each other the point is in the middle. `clusters` (k,): the number of the cluster of each contact: those at one place, or
    with a tolerance, those connected by distances below four times that. `planes` (c, 2, 3): for each cluster a point and the unit normal
    of the tangent plane, which points from the first body into the second; NaN where there is none. `main` (c,): the contact of each
    cluster that they are taken from. `regions` (k,): the number of the contact region of each contact, a connected part of all common
    points, such as what one foot of a table has in common with the floor. `faces`: for each region the faces of the first body and of the
    second, by their numbers, that meet at its contacts, as a set of pairs. `inside` (3,): a point of the surface of one body inside the
    other, None if they do not penetrate, or only face on face. `rounded`: whether the poses are not rational. Then they were rounded to
    doubles, and answers hold for those.
    """

    status: TouchStatus
    contacts: tuple[TouchContact, ...]
    clusters: np.ndarray
    planes: np.ndarray
    main: np.ndarray
    regions: np.ndarray
    faces: tuple[Faces, ...]
    inside: np.ndarray | None
    rounded: bool

    def summary(self) -> str:
        """The answer in a sentence or two."""
        said = {TouchStatus.SEPARATE: "The bodies have no point in common.", TouchStatus.PENETRATING: "The bodies penetrate each other."}
        count = f"The bodies touch: {len(self.contacts)} contacts in {len(self.planes)} places, {_count(len(self.faces), 'region')}."
        poses = " Their poses are not rational, and were rounded to doubles." if self.rounded else ""
        return said.get(self.status, count) + poses

    def __repr__(self) -> str:
        return f"Touch({self.status.name}, {len(self.contacts)} contacts)"


class _Inside(Exception):
    """They penetrate each other, at a point in the frame of the second, if one is known."""


def touch(a: Mesh | Index, b: Mesh | Index, motions: tuple[Motion, Motion] | None = None, at: Any = 0,
          tolerance: float = 0.0) -> Touch:
    """Decide whether two polyhedra at a moment are separate, touch, or penetrate, with the contacts and their tangent planes.

    Parameters
    ----------
    a, b : Mesh or Index
        Closed meshes as for `Index`, or the index of one, which saves making it.
    motions : pair of Motion, optional
        The meshes are carried by these, after the motions that they have; None for none.
    at : number, optional
        The time, a number or an exact SymPy number.
    tolerance : float, optional
        `tolerance`, a distance from planes, Vanecek's epsilon: points nearer to a plane count as in it, so that bodies that penetrate by
        less touch. That they lie in each other face on face is then only noticed where these faces are exactly in one plane.

    Returns
    -------
    Touch
        With `status`, `contacts`, and `planes`. `rounded` says whether a pose was rounded.

    Raises
    ------
    TypeError, ValueError
        As `Index` does; also for motions that are none, with a free `Parameter`, or not finite at that time.

    Notes
    -----
    The method is that of Vanecek 1990, Sections 3 and 4.

    The status is *proved*, exactly for the numbers as they are given, if the poses at that time are rational numbers, such as a turn by the
    angle whose cosine is 3/5: no tolerance decides what touches. Other poses are rounded to doubles first, and `rounded` says so. Normals
    of tangent planes *approximate*.

    Regions are *proved*, too, for meshes whose triangles meet in common corners and sides alone. With a tolerance contacts on a common pair
    of faces are one region, which *approximates*.

    Examples
    --------
    >>> from collide import Mesh, touch
    >>> from generative import IDENTITY, Rigid, t
    >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> peak = Mesh(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
    >>> found = touch(peak, peak, (Rigid(translation=[t, 0.25, 0.25]), IDENTITY), at=0.5)
    >>> found.status.name, found.contacts[0].first[0].name, found.contacts[0].second[0].name
    ('TOUCHING', 'VERTEX', 'FACE')
    >>> found.contacts[0].point.tolist(), found.planes[0, 1].round(6).tolist()
    ([0.5, 0.25, 0.25], [-0.57735, -0.57735, -0.57735])
    """
    within = checked_tolerance(tolerance)
    indices = [body if isinstance(body, Index) else Index(body.resting if isinstance(body, Mesh) else body) for body in (a, b)]
    own = [body.motion if isinstance(body, Mesh) else IDENTITY for body in (a, b)]
    given = check_motions(motions) if motions is not None else (IDENTITY, IDENTITY)
    poses = [pose(m @ o, at) for m, o in zip(given, own, strict=True)]
    (first, _), (second, _) = poses
    rounded = any(r for _, r in poses)
    forward, back = second.inverse() @ first, first.inverse() @ second
    placed = (PlacedBrep(indices[0].entities, forward, indices[1].tree, indices[1].box, within),
              PlacedBrep(indices[1].entities, back, indices[0].tree, indices[0].box, within))
    try:
        found = list(_contacts(placed, forward))
        _check_faces(placed, found)
    except _Inside as stopped:
        inside = None if not stopped.args else _floats(second(stopped.args[0]))
        return Touch(TouchStatus.PENETRATING, (), np.zeros(0, int), np.zeros((0, 2, 3)), np.zeros(0, int), np.zeros(0, int), (), inside,
                     rounded)
    return _report(found, placed, second, within, rounded)


def pose(motion: Motion, at: Any) -> tuple[Affine, bool]:
    """A motion at a time as rational numbers, and whether these are rounded."""
    entries = motion.at(check_moment(at)).entries
    if not all(e.is_number for e in entries):
        raise ValueError(f"motions must have numbers for all their parameters, got {shown(motion)}")
    rational = [e.is_Rational for e in entries]
    numbers = [Fraction(int(e.p), int(e.q)) if known else _rounded(e) for e, known in zip(entries, rational, strict=True)]
    return Affine([numbers[0:3], numbers[3:6], numbers[6:9]], numbers[9:]), not all(rational)


def check_moment(at: Any) -> Any:
    """The time, if it is one."""
    known = at.is_real and at.is_finite if isinstance(at, sp.Expr) else is_number(at) and math.isfinite(at)
    if not known:
        raise ValueError(f"at must be a finite number, the time, got {shown(at)}")
    return at


def _rounded(e: Any) -> Fraction:
    x = complex(sp.N(e, 20))
    if x.imag or not math.isfinite(x.real):
        raise ValueError(f"a motion must be finite at that time, got {shown(e)}")
    return Fraction(x.real)


# -- contacts -------------------------------------------------------------------------------------------------------------


def _contacts(placed: tuple[PlacedBrep, PlacedBrep], forward: Affine) -> Iterator[ContactPlace]:
    """Each pair once. _Inside if a vertex or an edge is inside."""
    known = set()
    for side, body in enumerate(placed):
        for mine, other, point in (*_of_vertices(body), *_of_edges(body)):
            place = point if side == 0 else forward(point)
            if other is None:
                raise _Inside(place)
            found = ContactPlace(mine, other, place) if side == 0 else ContactPlace(other, mine, place)
            key = found.first, found.second, None if body.tolerance else place
            if (found.first[0], found.second[0]) in _ORDER and key not in known:
                known.add(key)
                yield found


_Hit = tuple[tuple[int, int], tuple[int, int] | None, Place]


def _of_vertices(body: PlacedBrep) -> Iterator[_Hit]:
    for k, leaf in body.vertices():
        if leaf == IN or leaf <= -8:
            yield (VERTEX, k), _entity(leaf), body.vertex(k)


def _of_edges(body: PlacedBrep) -> Iterator[_Hit]:
    """The places where edges are inside, at edges, or at vertices: at their ends they are vertices."""
    for number, segment in body.edges():
        for piece in segment.pieces():
            inner = 0 < piece.begin + piece.end < 2
            if piece.leaf == IN or (inner and piece.leaf <= -8 and _entity(piece.leaf)[0] != SIDE):
                yield (EDGE, number), _entity(piece.leaf), segment.at((piece.begin + piece.end) / 2)


def _entity(leaf: int) -> Any:
    """Kind and number; None for IN."""
    return None if leaf == IN else ((-8 - leaf) % 4, (-8 - leaf) // 4)


def _check_faces(placed: tuple[PlacedBrep, PlacedBrep], found: Sequence[ContactPlace]) -> None:
    """_Inside if a face with contacts has a part inside the other body, or lies on a face of it with the outside on the same side."""
    for body, own in zip(placed, ({f.first for f in found}, {f.second for f in found}), strict=True):
        faces = {face for entity in own for face in body.entities.faces_of(*entity)}
        for triangle in np.flatnonzero(np.isin(body.entities.face_of, list(faces))).tolist():
            if body.enters(triangle):
                raise _Inside


# -- the report -----------------------------------------------------------------------------------------------------------


def _report(found: Sequence[ContactPlace], placed: tuple[PlacedBrep, PlacedBrep], second: Affine, tolerance: float, rounded: bool) -> Touch:
    points = np.array([_floats(second(f.point)) for f in found]).reshape(-1, 3)
    contacts = tuple(TouchContact((_KIND[f.first[0]], f.first[1]), (_KIND[f.second[0]], f.second[1]), p)
                     for f, p in zip(found, points, strict=True))
    clusters = _clusters([f.point for f in found], points, 4.0 * tolerance)
    count = int(clusters.max(initial=-1)) + 1
    main = np.array([min(np.flatnonzero(clusters == c).tolist(), key=lambda k: _ORDER[found[k].first[0], found[k].second[0]])
                     for c in range(count)], int)
    planes, turn = np.full((count, 2, 3), np.nan), second.array[0]
    for c, k in enumerate(main.tolist()):
        planes[c] = points[k], turn @ normal_of(placed, found[k].first, found[k].second)
    regions = regions_of(found, placed, exact=tolerance == 0.0)
    faces = tuple(frozenset[tuple[int, int]]().union(*(pairs_of_faces(placed, found[k]) for k in np.flatnonzero(regions == r).tolist()))
                  for r in range(int(regions.max(initial=-1)) + 1))
    return Touch(TouchStatus.TOUCHING if found else TouchStatus.SEPARATE, contacts, clusters, planes, main, regions, faces, None, rounded)


def _clusters(exact: Sequence[Place], points: np.ndarray, distance: float) -> np.ndarray:
    """(k,): the clusters of points, counted from 0."""
    if distance == 0.0:
        label = [exact.index(p) for p in exact]
    else:
        label = list(range(len(exact)))
        near = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2)) < distance
        for i, j in np.argwhere(near).tolist():
            low, high = sorted((label[i], label[j]))
            label = [low if k == high else k for k in label]
    return np.unique(np.array(label, int), return_inverse=True)[1].reshape(-1)


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _floats(place: Sequence[Fraction]) -> np.ndarray:
    return np.array([float(x) for x in place])
