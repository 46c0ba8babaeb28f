"""Pages opened in headless Chromium: what they draw and how they play. Each is given a probe, which tells this program what it found."""

import http.server
import json
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

from collide.picture import CHROMIUM_FLAGS

CHROMIUM = shutil.which("chromium")

# Of every scene: pixels that are not background at the first moment shown, those that differ from it where the slider is at its left end,
# and after some seconds of playing; how many pictures a second, and how many milliseconds the program works for one (the median; what the
# graphics card is given to do is not waited for), with how many triangles of how many pixels; the times shown; and messages of errors.
# Controls that lie over the canvas or stand out of the page are counted.
PROBE = """<script>
const errors = [];
window.addEventListener("error", event => errors.push(event.message));
window.addEventListener("unhandledrejection", event => errors.push(String(event.reason)));
console.error = (...words) => errors.push(words.join(" "));
const wait = time => new Promise(done => setTimeout(done, time));
function look(viewer) {
  viewer.draw();
  const gl = viewer.gl, data = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
  gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, data);
  return data;
}
const share = (data, test) => { let n = 0; for (let k = 0; k < data.length; k += 4) n += test(data, k); return 4 * n / data.length; };
const drawn = data => share(data, (d, k) => Math.min(d[k], d[k + 1], d[k + 2]) < 240);
const differ = (a, b) => share(a, (d, k) => Math.abs(d[k] - b[k]) + Math.abs(d[k + 1] - b[k + 1]) + Math.abs(d[k + 2] - b[k + 2]) > 40);
async function probe(viewer) {
  viewer.element.scrollIntoView(); viewer.play(false); await wait(200);
  const begin = viewer.t, first = look(viewer), slider = viewer.find("time");
  slider.value = slider.min; slider.dispatchEvent(new Event("input")); await wait(150);
  const left = look(viewer), at = viewer.t;
  const draw = viewer.draw, works = []; let triangles = 0;
  viewer.draw = function () { const start = performance.now(); draw.call(this); works.push(performance.now() - start); };
  const instanced = viewer.gl.drawElementsInstanced;
  viewer.gl.drawElementsInstanced = function (...of) { triangles += of[1] / 3 * of[4]; return instanced.apply(this, of); };
  viewer.find("play").click(); const frames = viewer.frames, now = performance.now(); await wait(SECONDS);
  const rate = 1000 * (viewer.frames - frames) / (performance.now() - now);
  const work = works.sort((a, b) => a - b)[works.length >> 1] || 0; triangles /= works.length || 1;
  viewer.draw = draw; viewer.gl.drawElementsInstanced = instanced;
  const played = look(viewer), t = viewer.t;
  viewer.find("play").click(); await wait(150); const stopped = viewer.t; await wait(150);
  const box = viewer.canvas.getBoundingClientRect(), controls = [...viewer.element.querySelectorAll("button, select, input, label")];
  return {drawn: drawn(first), moved: differ(first, left), played: differ(left, played), rate, work, triangles,
          pixels: viewer.canvas.width * viewer.canvas.height, begin, at, t, held: stopped === viewer.t,
          span: viewer.D.span, over: controls.filter(e => { const c = e.getBoundingClientRect();
            return c.width && (c.top < box.bottom - 1 || c.right > innerWidth || c.left < 0); }).length};
}
window.addEventListener("load", async () => {
  await wait(300);
  const found = []; for (const viewer of window.viewers) found.push(await probe(viewer));
  const told = {found, errors, wide: document.documentElement.scrollWidth, width: innerWidth};
  await fetch("/told", {method: "POST", body: JSON.stringify(told)});
});
</script>"""


def opened(page: Path, profile: Path, *, width: int = 1280, height: int = 900, seconds: float = 1.0,
           patience: float = 90.0) -> dict[str, Any]:
    """What the probe found in a page. TimeoutError where it tells nothing."""
    text = page.read_text(encoding="utf-8").replace("<head>", "<head>" + PROBE.replace("SECONDS", str(1000 * seconds)), 1).encode()
    told: list[dict[str, Any]] = []
    done = threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = self.path == "/"
            self.send_response(200 if found else 204)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(text if found else b"")

        def do_POST(self) -> None:
            told.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()
            done.set()

        def log_message(self, *words: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        command = [str(CHROMIUM), *(f for f in CHROMIUM_FLAGS if "virtual-time" not in f), f"--user-data-dir={profile}",
                   f"--window-size={width},{height}", "--remote-debugging-port=0", f"http://127.0.0.1:{server.server_port}/"]
        browser = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            done.wait(patience)
        finally:
            browser.terminate()
            browser.wait(20)
            server.shutdown()
    if not told:
        raise TimeoutError(f"{page} told nothing in {patience} seconds")
    return told[0]
