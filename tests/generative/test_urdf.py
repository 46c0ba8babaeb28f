"""URDF files as chains (`urdf`, `urdf_file`, `urdf_joints`, `urdf_shapes`): forward kinematics against those of yourdfpy, shapes in closed
form, and what is refused.
"""

import math
import random
import sys

import numpy as np
import pytest
from sympy import Rational

from codegen import compile
from collide import Mesh, distance
from generative import Rigid, euler, solids, t
from generative.urdf import chain_from_urdf
from tests.generative.test_solids import volume
from tests.sampled import files

ROBOT = """<robot name="r">
<link name="base"><collision><origin xyz="0 0 0.1"/><geometry><box size="0.4 0.2 0.2"/></geometry></collision></link>
<link name="upper">
  <collision><origin xyz="0 0 0.5" rpy="0.1 0.2 0.3"/><geometry><cylinder radius="0.1" length="0.8"/></geometry></collision>
  <collision><geometry><sphere radius="0.15"/></geometry></collision></link>
<link name="lower"><collision><geometry><mesh filename="tip.stl" scale="2 2 2"/></geometry></collision></link>
<link name="left"/> <link name="right"/>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.2" rpy="0 0.5 0"/>
  <axis xyz="0 1 0"/><limit effort="1" velocity="1" lower="-3" upper="3"/></joint>
<joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="0.1 0 1" rpy="1 0 -0.5"/>
  <axis xyz="0.6 0 0.8"/></joint>
<joint name="weld" type="fixed"><parent link="lower"/><child link="left"/><origin xyz="0.3 0 0"/></joint>
<joint name="finger" type="prismatic"><parent link="left"/><child link="right"/><axis xyz="1 0 0"/>
  <limit effort="1" velocity="1" lower="0" upper="1"/><mimic joint="elbow" multiplier="0.5" offset="0.25"/></joint>
</robot>"""


@pytest.fixture
def robot(tmp_path):
    pytest.importorskip("yourdfpy")
    import trimesh

    trimesh.creation.box((1, 1, 1)).export(tmp_path / "tip.stl")

    def load(text=ROBOT, **options):
        (tmp_path / "r.urdf").write_text(text, encoding="utf-8")
        return chain_from_urdf(tmp_path / "r.urdf", **options)

    load.folder = tmp_path
    return load


def test_links_are_where_the_reader_says(robot):
    import yourdfpy

    chain = robot()
    assert chain.values == ("shoulder", "elbow") and chain.root == "base"
    read = yourdfpy.URDF.load(str(robot.folder / "r.urdf"), load_meshes=False)
    moved = chain.motions({"shoulder": 0.7 * t, "elbow": t - 1})
    for moment in (0.0, 0.4, 2.0):
        read.update_cfg({"shoulder": 0.7 * moment, "elbow": moment - 1})
        for link, motion in moved.items():
            entries = compile(list(motion.entries), [t]).points(np.array([[moment]]))[0]
            expected = read.get_transform(link, "base")
            assert np.column_stack([entries[:9].reshape(3, 3), entries[9:]]) == pytest.approx(expected[:3], abs=1e-9)


def test_shapes_are_those_of_the_file(robot):
    bodies = {b.name: b for b in robot().at({"shoulder": 0, "elbow": 0})}
    sizes = {"base": 0.016, "upper 0": math.pi * 0.008, "upper 1": 4 / 3 * math.pi * 0.15**3, "lower": 8}
    assert {name: volume(body) for name, body in bodies.items()} == pytest.approx(sizes)
    assert robot().ignore == [("base", "upper 0"), ("base", "upper 1"), ("upper 0", "lower"), ("upper 0", "upper 1"), ("upper 1", "lower")]
    whole = robot(ROBOT.replace(' scale="2 2 2"', ""), meshes="solid")
    assert volume(whole.at({"shoulder": 0, "elbow": 0})[-1]) == pytest.approx(1)


@pytest.mark.parametrize("old, new, message", [
    ('type="continuous"', 'type="floating"', "joint elbow of r.urdf is floating, and mimics another one or is mimicked"),
    (' lower="-3" upper="3"', ' upper="3"', "joint shoulder: it is revolute, and has no limit with both lower and upper"),
    ('lower="-3" upper="3"', 'lower="3" upper="-3"', "the limits of joint shoulder must be two finite numbers"),
    ('type="continuous"', 'type="spherical"', "joint elbow of r.urdf is of type 'spherical'"),
    ('mimic joint="elbow"', 'mimic joint="wrist"', "joint finger follows 'wrist', which is no joint"),
    ('<sphere radius="0.15"/>', "<capsule/>", "collision 1 of link upper: its element <capsule> has no attribute radius"),
    ('<sphere radius="0.15"/>', "<ellipsoid/>", "collision 1 of link upper: its geometry is ellipsoid; one of box, "),
    ('filename="tip.stl"', 'filename="r.urdf"', "collision 0 of link lower: r.urdf cannot be read as a mesh"),
    ('filename="tip.stl"', 'filename="tap.stl"', "collision 0 of link lower: there is no mesh file"),
    ('<axis xyz="0 1 0"/>', '<axis xyz="0 0 0"/>', "the axis of joint shoulder must not be the zero vector"),
    ('<box size="0.4 0.2 0.2"/>', '<box size="0.4 nan 0.2"/>', "collision 0 of link base"),
    ('<child link="left"/>', '<child link="lower"/>', "there are two joints that lead to link lower"),
    ('<sphere radius="0.15"/>', "", "its geometry is nothing; one of box, cylinder, sphere, capsule, mesh is expected"),
    ('<sphere radius="0.15"/>', '<sphere radius="0.15"/><box size="1 1 1"/>', "its geometry is sphere, box; one of"),
    ('<sphere radius="0.15"/>', '<sphere radius="0"/>', "collision 1 of link upper: a sphere has the sizes 0; all must be positive"),
    ('size="0.4 0.2 0.2"', 'size="0.4 0.2 0"', "a box has the sizes 0.4 0.2 0; all must be positive"),
    ('scale="2 2 2"', 'scale="2 2 2 1"', "lower: its element <mesh> has the scale '2 2 2 1'; 1 or 3 numbers are expected"),
    ('scale="2 2 2"', 'scale="2 nan 2"', "the scale of the mesh tip.stl is 2.0 nan 2.0"),
    # text that is not well formed
    (ROBOT, "no robot", "r.urdf is not well formed at line 1, column 1"),
    ('<link name="left"/>', '<link name="left>', "r.urdf is not well formed at line 7, column 19"),
    ('</link>\n<link name="left"/>', '\n<link name="left"/>', "r.urdf is not well formed at line .*: mismatched tag"),
    ("</robot>", "", "r.urdf is not well formed at line .*: no element found"),
    ("<robot", '<!DOCTYPE robot [<!ENTITY a "b">]><robot', "r.urdf is refused at line 1, column 17: it declares a document type"),
    ('<link name="left"/>', "<a>" * 60 + "</a>" * 60 + '<link name="left"/>', "elements are in each other more than 50 deep"),
    ("robot", "x:robot", "r.urdf is no URDF file: its root is <x:robot>"),
    ("robot", "sdf", "r.urdf is no URDF file: its root is <sdf>"),
    ('<link name="left"/>', '<link name="left"/><xacro:arm/>', "r.urdf is refused at line 7, .*: it is a template for xacro"),
    ('<axis xyz="0 1 0"/>', '<axes xyz="0 1 0"/>', "joint shoulder: it has an element <axes>, which is none of URDF"),
    ('<axis xyz="0 1 0"/>', '<axis xyx="0 1 0"/>', "joint shoulder: its element <axis> has an attribute xyx, which is none of URDF"),
    ('size="0.4 0.2 0.2"', 'size="0.4 0.2 0.2" scale="2"', "collision 0 of link base: its element <box> has an attribute scale"),
    ('<axis xyz="0 1 0"/>', 'axis xyz="0 1 0"/>', "joint shoulder: there is text in its element <joint>, .*: 'axis xyz="),
    # values
    (' filename="tip.stl"', "", "r.urdf: collision 0 of link lower: its element <mesh> has no attribute filename"),
    ('<sphere radius="0.15"/>', "<sphere/>", "r.urdf: collision 1 of link upper: its element <sphere> has no attribute radius"),
    ('<sphere radius="0.15"/>', '<sphere radius="0,15"/>', "its element <sphere> has the radius '0,15'; 1 number is expected"),
    ('size="0.4 0.2 0.2"', 'size="0.4 0.2"', "collision 0 of link base: its element <box> has the size '0.4 0.2'; 3 numbers are expected"),
    ('<axis xyz="0 1 0"/>', '<axis xyz="0 1"/>', "r.urdf: joint shoulder: its element <axis> has the xyz '0 1'; 3 numbers are expected"),
    ('<axis xyz="0 1 0"/>', '<axis xyz="0 1 y"/>', "joint shoulder: its element <axis> has the xyz '0 1 y'; 3 numbers are expected"),
    ('lower="-3"', 'lower="low"', "joint shoulder: its element <limit> has the lower 'low'; 1 number is expected"),
    # names
    ('<link name="left"/>', '<link name="left"/><link name="left"/>', "r.urdf: it has 2 links of the name 'left'"),
    ('<link name="left"/>', "<link/>", "r.urdf: it has a link without a name"),
    ('<link name="left"/>', "", "r.urdf: joint weld: its child link 'left' is not declared"),
    ('parent link="left"', 'parent link="loft"', "r.urdf: joint finger: its parent link 'loft' is not declared"),
    ('<parent link="left"/>', "", "r.urdf: joint finger: it names no parent link"),
    ('name="weld"', 'name="elbow"', "r.urdf: it has 2 joints of the name 'elbow'"),
    ('<axis xyz="1 0 0"/>', '<axis xyz="1 0 0"/><axis xyz="0 1 0"/>', "joint finger: it has 2 elements <axis>"),
    ('<mimic joint="elbow"', '<mimic joint="finger"', "joint finger mimics itself, through finger"),
    ("collision", "visual", "r.urdf has no collision elements, so no link has a body; pass visual=True to take its visual"),
])
def test_what_is_no_chain_is_refused(robot, old, new, message):
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        robot(ROBOT.replace(old, new))


def test_what_else_is_in_a_file_changes_nothing(robot):
    """A namespace, as in files of Drake, elements of other programs, and pictures of shapes that are none."""
    whole = robot().at({"shoulder": t, "elbow": 1 - t})
    more = ROBOT.replace("<robot", '<robot xmlns="http://drake.mit.edu"').replace("<limit", '<drake:gear d:ratio="2"/><limit').replace(
        '<link name="left"/>', '<gazebo:x a="1"><link name="base"/></gazebo:x><transmission><joint name="elbow"/></transmission>'
        '<link name="left"><visual><geometry><capsule/></geometry></visual><inertial/></link>')
    assert robot('<?xml version="1.0" encoding="utf-8"?>' + more).at({"shoulder": t, "elbow": 1 - t}) == whole


def test_a_joint_that_mimics_one_that_mimics_another_follows_that(robot):
    """finger = 0.5 weld + 0.25 and weld = 2 elbow + 1: elbow + 0.75."""
    weld = 'name="weld" type="continuous"><mimic joint="elbow" multiplier="2" offset="1"/>'
    text = ROBOT.replace('name="weld" type="fixed">', weld)
    chain = robot(text.replace('joint="elbow" multiplier="0.5"', 'joint="weld" multiplier="0.5"'))
    assert chain.values == ("shoulder", "elbow") and chain.joints[3].follows == ("elbow", 1, Rational(3, 4))


def test_points_that_are_not_finite_make_no_smaller_hull(robot):
    (robot.folder / "tip.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv nan 2 2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 5\n")
    with pytest.raises(ValueError, match=r"collision 0 of link lower: tip\.obj has a vertex that is not finite, vertex 4"):
        robot(ROBOT.replace("tip.stl", "tip.obj"))


def test_meshes_are_taken_in_the_unit_of_their_file(robot):
    pytest.importorskip("lxml")
    rng = random.Random(5)
    body = files.drawn(rng)
    (robot.folder / "tip.3mf").write_bytes(files.threemf(rng, body))
    (robot.folder / "tip.ply").write_bytes(files.ply(rng, body))
    first, second = (volume(robot(ROBOT.replace("tip.stl", name)).at({"shoulder": 0, "elbow": 0})[-1]) for name in ("tip.3mf", "tip.ply"))
    assert first == pytest.approx(second * 1e-9)


@pytest.mark.parametrize("package", ["yourdfpy", "lxml"])
def test_what_is_missing_is_said(monkeypatch, tmp_path, package):
    if package != "yourdfpy":
        pytest.importorskip("yourdfpy")
        for name in [name for name in sys.modules if name.partition(".")[0] in ("yourdfpy", "lxml")]:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=f"URDF files need {package}: pip install {package}"):
        chain_from_urdf(tmp_path / "r.urdf")


def one_link(shape):
    return f'<robot name="r"><link name="base"><collision><origin xyz="0 0 1"/><geometry>{shape}</geometry></collision></link></robot>'


def body_of(chain):
    ((body,),) = chain.bodies.values()
    return body


def test_a_capsule_is_as_long_as_its_cylinder_and_two_balls(robot):
    """Centred: from 1 - 0.35 to 1 + 0.35 along z, here."""
    body = body_of(robot(one_link('<capsule radius="0.1" length="0.5"/>')))
    assert volume(body) == pytest.approx(math.pi * 0.01 * 0.5 + 4 / 3 * math.pi * 0.001)
    found = distance(body, solids.box([2, 2, 1]))
    assert found.bracket.lo <= 0.15 <= found.bracket.hi + 1e-12


def test_limits_are_data_and_continuous_joints_have_none(robot):
    axis = '<axis xyz="0.6 0 0.8"/>'
    chain = robot(ROBOT.replace(axis, axis + '<limit effort="1" velocity="1" lower="-1" upper="1"/>'))
    assert chain.limits == {"shoulder": (-3, 3)} and chain.joints[3].limits == (0, 1)


def test_floating_and_planar_joints_have_a_value_for_each_way_to_move(robot):
    """As an origin of the six numbers places it; and along two directions across the axis, and about it."""
    shape = '<collision><geometry><sphere radius="1"/></geometry></collision>'
    frame = '<robot name="r"><link name="a"/><link name="b">' + shape + '</link>{}</robot>'
    joint = '<joint name="j" type="{}"><parent link="a"/><child link="b"/><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>{}</joint>'
    free = robot(frame.format(joint.format("floating", "")))
    values = {"j x": 4, "j y": 5, "j z": 6, "j yaw": 0.7, "j pitch": 0.8, "j roll": 0.9}
    assert free.values == tuple(values) and free.ignore == []
    placed = Rigid(euler("xyz", [0.1, 0.2, 0.3]), [1, 2, 3]) @ Rigid(euler("xyz", [0.9, 0.8, 0.7]), [4, 5, 6])
    assert entries(free.motions(values)["b"]) == pytest.approx(entries(placed), abs=1e-12)
    plane = robot(frame.format(joint.format("planar", '<axis xyz="0 0 2"/>')))
    moved = {"j x": 4, "j y": 5, "j turn": 0.5}
    assert plane.values == tuple(moved)
    same = {"j x": 4, "j y": 5, "j z": 0, "j yaw": 0.5, "j pitch": 0, "j roll": 0}
    assert entries(plane.motions(moved)["b"]) == pytest.approx(entries(free.motions(same)["b"]), abs=1e-12)


def entries(motion):
    return [float(e) for e in motion.entries]


def test_a_prismatic_joint_moves_by_its_value_however_long_its_axis_is(robot):
    text = ROBOT.replace('<axis xyz="1 0 0"/>', '<axis xyz="3 0 0"/>')
    chain = robot(text.replace('<mimic joint="elbow" multiplier="0.5" offset="0.25"/>', ""))
    left, right = (chain.motions({"shoulder": 0, "elbow": 0, "finger": Rational(1, 2)})[link] for link in ("left", "right"))
    assert math.dist(entries(left)[9:], entries(right)[9:]) == pytest.approx(0.5)


def test_visual_elements_are_taken_where_they_are_asked_for(robot):
    text = ROBOT.replace("collision", "visual").replace("</geometry>", '</geometry><material name="red"><color rgba="1 0 0 1"/></material>')
    assert robot(text, visual=True).at({"shoulder": 0, "elbow": 0}) == robot().at({"shoulder": 0, "elbow": 0})
    with pytest.raises(ValueError, match=r"r\.urdf has no visual elements, so no link has a body"):
        robot(visual=True)


DAE = """<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><created>2020-01-01T00:00:00</created><modified>2020-01-01T00:00:00</modified>UNIT<up_axis>UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="12">0 0 0 1 0 0 0 2 0 0 0 3</float_array>
<technique_common><accessor source="#a" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 1 2 3 2 0 3</p></triangles></mesh></geometry>
</library_geometries><library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"/></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"""
INCHES = '<unit name="inch" meter="0.0254"/>'


@pytest.mark.parametrize("meshes", ["hull", "solid", "mesh"])
def test_the_unit_and_the_axis_of_a_file_are_taken_as_asked(robot, meshes):
    """A tetrahedron with legs 1, 2 and 3 along x, y and z, in inches; with y up the leg of 2 points up."""
    pytest.importorskip("collada")
    text = one_link('<mesh filename="tip.dae" scale="1 1 -1"/>')
    ends = {}
    for unit, up_axis, up in ((INCHES, "Z_UP", None), (INCHES, "Y_UP", "z"), (INCHES, "Y_UP", "file"), ("", "X_UP", "file")):
        (robot.folder / "tip.dae").write_text(DAE.replace("UNIT", unit).replace("UP<", f"{up_axis}<"))
        chain = robot(text, meshes=meshes, up=up)
        body = body_of(chain)
        assert signed_volume(body) == pytest.approx(0.0254**3 if unit else 1.0)
        # The scale turns z over, so what pointed up is below the origin of the collision element.
        ends[up_axis, up] = lowest(body), chain.notes
    assert [low for low, _ in ends.values()] == pytest.approx([1 - 3 * 0.0254, 1 - 3 * 0.0254, 1 - 2 * 0.0254, 0.0])
    assert ends["Z_UP", None][1] == ("tip.dae is taken in its unit, 0.0254 m.",)
    assert ends["Y_UP", "file"][1][0] == "tip.dae has y up: turned to z."
    with pytest.raises(ValueError, match=r"collision 0 of link base: the mesh tip\.dae has x as its axis that points up"):
        robot(text, meshes=meshes)


def triangles(mesh):
    vertices, corners = mesh.arrays
    moved = np.array([[float(c) for c in mesh.motion.apply(p)] for p in np.asarray(vertices)[:, :3].tolist()])
    return moved[np.asarray(corners)]


def signed_volume(body):
    if isinstance(body, Mesh):
        return float(np.linalg.det(triangles(body)).sum() / 6)
    return volume(body)


def lowest(body):
    if isinstance(body, Mesh):
        return triangles(body)[..., 2].min()
    return min(float(body.position(vertex)[2]) for vertex in body.vertices)
