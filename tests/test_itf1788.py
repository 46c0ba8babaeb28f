"""Vectors of interval arithmetic are read, and compared with kernels; the public ones are not in this repository."""

from pathlib import Path

import numpy as np
import pytest

from .itf1788 import main, outcome, vectors

LINES = """/* A comment. */
testcase own {
    mul [1.0, 0x1.8P+1]_com [-2.0, 0.5]_com = [-6.0, 1.5]_com;  // 3 is 0x1.8P+1
    sqrt [-1.0, 4.0]_com = [0.0, 2.0]_trv; exp [empty] = [empty];
    exp [0.0, 0.0] = [1.0, 1.0];
    pown [-2.0, 1.0] 3 = [-8.0, 1.0];
    log [-2.0, -1.0] = [empty];
    sqrRevBin [4.0, 9.0] [0.0, infinity] = [2.0, 3.0];
    mulRev [2.0, 2.0] [1.0, 3.0] = [0.5, 1.5];
    isEmpty [empty] = true;
    add [1.0, 1.0] [1.0, 1.0] = [1.0, 1.5];
    sub [1.0, 1.0] [1.0, 1.0]_com = [nai];
}
"""


def test_bounds_hold_the_vectors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The sum's vector is wrong on purpose."""
    path = tmp_path / "own.itl"
    path.write_text(LINES)
    found = {v.name: outcome(v) for v in vectors(path)}
    assert set(found) == {"mul", "sqrt", "exp", "pown", "log", "sqrRevBin", "mulRev", "add"}
    assert all(o is not None and o.wider <= 2 for o in found.values())
    assert [name for name, o in found.items() if o is not None and o.fault] == ["add"]
    main(str(tmp_path))
    assert "8 vectors, 1 faults" in capsys.readouterr().out


def test_levels_beyond_the_decoration_are_faults(tmp_path: Path) -> None:
    path = tmp_path / "own.itl"
    path.write_text("sin [0.0, 1.0]_com = [0.0, 0x1P+0]_trv;\n sin [0.0, 1.0]_trv = [0.0, 0x1.AED548F090CEEP-1]_trv;\n")
    denied, handed_on = (outcome(v) for v in vectors(path))
    assert denied is not None and denied.fault == "level 3, decoration trv"
    assert handed_on is not None and handed_on.fault == "" and np.isfinite(handed_on.wider)
