"""The page opened in headless Chromium: no error, something drawn; slider, Play and Pause move the body. Skipped without Chromium."""

import re
import shutil
import struct
import subprocess
import zlib

import pytest

from collide.__main__ import main
from collide.picture import save_html, save_png
from models.scenes import SCENES
from tests.collide.answers.test_contacts import contacts

CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader", "--virtual-time-budget=12000", "--dump-dom",
]  # fmt: skip

# Into the page, of every figure: the coloured pixels at the end and at the first frame, to which a click at the left end of the
# slider leads, and those that differ, and the step of the slider; then, after a click on Play, the pixels that differ from the first
# frame, the step, and the frames that were played; and the step where a click on Pause stopped a second run. Also every message
# of an error, be it thrown or written to the console; plotly rejects the promise of a run that Pause ends, without a reason.
# Virtual time draws no frames by itself, so that they are asked for by the clock.
PROBE_START = """<script>
const errors = [];
window.addEventListener("error", event => errors.push(event.message));
window.addEventListener("unhandledrejection", event => event.reason && errors.push(String(event.reason)));
console.error = (...words) => errors.push(words.join(" "));
window.requestAnimationFrame = step => setTimeout(() => step(performance.now()), 16);
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
const press = (element, k) => element.querySelectorAll(".updatemenu-button")[k].dispatchEvent(new MouseEvent("click", {bubbles: true}));
const differ = (a, b) => a.filter((value, k) => Math.abs(value - b[k]) > 40).length;
const step = element => element._fullLayout.sliders[0].active;
const wait = time => new Promise(done => setTimeout(done, time));
(async () => {
  await wait(1500);
  const last = plots().map(look);
  plots().forEach(slide);
  await wait(1500);
  const first = plots().map(look);
  const seen = first.map((data, k) => [coloured(last[k]), coloured(data), differ(data, last[k]), step(plots()[k])]);
  const played = plots().map(element => {
    const names = [];
    element.on("plotly_animatingframe", event => names.push(event.name));
    press(element, 0);
    return names;
  });
  await wait(4000);
  plots().forEach((element, k) => seen[k].push(differ(look(element), first[k]), step(element), new Set(played[k]).size));
  plots().forEach(element => press(element, 0));
  await wait(400);
  plots().forEach(element => press(element, 1));
  await wait(2500);
  plots().forEach((element, k) => seen[k].push(step(element)));
  document.body.setAttribute("data-seen", seen.map(numbers => numbers.join(" ")).join(","));
  document.body.setAttribute("data-errors", errors.join("; "));
})();
</script></body>"""


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


def check_page(target, folder, figures):
    """Open the page with the probe: no error; every figure drawn, and moved by its slider and by Play, which Pause stops."""
    target.write_text(target.read_text().replace("<script>", PROBE_START + "<script>", 1).replace("</body>", PROBE))
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={folder / 'profile'}", f"file://{target}"]
    page = subprocess.run(command, capture_output=True, text=True, timeout=120).stdout
    body = re.findall(r"<body[^>]*>", page)[-1]
    assert 'data-errors=""' in body, f"the page did not come to life, or complained: {body}"
    seen = re.search(r'data-seen="([^"]*)"', body)[1].split(",")
    assert len(seen) == figures
    for last, first, moved, step, replayed, end, played, paused in (map(int, numbers.split()) for numbers in seen):
        assert last > 100_000 and first > 100_000 and moved > 50_000 and step == 0
        assert replayed > 0.9 * moved and end == 21 and played == 22  # Play ends where the picture began, through all frames
        assert 0 < paused < 21


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
