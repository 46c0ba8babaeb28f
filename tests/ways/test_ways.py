"""A slice of the search for contradictions, with fixed seeds: `make fuzz` goes on with others. Nothing here depends on how fast the machine
is: what a budget leaves open is no contradiction.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import collide
from collide import Start, Status
from collide.search import clock

from . import copies, equations, referee, settings
from .agreement import Claim, Place, contradictions, weaker
from .asking import Findings, ask_copies, ask_equations, ask_machine, ask_members, ask_rows, ask_settings, asked, suiting
from .scenes import KINDS, scene
from .source import script
from .ways import WAYS

BUDGET = 20.0


@pytest.fixture(autouse=True)
def nothing_compiled_for_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is compiled at the end of a query makes later ones of its kind faster; here each comes but a few times."""
    monkeypatch.setattr(clock, "compile_repeated", lambda: None)


# Of each kind one scene, and ways that suit it: each way at least once.
SLICE = [
    ("one_family", 4, ["permuted", "batch_row", "bystander"]), ("families", 4, ["parametrized", "placed", "relative"]),
    ("poles", 0, ["permuted", "cut"]), ("creased", 5, ["flipped", "batch_row"]), ("deforming", 1, ["squared", "halves_of_time"]),
    ("implicit", 4, ["units", "later"]), ("csg", 3, ["permuted"]), ("solids", 1, ["deformed"]), ("polyhedra", 1, ["as_meshes", "measures"]),
    ("kinked", 4, ["continued"]), ("ranges", 3, ["options"]), ("several", 0, ["pairs"]), ("bezier", 7, ["bezier_row", "time_dependent"]),
    ("rational", 4, ["bezier_row"]), ("feet", 1, ["permuted"]), ("balls", 1, ["units"]), ("flat", 1, ["permuted"]), ("graze", 0, ["later"]),
    ("close", 3, ["permuted"]), ("spinning", 2, ["later"]), ("slivers", 3, ["permuted"]), ("rims", 3, ["permuted"]),
    ("overlapping", 3, ["permuted", "placed"]), ("overlapping", 9200000, ["batch_row"]),
    ("functions", 3, ["as_minimum", "as_sheet"]), ("swept", 1, []),
    ("catalogue", 0, ["permuted"]),
    ("folding", 5, ["cut", "later", "halves_of_time"]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "seed", "names"), SLICE, ids=[kind for kind, _, _ in SLICE])
def test_ways_agree(kind: str, seed: int, names: list[str]) -> None:
    given = scene(kind, seed)
    assert set(names) <= set(suiting(given))
    found = asked(given, names, BUDGET)
    assert found.wrong == []
    assert given.time is not None or list(referee.missed(given, found.claims)) == []


@pytest.mark.parametrize("kind", equations.KINDS)
@pytest.mark.parametrize("seed", [3, 9])
def test_equations_agree(kind: str, seed: int) -> None:
    assert ask_equations(kind, seed, BUDGET).wrong == []


@pytest.mark.parametrize("kind", copies.KINDS)
@pytest.mark.parametrize("seed", [1, 2])
def test_copies_go_on_as_their_originals_do(kind: str, seed: int) -> None:
    assert ask_copies(kind, seed).wrong == []


@pytest.mark.parametrize("kind", ["members_tori", "members_capsules", "members_cones"])
def test_members_do_not_depend_on_those_before_them(kind: str) -> None:
    assert ask_members(kind, 0, BUDGET).wrong == []


@pytest.mark.parametrize(("kind", "seed"), [("resting", 4), ("alike", 0), ("enclosed", 1), ("passing", 4)])
def test_ranges_agree_with_their_values(kind: str, seed: int) -> None:
    """The seeds of what rests and of what encloses are two at which a contact was once missed."""
    assert kind in settings.KINDS
    found = ask_settings(kind, seed, 2.0)
    assert found.wrong == [] and {c.way for c in found.claims} >= {"ranges", "parts of ranges", "row", "call", "spells", "clearance"}


def test_a_range_that_misses_what_its_values_do_is_noticed() -> None:
    """Of single values that meet, and of a critical value."""
    met, none = settings.whole("row", Status.CONTACT, 0.25, 0.5, ()), settings.whole("ranges", Status.NO_CONTACT, 1.0, None, ())
    late = settings.whole("ranges", Status.CONTACT, 0.75, 0.875, ())
    assert len(list(settings.earlier([none, late], [met]))) == 2
    assert list(settings.earlier([met], [none, late])) == []


def test_the_slice_holds_every_kind_and_every_way() -> None:
    assert {kind for kind, _, _ in SLICE} == set(KINDS)
    assert {"as_drawn"}.union(*(names for _, _, names in SLICE)) == set(WAYS)


@pytest.mark.parametrize("machine", ["again", "from_nothing", "threaded", "of_copies"])
def test_the_same_bits(machine: str) -> None:
    found = Findings(scene("one_family", 6))
    ask_machine(found, machine, BUDGET)
    assert found.wrong == []


def test_rows_of_a_batch_against_calls() -> None:
    found = Findings(scene("one_family", 6))
    ask_rows(found, BUDGET)
    assert found.wrong == [] and len(found.claims) == 12


def test_rows_that_meet_at_the_start_say_so_and_calls_what_comes_later() -> None:
    """Two of the six overlap at the start. A row that says otherwise is noticed."""
    found, begun = Findings(scene("overlapping", 9241500)), []
    ask_rows(found, BUDGET)
    assert found.wrong == [] and len(found.claims) == 12
    for told, call in zip(found.claims[::2], found.claims[1::2], strict=True):
        if call.start[0, 1] is Start.OVERLAPPING:
            begun.append(told)
            late = replace(told, clear=told.end / 4, by=told.end / 2, start={(0, 1): Start.DISJOINT})
            assert list(contradictions([late, call]))
    assert [told.by for told in begun] == [0, 0]


# -- the judges themselves -----------------------------------------------------------------------------------------------

HALF, ONE = Fraction(1, 2), Fraction(1)


def claim(status: Status, clear: float, by: float | None, *places: Place, **changed: object) -> Claim:
    given = {"way": "w", "status": status, "clear": Fraction(clear), "by": None if by is None else Fraction(by), "end": ONE,
             "start": {(0, 1): Start.DISJOINT}, "places": places, "simultaneity": Fraction(1, 1024), **changed}
    return Claim(**given)  # type: ignore[arg-type]


def place(x: float, normal: tuple[float, float, float] = (0, 0, 1), time: Fraction = HALF, pair: tuple[int, int] = (0, 1)) -> Place:
    return Place(np.array([x, 0, 0]), pair, np.array(normal, float), (time, time), True, True)


MET = claim(Status.CONTACT, 0.5, 0.5, place(0))


@pytest.mark.parametrize("other", [
    claim(Status.CONTACT, 0.625, 0.75, place(0)), claim(Status.CONTACT, 0.25, 0.375, place(0)), claim(Status.NO_CONTACT, 1, None),
    claim(Status.CONTACT, 0.5, 0.5, place(1)), claim(Status.CONTACT, 0.5, 0.5, place(0), place(1)),
    claim(Status.CONTACT, 0.5, 0.5, place(0, (0, 0, -1))), claim(Status.CONTACT, 0.5, 0.5, place(0, pair=(0, 2))),
    claim(Status.UNRESOLVED, 0.625, None, places=None), claim(Status.BUDGET_SPENT, 0.25, 0.375, places=None),
    claim(Status.CONTACT, 0.5, 0.5, place(0), start={(0, 1): Start.OVERLAPPING}),
])  # fmt: skip
def test_contradictions_are_noticed(other: Claim) -> None:
    assert list(contradictions([other, MET])) and list(contradictions([MET, other]))


@pytest.mark.parametrize("one", [
    claim(Status.CONTACT, 0.75, 0.5), claim(Status.CONTACT, 0.5, None), claim(Status.NO_CONTACT, 0.75, None),
    claim(Status.CONTACT, 0.5, 0.75, place(0, time=Fraction(1, 4))),
])  # fmt: skip
def test_an_answer_that_contradicts_itself_is_noticed(one: Claim) -> None:
    assert list(contradictions([one]))


@pytest.mark.parametrize("other", [
    claim(Status.UNRESOLVED, 0.5, None, places=None), claim(Status.BUDGET_SPENT, 0.25, 0.75, places=None),
    claim(Status.CONTACT, 0.375, 0.5, places=None), claim(Status.CONTACT, 0.5, 0.5, place(1e-6)),
    claim(Status.CONTACT, 0.5, 0.5, place(0), place(1, time=Fraction(513, 1024) + Fraction(1, 2**30))),
])  # fmt: skip
def test_to_know_less_is_no_contradiction(other: Claim) -> None:
    assert list(contradictions([other, MET])) == []
    assert bool(list(weaker([other, MET]))) == (other.status is not Status.CONTACT)


def test_the_referee_finds_contacts_that_are_missed_and_misses_those_that_are_none() -> None:
    given = scene("families", 4)
    answer = collide.first_contact(list(given.bodies), given.span)
    late = claim(Status.CONTACT, answer.time[1] + 0.02, None)
    assert len(list(referee.missed(given, [late]))) == 1
    assert list(referee.missed(given, [claim(Status.CONTACT, answer.time[0], None)])) == []
    assert list(referee.unsupported(given, [claim(Status.CONTACT, 0, answer.time[1])])) == []
    assert len(list(referee.unsupported(given, [claim(Status.CONTACT, 0, answer.time[0] - 0.05)]))) == 1


def test_the_referee_looks_closer_where_one_pair_of_several_bodies_meets() -> None:
    """A corner that has just gone through a face."""
    given = scene("several", 9241500)
    answer = collide.first_contact(list(given.bodies[:2]), given.span)
    met = claim(Status.CONTACT, 0, answer.time[1], place(0, pair=(0, 1)))
    assert list(referee.unsupported(given, [met])) == []


def test_a_script_repeats_the_calls() -> None:
    given = scene("poles", 1)
    found = asked(given, ["placed"], BUDGET)
    names: dict[str, object] = {}
    exec(script(tuple(call for c in found.claims[1:] for call in c.asked), "two\nlines"), names)
    assert names["r"].time is not None  # type: ignore[attr-defined]
