"""Impulses under Coulomb's law at several contacts, where sweeps do not find them.

Impulses x (k, 3) at k contacts change the rates u there to `rates` + B B^T x. Coulomb's law at each contact: x is in the cone
|x_T| <= mu x_N, (u_N + mu |u_T|, u_T) is in its dual cone, and the two are at right angles (De Saxcé and Feng 1998). With given numbers s
in place of the slips |u_T| that is the projection onto a convex cone: it has one solution u, which depends continuously on s, and the law
is a fixed point of s -> |u_T| (Acary, Cadoux, Lemaréchal and Malick 2011). The projection is found by non-negative least squares over
directions in each cone, to which those are added that are missing; the fixed point by Anderson's method (1965). That the iteration comes to
its end is not proved: every result is tested by the law itself. From near a solution, Newton's method goes on with the contacts that stick
and slip there.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from codegen.deadline import check

# The law is fulfilled up to so much of the largest rate: rates and impulses count alike, each contact in units of its own mobility.
AGREED = 1e-9
# Iterations of the fixed point, how many of them are remembered in one attempt after the other, and the size of coefficients up to which
# they tell the next one.
_MOST, _MEMORIES, _WILD = 60, (6, 0, 2), 1e4
# Steps of Newton's method, and how often it begins anew with other contacts that stick and slip.
_STEPS, _ANEW = 10, 8
# Directions in each cone at first; and two of which the cosine is nearer to 1 are one.
_CONE, _SAME = 8, 1e-12
# Against the largest: what is no rate, where a contact is open or not; what is nothing in the rank of a system.
_NONE, _RANK = 1e-12, 1e-13
# Of a product and a sum of numbers below 1, with some to spare.
_ROUNDING = 2.0**-50


class Unsettled(Exception):
    """No impulses were found that obey the laws of contact."""


def nonnegative(system: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The x >= 0 (m,) with the least |system x - wanted|. Raises Unsettled where the iteration does not end."""
    from scipy.optimize import nnls

    try:
        return np.asarray(nnls(system, wanted, maxiter=30 * system.shape[1] + 300)[0])
    except (RuntimeError, ValueError):
        raise Unsettled from None


class Coulomb:
    """Coulomb's law at k contacts, whose impulses move rates (k, 3) by the rows `bent` (k, 3, n), each contact in units of its own."""

    def __init__(self, bent: np.ndarray, rates: np.ndarray, friction: Sequence[float]) -> None:
        self.units = np.maximum(np.sqrt((bent * bent).sum(axis=(1, 2))), 1e-300)
        self.rows = bent / self.units[:, None, None]
        own = rates / self.units[:, None]
        self.size = max(float(np.abs(own).max()), 1e-300)
        self.rates, self.friction = own / self.size, np.array(friction, float)
        self.flat = self.rows.reshape(-1, bent.shape[2])
        self.moves = self.flat @ self.flat.T

    def violated(self, impulses: np.ndarray) -> float:
        """The violation: each contact's distance from the impulses that the law would give it, at the rates there."""
        return self._violated(impulses * self.units[:, None] / self.size)

    def _after(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(self.rates + (self.flat @ (self.flat.T @ x.ravel())).reshape(x.shape))

    def _violated(self, x: np.ndarray) -> float:
        u = self._after(x)
        if not (np.isfinite(x).all() and np.isfinite(u).all()):
            return np.inf
        across = self._within(x[:, 0], x[:, 1:] - u[:, 1:])
        return max(float(np.abs(np.minimum(x[:, 0], u[:, 0])).max()), float(np.abs(x[:, 1:] - across).max()))

    def _within(self, normal: np.ndarray, across: np.ndarray) -> np.ndarray:
        """(k, 2): the nearest in the discs of friction."""
        size, limit = np.hypot(across[:, 0], across[:, 1]), self.friction * np.maximum(normal, 0.0)
        return np.asarray(across * np.minimum(1.0, limit / np.maximum(size, 1e-300))[:, None])

    def solved(self) -> np.ndarray:
        """(k, 3). Raises Unsettled where none are found that obey the law."""
        for x in self._candidates():
            if self._violated(x) <= AGREED:
                normal = np.maximum(x[:, 0], 0.0)
                found = np.column_stack([normal, self._within(normal, x[:, 1:])])
                return found * self.size / self.units[:, None]
        raise Unsettled

    def _candidates(self) -> Iterator[np.ndarray]:
        """Candidates by the fixed point, each with those that Newton's method makes of it."""
        angles = 2.0 * np.pi * np.arange(_CONE) / _CONE
        ways = [np.column_stack([np.cos(angles), np.sin(angles)]) if mu > 0.0 else np.zeros((1, 2)) for mu in self.friction]
        for memory in _MEMORIES:
            seen = set[bytes]()
            slips, before, after = np.zeros(len(ways)), list[np.ndarray](), list[np.ndarray]()
            for _ in range(_MOST):
                check()
                x, ways = self._projected(slips, ways)
                yield x
                yield from self._refined(x, seen)
                u = self._after(x)
                before, after = [*before, slips][-memory - 1:], [*after, np.hypot(u[:, 1], u[:, 2])][-memory - 1:]
                self._add(ways, u[:, 1:], after[-1])
                slips = _onward(before, after)

    def _add(self, ways: list[np.ndarray], across: np.ndarray, sizes: np.ndarray) -> None:
        for c in np.flatnonzero((sizes > 0.0) & (self.friction > 0.0)):
            way = across[c] / sizes[c]
            if (ways[c] @ way).max() < 1.0 - _SAME:
                ways[c] = np.vstack([ways[c], way])

    def _projected(self, slips: np.ndarray, ways: Sequence[np.ndarray]) -> tuple[np.ndarray, list[np.ndarray]]:
        """The impulses in the cones of these directions that make u_N + mu s >= mu u_T d along each direction d, by the least change; and
        the directions without those that were added and now do nothing.
        """
        owner, way = np.repeat(np.arange(len(ways)), [len(e) for e in ways]), np.concatenate(ways)
        columns = np.column_stack([np.ones(len(way)), -self.friction[owner, None] * way])
        rows = np.einsum("mi,min->mn", columns, self.rows[owner])
        wanted = -(columns * self.rates[owner]).sum(axis=1) - (self.friction * slips)[owner]
        weights = least_distance(rows, wanted)
        found = np.zeros((len(ways), 3))
        np.add.at(found, owner, weights[:, None] * columns)
        ends = np.cumsum([len(e) for e in ways])[:-1]
        return found, [e[(np.arange(len(e)) < _CONE) | (w > 0.0)] for e, w in zip(ways, np.split(weights, ends), strict=True)]

    def _refined(self, x: np.ndarray, seen: set[bytes]) -> Iterator[np.ndarray]:
        """Candidates that Newton's method makes of it, from contacts that stick and slip as none that are `seen`."""
        for _ in range(_ANEW):
            u = self._after(x)
            ahead = x - u
            on = np.where(np.abs(u[:, 0]) > _NONE, ahead[:, 0] > 0.0, x[:, 0] > _NONE)
            slips = on & (np.hypot(ahead[:, 1], ahead[:, 2]) > self.friction * np.maximum(x[:, 0], ahead[:, 0]))
            if (key := on.tobytes() + slips.tobytes()) in seen:
                return
            seen.add(key)
            x = self._newton(x * on[:, None], on, slips)
            if not np.isfinite(x).all():
                return
            yield x

    def _newton(self, x: np.ndarray, on: np.ndarray, slips: np.ndarray) -> np.ndarray:
        """Contacts that are `on` part no more; of these, friction acts against the slip, or there is none."""
        k, identity = len(x), np.eye(3 * len(x)).reshape(-1, 3, 3 * len(x))
        moves = self.moves.reshape(k, 3, 3 * k)
        for _ in range(_STEPS):
            u = self._after(x)
            size = np.hypot(u[:, 1], u[:, 2])
            way = u[:, 1:] / np.maximum(size, 1e-300)[:, None]
            left = np.where(on[:, None], u, x)
            slope = np.where(on[:, None, None], moves, identity)
            pressed = self.friction * x[:, 0]
            turns = (pressed / np.maximum(size, 1e-300))[:, None, None] * (np.eye(2) - way[:, :, None] * way[:, None, :])
            against = identity[:, 1:] + (self.friction[:, None] * way)[:, :, None] * identity[:, :1] + turns @ moves[:, 1:]
            left[slips, 1:] = (x[:, 1:] + pressed[:, None] * way)[slips]
            slope[slips, 1:] = against[slips]
            if not (np.isfinite(left).all() and np.isfinite(slope).all()):
                return np.full_like(x, np.nan)
            step = np.linalg.lstsq(slope.reshape(3 * k, 3 * k), -left.ravel(), rcond=_RANK)[0].reshape(k, 3)
            x = x + step
            if np.abs(step).max() <= 1e-15 * np.abs(x).max():
                break
        return x


def _onward(before: Sequence[np.ndarray], after: Sequence[np.ndarray]) -> np.ndarray:
    """The next of a fixed-point iteration whose steps so far went from `before` to `after`: Anderson's method."""
    if len(before) < 2:
        return after[-1]
    steps = np.array(after) - np.array(before)
    shares = np.linalg.lstsq((steps[-1] - steps[:-1]).T, steps[-1], rcond=1e-10)[0]
    if not np.abs(shares).sum() < _WILD:
        return after[-1]
    return np.asarray(np.maximum(after[-1] - shares @ (after[-1] - np.array(after[:-1])), 0.0))


def least_distance(rows: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """(m,) numbers p >= 0 for which rows^T p is the least x with rows x >= wanted (Lawson and Hanson 1974, Chapter 23)."""
    units = np.maximum(np.linalg.norm(rows, axis=1), 1e-300)
    own, target = rows / units[:, None], wanted / units
    size = float(target.max())
    if not size > 0.0:
        return np.zeros(len(rows))
    system = np.vstack([own.T, target / size])
    weights = nonnegative(system, np.array([0.0] * rows.shape[1] + [1.0]))
    left = 1.0 - float(system[-1] @ weights)
    # No x fulfils all rows where nothing is left but the rounding of that sum.
    if not left > len(rows) * _ROUNDING:
        raise Unsettled
    return np.asarray(weights * (size / left) / units)
