import json

import pytest

from collide import __main__ as command
from collide.answers.contacts import Status
from models.scenes import SCENES
from tests.collide.answers.test_contacts import contacts


@pytest.fixture
def answered(monkeypatch):
    """The solver replaced by a ready answer; the scenes asked for are collected."""
    asked = []

    def run(scene, budget):
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
])
def test_misuse_says_what_to_do(arguments, message, capsys):
    with pytest.raises(SystemExit) as stop:
        command.main(arguments)
    assert stop.value.code == 2 and message in capsys.readouterr().err


def test_a_body_that_the_solver_does_not_take_is_one_sentence(monkeypatch, capsys):
    def refuse(scene, budget):
        raise TypeError("body 0 is a Teapot")

    monkeypatch.setattr(command, "_run", refuse)
    assert command.main(["tori-crossed"]) == 1 and capsys.readouterr().err == "collide: body 0 is a Teapot\n"


def test_a_file_that_cannot_be_written_is_one_sentence(answered, capsys, tmp_path):
    assert command.main(["tori-crossed", "--json", str(tmp_path / "no" / "where.json")]) == 1
    error = capsys.readouterr().err
    assert error.startswith("collide: ") and error.count("\n") == 1
