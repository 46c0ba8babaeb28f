"""Pictures of distances, and charts of clearances and of derivatives."""

from itertools import pairwise

import numpy as np
import pytest
import sympy as sp

import collide
from collide.picture import figure
from collide.picture.charts import clearance_chart, tornado
from collide.picture.drawing import Drawing
from collide.picture.marks import add_nearest
from generative import Parameter, ParametricSurface, Rigid, primitives, t, u, v

from .scene_data import data, marks

PLATE = ParametricSurface([u, v, 0], {u: (-1, 1), v: (-1, 1)}, name="plate")
BOWL = ParametricSurface([u, v, u**2 + v**2], {u: (-1, 1), v: (-1, 1)}, name="bowl")
h, s = Parameter("h"), Parameter("s")
FALLING = BOWL.moved(Rigid(translation=[0, 0, h - s * t]))


def test_the_nearest_points_are_shown_at_the_moment_of_the_least_distance() -> None:
    k = collide.clearance([PLATE, BOWL.moved(Rigid(translation=[0, 0, 1 + (t - sp.Rational(1, 4))**2]))], (0, 1))
    shown = figure(k)
    last = [m for m in marks(shown) if m[8] > 1]
    (segment,) = [m for m in last if (m[:3] != m[3:6]).any()]
    assert np.allclose(np.sort(segment[[2, 5]]), [0, 1], atol=1e-6) and data(shown)["span"] == [0, 0.25] and len(last) == 3
    assert 'class="glass" checked' in shown.page and "shown: t = 0 to 0.25, of 0 to 1" in shown.page


def test_a_distance_with_parameters_is_shown_at_the_worst_values(tmp_path) -> None:
    d = collide.distance(PLATE, FALLING, at=0.5, parameters={h: (1, 2), s: 1})
    assert d.moment == 0.5 and d.time_span == (0.5, 0.5) and data(figure(d))["span"] == [0.5, 0.5]
    d.save_html(tmp_path / "page.html", title="Plate and bowl")
    assert "Plate and bowl" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_the_nearest_points_move_with_the_bodies() -> None:
    """Two balls, one of which passes by: points on the line between their middles; and marks that lead from one to the next."""
    first = primitives.ball(1)
    answer = collide.clearance([first, first.moved(Rigid(translation=[4 * t - 2, 3, 0]))], (0, 1))
    times = np.linspace(0, 0.5, 5)
    places = answer.followed(times)
    middles = np.stack([4 * times - 2, np.full(5, 3.0), np.zeros(5)], axis=1)
    away = middles / np.linalg.norm(middles, axis=1, keepdims=True)
    assert np.abs(places[:, 0] - np.stack([away, middles - away], axis=1)).max() < 0.02
    drawing = Drawing((0.0, 0.5))
    add_nearest(drawing, answer, (0.5, 1e38))
    marks = np.array(drawing.marks)
    lines = marks[(marks[:, :3] != marks[:, 3:6]).any(axis=1)]
    assert len(lines) == 41 and (lines[:-1, 8] == lines[1:, 7]).all() and np.abs(lines[:-2, 13:19] - lines[1:-1, :6]).max() == 0


def test_clearances_in_parts_of_the_time() -> None:
    ends = np.linspace(0, 1, 5)
    parts = [collide.clearance([PLATE, BOWL.moved(Rigid(translation=[0, 0, 2 - t]))], (a, b)) for a, b in pairwise(ends)]
    high, low, dots = clearance_chart(parts).data
    assert np.allclose(low.y, np.repeat([1.75, 1.5, 1.25, 1.0], 2)) and (np.array(high.y) >= np.array(low.y)).all()
    assert np.allclose(dots.x, [0.25, 0.5, 0.75, 1.0])
    with pytest.raises(TypeError, match="a chart of clearances takes answers of clearance"):
        clearance_chart([])


def test_what_matters_most_is_on_top() -> None:
    contact = collide.first_contact([PLATE, FALLING], (0, 2), parameters={h: 1, s: 2})
    shown = tornado(contact.sensitivity([h, s]), {h: (0.9, 1.1), s: (1.9, 2.1)})
    assert list(shown.data[0].y) == ["s", "h"]
    assert np.allclose(shown.data[0].x, [-0.25 * 0.1, 0.5 * 0.1])
    with pytest.raises(ValueError, match="needs ranges for parameters"):
        tornado(contact.sensitivity([h, s]), {})
