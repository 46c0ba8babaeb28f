"""Marks of contacts and of nearest points: isolated ones as dots, samples of curves as lines, of patches as shades; normals."""

from collections.abc import Iterator

import numpy as np

from .drawing import Drawing
from .parts import INK, text_of
from .subject import MeetingAnswer, NearestAnswer
from .tracks import Track

RED, WHITE = "#c8102e", "#ffffff"
# Samples are neighbours up to this many times the usual distance of the nearest; so many of them lie on a curve or patch. Samples whose
# neighbours are this much flatter than long are those of a curve.
_NEAR, _FEWEST, _THIN = 2.6, 5, 0.3
# Half widths of lines and dots, in pixels, and lengths of normals of isolated contacts, of the size of the scene; of samples less.
_DOT, _SMALL, _LINE, _NORMAL = 6.0, 4.0, 2.2, 0.06
# Normals that are drawn, at most, of samples.
_NORMALS = 16
# Moments at which nearest points are looked for; so many times as far as usual is a leap.
_FOLLOWED, _LEAP = 41, 8.0


def add_contacts(drawing: Drawing, contacts: MeetingAnswer, size: float, window: tuple[float, float]) -> None:
    """The contacts, in a window of time."""
    alone, groups = sorted_out(contacts)
    for k in alone:
        p, n = contacts.points[k], contacts.normals[k]
        if np.isfinite(n).all():
            drawing.mark(p, p + _NORMAL * size * n, _LINE, INK, window=window)
        drawing.mark(p, p, _DOT if len(alone) < 25 else _SMALL, WHITE, text_of(contacts, k), window)
    for group, curve in groups:
        points = contacts.points[group]
        for i, j in _sides(points):
            if curve:
                drawing.mark(points[i], points[j], _LINE, RED, window=window)
        if not curve:
            _shade(drawing, points, window)
        for k in group[:: -(-len(group) // _NORMALS)]:
            p, n = contacts.points[k], contacts.normals[k]
            if np.isfinite(n).all():
                drawing.mark(p, p + 0.6 * _NORMAL * size * n, 0.8, INK, text_of(contacts, k), window)


def add_nearest(drawing: Drawing, answer: NearestAnswer, window: tuple[float, float]) -> None:
    """Segments between nearest points, with a dot at either end; before the moment of the least distance, those of that time."""
    first, last = drawing.span
    if first < last:
        times = np.linspace(first, last, _FOLLOWED)
        for points in np.swapaxes(answer.followed(times), 0, 1):
            _follow(drawing, times, points, window[0])
    for (a, b), known in zip(answer.points, answer.unique, strict=True):
        drawing.mark(a, b, _LINE, RED, window=window)
        for p in (a, b):
            drawing.mark(p, p, _SMALL, WHITE, f"({', '.join(f'{x:.6g}' for x in p)})\n{'unique (proved)' if known else 'sample'}", window)


def _follow(drawing: Drawing, times: np.ndarray, points: np.ndarray, until: float) -> None:
    """A segment with ends (m, 2, 3) at m times. Where it leaps, it stays until it does."""
    far = np.linalg.norm(np.diff(points, axis=0), axis=-1).max(axis=1)
    most = _LEAP * max(float(np.median(far[np.isfinite(far)])), 1e-300) if np.isfinite(far).any() else 0.0
    for k in np.flatnonzero(np.isfinite(far)).tolist():
        window, (a, b) = (float(times[k]), min(float(times[k + 1]), until)), points[k]
        c, d = points[k + 1] if far[k] <= most else points[k]
        drawing.mark(a, b, _LINE, RED, window=window, ends=(c, d))
        for p, q in ((a, c), (b, d)):
            drawing.mark(p, p, _SMALL, WHITE, window=window, ends=(q, q))


def sorted_out(contacts: MeetingAnswer) -> tuple[list[int], list[tuple[np.ndarray, bool]]]:
    """The numbers of isolated contacts, and groups of samples, each with whether they lie on a curve (or else on a patch)."""
    alone, groups = np.flatnonzero(contacts.proved).tolist(), []
    for pair in np.unique(np.sort(contacts.pairs, axis=1), axis=0) if len(contacts) else ():
        own = np.flatnonzero(~np.asarray(contacts.proved) & (np.sort(contacts.pairs, axis=1) == pair).all(axis=1))
        for group in _linked(contacts.points[own]):
            if len(group) < _FEWEST:
                alone += own[group].tolist()
            else:
                groups.append((own[group], _is_curve(contacts.points[own[group]])))
    return sorted(alone), groups


def _linked(points: np.ndarray) -> Iterator[np.ndarray]:
    """Groups of points that neighbours join."""
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    if len(points) < _FEWEST:
        yield np.arange(len(points))
        return
    tree = cKDTree(points)
    near = _NEAR * _usual(points)
    _, label = connected_components(tree.sparse_distance_matrix(tree, max(near, 1e-300)))
    for k in range(label.max() + 1):
        yield np.flatnonzero(label == k)


def _usual(points: np.ndarray) -> float:
    """The distance of the nearest other point, of most points."""
    from scipy.spatial import cKDTree

    return float(np.quantile(cKDTree(points).query(points, 2)[0][:, 1], 0.8))


def _is_curve(points: np.ndarray) -> bool:
    """Whether the neighbours of most points are on a line."""
    from scipy.spatial import cKDTree

    near = points[cKDTree(points).query(points, min(5, len(points)))[1]]
    sizes = np.linalg.svd(near - near.mean(axis=1, keepdims=True), compute_uv=False)
    return bool(np.median(sizes[:, 1] / np.maximum(sizes[:, 0], 1e-300)) < _THIN)


def _sides(points: np.ndarray) -> list[tuple[int, int]]:
    """Pairs of points that follow each other on a curve: a shortest tree, closed where its ends meet."""
    from scipy.sparse.csgraph import minimum_spanning_tree
    from scipy.spatial.distance import cdist

    far = cdist(points, points)
    tree = minimum_spanning_tree(far + 1e-12 * (1 + far.max())).tocoo()
    sides = list(zip(tree.row.tolist(), tree.col.tolist(), strict=True))
    ends = np.flatnonzero(np.bincount(np.array(sides, np.int64).ravel(), minlength=len(points)) == 1)
    if len(ends) == 2 and len(points) > 4 and far[ends[0], ends[1]] <= _NEAR * float(np.median(tree.data)):
        sides.append((int(ends[0]), int(ends[1])))
    return sides


def _shade(drawing: Drawing, points: np.ndarray, window: tuple[float, float]) -> None:
    """A patch, by triangles between its samples as they lie in its plane."""
    from scipy.spatial import Delaunay

    centre = points.mean(axis=0)
    _, spread, axes = np.linalg.svd(points - centre, full_matrices=False)
    if spread[1] <= 1e-9 * max(spread[0], 1e-300):
        return
    triangles = Delaunay((points - centre) @ axes[:2].T).simplices
    longest = np.linalg.norm(points[triangles] - np.roll(points[triangles], 1, axis=1), axis=-1).max(axis=1)
    triangles = triangles[longest <= _NEAR * _usual(points)]
    if not len(triangles):
        return
    still: Track = np.array([drawing.span[1]]), np.array([[0, 0, 0, 1.0, 0, 0, 0]])
    drawing.add_part(-1, drawing.shape([points], triangles, False), still, points, alpha=0.6, moving=False, colour=RED, window=window)
