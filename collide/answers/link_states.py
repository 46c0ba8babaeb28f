"""Answers grouped by robot: the link, the values of all joints, and the place of each contact, or of each nearest point."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from codegen.given import shown
from codegen.interval import Interval
from generative import Chain
from generative.body import label

from ..frozen import frozen

Robots = Mapping[str, tuple[Chain, Mapping[str, Any]]]


@dataclass(frozen=True, eq=False)
class LinkState:
    """A link of a robot at a contact, or where it is nearest to another body.

    `link` and `body` are the names of the link and of that of its bodies which is there, `other` is the name of the body that it meets.
    `time` encloses the moment, as far as the answer does. `joints` {name: Interval} *encloses* the values of all joints that are not fixed
    in that time, for the values of the parameters that the answer lists; angles in radian. `point` (3,) is on the link, approximately.
    `distance` *encloses* the distance: of what is listed as a contact 0 to 0 where it is proved, else 0 to infinity; in a part of a
    `ClearanceProfile` the least one of that part. `row`: the number of the contact, of the nearest points, or of the part in the answer.
    """

    link: str
    body: str
    other: str
    time: Interval
    joints: Mapping[str, Interval]
    point: np.ndarray
    distance: Interval
    row: int

    def __repr__(self) -> str:
        values = ", ".join(f"{name} {value.midpoint:.6g}" for name, value in self.joints.items())
        return f"LinkState({self.body} and {self.other} at t = {self.time.midpoint:.6g}: {values})"


class Listed(NamedTuple):
    """An item of an answer: its number, the two bodies and the point on each, the time, the distance, and values of parameters."""

    row: int
    pair: Sequence[int]
    points: Sequence[np.ndarray]
    time: Sequence[float]
    distance: Interval
    parameters: Mapping[Any, Interval]


def by_robot(bodies: Sequence[Any], span: tuple[float, float], robots: Robots, items: Iterable[Listed]) -> dict[str, list[LinkState]]:
    """The items at which a link of each robot is, in their order.

    Raises ValueError for robots that are no pairs of a `Chain` and the values of its joints, for a robot without a body among those that
    were asked about, and for bodies of one name.
    """
    owners = _owners(bodies, robots)
    found: dict[str, list[LinkState]] = {name: [] for name in robots}
    for item in items:
        time = _within(item.time, span)
        for side, k in enumerate(item.pair):
            if k in owners:
                chain, values = robots[owners[k]]
                joints = chain.joint_values_at(values, time, item.parameters)
                other = label(bodies, item.pair[1 - side], "body ")
                found[owners[k]].append(LinkState(chain.link_of(bodies[k].name), bodies[k].name, other, time, joints,
                                                  frozen(np.array(item.points[side])), item.distance, item.row))
    return found


def _owners(bodies: Sequence[Any], robots: Any) -> dict[int, str]:
    """The robot of each body that belongs to one, by the numbers of bodies."""
    pairs = robots.values() if isinstance(robots, Mapping) else [robots]
    if not all(isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], Chain) for pair in pairs):
        raise ValueError(f"robots are given as {{name: (chain, values of its joints)}}, got {shown(robots)}")
    owners, named = dict[int, str](), set[str]()
    for robot, (chain, values) in robots.items():
        chain.joint_values(values)
        own = [body.name for bodies in chain.bodies.values() for body in bodies]
        ours = {k: robot for k, body in enumerate(bodies) if body.name in own}
        if not ours:
            raise ValueError(f"no body that was asked about is one of robot {robot}, whose bodies are {', '.join(own)}")
        found = [bodies[k].name for k in ours]
        if (twice := next((name for name in found if name in named or found.count(name) > 1), None)) is not None:
            raise ValueError(f'several bodies of robots are called "{twice}": give the links of each chain names of their own')
        named |= {*found}
        owners |= ours
    return owners


def _within(time: Sequence[float], span: tuple[float, float]) -> Interval:
    """A time within the span that was asked about; all of that where it is not known."""
    if not np.isfinite(time).all():
        return Interval(*span)
    first, last = (min(max(float(e), span[0]), span[1]) for e in time)
    return Interval(first, last)
