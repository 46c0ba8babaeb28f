"""Every page of the built documentation, and pages of answers as users save them, opened in headless Chromium at three widths.

``python docs/look.py [FOLDER]`` after ``make docs`` prints a row for each page: messages of errors, how far it is too wide, scenes that
stay blank, and, with a FOLDER, keeps a screenshot of each. It ends with 1 if anything is wrong. ``--only TEXT`` looks at pages that have
it in their names.
"""

import argparse
import functools
import http.server
import json
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from collide.picture import CHROMIUM_FLAGS, chromium

SITE = Path(__file__).parents[1] / "site"
WIDTHS = (390, 1280, 1920)
HEIGHT, LONG = 900, 2600

# A page that opens others in a frame, as wide as a window would be, and tells what it finds in them: Chromium has no window that is
# narrower than 500 pixels. What a scene draws is read from its canvas, also in frames of the page, which are brought into view first.
PROBE = """<!DOCTYPE html><meta charset="utf-8"><body style="margin:0"><script>
let errors = [];
function heard(message) { errors.push(message); }
const wait = time => new Promise(done => setTimeout(done, time));
async function loaded(frame, most) {
  for (let k = 0; k < most / 50 && !(frame.contentDocument && frame.contentDocument.readyState === "complete"
       && frame.contentWindow.location.href !== "about:blank"); k++) await wait(50);
}
async function scenes(view) {
  const found = [];
  for (const viewer of view.viewers || []) {
    viewer.element.scrollIntoView({block: "center"}); await wait(60);
    if (!viewer.gl) { found.push(-1); continue; }
    viewer.draw();
    const gl = viewer.gl, [w, h] = [gl.drawingBufferWidth, gl.drawingBufferHeight], data = new Uint8Array(4 * w * h);
    gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, data);
    let n = 0; for (let k = 0; k < data.length; k += 4) n += Math.min(data[k], data[k + 1], data[k + 2]) < 240;
    found.push(4 * n / data.length);
  }
  const all = view.document.querySelectorAll(".scene > .stage").length;  // some may not have come to life
  for (let k = found.length; k < all; k++) found.push(-1);
  for (const frame of view.document.querySelectorAll("iframe")) {
    frame.scrollIntoView({block: "center"}); await loaded(frame, 4000); await wait(150);
    if (frame.contentDocument.documentElement.scrollWidth > frame.clientWidth) errors.push("a frame is too narrow for what is in it");
    found.push(...await scenes(frame.contentWindow));
  }
  return found;
}
async function looked(path, width) {
  const frame = document.createElement("iframe"); errors = [];
  frame.style = `border:0;width:${width}px;height:HEIGHTpx`; document.body.replaceChildren(frame); frame.src = path;
  await loaded(frame, 15000); await wait(250);
  const doc = frame.contentDocument, shown = await scenes(frame.contentWindow);
  for (const image of doc.images) if (image.complete && !image.naturalWidth) errors.push("no picture: " + image.src.slice(0, 80));
  return {path, width, errors, over: doc.documentElement.scrollWidth - width, shown,
          charts: doc.querySelectorAll(".js-plotly-plot svg.main-svg").length, knobs: doc.querySelectorAll(".knob").length};
}
(async () => { for (const path of PATHS) for (const width of WIDTHS) {
  let told; try { told = await looked(path, width); } catch (e) { told = {path, width, errors: [String(e)], over: 0, shown: []}; }
  await fetch("/told", {method: "POST", body: JSON.stringify(told)}); }
  await fetch("/told", {method: "POST", body: "null"}); })();
</script>"""

# What begins every page that is looked at, and every page in a frame of it, and tells its errors.
HEARD = """<script>
addEventListener("error", e => top.heard(e.message || "missing: " + (e.target.src || e.target.href)), true);
addEventListener("unhandledrejection", e => top.heard(String(e.reason)));
console.error = (...words) => top.heard(words.join(" "));
</script>"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python docs/look.py", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="where to keep screenshots")
    parser.add_argument("--only", default="", metavar="TEXT", help="look at pages with this in their names")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        shutil.copytree(SITE, made, dirs_exist_ok=True)
        saved(Path(made) / "saved")
        for page in Path(made).rglob("*.html"):
            page.write_text(page.read_text(encoding="utf-8").replace("<head>", "<head>" + HEARD, 1), encoding="utf-8")
        pages = sorted(str(p.relative_to(made)) for p in Path(made).rglob("*.html") if options.only in str(p) and p.name != "404.html")
        wrong = 0
        with served(Path(made)) as (address, told):
            for seen in looks(address, pages, told):
                wrong += bool(faults(seen))
                print(f"{seen['path']:62} {seen['width']:5} {len(seen['shown']):3} scenes  {'; '.join(faults(seen)) or 'well'}", flush=True)
            if options.folder:
                shots(address, pages, options.folder)
    print(f"{len(pages)} pages at {len(WIDTHS)} widths, {wrong} of these not well")
    return min(wrong, 1)


def faults(seen: dict[str, Any]) -> list[str]:
    over = [f"{seen['over']} pixels too wide"] if seen["over"] > 0 else []
    blank = sum(share < 0.005 for share in seen["shown"])
    return [*dict.fromkeys(seen["errors"]), *over, *([f"{blank} blank"] if blank else [])]


def saved(folder: Path) -> None:
    """Pages as users save them: an answer, several, a distance, a run."""
    import collide
    from collide.picture import save_html
    from models.scenes import SCENES

    folder.mkdir()
    answers = [collide.first_contact(list(s.bodies), time=s.time, budget=60, **s.options)
               for s in map(SCENES.__getitem__, ("tori-crossed", "tori-coaxial", "gripper-on-egg", "chain-of-tori"))]
    answers[0].save_html(folder / "answer.html")
    save_html(folder / "answers.html", answers, heading="Several answers")
    ball, ring = SCENES["ball-through-ring"].bodies
    collide.clearance([ball, ring], (0, 3)).save_html(folder / "clearance.html")
    bodies = [collide.RigidBody(ring.resting, fixed=True), collide.RigidBody(ball.resting, position=(0.3, 0, 2))]
    collide.World(bodies, gravity=(0, 0, -10), restitution=0.5).run(until=2, events=20).save_html(folder / "run.html")


class served:
    """The address of a server of a folder while it is open, and what pages told it."""

    def __init__(self, folder: Path) -> None:
        told: list[Any] = []
        ready = threading.Condition()

        class Handler(http.server.SimpleHTTPRequestHandler):
            def do_GET(self) -> None:
                if not self.path.startswith("/probe"):
                    super().do_GET()
                    return
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(told[0].encode())

            def do_POST(self) -> None:
                with ready:
                    told.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                    ready.notify()
                self.send_response(204)
                self.end_headers()

            def log_message(self, *words: Any) -> None:
                pass

        self.told, self.ready = told, ready
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))

    def __enter__(self) -> tuple[str, "served"]:
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self.server.server_port}", self

    def __exit__(self, *_: Any) -> None:
        self.server.shutdown()
        self.server.server_close()


def looks(address: str, pages: list[str], told: served, patience: float = 120.0) -> Iterator[dict[str, Any]]:
    """What the probe finds, page after page. TimeoutError where it tells nothing for so many seconds."""
    probe = PROBE.replace("PATHS", json.dumps(["/" + quote(p) for p in pages])).replace("WIDTHS", json.dumps(WIDTHS))
    told.told[:] = [probe.replace("HEIGHT", str(HEIGHT))]
    with tempfile.TemporaryDirectory() as profile:
        command = [chromium(), *(f for f in CHROMIUM_FLAGS if "virtual-time" not in f), f"--user-data-dir={profile}",
                   f"--window-size={WIDTHS[-1] + 20},{HEIGHT}", "--remote-debugging-port=0", f"{address}/probe"]
        browser = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            for k in range(1, 1 + len(pages) * len(WIDTHS)):
                with told.ready:
                    if not told.ready.wait_for(lambda k=k: len(told.told) > k, patience):
                        raise TimeoutError(f"{pages[(k - 1) // len(WIDTHS)]} told nothing in {patience:g} seconds")
                yield told.told[k]
        finally:
            browser.terminate()
            browser.wait(20)


def shots(address: str, pages: list[str], folder: Path) -> None:
    """Of each page one picture, on a telephone and on a screen side by side, from its beginning."""
    from collide.picture import page_to_png

    folder.mkdir(parents=True, exist_ok=True)
    for name in pages:
        frames = "".join(f'<iframe src="{address}/{quote(name)}" style="border:0;width:{w}px;height:{LONG}px;margin-right:20px"></iframe>'
                         for w in WIDTHS[:2])
        with tempfile.TemporaryDirectory() as made:
            both = Path(made) / "both.html"
            both.write_text(f'<!DOCTYPE html><body style="margin:0;display:flex;background:#888">{frames}', encoding="utf-8")
            page_to_png(both, folder / f"{name.replace('/', '-').removesuffix('.html')}.png", width=sum(WIDTHS[:2]) + 40, height=LONG)


if __name__ == "__main__":
    sys.exit(main())
