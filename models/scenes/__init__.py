"""Scenes: collision problems with a source and known answers, listed by name in `SCENES`.

>>> from models.scenes import SCENES
>>> SCENES["tori-coaxial"].known.time
7/5
"""

from . import literature, machines, sheets, tori, workshop
from .scene import SCENES, Known, Scene

__all__ = ["SCENES", "Known", "Scene", "literature", "machines", "sheets", "tori", "workshop"]
