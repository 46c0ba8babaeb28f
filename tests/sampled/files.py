"""Random polyhedra in mesh files: what is read back is compared with closed forms and with the body made directly.

Bodies are prisms on star-shaped outlines, also with holes, and hulls, under a shear, with coordinates that every format holds exactly. The
writers are small ones of our own, and vary all that a format leaves free: the vertices of each face apart or shared, normals, texture
coordinates, colours, comments, types of numbers, the order of bytes, and how faces with holes are written.
"""

import io
import json
import math
import random
import struct
import zipfile
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from generative import polyhedron, u, v
from generative.mesh import polyhedron_from_file
from generative.outline import IntegerPoints, cut

Point = tuple[Any, ...]
Writer = Callable[[random.Random, "Body"], bytes]
GRAIN = 64


class Body(NamedTuple):
    """Vertices, outlines counterclockwise as seen from outside, and the volume."""

    vertices: list[Point]
    faces: list[tuple[int, ...]]
    volume: Fraction

    def apart(self) -> "Body":
        """The same with vertices of its own for each face."""
        vertices, faces = list[Point](), list[tuple[int, ...]]()
        for face in self.faces:
            faces.append(tuple(range(len(vertices), len(vertices) + len(face))))
            vertices += [self.vertices[c] for c in face]
        return Body(vertices, faces, self.volume)

    def triangles(self) -> "Body":
        grid = IntegerPoints(self.vertices)
        return self._replace(faces=[tuple(face[k] for k in (piece[0], *piece[i:i + 2])) for face in self.faces
                                    for piece in cut([grid.at[c] for c in face], 0) for i in range(1, len(piece) - 1)])


# -- bodies -----------------------------------------------------------------------------------------------------------------


def drawn(rng: random.Random) -> Body:
    body = rng.choice([_prism, _prism, _pierced, _pyramid])(rng)
    matrix = [[Fraction(rng.choice([1, 1, 2, -1]) if i == j else rng.randint(-1, 1) if i < j else 0) for j in range(3)] for i in range(3)]
    shift = [Fraction(rng.randint(-200, 200), GRAIN) for _ in range(3)]
    scale = math.prod(matrix[k][k] for k in range(3))
    vertices = [tuple(sum(m * e for m, e in zip(row, p, strict=True)) + s for row, s in zip(matrix, shift, strict=True))
                for p in body.vertices]
    faces = [face if scale > 0 else face[::-1] for face in body.faces]
    return Body(vertices, [face[k:] + face[:k] for face in faces for k in (rng.randrange(len(face)),)], body.volume * abs(scale))


def _outline(rng: random.Random, low: float = 0.3) -> list[Point]:
    """Star-shaped about the origin, mostly concave, at times with a corner on a straight side."""
    count = rng.randint(3, 9)
    angles = [2 * math.pi * (k + rng.uniform(-0.2, 0.2)) / count for k in range(count)]
    ring = [tuple(Fraction(2 * round(GRAIN * r * f(a)), GRAIN) for f in (math.cos, math.sin)) for a in angles
            for r in (rng.uniform(low, 1.5),)]
    if rng.random() < 0.4:
        k = rng.randrange(count)
        ring.insert(k + 1, tuple((a + b) / 2 for a, b in zip(ring[k], ring[(k + 1) % count], strict=True)))
    return ring


def _area(ring: Sequence[Point]) -> Fraction:
    return Fraction(sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(ring, [*ring[1:], ring[0]], strict=True))) / 2


def _walls(first: int, count: int, size: int) -> list[tuple[int, ...]]:
    return [(first + k, first + (k + 1) % count, first + size + (k + 1) % count, first + size + k) for k in range(count)]


def _prism(rng: random.Random) -> Body:
    ring, height = _outline(rng), Fraction(rng.randint(16, 128), GRAIN)
    n = len(ring)
    return Body([(*p, z) for z in (Fraction(0), height) for p in ring],
                [tuple(reversed(range(n))), tuple(range(n, 2 * n)), *_walls(0, n, n)], _area(ring) * height)


def _pierced(rng: random.Random) -> Body:
    """A prism with a hole of three to nine sides; its ends are single outlines, with a line from the outer border to the inner one."""
    inner, height = _outline(rng, 0.6), Fraction(rng.randint(16, 128), GRAIN)
    factor = rng.choice([2, 3])
    outer = [tuple(factor * e for e in p) for p in inner]
    n = len(inner)
    top = [*range(n), 0, n, *reversed(range(n + 1, 2 * n)), n]
    return Body([(*p, z) for z in (Fraction(0), height) for p in (*outer, *inner)],
                [tuple(reversed(top)), tuple(c + 2 * n for c in top), *_walls(0, n, 2 * n), *(w[::-1] for w in _walls(n, n, 2 * n))],
                (_area(outer) - _area(inner)) * height)


def _pyramid(rng: random.Random) -> Body:
    """Two pyramids on one outline: no face but triangles, the body mostly concave."""
    ring = _outline(rng)
    n, low, high = len(ring), Fraction(rng.randint(-128, -16), GRAIN), Fraction(rng.randint(16, 128), GRAIN)
    faces = [face for k in range(n) for face in ((k, (k + 1) % n, n), ((k + 1) % n, k, n + 1))]
    zero = Fraction(0)
    return Body([*((*p, zero) for p in ring), (zero, zero, high), (zero, zero, low)], faces, _area(ring) * (high - low) / 3)


# -- writers ----------------------------------------------------------------------------------------------------------------


def _text(rng: random.Random, lines: Sequence[str]) -> bytes:
    """Lines with comments among them, ended as on one system or the other."""
    end = rng.choice(["\n", "\r\n"])
    noted = [line for k, line in enumerate(lines) for line in ([line, "# a note"] if k and rng.random() < 0.1 else [line])]
    return (end.join(noted) + end).encode()


def _words(p: Sequence[Any]) -> str:
    return " ".join(repr(float(e)) for e in p)


def obj(rng: random.Random, body: Body) -> bytes:
    body = body.apart() if rng.random() < 0.4 else body
    lines = ["mtllib none.mtl", "o body", "vn 0 0 1", "vt 0 0"]
    lines += [f"v {_words(p)}" + rng.choice(["", " 0.5 0.5 0.5"]) for p in body.vertices]
    corner = rng.choice(["{}", "{}/1", "{}//1", "{}/1/1"])
    for k, face in enumerate(body.faces):
        words = [corner.format(c - len(body.vertices) if rng.random() < 0.3 else c + 1) for c in face]
        at = rng.randrange(1, len(words))
        lines += [f"usemtl m{k}", f"s {k}"] if rng.random() < 0.3 else []
        lines.append("f " + " ".join(words[:at]) + (" \\\n " if rng.random() < 0.2 else " ") + " ".join(words[at:]))
    return _text(rng, lines)


def off(rng: random.Random, body: Body) -> bytes:
    body = body.apart() if rng.random() < 0.4 else body
    kind, counts = rng.choice(["OFF", "COFF", "NOFF", ""]), f"{len(body.vertices)} {len(body.faces)} 0"
    extra = {"COFF": " 0.5 0.5 0.5 1", "NOFF": " 0 0 1"}.get(kind, "")
    head = [counts] if not kind else rng.choice([[kind, counts], [f"{kind} {counts}"], [kind, "", counts]])
    colour = rng.choice(["", " 255 0 0", " 0.5 0.5 0.5 1"])
    faces = [f"{len(face)} {' '.join(map(str, face))}{colour}" for face in body.faces]
    return _text(rng, [*head, *(_words(p) + extra for p in body.vertices), "", *faces])


def ply(rng: random.Random, body: Body) -> bytes:
    body = body.apart() if rng.random() < 0.4 else body
    kind, real = rng.choice(["ascii", "binary_little_endian", "binary_big_endian"]), rng.choice(["float", "double", "float32"])
    length, whole = rng.choice(["uchar", "ushort", "int"]), rng.choice(["int", "uint", "short", "uint32"])
    extra, edges = rng.random() < 0.5, rng.random() < 0.3
    head = ["ply", f"format {kind} 1.0", "comment a note", f"element vertex {len(body.vertices)}"]
    head += ["property list uchar float more"] * extra + [f"property {real} {e}" for e in "xyz"] + ["property uchar red"] * extra
    head += ["element edge 1", "property int vertex1", "property int vertex2"] * edges
    head += [f"element face {len(body.faces)}", *["property uchar flags"] * extra]
    head += [f"property list {length} {whole} {rng.choice(['vertex_indices', 'vertex_index'])}"]
    head += ["property list uchar double texcoord"] * extra
    codes = {"float": "f", "double": "d", "float32": "f", "uchar": "B", "ushort": "H", "int": "i", "uint": "I", "short": "h", "uint32": "I"}
    rows: list[list[tuple[str, Any]]] = []
    for p in body.vertices:
        rows.append([*[("B", 2), ("f", 0.5), ("f", 0.25)] * extra, *((codes[real], float(e)) for e in p), *[("B", 7)] * extra])
    rows += [[("i", 0), ("i", 1)]] * edges
    for face in body.faces:
        rows.append([*[("B", 1)] * extra, (codes[length], len(face)), *((codes[whole], c) for c in face), *[("B", 1), ("d", 0.5)] * extra])
    end = rng.choice(["\n", "\r\n"]) if kind == "ascii" else "\n"
    start = (end.join([*head, "end_header"]) + end).encode()
    if kind == "ascii":
        return start + "".join(" ".join(repr(e) for _, e in row) + end for row in rows).encode()
    order = "<" if "little" in kind else ">"
    return start + b"".join(struct.pack(order + code, e) for row in rows for code, e in row)


def stl(rng: random.Random, body: Body) -> bytes:
    body = body.triangles()
    corners = [[tuple(map(float, body.vertices[c])) for c in face] for face in body.faces]
    if rng.random() < 0.5:
        name = rng.choice(["", " part", " a vertex of endless solid"])
        lines = [f"solid{name}"]
        for own in corners:
            lines += [" facet normal 0 0 0", "  outer loop", *(f"   vertex {_words(p)}" for p in own), "  endloop", " endfacet"]
        return _text(rng, [*lines, f"endsolid{name}"])
    head = rng.choice([b"solid binary all the same", b"", b"made by a program"]).ljust(80, b" ")
    return head + struct.pack("<I", len(corners)) + b"".join(
        struct.pack("<12fH", 0, 0, 0, *(e for p in own for e in p), rng.choice([0, 0x8000])) for own in corners)


def glb(rng: random.Random, body: Body) -> bytes:
    """One or two primitives, with normals, vertices of each face apart or shared; a node with a shift and a scale, at times a mirror."""
    body = body.triangles()
    body = body.apart() if rng.random() < 0.6 else body
    scale, shift = [rng.choice([1, 2, 0.5, -1]) for _ in range(3)], [rng.randint(-3, 3) for _ in range(3)]
    places = np.array([[(float(e) - s) / k for e, s, k in zip(p, shift, scale, strict=True)] for p in body.vertices], "<f4")
    faces = [face[::-1] if math.prod(scale) < 0 else face for face in body.faces]
    at = rng.choice([0, rng.randrange(1, len(faces))])
    parts = [np.array(part, "<u4").ravel() for part in (faces[:at], faces[at:]) if part]
    binary, views, accessors = b"", [], []
    for array in (places, np.tile(np.array([[0, 0, 1]], "<f4"), (len(places), 1)), *parts):
        views.append({"buffer": 0, "byteOffset": len(binary), "byteLength": array.nbytes})
        ends = {"min": array.min(axis=0).tolist(), "max": array.max(axis=0).tolist()} if array.ndim == 2 else {}
        accessors.append({"bufferView": len(accessors), "componentType": 5126 if array.ndim == 2 else 5125, "count": len(array),
                          "type": "VEC3" if array.ndim == 2 else "SCALAR", **ends})
        binary += array.tobytes()
    primitives = [{"attributes": {"POSITION": 0, "NORMAL": 1}, "indices": 2 + k, "material": k} for k in range(len(parts))]
    tree = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "buffers": [{"byteLength": len(binary)}],
            "nodes": [{"mesh": 0, "scale": scale, "translation": shift}], "meshes": [{"primitives": primitives}],
            "materials": [{}] * len(parts), "bufferViews": views, "accessors": accessors}
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    return (struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(binary)) + struct.pack("<I4s", len(text), b"JSON") + text
            + struct.pack("<I4s", len(binary), b"BIN\0") + binary)


def threemf(rng: random.Random, body: Body) -> bytes:
    body = body.triangles()
    body = body.apart() if rng.random() < 0.3 else body
    vertices = "".join('<vertex x="{!r}" y="{!r}" z="{!r}"/>'.format(*map(float, p)) for p in body.vertices)
    faces = "".join('<triangle v1="{}" v2="{}" v3="{}"/>'.format(*face) for face in body.faces)
    model = ('<?xml version="1.0"?><model unit="millimeter" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources>'
             f'<object id="1" type="model"><mesh><vertices>{vertices}</vertices><triangles>{faces}</triangles></mesh></object></resources>'
             '<build><item objectid="1"/></build></model>')
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("3D/3dmodel.model", model)
    return target.getvalue()


WRITERS: dict[str, Writer] = {"obj": obj, "off": off, "ply": ply, "stl": stl, "glb": glb, "3mf": threemf}


# -- comparisons ------------------------------------------------------------------------------------------------------------


def compared(kind: str, seed: int, folder: Path) -> tuple[str, list[str]]:
    """What is wrong with a body that was read from a file of a kind."""
    rng = random.Random(f"files {kind} {seed}")
    body = drawn(rng)
    path = folder / f"body{seed}.{kind}"
    path.write_bytes(WRITERS[kind](rng, body))
    try:
        read, direct = polyhedron_from_file(path), polyhedron(body.vertices, body.faces)
    except Exception as error:  # An exception is a finding, too.
        return "raised", [f"{type(error).__name__}: {error}"]
    found = []
    triangles = corners(read)
    if (size := sum(map(signed, triangles), Fraction(0))) != body.volume:
        found.append(f"the volume is {float(size)!r}, not {float(body.volume)!r}")
    if read.closed != direct.closed or len(read.vertices) != len(direct.vertices):
        found.append(f"{read!r} for {direct!r}")
    if kind in ("obj", "off", "ply") and (len(read.faces), len(read.edges)) != (len(direct.faces), len(direct.edges)):
        found.append(f"outlines are not kept: {read!r} for {direct!r}")
    known = corners(direct)
    low, high = ([f(p[k] for p in body.vertices) for k in range(3)] for f in (min, max))
    for _ in range(20):
        point = tuple(a + (b - a) * Fraction(rng.randint(1, 9972), 9973) for a, b in zip(low, high, strict=True))
        if winding(triangles, point) != winding(known, point):
            found.append(f"{tuple(map(float, point))} is on the other side")
    path.unlink()
    return "compared", found


def corners(solid: Any) -> list[tuple[Point, ...]]:
    """The corners of the patches of a solid, as triangles, from its formulas."""
    found = []
    for face in solid.faces:
        at = [tuple(Fraction(int(e.p), int(e.q)) for e in (sp.expand(c.xreplace({u: sp.Integer(i), v: sp.Integer(j)})) for c in face.body))
              for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))]
        found += [(at[0], at[1], at[2]), *([(at[0], at[2], at[3])] if at[3] != at[0] else [])]
    return found


def signed(triangle: Sequence[Point]) -> Fraction:
    """The volume of a tetrahedron from the origin."""
    a, b, c = triangle
    return Fraction(a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6


def winding(triangles: Sequence[Sequence[Point]], point: Point) -> int:
    """How often a surface goes round a point: by a ray along z, which meets no edge, since the coordinates of the point are odd."""
    found = 0
    for triangle in triangles:
        a, b, c = ([e - o for e, o in zip(p, point, strict=True)] for p in triangle)
        turns = [p[0] * q[1] - p[1] * q[0] for p, q in ((a, b), (b, c), (c, a))]
        if all(turn > 0 for turn in turns) or all(turn < 0 for turn in turns):
            height = sum(p[2] * turn for p, turn in zip((c, a, b), turns, strict=True)) / sum(turns)
            found += (1 if turns[0] > 0 else -1) if height > 0 else 0
    return found
