"""Closedness of faces, each a list of vertex numbers: whether they close to a surface with two sides, and where they do not."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from .symbols import text

Users = dict[tuple[int, int], list[tuple[int, bool]]]
"""The faces that run through each edge, its lower vertex first, and whether they do so from the lower vertex on."""


def check_closed(points: Sequence[Any], outlines: Sequence[Sequence[int]]) -> None:
    """Every edge must belong to two faces, which run through it in opposite senses; ValueError otherwise."""
    users = _users(outlines)
    if crowded := sorted(edge for edge, faces in users.items() if len(faces) > 2):
        a, b = crowded[0]
        raise ValueError(f"{_count(crowded, 'edge belongs', 'edges belong')} to more than two faces; the first joins {_vertex(points, a)} "
                         f"and {_vertex(points, b)}")
    if wrong := _flipped(users, len(outlines)):
        first = wrong[0]
        raise ValueError(f"{_count(wrong, 'face is', 'faces are')} flipped, running round otherwise than the others; the "
                         f"first is face {first}, at {_vertex(points, outlines[first][0])}")
    if holes := _holes([edge for edge, faces in users.items() if len(faces) == 1]):
        edges, (a, b) = sum(map(len, holes)), min(map(min, holes))
        raise ValueError(f"the polyhedron has {_count(holes, 'hole', 'holes')}: {edges} edges belong to one face only; the first joins "
                         f"{_vertex(points, a)} and {_vertex(points, b)}")


def flipped(outlines: Sequence[Sequence[int]]) -> list[int]:
    """The fewest faces whose reversal makes neighbours run through their edges in opposite senses."""
    return _flipped(_users(outlines), len(outlines))


def _users(outlines: Sequence[Sequence[int]]) -> Users:
    users: Users = defaultdict(list)
    for k, outline in enumerate(outlines):
        for a, b in zip(outline, (*outline[1:], outline[0]), strict=True):
            users[min(a, b), max(a, b)].append((k, a < b))
    return users


def _flipped(users: Users, count: int) -> list[int]:
    """The fewest faces whose reversal makes neighbours agree."""
    neighbours: list[list[tuple[int, bool]]] = [[] for _ in range(count)]
    for first, second in (faces for faces in users.values() if len(faces) == 2):
        differ = first[1] == second[1]
        neighbours[first[0]].append((second[0], differ))
        neighbours[second[0]].append((first[0], differ))
    turned: dict[int, bool] = {}
    found: list[int] = []
    for start in range(count):
        if start not in turned:
            piece = _spread(start, neighbours, turned)
            reversed_ones = [k for k in piece if turned[k]]
            found += reversed_ones if 2 * len(reversed_ones) <= len(piece) else [k for k in piece if not turned[k]]
    return sorted(found)


def _spread(start: int, neighbours: Sequence[Sequence[tuple[int, bool]]], turned: dict[int, bool]) -> list[int]:
    """The faces connected with `start`; `turned` says of each whether it runs otherwise than that one."""
    turned[start], piece = False, [start]
    for face in piece:
        for other, differ in neighbours[face]:
            if other not in turned:
                turned[other] = turned[face] ^ differ
                piece.append(other)
            elif turned[other] != turned[face] ^ differ:
                raise ValueError(f"the faces make a one-sided surface, as a Moebius strip does: no reversal of faces makes face {face} and "
                                 f"face {other} agree with all others")
    return piece


def _holes(edges: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Edges sorted into those that hang together."""
    groups: list[set[int]] = []
    for edge in edges:
        touching = [g for g in groups if not g.isdisjoint(edge)]
        groups = [g for g in groups if g.isdisjoint(edge)] + [set(edge).union(*touching)]
    return [[e for e in edges if e[0] in g] for g in groups]


def _count(things: Sequence[Any], one: str, several: str) -> str:
    return f"{len(things)} {one if len(things) == 1 else several}"


def _vertex(points: Sequence[Any], k: int) -> str:
    return f"vertex {k} {text(tuple(points[k]))}"
