"""The page opened in headless Chromium: no error, something drawn, and the slider moves the body. Skipped without Chromium."""

import re
import shutil
import subprocess

import pytest

from collide.picture import save_html
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


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian's package chromium)")
def test_the_page_draws_and_moves_without_an_error(tmp_path):
    target = tmp_path / "page.html"
    save_html(target, [contacts(bodies=SCENES["tori-crossed"].bodies)])
    target.write_text(target.read_text().replace("</body>", PROBE))
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", f"file://{target}"]
    page = subprocess.run(command, capture_output=True, text=True, timeout=90).stdout
    body = re.findall(r"<body[^>]*>", page)[-1]
    assert "data-error" not in body
    seen = re.search(r'data-seen="(\d+) (\d+) (\d+)"', body)
    assert seen, f"the page did not come to life: {body}"
    last, first, moved = map(int, seen.groups())
    assert last > 100_000 and first > 100_000 and moved > 100_000
