"""Faults of a STEP file, each with the number of its entity in the file."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .kernel import opencascade

# So many faults of a file are told.
_SHOWN = 5
_SOLIDS = "StepShape_ManifoldSolidBrep", "StepShape_BrepWithVoids", "StepShape_FacetedBrep"
_FACES = "StepShape_AdvancedFace", "StepShape_FaceSurface"


class Entities:
    """The entities of a file that the kernel has read and transferred."""

    def __init__(self, reader: Any, place: Path) -> None:
        session = reader.WS()
        model = session.Model()
        self._checks, self._results, self._place = session.ModelCheckList, session.TransferReader(), place
        self._every = [model.Value(k + 1) for k in range(model.NbEntities())]
        self._numbers: list[str] | None = None

    def named(self, shape: Any) -> str:
        """The number of the entity that a shape was made of, in brackets; nothing where it is not known."""
        entity = self._entity(shape)
        place = next((k for k, e in enumerate(self._every) if e is entity), -1)
        return f" ({self._number(place)})" if self._number(place) else ""

    def faults(self, solids: Sequence[Any], faces: Sequence[Any]) -> list[str]:
        """The faults of entities that the kernel names, and those that it does not: solids that it left out, open shells, faces without
        loops, and faces in the place of which it made others. `solids`, `faces`: the shapes that it made.
        """
        return [*self._found_by_kernel(), *self._not_made(solids), *self._remade(faces)]

    def _entity(self, shape: Any) -> Any:
        """The entity that a shape was made of, wherever it is placed."""
        return self._results.EntityFromShapeResult(shape.Located(opencascade().location()), 1)

    def _number(self, place: int) -> str:
        """The number in the file of the entity in that place: the kernel counts them by their order."""
        if self._numbers is None:
            self._numbers = re.findall(r"(#\d+)\s*=", re.sub("'[^']*'", "", self._place.read_text("latin-1")))
        return self._numbers[place] if 0 <= place < len(self._numbers) else ""

    def _found_by_kernel(self) -> list[str]:
        checks, found = self._checks(), list[str]()
        checks.Start()
        while checks.More():
            check = checks.Value()
            owner = f"{self._number(checks.Number() - 1)}: " if check.NbFails() and self._number(checks.Number() - 1) else ""
            found += [owner + " ".join(check.CFail(j + 1).split()) for j in range(check.NbFails())]
            checks.Next()
        return found

    def _not_made(self, solids: Sequence[Any]) -> list[str]:
        made, found = [self._entity(s) for s in solids], list[str]()
        # Solids of an assembly are found where they are not placed; if one is not, none is said to be left out.
        known = all(type(e).__name__ in _SOLIDS for e in made)
        for k, entity in enumerate(self._every):
            kind = type(entity).__name__
            if kind in _SOLIDS and known and not any(e is entity for e in made):
                found.append(f"{self._number(k)}: a solid that is left out, since its faces do not close up, or are not read")
            elif kind == "StepShape_OpenShell":
                found.append(f"{self._number(k)}: an open shell")
            elif kind in _FACES and not entity.NbBounds():
                found.append(f"{self._number(k)}: a face without loops")
        return found


    def _remade(self, faces: Sequence[Any]) -> list[str]:
        """The faces in the place of which the kernel made others: it cuts a face in two where its loops cross. Nothing is said where the
        shapes that it made are all known: what is missing then is named otherwise.
        """
        made = [self._entity(face) for face in faces]
        if None not in made:
            return []
        known = set(map(id, made))
        return [f"{self._number(k)}: a face in the place of which OpenCASCADE made others, as where its loops cross"
                for k, e in enumerate(self._every) if type(e).__name__ in _FACES and e.NbBounds() and id(e) not in known]


def in_words(faults: Sequence[str]) -> str:
    """The first of the faults, and how many more there are."""
    return "; ".join(faults[:_SHOWN]) + (f"; and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else "")
