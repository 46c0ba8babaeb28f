"""Rigid bodies with many digits, without bounds: Taylor series of Euler's equations in mpmath, and impulses at points."""

import mpmath
from mpmath import mpf

DIGITS, TERMS, STEP = 30, 28, mpf(1) / 32


def vec(e):
    return mpmath.matrix([mpf(float(x)) for x in e])


def cross(a, b):
    return mpmath.matrix([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def rotation(q):
    w, x, y, z = q
    s = dot(q, q)
    return mpmath.matrix([[s - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                          [2 * (x * y + w * z), s - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                          [2 * (x * z - w * y), 2 * (y * z + w * x), s - 2 * (x * x + y * y)]]) / s


class Top:
    """A body with the principal moments (3,), centre of mass at the origin of its coordinates, in free flight since a time."""

    def __init__(self, time, centre, velocity, gravity, turn, spin, mass, moments):
        self.time, self.centre, self.velocity, self.gravity, self.turn, self.spin = time, centre, velocity, gravity, turn, spin
        self.mass, self.moments = mass, moments

    @classmethod
    def of(cls, rigid, gravity, moments):
        turn = vec(rigid.orientation)
        centre = vec(rigid.position) + rotation(turn) * vec(rigid.centre)
        return cls(mpf(0), centre, vec(rigid.velocity), vec(gravity), turn / mpmath.norm(turn), vec(rigid.spin),
                   mpf(rigid.mass), moments)

    def at(self, time):
        """The same from a later time on."""
        tau = time - self.time
        steps = max(1, int(mpmath.ceil(tau / STEP)))
        turn, w = self.turn, rotation(self.turn).T * self.spin
        for _ in range(steps):
            w, turn = self._after(w, turn, tau / steps)
        return Top(time, self.centre + tau * self.velocity + tau**2 / 2 * self.gravity, self.velocity + tau * self.gravity, self.gravity,
                   turn, rotation(turn) * w, self.mass, self.moments)

    def _after(self, w, q, h):
        ws, qs, (a, b, c) = [list(w)], [list(q)], self.moments
        for k in range(TERMS):
            def conv(f, g, k=k):
                return sum(f[i] * g[k - i] for i in range(k + 1))
            x, y, z = ([e[i] for e in ws] for i in range(3))
            o, i, j, l = ([e[n] for e in qs] for n in range(4))
            ws.append([(b - c) / a * conv(y, z) / (k + 1), (c - a) / b * conv(z, x) / (k + 1), (a - b) / c * conv(x, y) / (k + 1)])
            qs.append([e / (2 * (k + 1)) for e in (
                -conv(i, x) - conv(j, y) - conv(l, z), conv(o, x) + conv(j, z) - conv(l, y), conv(o, y) + conv(l, x) - conv(i, z),
                conv(o, z) + conv(i, y) - conv(j, x))])
        return (mpmath.matrix([mpmath.polyval([e[n] for e in reversed(rows)], h) for n in range(len(rows[0]))]) for rows in (ws, qs))

    def place(self, point):
        return self.centre + rotation(self.turn) * point

    def seen(self, point):
        return rotation(self.turn).T * (point - self.centre)

    def axes(self):
        r = rotation(self.turn)
        return [r[:, k] for k in range(3)]

    def speed(self, point):
        return self.velocity + cross(self.spin, point - self.centre)

    def mobility(self, point, normal):
        return 1 / self.mass + dot(cross(point - self.centre, normal), self._eased(cross(point - self.centre, normal)))

    def _eased(self, moment):
        r = rotation(self.turn)
        own = r.T * moment
        return r * mpmath.matrix([e / m for e, m in zip(own, self.moments, strict=True)])

    def pushed(self, point, impulse):
        return Top(self.time, self.centre, self.velocity + impulse / self.mass, self.gravity, self.turn,
                   self.spin + self._eased(cross(point - self.centre, impulse)), self.mass, self.moments)


def first(gap, bodies, until):
    """Where a function of the bodies first falls through zero, and the bodies then; None if it does not. It is sampled at each step, from a
    little later on, since the bodies may touch.
    """
    now = [b.at(b.time + STEP / 128) for b in bodies]
    while gap(after := [b.at(b.time + STEP) for b in now]) > 0:
        now = after
        if now[0].time > until:
            return None
    time = mpmath.findroot(lambda s: gap([b.at(s) for b in now]), (now[0].time, after[0].time), solver="anderson",
                           tol=mpf(10) ** (10 - 2 * DIGITS))
    return time, [b.at(time) for b in now]


def hit(one, other, point, normal, restitution):
    """Both after a hit at a point, where the unit normal is from the first to the second (None: of what is fixed)."""
    moving = [(b, s) for b, s in ((one, 1), (other, -1)) if b is not None]
    closing = sum(s * dot(normal, b.speed(point)) for b, s in moving)
    size = (1 + restitution) * closing / sum(b.mobility(point, normal) for b, _ in moving)
    after = [None if b is None else b.pushed(point, -s * size * normal) for b, s in ((one, 1), (other, -1))]
    return size, after
