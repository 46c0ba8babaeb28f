"""Scene value, and the registry of scenes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import sympy as sp

from generative.thumbnail import pictured


@dataclass(frozen=True)
class Known:
    """Known facts of the answer.

    `time`: the first contact time, exact or to the digits given (None: not known; "never": no contact). `points`: the number of
    isolated contacts. `contact`: in words, where the bodies touch.
    """

    time: Any = None
    points: int | None = None
    contact: str = ""

    def __str__(self) -> str:
        if self.time == "never":
            return "no contact"
        when = ""
        if self.time is not None:
            exact = "" if isinstance(self.time, sp.Float) else f"{self.time}"
            value = "" if isinstance(self.time, sp.Rational) else f"{sp.N(self.time, 10)}"
            when = f"t = {' = '.join(part for part in (exact, value) if part)}"
        return ", ".join(part for part in (when, self.contact) if part) or "nothing"


@dataclass(frozen=True)
class Scene:
    """Bodies in motion over a time span, with the options of `collide.first_contact` that suit them; a single one is asked for its contact
    with itself (`collide.self_contact`).
    """

    name: str
    title: str
    source: str
    build: Callable[[], Sequence[Any]]
    time: tuple[Any, Any]
    options: dict[str, Any] = field(default_factory=dict)
    known: Known = Known()
    names: Sequence[str] = ()

    @cached_property
    def bodies(self) -> tuple[Any, ...]:
        """Each with its name of `names`, if there are any."""
        made = self.build()
        return tuple(body.named(name) for body, name in zip(made, self.names, strict=True)) if self.names else tuple(made)

    def __repr__(self) -> str:
        return f"Scene({self.name!r}: {self.title})"

    def _repr_html_(self) -> str:
        """The bodies at the beginning, and what is known of their first contact."""
        return pictured([body.at(self.time[0]) for body in self.bodies], f"{self.name}: {self.title}; known: {self.known}")


SCENES: dict[str, Scene] = {}


def scene(*, title: str, names: Sequence[str], source: str, time: tuple[Any, Any], known: Known,
          **options: Any) -> Callable[[Callable[[], Sequence[Any]]], Scene]:
    """Register the decorated function, which returns the bodies that have these names, as the scene of its name (with - for _)."""

    def register(build: Callable[[], Sequence[Any]]) -> Scene:
        name = build.__name__.replace("_", "-")
        assert name not in SCENES, f"the scene {name} is registered twice"
        SCENES[name] = Scene(name, title, source, build, time, options, known, names)
        return SCENES[name]

    return register
