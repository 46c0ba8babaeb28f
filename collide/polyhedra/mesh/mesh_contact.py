"""The answer about the first contact of two meshes."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from codegen.interval import Interval

from ...answers.consistency import check_time
from ...answers.contacts import Status
from ...answers.table import card, point


@dataclass(frozen=True, eq=False)
class MeshContact:
    """The first contact of two meshes.

    `status`: CONTACT, a contact is proved to exist within `time`; NO_CONTACT is proved; UNRESOLVED, a touch or a near miss within the
    resolution of doubles, at `time`; BUDGET_SPENT. `time` *encloses* the earliest contact; it is None for NO_CONTACT, and for UNRESOLVED
    nothing is said of what comes after it. `clear_until`: there is none before. `triangles`: one of each mesh. `features`: which parts of
    them touch, "vertex 3" and "face 7" or "edge 1-2" of two vertices. `point` (3,): where, and `weights` (2, 3) of the corners,
    *approximate*; NaN where it is a crossing at the beginning that was only located. `iterations`, `pairs`, `queries` and `seconds`: how
    many boxes, pairs of triangles and queries were examined, and the time it took. `names`: of both meshes, where they have any.
    `rejections`: where one body is at rest and the other moves by an even screw, how many pairs of objects, of triangles, of a vertex and a
    triangle, and of edges were told apart by their distances from the axis, heights along it and angles round it, without a query; none
    where a short search was enough. `notes`: what a log proves.
    """

    status: Status
    time: Interval | None
    clear_until: float
    triangles: tuple[int, int] | None
    features: tuple[str, str] | None
    point: np.ndarray
    weights: np.ndarray
    iterations: int
    pairs: int
    queries: int
    seconds: float
    names: tuple[str | None, str | None] = (None, None)
    rejections: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_time(self.time, self.clear_until, self.clear_until)

    @property
    def exists(self) -> bool:
        """Whether the contact is *proved* to exist within the bracket."""
        return self.status is Status.CONTACT

    @property
    def unique(self) -> bool:
        """False: that no other pair of triangles meets in the bracket is not asked."""
        return False

    def summary(self) -> str:
        """The answer in a paragraph, and the part of it that is proved."""
        work = f"{self.pairs:,} pairs of triangles and {self.queries:,} queries took {self.seconds:.3f} s."
        if self.time is None:
            return " ".join(["No contact, proved for the whole time span.", work, *self.notes])
        owned = ["" if name is None else f" of {name}" for name in self.names]
        where = "" if self.features is None else f": {self.features[0]}{owned[0]} and {self.features[1]}{owned[1]}"
        ends = f"from {self.time.lo!r} to {self.time.hi!r}{where}"
        found = {Status.CONTACT: f"The first contact is in the bracket {ends}. It exists, proved,",
                 Status.UNRESOLVED: f"A touch or a near miss {ends}, neither proved nor excluded,"}
        text = found.get(self.status, f"The budget was spent; a first contact can only be {ends},")
        return " ".join([f"{text} and before there is none, proved. {work}", *self.notes])

    def __repr__(self) -> str:
        when = "" if self.time is None else f", time=[{self.time.lo!r}, {self.time.hi!r}]"
        parts = "" if self.features is None else f", {self.features[0]} and {self.features[1]}"
        return f"MeshContact({self.status.name}{when}{parts})"

    def _repr_html_(self) -> str:
        """The summary, and where the meshes meet."""
        rows = []
        if self.triangles is not None and self.features is not None:
            rows = [[self.names[k] or mesh, f"{self.triangles[k]}", self.features[k], point(self.weights[k]), point(self.point)]
                    for k, mesh in enumerate(("first", "second"))]
        return card(self.summary(), ["mesh", "triangle", "part", "weights", "point"], rows, len(rows), "row")
