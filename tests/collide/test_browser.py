"""The page opened in headless Chromium: no error, something drawn, and the slider moves the body. Skipped without Chromium."""

import re
import shutil
import struct
import subprocess
import zlib

import pytest

from collide.picture import save_html, save_png
from models.scenes import SCENES
from tests.collide.test_result import contacts

CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader", "--virtual-time-budget=5000", "--dump-dom",
]  # fmt: skip

# Writes "coloured pixels at the end / coloured pixels at the first frame, and whether the two pictures differ" into the page.
PROBE = """<script>
window.addEventListener("error", event => document.body.setAttribute("data-error", event.message));
function look() {
  const plot = document.getElementById("figure-0")._fullLayout.scene._scene.glplot, gl = plot.gl;
  plot.redraw();
  const data = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
  gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, data);
  return data;
}
const coloured = data => data.filter((value, k) => k % 4 < 3 && value > 5 && value < 250).length;
setTimeout(() => {
  const last = look();
  const jump = {mode: "immediate", frame: {duration: 0, redraw: true}, transition: {duration: 0}};
  Plotly.animate("figure-0", ["0"], jump);
  setTimeout(() => {
    const first = look(), moved = first.filter((value, k) => Math.abs(value - last[k]) > 40).length;
    document.body.setAttribute("data-seen", coloured(last) + " " + coloured(first) + " " + moved);
  }, 1500);
}, 1500);
</script></body>"""


needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian's package chromium)")


@needs_chromium
def test_a_png_shows_the_bodies(tmp_path):
    save_png(tmp_path / "rings.png", SCENES["tori-crossed"].bodies, width=320, height=240)
    data = (tmp_path / "rings.png").read_bytes()
    size, bits = struct.unpack(">II", data[16:24]), data[24]
    raw = zlib.decompress(b"".join(chunk for kind, chunk in chunks(data) if kind == b"IDAT"))
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and size == (320, 240) and bits == 8
    assert len(set(raw)) > 100  # an empty page has one colour


def chunks(data):
    at = 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at:at + 4])
        yield data[at + 4:at + 8], data[at + 8:at + 8 + length]
        at += 12 + length


@needs_chromium
@pytest.mark.parametrize("name", ["tori-crossed", "gripper-on-egg", "bolt-in-nut"])
def test_the_page_draws_and_moves_without_an_error(tmp_path, name):
    target = tmp_path / "page.html"
    save_html(target, [contacts(bodies=SCENES[name].bodies)])
    target.write_text(target.read_text().replace("</body>", PROBE))
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", f"file://{target}"]
    page = subprocess.run(command, capture_output=True, text=True, timeout=90).stdout
    body = re.findall(r"<body[^>]*>", page)[-1]
    assert "data-error" not in body
    seen = re.search(r'data-seen="(\d+) (\d+) (\d+)"', body)
    assert seen, f"the page did not come to life: {body}"
    last, first, moved = map(int, seen.groups())
    assert last > 100_000 and first > 100_000 and moved > 100_000
