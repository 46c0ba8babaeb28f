"""Laws that every query obeys, in one suite that each inherits: what an answer is made of, that it is the same when asked again, that it
stays lawful and contradicts nothing where a budget was spent or Ctrl-C was pressed, and that it does not depend on the order of bodies.
"""

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import sympy as sp

import collide
from codegen.machine.loop_runtime import Loop
from collide import Budget, MaximumStatus, MinimumStatus, Status, ZerosStatus
from collide.sheets import injective
from generative import Parameter, ParametricSurface, Rigid, Screw, Solid, t, u, v, x, y
from models.shapes.solids import box
from tests import laws

R = sp.Rational
BOWL = ParametricSurface([u, v, u**2 + v**2 / 2], {u: (-1, 1), v: (-1, 1)})
FIELD = ParametricSurface([2 * u, 2 * v, u**2 / 3 - v**2 / 4 + u * v / 5], {u: (-1, 1), v: (-1, 1)})
FALL = Rigid(rotation=[4, 1, R(1, 2) + t, 0], translation=[R(1, 7), R(-1, 5), 2 - 3 * t])
SPENT = {Status.BUDGET_SPENT, ZerosStatus.BUDGET_SPENT, MinimumStatus.BUDGET_SPENT, MaximumStatus.BUDGET_SPENT}


class QueryLaws:
    """The laws. A query says how it is asked, and which options it has."""

    def ask(self, **options: Any) -> Any:
        raise NotImplementedError

    def swapped(self) -> Any:
        """The answer with both sides of the question exchanged; None if there are none."""
        return None

    def check(self, answer: Any) -> None:
        raise NotImplementedError

    def agree(self, one: Any, other: Any) -> None:
        """Claims that are both proved hold together."""
        raise NotImplementedError

    def work(self, answer: Any) -> int:
        return int(answer.iterations)

    def spent(self, answer: Any) -> bool:
        return answer.status in SPENT

    @pytest.fixture(scope="class")
    @classmethod
    def answer(cls) -> Any:
        return cls().ask()

    def test_the_laws_of_its_answer(self, answer: Any) -> None:
        self.check(answer)
        self.agree(answer, answer)
        assert not self.spent(answer)

    def test_it_is_the_same_when_asked_again(self, answer: Any) -> None:
        assert laws.differences(answer, self.ask()) == []

    def test_both_sides_are_alike(self, answer: Any) -> None:
        other = self.swapped()
        if other is not None:
            self.check(other)
            self.agree(answer, other)

    def test_a_spent_budget_of_seconds_is_an_answer(self, answer: Any) -> None:
        part = self.ask(budget=1e-9)
        self.check(part)
        self.agree(answer, part)


class InBoxes(QueryLaws):
    """Those that take a `Budget` of boxes."""

    step: ClassVar[int] = 8
    """So many boxes it examines at a time: when one of them is the last of the budget the others are examined, too."""

    @pytest.mark.parametrize("share", [64, 4, 2])
    def test_a_budget_of_boxes_is_kept(self, answer: Any, share: int) -> None:
        most = max(1, self.work(answer) // share)
        part = self.ask(budget=Budget(seconds=None, boxes=most))
        self.check(part)
        self.agree(answer, part)
        assert self.work(part) <= most + self.step, "at most one more step"

    def test_more_budget_than_is_needed_changes_nothing(self, answer: Any) -> None:
        assert laws.differences(answer, self.ask(budget=Budget(seconds=None, boxes=1 << 40, bytes=1 << 50))) == []


class Interruptible(QueryLaws):
    """Those that end by Ctrl-C with an answer."""

    begins: ClassVar[int] = 0
    """So many calls of native loops are made before its search begins."""

    @pytest.mark.parametrize("call", [0, 1, 3])
    def test_ctrl_c_ends_it_with_an_answer(self, answer: Any, monkeypatch: pytest.MonkeyPatch, call: int) -> None:
        """It is pressed during some call of a native loop; where there are fewer, nothing changes."""
        run, calls = Loop.__call__, []

        def interrupted(loop: Loop, *arguments: int) -> int:
            calls.append(run(loop, *arguments))
            if len(calls) == 1 + self.begins + call:
                raise KeyboardInterrupt
            return calls[-1]

        monkeypatch.setattr(Loop, "__call__", interrupted)
        part = self.ask()
        self.check(part)
        self.agree(answer, part)
        assert calls and (self.spent(part) or laws.differences(part, answer) == [] or len(calls) > call + self.begins)


def brackets_meet(one: Any, other: Any) -> None:
    """Two brackets (lo, hi) of one number, or None."""
    assert one is None or other is None or (one[0] <= other[1] and other[0] <= one[1]), f"{one} / {other}"


# -- contacts of bodies --------------------------------------------------------------------------------------------------


class ContactLaws(InBoxes):
    def check(self, answer: Any) -> None:
        laws.contacts_laws(answer)

    def agree(self, one: Any, other: Any) -> None:
        brackets_meet(one.time, other.time)
        for a, b in ((one, other), (other, one)):
            if a.status is Status.CONTACT:
                assert b.status is not Status.NO_CONTACT and b.clear_until <= a.time[1]


class TestFirstContact(ContactLaws, Interruptible):
    def ask(self, **options: Any) -> Any:
        return collide.first_contact([BOWL.moved(FALL), FIELD], (0, 1), **options)

    def swapped(self) -> Any:
        return collide.first_contact([FIELD, BOWL.moved(FALL)], (0, 1))


class TestFirstContactOfSolids(TestFirstContact):
    bodies = (box(sizes=(1, R(1, 2), R(1, 3))).moved(FALL), FIELD)

    def ask(self, **options: Any) -> Any:
        return collide.first_contact(list(self.bodies), (0, 1), **options)

    def swapped(self) -> Any:
        return collide.first_contact(list(self.bodies[::-1]), (0, 1))


class TestFirstContactThatIsNone(TestFirstContact):
    def ask(self, **options: Any) -> Any:
        return collide.first_contact([BOWL.moved(FALL), FIELD], (0, R(1, 2)), **options)

    def swapped(self) -> Any:
        return collide.first_contact([FIELD, BOWL.moved(FALL)], (0, R(1, 2)))


class TestSelfContact(ContactLaws):
    step = injective._AT_ONCE
    TUBE = ParametricSurface([(1 - t * sp.cos(u) ** 2 * (1 - v**2)) * sp.cos(u), v, sp.sin(u) * (1 + v / 9)],
                             {u: (0, 2 * sp.pi), v: (-1, 1)})

    def ask(self, **options: Any) -> Any:
        return collide.self_contact(self.TUBE, (0, 2), **options)


class TestTrace(ContactLaws, Interruptible):
    def ask(self, **options: Any) -> Any:
        found = collide.trace([BOWL.moved(FALL), FIELD], (0, 1), **options)
        assert len(found) == len(found.snapshots) and found.bracket.shape == (len(found), 2)
        assert (np.diff(found.iterations) >= 0).all() and (np.diff(found.seconds) >= 0).all()
        assert repr(found) and found._repr_html_()
        return found.answer

    def test_tracing_changes_no_answer(self, answer: Any) -> None:
        assert laws.differences(answer, collide.first_contact([BOWL.moved(FALL), FIELD], (0, 1))) == []


# -- distances and sets --------------------------------------------------------------------------------------------------


class TestDistance(InBoxes, Interruptible):
    bodies = (BOWL, FIELD.moved(Rigid(translation=[0, 0, 3])))

    def ask(self, **options: Any) -> Any:
        return collide.distance(*self.bodies, **options)

    def swapped(self) -> Any:
        return collide.distance(*self.bodies[::-1])

    def spent(self, answer: Any) -> bool:
        return answer.status.name == "BUDGET_SPENT"

    def check(self, answer: Any) -> None:
        assert 0 <= answer.bracket[0] <= answer.bracket[1]
        assert answer.points.shape == (len(answer.unique), 2, 3) and len(answer.features) == len(answer.unique)
        assert isinstance(answer.summary(), str) and answer.seconds > 0

    def agree(self, one: Any, other: Any) -> None:
        brackets_meet(one.bracket, other.bracket)


class TestClearance(TestDistance):
    def ask(self, **options: Any) -> Any:
        return collide.clearance([BOWL.moved(FALL), FIELD], (0, R(1, 4)), **options)

    def swapped(self) -> Any:
        return collide.clearance([FIELD, BOWL.moved(FALL)], (0, R(1, 4)))


class TestContactsDuring(QueryLaws):
    def ask(self, **options: Any) -> Any:
        return collide.contacts_during([BOWL.moved(FALL), FIELD], (0, 1), **options)

    def swapped(self) -> Any:
        return collide.contacts_during([FIELD, BOWL.moved(FALL)], (0, 1))

    def check(self, answer: Any) -> None:
        assert isinstance(answer.summary(), str) and answer.seconds > 0 and answer.iterations >= 0

    def agree(self, one: Any, other: Any) -> None:
        met = {Status.CONTACT, Status.NO_CONTACT}
        assert {one.status, other.status} != met


class TestCriticalValue(QueryLaws):
    SIZE = Parameter("size")

    def ask(self, **options: Any) -> Any:
        ball = ParametricSurface([self.SIZE * e for e in (sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v), sp.sin(v))],
                                 {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})
        return collide.critical_value([ball.moved(Rigid(translation=[t, 0, 2])), BOWL], (0, 1), {self.SIZE: (R(1, 4), 3)}, **options)

    def check(self, answer: Any) -> None:
        assert answer.bracket[0] <= answer.bracket[1] and answer.points.shape == (len(answer.unique), 3)
        assert isinstance(answer.summary(), str) and answer.seconds > 0

    def agree(self, one: Any, other: Any) -> None:
        brackets_meet(one.bracket, other.bracket)


class TestPave(QueryLaws):
    def ask(self, **options: Any) -> Any:
        return collide.pave([x**2 + y**2 <= 1, x <= y], {x: (-2, 2), y: (-2, 2)}, eps=0.125, **options)

    def spent(self, answer: Any) -> bool:
        return answer.status.name == "BUDGET_SPENT"

    def check(self, answer: Any) -> None:
        assert answer.volume[0] <= answer.volume[1]
        assert answer.inner.shape[1:] == answer.border.shape[1:] == (2, 2)

    def agree(self, one: Any, other: Any) -> None:
        brackets_meet(one.volume, other.volume)


# -- arrays of questions -------------------------------------------------------------------------------------------------


class BatchLaws(QueryLaws):
    rows, columns = 12, 4
    span: ClassVar[tuple[float, float]] = (0.0, 1.0)
    tolerance: ClassVar[float | None] = 1e-6

    def check(self, answer: Any) -> None:
        laws.batch_laws(answer, self.rows, self.columns, self.span, self.tolerance)

    def agree(self, one: Any, other: Any) -> None:
        for k in range(self.rows):
            if one.hit[k] and other.hit[k]:
                brackets_meet(one.time[k], other.time[k])
        met = {Status.CONTACT, Status.NO_CONTACT}
        assert not any({a, b} == met for a, b in zip(one.status, other.status, strict=True))

    def work(self, answer: Any) -> int:
        return int(answer.iterations.sum())

    def spent(self, answer: Any) -> bool:
        return bool((answer.status == Status.BUDGET_SPENT).any())

    def some(self, rows: np.ndarray) -> Any:
        """The answer to some of the rows alone, in this order; None if there is no such way to ask."""
        return None

    def test_a_row_does_not_depend_on_its_place(self, answer: Any) -> None:
        order = np.random.default_rng(5).permutation(self.rows)[: self.rows - 3]
        part = self.some(order)
        if part is not None:
            for name in ("status", "hit", "time", "parameters", "proved"):
                np.testing.assert_array_equal(getattr(part, name), getattr(answer, name)[order], err_msg=name)

    def test_no_rows(self) -> None:
        part = self.some(np.array([], int))
        if part is not None:
            laws.batch_laws(part, 0, self.columns, self.span)


class TestContactBatch(BatchLaws, InBoxes, Interruptible):
    height, bend = Parameter("height"), Parameter("bend")
    first = BOWL.moved(Rigid(translation=[R(1, 7), R(-1, 5), height - 2 * t]))
    second = ParametricSurface([2 * u, 2 * v, bend * (u**2 + v**2 - u * v / 3)], {u: (-1, 1), v: (-1, 1)})
    values: ClassVar[dict[Any, np.ndarray]] = {height: np.linspace(0.75, 3.0, 12), bend: np.linspace(-0.5, 0.25, 12)}

    def ask(self, **options: Any) -> Any:
        return collide.contact_batch([self.first, self.second], (0, 1), parameters=self.values, **options)

    def swapped(self) -> Any:
        return collide.contact_batch([self.second, self.first], (0, 1), parameters=self.values)

    def some(self, rows: np.ndarray) -> Any:
        return collide.contact_batch([self.first, self.second], (0, 1), parameters={s: a[rows] for s, a in self.values.items()})


class TestClearanceBatch(BatchLaws, InBoxes, Interruptible):
    bodies = (TestContactBatch.first, TestContactBatch.second)

    def ask(self, **options: Any) -> Any:
        return self.of(TestContactBatch.values, **options)

    def of(self, values: dict[Any, np.ndarray], **options: Any) -> Any:
        return collide.clearance_batch(self.bodies, (0, R(1, 4)), parameters=values, **options)

    def swapped(self) -> Any:
        return collide.clearance_batch(self.bodies[::-1], (0, R(1, 4)), parameters=TestContactBatch.values)

    def check(self, answer: Any) -> None:
        assert (answer.bracket[:, 0] >= 0).all() and answer.points.shape == (len(answer), 2, 3) and repr(answer) and answer._repr_html_()

    def agree(self, one: Any, other: Any) -> None:
        for k in range(self.rows):
            brackets_meet(one.bracket[k], other.bracket[k])

    def work(self, answer: Any) -> int:
        return int(answer.tests.sum())

    def spent(self, answer: Any) -> bool:
        return any(status.name == "BUDGET_SPENT" for status in answer.status)

    def test_a_row_does_not_depend_on_its_place(self, answer: Any) -> None:
        order = np.random.default_rng(5).permutation(self.rows)[: self.rows - 3]
        part = self.of({s: a[order] for s, a in TestContactBatch.values.items()})
        for name in ("status", "bracket", "verdict", "times", "pairs", "points", "tests"):
            np.testing.assert_array_equal(getattr(part, name), getattr(answer, name)[order], err_msg=name)

    def test_no_rows(self) -> None:
        assert len(self.of({s: a[:0] for s, a in TestContactBatch.values.items()})) == 0

    def test_rows_are_like_single_calls(self, answer: Any) -> None:
        for k in (0, 5, 11):
            given = {s: R(float(a[k])) for s, a in TestContactBatch.values.items()}
            single = collide.clearance(self.bodies, (0, R(1, 4)), parameters=given)
            assert single.status is answer.status[k]
            brackets_meet(single.bracket, answer.bracket[k])


def patches() -> np.ndarray:
    rng = np.random.default_rng(11)
    q = rng.normal(0, 0.4, (12, 2, 2, 3, 3, 3))
    q[:, :, 0, ..., :2] += np.stack(np.meshgrid(*[np.linspace(-1, 1, 3)] * 2, indexing="ij"), -1)
    q[:, 1, 0, ..., 2] += 2.5
    q[:, 1, 1, ..., 2] -= np.linspace(0.5, 5.0, 12)[:, None, None]
    return q


class TestBezierPairs(BatchLaws, InBoxes, Interruptible):
    q, weights = patches(), 2.0 ** np.random.default_rng(12).uniform(-1, 1, (12, 2, 3, 3))

    def work(self, answer: Any) -> int:
        """A budget of boxes is one of each pair."""
        return int(answer.iterations.max())

    def ask(self, **options: Any) -> Any:
        return collide.bezier_pairs(self.q, weights=self.weights, **options)

    def swapped(self) -> Any:
        return collide.bezier_pairs(self.q[:, ::-1], weights=self.weights[:, ::-1])

    def some(self, rows: np.ndarray) -> Any:
        return collide.bezier_pairs(self.q[rows], weights=self.weights[rows])


class TestBezierMixedPairs(TestBezierPairs):
    """A square patch and a triangular one."""

    second = patches()[:, 1][:, :, [0, 0, 0, 1, 1, 2], [0, 1, 2, 0, 1, 0]]

    def ask(self, **options: Any) -> Any:
        return collide.bezier_mixed_pairs(self.q[:, 0], self.second, **options)

    def swapped(self) -> Any:
        return collide.bezier_mixed_pairs(self.second, self.q[:, 0])

    def some(self, rows: np.ndarray) -> Any:
        return collide.bezier_mixed_pairs(self.q[rows, 0], self.second[rows])


class TestBezierTrianglePairs(TestBezierPairs):
    q = patches()[:, :, :, [0, 0, 0, 1, 1, 2], [0, 1, 2, 0, 1, 0]]

    def ask(self, **options: Any) -> Any:
        return collide.bezier_triangle_pairs(self.q, **options)

    def swapped(self) -> Any:
        return collide.bezier_triangle_pairs(self.q[:, ::-1])

    def some(self, rows: np.ndarray) -> Any:
        return collide.bezier_triangle_pairs(self.q[rows])


class LinearLaws(BatchLaws):
    """Straight paths: always decided, with no budget that could be spent."""

    rows, columns = 40, 2
    query: ClassVar[Any]
    order: ClassVar[list[int] | None] = None
    """The points of a query with its sides exchanged."""
    points: ClassVar[int] = 4

    @property
    def q(self) -> np.ndarray:
        rng = np.random.default_rng(8)
        q = rng.normal(0, 1, (self.rows, 2 * self.points, 3))
        q[:, self.points:] = q[:, :self.points] + rng.normal(0, 2, (self.rows, self.points, 3))
        return q

    def ask(self, **options: Any) -> Any:
        return type(self).query(self.q, **options)

    def swapped(self) -> Any:
        if self.order is None:
            return None
        return type(self).query(self.q[:, [*self.order, *(k + self.points for k in self.order)]])

    def some(self, rows: np.ndarray) -> Any:
        return type(self).query(self.q[rows])


class TestEdgeEdge(LinearLaws):
    query, order = staticmethod(collide.edge_edge), [2, 3, 0, 1]


class TestVertexFace(LinearLaws):
    query, order = staticmethod(collide.vertex_face), [0, 2, 3, 1]


class TestTriangleTriangle(LinearLaws):
    query, order, points, columns = staticmethod(collide.triangle_triangle), [3, 4, 5, 0, 1, 2], 6, 4


class MovingLaws(LinearLaws, InBoxes):
    """Rigid motions, with a budget."""

    span, tolerance = (0.0, 2.0), None
    motions: ClassVar[Any] = (Screw([1, 2, 2], angle=3 * t, advance=t / 2), Rigid(translation=[t / 3, 0, t**2 / 5]))

    def ask(self, **options: Any) -> Any:
        return type(self).query(self.q[:, :self.points], motions=self.motions, time=(0, 2), **options)

    def swapped(self) -> Any:
        if self.order is None:
            return None
        return type(self).query(self.q[:, self.order], motions=self.motions[::-1], time=(0, 2))

    def some(self, rows: np.ndarray) -> Any:
        return type(self).query(self.q[rows, :self.points], motions=self.motions, time=(0, 2))


class TestMovingEdges(MovingLaws):
    query, order = staticmethod(collide.edge_edge), [2, 3, 0, 1]


class TestMovingVertex(MovingLaws):
    query = staticmethod(collide.vertex_face)


class TestMovingTriangles(MovingLaws):
    query, order, points, columns = staticmethod(collide.triangle_triangle), [3, 4, 5, 0, 1, 2], 6, 4


# -- meshes, equations, minima, solids -----------------------------------------------------------------------------------


def terrain(height: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng, n = np.random.default_rng(seed), 8
    place = np.stack(np.meshgrid(np.arange(n), np.arange(n), indexing="ij"), -1).reshape(-1, 2)
    corner = np.array([k for k in range(n * (n - 1)) if k % n < n - 1])
    triangles = np.concatenate([np.stack([corner, corner + n, corner + 1], 1), np.stack([corner + 1, corner + n, corner + n + 1], 1)])
    return np.column_stack([place, height + rng.uniform(-0.4, 0.4, n * n)]), triangles


class TestMeshes(ContactLaws, Interruptible):
    begins = 1
    first, second = terrain(3.0, 1), terrain(0.0, 2)
    motions = Screw([0, 0, 1], angle=t / 2, advance=-4 * t), Rigid(translation=[t / 7, t / 9, 0])

    def ask(self, **options: Any) -> Any:
        return collide.mesh_mesh(self.first, self.second, motions=self.motions, **options)

    def swapped(self) -> Any:
        return collide.mesh_mesh(self.second, self.first, motions=self.motions[::-1])

    def check(self, answer: Any) -> None:
        laws.mesh_laws(answer)

    def work(self, answer: Any) -> int:
        return int(answer.iterations)


class TestStraightMeshes(TestMeshes):
    @staticmethod
    def path(mesh: Any, fall: float) -> Any:
        return np.stack([mesh[0], mesh[0] + [0.3, 0.2, -fall]]), mesh[1]

    def ask(self, **options: Any) -> Any:
        return collide.mesh_mesh(self.path(self.first, 4.0), self.path(self.second, 0.0), **options)

    def swapped(self) -> Any:
        return collide.mesh_mesh(self.path(self.second, 0.0), self.path(self.first, 4.0))


class TestSolve(InBoxes, Interruptible):
    def ask(self, **options: Any) -> Any:
        return collide.solve([x**2 + y**2 - 4, sp.sin(3 * x) - y], {x: (-3, 3), y: (-3, 3)}, **options)

    def swapped(self) -> Any:
        return collide.solve([sp.sin(3 * x) - y, x**2 + y**2 - 4], {x: (-3, 3), y: (-3, 3)})

    def check(self, answer: Any) -> None:
        laws.zeros_laws(answer, [(-3, 3)] * 2)

    def agree(self, one: Any, other: Any) -> None:
        """Every zero proved by one lies in a box of the other."""
        for a, b in ((one, other), (other, one)):
            for zero in a.boxes[a.proved]:
                assert ((b.boxes[:, :, 0] <= zero[:, 1]) & (zero[:, 0] <= b.boxes[:, :, 1])).all(axis=1).any()


class TestMinimize(InBoxes, Interruptible):
    def ask(self, **options: Any) -> Any:
        return collide.minimize((1 - x)**2 + 100 * (y - x**2)**2, {x: (-2, 2), y: (-2, 2)}, at_least=[1 - x**2 - y**2], **options)

    def check(self, answer: Any) -> None:
        laws.minimum_laws(answer, [(-2, 2)] * 2)

    def agree(self, one: Any, other: Any) -> None:
        brackets_meet(one.bracket, other.bracket)
        assert MinimumStatus.INFEASIBLE not in (one.status, other.status)


class TestMaximize(InBoxes, Interruptible):
    def ask(self, **options: Any) -> Any:
        return collide.maximize(-(1 - x)**2 - 100 * (y - x**2)**2, {x: (-2, 2), y: (-2, 2)}, at_least=[1 - x**2 - y**2], **options)

    def check(self, answer: Any) -> None:
        laws.maximum_laws(answer, [(-2, 2)] * 2)

    def agree(self, one: Any, other: Any) -> None:
        brackets_meet(one.bracket, other.bracket)
        assert MaximumStatus.INFEASIBLE not in (one.status, other.status)


class TestCheckSolid(QueryLaws):
    """Returns what it was given, with a note; it has no budget."""

    def ask(self, **options: Any) -> Any:
        return collide.check_solid(box(sizes=(1, R(1, 2), R(1, 3))))

    def check(self, answer: Any) -> None:
        assert isinstance(answer, Solid) and answer == box(sizes=(1, R(1, 2), R(1, 3))) and answer.closed.startswith("closed")

    def agree(self, one: Any, other: Any) -> None:
        assert one.closed == other.closed and collide.check_solid(one).closed == one.closed

    def spent(self, answer: Any) -> bool:
        return False

    def test_it_is_the_same_when_asked_again(self, answer: Any) -> None:
        self.agree(answer, self.ask())


class TestClassify(QueryLaws):
    points = np.random.default_rng(13).uniform(-1, 1, (8, 3))

    def ask(self, **options: Any) -> Any:
        return collide.classify(box(sizes=(1, R(1, 2), R(1, 3))), self.points, **options)

    def check(self, answer: Any) -> None:
        assert answer.shape == (8,) and {*answer} <= {collide.Kind.IN, collide.Kind.OUT, collide.Kind.UNRESOLVED}

    def agree(self, one: Any, other: Any) -> None:
        assert not any({a, b} == {collide.Kind.IN, collide.Kind.OUT} for a, b in zip(one, other, strict=True))

    def spent(self, answer: Any) -> bool:
        return collide.Kind.UNRESOLVED in answer

    def test_it_is_the_same_when_asked_again(self, answer: Any) -> None:
        assert (self.ask() == answer).all()


class TestTouch(QueryLaws):
    """It is exact, and has no budget."""

    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    peak = collide.Mesh(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
    beside = collide.Mesh(corners + [0.5, 0.25, 0.25], peak.triangles)

    def ask(self, **options: Any) -> Any:
        return collide.touch(self.peak, self.beside)

    def swapped(self) -> Any:
        return collide.touch(self.beside, self.peak)

    def check(self, answer: Any) -> None:
        assert answer.status is collide.TouchStatus.TOUCHING and not answer.rounded and len(answer.contacts) == 1

    def agree(self, one: Any, other: Any) -> None:
        assert one.status is other.status and (one.contacts[0].point == other.contacts[0].point).all()

    def spent(self, answer: Any) -> bool:
        return False

    def test_it_is_the_same_when_asked_again(self, answer: Any) -> None:
        self.agree(answer, self.ask())


CLOSED = {"boolean", "check", "exact_mass_properties", "hull_intersection", "hull_overlap", "mass_properties", "nurbs_to_bezier",
          "step_limit", "tracked_at"}
# What asks several questions of queries that have a class here.
COMPOSED = {"clash", "clearance_profile", "clearance_range", "free_box", "joint_travel", "screw_contact"}


def test_every_public_query_obeys_the_laws() -> None:
    """A new query comes with a class here. What computes without a search has none."""
    queries = {name for name in collide.__all__ if callable(getattr(collide, name)) and not isinstance(getattr(collide, name), type)}
    source = Path(__file__).read_text(encoding="utf-8")
    assert {name for name in queries if f"collide.{name}(" not in source and f"(collide.{name})" not in source} == CLOSED | COMPOSED
