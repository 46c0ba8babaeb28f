"""URDF files as chains: forward kinematics against those of yourdfpy, shapes in closed form, and what is refused."""

import math
import random
import sys

import numpy as np
import pytest
from sympy import Rational

from codegen import compile
from generative import t
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
    ('type="continuous"', 'type="floating"', "joint elbow of r.urdf is of type 'floating'"),
    ('type="continuous"', 'type="spherical"', "joint elbow of r.urdf is of type 'spherical'"),
    ('mimic joint="elbow"', 'mimic joint="wrist"', "joint finger follows 'wrist', which is no joint"),
    ('<sphere radius="0.15"/>', "<capsule/>", "collision 1 of link upper: its geometry is capsule; one of box, .* write it as"),
    ('filename="tip.stl"', 'filename="r.urdf"', "collision 0 of link lower: r.urdf cannot be read as a mesh"),
    ('filename="tip.stl"', 'filename="tap.stl"', "collision 0 of link lower: there is no mesh file"),
    ('<axis xyz="0 1 0"/>', '<axis xyz="0 0 0"/>', "the axis of joint shoulder must not be the zero vector"),
    ('<box size="0.4 0.2 0.2"/>', '<box size="0.4 nan 0.2"/>', "collision 0 of link base"),
    ('<child link="left"/>', '<child link="lower"/>', "there are two joints that lead to link lower"),
    ('<sphere radius="0.15"/>', "", "collision 1 of link upper: its geometry is nothing; one of box, cylinder, sphere, mesh is expected"),
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
    ("collision", "visual", "r.urdf has no collision elements, so no link has a body; visual elements are not read"),
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
