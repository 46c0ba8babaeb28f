"""Scenes: collision problems with a source and known answers, listed by name in `SCENES`; and worlds to be run, in `WORLDS`.

>>> from models.scenes import SCENES
>>> SCENES["tori-coaxial"].known.time
7/5
"""

from . import literature, machines, sheets, tori, workshop
from .scene import SCENES, Known, Scene
from .worlds import WORLDS, WorldScene

__all__ = ["SCENES", "WORLDS", "Known", "Scene", "WorldScene", "literature", "machines", "sheets", "tori", "workshop"]
