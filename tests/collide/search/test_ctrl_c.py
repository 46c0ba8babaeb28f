"""Ctrl-C at any look at the clock: the answer says so, and the same question again is answered as if it had not come."""

import signal
import sys

import numpy as np
import pytest
import sympy as sp

import collide
from codegen.deadline import TimeUp
from collide import Budget, Status
from collide.bezier import pairs
from collide.bodies.parts import faces_of
from collide.polyhedra.primitives import batches, motion_windows
from collide.queries import contact_search, parameters
from collide.search import clock
from collide.search.options import Options
from collide.search.search import Search
from collide.situations.contact import situation
from collide.timeline.evidence import Evidence
from generative import Parameter, ParametricSurface, Rigid, t, u, v
from tests.arms import arm

NOTHING = 1e-9


def bodies(wave):
    sheet = {u: (-1, 1), v: (-1, 1)}
    return [ParametricSurface([u, v, sp.sin(wave * u) / 4 + v**2 / 8], sheet),
            ParametricSurface([u, v, sp.Rational(5, 2) - 3 * t - u**2 / 5 + v / 9], sheet)]


@pytest.fixture
def pressed_at(monkeypatch):
    """Presses Ctrl-C at the k-th look at the clock; the number of looks."""
    looks, real = [0, 0], clock.interrupted

    def look():
        looks[0] += 1
        if looks[0] == looks[1]:
            signal.raise_signal(signal.SIGINT)
        return real()

    monkeypatch.setattr(clock, "interrupted", look)

    def at(k):
        looks[:] = 0, k
        return looks

    return at


@pytest.mark.parametrize("ask", [collide.first_contact, collide.contacts_during, collide.clearance])
def test_ctrl_c_at_any_look_leaves_the_same_question_as_it_was(pressed_at, ask):
    looks, wave = pressed_at(-1), sp.Rational(3, 2)
    first = repr(ask(bodies(wave), (0, 1)))
    most = looks[0]
    assert most > 3
    for k in sorted({1, 2, most // 3, most // 2, most - 1}):
        pressed_at(k)
        interrupted = ask(bodies(wave), (0, 1))
        assert "interrupted" in interrupted.summary() or repr(interrupted) == first
        pressed_at(-1)
        assert repr(ask(bodies(wave), (0, 1))) == first
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_answer_to_an_interrupted_search_says_so(pressed_at):
    pressed_at(5)
    c = collide.first_contact(bodies(sp.Rational(7, 3)), (0, 1))
    assert c.status is Status.BUDGET_SPENT and "The work was interrupted." in c.summary()


def test_what_ends_between_two_stages_has_spent_its_budget(monkeypatch):
    """The stage before came to its end, and the time is up as formulas of the next one are converted."""
    def stages(*_):
        yield Evidence(None, True, 0.25)
        raise TimeUp

    monkeypatch.setattr(contact_search, "_evidence", stages)
    c = collide.first_contact(bodies(sp.Rational(4, 3)), (0, 1), budget=5)
    assert c.status is Status.BUDGET_SPENT and c.time == (0.25, 1.0)


# -- between any two lines ------------------------------------------------------------------------------------------------


def pressed_before(line, function, call):
    """Calls, with Ctrl-C before that line of the function's that is run; did it come?"""
    seen, code = [], function.__code__

    def watch(frame, event, arg):
        if event == "line" and frame.f_code is code:
            seen.append(frame.f_lineno)
            if len(seen) == line:
                raise KeyboardInterrupt
        return watch if frame.f_code is code else None

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def search_of(wave=1):
    first, second = bodies(wave)
    return Search([situation(faces_of(first)[0], faces_of(second)[0], (0, 1))], Options())


@pytest.mark.parametrize("function, lines", [(Search.leave, 3), (Search._empty, 4)])
def test_what_is_left_is_never_clear(function, lines):
    """At no moment is it known neither as open nor as left."""
    line, came = 0, True
    while came:
        search, line = search_of(), line + 1
        begin = search.least_open(0)
        came = pressed_before(line, function, lambda search=search, begin=begin: search.leave(0, begin))
        assert search.least_left(1.0) <= begin, line
    assert line > lines and search.left == {0} and search.open_count == 0


def test_what_is_proved_is_adopted_after_what_is_not_clear():
    """A contact bounds what is searched, so that it must not be known before what may be earlier."""
    line, came = 0, True
    while came:
        search, other, line = search_of(), search_of(), line + 1
        other.clear, other.proved = 0.25, 0.5
        came = pressed_before(line, Search.adopt, lambda search=search, other=other: search.adopt(other, {0: 0}))
        assert search.proved > 0.5 or search.clear <= 0.25, line
    assert line > 3 and (search.proved, search.clear) == (0.5, 0.25)


# -- what used to go on when the time was up -----------------------------------------------------------------------------


def test_ranges_are_not_checked_at_all_their_ends_when_the_time_is_up(monkeypatch):
    """Of six joints there are 64 combinations; in two questions, each of them would make all bodies anew."""
    seen, real = [], parameters._check
    monkeypatch.setattr(parameters, "_check", lambda *given: (seen.append(1), real(*given)))
    off = [Parameter(f"off{k}") for k in range(6)]
    chain = arm(11).chain
    moved = chain.at({f"joint {k}": e + t / (k + 2) for k, e in enumerate(off)})
    ranges = dict.fromkeys(off, (-sp.Rational(1, 50), sp.Rational(1, 50)))
    for ask in (collide.first_contact, collide.clearance):
        found = ask(moved, (0, 1), ignore=chain.ignore, parameters=ranges, budget=NOTHING)
        assert found.status.name == "BUDGET_SPENT" and len(found.undecided) > 6
    assert len(seen) < 128


def test_patches_for_whose_kernels_there_is_no_time_are_told(monkeypatch):
    def late(*_):
        raise TimeUp

    monkeypatch.setattr(pairs, "_kernels", late)
    found = collide.bezier_pairs(np.zeros((3, 2, 2, 2, 2, 3)) + np.arange(3.0))
    assert [s.name for s in found.status] == ["BUDGET_SPENT"] * 3 and found.hit.all() and not found.proved.any()
    assert found.time.tolist() == [[0, 1]] * 3


@pytest.mark.parametrize("moving", [False, True])
def test_a_budget_ends_queries_of_edges_and_triangles(moving):
    q = np.random.default_rng(3).normal(size=(50, 4 if moving else 8, 3))
    motions = {"motions": (Rigid(rotation=[1, t, 0, 0], normalize=True), Rigid())} if moving else {}
    for query in (collide.edge_edge, collide.vertex_face):
        late, whole = query(q, budget=NOTHING, **motions), query(q, **motions)
        assert {s.name for s in late.status} == {"BUDGET_SPENT"} and late.hit.all() and not late.proved.any()
        assert "BUDGET_SPENT" not in {s.name for s in whole.status} and not whole.hit.all()


def test_ctrl_c_between_two_parts_of_a_query_ends_those_to_come(monkeypatch):
    """Of triangles vertices and edges are asked about one after the other."""
    real, seen = batches.run, []

    def pressed(*given):
        seen.append(1)
        signal.raise_signal(signal.SIGINT)
        return real(*given)

    monkeypatch.setattr(batches, "run", pressed)
    q = np.random.default_rng(3).normal(size=(50, 6, 3))
    found = collide.triangle_triangle(q, motions=(Rigid(translation=[t, 0, 0]), Rigid()))
    assert len(seen) == 1 and "BUDGET_SPENT" in {s.name for s in found.status}


def test_motions_of_meshes_are_interpreted_at_first():
    """LLVM would take a minute for a chain of sixteen screws."""
    windows = motion_windows.motion_windows(Rigid(translation=[sp.sin(t), t**3, 0]), Rigid())
    assert windows.kernel.quick


def test_what_is_left_of_a_budget():
    spent = clock.Clock(Budget(100.0, 50, 1 << 20))
    spent.boxes = 60
    assert 0 < spent.rest.seconds <= 100 and spent.rest.boxes == 1 and spent.rest.bytes == 1 << 20
    assert clock.Clock(Budget(None)).rest == Budget(None)
