"""One word, one meaning: what `docs/pages/guarantees.md` says of all queries and all results."""

import inspect
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import collide
from collide.answers.batch import Batch
from generative import fit
from models.shapes.polyhedra import wedge

WORDS = (Path(__file__).parents[2] / "docs" / "pages" / "guarantees.md").read_text(encoding="utf-8")
KINDS = ("a parameter width", "a bracket width", "an error of approximation", "a distance from planes")
# Phrases by which a docstring refers to that of another function.
AS_IN = ("as in `edge_edge`", "Decided as the queries are", "The same as `bezier_pairs`", "Options as in `first_contact`",
         "As in `minimize`", "As in `distance`")
QUERIES = {name: f for name, f in vars(collide).items() if inspect.isfunction(f)} | {
    name: f for name, f in vars(fit).items() if inspect.isfunction(f) and not name.startswith("_") and f.__module__ == fit.__name__}
RESULTS = (Batch, collide.Contacts, collide.MeshContact, collide.Minimum, collide.Zeros)


def taking(name):
    return [known for known, f in QUERIES.items() if name in inspect.signature(f).parameters]


@pytest.mark.parametrize("name", taking("tolerance"))
def test_a_tolerance_says_of_what(name):
    text = " ".join((QUERIES[name].__doc__ or "").split())
    if any(known in text for known in AS_IN):
        return
    after = text.split("`tolerance`, ", 1)[1]
    assert after.startswith(KINDS)
    assert all(kind.split(" ", 1)[1] in WORDS for kind in KINDS)


@pytest.mark.parametrize("name", taking("budget"))
def test_a_budget_is_seconds_or_a_budget(name):
    """Every other thing is refused in the same words: all go through one function."""
    assert inspect.signature(QUERIES[name]).parameters["budget"].default is None
    text = " ".join((QUERIES[name].__doc__ or "").split())
    assert "`Budget`" in text or any(known in text for known in AS_IN)


def test_a_solid_is_checked_within_a_budget():
    assert "proved" in collide.check_solid(wedge()).closed and "budget" not in collide.check_solid(wedge(), budget=60).closed
    for given in ("5", -1, True):
        with pytest.raises(ValueError, match="the budget's seconds must be positive or None"):
            collide.check_solid(wedge(), budget=given)


@pytest.mark.parametrize("kind", RESULTS, ids=lambda kind: kind.__name__)
def test_results_have_the_same_words(kind):
    known = {field.name for field in fields(kind)} | set(dir(kind))
    assert {"iterations", "unique", "exists"} <= known
    if "proved" in known:
        first = (kind.__doc__ or "").split("\n")[0]
        meant = first.split("`proved` means `")[1].split("`")[0]
        assert meant in ("unique", "exists")
        made = object.__new__(kind)
        object.__setattr__(made, "proved", np.array([True, False]))
        assert getattr(made, meant) is made.proved
