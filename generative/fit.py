"""Curves, frames and motions fitted to data and to functions: Chebyshev series, cubic splines, rotation-minimizing frames.

The result of a fit is exact mathematics again: a curve or motion whose coefficients are the binary rationals that were computed.
How far it lies from what it was fitted to is said by `Fit.error` and, in words, by `Fit.statement`: a proved bound where the
caller knows a bound of a derivative, otherwise a measured difference, or exactness at the nodes.
"""

from collections.abc import Callable, Sequence
from math import factorial
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

from codegen.functions import Chebyshev
from codegen.given import doubles, shown

from .curve import Curve, chebyshev
from .fitted import Fit
from .following import check_finite, check_numbers, followed, increasing, splines
from .motion import Motion, Rigid
from .numeric import approx_function
from .screws import ScrewFit as ScrewFit
from .screws import screws as screws
from .symbols import exact, interval, t, u
from .voxels import implicit as implicit

Array = np.ndarray
# Of a fit: beyond it a function is refused as one that no polynomial of a sensible degree follows.
LARGEST_DEGREE = 128


# -- curves ----------------------------------------------------------------------------------------------------------


def chebyshev_curve(function: Callable[[Array], Any], domain: Any = (-1, 1), *, degree: int | None = None, tolerance: float = 1e-9,
                    derivative_bound: float | None = None) -> Fit:
    """The Chebyshev interpolant of a function (array (n,) -> (n, 3)), of this degree or of one that fits.

    With `degree` n and a `derivative_bound` M of the length of the (n+1)-th derivative, the error is proved (up to the rounding
    of the samples) to be at most 2 M ((hi - lo)/4)^(n+1) / (n+1)! (the remainder of interpolation in Chebyshev points, in every
    direction). Otherwise it is measured on a grid four times as fine, and the degree grows by a quarter, up to 128, until it is at most
    `tolerance`, an error of approximation.
    """
    lo, hi = (float(e) for e in interval(domain, "the domain of a curve"))
    if derivative_bound is not None and degree is None:
        raise ValueError("a derivative bound proves an error for a chosen degree; give degree= too")
    check_numbers(tolerance=tolerance, derivative_bound=derivative_bound)

    def values(at: Array) -> Array:
        return doubles(function(at), "the values of the function", "(n, 3)")

    chosen, coefficients, error = _interpolant(values, lo, hi, degree, tolerance)
    statement = f"measured on {4 * (chosen + 1)} points between the nodes"
    if derivative_bound is not None:
        error = 2 * derivative_bound * ((hi - lo) / 4) ** (chosen + 1) / factorial(chosen + 1)
        statement = f"proved from the bound {derivative_bound:g} of derivative {chosen + 1}, up to the rounding of the samples"
    return Fit(chebyshev(coefficients.tolist(), domain), error, f"{statement}; degree {chosen}")


def _interpolant(function: Callable[[Array], Array], lo: float, hi: float, degree: int | None,
                 tolerance: float) -> tuple[int, Array, float]:
    """(degree, coefficients (degree + 1, k), largest difference measured) of the interpolant in Chebyshev points."""

    def place(at: Array) -> Array:
        return 0.5 * (lo + hi) + 0.5 * (hi - lo) * at

    if degree is not None and (not isinstance(degree, int) or degree < 1):
        raise ValueError(f"the degree of a fit must be an integer of at least 1, got {shown(degree)}")
    chosen = 4 if degree is None else degree
    while True:
        nodes = np.cos(np.pi * (np.arange(chosen + 1) + 0.5) / (chosen + 1))
        values = function(place(nodes))
        if values.ndim != 2 or len(values) != len(nodes) or not np.isfinite(values).all():
            raise ValueError(f"the function must give finite numbers, one row a parameter, got an array of shape {values.shape}")
        coefficients = np.linalg.solve(_basis(nodes, chosen), values)
        between = np.linspace(-1, 1, 4 * (chosen + 1))
        off = _basis(between, chosen) @ coefficients - function(place(between))
        error = float(np.linalg.norm(off, axis=1).max())
        if degree is not None or error <= tolerance:
            return chosen, coefficients, error
        if chosen >= LARGEST_DEGREE:
            raise ValueError(f"degree {chosen} still misses by {error:.3g}; the function is too rough for {tolerance:g}: cut its domain")
        chosen = min(LARGEST_DEGREE, chosen + max(1, chosen // 4))


def _basis(at: Array, degree: int) -> Array:
    """T_k(at[i]) for k up to the degree, as cos(k arccos(at)), for at in [-1, 1]."""
    return np.cos(np.outer(np.arccos(np.clip(at, -1, 1)), np.arange(degree + 1)))


def interpolating_curve(points: Sequence[Any], parameters: Sequence[Any] | None = None, *, closed: bool = False) -> Fit:
    """The cubic spline through the points, as pieces in Hermite form: a list of curves, one an interval between parameters.

    `parameters` are the k of point k, or increasing numbers. The pieces go through the points exactly and join with exactly equal
    tangents (second derivatives agree up to rounding). `closed` returns to the first point. `generative.curve.piecewise` joins.
    """
    data = doubles(points, "points", "(n, 3)")
    if data.ndim != 2 or data.shape[1] != 3 or len(data) < 2:
        raise ValueError(f"an interpolating curve needs at least two points of three coordinates, got the shape {data.shape}")
    if not np.isfinite(data).all():
        raise ValueError(f"an interpolating curve needs finite points, but point {int(np.argmin(np.isfinite(data).all(axis=1)))} is not")
    if closed:
        data = np.concatenate([data, data[:1]])
    at = increasing(range(len(data)) if parameters is None else parameters, len(data))
    slopes = CubicSpline(at, data, bc_type="periodic" if closed else "not-a-knot")(at, 1)
    pieces = [Curve(_hermite(u, at[k:k + 2], data[k:k + 2], slopes[k:k + 2]), (at[k], at[k + 1])) for k in range(len(at) - 1)]
    return Fit(pieces, 0.0, "exact at the points; between them the data say nothing")


def _hermite(symbol: Any, ends: Array, values: Array, slopes: Array) -> list[Any]:
    """The cubic with these values and slopes at both ends, exactly: one expression a column."""
    lo, hi = (exact(float(e)) for e in ends)
    s = (symbol - lo) / (hi - lo)
    weights = [(1 + 2 * s) * (1 - s) ** 2, s**2 * (3 - 2 * s), (hi - lo) * s * (1 - s) ** 2, (hi - lo) * s**2 * (s - 1)]
    columns = zip(*(map(float, row) for row in (*values, *slopes)), strict=True)
    return [sum(w * exact(c) for w, c in zip(weights, column, strict=True)) for column in columns]


# -- motions ---------------------------------------------------------------------------------------------------------


def motion_through(times: Sequence[float], quaternions: Any, translations: Any, *, noise: float | str | None = None) -> Fit:
    """The motion through sampled poses: cubic splines of the quaternion (scalar first, made continuous in sign) and translation.

    Exactly rigid at all times, since the rotation divides by the quaternion's length; at the sample times exactly the samples. Before the
    first time the first cubic goes on, and after the last time the last one. `noise` is the standard deviation of each coordinate of a
    translation and, in radian, of a turn about each axis: the motion then has as few pieces as follow the samples up to that. "auto": it is
    found from the data (see `joint_motion`). `error` is then the largest distance, in translation or in radian of rotation, at the samples.
    """
    at, quaternion, translation = _samples(times, quaternions, translations)
    data = np.concatenate([quaternion, translation], axis=1)
    # A turn by a small angle about one axis changes a quaternion by half of it, and there are three axes and four numbers.
    found = followed(at, data, noise, {"rad in rotations": (slice(0, 4), 0.25 * np.sqrt(3)), "in translations": (slice(4, 7), 1.0)})
    entries = splines(found.knots, found.spline(found.knots), found.spline(found.knots, 1))
    error = 0.0 if found.exact else _pose_error(found.spline(at), data)
    return Fit(Rigid(entries[:4], entries[4:], normalize=True), error, found.statement, (at[0], at[-1]))


def joint_motion(times: Sequence[float], values: Any, *, noise: float | str | None = None) -> Fit:
    """Cubic splines through samples of joint angles or other numbers: formulas of t, as `Screw`, `axis_angle` and all motions take them.

    `values` (n,) give one formula, (n, k) a list of k; angles are taken as they are, so unwrap them first. Exactly the samples at their
    times. With `noise`, the standard deviation of the values, or "auto" to find it from the data, they
    are least squares splines instead, of as few pieces as leave residuals of that size, or of as many as have the least Bayesian
    information criterion (Schwarz 1978); `error` is the largest residual, and `statement` tells the noise.
    """
    data = doubles(values, "the values of joints", "(n,) or (n, k)")
    columns = data.reshape(len(data), -1) if data.ndim in (1, 2) and data.size else None
    if columns is None or len(columns) < 3:
        raise ValueError(f"sampled joints need n >= 3 values, (n,) or (n, k), got the shape {data.shape}")
    at = increasing(times, len(columns), "sample times", "a sample")
    check_finite(columns, "sampled joints must be finite, but sample")
    found = followed(at, columns, noise, {"": (slice(0, columns.shape[1]), 1.0)})
    formulas = splines(found.knots, found.spline(found.knots), found.spline(found.knots, 1))
    error = 0.0 if found.exact else float(abs(found.spline(at) - columns).max())
    return Fit(formulas if data.ndim == 2 else formulas[0], error, found.statement, (at[0], at[-1]))


def chebyshev_motion(times: Sequence[float], quaternions: Any, translations: Any, *, degree: int | None = None,
                     tolerance: float = 1e-9) -> Fit:
    """Chebyshev series of the quaternion and translation nearest to sampled poses (Snyder 1993, Appendix B), over the times given.

    Least squares, of this degree or of the least whose error at every sample is at most `tolerance`, an error of approximation; the degree
    stays below 2 sqrt(n), where least squares in n even samples is stable (Demanet and Townsend 2016). `error` is the largest distance, in
    translation or in radian of rotation, at the samples. The motion is exactly rigid: the rotation divides by the quaternion's length.
    """
    at, quaternion, translation = _samples(times, quaternions, translations)
    data, argument = np.concatenate([quaternion, translation], axis=1), (2 * at - at[0] - at[-1]) / (at[-1] - at[0])
    most = min(len(at) - 1, int(2 * np.sqrt(len(at))))
    check_numbers(tolerance=tolerance)
    if degree is not None and not (isinstance(degree, int) and 1 <= degree <= most):
        raise ValueError(f"{len(at)} samples determine a degree from 1 to {most}, got {shown(degree)}")
    for chosen in range(1, most + 1) if degree is None else [degree]:
        basis = _basis(argument, chosen)
        coefficients = np.linalg.lstsq(basis, data, rcond=None)[0]
        error = _pose_error(basis @ coefficients, data)
        if error <= tolerance:
            break
    else:
        if degree is None:
            raise ValueError(f"degree {most} still misses a sample by {error:.3g}; give more samples, a shorter span or a tolerance")
    motion = _series_motion(coefficients, at)
    return Fit(motion, error, f"measured at the {len(at)} samples; between them the data say nothing; degree {chosen}", (at[0], at[-1]))


def chebyshev_motion_of(pose: Callable[[Array], tuple[Any, Any]], time: Any, *, degree: int | None = None,
                        tolerance: float = 1e-9) -> Fit:
    """Chebyshev series of a motion that can be computed at any time: pose(times (n,)) -> (quaternions (n, 4), translations (n, 3)).

    Interpolated in Chebyshev points, until the error that is measured is at most `tolerance`, an error of approximation; quaternions must
    be continuous. Suits the dense output of an ODE solver.
    """
    lo, hi = (float(e) for e in interval(time, "a time span"))
    check_numbers(tolerance=tolerance)

    def function(at: Array) -> Array:
        return np.concatenate([doubles(part, "a pose", "(n, k)") for part in pose(at)], axis=1)

    chosen, coefficients, error = _interpolant(function, lo, hi, degree, tolerance)
    statement = f"of quaternion and translation together, measured on {4 * (chosen + 1)} times between the nodes; degree {chosen}"
    return Fit(_series_motion(coefficients, np.array([lo, hi])), error, statement, (lo, hi))


def _samples(times: Any, quaternions: Any, translations: Any) -> tuple[Array, Array, Array]:
    """Checked samples; the quaternions q and -q are the same rotation, so each takes the sign nearer to the one before it."""
    quaternion, translation = doubles(quaternions, "quaternions", "(n, 4)").copy(), doubles(translations, "translations", "(n, 3)")
    at = increasing(times, len(quaternion), "sample times", "a pose")
    if len(at) < 3 or quaternion.shape != (len(at), 4) or translation.shape != (len(at), 3):
        raise ValueError(f"sampled poses need n >= 3 quaternions (n, 4) and translations (n, 3), got {quaternion.shape} and "
                         f"{translation.shape}")
    check_finite(np.concatenate([quaternion, translation], axis=1), "sampled poses must be finite, but pose")
    lengths = np.linalg.norm(quaternion, axis=1)
    if not np.allclose(lengths, 1, rtol=0, atol=1e-9):
        k = int(np.argmax(abs(lengths - 1)))
        raise ValueError(f"quaternion {k} has length {lengths[k]:.6g}, not 1; divide the quaternions by their lengths first")
    turned = np.sign(np.sum(quaternion[1:] * quaternion[:-1], axis=1))
    quaternion[1:] *= np.cumprod(np.where(turned < 0, -1.0, 1.0))[:, None]
    return at, quaternion, translation


def _pose_error(fitted: Array, data: Array) -> float:
    """The largest distance of translations, and angle between rotations."""
    unit = fitted[:, :4] / np.linalg.norm(fitted[:, :4], axis=1, keepdims=True)
    chord = np.linalg.norm(unit - data[:, :4], axis=1)
    return float(max(np.linalg.norm(fitted[:, 4:] - data[:, 4:], axis=1).max(), 4 * np.arcsin(np.minimum(1, chord.max() / 2))))


def _series_motion(coefficients: Array, at: Array) -> Motion:
    lo, hi = exact(float(at[0])), exact(float(at[-1]))
    series = [Chebyshev((2 * t - lo - hi) / (hi - lo), *map(exact, column)) for column in coefficients.T.tolist()]
    return Rigid(series[:4], series[4:], normalize=True)


# -- frames ----------------------------------------------------------------------------------------------------------


def rotation_minimizing_up(path: Curve, up: Any = None, *, steps: int = 512, tolerance: float = 1e-6) -> Fit:
    """An up direction for `generative.sweep.sweep` whose frame turns about the path as little as possible, from `up` at its start.

    The frame is computed by double reflection (Wang, Juettler, Zheng and Liu 2008), of fourth order in the step, and fitted by Chebyshev
    series, which `sweep` projects and normalizes: the swept frame is orthonormal exactly. `error` adds the difference between `steps` and
    half as many of them (an estimate, from above, of the error of the former) to that of the fit, in radian. `tolerance`, an error of
    approximation: that of the fit.
    """
    check_numbers(tolerance=tolerance)
    _check_path(path)
    if not isinstance(steps, int) or steps < 8 or steps % 2:
        raise ValueError(f"double reflection needs an even number of at least 8 steps, got {shown(steps)}")
    lo, hi = map(float, path.domain)
    fine, coarse = (double_reflection(path, np.linspace(lo, hi, n + 1), up) for n in (steps, steps // 2))
    stepping = float(np.linalg.norm(fine[::2] - coarse, axis=1).max())
    spline = CubicSpline(np.linspace(lo, hi, steps + 1), fine)
    chosen, coefficients, fitting = _interpolant(spline, lo, hi, None, tolerance)
    statement = f"double reflection in {steps} steps against {steps // 2}, and a fit of degree {chosen}, both measured"
    return Fit(chebyshev(coefficients.tolist(), path.domain).expressions, stepping + fitting, statement)


def _check_path(path: Any) -> None:
    if not isinstance(path, Curve):
        raise TypeError(f"the path of a frame must be a Curve, got {shown(path)}")


def double_reflection(path: Curve, at: Array, up: Any = None) -> Array:
    """Unit vectors (n, 3) at right angles to the path at the parameters `at`, turning as little as possible."""
    _check_path(path)
    at = doubles(at, "the parameters", "(n,)")
    place, tangent = (approx_function(e, [u])(at) for e in (path.expressions, path.tangent))
    length = np.linalg.norm(tangent, axis=1, keepdims=True)
    if not (length > 0).all():
        raise ValueError("the path stands still somewhere: its tangent must not vanish")
    tangent = tangent / length
    first = np.eye(3)[np.argmin(abs(tangent[0]))] if up is None else doubles(up, "the up direction", "(3,)")
    size = np.linalg.norm(first)
    first = first - (first @ tangent[0]) * tangent[0]
    if not np.linalg.norm(first) > 1e-9 * size:
        raise ValueError("the up direction runs along the path at its start; give another")
    frames = [first / np.linalg.norm(first)]
    for k in range(len(at) - 1):
        chord = place[k + 1] - place[k]
        vector, along = (_reflected(w, chord) for w in (frames[-1], tangent[k]))
        turned = _reflected(vector, tangent[k + 1] - along)
        frames.append(turned / np.linalg.norm(turned))
    return np.array(frames)


def _reflected(vector: Array, mirror: Array) -> Array:
    """The vector reflected in the plane at right angles to `mirror`; unchanged where that vanishes."""
    square = float(mirror @ mirror)
    return vector if square == 0 else vector - (2 / square) * (mirror @ vector) * mirror
