"""For all pairs of triangles, part by part: is it rejected, and does it meet? As a native loop, so that many can be asked."""


from codegen.machine.loops import native
from collide.polyhedra.mesh.loop import MeshMemory, edge, point1, point2, turned_past
from collide.polyhedra.mesh.screw_rejection_loop import BODY, EDGE, EDGES, FACE, PAIR, VERTEX, of_parts, refused
from collide.polyhedra.primitives.loop import HIT, first_contact


@native
def compare(s: MeshMemory) -> int:
    """In `key`: how many parts were asked about, met, were rejected, and both."""
    for k in range(4):
        s.key[k] = 0.0
    for i in range(6):
        for j in range(6):
            past = turned_past(s, i, j, s.beginning)
            of_parts(s)
            for p in range(3):
                point1(s, 0, s.corner1[i, p])
                for k in range(3):
                    point2(s, 1 + k, s.corner2[j, k])
                count(s, s.vertex_face, past or refused(s, VERTEX + p, BODY, FACE))
                point2(s, 0, s.corner2[j, p])
                for k in range(3):
                    point1(s, 1 + k, s.corner1[i, k])
                count(s, s.face_vertex, past or refused(s, 0, BODY + VERTEX + p, FACE))
                for q in range(3):
                    edge(s, i, j, p, q)
                    count(s, s.edge_edge, past or refused(s, EDGE + p, BODY + EDGE + q, EDGES))
    return PAIR


@native
def count(s: MeshMemory, kernel: int, rejected: bool) -> None:
    s.kernel = kernel
    met = first_contact(s, s.beginning, s.end, 0, 60) == HIT
    s.key[0] += 1.0
    if met:
        s.key[1] += 1.0
    if rejected:
        s.key[2] += 1.0
    if met and rejected:
        s.key[3] += 1.0
