"""Caches forget old entries where they hold much, and never an entry in use."""

import threading

import pytest
import sympy as sp

import collide
from codegen import remembered
from codegen.machine import linked
from generative import ParametricSurface, Rigid, t, u, v
from generative.family import member_of
from generative.polyhedron import brick

R = sp.Rational
BALL = ParametricSurface([sp.cos(u) * sp.cos(v) / 4, sp.sin(u) * sp.cos(v) / 4, sp.sin(v) / 4],
                         {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)}).moved(Rigid(translation=[0, 0, 2 - t]))


@pytest.fixture
def much(monkeypatch):
    """Whatever is there, it is much, and looked at each time."""
    monkeypatch.setattr(remembered, "GROWTH", -1 << 60)
    monkeypatch.setattr(remembered, "_PAUSE", -1.0)


def test_caches_are_emptied_before_a_question_and_not_within_one(much):
    """(Fails where nobody is asked who works.)"""
    known = member_of(BALL)
    with remembered.Working():
        remembered.forget_if_much()
        assert member_of(BALL) is known
        worker = threading.Thread(target=remembered.forget_if_much)
        worker.start()
        worker.join()
        assert member_of(BALL) is known
    remembered.forget_if_much()
    assert member_of(BALL) is not known


def test_answers_are_the_same_where_all_is_forgotten_each_time(much):
    """A ball of radius 1/4 falls from 2 onto boxes of heights h: at 2 - 1/4 - h / 2."""
    for k in range(2):
        height = R(7 + k, 10)
        found = collide.first_contact([brick((1, 1, height)), BALL], time=(0, 3))
        assert found.time.lo <= R(7, 4) - height / 2 <= found.time.hi
        assert member_of.cache_info().currsize < 20


def test_kernels_of_many_shapes_are_those_of_families(monkeypatch):
    """So a new shape of a known kind has few of its own."""
    monkeypatch.setattr(linked, "MANY", 0)
    for k in range(6):
        height, before = R(731 + 10 * k, 1000), len(linked._tiers)
        found = collide.first_contact([brick((R(911 + k, 1000), R(817 + k, 1000), height)), BALL], time=(0, 3))
        assert found.time.lo <= R(7, 4) - height / 2 <= found.time.hi
    assert len(linked._tiers) - before < 8
