import base64
import importlib.util
import json
import shutil
import sys

import numpy as np
import pytest
import sympy as sp

from collide.answers.contacts import Status
from collide.picture import figure, save_html, save_png, still
from collide.picture.parts import TRANSPARENT
from generative import ImplicitSurface, ParametricSurface, Rigid, Solid, t, u, v, x, y, z
from models.scenes import SCENES
from models.shapes.quadrics import sphere
from tests.collide.answers.test_contacts import contacts, empty


def crossed(**changes):
    return contacts(bodies=SCENES["tori-crossed"].bodies, **changes)


def test_the_figure_ends_at_the_moment_of_contact():
    picture = figure(crossed())
    upper, lower, _, dots = picture.data
    assert upper.opacity == lower.opacity == TRANSPARENT and dots.mode == "markers" and len(dots.x) == 2
    # Upright ring of outer radius 1.3 about the height 3 - t = sqrt(1.56).
    assert upper.z.max() == pytest.approx(np.sqrt(1.56) + 1.3, abs=4e-3)
    assert upper.z.min() == pytest.approx(np.sqrt(1.56) - 1.3, abs=4e-3)
    assert "t = 1.7510004" in picture.layout.title.text and "2 points" in picture.layout.title.text


def test_frames_move_what_moves_and_nothing_else():
    picture = figure(crossed())
    first, last = picture.frames[0], picture.frames[-1]
    assert 20 <= len(picture.frames) <= 30 and len(picture.layout.sliders[0].steps) == len(picture.frames)
    upper, lower, _, dots = first.data
    assert upper.z.max() > picture.data[0].z.max() + 0.3 and lower.z is None
    assert upper.opacity == 1 and not dots.visible
    np.testing.assert_array_equal(last.data[0].z, picture.data[0].z)
    assert last.data[3].visible and last.data[0].opacity == TRANSPARENT


def test_bodies_have_their_names_and_tags_in_these_are_text():
    upper, lower = SCENES["tori-crossed"].bodies
    picture = figure(contacts(bodies=[upper.named("<b>ring</b>"), lower]))
    assert [trace.name for trace in picture.data[:2]] == ["&lt;b&gt;ring&lt;/b&gt;", "body 1"]
    assert "<br>&lt;b&gt;ring&lt;/b&gt; face 0, body 1 face 0<br>" in picture.data[3].text[0]


def test_everything_stays_inside_the_shown_box():
    picture = figure(crossed())
    lo, hi = picture.layout.scene.zaxis.range
    for frame in picture.frames:
        assert lo <= frame.data[0].z.min() and frame.data[0].z.max() <= hi


def test_bodies_of_every_kind_and_no_contact():
    ball = ImplicitSurface(x**2 + y**2 + z**2 - 1, bounds=[(-2, 2)] * 3)
    sheet = ParametricSurface([u, v, sp.sin(u - t) / 4], {u: (-1, 1), v: (-1, 1)})
    bodies = [ball.moved(Rigid(translation=[0, 0, 3 - t])), (ball - ball.moved(Rigid(translation=[1, 0, 0]))), Solid([sheet])]
    picture = figure(bodies, time=(0, 1), frames=4)
    assert len(picture.frames) == 4 and len(picture.data) == 4
    assert [trace.color for trace in picture.data][1] == [trace.color for trace in picture.data][2]  # two leaves of one body
    still = figure(bodies)
    assert not still.frames and all(trace.opacity == 1 for trace in still.data)
    clear = figure(empty(Status.NO_CONTACT, time=None, clear_until=2.0, bodies=SCENES["tori-crossed"].bodies))
    assert all(trace.opacity == 1 for trace in clear.data) and len(clear.data) == 2


def test_a_point_without_normal_is_still_drawn():
    picture = figure(crossed(normals=np.full((2, 3), np.nan)))
    assert np.isfinite(picture.data[3].x).all()


def test_the_page_is_self_contained_and_small(tmp_path):
    target = tmp_path / "page.html"
    save_html(target, [crossed(), crossed()], titles=["First <b>", "Second"])
    page = target.read_text()
    assert page.count("<section>") == 2 and "First &lt;b&gt;" in page and "unique isolated contact" in page
    assert len(page) < 2e5 and "src=" not in page and "http" not in page


def test_boxes_are_outlined_on_both_surfaces():
    boxes = [np.array([[a, a + 0.2] for a in (0.1, 4.0, 0.3, 1.0)] + [[1.75, 1.752]])] * 2
    named = contacts(bodies=SCENES["tori-crossed"].bodies, boxes=boxes, variables=[("u1", "v1", "u2", "v2", "t")] * 2)
    picture = figure(named, boxes=True)
    ring = np.stack([picture.data[-1][axis] for axis in "xyz"], axis=1)
    parts = np.split(ring[~np.isnan(ring[:, 0])], 4)  # two points, two bodies each, 36 points a ring
    assert len(picture.data) == 5 and all(len(p) == 36 for p in parts)
    flat = parts[1]
    corner = [(1 + 0.3 * np.cos(1)) * np.cos(0.3), (1 + 0.3 * np.cos(1)) * np.sin(0.3), 0.3 * np.sin(1)]  # u2 = 0.3, v2 = 1
    np.testing.assert_allclose(flat[[0, -1]], [corner, corner], atol=1e-6)
    assert len(figure(crossed(features=[("edge 0", "face 9")] * 2), boxes=True).data) == 4  # nothing to outline


def test_a_result_as_html():
    upper, lower = SCENES["tori-crossed"].bodies
    text = contacts(bodies=[upper.named("<ring>"), lower])._repr_html_()
    assert text.count("<tr>") == 3 and "unique (proved)" in text and "<td>&lt;ring&gt;, 1</td>" in text
    assert crossed().summary()[:40] in crossed()._repr_html_() and "<td>(0, 0), (0, 0)</td>" in text
    many = crossed(points=np.zeros((12, 3)), normals=np.zeros((12, 3)), proved=np.zeros(12, bool),
                   existence=np.zeros(12, bool), pairs=np.zeros((12, 2), int), features=[("face 0", "face 0")] * 12,
                   boxes=[np.zeros((5, 2))] * 12, variables=[("u1", "v1", "u2", "v2", "t")] * 12)._repr_html_()
    assert "and 2 more points" in many and "located" in many


def test_what_cannot_be_drawn_is_refused_and_what_is_partly_finite_is_drawn():
    for subject in (3, [], sphere(), "ball"):
        with pytest.raises(TypeError, match="a picture shows a result of first_contact or a list of at least one body"):
            figure(subject)
    with pytest.raises(ValueError, match="must not be reversed"):
        figure([sphere()], time=(1, 0))
    never = ParametricSurface([u, v, sp.log(u - 5)], {u: (0, 1), v: (0, 1)})
    for body in (never, ImplicitSurface(x - 50, bounds=[(0, 1)] * 3)):
        with pytest.raises(ValueError, match="nothing to draw"):
            figure([body])
        assert "<img" not in body._repr_html_()
    partly = figure([ParametricSurface([u, v, sp.log(u)], {u: (0, 1), v: (0, 1)})])
    z, triangles = np.array(partly.data[0].z), np.array([partly.data[0][k] for k in "ijk"])
    assert triangles.size and np.isfinite(z[triangles]).all()


def test_a_still_picture_is_the_last_moment():
    picture, moving = still(crossed()), figure(crossed())
    assert not picture.frames and not picture.layout.sliders and not picture.layout.updatemenus
    np.testing.assert_array_equal(picture.data[0].z, moving.data[0].z)
    # Framed alone: the body above has come down since the beginning of the motion.
    assert picture.layout.scene.zaxis.range[1] < moving.layout.scene.zaxis.range[1]


def test_a_png_without_a_browser_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "kaleido" else real(name, *rest))
    with pytest.raises(RuntimeError, match=r"needs Chromium .* or kaleido"):
        save_png(tmp_path / "x.png", crossed())


def test_without_plotly_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "plotly.graph_objects", None)
    with pytest.raises(ImportError, match="pip install plotly"):
        crossed().show()


@pytest.mark.parametrize("program", ["vscode", "jupyterlab"])
def test_the_bundle_that_vs_code_and_jupyterlab_draw(program, monkeypatch):
    """One MIME type, which both draw by themselves; strict JSON, as a notebook file demands; Play, Pause and all moments inside."""
    import plotly.io as pio

    drawn = figure(contacts(bodies=SCENES["bolt-in-nut"].bodies))
    monkeypatch.setattr(pio.renderers, "default", program)
    bundle = drawn._repr_mimebundle_()
    assert list(bundle) == ["application/vnd.plotly.v1+json"]
    shown = json.loads(json.dumps(bundle["application/vnd.plotly.v1+json"], allow_nan=False))
    assert [f["name"] for f in shown["frames"]] == [str(k) for k in range(22)]
    assert [b["method"] for b in shown["layout"]["updatemenus"][0]["buttons"]] == ["animate", "animate"]
    assert len(shown["layout"]["sliders"][0]["steps"]) == 22
    assert {"mesh3d", "scatter3d"} <= {trace["type"] for trace in shown["data"]}
    packed = shown["data"][0]["x"]  # as plotly.js unpacks it
    np.testing.assert_array_equal(np.frombuffer(base64.b64decode(packed["bdata"]), packed["dtype"]), drawn.data[0].x)
