"""Laws of every answer. Each function asserts the laws of one kind of answer."""

import json
import math
import pickle
from typing import Any

import numpy as np

import collide
from collide import MaximumStatus, MinimumStatus, Start, Status, ZerosStatus


def contacts_laws(c: collide.Contacts) -> None:
    """Of `first_contact` and `self_contact`."""
    k, (begin, end) = len(c), c.time_span
    assert isinstance(c.status, Status) and all(isinstance(s, Start) for s in c.start.values())
    for name, shape, kind in (("points", (k, 3), "f"), ("normals", (k, 3), "f"), ("proved", (k,), "b"), ("existence", (k,), "b"),
                              ("pairs", (k, 2), "i")):
        array = getattr(c, name)
        assert array.shape == shape and array.dtype.kind == kind, f"{name}: {array.dtype} {array.shape}"
    assert len(c.features) == len(c.boxes) == len(c.variables) == k
    assert not (c.proved & ~c.existence).any(), "a proved point exists"
    assert np.isfinite(c.points).all(), "a listed point is somewhere"
    lengths = np.linalg.norm(c.normals, axis=1)
    assert (np.isnan(lengths) | (np.abs(lengths - 1) < 1e-9)).all(), "normals are unit vectors or unknown"
    for box, variables in zip(c.boxes, c.variables, strict=True):
        assert box.shape == (len(variables), 2) and (box[:, 0] <= box[:, 1]).all()
    _time_laws(c.status, c.time, c.clear_until, begin, end)
    assert c.status is not Status.CONTACT or k == 0 or c.existence.any() or c.time is not None
    assert c.iterations >= 0 and c.seconds >= 0
    _shown(c)
    assert json.loads(c.to_json())["status"] == c.status.name


def _time_laws(status: Status, time: Any, clear: float, begin: float, end: float) -> None:
    """A bracket goes forward and begins where the clear time ends; NO_CONTACT has none and is clear to the end."""
    assert begin <= clear
    if status is Status.NO_CONTACT:
        assert time is None and clear == end
        return
    lo, hi = time
    assert lo <= hi, f"the bracket [{lo!r}, {hi!r}] goes backwards"
    assert math.isfinite(lo) and math.isfinite(hi)
    assert clear <= hi, f"clear until {clear!r}, and a contact by {hi!r}"
    assert max(lo, begin) == clear, f"the bracket begins at {lo!r}, and all is clear until {clear!r}"


def batch_laws(r: Any, rows: int, columns: int, span: tuple[float, float] = (0.0, 1.0), tolerance: float | None = None) -> None:
    """Of arrays of questions: `contact_batch`, `bezier_pairs`, `edge_edge`, `vertex_face`, `triangle_triangle`."""
    assert len(r) == rows
    for name, shape, kind in (("hit", (rows,), "b"), ("proved", (rows,), "b"), ("time", (rows, 2), "f"),
                              ("parameters", (rows, columns), "f"), ("tests", (rows,), "iu")):
        array = getattr(r, name)
        assert array.shape == shape and array.dtype.kind in kind, f"{name}: {array.dtype} {array.shape}"
    assert r.status.shape == (rows,) and all(isinstance(s, Status) for s in r.status)
    assert ((r.status == Status.NO_CONTACT) == ~r.hit).all(), "what is no contact is no hit, and the other way round"
    assert r.proved[r.status == Status.CONTACT].all(), "a contact is proved"
    assert not r.proved[r.status == Status.NO_CONTACT].any() and not r.proved[r.status == Status.UNRESOLVED].any()
    assert np.isnan(r.time[~r.hit]).all() and np.isnan(r.parameters[~r.hit]).all()
    lo, hi = r.time[r.hit].T
    assert (lo <= hi).all() and (lo >= span[0]).all() and (hi <= span[1]).all(), "brackets go forward within the time span"
    contact = r.status == Status.CONTACT
    if tolerance is not None:
        assert (r.time[contact, 1] - r.time[contact, 0] <= tolerance * (1 + 1e-9)).all(), "a bracket is as narrow as asked for"
    assert np.isfinite(r.parameters[contact]).all() and (r.iterations >= 0).all()
    assert repr(r) and r._repr_html_()
    _pickled(r)


def mesh_laws(c: collide.MeshContact, span: tuple[float, float] = (0.0, 1.0)) -> None:
    """Of `mesh_mesh`."""
    assert isinstance(c.status, Status)
    _time_laws(c.status, c.time, c.clear_until, *span)
    assert c.point.shape == (3,) and c.weights.shape == (2, 3)
    assert c.time is None or c.time[1] <= span[1]
    assert min(c.iterations, c.pairs, c.queries) >= 0 and c.seconds >= 0
    _shown(c)


def zeros_laws(r: collide.Zeros, domain: Any) -> None:
    """Of `solve`; `domain` (n, 2)."""
    domain = np.asarray(domain, float)
    k, n = len(r), len(domain)
    assert isinstance(r.status, ZerosStatus) and r.boxes.shape == r.regions.shape == (k, n, 2)
    assert r.proved.shape == (k,) and r.proved.dtype == bool and len(r.variables) == n
    lo, hi = np.moveaxis(r.boxes, 2, 0)
    assert (lo <= hi).all() and (lo <= domain[:, 1]).all() and (hi >= domain[:, 0]).all()
    inside = (r.regions[..., 0] <= r.boxes[..., 0]) & (r.boxes[..., 1] <= r.regions[..., 1])
    assert inside[r.proved].all(), "a proved zero lies in the region in which it is the only one"
    assert r.status is not ZerosStatus.COMPLETE or (k and r.proved.all())
    assert r.status is not ZerosStatus.NO_SOLUTION or k == 0
    _shown(r)


def minimum_laws(m: collide.Minimum, domain: Any) -> None:
    """Of `minimize`; `domain` (n, 2)."""
    _optimum_laws(m, domain, MinimumStatus)


def maximum_laws(m: collide.Maximum, domain: Any) -> None:
    """Of `maximize`; `domain` (n, 2)."""
    _optimum_laws(m, domain, MaximumStatus)


def _optimum_laws(m: Any, domain: Any, statuses: Any) -> None:
    domain = np.asarray(domain, float)
    k, n = len(m.boxes), len(domain)
    assert isinstance(m.status, statuses) and m.boxes.shape == (k, n, 2) and m.unique.shape == (k,)
    assert m.bracket.lo <= m.bracket.hi and (m.boxes[..., 0] <= m.boxes[..., 1]).all()
    assert m.status is not statuses.INFEASIBLE or k == 0
    assert m.status is not statuses.OPTIMAL or k > 0
    if m.point is not None:
        assert m.point.shape == (n,) and (m.feasible[:, 0] <= m.point).all() and (m.point <= m.feasible[:, 1]).all()
        assert (m.feasible[:, 0] >= domain[:, 0]).all() and (m.feasible[:, 1] <= domain[:, 1]).all()
    else:
        assert m.status is not statuses.OPTIMAL
    _shown(m)


def _shown(answer: Any) -> None:
    assert answer.summary().strip() and repr(answer) and answer._repr_html_()
    _pickled(answer)


def _pickled(answer: Any) -> None:
    assert same(pickle.loads(pickle.dumps(answer)), answer), "what is kept is what was told"


# What no answer promises to be the same when it is asked again.
TIMES = {"seconds", "notes", "bodies", "start", "again"}


def same(a: Any, b: Any, but: frozenset[str] = frozenset()) -> bool:
    """Are two answers of one kind the same, bit for bit, but for how long they took?"""
    return not list(differences(a, b, but))


def differences(a: Any, b: Any, but: frozenset[str] = frozenset()) -> list[str]:
    """The names of the fields of two answers of one kind that differ."""
    names = [name for name in vars(a) if name not in TIMES and name not in but]
    return [name for name in names if not _equal(getattr(a, name), getattr(b, name))]


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return a.shape == b.shape and a.dtype == b.dtype and bool(np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(_equal, a, b))
    return bool(a == b)
