"""Bad input, refused in one sentence before any work is done."""

import contextlib
import functools
import itertools
import math
from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

import numpy as np
import sympy as sp

from codegen.constants import enclose
from codegen.deadline import interruptible
from codegen.from_sympy import from_sympy
from codegen.given import shown
from codegen.graph.autodiff import partials
from codegen.graph.domain import domain
from codegen.graph.expr import ExprPool
from codegen.kernel import Kernel
from generative import ImplicitBody, ImplicitSurface, ParametricSurface, Solid, t, u, v, x, y, z
from generative.body import called
from generative.changes import pieces_of
from generative.family import member_of
from generative.resting import Member
from generative.surface import Deferred
from generative.symbols import text

from ..bodies.mesh import Mesh
from ..bodies.numbers import Numbers, numbers_of
from ..bodies.surface_points import all_parallel, spanning
from ..given import check_positive
from ..moment.pairs import Pairs
from ..search.paving import Paving
from ..search.prepare import METHODS
from ..situations.placed_leaves import coefficients_of
from .exact_features import features_lie_exactly
from .solid_features import features_lie_identically, solid_fault

KINDS = (ParametricSurface, ImplicitBody, Solid, Mesh)
ORDERS = ("auto", "upper", "lower")
# Cells of the grid on which normals are looked at, and about how many points of it come first.
_CELLS, _FEW = 16, 8
# Solids of more faces have a kernel a face, which equal faces share.
_MANY = 32
_SHARES = np.stack(np.meshgrid(*2 * [np.linspace(0, 1, 2 * _CELLS + 1)[1::2]], np.linspace(0, 1, 3), indexing="ij"), axis=-1).reshape(-1, 3)
# Places beside each other, as shares of a domain; and the sine of an angle that is far more than a curve bends between them.
_BESIDE, _STEP, _CORNERS, _SLANTED = np.array([0.43, 0.57]), 1e-5, np.array([[0, 0], [1, 0], [0, 1]]), 1e-2
# Only polynomials of fewer operations are searched for repeated factors.
_SMALL = 200
# Below it doubles lose digits, and are 0 at last.
_SMALLEST = sp.Rational(float(np.finfo(float).smallest_normal))
_UNDEFINED = "the formula", "is undefined everywhere on its domain and in the time span: there is no surface"


def check_kinds(bodies: Sequence[Any], query: str = "first_contact", meshes: bool = True) -> None:
    if isinstance(bodies, KINDS) or not isinstance(bodies, Sequence):
        raise TypeError(f"{query} takes a list of bodies, got a {type(bodies).__name__}")
    if len(bodies) < 2:
        raise ValueError(f"a collision needs at least two bodies, got {len(bodies)}")
    for k, body in enumerate(bodies):
        if not isinstance(body, KINDS):
            raise TypeError(f"body {k} is a {type(body).__name__}; bodies are ParametricSurface, ImplicitSurface, Solid and Mesh values")
        if isinstance(body, Mesh):
            if not meshes:
                raise TypeError(f"{query} takes no Mesh, as {called(bodies, k)} is; ask contact_batch for many values")
            check_mesh(body, called(bodies, k))
            continue
        if any(map(_beyond_doubles, pieces_of(body))):
            raise ValueError(f"the domain or the bounds of {called(bodies, k)} exceed the range of doubles; scale them")


    planar = [isinstance(body, Solid) and body.planar for body in bodies]
    if any(planar) and not all(planar):
        flat, other = (called(bodies, planar.index(kind)) for kind in (True, False))
        raise ValueError(f"{flat} is a region of the plane and {other} is not: bodies of one question are all in the plane or all in space")


def check_mesh(mesh: Mesh, name: str) -> None:
    if not mesh.rigid:
        raise ValueError(f"the vertices of {name} move by themselves, as mesh_mesh takes them; a body takes vertices (n, 3) and a motion")
    if not len(mesh.triangles):
        raise ValueError(f"{name} is a mesh without triangles")


@functools.lru_cache(maxsize=4096)
def _beyond_doubles(piece: Any) -> bool:
    """Whether an end of the intervals that a piece is given over is beyond doubles."""
    ends = itertools.chain(*(piece.domain.values() if isinstance(piece, ParametricSurface) else piece.bounds))
    return any(not end.free_symbols and math.inf in map(abs, enclose(end)) for end in ends)


def check_bodies(bodies: Sequence[Any], span: tuple[float, float]) -> None:
    for k, body in enumerate(bodies):
        check_body(body, called(bodies, k), span)


def check_body(body: Any, name: str, span: tuple[float, float]) -> None:
    if isinstance(body, ParametricSurface):
        check_surface(body, name, span)
    elif isinstance(body, ImplicitBody):
        check_leaves(body, name, span)
    elif not isinstance(body, Mesh):
        _check_solid(body, name, span)


def ignored_pairs(given: Any, bodies: Sequence[Any]) -> Pairs:
    """The pairs of bodies that are not asked about: `given` lists pairs, and groups of which no pair is, by numbers or names of bodies."""
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise TypeError(f"ignore must be a list of pairs or groups of bodies, got {shown(given)}")
    groups = [_group(item, bodies) for item in given]
    found = Pairs(len(bodies), [(min(g), max(g)) for g in groups if len(g) == 2], [g for g in groups if len(g) > 2])
    pairs, most = len(bodies) * (len(bodies) - 1) // 2, sum(len(g) * (len(g) - 1) // 2 for g in groups)
    if most >= pairs == len(found):
        raise ValueError("ignore leaves no pair of bodies to ask about")
    return found


def _group(item: Any, bodies: Sequence[Any]) -> list[int]:
    """The numbers of the bodies of a pair or group."""
    if isinstance(item, (str, bytes)) or not isinstance(item, Iterable):
        raise TypeError(f'ignore lists pairs and groups of bodies, such as (0, 1) or ("arm", "base"), got {shown(item)}')
    names = list(item)
    group = [_numbered(name, bodies) for name in names]
    if len(group) < 2:
        raise ValueError(f"ignore lists pairs of bodies, or groups of more, got {shown(names)}")
    twice = [k for k in group if group.count(k) > 1]
    if twice:
        raise ValueError(f"the pair or group {shown(names)} of ignore has {called(bodies, twice[0])} twice")
    return group


def _numbered(name: Any, bodies: Sequence[Any]) -> int:
    """The number of a body that is given by it, or by its name."""
    if isinstance(name, str):
        found = [k for k, body in enumerate(bodies) if body.name == name]
        if len(found) == 1:
            return found[0]
        known = f"bodies {found[0]} and {found[1]} are; give their numbers" if found else "no body is"
        raise ValueError(f"ignore names a body called {name!r}, but {known}")
    if isinstance(name, bool) or not isinstance(name, Integral):
        raise TypeError(f"ignore takes numbers and names of bodies, got {shown(name)}")
    if not 0 <= int(name) < len(bodies):
        raise ValueError(f"ignore names body {name}, but there are {len(bodies)} bodies, numbered from 0")
    return int(name)


def check_options(method: str, order: str, **numbers: float) -> None:
    for name, value in numbers.items():
        check_positive(name, value)
    for name, choice, known in (("method", method, [*METHODS, "time-dependent"]), ("order", order, list(ORDERS))):
        if choice not in known:
            raise ValueError(f"{name} must be one of {', '.join(known)}, got {shown(choice)}")


# -- surfaces -----------------------------------------------------------------------------------------------------


def check_surface(surface: ParametricSurface, name: str, span: tuple[float, float]) -> None:
    """Refuses a surface whose formulas are proved undefined everywhere, or whose normal vanishes everywhere. It is looked at in the body's
    frame, as a member of its family, so the result is the same for all poses.
    """
    member = member_of(surface.resting)
    numbers = numbers_of(member)
    fault = None if _span(member.body.resting, span, numbers).all() else surface_fault(member.body, span, numbers)
    if fault:
        raise ValueError(f"{fault[0]} of {name} {fault[1]}")


def _check_solid(solid: Solid, name: str, span: tuple[float, float]) -> None:
    """Refuse a solid for the same faults of one of its faces, and for edges and vertices that do not lie on them."""
    member = member_of(solid.resting)
    numbers = numbers_of(member)
    for f in np.flatnonzero(~_span(member.body, span, numbers)).tolist():
        if f not in solid.shown or is_sheet(member.body.faces[f]):
            continue
        fault = surface_fault(member.body.faces[f], span, numbers)
        if fault:
            raise ValueError(f"{fault[0]} of face {f} of {name} {fault[1]}")
    known = solid.made_so or (numbers.symbols and features_lie_identically(member.body)) or features_lie_exactly(solid.resting)
    wrong = "" if known else solid_fault(member.body, span, numbers)
    if wrong:
        raise ValueError(f"{name}: {wrong}")


def check_leaves(body: ImplicitBody, name: str, span: tuple[float, float]) -> None:
    member = member_of(body)
    if len(member.body.leaves) != len(body.leaves):
        member = Member(body)
    for leaf, known in zip(body.leaves, member.body.leaves, strict=True):
        fault = _too_small(leaf.body) or (None if _is_no_square(known.body) else _repeated(leaf.body)) or _undefined_leaf(
            known, span, numbers_of(member))
        if fault:
            raise ValueError(f"{fault[0]} of {name} {fault[1]}")


@functools.lru_cache(maxsize=4096)
def is_sheet(surface: ParametricSurface) -> bool:
    """Whether a surface whose formulas are not made yet is seen, by points beside each other, to be no curve and no point."""
    source = surface.source
    if not isinstance(source, Deferred) or source.enclosed is None or any(e.free_symbols for ends in surface.domain.values() for e in ends):
        return False
    kernel, numbers = source.enclosed
    lo, hi = np.array([[*map(float, ends)] for ends in surface.domain.values()]).T
    places = np.append(lo + (_BESIDE + _STEP * _CORNERS) * (hi - lo), np.zeros((3, 1)), axis=1)
    origin, *others = kernel.points(places, parameters=numbers.mean(axis=1))
    along, across = (other - origin for other in others)
    lengths = float(np.linalg.norm(along) * np.linalg.norm(across))
    return bool(np.linalg.norm(np.cross(along, across)) > _SLANTED * lengths)


@functools.lru_cache(maxsize=1024)
def _span(body: ParametricSurface | Solid, span: tuple[float, float], numbers: Numbers) -> np.ndarray:
    """(faces,): whether tangents at a few points of each face are seen to span a surface, where it is defined; False where that is not
    looked at, as of solids of many faces, which have no kernel for all, and of those whose formulas are not made yet.
    """
    faces = body.faces if isinstance(body, Solid) else (body,)
    if len(faces) > _MANY or any(isinstance(face.source, Deferred) for face in faces):
        return np.zeros(len(faces), bool)
    shares = _SHARES[_CELLS // 2::len(_SHARES) // _FEW]
    at = np.column_stack([shares[:, :2], span[0] + shares[:, 2] * (span[1] - span[0])])
    values = _spanning_kernel(body, numbers.symbols).points(at, parameters=numbers.middles).reshape(len(at), len(faces), 3, 3)
    defined = np.isfinite(values[..., 2, :]).all(axis=-1)
    seen: np.ndarray = defined & spanning(values[..., 0, :], values[..., 1, :])
    return np.asarray(seen.any(axis=0))


@functools.lru_cache(maxsize=256)
def _spanning_kernel(body: ParametricSurface | Solid, symbols: tuple[Any, ...]) -> Kernel:
    """Both tangents and the point of each face in the body's frame, by shares of the ways through its domain instead of u and v, and t."""
    pool = ExprPool()
    outputs: list[Any] = []
    for face in body.faces if isinstance(body, Solid) else (body,):
        at = {s: lo + s * (hi - lo) for s, (lo, hi) in face.domain.items()}
        place = from_sympy([e.xreplace(at) for e in face.body], (u, v, t), symbols, pool)
        outputs += [e for way in zip(*partials(place, [pool.variable(0), pool.variable(1)]), strict=True) for e in way]
        outputs += place
    return Kernel(outputs, ["u", "v", "t"], [str(s) for s in symbols], quick=True)


@functools.lru_cache(maxsize=1024)
def surface_fault(surface: ParametricSurface, span: tuple[float, float], numbers: Numbers) -> tuple[str, str] | None:
    """The part of a surface that is at fault, and the fault; None if nothing is.

    A normal vanishes if it is zero at every point of a grid where it is defined, at three moments. Tangents that are parallel up to a few
    roundings count, too: then the surface is a curve or a point.
    """
    vanishes = "the normal", "vanishes everywhere: its u and v do not span a surface"
    ends, _ = numbers.bounds([*surface.domain.values()])
    lo, hi = np.array([*ends, span]).T
    kernel = _tangent_kernel(surface, numbers.symbols)
    values = kernel.points(lo + _SHARES * (hi - lo), parameters=numbers.middles)
    finite = values[np.isfinite(values).all(axis=1)]
    if len(finite) and not all_parallel(finite[:, :3], finite[:, 3:6]):
        return None
    if not len(finite):
        known = _domain_kernel(surface.body, (u, v, t), numbers.symbols)
        return _UNDEFINED if _nowhere(known, np.array([*ends, span]), numbers) else None
    return vanishes


@functools.lru_cache(maxsize=1024)
def _too_small(formula: Any) -> tuple[str, str] | None:
    """Says so if a number in F is not told from 0 by doubles, as the square of a radius of 1e-170 is."""
    small = [n for n in formula.atoms(sp.Rational, sp.Float) if n and abs(n) < _SMALLEST]
    fault = f"has the number {sp.N(small[0], 3)}, too near to 0 for doubles: give lengths in a smaller unit" if small else ""
    return ("the function", fault) if small else None


@functools.lru_cache(maxsize=1024)
@interruptible()
def _repeated(formula: Any) -> tuple[str, str] | None:
    """Says so if F is a product of powers, as x**2 + 2*x*y + y**2 is: then F and its gradient vanish together."""
    factors = [f for f in sp.Mul.make_args(formula) if f.has(x, y, z)]
    if _is_no_square(formula):
        return None
    if len(factors) == 1 and formula.is_polynomial(x, y, z) and formula.count_ops() < _SMALL:
        # SymPy does not accept some coefficients that depend on t.
        with contextlib.suppress(sp.PolynomialError):
            factors = [f**k for f, k in sp.sqf_list(formula, x, y, z)[1]]
    if all(f.is_Pow and f.exp.is_number and f.exp > 1 for f in factors):
        return "the normal", f"vanishes everywhere: all factors of {text(formula)} are powers; give their bases"
    return None


@functools.lru_cache(maxsize=1024)
def _is_no_square(formula: Any) -> bool:
    """Whether a formula is a quadric that is seen at once to be no square, also for all numbers of a family. The matrix of the square of a
    linear function is of rank 1.
    """
    quadric = coefficients_of(formula)
    if quadric is None:
        return False
    if not any(quadric[:6]):
        return True
    return any((4 * quadric[i] * quadric[j] - quadric[i + j + 2] ** 2).is_zero is False for i, j in ((0, 1), (0, 2), (1, 2)))


def _undefined_leaf(leaf: ImplicitSurface, span: tuple[float, float], numbers: Numbers) -> tuple[str, str] | None:
    known = _domain_kernel((leaf.body,), (x, y, z, t), numbers.symbols)
    return _UNDEFINED if known and _nowhere(known, np.array([*numbers.bounds(leaf.bounds)[0], span]), numbers) else None


@functools.lru_cache(maxsize=256)
def _domain_kernel(formulas: tuple[Any, ...], variables: tuple[Any, ...], symbols: tuple[Any, ...]) -> Kernel | None:
    """A kernel that is 1 where the formulas may be defined, and 0 where one of them is not. None if they are seen to be defined everywhere.
    """
    pool = ExprPool()
    condition = domain(from_sympy(formulas, variables, symbols, pool), divisions=True)
    if condition is None:
        return None
    outputs = [pool.where(condition, pool.constant(1), pool.constant(0))]
    return Kernel(outputs, [str(s) for s in variables], [str(s) for s in symbols], quick=True)


def _nowhere(known: Kernel | None, box: np.ndarray, numbers: Numbers) -> bool:
    """Whether formulas are proved to be undefined everywhere in a box (n, 2). Its boxes are halved, a few hundred at most."""
    if known is None:
        return False
    paving = Paving(box[None], most=_CELLS * _CELLS)
    for boxes in paving:
        lo, hi = known.interval(boxes[..., 0], boxes[..., 1], parameters=numbers.parameters)
        if (lo[:, 0] > 0).any():
            return False
        paving.keep(boxes[hi[:, 0] > 0])
    return paving.done


@functools.lru_cache(maxsize=256)
def _tangent_kernel(surface: ParametricSurface, symbols: tuple[Any, ...]) -> Kernel:
    """Both tangents and the point in the body's frame."""
    pool = ExprPool()
    place = from_sympy(surface.body, (u, v, t), symbols, pool)
    by_u, by_v = zip(*partials(place, [pool.variable(0), pool.variable(1)]), strict=True)
    return Kernel([*by_u, *by_v, *place], ["u", "v", "t"], [str(s) for s in symbols], quick=True)
