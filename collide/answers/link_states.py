"""Answers grouped by robot: the link, the values of all joints, and the place of each contact, or of each nearest point."""

from collections.abc import Iterator, Mapping, Sequence
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
    `distance` *encloses* the distance. A contact that is proved has 0 to 0, another one 0 to infinity; a part of a `ClearanceProfile` has
    the least distance in that part. `row`: the number of the contact, of the nearest points, or of the part in the answer.
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


class ByRobot:
    """An answer about `bodies` in a `time_span`, whose items may be at links of robots."""

    bodies: Sequence[Any]

    def by_robot(self, robots: Robots) -> dict[str, list[LinkState]]:
        """Group contacts, or nearest points, by robot: the link, and the values of all joints there.

        Parameters
        ----------
        robots : dict of str to (Chain, dict)
            Each robot by a name: its chain, and the values of its joints as they were given to `Chain.at`.

        Returns
        -------
        dict of str to list of LinkState
            The items of the answer at which a link of each robot is, in their order; an item at two links is listed for each. Items are
            contacts, pairs of nearest points, or the parts of a `ClearanceProfile`. In a profile
            `min(states, key=lambda s: s.distance.lo)` is where the margin is least.

        Raises
        ------
        ValueError
            For robots that are given in another way, a robot without a body among those that were asked about, and bodies of one name.

        Notes
        -----
        Joint values are *enclosed* for all times within that of the item, and within the time span.

        Examples
        --------
        An arm of length 3 swings against a wall, which its hand, a ball, meets where 3 sin t + 1/2 is 2.

        >>> from collide import first_contact
        >>> from generative import Chain, ParametricSurface, Rigid, revolute, solids, t, u, v
        >>> wall = ParametricSurface([u, 2, v], {u: (-4, 4), v: (-4, 4)}, name="wall")
        >>> hand = solids.sphere(0.5).moved(Rigid(translation=[3, 0, 0]))
        >>> arm = Chain({"hand": hand}, [revolute("shoulder", "base", "hand")])
        >>> found = first_contact([*arm.at({"shoulder": t}), wall], (0, 1))
        >>> found.by_robot({"arm": (arm, {"shoulder": t})})
        {'arm': [LinkState(hand and wall at t = 0.523599: shoulder 0.523599)]}
        """
        owners, span = _owners(self.bodies, robots), self._time_span()
        found: dict[str, list[LinkState]] = {name: [] for name in robots}
        for item in self._items():
            time = _within(item.time, span)
            for side, k in enumerate(item.pair):
                if k in owners:
                    chain, values = robots[owners[k]]
                    joints = chain.joint_values_at(values, time, item.parameters)
                    body, other = self.bodies[k].name, label(self.bodies, item.pair[1 - side], "body ")
                    found[owners[k]].append(LinkState(chain.link_of(body), body, other, time, joints,
                                                      frozen(np.array(item.points[side])), item.distance, item.row))
        return found

    def _time_span(self) -> tuple[float, float]:
        span: tuple[float, float] = vars(self)["time_span"]
        return span

    def _items(self) -> Iterator[Listed]:
        """The items of the answer, in order."""
        raise NotImplementedError


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
