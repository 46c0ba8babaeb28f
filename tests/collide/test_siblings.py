"""A user's own `codegen.py` or `models.py` in the working folder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from collide import siblings

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path):
    """The user's folder, and an installation beside it whose console script is made as installers make them."""
    site, scripts, user = (tmp_path / name for name in ("site", "bin", "user"))
    for made in (site, scripts, user):
        made.mkdir()
    for package in ("codegen", "collide", "generative", "models"):
        (site / package).symlink_to(ROOT / package)
    (scripts / "collide").write_text("import sys\nfrom collide.__main__ import main\nsys.exit(main())\n", encoding="utf-8")
    return tmp_path


def ran(folder, *arguments):
    """What Python prints in the user's folder, which comes first in its path."""
    path = os.pathsep.join([str(folder / "user"), str(folder / "site")])
    done = subprocess.run([sys.executable, *arguments], cwd=folder / "user", capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": path})
    return done.stdout + done.stderr


def test_the_users_own_modules_do_not_break_the_command(folder):
    for name in ("codegen", "generative", "models"):
        (folder / "user" / f"{name}.py").write_text("print('mine')", encoding="utf-8")
    assert ran(folder, str(folder / "bin" / "collide"), "--list").startswith("ball-against-ring")
    assert ran(folder, "-m", "collide", "--version").startswith("collide ")


@pytest.mark.parametrize("program, python, itself", [
    (["-m", "a"], ["python", "-m", "collide", "a"], True), (["-m"], ["python", "-W", "error", "-mcollide"], True),
    (["C:/Scripts/collide.exe"], ["python", "C:/Scripts/collide.exe"], True),
    (["-m", "collide"], ["python", "-m", "mine", "collide"], False),
    (["tools/collide.py"], ["python", "tools/collide.py"], False), (["-c"], ["python", "-c", "import collide"], False), ([], ["x"], False),
])
def test_the_command_is_told_from_programs_that_import(program, python, itself, monkeypatch):
    monkeypatch.setattr(sys, "argv", program)
    monkeypatch.setattr(sys, "orig_argv", python)
    assert siblings._is_command() is itself


@pytest.mark.parametrize("name", ["codegen", "generative"])
def test_import_says_what_is_in_the_way(folder, name):
    (folder / "user" / f"{name}.py").write_text("print('mine')", encoding="utf-8")
    printed = ran(folder, "-c", "import collide")
    last = printed.splitlines()[-1]
    assert last.startswith(f"ImportError: collide comes with a package that is called {name}, but Python finds ")
    assert str(folder / "user" / f"{name}.py") in last and "`python -P`" in last and "mine" not in printed
    assert last == ran(folder, "-c", f"import {name}, collide").splitlines()[-1]


def test_other_modules_of_the_user_are_left_in_the_path(folder):
    (folder / "user" / "models.py").write_text("own = 7", encoding="utf-8")
    assert ran(folder, "-c", "import collide, models; print(models.own)").strip() == "7"
