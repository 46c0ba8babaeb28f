"""Bodies joined to each other: a tree of links and joints, as of a robot, and the motions of its links as products of those of its joints.

Every joint turns about, or moves along, the z axis of a frame of its own. So the motion of a link is a product of constant poses, also of
those that do nothing, and of motions that differ in the formula of one value alone: chains of one kind share all code, whatever their
lengths and axes are.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from codegen.given import shown
from codegen.interval import Interval

from .body import Body, checked_name
from .driven_loops import DrivenLoop
from .enclosed_values import enclosed_values
from .joint import FIXED, Joint, aligned, move
from .loops import ROD, ClosedLoop, LinkLoop
from .motion import IDENTITY, Motion
from .products import Product
from .solved_loops import solved_loops
from .symbols import formula, items, t


class Chain:
    """A tree of links and joints. `links` are the bodies of each link by its name, one or a list, in the frame of the link; a link that is
    named by joints alone has no body. `joints`: one for every link but one, the root. Without joints it is an assembly: several bodies that
    move as one. `loops`: made by `loops.loop`, they close the tree, and determine joints, whose values are then not given.

    Raises ValueError for joints that form no tree, for links or joints of one name, and for loops that do not close, or have a dead point
    where they are asked to move.

    >>> from generative import Chain, Rigid, revolute, solids, t
    >>> bar = solids.capsule(0.125, 1)
    >>> arm = Chain({"upper": bar, "lower": bar},
    ...             [revolute("shoulder", "base", "upper"), revolute("elbow", "upper", "lower", axis=(0, 1, 0),
    ...                                                              origin=Rigid(translation=[0, 0, 1]))])
    >>> [body.name for body in arm.at({"shoulder": t, "elbow": t / 2})], arm.ignore
    (['upper', 'lower'], [('upper', 'lower')])
    """

    def __init__(self, links: Mapping[str, Any], joints: Iterable[Joint], *, loops: Iterable[LinkLoop] = (),
                 notes: Sequence[str] = ()) -> None:
        self._notes = tuple(notes)
        if not isinstance(links, Mapping):
            raise TypeError(f"the links of a chain are a mapping from names to bodies, got {shown(links)}")
        self._joints = tuple(items(joints, "the joints of a chain"))
        if not all(isinstance(j, Joint) for j in self._joints):
            raise TypeError("the joints of a chain are made by revolute, prismatic and fixed")
        self._links = {name: _bodies(name, given) for name, given in links.items()}
        self._root = _checked_tree(self._links, self._joints)
        self._bodies = {body.name: body for own in self._links.values() for body in own}
        self._named = {j.name: j for j in self._joints}
        for j in self._joints:
            self._check_followed(j)
        if len(self._bodies) < sum(map(len, self._links.values())):
            raise ValueError("bodies of a chain need different names: those of links, or names of their own")
        turns = {j.child: aligned(j.axis) for j in self._joints if j.kind != FIXED}
        # Before a joint stands what leads from the joint before it to its frame, whose z axis is that of the joint; after the last one
        # what leads back to the frame of the link.
        self._before = {j.name: _back(turns.get(j.parent)) @ j.origin @ (turns.get(j.child) or IDENTITY) for j in self._joints}
        self._after = {link: _back(turn) for link, turn in turns.items()}
        given_loops = [_loop(given) for given in items(loops, "the loops of a chain")]
        self._closures = [c for given in given_loops for c in given.closures]
        self._loops = solved_loops(given_loops, self._joints, self._value)

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
    def loops(self) -> tuple[ClosedLoop | DrivenLoop, ...]:
        """The loops, solved: of each the driving joint, its span, the joints that follow, and dead points at the ends of the span; those of
        several driving joints are followed where values are given.
        """
        return self._loops

    @property
    def values(self) -> tuple[str, ...]:
        """The names of the joints that take a value."""
        solved = {name for closed in getattr(self, "_loops", ()) for name in closed.dependent}
        return tuple(j.name for j in self._joints if j.kind != FIXED and j.follows is None and j.name not in solved)

    def joint_values(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values of all joints that are not fixed: given ones, those of closed loops, and of joints that follow others.

        Parameters
        ----------
        values : dict of str to number or formula of t
            As of `motions`.

        Returns
        -------
        dict of str to formula
            One a joint, in the order of the joints; angles in radian.
        """
        every = self._checked(values)
        return {j.name: self._value(j, every) for j in self._joints if j.kind != FIXED}

    def joint_values_at(self, values: Mapping[str, Any], time: Any, parameters: Mapping[Any, Any] | None = None) -> dict[str, Interval]:
        """The values of all joints that are not fixed, enclosed, at a time or in a short span of it, as of a contact.

        Parameters
        ----------
        values : dict of str to number or formula of t
            As of `motions`.
        time : number or pair of numbers
            A time, or the first and last one, as `Contacts.time` or a row of `Clearance.times`; in the unit of t.
        parameters : dict of symbol to number or pair of numbers, optional
            Of each parameter in the values its number, or the least and greatest one, as a row of `Contacts.parameters`.

        Returns
        -------
        dict of str to Interval
            One a joint, in the order of the joints; angles in radian.

        Raises
        ------
        ValueError
            For a time that is no finite number and no pair of them in order, for parameters without a value, and for a joint that is not
            proved to have a value throughout that time.

        Notes
        -----
        Each interval *encloses* all values that the joint takes in that time, for all values of the parameters: formulas are evaluated in
        interval arithmetic (Snyder 1993, Section 3), rounded outwards.

        Examples
        --------
        >>> from generative import Chain, revolute, solids, t
        >>> arm = Chain({"upper": solids.capsule(0.125, 1)}, [revolute("shoulder", "base", "upper")])
        >>> arm.joint_values_at({"shoulder": 1 - t / 2}, (0.5, 0.75))
        {'shoulder': Interval(0.625, 0.75)}
        """
        return enclosed_values(self.joint_values(values), time, parameters)

    def link_of(self, body: str) -> str:
        """The link that a body belongs to, by the name that the body has in results. ValueError for a body of no link.

        >>> from generative import Chain, revolute, solids
        >>> ball = solids.sphere(1)
        >>> Chain({"hand": [ball, ball.named("thumb")]}, [revolute("wrist", "arm", "hand")]).link_of("hand thumb")
        'hand'
        """
        for link in self._links:
            if body in self._names(link):
                return link
        raise ValueError(f"the bodies of this chain are {', '.join(self._bodies)}; {shown(body)} is none of them")

    def _checked(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values given, and those of joints that loops determine."""
        if not isinstance(values, Mapping) or (wrong := set(values) ^ set(self.values)):
            known = ", ".join(self.values)
            what = shown(values) if not isinstance(values, Mapping) else f"{min(map(str, wrong))} {'too' if wrong & set(values) else 'not'}"
            raise ValueError(f"the values of a chain are one for each of its joints {known}, got {what}")
        every = {name: formula(e, [t], f"the value of joint {name}") for name, e in values.items()}
        for closed in self._loops:
            every |= closed.followed(every)
        return every

    def _value(self, joint: Joint, values: Mapping[str, Any]) -> Any:
        if joint.follows is None:
            return values[joint.name]
        other, factor, offset = joint.follows
        return factor * self._value(self._named[other], values) + offset

    def _check_followed(self, joint: Joint) -> None:
        passed = [joint.name]
        while joint.follows is not None:
            other = self._named.get(joint.follows[0])
            if other is None or other.kind == FIXED:
                raise ValueError(f"joint {joint.name} follows {shown(joint.follows[0])}, which is no joint with a value of its own")
            if other.name in passed:
                raise ValueError(f"joint {joint.name} follows {other.name}, which follows it: one of them needs a value of its own")
            passed.append(other.name)
            joint = other

    def motions(self, values: Mapping[str, Any], base: Motion = IDENTITY) -> dict[str, Motion]:
        """The motion of every link, where the root moves by `base`. `values`: one a joint that is not fixed, by its name, a number or a
        formula of t, angles in radian; formulas may hold parameters.
        """
        every = self._checked(values)
        found: dict[str, Product] = {self.root: Product(base)}
        for j in self._ordered():
            moves = [] if j.kind == FIXED else [move(j.kind, self._value(j, every))]
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
        pairs |= {(a, b) for c in self._closures if c.kind != ROD for p in groups[c.first] for q in groups[c.second]
                  for a in self._names(p) for b in self._names(q)}
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


def _back(turn: Motion | None) -> Motion:
    return IDENTITY if turn is None else turn.inverse()


def _loop(given: Any) -> LinkLoop:
    if not isinstance(given, LinkLoop):
        raise TypeError(f"the loops of a chain are made by loops.loop, got {shown(given)}")
    return given
