"""The registry of shapes and what is known about each of them."""

import functools
import html
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import sympy as sp

from generative import axis_angle, t
from generative.symbols import formula, positive
from generative.thumbnail import thumbnail

Facts = dict[str, Any]
"""Known facts of a shape, as exact numbers: "area", "volume" (of a closed surface), "box" (the least, three pairs), "radius_range" (bounds
of the distance to the origin), "closed".
"""

Make = TypeVar("Make", bound=Callable[..., Any])


@dataclass(frozen=True)
class Shape:
    """A registered shape: `make` builds the body and `facts` tells what is known of it, from the same keyword parameters.

    `source`: where its formula, or what its formula describes, is found; `text`: what it is, with the formula.
    `symmetry` names maps that leave it as it is, with their products; "": none is known. "mirror x" mirrors in the plane x = 0,
    "half turn x" turns by pi about the x axis, "turn" turns about the z axis by any angle and "turn n" by 2 pi / n, n being a number
    or the name of a parameter.
    """

    name: str
    make: Callable[..., Any]
    facts: Callable[..., Facts]
    source: str
    symmetry: str = ""

    @property
    def text(self) -> str:
        return inspect.getdoc(self.make) or ""

    @property
    def call(self) -> str:
        """Its name with its parameters and their defaults."""
        return f"{self.name}({', '.join(f'{name}={p.default}' for name, p in inspect.signature(self.make).parameters.items())})"

    def __repr__(self) -> str:
        return f"Shape({self.call}, source: {self.source})"

    def _repr_html_(self) -> str:
        """Its picture, its formula in words, what is known of it, and its source."""
        known = [f"{name}: {value}" for name, value in self.facts().items()] + [f"symmetry: {self.symmetry}"] * bool(self.symmetry)
        paragraphs = (self.text, "; ".join(known), f"Source: {self.source}")
        marked = [re.sub("`(.*?)`", r"<code>\1</code>", html.escape(text)) for text in paragraphs if text]
        words = "".join(f'<p style="white-space:pre-wrap">{text}</p>' for text in marked)
        return (f'<div style="display:flex;align-items:center;gap:1em">{thumbnail([self.make()])}'
                f"<div><b>{html.escape(self.call)}</b>{words}</div></div>")

    def symmetries(self, **parameters: Any) -> list[sp.ImmutableMatrix]:
        """The maps that `symmetry` names as 3 x 3 matrices; one of a turn by any angle turns by 1."""
        defaults = {name: p.default for name, p in inspect.signature(self.make).parameters.items()}
        return [_matrix(words.split(), defaults | parameters) for words in filter(None, self.symmetry.split(", "))]


def _matrix(words: list[str], parameters: dict[str, Any]) -> sp.ImmutableMatrix:
    axis = [int(words[-1] == name) for name in "xyz"]
    if words[0] == "mirror":
        return sp.ImmutableMatrix(sp.diag(*(1 - 2 * a for a in axis)))
    if words[0] == "half":
        return axis_angle(axis, sp.pi)
    count = None if len(words) == 1 else int(words[1]) if words[1].isdigit() else parameters[words[1]]
    return axis_angle([0, 0, 1], 1 if count is None else 2 * sp.pi / count)


SHAPES: dict[str, Shape] = {}


def shape(facts: Callable[..., Facts], *, source: str, symmetry: str = "", signed: str = "") -> Callable[[Make], Make]:
    """Register the decorated function as a shape; `facts` maps its parameters to what is known of the result, see `Shape`.

    Both then refuse parameters that are not positive, but for those named in `signed`, and what is no formula.
    """

    def register(make: Make) -> Make:
        assert make.__name__ not in SHAPES, f"the shape {make.__name__} is registered twice"
        made, known = (_checked(f, make.__name__, signed.split()) for f in (make, facts))
        SHAPES[make.__name__] = Shape(make.__name__, made, known, source, symmetry)
        return cast(Make, made)

    return register


def _checked(function: Callable[..., Any], owner: str, signed: list[str]) -> Callable[..., Any]:
    @functools.wraps(function)
    def checked(**parameters: Any) -> Any:
        for name, value in parameters.items():
            for size in value if isinstance(value, (tuple, list)) else [value]:
                if name not in signed:
                    positive(size, [t], f"the {name} of a {owner}")
                elif not isinstance(size, bool):
                    formula(size, [t], f"the {name} of a {owner}")
        return function(**parameters)

    return checked


def centred(*sizes: Any) -> list[tuple[Any, Any]]:
    """The box of these half-widths about the origin."""
    return [(-s, s) for s in sizes]
