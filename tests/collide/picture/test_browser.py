"""Pages opened in headless Chromium: no error, something drawn; slider, Play and Pause move the bodies. Skipped without Chromium."""

import struct
import zlib

import pytest

from collide.__main__ import main
from collide.picture import save_html, save_png
from models.scenes import SCENES
from tests.collide.answers.test_contacts import contacts

from .browser import CHROMIUM, opened

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian's package chromium)")


@needs_chromium
def test_a_png_shows_the_bodies(tmp_path):
    """At rest as they are at t = 0, and otherwise the last moment of a span: as at that moment alone, and not as at the first one."""
    seen = []
    for time in (None, (0, 0), (1, 1), (0, 1)):
        save_png(tmp_path / "rings.png", SCENES["tori-crossed"].bodies, time=time, width=320, height=240)
        data = (tmp_path / "rings.png").read_bytes()
        size, bits = struct.unpack(">II", data[16:24]), data[24]
        seen.append(zlib.decompress(b"".join(chunk for kind, chunk in chunks(data) if kind == b"IDAT")))
        assert data[:8] == b"\x89PNG\r\n\x1a\n" and size == (320, 240) and bits == 8
        assert len(set(seen[-1])) > 100  # an empty page has one colour
    rest, begin, end, span = seen
    assert rest == begin != end and len(span) == len(end)


def chunks(data):
    at = 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at:at + 4])
        yield data[at + 4:at + 8], data[at + 8:at + 8 + length]
        at += 12 + length


def check_page(target, folder, figures, width=1280):
    """Open the page with the probe: no error; every scene drawn, and moved by its slider and by Play, which Pause stops."""
    told = opened(target, folder / "profile", width=width)
    assert told["errors"] == [] and len(told["found"]) == figures and told["wide"] <= told["width"]
    for seen in told["found"]:
        first, last = seen["span"]
        assert seen["drawn"] > 0.02 and seen["moved"] > 0.01 and seen["played"] > 0.001 and seen["over"] == 0
        assert seen["begin"] == last and abs(seen["at"] - first) < 1e-9 and first < seen["t"] <= last and seen["held"]


@needs_chromium
@pytest.mark.parametrize(("name", "width"), [("gripper-on-egg", 390), ("bolt-in-nut", 1280)])
def test_the_page_draws_and_moves_without_an_error(tmp_path, name, width):
    target = tmp_path / "page.html"
    save_html(target, [contacts(bodies=SCENES[name].bodies)])
    check_page(target, tmp_path, 1, width)


@needs_chromium
def test_the_page_of_the_demo(tmp_path, capsys):
    target = tmp_path / "demo.html"
    assert main(["--demo", "--html", str(target)]) == 0 and "unique isolated contact" in capsys.readouterr().out
    check_page(target, tmp_path, 2)
