"""Random arms of capsules, and a referee that knows nothing of them but the forward kinematics: distances of segments in doubles."""

from typing import NamedTuple

import numpy as np
import sympy as sp

from generative import Chain, Rigid, revolute, solids, t

JOINTS = 6


class Arm(NamedTuple):
    """A chain with its numbers as arrays: where each joint stands (n, 3), its axis (n, 3), lengths and radii (n,) of the capsules."""

    chain: Chain
    origins: np.ndarray
    axes: np.ndarray
    lengths: np.ndarray
    radii: np.ndarray


def arm(seed, joints=JOINTS, name="link"):
    """Each link is a capsule along z, the next joint stands at its end, about a coordinate axis."""
    rng = np.random.default_rng(seed)
    axes = np.eye(3)[rng.integers(0, 3, joints)]
    lengths, radii = rng.integers(16, 64, joints) / 128, rng.integers(4, 12, joints) / 128
    origins = np.concatenate([[[0, 0, 0.25]], np.stack([0 * lengths, 0 * lengths, lengths], axis=1)[:-1]])
    names = [f"{name} {k}" for k in range(joints)]
    made = [revolute(f"joint {k}", f"{name} base" if k == 0 else names[k - 1], names[k], axis=axes[k].tolist(),
                     origin=Rigid(translation=origins[k].tolist())) for k in range(joints)]
    bodies = {n: solids.capsule(r, length) for n, r, length in zip(names, radii.tolist(), lengths.tolist(), strict=True)}
    return Arm(Chain(bodies, made), origins, axes, lengths, radii)


def polynomials(seed, joints=JOINTS, degree=3):
    """Coefficients (joints, degree + 1) of the angles as polynomials of t, from the constant one on; dyadic, so exact."""
    rng = np.random.default_rng(seed)
    return np.round(rng.normal(size=(joints, degree + 1)) * 2.0 ** -np.arange(degree + 1) * 2**20) / 2**20


def values(coefficients):
    return {f"joint {k}": sum(sp.Rational(c) * t**n for n, c in enumerate(row)) for k, row in enumerate(coefficients.tolist())}


def turns(axis, angle):
    """(n, 3, 3)."""
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + np.sin(angle)[:, None, None] * cross + (1 - np.cos(angle))[:, None, None] * (cross @ cross)


def segments(made, coefficients, times):
    """Both ends (joints, n, 3) of the segments of all links at times (n,)."""
    rotation, place = np.tile(np.eye(3), (len(times), 1, 1)), np.zeros((len(times), 3))
    ends = []
    for origin, axis, length, row in zip(made.origins, made.axes, made.lengths, coefficients, strict=True):
        place = place + rotation @ origin
        rotation = rotation @ turns(axis, np.polynomial.polynomial.polyval(times, row))
        ends.append((place, place + length * rotation[:, :, 2]))
    first, second = zip(*ends, strict=True)
    return np.stack(first), np.stack(second)


def segment_distances(a, b, c, d):
    """(n,): how far segments a b and c d are apart (Ericson 2005, Section 5.1.9)."""
    u, v, w = b - a, d - c, a - c
    uu, uv, vv, uw, vw = ((p * q).sum(axis=-1) for p, q in ((u, u), (u, v), (v, v), (u, w), (v, w)))
    with np.errstate(divide="ignore", invalid="ignore"):
        s = np.nan_to_num(np.clip((uv * vw - uw * vv) / (uu * vv - uv * uv), 0, 1))
    r = (uv * s + vw) / vv
    s = np.where(r < 0, np.clip(-uw / uu, 0, 1), np.where(r > 1, np.clip((uv - uw) / uu, 0, 1), s))
    r = np.clip(r, 0, 1)
    return np.linalg.norm(w + s[:, None] * u - r[:, None] * v, axis=-1)


def gaps(made, coefficients, times):
    """(pairs, n) and the pairs: gaps between the capsules of all links that are not neighbours."""
    first, second = segments(made, coefficients, times)
    pairs = [(i, j) for i in range(len(first)) for j in range(i + 2, len(first))]
    return np.stack([segment_distances(first[i], second[i], first[j], second[j]) - made.radii[i] - made.radii[j] for i, j in pairs]), pairs
