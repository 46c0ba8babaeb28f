import dataclasses
import json
import math
from typing import NamedTuple

import numpy as np
import pytest

import collide
from collide.answers.contacts import Contacts, Status
from collide.moment.start import Start
from generative import ParametricSurface, u, v, x
from models.scenes import SCENES


class Bracket(NamedTuple):
    lo: float
    hi: float


def contacts(**changes):
    """The crossed tori's answer, made by hand; `changes` replace fields, and what is told by the time goes with it."""
    time = changes.get("time", Bracket(1.7510004003, 1.7510004004))
    values = {
        "status": Status.CONTACT, "time": time, "clear_until": 2.0 if time is None else time.lo,
        "points": np.array([[0.8, 0.0, 0.2], [-0.8, 0.0, 0.2]]), "normals": np.array([[0.0, 0.0, -1.0]] * 2),
        "proved": np.array([True, True]), "existence": np.array([True, True]), "pairs": np.array([[0, 1]] * 2),
        "features": [("face 0", "face 0")] * 2, "boxes": [np.array([(0.0, 0.0)] * 4 + [time or (0.0, 0.0)])] * 2,
        "variables": [("u1", "v1", "u2", "v2", "t")] * 2, "iterations": 1455, "seconds": 0.00021,
        "start": {(0, 1): Start.DISJOINT}, "time_span": (0.0, 2.0),
    }  # fmt: skip
    return Contacts(**{**values, **changes})


def empty(status, **changes):
    none, flags = np.zeros((0, 3)), np.zeros(0, bool)
    nothing = {"points": none, "normals": none, "proved": flags, "existence": flags, "pairs": np.zeros((0, 2), int),
               "features": [], "boxes": [], "variables": []}  # fmt: skip
    return contacts(status=status, **nothing, **changes)


def test_summary_of_proved_points():
    text = contacts().summary()
    assert "First contact at t = 1.7510004003, within [1.751000400299, 1.7510004004]" in text
    assert "2 points, each proved to be a unique isolated contact" in text
    assert "disjoint at the start (proved)" in text and "examined 1,455 boxes; all in all it took 0.21 ms" in text


def test_the_decimals_of_a_bracket_are_rounded_outwards():
    lo, hi = 1.0 + 2**-30, 1.0 + 2**-29
    text = contacts(time=Bracket(lo, hi), clear_until=lo).summary()
    shown = text[text.index("[") + 1:text.index("]")].split(", ")
    assert float(shown[0]) <= lo and float(shown[1]) >= hi
    clear = text.split("Before t = ")[1].split()[0]
    assert lo - 1e-11 < float(clear) <= lo


def test_summary_of_a_curve_and_of_located_points():
    text = contacts(proved=np.array([False, False])).summary()
    assert "2 points near which a contact is proved to exist, perhaps samples of a curve" in text
    text = contacts(proved=np.array([True, False]), time=Bracket(1.5, 1.501)).summary()
    assert "at a time t within [1.5, 1.501]" in text and "1 proved unique and isolated; 1 near which" in text
    text = contacts(proved=np.array([True, False]), existence=np.array([True, False])).summary()
    assert "1 proved unique and isolated; 1 only located" in text


def test_summary_of_a_proved_time_whose_place_is_only_located():
    nothing = np.zeros(2, bool)
    text = contacts(proved=nothing, existence=nothing).summary()
    assert "First contact at t = 1.7510004003" in text and "contact there is not proved" not in text
    assert "2 points, only located: the time of the contact is proved, that it is there is not." in text


def test_summary_of_surfaces_that_are_joined():
    start = {(0, 0): Start.DISJOINT, (0, 1): Start.DISJOINT, (1, 1): Start.DISJOINT}
    text = empty(Status.NO_CONTACT, time=None, clear_until=2.0, start=start).summary()
    assert text.startswith("No contact: what is not joined is proved not to touch from t = 0 to t = 2.")
    assert "At the start nothing touches but what is joined (proved)." in text and "disjoint" not in text
    text = contacts(start={**start, (0, 0): Start.UNKNOWN}).summary()
    assert "Bodies 0 and itself are not decided to be apart at the start." in text


def test_of_several_bodies_the_pairs_are_told():
    disc = ParametricSurface([u, v, 0], {u: (0, 1), v: (0, 1)})
    unproved = {"status": Status.UNRESOLVED, "proved": np.zeros(2, bool), "existence": np.zeros(2, bool)}
    many = contacts(bodies=[disc] * 3, pairs=np.array([[0, 2], [1, 2]]), **unproved)
    assert "There may be a contact of bodies 0 and 2; 1 and 2 at t" in many.summary()
    assert "First contact of bodies 0 and 1 at t" in contacts(bodies=[disc] * 3).summary()


def test_summary_of_the_other_outcomes():
    none = empty(Status.NO_CONTACT, time=None, clear_until=2.0)
    assert none.summary().startswith("No contact: the bodies are proved not to touch from t = 0 to t = 2.")
    spent = empty(Status.BUDGET_SPENT, time=Bracket(0.5, math.inf), clear_until=0.5).summary()
    assert "The budget was spent" in spent and "Before t = 0.5 there is proved" in spent and "[" not in spent
    cut_short = contacts(status=Status.BUDGET_SPENT).summary()
    assert "The first contact comes at t = 1.7510004003" in cut_short and "So far: 2 points" in cut_short
    unresolved = contacts(status=Status.UNRESOLVED, proved=np.zeros(2, bool), existence=np.zeros(2, bool)).summary()
    assert "neither proved nor excluded: 2 points (2 only located" in unresolved


def test_summary_says_what_is_weaker_when_bodies_do_not_start_apart():
    start = {(0, 1): Start.OVERLAPPING, (0, 2): Start.DISJOINT, (1, 2): Start.UNKNOWN}
    text = contacts(start=start).summary()
    assert "Bodies 0 and 1 are overlapping at the start." in text and "Bodies 1 and 2 are not decided" in text
    assert "no new incoming tangential contact" in text and "there is proved to be no new contact" in text
    many = contacts(start={(0, j): Start.TOUCHING for j in range(1, 10)}).summary()
    assert "0 and 4; and 5 more pairs are touching" in many


def test_json_holds_everything_and_is_strict():
    table = json.loads(contacts(normals=np.full((2, 3), np.nan)).to_json())
    assert table["status"] == "CONTACT" and table["time"] == [1.7510004003, 1.7510004004]
    assert table["points"][0] == [0.8, 0.0, 0.2] and table["normals"][0] == [None] * 3
    assert table["start"] == [{"pair": [0, 1], "state": "DISJOINT"}] and table["features"][0] == ["face 0", "face 0"]
    assert json.loads(empty(Status.NO_CONTACT, time=None, clear_until=2.0).to_json())["time"] is None


def test_every_status_and_start_has_its_sentence():
    for value in (*Status, *Start):
        assert len(value.value.split()) > 3 and repr(value) == f"{type(value).__name__}.{value.name}"


def test_results_are_immutable_and_print_short():
    with pytest.raises(dataclasses.FrozenInstanceError):
        contacts().status = Status.NO_CONTACT
    assert repr(contacts()) == "Contacts(CONTACT, time=[1.7510004003, 1.7510004004], 2 points, 2 proved unique)"
    assert len(contacts()) == 2


def test_every_result_says_unique_exists_and_iterations():
    """One vocabulary: whatever `proved` is by contract, these mean the same everywhere."""
    crossed = SCENES["tori-crossed"]
    c = collide.first_contact(crossed.bodies, crossed.time)
    assert c.unique.tolist() == c.proved.tolist() == [True, True] and c.exists.all() and c.iterations > 0
    q = np.random.default_rng(2).uniform(-1, 1, (20, 8, 3))
    batch = collide.edge_edge(q)
    assert not batch.unique.any() and batch.exists.tolist() == batch.proved.tolist() and batch.iterations is batch.tests
    zeros = collide.solve([x**2 - 2], {x: (-2, 2)})
    assert zeros.unique.all() and zeros.exists.all() and len(zeros) == 2
    least = collide.minimize((x - 1)**2, {x: (-2, 2)})
    assert least.unique.all() and least.exists


def test_bodies_are_told_by_their_names():
    cup, lid = (ParametricSurface([u, v, 0], {u: (0, 1), v: (0, 1)}, name=name) for name in ("cup", "<lid>"))
    answer = contacts(bodies=[cup, lid], start={(0, 1): Start.TOUCHING})
    assert "First contact of cup and <lid> at t" in answer.summary() and "Bodies cup and <lid> are touching" in answer.summary()
    assert "<td>cup, &lt;lid&gt;</td>" in answer._repr_html_() and json.loads(answer.to_json())["names"] == [["cup", "<lid>"]] * 2
    answer = contacts(bodies=[cup, cup], start={(0, 1): Start.TOUCHING})
    assert 'Bodies 0 ("cup") and 1 ("cup") are touching' in answer.summary()
    nameless = contacts(bodies=[cup.named(None)] * 2, start={(0, 1): Start.TOUCHING})
    assert nameless.summary() == contacts(start={(0, 1): Start.TOUCHING}).summary() and "First contact at" in nameless.summary()
    assert "Bodies 0 and 1 are touching" in nameless.summary() and "<td>0, 1</td>" in nameless._repr_html_()
