"""Bodies seen from a frame that moves: the first factors of their motions, which others may have in common, are left out."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

from .brep import Solid
from .changes import pieces_of
from .implicit import ImplicitBody
from .motion import IDENTITY, Motion
from .products import Product


@functools.lru_cache(maxsize=1 << 14)
def made_of(motion: Motion) -> tuple[Motion, ...]:
    """The motions that a motion is known to be composed of, the last one done first. What is constant is one motion; the identity none."""
    if motion.is_identity:
        return ()
    parts = motion.factors if isinstance(motion, Product) else motion.composed
    return (motion,) if motion.is_constant or parts == (motion,) else tuple(f for part in parts for f in made_of(part))


def leading(body: Any) -> tuple[Motion, ...]:
    """The motions that all of a body is carried by, the last one done first, as far as its pieces have them in common."""
    first, *others = dict.fromkeys(piece.motion for piece in pieces_of(body))
    found = made_of(first)
    for motion in others:
        found = found[:alike(found, made_of(motion))]
    return found


def alike(first: Sequence[Motion], second: Sequence[Motion]) -> int:
    """The number of motions that two lists begin with in common."""
    same = [a is b or a == b for a, b in zip(first, second, strict=False)]
    return same.index(False) if False in same else len(same)


@functools.lru_cache(maxsize=1 << 12)
def seen_within(body: Any, count: int) -> Any:
    """A body without the first so many of `leading`: as it is seen from a frame that moves by these."""
    return _moved_by(body, lambda motion: rest_of(motion, count))


def by_factors(bodies: Sequence[Any]) -> list[Any]:
    """Bodies, those that begin with a motion of another one, which varies, by the products of what their motions are made of."""
    found, owners = list(bodies), dict[tuple[Motion, ...], list[int]]()
    for k, body in enumerate(bodies):
        own = leading(body)
        if any(not m.is_constant for m in own):
            owners.setdefault(own[:up_to_varying(own)], []).append(k)
    for k in (k for own in owners.values() if len(own) > 1 for k in own):
        found[k] = _in_factors(bodies[k])
    return found


def up_to_varying(motions: Sequence[Motion]) -> int:
    """The number of motions up to the first that varies."""
    return 1 + next(k for k, m in enumerate(motions) if not m.is_constant)


@functools.lru_cache(maxsize=1 << 12)
def _in_factors(body: Any) -> Any:
    return _moved_by(body, lambda motion: motion if isinstance(motion, Product) else Product(*made_of(motion)))


def _moved_by(body: Any, change: Callable[[Motion], Motion]) -> Any:
    """A body with other motions of all its pieces."""
    if isinstance(body, Solid):
        return body.with_faces([face.carried_by(change(face.motion)) for face in body.faces])
    return body.changed_motions(change) if isinstance(body, ImplicitBody) else body.carried_by(change(body.motion))


@functools.lru_cache(maxsize=1 << 12)
def rest_of(motion: Motion, count: int) -> Motion:
    """A motion without the first so many of those that it is made of."""
    rest = made_of(motion)[count:]
    if isinstance(motion, Product):
        return Product(*rest) if rest else IDENTITY
    whole: Motion = IDENTITY
    for factor in rest:
        whole = whole @ factor
    return whole
