"""Scenes whose first contact has a closed form: bodies, time span, exact time, and what else is known.

Each is (name, bodies, span, time, facts): time is an exact SymPy number, or None for "proved: no contact". Facts: `points`
(the number of isolated contacts, proved unique), `at` (one of them), `features`, `start` (the state of the pair), `exists`
(contact is proved to exist, though its points form a curve or patch), `options`.
"""

from typing import Any, NamedTuple

import sympy as sp

from generative import ImplicitSurface, ParametricSurface, Rigid, Screw, Solid, t, u, v, x, y, z

Q = sp.Rational
TURN = (0, 2 * sp.pi)
BOX = [(-4, 4)] * 3
# Rotations in general position, exact.
TILT = Rigid(rotation=[3, 1, 2, 1], normalize=True)
TURNED = Rigid(rotation=[2, -1, 3, 1], normalize=True)


class Case(NamedTuple):
    name: str
    bodies: list[Any]
    span: tuple[Any, Any]
    time: Any
    facts: dict[str, Any]


def move(dx: Any, dy: Any, dz: Any) -> Rigid:
    return Rigid(translation=[dx, dy, dz])


def ball(radius: Any = 1, flipped: bool = False) -> ParametricSurface:
    """Poles at the bottom and the top, seam at u = 0."""
    return ParametricSurface([radius * sp.cos(u) * sp.cos(v), radius * sp.sin(u) * sp.cos(v), radius * sp.sin(v)],
                             {u: TURN, v: (-sp.pi / 2, sp.pi / 2)}, flipped=flipped)


def sphere(radius: Any = 1, bound: Any = 4) -> ImplicitSurface:
    return ImplicitSurface(x**2 + y**2 + z**2 - sp.sympify(radius) ** 2, bounds=[(-bound, bound)] * 3)


def half_space(height: Any = 0) -> ImplicitSurface:
    """Solid below z = height."""
    return ImplicitSurface(z - height, bounds=BOX)


def slab(size: Any = 2) -> ParametricSurface:
    """An open square patch in the plane z = 0."""
    return ParametricSurface([u, v, 0], {u: (-size, size), v: (-size, size)})


def box(a: Any, b: Any, c: Any) -> Solid:
    from models.shapes.solids import box as make

    return make(sizes=(a, b, c))


def cylinder(radius: Any = 1, height: Any = 2) -> Solid:
    from models.shapes.solids import cylinder as make

    return make(radius=radius, height=height)


FLOOR = half_space()
ONE = {"points": 1}


def falling() -> list[Case]:
    """Balls on planes: at a pole, in general position, on the seam, inward normals, implicit and parametric."""
    down = move(0, 0, 3 - t)
    aside = move(Q(1, 3), Q(-2, 7), 3 - t)
    on_seam = Rigid(rotation=[[0, 0, 1], [0, 1, 0], [-1, 0, 0]], translation=[0, 0, 3 - t])
    cases = [
        Case("ball on floor, at its pole", [ball().moved(down), FLOOR], (0, 4), 2, {**ONE, "at": (0, 0, 0)}),
        Case("ball on floor, on its seam", [ball().moved(on_seam), FLOOR], (0, 4), 2, {**ONE, "at": (0, 0, 0)}),
        Case("tilted ball on floor", [ball().moved(TILT).moved(aside), FLOOR], (0, 4), 2, {**ONE, "at": (Q(1, 3), Q(-2, 7), 0)}),
        Case("floor first", [FLOOR, ball().moved(TILT).moved(aside)], (0, 4), 2, ONE),
        Case("inward normals", [ball(flipped=True).moved(TILT).moved(aside), FLOOR], (0, 4), 2, {**ONE, "normal": (0, 0, -1)}),
        Case("floor with inward normal", [ball().moved(TILT).moved(aside), FLOOR.complement()], (0, Q(5, 2)), None,
             {"start": "OVERLAPPING"}),
        Case("implicit ball on floor", [sphere().moved(aside), FLOOR], (0, 4), 2, {**ONE, "at": (Q(1, 3), Q(-2, 7), 0)}),
        Case("implicit ball, turning", [sphere().moved(Screw([1, 2, 2], angle=5 * t)).moved(aside), FLOOR], (0, 4), 2, ONE),
        Case("accelerating", [ball().moved(TILT).moved(move(0, 0, 3 - t**2)), FLOOR], (0, 4), sp.sqrt(2), ONE),
        Case("growing ball", [ParametricSurface([(1 + t) * e for e in ball().body], ball().domain).moved(TILT).moved(move(0, 0, 4)), FLOOR],
             (0, 4), 3, ONE),
        Case("growing implicit ball", [ImplicitSurface(x**2 + y**2 + z**2 - (1 + t) ** 2, bounds=BOX).moved(move(Q(1, 9), 0, Q(5,
             2))), FLOOR],
             (0, 2), Q(3, 2), ONE),
        Case("gap of 1e-6", [ball().moved(TILT).moved(move(0, 0, 2 + Q(1, 10**6) + (t - 1) ** 2 - 1)), FLOOR], (0, 2), None, {}),
        Case("overlap of 1e-6", [ball().moved(TILT).moved(move(0, 0, 2 - Q(1, 10**6) + (t - 1) ** 2 - 1)), FLOOR], (0, 2),
             1 - Q(1, 1000), ONE),
        Case("implicit gap of 1e-6", [sphere().moved(move(0, 0, 2 + Q(1, 10**6) + (t - 1) ** 2 - 1)), FLOOR], (0, 2), None, {}),
        Case("implicit overlap of 1e-6", [sphere().moved(move(0, 0, 2 - Q(1, 10**6) + (t - 1) ** 2 - 1)), FLOOR], (0, 2),
             1 - Q(1, 1000), ONE),
        Case("past the end of the floor", [ball().moved(TILT).moved(move(Q(9, 2), 0, 3 - t)), FLOOR], (0, 4),
             3 - sp.sqrt(Q(3, 4)), {"exists": None}),
        Case("never reaches the floor", [ball().moved(TILT).moved(aside), FLOOR], (0, Q(3, 2)), None, {"start": "DISJOINT"}),
    ]
    return cases


def pairs_of_balls() -> list[Case]:
    """Two round bodies of radii r and s, offset d: contact when the centres are r + s apart."""
    cases = []
    makers = {"implicit": sphere, "parametric": lambda r: ball(r).moved(TILT)}
    other = {"implicit": sphere, "parametric": lambda r: ball(r).moved(TURNED)}
    for (one, first), (two, second) in [(a, b) for a in makers.items() for b in other.items()]:
        for k, (r, s, dx, dy) in enumerate([(1, 1, Q(1, 3), Q(1, 5)), (Q(1, 2), Q(3, 2), Q(3, 4), Q(-1, 2))]):
            distance = sp.sqrt((r + s) ** 2 - dx**2 - dy**2)
            cases.append(Case(f"{one} on {two} ball {k}", [first(r).moved(move(dx, dy, 4 - t)), second(s)], (0, 4), 4 - distance, ONE))
        cases.append(Case(f"{one} passes {two} ball at 1e-6", [first(1).moved(move(2 + Q(1, 10**6), 0, 2 - t)), second(1)], (0,
             4), None, {}))
        cases.append(Case(f"{one} grazes {two} ball by 1e-6", [first(1).moved(move(2 - Q(1, 10**6), 0, 2 - t)), second(1)], (0, 4),
                          2 - sp.sqrt(4 - (2 - Q(1, 10**6)) ** 2), ONE))
    return cases


def patches() -> list[Case]:
    """Open patches: hit in the middle from both sides, on the border, at a corner; and two patches."""
    up, down = move(Q(1, 7), Q(2, 9), t - 3), move(Q(1, 7), Q(2, 9), 3 - t)
    arch = ParametricSurface([u, v, 1 + u**2 + v**2], {u: (-1, 1), v: (-1, 1)})
    return [
        Case("patch from above", [ball().moved(TILT).moved(down), slab()], (0, 4), 2, {**ONE, "normal": (0, 0, -1)}),
        Case("patch from behind", [ball().moved(TILT).moved(up), slab()], (0, 4), 2, {**ONE, "normal": (0, 0, 1)}),
        Case("patch from behind, implicit ball", [sphere().moved(up), slab()], (0, 4), 2, {**ONE, "normal": (0, 0, 1)}),
        Case("border of a patch", [ball().moved(TILT).moved(move(Q(5, 2), Q(1, 3), 3 - t)), slab()], (0, 4),
             3 - sp.sqrt(Q(3, 4)), {**ONE, "features": ("face 0", "edge 1"), "at": (2, Q(1, 3), 0)}),
        Case("border of a patch, implicit ball", [sphere().moved(move(Q(5, 2), Q(1, 3), 3 - t)), slab()], (0, 4),
             3 - sp.sqrt(Q(3, 4)), {**ONE, "features": ("face 0", "edge 1"), "at": (2, Q(1, 3), 0)}),
        Case("corner of a patch", [sphere().moved(move(Q(5, 2), Q(7, 3), 3 - t)), slab()], (0, 4),
             3 - sp.sqrt(1 - Q(1, 4) - Q(1, 9)), {**ONE, "features": ("face 0", "vertex 3"), "at": (2, 2, 0)}),
        Case("corner of a patch on a parametric ball", [slab(), ball().moved(TILT).moved(move(Q(-5, 2), Q(7, 3), 3 - t))], (0, 4),
             3 - sp.sqrt(1 - Q(1, 4) - Q(1, 9)), {**ONE, "features": ("vertex 1", "face 0"), "at": (-2, 2, 0)}),
        Case("corners of an arch on a slab", [arch.moved(Screw([1, 0, 0], angle=sp.pi)).moved(move(0, 0, 5 - t)), slab()], (0, 4), 2,
             {"points": 4}),
        Case("tilted patch, edge on edge", [slab(1).moved(Screw([1, 1, 0], angle=sp.pi / 2)).moved(move(0, 0, 4 - t)), slab()], (0, 4),
             4 - sp.sqrt(2), ONE),
        Case("square as a solid of one face, flat on a floor", [Solid([slab(Q(1, 2))]).moved(down), FLOOR], (0, 4), 3, {"exists": True}),
        Case("side by side", [slab(1).moved(move(Q(7, 2) - t, Q(1, 2), 0)), slab(1)], (0, 1), None, {}),
    ]


def solids() -> list[Case]:
    """Edges, vertices and faces of solids."""
    corner = Screw([1, 1, 0], angle=sp.acos(1 / sp.sqrt(3))) @ Screw([0, 0, 1], angle=0)
    on_edge = Screw([1, 0, 0], angle=sp.pi / 4)
    prism = Screw([0, 1, 0], angle=sp.pi / 4)
    return [
        Case("box on floor, on a vertex", [box(1, 1, 1).moved(corner).moved(move(0, 0, 3 - t)), FLOOR], (0, 4), 3 - sp.sqrt(3) / 2,
             {**ONE, "kinds": ("vertex", "face")}),
        Case("box on floor, on an edge", [box(1, 1, 1).moved(on_edge).moved(move(0, 0, 3 - t)), FLOOR], (0, 4), 3 - sp.sqrt(2) / 2,
             {"exists": True}),
        Case("crossed edges", [box(4, 1, 1).moved(on_edge).moved(move(Q(1, 5), Q(1, 7), 4 - t)), box(1, 4, 1).moved(prism)], (0, 4),
             4 - sp.sqrt(2), {**ONE, "kinds": ("edge", "edge"), "at": (0, Q(1, 7), sp.sqrt(2) / 2)}),
        Case("crossed edges, aslant", [box(4, 1, 1).moved(on_edge).moved(move(Q(1, 5), Q(1, 7) + 2 * (4 - sp.sqrt(2) - t), 4 - t)),
                                       box(1, 4, 1).moved(prism)], (0, 4),
             4 - sp.sqrt(2), {**ONE, "kinds": ("edge", "edge"), "at": (0, Q(1, 7), sp.sqrt(2) / 2)}),
        Case("vertex on box", [box(1, 1, 1).moved(corner).moved(move(Q(1, 5), 0, 4 - t)), box(3, 3, 1)], (0, 4),
             4 - Q(1, 2) - sp.sqrt(3) / 2, {**ONE, "kinds": ("vertex", "face")}),
        Case("tilted cylinder on floor", [cylinder(1, 2).moved(Screw([1, 0, 0], angle=sp.atan(Q(3, 4)))).moved(move(0, 0, 3 - t)), FLOOR],
             (0, 4), 3 - Q(3, 5), {**ONE, "kinds": ("edge", "face")}),
        Case("rim on a box", [cylinder(Q(1, 2), 2).moved(Screw([1, 0, 0], angle=sp.atan(Q(3, 4)))).moved(move(0, 0, 3 - t)), box(4, 4, 1)],
             (0, 3), 3 - Q(3, 10) - Q(1, 2), {**ONE, "kinds": ("edge", "face")}),
        Case("ball on the edge of a box", [sphere().moved(move(Q(3, 2), Q(1, 5), 3 - t)), box(2, 2, 2)], (0, 4), 2 - sp.sqrt(Q(3, 4)),
             {**ONE, "kinds": ("face", "edge"), "at": (1, Q(1, 5), 1)}),
        Case("ball on the vertex of a box", [sphere().moved(move(Q(3, 2), Q(4, 3), 3 - t)), box(2, 2, 2)], (0, 4),
             2 - sp.sqrt(1 - Q(1, 4) - Q(1, 9)), {**ONE, "kinds": ("face", "vertex"), "at": (1, 1, 1)}),
        Case("parametric ball on the rim of a cylinder", [ball().moved(TILT).moved(move(Q(3, 2), 0, 4 - t)), cylinder(1, 1)], (0, 4),
             3 - sp.sqrt(Q(3, 4)), {**ONE, "kinds": ("face", "edge"), "at": (1, 0, 1)}),
        Case("box misses box by 1e-6", [box(1, 1, 1).moved(move(0, 1 + Q(1, 10**6), 2 - t)), box(1, 1, 1)], (0, 4), None, {}),
        Case("box lands flat", [box(1, 1, 1).moved(move(Q(1, 9), 0, 3 - t)), box(3, 3, 1)], (0, 4), 2, {"exists": True}),
    ]


def combined() -> list[Case]:
    """Unions, intersections and differences of implicit bodies."""
    down = move(Q(1, 5), Q(1, 7), 4 - t)
    wedge = half_space().moved(Screw([1, 0, 0], angle=sp.atan(Q(3, 4)))) & half_space().moved(Screw([1, 0, 0], angle=-sp.atan(Q(3, 4))))
    ridge = 4 - sp.sqrt(1 - Q(1, 49))
    # A wedge along y that opens upwards, its edge at z = 0 below it.
    wedge_above = wedge.moved(Rigid(rotation=[[0, 1, 0], [1, 0, 0], [0, 0, -1]]))
    sharp = half_space().moved(Screw([1, 0, 0], angle=sp.atan(Q(4, 3)))) & half_space().moved(Screw([1, 0, 0], angle=-sp.atan(Q(4, 3))))
    # It opens upwards, its edge in the direction (12, 5, 0).
    across = Rigid(rotation=[[Q(12, 13), Q(5, 13), 0], [Q(5, 13), -Q(12, 13), 0], [0, 0, -1]])
    # The region under three planes that meet at right angles in a point at the top.
    octant = (ImplicitSurface(x, bounds=BOX) & ImplicitSurface(y, bounds=BOX) & ImplicitSurface(z, bounds=BOX)).moved(
        Screw([1, -1, 0], angle=sp.acos(1 / sp.sqrt(3))))
    bitten = sphere(2) - sphere(1).moved(move(0, 0, 2))
    two = sphere(1).moved(move(-1, 0, 0)) | sphere(1).moved(move(1, 0, 0))
    return [
        Case("ball on the crease of a wedge", [ball().moved(TILT).moved(down), wedge], (0, 4), ridge,
             {**ONE, "features": ("face 0", "edge 0"), "at": (Q(1, 5), 0, 0)}),
        Case("implicit ball on the crease of a wedge", [sphere().moved(down), wedge], (0, 4), ridge,
             {**ONE, "features": ("face 0", "edge 0"), "at": (Q(1, 5), 0, 0)}),
        Case("ball on a side of the wedge", [ball().moved(TILT).moved(move(0, 1, 4 - t)), wedge], (0, 4), 4 - (Q(5, 4) - Q(3, 4)),
             {**ONE, "kinds": ("face", "face")}),
        Case("ball on the point of an octant", [ball().moved(TURNED).moved(move(Q(1, 10), 0, 4 - t)), octant], (0, 4),
             4 - sp.sqrt(1 - Q(1, 100)), {**ONE, "features": ("face 0", "vertex 0"), "at": (0, 0, 0)}),
        Case("implicit ball on the point of an octant", [octant, sphere().moved(move(Q(1, 10), 0, 4 - t))], (0, 4),
             4 - sp.sqrt(1 - Q(1, 100)), {**ONE, "features": ("vertex 0", "face 0"), "at": (0, 0, 0)}),
        Case("edge of a box on the crease of a wedge", [box(1, 4, 1).moved(Screw([0, 1, 0], angle=sp.pi / 4)).moved(down), wedge], (0, 4),
             4 - sp.sqrt(2) / 2, {**ONE, "kinds": ("edge", "edge"), "at": (Q(1, 5), 0, 0)}),
        Case("crease on crease", [wedge_above.moved(down), wedge], (0, 5), 4,
             {**ONE, "features": ("edge 0", "edge 0"), "at": (Q(1, 5), 0, 0)}),
        Case("crease nearly along a crease", [sharp.moved(across).moved(down), sharp], (0, 5), 4,
             {**ONE, "features": ("edge 0", "edge 0"), "at": (-Q(1, 7), 0, 0)}),
        Case("ball on a union", [ball(Q(1, 2)).moved(TILT).moved(move(Q(3, 2), 0, 4 - t)), two], (0, 4), 4 - sp.sqrt(2), ONE),
        Case("ball between the balls of a union", [ball(Q(1, 2)).moved(TILT).moved(move(0, 0, 4 - t)), two], (0, 4),
             4 - sp.sqrt(Q(5, 4)), {"points": 2}),
        Case("implicit ball between the balls of a union", [sphere(Q(1, 2)).moved(move(0, 0, 4 - t)), two], (0, 4), 4 - sp.sqrt(Q(5, 4)),
             {"points": 2}),
        Case("ball on a flat face cut off two balls", [ball(Q(1, 2)).moved(TILT).moved(move(-1, Q(1, 7), 4 - t)), half_space() & two],
             (0, 5), Q(7, 2), {**ONE, "at": (-1, Q(1, 7), 0), "kinds": ("face", "face")}),
        Case("small ball into the bite", [ball(Q(1, 4)).moved(TILT).moved(move(Q(1, 10), 0, 4 - t)), bitten], (0, 4),
             4 - (2 - sp.sqrt(Q(9, 16) - Q(1, 100))), ONE),
        Case("small implicit ball into the bite", [sphere(Q(1, 4)).moved(move(Q(1, 10), 0, 4 - t)), bitten], (0, 4),
             4 - (2 - sp.sqrt(Q(9, 16) - Q(1, 100))), ONE),
        Case("plate on the rim of the bite", [slab(3).moved(move(0, 0, 4 - t)), bitten], (0, 4), 4 - Q(7, 4), {"exists": True}),
    ]


def starts() -> list[Case]:
    """Pairs that do not start apart."""
    drift = move(0, 0, t / 2)
    return [
        Case("small ball inside a large one", [ball(Q(1, 2)).moved(TILT).moved(drift), ball(3)], (0, 1), None, {"start": "OVERLAPPING"}),
        Case("implicit ball inside a large one", [sphere(Q(1, 2)).moved(drift), ball(3)], (0, 1), None, {"start": "OVERLAPPING"}),
        Case("ball inside an implicit one", [ball(Q(1, 2)).moved(TILT).moved(drift), sphere(3)], (0, 1), None, {"start": "OVERLAPPING"}),
        Case("box inside a cylinder", [box(Q(1, 2), Q(1, 2), Q(1, 2)).moved(TILT).moved(move(0, 0, 1 + t / 8)), cylinder(2, 2)],
             (0, 1), None,
             {"start": "OVERLAPPING"}),
        Case("two balls that cross", [ball().moved(TILT).moved(move(0, 0, 1 + t)), ball().moved(TURNED)], (0, 1), None,
             {"start": "OVERLAPPING"}),
        Case("ball lifts off the floor", [ball().moved(TILT).moved(move(0, 0, 1 + t)), FLOOR], (Q(1, 8), 1), None, {"start": "DISJOINT"}),
        Case("ball in the cavity of a shell", [ball(Q(1, 4)).moved(TILT).moved(drift), sphere(2) - sphere(1)], (0, 1), None,
             {"start": "DISJOINT"}),
        Case("ball hits the shell from its cavity", [ball(Q(1, 4)).moved(TILT).moved(drift), sphere(2) - sphere(1)], (0, 2), Q(3, 2),
             {**ONE, "start": "DISJOINT"}),
    ]


def fast() -> list[Case]:
    """1000 units a second through a thin shell; two contacts 1e-9 apart."""
    bullet = ball(Q(1, 100)).moved(TILT).moved(move(0, Q(1, 9), 500 - 1000 * t))
    twins = [sphere(1).moved(move(-2, 0, 3 - t)), sphere(1).moved(move(2, Q(1, 7), 3 + Q(1, 10**9) - t))]
    shell = sphere(1, 2) - sphere(Q(999, 1000), 2)
    return [
        Case("bullet through a shell", [bullet, shell], (0, 1), (500 - sp.sqrt(Q(101, 100) ** 2 - Q(1, 81))) / 1000, ONE),
        Case("bullet through a parametric shell", [bullet, ball().moved(TURNED)], (0, 1),
             (500 - sp.sqrt(Q(101, 100) ** 2 - Q(1, 81))) / 1000, ONE),
        Case("two contacts 1e-9 apart", [*twins, FLOOR], (0, 4), 2, {"points": 2, "options": {"simultaneity": 1e-8}}),
        Case("two contacts 1e-9 apart, told apart", [*twins, FLOOR], (0, 4), 2, {"points": 1, "options": {"simultaneity": 1e-10}}),
    ]


def many() -> list[Case]:
    """Three, ten and two hundred bodies of which one pair meets first, and a body that turns about a point outside it."""
    three = [sphere().moved(move(0, 0, 6 - t)), ball(Q(1, 2)).moved(TILT).moved(move(Q(1, 3), 0, 3)), FLOOR]
    row = [sphere(Q(1, 2)).moved(move(3 * k - 14, 0, 5 + Q(k, 7) - t)) for k in range(9)]
    field = ImplicitSurface(z, bounds=[(-50, 50), (-50, 50), (-1, 1)])
    hail = [sphere(Q(1, 2), 1).moved(move(3 * (k % 14), 3 * (k // 14), 5 + Q(k, 97) - t)) for k in range(1, 200)]
    arm = ball(Q(1, 2)).moved(TILT).moved(move(2, 0, 0)).moved(Screw([0, 0, 1], angle=t))
    return [
        Case("three bodies", three, (0, 6), 6 - 3 - sp.sqrt(Q(9, 4) - Q(1, 9)), {**ONE, "pair": (0, 1)}),
        Case("ten bodies", [*row, ImplicitSurface(z, bounds=[(-20, 20), (-4, 4), (-1, 1)])], (0, 6), Q(9, 2), {**ONE, "pair": (0, 9)}),
        Case("two hundred bodies", [*hail, field], (0, 6), Q(9, 2) + Q(1, 97), {**ONE, "pair": (0, 199)}),
        Case("arm that turns about a distant point", [arm, sphere(Q(1, 2)).moved(move(0, 2, 0))], (0, 3),
             sp.pi / 2 - 2 * sp.asin(Q(1, 4)), ONE),
    ]


CASES = [c for family in (falling, pairs_of_balls, patches, solids, combined, starts, fast, many) for c in family()]
