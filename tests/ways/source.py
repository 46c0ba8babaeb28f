"""Calls as a script that stands by itself: exact bodies, arrays to the last bit."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy as sp

from generative import Edge, ImplicitSurface, Motion, ParametricSurface, Solid, Vertex
from generative.combination import Combination

HEAD = """import sympy as sp, numpy as np, collide
from numpy import array
from sympy import *
from collide import Budget
from generative import *
from generative.combination import Combination
from generative import Parameter, Rigid, u, v, t, x, y, z

def motion(entries):
    return Rigid._unchecked(sp.Matrix(3, 3, entries[:9]), entries[9:])
"""


def script(calls: tuple[Any, ...], remark: str) -> str:
    """Every call (name, arguments..., options), its answer printed."""
    lines = [HEAD, *(f"# {line}" for line in remark.splitlines())]
    for name, *arguments, options in calls:
        given = ", ".join([*map(code, arguments), *(f"{key}={code(value)}" for key, value in options.items())])
        lines.append(f"r = collide.{name}({given})\nprint(r, getattr(r, 'clear_until', ''), getattr(r, 'time', ''))")
    return "\n".join(lines) + "\n"


def code(value: Any) -> str:
    """An expression that makes the value."""
    if isinstance(value, sp.Basic):
        return str(sp.srepr(value))
    if isinstance(value, np.ndarray):
        return f"array({value.tolist()!r})"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{code(k)}: {code(e)}" for k, e in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(code, value)) + "]"
    if isinstance(value, tuple):
        return "(" + "".join(f"{code(e)}, " for e in value) + ")"
    return _body(value)


def _body(value: Any) -> str:
    if isinstance(value, Motion):
        return f"motion({code(list(value.entries))})"
    if isinstance(value, ParametricSurface):
        return f"ParametricSurface({code(list(value.body))}, {code(value.domain)}, flipped={value.flipped}, motion={code(value.motion)})"
    if isinstance(value, ImplicitSurface):
        return f"ImplicitSurface({code(value.body)}, {code(list(value.bounds))}, motion={code(value.motion)})"
    if isinstance(value, Combination):
        return f"Combination({value.operation!r}, {code(list(value.children))})"
    if isinstance(value, Solid):
        return f"Solid._unchecked({code(list(value.faces))}, {code(list(value.edges))}, {code(list(value.vertices))})"
    if isinstance(value, Edge):
        return f"Edge({code(value.faces)}, {code(value.paths)}, {code(value.domain)})"
    if isinstance(value, Vertex):
        return f"Vertex({code(value.faces)}, {code(value.points)})"
    return repr(value)
