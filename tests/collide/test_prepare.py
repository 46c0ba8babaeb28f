"""Machine code that is made before anybody asks."""

import pytest

from codegen.machine.tiers import Tiered
from collide import prepare
from collide.__main__ import main


def test_a_pair_is_ready_when_its_code_is_there(monkeypatch):
    """Code of every kernel that questions used is asked for, and waited for."""
    asked, waited = list[Tiered](), list[float]()
    monkeypatch.setattr(Tiered, "ask", lambda self: asked.append(self))
    monkeypatch.setattr(prepare.compiler, "settle", waited.append)
    ((pair, kernels, ready),) = prepare.prepared(["balls"], 300.0)
    assert pair == "balls and balls" and ready and kernels <= len(asked) and 0 < waited[0] < 300
    assert kernels == 0 or all(each.calls > 0 for each in asked[-kernels:])


def test_a_time_that_is_too_short_is_said(monkeypatch, capsys):
    """Pairs that follow are left."""
    monkeypatch.setattr(Tiered, "ask", lambda self: None)
    monkeypatch.setattr(prepare, "_settled", lambda seconds: False)
    assert main(["prepare", "balls", "tori", "--budget", "1e-9"]) == 4
    assert capsys.readouterr().out.count("asked for; the time is over") == 1


def test_shapes_are_named(capsys):
    with pytest.raises(SystemExit):
        main(["prepare", "spheres"])
    assert "there is no shape 'spheres'; there are tori, balls" in capsys.readouterr().err
