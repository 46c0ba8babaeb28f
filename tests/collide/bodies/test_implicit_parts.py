"""Names of parts of combined bodies: numbered, of few leaves; else by the leaves that are zero there."""

import pytest

from collide.bodies.implicit_parts import implicit_parts
from generative import Rigid, primitives


@pytest.mark.parametrize("leaves", [3, 5, 6, 7, 8, 12])
def test_names(leaves: int) -> None:
    balls = [primitives.ball(1).moved(Rigid(translation=[k, 0, 0])) for k in range(leaves - 3)]
    body = primitives.round_cylinder(1, 2)
    for ball in balls:
        body = body | ball
    if leaves == 6:
        body = primitives.block([1, 2, 3])
    parts = list(implicit_parts(body))
    names = [p.feature for p in parts]
    assert len({*names}) == len(names) and [n for n in names if n[:4] == "face"] == [f"face {k}" for k in range(leaves)]
    for kind, dimension in (("edge", 1), ("vertex", 0)):
        own = [p for p in parts if p.feature.startswith(kind)]
        assert all(p.dimension == dimension and len(p.leaves) + len(p.sides) == 3 - dimension for p in own)
        if leaves <= 8:
            assert [p.feature for p in own] == [f"{kind} {k}" for k in range(len(own))]
        else:
            numbers = [[int(n) for n in p.feature.split()[1].split("/")] for p in own if not p.sides]
            assert all([body.leaves[n] for n in numbered] == [*p.leaves] for numbered, p in zip(numbers, own, strict=False))
