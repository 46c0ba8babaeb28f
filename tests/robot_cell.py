"""An arm of six joints (lengths of a UR5e, from its public DH table) with capsules for links, among a table, a post and the walls of a bin;
and a referee that knows nothing of the bodies but forward kinematics: distances of segments and boxes in doubles.
"""

from itertools import combinations

import numpy as np
import sympy as sp

from generative import Chain, Parameter, Rigid, fit, revolute, solids, t

from .arms import segment_distances, turns

R = sp.Rational
# Of each joint: how far along x and z the next one is, and quarter turns about x to it.
_DH = [(0, 1625, 1), (-4250, 0, 0), (-3922, 0, 0), (0, 1333, 1), (0, 997, -1), (0, 996, 0)]
# Links: where the axis of the capsule begins, its direction and length, and the radius; in tenths of a millimetre.
LINKS = {"base": ((0, 0, 0), (0, 0, 1), 500, 700), "shoulder": ((0, 0, 1325), (0, 0, 1), 600, 600),
         "upper arm": ((0, 0, 1380), (-1, 0, 0), 4250, 600), "forearm": ((0, 0, 70), (-1, 0, 0), 3922, 500),
         "wrist 1": ((0, 0, 800), (0, 0, 1), 500, 450), "wrist 2": ((0, 0, 600), (0, 0, 1), 500, 450),
         "wrist 3": ((0, 0, 700), (0, 0, 1), 300, 400)}
# Boxes: centre and sizes.
BOXES = {"table": ((3000, 0, -1200), (12000, 16000, 400)), "bin 0": ((-2000, 6500, -200), (3000, 100, 1500)),
         "bin 1": ((-2000, 3500, -200), (3000, 100, 1500)), "bin 2": ((-500, 5000, -200), (100, 3000, 1500)),
         "bin 3": ((-3500, 5000, -200), (100, 3000, 1500))}
POST = (4500, -3000, 0), (0, 0, 1), 6000, 400
_FROM_Z = {(0, 0, 1): None, (-1, 0, 0): [[0, 0, -1], [0, 1, 0], [1, 0, 0]]}
_QUARTERS = {0: np.eye(3), 1: np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]]), -1: np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])}
SPAN = 4.0
APART = R(9, 20)


def _length(e):
    return R(e, 10_000)


def _capsule(place, axis, length, radius):
    return solids.capsule(_length(radius), _length(length)).moved(Rigid(rotation=_FROM_Z[axis], translation=[*map(_length, place)]))


def arm(prefix=""):
    joints, origin = [], Rigid()
    names = [prefix + name for name in LINKS]
    for k, (a, d, quarter) in enumerate(_DH):
        joints.append(revolute(f"{prefix}q{k + 1}", names[k], names[k + 1], origin=origin))
        origin = Rigid(rotation=_QUARTERS[quarter].astype(int).tolist(), translation=[_length(a), 0, _length(d)])
    return Chain({prefix + name: _capsule(*link) for name, link in LINKS.items()}, joints)


def obstacles():
    boxes = [solids.box([*map(_length, sizes)]).moved(Rigid(translation=[*map(_length, place)])).named(name)
             for name, (place, sizes) in BOXES.items()]
    return [*boxes, _capsule(*POST).named("post")]


def ignored(made):
    fixed = [*BOXES, "post"]
    return [*made.ignore, ("base", "table"), *combinations(fixed, 2)]


def path(count):
    """Times (n,) and joint angles (n, 6): a smooth way from one place to another, with some waves."""
    times = np.linspace(0, SPAN, count)
    begin, end = np.array([-0.2, -1.2, 1.3, -1.6, -1.57, 0.0]), np.array([1.9, -1.4, 1.5, -1.7, -1.57, 1.0])
    share = times / SPAN
    share = (share**3 * (10 - 15 * share + 6 * share**2))[:, None]
    waves = np.sin(2 * np.pi * times[:, None] * np.array([1, 0.7, 1.3, 0.9, 1.1, 0.5]) / SPAN) * np.sin(np.pi * times[:, None] / SPAN)
    return times, begin + (end - begin) * share + 0.05 * waves


def values(times, angles):
    """Formulas of the joint values through samples."""
    found = fit.joint_motion(times, angles).value
    return {f"q{k + 1}": found[k] for k in range(6)}


def two_arms(times, angles):
    """Two arms that face each other `APART`, each along the same recorded path: the bodies, and groups without any pair."""
    arms, joints = [arm(prefix) for prefix in ("left ", "right ")], values(times, angles)
    bases = Rigid(), Rigid(rotation=[[-1, 0, 0], [0, -1, 0], [0, 0, 1]], translation=[APART, 0, 0])
    bodies = [b for made, prefix, base in zip(arms, ("left ", "right "), bases, strict=True)
              for b in made.at({prefix + name: e for name, e in joints.items()}, base=base)]
    return bodies, [tuple(prefix + name for name in LINKS) for prefix in ("left ", "right ")]


def straight_paths(count, seed=0):
    """The cell with straight paths of all joints as rows: the bodies, values of the parameters, ignored pairs, and ends (count, 2, 6)."""
    made, (begin, end) = arm(), ([Parameter(f"{name}{k}") for k in range(6)] for name in "ab")
    bodies = [*made.at({f"q{k + 1}": a + (b - a) * t / 4 for k, (a, b) in enumerate(zip(begin, end, strict=True))}), *obstacles()]
    drawn = np.random.default_rng(seed).uniform([-1, -1.4, 0.3, -2, -1.57, 0], [1.9, 0.1, 1.6, -1, -1.4, 1], (count, 2, 6))
    values = {s: drawn[:, side, k] for side, own in enumerate((begin, end)) for k, s in enumerate(own)}
    return bodies, values, ignored(made), drawn


# -- the referee ------------------------------------------------------------------------------------------------------


def frames(angles):
    """Rotations (7, n, 3, 3) and places (7, n, 3) of the links at joint angles (n, 6)."""
    turn, place = np.tile(np.eye(3), (len(angles), 1, 1)), np.zeros((len(angles), 3))
    found, before, shift = [(turn, place)], np.eye(3), np.zeros(3)
    for k, (a, d, quarter) in enumerate(_DH):
        place = place + turn @ shift
        turn = turn @ before @ turns(np.array([0.0, 0, 1]), angles[:, k])
        found.append((turn, place))
        before, shift = _QUARTERS[quarter], np.array([a / 1e4, 0, d / 1e4])
    return np.stack([f[0] for f in found]), np.stack([f[1] for f in found])


def segments(angles):
    """Both ends (7, n, 3) of the axes of the links."""
    turn, place = frames(angles)
    ends = []
    for k, (at, axis, length, _) in enumerate(LINKS.values()):
        first = np.array(at) / 1e4
        ends.append([place[k] + turn[k] @ p for p in (first, first + np.array(axis) * length / 1e4)])
    first, second = zip(*ends, strict=True)
    return np.stack(first), np.stack(second)


def box_distances(a, b, centre, sizes):
    """(n,): how far segments a b are from a box: a convex function along the segment, by golden section."""
    lo, hi, share = np.zeros(len(a)), np.ones(len(a)), (np.sqrt(5) - 1) / 2

    def far(s):
        return np.linalg.norm(np.maximum(np.abs(a + s[:, None] * (b - a) - centre) - sizes / 2, 0), axis=1)

    for _ in range(60):
        left, right = hi - share * (hi - lo), lo + share * (hi - lo)
        down = far(left) > far(right)
        lo, hi = np.where(down, left, lo), np.where(down, hi, right)
    return far((lo + hi) / 2)


def gaps(angles):
    """{(name, name): (n,)}: gaps of all pairs that are asked about; none where a gap is not positive is exact."""
    first, second = segments(angles)
    names, radii = [*LINKS], [link[3] / 1e4 for link in LINKS.values()]
    found = {(names[i], names[j]): segment_distances(first[i], second[i], first[j], second[j]) - radii[i] - radii[j]
             for i in range(7) for j in range(i + 2, 7)}
    foot, way, length, radius = POST
    ends = [np.tile(np.array(foot) / 1e4 + s * np.array(way) * length / 1e4, (len(angles), 1)) for s in (0, 1)]
    for k, name in enumerate(names):
        found[name, "post"] = segment_distances(first[k], second[k], *ends) - radii[k] - radius / 1e4
        for box, (centre, sizes) in BOXES.items():
            if (name, box) != ("base", "table"):
                found[name, box] = box_distances(first[k], second[k], np.array(centre) / 1e4, np.array(sizes) / 1e4) - radii[k]
    return found


def gaps_of_two(angles):
    """{(name, name): (n,)}: gaps of the links of `two_arms`, each of one with each of the other."""
    first, second = segments(angles)
    there = [e * np.array([-1.0, -1, 1]) + np.array([float(APART), 0, 0]) for e in (first, second)]
    names, radii = [*LINKS], [link[3] / 1e4 for link in LINKS.values()]
    return {(f"left {a}", f"right {b}"): segment_distances(first[i], second[i], there[0][j], there[1][j]) - radii[i] - radii[j]
            for i, a in enumerate(names) for j, b in enumerate(names)}
