"""One question for a first contact, from the start of its bodies to its answer; what is proved stays when a budget ends it in between."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from generative import Solid

from ..answers.contacts import Contacts, Status
from ..answers.report import contacts
from ..bodies.thickened import Shift
from ..culling.broad_phase import Window
from ..moment.pairs import Pairs, Starts
from ..moment.start import Start
from ..search.clock import Clock
from ..search.options import Options
from ..situations.tracking import Tracked
from ..timeline.along import near_after, searched
from ..timeline.common_points import met_by
from ..timeline.course import course_of
from ..timeline.crossings import reach_of
from ..timeline.evidence import Evidence, SceneQuery, about
from ..timeline.examine import hit, shortly_before
from ..timeline.near_triangles import is_bundle
from ..timeline.scene import Scene
from .congruent_pairs import congruent_pairs
from .contact_notes import notes_of
from .flat_pairs import FlatMeeting, flat_pairs, together, until
from .flat_parting import part_at_once
from .round_pairs import Pair, round_pairs

if TYPE_CHECKING:
    from ..proof.log import Log

# Boxes in which it is asked until when the surface of a mesh is apart from that of a body in it, or round it. Effort only.
_FACES_FIRST = 1 << 15


class ContactQuestion(NamedTuple):
    """A question for a first contact, checked: the bodies, the time as it was given and in doubles, options, contacts that are known
    already, whether tangent surfaces are searched alone, and the shift of solids with gaps.
    """

    bodies: Sequence[Any]
    time: tuple[Any, Any]
    span: Window
    options: Options
    tracked: Sequence[Tracked]
    tangency: bool
    shift: Shift = Shift.NONE


class ContactSearch:
    """The search for the answer, step by step. `proof`: the log that is written, if any; without a scene nothing is known. `limited`: faces
    that are far from all others are left out, which no log tells.
    """

    def __init__(self, question: ContactQuestion, limited: bool = True) -> None:
        self.question, self.limited = question, limited
        bodies, span = question.bodies, question.span
        self.start = Starts(len(bodies) if isinstance(bodies, Sequence) else 0, Start.UNKNOWN)
        self.scene: Scene | None = None
        self.proof: Log | None = None
        self.found, self.undecided, self.notes = Evidence(None, False, span[0]), set[tuple[int, int]](), tuple[str, ...]()
        # The answers about flat bodies, and up to when all others are of interest; whether the search came to its end.
        self.exact, self.last, self.whole = dict[tuple[int, int], FlatMeeting | None](), span[1], False

    def place(self, ignored: Pairs) -> Scene:
        """The scene of all pairs but the ignored ones."""
        q = self.question
        self.start = Starts(len(q.bodies), Start.UNKNOWN, ignored)
        self.scene = Scene(q.bodies, tuple(q.time), q.span, q.tracked, tangency=q.tangency,
                           closed=q.tangency and q.options.method == "auto", ignored=ignored,
                           course=None if q.tracked else course_of(q.bodies, q.span, q.shift), shift=q.shift,
                           reach=q.options.simultaneity if self.limited else None)
        return self.scene

    @property
    def shown(self) -> list[Any]:
        """The bodies as they were given, solids with the faces that the question is limited to."""
        limited = () if self.scene is None else self.scene.bodies
        return [body.showing(own.shown) if isinstance(body, Solid) and len(own.shown) < len(own.faces) else body
                for body, own in zip(self.question.bodies, limited, strict=True)]

    def begin(self, scene: Scene, clock: Clock) -> None:
        """The states of pairs as the span begins."""
        options = self.question.options
        self.start, self.undecided = scene.start(options.tolerance, clock), scene.undecided
        scene.extend_back(options.simultaneity, options.tolerance, clock)
        clock.extend()

    def search(self, scene: Scene, clock: Clock) -> None:
        """Answer pairs of flat faces exactly, leave out nested bodies, search all others, and decide whether those left open touch. Exact
        answers are about bodies as they are, so none counts for thickened ones.
        """
        q = self.question
        if self.proof is None and scene.closed and scene.course is None and q.shift is not Shift.CUBE:
            scene, self.exact, self.last = _flat_answered(scene, q.bodies, q.span, q.options, clock)
        _leave_out_nested(SceneQuery(scene, q.options, clock))
        self._search(scene, clock)
        self._decide_touches(scene, clock)

    def _search(self, scene: Scene, clock: Clock) -> None:
        q, self.scene, self.whole = self.question, scene, False
        for known in _evidence(SceneQuery(scene, q.options, clock), tuple(q.time)):
            self.found = known
        self.whole, self.notes = True, notes_of(scene, self.found, q.bodies, q.span)

    def _decide_touches(self, scene: Scene, clock: Clock) -> None:
        """Decide pairs exactly that the search leaves open, as where they touch without crossing, and search the others once more."""
        q = self.question
        if self.proof is not None or q.shift is Shift.CUBE or not _doubtful(self.found, scene, q.options):
            return
        touching = _touching(self._searched(clock), scene, q.bodies, q.options)
        if touching:
            self.exact |= touching
            others, self.last = scene.without(touching), min(self.last, until(self.exact, q.span, scene, q.options.simultaneity))
            scene = others.within((q.span[0], self.last)) if others.near and self.last < q.span[1] else others
            self._search(scene, clock)
        if _doubtful(self.found, scene, q.options) and not self.found.touched:
            self.found = _met(SceneQuery(scene, q.options, clock), self.found)
            self.notes = notes_of(scene, self.found, q.bodies, q.span)

    def answer(self, clock: Clock) -> Contacts:
        """The answer by all that is proved so far."""
        return together(self._searched(clock), self.exact, self.question.span, self.question.options.simultaneity)

    def _searched(self, clock: Clock) -> Contacts:
        """The answer about the pairs that are searched."""
        q, found = self.question, self.found
        if not self.whole and found.seen < self.last and not found.proved < math.inf:
            # A stage came to its end, not the span.
            found = found._replace(finished=False)
        near = None if self.scene is None else _near(self.scene, found.seen, clock)
        answer = contacts(found.search, found.finished, q.bodies, (q.span[0], self.last), self.start, clock, found.seen, self.notes,
                          self.undecided, near)
        return answer if found.doubt else _touched_before(answer, q.options.simultaneity)


def _flat_answered(scene: Scene, bodies: Sequence[Any], span: Window, options: Options,
                   clock: Clock) -> tuple[Scene, dict[tuple[int, int], FlatMeeting | None], float]:
    """The exact answers for pairs of flat faces, and of equal patches; a scene of all other pairs, and up to when these are of interest."""
    part_at_once(scene, bodies, span)
    exact = flat_pairs(scene, bodies, options.spacing, options.simultaneity, clock) | congruent_pairs(scene, bodies, options.spacing)
    others, last = scene.without(exact), until(exact, span, scene, options.simultaneity)
    return (others.within((span[0], last)) if others.near and last < span[1] else others), exact, last


def _leave_out_nested(query: SceneQuery) -> None:
    """Leave out bodies one of which is inside the other until their surfaces meet: nothing of them meets before. Meshes have many edges and
    vertices, so it is asked first of their faces alone when that is.
    """
    scene = query.scene
    for label in sorted(scene.nested) if scene.course is None else ():
        surfaces = scene.surfaces(label)
        if surfaces.by_faces(label) and any(map(is_bundle, surfaces.near)):
            found = Evidence(None, False, scene.begin)
            with query.clock.at_most(_FACES_FIRST):
                for more in searched(query._replace(scene=surfaces, features=False)):
                    found = more
            clear, end = found.clear_until(scene.span[1]), scene.span[1]
            never = found.finished and not found.located and not found.proved < math.inf and clear >= end
            scene.leave_out(label, math.inf if never else shortly_before(clear, scene.span))


def _evidence(query: SceneQuery, time: tuple[Any, Any]) -> Iterator[Evidence]:
    """The evidence, ever more of it. If bodies met before the start, only what comes after it counts."""
    begin, proved = query.scene.begin, math.inf
    for found in searched(query):
        proved = found.proved
        yield found
    if proved < begin:
        query.scene.restore_begin(time)
        yield from searched(query)


def _near(scene: Scene, seen: float, clock: Clock) -> list[tuple[tuple[int, int], Window]] | None:
    """The pairs of bodies that come near each other after a time, and the windows of this; None where it takes too long to tell."""
    if scene.course is None:
        return [(m.label, m.window) for m in scene.near]
    found = None
    with clock.reporting():
        found = near_after(scene.first, scene.course, seen)
    return found


def _touched_before(answer: Contacts, simultaneity: float) -> Contacts:
    """The answer, which says so where bodies may touch well before the contact that is proved."""
    if not _may_touch_before(answer, simultaneity):
        return answer
    note = f"From {about(answer.clear_until)} on bodies may touch: that was neither proved nor excluded."
    return replace(answer, notes=(note, *answer.notes))


def _may_touch_before(answer: Contacts, simultaneity: float) -> bool:
    span = answer.time_span
    met = answer.time.hi if answer.status is Status.CONTACT and answer.time is not None else span[0]
    return span[0] < answer.clear_until < met - 2.0 * reach_of(span, simultaneity)


def _doubtful(found: Evidence, scene: Scene, options: Options) -> bool:
    """Whether something is located, and not proved well before any contact that is proved, or by no more than a common point."""
    known = min(found.proved, scene.span[1]) - 2.0 * reach_of(scene.span, options.simultaneity)
    return scene.course is None and (found.open or found.touched or found.has_before(known))


def _met(query: SceneQuery, found: Evidence) -> Evidence:
    """The evidence of what is located, with the features that are hit there, if bodies are proved to have a point of it in common."""
    moment = math.inf if found.search is None else met_by(query, found.search)
    if found.search is None or moment >= found.search.proved:
        return found
    found.search.proved, found = moment, found._replace(doubt="")
    while query.features and found.features and not query.clock.exceeded():
        found = hit(query, found)
    return found


def _touching(answer: Contacts, scene: Scene, bodies: Sequence[Any], options: Options) -> dict[Pair, FlatMeeting | None]:
    """The exact answers for undecided pairs of balls, capsules and flat bodies, which may touch without crossing."""
    labels = {*map(tuple, answer.undecided.tolist()), *map(tuple, answer.pairs[~answer.existence].tolist())}
    found = round_pairs(sorted(labels), answer.start, bodies, scene.span, options.spacing)
    return {label: met for label, met in found.items() if label not in scene.tracked and label not in scene.early}
