"""Parametric surfaces: maps (u, v) -> space over a closed rectangle, possibly deforming in time, moved rigidly.

The map in the body's own frame and the rigid motion are kept apart, because what moves rigidly is enclosed once in its own frame;
`expressions` composes them. A surface is a closed patch: its border belongs to it.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, ClassVar

import sympy as sp

from codegen.given import shown
from codegen.walk import survey

from .body import Body, checked_name
from .motion import IDENTITY, Motion
from .symbols import derivative, formula, interval, latex, t, text, u, v, vector


class Deferred:
    """Formulas of u, v and t that are made when they are wanted, by a function; once, for all surfaces that share them.

    Two are equal if their keys are, which stand for all that the formulas are made of. `ingredients`: formulas that have all other symbols,
    and all operators of this package, that those made may have. `enclosed` gives, without the formulas, a kernel of u, v and t that
    encloses the three coordinates, and the numbers (p, 2) that are its parameters; None where there is none.
    """

    def __init__(self, function: Callable[[], tuple[Any, Any, Any]], key: tuple[Any, ...], ingredients: tuple[Any, ...] = (),
                 enclosed: Callable[[], tuple[Any, Any]] | None = None) -> None:
        self._function, self._key, self._enclosed, self.ingredients = function, key, enclosed, ingredients

    @cached_property
    def made(self) -> tuple[Any, Any, Any]:
        return self._function()

    @cached_property
    def enclosed(self) -> tuple[Any, Any] | None:
        """A kernel of u, v and t that encloses the three coordinates, and its parameters (p, 2)."""
        return self._enclosed and self._enclosed()

    @cached_property
    def _hash(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Deferred) and self._hash == other._hash and self._key == other._key)

    def __hash__(self) -> int:
        return self._hash

    def __getstate__(self) -> dict[str, Any]:
        """Without the hash, as values are (`Value`), and without kernels."""
        return {name: value for name, value in self.__dict__.items() if name not in ("_hash", "enclosed")}


class ParametricSurface(Body):
    """The surface S(u, v) of three expressions in u, v (and t, for one that deforms), over {u: (lo, hi), v: (lo, hi)}.

    Its normal is S_u x S_v, which should point outwards; ``flipped=True`` reverses it. Numbers are exact: a float
    stands for the binary rational it holds. `name`: what results call it. Immutable; `moved` gives a new surface.

    >>> from generative import ParametricSurface, u, v
    >>> ParametricSurface([u, v, u * v], {u: (0, 1), v: (-1, 1)})
    ParametricSurface([u, v, u*v], {u: (0, 1), v: (-1, 1)})
    """

    # Trims a surface. `trimmed`, which builds on this module, sets it.
    _trim: ClassVar[Any]

    def __init__(self, expressions: Any, domain: Mapping[Any, Any], *, flipped: bool = False,
                 motion: Motion = IDENTITY, name: str | None = None) -> None:
        if not isinstance(motion, Motion):
            raise TypeError(f"a surface moves by a Motion, such as Rigid or Screw, got {shown(motion)}")
        self._body = vector(expressions, [u, v, t], "a parametric surface")
        self._domain = _rectangle(domain)
        self._flipped, self._motion, self._name = bool(flipped), motion, checked_name(name)

    @property
    def body(self) -> tuple[Any, Any, Any]:
        """The map in the body's frame: three expressions in u, v (and t)."""
        return self._body.made if isinstance(self._body, Deferred) else self._body

    @property
    def source(self) -> "tuple[Any, Any, Any] | Deferred":
        """The map in the body's frame, or what makes it when it is wanted."""
        return self._body

    @property
    def ingredients(self) -> tuple[Any, ...]:
        """Formulas that have all symbols of the map other than u and v, and all operators of this package in it."""
        return self._body.ingredients if isinstance(self._body, Deferred) else self._body

    @property
    def domain(self) -> dict[sp.Symbol, tuple[Any, Any]]:
        """{u: (lo, hi), v: (lo, hi)}, exact numbers."""
        return dict(zip((u, v), self._domain, strict=True))

    @property
    def flipped(self) -> bool:
        return self._flipped

    @property
    def motion(self) -> Motion:
        """The motion that carries the body's frame into the world."""
        return self._motion

    @property
    def deforming(self) -> bool:
        """Whether the map in the body's frame depends on time."""
        return self.resting._deforming

    @cached_property
    def _deforming(self) -> bool:
        return any(t in survey(e).symbols for e in self.ingredients)

    @cached_property
    def expressions(self) -> tuple[Any, Any, Any]:
        """The moving surface in the world: motion applied to `body`."""
        return self.body if self.motion.is_identity else self.motion.apply(self.body)

    @cached_property
    def body_normal(self) -> tuple[Any, Any, Any]:
        """S_u x S_v in the body's frame (reversed if flipped), not normalized; where S has derivatives (see `symbols.derivative`)."""
        a, b = ([derivative(e, s) for e in self.body] for s in ((v, u) if self.flipped else (u, v)))
        return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]

    @cached_property
    def normal(self) -> tuple[Any, Any, Any]:
        """The outward direction in the world, not normalized."""
        return self.motion.turn(self.body_normal)

    def moved(self, motion: Motion) -> "ParametricSurface":
        """This surface carried along by `motion`, after the motion it has already."""
        if not isinstance(motion, Motion):
            raise TypeError(f"a surface moves by a Motion, such as Rigid or Screw, got {shown(motion)}")
        return self.carried_by(motion @ self.motion)

    def carried_by(self, motion: Motion) -> "ParametricSurface":
        """This surface with `motion` in the place of the motion it has."""
        placed = self._unchecked(self._body, self._domain, self._flipped, motion, self._name)
        placed.__dict__["resting"] = self.resting
        return placed

    def over(self, body: Any, domain: Mapping[Any, Any]) -> "ParametricSurface":
        """A surface with other formulas, or a `Deferred` of them, over another domain, known to be sound; turned and moved as this one."""
        return self._unchecked(body if isinstance(body, Deferred) else tuple(body), (domain[u], domain[v]), self._flipped, self._motion,
                               self._name)

    @classmethod
    def _unchecked(cls, body: Any, domain: Any, flipped: bool = False, motion: Motion = IDENTITY,
                   name: str | None = None) -> "ParametricSurface":
        placed = cls.__new__(cls)
        placed._body, placed._domain, placed._flipped, placed._motion, placed._name = body, domain, flipped, motion, name
        return placed

    @cached_property
    def resting(self) -> "ParametricSurface":
        """This surface in the body's frame: the same object for all that are moved from one."""
        return self if self.motion.is_identity else self._unchecked(self._body, self._domain, self._flipped, IDENTITY, self._name)

    def trimmed(self, loops: Any) -> Any:
        """Trim the surface to the region of its parameters inside closed loops.

        Parameters
        ----------
        loops : list of lists of Curve
            Each loop is a list of curves [u, v, 0] in the plane of the parameters, each beginning where the one before ends, or one closed
            curve. A loop within another one is a hole. The loops must lie where the formulas of the surface are meant; its domain does not
            matter.

        Returns
        -------
        Trimmed
            A `Solid` of one face, cut into patches; its edges are the curves, with the cuts between the patches.

        Raises
        ------
        TypeError, ValueError
            For what is no loop, a loop that is not closed, loops that cross, and regions that are not proved to be cut into patches.

        Notes
        -----
        That the patches cover the region inside the loops, and nothing else, is *proved* (see `generative.trimmed`). Where a curve leaves a
        line of constant u or v without an angle, the patches end where the region is thinner than 1e-9 of its height.

        Examples
        --------
        >>> from generative import ParametricSurface, curve, u, v
        >>> plane = ParametricSurface([u, v, 0], {u: (-2, 2), v: (-2, 2)})
        >>> plane.trimmed([[curve.circle(2)], [curve.circle(1)]]).surface == plane
        True
        """
        return self._trim(self, loops)

    def at(self, time: Any) -> "ParametricSurface":
        """This surface with t replaced by a number or by an expression of t."""
        change = {t: formula(time, [t], "a time")}
        return ParametricSurface([e.xreplace(change) for e in self.body], self.domain, flipped=self.flipped,
                                 motion=self.motion.at(time), name=self.name)

    def _key(self) -> tuple[Any, ...]:
        return self._body, self._domain, self.flipped, self.motion

    def __repr__(self) -> str:
        flipped = ", flipped=True" if self.flipped else ""
        moved = "" if self.motion.is_identity else f".moved({self.motion!r})"
        domain = ", ".join(f"{s}: {text(ends)}" for s, ends in self.domain.items())
        return f"ParametricSurface({text(list(self.body))}, {{{domain}}}{flipped}{self._named_in_repr()}){moved}"

    def _repr_latex_(self) -> str:
        ranges = r",\; ".join(f"{s} \\in [{latex(lo)}, {latex(hi)}]" for s, (lo, hi) in self.domain.items())
        return f"$\\displaystyle S(u, v{', t' if self.deforming or not self.motion.is_constant else ''}) = " \
               f"{latex(sp.ImmutableMatrix(self.expressions))},\\quad {ranges}$"


def _rectangle(domain: Any) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    if not isinstance(domain, Mapping):
        raise TypeError(f"a parametric surface needs a domain {{u: (lo, hi), v: (lo, hi)}}, got {shown(domain)}")
    for key in domain:
        if key not in (u, v):
            formula(key, [u, v], "a parameter domain")
            raise ValueError(f"the domain of a parametric surface is given for u and v, got {shown(key)}")
    if len(domain) != 2:
        raise ValueError("the domain of a parametric surface is given for u and for v; one is missing")
    return interval(domain[u], "the domain of u"), interval(domain[v], "the domain of v")
