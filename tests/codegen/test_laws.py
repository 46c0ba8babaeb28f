"""Laws that kernels of every kind obey, in one suite that each inherits: bounds hold the exact values at points of the box, which Arb
tells, a part of a box has bounds within those of the box, and bits depend on the box alone, not on its place in a batch, on how kernels
are kept, or on whether they are interpreted.
"""

import pickle
import random
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
import pytest
import sympy as sp
from flint import ctx

import codegen
from codegen.family import family
from codegen.from_sympy import from_sympy
from codegen.graph.evaluate import evaluate
from codegen.graph.expr import Expr
from codegen.kernel import Kernel

from .arb_arithmetic import ArbArithmetic, point, surely_outside
from .boxes import samples

Array = np.ndarray
x, y, a, b = sp.symbols("x y a b", real=True)
SMOOTH = [sp.sin(x) * y, x**2 - y, sp.exp(x / 4) / (1 + y**2), sp.sqrt(x + 2), sp.log(y + 3), sp.atan(x * y) + sp.tanh(x),
          x**3 * y - sp.cos(3 * y), sp.asin(x / 9) * sp.cosh(y), (x + sp.pi) / (y - 5)]
KINKED = [sp.Abs(x - y), sp.Max(x, y, 1), sp.Piecewise((x, x < y), (y**2, True)), sp.floor(x) + y]
ROWS = 160


def boxes(seed: int, columns: int) -> tuple[Array, Array]:
    """Boxes of all widths within [-4, 4], some of them points."""
    rng = np.random.default_rng(seed)
    middle, reach = rng.uniform(-4, 4, (ROWS, columns)), 2.0 ** rng.uniform(-40, 2, (ROWS, 1)) * (rng.random((ROWS, 1)) > 0.1)
    return (middle - reach).clip(-4, 4), (middle + reach).clip(-4, 4)


class KernelLaws:
    """The laws. A kind of kernel says how it is made, what its outputs are, and in how many variables and parameters."""

    variables: ClassVar[Sequence[Any]] = (x, y)
    parameters: ClassVar[Sequence[Any]] = ()
    isotone: ClassVar[bool] = True
    """A part of a box has bounds within those of the box."""
    twin: ClassVar[Callable[[], Kernel] | None] = None
    """A kernel of another kind with the same bits."""

    @classmethod
    def make(cls) -> Kernel:
        raise NotImplementedError

    @classmethod
    def truth(cls) -> list[Expr]:
        """The outputs as graphs of the variables, then of the parameters."""
        raise NotImplementedError

    def bounds(self, kernel: Kernel, lo: Array, hi: Array) -> tuple[Array, ...]:
        """Of boxes of the variables, then of the parameters."""
        n = len(self.variables)
        given = {"parameters": (lo[:, n:], hi[:, n:])} if self.parameters else {}
        return kernel.interval(lo[:, :n], hi[:, :n], **given)

    @pytest.fixture(scope="class")
    @classmethod
    def kernel(cls) -> Kernel:
        return cls.make()

    @property
    def boxes(self) -> tuple[Array, Array]:
        return boxes(7, len(self.variables) + len(self.parameters))

    def test_bounds_hold_the_values(self, kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(ctx, "prec", 160)
        (lo, hi), rng, outputs = self.boxes, random.Random(3), self.truth()
        below, above = self.bounds(kernel, lo, hi)[:2]
        assert (below <= above).all() and below.shape == (ROWS, len(outputs))
        for row in range(ROWS):
            for at in zip(*(samples(rng, *ends, 3) for ends in zip(lo[row], hi[row], strict=True)), strict=True):
                values = evaluate(outputs, ArbArithmetic(), [point(c) for c in at])
                wrong = [k for k, v in enumerate(values) if surely_outside(v.ball, below[row, k], above[row, k])]
                assert not wrong, f"output {wrong} at {at} over {lo[row]}, {hi[row]}"

    def test_a_part_of_a_box_has_bounds_within(self, kernel: Kernel) -> None:
        lo, hi = self.boxes
        cut = np.random.default_rng(5).uniform(0, 1, (2, *lo.shape))
        first, last = np.sort((lo + cut * (hi - lo)).clip(lo, hi), axis=0)
        whole, part = self.bounds(kernel, lo, hi), self.bounds(kernel, first, last)
        if self.isotone:
            # The whole line may also say that a formula is nowhere defined in the part.
            nothing = np.isinf(part[0]) & np.isinf(part[1])
            assert (nothing | (whole[0] <= part[0]) & (part[1] <= whole[1])).all()
        assert (whole[0] <= part[1]).all() and (part[0] <= whole[1]).all()
        if len(whole) > 2:
            assert (part[2] >= whole[2]).all(), "what is proved of a box is proved of a part of it"

    @pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 33])
    def test_the_place_in_a_batch_makes_no_difference(self, kernel: Kernel, count: int) -> None:
        lo, hi = self.boxes
        chosen = np.random.default_rng(count).permutation(ROWS)[:count]
        for whole, part in zip(self.bounds(kernel, lo, hi), self.bounds(kernel, lo[chosen], hi[chosen]), strict=True):
            np.testing.assert_array_equal(whole[chosen], part)

    def test_a_kernel_that_was_pickled_has_the_same_bits(self, kernel: Kernel) -> None:
        again = pickle.loads(pickle.dumps(kernel))
        assert repr(again) == repr(kernel)
        self.same(self.bounds(kernel, *self.boxes), self.bounds(again, *self.boxes))

    def test_another_kind_has_the_same_bits(self, kernel: Kernel) -> None:
        if self.twin is not None:
            self.same(self.bounds(kernel, *self.boxes), self.bounds(type(self).twin(), *self.boxes))  # type: ignore[misc]

    def test_values_at_points_lie_in_bounds_of_points(self, kernel: Kernel) -> None:
        """To rounding; NaN where a formula is undefined."""
        n, (lo, _) = len(self.variables), self.boxes
        values = kernel.points(lo[:, :n], **({"parameters": lo[:, n:]} if self.parameters else {}))
        below, above = self.bounds(kernel, lo, lo)[:2]
        room = 1e-9 * (1 + np.abs(values))
        assert (np.isnan(values) | ((below - room <= values) & (values <= above + room))).all()

    def test_boxes_without_ends(self, kernel: Kernel) -> None:
        lo, hi = (end.copy() for end in self.boxes)
        lo[::3], hi[1::3] = -np.inf, np.inf
        n = len(self.variables)
        lo[:, n:], hi[:, n:] = (end[:, n:] for end in self.boxes)
        wide, narrow = self.bounds(kernel, lo, hi), self.bounds(kernel, *self.boxes)
        assert not np.isnan(wide[0]).any() and not np.isnan(wide[1]).any()
        assert (wide[0] <= narrow[1]).all() and (narrow[0] <= wide[1]).all()

    @staticmethod
    def same(one: Sequence[Array], other: Sequence[Array]) -> None:
        for p, q in zip(one, other, strict=True):
            np.testing.assert_array_equal(p, q)


class TestNatural(KernelLaws):
    expressions: ClassVar[list[Any]] = [*SMOOTH, *KINKED]

    @classmethod
    def make(cls) -> Kernel:
        return codegen.compile(cls.expressions, cls.variables)

    @classmethod
    def truth(cls) -> list[Expr]:
        return from_sympy(cls.expressions, cls.variables, ())


class TestQuick(TestNatural):
    """Interpreted, at first."""

    twin = TestNatural.make

    @classmethod
    def make(cls) -> Kernel:
        return codegen.compile(cls.expressions, cls.variables, quick=True)


class TestBounded(TestNatural):
    """For boxes of moderate size."""

    twin = TestNatural.make

    @classmethod
    def make(cls) -> Kernel:
        return Kernel(cls.truth(), ["x", "y"], bounded=True)


class TestDecorated(TestNatural):
    def bounds(self, kernel: Kernel, lo: Array, hi: Array) -> tuple[Array, ...]:
        found = kernel.decorated(lo, hi)
        self.same(found[:2], kernel.interval(lo, hi))
        return found


class TestMeanValue(TestNatural):
    """Is not isotone where a derivative is not known of all of a box."""

    isotone = False

    @classmethod
    def make(cls) -> Kernel:
        return codegen.compile(cls.expressions, cls.variables, form="mean-value")

    def test_it_is_within_the_natural_bounds(self, kernel: Kernel) -> None:
        own, natural = self.bounds(kernel, *self.boxes), self.bounds(TestNatural.make(), *self.boxes)
        assert (natural[0] <= own[0]).all() and (own[1] <= natural[1]).all()


class TestJacobian(TestNatural):
    """Of formulas with kinks, too: Clarke's gradient there holds the derivatives nearby."""

    expressions: ClassVar[list[Any]] = [*SMOOTH, *KINKED[:2]]

    @classmethod
    def make(cls) -> Kernel:
        return codegen.compile(cls.expressions, cls.variables).jacobian()

    @classmethod
    def truth(cls) -> list[Expr]:
        return from_sympy([sp.diff(e, s) for e in cls.expressions for s in cls.variables], cls.variables, ())


class TestQuickJacobian(TestJacobian):
    twin = TestJacobian.make

    @classmethod
    def make(cls) -> Kernel:
        return codegen.compile(cls.expressions, cls.variables, quick=True).jacobian()


class TestWithParameters(TestNatural):
    parameters = (a, b)
    expressions: ClassVar[list[Any]] = [a * x + b, sp.sin(x * a) - y * b, sp.Max(a, x) * sp.exp(b / 9), x**2 * a - sp.Abs(y - b)]

    @classmethod
    def make(cls) -> Kernel:
        return codegen.compile(cls.expressions, cls.variables, cls.parameters)

    @classmethod
    def truth(cls) -> list[Expr]:
        return from_sympy(cls.expressions, (*cls.variables, *cls.parameters), ())

    def test_parameters_of_all_rows_or_of_each(self, kernel: Kernel) -> None:
        lo, hi = self.boxes
        each = np.tile(lo[0, 2:], (ROWS, 1)), np.tile(hi[0, 2:], (ROWS, 1))
        once = kernel.interval(lo[:, :2], hi[:, :2], parameters=(lo[0, 2:], hi[0, 2:]))
        self.same(once, kernel.interval(lo[:, :2], hi[:, :2], parameters=each))

    def test_parameters_are_like_variables(self, kernel: Kernel) -> None:
        together = codegen.compile(self.expressions, (*self.variables, *self.parameters))
        self.same(self.bounds(kernel, *self.boxes), together.interval(*self.boxes))


class TestFamily(TestNatural):
    """Numbers of the formulas as parameters."""

    twin = TestNatural.make

    @classmethod
    def make(cls) -> Kernel:
        outputs, numbers = family(cls.truth())
        return Kernel(outputs, ["x", "y"], [f"p{k}" for k in range(len(numbers))])

    def bounds(self, kernel: Kernel, lo: Array, hi: Array) -> tuple[Array, ...]:
        numbers = family(self.truth()).numbers
        return kernel.interval(lo, hi, **({"parameters": (numbers[:, 0], numbers[:, 1])} if kernel.parameters else {}))

    def test_values_at_points_lie_in_bounds_of_points(self, kernel: Kernel) -> None:
        (lo, _), numbers = self.boxes, family(self.truth()).numbers
        values = kernel.points(lo, parameters=numbers.mean(axis=1))
        np.testing.assert_allclose(values, TestNatural.make().points(lo), rtol=1e-9, atol=1e-9)
