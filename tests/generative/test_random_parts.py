"""Random parts made by the kernel, with a seed, read by `step.reader`: volumes, and points inside and outside, beside the kernel's own.

`python -m tests.random_parts` compares as many as are asked for; `make nightly` 200.
"""

from pathlib import Path

import pytest

pytest.importorskip("OCP", reason="OpenCASCADE (extra `cad`) is not installed")

from tests.random_parts import POINTS, compared

_PARTS = 20
# Points of part 0 are not all classified within the budget.
_SLOW = pytest.param(0, marks=pytest.mark.xfail(reason="classify spends its budget", strict=False))


@pytest.mark.parametrize("seed", [_SLOW, *range(1, _PARTS)])
def test_parts_are_read_as_the_kernel_means_them(seed: int, tmp_path: Path) -> None:
    found = compared(seed, tmp_path)
    # Nothing that is proved differs; a point that lies behind many thin patches may stay open.
    assert found.wrong == [] and found.undecided <= 0.1 * POINTS
