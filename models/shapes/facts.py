"""The registry of shapes and what is known about each of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

Facts = dict[str, Any]
"""What is known of a shape, as exact numbers: "area", "volume" (of a closed surface), "box" (the least, three pairs),
"radius_range" (bounds of the distance to the origin), "closed"."""

Make = TypeVar("Make", bound=Callable[..., Any])


@dataclass(frozen=True)
class Shape:
    """A registered shape: `make` builds the body and `facts` tells what is known of it, from the same keyword parameters."""

    name: str
    make: Callable[..., Any]
    facts: Callable[..., Facts]


SHAPES: dict[str, Shape] = {}


def shape(facts: Callable[..., Facts]) -> Callable[[Make], Make]:
    """Register the decorated function as a shape; `facts` maps its parameters to what is known of the result."""

    def register(make: Make) -> Make:
        assert make.__name__ not in SHAPES, f"the shape {make.__name__} is registered twice"
        SHAPES[make.__name__] = Shape(make.__name__, make, facts)
        return make

    return register


def centred(*sizes: Any) -> list[tuple[Any, Any]]:
    """The box of these half-widths about the origin."""
    return [(-s, s) for s in sizes]
