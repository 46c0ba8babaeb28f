"""Traces of searches: the answer is that of the query, every bracket holds the known time, and pictures show what was recorded."""

import sys

import numpy as np
import pytest
import sympy as sp

import collide
from collide.picture import figure
from collide.picture.search import search_figure
from generative import ImplicitSurface, Rigid, t, x, y, z
from models.scenes import SCENES
from models.shapes.patches import plane_patch
from models.shapes.quadrics import sphere
from models.shapes.rings import torus
from tests.collide.picture.scene_data import marks

CROSSED = SCENES["tori-crossed"]
EXACT = CROSSED.known.time


@pytest.fixture(scope="module")
def crossed():
    return collide.trace(CROSSED.bodies, time=CROSSED.time, **CROSSED.options)


def test_the_answer_is_that_of_the_query(crossed):
    plain = collide.first_contact(CROSSED.bodies, time=CROSSED.time, **CROSSED.options)
    assert crossed.answer.time == plain.time and crossed.answer.iterations == plain.iterations == crossed.iterations[-1]
    np.testing.assert_array_equal(crossed.answer.points, plain.points)
    assert repr(crossed).startswith(f"Trace({len(crossed)} snapshots of Contacts(CONTACT")


def test_every_bracket_holds_the_contact_and_only_narrows(crossed):
    bracket = crossed.bracket
    assert all(sp.Rational(lo) <= EXACT for lo in bracket[:, 0])
    assert all(hi == np.inf or sp.Rational(hi) >= EXACT for hi in bracket[:, 1])
    assert (np.diff(bracket[:, 0]) >= 0).all() and (bracket[1:, 1] <= bracket[:-1, 1]).all()
    assert bracket[0, 1] == np.inf and np.diff(bracket[-1]) < 1e-9
    assert (np.diff(crossed.iterations) >= 0).all() and (np.diff(crossed.seconds) >= 0).all()


def test_boxes_seen_begin_with_the_whole_domain(crossed):
    ((problem, boxes),) = crossed.boxes().items()
    assert problem.variables == ("u1", "v1", "u2", "v2", "t") and boxes[0][0] == 0
    np.testing.assert_allclose(boxes[0][1], [[0, 2 * np.pi]] * 4 + [[0, 2]], atol=1e-12)
    assert len({box.tobytes() for _, box in boxes}) == len(boxes) > 100


def test_long_searches_keep_their_snapshots_few(monkeypatch):
    monkeypatch.setattr(sys.modules["collide.queries.trace"], "MOST", 16)  # the package holds the function of that name
    trace = collide.trace(CROSSED.bodies, time=CROSSED.time, **CROSSED.options)
    assert 5 <= len(trace) <= 17 and trace.iterations[0] == 0 and trace.iterations[-1] == trace.answer.iterations


def test_other_queries_are_traced_too():
    zeros = collide.trace(collide.solve, [x**2 + y**2 - 1, y - x**3], {x: (-2, 2), y: (-2, 2)})
    assert len(zeros.answer) == 2 and len(zeros.bracket) == len(zeros) > 1
    least = collide.trace(collide.minimize, (x**2 + y - 1) ** 2 + (x + y**2 - 3) ** 2 + 1, {x: (-4, 4), y: (-4, 4)})
    assert (least.bracket[:, 0] <= 1).all() and (least.bracket[:, 1] >= 1).all()
    assert search_figure(zeros).data


def test_errors_are_those_of_the_query_and_leave_no_watcher():
    with pytest.raises(ValueError, match="at least two bodies"):
        collide.trace([torus()], time=(0, 1))
    floor = ImplicitSurface(z, bounds=[(-2, 2)] * 3)
    assert collide.first_contact([torus().moved(Rigid(translation=[0, 0, 1 - t])), floor], time=(0, 1)).time is not None


def test_the_figure_of_a_search(crossed):
    picture = search_figure(crossed)
    names = [line.name for line in picture.data]
    assert names[:3] == ["lower bound", "upper bound", "width"] and len(names) > 6
    lower = picture.data[0]
    assert lower.x[-1] == crossed.answer.iterations and lower.y[-1] == crossed.bracket[-1, 0]
    drawn = sum(np.isnan(line.x).sum() for line in picture.data[3:])  # one NaN a rectangle
    assert drawn == 2 * len(crossed.boxes().popitem()[1])
    assert [a.text for a in picture.layout.annotations] == ["bracket", "its width", "boxes in u1 and v1", "boxes in u2 and v2"]


def test_the_figure_of_a_search_names_the_bodies():
    upper, lower = SCENES["tori-crossed"].bodies
    trace = collide.trace([upper.named("ring"), lower.named(None)], time=(0, 4))
    assert search_figure(trace).layout.title.text.endswith("ring face 0, body 1 face 0")


def test_the_figure_of_a_search_shows_the_problem_that_is_asked_for():
    """Two balls come down on a plate, one of them far later: its problem has few boxes, and is not the one that is shown by itself."""
    balls = [sphere().moved(Rigid(translation=[3 * k, 0, 2 + k - t])) for k in (0, 1)]
    trace = collide.trace([*balls, plane_patch(width=9, depth=9)], time=(0, 3), simultaneity=2)
    least, most = sorted(trace.boxes(), key=lambda p: len(trace.boxes()[p]))[::len(trace.boxes()) - 1]
    drawn = {}
    for problem in (None, least, most):
        picture = search_figure(trace, problem=problem, height=400)
        drawn[problem] = sum(np.isnan(line.x).sum() for line in picture.data[3:])
        assert picture.layout.height == 400
    assert search_figure(trace).layout.height == 760 and least is not most
    assert drawn == {None: drawn[most], least: 2 * len(trace.boxes()[least]), most: 2 * len(trace.boxes()[most])}
    other = collide.trace(collide.solve, [x**2 - 2], {x: (0, 2)})
    with pytest.raises(ValueError, match="the problem must be one of those of the trace"):
        search_figure(trace, problem=next(iter(other.boxes())))


def test_boxes_of_a_search_lie_on_the_bodies(crossed):
    plain, drawn = marks(figure(crossed.answer)), marks(figure(crossed.answer, boxes=crossed))
    x, y, z = drawn[len(plain):, :3].T
    upper = z - float(sp.sqrt(39) / 5)
    flat, upright = ((np.hypot(a, b) - 1) ** 2 + c**2 for a, b, c in ((x, y, z), (x, upper, y)))
    assert len(x) > 1000 and np.abs(np.minimum(flat, upright) - 0.09).max() < 1e-5


def test_the_card_of_a_trace(crossed):
    text = crossed._repr_html_()
    assert text.count("<tr>") == 11 and f"{crossed.answer.iterations:,}" in text


def test_progress_tells_of_the_compiler_and_of_the_search(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("GENERATIVE_COLLISION_CACHE", str(tmp_path))
    equation = x**5 - sp.Rational(12347, 10007) * x - sp.Rational(1, 3)  # compiled nowhere else
    found = collide.solve([equation], {x: (-3, 3)}, progress=True)
    said = capsys.readouterr().err
    assert len(found) and "compiling kernel 1" in said and "kernels compiled in" in said and "open" in said
    from codegen.machine.native import watchers
    assert not watchers
