"""Two triangles as the six vertex-face and nine edge-edge queries of their parts."""

import numpy as np

FACES = np.array([[p, *face] for face, points in (((3, 4, 5), (0, 1, 2)), ((0, 1, 2), (3, 4, 5))) for p in points])
"""The points of the vertex-face queries, of a0, a1, a2, b0, b1, b2: first the vertices of a."""
EDGES = np.array([[i, (i + 1) % 3, 3 + j, 3 + (j + 1) % 3] for i in range(3) for j in range(3)])
"""The points of the edge-edge queries."""


def earliest(time: np.ndarray, proved: np.ndarray, tolerance: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The first of answers (n, k, 2), NaN for none, of which some are proved: its number, a bracket of the earliest contact, and whether
    one in it is proved.

    No contact is before the least lower end. If a proved one ends within the tolerance from there, it decides; else
    nothing is claimed of what comes after the upper end of an earlier one that is not proved.
    """
    rows = np.arange(len(time))
    lower, upper = (np.where(np.isnan(time[:, :, k]), np.inf, time[:, :, k]) for k in range(2))
    least = lower.min(axis=1)
    certain = np.where(proved, upper, np.inf)
    best = certain.argmin(axis=1)
    decided = certain[rows, best] - np.where(np.isfinite(least), least, 0.0) <= tolerance
    which = np.where(decided, best, lower.argmin(axis=1))
    bracket = np.stack([least, upper[rows, which]], axis=1)
    bracket[~np.isfinite(least)] = np.nan
    return which, bracket, decided


def weights(which: np.ndarray, own: np.ndarray) -> np.ndarray:
    """Weights (n, 4) of a1, a2, b1, b2 from the parameters of the query that came first; NaN where these are, also for a corner."""
    n = len(which)
    corner = np.eye(3)
    out, known = np.full((n, 2, 3), np.nan), ~np.isnan(own).any(axis=1)
    for k in range(15):
        rows = np.flatnonzero(known & (which == k))
        x, y = own[rows].T[:, :, None]
        if k < 6:
            side, vertex = divmod(k, 3)
            out[rows, side], out[rows, 1 - side] = corner[vertex], (1 - x - y) * corner[0] + x * corner[1] + y * corner[2]
        else:
            for side, (start, share) in enumerate(zip(divmod(k - 6, 3), (x, y), strict=True)):
                out[rows, side] = (1 - share) * corner[start] + share * corner[(start + 1) % 3]
    return out[:, :, 1:].reshape(n, 4)
