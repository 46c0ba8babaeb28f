"""Cells of all kinds of bodies answer the same questions."""

import pytest

from collide.bodies.cells import Cell
from collide.bodies.parts import parts_of
from generative import ImplicitSurface, ParametricSurface, u, v, x, y, z
from generative.primitives import block

PATCH = ParametricSurface([u, v, u * v], {u: (0, 1), v: (0, 2)})
SADDLE = ImplicitSurface(x * y - z, bounds=[(-2, 2)] * 3)
QUESTIONS = [name for name, member in vars(Cell).items() if isinstance(member, property)]


@pytest.mark.parametrize(("body", "counts"), [(PATCH, (4, 4, 1)), (SADDLE, (12, 6, 1)), (block(), (182, 51, 6))],
                         ids=["patch", "saddle", "block"])
def test_cells_are_given_by_parameters_or_by_equations(body: object, counts: tuple[int, ...]) -> None:
    cells = parts_of(body)
    assert tuple(sum(cell.dimension == d for cell in cells) for d in range(3)) == counts
    for cell in cells:
        assert len(QUESTIONS) == 27 and all(hasattr(cell, name) for name in QUESTIONS)
        if cell.leaves:
            assert len(cell.leaves) + len(cell.sides) + cell.dimension == 3
            assert cell.surface is None and not any((cell.symbols, cell.path, cell.domain, cell.border, cell.outward))
        else:
            assert len(cell.symbols) == len(cell.domain) == len(cell.periods) == len(cell.border) == cell.dimension
            assert cell.outward[0] == (cell.surface, cell.path) and not (cell.sides or cell.pieces or cell.within)
