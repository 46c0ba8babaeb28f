"""Figures of notebooks: they play by themselves, and hold bodies, contacts and boxes where these are."""

import html
import shutil
import sys
import types
import webbrowser

import numpy as np
import pytest
import sympy as sp

from collide.answers.contacts import Status
from collide.picture import figure, save_html, save_png
from generative import ImplicitSurface, ParametricSurface, Rigid, Solid, t, u, v, x, y, z
from models.scenes import SCENES
from models.shapes.quadrics import sphere
from tests.collide.answers.test_contacts import contacts, empty

from .scene_data import data, floats, height, marks, names


def crossed(**changes):
    return contacts(bodies=SCENES["tori-crossed"].bodies, **changes)


def test_the_figure_ends_at_the_moment_of_contact():
    picture = figure(crossed())
    told = data(picture)
    dots = [m for m in marks(picture) if (m[:3] == m[3:6]).all()]
    assert len(told["parts"]) == 2 and len(told["shapes"]) == 1 and len(dots) == 2 and 'class="glass" checked' in picture.page
    assert told["now"] == told["span"][1] == pytest.approx(1.7510004, abs=1e-6) and not told["play"]
    assert all(m[7] > told["span"][1] - 1e-4 for m in dots)  # they are not shown before
    # Upright ring of outer radius 1.3 about the height 3 - t = sqrt(1.56), which was higher before.
    assert height(picture, 0, -1) == pytest.approx(np.sqrt(1.56) + 1.3, abs=4e-3)
    assert height(picture, 0, 0) > height(picture, 0, -1) + 0.3
    assert len(floats(told["parts"][1]["times"])) == 1  # the lower one is at rest
    assert data(figure(crossed(), play=True))["now"] < told["now"]


def test_bodies_have_their_names_and_tags_in_these_are_text():
    upper, lower = SCENES["tori-crossed"].bodies
    picture = figure(contacts(bodies=[upper.named("<b>ring</b>"), lower.named(None)]))
    assert names(picture) == ["<b>ring</b>", "body 1"] and "<b>ring" not in picture.page.replace("\\u003c", "<").split("<script")[0]
    assert any("<b>ring</b> face 0, body 1 face 0" in label for label in data(picture)["labels"])


def test_bodies_of_every_kind_and_no_contact():
    ball = ImplicitSurface(x**2 + y**2 + z**2 - 1, bounds=[(-2, 2)] * 3)
    sheet = ParametricSurface([u, v, sp.sin(u - t) / 4], {u: (-1, 1), v: (-1, 1)})
    bodies = [ball.moved(Rigid(translation=[0, 0, 3 - t])), (ball - ball.moved(Rigid(translation=[1, 0, 0]))), Solid([sheet])]
    told = data(figure(bodies, time=(0, 1)))
    assert {p["body"] for p in told["parts"]} == {0, 1, 2} and told["span"][1] == 1
    assert len({tuple(p["colour"]) for p in told["parts"] if p["body"] == 1}) == 1  # two leaves of one body
    still = figure(bodies)
    assert data(still)["span"] == [0, 0] and "checked> see" not in still.page and 'class="glass">' in still.page
    clear = figure(empty(Status.NO_CONTACT, time=None, clear_until=2.0, bodies=SCENES["tori-crossed"].bodies))
    assert not len(marks(clear)) and 'class="glass">' in clear.page


def test_a_point_without_normal_is_still_drawn():
    found = marks(figure(crossed(normals=np.full((2, 3), np.nan))))
    assert len(found) == 2 and np.isfinite(found).all()


def test_a_figure_in_a_notebook_needs_nothing_else():
    """A frame with the whole page in it: it touches no other cell, and asks the net for nothing."""
    picture = figure(crossed(), height=432)
    shown = picture._repr_html_()
    page = html.unescape(shown.split('srcdoc="')[1].split('" title')[0])
    assert page == picture.page and "height:432px" in shown and shown.count('"') == 8
    assert "http" not in page and "src=" not in page and "plotly" not in page


def test_a_figure_is_shown_below_a_cell_or_in_a_browser(monkeypatch):
    picture, seen = figure(crossed()), []
    monkeypatch.setattr(webbrowser, "open", seen.append)
    shell = types.SimpleNamespace(kernel=1)
    notebook = types.SimpleNamespace(get_ipython=lambda: shell, display=types.SimpleNamespace(display=seen.append))
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    picture.show()
    assert seen == [picture]
    shell.kernel = None
    crossed().show()
    assert seen[1].startswith("file:") and seen[1].endswith(".html")


def test_the_page_is_self_contained_and_small(tmp_path):
    target = tmp_path / "page.html"
    save_html(target, [crossed(), crossed()], titles=["First <b>", "Second"])
    page = target.read_text()
    assert page.count("<section>") == 2 and "First &lt;b&gt;" in page and "unique isolated contact" in page
    assert len(page) < 2e5 and "src=" not in page and "http" not in page
    figure(crossed()).save_html(target)
    assert target.read_text().count('class="scene"') == 1 and len(target.read_text()) < 1e5


def test_boxes_are_outlined_on_both_surfaces():
    boxes = [np.array([[a, a + 0.2] for a in (0.1, 4.0, 0.3, 1.0)] + [[1.75, 1.752]])] * 2
    named = contacts(bodies=SCENES["tori-crossed"].bodies, boxes=boxes, variables=[("u1", "v1", "u2", "v2", "t")] * 2)
    more = marks(figure(named, boxes=True))[len(marks(figure(named))):]
    begins, ends = more[:, :3], more[:, 3:6]
    corner = [(1 + 0.3 * np.cos(1)) * np.cos(0.3), (1 + 0.3 * np.cos(1)) * np.sin(0.3), 0.3 * np.sin(1)]  # u2 = 0.3, v2 = 1
    assert (np.abs(begins - corner).max(axis=1) < 1e-6).any() and len(more) % 4 == 0
    # The outline of every box is closed.
    flat = np.abs((np.hypot(begins[:, 0], begins[:, 1]) - 1) ** 2 + begins[:, 2] ** 2 - 0.09) < 1e-6
    assert sorted(map(tuple, np.round(begins[flat], 5))) == sorted(map(tuple, np.round(ends[flat], 5))) and 0 < flat.sum() < len(more)
    other = crossed(features=[("edge 0", "face 9")] * 2)
    assert len(marks(figure(other, boxes=True))) == len(marks(figure(other)))  # nothing to outline


def test_a_result_as_html():
    upper, lower = SCENES["tori-crossed"].bodies
    text = contacts(bodies=[upper.named("<ring>"), lower.named(None)])._repr_html_()
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
    partly = data(figure([ParametricSurface([u, v, sp.log(u)], {u: (0, 1), v: (0, 1)})]))
    assert partly["shapes"][0]["count"] and np.isfinite(floats(partly["cloud"])).all()


def test_a_png_without_a_browser_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(RuntimeError, match=r"needs Chromium .* need no browser"):
        save_png(tmp_path / "x.png", crossed())
