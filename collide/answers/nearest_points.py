"""The nearest points that a search found, each place once."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from generative import t

from ..bodies.mesh import Mesh
from ..bodies.on_face import Border, borders, feature_at, own_box
from ..bodies.parameters import variable_of
from ..bodies.relative_frames import in_world
from ..moment.pairs import Pairs
from ..search.budget import Budget
from ..search.clock import Clock
from ..search.native.layout import ALONE, EXISTS, UNIQUE
from ..search.problem import Problem
from ..situations.distance import both_points
from ..timeline.nearest import Asked, Neighbours
from ..timeline.neighbourhood import Found, Sample

# Against the size of all, places of boxes that are no farther from each other than this are one.
_SAME = 1e-9
# So many places are listed that are only located; and so near to another one they are not, against the size of all.
_MOST, _NEAR = 100, 1e-3
# Against the time span, how far apart are moments at which the same place is listed again, where it is not proved unique.
_APART = 0.1
# Against itself, how closely a distance of a picture is told, and seconds for those of a pair of bodies.
_ROUGHLY, _SECONDS = 1e-3, 2.0


class Listed(NamedTuple):
    """Pairs of nearest points, see `Distance` and `Clearance`."""

    points: np.ndarray = np.empty((0, 2, 3))
    unique: np.ndarray = np.zeros(0, bool)
    features: Sequence[tuple[str, str]] = ()
    boxes: Sequence[np.ndarray] = ()
    variables: Sequence[tuple[str, ...]] = ()
    times: np.ndarray = np.empty((0, 2))
    pairs: np.ndarray = np.empty((0, 2), np.int64)
    samples: Sequence[Sample] = ()
    notes: tuple[str, ...] = ()


def moving_points(bodies: Sequence[Any], times: np.ndarray) -> np.ndarray:
    """(m, 2, 3): about where two bodies are nearest at m times, for the eye; NaN where that is not known, or took too long, as where they
    meet. Of several places that is the one next to that of the time before.
    """
    found, clock = np.full((len(times), 2, 3), np.nan), Clock(Budget(seconds=_SECONDS))
    if all(isinstance(body, Mesh) for body in bodies):
        return found
    for k, time in enumerate(times.tolist()):
        known = Found()
        with clock.working():
            scene = Neighbours(bodies, (sp.Rational(time),) * 2, (time, time), Pairs(2), {})
            scene.search(Asked(_ROUGHLY, one=True), clock, known)
            points = listed(known, scene).points
            if len(points):
                far = np.abs(points - found[k - 1]).max(axis=(1, 2)) if k else np.zeros(len(points))
                found[k] = points[int(np.argmin(np.nan_to_num(far)))]
        if clock.over:
            break
    return found


class _Place(NamedTuple):
    problem: Problem
    unique: bool
    box: np.ndarray
    points: np.ndarray
    sample: Sample | None = None


def listed(found: Found, scene: Neighbours) -> Listed:
    """Those that may be nearest; where surfaces meet, one such place."""
    if found.meets is not None:
        problem, box, sample = found.meets
        points = _points(problem, box[None], scene, [sample])
        places = [_Place(problem, False, box, points[0].mean(axis=0)[None].repeat(2, axis=0), sample=sample)]
    else:
        places = _distinct(found, scene)
    return Listed(
        np.array([p.points for p in places]).reshape(-1, 2, 3), np.array([p.unique for p in places], bool),
        _features(places, scene), [p.box for p in places], [p.problem.variables for p in places],
        np.array([_time(p) for p in places]).reshape(-1, 2), np.array([p.problem.label for p in places], np.int64).reshape(-1, 2),
        [p.sample or {} for p in places])


def _distinct(found: Found, scene: Neighbours) -> list[_Place]:
    """Unique ones first, then samples; only if there are none, what is located."""
    places, size, lasting = list[_Place](), scene.size, scene.span[1] - scene.span[0]
    if found.nearer:
        return _best(found, scene)
    ordered = sorted((item for item in found.boxes if item[2][-1, 0] <= found.upper), key=lambda item: (_rank(item[1]), item[2][-1, 0]))
    sure = [item for item in ordered if _rank(item[1]) < 2]
    if not ordered:
        return _best(found, scene)
    near = size * (_SAME if sure else _NEAR)
    for (problem, kind, box), at in zip(sure or ordered, _all_points(sure or ordered, scene), strict=True):
        if not sure and len(places) >= _MOST:
            break
        place = _Place(problem, _rank(kind) == 0, box, at)
        alike = [p.points for p in places if p.problem.label == problem.label and not _at_other_times(p, place, lasting)]
        if np.isfinite(at).all() and not (alike and (np.abs(np.array(alike) - at).max(axis=(1, 2)) <= near).any()):
            places.append(place)
    return [p._replace(unique=p.unique and not any(_doubts(q, p) for q in places)) for p in places]


def _all_points(items: Sequence[tuple[Problem, int, np.ndarray]], scene: Neighbours) -> np.ndarray:
    """(n, 2, 3): the points of each in the middle of its box."""
    points = np.empty((len(items), 2, 3))
    for problem in dict.fromkeys(problem for problem, _, _ in items):
        own = [k for k, item in enumerate(items) if item[0] is problem]
        points[own] = _points(problem, np.array([items[k][2] for k in own]), scene)
    return points


def _best(found: Found, scene: Neighbours) -> list[_Place]:
    """The nearest points that are known."""
    if found.best is None:
        return []
    problem, box, sample = found.best
    return [_Place(problem, False, box, _points(problem, box[None], scene, [sample])[0], sample=sample)]


def _at_other_times(place: _Place, other: _Place, lasting: float) -> bool:
    """Whether they are moments at which bodies are as near. Unique places have times of their own; of others there may be any number."""
    if "t" not in place.problem.variables:
        return False
    (lo, hi), (begin, end) = _time(place), _time(other)
    return max(lo, begin) - min(hi, end) > (0.0 if place.unique and other.unique else _APART * lasting)


def _doubts(other: _Place, place: _Place) -> bool:
    """Tell isolated points from others. A point that is unique in its own situation need not be isolated: where faces are parallel, a
    corner may be the only nearest point of another face.
    """
    return not other.unique and other.problem is not place.problem and other.problem.label == place.problem.label


def _rank(kind: int) -> int:
    return 0 if kind in (UNIQUE, ALONE) else 1 if kind == EXISTS else 2


def _middles(problem: Problem) -> np.ndarray | None:
    return problem.parameters.mean(axis=1) if len(problem.parameters) else None


def _points(problem: Problem, boxes: np.ndarray, scene: Neighbours, samples: Sequence[Sample] = ()) -> np.ndarray:
    """(n, 2, 3): the points of both bodies in the middles of boxes (n, variables, 2), in space."""
    middles = np.clip(boxes.mean(axis=2), *problem.outer.T)
    values: np.ndarray = both_points(problem).points(middles, parameters=_middles(problem)).reshape(-1, 2, 3)
    motion = scene.relative.frames.get(problem.label)
    if motion is None:
        return values
    known = {s: _at(s, problem, middles, scene, samples) for s in motion.symbols}
    return in_world(motion, values, known)


def _at(symbol: Any, problem: Problem, middles: np.ndarray, scene: Neighbours, samples: Sequence[Sample]) -> np.ndarray:
    """(n,): about the value of the time, or of a parameter, in the middles of boxes of a problem; of one that it does not depend on, one
    that is possible.
    """
    name = "t" if symbol == t else variable_of(symbol)
    if name in problem.variables:
        return middles[:, problem.variables.index(name)]
    if samples and name in samples[0]:
        return np.array([sample[name] for sample in samples])
    ends = scene.span if symbol == t else scene.values[symbol]
    return np.full(len(middles), 0.5 * (float(ends[0]) + float(ends[1])))


def _time(place: _Place) -> tuple[float, float]:
    variables = place.problem.variables
    lo, hi = place.box[variables.index("t")].tolist() if "t" in variables else (np.nan, np.nan)
    return lo, hi


def _features(places: Sequence[_Place], scene: Neighbours) -> list[tuple[str, str]]:
    """Names are those of the families, which are the same for all members."""
    known: dict[tuple[int, str], Sequence[Border]] = {}
    for p in places:
        for own in zip(p.problem.label, p.problem.features, strict=True):
            if own not in known:
                known[own] = borders(scene.bodies[own[0]], own[1])
    return [(_feature(p, 0, scene, known), _feature(p, 1, scene, known)) for p in places]


def _feature(place: _Place, side: int, scene: Neighbours, known: Mapping[tuple[int, str], Sequence[Border]]) -> str:
    k, feature = place.problem.label[side], place.problem.features[side]
    own = own_box(place.problem.variables, place.box, side)
    return feature_at(scene.bodies[k], feature, own, known[k, feature], scene.numbers[k])
