"""Closed chains: joints whose values follow from a driving joint, as the loops of links that they close demand.

A loop's closing equations F(q, s) = 0 define the values q of its dependent joints as functions of the value s of its driving joint: they
are the solution of q' = -(dF/dq)^-1 dF/ds (the implicit function theorem) from a proved assembly on, enclosed by `generative.ode`. That is
so as long as dF/dq is regular. Where it is not, at a *dead point*, the driving joint cannot move the others on. Of several driving joints s
are functions of the time, and q is followed along it (`driven_loops`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from codegen.given import shown
from codegen.interval import Interval
from codegen.walk import replaced

from .symbols import formula, interval, items, positive, vector

PIN, SPHERICAL, ROD, SLOT = "pin", "spherical", "rod", "slot"
Point = tuple[Any, Any, Any]


@dataclass(frozen=True)
class Closure:
    """A connection of two links that a tree of joints reaches already: see `pin`, `spherical`, `rod` and `slot`."""

    kind: str
    first: str
    at_first: Point
    second: str
    at_second: Point
    further: Any = None


def pin(first: str, at_first: Any, second: str, at_second: Any) -> Closure:
    """A hinge between two links of a planar loop, at a point of each.

    Parameters
    ----------
    first, second : str
        Names of links.
    at_first, at_second : 3 numbers each
        The point in the frame of the link. Only its place across the common axis of the loop's joints counts: links may lie in layers.

    Returns
    -------
    Closure
        Two equations. It is part of a `loop`.

    Examples
    --------
    >>> from generative import loops
    >>> loops.pin("coupler", (3, 0, 0), "rocker", (2, 0, 0)).kind
    'pin'
    """
    return _closure(PIN, first, at_first, second, at_second)


def spherical(first: str, at_first: Any, second: str, at_second: Any) -> Closure:
    """A ball joint between two links, in space: both points coincide. Three equations; parameters as of `pin`."""
    return _closure(SPHERICAL, first, at_first, second, at_second)


def rod(first: str, at_first: Any, second: str, at_second: Any, length: Any) -> Closure:
    """A massless rod with a ball joint at each end, or with pins in the plane: two points keep a distance. One equation.

    Parameters
    ----------
    first, at_first, second, at_second
        As of `pin`; in space all three coordinates count.
    length : number
        The distance, positive.
    """
    return _closure(ROD, first, at_first, second, at_second, positive(length, [], "the length of a rod"))


def slot(first: str, at_first: Any, second: str, at_second: Any, direction: Any) -> Closure:
    """A pin of one link in a straight slot of another, in a planar loop: a crank in a slotted lever, a Scotch yoke. One equation.

    Parameters
    ----------
    first, at_first
        The link with the pin, and its centre, in the frame of the link.
    second, at_second
        The link with the slot, and a point of its centre line.
    direction : 3 numbers
        The direction of the slot in the frame of `second`, not zero.
    """
    return _closure(SLOT, first, at_first, second, at_second, vector(direction, [], "the direction of a slot"))


def _closure(kind: str, first: str, at_first: Any, second: str, at_second: Any, further: Any = None) -> Closure:
    a, b = (vector(p, [], f"a point of a {kind}") for p in (at_first, at_second))
    return Closure(kind, first, a, second, b, further)


@dataclass(frozen=True)
class LinkLoop:
    """Closures, the joint or joints that drive, values near which they hold, and the span of the driving joint, or of the time; see `loop`.
    """

    closures: tuple[Closure, ...]
    drivers: tuple[str, ...]
    near: tuple[tuple[str, Any], ...]
    span: tuple[Any, Any] | None

    @property
    def driver(self) -> str:
        """The joint that drives, the first one if there are several."""
        return self.drivers[0]

    @property
    def dependent(self) -> tuple[str, ...]:
        """The names of the joints whose values follow."""
        return tuple(name for name, _ in self.near if name not in self.drivers)


def loop(*closures: Closure, driver: str | Sequence[str], near: Mapping[str, Any], span: tuple[Any, Any] | None = None) -> LinkLoop:
    """A closed loop of a `Chain`: its joints but one follow from that one.

    Parameters
    ----------
    *closures : Closure
        What closes the loop: one or more of `pin`, `slot`, `rod`, `spherical`, with as many equations as joints that follow.
    driver : str or sequence of str
        The joint whose value is given; several for a loop with more freedoms, as a five-bar with two motors.
    near : dict of str to number
        Values of the driving joints, which are exact, and of all joints that follow, near which the loop is assembled. Of several ways to
        assemble it (elbow up, elbow down) Newton's method takes one from here.
    span : (lo, hi), optional
        The values of the driving joint for which the loop is proved to move regularly. By default its limits, or four turns either way,
        and the span ends before the first dead point. With several driving joints it is the span of times for which the same is proved,
        once these are formulas of t; by default, it is as far from t = 0 as is proved, and at most 100 either way.

    Returns
    -------
    LinkLoop
        It is given to `Chain`, which solves it: ``Chain(links, joints, loops=[...])``.

    Raises
    ------
    ValueError
        For a driving joint without a value, or no joint that follows.

    Notes
    -----
    *Encloses*: the values of the joints are the solution of q' = -(dF/dq)^-1 dF/ds by validated Taylor series (see `ode`) from an assembly
    that Krawczyk's test proves. Beyond the span they are undefined, and queries that need them are UNRESOLVED. Several driving joints go
    from `near` to where they are as the span begins, each evenly, and then on as their formulas say; of several assemblies the values are
    those to which this leads.

    Examples
    --------
    A slider-crank: crank 1, rod 3, and a slider along x, which is at cos(s) + sqrt(9 - sin(s)^2).

    >>> import codegen
    >>> from generative import Chain, Rigid, loops, prismatic, revolute, solids, t
    >>> bar = solids.box((1, 0.1, 0.1))
    >>> engine = Chain({"crank": bar, "rod": bar, "piston": bar},
    ...                [revolute("turn", "frame", "crank"), revolute("wrist", "crank", "rod", origin=Rigid(translation=[1, 0, 0])),
    ...                 prismatic("slide", "frame", "piston", axis=(1, 0, 0))],
    ...                loops=[loops.loop(loops.pin("rod", (3, 0, 0), "piston", (0, 0, 0)), driver="turn",
    ...                                  near={"turn": 0, "wrist": 0, "slide": 4})])
    >>> values = engine.joint_values({"turn": t})
    >>> engine.values, codegen.compile([values["slide"]], [t]).points([[1.0]])
    (('turn',), array([[3.41987286]]))
    """
    names = (driver,) if isinstance(driver, str) else tuple(items(driver, "the driving joints of a loop"))
    if not isinstance(near, Mapping) or not names or any(n not in near for n in names) or len(near) <= len(set(names)):
        raise ValueError(f"near gives values of the driving joint {shown(driver)} and of the joints that follow, got {shown(near)}")
    if not closures or not all(isinstance(c, Closure) for c in closures):
        raise ValueError(f"a loop is closed by pin, slot, rod or spherical, got {shown(closures)}")
    values = tuple((name, formula(e, [], f"the value of joint {name} near which a loop is assembled")) for name, e in near.items())
    ends = None if span is None else interval(span, f"the span of joint {' and '.join(names)}")
    return LinkLoop(tuple(closures), names, values, ends)


@dataclass(frozen=True)
class DeadPoint:
    """A value of the driving joint at which a loop's equations are singular, and the values of the others there; all proved brackets."""

    driver: str
    value: Interval
    values: tuple[tuple[str, Interval], ...]

    def __str__(self) -> str:
        others = ", ".join(f"{name} = {v.lo:.12g}" for name, v in self.values)
        return f"dead point at {self.driver} = {self.value.lo:.15g} ({others})"


@dataclass(frozen=True)
class ClosedLoop:
    """A solved loop: `span`, the values of the driving joint for which it is proved to move regularly; the values of the joints that
    `follow`, as functions of `place`; and the `dead_points` that are found at the ends of the span.
    """

    driver: str
    place: Any
    follow: tuple[tuple[str, Any], ...]
    span: Interval
    dead_points: tuple[DeadPoint, ...]

    @property
    def dependent(self) -> tuple[str, ...]:
        """The names of the joints whose values follow."""
        return tuple(name for name, _ in self.follow)

    def followed(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values of the joints that follow, where joints have these values. A number beyond the span is refused; formulas are undefined
        there.
        """
        (lo, hi), value = self.span, values[self.driver]
        if value.is_number and not lo <= float(value) <= hi:
            dead = "".join(f"; {point}" for point in self.dead_points)
            raise ValueError(f"joint {self.driver} at {float(value):.12g} is beyond {lo:.12g} to {hi:.12g}, the values "
                             f"for which its loop is proved to close{dead}")
        return {name: replaced(e, {self.place: value}) for name, e in self.follow}


__all__ = ["ClosedLoop", "Closure", "DeadPoint", "LinkLoop", "loop", "pin", "rod", "slot", "spherical"]
