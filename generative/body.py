"""Bodies, of which collisions are asked. A body may have a name, which is for the reader of results alone."""

import copy
from collections.abc import Sequence
from typing import Any, Self

from codegen.given import shown

from .motion import Motion
from .products import pose
from .value import Value


class Body(Value):
    """A surface, or a solid. Its name is no part of what it is: bodies of different names may be equal."""

    _name: str | None = None

    @property
    def name(self) -> str | None:
        """The name that results call it by; None: they call it by its number."""
        return self._name

    def named(self, name: str | None) -> Self:
        """This body by another name, or by none. What is moved, deformed or taken at a moment keeps the name it has."""
        other = copy.copy(self)
        other._name = checked_name(name)
        return other

    def moved(self, motion: Motion) -> Self:
        """This body carried along by `motion`, after the motion it has already."""
        raise NotImplementedError

    def placed(self, rotation: Any = None, translation: Any = (0, 0, 0), *, normalize: bool = False) -> Self:
        """This body at a pose given as arrays: a matrix (3, 3) or a quaternion [w, x, y, z], and a vector; see `generative.pose`.

        It is ``moved(pose(rotation, translation))``, after the motion it has already. Bodies of one kind at other poses share all code.
        """
        return self.moved(pose(rotation, translation, normalize=normalize))

    def _named_in_repr(self) -> str:
        return "" if self.name is None else f", name={self.name!r}"


def checked_name(name: Any) -> str | None:
    """The name of a body, if it is one: None, or a line of text."""
    if name is not None and not isinstance(name, str):
        raise TypeError(f"the name of a body is text, got {shown(name)}")
    if name is not None and not (name.strip() and name.isprintable()):
        raise ValueError(f"the name of a body is one line of text that is not blank, got {shown(name)}")
    return name


def body_name(bodies: Sequence[Any], k: int) -> str | None:
    """The name of body k, as far as these are known."""
    return bodies[k].name if k < len(bodies) else None


def called(bodies: Sequence[Any], k: int, noun: str = "body ") -> str:
    """The name of body k in messages: `body 2`, or `body 2 ("cup")` where it has a name."""
    name = body_name(bodies, k)
    return f"{noun}{k}" if name is None else f'{noun}{k} ("{name}")'


def label(bodies: Sequence[Any], k: int, noun: str = "") -> str:
    """The name of body k in results: its own where no other body has that, else as in messages, here without the word `body`."""
    name = body_name(bodies, k)
    return called(bodies, k, noun) if name is None or [b.name for b in bodies].count(name) > 1 else name
