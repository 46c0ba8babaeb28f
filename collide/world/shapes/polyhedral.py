"""The corners, edges and flat faces of a shape that has no others."""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from generative import ImplicitBody
from generative.changes import pieces_of

from ...bodies.mesh import Mesh
from .simple import Flat, flats

# Points that differ by no more than this, against the size of the shape, are one.
_SAME = 1e-12


@dataclass(frozen=True, eq=False)
class Polyhedral:
    """`corners` (m, 3), `edges` (e, 2, 3) and `faces` of a shape; of a half-space without bounds, its face alone."""

    corners: np.ndarray
    edges: np.ndarray
    faces: tuple[Flat, ...]

    def moved(self, turn: np.ndarray, shift: np.ndarray) -> "Polyhedral":
        return Polyhedral(self.corners @ turn.T + shift, self.edges @ turn.T + shift, tuple(f.moved(turn, shift) for f in self.faces))


@functools.lru_cache(maxsize=512)
def polyhedral(shape: Any, middle: tuple[float, float, float]) -> Polyhedral | None:
    """In coordinates of the shape, seen from its centre of mass; None if not all of it is flat."""
    faces = flats(shape)
    if not faces or not (isinstance(shape, (Mesh, ImplicitBody)) or sum(len(f.cells) for f in faces) == len(pieces_of(shape))):
        return None
    edges = np.concatenate([f.border for f in faces])
    size = float(np.abs(edges).max()) if len(edges) else 1.0
    ends = np.round(edges / (_SAME * size))
    keys = [tuple(sorted(map(tuple, pair))) for pair in ends.tolist()]
    edges = edges[sorted(dict(zip(reversed(keys), reversed(range(len(keys))), strict=True)).values())]
    _, first = np.unique(np.round(edges.reshape(-1, 3) / (_SAME * size)), axis=0, return_index=True)
    found = Polyhedral(edges.reshape(-1, 3)[np.sort(first)], edges, faces)
    return found.moved(np.eye(3), -np.array(middle))
