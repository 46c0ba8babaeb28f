"""Small pictures: their pixels against closed forms of the silhouettes, and what lies in front."""

import base64
import re
import struct
import zlib

import numpy as np
import pytest
import sympy as sp

from generative import IDENTITY, Curve, ImplicitSurface, Parameter, ParametricSurface, Rigid, curve, sweep, t, u, v, x, y, z
from generative.mesh import VIEW
from generative.thumbnail import COLOURS, SHADES, pictured, thumbnail, wire
from models.shapes.quadrics import sphere
from models.shapes.solids import box, cylinder


def pixels(text):
    """The palette indices of the picture in some HTML."""
    data = base64.b64decode(re.search(r"base64,([^\"]+)", text)[1])
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(data):
        (length,) = struct.unpack(">I", data[at:at + 4])
        kind, body, check = data[at + 4:at + 8], data[at + 8:at + 8 + length], data[at + 8 + length:at + 12 + length]
        assert struct.unpack(">I", check)[0] == zlib.crc32(kind + body)
        chunks[kind] = body
        at += 12 + length
    width, height, bits, kind = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    assert (bits, kind) == (8, 3) and len(chunks[b"PLTE"]) == 3 * (1 + SHADES * len(COLOURS))
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, width + 1)
    assert not rows[:, 0].any()
    return rows[:, 1:]


def test_a_ball_is_a_disc_without_holes():
    seen = pixels(thumbnail([sphere()], size=100)) > 0
    assert seen.shape == (200, 200) and seen.mean() == pytest.approx(np.pi / 4 * 0.94**2, rel=0.01)
    down, along = np.indices(seen.shape) - 99.5
    assert seen[np.hypot(down, along) < 91].all() and not seen[np.hypot(down, along) > 96].any()


def test_the_silhouette_of_a_box_is_full():
    """It covers the sum of |n . VIEW| over its three visible faces, in the scale in which its larger extent is 94 %."""
    shown = pixels(thumbnail([box()], size=100))
    right = np.cross([0, 0, 1], VIEW) / np.linalg.norm(np.cross([0, 0, 1], VIEW))
    extent = max(np.abs(axis).sum() for axis in (right, np.cross(VIEW, right)))
    assert (shown > 0).mean() == pytest.approx(np.abs(VIEW).sum() * (0.94 / extent) ** 2, rel=0.02)  # pixels on the border are whole
    assert len(np.unique(shown)) == 4  # three faces and the background


def test_what_is_in_front_is_seen():
    near, far = sphere().moved(Rigid(translation=[3, -4, 2])), sphere()
    for bodies, colour in (([near, far], 0), ([far, near], 1)):
        shown = pixels(thumbnail(bodies, size=80))
        body = (shown.astype(int) - 1) // SHADES
        ring = body[shown > 0]
        assert (ring == colour).sum() > (ring == 1 - colour).sum()  # along VIEW the near one hides half of the other
    lid = sweep.height_field(3, (-2, 2), (-2, 2))
    shown = pixels(thumbnail([cylinder(), lid], size=80))
    assert ((shown.astype(int) - 1) // SHADES == 1).sum() > 0.1 * shown.size


def test_a_wire_surrounds_its_curve():
    at = np.linspace(0, 4, 200)
    points = np.stack([np.cos(at), np.sin(at), at / 3], axis=1)
    vertices, triangles = wire(points, sides=8)
    rings = vertices.reshape(200, 9, 3) - points[:, None]
    assert np.linalg.norm(rings, axis=2) == pytest.approx(0.015 * np.linalg.norm(np.ptp(points, axis=0)))
    assert abs(np.einsum("ijk,ik->ij", rings, np.gradient(points, axis=0))).max() < 1e-12  # at right angles to the curve
    turn = np.linalg.norm(np.diff(rings[:, 0], axis=0), axis=1).max() / np.linalg.norm(rings[0, 0])
    tangent = np.gradient(points, axis=0) / np.linalg.norm(np.gradient(points, axis=0), axis=1, keepdims=True)
    assert turn < 1.01 * np.linalg.norm(np.diff(tangent, axis=0), axis=1).max()  # the tube turns with the tangent only
    assert triangles.max() == len(vertices) - 1


def test_several_moments_and_empty_space():
    several = pixels(thumbnail([box().moved(Rigid(translation=[0, 0, 0]))], [0.0, 1.0]))
    assert several.any() and not several[0].any()  # a border is left free


@pytest.mark.parametrize("value", [
    cylinder(), sphere(), sphere().moved(Rigid(translation=[0, 0, t])), ImplicitSurface(x**2 + y**2 + z**2 - 1, [(-2, 2)] * 3), IDENTITY,
    Rigid(translation=[t, 0, 0]), sweep.extrude(curve.circle(), [0, 0, 1]),
])  # fmt: skip
def test_rich_display(value):
    shown = value._repr_html_()
    assert pixels(shown).any() and type(value).__name__ in shown and len(shown) < 40_000


SIZE = Parameter("size")


@pytest.mark.parametrize("value", [
    ParametricSurface([SIZE * sp.cos(u), SIZE * sp.sin(u), v], {u: (0, 1), v: (0, 1)}),
    ParametricSurface([u, v, 0], {u: (0, SIZE), v: (0, 1)}),
    ImplicitSurface(x**2 + y**2 + z**2 - SIZE**2, [(-2, 2)] * 3), Rigid(translation=[SIZE * t, 0, 0]), Curve([u, SIZE * u, 0], (0, 1)),
    Curve([u, u, 0], (0, SIZE)),
])  # fmt: skip
def test_what_has_parameters_is_shown_as_text(value):
    """A cell of a notebook that ends with a design shows no error."""
    assert "size" in value._repr_html_() and "<img" not in value._repr_html_()


def test_long_texts_are_cut():
    assert "characters ..." in pictured([sphere()], "x" * 1000)
