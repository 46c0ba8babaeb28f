"""OpenCASCADE, imported when a file is read or written: it is an extra, and takes a while."""

import contextlib
import functools
from collections.abc import Iterator
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
        from OCP.TopLoc import TopLoc_Location
        from OCP.TopoDS import TopoDS
    except ImportError as error:
        raise ImportError("STEP files are read by OpenCASCADE; install the extra: pip install 'generative-collision[cad]'") from error
    return SimpleNamespace(tool=BRep_Tool, wire_explorer=BRepTools_WireExplorer, done=IFSelect_RetDone, reader=STEPControl_Reader,
                           edge=TopAbs_EDGE, face=TopAbs_FACE, reversed=TopAbs_REVERSED, solid=TopAbs_SOLID, wire=TopAbs_WIRE,
                           explorer=TopExp_Explorer, shapes=TopoDS, location=TopLoc_Location)


@functools.cache
def modelling() -> Any:
    """Import the parts of OpenCASCADE that make solids and write files; ImportError that names the extra where it is not installed."""
    try:
        from OCP import BRep, BRepBuilderAPI, BRepCheck, BRepLib, Geom, Message, STEPControl, TopAbs, TopoDS, collections, gp
    except ImportError as error:
        raise ImportError("STEP files are written by OpenCASCADE; install the extra: pip install 'generative-collision[cad]'") from error
    return SimpleNamespace(
        point=gp.gp_Pnt, vector=gp.gp_Vec, direction=gp.gp_Dir, axes=gp.gp_Ax2, frame=gp.gp_Ax3, plane=gp.gp_Pln,
        points=collections.Array1_gp_Pnt, numbers=collections.Array1_double, point_grid=collections.Array2_gp_Pnt,
        number_grid=collections.Array2_double, circle=Geom.Geom_Circle, ellipse=Geom.Geom_Ellipse, bezier_curve=Geom.Geom_BezierCurve,
        cylinder=Geom.Geom_CylindricalSurface, cone=Geom.Geom_ConicalSurface, sphere=Geom.Geom_SphericalSurface,
        torus=Geom.Geom_ToroidalSurface, extrusion=Geom.Geom_SurfaceOfLinearExtrusion, bezier_surface=Geom.Geom_BezierSurface,
        make_edge=BRepBuilderAPI.BRepBuilderAPI_MakeEdge, make_wire=BRepBuilderAPI.BRepBuilderAPI_MakeWire,
        make_face=BRepBuilderAPI.BRepBuilderAPI_MakeFace, make_solid=BRepBuilderAPI.BRepBuilderAPI_MakeSolid,
        sewing=BRepBuilderAPI.BRepBuilderAPI_Sewing, builder=BRep.BRep_Builder, empty_shell=TopoDS.TopoDS_Shell, shell=TopAbs.TopAbs_SHELL,
        is_closed=BRep.BRep_Tool.IsClosed_s, orient=BRepLib.BRepLib.OrientClosedSolid_s, analyzer=BRepCheck.BRepCheck_Analyzer,
        writer=STEPControl.STEPControl_Writer, as_is=STEPControl.STEPControl_AsIs, messenger=Message.Message.DefaultMessenger_s)


@contextlib.contextmanager
def silent() -> Iterator[None]:
    """Keep the reports of OpenCASCADE from the standard output."""
    messenger = modelling().messenger()
    printers = list(messenger.Printers())
    for printer in printers:
        messenger.RemovePrinter(printer)
    try:
        yield
    finally:
        for printer in printers:
            messenger.AddPrinter(printer)
