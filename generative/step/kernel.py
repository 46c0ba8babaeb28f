"""OpenCASCADE, imported when a file is read: it is an extra, and takes a while."""

import functools
from types import SimpleNamespace
from typing import Any


@functools.cache
def opencascade() -> Any:
    """Import the parts of OpenCASCADE that read files; ImportError that names the extra where it is not installed."""
    try:
        from OCP.BRep import BRep_Tool
        from OCP.BRepTools import BRepTools_WireExplorer
        from OCP.IFSelect import IFSelect_RetDone
        from OCP.STEPControl import STEPControl_Reader
        from OCP.TopAbs import TopAbs_EDGE, TopAbs_FACE, TopAbs_REVERSED, TopAbs_SOLID, TopAbs_WIRE
        from OCP.TopExp import TopExp_Explorer
        from OCP.TopoDS import TopoDS
    except ImportError as error:
        raise ImportError("STEP files are read by OpenCASCADE; install the extra: pip install 'generative-collision[cad]'") from error
    return SimpleNamespace(tool=BRep_Tool, wire_explorer=BRepTools_WireExplorer, done=IFSelect_RetDone, reader=STEPControl_Reader,
                           edge=TopAbs_EDGE, face=TopAbs_FACE, reversed=TopAbs_REVERSED, solid=TopAbs_SOLID, wire=TopAbs_WIRE,
                           explorer=TopExp_Explorer, shapes=TopoDS)
