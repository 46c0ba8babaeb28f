"""The rows of a batch that are undecided, in words: how many, and what ended the work on them."""

from dataclasses import replace
from typing import TypeVar

import numpy as np

from ..answers.batch import Batch
from ..answers.distances import ClearanceBatch
from ..search.clock import Clock

B = TypeVar("B", bound=Batch | ClearanceBatch)

_BEGIN = "Undecided rows: "


def with_undecided(answer: B, clock: Clock) -> B:
    """The answer with a note of them, in the place of those of the chunks that it was put together from."""
    counts = {name: int(np.sum([s.name == name for s in answer.status])) for name in ("BUDGET_SPENT", "UNRESOLVED")}
    told = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
    why = f" {clock.reason()}" if counts["BUDGET_SPENT"] else ""
    notes = [note for note in answer.notes if not note.startswith(_BEGIN)]
    return replace(answer, notes=(*notes, *([f"{_BEGIN}{told}.{why}"] if told else [])))
