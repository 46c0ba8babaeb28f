"""Bodies joined to each other: a tree of links and joints, as of a robot, and the motions of its links as products of those of its joints.

Every joint turns about, or moves along, the z axis of a frame of its own. So the motion of a link is a product of constant poses, also of
those that do nothing, and of motions that differ in the formula of one value alone: chains of one kind share all code, whatever their
lengths and axes are.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from codegen.given import shown

from .body import Body, checked_name
from .motion import IDENTITY, Motion, Rigid, quaternion_matrix
from .products import AlongZ, Product
from .symbols import exact, formula, items, t, vector

REVOLUTE, PRISMATIC, FIXED = "revolute", "prismatic", "fixed"


@dataclass(frozen=True)
class Joint:
    """A joint called `name` between two links, by their names. At value 0 the frame of `child` is at `origin` in that of `parent`; the
    value turns it about `axis` (revolute, in radian), or moves it along `axis` (prismatic), a direction in the frame of the child. See
    `revolute`, `prismatic` and `fixed`, which check what they are given.
    """

    kind: str
    name: str
    parent: str
    child: str
    origin: Motion
    axis: tuple[Any, Any, Any]
    follows: tuple[str, Any, Any] | None = None
    limits: tuple[Any, Any] | None = None


def revolute(name: str, parent: str, child: str, *, axis: Any = (0, 0, 1), origin: Motion = IDENTITY,
             follows: tuple[str, Any, Any] | None = None, limits: tuple[Any, Any] | None = None) -> Joint:
    """A joint whose value is an angle, right-handed about `axis`, of any length but zero, through the origin of the child's frame.
    `limits`: two numbers that are kept as data; no query heeds them.
    """
    return _joint(REVOLUTE, name, parent, child, axis, origin, follows, limits)


def prismatic(name: str, parent: str, child: str, *, axis: Any = (0, 0, 1), origin: Motion = IDENTITY,
              follows: tuple[str, Any, Any] | None = None, limits: tuple[Any, Any] | None = None) -> Joint:
    """A joint whose value is a distance along `axis`, of any length but zero; `limits` as in `revolute`."""
    return _joint(PRISMATIC, name, parent, child, axis, origin, follows, limits)


def fixed(name: str, parent: str, child: str, *, origin: Motion = IDENTITY) -> Joint:
    """A joint without a value: the two links are one rigid body."""
    return _joint(FIXED, name, parent, child, (0, 0, 1), origin)


def _joint(kind: str, name: str, parent: str, child: str, axis: Any, origin: Motion, follows: Any = None, limits: Any = None) -> Joint:
    for given in (name, parent, child):
        if checked_name(given) is None:
            raise ValueError("a joint and its two links need names")
    if not isinstance(origin, Motion) or not origin.is_constant:
        raise ValueError(f"the origin of joint {name} must be a motion of numbers alone, such as Rigid(translation=[0, 0, 1])")
    direction = vector(axis, [], f"the axis of joint {name}")
    if all(e.is_zero for e in direction):
        raise ValueError(f"the axis of joint {name} must not be the zero vector")
    if follows is not None:
        other, *numbers = items(follows, f"what joint {name} follows")
        if len(numbers) != 2:
            raise ValueError(f"joint {name} follows (name of a joint, factor, offset), got {shown(follows)}")
        follows = other, *(formula(e, [], f"what joint {name} follows") for e in numbers)
    ends = None if limits is None else _limits(limits, f"the limits of joint {name}")
    # One factor, of whatever the origin is made.
    return Joint(kind, name, parent, child, Rigid._unchecked(origin.rotation, origin.translation), direction, follows, ends)


def _limits(given: Any, owner: str) -> tuple[Any, Any]:
    ends = [exact(e, owner) for e in items(given, owner)]
    if len(ends) != 2 or any(e.is_finite is not True or e.is_real is not True for e in ends) or ends[1] < ends[0]:
        raise ValueError(f"{owner} must be two finite numbers (lower, upper), the first one not above the second, got {shown(given)}")
    return ends[0], ends[1]


class Chain:
    """A tree of links and joints. `links` are the bodies of each link by its name, one or a list, in the frame of the link; a link that is
    named by joints alone has no body. `joints`: one for every link but one, the root. Without joints it is an assembly: several bodies that
    move as one.

    Raises ValueError for joints that form no tree, and for links or joints of one name.

    >>> from generative import Chain, Rigid, revolute, solids, t
    >>> bar = solids.capsule(0.125, 1)
    >>> arm = Chain({"upper": bar, "lower": bar},
    ...             [revolute("shoulder", "base", "upper"), revolute("elbow", "upper", "lower", axis=(0, 1, 0),
    ...                                                              origin=Rigid(translation=[0, 0, 1]))])
    >>> [body.name for body in arm.at({"shoulder": t, "elbow": t / 2})], arm.ignore
    (['upper', 'lower'], [('upper', 'lower')])
    """

    def __init__(self, links: Mapping[str, Any], joints: Iterable[Joint], *, notes: Sequence[str] = ()) -> None:
        self._notes = tuple(notes)
        if not isinstance(links, Mapping):
            raise TypeError(f"the links of a chain are a mapping from names to bodies, got {shown(links)}")
        self._joints = tuple(items(joints, "the joints of a chain"))
        if not all(isinstance(j, Joint) for j in self._joints):
            raise TypeError("the joints of a chain are made by revolute, prismatic and fixed")
        self._links = {name: _bodies(name, given) for name, given in links.items()}
        self._root = _checked_tree(self._links, self._joints)
        self._bodies = {body.name: body for own in self._links.values() for body in own}
        for j in self._joints:
            if j.follows is not None and j.follows[0] not in self.values:
                raise ValueError(f"joint {j.name} follows {shown(j.follows[0])}, which is no joint with a value of its own")
        if len(self._bodies) < sum(map(len, self._links.values())):
            raise ValueError("bodies of a chain need different names: those of links, or names of their own")
        aligned = {j.child: _aligned(j.axis) for j in self._joints if j.kind != FIXED}
        # Before a joint stands what leads from the joint before it to its frame, whose z axis is that of the joint; after the last one
        # what leads back to the frame of the link.
        self._before = {j.name: _back(aligned.get(j.parent)) @ j.origin @ (aligned.get(j.child) or IDENTITY) for j in self._joints}
        self._after = {link: _back(turn) for link, turn in aligned.items()}

    @property
    def joints(self) -> tuple[Joint, ...]:
        return self._joints

    @property
    def bodies(self) -> dict[str, tuple[Body, ...]]:
        """The bodies of each link by its name, in the frame of the link, with the names that they have in results."""
        return dict(self._links)

    @property
    def limits(self) -> dict[str, tuple[Any, Any]]:
        """The limits of those joints that take a value and have any, by their names: exact numbers, in radian and metres. No query heeds
        them; they are for those who choose values.
        """
        return {j.name: j.limits for j in self._joints if j.limits is not None and j.name in self.values}

    @property
    def notes(self) -> tuple[str, ...]:
        """The changes made to files that the chain was read from, a sentence each."""
        return self._notes

    @property
    def root(self) -> str:
        """The link that is no joint's child."""
        return self._root

    @property
    def values(self) -> tuple[str, ...]:
        """The names of the joints that take a value."""
        return tuple(j.name for j in self._joints if j.kind != FIXED and j.follows is None)

    def motions(self, values: Mapping[str, Any], base: Motion = IDENTITY) -> dict[str, Motion]:
        """The motion of every link, where the root moves by `base`. `values`: one a joint that is not fixed, by its name, a number or a
        formula of t, angles in radian; formulas may hold parameters.
        """
        if not isinstance(values, Mapping) or (wrong := set(values) ^ set(self.values)):
            known = ", ".join(self.values)
            what = shown(values) if not isinstance(values, Mapping) else f"{min(map(str, wrong))} {'too' if wrong & set(values) else 'not'}"
            raise ValueError(f"the values of a chain are one for each of its joints {known}, got {what}")
        found: dict[str, Product] = {self.root: Product(base)}
        for j in self._ordered():
            moves = [] if j.kind == FIXED else [_move(j.kind, _value(j, values))]
            found[j.child] = Product(found[j.parent], self._before[j.name], *moves)
        return {link: Product(m, self._after[link]) if link in self._after else m for link, m in found.items()}

    def at(self, values: Mapping[str, Any], base: Motion = IDENTITY) -> list[Any]:
        """The bodies of all links, in the order of the links, moved as `motions` says; their names are those of the links."""
        moved = self.motions(values, base)
        return [body.moved(moved[link]) for link, own in self._links.items() for body in own]

    def _ordered(self) -> list[Joint]:
        """The joints, each after the one that leads to its parent."""
        order, reached, left = [], {self.root}, list(self._joints)
        while left:
            order += [j for j in left if j.parent in reached]
            left = [j for j in left if j not in order]
            reached |= {j.child for j in order}
        return order

    @property
    def ignore(self) -> list[tuple[str, ...]]:
        """The pairs that `collide.first_contact` takes as `ignore`, by names: bodies of links that a joint joins, where they touch by
        design, and of those that move as one. Links that are joined by fixed joints count as one link.
        """
        groups = {link: {link} for link in {self.root, *(j.child for j in self._joints)}}
        for j in self._joints:
            if j.kind == FIXED:
                whole = groups[j.parent] | groups[j.child]
                groups |= dict.fromkeys(whole, whole)
        pairs = {(a, b) for j in self._joints for p in groups[j.parent] for c in groups[j.child] for a in self._names(p)
                 for b in self._names(c)}
        pairs |= {(a, b) for whole in groups.values() for p in whole for q in whole for a in self._names(p) for b in self._names(q)}
        order = {name: k for k, name in enumerate(self._bodies)}
        return sorted({tuple(sorted(pair, key=order.__getitem__)) for pair in pairs if pair[0] != pair[1]})

    def _names(self, link: str) -> list[Any]:
        return [body.name for body in self._links.get(link, ())]

    def __repr__(self) -> str:
        return f"Chain({len(self._links)} links with bodies, joints: {', '.join(f'{j.name} ({j.kind})' for j in self._joints)})"


def _bodies(name: Any, given: Any) -> tuple[Any, ...]:
    """The bodies of a link, each with a name."""
    if checked_name(name) is None:
        raise ValueError("a link needs a name")
    own = (given,) if isinstance(given, Body) else tuple(items(given, f"the bodies of link {name}"))
    if not all(isinstance(body, Body) for body in own):
        raise TypeError(f"link {name} has a body that is no surface and no solid, but {shown(given)}")
    if len(own) == 1:
        return (own[0].named(name),)
    return tuple(body.named(f"{name} {k}" if body.name is None else f"{name} {body.name}") for k, body in enumerate(own))


def _checked_tree(links: Mapping[str, Any], joints: Sequence[Joint]) -> str:
    """The root."""
    children, names = [j.child for j in joints], [j.name for j in joints]
    for kind, given in (("joints", names), ("joints that lead to link", children)):
        twice = next((name for name in given if given.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"there are two {kind} {twice}")
    every = dict.fromkeys([*(j.parent for j in joints), *children, *links])
    roots = [link for link in every if link not in children]
    if len(roots) != 1:
        what = f"{len(roots)} links are no joint's child: {', '.join(roots)}" if roots else "every link is some joint's child"
        raise ValueError(f"the joints of a chain must form one tree, but {what}")
    reached = {roots[0]}
    while any(j.parent in reached and j.child not in reached for j in joints):
        reached |= {j.child for j in joints if j.parent in reached}
    if len(reached) < len(every):
        raise ValueError(f"the joints of a chain must form one tree, but {min(set(every) - reached)} hangs on a circle of joints")
    return roots[0]


def _aligned(axis: Sequence[Any]) -> Motion:
    """A turn that takes the z axis to this direction, exactly."""
    ax, ay, az = map(exact, axis)
    length = sp.sqrt(ax**2 + ay**2 + az**2)
    half = (length + az, -ay, ax, 0) if (length + az).is_zero is not True else (0, 1, 0, 0)
    return Rigid._unchecked(quaternion_matrix(half), [0, 0, 0])


def across(axis: Sequence[Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Two directions of length 1 at right angles to an axis, and to each other: those of x and y where it is z."""
    turn = _aligned(vector(axis, [], "an axis"))
    return turn.turn((1, 0, 0)), turn.turn((0, 1, 0))


def _back(turn: Motion | None) -> Motion:
    return IDENTITY if turn is None else turn.inverse()


def _value(joint: Joint, values: Mapping[str, Any]) -> Any:
    if joint.follows is None:
        return formula(values[joint.name], [t], f"the value of joint {joint.name}")
    other, factor, offset = joint.follows
    return factor * formula(values[other], [t], f"the value of joint {other}") + offset


def _move(kind: str, value: Any) -> Motion:
    """By the value of a joint, about or along z."""
    return AlongZ(value) if kind == REVOLUTE else AlongZ(0, value)
