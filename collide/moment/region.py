"""Region and time from which two parametric faces may meet: a search need not look beyond it."""

from typing import NamedTuple

import numpy as np

from ..search.problem import Problem


class Region(NamedTuple):
    """n places, of which each is a part of the parameters of the first body (n, 2, 2) and of the second, None: all of it, from a time of
    `when` (n,) on. What is not in them is *proved* apart.
    """

    first: np.ndarray | None
    second: np.ndarray | None
    when: np.ndarray

    def boxes(self, p: Problem) -> np.ndarray:
        """(k, variables, 2): boxes of a problem of two whole faces, or of one beside an implicit body, that hold all of these places. Of
        what has one variable, as the border of a face, all is held.
        """
        sides = [(side, cells) for side, cells in ((1, self.first), (2, self.second))
                 if cells is not None and {f"u{side}", f"v{side}"} <= set(p.variables)]
        rows = np.concatenate([cells.reshape(len(self.when), -1) for _, cells in sides] or [np.zeros((len(self.when), 0))], axis=1)
        places, begin = _first_of(rows, self.when)
        found = np.repeat(p.outer[None], len(places), axis=0)
        columns = [p.variables.index(f"{name}{side}") for side, _ in sides for name in "uv"]
        for j, ends in zip(columns, places.reshape(len(places), -1, 2).swapaxes(0, 1), strict=True):
            found[:, j, 0], found[:, j, 1] = np.maximum(found[:, j, 0], ends[:, 0]), np.minimum(found[:, j, 1], ends[:, 1])
        if p.objective is not None:
            j = p.objective
            found[:, j, 0] = np.maximum(found[:, j, 0], begin)
        return np.asarray(found[(found[..., 0] <= found[..., 1]).all(axis=1)])


def _first_of(rows: np.ndarray, when: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Different rows, in order, and the earliest time of each. (`np.unique` takes ten times as long.)"""
    order = np.lexsort(rows.T[::-1]) if rows.shape[1] else np.arange(len(rows))
    rows = rows[order]
    first = np.flatnonzero(np.concatenate([[True], (rows[1:] != rows[:-1]).any(axis=1)]))
    return rows[first], np.minimum.reduceat(when[order], first)
