"""Boxes leave the search only where nothing is lost, and never without a trace."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from codegen.machine.loop_runtime import compiled
from codegen.machine.loops import native
from codegen.time_bounds.separable_advance import ComposedAdvance
from collide.bodies.parts import faces_of, parts_of
from collide.search.native import layout
from collide.search.native.boxes import keep_clear, take
from collide.search.native.conservative_advancement import narrow, settle
from collide.search.native.layout import SearchMemory
from collide.search.native.node_pairs import wanted
from collide.search.native.ranges import drop_impossible, evaluate_ranges
from collide.search.native.split import split
from collide.search.native.thinning import near_sample, thin
from collide.search.options import Options
from collide.search.search import Search
from collide.situations.contact import situation
from generative import ImplicitSurface, ParametricSurface, Rigid, t, u, v, x, y, z

from .test_steps import BALL, PLATE, TILTED, falling, meetings, search

R = sp.Rational
LATER = np.nextafter(1.0, 2.0)

# -- windows of time ------------------------------------------------------------------------------------------------


@native
def settle_held(s: SearchMemory, p: layout.ProblemRow) -> int:
    settle(s, p, 0)
    return 0


@pytest.mark.parametrize("motion", ["apart", "together"])
@pytest.mark.parametrize(("bound", "until", "left"), [
    (0.5, 1.0, 0.5),  # nothing before 0.5
    (0.0, 1.0, 0.25),  # nothing learnt
    (1.0, 1.0, 1.0),  # nothing before 1, the end of what was looked at: it may touch just then
    (LATER, 1.0, 1.0),  # nothing up to 1, which says nothing of what comes after
    (np.inf, 1.0, 1.0),
    (np.inf, 2.125, 2.125),  # the bound is at 2, and what comes up to a quarter later counts
    (np.inf, 2.25 - 2.0**-20, 2.25 - 2.0**-20),
    (np.inf, 2.25, None),  # nothing up to the end
    (np.inf, 3.0, None),
])
def test_a_window_moves_on_as_far_as_it_was_looked_at(motion, bound, until, left):
    """The window [0.25, 3], of which the part up to `until` was seen to be free up to `bound`."""
    found = search(falling(motion), PLATE, (0, 4), tangency=False, simultaneity=0.25)
    a = found.arrays
    a.table(layout.ProblemRow)["root"][0], found.open_count = -1, 0
    found.proved = 2.0
    a["before"][0], a["until"][0], a["tested"][0] = [[0, 1]] * 4 + [[0.25, 3]], until, 0
    a["both"][0] = 0
    a["out"][:] = 0.0
    a["out"][0, 0] = bound
    compiled(settle_held)(a.address, 0)
    open_boxes = found.open(0)
    assert len(open_boxes) == (left is not None)
    for box in open_boxes:
        assert box[4].tolist() == [left, 3] and (box[:4] == [0, 1]).all()


@native
def narrow_lanes(s: SearchMemory, p: layout.ProblemRow) -> int:
    narrow(s, p)
    return 0


@pytest.mark.parametrize("motion", ["apart", "together"])
def test_a_window_that_ends_with_the_contact_is_kept(motion):
    """Bounds are exact for plates, and so are these moments."""
    found = search(falling(motion), PLATE, (0, 2), tangency=False)
    a, zeros = found.arrays, meetings(8)
    for size in 2.0 ** -np.arange(1, 12):
        lo, hi = zeros - [0, 0, 0, 0, size], zeros + [size, size, size, size, 0]
        a["alive"][:], a["X"][0:5] = 1.0, np.stack([-lo.T, hi.T], axis=1)
        compiled(narrow_lanes)(a.address, 0)
        assert (a["alive"] == 1.0).all() and (-a["X"][4, 0] <= zeros[:, 4]).all()


def stay(found, zeros, most=150):
    """Every zero lies in a queued box, step after step, until one is small enough for a proof, which cuts off later ones; the steps."""
    for step in range(most):
        found.run(1)
        if found.proved < np.inf or found.solutions:
            return step
        left = np.ones(len(zeros), bool)
        for box in found.open(0):
            left &= ~((box[:, 0] - 1e-12 <= zeros) & (zeros <= box[:, 1] + 1e-12)).all(axis=1)
        assert not left.any(), (step, zeros[left])
    return most


def test_contacts_of_a_twisting_plate_stay_in_the_search():
    """A tilted plate comes down and twists about the vertical: points at the height h of the plate at rest turn by h t on their way."""
    height = u / 4 + v / 8
    cosine, sine = sp.cos(height * t), sp.sin(height * t)
    plate = ParametricSurface([u * cosine - v * sine, u * sine + v * cosine, height + 1 - t], PLATE.domain)
    ground = ParametricSurface([u + u**3, v, 0], {u: (-2, 2), v: (-3, 3)})
    a, b = np.random.default_rng(12).uniform(-1, 1, (2, 2000))
    moment = 1 + a / 4 + b / 8
    turn = (moment - 1) * moment
    far = a * np.cos(turn) - b * np.sin(turn)
    root = 2 / np.sqrt(3) * np.sinh(np.arcsinh(1.5 * np.sqrt(3) * far) / 3)
    zeros = np.column_stack([a, b, root, a * np.sin(turn) + b * np.cos(turn), moment])
    found = Search([situation(*faces_of(plate), *faces_of(ground), (0, 3), tangency=False)], Options(sample=False))
    assert isinstance(found.problems[0].advance, ComposedAdvance)
    assert stay(found, zeros) > 100


@pytest.mark.parametrize("implicit", [False, True])
@pytest.mark.parametrize("side", range(4))
def test_contacts_of_a_side_stay_in_the_search(side, implicit):
    """A tilted plate comes down, faster and faster: the point (a, b) of a side meets the floor when t^2 + 3 t = 4 + a + b/2."""
    plate = ParametricSurface([u, v, u / 4 + v / 8 + 1], PLATE.domain).moved(Rigid(translation=[0, 0, -(t**2 + 3 * t) / 4]))
    edge = [part for part in parts_of(plate) if part.dimension == 1][side]
    along = np.random.default_rng(7).uniform(-1, 1, 300)
    a, b = (np.broadcast_to(e, along.shape) for e in sp.lambdify(edge.symbols, edge.path)(along))
    moments = np.sqrt(2.25 + 4 + a + b / 2) - 1.5
    floor = ImplicitSurface(z, bounds=[(-4, 4)] * 3) if implicit else PLATE
    found = Search([situation(edge, *faces_of(floor), (0, 3), tangency=False)], Options(sample=False))
    assert stay(found, np.column_stack([along, moments] if implicit else [along, a, b, moments])) > 20


@pytest.mark.parametrize("implicit", [False, True])
def test_crossings_at_the_side_of_a_face_stay_in_the_search(implicit):
    """A ball comes down beside a plate and meets its side u = 1 along an arc, where no tangent planes agree."""
    ball = ParametricSurface([BALL[0] + R(11, 10), BALL[1], BALL[2] + 3 - t], {u: (-3, 0), v: (-1, 1)})
    (face,), rest = faces_of(PLATE), ImplicitSurface((x - R(11, 10))**2 + y**2 + (z - 3 + t)**2 - 1, bounds=[(-3, 3)] * 3)
    whole = situation(*faces_of(rest if implicit else ball), face, (0, 4))
    names = list(whole.variables)
    border = np.zeros((len(names), 2), int)
    border[[names.index(n) for n in ("u2", "v2")]] = 1
    b = np.random.default_rng(9).uniform(-0.5, 0.5, 40)
    depth = np.sqrt(1 - 0.01 - b**2)
    if implicit:
        zeros = np.column_stack([np.ones(40), b, 3 - depth])
    else:
        zeros = np.column_stack([-np.arctan2(depth, -0.1), np.arcsin(b), np.ones(40), b, 3 - depth])
    for method in ("auto", "newton"):
        assert stay(Search([replace(whole, border=border)], Options(sample=False, method=method)), zeros) > 40


# -- boxes ----------------------------------------------------------------------------------------------------------


@native
def take_one(s: SearchMemory, p: layout.ProblemRow) -> int:
    return take(s, p)


@native
def wanted_root(s: SearchMemory, p: layout.ProblemRow) -> int:
    return 1 if wanted(s, p, p.root) else 0


@pytest.mark.parametrize("at_border", [False, True])
def test_at_a_border_no_region_settles_a_box(at_border):
    """The square system says nothing of contacts on a side, where other ones may lie in the region of its only zero."""
    found = search(ParametricSurface(TILTED, PLATE.domain), PLATE, (0, 2), sample=False)
    a = found.arrays
    a["region"][0], a["kind"][0], a["owner"][0], found.solution_count = [[-2, 2]] * 5, layout.UNIQUE, 0, 1
    a["border"][0, :4] = 1
    a["box"][a.table(layout.ProblemRow)["root"][0]] = [[-0.5, 0.5]] * 3 + [[0.5, 1.0 if at_border else 0.75], [0, 1]]
    assert bool(compiled(wanted_root)(a.address, 0)) is at_border
    assert compiled(take_one)(a.address, 0) == int(at_border)


@native
def keep_held(s: SearchMemory, p: layout.ProblemRow) -> int:
    keep_clear(s, p, s.hold[0])
    return 0


def test_a_box_that_is_given_up_leaves_its_times():
    found = search(ParametricSurface(TILTED, PLATE.domain), PLATE, (0, 2))
    for (begin, end), clear, latest in (((0.5, 0.75), 0.5, 0.75), ((0.25, 0.5), 0.25, 0.75), ((0.3, 1.5), 0.25, 1.5)):
        found.arrays["hold"][0] = [[0, 1]] * 4 + [[begin, end]]
        compiled(keep_held)(found.arrays.address, 0)
        assert found.clear == clear and found.latest_left == latest


# -- thinning -------------------------------------------------------------------------------------------------------


@native
def near_held(s: SearchMemory, p: layout.ProblemRow, whole: int) -> int:
    return 1 if near_sample(s, p, whole != 0, 1.0) >= 0 else 0


def image(middle, size):
    return np.stack([np.array(middle) - size / 2, np.array(middle) + size / 2], axis=1)


@pytest.mark.parametrize(("kind", "owner", "moment", "middle", "size", "thinned"), [
    (layout.EXISTS, 0, 1.0, (0.3, 0, 0), 0.2, True),
    (layout.LOCATED, 0, 1.0, (0.3, 0, 0), 0.2, True),
    (layout.EXISTS, 0, 1.0, (0.9, 0, 0), 0.3, False),  # not all of it is near
    (layout.EXISTS, 0, 1.0, (0.5, 0.5, 0.5), 0.3, False),  # a corner is not
    (layout.EXISTS, 0, 1.001, (0.3, 0, 0), 0.2, True),  # simultaneous
    (layout.EXISTS, 0, 1.1, (0.3, 0, 0), 0.2, False),  # the sample comes later
    (layout.UNIQUE, 0, 1.0, (0.3, 0, 0), 0.2, False),  # an isolated contact stands for no other one
    (layout.EXISTS, 1, 1.0, (0.3, 0, 0), 0.2, False),  # another situation of the same bodies, which may hold an isolated contact
    (layout.EXISTS, 1, 1.0, (0.3, 0, 0), 0.01, True),  # but for what is tiny
    (layout.LOCATED, 1, 1.0, (0.3, 0, 0), 0.01, False),
    (layout.EXISTS, 2, 1.0, (0.3, 0, 0), 0.01, False),  # other bodies
])
def test_what_a_sample_stands_for(kind, owner, moment, middle, size, thinned):
    """A sample at the origin, spacing 1, simultaneity 1/100, and the image of a box that begins at 1."""
    whole = situation(*faces_of(ParametricSurface(TILTED, PLATE.domain)), *faces_of(PLATE), (0, 2))
    found = Search([whole, whole, replace(whole, label=(0, 2))], Options(simultaneity=0.01, spacing=1.0))
    a = found.arrays
    a["kind"][0], a["owner"][0], a["place"][0], found.solution_count = kind, owner, 0.0, 1
    a["found"][0, 4] = moment
    a["near"][:] = image(middle, size)
    assert bool(compiled(near_held)(a.address, 0, 1)) is thinned


@native
def thin_held(s: SearchMemory, p: layout.ProblemRow) -> int:
    thin(s, p, 1)
    return s.action[0]


@pytest.mark.parametrize(("half", "action", "gone"), [(0.1, layout.LATE, True), (0.1, layout.SPLIT, False), (1.0, layout.LATE, False)])
def test_a_box_is_thinned_only_as_a_whole(half, action, gone):
    """A box round a sample on a plate; only what is late, and what lies within the spacing, is dropped, and leaves its times."""
    found = search(ParametricSurface([u, v, 1 - t], PLATE.domain), PLATE, (0, 2), spacing=0.5, simultaneity=0.5)
    a = found.arrays
    a["kind"][0], a["owner"][0], a["found"][0, 4], a["dimension"][0], found.solution_count = layout.EXISTS, 0, 1.0, -1, 1
    a["hold"][:] = [[-half, half]] * 4 + [[0.75, 1.25]]
    a["action"][0] = action
    assert compiled(thin_held)(a.address, 0) == (layout.GONE if gone else action)
    assert found.clear == (0.75 if gone else np.inf)


def test_a_box_that_is_thinned_bounds_what_is_clear():
    """The box thinned above begins at 3/4, the sample that stands for it at 1: before 3/4 all is clear, not before 1."""
    found = search(ParametricSurface([u, v, 1 - t], PLATE.domain), PLATE, (0, 2), spacing=0.5, simultaneity=0.5)
    a = found.arrays
    a.table(layout.ProblemRow)["root"][0], found.open_count = -1, 0
    a["kind"][0], a["owner"][0], a["found"][0, 4], a["dimension"][0], found.solution_count = layout.EXISTS, 0, 1.0, -1, 1
    assert found.clear_until(found.solutions, 2.0) == 1.0
    a["hold"][:] = [[-0.1, 0.1]] * 4 + [[0.75, 1.25]]
    a["action"][0] = layout.LATE
    assert compiled(thin_held)(a.address, 0) == layout.GONE
    assert found.clear_until(found.solutions, 2.0) == 0.75


@native
def split_held(s: SearchMemory, p: layout.ProblemRow, j: int) -> int:
    split(s, p, 0, j)
    return 0


def test_a_box_that_cannot_be_halved_is_located():
    found = search(ParametricSurface(TILTED, PLATE.domain), PLATE, (0, 2))
    box = np.array([[0.25, 0.5]] * 4 + [[1.0, 1.5]])
    found.arrays.table(layout.ProblemRow)["root"][0], found.arrays["hold"][0], found.open_count = -1, box, 0
    compiled(split_held)(found.arrays.address, 0, -1)
    assert [found.kind(k) for k in found.solutions] == [layout.LOCATED] and (found.found(0) == box).all()
    assert len(found.open(0)) == 0 and found.clear == 1.0


# -- ranges of the rows ---------------------------------------------------------------------------------------------


@native
def drop_lanes(s: SearchMemory, p: layout.ProblemRow, used: int) -> int:
    evaluate_ranges(s, p, used)
    drop_impossible(s, p, used)
    return 0


@pytest.mark.parametrize(("height", "gone"), [((0, 0), False), ((-1, 0), False), ((0, 1), False), ((-1, 1), False),
                                              ((2.0**-40, 1), True), ((-1, -(2.0**-40)), True)])
@pytest.mark.parametrize("used", [1, 8])
def test_a_box_is_dropped_for_its_own_ranges(height, gone, used):
    """A side above a floor, at these heights in one lane and at height 0 in all others: only that one may go, and only if 0 is outside."""
    side = next(part for part in parts_of(ParametricSurface(TILTED, PLATE.domain)) if part.dimension == 1)
    found = Search([situation(side, *faces_of(PLATE), (0, 2), tangency=False)])
    a, along = found.arrays, 0.25
    place = [float(e.subs(dict.fromkeys(side.symbols, along))) for e in map(sp.sympify, side.path)]
    moment = 1 + place[0] / 4 + place[1] / 8
    for lane in range(8):
        a["before"][:] = np.repeat([[along], [place[0]], [place[1]], [moment]], 2, axis=1)
        a["before"][lane, 3] = moment - height[1], moment - height[0]
        a["out"][:], a["until"][:] = 0.0, 0.5
        compiled(drop_lanes)(a.address, 0, used)
        dropped = (np.arange(8) == lane) & (lane < used) & gone
        assert (a["out"][0] == np.where(dropped, np.inf, 0.0)).all()
        assert (a["until"] == np.where(dropped, a["before"][:, 3, 1], 0.5)).all()


# -- solutions from elsewhere ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "ends", "noted"), [
    (layout.EXISTS, (0.25, 0.5), True), (layout.EXISTS, (0.5, 1 + 1e-9), False), (layout.EXISTS, (1 + 1e-9, 2), False),
    (layout.LOCATED, (0.25, 0.5), True), (layout.LOCATED, (0.5, 1 + 1e-9), True)])
def test_a_zero_beyond_the_domain_is_not_noted_as_a_contact(kind, ends, noted):
    found = search(ParametricSurface(TILTED, PLATE.domain), PLATE, (0, 2))
    assert found.note(0, np.array([ends, *[[0.25, 0.5]] * 3, [1, 1.5]]), kind) is noted
    assert len(found.solutions) == noted and found.proved == (1.5 if noted and kind == layout.EXISTS else np.inf)


@pytest.mark.parametrize(("top", "noted"), [(R(1, 2), False), (2, True)])
def test_a_zero_beyond_the_bounds_of_a_surface_is_not_noted_as_a_contact(top, noted):
    """A plate meets the top of a ball at t = 1, which may be cut off below it."""
    floor = ParametricSurface([u, v, 2 - t], PLATE.domain)
    found = search(ImplicitSurface(x**2 + y**2 + z**2 - 1, bounds=[(-2, 2), (-2, 2), (-2, top)]), floor, (0, 4), tangency=False)
    assert found.note(0, np.array([[-0.1, 0.1]] * 2 + [[0.9, 1.1]]), layout.EXISTS) is noted
    assert found.proved == (1.1 if noted else np.inf)
