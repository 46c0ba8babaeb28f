"""Runs as tables of numbers and names, which files hold as JSON; what is read is checked, since files are edited, and cut off.

A saved run is no proof: what it says happened is read, and not computed again.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from codegen.given import shown
from codegen.interval import Interval

from ..answers.contact_regions import RegionChange, RegionEvent
from .dynamics.steady_contact import ContactMode
from .event import Event
from .motion.ballistic import flight
from .motion.moving_body import MovingBody
from .motion.polynomial import Polynomial
from .motion.prescribed import Prescribed
from .rigid_body import RigidBody
from .simulation.state import ContactRegion, ModeChange

_STATE = {"centre": (3,), "velocity": (3,), "acceleration": (3,), "turn": (3, 3), "spin": (3,), "spinning": (3,)}
_FORCED = {"centre": (3,), "turn": (3, 3), "path": (-1, 3), "turning": (-1, 4)}
_CONTACT = {"points": (-1, 3), "normals": (-1, 3), "impulses": (-1, 3)}
# How far the product of a rotation and its transpose may be from the identity: much more than roundings are.
_TURNED = 1e-9
# Products of a few numbers up to this are finite; and by which angle a body that tumbles turns at most, since it is followed in steps.
_LARGEST, _ANGLE = 1e60, 1e6


@dataclass(frozen=True, eq=False)
class Past:
    """Events, rests and paths of a run that was loaded or copied."""

    actors: Sequence[MovingBody]
    events: Sequence[Event]
    rests: Sequence[ModeChange]
    now: float
    region_begins: Sequence[ContactRegion] = ()
    region_changes: Sequence[RegionChange] = ()


def table(run: Any, paths: Sequence[Sequence[tuple[float, Any]]]) -> dict[str, Any]:
    """All of a run but its world."""
    names = "time", "pairs", "points", "normals", "impulses", "proved"
    return {"start": run.start, "until": run.until, "outcome": run.outcome.name, "reason": run.reason,
            "events": [{name: _plain(getattr(e, name)) for name in names} for e in run.events],
            "regions": [[list(r.pair), r.begin, r.points.tolist()] for r in run.regions],
            "region_changes": [[c.time, c.kind.name, list(c.before), list(c.after)] for c in run.region_changes],
            "rests": [[r.time, r.body, r.mode.name] for r in run.rests],
            "paths": [[[time, _numbers(course)] for time, course in own] for own in paths],
            "bodies": _kinds(run.world.bodies), "certified": run.certified_until is not None}


def read(path: str | PathLike[str], actors: Sequence[MovingBody], outcomes: Collection[str]) -> tuple[dict[str, Any], Past]:
    """The table that a file holds, and what is known of its run, whose paths its actors have then. ValueError for what is no run of these
    bodies.
    """
    try:
        known = json.loads(Path(path).read_text(encoding="utf-8"))
        _require(known["bodies"] == _kinds([a.rigid for a in actors]))
        start, until = _number(known["start"]), _number(known["until"])
        _require(start <= until and isinstance(known["reason"], str) and isinstance(known.get("certified", False), bool))
        _require(known["outcome"] in outcomes and len(known["paths"]) == len(actors))
        paths = [_path(own, actor, start, until) for own, actor in zip(known["paths"], actors, strict=True)]
        events = [_event(e, len(actors)) for e in known["events"]]
        _require(all(start <= e.time[1] for e in events))
        rests = [ModeChange(_number(time), int(_numbered(body, len(actors))), ContactMode[mode]) for time, body, mode in known["rests"]]
        regions, changes = _regions(known.get("regions", []), known.get("region_changes", []), len(actors))
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError, ArithmeticError) as error:
        raise ValueError(f"{shown(str(path))} holds no run of a world of these {len(actors)} bodies, as it was saved") from error
    for actor, own in zip(actors, paths, strict=True):
        actor.path = own
    return known, Past(actors, events, rests, until, regions, changes)


def _require(holds: Any) -> None:
    if not holds:
        raise ValueError


def _kinds(bodies: Sequence[RigidBody]) -> list[list[Any]]:
    """The facts that distinguish these bodies from those of another world."""
    return [[type(b.shape).__name__, "fixed" if b.fixed else "free" if b.free else "driven", b.mass] for b in bodies]


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value if isinstance(value, float) else list(value)


def _number(value: Any) -> float:
    _require(isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= _LARGEST)
    return float(value)


def _array(value: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Finite numbers of a shape, in which -1 stands for any size."""
    found = np.array(value)
    found = found.reshape([max(n, 0) for n in shape]) if found.size == 0 and -1 in shape else found
    _require(found.dtype.kind in "if" or found.size == 0)
    fits = found.ndim == len(shape) and all(n in (-1, m) for n, m in zip(shape, found.shape, strict=True))
    _require(fits and (np.abs(found.astype(float)) <= _LARGEST).all())
    return found.astype(float)


def _numbered(value: Any, count: int) -> np.ndarray:
    """Numbers of bodies."""
    found = np.array(value)
    _require((found.dtype.kind == "i" or found.size == 0) and (found >= 0).all() and (found < count).all())
    return found.astype(np.int64)


def _event(own: dict[str, Any], count: int) -> Event:
    pairs, proved = _numbered(own["pairs"], count).reshape(-1, 2), np.array(own["proved"])
    arrays = {name: _array(own[name], shape) for name, shape in _CONTACT.items()}
    begin, end = map(_number, own["time"])
    _require(begin <= end and (proved.dtype == bool or not proved.size))
    _require({len(pairs)} == {len(e) for e in (proved, *arrays.values())})
    return Event(Interval(begin, end), pairs, **arrays, proved=proved.astype(bool))


def _regions(begins: Any, changes: Any, count: int) -> tuple[list[ContactRegion], list[RegionChange]]:
    regions = [ContactRegion(n, (int(i), int(j)), _number(begin), None, _array(points, (-1, 3)))
               for n, (pair, begin, points) in enumerate(begins) for i, j in [_numbered(pair, count)]]
    told = [RegionChange(_number(time), RegionEvent[kind], *(tuple(_numbered(e, len(regions)).tolist()) for e in sides))
            for time, kind, *sides in changes]
    _require(all(len(c.before) + len(c.after) for c in told))
    return regions, told


def _path(own: Any, actor: MovingBody, start: float, until: float) -> list[tuple[float, Any]]:
    times = [_number(time) for time, _ in own]
    _require(times and times == sorted(times) and times[0] <= start)
    return [(time, _flown(numbers, actor, until)) for time, (_, numbers) in zip(times, own, strict=True)]


def _numbers(course: Any) -> Any:
    """The state that a flight began with, or all that a forced one is; None of a body that is driven."""
    if isinstance(course, Prescribed):
        return None
    if isinstance(course, Polynomial):
        return {name: _plain(getattr(course, name)) for name in ("start", "until", *_FORCED)}
    return [course.start, course.turned, *(_plain(getattr(course, name)) for name in _STATE)]


def _flown(numbers: Any, actor: MovingBody, until: float) -> Any:
    if numbers is None:
        if actor.rigid.motion is None:
            raise ValueError
        return actor.first(until)
    if isinstance(numbers, dict):
        arrays = {name: _array(numbers[name], shape) for name, shape in _FORCED.items()}
        _require(_rotates(arrays["turn"]) and len(arrays["path"]) == len(arrays["turning"]) > 0)
        return Polynomial(_number(numbers["start"]), _number(numbers["until"]), **arrays, inertia=actor.inertia)
    start, turned, *state = numbers
    arrays = {name: _array(value, shape) for (name, shape), value in zip(_STATE.items(), state, strict=True)}
    _require(_rotates(arrays["turn"]))
    found, speeds = flight(_number(turned), inertia=actor.inertia, **arrays), np.abs([arrays["spin"], arrays["spinning"]]).sum(axis=1)
    span = until - found.turned
    _require(found.until >= until or span * (speeds[0] + speeds[1] * span) <= _ANGLE)
    return replace(found, start=_number(start))


def _rotates(turn: np.ndarray) -> bool:
    return bool(np.abs(turn @ turn.T - np.eye(3)).max() <= _TURNED and np.linalg.det(turn) > 0)
