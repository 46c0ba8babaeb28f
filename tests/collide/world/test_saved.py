"""Saved runs that were edited or cut off, and pages that are made from them."""

import errno
import html
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from collide import RigidBody, Run, World
from generative import ImplicitSurface, ParametricSurface, u, v, x, y, z

BALL = ImplicitSurface(x**2 + y**2 + z**2 - 1, [(-2, 2)] * 3)
FLOOR = ParametricSurface([u, v, 0], {u: (-20, 20), v: (-20, 20)})
WORLD = World([RigidBody(FLOOR, fixed=True), RigidBody(BALL, position=(0, 0, 2))], restitution=0.5)


@pytest.fixture(scope="module")
def run() -> Run:
    return WORLD.run(events=3)


def put(*path: Any, value: Any) -> Callable[[Any], None]:
    def change(table: Any) -> None:
        for name in path[:-1]:
            table = table[name]
        table[path[-1]] = value
    return change


EDITS: dict[str, Callable[[Any], Any]] = {
    "no outcome": lambda table: table.pop("outcome"), "another outcome": put("outcome", value="PROVED"),
    "an outcome that is no name": put("outcome", value=[]), "a time that is no number": put("until", value="later"),
    "a time that is a truth value": put("start", value=True), "an end before the start": put("until", value=-1.0),
    "an infinite time": put("until", value=float("inf")), "not a number": put("paths", 1, 0, 1, 2, 0, value=float("nan")),
    "a huge number": put("paths", 1, 0, 1, 3, 0, value=10**400),
    "a number whose square is infinite": put("paths", 1, 0, 1, 3, 0, value=1e200),
    "no path": put("paths", 1, value=[]), "a path too few": lambda table: table["paths"].pop(),
    "a path of nothing": put("paths", value=None),
    "a path that goes back": lambda table: table["paths"][1].reverse(), "a path that begins late": put("paths", 1, 0, 0, value=0.1),
    "a place of two coordinates": put("paths", 1, 0, 1, 2, value=[0.0, 0.0]), "a place of names": put("paths", 1, 0, 1, 2, value=["a"] * 3),
    "a flight too short": lambda table: table["paths"][1][0][1].pop(), "a body that is not driven": put("paths", 1, 0, 1, value=None),
    "a mirror": put("paths", 1, 0, 1, 5, 0, 0, value=-1.0), "no rotation": put("paths", 1, 0, 1, 5, 0, 0, value=2.0),
    "a force without a path": put("paths", 1, 0, 1, value={"start": 0.0}), "a rest of no body": put("rests", value=[[0.0, 2, "REST"]]),
    "a rest of half a body": put("rests", value=[[0.0, 0.5, "REST"]]), "a mode that is none": put("rests", value=[[0.0, 1, "SLEEP"]]),
    "an event of no body": put("events", 0, "pairs", value=[[0, 7]]),
    "an event of a body below": put("events", 0, "pairs", value=[[-1, 1]]),
    "an event of three bodies": put("events", 0, "pairs", value=[[0, 1, 1]]),
    "a point too many": put("events", 0, "points", value=[[0.0] * 3] * 9),
    "a point of two coordinates": put("events", 0, "points", value=[[0.0, 0.0]]),
    "what is proved by a number": put("events", 0, "proved", value=[1]),
    "a time that goes back": put("events", 0, "time", value=[1.0, 0.0]),
    "an event before the start": put("events", 0, "time", value=[-2.0, -1.0]),
    "an event that is a list": put("events", 0, value=[]), "no bodies": lambda table: table.pop("bodies"),
    "a reason that is none": put("reason", value=3),
    "a certificate that is a word": put("certified", value="yes"),
}  # fmt: skip


@pytest.mark.parametrize("name", EDITS)
def test_an_edited_run_is_refused_in_a_sentence(name: str, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    run.save(path)
    table = json.loads(path.read_text(encoding="utf-8"))
    EDITS[name](table)
    path.write_text(json.dumps(table), encoding="utf-8")
    with pytest.raises(ValueError, match=r"holds no run of a world of these 2 bodies, as it was saved$"):
        WORLD.load(path)


def test_a_run_that_was_cut_off_is_refused(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    run.save(path)
    text = path.read_bytes()
    for part in (b"", b"null", b"[" * 100_000, b"\xff" + text, *(text[:len(text) * k // 16] for k in range(16))):
        path.write_bytes(part)
        with pytest.raises(ValueError, match="holds no run"):
            WORLD.load(path)


def test_a_page_of_a_saved_run_says_that_it_is_no_proof(run: Run, tmp_path: Path) -> None:
    run.save(tmp_path / "run.json")
    loaded, told = WORLD.load(tmp_path / "run.json"), "a saved run is no proof"
    for own, says in ((run, False), (loaded, True)):
        own.save_html(tmp_path / "run.html")
        assert (told in (tmp_path / "run.html").read_text(encoding="utf-8")) == says == (told in own.summary())
    loaded.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "run.json").read_bytes()


def test_names_do_not_end_or_hide_the_data_of_a_page(tmp_path: Path) -> None:
    """A comment that is opened within a script, and a script within that, would go on to the end of the page."""
    name = "<!--<script>a</script>&amp;"
    bodies = [RigidBody(FLOOR.named(name), fixed=True), RigidBody(BALL.named("]]>" + name), position=(0, 0, 2))]
    World(bodies).run(events=1).save_html(tmp_path / "a.html", title=name)
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    (data,) = re.findall(r'<script type="application/json" class="data">(.*?)</script>', page, re.DOTALL)
    assert "<" not in data and name in json.dumps(json.loads(data), ensure_ascii=False) and name not in page
    assert html.escape(name) in page


def test_a_full_disk_keeps_the_old_files(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, text: str, **_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    for name, save in {"run.json": run.save, "run.html": run.save_html}.items():
        path = tmp_path / name
        path.write_text("old")
        with monkeypatch.context() as patched:
            patched.setattr(Path, "write_text", full)
            with pytest.raises(OSError, match=f"{name}' is not written: No space left on device"):
                save(path)
        assert path.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.html", "run.json"]
