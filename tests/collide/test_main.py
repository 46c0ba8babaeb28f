import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import collide
from collide import __main__ as command
from collide.answers.contacts import Status
from models.scenes import SCENES
from models.scenes.scene import Scene
from models.shapes.quadrics import sphere
from tests.collide.answers.test_contacts import contacts, empty


@pytest.fixture
def answered(monkeypatch):
    """The solver replaced by a ready answer; the scenes asked for are collected."""
    asked = []

    def run(scene, budget, log=None):
        asked.append((scene.name, budget))
        return contacts(bodies=scene.bodies)

    monkeypatch.setattr(command, "_run", run)
    return asked


def test_a_scene_runs_and_reports(answered, capsys, tmp_path):
    target = tmp_path / "answer.json"
    assert command.main(["tori-crossed", "--json", str(target), "--budget", "5"]) == 0
    printed = capsys.readouterr().out
    assert answered == [("tori-crossed", 5.0)]
    assert "each proved to be a unique isolated contact" in printed and "Known: t = 3 - sqrt(39)/5 = 1.751000400" in printed
    assert json.loads(target.read_text())["status"] == Status.CONTACT.name


def test_the_demo_runs_both_and_writes_one_page(answered, capsys, tmp_path):
    target = tmp_path / "demo.html"
    assert command.main(["--demo", "--html", str(target)]) == 0
    assert [name for name, _ in answered] == ["tori-crossed", "tori-coaxial"]
    page = target.read_text()
    assert all(SCENES[name].title in page for name, _ in answered) and "wrote" in capsys.readouterr().out


def test_the_list_names_every_scene(capsys):
    assert command.main(["--list"]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed and scene.title in printed for name, scene in SCENES.items())


@pytest.mark.parametrize("arguments, message", [
    (["tori-cross"], "did you mean tori-crossed"),
    (["zzz"], "--list names all"),
    ([], "name one scene"),
    (["tori-crossed", "--demo"], "name one scene"),
    (["tori-crossed", "--budget", "-1"], "positive number of seconds"),
    (["tori-crossed", "--budget", "soon"], "positive number of seconds, got soon"),
    (["--demo", "--log", "x"], "of one scene"),
])
def test_misuse_says_what_to_do(arguments, message, capsys):
    with pytest.raises(SystemExit) as stop:
        command.main(arguments)
    assert stop.value.code == 2 and message in capsys.readouterr().err


def test_a_body_that_the_solver_does_not_take_is_one_sentence(monkeypatch, capsys):
    def refuse(scene, budget, log):
        raise TypeError("body 0 is a Teapot")

    monkeypatch.setattr(command, "_run", refuse)
    assert command.main(["tori-crossed"]) == 2 and capsys.readouterr().err == "collide: body 0 is a Teapot\n"


def test_a_file_that_cannot_be_written_is_one_sentence(answered, capsys, tmp_path):
    assert command.main(["tori-crossed", "--json", str(tmp_path / "no" / "where.json")]) == 2
    error = capsys.readouterr().err
    assert error.startswith("collide: ") and "there is no folder" in error and error.count("\n") == 1 and not answered
    assert command.main(["tori-crossed", "--json", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"collide: {str(tmp_path)!r} is not written: it is a folder\n"


@pytest.mark.parametrize("status, code", [
    (Status.CONTACT, 0), (Status.NO_CONTACT, 0), (Status.UNRESOLVED, 3), (Status.BUDGET_SPENT, 4),
])
def test_the_exit_status_tells_the_status(status, code, monkeypatch, capsys):
    monkeypatch.setattr(command, "_run", lambda scene, budget, log: empty(status, bodies=scene.bodies))
    assert command.main(["tori-crossed"]) == code and f"{code} " in command.ENDS


def test_of_several_scenes_the_worst_status_counts(monkeypatch, capsys):
    of = {"tori-crossed": Status.BUDGET_SPENT, "tori-coaxial": Status.CONTACT}
    monkeypatch.setattr(command, "_run", lambda scene, budget, log: contacts(bodies=scene.bodies, status=of[scene.name]))
    assert command.main(["--demo"]) == 4


def test_json_goes_to_the_standard_output_alone(answered, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert command.main(["tori-crossed", "--json", "-"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["status"] == "CONTACT" and not list(tmp_path.iterdir())
    assert "First contact of upper torus and lower torus at" in printed.err


def test_a_missing_browser_is_said_before_the_search(answered, monkeypatch, capsys):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert command.main(["tori-crossed", "--png", "x.png"]) == 2 and not answered
    assert capsys.readouterr().err.startswith("collide: a PNG needs Chromium")


def test_ctrl_c_ends_it_without_a_traceback(monkeypatch, capsys):
    def interrupt(scene, budget, log):
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "_run", interrupt)
    assert command.main(["tori-crossed"]) == 130 and not capsys.readouterr().err


def test_the_version_is_said(capsys):
    with pytest.raises(SystemExit) as stop:
        command.main(["--version"])
    assert stop.value.code == 0 and capsys.readouterr().out == f"collide {collide.__version__}\n"


def test_it_ends_quietly_when_nobody_reads_on():
    code = "import sys; from collide.__main__ import main; sys.exit(main(['--list']))"
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=Path(__file__).parents[2])
    assert child.stdout is not None
    child.stdout.close()
    _, error = child.communicate(timeout=120)
    assert child.returncode == 141 and error == b""


def test_a_log_is_written_that_can_be_checked(tmp_path, capsys):
    target = str(tmp_path / "tori.proof")
    assert command.main(["tori-crossed", "--log", target]) == 0 and command.main(["check", target]) == 0
    assert "ACCEPTED" in capsys.readouterr().out
    text = Path(target).read_text(encoding="utf-8").splitlines()
    Path(target).write_text("\n".join(text[:-3]), encoding="utf-8")
    assert command.main(["check", target]) == 1 and "REJECTED" in capsys.readouterr().out


def test_of_what_no_log_can_be_written_that_is_said(monkeypatch, capsys, tmp_path):
    """A sphere has poles, where its sides are points."""
    scene = Scene("sphere", "A sphere", "ours", lambda: [sphere()], (0, 1))
    monkeypatch.setitem(SCENES, "sphere", scene)
    assert command.main(["sphere", "--log", str(tmp_path / "log")]) == 2
    assert "no log can be written of surfaces with poles" in capsys.readouterr().err
