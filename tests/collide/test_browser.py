"""The page opened in headless Chromium: no error, something drawn, and the slider moves the body. Skipped without Chromium."""

import re
import shutil
import struct
import subprocess
import zlib

import pytest

from collide.__main__ import main
from collide.picture import save_html, save_png
from models.scenes import SCENES
from tests.collide.test_result import contacts

CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader", "--virtual-time-budget=5000", "--dump-dom",
]  # fmt: skip

# Of every figure of the page: "coloured pixels at the end / at the first frame / pixels that differ", after the slider was clicked
# at its left end, into the page; and every message of an error, be it thrown or written to the console.
PROBE_START = """<script>
const errors = [];
window.addEventListener("error", event => errors.push(event.message));
window.addEventListener("unhandledrejection", event => errors.push(String(event.reason)));
console.error = (...words) => errors.push(words.join(" "));
</script>"""
PROBE = """<script>
const plots = () => [...document.querySelectorAll(".plotly-graph-div")];
function look(element) {
  const plot = element._fullLayout.scene._scene.glplot, gl = plot.gl;
  plot.redraw();
  const data = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
  gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, data);
  return data;
}
const coloured = data => data.filter((value, k) => k % 4 < 3 && value > 5 && value < 250).length;
function slide(element) {
  const rail = element.querySelector(".slider-rail-touch-rect"), place = rail.getBoundingClientRect();
  const at = {clientX: place.left + 1, clientY: place.top + place.height / 2, bubbles: true, cancelable: true, view: window};
  rail.dispatchEvent(new MouseEvent("mousedown", at));
  document.dispatchEvent(new MouseEvent("mouseup", at));
  element.dispatchEvent(new MouseEvent("mouseup", at));
}
setTimeout(() => {
  const last = plots().map(look);
  plots().forEach(slide);
  setTimeout(() => {
    const seen = plots().map((element, k) => {
      const first = look(element), moved = first.filter((value, j) => Math.abs(value - last[k][j]) > 40).length;
      const step = element._fullLayout.sliders[0].active;
      return [coloured(last[k]), coloured(first), moved, step].join(" ");
    });
    document.body.setAttribute("data-seen", seen.join(","));
    document.body.setAttribute("data-errors", errors.join("; "));
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


def check_page(target, folder, figures):
    """Open the page with the probe: no error; every figure drawn, also after its slider went to the first frame, and changed by it."""
    target.write_text(target.read_text().replace("<script>", PROBE_START + "<script>", 1).replace("</body>", PROBE))
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={folder / 'profile'}", f"file://{target}"]
    page = subprocess.run(command, capture_output=True, text=True, timeout=120).stdout
    body = re.findall(r"<body[^>]*>", page)[-1]
    assert 'data-errors=""' in body, f"the page did not come to life, or complained: {body}"
    seen = re.search(r'data-seen="([^"]*)"', body)[1].split(",")
    assert len(seen) == figures
    for last, first, moved, step in (map(int, numbers.split()) for numbers in seen):
        assert last > 100_000 and first > 100_000 and moved > 50_000 and step == 0


@needs_chromium
@pytest.mark.parametrize("name", ["gripper-on-egg", "bolt-in-nut"])
def test_the_page_draws_and_moves_without_an_error(tmp_path, name):
    target = tmp_path / "page.html"
    save_html(target, [contacts(bodies=SCENES[name].bodies)])
    check_page(target, tmp_path, 1)


@needs_chromium
def test_the_page_of_the_demo(tmp_path, capsys):
    target = tmp_path / "demo.html"
    assert main(["--demo", "--html", str(target)]) == 0 and "unique isolated contact" in capsys.readouterr().out
    check_page(target, tmp_path, 2)
