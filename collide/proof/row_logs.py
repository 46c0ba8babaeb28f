"""Logs of batches: one for each row, in a folder, as of `first_contact` of what the row is."""

import itertools
import os
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from codegen.given import shown

from ..answers.batch import Batch, BodyBatch
from ..answers.contacts import Status
from ..bodies.on_face import UV
from ..files import remove
from ..moment.start import Start
from .contact_log import ContactLog
from .log import Alive
from .text import reason


class RowLog(ContactLog):
    """A batch does not say that contacts are alone."""

    def _alone(self, found: Any) -> list[str]:
        return []


class RowLogs:
    """The writer of the logs of a batch: `row-k.proof` for row k. `bodies` gives those of a row, in which surfaces of all pairs but those
    of `ignored` count as apart at the beginning.
    """

    def __init__(self, folder: str | os.PathLike[str], rows: int, bodies: Callable[[int], Sequence[Any]], time: Sequence[Any],
                 span: tuple[float, float], ignored: Collection[tuple[int, int]] = ()) -> None:
        if not isinstance(folder, (str, os.PathLike)):
            raise TypeError(f"log must be the path of a folder, got {shown(folder)}")
        if not os.path.isdir(folder):
            raise ValueError(f"log of a batch must be a folder that exists, got {shown(folder)}")
        self.folder, self.rows, self.bodies, self.time, self.span, self.ignored = Path(folder), rows, bodies, time, span, ignored
        if rows:
            self.log(0)

    def log(self, k: int) -> RowLog:
        return RowLog(self.folder / f"row-{k}.proof", self.bodies(k), self.time, self.span)

    def write(self, found: Batch, alive: Alive) -> str:
        """Write a log of each row that is decided, and say how many there are. Older files of other rows do not stay, but where an error or
        Ctrl-C comes in between.
        """
        written, why = 0, ""
        for k in range(self.rows):
            try:
                written += self._row(found, k, alive)
            except Exception as error:
                why = f"; of row {k} none: {reason(error)}"
            except KeyboardInterrupt as error:
                why = f"; of row {k} and those after it none: {reason(error)}"
                break
        return f"Logs of {written} of {self.rows} rows were written{why}."

    def _row(self, found: Batch, k: int, alive: Alive) -> bool:
        """Write the log of a row, if it is decided; whether there is one."""
        path = self.folder / f"row-{k}.proof"
        if not (found.status[k] in (Status.CONTACT, Status.NO_CONTACT) and alive()):
            remove(path)
            return False
        log = self.log(k)
        log.write(self._answer(found, k, len(log.bodies)), alive)
        return path.exists()

    def _answer(self, found: Batch, k: int, bodies: int) -> Any:
        """A row as what `first_contact` answers."""
        hit = int(found.status[k] is Status.CONTACT)
        pairs, faces, points = np.array([[0, 1]]), [0, 0], np.full((1, 3), np.nan)
        if isinstance(found, BodyBatch):
            pairs, faces, points = found.pairs[k:k + 1], found.faces[k].tolist(), found.points[k:k + 1]
        places = np.array([[(face, *at) for face, at in zip(faces, found.parameters[k].reshape(2, 2).tolist(), strict=True)]], UV)
        asked = [pair for pair in itertools.combinations(range(bodies), 2) if pair not in self.ignored]
        return SimpleNamespace(status=found.status[k], start=dict.fromkeys(asked, Start.DISJOINT), nesting=frozenset(), uv=places[:hit],
                               time=found.time[k] if hit else None, clear_until=float(found.time[k, 0]) if hit else self.span[1],
                               proved=np.ones(hit, bool), exists=np.ones(hit, bool), pairs=pairs[:hit], points=points, parameters=[{}])
