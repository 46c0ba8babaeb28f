"""Sentences about how bodies begin and end, beside what a search of `first_contact` tells."""

import math
from collections.abc import Sequence
from typing import Any

from generative.body import called

from ..answers.left_open import named_pairs
from ..bodies.mesh import Mesh
from ..culling.broad_phase import Window
from ..timeline.evidence import Evidence
from ..timeline.scene import Scene
from .coincident_notes import coincident_notes
from .gaps import gap_notes


def notes_of(scene: Scene, found: Evidence, bodies: Sequence[Any], span: Window) -> tuple[str, ...]:
    """All of them."""
    return (*_meshes(bodies), *gap_notes(bodies), *coincident_notes(bodies, span), *_beginnings(scene, bodies),
            *starting(scene, bodies), *filter(None, [found.doubt]), *_ending(found, span))


def starting(scene: Scene, bodies: Sequence[Any]) -> tuple[str, ...]:
    """Notes on the pairs that are at rest, and on why pairs are not told apart at the start."""
    return (*_unbounded(scene, bodies), *_at_rest(scene, bodies))


def _meshes(bodies: Sequence[Any]) -> tuple[str, ...]:
    """Notes on the meshes that are not closed, or are turned the wrong way."""
    notes = list[str]()
    for k, mesh in enumerate(bodies):
        if isinstance(mesh, Mesh) and mesh.hole:
            notes.append(f"{called(bodies, k, 'Body ')} is a mesh with a hole, at {mesh.hole}: it counts as a sheet, without an inside.")
        elif isinstance(mesh, Mesh) and mesh.misturned:
            notes.append(f"{called(bodies, k, 'Body ')} is a mesh of which {mesh.misturned}. What it encloses counts as its inside.")
    return tuple(notes)


def _beginnings(scene: Scene, bodies: Sequence[Any]) -> tuple[str, ...]:
    """Notes on the pairs that come together just as the time span begins."""
    if not scene.early:
        return ()
    return (f"Bodies {named_pairs(bodies, sorted(scene.early))} come together as the time span begins: a little before it they are proved "
            "apart, and they were searched from there, so the bracket may begin before the span.",)


def _unbounded(scene: Scene, bodies: Sequence[Any]) -> tuple[str, ...]:
    """Notes on the pairs that are not told apart since their formulas have no bound."""
    if not scene.unbounded:
        return ()
    pairs = named_pairs(bodies, sorted(scene.unbounded))
    return (f"Formulas of bodies {pairs} have no bound at some place at the start, as sin(u)/u has none at u = 0, so how near the bodies "
            "are there is not known.",)


def _at_rest(scene: Scene, bodies: Sequence[Any]) -> tuple[str, ...]:
    """Notes on the pairs that do not move against each other, and may touch."""
    pairs = [pair for pair in scene.states.others if pair in scene.resting]
    if not pairs:
        return ()
    return (f"Bodies {named_pairs(bodies, pairs)} do not move against each other, so no contact of theirs is new.",)


def _ending(found: Evidence, span: Window) -> tuple[str, ...]:
    """Whether bodies come together just as the time span ends."""
    if not span[1] < found.proved < math.inf:
        return ()
    return ("Bodies come together just as the time span ends: they were searched a little beyond it, by the formulas of their motions, so "
            "the bracket may end after the span.",)
