import pickle

import pytest
import sympy as sp

from generative import Edge, ParametricSurface, Rigid, Solid, Vertex, t, u, v

TAU = 2 * sp.pi


def cylinder():
    """Radius 1, height 2: the side, a top and a bottom disc, and the two rims."""
    side = ParametricSurface([sp.cos(u), sp.sin(u), v], {u: (0, TAU), v: (-1, 1)})
    top = ParametricSurface([v * sp.cos(u), v * sp.sin(u), 1], {u: (0, TAU), v: (0, 1)}, flipped=True)
    bottom = ParametricSurface([v * sp.cos(u), v * sp.sin(u), -1], {u: (0, TAU), v: (0, 1)})
    return Solid([side, top, bottom], edges=[Edge((0, 1), ((u, 1), (u, 1)), (0, TAU)),
                                             Edge((0, 2), ((u, -1), (u, 1)), (0, TAU))])


def test_poses_of_a_solid_share_what_rests():
    solid = cylinder()
    fall, turn = Rigid(translation=[0, 0, 5 - t]), Rigid(rotation=[1, 2, 2, 4], normalize=True)
    moved = solid.moved(fall).moved(turn)
    assert moved.resting is solid.resting and moved.resting == solid and moved != solid
    assert all(face.resting is own for face, own in zip(moved.faces, solid.faces, strict=True))
    assert len({id(face.motion) for face in moved.faces}) == 1 and moved.faces[0].motion == turn @ fall
    assert moved == Solid([face.moved(fall).moved(turn) for face in solid.faces], solid.edges) and hash(moved) != hash(solid)
    again = pickle.loads(pickle.dumps(moved))
    assert "_hash" not in again.__dict__ and "_hash" not in again.faces[0].motion.__dict__ and again == moved


def test_an_edge_knows_its_curve_and_outward_directions():
    solid = cylinder().moved(Rigid(translation=[0, 0, 5 - t]))
    rim = solid.edges[0]
    assert solid.position(rim) == (sp.cos(u), sp.sin(u), 6 - t)
    assert solid.position(rim, face=1) == solid.position(rim, face=0)
    outward, up = ([float(e.subs(u, 0)) for e in n] for n in solid.outward(rim))
    assert outward == [1, 0, 0] and up[:2] == [0, 0] and up[2] > 0


def test_a_vertex_knows_its_position():
    wall = ParametricSurface([u, 0, v], {u: (0, 1), v: (0, 1)})
    floor = ParametricSurface([u, v, 0], {u: (0, 1), v: (0, 1)})
    solid = Solid([wall, floor], vertices=[Vertex((0, 1), ((1, 0), (1, 0)))])
    assert solid.position(solid.vertices[0]) == (1, 0, 0) and len(solid.outward(solid.vertices[0])) == 2


def test_values():
    assert cylinder() == cylinder() and hash(cylinder()) == hash(cylinder())
    assert repr(cylinder()) == "Solid(3 faces, 2 edges, 0 vertices; not checked to close)"


@pytest.mark.parametrize("make, message", [
    (lambda: Solid([]), "needs faces"),
    (lambda: Edge((0, 1), ((u, 1),), (0, 1)), "one path a face"),
    (lambda: Edge((0,), ((u, t),), (0, 1)), "the symbol t means nothing"),
    (lambda: Edge((0,), ((u, 1),), (1, 0)), "empty or reversed"),
    (lambda: Solid(cylinder().faces, [Edge((0, 1), ((u, -1), (u, 1)), (0, TAU))]), "edge 0 is not on both of"),
    (lambda: Solid(cylinder().faces, [Edge((0, 7), ((u, -1), (u, 1)), (0, TAU))]), "names face 7"),
    (lambda: Solid(cylinder().faces, [], [Vertex((0, 2), ((0, 1), (0, 1)))]), "vertex 0 is not on both"),
])
def test_misuse_says_what_to_do(make, message):
    with pytest.raises(ValueError, match=message):
        make()
