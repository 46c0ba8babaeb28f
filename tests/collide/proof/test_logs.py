"""Logs of answers, verified by the checker; and logs that are altered, cut off or hostile."""

from pathlib import Path

import pytest
import sympy as sp

import collide
from collide.proof.checker.check import CheckStatus
from generative import ParametricSurface, u, v
from models.scenes import SCENES


def torus(r: object = sp.Rational(3, 10)) -> ParametricSurface:
    ring = 1 + r * sp.cos(v)
    return ParametricSurface([ring * sp.cos(u), ring * sp.sin(u), r * sp.sin(v)], {u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)})


@pytest.fixture(scope="module")
def tori(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, collide.Contacts]:
    """Two crossed tori that meet at 3 - sqrt(39)/5."""
    path = tmp_path_factory.mktemp("logs") / "tori.proof"
    return path, collide.first_contact(list(SCENES["tori-crossed"].bodies), time=(0, 2), log=path)


def test_two_tori(tori: tuple[Path, collide.Contacts]) -> None:
    path, answer = tori
    found = collide.check(path)
    assert found.status is CheckStatus.ACCEPTED and str(found).startswith("ACCEPTED"), str(found)
    assert "no point in common" in found.theorem and "have a point in common at t = 1.7510004" in found.theorem
    assert "The log proves that there is no contact until" in answer.summary()
    lines = path.read_text().splitlines()
    until = next(float.fromhex(line.split()[1]) for line in lines if line.startswith("clear"))
    assert answer.clear_until - 1e-8 < until < float(3 - sp.sqrt(39) / 5)
    assert path.stat().st_size < 200 * len(lines)
