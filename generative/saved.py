"""Solids written to files by a method of their own (`Solid.save_step`): the writer is loaded when it is first asked for."""

from typing import Any

from .brep import Solid


def _save_step(solid: Solid, path: Any, unit: str) -> None:
    from .step.writer import save_step

    save_step(solid, path, unit)


Solid._save_step = staticmethod(_save_step)
