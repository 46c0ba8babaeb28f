"""Implicit bodies fitted to voxels."""

import numpy as np
import pytest

import collide
from codegen.functions.lattices import TricubicSpline
from generative import Rigid, fit, t
from generative.mesh import tessellate
from tests.collide.world.scenes import BALL

GRID = np.linspace(-2, 2, 17)
FAR = np.sqrt(sum(e**2 for e in np.meshgrid(GRID, GRID, GRID, indexing="ij")))


def test_it_goes_through_the_values() -> None:
    found = fit.implicit(FAR - 1, (-2, -2, -2), 0.25, name="ball")
    assert found.error < 1e-14 and "measured at 4913 values" in found.statement and found.value.name == "ball"
    assert isinstance(found.value.body, TricubicSpline) and found.value.bounds == ((-2, 2),) * 3
    vertices, _ = tessellate(found.value)[0].at(0.0)
    assert np.abs(np.linalg.norm(vertices, axis=1) - 1).max() < 0.01


def test_densities_and_fewer_cells() -> None:
    """A smooth function is followed by far fewer cells than values; as many as there are values go through them."""
    errors = [fit.implicit(np.exp(-FAR**2), (-2, -2, -2), 0.25, level=0.3, inside="above", cells=[n] * 3).error for n in (4, 8, 14)]
    assert 2e-2 > errors[0] > 2 * errors[1] > 0.005 and errors[2] < 1e-14
    body = fit.implicit(np.exp(-FAR**2), (-2, -2, -2), 0.25, level=0.3, inside="above").value
    assert body.body.approx(0, 0, 0) < 0 < body.body.approx(1.9, 0, 0)


def test_contacts_are_those_of_the_function() -> None:
    """A ball falls on it: at the moment found its least value on the ball is 0."""
    body = fit.implicit(FAR - 1, (-2, -2, -2), 0.5, cells=(6, 6, 6)).value
    found = collide.first_contact([BALL.moved(Rigid(translation=[0.1 * t, 0.2, 4 - t])), body], time=(0, 4))
    assert found.status is collide.Status.CONTACT and found.time is not None and found.time[1] - found.time[0] < 1e-10
    assert found.unique.all()
    rng, at = np.random.default_rng(1), found.time[0]
    sphere = rng.normal(size=(100_000, 3))
    sphere = sphere / np.linalg.norm(sphere, axis=1, keepdims=True) + [0.1 * at, 0.2, 4 - at]
    assert 0 <= body.body.approx(*sphere.T).min() < 1e-3
    assert abs(float(body.body.approx(*found.points[0]))) < 1e-9


@pytest.mark.parametrize("options, words", [
    ({"values": FAR[0]}, "at least 4 a side"), ({"values": FAR + 1}, "none is on one side"), ({"inside": "in"}, "below"),
    ({"spacing": 0}, "positive spacing"), ({"origin": (0, 0)}, "three finite numbers"), ({"cells": (15, 4, 4)}, "three less"),
    ({"cells": 3}, "three positive integers"), ({"level": np.nan}, "level"), ({"values": np.full((5, 5, 5), np.inf)}, "finite"),
])
def test_bad_voxels(options: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        fit.implicit(**{"values": FAR - 1, **options})
