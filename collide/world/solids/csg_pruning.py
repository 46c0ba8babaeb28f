"""Combined bodies with all leaves in one frame, and without those that have no part in the surface: what is left is searched faster."""

import functools
from typing import Any

import numpy as np
import sympy as sp

from codegen.kernel import compile
from generative import ImplicitBody, ImplicitSurface, intersection, x, y, z
from generative.combination import Combination

from ...bodies.implicit_parts import Candidates
from ...bodies.numbers import NONE
from ...situations.presence import where

_AT_REST = (0.0, 0.0)
# Bounds that hold others may be so much wider.
_WIDER = 1.01


@functools.lru_cache(maxsize=256)
def plain_of(shape: Any) -> Any:
    """The same surface, *proved*; `shape` itself where nothing is to be done, and where leaves deform, move, or end at bounds that are
    turned.
    """
    if not isinstance(shape, Combination) or any(leaf.deforming for leaf in shape.leaves):
        return shape
    if len({leaf.motion for leaf in shape.leaves}) == 1:
        return _smaller(shape)
    if any(leaf.motion.symbols for leaf in shape.leaves):
        return shape
    known = {leaf: _at_rest(leaf) for leaf in shape.leaves}
    found = _smaller(_gathered(shape, known))
    turned = [(leaf, own) for leaf, own in known.items() if own in found.leaves and not _simple(leaf)]
    return found if all(_within(found, *pair) for pair in turned) else shape


def _simple(leaf: ImplicitSurface) -> bool:
    """Whether its motion takes bounds to bounds, exactly."""
    return all(e in (-1, 0, 1) for e in leaf.motion.rotation) and all(e.is_Rational for e in leaf.motion.translation)


def _gathered(body: ImplicitBody, known: dict[ImplicitSurface, ImplicitSurface]) -> ImplicitBody:
    if isinstance(body, Combination):
        return Combination(body.operation, [_gathered(child, known) for child in body.children], name=body.name)
    assert isinstance(body, ImplicitSurface), "what is no combination is a leaf"
    return known[body]


def _at_rest(leaf: ImplicitSurface) -> ImplicitSurface:
    """Without a motion; bounds that are turned are in wider ones."""
    corners = [leaf.motion.turn([pair[k] for pair in leaf.bounds]) for k in (0, 1)]
    if _simple(leaf):
        bounds = [sorted((a + d, b + d)) for a, b, d in zip(*corners, leaf.motion.translation, strict=True)]
    else:
        motion, ends = np.array(leaf.motion.entries, float), np.array(leaf.bounds, float)
        ways = motion[:9].reshape(3, 3)
        middle, half = ways @ ends.mean(axis=1) + motion[9:], _WIDER * np.abs(ways) @ np.ptp(ends, axis=1) / 2.0
        bounds = [[sp.Rational(m - h), sp.Rational(m + h)] for m, h in zip(middle.tolist(), half.tolist(), strict=True)]
    return ImplicitSurface(leaf.expression, bounds, name=leaf.name)


def _within(body: ImplicitBody, leaf: ImplicitSurface, own: ImplicitSurface) -> bool:
    """Whether the part of a leaf on the body is *proved* to be within the bounds that it had: nothing is beyond any of them."""
    for place, ends in zip(leaf.coordinates, leaf.bounds, strict=True):
        for beyond in (place - ends[0], ends[1] - place):
            if _places(intersection(body, ImplicitSurface(beyond, own.bounds)))[own] is not None:
                return False
    return True


def _smaller(body: ImplicitBody) -> ImplicitBody:
    """Without leaves of whose own surface no point is on the body's, and that have one sign wherever others are: before they are left out,
    and after it, for else more might be there then.
    """
    places = _places(body)
    absent = [leaf for leaf, box in places.items() if box is None]
    boxes = [box for box in places.values() if box is not None]
    sides = {leaf: side for leaf in absent if (side := _side(leaf, boxes))} if boxes else {}
    found = _without(body, sides) if sides else body
    if found is body or isinstance(found, bool):
        return body
    after = [box for box in _places(found).values() if box is not None]
    return found if all(_side(leaf, after) == side for leaf, side in sides.items()) else body


def _places(body: ImplicitBody) -> dict[ImplicitSurface, np.ndarray | None]:
    """Boxes, one for each leaf, that hold the part of its surface on the body's, as moved; None where that is *proved* to be empty."""
    candidates = Candidates(body)
    return {leaf: where(face, NONE, _AT_REST) for leaf, face in zip(candidates.leaves, candidates.faces, strict=True)}


def _side(leaf: ImplicitSurface, boxes: list[np.ndarray]) -> int:
    """1 if boxes, in the frame of all leaves, are outside of it, -1 if they are inside; 0 where that is not proved."""
    ends = np.array(boxes)
    lo, hi = compile([leaf.body], [x, y, z], quick=True).interval(ends[..., 0], ends[..., 1])
    return 1 if (lo > 0.0).all() else -1 if (hi < 0.0).all() else 0


def _without(body: ImplicitBody, sides: dict[ImplicitSurface, int]) -> ImplicitBody | bool:
    """The body where these leaves have these signs; or a bool, whether every point is inside."""
    if not isinstance(body, Combination):
        assert isinstance(body, ImplicitSurface), "what is no combination is a leaf"
        return sides[body] < 0 if body in sides else body
    union, known = body.operation == "union", [_without(child, sides) for child in body.children]
    if any(child is union for child in known):
        return union
    left = [child for child in known if not isinstance(child, bool)]
    if not left:
        return not union
    return Combination(body.operation, left, name=body.name) if len(left) > 1 else left[0].named(body.name) if body.name else left[0]
