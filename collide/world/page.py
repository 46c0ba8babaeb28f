"""A run as a page that plays in a browser, without anything from the net: rigid bodies by their poses, hits as flashes, the energy.

Equal shapes are meshed once. Of each body the keys of its own path are kept, between which the page interpolates.
"""

import html
from os import PathLike
from typing import Any

import numpy as np

from generative.mesh import MovingMesh, tessellate
from generative.triangulated import Triangulated

from ..files import write_text
from ..picture.drawing import DEVIATION, GREY, Drawing, compact, fineness, merged
from ..picture.scenes import finished, part_shown
from ..picture.tracks import Track, quaternions, thinned, track
from ..picture.viewer import Figure, alone, scene
from ..picture.viewer import page as whole_page

# In how many seconds a run plays, at least, and at most if it is not as fast as it was.
_SHORTEST, _LONGEST = 6.0, 30.0
# Flashes of hits, and how long they shine, of the whole; moments at which the energy is told.
_FLASHES, _SHINE, _ENERGIES = 5000, 1 / 60, 60
_STILL, _FLASH = 0.22, "#ffc81a"
# Keys of all bodies, each of which has 32 bytes; where there are more the errors of poses are this much larger.
_KEYS, _COARSER = 250_000, 2.0
# How far the chords of a small body may be from its surface, of its size: it may be looked at from near.
_ROUGH = 6e-3
# A body turns by so much from sample to sample of its path.
_TURN = 0.5


def write(run: Any, path: str | PathLike[str], title: str) -> None:
    write_text(path, page(run, title))


def page(run: Any, title: str) -> str:
    """The whole page."""
    return whole_page(title, [f"<h2>{html.escape(title)}</h2>\n<p>{html.escape(run.summary())}</p>\n{_played(run)}"])


def figure(run: Any) -> Figure:
    """A run as notebooks show it."""
    return Figure(alone("Simulation", _played(run)))


def _played(run: Any) -> str:
    begin, end = run.start, max(run.until, run.start)
    drawing = Drawing((begin, end))
    fine = _fineness(run, np.linspace(begin, end, 5))
    rigid = dict.fromkeys(b.shape for b in run.world.bodies if not b.deforms)
    meshes = {shape: merged(tessellate(shape, deviation=fine[shape])) for shape in rigid}
    for k, (body, known) in enumerate(zip(run.world.bodies, tracks(run), strict=True)):
        if body.deforms:
            drawing.add_body(k, body.shape.moved(body.motion), fine[body.shape])
        else:
            _add(drawing, k, body, meshes[body.shape], known)
    _flashes(drawing, run)
    data = finished(drawing, begin, end, float(np.clip(end - begin, _SHORTEST, _LONGEST)), play=True)
    names = [b.name or f"body {k}" for k, b in enumerate(run.world.bodies)]
    return scene(data, names, shown=f"{part_shown(begin, end, (begin, end))}, {_speed(end - begin, data['seconds'])}",
                 chart=_chart(run, begin, end), grey=[k for k, b in enumerate(run.world.bodies) if b.fixed])


def _fineness(run: Any, times: np.ndarray) -> dict[Any, float]:
    """The largest distance of chords from the surface of each shape, relative to its size: as far as `DEVIATION` of all that the picture
    shows.
    """
    places = np.concatenate([run.state(float(time)).positions for time in times])
    radii = {body.shape: actor.radius for body, actor in zip(run.world.bodies, run.simulation.actors, strict=True)}
    whole = float(np.linalg.norm(np.ptp(places, axis=0))) + 2 * max(radii.values())
    return {shape: float(np.clip(DEVIATION * whole / (2 * radius), DEVIATION, _ROUGH)) for shape, radius in radii.items()}


def _speed(span: float, seconds: float) -> str:
    factor = span / seconds
    return "as fast as it is" if factor == 1.0 else f"1 × is {factor:.3g} a second" if span else ""


def _add(drawing: Drawing, number: int, body: Any, meshes: list[MovingMesh], known: Track) -> None:
    for mesh in meshes:
        vertices, triangles = compact(*mesh.at(0.0))
        if len(triangles):
            shape = drawing.shape([vertices], triangles, isinstance(body.shape, Triangulated))
            drawing.add_part(number, shape, known, vertices, alpha=_STILL if body.fixed else 1.0, moving=not body.fixed,
                             colour=GREY if body.fixed else "")


def tracks(run: Any) -> list[Track]:
    """The keys of all bodies."""
    error = fineness(len(run.world.bodies))
    found = [_path(run, k, error) for k in range(len(run.world.bodies))]
    while sum(len(times) for times, _ in found) > _KEYS:
        error *= _COARSER
        found = [thinned(*known, error * a.radius, a.radius) for known, a in zip(found, run.simulation.actors, strict=True)]
    return found


def _path(run: Any, number: int, error: float) -> Track:
    """The keys of a body: those of each of its flights."""
    actor, pieces = run.simulation.actors[number], run.courses(number)
    radius = actor.radius + float(np.linalg.norm(actor.middle))
    found = [_flown(actor, course, begin, end, error * actor.radius, radius) for course, begin, end in pieces]
    times, poses = (np.concatenate(parts) for parts in zip(*found, strict=True))
    flips = np.cumprod(np.where((poses[1:, 3:] * poses[:-1, 3:]).sum(axis=1) < 0, -1.0, 1.0))
    poses[1:, 3:] *= flips[:, None]
    return (times[:1], poses[:1]) if np.array_equal(poses.min(axis=0), poses.max(axis=0)) else (times, poses)


def _flown(actor: Any, course: Any, begin: float, end: float, error: float, radius: float) -> Track:
    def poses(times: np.ndarray) -> np.ndarray:
        places = course.places(np.asarray(times, float))
        return np.column_stack([places.centre - places.turn @ actor.middle, quaternions(places.turn)])

    if actor.rigid.fixed:
        return np.array([begin]), poses(np.array([begin]))
    angle = float(np.linalg.norm(course.spin_at(begin))) * (end - begin)
    return track(poses, (begin, end), error, radius, fewest=3 + 2 * int(min(angle / _TURN, 2000)))


def _flashes(drawing: Drawing, run: Any) -> None:
    shine = (run.until - run.start) * _SHINE
    for event in run.events[:_FLASHES]:
        names = [run.world.bodies[k].name or f"body {k}" for k in event.pairs.ravel()[:2]]
        for point in event.points[:20]:
            drawing.mark(point, point, 9.0, _FLASH, f"t = {event.time[0]:.9g}\n{' and '.join(names)}",
                         (event.time[0], event.time[0] + shine), fading=True)


def _chart(run: Any, begin: float, end: float) -> str:
    """The energy over time, and events as ticks below it."""
    if not end > begin:
        return ""
    at = np.unique([begin, *(e.time[0] for e in run.events if begin <= e.time[0] <= end), end])
    if len(at) > _ENERGIES:
        at = at[np.linspace(0, len(at) - 1, _ENERGIES).astype(int)]
    energy = run.energy(at)
    low, high = min(0.0, float(energy.min())), float(energy.max())
    across, up = 1000 * (at - begin) / (end - begin), 46 - 36 * (energy - low) / max(high - low, 1e-300)
    line = "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in zip(across, up, strict=True))
    moments = sorted({round(1000 * (e.time[0] - begin) / (end - begin)) for e in run.events})
    ticks = "".join(f"M{x},54V62" for x in moments)
    lines = (f'<path d="{line}" fill="none" stroke="#b5542b" stroke-width="1.6"/>', f'<path d="{ticks}" stroke="#66727e"/>',
             '<line class="hand" y1="0" y2="64" stroke="#2b5f94" stroke-width="1.5"/>')
    told = f"energy {energy[0]:.6g} to {energy[-1]:.6g}, least {energy.min():.6g}; below it {len(run.events)} events"
    return (f'<svg class="chart" viewBox="0 0 1000 64" preserveAspectRatio="none">{"".join(lines)}</svg><div class="row part">{told}</div>')
