"""Shapes and worlds of several tests."""

import numpy as np
import sympy as sp

from collide import Mesh, World
from collide.world.simulation import loop
from collide.world.simulation.state import Simulation
from generative import ParametricSurface, u, v

_ANGLES = {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)}
BALL = ParametricSurface([sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v), sp.sin(v)], _ANGLES)
EGG = ParametricSurface([sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v) * sp.Rational(3, 4), sp.sin(v) / 2], _ANGLES)
RING = ParametricSurface([(1 + 3 * sp.cos(v) / 10) * sp.cos(u), (1 + 3 * sp.cos(v) / 10) * sp.sin(u), 3 * sp.sin(v) / 10],
                         {u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)})
FLOOR = ParametricSurface([u, v, 0], {u: (-50, 50), v: (-50, 50)})
WALL = ParametricSurface([0, u, v], {u: (-3, 3), v: (-3, 3)})


def cube(half: float = 0.5) -> Mesh:
    corners = np.array([[x, y, z] for x in (-half, half) for y in (-half, half) for z in (-half, half)])
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    return Mesh(corners, np.array([t for a, b, c, d in quads for t in ([a, b, c], [a, c, d])]))


def slope(angle: float) -> ParametricSurface:
    """A plane that falls along x, by an angle whose sine and cosine are made of doubles."""
    s, c = np.sin(angle), np.cos(angle)
    return ParametricSurface([u * c, v, -u * s], {u: (-50, 50), v: (-50, 50)})


def set_up(world: World) -> Simulation:
    """A run before its first step, whose bodies have their motions."""
    simulation = world._simulation(0.0)
    loop.set_up(simulation)
    return simulation
