"""Logs of answers, verified by the checker; and logs that are altered, cut off or hostile."""

import importlib
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sympy as sp

import collide
from collide.proof import logged as write_log
from collide.proof.checker.check import CheckStatus
from collide.proof.existence import _choices
from generative import ImplicitSurface, ParametricSurface, Rigid, t, u, v, x, y, z
from models.scenes import SCENES

from .made import MADE, surface
from .mutants import run

FOLDER = Path(__file__).parents[3] / "collide" / "proof" / "checker"
PLATE = ParametricSurface([u, v, 0], {u: (-1, 1), v: (-1, 1)})
BOWL = ParametricSurface([u, v, u**2 + v**2 + 1 - t], {u: (-1, 1), v: (-1, 1)})


def logged(path: Path, name: str, **options: Any) -> tuple[collide.Contacts, Any]:
    scene = SCENES[name]
    return collide.first_contact(list(scene.bodies), scene.time, log=path, **scene.options), collide.check(path)


@pytest.fixture(scope="module")
def tori(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, collide.Contacts]:
    """Two crossed tori that meet at 3 - sqrt(39)/5."""
    path = tmp_path_factory.mktemp("logs") / "tori.proof"
    return path, logged(path, "tori-crossed")[0]


def test_the_seconds_of_an_answer_are_also_those_of_its_log(tori: tuple[Path, collide.Contacts]) -> None:
    proof, clock = SimpleNamespace(write=lambda answer, going: "Told."), SimpleNamespace(over=False, seconds=5.0)
    told = write_log(tori[1], proof, clock)  # type: ignore[arg-type]
    assert told.seconds == 5.0 and told.notes[-1] == "Told." and write_log(tori[1], None, clock) is tori[1]  # type: ignore[arg-type]


def test_two_tori(tori: tuple[Path, collide.Contacts]) -> None:
    path, answer = tori
    found = collide.check(path)
    assert found.status is CheckStatus.ACCEPTED and str(found).startswith("ACCEPTED"), str(found)
    assert "no point in common" in found.theorem and "have a point in common at t = 1.7510004" in found.theorem
    assert "So their first contact lies in 1.7510003" in found.theorem
    assert "The log claims that there is no contact until" in answer.summary()
    lines = path.read_text().splitlines()
    until = next(float.fromhex(line.split()[1]) for line in lines if line.startswith("none"))
    assert answer.clear_until - 1e-8 < until < float(3 - sp.sqrt(39) / 5)
    assert path.stat().st_size < 200 * len(lines)
    assert "(* 2 pi)" in "".join(found.statement)


@pytest.mark.parametrize("name", ["box-on-corner", "torus-on-floor", "gripper-on-egg"])
def test_scenes(name: str, tmp_path: Path) -> None:
    """Solids, implicit bodies, contact along a curve, and several bodies."""
    answer, found = logged(tmp_path / "a.proof", name)
    assert found.accepted and "no point in common" in found.theorem and "have a point in common" in found.theorem, str(found)
    assert answer.status is collide.Status.CONTACT


def test_a_patch_with_creases_is_one_piece(tmp_path: Path) -> None:
    """Of its faces the answer names the second one."""
    roof = ParametricSurface([u, v, -sp.Abs(u - sp.Rational(1, 4)) - u / 2], {u: (-1, 1), v: (-1, 1)})
    edge = ParametricSurface([sp.Rational(1, 2) + u, v / 8, 1 - t - u / 2], {u: (-sp.Rational(1, 8), 1), v: (-1, 1)})
    answer = collide.first_contact([roof, edge], (0, 3), log=tmp_path / "a.proof")
    found = collide.check(tmp_path / "a.proof")
    assert max(answer.uv[:, 0]["face"]) == 1 and found.accepted and "So their first contact lies in" in found.theorem, str(found)


def test_no_contact_and_pairs_left_out(tmp_path: Path) -> None:
    path, far = tmp_path / "a.proof", PLATE.moved(Rigid(translation=[0, 0, -1]))
    assert collide.first_contact([PLATE, BOWL], (0, sp.Rational(1, 2)), log=path).status is collide.Status.NO_CONTACT
    assert "0.0 <= t <= 0.5" in collide.check(path).theorem
    collide.first_contact([PLATE, PLATE, BOWL, far], (0, 2), log=path, ignore=[(0, 1)])
    found = collide.check(path)
    assert found.accepted and "but for pairs 0 and 1" in found.theorem
    lines = path.read_text().replace("except 0 1\n", "")
    path.write_text(lines)
    assert not collide.check(path).accepted


def test_zeros_and_minima(tmp_path: Path) -> None:
    path = tmp_path / "a.proof"
    collide.solve([sp.sin(x) - x / 10], {x: (-10, 11)}, log=path)
    found = collide.check(path)
    assert "All zeros lie in 7 boxes, of which 7 hold exactly one" in found.theorem
    collide.solve([x**2 + y**2 + 1, x - y], {x: (-2, 2), y: (-2, 2)}, log=path)
    assert collide.check(path).theorem.startswith("There is no zero: no point of the domain")
    m = collide.minimize((1 - x)**2 + 100 * (y - x**2)**2, {x: (-2, 2), y: (-2, 2)}, log=path)
    assert collide.check(path).accepted and "the minimum is greater than -9.3" in m.summary()
    collide.minimize(x**2 + y**2, {x: (-2, 2), y: (-2, 2)}, at_least=[x + y - 1], log=path)
    assert "greater than 0.49999999" in collide.check(path).theorem
    collide.minimize(x + y, {x: (-2, 2), y: (-2, 2)}, equal=[x**2 + y**2 + 1], log=path)
    assert "no point of the domain fulfils all equations and conditions" in collide.check(path).theorem


def test_distances(tmp_path: Path) -> None:
    path = tmp_path / "a.proof"
    d = collide.distance(PLATE, BOWL.at(0), log=path)
    found = collide.check(path)
    assert found.accepted and "farther from each other than 0.99999999" in found.theorem and "at most" in found.theorem, str(found)
    assert "So the least distance lies between 0.99999999" in found.theorem
    assert d.notes[-1].startswith("The log claims that the distance is greater than 0.99999999")
    collide.clearance([PLATE, BOWL], (0, sp.Rational(1, 2)), at_least=0.25, log=path)
    assert "farther from each other than 0.25" in collide.check(path).theorem


def test_matrices_that_are_singular_but_for_rounding_are_not_inverted() -> None:
    """Edges of two boxes that slide along each other: of singular values the least is 1e-17, and of pivots 0."""
    slope = np.array([[[1.0, 2, 0, 0], [0.1, 0.2, 0, 0], [0, 0, 1, 0]]])
    stub = SimpleNamespace(equations=3, jets=lambda points: (np.zeros((1, 3)), slope))
    assert _choices(stub, np.zeros(4), [3]) == []  # type: ignore[arg-type]


def test_what_no_log_can_be_written_of(tmp_path: Path) -> None:
    path = tmp_path / "a.proof"
    with pytest.raises(ValueError, match="no log can be written for formulas with erf"):
        collide.solve([sp.erf(x) - sp.Rational(1, 2)], {x: (0, 1)}, log=path)
    with pytest.raises(ValueError, match='no log can be written with method="time-dependent"'):
        collide.first_contact([PLATE, BOWL], (0, 2), method="time-dependent", log=tmp_path / "no.proof")
    with pytest.raises(ValueError, match="joined by Or"):
        collide.solve([x - 1], {x: (0, 2)}, at_least=[sp.Or(x > 0, x < 2)], log=path)
    with pytest.raises(ValueError, match="a folder that exists"):
        collide.first_contact([PLATE, BOWL], (0, 1), log=tmp_path / "nowhere" / "a.proof")
    with pytest.raises(TypeError, match="log must be the path of a file"):
        collide.first_contact([PLATE, BOWL], (0, 1), log=3)  # type: ignore[arg-type]
    assert not path.exists()


def test_a_stale_log_does_not_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.proof"
    path.write_text("old")
    ball = ImplicitSurface(x**2 + y**2 + z**2 - 1, [(-2, 2)] * 3)
    answer = collide.first_contact([ball, ball.moved(Rigid(translation=[1, 0, t]))], (0, 1), log=path)
    assert answer.notes[-1].startswith("No log was written") and not path.exists()


def test_altered_logs_are_rejected_unless_they_are_proofs(tmp_path: Path) -> None:
    """Another run of `mutants`, of all kinds of logs, is of a thousand."""
    kinds = "zeros", "distances", "minima", "a sheet that bends"
    counts = run(80, {name: MADE[name] for name in kinds}, tmp_path)
    for kind in ("dropped", "repeated", "cut"):
        assert not [times for (name, what), times in counts.items() if name == kind and what != "rejected"], counts
    assert sum(times for (_, what), times in counts.items() if what == "rejected") > 50


HEAD = "collide proof 3\n"
DEEP = "(sin " * 5000 + "1" + ")" * 5000
ZEROS = HEAD + "question zeros\n"
Z = ZEROS + "variable x0 0 1\npiece 0\n"
MINIMUM = HEAD + "question minimum\nvariable x0 {ends}\npiece 0\n"
PLATES = HEAD + "question contact\nvariable t {ends}\n" + surface(0, "u v 1") + surface(1, "u v {z}")
STATED = "not stated by these lines in this order"
HOSTILE = {
    "nothing": ("", "ends before"),
    "another file": ("PK;\n", "begins with the line"),
    "no end": (HEAD + "question contact\n", "ends before"),
    "a huge line": (HEAD + "a" * (1 << 21) + "\n", "longer than"),
    "a deep formula": (Z + f"equation {DEEP}\nnone\n", "nest"),
    "a program": (Z + "equation (__import__ (os x0))\nnone\nn 1\nend\n", "'os' with 1"),
    "a tower": (Z + f"equation {'(square ' * 150}x0{')' * 150}\nnone\nn 1\nend\n", "does not show"),
    "growing definitions": (ZEROS + "variable x0 2 3\nlet #1 (square x0)\n" + "".join(
        f"let #{k + 1} (square #{k})\n" for k in range(1, 600)) + "piece 0\nequation (exp (exp #600))\nnone\nn -1\nend\n", "does not show"),
    "a definition of itself": (Z + "let #1 (sin #1)\nequation #1\nnone\nend\n", "no number"),
    "an infinite number": (Z + "equation (+ x0 1)\nnone\nn 0x1p+2000\nend\n", "is no"),
    "not a number": (Z + "equation (+ x0 1)\nnone\nn nan\nend\n", "is no number"),
    "a long number": (Z + f"equation (+ x0 {'9' * 5000})\nnone\nn 1\nend\n", "is no number"),
    "divisions without end": (Z + "equation (+ x0 1)\nnone\n" + "".join(f"s 0 {(2.0**-k).hex()}\n" for k in range(1, 999)),
                              "ends before"),
    "no division": (Z + "equation (+ x0 1)\nnone\ns 0 2\nend\n", "does not divide"),
    "an empty range": (ZEROS + "variable x0 1 0\npiece 0\nequation (- x0 1/2)\nnone\nn 1\nend\n", "empty"),
    "a negative weight": (MINIMUM.format(ends="0 1") + "condition x0\npoint 1\nnone 0\nn 1 -1\nend\n", "negative"),
    "no claim": (HEAD + "question contact\nend\n", "ends before"),
    "nothing of bodies": (HEAD + "question contact\nvariable t 0 1\n" + surface(0, "u v 1") + "none 1\nend\n", "no two bodies"),
    "all left out": (PLATES.format(ends="0 1", z="0") + "except 0 1\nnone 1\nend\n", "no two bodies"),
    "a condition as a number": (MINIMUM.format(ends="1 2") + "point (- (< x0 0) x0)\nnone -0x1.9p+0\nn 1\nend\n",
                                "nothing that a formula may contain"),
    "an empty line": (ZEROS + "\nnone\nn 1\nend\n", STATED),
    "no objective": (MINIMUM.format(ends="1 2") + "none 1\nn 1\nend\n", STATED),
    "one zero twice": (Z + "equation (- x0 1/2)\n" + "one 0\nx 1/4 3/4 1\nx 3/8 5/8 1\n" * 2 + "none\ni 0\nend\n", "one and the same zero"),
    "a zero of one equation of two": (Z + "equation (- x0 1/2)\nequation 1\nsome 0\nx 1/4 3/4 1 0 0 0\nend\n", "does not show"),
    "one zero of many": (ZEROS + "variable x0 0 1\nvariable x1 0 1\npiece 0\nequation (- x0 1/2)\none 0\n" + "x 1/4 3/4 1/2 1/2 1\n" * 2 +
                         "end\n", "all variables are free"),
    "two zeros, of which one is said to be alone": (Z + "equation (* (- x0 1/4) (- x0 3/4))\none 0\nx 0 1 -2\nx 3/16 5/16 -2\nend\n",
                                                    "a solution in [0.0, 1.0]"),
    "a zero beside the box where it is alone": (Z + "equation (- x0 1/2)\none 0\nx 3/8 5/8 1\nx 1/4 3/4 1\nend\n", "lies in the first"),
    "a zero that is said to be elsewhere": (Z + "equation (- x0 1/2)\none 0\nx 1/4 3/4 1\nx 5/8 3/4 1\nend\n", "in [0.625, 0.75]"),
    "a box beside that of the tree": (Z + "equation (- x0 1/2)\nbox 3/4 1\nnone\ni 0\nend\n", "a box that is listed"),
    "a tree that is too deep": (ZEROS + "variable x0 0 1\nvariable x1 0 1\npiece 0\nequation 1\nnone\n" + "s 0\n" * 1040 + "s 1\n" * 1040,
                                "too deep"),
    "a number beyond doubles": (Z + f"equation (+ x0 1)\nnone\nn {'9' * 400}\nend\n", "is no double"),
    "a zero beyond the domain": (Z + "equation (- x0 2)\nsome 0\nx 3/2 5/2 1\nend\n", "does not lie in the domain"),
    "a zero in no place": (Z + "equation (- x0 1/2)\nsome 0\nx 0 0 1\nend\n", "does not show"),
    "more digits than a double has": (Z + "equation (- x0 0x1.00000000000000001p+0)\nnone\nn -1\nend\n", "is no number"),
    "what is not printed": (ZEROS + "let #1 (sin \x1b[8m)\npiece 0\nequation (+ x0 1)\nnone\nn 1\nend\n", "not printed"),
    "a bound of zeros": (Z + "equation (+ x0 1)\nnone 1/2\nn 1\nend\n", "no claim"),
    "zeros without number": (Z + "equation (+ x0 1)\n" + "box 0 1\n" * 140_000 + "none\ni 0\nend\n", "more than 131072 sides"),
    "no variables": (ZEROS + "piece 0\nequation 1\nnone\nn 1\nend\n", STATED),
    "a box that is not there": (Z + "equation x0\nnone\ni 0\nend\n", "a box that is listed"),
    "a box of zeros of a minimum": (MINIMUM.format(ends="0 1") + "point x0\nnone 5\ni 0\nend\n", "a step was expected"),
    "a time after the end": (PLATES.format(ends="0 1/2", z="0") + "none 1\nn 0 0 1\nend\n", "no time within the span"),
    "what begins when the claim ends": (PLATES.format(ends="0 2", z="0") + "none 1\ns 4 1\nn 0 0 1\nl\nend\n", "does not begin after"),
    "a condition of no piece": (HEAD + "question contact\nvariable t 0 1\ncondition 1\nnone 1\nend\n", STATED),
    "two spans": (PLATES.format(ends="0 1\nvariable t 1 2", z="0") + "none 1\nend\n", "name of its own"),
    "no span": (HEAD + "question contact\nvariable p 0 1\n" + surface(0, "u v 1") + "none 1\nend\n", "the last variable is the time"),
    "no question": (HEAD + "question frob\nnone\nend\n", "begins with a question"),
    "no beginning": (PLATES.format(ends="(neg (exp (exp 99))) 1", z="0") + "none 1\nn 0 0 1\nend\n", "without end"),
    "points of too few coordinates": (PLATES.format(ends="0 1", z="0").replace("u v 0", "u") + "none 1\nn 0 0 1\nend\n",
                                      STATED),
    "a parameter without range": (PLATES.format(ends="0 1", z="0").replace("parameter v 0 1", "parameter v") + "none 1\nn 0 0 1\nend\n",
                                  STATED),
    "a parameter that is a variable": (PLATES.format(ends="0 1", z="0").replace("parameter v", "parameter t") + "none 1\nend\n", "its own"),
    "a variable of a range": (PLATES.format(ends="0 1", z="0").replace("parameter v 0 1", "parameter v 0 t") + "none 1\nend\n",
                              "is a number"),
    "parameters of others": (PLATES.format(ends="0 1", z="w") + "none 1\nn 0 0 1\nend\n", "no variable of this formula"),
    "no piece of these": (PLATES.format(ends="0 1", z="0") + "some 0 2\nend\n", "no such piece"),
    "a piece alone": (PLATES.format(ends="0 1", z="0") + "some 0 0\nend\n", "no pieces of different bodies"),
    "two pieces of formulas": (Z + "piece 0\nnone\nn\nend\n", STATED),
    "weights that are missing": (PLATES.format(ends="0 1", z="0") + "none 1\nn 0 1\nend\n", "too few or too many"),
    "an end before the last pair": (PLATES.format(ends="0 1", z="0") + surface(2, "u v 3") + "none 1\nn 0 0 1\nend\n",
                                    "a step was expected"),
    "a chain of squares": (ZEROS + "let #1 3\n" + "".join(f"let #{k + 1} (square #{k})\n" for k in range(1, 1100))
                           + "variable x0 0 1\npiece 0\nequation #1100\nnone\nn 1\nend\n", "multiplies numbers so often"),
    "after the end": (Z + "equation (+ x0 1)\nnone\nn 1\nend\nn 1\n", "follows the end"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_logs(name: str, tmp_path: Path) -> None:
    text, why = HOSTILE[name]
    path = tmp_path / "a.proof"
    path.write_text(text)
    found = collide.check(path, budget=30)
    assert found.status is CheckStatus.REJECTED and why in str(found), str(found)
    assert str(found).count("\n") == 0 and len(str(found)) < 400


def test_a_contact_before_the_time_begins_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.proof"
    path.write_text(HEAD + "question contact\nvariable t 0 1\n" + surface(0, "u v t") + surface(1, "u v -1") + "none 1\nn 0 0 1\n"
                    "some 0 1\nx 0x1p-1 0x1p-1 0x1p-1 0x1p-1 0 1 0 1 -4 3 -1 0 0 0 -1 0 0 0 1\nend\n")
    found = collide.check(path)
    assert not found.accepted and "does not lie in the domain" in str(found)


def test_a_budget_and_an_executor(tori: tuple[Path, collide.Contacts]) -> None:
    path, _ = tori
    assert collide.check(path, budget=1e-6).status is CheckStatus.BUDGET_SPENT
    with ThreadPoolExecutor(2) as executor:
        assert collide.check(path, executor=executor).accepted


def test_a_search_that_ends_early_proves_less(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What begins later than the claim is left out, and nothing else is."""
    monkeypatch.setattr(importlib.import_module("collide.proof.contact_log"), "_ISOLATED", ((2.0**-30, 1500),))
    path = tmp_path / "a.proof"
    answer, found = logged(path, "tori-crossed")
    lines = path.read_text().splitlines()
    k = next(k for k, line in enumerate(lines) if line.startswith("none"))
    until = float.fromhex(lines[k].split()[1])
    assert found.accepted and "l" in lines and 0 < until < answer.clear_until - 1e-3
    path.write_text("\n".join([*lines[:k], f"none {(until + 2.0**-20).hex()}", *lines[k + 1:], ""]))
    assert "does not begin after the time of the claim" in str(collide.check(path))


def test_the_checker_stands_alone(tori: tuple[Path, collide.Contacts], tmp_path: Path) -> None:
    """Copied elsewhere it verifies a log, also in other processes, with nothing of the project, nor of its libraries, but python-flint."""
    shutil.copytree(FOLDER, tmp_path / "alone", ignore=shutil.ignore_patterns("__pycache__"))
    lines = tori[0].read_text().splitlines()
    k = max(k for k, line in enumerate(lines) if line.startswith("n "))
    (tmp_path / "b.proof").write_text("\n".join([*lines[:k], "n 0 0 0", *lines[k + 1:], ""]))
    program = ("import sys; from concurrent.futures import ProcessPoolExecutor; from alone.check import check; print(check(sys.argv[1]));"
               "e = ProcessPoolExecutor(2); print(check(sys.argv[1], executor=e).accepted, check('b.proof', executor=e).line);"
               "print(*{m.split('.')[0] for m in sys.modules} & {'collide', 'codegen', 'generative', 'numpy', 'sympy', 'llvmlite'})")
    done = subprocess.run([sys.executable, "-c", program, str(tori[0])], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    first, second, third, *_ = done.stdout.split("\n")
    assert first.startswith("ACCEPTED") and second == f"True {k + 1}" and third == "", done.stderr


def test_command_line(tori: tuple[Path, collide.Contacts], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from collide.__main__ import main

    assert main(["check", str(tori[0]), "--statement"]) == 0
    assert "ACCEPTED" in (out := capsys.readouterr().out) and "piece 1" in out
    (tmp_path / "b.proof").write_text("nothing\n")
    assert main(["check", str(tmp_path / "b.proof")]) == 1 and "REJECTED at line 1" in capsys.readouterr().out
    assert main(["check", str(tmp_path / "c.proof")]) == 2


def test_without_arb_a_sentence_says_what_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "flint", None)
    with pytest.raises(ImportError, match=r"pip install generative-collision\[proof\]"):
        collide.check(tmp_path / "a.proof")
    with pytest.raises(ImportError, match="python-flint"):
        collide.first_contact([PLATE, BOWL], (0, 1), log=tmp_path / "a.proof")
