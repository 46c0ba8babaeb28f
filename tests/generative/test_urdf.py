"""URDF files as chains: forward kinematics against those of yourdfpy, shapes in closed form, and what is refused."""

import math
import sys

import numpy as np
import pytest

from codegen import compile
from generative import t
from generative.urdf import chain_from_urdf
from tests.generative.test_solids import volume

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
    ('<sphere radius="0.15"/>', "<capsule/>", "r.urdf cannot be read as URDF .Unknown tag: capsule"),
    ('filename="tip.stl"', 'filename="r.urdf"', "collision 0 of link lower: r.urdf cannot be read as a mesh"),
    ('filename="tip.stl"', 'filename="tap.stl"', "collision 0 of link lower: there is no mesh file"),
    ('<axis xyz="0 1 0"/>', '<axis xyz="0 0 0"/>', "the axis of joint shoulder must not be the zero vector"),
    ('<box size="0.4 0.2 0.2"/>', '<box size="0.4 nan 0.2"/>', "collision 0 of link base"),
    ('<child link="left"/>', '<child link="lower"/>', "there are two joints that lead to link lower"),
    ('<sphere radius="0.15"/>', "", "r.urdf cannot be read as URDF"),
    (ROBOT, "no robot", "r.urdf cannot be read as URDF"),
])
def test_what_is_no_chain_is_refused(robot, old, new, message):
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        robot(ROBOT.replace(old, new))


def test_what_is_missing_is_said(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "yourdfpy", None)
    with pytest.raises(ImportError, match="pip install yourdfpy"):
        chain_from_urdf(tmp_path / "r.urdf")
