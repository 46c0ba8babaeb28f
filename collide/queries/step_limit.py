"""`step_limit`: how far a step of a mesh or of patches may go without contact."""

import math
from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from codegen.deadline import interruptible
from codegen.given import doubles, shown

from ..bezier.nurbs import BezierNets
from ..bodies.mesh import Mesh, as_mesh
from ..given import is_number
from ..polyhedra.step.candidates import NearFeatures, Parts, parts_of
from ..polyhedra.step.crossing_free import crossing_free
from ..polyhedra.step.first_event import clear_until
from ..polyhedra.step.kept_distance import kept_until
from ..search.budget import Budget, as_budget
from ..search.clock import Clock
from .self_contact import self_contact

# Seconds after which a step ends that does not look at the clock. Effort only.
_INSISTING = 0.2


def step_limit(before: Any, after: Any, *, at_least: float = 0.0, mesh: Any = None, nets: Any = None,
               budget: Budget | float | None = None, log: str | PathLike[str] | None = None) -> Any:
    """Find the largest step in [0, 1] that is proved free of contact and self-contact.

    Every vertex, or control point, goes straight from its place before the step to its place after it; a step s ends at
    before + s (after - before). All parts of one mesh are asked about, also those that are neighbours; several bodies are one mesh.

    Parameters
    ----------
    before, after : array_like, shape (n, 3) or (b, n, 3), or Mesh
        Places of vertices or control points; b steps at once. Of two meshes with the same triangles, their vertices.
    at_least : float, optional
        A distance that parts of the mesh without a common vertex must keep, more than this. For `mesh` alone.
    mesh : array_like, shape (m, 3)
        Triangles, as numbers of vertices; by default those of a `Mesh` given.
    nets : array_like, shape (m, p, q)
        Bezier patches, as numbers of control points.
    budget : float or Budget, optional
        Seconds or a `Budget` for all steps together; None is 60 seconds.
    log : path, optional
        A file for a log of the proof, of one step with `nets`.

    Returns
    -------
    float or ndarray, shape (b,)
        1.0 for the whole step. 0.0 for no step: parts go through each other at the start, or leave a touch through each other. Once the
        budget is spent, or Ctrl-C was pressed, what is proved by then: 0.0 for meshes.

    Raises
    ------
    TypeError
        Unless one of `mesh` and `nets` is given, or a `Mesh` before or after.
    ValueError
        For meshes with different triangles, for arrays of other shapes, for numbers of no vertex, for coordinates that are not finite, and
        for a negative distance.

    Notes
    -----
    *Proves* that no parts meet at any time of the step but its start, where they may touch and then part. For triangles all signs are
    exact, and the step ends within 1e-12 before the first contact. It is 0.0 if parts that touch at the start stay in one plane.
    With `at_least` steps end a little earlier, and are 0.0 for parts that are nearer at the start. For patches the answer is the
    `clear_until` of `self_contact`, with the velocities after - before rounded to doubles.

    It answers the same question as `compute_collision_free_stepsize` of ipc-toolkit, which takes parts that start in touch for stuck.

    Examples
    --------
    A triangle falls on another one, and would go twice as far.

    >>> from collide import step_limit
    >>> places = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.1, 0.1, 1], [0.9, 0.1, 1], [0.1, 0.9, 1]]
    >>> below = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.1, 0.1, -1], [0.9, 0.1, -1], [0.1, 0.9, -1]]
    >>> round(step_limit(places, below, mesh=[[0, 1, 2], [3, 4, 5]]), 9)
    0.5
    """
    meshes = [as_mesh(m, name, True) for m, name in ((before, "before"), (after, "after")) if isinstance(m, Mesh)]
    if meshes and mesh is None and nets is None:
        mesh = _common_triangles(meshes)
    before, after = (m.vertices[:, :3] if isinstance(m, Mesh) else m for m in (before, after))
    if (mesh is None) == (nets is None):
        raise TypeError("step_limit takes the triangles of a mesh, mesh=..., or Bezier patches, nets=..., and not both")
    begin, end = (_places(given, name) for given, name in ((before, "before"), (after, "after")))
    if begin.shape != end.shape:
        raise ValueError(f"before and after must have one shape, got {begin.shape} and {end.shape}")
    if not is_number(at_least) or at_least < 0 or not math.isfinite(at_least):
        raise ValueError(f"at_least must be a distance from 0 up, got {shown(at_least)}")
    if nets is not None and at_least > 0:
        raise ValueError("at_least is for a mesh; patches are proved free of contact alone")
    if log is not None and (nets is None or begin.ndim == 3):
        raise ValueError("a log is for one step of patches, nets=...")
    clock, steps = Clock(as_budget(budget)), list(zip(*map(_steps, (begin, end)), strict=True))
    if nets is not None:
        patches = _numbers(nets, "nets", 3, begin.shape[-2])
        found = [0.0 if clock.exceeded() else _of_nets(patches, a, b, clock.rest, log) for a, b in steps]
    else:
        parts = parts_of(_numbers(mesh, "mesh", 2, begin.shape[-2]))
        found = [_of_mesh_in_time(parts, a, b, float(at_least), clock) for a, b in steps]
    return found[0] if begin.ndim == 2 else np.array(found)


def _of_mesh_in_time(parts: Parts, before: np.ndarray, after: np.ndarray, distance: float, clock: Clock) -> float:
    found = 0.0
    if not clock.exceeded():
        with clock.query(), interruptible(_INSISTING):
            found = _of_mesh(parts, before, after, distance)
    return found


def _common_triangles(meshes: Sequence[Mesh]) -> np.ndarray:
    first, *others = (m.triangles for m in meshes)
    if not all(np.array_equal(first, other) for other in others):
        raise ValueError("the meshes before and after have different triangles; a step moves the vertices of one mesh")
    return first


def _places(given: Any, name: str) -> np.ndarray:
    places = doubles(given, name, "(n, 3)")
    if places.ndim not in (2, 3) or places.shape[-1] != 3 or not np.isfinite(places).all():
        raise ValueError(f"{name} must be finite places of the shape (n, 3) or (b, n, 3), got the shape {places.shape}")
    return places


def _steps(places: np.ndarray) -> np.ndarray:
    return places.reshape(-1, *places.shape[-2:])


def _numbers(given: Any, name: str, dimension: int, count: int) -> np.ndarray:
    numbers = np.asarray(given)
    shape = "(m, 3)" if dimension == 2 else "(m, p, q)"
    if numbers.ndim != dimension or (dimension == 2 and numbers.shape[1] != 3) or not np.issubdtype(numbers.dtype, np.integer):
        raise ValueError(f"{name} must be integers of the shape {shape}, got {numbers.dtype} of the shape {numbers.shape}")
    if numbers.size and not (numbers.min() >= 0 and numbers.max() < count):
        raise ValueError(f"{name} must be numbers of places, from 0 to {count - 1}, got {numbers.min()} to {numbers.max()}")
    return numbers.astype(np.int64)


def _of_mesh(parts: Parts, before: np.ndarray, after: np.ndarray, distance: float) -> float:
    near = NearFeatures(parts, before, after, distance)
    if distance > 0:
        step = min(kept_until(before, after, near.points, 1, distance), kept_until(before, after, near.edges, 2, distance))
    else:
        limit = clear_until(before, after, near.points, near.edges)
        step = 1.0 if limit > 1 else math.nextafter(limit, 0.0)
    # Between contacts nothing changes: free at one time, free at all.
    return step if step > 0 and crossing_free(parts, near.pairs, before, after, step) else 0.0


def _of_nets(patches: np.ndarray, before: np.ndarray, after: np.ndarray, budget: Budget, log: Any) -> float:
    ends = [places[patches] for places in (before, after)]
    speed = ends[1] - ends[0]
    net = BezierNets(np.stack([ends[0], speed], axis=1), None, np.tile([0.0, 1.0], (len(patches), 2, 1)), 0.0)
    return float(min(1.0, max(0.0, self_contact(net, (0, 1), budget=budget, log=log).clear_until)))
