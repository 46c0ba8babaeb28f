"""Sheets that move: free fall, contact with obstacles and with themselves. Of `collide.shell.simulation`, `near_points` and `run`."""

import numpy as np
import pytest

from collide import Mesh, step_limit
from collide.polyhedra.step.candidates import parts_of
from collide.shell import Sheet, ShellRun, simulate
from collide.shell.near_points import near_points
from generative import Rigid, t

TABLE = Mesh([[-2, -2, 0], [2, -2, 0], [2, 2, 0], [-2, 2, 0]], [[0, 1, 2], [0, 2, 3]], name="table")


def sheet(patches=(3, 3), **more):
    return Sheet((1.0, 1.0), patches, thickness=2e-3, young=1e5, poisson=0.3, density=300.0, **more)


def test_a_sheet_falls_as_implicit_euler_falls():
    run = simulate(sheet(), 0.4, 0.1)
    np.testing.assert_allclose([s.places[0, 2] for s in run.steps], [-9.81 * 0.01 * k * (k + 1) / 2 for k in range(1, 5)], rtol=1e-9)
    assert run.contacts.tolist() == [0] * 4 and np.abs(run.steps[-1].places[:, 2] - run.steps[-1].places[0, 2])[::4].max() < 1e-9


def test_a_sheet_comes_to_rest_on_a_table_and_carries_its_weight():
    own = sheet((2, 2))
    run = simulate(own, 0.5, 0.05, places=own.placed(lambda p: p + [0, 0, 0.05]), obstacles=[TABLE], damping=2.0, thickness=0.01)
    last = own.points(run.steps[-1].places)
    assert run.contacts[-1] > 0 and last[:, 2].min() > 0.0 and np.abs(last[:, 2] - 0.01).max() < 3e-3
    assert np.abs(run.steps[-1].places - run.steps[-2].places).max() < 1e-3
    faces = np.concatenate([own.triangles, TABLE.triangles + len(last)])
    for one, other in zip(run.steps, run.steps[1:], strict=False):
        before, after = (np.concatenate([own.points(s.places), TABLE.vertices[:, :3]]) for s in (one, other))
        assert step_limit(before, after, mesh=faces) == 1.0


def test_friction_holds_a_sheet_on_a_slope():
    """tan of the slope is 0.2: with a coefficient of 0.6 it stays, without friction it slides as sin says."""
    own, slope = sheet((1, 1)), np.arctan(0.2)
    pull = [9.81 * np.sin(slope), 0, -9.81 * np.cos(slope)]
    ways = []
    for friction in (0.6, 0.0):
        run = simulate(own, 0.4, 0.05, places=own.placed(lambda p: p + [0, 0, 0.0102]), obstacles=[TABLE], gravity=pull, friction=friction,
                       thickness=0.01)
        ways.append(run.steps[-1].places[::4, 0].mean())
    assert abs(ways[0]) < 2e-3 and ways[1] == pytest.approx(9.81 * np.sin(slope) * 0.05**2 * 36, rel=0.02)


def test_a_folded_sheet_does_not_go_through_itself():
    """One side is held, the other one is led down towards it: the fold closes, and the sheet touches itself."""
    own = sheet((4, 1))
    nodes = own.nodes
    folded = own.placed(lambda p: np.column_stack([-np.abs(p[:, 0]), p[:, 1], 0.15 * np.tanh(8 * p[:, 0])]))
    held = {tuple(nodes[0]): None, tuple(nodes[-1]): Rigid(translation=[0, 0, -t])}
    run = simulate(own, 0.4, 0.1, places=folded, held=held, gravity=(0, 0, -2))
    assert run.contacts.max() > 0 and isinstance(run, ShellRun)
    places = own.points(run.steps[-1].places)
    assert step_limit(places, places, mesh=own.triangles) == 1.0 and places[:, 2].max() < 0.1


def test_contacts_are_those_of_nearest_points():
    """A vertex 0.1 over a triangle, and two edges that cross 0.1 apart: gaps, normals and shares by hand."""
    places = np.array([[0, 0, 0], [3, 0, 0], [0, 3, 0], [1, 1, 0.1], [1, 1, 4], [2, 2, 4.0]])
    found = near_points(parts_of(np.array([[0, 1, 2], [3, 4, 5]])), places, places, 0.2, 6)
    assert len(found.gaps) == 1 and found.gaps[0] == pytest.approx(0.1)
    np.testing.assert_allclose(found.normals[0], [0, 0, 1], atol=1e-12)
    np.testing.assert_allclose(found.shares[0], [1, -1 / 3, -1 / 3, -1 / 3])
    np.testing.assert_allclose(found.rows(6) @ places, [[0, 0, 0.1]], atol=1e-12)
    crossed = np.array([[-1, 0, 0], [1, 0, 0], [0, 0, -5], [0, -1, 0.1], [0, 1, 0.1], [0, 0, 5.0]])
    edges = near_points(parts_of(np.array([[0, 1, 2], [3, 4, 5]])), crossed, crossed, 0.2, 6)
    assert len(edges.gaps) == 1 and edges.gaps[0] == pytest.approx(0.1) and abs(edges.normals[0, 2]) == pytest.approx(1.0)
    assert not len(near_points(parts_of(np.array([[0, 1, 2], [3, 4, 5]])), crossed, crossed, 0.2, 0).gaps)


def test_runs_tell_their_costs_and_play(tmp_path):
    own = sheet((2, 2))
    run = simulate(own, 0.1, 0.05, obstacles=[TABLE.moved(Rigid(translation=[0, 0, 0]))], places=own.placed(lambda p: p + [0, 0, 1]))
    run.save_html(tmp_path / "sheet.html", "A sheet")
    assert "A sheet" in (tmp_path / "sheet.html").read_text() and "2 steps, 2 of them whole" in run.summary()
    assert 0.0 <= run.collision_share <= 1.0


def test_bad_arguments_are_refused():
    own = sheet((1, 1))
    with pytest.raises(TypeError, match="meshes"):
        simulate(own, 1, 0.1, obstacles=[own])
    with pytest.raises(TypeError, match="moves a Sheet"):
        simulate(TABLE, 1, 0.1)
    with pytest.raises(ValueError, match="friction"):
        simulate(own, 1, 0.1, friction=-1)


def test_a_sheet_that_starts_on_a_table_is_lifted_to_its_thickness():
    own, table = sheet((2, 2)), Mesh([[-2, -2, 0], [3, -2, 0], [0, 3, 0]], [[0, 1, 2]])
    run = simulate(own, 0.1, 0.02, obstacles=[table], thickness=0.01)
    assert [s.part for s in run.steps] == [1.0] * 5 and (own.points(run.steps[-1].places)[:, 2] > 2e-3).all()


def test_a_spent_budget_leaves_the_steps_that_are_whole():
    own = sheet((2, 2))
    run = simulate(own, 1e4, 0.05, budget=0.3)
    assert 0 < len(run.steps) < 2e5 and "budget was spent after" in run.summary()
    assert repr(run).startswith("ShellRun(") and len(repr(run)) < 120
    for k, s in enumerate(simulate(own, 0.1, 0.05, budget=60).steps):
        assert (s.places == run.steps[k].places).all()
    with pytest.raises(ValueError, match="budget"):
        simulate(own, 1, 0.05, budget=-1)
