"""Pages of the reference: all names that users import, by task, and on pages of their own the modules behind them.

mkdocstrings fills in signatures and docstrings.
"""

import inspect
import json
import pkgutil
import re
from importlib import import_module
from typing import Any

Tasks = dict[str, str]

COLLIDE: Tasks = {
    "When and where bodies first meet": "first_contact self_contact Contacts Status Start Sensitivity Tracked "
                                         "tracked_at",
    "All contacts of a time span": "contacts_during ContactTimes Spell",
    "Clash, in the words of CAD": "clash Clashes ClashKind ClashSpell TouchRegion joint_travel JointTravel",
    "Robots in answers": "LinkState",
    "Distances": "distance clearance clearance_range clearance_profile free_box Distance Clearance ClearanceRange ClearanceProfile FreeBox "
                 "DistanceStatus",
    "Many questions at once": "contact_batch clearance_batch answers.batch.Batch ClearanceBatch bezier_pairs bezier_triangle_pairs "
                              "bezier_mixed_pairs BezierNets nurbs_to_bezier",
    "Numbers that are not settled": "critical_value CriticalValue",
    "Is a body sound, and what is inside": "check_solid classify",
    "Triangles and polyhedra": "Mesh mesh_mesh screw_contact MeshContact edge_edge vertex_face triangle_triangle Index Kind touch "
                               "Touch TouchContact RegionTracker RegionChange RegionEvent "
                               "TouchStatus Closest ClosestPair SweepAndPrune Near NearestTriangles hull_overlap HullOverlap "
                               "hull_intersection "
                               "boolean Boolean step_limit Swarm Changes",
    "Simulation": "World RigidBody Run Outcome mass_properties MassProperties exact_mass_properties ExactMass",
    "Thin sheets": "shell.Sheet shell.simulate shell.ShellRun",
    "Zeros, minima and sets of inequalities": "solve Zeros ZerosStatus minimize Minimum MinimumStatus maximize Maximum MaximumStatus "
                                              "pave Subpaving SubpavingStatus",
    "Proofs, and how a search went": "check trace Trace Budget Interval ContradictionError",
    "Pictures and files": "picture.figure picture.Figure picture.save_html picture.save_png picture.save_mesh picture.save_film "
                          "picture.search.search_figure",
}
GENERATIVE: Tasks = {
    "Symbols": "u v t x y z Parameter",
    "Bodies": "ParametricSurface Solid Edge Vertex ImplicitSurface ImplicitBody",
    "Motions": "Rigid Screw Product Motion IDENTITY axis_angle euler quaternion_matrix pose interpolate_poses keyframes",
    "Robots and assemblies": "Chain Joint revolute prismatic fixed urdf.chain_from_urdf",
    "Regions of the plane": "plane.region plane.disc plane.polygon plane.rectangle plane.slot plane.arcs "
                            "dxf.regions_from_dxf dxf.DrawnRegions",
    "Closed chains": "loops.loop loops.pin loops.slot loops.rod loops.spherical loops.LinkLoop loops.Closure "
                     "loops.ClosedLoop loops.DeadPoint",
    "Curves": "Curve curve.line curve.arc curve.circle curve.ellipse curve.superellipse curve.helix curve.polynomial curve.bezier "
              "curve.chebyshev curve.b_spline curve.polygon curve.piecewise",
    "Surfaces from curves": "sweep.extrude sweep.revolve sweep.ruled sweep.loft sweep.profile_product sweep.sweep sweep.wire_product "
                            "sweep.affine_sweep sweep.rail_product sweep.height_field",
    "Surfaces from points": "patch.bezier_patch patch.bezier_triangle patch.b_spline_patches patch.hermite "
                            "patch.hermite_to_bezier patch.bezier_to_hermite",
    "Surfaces from surfaces": "sweep.offset sweep.interpolate sweep.reparameterize deform.deform deform.scale deform.twist deform.taper "
                              "deform.bend",
    "Solids of CAD files": "step.solids_from_step step.save_step",
    "Solids": "solids.box solids.cylinder solids.sphere solids.cone solids.capsule solids.rounded_box solids.extruded solids.revolved "
              "solids.lofted solids.swept polyhedron hull sew cap",
    "Implicit bodies": "primitives.half_space primitives.ball primitives.round_cylinder primitives.round_cone primitives.block "
                       "union intersection difference complement primitives.blend_union primitives.blend_intersection "
                       "primitives.blend_difference",
    "Differential equations": "ode ode_span",
    "Formulas from data": "fit.motion_through fit.joint_motion fit.chebyshev_motion fit.chebyshev_motion_of fit.interpolating_curve "
                          "fit.chebyshev_curve fit.rotation_minimizing_up fit.implicit",
    "Triangles for other programs": "mesh.tessellate mesh.polyhedron_from_file",
}
CODEGEN: Tasks = {
    "Formulas as kernels": "compile Kernel Interval",
    "Narrowing boxes": "contract Contractor",
    "Inclusions written by hand": "primitive functions.primitives.Primitive compare Comparison",
    "Functions that SymPy has not": "functions.Spline functions.Samples functions.Inverse functions.DefiniteIntegral functions.Chebyshev "
                                     "functions.cosc functions.SphericalBesselQuotient functions.lattices.TricubicSpline "
                                     "functions.lattices.Coefficients",
}
MODELS: Tasks = {
    "Scenes": "scenes.SCENES scenes.Scene scenes.Known",
    "Worlds": "scenes.WORLDS scenes.WorldScene",
    "Shapes": "shapes.SHAPES shapes.Shape shapes.Facts",
    "Operators": "operators.sheet operators.picture",
}
PACKAGES = {"collide": COLLIDE, "generative": GENERATIVE, "codegen": CODEGEN, "models": MODELS}
ANSWERS = ("collide.answers", "collide.queries", "collide.polyhedra", "collide.world.run", "collide.world.mass.exact", "collide.situations")
"""Modules whose classes come from queries: nobody calls them, so their long signatures are left out."""
VALUES = {"u": "the first parameter of surfaces, and that of curves", "v": "the second parameter of surfaces", "t": "the time",
          **dict.fromkeys("xyz", "a coordinate of points of implicit bodies"), "IDENTITY": "the motion that leaves all where it is",
          "scenes.SCENES": "all scenes by name", "scenes.WORLDS": "all worlds by name", "shapes.SHAPES": "all shapes by name",
          "shapes.Facts": "the type of what is known of a shape: a dictionary"}
"""What is no function or class has no entry but this line."""
MADE = {"Index", "Closest", "SweepAndPrune", "Near", "Tracked"}
INNER = ("codegen.emit.lanes", "codegen.machine.native", "codegen.emit.lower", "codegen.machine.loops", "collide.__main__",
         "codegen.emit.elementary", "codegen.reference")
"""Modules that only a reader of the source needs."""


def names(package: str) -> list[str]:
    """All names on the page of a package."""
    return " ".join(PACKAGES[package].values()).split()


def value(package: str, name: str) -> Any:
    """What a name of the reference is."""
    *folders, last = name.split(".")
    for k in range(len(folders), -1, -1):
        try:
            found = import_module(".".join([package, *folders[:k]]))
        except ModuleNotFoundError:
            continue
        for part in [*folders[k:], last]:
            found = getattr(found, part)
        return found
    raise AttributeError(f"{package} has no {name}")


def path(package: str, name: str) -> str:
    """Where it is defined."""
    found = value(package, name)
    return f"{found.__module__}.{found.__qualname__}"


def entry(package: str, name: str) -> str:
    where = path(package, name)
    options: dict[str, Any] = {"heading": name, "toc_label": name, "heading_level": 3}
    if inspect.isclass(value(package, name)) and where.startswith(ANSWERS) and name not in MADE:
        options["merge_init_into_class"] = False
    return f"::: {where}\n    options:\n" + "".join(f"      {key}: {json.dumps(to)}\n" for key, to in options.items())


def row(package: str, name: str) -> str:
    """Its name, and the first sentence of its docstring."""
    if name in VALUES:
        return f"| `{name}` | {VALUES[name]} |"
    text = (inspect.getdoc(value(package, name)) or "").split("\n\n")[0]
    sentence = re.split(r"[.:;] ", " ".join(text.split()))[0].rstrip(".:").replace("|", "\\|").replace("*", "\\*")
    return f"| [`{name}`][{path(package, name)}] | {sentence} |"


def page(package: str) -> str:
    """What is for users, by task."""
    parts = [f"# {package}", (inspect.getdoc(import_module(package)) or "").split("\n\n")[0]]
    for title, text in PACKAGES[package].items():
        table = "\n".join(["| name | what it is |", "|---|---|", *(row(package, name) for name in text.split())])
        parts += [f"## {title}", table, *(entry(package, name) for name in text.split() if name not in VALUES)]
    return "\n\n".join(parts) + "\n"


def modules(package: str) -> list[str]:
    root = import_module(package)
    return [package, *(m.name for m in pkgutil.walk_packages(root.__path__, f"{package}.") if not m.name.startswith(INNER))]


def inside(package: str) -> str:
    """The modules that define nothing of what is for users."""
    used = {path(package, name).rpartition(".")[0] for name in names(package) if name not in VALUES}
    rest = [m for m in modules(package) if m != package and m not in used]
    first = f"::: {package}\n    options:\n      members: false\n      show_root_heading: false\n"
    return "\n\n".join([f"# Inside {package}", first, *(f"::: {m}" for m in rest)]) + "\n"
